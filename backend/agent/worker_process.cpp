// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/worker_process.h"

#include "backend/base/monotonic_clock.h"
#include "backend/protocol/worker_channel.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

// glibc 2.36 forgot to say so itself.
extern "C" {
#include <sys/pidfd.h>
}

namespace yardmaster::agent {

namespace {

/// The file actions and attributes of one posix_spawn; both must be destroyed.
class SpawnSetup {
public:
    SpawnSetup() {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
    }
    ~SpawnSetup() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    SpawnSetup(const SpawnSetup&) = delete;
    SpawnSetup& operator=(const SpawnSetup&) = delete;

    posix_spawn_file_actions_t actions{};
    posix_spawnattr_t attributes{};
};

struct SocketPair {
    UniqueFd ours, theirs;
};
Expected<SocketPair> makeSocketPair() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return failure(Error::fromErrno(errno, "socketpair"));
    return SocketPair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void resetSignals(posix_spawnattr_t& attributes) {
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
}

} // namespace

Expected<std::shared_ptr<const WorkerBinary>> WorkerBinary::open(const std::string& path) {
    auto binary = std::make_shared<WorkerBinary>();
    binary->m_path = path;
    binary->m_fd.reset(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!binary->m_fd)
        return failure(Error::fromErrno(errno, "open the worker's program", path));
    struct stat info { };
    if (::fstat(binary->m_fd.get(), &info) != 0 || !S_ISREG(info.st_mode) || (info.st_mode & 0111) == 0)
        return failure(Error::Code::InvalidArgument, "is no executable file", path,
            "set worker_binary in the configuration");
    return std::shared_ptr<const WorkerBinary>(std::move(binary));
}

Expected<UniqueFd> openPidFd(pid_t pid) {
    UniqueFd fd(::pidfd_open(pid, 0));
    if (!fd) {
        Error error = Error::fromErrno(errno, "pidfd_open", "pid " + std::to_string(pid));
        if (errno == ESRCH)
            error.code = Error::Code::NotFound;
        return failure(std::move(error));
    }
    return fd;
}

Expected<SpawnedProcess> spawnWorkerProcess(const SpawnSpec& spec) {
    auto channel = makeSocketPair();
    auto scm = makeSocketPair();
    if (!channel || !scm)
        return failure(channel ? scm.error() : channel.error());

    struct Placement {
        int source, target;
    };
    const std::array<Placement, 5> placements{{{channel->theirs.get(), protocol::channelFd},
        {scm->theirs.get(), protocol::scmFd}, {spec.stateFd, protocol::stateFd},
        {spec.metricsFd, protocol::metricsFd}, {spec.adoptionFd, protocol::adoptionFd}}};
    // A source that happens to have the number of another's target would be overwritten before it is placed,
    // and so would the program: all of them are moved above the fixed numbers first.
    SpawnSetup setup;
    std::vector<UniqueFd> moved;
    for (const Placement& placement : placements) {
        UniqueFd copy(::fcntl(placement.source, F_DUPFD_CLOEXEC, protocol::firstFreeFd));
        if (!copy)
            return failure(Error::fromErrno(errno, "move a descriptor for the worker"));
        posix_spawn_file_actions_adddup2(&setup.actions, copy.get(), placement.target);
        moved.push_back(std::move(copy));
    }
    const UniqueFd program(::fcntl(spec.binary->fd(), F_DUPFD_CLOEXEC, protocol::firstFreeFd));
    if (!program)
        return failure(Error::fromErrno(errno, "move the descriptor of the worker's program"));
    posix_spawn_file_actions_addopen(&setup.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    resetSignals(setup.attributes);

    std::string name = "yardmaster-worker";
    std::string idOption = "--id";
    std::string id = std::to_string(spec.id);
    std::string slotOption = "--slot";
    std::string slot = std::to_string(spec.slot);
    const std::array<char*, 6> arguments{
        name.data(), idOption.data(), id.data(), slotOption.data(), slot.data(), nullptr};
    const std::string path = "/proc/self/fd/" + std::to_string(program.get());

    SpawnedProcess process;
    process.spawnNs = monotonicNowNs();
    const int error = ::posix_spawn(
        &process.pid, path.c_str(), &setup.actions, &setup.attributes, arguments.data(), environ);
    if (error != 0)
        return failure(Error::fromErrno(error, "posix_spawn", spec.binary->path()));
    // We have not waited for it yet, so the number still is this process, even if it has ended already.
    auto pidFd = openPidFd(process.pid);
    if (!pidFd) {
        ::kill(process.pid, SIGKILL);
        ::waitpid(process.pid, nullptr, 0);
        return failure(pidFd.error());
    }
    process.pidFd = std::move(*pidFd);
    process.channel = std::move(channel->ours);
    process.scm = std::move(scm->ours);
    return process;
}

ProcessWatch::ProcessWatch(pid_t pid, UniqueFd pidFd, bool isChild, QObject* parent)
    : QObject(parent)
    , m_pid(pid)
    , m_pidFd(std::move(pidFd))
    , m_isChild(isChild)
    , m_notifier(m_pidFd.get(), QSocketNotifier::Read) {
    connect(&m_notifier, &QSocketNotifier::activated, this, [this] { onReadable(); });
}

void ProcessWatch::signalProcess(int signal) const {
    if (m_running)
        ::pidfd_send_signal(m_pidFd.get(), signal, nullptr, 0);
}

void ProcessWatch::onReadable() {
    if (!m_running)
        return;
    proto::ExitReport report;
    if (m_isChild) {
        siginfo_t info{};
        if (::waitid(P_PIDFD, static_cast<id_t>(m_pidFd.get()), &info, WEXITED | WNOHANG) == 0
            && info.si_pid == 0)
            return;
        if (info.si_code == CLD_EXITED)
            report.set_code(info.si_status);
        else if (info.si_pid != 0)
            report.set_signal(info.si_status);
    }
    m_running = false;
    m_notifier.setEnabled(false);
    report.set_unix_ns(unixNowNs());
    report.set_text(describeExit(report));
    emit ended(report);
}

std::string describeExit(const proto::ExitReport& report) {
    if (report.has_signal()) {
        const char* name = ::sigdescr_np(report.signal());
        return "killed by signal " + std::to_string(report.signal())
            + (name ? std::string(" (") + name + ")" : "");
    }
    if (report.has_code())
        return "exited with status " + std::to_string(report.code());
    return "ended; its status went to the agent that started it";
}

} // namespace yardmaster::agent

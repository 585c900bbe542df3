// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/base/unique_fd.h"
#include "backend/protocol/command.pb.h"

#include <QObject>
#include <QSocketNotifier>

#include <cstdint>
#include <memory>
#include <string>
#include <sys/types.h>

namespace yardmaster::agent {

/// A program held by an O_PATH descriptor: what is started is the file that was opened, even when the path
/// has another one by then. Opened anew at the start of each rollout, so that an upgrade starts the new one.
class WorkerBinary {
public:
    [[nodiscard]] static Expected<std::shared_ptr<const WorkerBinary>> open(const std::string& path);
    [[nodiscard]] int fd() const { return m_fd.get(); }
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    std::string m_path;
    UniqueFd m_fd;
};

/// What a worker gets besides its two sockets; the numbers it finds them on are in worker_channel.h.
struct SpawnSpec {
    const WorkerBinary* binary = nullptr;
    std::uint32_t id = 0;
    std::uint32_t slot = 0;
    int stateFd = -1;
    int metricsFd = -1;
    int adoptionFd = -1;
};
struct SpawnedProcess {
    pid_t pid = 0;
    UniqueFd pidFd;
    UniqueFd channel; ///< our end, non-blocking
    UniqueFd scm; ///< our end, blocking
    std::int64_t spawnNs = 0; ///< CLOCK_MONOTONIC just before the process was made
};
/// posix_spawn with nothing inherited but the contract's descriptors, stdout and stderr; default signal
/// dispositions, empty signal mask, a process group of its own (a Ctrl-C meant for the agent must not reach
/// a worker that is to drain).
[[nodiscard]] Expected<SpawnedProcess> spawnWorkerProcess(const SpawnSpec& spec);

/// A running process watched through a pidfd: its end is noticed at once and reaped, and no signal can reach
/// another process that got its number.
class ProcessWatch : public QObject {
    Q_OBJECT
public:
    /// `isChild`: its status can be waited for; otherwise only that it ended is known.
    ProcessWatch(pid_t pid, UniqueFd pidFd, bool isChild, QObject* parent = nullptr);

    [[nodiscard]] pid_t pid() const { return m_pid; }
    [[nodiscard]] bool isRunning() const { return m_running; }
    void signalProcess(int signal) const;

signals:
    void ended(const yardmaster::proto::ExitReport& report);

private:
    void onReadable();

    pid_t m_pid;
    UniqueFd m_pidFd;
    bool m_isChild;
    bool m_running = true;
    QSocketNotifier m_notifier;
};

/// pidfd_open; NotFound when there is no such process.
[[nodiscard]] Expected<UniqueFd> openPidFd(pid_t pid);

/// "exited with status 1", "killed by signal 9 (Killed)"
[[nodiscard]] std::string describeExit(const proto::ExitReport& report);

} // namespace yardmaster::agent

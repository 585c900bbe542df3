// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/runtime_directory.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yardmaster::agent {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view socketPrefix = "worker-";
constexpr std::string_view socketSuffix = ".sock";

std::string lockPath(const std::string& directory) {
    return directory + "/agent.lock";
}

Expected<void> makePrivate(const std::string& path) {
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        return failure(Error::fromErrno(errno, "mkdir", path));
    struct stat info { };
    if (::stat(path.c_str(), &info) != 0)
        return failure(Error::fromErrno(errno, "stat", path));
    if (!S_ISDIR(info.st_mode))
        return failure(Error::Code::AlreadyExists, "the runtime directory is a file", path);
    if (info.st_uid != ::geteuid() || (info.st_mode & 022) != 0)
        return failure(Error::Code::PermissionDenied, "others may write into the runtime directory", path,
            "make it belong to the agent's user with mode 0700");
    return {};
}

} // namespace

Expected<RuntimeDirectory> RuntimeDirectory::open(const std::string& path) {
    if (auto made = makePrivate(path); !made)
        return failure(made.error());
    const std::string name = lockPath(path);
    // The file may be removed by an agent that ends between our open and our lock: then the lock would hold
    // a name that is gone, and a third agent could take the new one.
    for (int attempt = 0; attempt < 10; ++attempt) {
        UniqueFd lock(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!lock)
            return failure(Error::fromErrno(errno, "open", name));
        if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
            if (errno == EWOULDBLOCK)
                return failure(Error::Code::AlreadyExists, "another agent holds the runtime directory", name,
                    "stop it first, or give this one its own runtime_directory");
            return failure(Error::fromErrno(errno, "flock", name));
        }
        struct stat held { };
        struct stat named { };
        if (::fstat(lock.get(), &held) == 0 && ::stat(name.c_str(), &named) == 0
            && held.st_ino == named.st_ino)
            return RuntimeDirectory(path, std::move(lock));
    }
    return failure(Error::Code::Unavailable, "the lock file keeps changing", name);
}

std::vector<RuntimeDirectory::WorkerSocket> RuntimeDirectory::workerSockets() const {
    std::vector<WorkerSocket> sockets;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(m_path, error)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(socketPrefix) || !name.ends_with(socketSuffix))
            continue;
        std::uint32_t id = 0;
        const char* end = name.data() + name.size() - socketSuffix.size();
        const auto [rest, code] = std::from_chars(name.data() + socketPrefix.size(), end, id);
        if (code == std::errc{} && rest == end)
            sockets.push_back({id, entry.path().string()});
    }
    std::sort(sockets.begin(), sockets.end(),
        [](const WorkerSocket& left, const WorkerSocket& right) { return left.workerId < right.workerId; });
    return sockets;
}

std::string RuntimeDirectory::workerSocketPath(std::uint32_t workerId) const {
    return m_path + "/" + std::string(socketPrefix) + std::to_string(workerId) + std::string(socketSuffix);
}

void RuntimeDirectory::removeWorkerSocket(std::uint32_t workerId) const {
    ::unlink(workerSocketPath(workerId).c_str());
}

void RuntimeDirectory::remove() {
    ::unlink(lockPath(m_path).c_str());
    m_lock.reset();
    ::rmdir(m_path.c_str());
}

} // namespace yardmaster::agent

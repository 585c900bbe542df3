// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/base/unique_fd.h"

#include <cstdint>
#include <string>
#include <vector>

namespace yardmaster::agent {

/// The directory in which one agent and its workers meet: a lock (agent.lock, flock) that keeps a second
/// agent out for as long as the first lives, and the workers' adoption sockets (worker-<id>.sock).
class RuntimeDirectory {
public:
    /// Makes the directory (mode 0700) when it is absent and takes the lock. AlreadyExists: another agent
    /// holds it. PermissionDenied: others may write into it.
    [[nodiscard]] static Expected<RuntimeDirectory> open(const std::string& path);

    struct WorkerSocket {
        std::uint32_t workerId;
        std::string path;
    };
    [[nodiscard]] std::vector<WorkerSocket> workerSockets() const; ///< by worker id
    [[nodiscard]] std::string workerSocketPath(std::uint32_t workerId) const;
    void removeWorkerSocket(std::uint32_t workerId) const;

    /// Removes the lock file and, when it is empty then, the directory. Only for an agent that ends and
    /// leaves no worker behind.
    void remove();

    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    RuntimeDirectory(std::string path, UniqueFd lock)
        : m_path(std::move(path))
        , m_lock(std::move(lock)) { }

    std::string m_path;
    UniqueFd m_lock;
};

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/base/unique_fd.h"

#include <string>
#include <sys/types.h>

namespace yardmaster::agent {

/// Listens on a unix stream socket that only this user may connect to (mode 0600 from its first instant, not
/// by a later chmod). Non-blocking, close-on-exec. A socket file nobody answers on is replaced; one with
/// somebody behind it is AlreadyExists, and any other kind of file is left alone (AlreadyExists too).
[[nodiscard]] Expected<UniqueFd> listenUnix(const std::string& path, int backlog = 64);

/// Blocking connect, close-on-exec; Unavailable when nobody listens there.
[[nodiscard]] Expected<UniqueFd> connectUnix(const std::string& path);

/// Waits at most this long in each later read and write of a blocking socket.
void setSocketTimeouts(int fd, int timeoutMs);

struct PeerCredentials {
    pid_t pid = 0;
    uid_t uid = 0;
    gid_t gid = 0;

    /// "uid 0 (root), pid 4711", for logs and the `actor` of events.
    [[nodiscard]] std::string describe() const;
};
/// SO_PEERCRED: who connected, as the kernel knows it.
[[nodiscard]] Expected<PeerCredentials> peerCredentials(int fd);
/// The same user, or root.
[[nodiscard]] bool mayCommand(const PeerCredentials& peer, uid_t ownUid);

} // namespace yardmaster::agent

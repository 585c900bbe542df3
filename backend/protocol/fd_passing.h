// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/base/unique_fd.h"

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace yardmaster::protocol {

/// File descriptors over a unix stream socket (SCM_RIGHTS, unix(7)). All calls work on blocking and
/// non-blocking sockets alike, wait until the deadline and no longer, and restart after signals.
using Deadline = std::chrono::steady_clock::time_point;

/// Linux refuses more in one message (SCM_MAX_FD).
inline constexpr std::size_t maxFdsPerSendmsg = 253;

/// Sends all of `data`, with the descriptors attached to its first byte. The caller keeps its descriptors.
///  - InvalidArgument: no data, a negative descriptor, or more than 253 of them (nothing was sent)
///  - Unavailable: the peer is gone    - DeadlineExceeded: it did not read (a part may have been sent)
///  - ResourceExhausted: too many descriptors in flight (RLIMIT_NOFILE)
[[nodiscard]] Expected<void> sendWithFds(
    int socket, std::string_view data, std::span<const int> fds, Deadline deadline);

/// Fills `data` completely and never reads a byte beyond it; descriptors that arrive on the way are appended
/// to `fds`, close-on-exec.
///  - Unavailable: the peer closed before the first byte    - DataLoss: it closed in the middle
///  - DeadlineExceeded
///  - ResourceExhausted: the kernel had to drop descriptors (MSG_CTRUNC: the limit of open files is reached,
///    or the peer sent more than `maxFds` in one go); what did arrive is in `fds`
[[nodiscard]] Expected<void> receiveWithFds(int socket, std::span<char> data, std::vector<UniqueFd>& fds,
    Deadline deadline, std::size_t maxFds = maxFdsPerSendmsg);

} // namespace yardmaster::protocol

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/base/unique_fd.h"
#include "backend/protocol/command.pb.h"
#include "backend/protocol/fd_passing.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace yardmaster::protocol {

/// Listening sockets from one process to the next, as worker_channel.h step 2 and "Adoption" describe it and
/// as Sozu 2.1 does it: a varint-delimited ListenersCount names the addresses, the descriptors come in the
/// same order (http, tls, tcp, udp). At most 200 descriptors and 4096 data bytes a message; `more` is set on
/// all messages but the last. Nothing beyond the last message is read from the socket.
struct ListenerToSend {
    std::string address; ///< "127.0.0.1:80", "[::1]:80"
    proto::ListenerType type = proto::HTTP;
    int fd = -1; ///< stays the caller's
};

struct ReceivedListener {
    std::string address;
    proto::ListenerType type = proto::HTTP;
    UniqueFd fd; ///< close-on-exec
};

struct ReceivedListeners {
    std::vector<UniqueFd> leading; ///< those ahead of the listeners, in the order sent
    std::vector<ReceivedListener> listeners; ///< http, tls, tcp, udp; within a type in the order sent
};

/// One sendmsg() of a hand-over, for a sender that must not block; the descriptors are borrowed.
struct ListenersMessage {
    std::string data; ///< the delimited ListenersCount
    std::vector<int> fds; ///< leading ones, then one for each address
};
/// The messages that sendListeners() sends, at least one. Errors: InvalidArgument.
[[nodiscard]] Expected<std::vector<ListenersMessage>> encodeListeners(
    std::span<const ListenerToSend> listeners, std::span<const int> leadingFds = {});

/// `leadingFds` (at most 53) go ahead of the listeners in the first message: an adopted worker puts its
/// metrics page and its state there. Errors: as sendWithFds; InvalidArgument also for an empty or over-long
/// address.
[[nodiscard]] Expected<void> sendListeners(int scmFd, std::span<const ListenerToSend> listeners,
    Deadline deadline, std::span<const int> leadingFds = {});

/// All or nothing: on an error every descriptor that did arrive is closed again.
///  - DataLoss: the count differs from the descriptors received, the message is truncated, does not decode or
///    exceeds the limits, an address is named twice for one type
///  - Unavailable: the peer closed before anything came    - DeadlineExceeded
///  - ResourceExhausted: the kernel dropped descriptors
[[nodiscard]] Expected<ReceivedListeners> receiveListeners(
    int scmFd, Deadline deadline, std::size_t leadingCount = 0);

} // namespace yardmaster::protocol

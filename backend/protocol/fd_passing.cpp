// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/fd_passing.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace yardmaster::protocol {

namespace {

// Until the socket is ready or the deadline has passed; whether there is an error the next call tells.
Expected<void> waitFor(int socket, short events, Deadline deadline, const char* what) {
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        const auto timeoutMs = std::clamp<std::int64_t>(left.count(), 0, 60'000);
        pollfd entry{socket, events, 0};
        const int ready = ::poll(&entry, 1, static_cast<int>(timeoutMs));
        if (ready > 0)
            return {};
        if (ready < 0 && errno != EINTR)
            return failure(Error::fromErrno(errno, "poll", "unix socket"));
        if (ready == 0 && std::chrono::steady_clock::now() >= deadline)
            return failure(Error::Code::DeadlineExceeded, what, "unix socket");
    }
}

// Takes every descriptor out of the control data, so that none is leaked whatever comes next.
void collect(msghdr& message, std::vector<UniqueFd>& fds) {
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
            fds.emplace_back(fd);
        }
    }
}

} // namespace

Expected<void> sendWithFds(int socket, std::string_view data, std::span<const int> fds, Deadline deadline) {
    if (data.empty())
        return failure(
            Error::Code::InvalidArgument, "descriptors travel with at least one byte of data", "unix socket");
    if (fds.size() > maxFdsPerSendmsg)
        return failure(Error::Code::InvalidArgument,
            std::to_string(fds.size()) + " descriptors do not fit into one message", "unix socket",
            "send at most 253 at once");
    if (std::any_of(fds.begin(), fds.end(), [](int fd) { return fd < 0; }))
        return failure(Error::Code::InvalidArgument, "a descriptor to send is not open", "unix socket");

    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * maxFdsPerSendmsg)> control{};
    while (!data.empty()) {
        iovec part{const_cast<char*>(data.data()), data.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        if (!fds.empty()) {
            message.msg_control = control.data();
            message.msg_controllen = CMSG_SPACE(fds.size_bytes());
            cmsghdr* header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(fds.size_bytes());
            std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
        }
        const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            data.remove_prefix(static_cast<std::size_t>(sent));
            fds = {}; // they went with the first byte
            continue;
        }
        switch (errno) {
        case EINTR:
            break;
        case EAGAIN:
            if (auto ready = waitFor(socket, POLLOUT, deadline, "the peer does not read"); !ready)
                return ready;
            break;
        case EPIPE:
        case ECONNRESET:
        case ENOTCONN:
            return failure(Error::Code::Unavailable, "the peer has closed the socket", "unix socket");
        case ETOOMANYREFS:
            return failure(Error::Code::ResourceExhausted, "too many descriptors are on their way",
                "unix socket", "raise the limit of open files (RLIMIT_NOFILE)");
        default:
            return failure(Error::fromErrno(errno, "sendmsg", "unix socket"));
        }
    }
    return {};
}

Expected<void> receiveWithFds(
    int socket, std::span<char> data, std::vector<UniqueFd>& fds, Deadline deadline, std::size_t maxFds) {
    const std::size_t fdsBefore = fds.size();
    std::size_t received = 0;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * maxFdsPerSendmsg) + CMSG_SPACE(sizeof(ucred))>
        control{};
    while (received < data.size()) {
        iovec part{data.data() + received, data.size() - received};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const ssize_t count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN) {
            if (auto ready = waitFor(socket, POLLIN, deadline, "the peer sends nothing"); !ready)
                return ready;
            continue;
        }
        if (count == 0 || (count < 0 && errno == ECONNRESET)) {
            if (received == 0)
                return failure(Error::Code::Unavailable, "the peer has closed the socket", "unix socket");
            return failure(Error::Code::DataLoss,
                "the peer closed the socket after " + std::to_string(received) + " of "
                    + std::to_string(data.size()) + " bytes",
                "unix socket");
        }
        if (count < 0)
            return failure(Error::fromErrno(errno, "recvmsg", "unix socket"));
        received += static_cast<std::size_t>(count);
        collect(message, fds);
        if ((message.msg_flags & MSG_CTRUNC) != 0)
            return failure(Error::Code::ResourceExhausted, "the system dropped descriptors on arrival",
                "unix socket", "raise the limit of open files (RLIMIT_NOFILE)");
        if (fds.size() - fdsBefore > maxFds)
            return failure(Error::Code::ResourceExhausted,
                "the peer sent more than " + std::to_string(maxFds) + " descriptors", "unix socket");
    }
    return {};
}

} // namespace yardmaster::protocol

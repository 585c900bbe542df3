// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/io/stream_socket.h"

#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/uio.h>

namespace yardmaster::io {

void StreamSocket::noteEvents(std::uint32_t events) {
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        m_readable = true;
    if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
        m_writable = true;
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        m_peerClosed = true;
}

IoResult StreamSocket::read(std::span<char> into, std::size_t& count) {
    count = 0;
    const ssize_t result = ::recv(m_fd.get(), into.data(), into.size(), 0);
    if (result > 0) {
        count = static_cast<std::size_t>(result);
        // A short read has emptied the socket (epoll(7)); but an end of stream that was already announced
        // raises no further edge, so it has to be read for.
        if (count < into.size() && !m_peerClosed)
            m_readable = false;
        return IoResult::Done;
    }
    if (result == 0)
        return IoResult::EndOfStream;
    if (errno == EAGAIN || errno == EINTR) {
        m_readable = errno == EINTR;
        return IoResult::WouldBlock;
    }
    return IoResult::Failed;
}

IoResult StreamSocket::write(std::string_view first, std::string_view second, std::size_t& count) {
    count = 0;
    ssize_t result = 0;
    const std::size_t wanted = first.size() + second.size();
    if (second.empty()) {
        result = ::send(m_fd.get(), first.data(), first.size(), MSG_NOSIGNAL);
    } else if (first.empty()) {
        result = ::send(m_fd.get(), second.data(), second.size(), MSG_NOSIGNAL);
    } else {
        std::array<iovec, 2> pieces{iovec{const_cast<char*>(first.data()), first.size()},
            iovec{const_cast<char*>(second.data()), second.size()}};
        msghdr message{};
        message.msg_iov = pieces.data();
        message.msg_iovlen = pieces.size();
        result = ::sendmsg(m_fd.get(), &message, MSG_NOSIGNAL);
    }
    if (result >= 0) {
        count = static_cast<std::size_t>(result);
        if (count < wanted)
            m_writable = false;
        return IoResult::Done;
    }
    if (errno == EAGAIN || errno == EINTR) {
        m_writable = errno == EINTR;
        return IoResult::WouldBlock;
    }
    return IoResult::Failed;
}

void StreamSocket::shutdownWrite() {
    ::shutdown(m_fd.get(), SHUT_WR);
}

void StreamSocket::closeWithReset() {
    const linger now{1, 0};
    ::setsockopt(m_fd.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
}

bool StreamSocket::hasInput() {
    char byte = 0;
    const ssize_t result = ::recv(m_fd.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (result >= 0 || errno != EAGAIN)
        return true;
    m_readable = m_peerClosed;
    return false;
}

} // namespace yardmaster::io

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <sys/socket.h>

namespace yardmaster::io {

enum class IoResult { Done, WouldBlock, EndOfStream, Failed };

/// A non-blocking stream socket registered edge-triggered: it remembers whether the next read or write can
/// succeed, so that none is tried in vain.
class StreamSocket {
public:
    StreamSocket() = default;
    StreamSocket(UniqueFd fd, bool writable)
        : m_fd(std::move(fd))
        , m_writable(writable) { }

    [[nodiscard]] int fd() const { return m_fd.get(); }
    [[nodiscard]] bool isOpen() const { return m_fd.isValid(); }
    void close() { m_fd.reset(); }

    /// Takes note of epoll bits.
    void noteEvents(std::uint32_t events);
    [[nodiscard]] bool canRead() const { return m_readable; }
    [[nodiscard]] bool canWrite() const { return m_writable; }
    [[nodiscard]] bool peerClosed() const { return m_peerClosed; } ///< there may still be bytes to read

    [[nodiscard]] IoResult read(std::span<char> into, std::size_t& count);
    /// Writes both pieces in one call; `count` over both.
    [[nodiscard]] IoResult write(std::string_view first, std::string_view second, std::size_t& count);
    void shutdownWrite();
    /// Closes so that the peer sees a reset: it must not take what it got for the whole.
    void closeWithReset();
    /// Whether there is something to read, bytes or an end: looks, and takes nothing.
    [[nodiscard]] bool hasInput();

private:
    UniqueFd m_fd;
    bool m_readable = false;
    bool m_writable = false;
    bool m_peerClosed = false;
};

} // namespace yardmaster::io

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"

#include <cstdint>
#include <string>
#include <sys/socket.h>

namespace yardmaster::lab {

/// An IPv4 or IPv6 address with a port.
class SocketAddress {
public:
    SocketAddress() = default;
    /// "127.0.0.1:8080", "[::1]:8080", "localhost:8080" (its first address). InvalidArgument.
    [[nodiscard]] static Expected<SocketAddress> parse(const std::string& text);
    /// Of a bound socket.
    [[nodiscard]] static Expected<SocketAddress> ofSocket(int fd);

    [[nodiscard]] int family() const { return m_storage.ss_family; }
    [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&m_storage); }
    [[nodiscard]] socklen_t size() const { return m_size; }
    [[nodiscard]] std::uint16_t port() const;
    void setPort(std::uint16_t port);
    [[nodiscard]] std::string toString() const;

private:
    sockaddr_storage m_storage{};
    socklen_t m_size = 0;
};

} // namespace yardmaster::lab

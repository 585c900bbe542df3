// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace yardmaster::proto {
class SocketAddress;
}

namespace yardmaster::protocol {

/// "127.0.0.1:80", "[::1]:80" (RFC 5952 form); `ip` is 4 or 16 bytes in network order, else it reads "?:80".
[[nodiscard]] std::string addressText(std::span<const std::uint8_t> ip, std::uint32_t port);
[[nodiscard]] std::string addressText(const proto::SocketAddress& address);

} // namespace yardmaster::protocol

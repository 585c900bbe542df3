// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace yardmaster::proto {
class SocketAddress;
}

namespace yardmaster::state {

/// An IP address and port as a value that can be a map key; converts to and from the wire form.
struct SocketAddress {
    bool isV6 = false;
    std::array<std::uint8_t, 16> bytes{}; ///< network order; v4 uses the first four
    std::uint16_t port = 0;

    auto operator<=>(const SocketAddress&) const = default;

    /// "127.0.0.1:80", "[::1]:80"
    [[nodiscard]] std::string toString() const;
    [[nodiscard]] static Expected<SocketAddress> parse(std::string_view text);

    [[nodiscard]] static Expected<SocketAddress> fromProto(const proto::SocketAddress& wire);
    void toProto(proto::SocketAddress& wire) const;
};

} // namespace yardmaster::state

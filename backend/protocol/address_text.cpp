// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/address_text.h"

#include "backend/protocol/objects.pb.h"

#include <arpa/inet.h>

#include <array>

namespace yardmaster::protocol {

std::string addressText(std::span<const std::uint8_t> ip, std::uint32_t port) {
    char text[INET6_ADDRSTRLEN] = "?";
    std::string result;
    if (ip.size() == 16) {
        ::inet_ntop(AF_INET6, ip.data(), text, sizeof text);
        result.append("[").append(text).append("]");
    } else {
        if (ip.size() == 4)
            ::inet_ntop(AF_INET, ip.data(), text, sizeof text);
        result = text;
    }
    return result.append(":").append(std::to_string(port));
}

std::string addressText(const proto::SocketAddress& address) {
    std::array<std::uint8_t, 16> bytes{};
    std::size_t size = 0;
    const auto put = [&](std::uint64_t value, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            bytes[size++] = static_cast<std::uint8_t>(value >> (8 * (count - 1 - i)));
    };
    if (address.ip().has_v4()) {
        put(address.ip().v4(), 4);
    } else if (address.ip().has_v6()) {
        put(address.ip().v6().high(), 8);
        put(address.ip().v6().low(), 8);
    }
    return addressText(std::span(bytes).first(size), address.port());
}

} // namespace yardmaster::protocol

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/state/socket_address.h"

#include "backend/protocol/address_text.h"
#include "backend/protocol/objects.pb.h"

#include <arpa/inet.h>

#include <charconv>
#include <span>

namespace yardmaster::state {

namespace {

void putBigEndian(std::uint8_t* out, std::uint64_t value, int count) {
    for (int i = count - 1; i >= 0; --i, value >>= 8)
        out[i] = static_cast<std::uint8_t>(value);
}

std::uint64_t getBigEndian(const std::uint8_t* in, int count) {
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i)
        value = value << 8 | in[i];
    return value;
}

} // namespace

std::string SocketAddress::toString() const {
    return protocol::addressText(std::span(bytes).first(isV6 ? 16 : 4), port);
}

Expected<SocketAddress> SocketAddress::parse(std::string_view text) {
    const auto wrong = [&](const char* why) {
        return failure(Error::Code::InvalidArgument, "not an address: " + std::string(why),
            std::string(text.substr(0, 80)), "write 127.0.0.1:8080 or [::1]:8080");
    };
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos)
        return wrong("the port is missing");
    std::string_view ip = text.substr(0, colon);
    const std::string_view portText = text.substr(colon + 1);
    SocketAddress address;
    const auto [end, error] = std::from_chars(portText.begin(), portText.end(), address.port);
    if (error != std::errc() || end != portText.end())
        return wrong("the port is not a number from 0 to 65535");
    if (ip.starts_with('[')) {
        if (!ip.ends_with(']'))
            return wrong("] is missing");
        ip = ip.substr(1, ip.size() - 2);
        address.isV6 = true;
    }
    if (::inet_pton(address.isV6 ? AF_INET6 : AF_INET, std::string(ip).c_str(), address.bytes.data()) != 1
        || ip.find('\0') != std::string_view::npos)
        return wrong(address.isV6 ? "not an IPv6 address" : "not an IPv4 address");
    return address;
}

Expected<SocketAddress> SocketAddress::fromProto(const proto::SocketAddress& wire) {
    SocketAddress address;
    if (wire.port() > 65535)
        return failure(Error::Code::InvalidArgument,
            "port " + std::to_string(wire.port()) + " is beyond 65535", "address");
    address.port = static_cast<std::uint16_t>(wire.port());
    switch (wire.ip().inner_case()) {
    case proto::IpAddress::kV4:
        putBigEndian(address.bytes.data(), wire.ip().v4(), 4);
        break;
    case proto::IpAddress::kV6:
        address.isV6 = true;
        putBigEndian(address.bytes.data(), wire.ip().v6().high(), 8);
        putBigEndian(address.bytes.data() + 8, wire.ip().v6().low(), 8);
        break;
    case proto::IpAddress::INNER_NOT_SET:
        return failure(
            Error::Code::InvalidArgument, "neither an IPv4 nor an IPv6 address is given", "address");
    }
    return address;
}

void SocketAddress::toProto(proto::SocketAddress& wire) const {
    if (isV6) {
        wire.mutable_ip()->mutable_v6()->set_high(getBigEndian(bytes.data(), 8));
        wire.mutable_ip()->mutable_v6()->set_low(getBigEndian(bytes.data() + 8, 8));
    } else {
        wire.mutable_ip()->set_v4(static_cast<std::uint32_t>(getBigEndian(bytes.data(), 4)));
    }
    wire.set_port(port);
}

} // namespace yardmaster::state

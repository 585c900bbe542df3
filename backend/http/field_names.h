// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/char_class.h"
#include "backend/http/message.h"

#include <cstdint>
#include <span>
#include <string_view>

/// Rules about known field names, shared by the parsers and the head writer.
namespace yardmaster::http {

[[nodiscard]] constexpr std::uint32_t bitOf(FieldId id) noexcept {
    return std::uint32_t{1} << static_cast<unsigned>(id);
}

/// RFC 9110 7.6.1, and the proxy authentication fields, which belong to one connection's proxy. Trailer is
/// not among them: trailers are forwarded.
inline constexpr std::uint32_t kHopByHop = bitOf(FieldId::TransferEncoding) | bitOf(FieldId::Connection)
    | bitOf(FieldId::KeepAlive) | bitOf(FieldId::ProxyConnection) | bitOf(FieldId::Te)
    | bitOf(FieldId::Upgrade) | bitOf(FieldId::ProxyAuthenticate) | bitOf(FieldId::ProxyAuthorization);

/// Cannot be removed by naming them in Connection: framing, routing, and what the proxy vouches for.
inline constexpr std::uint32_t kNotRemovable = bitOf(FieldId::Host) | bitOf(FieldId::ContentLength)
    | bitOf(FieldId::TransferEncoding) | bitOf(FieldId::Forwarded) | bitOf(FieldId::XForwardedFor)
    | bitOf(FieldId::XForwardedProto) | bitOf(FieldId::XForwardedPort) | bitOf(FieldId::XForwardedHost)
    | bitOf(FieldId::XRealIp) | bitOf(FieldId::XRequestId);

[[nodiscard]] constexpr bool isHopByHop(FieldId id) noexcept {
    return (kHopByHop & bitOf(id)) != 0;
}

/// A name that CGI-like servers cannot tell from one that the proxy acts on: "X_Forwarded_For".
[[nodiscard]] bool disguisesKnownField(std::string_view name) noexcept;

/// Marks the fields called `name`, unless they cannot be removed.
void markNamed(std::span<Field> fields, std::string_view name);

/// Calls `visit` with each non-empty item of a comma-separated list (RFC 9110 5.6.1).
template <typename Visitor>
void forEachListItem(std::string_view list, Visitor&& visit) {
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        const std::string_view item = chars::trimmed(list.substr(0, comma));
        if (!item.empty()) {
            visit(item);
        }
        if (comma == std::string_view::npos) {
            return;
        }
        list.remove_prefix(comma + 1);
    }
}

} // namespace yardmaster::http

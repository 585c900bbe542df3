// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace yardmaster::http {

/// Whether a Forwarded value follows RFC 7239 section 4. What does not (a quote left open) could swallow the
/// element that is appended behind it.
[[nodiscard]] bool isForwardedValue(std::string_view value) noexcept;

/// A request id of a client that is kept: a token of at most 128 bytes.
[[nodiscard]] bool isSaneRequestId(std::string_view value) noexcept;

} // namespace yardmaster::http

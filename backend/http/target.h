// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace yardmaster::http {

/// uri-host [":" port] of RFC 9110 7.2, without userinfo.
struct Authority {
    std::string_view host; ///< an IP literal keeps its brackets
    std::string_view port; ///< digits, maybe empty
    bool hasPort = false; ///< there was a colon
};
/// nullptr, or a literal that says what is wrong. Accepts RFC 3986 reg-names without escapes and commas, and
/// IPv6 literals; a port is at most 65535.
[[nodiscard]] const char* readAuthority(std::string_view text, Authority& authority);

/// A request target split into its parts, RFC 9112 3.2.
struct Target {
    enum class Form : unsigned char { Origin, Absolute, Authority, Asterisk };
    Form form = Form::Origin;
    std::string_view authority; ///< of the absolute and authority forms
    std::string_view defaultPort; ///< of the absolute form's scheme
    std::string_view path;
    std::string_view query;
    bool hasQuery = false;
};
/// nullptr, or a literal that says what is wrong. Does not check the authority.
[[nodiscard]] const char* readTarget(std::string_view text, bool isConnect, bool isOptions, Target& target);

} // namespace yardmaster::http

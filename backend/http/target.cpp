// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/target.h"

#include "backend/http/char_class.h"
#include "backend/http/fields.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <arpa/inet.h>

namespace yardmaster::http {

namespace {

bool isIpv6(std::string_view text) {
    std::array<char, INET6_ADDRSTRLEN + 1> copy{};
    if (text.size() >= copy.size() || text.find('\0') != std::string_view::npos) {
        return false;
    }
    std::memcpy(copy.data(), text.data(), text.size());
    in6_addr address{};
    return inet_pton(AF_INET6, copy.data(), &address) == 1;
}

bool isPort(std::string_view text) {
    constexpr unsigned kLargest = 65535;
    if (text.size() > 5) {
        return false;
    }
    unsigned port = 0;
    for (const char c : text) {
        if (!chars::is(c, chars::Digit)) {
            return false;
        }
        port = port * 10 + static_cast<unsigned>(c - '0');
    }
    return port <= kLargest;
}

const char* badTargetByte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '#'    ? "fragment in the target"
        : byte >= 0x80 ? "non-ASCII byte in the target"
        : byte <= 0x20 ? "white space or control character in the target"
        : byte == 0x7f ? "white space or control character in the target"
                       : "invalid character in the target";
}

/// Path and query; the path begins at the front of `text` and may be empty.
const char* readPathAndQuery(std::string_view text, Target& target) {
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const char* p = begin;
    while (p != end && chars::is(*p, chars::Path)) {
        ++p;
    }
    target.path = std::string_view(begin, static_cast<std::size_t>(p - begin));
    if (p == end) {
        return nullptr;
    }
    if (*p != '?') {
        return badTargetByte(*p);
    }
    const char* const query = ++p;
    while (p != end && chars::is(*p, chars::Query)) {
        ++p;
    }
    if (p != end) {
        return badTargetByte(*p);
    }
    target.query = std::string_view(query, static_cast<std::size_t>(end - query));
    target.hasQuery = true;
    return nullptr;
}

bool startsWithIgnoringCase(std::string_view text, std::string_view prefix) {
    return text.size() >= prefix.size() && equalsIgnoringCase(text.substr(0, prefix.size()), prefix);
}

const char* readAbsolute(std::string_view text, bool isOptions, Target& target) {
    constexpr std::string_view kHttp = "http://";
    constexpr std::string_view kHttps = "https://";
    target.form = Target::Form::Absolute;
    if (startsWithIgnoringCase(text, kHttp)) {
        text.remove_prefix(kHttp.size());
        target.defaultPort = "80";
    } else if (startsWithIgnoringCase(text, kHttps)) {
        text.remove_prefix(kHttps.size());
        target.defaultPort = "443";
    } else {
        const auto bad =
            std::find_if_not(text.begin(), text.end(), [](char c) { return chars::is(c, chars::Query); });
        return bad != text.end() ? badTargetByte(*bad) : "target is neither a path nor an http URI";
    }
    const std::size_t authorityEnd = std::min(text.find_first_of("/?#"), text.size());
    target.authority = text.substr(0, authorityEnd);
    if (const char* wrong = readPathAndQuery(text.substr(authorityEnd), target); wrong != nullptr) {
        return wrong;
    }
    if (target.path.empty()) {
        // RFC 9112 3.2.4: OPTIONS for a whole server; RFC 9110 4.2.3: any other empty path is "/".
        target.path = isOptions && !target.hasQuery ? "*" : "/";
    }
    return nullptr;
}

} // namespace

const char* readAuthority(std::string_view text, Authority& authority) {
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const char* p = begin;
    if (p != end && *p == '[') {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos || !isIpv6(text.substr(1, close - 1))) {
            return "invalid IP literal";
        }
        p += close + 1;
    } else {
        while (p != end && chars::is(*p, chars::Host)) {
            ++p;
        }
        if (p == begin) {
            return "empty host";
        }
    }
    authority.host = std::string_view(begin, static_cast<std::size_t>(p - begin));
    authority.hasPort = p != end && *p == ':';
    authority.port = {};
    if (p == end) {
        return nullptr;
    }
    if (!authority.hasPort) {
        return *p == '@' ? "userinfo in the authority" : "invalid character in the host";
    }
    authority.port = std::string_view(p + 1, static_cast<std::size_t>(end - p - 1));
    if (isPort(authority.port)) {
        return nullptr;
    }
    return authority.port.find('@') != std::string_view::npos ? "userinfo in the authority" : "invalid port";
}

const char* readTarget(std::string_view text, bool isConnect, bool isOptions, Target& target) {
    if (text.empty()) {
        return "empty target";
    }
    if (isConnect) {
        target.form = Target::Form::Authority;
        target.authority = text;
        return nullptr;
    }
    if (text.front() == '/') {
        target.form = Target::Form::Origin;
        return readPathAndQuery(text, target);
    }
    if (text == "*") {
        target.form = Target::Form::Asterisk;
        target.path = text;
        return isOptions ? nullptr : "asterisk target for another method than OPTIONS";
    }
    return readAbsolute(text, isOptions, target);
}

} // namespace yardmaster::http

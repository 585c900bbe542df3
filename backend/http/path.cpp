// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/path.h"

#include "backend/http/char_class.h"
#include "backend/http/target.h"

#include <algorithm>

namespace yardmaster::http {

namespace {

tl::unexpected<Error> refusePath(const char* what) {
    return failure(Error::Code::InvalidArgument, what, "request path", "send the path in its plain form");
}

/// Behind a '/': is there "", "." or ".." as a whole segment?
bool isSpecialSegment(const char* p, const char* end) {
    if (p == end) {
        return false; // a trailing slash is normal
    }
    if (*p == '/') {
        return true;
    }
    if (*p != '.') {
        return false;
    }
    ++p;
    if (p != end && *p == '.') {
        ++p;
    }
    return p == end || *p == '/' || *p == ';';
}

/// True for a path that is its own normal form; false when it is not or may be wrong.
bool isNormal(std::string_view path) {
    const char* p = path.data();
    const char* const end = p + path.size();
    while (p != end) {
        const char c = *p++;
        if (c == '/') {
            if (isSpecialSegment(p, end)) {
                return false;
            }
        } else if (c == '%' || !chars::is(c, chars::Path)) {
            return false;
        }
    }
    return true;
}

/// Appends one segment with its escapes in normal form. nullptr, or what is wrong.
const char* appendSegment(std::string_view segment, std::string& out) {
    for (std::size_t i = 0; i < segment.size(); ++i) {
        const char c = segment[i];
        if (c != '%') {
            if (!chars::is(c, chars::Path)) {
                return c == '\\' ? "backslash in the path" : "invalid character in the path";
            }
            out.push_back(c);
            continue;
        }
        const int high = i + 2 < segment.size() ? chars::hexValue(segment[i + 1]) : -1;
        const int low = i + 2 < segment.size() ? chars::hexValue(segment[i + 2]) : -1;
        if (high < 0 || low < 0) {
            return "incomplete escape in the path";
        }
        i += 2;
        const char decoded = static_cast<char>(high * 16 + low);
        if (decoded == '/' || decoded == '\\' || decoded == '\0') {
            return "escaped slash, backslash or NUL in the path";
        }
        if (chars::is(decoded, chars::Unreserved)) {
            out.push_back(decoded);
        } else {
            constexpr std::string_view kHex = "0123456789ABCDEF";
            out.push_back('%');
            out.push_back(kHex[static_cast<std::size_t>(high)]);
            out.push_back(kHex[static_cast<std::size_t>(low)]);
        }
    }
    return nullptr;
}

/// "..;x" is ".." to servers that cut path parameters off before they resolve dot segments.
bool isDotsWithParameter(std::string_view segment) {
    const std::size_t dots = std::min(segment.find_first_not_of('.'), segment.size());
    const std::string_view rest = segment.substr(dots);
    return (dots == 1 || dots == 2) && (rest.substr(0, 1) == ";" || rest.substr(0, 3) == "%3B");
}

Expected<std::string_view> rewritePath(std::string_view path, std::string& storage) {
    storage.clear();
    storage.reserve(path.size());
    storage.push_back('/');
    std::size_t at = 1;
    while (at < path.size()) {
        const std::size_t slash = std::min(path.find('/', at), path.size());
        const std::size_t segmentStart = storage.size(); // storage ends in '/' here
        if (const char* wrong = appendSegment(path.substr(at, slash - at), storage); wrong != nullptr) {
            return refusePath(wrong);
        }
        at = slash + 1;
        const std::string_view segment = std::string_view(storage).substr(segmentStart);
        if (segment == "..") {
            if (segmentStart == 1) {
                return refusePath("path climbs above the root");
            }
            // Back to behind the slash before the segment that ends in front of this one.
            storage.resize(storage.rfind('/', segmentStart - 2) + 1);
        } else if (segment == ".") {
            storage.resize(segmentStart);
        } else if (isDotsWithParameter(segment)) {
            return refusePath("dot segment with a parameter in the path");
        } else if (!segment.empty() && slash < path.size()) {
            storage.push_back('/');
        }
    }
    return std::string_view(storage);
}

tl::unexpected<Error> refuseHost(const char* what) {
    return failure(Error::Code::InvalidArgument, what, "host", "use a DNS name or an IP address");
}

} // namespace

Expected<std::string_view> normalisePath(std::string_view path, std::string& storage) {
    if (path.empty() || path.front() != '/') {
        if (path == "*") {
            return path; // OPTIONS for the whole server
        }
        return refusePath("path does not begin with a slash");
    }
    return isNormal(path) ? Expected<std::string_view>(path) : rewritePath(path, storage);
}

Expected<std::string_view> normaliseHost(std::string_view host, std::string& storage) {
    constexpr std::size_t kLongestName = 255;
    if (host.empty() || host == ".") {
        return refuseHost("empty host");
    }
    if (host.size() > kLongestName) {
        return refuseHost("host too long");
    }
    bool hasUpper = false;
    if (host.front() == '[') {
        Authority literal;
        if (readAuthority(host, literal) != nullptr || literal.hasPort) {
            return refuseHost("invalid IP literal");
        }
        hasUpper = std::any_of(host.begin(), host.end(), [](char c) { return c >= 'A' && c <= 'F'; });
    } else {
        char before = '.';
        for (const char c : host) {
            if (!chars::is(c, chars::Host)) {
                return refuseHost("invalid character in the host");
            }
            if (c == '.' && before == '.') {
                return refuseHost("empty label in the host");
            }
            hasUpper = hasUpper || (c >= 'A' && c <= 'Z');
            before = c;
        }
        if (before == '.') {
            host.remove_suffix(1);
        }
    }
    if (!hasUpper) {
        return host;
    }
    storage.resize(host.size());
    std::transform(host.begin(), host.end(), storage.begin(), chars::toLower);
    return std::string_view(storage);
}

} // namespace yardmaster::http

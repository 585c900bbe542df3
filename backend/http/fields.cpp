// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/fields.h"

#include "backend/http/char_class.h"
#include "backend/http/field_names.h"

#include <array>
#include <bit>
#include <cstring>

namespace yardmaster::http {

namespace {

/// Compares with a literal in lower case by words: `x | 0x20` equals a lower-case letter for both its cases
/// and for nothing else, and other characters are compared as they are.
template <typename Word, std::size_t Length>
bool wordIs(const char* text, const char (&lower)[Length], std::size_t at) noexcept {
    std::array<char, sizeof(Word)> want{};
    std::array<char, sizeof(Word)> fold{};
    for (std::size_t i = 0; i < sizeof(Word); ++i) {
        want[i] = lower[at + i];
        fold[i] = want[i] >= 'a' && want[i] <= 'z' ? 0x20 : 0;
    }
    Word word;
    std::memcpy(&word, text + at, sizeof word);
    return (word | std::bit_cast<Word>(fold)) == std::bit_cast<Word>(want);
}

/// `text` has the literal's length.
template <std::size_t Length>
bool is(const char* text, const char (&lower)[Length]) noexcept {
    constexpr std::size_t kSize = Length - 1;
    if constexpr (kSize >= 8) {
        for (std::size_t at = 0; at + 8 <= kSize; at += 8) {
            if (!wordIs<std::uint64_t>(text, lower, at)) {
                return false;
            }
        }
        return kSize % 8 == 0 || wordIs<std::uint64_t>(text, lower, kSize - 8);
    } else if constexpr (kSize >= 4) {
        return wordIs<std::uint32_t>(text, lower, 0) && wordIs<std::uint32_t>(text, lower, kSize - 4);
    } else {
        static_assert(kSize == 2);
        return wordIs<std::uint16_t>(text, lower, 0);
    }
}

} // namespace

FieldId fieldIdOf(std::string_view name) noexcept {
    const char* p = name.data();
    switch (name.size()) {
    case 2:
        return is(p, "te") ? FieldId::Te : FieldId::Other;
    case 4:
        return is(p, "host") ? FieldId::Host : is(p, "date") ? FieldId::Date : FieldId::Other;
    case 6:
        return is(p, "server") ? FieldId::Server
            : is(p, "cookie")  ? FieldId::Cookie
            : is(p, "expect")  ? FieldId::Expect
                               : FieldId::Other;
    case 7:
        return is(p, "upgrade") ? FieldId::Upgrade : is(p, "trailer") ? FieldId::Trailer : FieldId::Other;
    case 9:
        return is(p, "forwarded") ? FieldId::Forwarded
            : is(p, "x-real-ip")  ? FieldId::XRealIp
                                  : FieldId::Other;
    case 10:
        return is(p, "connection") ? FieldId::Connection
            : is(p, "keep-alive")  ? FieldId::KeepAlive
                                   : FieldId::Other;
    case 12:
        return is(p, "x-request-id") ? FieldId::XRequestId : FieldId::Other;
    case 14:
        return is(p, "content-length") ? FieldId::ContentLength : FieldId::Other;
    case 15:
        return is(p, "x-forwarded-for") ? FieldId::XForwardedFor : FieldId::Other;
    case 16:
        return is(p, "x-forwarded-port") ? FieldId::XForwardedPort
            : is(p, "x-forwarded-host")  ? FieldId::XForwardedHost
            : is(p, "proxy-connection")  ? FieldId::ProxyConnection
                                         : FieldId::Other;
    case 17:
        return is(p, "transfer-encoding") ? FieldId::TransferEncoding
            : is(p, "x-forwarded-proto")  ? FieldId::XForwardedProto
                                          : FieldId::Other;
    case 18:
        return is(p, "proxy-authenticate") ? FieldId::ProxyAuthenticate : FieldId::Other;
    case 19:
        return is(p, "proxy-authorization") ? FieldId::ProxyAuthorization : FieldId::Other;
    default:
        return FieldId::Other;
    }
}

Method methodOf(std::string_view text) noexcept {
    switch (text.size()) {
    case 3:
        return text == "GET" ? Method::Get : text == "PUT" ? Method::Put : Method::Other;
    case 4:
        return text == "POST" ? Method::Post : text == "HEAD" ? Method::Head : Method::Other;
    case 5:
        return text == "PATCH" ? Method::Patch : text == "TRACE" ? Method::Trace : Method::Other;
    case 6:
        return text == "DELETE" ? Method::Delete : Method::Other;
    case 7:
        return text == "OPTIONS" ? Method::Options : text == "CONNECT" ? Method::Connect : Method::Other;
    default:
        return Method::Other;
    }
}

bool isToken(std::string_view text) noexcept {
    return !text.empty() && chars::areAll(text, chars::Token);
}

bool equalsIgnoringCase(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (chars::toLower(a[i]) != chars::toLower(b[i])) {
            return false;
        }
    }
    return true;
}

bool listContains(std::string_view list, std::string_view token) noexcept {
    bool found = false;
    forEachListItem(list, [&](std::string_view item) { found = found || equalsIgnoringCase(item, token); });
    return found;
}

bool disguisesKnownField(std::string_view name) noexcept {
    constexpr std::size_t kLongestKnown = 19;
    if (name.size() > kLongestKnown) {
        return false;
    }
    std::array<char, kLongestKnown> plain{};
    for (std::size_t i = 0; i < name.size(); ++i) {
        plain[i] = name[i] == '_' ? '-' : name[i];
    }
    return fieldIdOf(name) == FieldId::Other
        && fieldIdOf(std::string_view(plain.data(), name.size())) != FieldId::Other;
}

void markNamed(std::span<Field> fields, std::string_view name) {
    for (Field& field : fields) {
        if (equalsIgnoringCase(field.name, name) && (kNotRemovable & bitOf(field.id)) == 0) {
            field.hopByHop = true;
        }
    }
}

void markHopByHop(std::span<Field> fields) {
    for (Field& field : fields) {
        field.hopByHop = isHopByHop(field.id) || disguisesKnownField(field.name);
    }
    for (const Field& field : fields) {
        if (field.id == FieldId::Connection) {
            forEachListItem(field.value, [&](std::string_view option) { markNamed(fields, option); });
        }
    }
}

std::string_view reasonPhrase(int status) noexcept {
    switch (status) {
    case 100:
        return "Continue";
    case 101:
        return "Switching Protocols";
    case 102:
        return "Processing";
    case 103:
        return "Early Hints";
    case 200:
        return "OK";
    case 201:
        return "Created";
    case 202:
        return "Accepted";
    case 203:
        return "Non-Authoritative Information";
    case 204:
        return "No Content";
    case 205:
        return "Reset Content";
    case 206:
        return "Partial Content";
    case 300:
        return "Multiple Choices";
    case 301:
        return "Moved Permanently";
    case 302:
        return "Found";
    case 303:
        return "See Other";
    case 304:
        return "Not Modified";
    case 305:
        return "Use Proxy";
    case 307:
        return "Temporary Redirect";
    case 308:
        return "Permanent Redirect";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 402:
        return "Payment Required";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 406:
        return "Not Acceptable";
    case 407:
        return "Proxy Authentication Required";
    case 408:
        return "Request Timeout";
    case 409:
        return "Conflict";
    case 410:
        return "Gone";
    case 411:
        return "Length Required";
    case 412:
        return "Precondition Failed";
    case 413:
        return "Content Too Large";
    case 414:
        return "URI Too Long";
    case 415:
        return "Unsupported Media Type";
    case 416:
        return "Range Not Satisfiable";
    case 417:
        return "Expectation Failed";
    case 421:
        return "Misdirected Request";
    case 422:
        return "Unprocessable Content";
    case 425:
        return "Too Early";
    case 426:
        return "Upgrade Required";
    case 428:
        return "Precondition Required";
    case 429:
        return "Too Many Requests";
    case 431:
        return "Request Header Fields Too Large";
    case 500:
        return "Internal Server Error";
    case 501:
        return "Not Implemented";
    case 502:
        return "Bad Gateway";
    case 503:
        return "Service Unavailable";
    case 504:
        return "Gateway Timeout";
    case 505:
        return "HTTP Version Not Supported";
    case 507:
        return "Insufficient Storage";
    case 511:
        return "Network Authentication Required";
    default:
        return "";
    }
}

} // namespace yardmaster::http

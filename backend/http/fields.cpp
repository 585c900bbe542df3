// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/fields.h"

#include "backend/http/char_class.h"
#include "backend/http/field_names.h"

#include <array>
#include <bit>
#include <cstring>

namespace yardmaster::http {

namespace {

/// A literal as a template argument.
template <std::size_t Length>
struct Literal {
    consteval Literal(const char (&literal)[Length]) { // NOLINT(google-explicit-constructor)
        for (std::size_t i = 0; i < Length; ++i) {
            text[i] = literal[i];
        }
    }
    std::array<char, Length> text{};
};

/// The bytes [at, at + size of Word) of a literal in lower case, and the mask that folds a name to it: `x |
/// 0x20` equals a lower-case letter for both its cases and for nothing else, other characters stay as they
/// are.
template <typename Word, Literal Lower>
struct FoldedWord {
    Word fold;
    Word want;

    explicit consteval FoldedWord(std::size_t at) {
        std::array<char, sizeof(Word)> wanted{};
        std::array<char, sizeof(Word)> folding{};
        for (std::size_t i = 0; i < sizeof(Word); ++i) {
            wanted[i] = Lower.text[at + i];
            folding[i] = wanted[i] >= 'a' && wanted[i] <= 'z' ? 0x20 : 0;
        }
        fold = std::bit_cast<Word>(folding);
        want = std::bit_cast<Word>(wanted);
    }
};

template <typename Word, Literal Lower, std::size_t At>
bool wordIs(const char* text) noexcept {
    constexpr FoldedWord<Word, Lower> kWord(At);
    Word word;
    std::memcpy(&word, text + At, sizeof word);
    return (word | kWord.fold) == kWord.want;
}

/// `text` has the literal's length, which is at least that of a word; the last word may overlap the one
/// before.
template <Literal Lower>
bool is(const char* text) noexcept {
    constexpr std::size_t kSize = Lower.text.size() - 1;
    if constexpr (kSize > 16) {
        return wordIs<std::uint64_t, Lower, 0>(text) && wordIs<std::uint64_t, Lower, 8>(text)
            && wordIs<std::uint64_t, Lower, kSize - 8>(text);
    } else if constexpr (kSize >= 8) {
        return wordIs<std::uint64_t, Lower, 0>(text) && wordIs<std::uint64_t, Lower, kSize - 8>(text);
    } else if constexpr (kSize >= 4) {
        return wordIs<std::uint32_t, Lower, 0>(text) && wordIs<std::uint32_t, Lower, kSize - 4>(text);
    } else {
        static_assert(kSize == 2);
        return wordIs<std::uint16_t, Lower, 0>(text);
    }
}

} // namespace

FieldId fieldIdOf(std::string_view name) noexcept {
    const char* p = name.data();
    switch (name.size()) {
    case 2:
        return is<"te">(p) ? FieldId::Te : FieldId::Other;
    case 4:
        return is<"host">(p) ? FieldId::Host : is<"date">(p) ? FieldId::Date : FieldId::Other;
    case 6:
        return is<"server">(p) ? FieldId::Server
            : is<"cookie">(p)  ? FieldId::Cookie
            : is<"expect">(p)  ? FieldId::Expect
                               : FieldId::Other;
    case 7:
        return is<"upgrade">(p) ? FieldId::Upgrade : is<"trailer">(p) ? FieldId::Trailer : FieldId::Other;
    case 9:
        return is<"forwarded">(p) ? FieldId::Forwarded
            : is<"x-real-ip">(p)  ? FieldId::XRealIp
                                  : FieldId::Other;
    case 10:
        return is<"connection">(p) ? FieldId::Connection
            : is<"keep-alive">(p)  ? FieldId::KeepAlive
                                   : FieldId::Other;
    case 12:
        return is<"x-request-id">(p) ? FieldId::XRequestId : FieldId::Other;
    case 14:
        return is<"content-length">(p) ? FieldId::ContentLength : FieldId::Other;
    case 15:
        return is<"x-forwarded-for">(p) ? FieldId::XForwardedFor : FieldId::Other;
    case 16:
        return is<"x-forwarded-port">(p) ? FieldId::XForwardedPort
            : is<"x-forwarded-host">(p)  ? FieldId::XForwardedHost
            : is<"proxy-connection">(p)  ? FieldId::ProxyConnection
                                         : FieldId::Other;
    case 17:
        return is<"transfer-encoding">(p) ? FieldId::TransferEncoding
            : is<"x-forwarded-proto">(p)  ? FieldId::XForwardedProto
                                          : FieldId::Other;
    case 18:
        return is<"proxy-authenticate">(p) ? FieldId::ProxyAuthenticate : FieldId::Other;
    case 19:
        return is<"proxy-authorization">(p) ? FieldId::ProxyAuthorization : FieldId::Other;
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
        if (a[i] != b[i] && chars::toLower(a[i]) != chars::toLower(b[i])) {
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

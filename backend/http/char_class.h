// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Character classes of RFC 9110, 9112 and 3986 as one table: a parser asks one question a byte.
namespace yardmaster::http::chars {

enum Class : std::uint8_t {
    Token = 0x01, ///< RFC 9110 5.6.2
    Text = 0x02, ///< what a field value may hold: HTAB, SP, VCHAR, obs-text (RFC 9110 5.5)
    Path = 0x04, ///< RFC 3986 pchar and "/", and "[]|", which the URL Standard leaves raw in paths
    Query = 0x08, ///< RFC 3986 query, and "[]{}|\^`", which the URL Standard leaves raw in queries
    Host = 0x10, ///< reg-name without escapes and without ",", which a joined pair of Host fields would hold
    Digit = 0x20,
    Underscore = 0x40, ///< a token character that CGI-like servers cannot tell from "-"
    Unreserved = 0x80, ///< RFC 3986 2.3
};

constexpr std::array<std::uint8_t, 256> makeTable() {
    std::array<std::uint8_t, 256> table{};
    const auto add = [&table](std::string_view characters, int bits) {
        for (const char c : characters) {
            auto& entry = table[static_cast<unsigned char>(c)];
            entry = static_cast<std::uint8_t>(entry | bits);
        }
    };
    add("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", Token | Path | Query | Host | Unreserved);
    add("0123456789", Token | Path | Query | Host | Digit | Unreserved);
    add("_", Underscore);
    add("-._~", Path | Query | Host | Unreserved);
    add("!#$%&'*+-.^_`|~", Token);
    add("!$&'()*+,;=", Path | Query);
    add("!$&'()*+;=", Host);
    add(":@/%", Path | Query);
    add("[]|", Path);
    add("?[]{}|\\^`", Query);
    for (int c = 0; c < 256; ++c) {
        if (c == '\t' || (c >= 0x20 && c != 0x7f)) {
            auto& entry = table[static_cast<std::size_t>(c)];
            entry = static_cast<std::uint8_t>(entry | Text);
        }
    }
    return table;
}

inline constexpr std::array<std::uint8_t, 256> kTable = makeTable();

/// All classes of a byte.
[[nodiscard]] constexpr unsigned of(char c) noexcept {
    return kTable[static_cast<unsigned char>(c)];
}

[[nodiscard]] constexpr bool is(char c, Class wanted) noexcept {
    return (of(c) & wanted) != 0;
}

[[nodiscard]] constexpr bool areAll(std::string_view text, Class wanted) noexcept {
    for (const char c : text) {
        if (!is(c, wanted)) {
            return false;
        }
    }
    return true;
}

[[nodiscard]] constexpr char toLower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

[[nodiscard]] constexpr bool isBlank(char c) noexcept {
    return c == ' ' || c == '\t';
}

/// The value of a hex digit, -1 for anything else.
[[nodiscard]] constexpr int hexValue(char c) noexcept {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = toLower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Without leading and trailing SP and HTAB.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept {
    while (!text.empty() && isBlank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && isBlank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// The first byte of [p, end) that is not Text, or `end`. Never reads outside the range.
[[nodiscard]] inline const char* findNotText(const char* p, const char* end) noexcept {
#if defined(__SSE2__)
    const __m128i lastControl = _mm_set1_epi8(0x1f);
    const __m128i tab = _mm_set1_epi8('\t');
    const __m128i del = _mm_set1_epi8(0x7f);
    while (end - p >= 16) {
        __m128i v; // NOLINT: loaded below
        __builtin_memcpy(&v, p, sizeof v);
        const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, lastControl), v);
        const __m128i bad =
            _mm_or_si128(_mm_andnot_si128(_mm_cmpeq_epi8(v, tab), control), _mm_cmpeq_epi8(v, del));
        const int mask = _mm_movemask_epi8(bad);
        if (mask != 0) {
            return p + __builtin_ctz(static_cast<unsigned>(mask));
        }
        p += 16;
    }
#endif
    while (p != end && is(*p, Text)) {
        ++p;
    }
    return p;
}

} // namespace yardmaster::http::chars

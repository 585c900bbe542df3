// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/forwarded.h"

#include "backend/http/char_class.h"
#include "backend/http/fields.h"

namespace yardmaster::http {

namespace {

/// Removes a token from the front; false when there is none.
bool skipToken(std::string_view& text) {
    std::size_t length = 0;
    while (length < text.size() && chars::is(text[length], chars::Token)) {
        ++length;
    }
    text.remove_prefix(length);
    return length != 0;
}

/// Removes a quoted-string (RFC 9110 5.6.4) from the front; `text` begins with its quote.
bool skipQuoted(std::string_view& text) {
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '"') {
            text.remove_prefix(i + 1);
            return true;
        }
        if (text[i] == '\\') {
            ++i;
        }
    }
    return false;
}

bool skipOne(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

void skipBlanks(std::string_view& text) {
    while (!text.empty() && chars::isBlank(text.front())) {
        text.remove_prefix(1);
    }
}

} // namespace

bool isForwardedValue(std::string_view value) noexcept {
    // 1#( [pair] *( ";" [pair] ) ); empty list items are allowed to a reader (RFC 9110 5.6.1.2).
    while (true) {
        skipBlanks(value);
        if (!value.empty() && value.front() != ';' && value.front() != ',') {
            if (!skipToken(value) || !skipOne(value, '=')) {
                return false;
            }
            const bool right = !value.empty() && value.front() == '"' ? skipQuoted(value) : skipToken(value);
            if (!right) {
                return false;
            }
            skipBlanks(value);
        }
        if (value.empty()) {
            return true;
        }
        if (!skipOne(value, ';') && !skipOne(value, ',')) {
            return false;
        }
    }
}

bool isSaneRequestId(std::string_view value) noexcept {
    constexpr std::size_t kLongest = 128;
    return value.size() <= kLongest && isToken(value);
}

} // namespace yardmaster::http

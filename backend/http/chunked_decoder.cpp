// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/char_class.h"
#include "backend/http/field_names.h"
#include "backend/http/fields.h"
#include "backend/http/parser.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace yardmaster::http {

namespace {

constexpr std::uint32_t kMostDigits = 16;
/// Extensions may take this and as much as the body itself, so that they cannot become a flood of their own.
constexpr std::uint64_t kExtensionAllowance = 16384;
constexpr std::size_t kMostTrailers = 64;
constexpr std::size_t kMostTrailerBytes = 8192;

/// Framing, routing, connection and what the proxy vouches for (RFC 9110 6.5.1): a sender of these in a
/// trailer section wants some reader to take them for header fields.
constexpr std::uint32_t kRefusedTrailers =
    kHopByHop | kNotRemovable | bitOf(FieldId::Trailer) | bitOf(FieldId::Expect) | bitOf(FieldId::Cookie);

/// Other fields that RFC 9110 6.5.1 keeps out of trailers; dropped, as it allows.
bool isDroppedTrailer(std::string_view name) {
    constexpr std::array<std::string_view, 10> kNames{"authorization", "cache-control", "content-encoding",
        "content-range", "content-type", "max-forwards", "pragma", "range", "set-cookie", "www-authenticate"};
    return std::any_of(kNames.begin(), kNames.end(),
        [name](std::string_view dropped) { return equalsIgnoringCase(name, dropped); });
}

} // namespace

ChunkedDecoder::Step ChunkedDecoder::fail(std::size_t consumed, int status, const char* reason) {
    m_state = State::Failed;
    m_error = ParseError{status, reason};
    return Step{Kind::Error, consumed, {}};
}

bool ChunkedDecoder::readSizeByte(char c) {
    const int digit = chars::hexValue(c);
    if (digit >= 0) {
        if (m_digits == kMostDigits) {
            m_error = ParseError{400, "chunk size too long"};
            return false;
        }
        m_remaining = m_remaining * 16 + static_cast<std::uint64_t>(digit);
        ++m_digits;
        return true;
    }
    if (m_digits == 0) {
        m_error = ParseError{400, "chunk without a size"};
        return false;
    }
    if (c == '\r') {
        m_state = State::SizeLf;
        return true;
    }
    if (c == ';' || chars::isBlank(c)) {
        m_extensionOpen = c == ';';
        m_state = State::Extension;
        ++m_extensionBytes;
        return true;
    }
    m_error = ParseError{400, c == '\n' ? "bare LF behind a chunk size" : "invalid chunk size"};
    return false;
}

bool ChunkedDecoder::readExtensionByte(char c) {
    if (c == '\r') {
        if (!m_extensionOpen) {
            m_error = ParseError{400, "white space behind a chunk size"};
            return false;
        }
        m_state = State::SizeLf;
        return true;
    }
    if (!m_extensionOpen) {
        // RFC 9112 7.1.1: blanks may stand in front of an extension's semicolon, and only there.
        if (c != ';' && !chars::isBlank(c)) {
            m_error = ParseError{400, "invalid chunk size"};
            return false;
        }
        m_extensionOpen = c == ';';
    } else if (!chars::is(c, chars::Text)) {
        m_error = ParseError{400, c == '\n' ? "bare LF in a chunk extension" : "invalid chunk extension"};
        return false;
    }
    if (++m_extensionBytes > kExtensionAllowance && m_extensionBytes - kExtensionAllowance > m_bodyBytes) {
        m_error = ParseError{400, "chunk extensions too long"};
        return false;
    }
    return true;
}

bool ChunkedDecoder::beginData() {
    if (m_remaining == 0) {
        m_state = State::TrailerLine;
        return true;
    }
    if (m_remaining > m_maxBodyBytes || m_bodyBytes > m_maxBodyBytes - m_remaining) {
        m_error = ParseError{413, "body larger than the limit"};
        return false;
    }
    m_state = State::Data;
    return true;
}

ChunkedDecoder::Step ChunkedDecoder::next(std::string_view bytes) {
    std::size_t at = 0;
    while (at < bytes.size() || m_state == State::Done || m_state == State::Failed) {
        switch (m_state) {
        case State::Size:
            if (!readSizeByte(bytes[at++])) {
                return fail(at, m_error.status, m_error.reason);
            }
            break;
        case State::Extension:
            if (!readExtensionByte(bytes[at++])) {
                return fail(at, m_error.status, m_error.reason);
            }
            break;
        case State::SizeLf:
            if (bytes[at++] != '\n') {
                return fail(at, 400, "bare CR behind a chunk size");
            }
            m_digits = 0;
            if (!beginData()) {
                return fail(at, m_error.status, m_error.reason);
            }
            break;
        case State::Data: {
            const auto length =
                static_cast<std::size_t>(std::min<std::uint64_t>(m_remaining, bytes.size() - at));
            m_remaining -= length;
            m_bodyBytes += length;
            if (m_remaining == 0) {
                m_state = State::DataCr;
            }
            return Step{Kind::Data, at + length, bytes.substr(at, length)};
        }
        case State::DataCr:
            if (bytes[at++] != '\r') {
                return fail(at, 400, "chunk longer than its size");
            }
            m_state = State::DataLf;
            break;
        case State::DataLf:
            if (bytes[at++] != '\n') {
                return fail(at, 400, "bare CR behind a chunk");
            }
            m_state = State::Size;
            break;
        case State::TrailerLine:
            return readTrailers(bytes, at);
        case State::Done:
            return Step{Kind::End, at, std::string_view(m_trailers.data(), m_trailers.size())};
        case State::Failed:
            return Step{Kind::Error, at, {}};
        }
    }
    return Step{Kind::NeedMore, at, {}};
}

ChunkedDecoder::Step ChunkedDecoder::readTrailers(std::string_view bytes, std::size_t at) {
    while (at < bytes.size()) {
        const std::size_t lf = bytes.find('\n', at);
        const std::size_t lineEnd = lf == std::string_view::npos ? bytes.size() : lf + 1;
        const std::string_view piece = bytes.substr(at, lineEnd - at);
        // Cut where the limit is, so that the result does not depend on how the bytes arrive.
        if (piece.size() > kMostTrailerBytes - m_trailerBytes) {
            return fail(at + kMostTrailerBytes - m_trailerBytes, 431, "trailer section too large");
        }
        m_trailerBytes += piece.size();
        at = lineEnd;
        if (lf == std::string_view::npos) {
            m_line.insert(m_line.end(), piece.begin(), piece.end());
            break;
        }
        std::string_view line = piece;
        if (!m_line.empty()) {
            m_line.insert(m_line.end(), piece.begin(), piece.end());
            line = std::string_view(m_line.data(), m_line.size());
        }
        if (line.size() < 2 || line[line.size() - 2] != '\r') {
            return fail(at, 400, "bare LF in the trailer section");
        }
        line.remove_suffix(2);
        if (line.empty()) {
            m_state = State::Done;
            return Step{Kind::End, at, std::string_view(m_trailers.data(), m_trailers.size())};
        }
        if (!addTrailer(line)) {
            return fail(at, m_error.status, m_error.reason);
        }
        m_line.clear();
    }
    return Step{Kind::NeedMore, at, {}};
}

bool ChunkedDecoder::addTrailer(std::string_view line) {
    Field field;
    if (const char* wrong = readFieldLine(line, field); wrong != nullptr) {
        m_error = ParseError{400, wrong};
        return false;
    }
    if ((kRefusedTrailers & bitOf(field.id)) != 0 || disguisesKnownField(field.name)) {
        m_error = ParseError{400, "field not allowed in the trailer section"};
        return false;
    }
    if (++m_trailerCount > kMostTrailers) {
        m_error = ParseError{431, "too many trailers"};
        return false;
    }
    if (isDroppedTrailer(field.name)) {
        return true;
    }
    const auto append = [this](std::string_view text) {
        m_trailers.insert(m_trailers.end(), text.begin(), text.end());
    };
    append(field.name);
    append(": ");
    append(field.value);
    append("\r\n");
    return true;
}

void ChunkedDecoder::reset() {
    m_state = State::Size;
    m_remaining = 0;
    m_bodyBytes = 0;
    m_digits = 0;
    m_extensionOpen = false;
    m_extensionBytes = 0;
    m_trailerCount = 0;
    m_trailerBytes = 0;
    m_line.clear();
    m_trailers.clear();
    m_error = {};
}

} // namespace yardmaster::http

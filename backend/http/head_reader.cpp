// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/head_reader.h"

#include "backend/http/char_class.h"
#include "backend/http/field_names.h"
#include "backend/http/fields.h"

#include <algorithm>
#include <cstring>

namespace yardmaster::http {

namespace {

using Phase = HeadPosition::Phase;

enum class LineKind : std::uint8_t { Field, Empty, NeedMore, Error };

ParseStatus fail(HeadPosition& position, ParseError& error, int status, const char* reason) {
    position.phase = Phase::Failed;
    error = ParseError{status, reason};
    return ParseStatus::Error;
}

/// The position the current line's LF must not pass, and why.
struct Bound {
    std::size_t end;
    const char* reason;
};

Bound boundOf(const ParserLimits& limits, const HeadPosition& position) {
    const std::size_t room = SIZE_MAX - position.lineStart - 2;
    const std::size_t lineEnd = position.lineStart + std::min(limits.maxLineBytes, room) + 2;
    return lineEnd <= limits.maxHeadBytes ? Bound{lineEnd, "line too long"}
                                          : Bound{limits.maxHeadBytes, "head too large"};
}

/// The line at lineStart has no LF yet.
ParseStatus stall(std::string_view bytes, const ParserLimits& limits, int limitStatus, HeadPosition& position,
    ParseError& error) {
    const Bound bound = boundOf(limits, position);
    if (bytes.size() >= bound.end) {
        return fail(position, error, limitStatus, bound.reason);
    }
    position.scanned = bytes.size();
    return ParseStatus::NeedMore;
}

const char* findLf(const char* begin, const char* end) {
    return static_cast<const char*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
}

/// What is wrong with a line whose name ends at `p` with something else than a colon.
const char* badName(const char* line, const char* p) {
    switch (*p) {
    case '\n':
        return "bare LF";
    case '\r':
        return p[1] == '\n' ? "field line without a colon" : "bare CR";
    case ' ':
    case '\t':
        return p == line ? "folded field line" : "white space in or behind a field name";
    case ':':
        return "empty field name";
    default:
        return "invalid character in a field name";
    }
}

/// Reads one line in one pass. On NeedMore the LF may be missing or, for a line that is wrong, not looked for
/// yet. `next` is behind the line for Field and Empty.
LineKind scanFieldLine(const char* begin, const char* end, Field& field, const char*& next) {
    const char* p = begin;
    unsigned seen = 0;
    for (; p != end; ++p) {
        const unsigned classes = chars::of(*p);
        if ((classes & chars::Token) == 0) {
            break;
        }
        seen |= classes;
    }
    if (p == end) {
        return LineKind::NeedMore;
    }
    if (*p != ':' || p == begin) {
        if (p == begin && *p == '\r' && end - p >= 2 && p[1] == '\n') {
            next = p + 2;
            return LineKind::Empty;
        }
        return LineKind::Error;
    }
    field.name = std::string_view(begin, static_cast<std::size_t>(p - begin));
    ++p;
    while (p != end && chars::isBlank(*p)) {
        ++p;
    }
    const char* valueEnd = chars::findNotText(p, end);
    if (end - valueEnd < 2) {
        return valueEnd == end || *valueEnd == '\r' ? LineKind::NeedMore : LineKind::Error;
    }
    if (valueEnd[0] != '\r' || valueEnd[1] != '\n') {
        return LineKind::Error;
    }
    next = valueEnd + 2;
    while (valueEnd != p && chars::isBlank(valueEnd[-1])) {
        --valueEnd;
    }
    field.value = std::string_view(p, static_cast<std::size_t>(valueEnd - p));
    field.id = fieldIdOf(field.name);
    field.hopByHop =
        isHopByHop(field.id) || ((seen & chars::Underscore) != 0 && disguisesKnownField(field.name));
    return LineKind::Field;
}

/// Why scanFieldLine refused; `lf` is the line's LF.
const char* reasonOf(const char* begin, const char* lf) {
    const char* p = begin;
    while (chars::is(*p, chars::Token)) {
        ++p;
    }
    if (*p != ':' || p == begin) {
        return badName(begin, p);
    }
    const char* bad = chars::findNotText(p, lf);
    return bad == lf ? "bare LF" : *bad == '\r' ? "bare CR" : "control character in a field value";
}

bool parseLength(std::string_view text, std::uint64_t& length) {
    constexpr std::size_t kMaxDigits = 19; // always fits 64 bits
    if (text.empty() || text.size() > kMaxDigits || !chars::areAll(text, chars::Digit)) {
        return false;
    }
    length = 0;
    for (const char c : text) {
        length = length * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return true;
}

/// The last coding is chunked and it is not the only one: understood, but not supported.
bool endsInChunked(std::string_view value) {
    const std::size_t comma = value.rfind(',');
    return comma != std::string_view::npos
        && equalsIgnoringCase(chars::trimmed(value.substr(comma + 1)), "chunked")
        && !listContains(value.substr(0, comma), "chunked");
}

} // namespace

ParseStatus takeLine(std::string_view bytes, const ParserLimits& limits, int limitStatus,
    HeadPosition& position, std::string_view& line, ParseError& error) {
    const char* begin = bytes.data() + position.lineStart;
    const char* end = bytes.data() + bytes.size();
    const char* lf = findLf(bytes.data() + std::max(position.scanned, position.lineStart), end);
    if (lf == nullptr) {
        return stall(bytes, limits, limitStatus, position, error);
    }
    const auto lineEnd = static_cast<std::size_t>(lf + 1 - bytes.data());
    if (const Bound bound = boundOf(limits, position); lineEnd > bound.end) {
        return fail(position, error, limitStatus, bound.reason);
    }
    if (lf == begin || lf[-1] != '\r') {
        return fail(position, error, 400, "bare LF");
    }
    line = std::string_view(begin, static_cast<std::size_t>(lf - 1 - begin));
    position.lineStart = lineEnd;
    return ParseStatus::Complete;
}

ParseStatus takeFields(std::string_view bytes, const ParserLimits& limits, HeadPosition& position,
    std::vector<Field>& fields, ParseError& error) {
    constexpr int kTooLarge = 431;
    const char* const data = bytes.data();
    const char* const end = data + bytes.size();
    while (true) {
        // A line that was seen in part is not looked at again before its LF is there.
        if (position.scanned > position.lineStart && findLf(data + position.scanned, end) == nullptr) {
            return stall(bytes, limits, kTooLarge, position, error);
        }
        const char* const begin = data + position.lineStart;
        const char* next = nullptr;
        Field& field = fields.emplace_back();
        const LineKind kind = scanFieldLine(begin, end, field, next);
        if (kind != LineKind::Field) {
            fields.pop_back();
        }
        if (kind == LineKind::NeedMore || kind == LineKind::Error) {
            const char* lf = findLf(begin, end);
            if (lf == nullptr) {
                return stall(bytes, limits, kTooLarge, position, error);
            }
            const Bound bound = boundOf(limits, position);
            if (static_cast<std::size_t>(lf + 1 - data) > bound.end) {
                return fail(position, error, kTooLarge, bound.reason);
            }
            return fail(position, error, 400, reasonOf(begin, lf));
        }
        const auto lineEnd = static_cast<std::size_t>(next - data);
        if (const Bound bound = boundOf(limits, position); lineEnd > bound.end) {
            return fail(position, error, kTooLarge, bound.reason);
        }
        position.lineStart = lineEnd;
        if (kind == LineKind::Empty) {
            position.phase = Phase::Complete;
            return ParseStatus::Complete;
        }
        if (fields.size() > limits.maxHeaderCount) {
            return fail(position, error, kTooLarge, "too many fields");
        }
    }
}

const char* readFieldLine(std::string_view line, Field& field) {
    const char* begin = line.data();
    const char* end = begin + line.size();
    const char* p = begin;
    while (p != end && chars::is(*p, chars::Token)) {
        ++p;
    }
    if (p == end) {
        return "field line without a colon";
    }
    if (*p != ':' || p == begin) {
        return *p == '\r' ? "bare CR" : badName(begin, p);
    }
    const std::string_view rest(p + 1, static_cast<std::size_t>(end - p - 1));
    if (const char* bad = chars::findNotText(p, end); bad != end) {
        return *bad == '\r' ? "bare CR" : "control character in a field value";
    }
    field.name = line.substr(0, static_cast<std::size_t>(p - begin));
    field.value = chars::trimmed(rest);
    field.id = fieldIdOf(field.name);
    field.hopByHop = isHopByHop(field.id);
    return nullptr;
}

void rebase(std::string_view& view, const char* oldBase, const char* newBase) {
    // The old bytes may be gone, so their addresses are only numbers here.
    const auto offset =
        reinterpret_cast<std::uintptr_t>(view.data()) - reinterpret_cast<std::uintptr_t>(oldBase);
    view = std::string_view(newBase + offset, view.size());
}

void rebase(std::vector<Field>& fields, const char* oldBase, const char* newBase) {
    for (Field& field : fields) {
        rebase(field.name, oldBase, newBase);
        rebase(field.value, oldBase, newBase);
    }
}

ConnectionOptions applyConnection(std::vector<Field>& fields) {
    ConnectionOptions options;
    for (const Field& field : fields) {
        if (field.id != FieldId::Connection) {
            continue;
        }
        forEachListItem(field.value, [&](std::string_view option) {
            if (equalsIgnoringCase(option, "close")) {
                options.close = true;
            } else if (equalsIgnoringCase(option, "keep-alive")) {
                options.keepAlive = true;
            } else if (equalsIgnoringCase(option, "upgrade")) {
                options.upgrade = true;
            } else {
                markNamed(fields, option);
            }
        });
    }
    return options;
}

bool readFraming(
    const std::vector<Field>& fields, int minorVersion, FramingFields& framing, ParseError& error) {
    const auto refuse = [&error](int status, const char* reason) {
        error = ParseError{status, reason};
        return false;
    };
    const Field* coding = nullptr;
    for (const Field& field : fields) {
        if (field.id == FieldId::ContentLength) {
            if (framing.hasContentLength) {
                return refuse(400, "more than one Content-Length");
            }
            if (!parseLength(field.value, framing.contentLength)) {
                return refuse(400, "invalid Content-Length");
            }
            framing.hasContentLength = true;
        } else if (field.id == FieldId::TransferEncoding) {
            if (coding != nullptr) {
                return refuse(400, "more than one Transfer-Encoding");
            }
            coding = &field;
        }
    }
    if (coding == nullptr) {
        return true;
    }
    if (framing.hasContentLength) {
        return refuse(400, "Content-Length with Transfer-Encoding");
    }
    if (minorVersion == 0) {
        return refuse(400, "Transfer-Encoding in HTTP/1.0");
    }
    if (!equalsIgnoringCase(coding->value, "chunked")) {
        return endsInChunked(coding->value) ? refuse(501, "unsupported transfer coding")
                                            : refuse(400, "invalid Transfer-Encoding");
    }
    framing.chunked = true;
    return true;
}

} // namespace yardmaster::http

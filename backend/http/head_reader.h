// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/message.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace yardmaster::http {

/// Where an incremental head parser stands. Lines are judged whole, in order, and only once their LF is there
/// (or a limit is passed): the result depends on the bytes, never on how they were cut into pieces.
struct HeadPosition {
    enum class Phase : std::uint8_t { Start, StartLine, Fields, Complete, Failed };

    Phase phase = Phase::Start;
    std::size_t lineStart = 0; ///< of the first line that was not parsed yet
    std::size_t scanned = 0; ///< up to here there is no LF behind lineStart
    const char* base = nullptr; ///< where the bytes of the last call began

    [[nodiscard]] ParseStatus status() const {
        return phase == Phase::Complete ? ParseStatus::Complete
            : phase == Phase::Failed    ? ParseStatus::Error
                                        : ParseStatus::NeedMore;
    }
};

/// Complete: `line` is the line at lineStart without CRLF and lineStart is behind it. `limitStatus` is the
/// error's status when a limit is passed.
[[nodiscard]] ParseStatus takeLine(std::string_view bytes, const ParserLimits& limits, int limitStatus,
    HeadPosition& position, std::string_view& line, ParseError& error);

/// Appends the field lines from lineStart on; Complete behind the empty line.
[[nodiscard]] ParseStatus takeFields(std::string_view bytes, const ParserLimits& limits,
    HeadPosition& position, std::vector<Field>& fields, ParseError& error);

/// One field line as a field; `line` without its CRLF. A literal that says what is wrong, or nullptr.
[[nodiscard]] const char* readFieldLine(std::string_view line, Field& field);

/// Makes a view into the bytes at `oldBase` one into the same bytes at `newBase`.
void rebase(std::string_view& view, const char* oldBase, const char* newBase);
void rebase(std::vector<Field>& fields, const char* oldBase, const char* newBase);

/// What the Connection fields said (RFC 9110 7.6.1).
struct ConnectionOptions {
    bool close = false;
    bool keepAlive = false;
    bool upgrade = false;
};
/// Reads the options and marks the fields they name (see Field::hopByHop).
[[nodiscard]] ConnectionOptions applyConnection(std::vector<Field>& fields);

/// The framing fields of one message, RFC 9112 6.
struct FramingFields {
    bool hasContentLength = false;
    bool chunked = false;
    std::uint64_t contentLength = 0;
};
/// False with `error` set when they are invalid, contradict each other or use a coding other than chunked.
[[nodiscard]] bool readFraming(
    const std::vector<Field>& fields, int minorVersion, FramingFields& framing, ParseError& error);

} // namespace yardmaster::http

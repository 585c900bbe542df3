// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/message.h"
#include "backend/http/parser.h"

#include <string>
#include <string_view>
#include <vector>

/// Parsed messages as text, so that tests compare and print them whole.

/// Words: "method=GET target=/a?b path=/a query=b host=h authority=h:1 minor=1 keep body=length:5 ...".
[[nodiscard]] std::string describe(const yardmaster::http::RequestHead& head);
/// Words: "status=200 reason=OK minor=1 keep body=chunked ...".
[[nodiscard]] std::string describe(const yardmaster::http::ResponseHead& head);
/// A line a field, "-" in front of one that is not forwarded.
[[nodiscard]] std::string describe(const std::vector<yardmaster::http::Field>& fields);

/// What became of some bytes.
struct Outcome {
    yardmaster::http::ParseStatus status = yardmaster::http::ParseStatus::NeedMore;
    int errorStatus = 0;
    std::string reason;
    std::string text; ///< the head with its fields
    bool operator==(const Outcome&) const = default;
    [[nodiscard]] std::string toString() const;
};
[[nodiscard]] Outcome outcomeOf(
    const yardmaster::http::RequestParser& parser, yardmaster::http::ParseStatus status);
[[nodiscard]] Outcome outcomeOf(
    const yardmaster::http::ResponseParser& parser, yardmaster::http::ParseStatus status);

/// The words of `wanted` that `text` lacks, "" for none.
[[nodiscard]] std::string missingWords(std::string_view text, std::string_view wanted);

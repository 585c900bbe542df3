// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/message.h"

#include <string>
#include <vector>

/// One response head, the method it answers, and what must become of it. A refusal is always 502.
struct ResponseCase {
    std::string name; ///< with the section it comes from
    std::string bytes;
    enum class Verdict : unsigned char { Accepted, Incomplete, Refused } verdict = Verdict::Accepted;
    std::string expected; ///< words of describe(), or the reason of the refusal
    yardmaster::http::Method method = yardmaster::http::Method::Get;
};

[[nodiscard]] std::vector<ResponseCase> responseCases();

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

/// One request head and what must become of it.
struct RequestCase {
    std::string name; ///< with the section it comes from
    std::string bytes;
    int status = 0; ///< 0: accepted; -1: incomplete; else the status of the refusal
    std::string expected; ///< words of describe(), or the reason of the refusal
};

[[nodiscard]] std::vector<RequestCase> requestLineCases();
[[nodiscard]] std::vector<RequestCase> requestFieldCases();
[[nodiscard]] std::vector<RequestCase> requestCases(); ///< all

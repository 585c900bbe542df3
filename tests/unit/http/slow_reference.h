// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

/// The rules of the parsers once more, for whole messages only, in the plainest way: find the end, split,
/// look at each part. Slow and obvious, to hold the fast ones against. Limits are left out.

/// What outcomeOf() gives as text for an accepted request; nothing for one that is refused or incomplete.
[[nodiscard]] std::optional<std::string> slowRequest(const std::string& bytes);
/// The same for a response to GET or, with `toHead`, to HEAD.
[[nodiscard]] std::optional<std::string> slowResponse(const std::string& bytes, bool toHead);

struct SlowBody {
    std::string body;
    std::string trailers;
    std::size_t consumed = 0;
    bool operator==(const SlowBody&) const = default;
};
[[nodiscard]] std::optional<SlowBody> slowChunked(const std::string& bytes);

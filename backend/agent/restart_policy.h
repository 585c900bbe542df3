// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace yardmaster::agent {

/// When the worker of one slot is started again after it ended by itself: at once the first time, then after
/// a time that doubles with each crash within the window, and no more after the fifth.
class RestartPolicy {
public:
    static constexpr int maxCrashes = 5;
    static constexpr std::int64_t windowNs = 30'000'000'000;
    static constexpr std::int64_t firstDelayNs = 200'000'000;

    /// Notes a crash; how long to wait before the next start, nullopt to give up.
    [[nodiscard]] std::optional<std::int64_t> onCrash(std::int64_t nowNs);
    [[nodiscard]] bool hasGivenUp() const { return m_givenUp; }
    /// An operator's start begins with a clean slate.
    void reset();

private:
    std::deque<std::int64_t> m_crashes;
    bool m_givenUp = false;
};

} // namespace yardmaster::agent

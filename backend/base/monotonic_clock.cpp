// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/base/monotonic_clock.h"

#include <ctime>

namespace yardmaster {

namespace {
std::int64_t readClockNs(clockid_t clock) noexcept {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}
} // namespace

std::int64_t monotonicNowNs() noexcept {
    return readClockNs(CLOCK_MONOTONIC);
}

std::int64_t unixNowNs() noexcept {
    return readClockNs(CLOCK_REALTIME);
}

} // namespace yardmaster

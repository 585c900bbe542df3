// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace yardmaster {

/// CLOCK_MONOTONIC in nanoseconds: the same clock in every process of one host, so that stamps of the agent
/// and of its workers can be compared.
[[nodiscard]] std::int64_t monotonicNowNs() noexcept;

/// CLOCK_REALTIME in nanoseconds since the Unix epoch, for people only.
[[nodiscard]] std::int64_t unixNowNs() noexcept;

} // namespace yardmaster

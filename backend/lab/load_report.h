// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/lab/load_options.h"
#include "backend/lab/load_stats.h"

#include <string>

namespace yardmaster::lab {

/// The whole run as JSON: what was asked for, counts, losses by kind, percentiles in us, the series.
/// `seconds` is how long it took with the last answers.
[[nodiscard]] std::string loadReport(const LoadOptions& options, const LoadStats& stats, double seconds);

/// Snapshots of a run that goes on: totals, and what happened since the snapshot before.
class LiveReport {
public:
    [[nodiscard]] std::string next(const LoadStats& stats, std::int64_t nowNs);

private:
    std::int64_t m_lastNs = 0;
    std::uint64_t m_lastLost = 0;
    metrics::Histogram m_lastService;
};

} // namespace yardmaster::lab

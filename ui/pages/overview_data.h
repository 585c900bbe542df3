// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/metrics_history.h"

#include <optional>
#include <vector>

namespace yardmaster::ui {

/// The numbers of the Overview over a span, in equal windows, oldest first; NaN where nothing is known.
struct OverviewData {
    std::vector<double> rates, errorPercents, p50Ms, p99Ms, connections;
    std::optional<double> peakRate;
    /// Of the last 10 s.
    std::uint64_t recentRequests = 0, recentErrors = 0;
    std::optional<double> recentP50Us, recentP99Us;
};

[[nodiscard]] OverviewData overviewOf(const models::MetricsHistory& history, models::TimeSpan span);

} // namespace yardmaster::ui

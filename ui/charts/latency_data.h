// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/metrics_history.h"
#include "ui/charts/chart_table.h"
#include "ui/charts/window_cache.h"

#include <optional>

/// What latency charts and their files say about the numbers, in one place so that they agree.
namespace yardmaster::ui {

/// "merged over 4 workers, 2 s windows, corrected for coordinated omission: no"
[[nodiscard]] QString latencySourceText(const models::MetricsHistory& history, models::TimeSpan span,
    std::int64_t windowNs, std::optional<std::uint32_t> slot);
/// The same with "CO" for coordinated omission.
[[nodiscard]] QString shortLatencySourceText(const models::MetricsHistory& history, models::TimeSpan span,
    std::int64_t windowNs, std::optional<std::uint32_t> slot);
/// Units, source of the percentiles, window.
void addLatencyMetadata(ChartMetadata& metadata, const models::MetricsHistory& history, models::TimeSpan span,
    std::int64_t windowNs, std::optional<std::uint32_t> slot);

/// A row a window: time, p50..max in ms, requests, errors; a gap has a row without values.
[[nodiscard]] ChartTable percentileTable(const models::MetricsHistory& history, models::TimeSpan span,
    std::int64_t windowNs, std::optional<std::uint32_t> slot);
/// A row a bucket with a count: from, to (us), requests, and the share of all that took no longer.
[[nodiscard]] ChartTable bucketTable(const metrics::Histogram& merged);
/// A row a window and bucket with a count.
[[nodiscard]] ChartTable heatmapTable(const std::vector<LatencySummary>& windows);

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/overview_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace yardmaster::ui {

namespace {

constexpr std::int64_t secondNs = 1'000'000'000;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int windowCount = 100;

/// Sum of the step lines at the end of each window.
std::vector<double> sampled(
    const std::vector<models::ConnectionSeries>& series, const std::vector<models::LatencyWindow>& windows) {
    std::vector<double> sums(windows.size(), nan);
    for (const models::ConnectionSeries& one : series) {
        std::size_t next = 0;
        double value = nan;
        for (std::size_t i = 0; i < windows.size(); ++i) {
            while (next < one.points.size() && one.points[next].first < windows[i].span.toNs)
                value = one.points[next++].second;
            if (!std::isnan(value))
                sums[i] = std::isnan(sums[i]) ? value : sums[i] + value;
        }
    }
    for (std::size_t i = 0; i < windows.size(); ++i) {
        if (windows[i].isGap)
            sums[i] = nan;
    }
    return sums;
}

} // namespace

OverviewData overviewOf(const models::MetricsHistory& history, models::TimeSpan span) {
    OverviewData data;
    const auto recorded = history.recorded();
    if (!recorded)
        return data;
    const std::int64_t windowNs =
        std::max(secondNs, (span.toNs - span.fromNs) / windowCount / secondNs * secondNs);
    std::vector<models::LatencyWindow> windows = history.windows(span, windowNs);
    // A window that a gap cuts into has a part of its requests only: no drop that was none.
    const std::vector<models::Gap> gaps = history.gaps(span);
    for (models::LatencyWindow& window : windows) {
        for (const models::Gap& gap : gaps)
            window.isGap =
                window.isGap || (gap.span.fromNs < window.span.toNs && gap.span.toNs > window.span.fromNs);
    }
    // The window that is still filling would end every line with a drop.
    while (!windows.empty() && windows.back().span.toNs > recorded->toNs)
        windows.pop_back();
    while (!windows.empty() && windows.front().span.fromNs < recorded->fromNs)
        windows.erase(windows.begin());
    for (const models::LatencyWindow& window : windows) {
        const double seconds = static_cast<double>(window.span.toNs - window.span.fromNs) / 1e9;
        const auto requests = static_cast<double>(window.requests);
        data.rates.push_back(window.isGap ? nan : requests / seconds);
        data.errorPercents.push_back(window.isGap || window.requests == 0
                ? nan
                : 100.0 * static_cast<double>(window.errors) / requests);
        const bool hasLatency = window.latency != nullptr && window.latency->count() > 0;
        data.p50Ms.push_back(hasLatency ? static_cast<double>(window.latency->quantileUs(0.5)) / 1e3 : nan);
        data.p99Ms.push_back(hasLatency ? static_cast<double>(window.latency->quantileUs(0.99)) / 1e3 : nan);
        if (!window.isGap)
            data.peakRate = std::max(data.peakRate.value_or(0), requests / seconds);
    }
    data.connections = sampled(history.connections(span), windows);

    const std::int64_t until = std::min(span.toNs, recorded->toNs);
    for (const models::LatencyWindow& window : history.windows({until - 10 * secondNs, until}, secondNs)) {
        data.recentRequests += window.requests;
        data.recentErrors += window.errors;
    }
    const metrics::Histogram merged = history.merged({until - 10 * secondNs, until});
    if (merged.count() > 0) {
        data.recentP50Us = static_cast<double>(merged.quantileUs(0.5));
        data.recentP99Us = static_cast<double>(merged.quantileUs(0.99));
    }
    return data;
}

} // namespace yardmaster::ui

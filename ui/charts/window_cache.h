// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/metrics_history.h"

#include <map>
#include <optional>
#include <vector>

namespace yardmaster::ui {

/// One window with its percentiles; microseconds, NaN when there was no request or no data.
struct LatencySummary {
    models::TimeSpan span;
    bool isGap = false;
    std::uint64_t count = 0, errors = 0;
    double p50 = 0, p90 = 0, p99 = 0, p999 = 0, max = 0;
    std::shared_ptr<const metrics::Histogram> latency;

    [[nodiscard]] std::int64_t middleNs() const { return span.fromNs + (span.toNs - span.fromNs) / 2; }
};

/// Length of the windows percentiles of a range are taken over: about 150 of them, in steps people know (5
/// minutes: 2 s), but never finer than what the history still has of a time that long ago.
[[nodiscard]] std::int64_t windowLengthNs(models::TimeSpan span, std::optional<models::TimeSpan> recorded);
[[nodiscard]] QString windowText(std::int64_t windowNs); ///< "2 s"

/// Merging histograms is the dear part of a latency chart, and windows that are over do not change: each is
/// asked of the history once, whatever the frame rate.
class WindowCache {
public:
    explicit WindowCache(const models::MetricsHistory& history);

    /// The complete windows inside the span, oldest first; the one that is still filling is left out,
    /// because its count would be wrong.
    [[nodiscard]] const std::vector<LatencySummary>& windows(
        models::TimeSpan span, std::int64_t windowNs, std::optional<std::uint32_t> slot);
    /// Which window holds an instant, null when none does.
    [[nodiscard]] const LatencySummary* at(std::int64_t atNs) const;
    [[nodiscard]] const std::vector<LatencySummary>& current() const { return m_windows; }
    [[nodiscard]] std::uint64_t queries() const { return m_queries; }

private:
    const models::MetricsHistory& m_history;
    std::vector<LatencySummary> m_windows;
    std::optional<std::uint32_t> m_slot;
    std::int64_t m_windowNs = 0;
    std::int64_t m_settledToNs = 0; ///< windows that end before are final
    std::uint64_t m_queries = 0;
};

} // namespace yardmaster::ui

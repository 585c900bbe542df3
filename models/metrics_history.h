// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace yardmaster::models {

/// Half open, nanoseconds of the Unix epoch.
struct TimeSpan {
    std::int64_t fromNs = 0, toNs = 0;
    bool operator==(const TimeSpan&) const = default;
};

/// Latency and traffic of one window. No data (the link was lost, or nothing was recorded): `isGap`, never
/// bridged.
struct LatencyWindow {
    TimeSpan span;
    bool isGap = false;
    std::uint64_t requests = 0, errors = 0;
    std::shared_ptr<const metrics::Histogram> latency; ///< null when there was no request
};

/// Connections of one worker process; step points. One process is one generation of its slot.
struct ConnectionSeries {
    std::uint32_t workerId = 0, slot = 0;
    std::int32_t pid = 0;
    QString version;
    int age = 0; ///< 0 newest generation of the slot, 1 the one before, 2 older
    std::vector<std::pair<std::int64_t, double>> points; ///< unix ns, count; NaN starts a gap
};

struct RateSeries {
    QString label; ///< version
    std::vector<std::pair<std::int64_t, double>>
        points; ///< unix ns (middle of the window), requests/s; NaN is a gap
};

struct Marker {
    std::int64_t atNs = 0;
    QString text; ///< "upgrade 3, ready"
    control::EventSeverity severity = control::EventSeverity::Info;
};

struct Gap {
    TimeSpan span;
    QString reason; ///< "link lost 4 s"
};

/// One start of a worker as the startup chart shows it, durations in ms since spawn; nullopt = not reached.
struct StartupRecord {
    std::uint32_t workerId = 0, slot = 0;
    std::int32_t pid = 0;
    QString version;
    int age = 0; ///< as in ConnectionSeries
    std::int64_t startedUnixNs = 0;
    std::optional<double> spawnedMs, listenersMs, stateMs, readyMs, firstRequestMs;
};

/// Remembers what snapshots brought, in tiers (each sample for 5 minutes, seconds for an hour, 10 s for a
/// day), so that memory is bounded whatever the uptime. All percentiles come from merged histograms.
class MetricsHistory : public QObject {
    Q_OBJECT
public:
    explicit MetricsHistory(QObject* parent = nullptr);
    ~MetricsHistory() override;

    void apply(const control::Snapshot& snapshot);
    void noteLink(const control::Link& link);

    [[nodiscard]] std::optional<TimeSpan> recorded() const;
    /// Windows of `windowNs` that cover `span` (aligned to multiples of it); a worker or all.
    [[nodiscard]] std::vector<LatencyWindow> windows(
        TimeSpan span, std::int64_t windowNs, std::optional<std::uint32_t> slot = {}) const;
    [[nodiscard]] metrics::Histogram merged(TimeSpan span, std::optional<std::uint32_t> slot = {}) const;
    [[nodiscard]] std::vector<ConnectionSeries> connections(
        TimeSpan span, std::optional<std::uint32_t> slot = {}) const;
    [[nodiscard]] std::vector<RateSeries> ratesByVersion(TimeSpan span, std::int64_t windowNs) const;
    /// The last `count` requests/s values of one worker, one a second, oldest first; NaN where unknown. For
    /// sparklines.
    [[nodiscard]] std::vector<double> recentRates(std::uint32_t workerId, int count) const;
    [[nodiscard]] std::vector<Marker> markers(TimeSpan span) const;
    [[nodiscard]] std::vector<Gap> gaps(TimeSpan span) const;
    [[nodiscard]] std::vector<StartupRecord> startups() const; ///< newest 64, newest first

signals:
    void changed(); ///< after each applied snapshot, once

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace yardmaster::models

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/metrics_history.h"
#include "models/time_cursor.h"

#include <random>

namespace yardmaster::tests {

/// A target with four workers as snapshots tell it, 10 a second: each serves `requestsPerSample` requests a
/// sample. The same every time it is run.
class ChartFeed {
public:
    static constexpr std::int64_t second = 1'000'000'000;
    static constexpr std::int64_t startNs = 1'764'599'310 * second;
    static constexpr int workerCount = 4;
    static constexpr std::uint64_t requestsPerSample = 20;

    ChartFeed();

    /// Feeds that many seconds.
    void run(double seconds);
    /// The link is lost for that long: nothing is recorded.
    void loseLink(double seconds);
    /// A new worker takes over the slot; the old one drains for two seconds.
    void upgrade(std::uint32_t slot);

    [[nodiscard]] std::int64_t nowNs() const { return m_nowNs; }

    models::MetricsHistory history;
    models::TimeCursor time;

private:
    struct Worker {
        control::WorkerInfo info;
        std::uint64_t connections = 100;
        bool isDraining = false;
    };
    void sample();

    std::vector<Worker> m_workers;
    std::vector<control::Event> m_newEvents;
    std::mt19937 m_random{7};
    std::uint64_t m_sequence = 0, m_eventSequence = 0;
    std::uint32_t m_lastId = 0;
    std::int64_t m_nowNs = startNs;
};

} // namespace yardmaster::tests

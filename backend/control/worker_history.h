// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"

#include <deque>
#include <utility>

namespace yardmaster::control {

/// Cumulative readings of one worker at one instant.
struct WorkerReading {
    std::int64_t atNs = 0; ///< one clock for all readings of a worker
    std::uint64_t requests = 0, errors = 0;
    std::optional<std::uint64_t> cpuNs; ///< user + system since the start of the process
};

/// Rates over the last second and percentiles over the last ten, of one worker.
class WorkerHistory {
public:
    /// A counter that fell means that the worker counts anew: what was before no longer serves as a start.
    void add(const WorkerReading& reading);
    void addLatency(std::int64_t atNs, const metrics::Histogram& histogram);

    /// Sets requestsPerSecond, errorPercent, cpuPercent, p50Us and p99Us; what cannot be told stays nullopt.
    void fill(WorkerInfo& info) const;

private:
    struct Second {
        std::int64_t startNs = 0;
        metrics::Histogram histogram;
    };
    void addCpu(std::int64_t atNs, std::uint64_t cpuNs);

    std::deque<WorkerReading> m_readings;
    /// The CPU time is told more rarely than the counters: its rate is between two different tellings.
    std::optional<std::pair<std::int64_t, std::uint64_t>> m_cpuFrom; ///< when, and how much
    std::optional<double> m_cpuPercent;
    std::deque<Second> m_seconds; ///< merged by the second: ten merges for a percentile, not a hundred
};

} // namespace yardmaster::control

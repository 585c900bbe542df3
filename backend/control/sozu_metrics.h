// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"
#include "backend/control/worker_history.h"
#include "backend/protocol/command.pb.h"

#include <map>
#include <memory>

namespace yardmaster::control {

/// The periodic question to a Sozu: per worker, without clusters, and only what is read here, so that the
/// answer stays small whatever the state (a large one makes a worker spin).
[[nodiscard]] proto::Request sozuMetricsRequest();

/// Sozu's metrics count from a worker's start, in milliseconds and powers of two; this makes deltas, rates
/// and windows of them. A fall of any number is a reset.
class SozuMetrics {
public:
    void take(const proto::AggregatedMetrics& metrics, std::int64_t nowNs);
    /// The last answer no longer tells: what it said is not shown any more. The counters stay for the next.
    void forgetGauges() { m_isFresh = false; }
    /// What came since the previous call, and the numbers of one worker.
    [[nodiscard]] std::vector<WorkerDelta> takeDeltas();
    void fill(WorkerInfo& info) const;
    void addCpu(std::uint32_t workerId, std::uint64_t cpuNs);
    void forgetAllBut(const std::vector<WorkerInfo>& workers);

private:
    struct Known {
        bool isListed = false; ///< in the last answer
        bool hasCounters = false;
        std::uint64_t requests = 0, errors = 0;
        std::optional<std::uint64_t> connections, requestsInFlight;
        std::map<std::uint64_t, std::uint64_t> buckets; ///< count in each, by its upper bound in ms
        std::optional<std::uint64_t> cpuNs;
        WorkerHistory history;
    };
    void takeWorker(std::uint32_t id, const proto::WorkerMetrics& metrics, std::int64_t nowNs);

    bool m_isFresh = false;
    std::map<std::uint32_t, Known> m_known;
    std::map<std::uint32_t, WorkerDelta> m_deltas;
};

} // namespace yardmaster::control

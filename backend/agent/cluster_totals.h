// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/histogram_window.h"
#include "backend/agent/worker.h"
#include "backend/metrics/metrics_page.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace yardmaster::agent {

/// Per-cluster numbers summed over all workers, seen from one subscription: counters are cumulative over
/// every worker seen so far, so they never fall when a worker is replaced.
class ClusterTotals {
public:
    /// Reads one worker's page; call for each worker, then fill().
    void read(Worker& worker);
    /// The clusters that were busiest since the last call, at most 64; then the window starts anew.
    void fill(proto::Sample& sample);
    void forget(std::uint32_t workerId);

private:
    struct Cluster {
        std::array<std::uint64_t, metrics::counterCount> counters{};
        std::uint64_t requestsInWindow = 0;
        std::map<std::uint32_t, std::uint64_t> delta; ///< bucket -> count
        std::uint64_t sumUs = 0, maxUs = 0;
    };
    struct Seen {
        std::array<std::uint64_t, metrics::counterCount> counters{};
        HistogramWindow window;
    };

    std::map<std::string, Cluster> m_clusters;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Seen> m_seen; ///< worker id, slot of the page
};

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/cluster_totals.h"

#include <algorithm>
#include <vector>

namespace yardmaster::agent {

namespace {

constexpr std::size_t listedClusters = 64;

std::uint64_t load(const std::atomic<std::uint64_t>& cell) {
    return cell.load(std::memory_order_relaxed);
}

} // namespace

void ClusterTotals::read(Worker& worker) {
    const metrics::MetricsPageLayout& layout = worker.page().layout();
    for (std::uint32_t index = 0; index < metrics::maxClusterSlots; ++index) {
        const metrics::ClusterSlot& slot = layout.clusters[index];
        const std::uint32_t nameBytes = slot.nameBytes.load(std::memory_order_acquire);
        // The page is another process's memory: its numbers are checked before they are used.
        if (nameBytes == 0 || nameBytes > metrics::maxClusterNameBytes)
            continue;
        Seen& seen = m_seen[{worker.id(), index}];
        std::array<std::uint64_t, metrics::counterCount> now{};
        for (std::uint32_t counter = 0; counter < metrics::counterCount; ++counter)
            now[counter] = load(slot.block.counters[counter]);
        Cluster& cluster = m_clusters[std::string(slot.name, nameBytes)];
        proto::SparseHistogram delta;
        if (seen.window.take(slot.block, delta)) {
            for (int entry = 0; entry < delta.index_size(); ++entry)
                cluster.delta[delta.index(entry)] += delta.count(entry);
            cluster.sumUs += delta.sum_us();
            cluster.maxUs = std::max(cluster.maxUs, delta.max_us());
        }
        if (now == seen.counters)
            continue;
        for (std::uint32_t counter = 0; counter < metrics::counterCount; ++counter) {
            if (now[counter] > seen.counters[counter])
                cluster.counters[counter] += now[counter] - seen.counters[counter];
        }
        const auto requests = static_cast<std::size_t>(metrics::Counter::Requests);
        cluster.requestsInWindow += now[requests] - std::min(now[requests], seen.counters[requests]);
        seen.counters = now;
    }
}

void ClusterTotals::fill(proto::Sample& sample) {
    std::vector<std::pair<const std::string*, Cluster*>> order;
    for (auto& [name, cluster] : m_clusters)
        order.emplace_back(&name, &cluster);
    const std::size_t listed = std::min(order.size(), listedClusters);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(listed), order.end(),
        [](const auto& left, const auto& right) {
            return std::pair(right.second->requestsInWindow, *left.first)
                < std::pair(left.second->requestsInWindow, *right.first);
        });
    for (std::size_t index = 0; index < listed; ++index) {
        const auto& [name, cluster] = order[index];
        proto::ClusterSample& listedCluster = *sample.add_clusters();
        listedCluster.set_cluster_id(*name);
        for (const std::uint64_t value : cluster->counters)
            listedCluster.add_counters(value);
        if (cluster->delta.empty())
            continue;
        proto::SparseHistogram& histogram = *listedCluster.mutable_latency_delta();
        for (const auto& [bucket, count] : cluster->delta) {
            histogram.add_index(bucket);
            histogram.add_count(count);
        }
        histogram.set_sum_us(cluster->sumUs);
        histogram.set_max_us(cluster->maxUs);
    }
    for (auto& [name, cluster] : m_clusters) {
        cluster.requestsInWindow = 0;
        cluster.delta.clear();
        cluster.sumUs = 0;
        cluster.maxUs = 0;
    }
}

void ClusterTotals::forget(std::uint32_t workerId) {
    std::erase_if(m_seen, [workerId](const auto& entry) { return entry.first.first == workerId; });
}

} // namespace yardmaster::agent

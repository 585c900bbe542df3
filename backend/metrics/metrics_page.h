// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/base/unique_fd.h"
#include "backend/metrics/histogram.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace yardmaster::metrics {

/// The numbers are the wire form of samples (extensions.proto): append only.
enum class Counter : std::uint32_t {
    Requests, ///< heads received complete
    ResponsesOk, ///< status < 500 sent to the client
    Responses5xx, ///< sent, by a backend or ourselves
    ProxyErrors, ///< answered by ourselves with 4xx/5xx because of an error
    ClientAborts,
    UpstreamErrors, ///< connects refused, resets, bad responses
    UpstreamConnects,
    UpstreamReuses,
    Retries,
    ConnectionsAccepted,
    ConnectionsClosed,
    BytesIn,
    BytesOut,
    Tunnels,
    Count_
};
enum class Gauge : std::uint32_t {
    Connections,
    IdleConnections,
    RequestsInFlight,
    UpstreamConnections,
    UpstreamIdle,
    OpenTunnels,
    Draining, ///< 0 or 1
    Revision,
    Count_
};

inline constexpr std::uint32_t counterCount = static_cast<std::uint32_t>(Counter::Count_);
inline constexpr std::uint32_t gaugeCount = static_cast<std::uint32_t>(Gauge::Count_);
inline constexpr std::uint32_t maxClusterSlots =
    256; ///< the last one collects all further clusters as "(other)"
inline constexpr std::uint32_t maxClusterNameBytes = 128;

/// One set of numbers, written by one thread of one process with relaxed atomics and read by any other.
struct MetricsBlock {
    std::atomic<std::uint64_t> counters[counterCount];
    std::atomic<std::uint64_t> gauges[gaugeCount];
    std::atomic<std::uint64_t> latencySumUs;
    std::atomic<std::uint64_t> latencyMaxUs; ///< since the start
    std::atomic<std::uint64_t> buckets[HistogramLayout::bucketCount];

    // One writer: a plain load and store is enough, and cheaper than a locked add.
    void add(Counter counter, std::uint64_t delta = 1) noexcept {
        bump(counters[static_cast<std::uint32_t>(counter)], delta);
    }
    void set(Gauge gauge, std::uint64_t value) noexcept {
        gauges[static_cast<std::uint32_t>(gauge)].store(value, std::memory_order_relaxed);
    }
    void adjust(Gauge gauge, std::int64_t delta) noexcept {
        bump(gauges[static_cast<std::uint32_t>(gauge)], static_cast<std::uint64_t>(delta));
    }
    void recordLatency(std::uint64_t valueUs) noexcept {
        bump(buckets[HistogramLayout::indexOf(valueUs)], 1);
        bump(latencySumUs, valueUs);
        if (valueUs > latencyMaxUs.load(std::memory_order_relaxed))
            latencyMaxUs.store(valueUs, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t get(Counter counter) const noexcept {
        return counters[static_cast<std::uint32_t>(counter)].load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t get(Gauge gauge) const noexcept {
        return gauges[static_cast<std::uint32_t>(gauge)].load(std::memory_order_relaxed);
    }

private:
    static void bump(std::atomic<std::uint64_t>& cell, std::uint64_t delta) noexcept {
        cell.store(cell.load(std::memory_order_relaxed) + delta, std::memory_order_relaxed);
    }
};

struct ClusterSlot {
    std::atomic<std::uint32_t> nameBytes; ///< released after the name is written; 0 = free
    char name[maxClusterNameBytes];
    MetricsBlock block;

    /// Empty: the slot is free. Never longer than the field, whatever the other process wrote.
    [[nodiscard]] std::string_view clusterName() const noexcept {
        return {name, std::min(nameBytes.load(std::memory_order_acquire), maxClusterNameBytes)};
    }
};

/// The shared page of one worker: fixed layout, zero is a valid start, untouched slots cost no memory.
struct MetricsPageLayout {
    static constexpr std::uint64_t magicValue = 0x3130'4547'4150'4d59; // "YMPAGE01"
    std::atomic<std::uint64_t> magic;
    std::atomic<std::uint64_t> sizeBytes;
    std::atomic<std::uint64_t> workerId;
    std::atomic<std::uint64_t> workerPid;
    MetricsBlock worker; ///< the whole worker
    ClusterSlot clusters[maxClusterSlots];
};

/// Owns the mapping of a page. The agent creates it (a memfd), hands the descriptor to the worker, and both
/// map it; it stays readable after the worker's death.
class MetricsPage {
public:
    [[nodiscard]] static Expected<MetricsPage> create(std::uint32_t workerId);
    /// Checks size, seals and magic (DataLoss, InvalidArgument). Takes a duplicate of `fd`.
    [[nodiscard]] static Expected<MetricsPage> open(int fd);

    MetricsPage(MetricsPage&& other) noexcept;
    MetricsPage& operator=(MetricsPage&& other) noexcept;
    ~MetricsPage();

    [[nodiscard]] MetricsPageLayout& layout() { return *m_layout; }
    [[nodiscard]] const MetricsPageLayout& layout() const { return *m_layout; }
    [[nodiscard]] int fd() const { return m_fd.get(); }

    /// The slot of a cluster, taken on first use; "(other)" when all are taken. Names longer than the field
    /// are cut. Call once per cluster and keep the reference.
    [[nodiscard]] MetricsBlock& clusterBlock(std::string_view clusterId);

private:
    MetricsPage(UniqueFd fd, MetricsPageLayout* layout);
    UniqueFd m_fd;
    MetricsPageLayout* m_layout = nullptr;
};

/// Copies the buckets of a block that moves while it is read into `into` (cumulative since the worker's
/// start).
void readHistogram(const MetricsBlock& block, Histogram& into);

} // namespace yardmaster::metrics

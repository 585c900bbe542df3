// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/sozu_metrics.h"

#include <QString>

#include <algorithm>

namespace yardmaster::control {

namespace {

using Metrics = google::protobuf::Map<std::string, proto::FilteredMetrics>;

std::optional<std::uint64_t> number(const Metrics& metrics, const char* name) {
    const auto found = metrics.find(name);
    if (found == metrics.end())
        return std::nullopt;
    switch (found->second.inner_case()) {
    case proto::FilteredMetrics::kGauge:
        return found->second.gauge();
    case proto::FilteredMetrics::kCount:
        return static_cast<std::uint64_t>(std::max<std::int64_t>(0, found->second.count()));
    default:
        return std::nullopt;
    }
}

const proto::FilteredHistogram* latency(const Metrics& metrics) {
    // The whole request where it is measured, else what the proxy and its backend took.
    for (const char* name : {"request_time_histogram", "service_time_histogram"}) {
        const auto found = metrics.find(name);
        if (found != metrics.end() && found->second.has_histogram())
            return &found->second.histogram();
    }
    return nullptr;
}

/// Counts of each bucket on its own, by upper bound: they come summed up to each bound.
std::map<std::uint64_t, std::uint64_t> separate(const proto::FilteredHistogram& histogram) {
    std::map<std::uint64_t, std::uint64_t> summed;
    for (const proto::Bucket& bucket : histogram.buckets())
        summed[bucket.le()] = bucket.count();
    std::uint64_t below = 0;
    for (auto& [le, count] : summed) {
        const std::uint64_t upTo = std::max(count, below);
        count = upTo - below;
        below = upTo;
    }
    return summed;
}

/// The bounds are 2^i - 1 ms: a bucket holds what took from half of its bound to its bound.
std::uint64_t middleUs(std::uint64_t le) {
    const std::uint64_t from = le == 0 ? 0 : le / 2 + 1;
    return (from + std::min<std::uint64_t>(le, 1'000'000) + 1) * 500;
}

} // namespace

proto::Request sozuMetricsRequest() {
    proto::Request request;
    proto::QueryMetricsOptions& options = *request.mutable_query_metrics();
    options.set_list(false);
    options.set_no_clusters(true);
    options.set_workers(true);
    for (const char* name : {"http.requests", "client.connections", "http.active_requests", "http.errors",
             "http.status.5xx", "request_time", "service_time"})
        options.add_metric_names(name);
    return request;
}

void SozuMetrics::take(const proto::AggregatedMetrics& metrics, std::int64_t nowNs) {
    m_isFresh = true;
    for (auto& [id, known] : m_known)
        known.isListed = false;
    for (const auto& [name, worker] : metrics.workers()) {
        bool isNumber = false;
        const std::uint32_t id = QString::fromStdString(name).toUInt(&isNumber);
        if (isNumber)
            takeWorker(id, worker, nowNs);
    }
}

void SozuMetrics::takeWorker(std::uint32_t id, const proto::WorkerMetrics& worker, std::int64_t nowNs) {
    const Metrics& metrics = worker.proxy();
    Known& known = m_known[id];
    known.isListed = true;
    known.connections = number(metrics, "client.connections");
    known.requestsInFlight = number(metrics, "http.active_requests");
    // A counter that never counted is not in the answer.
    const std::uint64_t requests = number(metrics, "http.requests").value_or(0);
    const std::uint64_t errors =
        number(metrics, "http.status.5xx").value_or(number(metrics, "http.errors").value_or(0));
    std::map<std::uint64_t, std::uint64_t> buckets;
    if (const proto::FilteredHistogram* histogram = latency(metrics))
        buckets = separate(*histogram);
    bool isReset = requests < known.requests || errors < known.errors;
    for (const auto& [le, count] : known.buckets) {
        const auto now = buckets.find(le);
        isReset = isReset || count > (now == buckets.end() ? 0 : now->second);
    }

    WorkerDelta& delta = m_deltas[id];
    delta.workerId = id;
    delta.connections = known.connections.value_or(0);
    if (known.hasCounters) {
        // After a reset what is counted now came since then.
        delta.requests += requests - (isReset ? 0 : known.requests);
        delta.errors += errors - (isReset ? 0 : known.errors);
        auto latencies = std::make_shared<metrics::Histogram>();
        for (const auto& [le, count] : buckets) {
            const auto before = known.buckets.find(le);
            const std::uint64_t more =
                count - (isReset || before == known.buckets.end() ? 0 : before->second);
            if (more > 0)
                latencies->record(middleUs(le), more);
        }
        if (latencies->count() > 0) {
            known.history.addLatency(nowNs, *latencies);
            if (delta.latency)
                latencies->merge(*delta.latency);
            delta.latency = std::move(latencies);
        }
    }
    known.hasCounters = true;
    known.requests = requests;
    known.errors = errors;
    known.buckets = std::move(buckets);
    WorkerReading reading;
    reading.atNs = nowNs;
    reading.requests = requests;
    reading.errors = errors;
    reading.cpuNs = known.cpuNs;
    known.history.add(reading);
}

std::vector<WorkerDelta> SozuMetrics::takeDeltas() {
    std::vector<WorkerDelta> deltas;
    for (auto& [id, delta] : m_deltas)
        deltas.push_back(std::move(delta));
    m_deltas.clear();
    return deltas;
}

void SozuMetrics::fill(WorkerInfo& info) const {
    const auto found = m_known.find(info.id);
    if (!m_isFresh || found == m_known.end() || !found->second.isListed)
        return;
    info.connections = found->second.connections;
    info.requestsInFlight = found->second.requestsInFlight;
    found->second.history.fill(info);
}

void SozuMetrics::addCpu(std::uint32_t workerId, std::uint64_t cpuNs) {
    m_known[workerId].cpuNs = cpuNs;
}

void SozuMetrics::forgetAllBut(const std::vector<WorkerInfo>& workers) {
    std::erase_if(m_known, [&workers](const auto& entry) {
        return std::none_of(workers.begin(), workers.end(),
            [&entry](const WorkerInfo& worker) { return worker.id == entry.first; });
    });
}

} // namespace yardmaster::control

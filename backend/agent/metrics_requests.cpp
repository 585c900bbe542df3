// SPDX-License-Identifier: GPL-3.0-or-later
//
// QueryMetrics, in Sozu's names and units (times in ms, cumulative since a worker's start), from the workers'
// metrics pages.
#include "backend/agent/request_router.h"
#include "backend/base/monotonic_clock.h"
#include "backend/metrics/histogram.h"

#include <algorithm>
#include <set>

namespace yardmaster::agent {

namespace {

using MetricMap = google::protobuf::Map<std::string, proto::FilteredMetrics>;
using metrics::Counter;
using metrics::Gauge;
using metrics::Histogram;
using metrics::MetricsBlock;

constexpr const char* proxyCounters[] = {"http.requests", "http.status.5xx", "http.errors", "bytes_in",
    "bytes_out", "backend.pool.hit", "backend.pool.miss", "listener.accepted.total"};
constexpr const char* proxyGauges[] = {"client.connections", "http.active_requests", "backend.connections",
    "backend.pool.size", "protocol.ws", "server.live", "process.uptime_seconds", "configuration.revision"};

/// What one block says, or several added up.
struct Totals {
    std::array<std::uint64_t, metrics::counterCount> counters{};
    std::array<std::uint64_t, metrics::gaugeCount> gauges{};
    Histogram latency;

    void add(const MetricsBlock& block) {
        for (std::uint32_t index = 0; index < metrics::counterCount; ++index)
            counters[index] += block.counters[index].load(std::memory_order_relaxed);
        for (std::uint32_t index = 0; index < metrics::gaugeCount; ++index)
            gauges[index] += block.gauges[index].load(std::memory_order_relaxed);
        metrics::readHistogram(block, latency);
    }
    [[nodiscard]] std::uint64_t get(Counter counter) const {
        return counters[static_cast<std::size_t>(counter)];
    }
    [[nodiscard]] std::uint64_t get(Gauge gauge) const { return gauges[static_cast<std::size_t>(gauge)]; }
};

void setCount(MetricMap& map, const char* name, std::uint64_t value) {
    map[name].set_count(static_cast<std::int64_t>(value));
}
void setGauge(MetricMap& map, const char* name, std::uint64_t value) {
    map[name].set_gauge(value);
}

void setLatency(MetricMap& map, const std::string& name, const Histogram& latency) {
    const auto ms = [&](double quantile) { return latency.quantileUs(quantile) / 1000; };
    proto::Percentiles& percentiles = *map[name].mutable_percentiles();
    percentiles.set_samples(latency.count());
    percentiles.set_p_50(ms(0.5));
    percentiles.set_p_90(ms(0.9));
    percentiles.set_p_99(ms(0.99));
    percentiles.set_p_99_9(ms(0.999));
    percentiles.set_p_99_99(ms(0.9999));
    percentiles.set_p_99_999(ms(0.99999));
    percentiles.set_p_100(latency.maxUs() / 1000);
    percentiles.set_sum(latency.sumUs() / 1000);

    proto::FilteredHistogram& histogram = *map[name + "_histogram"].mutable_histogram();
    histogram.set_sum(latency.sumUs() / 1000);
    histogram.set_count(latency.count());
    // Sozu's bounds: 2^i - 1 ms, up to the one that holds all.
    const auto buckets = latency.buckets();
    std::uint64_t cumulative = 0;
    std::uint32_t index = 0;
    for (int power = 0; power < 18 && cumulative < latency.count(); ++power) {
        const std::uint64_t boundMs = (std::uint64_t{1} << power) - 1;
        while (index < buckets.size() && metrics::HistogramLayout::lowestUs(index) / 1000 <= boundMs)
            cumulative += buckets[index++];
        proto::Bucket& bucket = *histogram.add_buckets();
        bucket.set_count(cumulative);
        bucket.set_le(boundMs);
    }
}

void fillProxy(MetricMap& map, const Totals& totals) {
    setCount(map, "http.requests", totals.get(Counter::Requests));
    setCount(map, "http.status.5xx", totals.get(Counter::Responses5xx));
    setCount(map, "http.errors", totals.get(Counter::ProxyErrors));
    setCount(map, "bytes_in", totals.get(Counter::BytesIn));
    setCount(map, "bytes_out", totals.get(Counter::BytesOut));
    setCount(map, "backend.pool.hit", totals.get(Counter::UpstreamReuses));
    setCount(map, "backend.pool.miss", totals.get(Counter::UpstreamConnects));
    setCount(map, "listener.accepted.total", totals.get(Counter::ConnectionsAccepted));
    setGauge(map, "client.connections", totals.get(Gauge::Connections));
    setGauge(map, "http.active_requests", totals.get(Gauge::RequestsInFlight));
    setGauge(map, "backend.connections", totals.get(Gauge::UpstreamConnections));
    setGauge(map, "backend.pool.size", totals.get(Gauge::UpstreamIdle));
    setGauge(map, "protocol.ws", totals.get(Gauge::OpenTunnels));
    setLatency(map, "request_time", totals.latency);
}

void fillCluster(MetricMap& map, const Totals& totals) {
    setCount(map, "requests", totals.get(Counter::Requests));
    setCount(map, "http.status.5xx", totals.get(Counter::Responses5xx));
    setCount(map, "http.errors", totals.get(Counter::ProxyErrors));
    setCount(map, "bytes_in", totals.get(Counter::BytesIn));
    setCount(map, "bytes_out", totals.get(Counter::BytesOut));
    setLatency(map, "request_time", totals.latency);
}

/// Keeps the names asked for; "<name>_histogram" comes along with its base name.
void keepNames(MetricMap& map, const std::set<std::string>& names) {
    if (names.empty())
        return;
    constexpr std::string_view suffix = "_histogram";
    std::vector<std::string> unwanted;
    for (const auto& [name, value] : map) {
        const std::string base = name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
        if (!names.contains(base))
            unwanted.push_back(name);
    }
    for (const std::string& name : unwanted)
        map.erase(name);
}

struct Query {
    std::set<std::string> names, clusters;
    bool withClusters = true;

    [[nodiscard]] bool wants(const std::string& cluster) const {
        return clusters.empty() || clusters.contains(cluster);
    }
};

using ClusterTotalsById = std::map<std::string, Totals>;

void readClusters(Worker& worker, const Query& query, ClusterTotalsById& into) {
    for (const metrics::ClusterSlot& slot : worker.page().layout().clusters) {
        const std::uint32_t nameBytes = slot.nameBytes.load(std::memory_order_acquire);
        if (nameBytes == 0 || nameBytes > metrics::maxClusterNameBytes)
            continue;
        const std::string name(slot.name, nameBytes);
        if (query.wants(name))
            into[name].add(slot.block);
    }
}

void fillClusters(google::protobuf::Map<std::string, proto::ClusterMetrics>& map,
    const ClusterTotalsById& clusters, const Query& query) {
    for (const auto& [id, totals] : clusters) {
        MetricMap& cluster = *map[id].mutable_cluster();
        fillCluster(cluster, totals);
        keepNames(cluster, query.names);
    }
}

void fillProcess(MetricMap& map, const Worker& worker) {
    const std::int64_t upNs = unixNowNs() - worker.detail().started_unix_ns();
    setGauge(map, "process.uptime_seconds",
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, upNs) / 1'000'000'000));
    setGauge(map, "server.live", worker.isServing() ? 1 : 0);
}

void fillMain(MetricMap& map, const state::ConfigState& state, std::uint64_t revision) {
    std::size_t backends = 0;
    for (const auto& [id, list] : state.backends())
        backends += list.size();
    setGauge(map, "configuration.clusters", state.clusters().size());
    setGauge(map, "configuration.backends", backends);
    setGauge(map, "configuration.frontends", state.httpFrontends().size() + state.httpsFrontends().size());
    setGauge(map, "configuration.revision", revision);
}

void answerNames(const ReplyPtr& reply) {
    proto::ResponseContent content;
    proto::AvailableMetrics& available = *content.mutable_available_metrics();
    for (const char* name : proxyCounters)
        available.add_proxy_metrics(name);
    for (const char* name : proxyGauges)
        available.add_proxy_metrics(name);
    available.add_proxy_metrics("request_time");
    for (const char* name :
        {"requests", "http.status.5xx", "http.errors", "bytes_in", "bytes_out", "request_time"})
        available.add_cluster_metrics(name);
    reply->ok({}, std::move(content));
}

} // namespace

void answerQueryMetrics(AgentParts& parts, const proto::QueryMetricsOptions& options, const ReplyPtr& reply) {
    if (options.list()) {
        answerNames(reply);
        return;
    }
    if (options.backend_ids_size() > 0) {
        reply->fail("metrics per backend are not kept; ask by cluster");
        return;
    }
    Query query;
    query.names.insert(options.metric_names().begin(), options.metric_names().end());
    query.clusters.insert(options.cluster_ids().begin(), options.cluster_ids().end());
    query.withClusters = !options.no_clusters() || !query.clusters.empty();

    proto::ResponseContent content;
    proto::AggregatedMetrics& answer = *content.mutable_metrics();
    fillMain(*answer.mutable_main(), parts.store.state(), parts.store.revision());
    keepNames(*answer.mutable_main(), query.names);

    Totals all;
    ClusterTotalsById allClusters;
    const bool withProxy = query.clusters.empty(); // as Sozu: a cluster filter leaves the proxy's own out
    for (Worker* worker : parts.pool.living()) {
        if (!options.workers()) {
            all.add(worker->page().layout().worker);
            if (query.withClusters)
                readClusters(*worker, query, allClusters);
            continue;
        }
        proto::WorkerMetrics& metrics = (*answer.mutable_workers())[std::to_string(worker->id())];
        if (withProxy) {
            Totals own;
            own.add(worker->page().layout().worker);
            fillProxy(*metrics.mutable_proxy(), own);
            fillProcess(*metrics.mutable_proxy(), *worker);
            keepNames(*metrics.mutable_proxy(), query.names);
        }
        if (query.withClusters) {
            ClusterTotalsById clusters;
            readClusters(*worker, query, clusters);
            fillClusters(*metrics.mutable_clusters(), clusters, query);
        }
    }
    if (!options.workers()) {
        if (withProxy) {
            fillProxy(*answer.mutable_proxying(), all);
            keepNames(*answer.mutable_proxying(), query.names);
        }
        fillClusters(*answer.mutable_clusters(), allClusters, query);
    }
    reply->ok({}, std::move(content));
}

} // namespace yardmaster::agent

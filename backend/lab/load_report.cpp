// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/load_report.h"

#include "backend/base/monotonic_clock.h"

#include <nlohmann/json.hpp>

namespace yardmaster::lab {

namespace {

using Json = nlohmann::ordered_json;

Json percentiles(const metrics::Histogram& histogram) {
    Json json;
    json["p50"] = histogram.quantileUs(0.5);
    json["p90"] = histogram.quantileUs(0.9);
    json["p99"] = histogram.quantileUs(0.99);
    json["p99.9"] = histogram.quantileUs(0.999);
    json["max"] = histogram.quantileUs(1);
    json["mean"] = histogram.meanUs();
    json["count"] = histogram.count();
    return json;
}

void addCounts(Json& json, const LoadStats& stats) {
    json["sent"] = stats.sent();
    json["answered"] = stats.answered();
    json["lost"] = stats.lost();
    Json& byKind = json["lost_by_kind"] = Json::object();
    for (std::size_t kind = 0; kind < lossKinds; ++kind)
        byKind[lossName(static_cast<Loss>(kind))] = stats.lost(static_cast<Loss>(kind));
    json["connections_opened"] = stats.connectionsOpened();
    json["idle_connections_closed_by_server"] = stats.idleClosed();
}

const char* methodName(LoadMethod method) {
    switch (method) {
    case LoadMethod::Get:
        return "GET";
    case LoadMethod::Post:
        return "POST";
    case LoadMethod::Mix:
        break;
    }
    return "mix";
}

/// The counts of `now` without those of `before`, which it contains.
metrics::Histogram difference(const metrics::Histogram& now, const metrics::Histogram& before) {
    metrics::Histogram window;
    for (std::uint32_t index = 0; index < now.buckets().size(); ++index)
        window.addBucket(index, now.buckets()[index] - before.buckets()[index]);
    window.noteSum(now.sumUs() - before.sumUs());
    return window;
}

} // namespace

std::string loadReport(const LoadOptions& options, const LoadStats& stats, double seconds) {
    const bool isOpen = options.requestsPerSecond > 0;
    Json json;
    json["target"] = options.target.toString();
    json["loop"] = isOpen ? "open" : "closed";
    json["rate"] = options.requestsPerSecond;
    json["connections"] = options.connections;
    json["keep_alive"] = options.keepAlive;
    json["method"] = methodName(options.method);
    json["body_bytes"] = options.bodyBytes;
    json["timeout_ms"] = options.timeoutMs;
    json["start_monotonic_ns"] = stats.startNs();
    json["seconds"] = seconds;
    addCounts(json, stats);
    json["not_sent"] = stats.notSent();
    json["not_sent_note"] = "due in the open loop, but every connection was busy until the end";
    json["answered_per_second"] = seconds > 0 ? static_cast<double>(stats.answered()) / seconds : 0;
    json["latency_us"] = percentiles(stats.service());
    json["latency_us_note"] = "uncorrected: from the instant the request was begun";
    json["corrected_latency_us"] = isOpen ? percentiles(stats.corrected()) : Json();
    json["corrected_latency_us_note"] =
        "corrected for coordinated omission: from the instant the request was due (open loop only)";
    json["series_ms"] = options.seriesMs;
    Json& series = json["series"] = Json::array();
    for (const SeriesPoint& point : stats.series()) {
        Json& one = series.emplace_back(
            Json{{"monotonic_ns", point.monotonicNs}, {"answered", point.answered}, {"lost", point.lost},
                {"p50_us", point.p50Us}, {"p99_us", point.p99Us}, {"max_us", point.maxUs}});
        if (!options.seriesHistograms)
            continue;
        Json& buckets = one["buckets"] = Json::array();
        for (const auto& [index, count] : point.buckets)
            buckets.push_back({metrics::HistogramLayout::nextUs(index) - 1, count});
    }
    if (options.seriesHistograms)
        json["series_buckets_note"] = "pairs of the highest latency of a bucket in us and the count in it";
    return json.dump(1);
}

std::string LiveReport::next(const LoadStats& stats, std::int64_t nowNs) {
    const std::int64_t sinceNs = m_lastNs == 0 ? stats.startNs() : m_lastNs;
    const metrics::Histogram window = difference(stats.service(), m_lastService);
    Json json;
    json["monotonic_ns"] = nowNs;
    json["unix_ms"] = unixNowNs() / 1'000'000;
    json["seconds"] = static_cast<double>(nowNs - stats.startNs()) / 1e9;
    addCounts(json, stats);
    json["in_flight"] = stats.sent() - stats.answered() - stats.lost();
    json["latency_us"] = percentiles(stats.service());
    Json& last = json["window"];
    last["seconds"] = static_cast<double>(nowNs - sinceNs) / 1e9;
    last["answered"] = window.count();
    last["lost"] = stats.lost() - m_lastLost;
    last["latency_us"] = percentiles(window);
    m_lastNs = nowNs;
    m_lastLost = stats.lost();
    m_lastService = stats.service();
    return json.dump(1);
}

} // namespace yardmaster::lab

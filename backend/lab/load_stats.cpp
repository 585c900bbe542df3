// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/load_stats.h"

#include <nlohmann/json.hpp>

#include <numeric>

namespace yardmaster::lab {

namespace {

nlohmann::ordered_json percentiles(const metrics::Histogram& histogram) {
    nlohmann::ordered_json json;
    json["p50"] = histogram.quantileUs(0.5);
    json["p90"] = histogram.quantileUs(0.9);
    json["p99"] = histogram.quantileUs(0.99);
    json["p99.9"] = histogram.quantileUs(0.999);
    json["max"] = histogram.maxUs();
    json["mean"] = histogram.meanUs();
    json["count"] = histogram.count();
    return json;
}

} // namespace

const char* lossName(Loss loss) {
    switch (loss) {
    case Loss::Refused:
        return "refused";
    case Loss::Reset:
        return "reset";
    case Loss::ClosedBeforeResponse:
        return "closed_before_response";
    case Loss::Timeout:
        return "timeout";
    case Loss::ShortBody:
        return "short_body";
    case Loss::WrongBody:
        return "wrong_body";
    case Loss::BadStatus:
        return "bad_status";
    case Loss::ProtocolError:
        return "protocol_error";
    case Loss::Count_:
        break;
    }
    return "";
}

std::uint64_t LoadStats::lost() const {
    return std::accumulate(m_lost.begin(), m_lost.end(), std::uint64_t{0});
}

void LoadStats::advance(std::int64_t nowNs) {
    if (m_point.monotonicNs == 0)
        m_point.monotonicNs = nowNs;
    if (nowNs - m_point.monotonicNs < m_seriesNs)
        return;
    m_point.p50Us = m_window.quantileUs(0.5);
    m_point.p99Us = m_window.quantileUs(0.99);
    m_point.maxUs = m_window.maxUs();
    m_series.push_back(m_point);
    const std::int64_t windows = (nowNs - m_point.monotonicNs) / m_seriesNs;
    m_point = SeriesPoint{.monotonicNs = m_point.monotonicNs + windows * m_seriesNs};
    m_window.clear();
}

void LoadStats::noteAnswered(std::int64_t nowNs, std::uint64_t serviceUs, std::uint64_t correctedUs) {
    advance(nowNs);
    m_service.record(serviceUs);
    m_corrected.record(correctedUs);
    m_window.record(serviceUs);
    ++m_point.answered;
}

void LoadStats::noteLost(std::int64_t nowNs, Loss loss) {
    advance(nowNs);
    ++m_lost[static_cast<std::size_t>(loss)];
    ++m_point.lost;
}

void LoadStats::finish() {
    if (m_point.monotonicNs != 0)
        advance(m_point.monotonicNs + m_seriesNs);
}

std::string LoadStats::toJson(const LoadOptions& options, double seconds) const {
    nlohmann::ordered_json json;
    json["target"] = options.address + ":" + std::to_string(options.port);
    json["loop"] = options.requestsPerSecond > 0 ? "open" : "closed";
    json["rate"] = options.requestsPerSecond;
    json["connections"] = options.connections;
    json["keep_alive"] = options.keepAlive;
    json["method"] = options.method == LoadMethod::Get ? "GET"
        : options.method == LoadMethod::Post           ? "POST"
                                                       : "mix";
    json["seconds"] = seconds;
    json["sent"] = m_sent;
    json["answered"] = answered();
    json["lost"] = lost();
    auto& byKind = json["lost_by_kind"] = nlohmann::ordered_json::object();
    for (std::size_t kind = 0; kind < m_lost.size(); ++kind)
        byKind[lossName(static_cast<Loss>(kind))] = m_lost[kind];
    json["answered_per_second"] = seconds > 0 ? static_cast<double>(answered()) / seconds : 0;
    json["latency_us"] = percentiles(m_service);
    json["latency_us_note"] = "from the first byte sent; not corrected for coordinated omission";
    json["corrected_latency_us"] =
        options.requestsPerSecond > 0 ? percentiles(m_corrected) : nlohmann::ordered_json();
    json["corrected_latency_us_note"] = "from the instant the request was due (open loop only)";
    auto& series = json["series"] = nlohmann::ordered_json::array();
    for (const SeriesPoint& point : m_series)
        series.push_back({{"monotonic_ns", point.monotonicNs}, {"answered", point.answered},
            {"lost", point.lost}, {"p50_us", point.p50Us}, {"p99_us", point.p99Us}, {"max_us", point.maxUs}});
    return json.dump(1);
}

} // namespace yardmaster::lab

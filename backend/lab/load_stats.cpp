// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/load_stats.h"

#include <numeric>

namespace yardmaster::lab {

const char* lossName(Loss loss) {
    switch (loss) {
    case Loss::Refused:
        return "refused";
    case Loss::ConnectFailed:
        return "connect_failed";
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
    case Loss::Abandoned:
        return "abandoned";
    case Loss::Count_:
        break;
    }
    return "";
}

LoadStats::LoadStats(std::int64_t startNs, std::uint32_t seriesMs, bool keepBuckets)
    : m_startNs(startNs)
    , m_seriesNs(static_cast<std::int64_t>(seriesMs) * 1'000'000)
    , m_keepBuckets(keepBuckets) {
    m_point.monotonicNs = startNs;
}

std::uint64_t LoadStats::lost() const {
    return std::accumulate(m_lost.begin(), m_lost.end(), std::uint64_t{0});
}

void LoadStats::advance(std::int64_t nowNs) {
    while (nowNs - m_point.monotonicNs >= m_seriesNs)
        endWindow(m_point.monotonicNs + m_seriesNs);
}

void LoadStats::endWindow(std::int64_t nextNs) {
    if (m_window.count() > 0) {
        m_point.p50Us = m_window.quantileUs(0.5);
        m_point.p99Us = m_window.quantileUs(0.99);
        m_point.maxUs = m_window.maxUs();
        const auto buckets = m_window.buckets();
        for (std::uint32_t index = 0; m_keepBuckets && index < buckets.size(); ++index) {
            if (buckets[index] > 0)
                m_point.buckets.emplace_back(index, static_cast<std::uint32_t>(buckets[index]));
        }
        m_window.clear();
    }
    m_series.push_back(std::move(m_point));
    m_point = SeriesPoint{};
    m_point.monotonicNs = nextNs;
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

void LoadStats::finish(std::int64_t nowNs) {
    advance(nowNs);
    if (m_point.answered + m_point.lost > 0)
        endWindow(nowNs);
}

} // namespace yardmaster::lab

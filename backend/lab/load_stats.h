// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/metrics/histogram.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace yardmaster::lab {

/// How a request was lost. Never merged, never retried.
enum class Loss : std::uint8_t {
    Refused, ///< nobody listens
    ConnectFailed, ///< no connection for another reason: no port or descriptor left, no route
    Reset, ///< the connection broke before a complete response
    ClosedBeforeResponse, ///< closed in order, without a byte of the response
    Timeout,
    ShortBody, ///< closed in order in the middle of the response
    WrongBody, ///< complete, but not the bytes asked for
    BadStatus, ///< not 2xx
    ProtocolError, ///< no HTTP, or bytes behind the response that nobody asked for
    Abandoned, ///< still open when the run was cut short
    Count_
};
inline constexpr std::size_t lossKinds = static_cast<std::size_t>(Loss::Count_);
[[nodiscard]] const char* lossName(Loss loss); ///< "closed_before_response"

/// One window of a run. A window without an answer is there too, with zeros.
struct SeriesPoint {
    std::int64_t monotonicNs = 0; ///< its begin
    std::uint64_t answered = 0, lost = 0;
    std::uint64_t p50Us = 0, p99Us = 0, maxUs = 0; ///< service time of those answered within
    std::vector<std::pair<std::uint32_t, std::uint32_t>> buckets; ///< HistogramLayout index, count; if asked
};

/// What a load run counted: sent() = answered() + lost() once nothing is in flight. Service time runs from
/// the instant a request was begun (with connecting, where that was needed); corrected time from the instant
/// it was due in an open loop, so that a stall is charged to all requests it delayed (no coordinated
/// omission).
class LoadStats {
public:
    /// Windows begin at `startNs`.
    LoadStats(std::int64_t startNs, std::uint32_t seriesMs, bool keepBuckets);

    void noteSent() { ++m_sent; }
    void noteConnected() { ++m_connectionsOpened; }
    void noteIdleClosed() { ++m_idleClosed; }
    void noteAnswered(std::int64_t nowNs, std::uint64_t serviceUs, std::uint64_t correctedUs);
    void noteLost(std::int64_t nowNs, Loss loss);
    /// The open loop could not begin these before the run ended.
    void noteNotSent(std::uint64_t count) { m_notSent = count; }
    void finish(std::int64_t nowNs); ///< ends the last window

    [[nodiscard]] std::uint64_t sent() const { return m_sent; }
    [[nodiscard]] std::uint64_t answered() const { return m_service.count(); }
    [[nodiscard]] std::uint64_t lost() const;
    [[nodiscard]] std::uint64_t lost(Loss loss) const { return m_lost[static_cast<std::size_t>(loss)]; }
    [[nodiscard]] std::uint64_t notSent() const { return m_notSent; }
    [[nodiscard]] std::uint64_t connectionsOpened() const { return m_connectionsOpened; }
    [[nodiscard]] std::uint64_t idleClosed() const { return m_idleClosed; } ///< by the server; no loss
    [[nodiscard]] const metrics::Histogram& service() const { return m_service; }
    [[nodiscard]] const metrics::Histogram& corrected() const { return m_corrected; }
    [[nodiscard]] const std::vector<SeriesPoint>& series() const { return m_series; }
    [[nodiscard]] std::int64_t startNs() const { return m_startNs; }

private:
    void advance(std::int64_t nowNs);
    void endWindow(std::int64_t nextNs);

    std::int64_t m_startNs;
    std::int64_t m_seriesNs;
    bool m_keepBuckets;
    std::uint64_t m_sent = 0, m_notSent = 0, m_connectionsOpened = 0, m_idleClosed = 0;
    std::array<std::uint64_t, lossKinds> m_lost{};
    metrics::Histogram m_service, m_corrected, m_window;
    SeriesPoint m_point;
    std::vector<SeriesPoint> m_series;
};

} // namespace yardmaster::lab

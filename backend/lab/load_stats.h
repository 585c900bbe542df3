// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/lab/load_options.h"
#include "backend/metrics/histogram.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace yardmaster::lab {

/// How a request was lost. Never merged, never retried.
enum class Loss : std::uint8_t {
    Refused, ///< connect failed
    Reset, ///< the connection broke before a complete response
    ClosedBeforeResponse, ///< closed without a byte of the response
    Timeout,
    ShortBody, ///< closed in the middle of the response
    WrongBody,
    BadStatus, ///< not 2xx
    ProtocolError,
    Count_
};
[[nodiscard]] const char* lossName(Loss loss); ///< "closed_before_response"

struct SeriesPoint {
    std::int64_t monotonicNs = 0; ///< begin of the window
    std::uint64_t answered = 0, lost = 0;
    std::uint64_t p50Us = 0, p99Us = 0, maxUs = 0; ///< service time
};

/// What a load run counted. Service time runs from the first byte sent; corrected time from the instant the
/// request was due in an open loop, so that a stall is charged to all requests it delayed (no coordinated
/// omission).
class LoadStats {
public:
    explicit LoadStats(std::uint32_t seriesMs)
        : m_seriesNs(static_cast<std::int64_t>(seriesMs) * 1'000'000) { }

    void noteSent() { ++m_sent; }
    void noteAnswered(std::int64_t nowNs, std::uint64_t serviceUs, std::uint64_t correctedUs);
    void noteLost(std::int64_t nowNs, Loss loss);
    void finish();

    [[nodiscard]] std::uint64_t sent() const { return m_sent; }
    [[nodiscard]] std::uint64_t answered() const { return m_service.count(); }
    [[nodiscard]] std::uint64_t lost() const;
    [[nodiscard]] std::uint64_t lost(Loss loss) const { return m_lost[static_cast<std::size_t>(loss)]; }

    [[nodiscard]] std::string toJson(const LoadOptions& options, double seconds) const;

private:
    void advance(std::int64_t nowNs);

    std::int64_t m_seriesNs;
    std::uint64_t m_sent = 0;
    std::array<std::uint64_t, static_cast<std::size_t>(Loss::Count_)> m_lost{};
    metrics::Histogram m_service, m_corrected, m_window;
    SeriesPoint m_point;
    std::vector<SeriesPoint> m_series;
};

} // namespace yardmaster::lab

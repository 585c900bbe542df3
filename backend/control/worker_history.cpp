// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/worker_history.h"

#include <algorithm>

namespace yardmaster::control {

namespace {
constexpr std::int64_t secondNs = 1'000'000'000;
constexpr std::int64_t windowNs = 10 * secondNs;
constexpr std::int64_t shortestRateNs = secondNs / 4; ///< below, one request more or less is all of the rate
constexpr std::int64_t idleNs = 2 * secondNs;
} // namespace

void WorkerHistory::add(const WorkerReading& reading) {
    if (!m_readings.empty()) {
        const WorkerReading& last = m_readings.back();
        if (reading.requests < last.requests || reading.errors < last.errors || reading.atNs <= last.atNs)
            m_readings.clear();
    }
    m_readings.push_back(reading);
    if (reading.cpuNs)
        addCpu(reading.atNs, *reading.cpuNs);
    // The newest of those at least a second old is where the rate starts.
    while (m_readings.size() > 2 && m_readings[1].atNs <= reading.atNs - secondNs)
        m_readings.pop_front();
    while (!m_seconds.empty() && m_seconds.front().startNs <= reading.atNs - windowNs)
        m_seconds.pop_front();
}

void WorkerHistory::addCpu(std::int64_t atNs, std::uint64_t cpuNs) {
    if (!m_cpuFrom || cpuNs < m_cpuFrom->second) {
        m_cpuFrom = {atNs, cpuNs};
        m_cpuPercent.reset();
        return;
    }
    const std::int64_t spanNs = atNs - m_cpuFrom->first;
    if (cpuNs == m_cpuFrom->second) {
        if (spanNs < idleNs)
            return;
        // Two tellings without a tick: it idles. The next one is measured over one second at least.
        m_cpuPercent = 0.0;
        m_cpuFrom->first = atNs - secondNs;
        return;
    }
    if (spanNs < shortestRateNs)
        return;
    m_cpuPercent = 100.0 * static_cast<double>(cpuNs - m_cpuFrom->second) / static_cast<double>(spanNs);
    m_cpuFrom = {atNs, cpuNs};
}

void WorkerHistory::addLatency(std::int64_t atNs, const metrics::Histogram& histogram) {
    if (m_seconds.empty() || m_seconds.back().startNs <= atNs - secondNs)
        m_seconds.push_back({atNs, {}});
    m_seconds.back().histogram.merge(histogram);
}

void WorkerHistory::fill(WorkerInfo& info) const {
    if (m_readings.size() >= 2) {
        const WorkerReading& from = m_readings.front();
        const WorkerReading& to = m_readings.back();
        const std::int64_t spanNs = to.atNs - from.atNs;
        if (spanNs >= shortestRateNs) {
            const auto requests = static_cast<double>(to.requests - from.requests);
            const auto span = static_cast<double>(spanNs);
            info.requestsPerSecond = requests * static_cast<double>(secondNs) / span;
            if (requests > 0)
                info.errorPercent =
                    std::min(100.0, 100.0 * static_cast<double>(to.errors - from.errors) / requests);
        }
    }
    info.cpuPercent = m_cpuPercent;
    if (m_seconds.empty())
        return;
    metrics::Histogram window;
    for (const Second& second : m_seconds)
        window.merge(second.histogram);
    if (window.count() == 0)
        return;
    info.p50Us = static_cast<double>(window.quantileUs(0.5));
    info.p99Us = static_cast<double>(window.quantileUs(0.99));
}

} // namespace yardmaster::control

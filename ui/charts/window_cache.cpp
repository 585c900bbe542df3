// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/window_cache.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace yardmaster::ui {

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr double wantedWindows = 180;
// MetricsHistory keeps seconds for an hour, then minutes.
constexpr std::int64_t secondTierNs = 3600 * second;
// How late a sample may arrive and still count for its window.
constexpr std::int64_t settlingNs = 2 * second;

LatencySummary summarise(const models::LatencyWindow& window) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    LatencySummary result;
    result.span = window.span;
    result.isGap = window.isGap;
    result.errors = window.errors;
    result.latency = window.latency;
    result.count = window.latency ? window.latency->count() : 0;
    if (result.count == 0) {
        result.p50 = result.p90 = result.p99 = result.p999 = result.max = unknown;
        return result;
    }
    const auto quantile = [&window](double q) { return static_cast<double>(window.latency->quantileUs(q)); };
    result.p50 = quantile(0.5);
    result.p90 = quantile(0.9);
    result.p99 = quantile(0.99);
    result.p999 = quantile(0.999);
    result.max = static_cast<double>(window.latency->maxUs());
    return result;
}

std::int64_t floorTo(std::int64_t value, std::int64_t step) {
    const std::int64_t remainder = value % step;
    return value - (remainder < 0 ? remainder + step : remainder);
}

} // namespace

std::int64_t windowLengthNs(models::TimeSpan span, std::optional<models::TimeSpan> recorded) {
    static constexpr std::array<int, 14> steps{
        1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200};
    const double wanted = static_cast<double>(span.toNs - span.fromNs) / wantedWindows / second;
    const auto found =
        std::find_if(steps.begin(), steps.end(), [wanted](int step) { return step >= wanted; });
    std::int64_t result = (found == steps.end() ? steps.back() : *found) * second;
    if (recorded) {
        const std::int64_t age = recorded->toNs - span.fromNs;
        // A margin, because the end of a live range is a little behind.
        if (age > secondTierNs + 10 * second)
            result = std::max(result, 60 * second);
    }
    return result;
}

QString windowText(std::int64_t windowNs) {
    const std::int64_t seconds = windowNs / second;
    if (seconds >= 3600 && seconds % 3600 == 0)
        return QCoreApplication::translate("WindowCache", "%1 h").arg(seconds / 3600);
    if (seconds >= 60 && seconds % 60 == 0)
        return QCoreApplication::translate("WindowCache", "%1 min").arg(seconds / 60);
    return QCoreApplication::translate("WindowCache", "%1 s").arg(seconds);
}

WindowCache::WindowCache(const models::MetricsHistory& history)
    : m_history(history) { }

const std::vector<LatencySummary>& WindowCache::windows(
    models::TimeSpan span, std::int64_t windowNs, std::optional<std::uint32_t> slot) {
    const auto recorded = m_history.recorded();
    if (!recorded || span.toNs <= span.fromNs) {
        m_windows.clear();
        m_settledToNs = 0;
        return m_windows;
    }
    if (windowNs != m_windowNs || slot != m_slot) {
        m_windows.clear();
        m_settledToNs = 0;
        m_windowNs = windowNs;
        m_slot = slot;
    }
    // Whole windows only: the count of half a window is wrong, and the history may have it no more.
    const std::int64_t from = -floorTo(-std::max(span.fromNs, recorded->fromNs), windowNs);
    const std::int64_t to = std::min(floorTo(span.toNs, windowNs), floorTo(recorded->toNs, windowNs));
    if (to <= from) {
        m_windows.clear();
        m_settledToNs = 0;
        return m_windows;
    }

    const auto begins = [](const LatencySummary& window, std::int64_t at) { return window.span.fromNs < at; };
    const bool overlaps = !m_windows.empty() && m_windows.front().span.fromNs <= from
        && std::min(m_settledToNs, m_windows.back().span.toNs) >= from;
    if (!overlaps) {
        m_windows.clear();
        m_settledToNs = from;
    }
    // Cut what left the range and what was not settled when it was taken.
    m_windows.erase(m_windows.begin(), std::lower_bound(m_windows.begin(), m_windows.end(), from, begins));
    const std::int64_t known = std::min(m_settledToNs, to);
    m_windows.erase(std::lower_bound(m_windows.begin(), m_windows.end(), known, begins), m_windows.end());

    const std::int64_t missingFrom = m_windows.empty() ? from : m_windows.back().span.toNs;
    if (missingFrom < to) {
        ++m_queries;
        for (const models::LatencyWindow& window : m_history.windows({missingFrom, to}, windowNs, slot)) {
            if (window.span.fromNs >= missingFrom && window.span.toNs <= to)
                m_windows.push_back(summarise(window));
        }
    }
    m_settledToNs = std::min(to, floorTo(recorded->toNs - settlingNs, windowNs));
    return m_windows;
}

const LatencySummary* WindowCache::at(std::int64_t atNs) const {
    const auto after = std::upper_bound(m_windows.begin(), m_windows.end(), atNs,
        [](std::int64_t at, const LatencySummary& window) { return at < window.span.fromNs; });
    if (after == m_windows.begin())
        return nullptr;
    const LatencySummary& found = *std::prev(after);
    return atNs < found.span.toNs ? &found : nullptr;
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/metrics/histogram.h"

#include <algorithm>
#include <cmath>

namespace yardmaster::metrics {

Histogram::Histogram()
    : m_buckets(HistogramLayout::bucketCount) { }

void Histogram::record(std::uint64_t valueUs, std::uint64_t count) {
    if (count == 0)
        return;
    m_buckets[HistogramLayout::indexOf(valueUs)] += count;
    m_count += count;
    m_sumUs += valueUs * count;
    m_maxUs = std::max(m_maxUs, valueUs);
}

void Histogram::addBucket(std::uint32_t index, std::uint64_t count) {
    if (count == 0)
        return;
    index = std::min(index, HistogramLayout::bucketCount - 1);
    m_buckets[index] += count;
    m_count += count;
}

void Histogram::noteMax(std::uint64_t valueUs) {
    m_maxUs = std::max(m_maxUs, valueUs);
}

void Histogram::merge(const Histogram& other) {
    for (std::size_t index = 0; index < m_buckets.size(); ++index)
        m_buckets[index] += other.m_buckets[index];
    m_count += other.m_count;
    m_sumUs += other.m_sumUs;
    m_maxUs = std::max(m_maxUs, other.m_maxUs);
}

void Histogram::clear() {
    std::fill(m_buckets.begin(), m_buckets.end(), 0);
    m_count = m_maxUs = m_sumUs = 0;
}

double Histogram::meanUs() const {
    return m_count == 0 ? 0 : static_cast<double>(m_sumUs) / static_cast<double>(m_count);
}

double Histogram::stdDeviationUs() const {
    if (m_count == 0)
        return 0;
    const double mean = meanUs();
    double squares = 0;
    for (std::uint32_t index = 0; index < HistogramLayout::bucketCount; ++index) {
        if (m_buckets[index] == 0)
            continue;
        const double distance = static_cast<double>(HistogramLayout::middleUs(index)) - mean;
        squares += distance * distance * static_cast<double>(m_buckets[index]);
    }
    return std::sqrt(squares / static_cast<double>(m_count));
}

std::uint64_t Histogram::quantileUs(double quantile) const {
    if (m_count == 0)
        return 0;
    const double exact = std::clamp(quantile, 0.0, 1.0) * static_cast<double>(m_count);
    // Half a part in a million of slack, so that 0.99 * 100 asks for rank 99 and not, by rounding, for rank
    // 100.
    const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(exact - 0.5e-6)));
    std::uint64_t seen = 0;
    for (std::uint32_t index = 0; index < HistogramLayout::bucketCount; ++index) {
        seen += m_buckets[index];
        if (seen < rank)
            continue;
        // The last bucket has no upper end: what falls there is known by the maximum alone.
        if (index == HistogramLayout::bucketCount - 1 && m_maxUs > 0)
            return m_maxUs;
        const std::uint64_t highest = HistogramLayout::nextUs(index) - 1;
        return m_maxUs > 0 ? std::min(highest, m_maxUs) : highest;
    }
    return m_maxUs;
}

} // namespace yardmaster::metrics

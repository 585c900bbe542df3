// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/histogram_window.h"

#include <algorithm>

namespace yardmaster::agent {

namespace {

std::uint64_t load(const std::atomic<std::uint64_t>& cell) {
    return cell.load(std::memory_order_relaxed);
}

} // namespace

bool HistogramWindow::take(const metrics::MetricsBlock& block, proto::SparseHistogram& into) {
    const std::uint64_t sumUs = load(block.latencySumUs);
    const std::uint64_t answered =
        block.get(metrics::Counter::ResponsesOk) + block.get(metrics::Counter::Responses5xx);
    if (!m_buckets.empty() && sumUs == m_sumUs && answered == m_answered)
        return false;
    if (m_buckets.empty())
        m_buckets.resize(metrics::HistogramLayout::bucketCount);
    std::uint64_t highestUs = 0;
    for (std::uint32_t index = 0; index < metrics::HistogramLayout::bucketCount; ++index) {
        const std::uint64_t count = load(block.buckets[index]);
        if (count <= m_buckets[index])
            continue;
        into.add_index(index);
        into.add_count(count - m_buckets[index]);
        highestUs = metrics::HistogramLayout::nextUs(index) - 1;
        m_buckets[index] = count;
    }
    const std::uint64_t maxUs = load(block.latencyMaxUs);
    // A new maximum since the start is this window's, exactly; otherwise the bucket's end bounds it.
    into.set_max_us(maxUs > m_maxUs ? maxUs : std::min(highestUs, maxUs));
    into.set_sum_us(sumUs - std::min(sumUs, m_sumUs));
    m_sumUs = sumUs;
    m_maxUs = maxUs;
    m_answered = answered;
    return into.index_size() > 0;
}

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/history_tier.h"

#include <algorithm>

namespace yardmaster::models {

void SparseHistogram::add(std::uint32_t index, std::uint64_t count) {
    const auto at = std::lower_bound(m_buckets.begin(), m_buckets.end(), index,
        [](const auto& bucket, std::uint32_t wanted) { return bucket.first < wanted; });
    if (at != m_buckets.end() && at->first == index)
        at->second += count;
    else
        m_buckets.insert(at, {index, count});
}

void SparseHistogram::merge(const metrics::Histogram& histogram) {
    const auto buckets = histogram.buckets();
    for (std::uint32_t index = 0; index < buckets.size(); ++index) {
        if (buckets[index] > 0)
            add(index, buckets[index]);
    }
    m_maxUs = std::max(m_maxUs, histogram.maxUs());
    m_sumUs += histogram.sumUs();
}

void SparseHistogram::merge(const SparseHistogram& other) {
    for (const auto& [index, count] : other.m_buckets)
        add(index, count);
    m_maxUs = std::max(m_maxUs, other.m_maxUs);
    m_sumUs += other.m_sumUs;
}

void SparseHistogram::addTo(metrics::Histogram& histogram) const {
    for (const auto& [index, count] : m_buckets)
        histogram.addBucket(index, count);
    histogram.noteMax(m_maxUs);
    histogram.noteSum(m_sumUs);
}

void HistoryPiece::merge(const HistoryPiece& other) {
    span.fromNs = std::min(span.fromNs, other.span.fromNs);
    span.toNs = std::max(span.toNs, other.span.toNs);
    for (const HistoryCell& cell : other.cells) {
        const auto known = std::find_if(
            cells.begin(), cells.end(), [&](const auto& mine) { return mine.workerId == cell.workerId; });
        if (known == cells.end()) {
            cells.push_back(cell);
            continue;
        }
        known->requests += cell.requests;
        known->errors += cell.errors;
        known->latency.merge(cell.latency);
    }
}

void HistoryTier::append(const HistoryPiece& piece) {
    // A piece ends at a multiple of its length, so that windows of a chart fall together with pieces.
    const bool joins = !m_pieces.empty() && m_pieceNs > 0
        && (piece.span.toNs - 1) / m_pieceNs == (m_pieces.back().span.toNs - 1) / m_pieceNs;
    if (joins)
        m_pieces.back().merge(piece);
    else
        m_pieces.push_back(piece);
    while (!m_pieces.empty() && m_pieces.front().span.toNs < piece.span.toNs - m_keepNs)
        m_pieces.pop_front();
}

} // namespace yardmaster::models

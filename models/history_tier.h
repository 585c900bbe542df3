// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/metrics_history.h"

#include <QString>

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace yardmaster::models {

/// A histogram as pairs of bucket and count: a window of one worker fills a few dozen of 2,688 buckets.
class SparseHistogram {
public:
    void merge(const metrics::Histogram& histogram);
    void merge(const SparseHistogram& other);
    void addTo(metrics::Histogram& histogram) const;
    [[nodiscard]] bool isEmpty() const { return m_buckets.empty(); }

private:
    void add(std::uint32_t index, std::uint64_t count);

    std::vector<std::pair<std::uint32_t, std::uint64_t>> m_buckets; ///< by index
    std::uint64_t m_maxUs = 0, m_sumUs = 0;
};

/// What one worker did in one piece of time.
struct HistoryCell {
    std::uint32_t workerId = 0, slot = 0;
    QString version;
    std::uint64_t requests = 0, errors = 0;
    SparseHistogram latency;
};

struct HistoryPiece {
    TimeSpan span;
    std::vector<HistoryCell> cells;

    void merge(const HistoryPiece& other);
};

/// Pieces of at least `pieceNs` each, for `keepNs`. Time nobody recorded has no piece.
class HistoryTier {
public:
    HistoryTier(std::int64_t pieceNs, std::int64_t keepNs)
        : m_pieceNs(pieceNs)
        , m_keepNs(keepNs) { }

    void append(const HistoryPiece& piece);
    [[nodiscard]] const std::deque<HistoryPiece>& pieces() const { return m_pieces; }
    [[nodiscard]] std::int64_t pieceNs() const { return m_pieceNs; }
    [[nodiscard]] bool reachesBackTo(std::int64_t atNs) const {
        return !m_pieces.empty() && m_pieces.front().span.fromNs <= atNs;
    }

private:
    std::int64_t m_pieceNs;
    std::int64_t m_keepNs;
    std::deque<HistoryPiece> m_pieces;
};

} // namespace yardmaster::models

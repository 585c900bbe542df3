// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/metrics/metrics_page.h"
#include "backend/protocol/command.pb.h"

#include <cstdint>
#include <vector>

namespace yardmaster::agent {

/// What was added to a block's histogram since the last look at it. A block that did not move costs a
/// comparison of two numbers.
class HistogramWindow {
public:
    /// Fills `into` with the difference and remembers; false when nothing was recorded since.
    bool take(const metrics::MetricsBlock& block, proto::SparseHistogram& into);

private:
    std::vector<std::uint64_t> m_buckets;
    std::uint64_t m_sumUs = 0;
    std::uint64_t m_maxUs = 0;
    std::uint64_t m_answered = 0;
};

} // namespace yardmaster::agent

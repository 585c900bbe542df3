// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/metrics/histogram.h"

#include <string>
#include <string_view>

namespace yardmaster::metrics {

/// HdrHistogram's percentile text (".hgrm"), five ticks per half distance, values in microseconds.
[[nodiscard]] std::string toHgrm(const Histogram& histogram);

/// What a reader finds in such a text: enough to check a written file.
struct HgrmSummary {
    std::uint64_t totalCount = 0;
    double maxUs = 0;
    double meanUs = 0;
    std::size_t rows = 0;
};
[[nodiscard]] Expected<HgrmSummary> readHgrm(std::string_view text);

} // namespace yardmaster::metrics

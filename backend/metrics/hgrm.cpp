// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/metrics/hgrm.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace yardmaster::metrics {

namespace {

constexpr int ticksPerHalfDistance = 5;
constexpr std::string_view head = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n";

__attribute__((format(printf, 2, 3))) void appendFormatted(std::string& out, const char* format, ...) {
    std::array<char, 160> line{};
    std::va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(line.data(), line.size(), format, arguments);
    va_end(arguments);
    out.append(
        line.data(), static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(line.size()) - 1)));
}

/// The number after `key`, wherever it stands in the text.
bool readNumberAfter(std::string_view text, std::string_view key, double& value) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos)
        return false;
    std::string_view rest = text.substr(at + key.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" ="), rest.size()));
    return std::from_chars(rest.data(), rest.data() + rest.size(), value).ec == std::errc{};
}

} // namespace

std::string toHgrm(const Histogram& histogram) {
    std::string out(head);
    const auto total = static_cast<double>(histogram.count());
    const auto buckets = histogram.buckets();

    // HdrHistogram's iteration: a row at each percentile tick, ticks twice as dense with each halving of what
    // is left; where all counts are reached, the tick looked for and then the row of 100 %.
    double tickPercent = 0; // steps of 20 / 2^n %: exact in percent, where fractions of 1 would drift
    std::uint64_t seen = 0;
    for (std::uint32_t index = 0; seen < histogram.count() && index < buckets.size(); ++index) {
        if (buckets[index] == 0)
            continue;
        seen += buckets[index];
        const double reachedPercent = 100.0 * static_cast<double>(seen) / total;
        const auto valueUs = static_cast<double>(
            seen < histogram.count() ? HistogramLayout::nextUs(index) - 1 : histogram.quantileUs(1));
        while (tickPercent <= reachedPercent) {
            appendFormatted(out, "%12.3f %2.12f %10llu %14.2f\n", valueUs, tickPercent / 100,
                static_cast<unsigned long long>(seen), 1.0 / (1.0 - tickPercent / 100));
            const double halvings = std::floor(std::log2(100.0 / (100.0 - tickPercent))) + 1;
            tickPercent += 100.0 / (ticksPerHalfDistance * std::pow(2.0, halvings));
            if (seen == histogram.count())
                break;
        }
    }
    if (histogram.count() > 0)
        appendFormatted(out, "%12.3f %2.12f %10llu\n", static_cast<double>(histogram.quantileUs(1)), 1.0,
            static_cast<unsigned long long>(histogram.count()));
    appendFormatted(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", histogram.meanUs(),
        histogram.stdDeviationUs());
    appendFormatted(out, "#[Max     = %12.3f, Total count    = %12llu]\n",
        static_cast<double>(histogram.quantileUs(1)), static_cast<unsigned long long>(histogram.count()));
    appendFormatted(out, "#[Buckets = %12u, SubBuckets     = %12u]\n", HistogramLayout::maxExponent - 7,
        2 * HistogramLayout::subBucketHalf);
    return out;
}

Expected<HgrmSummary> readHgrm(std::string_view text) {
    if (text.substr(0, head.size()) != head)
        return failure(
            Error::Code::DataLoss, "not a percentile distribution: the head line is missing", ".hgrm line 1");
    HgrmSummary summary;
    double total = 0;
    if (!readNumberAfter(text, "Total count", total) || !readNumberAfter(text, "#[Max", summary.maxUs)
        || !readNumberAfter(text, "#[Mean", summary.meanUs))
        return failure(Error::Code::DataLoss, "the footer is missing or cut", ".hgrm footer");
    summary.totalCount = static_cast<std::uint64_t>(total);

    std::string_view rest = text.substr(head.size());
    double lastValue = -1, lastPercentile = -1;
    unsigned long long lastCount = 0;
    while (!rest.empty() && rest.front() != '#') {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string line(rest.substr(0, end));
        double value = 0, percentile = 0, inverse = 0;
        unsigned long long count = 0;
        const int columns =
            std::sscanf(line.c_str(), "%lf %lf %llu %lf", &value, &percentile, &count, &inverse);
        if (columns < 3 || value < lastValue || percentile < lastPercentile || count < lastCount
            || (columns == 3) != (percentile == 1.0))
            return failure(Error::Code::DataLoss, "bad row \"" + line + "\"",
                ".hgrm row " + std::to_string(summary.rows + 1));
        lastCount = count;
        lastValue = value;
        lastPercentile = percentile;
        ++summary.rows;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    // The last row and the footer say the same thing twice; a file cut and glued differs.
    if (lastCount != summary.totalCount || (summary.rows > 0 && lastPercentile != 1.0))
        return failure(Error::Code::DataLoss, "the rows do not add up to the total count", ".hgrm");
    return summary;
}

} // namespace yardmaster::metrics

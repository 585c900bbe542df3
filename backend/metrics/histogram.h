// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace yardmaster::metrics {

/// Where a latency falls: HdrHistogram's layout with unit 1 us and two significant digits. Values below 256
/// us have a bucket each; above, 128 buckets per power of two, so the error is at most 1/128 (0.8 %). The
/// highest trackable value is 2^27 us (134 s); higher ones count in the last bucket (the exact maximum is
/// kept beside the buckets).
struct HistogramLayout {
    static constexpr std::uint32_t subBucketHalf = 128;
    static constexpr std::uint32_t maxExponent = 27;
    static constexpr std::uint32_t bucketCount = subBucketHalf * (maxExponent - 7 + 1); // 2688

    [[nodiscard]] static constexpr std::uint32_t indexOf(std::uint64_t valueUs) noexcept {
        if (valueUs < 2 * subBucketHalf)
            return static_cast<std::uint32_t>(valueUs);
        const auto shift = static_cast<std::uint32_t>(std::bit_width(valueUs)) - 8;
        const auto index = (shift << 7) + static_cast<std::uint32_t>(valueUs >> shift);
        return index < bucketCount ? index : bucketCount - 1;
    }
    /// Smallest value of a bucket, and the smallest of the next one.
    [[nodiscard]] static constexpr std::uint64_t lowestUs(std::uint32_t index) noexcept {
        if (index < 2 * subBucketHalf)
            return index;
        const std::uint32_t shift = (index >> 7) - 1;
        return static_cast<std::uint64_t>((index & 127) + 128) << shift;
    }
    [[nodiscard]] static constexpr std::uint64_t nextUs(std::uint32_t index) noexcept {
        return lowestUs(index + 1);
    }
    /// The value a bucket stands for: its middle, as HdrHistogram's median equivalent.
    [[nodiscard]] static constexpr std::uint64_t middleUs(std::uint32_t index) noexcept {
        return lowestUs(index) + (nextUs(index) - lowestUs(index)) / 2;
    }
};

/// Counts of latencies in microseconds, mergeable. Percentiles are the highest value equivalent to the bucket
/// in which the rank falls (as HdrHistogram), the maximum is exact.
class Histogram {
public:
    Histogram();

    void record(std::uint64_t valueUs, std::uint64_t count = 1);
    void addBucket(std::uint32_t index,
        std::uint64_t count); ///< count only: maximum and sum come by noteMax and noteSum
    void noteMax(std::uint64_t valueUs);
    void noteSum(std::uint64_t sumUs) { m_sumUs += sumUs; }
    void merge(const Histogram& other);
    void clear();

    [[nodiscard]] std::uint64_t count() const { return m_count; }
    [[nodiscard]] std::uint64_t maxUs() const { return m_maxUs; }
    [[nodiscard]] std::uint64_t sumUs() const { return m_sumUs; }
    [[nodiscard]] double meanUs() const;
    [[nodiscard]] double stdDeviationUs() const;
    /// 0 <= quantile <= 1; 0 when empty.
    [[nodiscard]] std::uint64_t quantileUs(double quantile) const;
    [[nodiscard]] std::span<const std::uint64_t> buckets() const { return m_buckets; }

    bool operator==(const Histogram&) const = default;

private:
    std::vector<std::uint64_t> m_buckets; ///< HistogramLayout::bucketCount
    std::uint64_t m_count = 0;
    std::uint64_t m_maxUs = 0;
    std::uint64_t m_sumUs = 0;
};

} // namespace yardmaster::metrics

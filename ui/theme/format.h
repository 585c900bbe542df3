// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <optional>

/// The one place that turns numbers into texts with units. Unknown is "–", never 0.
namespace yardmaster::ui::format {

[[nodiscard]] QString number(double value, int decimals = 0); ///< grouped by locale: 2,480
[[nodiscard]] QString latency(std::optional<double> us); ///< three figures: 850 µs, 1.85 ms, 13.3 ms, 2.10 s
[[nodiscard]] QString latencyMs(
    std::optional<double> us); ///< the number of ms alone, for a column headed "ms"
[[nodiscard]] QString duration(std::optional<double> seconds); ///< 5.1 ms, 39 s, 5 min 18 s, 6 d 04 h
[[nodiscard]] QString rate(std::optional<double> perSecond); ///< 2,480 (the unit is in the head)
[[nodiscard]] QString percent(std::optional<double> percent); ///< 0.02, "<0.01" when not zero
[[nodiscard]] QString mebibytes(std::optional<double> bytes); ///< 38.2
[[nodiscard]] QString change(std::optional<double> percent); ///< "+1.2 %", "−4.0 %" with a true minus
[[nodiscard]] QString clock(std::int64_t unixNs); ///< 14:31:52 local
[[nodiscard]] QString clockMs(std::int64_t unixNs); ///< 14:31:52.002
/// "1 worker", "8 workers"; `many` has %1 for the number, grouped by locale.
[[nodiscard]] QString counted(std::int64_t count, const QString& one, const QString& many);
[[nodiscard]] inline QString unknown() {
    return QStringLiteral("–");
}

} // namespace yardmaster::ui::format

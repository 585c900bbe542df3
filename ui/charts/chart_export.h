// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "models/metrics_history.h"

#include <QByteArray>
#include <QString>

#include <array>
#include <functional>

namespace yardmaster::ui {

class ChartView;

enum class ExportFormat { Png1x, Png2x, Svg, Pdf, Csv, Json, Hgrm };
inline constexpr std::array allExportFormats{ExportFormat::Png1x, ExportFormat::Png2x, ExportFormat::Svg,
    ExportFormat::Pdf, ExportFormat::Csv, ExportFormat::Json, ExportFormat::Hgrm};

enum class ExportTheme { Screen, LightForPrint };
enum class ExportSpan { Visible, All };

struct ExportRequest {
    ExportFormat format = ExportFormat::Png2x;
    ExportTheme theme = ExportTheme::Screen;
    ExportSpan span = ExportSpan::Visible;
    QString path; ///< a file; replaced whole or not at all
};

[[nodiscard]] QString formatName(ExportFormat format); ///< "PNG, 2×"
[[nodiscard]] QString formatSuffix(ExportFormat format); ///< "png", without the dot
[[nodiscard]] bool isPicture(ExportFormat format);
/// Why this chart cannot be written in that format; empty when it can.
[[nodiscard]] QString unavailableReason(const ChartView& chart, ExportFormat format);
/// "edge-fra-1_latency_percentiles_2026-01-31T142830Z.svg"; for .hgrm with the unit in the name.
[[nodiscard]] QString suggestedFileName(const ChartView& chart, ExportFormat format, ExportSpan span);

/// An export with everything in it that needs the chart; encoding and writing may happen on any thread.
struct PreparedExport {
    QString path;
    std::function<Expected<QByteArray>()> encode;
};
[[nodiscard]] Expected<PreparedExport> prepareExport(const ChartView& chart, const ExportRequest& request);
/// Returns the bytes written. Goes through a temporary file: on failure what was there before stays.
[[nodiscard]] Expected<qint64> writeExport(const PreparedExport& prepared);

/// Both, on this thread.
[[nodiscard]] Expected<void> exportChart(const ChartView& chart, const ExportRequest& request);

} // namespace yardmaster::ui

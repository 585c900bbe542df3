// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QSize>

#include <functional>

class QCPAxis;
class QCPAxisRect;
class QCPPainter;
class QCustomPlot;
class QPainter;
class QWidget;

/// QCustomPlot in our hand: settings that keep it fast, the theme, axes with labels as operators say them,
/// and painting of our own on its layers. Inside ui/charts only; files that include the library are .cpp.
namespace yardmaster::ui {

/// No interactions, no legend, fast lines, antialiased plottables only; filled with the parent's layout.
[[nodiscard]] QCustomPlot* makePlot(QWidget* parent);
/// After a move to a screen of another density.
void followScreen(QCustomPlot& plot);
/// For exports. The library's own export calls turn the fast lines off, which then block for seconds.
void paintPlot(QCustomPlot& plot, QCPPainter& painter, QSize size);
void themePlot(QCustomPlot& plot, const Theme& theme);

/// Labels of local time at round times: 14:30, or 14:30:20 when the range is short. Keys are Unix seconds.
void useTimeTicks(QCPAxis& axis);
/// "1 ms", "10 ms", "100 µs"; values in microseconds; decades, or 1-2-5 when there are few of them.
void useLatencyTicks(QCPAxis& axis, bool logarithmic);
/// "1 k" or "1,000" on a logarithmic axis of counts.
void useLogCountTicks(QCPAxis& axis);
/// Few round numbers from 0: 0, 500, 1,000.
void useCountTicks(QCPAxis& axis, int wanted);
[[nodiscard]] QString latencyTickText(double us);
/// The least round number (1, 2, 2.5, 5, 10 × 10^n) that is not less.
[[nodiscard]] double roundUp(double value);

/// Adds a callback to a layer ("background", "main", "decoration", "crosshair"). It may paint anywhere in
/// the widget.
void addPainting(QCustomPlot& plot, const QString& layer, std::function<void(QPainter&)> paint);
/// True when the painter writes shapes (SVG, PDF) rather than pixels.
[[nodiscard]] bool isVector(const QPainter& painter);

/// Keeps axes from jumping: takes a wanted upper bound only when the present one is too low, or more than
/// twice too high.
[[nodiscard]] double steadyBound(double present, double wanted);

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QLineF>
#include <QPolygonF>
#include <QString>
#include <QVector>

#include <optional>
#include <vector>

class QPainter;

/// Drawing that is the same on screen and in vector files, in logical pixels. Nothing here relies on
/// clipping, pattern brushes or gradients: the SVG painter has the first not at all and the others as
/// pictures.
namespace yardmaster::ui {

/// Name and value at the end of a line.
struct EndLabel {
    QString name, value;
    QColor color;
    double at = 0; ///< value on the y axis; in placed labels pixels
    double anchor = 0; ///< where the line ends, in pixels
};

struct ReadoutItem {
    QColor color; ///< invalid: no swatch
    QString name, value;
};

/// Moves positions (sorted ascending) as little as needed to be `gap` apart and inside [low, high].
[[nodiscard]] std::vector<double> pushedApart(
    std::vector<double> positions, double gap, double low, double high);

/// Diagonals from bottom left to top right through a polygon, `spacing` pixels apart, phase fixed to the
/// origin so that neighbours fit.
[[nodiscard]] QVector<QLineF> hatchLines(const QPolygonF& polygon, double spacing);

void drawHatchedBand(QPainter& painter, const QRectF& rect, const Theme& theme);
/// The row of values over a chart; returns its width. What does not fit is left out from the end.
double drawReadout(QPainter& painter, const QRectF& row, const QString& time, const QString& caption,
    const std::vector<ReadoutItem>& items, const Theme& theme);
/// Names with colour squares in a row.
void drawLegend(
    QPainter& painter, const QRectF& row, const std::vector<ReadoutItem>& items, const Theme& theme);
void drawEndLabel(QPainter& painter, double x, const EndLabel& placed, const Theme& theme);
/// A text on one pixel of its surroundings' colour, so that lines below do not run through it.
void drawTextOnPanel(QPainter& painter, const QRectF& rect, Qt::Alignment alignment, const QString& text,
    const QColor& color, const Theme& theme);

[[nodiscard]] QColor withAlpha(QColor color, double alpha);
/// A colour between the six of the theme's heatmap, 0..1.
[[nodiscard]] QColor heatColor(const Theme& theme, double fraction);

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QRectF>
#include <QWidget>

#include <span>
#include <vector>

class QPainter;

namespace yardmaster::ui {

/// A small line over a fill that starts at 0, newest value at the right with a dot. `slots`: how many values
/// the width stands for; fewer values begin later. NaN breaks line and fill.
void drawSparkline(QPainter& painter, const QRectF& rect, std::span<const double> values, int slotCount,
    double maximum, const QColor& line, const QColor& fill);

/// The next number of 1, 2, 2.5, 5 times a power of ten that is not below; 1 for nothing.
[[nodiscard]] double niceCeiling(double value);

/// Sparklines over one time axis as a widget, without numbers.
class Sparkline final : public QWidget {
    Q_OBJECT
public:
    struct Series {
        std::vector<double> values;
        ColorRole line = ColorRole::SeriesP50;
        bool filled = true;
        QString label; ///< at the right above the line
    };

    explicit Sparkline(QWidget* parent = nullptr);
    void setSeries(std::vector<Series> series);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<Series> m_series;
};

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/sparkline.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace yardmaster::ui {

void drawSparkline(QPainter& painter, const QRectF& rect, std::span<const double> values, int slotCount,
    double maximum, const QColor& line, const QColor& fill) {
    if (values.empty() || slotCount < 2 || maximum <= 0)
        return;
    const int first = slotCount - static_cast<int>(values.size());
    const auto at = [&](std::size_t i) {
        const double x = rect.left() + rect.width() * (first + static_cast<double>(i)) / (slotCount - 1);
        return QPointF(x, rect.bottom() - rect.height() * std::clamp(values[i] / maximum, 0.0, 1.0));
    };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t begin = 0; begin < values.size();) {
        if (std::isnan(values[begin])) {
            ++begin;
            continue;
        }
        QPolygonF points;
        std::size_t end = begin;
        for (; end < values.size() && !std::isnan(values[end]); ++end)
            points << at(end);
        if (fill.isValid()) {
            QPolygonF area = points;
            area << QPointF(points.last().x(), rect.bottom()) << QPointF(points.first().x(), rect.bottom());
            painter.setPen(Qt::NoPen);
            painter.setBrush(fill);
            painter.drawPolygon(area);
        }
        painter.setPen(QPen(line, 1.2));
        painter.setBrush(Qt::NoBrush);
        if (points.size() == 1)
            painter.drawPoint(points.first());
        else
            painter.drawPolyline(points);
        if (end == values.size()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(line);
            painter.drawEllipse(points.last(), 2.2, 2.2);
        }
        begin = end;
    }
    painter.restore();
}

double niceCeiling(double value) {
    if (!(value > 0))
        return 1;
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double step : {1.0, 2.0, 2.5, 5.0, 10.0}) {
        if (value <= step * power)
            return step * power;
    }
    return 10 * power;
}

Sparkline::Sparkline(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setMinimumHeight(scaled(28));
}

void Sparkline::setSeries(std::vector<Series> series) {
    m_series = std::move(series);
    update();
}

QSize Sparkline::sizeHint() const {
    return {scaled(160), scaled(44)};
}

void Sparkline::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(this);
    QPainter painter(this);
    double maximum = 0;
    std::size_t count = 2;
    for (const Series& series : m_series) {
        count = std::max(count, series.values.size());
        for (const double value : series.values)
            maximum = std::isnan(value) ? maximum : std::max(maximum, value);
    }
    // A little air above, so that the highest value is not at the edge; without traffic a flat line at 0.
    maximum = maximum > 0 ? maximum * 1.15 : 1;
    const QRectF area = QRectF(rect()).adjusted(1, 3, -3, -1);
    for (const Series& series : m_series) {
        QColor fill;
        if (series.filled) {
            fill = theme.color(series.line);
            fill.setAlphaF(0.14F);
        }
        drawSparkline(
            painter, area, series.values, static_cast<int>(count), maximum, theme.color(series.line), fill);
    }
    painter.setFont(numberFontFor(TextStyle::Caption));
    painter.setPen(theme.color(ColorRole::Text));
    const int lineHeight = painter.fontMetrics().height();
    double above = -1e9;
    for (const Series& series : m_series) {
        if (series.label.isEmpty() || series.values.empty() || std::isnan(series.values.back()))
            continue;
        double y = area.bottom() - area.height() * series.values.back() / maximum - lineHeight - 1;
        y = std::max({y, above, 0.0});
        painter.drawText(QRectF(0, y, width() - 4, lineHeight), Qt::AlignRight, series.label);
        above = y + lineHeight;
    }
}

} // namespace yardmaster::ui

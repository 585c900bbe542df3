// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_drawing.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <map>

namespace yardmaster::ui {

namespace {

constexpr double swatchPx = 12;

QFontMetricsF metricsOf(const QFont& font) {
    return QFontMetricsF(font);
}

} // namespace

// Least squares under "each at least gap after the one before": subtracting i * gap makes that "not
// descending", which pooling neighbours that violate it solves exactly.
std::vector<double> pushedApart(std::vector<double> positions, double gap, double low, double high) {
    struct Pool {
        double sum = 0;
        std::size_t size = 0;
        [[nodiscard]] double mean() const { return sum / static_cast<double>(size); }
    };
    if (positions.empty())
        return positions;
    std::vector<Pool> pools;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        pools.push_back({positions[i] - static_cast<double>(i) * gap, 1});
        while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
            const Pool last = pools.back();
            pools.pop_back();
            pools.back().sum += last.sum;
            pools.back().size += last.size;
        }
    }
    const double highest = std::max(low, high - static_cast<double>(positions.size() - 1) * gap);
    std::size_t i = 0;
    for (const Pool& pool : pools) {
        const double base = std::clamp(pool.mean(), low, highest);
        for (std::size_t k = 0; k < pool.size; ++k, ++i)
            positions[i] = base + static_cast<double>(i) * gap;
    }
    return positions;
}

QVector<QLineF> hatchLines(const QPolygonF& polygon, double spacing) {
    // Lines x + y = k. Each edge says which of them it crosses, and where.
    const double step = spacing * std::sqrt(2.0);
    std::map<qint64, std::vector<double>> crossings; // k / step, x
    for (qsizetype i = 0; i < polygon.size(); ++i) {
        const QPointF a = polygon[i];
        const QPointF b = polygon[(i + 1) % polygon.size()];
        const double ka = a.x() + a.y(), kb = b.x() + b.y();
        if (ka == kb)
            continue;
        const auto first = static_cast<qint64>(std::ceil(std::min(ka, kb) / step));
        for (qint64 n = first; static_cast<double>(n) * step < std::max(ka, kb); ++n) {
            const double t = (static_cast<double>(n) * step - ka) / (kb - ka);
            crossings[n].push_back(a.x() + t * (b.x() - a.x()));
        }
    }
    QVector<QLineF> lines;
    for (auto& [n, xs] : crossings) {
        std::sort(xs.begin(), xs.end());
        const double k = static_cast<double>(n) * step;
        for (std::size_t i = 0; i + 1 < xs.size(); i += 2) {
            if (xs[i + 1] - xs[i] > 0.2)
                lines.append(QLineF(xs[i], k - xs[i], xs[i + 1], k - xs[i + 1]));
        }
    }
    return lines;
}

void drawHatchedBand(QPainter& painter, const QRectF& rect, const Theme& theme) {
    painter.fillRect(rect, theme.color(ColorRole::Panel));
    painter.setPen(QPen(withAlpha(theme.color(ColorRole::Muted), 0.45), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawLines(hatchLines(QPolygonF(rect), 5));
}

double drawReadout(QPainter& painter, const QRectF& row, const QString& time, const QString& caption,
    const std::vector<ReadoutItem>& items, const Theme& theme) {
    const QFont font = fontFor(TextStyle::Caption);
    QFont strong = font;
    strong.setWeight(QFont::DemiBold);
    const QFontMetricsF metrics = metricsOf(font);
    const double space = metrics.horizontalAdvance(u' ');
    double x = row.left();
    const auto put = [&](const QString& text, const QFont& textFont, ColorRole role) {
        const double width = metricsOf(textFont).horizontalAdvance(text);
        painter.setFont(textFont);
        painter.setPen(theme.color(role));
        painter.drawText(QPointF(x, row.center().y() + metrics.ascent() / 2 - 1), text);
        x += width;
    };

    double needed = metricsOf(strong).horizontalAdvance(time);
    for (const ReadoutItem& item : items)
        needed += 12 + (item.color.isValid() ? swatchPx : 0) + metrics.horizontalAdvance(item.name) + space
            + metricsOf(strong).horizontalAdvance(item.value);
    const double captionWidth = 8 + metrics.horizontalAdvance(caption);

    put(time, strong, ColorRole::Text);
    if (!caption.isEmpty() && needed + captionWidth <= row.width()) {
        x += 8;
        put(caption, font, ColorRole::Muted);
    }
    for (const ReadoutItem& item : items) {
        const double width = (item.color.isValid() ? swatchPx : 0) + metrics.horizontalAdvance(item.name)
            + space + metricsOf(strong).horizontalAdvance(item.value);
        if (x + 12 + width > row.right() + 0.5)
            break;
        x += 12;
        if (item.color.isValid()) {
            painter.fillRect(QRectF(x, std::round(row.center().y()) - 1, swatchPx - 4, 2), item.color);
            x += swatchPx;
        }
        put(item.name, font, ColorRole::Muted);
        x += space;
        put(item.value, strong, ColorRole::Text);
    }
    return x - row.left();
}

void drawLegend(
    QPainter& painter, const QRectF& row, const std::vector<ReadoutItem>& items, const Theme& theme) {
    const QFont font = fontFor(TextStyle::Caption);
    QFont strong = font;
    strong.setWeight(QFont::DemiBold);
    const QFontMetricsF metrics = metricsOf(font);
    const double baseline = row.center().y() + metrics.ascent() / 2 - 1;
    double x = row.left();
    for (const ReadoutItem& item : items) {
        const double nameWidth = metrics.horizontalAdvance(item.name);
        const double valueWidth =
            item.value.isEmpty() ? 0 : 4 + metricsOf(strong).horizontalAdvance(item.value);
        if (x + 15 + nameWidth + valueWidth > row.right() + 0.5 && x > row.left())
            break;
        painter.fillRect(QRectF(x, std::round(row.center().y()) - 5, 10, 10), item.color);
        x += 15;
        painter.setFont(font);
        painter.setPen(theme.color(ColorRole::Text));
        painter.drawText(QPointF(x, baseline), item.name);
        x += nameWidth;
        if (!item.value.isEmpty()) {
            painter.setFont(strong);
            painter.drawText(QPointF(x + 4, baseline), item.value);
        }
        x += valueWidth + 14;
    }
}

void drawEndLabel(QPainter& painter, double x, const EndLabel& placed, const Theme& theme) {
    const QFont font = fontFor(TextStyle::Caption);
    const QFontMetricsF metrics = metricsOf(font);
    const bool hasLead = placed.color.isValid();
    if (hasLead) {
        painter.setPen(QPen(placed.color, 1.5, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(QLineF(x, placed.anchor, x + 4, placed.at));
        painter.drawLine(QLineF(x + 4, placed.at, x + swatchPx, placed.at));
    }
    const double textX = x + swatchPx + 4;
    const double baseline = placed.at + metrics.ascent() / 2 - 1;
    painter.setFont(font);
    painter.setPen(theme.color(ColorRole::Text));
    painter.drawText(QPointF(textX, baseline), placed.name);
    painter.drawText(QPointF(textX + metrics.horizontalAdvance(placed.name) + 5, baseline), placed.value);
}

void drawTextOnPanel(QPainter& painter, const QRectF& rect, Qt::Alignment alignment, const QString& text,
    const QColor& color, const Theme& theme) {
    const QFont font = fontFor(TextStyle::Caption);
    const QFontMetricsF metrics = metricsOf(font);
    const double width = metrics.horizontalAdvance(text);
    double x = rect.left();
    if (alignment & Qt::AlignRight)
        x = rect.right() - width;
    else if (alignment & Qt::AlignHCenter)
        x = rect.center().x() - width / 2;
    painter.fillRect(QRectF(x - 2, rect.center().y() - metrics.height() / 2, width + 4, metrics.height()),
        withAlpha(theme.color(ColorRole::Panel), 0.85));
    painter.setFont(font);
    painter.setPen(color);
    painter.drawText(QPointF(x, rect.center().y() + metrics.ascent() / 2 - 1), text);
}

QColor withAlpha(QColor color, double alpha) {
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

QColor heatColor(const Theme& theme, double fraction) {
    const double position = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(theme.heatmap.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(position), theme.heatmap.size() - 2);
    const auto part = static_cast<float>(position - static_cast<double>(low));
    const QColor& a = theme.heatmap[low];
    const QColor& b = theme.heatmap[low + 1];
    const auto mix = [part](float from, float to) { return from + (to - from) * part; };
    return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/stack_chart.h"

#include "ui/charts/plot_style.h"
#include "ui/charts/qcp.h"
#include "ui/theme/format.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace yardmaster::ui {

namespace {

/// A run of times without a gap: [first, last].
std::vector<std::pair<std::size_t, std::size_t>> runsOf(const std::vector<double>& values) {
    std::vector<std::pair<std::size_t, std::size_t>> runs;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]))
            continue;
        if (i > 0 && !runs.empty() && runs.back().second == i - 1)
            runs.back().second = i;
        else
            runs.emplace_back(i, i);
    }
    return runs;
}

} // namespace

StackChart::StackChart(const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent)
    : TimeChart(history, time, parent) {
    useCountTicks(*mainRect().axis(QCPAxis::atLeft), 4);
    addPainting(plot(), QStringLiteral("main"), [this](QPainter& painter) { drawStack(painter); });
    addPainting(plot(), QStringLiteral("decoration"), [this](QPainter& painter) {
        drawNames(painter);
        drawLegendRow(painter);
    });
}

StackChart::~StackChart() = default;

void StackChart::slotChanged() {
    m_rangeIsNew = true;
}

void StackChart::applyTheme() {
    TimeChart::applyTheme();
    updateLabels();
}

void StackChart::setStack(std::vector<std::int64_t> times, std::vector<Layer> layers, bool steps) {
    m_rangeIsNew = m_rangeIsNew || m_layers.empty() || !timeCursor()->isLive();
    m_times = std::move(times);
    m_layers = std::move(layers);
    m_steps = steps;
    setYRange();
    if (textsAreDue() || m_lastValues.size() != m_layers.size())
        updateLabels();
}

void StackChart::setYRange() {
    double high = 0;
    if (!m_layers.empty()) {
        for (const double value : cumulated(m_layers.size() - 1))
            high = std::isfinite(value) ? std::max(high, value) : high;
    }
    m_highest = high;
    // Room for the names of markers above the area.
    const double plotHeight = std::max(40.0, static_cast<double>(height() - scaled(50)));
    const double headroom = 1 + scaled(24) / (plotHeight - scaled(24));
    const double wanted = high > 0 ? high * headroom : 1;
    const bool isTooLow = high * (1 + 0.6 * (headroom - 1)) > m_yHigh;
    m_yHigh = m_rangeIsNew || isTooLow ? wanted : steadyBound(m_yHigh, wanted);
    m_rangeIsNew = false;
    mainRect().axis(QCPAxis::atLeft)->setRange(0, m_yHigh);
}

// A layer that had not begun or is over counts as nothing; only when no layer has a value it is a gap.
std::vector<double> StackChart::cumulated(std::size_t layer) const {
    std::vector<double> sums(m_times.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < m_times.size(); ++i) {
        double sum = 0;
        bool isKnown = false;
        for (std::size_t k = 0; k < m_layers.size(); ++k) {
            const double value = m_layers[k].values[i];
            isKnown = isKnown || std::isfinite(value);
            if (k <= layer && std::isfinite(value))
                sum += value;
        }
        if (isKnown)
            sums[i] = sum;
    }
    return sums;
}

QColor StackChart::layerColor(const Layer& layer) const {
    if (layer.age == 0)
        return theme().color(ColorRole::GenNew);
    return theme().color(layer.age == 1 ? ColorRole::GenOld : ColorRole::GenOlder);
}

QString StackChart::valueText(double value) const {
    return format::number(value);
}

void StackChart::updateLabels() {
    std::vector<EndLabel> labels;
    m_lastValues.clear();
    double sum = 0;
    QString text;
    for (const Layer& layer : m_layers) {
        const double last =
            layer.values.empty() ? std::numeric_limits<double>::quiet_NaN() : layer.values.back();
        if (std::isfinite(last))
            sum += last;
        const QString value = std::isfinite(last) ? valueText(last) : format::unknown();
        m_lastValues.push_back(value);
        if (std::isfinite(last) && last > 0)
            labels.push_back({layer.name, value, layerColor(layer), sum, 0});
        text += (text.isEmpty() ? QString() : QStringLiteral(", ")) + layer.longName + u' ' + value;
    }
    setEndLabels(std::move(labels));
    if (text.isEmpty())
        setSummary(emptyText().isEmpty() ? tr("Nothing in this range") : emptyText());
    else
        setSummary(tr("%1: now %2; highest %3 in all.").arg(title(), text, valueText(m_highest)));
}

void StackChart::drawStack(QPainter& painter) {
    if (m_times.empty())
        return;
    const QCPAxis* y = mainRect().axis(QCPAxis::atLeft);
    const QRectF rect = mainRect().rect();
    const double bottom = y->coordToPixel(0);
    painter.setClipRect(rect.adjusted(0, -1, 1, 1));
    const auto xAt = [&](std::size_t i) {
        return std::clamp(pixelOfTime(m_times[i]), rect.left(), rect.right() + 1);
    };
    std::vector<double> below(m_times.size(), 0.0);
    std::vector<std::pair<QPolygonF, QColor>> edges;
    for (std::size_t k = 0; k < m_layers.size(); ++k) {
        const std::vector<double> sums = cumulated(k);
        // Only where this layer itself is there: an old generation that is gone leaves no line behind.
        std::vector<double> own = sums;
        for (std::size_t i = 0; i < own.size(); ++i) {
            const bool isThere = std::isfinite(m_layers[k].values[i]) && m_layers[k].values[i] > 0;
            if (!isThere)
                own[i] = std::numeric_limits<double>::quiet_NaN();
        }
        const QColor color = layerColor(m_layers[k]);
        for (const auto& [first, last] : runsOf(own)) {
            QPolygonF top, area;
            for (std::size_t i = first; i <= last; ++i) {
                if (m_steps && i > first)
                    top << QPointF(xAt(i), y->coordToPixel(own[i - 1]));
                top << QPointF(xAt(i), y->coordToPixel(own[i]));
            }
            if (m_steps && last + 1 < m_times.size())
                top << QPointF(xAt(last + 1), y->coordToPixel(own[last]));
            area = top;
            if (m_steps && last + 1 < m_times.size())
                area << QPointF(xAt(last + 1), std::min(bottom, y->coordToPixel(below[last])));
            for (std::size_t i = last + 1; i-- > first;) {
                if (m_steps && i < last)
                    area << QPointF(xAt(i + 1), y->coordToPixel(below[i]));
                area << QPointF(xAt(i), y->coordToPixel(below[i]));
            }
            painter.setPen(Qt::NoPen);
            painter.setBrush(withAlpha(color, m_layers[k].age == 0 ? 0.32 : 0.13));
            painter.drawPolygon(area);
            if (m_layers[k].age > 0) {
                painter.setPen(QPen(withAlpha(color, 0.4), 1));
                painter.drawLines(hatchLines(area, 7));
            }
            edges.emplace_back(top, color);
        }
        below = sums;
        for (double& value : below)
            value = std::isfinite(value) ? value : 0;
    }
    // Over all fills, as segments: see makePlot().
    for (const auto& [top, color] : edges) {
        painter.setPen(QPen(color, 1.5));
        painter.setBrush(Qt::NoBrush);
        if (isVector(painter)) {
            painter.drawPolyline(top);
            continue;
        }
        QVector<QLineF> lines;
        for (qsizetype i = 1; i < top.size(); ++i)
            lines.append(QLineF(top[i - 1], top[i]));
        painter.drawLines(lines);
    }
}

void StackChart::drawLegendRow(QPainter& painter) {
    if (!isCompact() || m_layers.empty())
        return;
    std::vector<ReadoutItem> items;
    for (std::size_t k = 0; k < m_layers.size(); ++k) {
        items.push_back({layerColor(m_layers[k]), m_layers[k].longName,
            k < m_lastValues.size() ? m_lastValues[k] : QString()});
    }
    const QRectF rect = mainRect().rect();
    const QFontMetricsF metrics(fontFor(TextStyle::Caption));
    const double top = rect.bottom() + metrics.height() + scaled(8);
    drawLegend(painter, QRectF(scaled(12), top, rect.right() - scaled(12), scaled(20)), items, theme());
}

// A generation that is over has no value at the end of the line: its name stands in its area.
void StackChart::drawNames(QPainter& painter) {
    if (isCompact())
        return;
    const QCPAxis* y = mainRect().axis(QCPAxis::atLeft);
    const QFontMetricsF metrics(fontFor(TextStyle::Caption));
    for (std::size_t k = 0; k < m_layers.size() && k < m_lastValues.size(); ++k) {
        if (m_lastValues[k] != format::unknown())
            continue;
        std::vector<double> own = m_layers[k].values;
        const std::vector<double> sums = cumulated(k);
        // Where it is at least as high as the text, in its longest stretch.
        for (std::size_t i = 0; i < own.size(); ++i) {
            const bool isHigh = std::isfinite(own[i])
                && y->coordToPixel(sums[i] - own[i]) - y->coordToPixel(sums[i]) > 1.5 * metrics.height();
            own[i] = isHigh ? own[i] : std::numeric_limits<double>::quiet_NaN();
        }
        double bestWidth = metrics.horizontalAdvance(m_layers[k].longName) + scaled(20);
        QRectF best;
        for (const auto& [first, last] : runsOf(own)) {
            const double left = std::max<double>(pixelOfTime(m_times[first]), mainRect().rect().left());
            const double right = pixelOfTime(m_times[last]);
            const std::size_t middle = (first + last) / 2;
            if (right - left < bestWidth)
                continue;
            bestWidth = right - left;
            const double center = y->coordToPixel(sums[middle] - own[middle] / 2);
            best = QRectF(left, center - metrics.height() / 2, right - left, metrics.height());
        }
        if (!best.isNull())
            drawTextOnPanel(painter, best, Qt::AlignHCenter, m_layers[k].longName,
                theme().color(ColorRole::Text), theme());
    }
}

std::optional<std::size_t> StackChart::indexAt(std::int64_t atNs) const {
    const auto after = std::upper_bound(m_times.begin(), m_times.end(), atNs);
    if (after == m_times.begin())
        return std::nullopt;
    const auto index = static_cast<std::size_t>(after - m_times.begin()) - 1;
    // Past the last point nothing is known any more.
    const std::int64_t spacing = m_times.size() > 1 ? m_times[1] - m_times[0] : 1'000'000'000;
    if (index + 1 == m_times.size() && atNs - m_times[index] > 2 * spacing)
        return std::nullopt;
    return index;
}

TimeChart::Readout StackChart::readoutAt(std::int64_t atNs) const {
    Readout readout;
    readout.time = format::clock(atNs);
    const auto index = indexAt(atNs);
    double sum = 0;
    bool isKnown = false;
    for (const Layer& layer : m_layers) {
        const double value = index ? layer.values[*index] : std::numeric_limits<double>::quiet_NaN();
        isKnown = isKnown || std::isfinite(value);
        if (!std::isfinite(value))
            continue;
        sum += value;
        readout.items.push_back({layerColor(layer), layer.name, valueText(value)});
        if (value > 0)
            readout.dots.emplace_back(sum, layerColor(layer));
    }
    if (!isKnown)
        readout.caption = tr("no data");
    return readout;
}

} // namespace yardmaster::ui

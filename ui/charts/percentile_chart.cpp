// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/percentile_chart.h"

#include "ui/charts/latency_data.h"
#include "ui/charts/plot_style.h"
#include "ui/charts/qcp.h"
#include "ui/charts/segment_switch.h"
#include "ui/theme/format.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace yardmaster::ui {

namespace {

constexpr std::array lineRoles{
    ColorRole::SeriesP50, ColorRole::SeriesP90, ColorRole::SeriesP99, ColorRole::SeriesP999};
constexpr std::array<const char16_t*, 5> names{u"p50", u"p90", u"p99", u"p99.9", u"max"};
constexpr double maxDashPx = 3;

double valueOf(const LatencySummary& window, int index) {
    const std::array values{window.p50, window.p90, window.p99, window.p999, window.max};
    return values[static_cast<std::size_t>(index)];
}

QString nameOf(int index) {
    return QString::fromUtf16(names[static_cast<std::size_t>(index)]);
}

} // namespace

PercentileChart::PercentileChart(
    const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent)
    : TimeChart(history, time, parent)
    , m_cache(*history) {
    m_strip = &addStrip(scaled(30));
    QCPAxis* x = mainRect().axis(QCPAxis::atBottom);
    QCPAxis* y = mainRect().axis(QCPAxis::atLeft);
    for (QCPGraph*& graph : m_graphs) {
        graph = plot().addGraph(x, y);
        graph->setAdaptiveSampling(true);
    }
    useLatencyTicks(*y, m_logarithmic);
    useCountTicks(*m_strip->axis(QCPAxis::atLeft), 1);
    addPainting(plot(), QStringLiteral("main"), [this](QPainter& painter) {
        drawMaxima(painter);
        drawCounts(painter);
    });
}

PercentileChart::~PercentileChart() = default;

void PercentileChart::setLogarithmic(bool logarithmic) {
    if (logarithmic == m_logarithmic)
        return;
    m_logarithmic = logarithmic;
    m_rangeIsNew = true;
    useLatencyTicks(*mainRect().axis(QCPAxis::atLeft), logarithmic);
    emit logarithmicChanged(logarithmic);
    requestRefresh();
}

QWidget* PercentileChart::createHeadWidget(QWidget* parent) {
    auto* choice = new SegmentSwitch(tr("Scale of the latency axis"), {tr("Log"), tr("Linear")}, parent);
    choice->setCurrent(m_logarithmic ? 0 : 1);
    connect(choice, &SegmentSwitch::chosen, this, [this](int index) { setLogarithmic(index == 0); });
    connect(this, &PercentileChart::logarithmicChanged, choice,
        [choice](bool logarithmic) { choice->setCurrent(logarithmic ? 0 : 1); });
    return choice;
}

void PercentileChart::slotChanged() {
    m_rangeIsNew = true;
}

void PercentileChart::updateData(models::TimeSpan span) {
    const std::int64_t windowNs = windowLengthNs(span, history().recorded());
    m_rangeIsNew = m_rangeIsNew || windowNs != m_windowNs || !timeCursor()->isLive();
    m_windowNs = windowNs;
    const auto& windows = m_cache.windows(span, m_windowNs, slot());
    for (int i = 0; i < static_cast<int>(m_graphs.size()); ++i) {
        QVector<double> keys, values;
        keys.reserve(static_cast<qsizetype>(windows.size()));
        values.reserve(static_cast<qsizetype>(windows.size()));
        for (const LatencySummary& window : windows) {
            if (window.middleNs() < span.fromNs || window.middleNs() > span.toNs)
                continue; // vector files are not clipped
            keys.append(static_cast<double>(window.middleNs()) / 1e9);
            values.append(valueOf(window, i));
        }
        m_graphs[static_cast<std::size_t>(i)]->setData(keys, values, true);
    }
    setYRange();
    if (textsAreDue())
        updateTexts(span);
}

void PercentileChart::setYRange() {
    double low = std::numeric_limits<double>::infinity(), high = 0, count = 0;
    for (const LatencySummary& window : m_cache.current()) {
        if (window.count == 0)
            continue;
        low = std::min(low, window.p50);
        high = std::max(high, window.max);
        count = std::max(count, static_cast<double>(window.count));
    }
    QCPAxis* y = mainRect().axis(QCPAxis::atLeft);
    if (high <= 0) {
        y->setRange(m_logarithmic ? 100 : 0, 1e5);
        m_strip->axis(QCPAxis::atLeft)->setRange(0, 1);
        return;
    }
    const double top = m_logarithmic ? high * 1.5 : roundUp(high * 1.05);
    const double bottom = m_logarithmic ? std::max(1.0, low / 2) : 0;
    const double countTop = roundUp(count);
    if (m_rangeIsNew) {
        m_yHigh = top;
        m_yLow = bottom;
        m_countHigh = countTop;
        m_rangeIsNew = false;
    }
    // On a logarithmic axis a third of it is what "much too high" means, not a factor of two.
    if (high * 1.05 > m_yHigh || top < m_yHigh / (m_logarithmic ? 6 : 2.1))
        m_yHigh = top;
    if (m_logarithmic && (low * 0.8 < m_yLow || bottom > m_yLow * 4))
        m_yLow = bottom;
    m_countHigh = steadyBound(m_countHigh, countTop);
    y->setRange(m_logarithmic ? m_yLow : 0, m_yHigh);
    m_strip->axis(QCPAxis::atLeft)->setRange(0, m_countHigh * 1.001);
}

void PercentileChart::updateTexts(models::TimeSpan span) {
    const std::vector<LatencySummary>& windows = m_cache.current();
    const auto last = std::find_if(
        windows.rbegin(), windows.rend(), [](const LatencySummary& window) { return window.count > 0; });
    setSubTitle(latencySourceText(history(), span, m_windowNs, slot()),
        shortLatencySourceText(history(), span, m_windowNs, slot()));
    if (last == windows.rend()) {
        setEndLabels({});
        setSummary(emptyText().isEmpty() ? tr("No requests in this range") : emptyText());
        return;
    }
    std::vector<EndLabel> labels;
    for (int i = 0; i < 5; ++i) {
        const ColorRole role = i < 4 ? lineRoles[static_cast<std::size_t>(i)] : ColorRole::SeriesMax;
        labels.push_back(
            {nameOf(i), format::latency(valueOf(*last, i)), theme().color(role), valueOf(*last, i), 0});
    }
    setEndLabels(std::move(labels));

    const auto highest = std::max_element(windows.begin(), windows.end(),
        [](const LatencySummary& a, const LatencySummary& b) { return a.count == 0 || a.max < b.max; });
    std::uint64_t total = 0;
    for (const LatencySummary& window : windows)
        total += window.count;
    setSummary(tr("Now p50 %1, p90 %2, p99 %3, p99.9 %4. Maximum %5 at %6. %7 requests in the range.")
                   .arg(format::latency(last->p50), format::latency(last->p90), format::latency(last->p99),
                       format::latency(last->p999), format::latency(highest->max),
                       format::clock(highest->middleNs()), format::number(static_cast<double>(total))));
}

void PercentileChart::applyTheme() {
    TimeChart::applyTheme();
    for (std::size_t i = 0; i < m_graphs.size(); ++i)
        m_graphs[i]->setPen(QPen(theme().color(lineRoles[i]), 1.5));
    // Only 0 and the top of the strip fit.
    m_strip->axis(QCPAxis::atLeft)->grid()->setVisible(false);
}

// A maximum is a dash of its own, because it is no line.
void PercentileChart::drawMaxima(QPainter& painter) {
    const QCPAxis* y = mainRect().axis(QCPAxis::atLeft);
    const QRectF rect = mainRect().rect();
    QVector<QLineF> dashes;
    for (const LatencySummary& window : m_cache.current()) {
        const double x = pixelOfTime(window.middleNs());
        if (window.count == 0 || x < rect.left() || x > rect.right())
            continue;
        const double at = y->coordToPixel(window.max);
        dashes.append(QLineF(x - maxDashPx / 2, at, x + maxDashPx / 2, at));
    }
    painter.setPen(QPen(theme().color(ColorRole::SeriesMax), 1.5, Qt::SolidLine, Qt::FlatCap));
    painter.drawLines(dashes);
}

void PercentileChart::drawCounts(QPainter& painter) {
    const QRectF rect = m_strip->rect();
    const QCPAxis* y = m_strip->axis(QCPAxis::atLeft);
    const QColor color = withAlpha(theme().color(ColorRole::Muted), 0.5);
    for (const LatencySummary& window : m_cache.current()) {
        if (window.count == 0)
            continue;
        const double from = std::max(pixelOfTime(window.span.fromNs), rect.left());
        const double to = std::min(pixelOfTime(window.span.toNs), rect.right());
        const double top = y->coordToPixel(static_cast<double>(window.count));
        if (to > from)
            painter.fillRect(QRectF(from, top, std::max(to - from - 1, 0.8), rect.bottom() - top), color);
    }
    const auto& windows = m_cache.current();
    const auto last = std::find_if(
        windows.rbegin(), windows.rend(), [](const LatencySummary& window) { return window.count > 0; });
    if (last == windows.rend() || isCompact())
        return;
    EndLabel label{QStringLiteral("n"), format::number(static_cast<double>(last->count)), QColor(),
        rect.center().y(), rect.center().y()};
    drawEndLabel(painter, rect.right() + 1, label, theme());
}

TimeChart::Readout PercentileChart::readoutAt(std::int64_t atNs) const {
    Readout readout;
    readout.time = format::clock(atNs);
    const LatencySummary* window = m_cache.at(atNs);
    if (!window || window->count == 0) {
        readout.caption = window && window->isGap ? tr("no data") : tr("no requests");
        return readout;
    }
    readout.time = format::clock(window->span.fromNs);
    readout.caption = tr("%1 window").arg(windowText(m_windowNs));
    for (int i = 4; i >= 0; --i) {
        const ColorRole role = i < 4 ? lineRoles[static_cast<std::size_t>(i)] : ColorRole::SeriesMax;
        readout.items.push_back({theme().color(role), nameOf(i), format::latency(valueOf(*window, i))});
        readout.dots.emplace_back(valueOf(*window, i), theme().color(role));
    }
    readout.items.push_back(
        {QColor(), QStringLiteral("n"), format::number(static_cast<double>(window->count))});
    return readout;
}

std::vector<std::pair<std::int64_t, double>> PercentileChart::shownSeries(int index) const {
    std::vector<std::pair<std::int64_t, double>> result;
    for (const LatencySummary& window : m_cache.current())
        result.emplace_back(window.middleNs(), valueOf(window, index));
    return result;
}

ChartTable PercentileChart::table(models::TimeSpan span) const {
    return percentileTable(history(), span, windowLengthNs(span, history().recorded()), slot());
}

std::optional<metrics::Histogram> PercentileChart::latencies(models::TimeSpan span) const {
    return history().merged(span, slot());
}

ChartMetadata PercentileChart::metadata(models::TimeSpan span) const {
    ChartMetadata result = TimeChart::metadata(span);
    addLatencyMetadata(result, history(), span, windowLengthNs(span, history().recorded()), slot());
    return result;
}

std::unique_ptr<ChartView> PercentileChart::twin(models::TimeCursor* time) const {
    auto result = std::make_unique<PercentileChart>(&history(), time);
    copySettingsTo(*result);
    result->setLogarithmic(m_logarithmic);
    return result;
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/histogram_chart.h"

#include "ui/charts/chart_drawing.h"
#include "ui/charts/latency_data.h"
#include "ui/charts/plot_style.h"
#include "ui/charts/qcp.h"
#include "ui/charts/window_cache.h"
#include "ui/theme/format.h"

#include <QDateTime>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace yardmaster::ui {

namespace {

constexpr int barsPerDecade = 28;
// Merging five minutes of histograms is dear and the shape hardly moves.
constexpr qint64 mergeEveryMs = 1000;

constexpr std::array quantiles{0.5, 0.9, 0.99, 0.999};
constexpr std::array<const char16_t*, 4> names{u"p50", u"p90", u"p99", u"p99.9"};
constexpr std::array roles{
    ColorRole::SeriesP50, ColorRole::SeriesP90, ColorRole::SeriesP99, ColorRole::SeriesP999};

} // namespace

HistogramChart::HistogramChart(
    const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent)
    : ChartView(history, time, parent)
    , m_plot(makePlot(this)) {
    QCPAxisRect* rect = m_plot->axisRect();
    rect->setAutoMargins(QCP::msNone);
    useLatencyTicks(*rect->axis(QCPAxis::atBottom), true);
    useLogCountTicks(*rect->axis(QCPAxis::atLeft));
    addPainting(*m_plot, QStringLiteral("main"), [this](QPainter& painter) { drawBars(painter); });
    m_plot->installEventFilter(this);
}

HistogramChart::~HistogramChart() = default;

QSize HistogramChart::minimumSizeHint() const {
    return {scaled(220), scaled(160)};
}

void HistogramChart::applyTheme() {
    m_coloursChanged = true;
    themePlot(*m_plot, theme());
    const QFontMetrics metrics(fontFor(TextStyle::Caption));
    m_plot->axisRect()->setMargins(QMargins(metrics.horizontalAdvance(QStringLiteral("100 k")) + scaled(12),
        scaled(26), scaled(14), metrics.height() + scaled(8)));
    m_plot->axisRect()->axis(QCPAxis::atBottom)->grid()->setSubGridVisible(false);
}

void HistogramChart::rebuild() {
    const models::TimeSpan span = shownSpan();
    const qint64 nowMs = QDateTime::currentMSecsSinceEpoch();
    const bool isStale = nowMs - m_mergedAtMs >= mergeEveryMs || slot() != m_mergedSlot
        || (!timeCursor()->isLive() && span != m_mergedSpan)
        || (span.toNs - span.fromNs) != (m_mergedSpan.toNs - m_mergedSpan.fromNs);
    if (isStale) {
        m_mergedAtMs = nowMs;
        m_mergedSpan = span;
        m_mergedSlot = slot();
        buildBars(history().merged(span, slot()));
        setSubTitle(tr("%1 to %2, n %3")
                        .arg(format::clock(span.fromNs), format::clock(span.toNs),
                            format::number(static_cast<double>(m_count))),
            tr("n %1").arg(format::number(static_cast<double>(m_count))));
    }
    // Between two merges the picture is the same, however often samples come.
    if (!isStale && !std::exchange(m_coloursChanged, false))
        return;
    followScreen(*m_plot);
    m_plot->replot(QCustomPlot::rpQueuedRefresh);
}

void HistogramChart::buildBars(const metrics::Histogram& merged) {
    m_bars.clear();
    m_count = merged.count();
    m_hovered.reset();
    QCPAxis* x = m_plot->axisRect()->axis(QCPAxis::atBottom);
    QCPAxis* y = m_plot->axisRect()->axis(QCPAxis::atLeft);
    if (m_count == 0) {
        x->setRange(100, 1e5);
        y->setRange(0.8, 1000);
        setSummary(history().recorded() ? tr("No requests in this range") : tr("No samples yet"));
        return;
    }
    for (std::size_t i = 0; i < quantiles.size(); ++i)
        m_percentilesUs[i] = static_cast<double>(merged.quantileUs(quantiles[i]));

    const auto buckets = merged.buckets();
    std::uint64_t highest = 1;
    double from = 0, to = 0;
    for (std::uint32_t i = 0; i < buckets.size(); ++i) {
        if (buckets[i] == 0)
            continue;
        const auto middle = static_cast<double>(metrics::HistogramLayout::middleUs(i));
        if (m_bars.empty() || middle >= to) {
            const double step = std::floor(std::log10(std::max(1.0, middle)) * barsPerDecade + 1e-9);
            from = std::max(m_bars.empty() ? 0.0 : m_bars.back().toUs, std::pow(10.0, step / barsPerDecade));
            to = std::max(std::pow(10.0, (step + 1) / barsPerDecade), from + 1);
            m_bars.push_back({from, to, 0});
        }
        m_bars.back().count += buckets[i];
        highest = std::max(highest, m_bars.back().count);
    }
    x->setRange(m_bars.front().fromUs / 1.05, m_bars.back().toUs * 1.05);
    y->setRange(0.8, static_cast<double>(highest) * 2);
    setSummary(
        tr("%1 requests: p50 %2, p90 %3, p99 %4, p99.9 %5, maximum %6.")
            .arg(format::number(static_cast<double>(m_count)), format::latency(m_percentilesUs[0]),
                format::latency(m_percentilesUs[1]), format::latency(m_percentilesUs[2]),
                format::latency(m_percentilesUs[3]), format::latency(static_cast<double>(merged.maxUs()))));
}

void HistogramChart::drawBars(QPainter& painter) {
    const QRectF rect = m_plot->axisRect()->rect();
    const QFontMetricsF metrics(fontFor(TextStyle::Caption));
    if (m_bars.empty()) {
        painter.setFont(fontFor(TextStyle::Body));
        painter.setPen(theme().color(ColorRole::Muted));
        painter.drawText(rect, Qt::AlignCenter, summary());
        return;
    }
    const QCPAxis* x = m_plot->axisRect()->axis(QCPAxis::atBottom);
    const QCPAxis* y = m_plot->axisRect()->axis(QCPAxis::atLeft);
    const QColor fill = withAlpha(theme().color(ColorRole::SeriesP50), 0.55);
    for (std::size_t i = 0; i < m_bars.size(); ++i) {
        const double left = x->coordToPixel(m_bars[i].fromUs);
        const double right = x->coordToPixel(m_bars[i].toUs);
        const double top = y->coordToPixel(static_cast<double>(m_bars[i].count));
        painter.fillRect(QRectF(left, top, std::max(right - left - 0.8, 0.8), rect.bottom() + 1 - top),
            m_hovered == i ? theme().color(ColorRole::SeriesP50) : fill);
    }

    std::vector<double> centers;
    double widest = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        centers.push_back(x->coordToPixel(m_percentilesUs[i]));
        widest = std::max(widest, metrics.horizontalAdvance(QString::fromUtf16(names[i])));
    }
    const std::vector<double> placed =
        pushedApart(centers, widest + 6, rect.left() + widest / 2, rect.right() - widest / 2);
    painter.setFont(fontFor(TextStyle::Caption));
    for (std::size_t i = 0; i < names.size(); ++i) {
        painter.setPen(QPen(theme().color(roles[i]), 1.5, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(QLineF(centers[i], rect.top(), centers[i], rect.bottom()));
        painter.drawLine(QLineF(placed[i], rect.top() - 6, centers[i], rect.top()));
        painter.setPen(theme().color(ColorRole::Text));
        const QString name = QString::fromUtf16(names[i]);
        painter.drawText(QPointF(placed[i] - metrics.horizontalAdvance(name) / 2, rect.top() - 9), name);
    }
    if (m_hovered && *m_hovered < m_bars.size()) {
        const Bar& bar = m_bars[*m_hovered];
        const QString text = tr("%1 to %2: %3 requests")
                                 .arg(format::latency(bar.fromUs), format::latency(bar.toUs),
                                     format::number(static_cast<double>(bar.count)));
        const double width = metrics.horizontalAdvance(text);
        QRectF place(
            std::clamp(x->coordToPixel(bar.fromUs), rect.left(), std::max(rect.left(), rect.right() - width)),
            rect.top() + 2, width, metrics.height());
        drawTextOnPanel(painter, place, Qt::AlignLeft, text, theme().color(ColorRole::Text), theme());
    }
}

bool HistogramChart::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_plot || (event->type() != QEvent::MouseMove && event->type() != QEvent::Leave))
        return ChartView::eventFilter(watched, event);
    std::optional<std::size_t> hovered;
    if (event->type() == QEvent::MouseMove && !m_bars.empty()) {
        const double us = m_plot->axisRect()
                              ->axis(QCPAxis::atBottom)
                              ->pixelToCoord(static_cast<QMouseEvent*>(event)->position().x());
        for (std::size_t i = 0; i < m_bars.size(); ++i) {
            if (us >= m_bars[i].fromUs && us < m_bars[i].toUs)
                hovered = i;
        }
    }
    if (hovered != m_hovered) {
        m_hovered = hovered;
        m_plot->replot(QCustomPlot::rpQueuedRefresh);
    }
    return false;
}

void HistogramChart::render(QCPPainter& painter, QSize size) {
    m_hovered.reset();
    paintPlot(*m_plot, painter, size);
}

ChartTable HistogramChart::table(models::TimeSpan span) const {
    return bucketTable(history().merged(span, slot()));
}

std::optional<metrics::Histogram> HistogramChart::latencies(models::TimeSpan span) const {
    return history().merged(span, slot());
}

ChartMetadata HistogramChart::metadata(models::TimeSpan span) const {
    ChartMetadata result = ChartView::metadata(span);
    addLatencyMetadata(result, history(), span, span.toNs - span.fromNs, slot());
    return result;
}

std::unique_ptr<ChartView> HistogramChart::twin(models::TimeCursor* time) const {
    auto result = std::make_unique<HistogramChart>(&history(), time);
    copySettingsTo(*result);
    return result;
}

} // namespace yardmaster::ui

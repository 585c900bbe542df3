// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/heatmap_chart.h"

#include "ui/charts/latency_data.h"
#include "ui/charts/plot_style.h"
#include "ui/charts/qcp.h"
#include "ui/charts/segment_switch.h"
#include "ui/theme/format.h"

#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace yardmaster::ui {

namespace {

constexpr int rowsPerDecade = 22;
constexpr int scaleSteps = 24;

/// Row limits from `low` to `high`, equal on a logarithmic axis but never finer than a microsecond.
std::vector<double> rowEdges(double lowUs, double highUs) {
    std::vector<double> edges;
    const int first = static_cast<int>(std::floor(std::log10(std::max(1.0, lowUs)) * rowsPerDecade));
    const int last = static_cast<int>(std::ceil(std::log10(std::max(2.0, highUs)) * rowsPerDecade));
    for (int i = first; i <= last; ++i) {
        const double edge = std::round(std::pow(10.0, static_cast<double>(i) / rowsPerDecade));
        if (edges.empty() || edge > edges.back())
            edges.push_back(edge);
    }
    return edges;
}

} // namespace

HeatmapChart::HeatmapChart(const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent)
    : TimeChart(history, time, parent)
    , m_cache(*history) {
    setHalo(true);
    setNeedsRightMargin(true);
    useLatencyTicks(*mainRect().axis(QCPAxis::atLeft), true);
    addPainting(plot(), QStringLiteral("main"), [this](QPainter& painter) { drawCells(painter); });
    addPainting(plot(), QStringLiteral("decoration"), [this](QPainter& painter) { drawScale(painter); });
}

HeatmapChart::~HeatmapChart() = default;

void HeatmapChart::setScale(Scale scale) {
    if (scale == m_scale)
        return;
    m_scale = scale;
    m_rangeIsNew = true;
    emit scaleChanged();
    requestRefresh();
}

QWidget* HeatmapChart::createHeadWidget(QWidget* parent) {
    auto* choice = new SegmentSwitch(tr("Colour of the heatmap"), {tr("Count"), tr("% of column")}, parent);
    choice->setCurrent(m_scale == Scale::Count ? 0 : 1);
    connect(choice, &SegmentSwitch::chosen, this,
        [this](int index) { setScale(index == 0 ? Scale::Count : Scale::PercentOfColumn); });
    connect(this, &HeatmapChart::scaleChanged, choice,
        [this, choice] { choice->setCurrent(m_scale == Scale::Count ? 0 : 1); });
    return choice;
}

void HeatmapChart::slotChanged() {
    m_rangeIsNew = true;
}

void HeatmapChart::updateData(models::TimeSpan span) {
    // Cells need more samples than lines: twice the window.
    const std::int64_t windowNs = 2 * windowLengthNs(span, history().recorded());
    m_rangeIsNew = m_rangeIsNew || windowNs != m_windowNs || !timeCursor()->isLive();
    m_windowNs = windowNs;
    const auto& windows = m_cache.windows(span, m_windowNs, slot());
    const std::int64_t from = windows.empty() ? 0 : windows.front().span.fromNs;
    const std::int64_t to = windows.empty() ? 0 : windows.back().span.toNs;
    if (m_rangeIsNew || from != m_builtFromNs || to != m_builtToNs) {
        m_builtFromNs = from;
        m_builtToNs = to;
        buildCells();
    }
    setSubTitle(m_scale == Scale::Count ? tr("requests in each %1 and bucket").arg(windowText(m_windowNs))
                                        : tr("share of the requests of each %1").arg(windowText(m_windowNs)));
    if (m_cells.empty()) {
        setSummary(emptyText().isEmpty() ? tr("No requests in this range") : emptyText());
    } else if (textsAreDue()) {
        const auto fullest = std::max_element(
            m_cells.begin(), m_cells.end(), [](const Cell& a, const Cell& b) { return a.count < b.count; });
        setSummary(tr("Latencies from %1 to %2; most requests, %3 in %4, took about %5.")
                       .arg(format::latency(m_edgesUs.front()), format::latency(m_edgesUs.back()),
                           format::number(fullest->count), windowText(m_windowNs),
                           format::latency(m_edgesUs[fullest->row])));
    }
}

void HeatmapChart::buildCells() {
    m_cells.clear();
    m_columnTotals.clear();
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const LatencySummary& window : m_cache.current()) {
        if (window.count == 0)
            continue;
        const auto buckets = window.latency->buckets();
        const auto first =
            std::find_if(buckets.begin(), buckets.end(), [](std::uint64_t n) { return n > 0; });
        low = std::min(low,
            static_cast<double>(
                metrics::HistogramLayout::lowestUs(static_cast<std::uint32_t>(first - buckets.begin()))));
        high = std::max(high, window.max);
    }
    QCPAxis* y = mainRect().axis(QCPAxis::atLeft);
    if (high <= 0) {
        y->setRange(100, 1e5);
        return;
    }
    if (m_rangeIsNew || m_edgesUs.empty() || low < m_edgesUs.front() || high > m_edgesUs.back()
        || high < m_edgesUs.back() / 6 || low > m_edgesUs.front() * 6)
        m_edgesUs = rowEdges(low * 0.85, high * 1.2);
    y->setRange(m_edgesUs.front(), m_edgesUs.back());

    double highest = 0;
    std::vector<double> counts(m_edgesUs.size());
    for (std::size_t column = 0; column < m_cache.current().size(); ++column) {
        const LatencySummary& window = m_cache.current()[column];
        m_columnTotals.push_back(static_cast<double>(window.count));
        if (window.count == 0)
            continue;
        std::fill(counts.begin(), counts.end(), 0.0);
        const auto buckets = window.latency->buckets();
        std::size_t row = 0;
        for (std::uint32_t i = 0; i < buckets.size(); ++i) {
            if (buckets[i] == 0)
                continue;
            const auto middle = static_cast<double>(metrics::HistogramLayout::middleUs(i));
            while (row + 2 < m_edgesUs.size() && m_edgesUs[row + 1] <= middle)
                ++row;
            counts[row] += static_cast<double>(buckets[i]);
        }
        for (std::size_t i = 0; i + 1 < counts.size(); ++i) {
            if (counts[i] <= 0)
                continue;
            m_cells.push_back({column, i, counts[i]});
            highest = std::max(highest,
                m_scale == Scale::Count ? counts[i] : 100 * counts[i] / static_cast<double>(window.count));
        }
    }
    const double wanted = roundUp(highest);
    m_highest = m_rangeIsNew ? wanted : steadyBound(m_highest, wanted);
    m_rangeIsNew = false;
}

double HeatmapChart::fractionOf(const Cell& cell) const {
    const double value =
        m_scale == Scale::Count ? cell.count : 100 * cell.count / m_columnTotals[cell.column];
    return std::log1p(value) / std::log1p(m_highest);
}

// On screen one image with a pixel a column, stretched row by row; in a file a rectangle a cell, which stays
// sharp at any size and is smaller than the picture would be.
void HeatmapChart::drawCells(QPainter& painter) {
    const auto& windows = m_cache.current();
    if (m_cells.empty() || windows.empty())
        return;
    const QCPAxis* y = mainRect().axis(QCPAxis::atLeft);
    const QRectF rect = mainRect().rect();
    const auto rowRect = [&](std::size_t row, double left, double right) {
        const double bottom = y->coordToPixel(m_edgesUs[row]);
        const double top = y->coordToPixel(m_edgesUs[row + 1]);
        return QRectF(left, top, right - left, bottom - top);
    };
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.setClipRect(rect);
    if (isVector(painter)) {
        painter.setPen(Qt::NoPen);
        for (const Cell& cell : m_cells) {
            const double left = std::max(pixelOfTime(windows[cell.column].span.fromNs), rect.left());
            const double right = std::min(pixelOfTime(windows[cell.column].span.toNs), rect.right() + 1);
            if (right <= left)
                continue;
            // Overlapping the neighbours that are drawn later hides the seams viewers leave between cells.
            painter.fillRect(rowRect(cell.row, left, right).adjusted(0, -0.5, 0.5, 0),
                heatColor(theme(), fractionOf(cell)));
        }
        return;
    }
    QImage image(
        static_cast<int>(windows.size()), static_cast<int>(m_edgesUs.size()) - 1, QImage::Format_ARGB32);
    image.fill(Qt::transparent);
    for (const Cell& cell : m_cells)
        image.setPixelColor(
            static_cast<int>(cell.column), static_cast<int>(cell.row), heatColor(theme(), fractionOf(cell)));
    const double left = pixelOfTime(windows.front().span.fromNs);
    const double right = pixelOfTime(windows.back().span.toNs);
    for (std::size_t row = 0; row + 1 < m_edgesUs.size(); ++row)
        painter.drawImage(
            rowRect(row, left, right), image, QRectF(0, static_cast<double>(row), image.width(), 1));
}

void HeatmapChart::drawScale(QPainter& painter) {
    if (m_cells.empty())
        return;
    const QRectF rect = mainRect().rect();
    const QFontMetricsF metrics(fontFor(TextStyle::Caption));
    const double top = rect.top() + metrics.height() + 2;
    const QRectF bar(rect.right() + scaled(14), top, scaled(10), rect.bottom() - top - 4);
    if (bar.height() < 3 * metrics.height())
        return;
    const double step = bar.height() / scaleSteps;
    for (int i = 0; i < scaleSteps; ++i)
        painter.fillRect(QRectF(bar.left(), bar.bottom() - (i + 1) * step, bar.width(), step + 0.2),
            heatColor(theme(), (i + 0.5) / scaleSteps));
    painter.setFont(fontFor(TextStyle::Caption));
    painter.setPen(theme().color(ColorRole::Muted));
    painter.drawText(QPointF(bar.left(), rect.top() + metrics.ascent()),
        m_scale == Scale::Count ? tr("count") : tr("% of column"));
    double lastY = bar.bottom() + metrics.height();
    for (double value = m_scale == Scale::Count ? 1 : 0.1; value <= m_highest * 1.0001; value *= 10) {
        const double y = bar.bottom() - bar.height() * std::log1p(value) / std::log1p(m_highest);
        if (lastY - y < metrics.height())
            continue;
        painter.drawText(QPointF(bar.right() + 6, std::min(y + metrics.ascent() / 2 - 1, bar.bottom() + 3)),
            value < 1 ? format::number(value, 1) : format::number(value));
        lastY = y;
    }
}

TimeChart::Readout HeatmapChart::readoutAt(std::int64_t atNs) const {
    Readout readout;
    readout.time = format::clock(atNs);
    const LatencySummary* window = m_cache.at(atNs);
    if (!window || window->count == 0) {
        readout.caption = window && window->isGap ? tr("no data") : tr("no requests");
        return readout;
    }
    readout.time = format::clock(window->span.fromNs);
    readout.caption = windowText(m_windowNs);
    const auto column = static_cast<std::size_t>(window - m_cache.current().data());
    const Cell* fullest = nullptr;
    for (const Cell& cell : m_cells) {
        if (cell.column == column && (!fullest || cell.count > fullest->count))
            fullest = &cell;
    }
    readout.items.push_back({QColor(), tr("requests"), format::number(static_cast<double>(window->count))});
    if (fullest) {
        readout.items.push_back({QColor(),
            tr("most, at %1 to %2:")
                .arg(format::latency(m_edgesUs[fullest->row]), format::latency(m_edgesUs[fullest->row + 1])),
            m_scale == Scale::Count
                ? format::number(fullest->count)
                : format::number(100 * fullest->count / static_cast<double>(window->count), 1)
                    + QStringLiteral(" %")});
    }
    return readout;
}

ChartTable HeatmapChart::table(models::TimeSpan span) const {
    return tableMaker(span)();
}

std::function<ChartTable()> HeatmapChart::tableMaker(models::TimeSpan span) const {
    // The histograms are shared and immutable; making ten thousands of rows of them is what takes long.
    WindowCache windows(history());
    return [taken = windows.windows(span, 2 * windowLengthNs(span, history().recorded()), slot())] {
        return heatmapTable(taken);
    };
}

std::optional<metrics::Histogram> HeatmapChart::latencies(models::TimeSpan span) const {
    return history().merged(span, slot());
}

ChartMetadata HeatmapChart::metadata(models::TimeSpan span) const {
    ChartMetadata result = TimeChart::metadata(span);
    addLatencyMetadata(result, history(), span, 2 * windowLengthNs(span, history().recorded()), slot());
    return result;
}

std::unique_ptr<ChartView> HeatmapChart::twin(models::TimeCursor* time) const {
    auto result = std::make_unique<HeatmapChart>(&history(), time);
    copySettingsTo(*result);
    result->setScale(m_scale);
    return result;
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/time_chart.h"

#include "ui/charts/plot_style.h"
#include "ui/charts/qcp.h"
#include "ui/theme/format.h"

#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>

namespace yardmaster::ui {

namespace {

constexpr double nsPerS = 1e9;
constexpr std::int64_t shortestZoomNs = 2'000'000'000;
constexpr int dragThresholdPx = 6;
constexpr int markerRows = 3;
constexpr int readoutRowPx = 22;

double toSeconds(std::int64_t unixNs) {
    return static_cast<double>(unixNs) / nsPerS;
}

/// Where a marker's name stands: beside its line, at the side and in the row that are free.
struct Taken {
    int row;
    double from, to;
};

std::optional<Taken> findPlace(
    double lineX, double width, const QRectF& rect, const std::vector<Taken>& taken, double nextLineX) {
    const auto isFree = [&taken](const Taken& place) {
        return std::none_of(taken.begin(), taken.end(), [&place](const Taken& other) {
            return other.row == place.row && other.from < place.to + 4 && place.from < other.to + 4;
        });
    };
    for (int row = 0; row < markerRows; ++row) {
        const Taken right{row, lineX + 5, lineX + 5 + width};
        if (right.to <= rect.right() && (right.to < nextLineX || row > 0) && isFree(right))
            return right;
        const Taken left{row, lineX - 5 - width, lineX - 5};
        if (left.from >= rect.left() && isFree(left))
            return left;
    }
    return std::nullopt;
}

} // namespace

TimeChart::TimeChart(const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent)
    : ChartView(history, time, parent)
    , m_plot(makePlot(this)) {
    setFocusPolicy(Qt::StrongFocus);
    m_mainRect = m_plot->axisRect();
    m_mainRect->setAutoMargins(QCP::msNone);
    m_plot->plotLayout()->setRowSpacing(0);
    useTimeTicks(*m_mainRect->axis(QCPAxis::atBottom));
    m_crosshairLayer = m_plot->layer(QStringLiteral("crosshair"));
    addPainting(
        *m_plot, QStringLiteral("decoration"), [this](QPainter& painter) { drawDecoration(painter); });
    addPainting(*m_plot, QStringLiteral("crosshair"), [this](QPainter& painter) { drawCrosshair(painter); });
    m_plot->installEventFilter(this);
}

TimeChart::~TimeChart() = default;

QSize TimeChart::minimumSizeHint() const {
    return {scaled(240), scaled(110) + (m_strip ? scaled(50) : 0)};
}

QSize TimeChart::sizeHint() const {
    return {scaled(640), scaled(190) + (m_strip ? scaled(60) : 0)};
}

QCPAxisRect& TimeChart::addStrip(int heightPx) {
    m_strip = new QCPAxisRect(m_plot);
    m_strip->setAutoMargins(QCP::msNone);
    m_strip->setMinimumSize(0, heightPx);
    m_strip->setMaximumSize(QWIDGETSIZE_MAX, heightPx);
    m_plot->plotLayout()->addElement(1, 0, m_strip);
    m_mainRect->axis(QCPAxis::atBottom)->setTickLabels(false);
    useTimeTicks(*m_strip->axis(QCPAxis::atBottom));
    return *m_strip;
}

void TimeChart::layOut(int widthPx, int readoutPx) {
    m_compact = widthPx < scaled(520);
    const QFontMetrics metrics(fontFor(TextStyle::Caption));
    // The same for all charts of a width, so that their times stand under each other.
    const int left = metrics.horizontalAdvance(QStringLiteral("000,000")) + scaled(10);
    const int right = m_compact && !m_needsRightMargin ? scaled(12) : scaled(100);
    const int axisHeight = metrics.height() + scaled(8);
    const int legendHeight = m_compact && !m_strip && !m_needsRightMargin ? scaled(22) : 0;
    m_mainRect->setMargins(
        QMargins(left, readoutPx, right, m_strip ? scaled(10) : axisHeight + legendHeight));
    if (m_strip)
        m_strip->setMargins(QMargins(left, 0, right, axisHeight));
    // Labels are about 40 px wide: as many as leave as much between them.
    const int ticks = std::max(2, (widthPx - left - right) / scaled(80));
    for (QCPAxisRect* rect : m_plot->axisRects())
        rect->axis(QCPAxis::atBottom)->ticker()->setTickCount(ticks);
}

models::TimeSpan TimeChart::axisSpan() const {
    const QCPRange range = m_mainRect->axis(QCPAxis::atBottom)->range();
    return {std::llround(range.lower * nsPerS), std::llround(range.upper * nsPerS)};
}

QRect TimeChart::plotArea() const {
    return m_mainRect->rect();
}

double TimeChart::pixelOfTime(std::int64_t atNs) const {
    return m_mainRect->axis(QCPAxis::atBottom)->coordToPixel(toSeconds(atNs));
}

std::int64_t TimeChart::timeOfPixel(double x) const {
    return std::llround(m_mainRect->axis(QCPAxis::atBottom)->pixelToCoord(x) * nsPerS);
}

std::int64_t TimeChart::stepNs() const {
    return std::max<std::int64_t>((shownSpan().toNs - shownSpan().fromNs) / 150, 100'000'000);
}

QString TimeChart::emptyText() const {
    return history().recorded() ? QString() : tr("No samples yet");
}

void TimeChart::setEndLabels(std::vector<EndLabel> labels) {
    m_endLabels = std::move(labels);
}

void TimeChart::setMarkerNames(bool shown) {
    m_markerNames = shown;
    requestRefresh();
}

QString TimeChart::readoutText() const {
    if (!timeCursor()->crosshairNs())
        return {};
    const Readout readout = readoutAt(*timeCursor()->crosshairNs());
    QString text = readout.time;
    for (const ReadoutItem& item : readout.items)
        text += QStringLiteral("  ") + item.name + u' ' + item.value;
    return text;
}

void TimeChart::rebuild() {
    const models::TimeSpan span = shownSpan();
    for (QCPAxisRect* rect : m_plot->axisRects())
        rect->axis(QCPAxis::atBottom)->setRange(toSeconds(span.fromNs), toSeconds(span.toNs));
    m_gaps = history().gaps(span);
    m_markers = history().markers(span);
    std::sort(m_markers.begin(), m_markers.end(),
        [](const models::Marker& a, const models::Marker& b) { return a.atNs < b.atNs; });
    layOut(width(), scaled(readoutRowPx));
    updateData(span);
    followScreen(*m_plot);
    m_plot->replot(QCustomPlot::rpQueuedRefresh);
}

void TimeChart::render(QCPPainter& painter, QSize size) {
    layOut(size.width(), scaled(4)); // a file has no crosshair
    paintPlot(*m_plot, painter, size);
    layOut(width(), scaled(readoutRowPx));
}

void TimeChart::applyTheme() {
    themePlot(*m_plot, theme());
}

void TimeChart::moveCrosshair() {
    m_crosshairLayer->replot();
}

void TimeChart::resizeEvent(QResizeEvent* event) {
    ChartView::resizeEvent(event);
    requestRefresh();
}

QRectF TimeChart::fullRect() const {
    QRectF rect = m_mainRect->rect();
    if (m_strip)
        rect.setBottom(m_strip->rect().bottom());
    return rect;
}

QRectF TimeChart::readoutRow() const {
    const QRectF rect = m_mainRect->rect();
    const double top = rect.top() - scaled(readoutRowPx);
    return {rect.left(), top, m_plot->viewport().right() - scaled(12) - rect.left(), double(scaled(18))};
}

void TimeChart::drawDecoration(QPainter& painter) {
    drawGaps(painter);
    drawMarkers(painter);
    if (!m_compact || m_needsRightMargin) {
        for (const EndLabel& label : placedLabels())
            drawEndLabel(painter, m_mainRect->rect().right() + 1, label, theme());
    }
    const QString text = emptyText();
    if (!text.isEmpty()) {
        painter.setFont(fontFor(TextStyle::Body));
        painter.setPen(theme().color(ColorRole::Muted));
        painter.drawText(QRectF(m_mainRect->rect()), Qt::AlignCenter, text);
    }
}

std::vector<EndLabel> TimeChart::placedLabels() const {
    const QRectF rect = m_mainRect->rect();
    const QCPAxis* axis = m_mainRect->axis(QCPAxis::atLeft);
    std::vector<EndLabel> labels = m_endLabels;
    for (EndLabel& label : labels) {
        label.anchor = std::clamp(axis->coordToPixel(label.at), rect.top(), rect.bottom());
        label.at = label.anchor;
    }
    // Of equal values the one named last stands higher: labels are named from low to high.
    std::reverse(labels.begin(), labels.end());
    std::stable_sort(
        labels.begin(), labels.end(), [](const EndLabel& a, const EndLabel& b) { return a.at < b.at; });
    std::vector<double> positions;
    for (const EndLabel& label : labels)
        positions.push_back(label.at);
    positions = pushedApart(std::move(positions), scaled(14), rect.top() + 4, rect.bottom() - 4);
    for (std::size_t i = 0; i < labels.size(); ++i)
        labels[i].at = positions[i];
    return labels;
}

void TimeChart::drawGaps(QPainter& painter) {
    const QRectF rect = m_mainRect->rect();
    for (const models::Gap& gap : m_gaps) {
        const double from = std::max(pixelOfTime(gap.span.fromNs), rect.left());
        const double to = std::min(std::max(pixelOfTime(gap.span.toNs), from + 3), rect.right());
        if (to <= from)
            continue;
        drawHatchedBand(painter, QRectF(from, rect.top(), to - from, rect.height()), theme());
        if (m_strip)
            drawHatchedBand(
                painter, QRectF(from, m_strip->rect().top(), to - from, m_strip->rect().height()), theme());
        if (!m_markerNames)
            continue;
        const double width = QFontMetricsF(fontFor(TextStyle::Caption)).horizontalAdvance(gap.reason);
        const double y = rect.bottom() - scaled(16);
        QRectF place(from - 5 - width, y, width, scaled(14));
        if (place.left() < rect.left() + 2)
            place.moveLeft(to + 5);
        if (place.right() < rect.right())
            drawTextOnPanel(
                painter, place, Qt::AlignLeft, gap.reason, theme().color(ColorRole::Muted), theme());
    }
}

void TimeChart::drawMarkers(QPainter& painter) {
    const QRectF rect = fullRect();
    const QRectF main = m_mainRect->rect();
    const QFontMetricsF metrics(fontFor(TextStyle::Caption));
    std::vector<Taken> taken;
    // Lines first: no name may have one through it.
    for (const models::Marker& marker : m_markers) {
        const double x = std::round(pixelOfTime(marker.atNs)) + 0.5;
        if (m_halo) {
            painter.setPen(QPen(theme().color(ColorRole::Panel), 3));
            painter.drawLine(QLineF(x, rect.top(), x, rect.bottom()));
        }
        QPen pen(theme().color(ColorRole::Text), 1);
        pen.setDashPattern({3, 3});
        painter.setPen(pen);
        painter.drawLine(QLineF(x, rect.top(), x, rect.bottom()));
    }
    for (std::size_t i = 0; m_markerNames && i < m_markers.size(); ++i) {
        const double x = pixelOfTime(m_markers[i].atNs);
        const double next = i + 1 < m_markers.size() ? pixelOfTime(m_markers[i + 1].atNs) : 1e9;
        const double width = metrics.horizontalAdvance(m_markers[i].text);
        const auto place = findPlace(x, width, main, taken, next);
        if (!place)
            continue; // the line and the list of events still tell
        taken.push_back(*place);
        const double y = main.top() + place->row * scaled(14);
        const bool isBad = m_markers[i].severity == control::EventSeverity::Error;
        drawTextOnPanel(painter, QRectF(place->from, y, width, scaled(14)), Qt::AlignLeft, m_markers[i].text,
            theme().color(isBad ? ColorRole::Bad : ColorRole::Text), theme());
    }
}

void TimeChart::drawCrosshair(QPainter& painter) {
    const QRectF rect = fullRect();
    if (m_pressX && std::abs(m_dragX - *m_pressX) >= dragThresholdPx) {
        const double from = std::clamp<double>(std::min(*m_pressX, m_dragX), rect.left(), rect.right());
        const double to = std::clamp<double>(std::max(*m_pressX, m_dragX), rect.left(), rect.right());
        painter.fillRect(QRectF(from, rect.top(), to - from, rect.height()),
            withAlpha(theme().color(ColorRole::Accent), 0.18));
    }
    const std::optional<std::int64_t> at = timeCursor()->crosshairNs();
    if (!at)
        return;
    const double x = std::round(pixelOfTime(*at)) + 0.5;
    if (x < rect.left() || x > rect.right() + 1)
        return;
    if (m_halo) {
        painter.setPen(QPen(theme().color(ColorRole::Panel), 3));
        painter.drawLine(QLineF(x, rect.top(), x, rect.bottom()));
    }
    painter.setPen(QPen(theme().color(ColorRole::Text), 1));
    painter.drawLine(QLineF(x, rect.top(), x, rect.bottom()));
    const Readout readout = readoutAt(*at);
    const QCPAxis* axis = m_mainRect->axis(QCPAxis::atLeft);
    for (const auto& [value, color] : readout.dots) {
        if (!std::isfinite(value))
            continue;
        painter.setPen(QPen(theme().color(ColorRole::Panel), 1));
        painter.setBrush(color);
        painter.drawEllipse(QPointF(x, axis->coordToPixel(value)), 3, 3);
    }
    drawReadout(painter, readoutRow(), readout.time, readout.caption, readout.items, theme());
}

// Hover moves the crosshair of all charts; a drag chooses a range; a double click goes back to live.
bool TimeChart::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_plot)
        return ChartView::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::MouseButtonPress: {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        if (mouse->button() == Qt::LeftButton)
            press(mouse->pos().x());
        setFocus(Qt::MouseFocusReason);
        return false;
    }
    case QEvent::MouseMove:
        drag(static_cast<QMouseEvent*>(event)->pos().x());
        return false;
    case QEvent::MouseButtonRelease:
        if (static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton)
            release(static_cast<QMouseEvent*>(event)->pos().x());
        return false;
    case QEvent::MouseButtonDblClick:
        m_pressX.reset();
        resetZoom();
        return false;
    case QEvent::Leave:
        timeCursor()->setCrosshair(std::nullopt);
        return false;
    default:
        return ChartView::eventFilter(watched, event);
    }
}

void TimeChart::press(int x) {
    const QRectF rect = fullRect();
    if (x >= rect.left() && x <= rect.right()) {
        m_pressX = x;
        m_dragX = x;
    }
}

void TimeChart::drag(int x) {
    const QRectF rect = fullRect();
    m_dragX = x;
    const bool isInside = x >= rect.left() && x <= rect.right();
    timeCursor()->setCrosshair(isInside ? std::optional(timeOfPixel(x)) : std::nullopt);
    if (m_pressX)
        moveCrosshair();
}

void TimeChart::release(int x) {
    if (!m_pressX)
        return;
    const int from = std::exchange(m_pressX, std::nullopt).value_or(0);
    if (std::abs(x - from) < dragThresholdPx) {
        moveCrosshair();
        return;
    }
    const QRectF rect = fullRect();
    const auto inside = [&rect](int px) { return std::clamp<double>(px, rect.left(), rect.right()); };
    models::TimeSpan span{timeOfPixel(inside(std::min(from, x))), timeOfPixel(inside(std::max(from, x)))};
    if (span.toNs - span.fromNs < shortestZoomNs) {
        const std::int64_t middle = span.fromNs + (span.toNs - span.fromNs) / 2;
        span = {middle - shortestZoomNs / 2, middle + shortestZoomNs / 2};
    }
    timeCursor()->setSpan(span);
}

void TimeChart::resetZoom() {
    timeCursor()->setLengthNs(timeCursor()->lengthNs());
}

void TimeChart::keyPressEvent(QKeyEvent* event) {
    const models::TimeSpan span = shownSpan();
    const std::int64_t at = timeCursor()->crosshairNs().value_or(span.toNs);
    const std::int64_t step = stepNs() * (event->modifiers() & Qt::ShiftModifier ? 10 : 1);
    const auto moveTo = [this, &span](std::int64_t wanted) {
        timeCursor()->setCrosshair(std::clamp(wanted, span.fromNs, span.toNs));
    };
    switch (event->key()) {
    case Qt::Key_Left:
        moveTo(at - step);
        break;
    case Qt::Key_Right:
        moveTo(at + step);
        break;
    case Qt::Key_Home:
        moveTo(span.fromNs);
        break;
    case Qt::Key_End:
        moveTo(span.toNs);
        break;
    case Qt::Key_Escape:
        if (!timeCursor()->crosshairNs()) {
            ChartView::keyPressEvent(event);
            return;
        }
        timeCursor()->setCrosshair(std::nullopt);
        break;
    default:
        ChartView::keyPressEvent(event);
        return;
    }
    event->accept();
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_view.h"

#include <QDateTime>
#include <QEvent>
#include <QTimer>

namespace yardmaster::ui {

namespace {

constexpr int textsEveryMs = 500;

QString isoTime(std::int64_t unixNs) {
    return QDateTime::fromMSecsSinceEpoch(unixNs / 1'000'000, Qt::UTC).toString(Qt::ISODateWithMs);
}

} // namespace

ChartView::ChartView(const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent)
    : QWidget(parent)
    , m_history(history)
    , m_time(time)
    , m_refreshTimer(new QTimer(this)) {
    Q_ASSERT(history && time);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    // A snapshot changes the history and then moves the range: one replot for both.
    m_refreshTimer->setSingleShot(true);
    m_refreshTimer->setInterval(0);
    connect(m_refreshTimer, &QTimer::timeout, this, &ChartView::runRefresh);
    connect(history, &models::MetricsHistory::changed, this, &ChartView::requestRefresh);
    connectCursor();
}

ChartView::~ChartView() = default;

void ChartView::connectCursor() {
    connect(m_time, &models::TimeCursor::spanChanged, this, &ChartView::requestRefresh);
    connect(m_time, &models::TimeCursor::crosshairChanged, this, [this] {
        if (isWatched())
            moveCrosshair();
        else
            m_dirty = true;
    });
}

void ChartView::setTimeCursor(models::TimeCursor* time) {
    Q_ASSERT(time);
    if (time == m_time)
        return;
    if (m_time)
        m_time->disconnect(this);
    m_time = time;
    connectCursor();
    requestRefresh();
}

void ChartView::setSlot(std::optional<std::uint32_t> slot) {
    if (slot == m_slot)
        return;
    m_slot = slot;
    m_textsDue = true;
    m_textsAtMs = 0;
    slotChanged();
    requestRefresh();
}

void ChartView::setActive(bool active) {
    m_active = active;
    if (isWatched() && m_dirty)
        requestRefresh();
}

bool ChartView::isWatched() const {
    return m_active && isVisible();
}

models::TimeSpan ChartView::shownSpan() const {
    return m_time->span();
}

models::TimeSpan ChartView::recordedSpan() const {
    return history().recorded().value_or(models::TimeSpan{});
}

std::function<ChartTable()> ChartView::tableMaker(models::TimeSpan span) const {
    return [made = table(span)] { return made; };
}

std::optional<metrics::Histogram> ChartView::latencies(models::TimeSpan) const {
    return std::nullopt;
}

ChartMetadata ChartView::metadata(models::TimeSpan span) const {
    ChartMetadata result{
        {QStringLiteral("title"), title()},
        {QStringLiteral("target"), m_target},
        {QStringLiteral("workers"),
            m_slot && filtersBySlot() ? tr("worker %1").arg(*m_slot) : tr("all workers")},
        {QStringLiteral("range_from"), isoTime(span.fromNs)},
        {QStringLiteral("range_to"), isoTime(span.toNs)},
        {QStringLiteral("exported_at"), QDateTime::currentDateTimeUtc().toString(Qt::ISODate)},
        {QStringLiteral("generator"), QStringLiteral("Yardmaster " YARDMASTER_VERSION)},
    };
    return result;
}

void ChartView::setThemeOverride(const Theme* theme) {
    m_themeOverride = theme;
    m_themeDirty = true;
    requestRefresh();
}

const Theme& ChartView::theme() const {
    return m_themeOverride ? *m_themeOverride : themeOf(this);
}

QWidget* ChartView::createHeadWidget(QWidget*) {
    return nullptr;
}

void ChartView::requestRefresh() {
    m_dirty = true;
    if (isWatched() && !m_refreshTimer->isActive())
        m_refreshTimer->start();
}

void ChartView::runRefresh() {
    if (m_dirty && isWatched())
        refresh();
}

void ChartView::refresh() {
    m_dirty = false;
    const qint64 nowMs = QDateTime::currentMSecsSinceEpoch();
    m_textsDue = nowMs - m_textsAtMs >= textsEveryMs || !m_time->isLive();
    if (m_textsDue)
        m_textsAtMs = nowMs;
    if (std::exchange(m_themeDirty, false))
        applyTheme();
    ++m_replotCount;
    rebuild();
}

void ChartView::setSubTitle(const QString& text, const QString& shortText) {
    if (text == m_subTitle)
        return;
    m_subTitle = text;
    m_shortSubTitle = shortText;
    emit subTitleChanged(text);
}

void ChartView::setSummary(const QString& text) {
    if (text == m_summary)
        return;
    m_summary = text;
    setAccessibleName(title());
    setAccessibleDescription(text);
    emit summaryChanged(text);
}

void ChartView::copySettingsTo(ChartView& other) const {
    other.setSlot(m_slot);
    other.setTarget(m_target);
    other.setThemeOverride(&theme());
}

void ChartView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_dirty)
        requestRefresh();
}

void ChartView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    switch (event->type()) {
    case QEvent::PaletteChange:
    case QEvent::StyleChange:
    case QEvent::FontChange:
    case QEvent::ApplicationFontChange:
    case QEvent::LocaleChange:
        m_themeDirty = true;
        requestRefresh();
        break;
    default:
        break;
    }
}

} // namespace yardmaster::ui

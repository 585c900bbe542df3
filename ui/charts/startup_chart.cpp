// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/startup_chart.h"

#include "ui/charts/chart_drawing.h"
#include "ui/charts/plot_style.h"
#include "ui/charts/qcp.h"
#include "ui/dialogs/worker_texts.h"
#include "ui/theme/format.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace yardmaster::ui {

namespace {

struct Phase {
    const char* key;
    ColorRole role;
    std::optional<double> models::StartupRecord::*endMs;
};
const std::array phases{
    Phase{QT_TRANSLATE_NOOP("StartupChart", "spawned"), ColorRole::PhaseSpawned,
        &models::StartupRecord::spawnedMs},
    Phase{QT_TRANSLATE_NOOP("StartupChart", "listeners"), ColorRole::PhaseListeners,
        &models::StartupRecord::listenersMs},
    Phase{QT_TRANSLATE_NOOP("StartupChart", "state"), ColorRole::PhaseState, &models::StartupRecord::stateMs},
    Phase{QT_TRANSLATE_NOOP("StartupChart", "ready"), ColorRole::PhaseReady, &models::StartupRecord::readyMs},
    Phase{QT_TRANSLATE_NOOP("StartupChart", "first request"), ColorRole::PhaseFirstRequest,
        &models::StartupRecord::firstRequestMs},
};
constexpr int firstRequestPhase = 4;
constexpr int barPx = 14, thinBarPx = 6;

QString msText(const std::optional<double>& ms) {
    return ms ? format::latencyMs(*ms * 1000) : format::unknown();
}

QFont strongCaption() {
    QFont font = fontFor(TextStyle::Caption);
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

struct StartupChart::Geometry {
    QRectF area, plot; ///< plot: where the bars are
    double nameX = 0, versionX = 0, readyRight = 0, firstRight = 0;
    double rowHeight = 0;
    std::vector<Row> rows;
    std::size_t leftOut = 0;
};

StartupChart::StartupChart(const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent)
    : ChartView(history, time, parent) {
    setSubTitle(tr("ms since spawn, one bar a worker"));
}

StartupChart::~StartupChart() = default;

models::TimeSpan StartupChart::shownSpan() const {
    return recordedSpan();
}

QSize StartupChart::minimumSizeHint() const {
    return {scaled(300), scaled(150)};
}

QSize StartupChart::sizeHint() const {
    return {scaled(440), scaled(90 + 28 * std::max(4, static_cast<int>(m_rows.size())))};
}

void StartupChart::rebuild() {
    m_records = history().startups();
    for (models::StartupRecord& record : m_records)
        record.version = versionText(record.version);
    m_rows = rowsFor(m_records.size());
    double ready = 0, first = 0;
    for (const Row& row : m_rows) {
        for (const Phase& phase : phases) {
            const double end = (row.record.*phase.endMs).value_or(0);
            double& highest = phase.role == ColorRole::PhaseFirstRequest ? first : ready;
            highest = std::max(highest, end);
        }
    }
    // A worker that waits a minute for its first request must not press the phases into one pixel.
    const double longest = std::max({ready * 1.1, std::min(first, ready * 2.2), 0.1});
    const double step = roundUp(longest / 6);
    const double wanted = step * std::ceil(longest / step);
    m_axisMs = steadyBound(m_axisMs, wanted);

    if (m_rows.empty()) {
        setSummary(tr("No worker was started while this console watched"));
    } else {
        QString text;
        for (const Row& row : m_rows)
            text += tr("Worker %1 %2: ready after %3 ms, first request after %4 ms. ")
                        .arg(row.name, row.record.version, msText(row.record.readyMs),
                            msText(row.record.firstRequestMs));
        setSummary(text.trimmed());
    }
    update();
}

std::vector<StartupChart::Row> StartupChart::rowsFor(std::size_t most) const {
    std::map<std::uint32_t, std::vector<const models::StartupRecord*>> bySlot; // newest first
    for (const models::StartupRecord& record : m_records)
        bySlot[record.slot ? record.slot : record.workerId].push_back(&record);
    std::vector<std::uint32_t> order;
    std::size_t pairs = 0;
    for (const auto& [key, records] : bySlot) {
        order.push_back(key);
        pairs += records.size() > 1 ? 1 : 0;
    }
    std::stable_partition(order.begin(), order.end(), [this](std::uint32_t key) { return slot() == key; });
    const bool onlyMarkedPairs = order.size() + pairs > most;
    std::vector<Row> rows;
    for (const std::uint32_t key : order) {
        const auto& records = bySlot[key];
        const bool isMarked = slot() == key;
        const bool isPair = records.size() > 1 && (isMarked || !onlyMarkedPairs);
        const QString name = QString::number(key);
        rows.push_back({*records[0], isPair ? tr("%1 new").arg(name) : name, isMarked});
        if (isPair)
            rows.push_back({*records[1], tr("%1 old").arg(name), isMarked});
    }
    return rows;
}

StartupChart::Geometry StartupChart::geometryFor(const QRectF& area) const {
    const QFontMetricsF metrics(fontFor(TextStyle::Caption));
    Geometry geometry;
    geometry.area = area;
    const double headHeight = metrics.height() + scaled(6);
    const double axisHeight = metrics.height() + scaled(8);
    const double legendHeight = metrics.height() + scaled(14);
    const double room = area.height() - headHeight - axisHeight - legendHeight;
    const double least = scaled(20);
    const auto most = static_cast<std::size_t>(std::max(1.0, std::floor(room / least)));
    geometry.rows = rowsFor(most);
    if (geometry.rows.size() > most) {
        geometry.leftOut = geometry.rows.size() - most;
        geometry.rows.resize(most);
    }
    const double rows = std::max<double>(1, static_cast<double>(geometry.rows.size()));
    geometry.rowHeight = std::clamp(room / rows, least, double(scaled(34)));

    double nameWidth = 0, versionWidth = 0;
    for (const Row& row : geometry.rows) {
        nameWidth = std::max(nameWidth, QFontMetricsF(strongCaption()).horizontalAdvance(row.name));
        versionWidth = std::max(versionWidth, metrics.horizontalAdvance(row.record.version));
    }
    const double columnWidth = metrics.horizontalAdvance(QStringLiteral("000.00")) + scaled(8);
    geometry.nameX = area.left() + scaled(12);
    geometry.versionX = geometry.nameX + nameWidth + scaled(12);
    geometry.firstRight = area.right() - scaled(12);
    geometry.readyRight = geometry.firstRight - columnWidth;
    const double left = geometry.versionX + versionWidth + (versionWidth > 0 ? scaled(10) : 0);
    geometry.plot = QRectF(
        left, area.top() + headHeight, geometry.readyRight - columnWidth - left, geometry.rowHeight * rows);
    return geometry;
}

void StartupChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paint(painter, rect());
}

void StartupChart::render(QCPPainter& painter, QSize size) {
    painter.fillRect(QRectF(QPointF(), size), theme().color(ColorRole::Panel));
    painter.setAntialiasing(true);
    paint(painter, QRectF(QPointF(), size));
}

void StartupChart::paint(QPainter& painter, const QRectF& area) const {
    if (m_rows.empty()) {
        painter.setFont(fontFor(TextStyle::Body));
        painter.setPen(theme().color(ColorRole::Muted));
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, summary());
        return;
    }
    const Geometry geometry = geometryFor(area);
    for (std::size_t i = 0; i < geometry.rows.size(); ++i) {
        if (geometry.rows[i].isMarked)
            painter.fillRect(
                QRectF(area.left(), geometry.plot.top() + static_cast<double>(i) * geometry.rowHeight,
                    area.width(), geometry.rowHeight),
                withAlpha(theme().color(ColorRole::Selection), 0.55));
    }
    paintAxis(painter, geometry);
    for (std::size_t i = 0; i < geometry.rows.size(); ++i)
        paintRow(painter, geometry, geometry.rows[i],
            QRectF(area.left(), geometry.plot.top() + static_cast<double>(i) * geometry.rowHeight,
                area.width(), geometry.rowHeight));
    paintLegend(painter, geometry);
}

void StartupChart::paintAxis(QPainter& painter, const Geometry& geometry) const {
    const QFontMetricsF metrics(fontFor(TextStyle::Caption));
    const QRectF& plot = geometry.plot;
    painter.setFont(fontFor(TextStyle::Caption));
    const double baseline = geometry.area.top() + metrics.ascent() + 2;
    painter.setPen(theme().color(ColorRole::Muted));
    for (const auto& [right, text] :
        {std::pair(geometry.readyRight, tr("ready")), std::pair(geometry.firstRight, tr("first"))})
        painter.drawText(QPointF(right - metrics.horizontalAdvance(text), baseline), text);

    const double step = roundUp(m_axisMs / std::clamp(plot.width() / scaled(60), 2.0, 6.0) * 0.999);
    for (int i = 0; i * step <= m_axisMs * 1.0001; ++i) {
        const double value = i * step;
        const double x = std::round(plot.left() + plot.width() * value / m_axisMs) + 0.5;
        painter.setPen(QPen(theme().color(ColorRole::ChartGrid), 1));
        painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()));
        QString text = format::number(value, step < 0.1 ? 2 : step < 1 || step == 2.5 ? 1 : 0);
        double textX = x - metrics.horizontalAdvance(text) / 2;
        if ((i + 1) * step > m_axisMs * 1.0001)
            text += QStringLiteral(" ms");
        painter.setPen(theme().color(ColorRole::Muted));
        painter.drawText(QPointF(textX, plot.bottom() + metrics.ascent() + 4), text);
    }
    painter.setPen(QPen(theme().color(ColorRole::ControlBorder), 1));
    painter.drawLine(
        QLineF(plot.left(), std::round(plot.bottom()) + 0.5, plot.right(), std::round(plot.bottom()) + 0.5));
}

void StartupChart::paintRow(
    QPainter& painter, const Geometry& geometry, const Row& row, const QRectF& rect) const {
    const QFont font = fontFor(TextStyle::Caption);
    const QFont strong = strongCaption();
    const QFontMetricsF metrics(font);
    const double baseline = rect.center().y() + metrics.ascent() / 2 - 1;
    const bool isOld = row.record.age > 0;
    painter.setFont(row.isMarked ? strong : font);
    painter.setPen(theme().color(ColorRole::Text));
    painter.drawText(QPointF(geometry.nameX, baseline), row.name);
    painter.setFont(font);
    painter.setPen(theme().color(row.isMarked && !isOld ? ColorRole::Text : ColorRole::Muted));
    painter.drawText(QPointF(geometry.versionX, baseline), row.record.version);

    const double scale = geometry.plot.width() / m_axisMs;
    double from = 0;
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t i = 0; i < phases.size(); ++i) {
        const std::optional<double> end = row.record.*phases[i].endMs;
        if (!end || *end < from)
            continue;
        const double height = i == firstRequestPhase ? scaled(thinBarPx) : scaled(barPx);
        const double left = std::round(geometry.plot.left() + from * scale);
        const double right = std::round(geometry.plot.left() + std::min(*end, m_axisMs) * scale);
        painter.fillRect(
            QRectF(left, std::round(rect.center().y() - height / 2), std::max(right - left - 1, 1.0), height),
            theme().color(phases[i].role));
        from = *end;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    if (from > m_axisMs) {
        // The bar goes on: the number in the column says how far.
        QPolygonF arrow;
        const double x = geometry.plot.right() + 2, y = rect.center().y();
        arrow << QPointF(x, y - 4) << QPointF(x + 5, y) << QPointF(x, y + 4);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme().color(ColorRole::Muted));
        painter.drawPolygon(arrow);
    }
    const auto putRight = [&](double right, const QString& text, const QFont& textFont, ColorRole role) {
        painter.setFont(textFont);
        painter.setPen(theme().color(role));
        painter.drawText(QPointF(right - QFontMetricsF(textFont).horizontalAdvance(text), baseline), text);
    };
    putRight(geometry.readyRight, msText(row.record.readyMs), strong, ColorRole::Text);
    putRight(geometry.firstRight, msText(row.record.firstRequestMs), font, ColorRole::Muted);
}

void StartupChart::paintLegend(QPainter& painter, const Geometry& geometry) const {
    const QFontMetricsF metrics(fontFor(TextStyle::Caption));
    std::vector<ReadoutItem> items;
    for (const Phase& phase : phases)
        items.push_back({theme().color(phase.role), tr(phase.key), QString()});
    const double top = geometry.plot.bottom() + metrics.height() + scaled(8);
    const double bottom = geometry.area.bottom() - scaled(4);
    const QRectF row(geometry.nameX, std::max(top, bottom - metrics.height() - scaled(6)),
        geometry.area.right() - scaled(12) - geometry.nameX, metrics.height());
    drawLegend(painter, row, items, theme());
    if (geometry.leftOut > 0) {
        const QString text = tr("%1 more in the table").arg(geometry.leftOut);
        painter.setFont(fontFor(TextStyle::Caption));
        painter.setPen(theme().color(ColorRole::Muted));
        painter.drawText(QPointF(geometry.nameX, geometry.area.top() + metrics.ascent() + 2), text);
    }
}

bool StartupChart::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || m_rows.empty())
        return ChartView::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Geometry geometry = geometryFor(rect());
    const double offset = help->pos().y() - geometry.plot.top();
    const auto index = static_cast<std::size_t>(std::max(0.0, offset) / geometry.rowHeight);
    if (offset < 0 || index >= geometry.rows.size()) {
        QToolTip::hideText();
        return true;
    }
    const models::StartupRecord& record = geometry.rows[index].record;
    QString text = tr("Worker %1, pid %2").arg(geometry.rows[index].name).arg(record.pid);
    for (const Phase& phase : phases)
        text += u'\n' + tr("%1: %2 ms").arg(tr(phase.key), msText(record.*phase.endMs));
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

ChartTable StartupChart::table(models::TimeSpan span) const {
    using Kind = ChartColumn::Kind;
    const QString ms = QStringLiteral("ms");
    ChartTable table;
    table.columns = {{QStringLiteral("started"), tr("Started"), {}, Kind::Time, true, 0},
        {QStringLiteral("worker"), tr("Worker"), {}, Kind::Integer, true, 0},
        {QStringLiteral("slot"), tr("Slot"), {}, Kind::Integer, false, 0},
        {QStringLiteral("pid"), tr("PID"), {}, Kind::Text, false, 0},
        {QStringLiteral("version"), tr("Version"), {}, Kind::Text, false, 0},
        {QStringLiteral("generation"), tr("Generation"), {}, Kind::Integer, false, 0}};
    for (const Phase& phase : phases) {
        QString key = QString::fromLatin1(phase.key);
        table.columns.push_back({key.replace(u' ', u'_'), tr(phase.key), ms, Kind::Real, false, 2});
    }
    for (const models::StartupRecord& record : history().startups()) {
        // Workers that were started before the console was are in every range: their bars are on screen.
        if (record.startedUnixNs >= span.toNs && span.toNs > 0)
            continue;
        std::vector<QVariant> row{QVariant::fromValue<qlonglong>(record.startedUnixNs),
            QVariant::fromValue<qulonglong>(record.workerId), QVariant::fromValue<qulonglong>(record.slot),
            QString::number(record.pid), record.version, QVariant(record.age)};
        for (const Phase& phase : phases) {
            const std::optional<double> end = record.*phase.endMs;
            row.push_back(end ? QVariant(*end) : QVariant());
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

ChartMetadata StartupChart::metadata(models::TimeSpan span) const {
    ChartMetadata result = ChartView::metadata(span);
    result.emplace_back(QStringLiteral("units"), QStringLiteral("ms since spawn, cumulative"));
    result.emplace_back(
        QStringLiteral("source"), tr("phases stamped with the monotonic clock of the target's host"));
    return result;
}

std::unique_ptr<ChartView> StartupChart::twin(models::TimeCursor* time) const {
    auto result = std::make_unique<StartupChart>(&history(), time);
    copySettingsTo(*result);
    return result;
}

} // namespace yardmaster::ui

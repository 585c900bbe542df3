// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/worker_delegate.h"

#include "models/worker_table_model.h"
#include "ui/dialogs/worker_texts.h"
#include "ui/pages/sparkline.h"
#include "ui/theme/format.h"

#include <QPainter>

namespace yardmaster::ui {

using control::WorkerInfo;
using models::WorkerTableModel;

namespace {

template <typename T>
std::optional<double> asDouble(const std::optional<T>& value) {
    return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

QString count(const std::optional<std::uint64_t>& value) {
    return value ? format::number(static_cast<double>(*value)) : format::unknown();
}

bool isWords(int column) {
    return column == WorkerTableModel::Id || column == WorkerTableModel::State
        || column == WorkerTableModel::Version;
}

} // namespace

void paintRowBackground(
    QPainter& painter, const QStyleOptionViewItem& option, bool hovered, const Theme& theme) {
    if (option.state.testFlag(QStyle::State_Selected))
        painter.fillRect(option.rect, theme.color(ColorRole::Selection));
    else if (hovered)
        painter.fillRect(option.rect, theme.color(ColorRole::Hover));
    painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
        theme.color(ColorRole::Border));
}

void WorkerDelegate::setRates(QHash<std::uint32_t, std::vector<double>> rates, double maximum) {
    m_rates = std::move(rates);
    m_maximumRate = maximum;
}

QSize WorkerDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {scaled(60), scaled(28)};
}

QString WorkerDelegate::displayText(const QVariant& value, const QLocale&) const {
    return value.toString();
}

QString WorkerDelegate::cellText(const QModelIndex& index) {
    const QVariant role = index.data(WorkerTableModel::WorkerRole);
    if (!role.canConvert<WorkerInfo>())
        return index.data(Qt::DisplayRole).toString();
    const auto worker = role.value<WorkerInfo>();
    switch (static_cast<WorkerTableModel::Column>(index.column())) {
    case WorkerTableModel::Id:
        return workerName(worker);
    case WorkerTableModel::Pid:
        return worker.pid > 0 ? QString::number(worker.pid) : format::unknown();
    case WorkerTableModel::State:
        return stateText(worker);
    case WorkerTableModel::Version:
        return versionText(worker.version);
    case WorkerTableModel::Revision:
        return count(worker.revision);
    case WorkerTableModel::Uptime: {
        const QVariant seconds = index.data(WorkerTableModel::SortRole);
        return format::duration(seconds.isValid() ? std::optional(seconds.toDouble()) : std::nullopt);
    }
    case WorkerTableModel::Connections:
        return count(worker.connections);
    case WorkerTableModel::RequestRate:
        return format::rate(worker.requestsPerSecond);
    case WorkerTableModel::ErrorPercent:
        return format::percent(worker.errorPercent);
    case WorkerTableModel::P99:
        return format::latencyMs(worker.p99Us);
    case WorkerTableModel::Rss:
        return format::mebibytes(asDouble(worker.rssBytes));
    case WorkerTableModel::Cpu:
        return worker.cpuPercent ? format::number(*worker.cpuPercent) : format::unknown();
    case WorkerTableModel::ColumnCount:
        break;
    }
    return {};
}

void WorkerDelegate::paintRate(QPainter& painter, const QRect& cell, const WorkerInfo& worker,
    const QString& text, const QColor& ink, const Theme& theme) const {
    const int numberWidth = painter.fontMetrics().horizontalAdvance(QStringLiteral("00,000")) + scaled(4);
    const QRect number(cell.right() - numberWidth, cell.top(), numberWidth + 1, cell.height());
    painter.setPen(ink);
    painter.drawText(number, Qt::AlignRight | Qt::AlignVCenter, text);
    const int sparkWidth = std::min(scaled(70), number.left() - cell.left() - scaled(6));
    const auto rates = m_rates.constFind(worker.id);
    if (sparkWidth < scaled(24) || rates == m_rates.constEnd())
        return;
    const QRectF spark(number.left() - scaled(6) - sparkWidth, cell.top() + scaled(6), sparkWidth,
        cell.height() - scaled(13));
    const bool isOld = worker.replacedBy.has_value() || worker.state == control::WorkerState::Draining;
    const QColor line = theme.color(isOld ? ColorRole::GenOld : ColorRole::GenNew);
    QColor fill = line;
    fill.setAlphaF(theme.dark ? 0.18F : 0.14F);
    drawSparkline(painter, spark, *rates, rateSeconds, m_maximumRate, line, fill);
}

void WorkerDelegate::paint(
    QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& theme = themeOf(option.widget);
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    painter->save();
    paintRowBackground(*painter, option, index.row() == m_hoveredRow, theme);

    const auto worker = index.data(WorkerTableModel::WorkerRole).value<WorkerInfo>();
    const bool isStale = index.data(WorkerTableModel::StaleRole).toBool();
    // Two processes of one slot: "3 old" while it drains, "3 new" until it is ready.
    const bool isSecond = workerName(worker) != QString::number(workerNumber(worker));
    const int column = index.column();
    QColor ink = theme.color(selected ? ColorRole::SelectionText : ColorRole::Text);
    if (isStale || (isSecond && column == WorkerTableModel::Id) || !isLiving(worker))
        ink = theme.color(ColorRole::Muted);

    QString text = cellText(index);
    QRect cell = option.rect.adjusted(scaled(10), 0, -scaled(10), -1);
    painter->setFont(
        column == WorkerTableModel::Pid ? fontFor(TextStyle::Mono) : numberFontFor(TextStyle::Body));
    switch (column) {
    case WorkerTableModel::Id:
        if (isSecond)
            cell.setLeft(cell.left() + scaled(14));
        break;
    case WorkerTableModel::State: {
        const Glyph glyph = isStale ? Glyph::Unknown : stateGlyph(worker.state);
        drawGlyph(*painter, QRectF(cell.left(), cell.top(), scaled(12), cell.height()), glyph, theme);
        cell.setLeft(cell.left() + scaled(19));
        break;
    }
    case WorkerTableModel::Version:
        if (worker.replaces && isLiving(worker) && !text.isEmpty()) {
            // A fresh successor stands out as long as the target lists what it replaces.
            QFont font = fontFor(TextStyle::SubTitle);
            font.setWeight(QFont::DemiBold);
            painter->setFont(font);
            const QRectF tag(cell.left(), cell.center().y() - scaled(8),
                std::min(cell.width(), painter->fontMetrics().horizontalAdvance(text) + scaled(12)),
                scaled(17));
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(Qt::NoPen);
            painter->setBrush(theme.color(ColorRole::InfoBg));
            painter->drawRoundedRect(tag, 3, 3);
            cell.setLeft(cell.left() + scaled(6));
            ink = theme.color(isStale ? ColorRole::Muted : ColorRole::Accent);
        }
        break;
    case WorkerTableModel::ErrorPercent:
        if (!isStale && !selected && worker.errorPercent && *worker.errorPercent >= 1)
            ink = theme.color(ColorRole::Bad);
        break;
    case WorkerTableModel::RequestRate:
        paintRate(*painter, cell, worker, text, ink, theme);
        text.clear();
        break;
    default:
        break;
    }
    if (!text.isEmpty()) {
        painter->setPen(ink);
        const auto side = isWords(column) ? Qt::AlignLeft : Qt::AlignRight;
        painter->drawText(cell, static_cast<int>(side | Qt::AlignVCenter),
            painter->fontMetrics().elidedText(text, Qt::ElideRight, cell.width()));
    }
    if (option.state.testFlag(QStyle::State_HasFocus) && option.widget != nullptr
        && option.widget->hasFocus()) {
        painter->setPen(QPen(theme.color(ColorRole::Focus), 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -1.5));
    }
    painter->restore();
}

} // namespace yardmaster::ui

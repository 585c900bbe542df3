// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/target_table.h"

#include "ui/dialogs/worker_texts.h"
#include "ui/pages/sparkline.h"
#include "ui/pages/worker_delegate.h"
#include "ui/theme/format.h"

#include <QHeaderView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>

#include <array>
#include <cmath>

namespace yardmaster::ui {

namespace {

QString secondLine(const TargetTable::Row& row) {
    return targetSystemText(row.target) + QStringLiteral(", ")
        + workersText(static_cast<std::size_t>(row.workers));
}

QString cellText(const TargetTable::Row& row, int column) {
    switch (static_cast<TargetTable::Column>(column)) {
    case TargetTable::Name:
        return row.target.name;
    case TargetTable::State:
        return row.state;
    case TargetTable::RequestRate:
        return format::rate(row.requestsPerSecond);
    case TargetTable::ErrorPercent:
        return format::percent(row.errorPercent);
    case TargetTable::P50:
        return format::latencyMs(row.p50Us);
    case TargetTable::P99:
        return format::latencyMs(row.p99Us);
    case TargetTable::Connections:
        return row.connections ? format::number(*row.connections) : format::unknown();
    case TargetTable::ColumnCount:
        break;
    }
    return {};
}

class TargetDelegate final : public QStyledItemDelegate {
public:
    TargetDelegate(const std::vector<TargetTable::Row>* rows, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_rows(rows) { }

    void paint(
        QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = themeOf(option.widget);
        const TargetTable::Row& row = (*m_rows)[static_cast<std::size_t>(index.row())];
        painter->save();
        const bool isLast = index.row() == index.model()->rowCount() - 1;
        if (!isLast)
            painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                theme.color(ColorRole::Border));
        const QRect cell = option.rect.adjusted(scaled(10), 0, -scaled(10), -1);
        const QColor ink = theme.color(row.stale ? ColorRole::Muted : ColorRole::Text);
        painter->setFont(numberFontFor(TextStyle::Body));
        painter->setPen(ink);
        const QString text = cellText(row, index.column());
        if (index.column() == TargetTable::Name) {
            drawGlyph(*painter, QRectF(cell.left(), cell.top(), scaled(12), cell.height()),
                static_cast<Glyph>(row.glyph), theme);
            const QRect lines = cell.adjusted(scaled(20), scaled(4), scaled(6), -scaled(4));
            painter->drawText(lines, Qt::AlignLeft | Qt::AlignTop,
                painter->fontMetrics().elidedText(text, Qt::ElideRight, lines.width()));
            painter->setFont(numberFontFor(TextStyle::Caption));
            painter->setPen(theme.color(ColorRole::Muted));
            painter->drawText(lines, Qt::AlignLeft | Qt::AlignBottom,
                painter->fontMetrics().elidedText(secondLine(row), Qt::ElideRight, lines.width()));
        } else if (index.column() == TargetTable::State) {
            painter->drawText(cell, Qt::AlignLeft | Qt::AlignVCenter,
                painter->fontMetrics().elidedText(text, Qt::ElideRight, cell.width()));
        } else {
            painter->drawText(cell, Qt::AlignRight | Qt::AlignVCenter, text);
            if (index.column() == TargetTable::RequestRate)
                paintSpark(*painter, cell, row, theme);
        }
        painter->restore();
    }

private:
    static void paintSpark(
        QPainter& painter, const QRect& cell, const TargetTable::Row& row, const Theme& theme) {
        const int number = painter.fontMetrics().horizontalAdvance(QStringLiteral("00,000")) + scaled(8);
        const int width = std::min(scaled(64), cell.width() - number);
        if (width < scaled(20) || row.rates.empty())
            return;
        double maximum = 0;
        for (const double rate : row.rates)
            maximum = std::isnan(rate) ? maximum : std::max(maximum, rate);
        QColor fill = theme.color(ColorRole::GenNew);
        fill.setAlphaF(theme.dark ? 0.18F : 0.14F);
        drawSparkline(painter,
            QRectF(cell.right() - number - width, cell.top() + scaled(11), width, cell.height() - scaled(23)),
            row.rates, static_cast<int>(row.rates.size()), niceCeiling(maximum * 1.1),
            theme.color(ColorRole::GenNew), fill);
    }

    const std::vector<TargetTable::Row>* m_rows;
};

struct ColumnWidth {
    int least, share;
};
constexpr std::array<ColumnWidth, TargetTable::ColumnCount> columnWidths{
    {{152, 6}, {90, 3}, {106, 5}, {70, 2}, {64, 2}, {64, 2}, {96, 2}}};

} // namespace

TargetTable::TargetTable(QWidget* parent)
    : QTableView(parent)
    , m_model(new QStandardItemModel(0, ColumnCount, this)) {
    m_model->setHorizontalHeaderLabels({tr("Target"), tr("State"), tr("Requests/s"), tr("Errors %"),
        tr("p50 ms"), tr("p99 ms"), tr("Connections")});
    for (int column = RequestRate; column < ColumnCount; ++column)
        m_model->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    for (const int column : {Name, State})
        m_model->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    setModel(m_model);
    setItemDelegate(new TargetDelegate(&m_rows, this));
    setAccessibleName(tr("Targets"));
    setSelectionMode(QAbstractItemView::NoSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setFocusPolicy(Qt::NoFocus);
    setShowGrid(false);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(scaled(42));
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setMinimumSectionSize(scaled(40));
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsClickable(false);
    horizontalHeader()->setFixedHeight(scaled(28));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void TargetTable::setRows(std::vector<Row> rows) {
    m_rows = std::move(rows);
    if (m_model->rowCount() != static_cast<int>(m_rows.size())) {
        m_model->setRowCount(static_cast<int>(m_rows.size()));
        updateGeometry();
    }
    for (int row = 0; row < m_model->rowCount(); ++row) {
        for (int column = 0; column < ColumnCount; ++column) {
            const QString text = cellText(m_rows[static_cast<std::size_t>(row)], column);
            const QModelIndex index = m_model->index(row, column);
            if (index.data().toString() != text)
                m_model->setData(index, text);
        }
    }
    viewport()->update();
}

QSize TargetTable::sizeHint() const {
    return {scaled(500), scaled(28) + scaled(42) * std::max(1, static_cast<int>(m_rows.size())) + 2};
}

void TargetTable::fitColumns() {
    int used = 0, shares = 0, last = 0;
    for (int column = 0; column < ColumnCount; ++column) {
        const auto& width = columnWidths[static_cast<std::size_t>(column)];
        const bool fits = last == column && used + scaled(width.least) <= viewport()->width();
        setColumnHidden(column, !fits);
        if (!fits)
            continue;
        last = column + 1;
        used += scaled(width.least);
        shares += width.share;
    }
    int left = viewport()->width() - used;
    for (int column = 0; column < last; ++column) {
        const auto& width = columnWidths[static_cast<std::size_t>(column)];
        const int extra = left * width.share / std::max(1, shares);
        left -= extra;
        shares -= width.share;
        setColumnWidth(column, scaled(width.least) + extra);
    }
}

void TargetTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    fitColumns();
}

} // namespace yardmaster::ui

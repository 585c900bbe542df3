// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/worker_table.h"

#include "models/metrics_history.h"
#include "models/worker_table_model.h"
#include "ui/pages/sparkline.h"
#include "ui/pages/worker_delegate.h"
#include "ui/pages/worker_filter_model.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>

#include <array>
#include <cmath>

namespace yardmaster::ui {

using models::WorkerTableModel;

namespace {

struct ColumnWidth {
    int least; ///< px of the design
    int share; ///< of what is left
};

constexpr std::array<ColumnWidth, WorkerTableModel::ColumnCount> columnWidths{{
    {72, 4}, // Id: "12 old", indented
    {66, 3}, // PID
    {162, 4}, // State: "Draining, 1,234 left"
    {78, 3}, // Version
    {76, 3}, // Revision
    {94, 3}, // Uptime: "59 min 59 s"
    {102, 3}, // Connections
    {140, 5}, // Requests/s with its sparkline
    {76, 3}, // Errors %
    {68, 3}, // p99 ms
    {76, 3}, // RSS MiB
    {60, 3}, // CPU %
}};

} // namespace

WorkerTable::WorkerTable(
    models::WorkerTableModel* model, const models::MetricsHistory* history, QWidget* parent)
    : QTableView(parent)
    , m_model(model)
    , m_history(history)
    , m_proxy(new WorkerFilterModel(this))
    , m_delegate(new WorkerDelegate(this)) {
    m_proxy->setSourceModel(model);
    setModel(m_proxy);
    setItemDelegate(m_delegate);
    setObjectName(QStringLiteral("worker-table"));
    setAccessibleName(tr("Workers"));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setShowGrid(false);
    setTabKeyNavigation(false);
    setWordWrap(false);
    setMouseTracking(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setMinimumSectionSize(scaled(20)); // the style's least is more than a row of ours
    verticalHeader()->setDefaultSectionSize(scaled(28));
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setMinimumSectionSize(scaled(40));
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setFixedHeight(scaled(28));
    setSortingEnabled(true);
    sortByColumn(WorkerTableModel::Id, Qt::AscendingOrder);

    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &WorkerTable::takeSelection);
    connect(model, &QAbstractItemModel::dataChanged, this, &WorkerTable::followReplacement);
    connect(model, &QAbstractItemModel::rowsInserted, this, &WorkerTable::followReplacement);
    connect(model, &QAbstractItemModel::rowsRemoved, this, &WorkerTable::followReplacement);
}

void WorkerTable::setFilterText(const QString& text) {
    m_proxy->setFilterText(text);
    selectWorker(m_selected);
}

int WorkerTable::shownRows() const {
    return m_proxy->rowCount();
}

void WorkerTable::takeSelection() {
    if (m_selecting)
        return;
    const QModelIndexList rows = selectionModel()->selectedRows();
    if (rows.isEmpty())
        return; // a row that vanished; followReplacement() decides
    const std::uint32_t workerId = rows.first().data(WorkerTableModel::WorkerIdRole).toUInt();
    if (m_selected == workerId)
        return;
    m_selected = workerId;
    emit selectedWorkerChanged();
}

void WorkerTable::selectWorker(std::optional<std::uint32_t> workerId) {
    const bool isNew = workerId != m_selected;
    m_selected = workerId;
    m_selecting = true;
    const int sourceRow = workerId ? m_model->rowOf(*workerId) : -1;
    const QModelIndex index =
        sourceRow < 0 ? QModelIndex() : m_proxy->mapFromSource(m_model->index(sourceRow, 0));
    if (index.isValid()) {
        setCurrentIndex(index);
        selectRow(index.row());
    } else {
        clearSelection();
    }
    m_selecting = false;
    if (isNew)
        emit selectedWorkerChanged();
}

void WorkerTable::followReplacement() {
    if (!m_selected)
        return;
    const int row = m_model->rowOf(*m_selected);
    if (row >= 0 && !m_model->worker(row).replacedBy)
        return;
    for (int other = 0; other < m_model->rowCount(); ++other) {
        const control::WorkerInfo& worker = m_model->worker(other);
        const bool succeeds =
            worker.replaces == m_selected || (row >= 0 && m_model->worker(row).replacedBy == worker.id);
        // Once: an old worker that the user selects on purpose stays selected while its successor is known.
        if (succeeds && worker.id != *m_selected && m_followed != worker.id) {
            m_followed = worker.id;
            selectWorker(worker.id);
            return;
        }
    }
    if (row < 0)
        selectWorker({});
}

void WorkerTable::setColumnWanted(int column, bool wanted) {
    m_unwanted.removeAll(column);
    if (!wanted)
        m_unwanted.append(column);
    fitColumns();
}

void WorkerTable::fitColumns() {
    const int room = viewport()->width();
    QList<int> shown;
    int least = 0;
    for (int column = 0; column < WorkerTableModel::ColumnCount; ++column) {
        const int width = scaled(columnWidths[static_cast<std::size_t>(column)].least);
        const bool fits = isColumnWanted(column) && least + width <= room;
        // What does not fit takes what stands at its right with it: the order is by importance.
        if (isColumnWanted(column) && !fits)
            least = room + 1;
        setColumnHidden(column, !fits);
        if (fits) {
            shown.append(column);
            least += width;
        }
    }
    int used = 0, shares = 0;
    for (const int column : shown) {
        used += scaled(columnWidths[static_cast<std::size_t>(column)].least);
        shares += columnWidths[static_cast<std::size_t>(column)].share;
    }
    int left = room - used;
    for (const int column : shown) {
        const ColumnWidth& width = columnWidths[static_cast<std::size_t>(column)];
        const int extra = shares > 0 ? left * width.share / shares : 0;
        left -= extra;
        shares -= width.share;
        setColumnWidth(column, scaled(width.least) + extra);
    }
}

void WorkerTable::refreshRates() {
    QHash<std::uint32_t, std::vector<double>> rates;
    double maximum = 0;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const std::uint32_t workerId = m_model->worker(row).id;
        std::vector<double> values = m_history->recentRates(workerId, WorkerDelegate::rateSeconds);
        for (const double value : values)
            maximum = std::isnan(value) ? maximum : std::max(maximum, value);
        rates.insert(workerId, std::move(values));
    }
    m_delegate->setRates(std::move(rates), niceCeiling(maximum));
    viewport()->update();
}

QByteArray WorkerTable::toCsv() const {
    QByteArray csv;
    const auto append = [&csv](const QString& text, bool last) {
        QByteArray field = text.toUtf8();
        if (field.contains(',') || field.contains('"') || field.contains('\n'))
            field = '"' + field.replace('"', "\"\"") + '"';
        csv += field + (last ? "\r\n" : ",");
    };
    static const QStringList heads{QStringLiteral("id"), QStringLiteral("pid"), QStringLiteral("state"),
        QStringLiteral("version"), QStringLiteral("revision"), QStringLiteral("uptime_s"),
        QStringLiteral("connections"), QStringLiteral("requests_per_s"), QStringLiteral("errors_percent"),
        QStringLiteral("p99_us"), QStringLiteral("rss_bytes"), QStringLiteral("cpu_percent")};
    for (int column = 0; column < heads.size(); ++column)
        append(heads[column], column == heads.size() - 1);
    for (int row = 0; row < m_proxy->rowCount(); ++row) {
        for (int column = 0; column < heads.size(); ++column) {
            const QModelIndex index = m_proxy->index(row, column);
            const bool words = column == WorkerTableModel::Id || column == WorkerTableModel::State;
            append(
                words ? WorkerDelegate::cellText(index) : index.data(WorkerTableModel::SortRole).toString(),
                column == heads.size() - 1);
        }
    }
    return csv;
}

int WorkerTable::heightOf(int rows) {
    return scaled(28) * (rows + 1);
}

void WorkerTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    fitColumns();
}

void WorkerTable::setHoveredRow(int row) {
    if (row == m_delegate->hoveredRow())
        return;
    m_delegate->setHoveredRow(row);
    viewport()->update();
}

void WorkerTable::mouseMoveEvent(QMouseEvent* event) {
    setHoveredRow(rowAt(static_cast<int>(event->position().y())));
    QTableView::mouseMoveEvent(event);
}

void WorkerTable::enterEvent(QEnterEvent* event) {
    m_proxy->setDynamicSortFilter(false);
    QTableView::enterEvent(event);
}

void WorkerTable::leaveEvent(QEvent* event) {
    m_proxy->setDynamicSortFilter(true);
    setHoveredRow(-1);
    QTableView::leaveEvent(event);
}

void WorkerTable::contextMenuEvent(QContextMenuEvent* event) {
    const QModelIndex index = event->reason() == QContextMenuEvent::Mouse
        ? indexAt(viewport()->mapFromGlobal(event->globalPos()))
        : currentIndex();
    if (!index.isValid())
        return;
    setCurrentIndex(index);
    selectRow(index.row());
    emit menuWanted(event->reason() == QContextMenuEvent::Mouse
            ? event->globalPos()
            : viewport()->mapToGlobal(visualRect(index).bottomLeft()));
}

void WorkerTable::keyPressEvent(QKeyEvent* event) {
    // A letter would jump to a row of that name: nothing here is found that way, and Space pauses the charts.
    if (!event->text().isEmpty() && event->text().at(0).isPrint()
        && (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) == 0) {
        event->ignore();
        return;
    }
    QTableView::keyPressEvent(event);
}

} // namespace yardmaster::ui

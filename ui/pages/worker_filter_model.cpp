// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/worker_filter_model.h"

#include "models/worker_table_model.h"
#include "ui/dialogs/worker_texts.h"

namespace yardmaster::ui {

using models::WorkerTableModel;

WorkerFilterModel::WorkerFilterModel(QObject* parent)
    : QSortFilterProxyModel(parent) {
    setSortRole(WorkerTableModel::SortRole);
    setDynamicSortFilter(true);
}

void WorkerFilterModel::setFilterText(const QString& text) {
    m_words = text.split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

QVariant WorkerFilterModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::TextAlignmentRole || orientation != Qt::Horizontal)
        return QSortFilterProxyModel::headerData(section, orientation, role);
    const bool isWords = section == WorkerTableModel::Id || section == WorkerTableModel::State
        || section == WorkerTableModel::Version;
    return QVariant::fromValue<Qt::Alignment>((isWords ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

bool WorkerFilterModel::rowMatches(int sourceRow) const {
    const QAbstractItemModel& model = *sourceModel();
    QString all;
    for (int column = 0; column < model.columnCount(); ++column)
        all += model.index(sourceRow, column).data(Qt::DisplayRole).toString() + u'\n';
    const QVariant info = model.index(sourceRow, 0).data(WorkerTableModel::WorkerRole);
    if (info.canConvert<control::WorkerInfo>()) {
        const auto worker = info.value<control::WorkerInfo>();
        all += stateText(worker) + u'\n' + versionText(worker.version) + u'\n' + workerName(worker);
    }
    for (const QString& word : m_words) {
        if (!all.contains(word, Qt::CaseInsensitive))
            return false;
    }
    return true;
}

bool WorkerFilterModel::filterAcceptsRow(int sourceRow, const QModelIndex&) const {
    return m_words.isEmpty() || rowMatches(sourceRow);
}

int WorkerFilterModel::leadingRow(int sourceRow) const {
    const QAbstractItemModel& model = *sourceModel();
    while (sourceRow > 0 && model.index(sourceRow, 0).data(WorkerTableModel::IsPredecessorRole).toBool())
        --sourceRow;
    return sourceRow;
}

bool WorkerFilterModel::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const int leftLead = leadingRow(left.row());
    const int rightLead = leadingRow(right.row());
    const bool ascending = sortOrder() == Qt::AscendingOrder;
    if (leftLead == rightLead)
        return ascending ? left.row() < right.row() : left.row() > right.row();
    const QAbstractItemModel& model = *sourceModel();
    const auto sortValue = [&](int row, int column) {
        const QModelIndex index = model.index(row, column);
        // People know a worker by the number that stays through upgrades.
        if (column == WorkerTableModel::Id)
            return QVariant(
                workerNumber(index.data(WorkerTableModel::WorkerRole).value<control::WorkerInfo>()));
        return index.data(sortRole());
    };
    const QVariant a = sortValue(leftLead, left.column());
    const QVariant b = sortValue(rightLead, right.column());
    if (a.isValid() != b.isValid()) // unknown last, in both orders
        return ascending ? a.isValid() : b.isValid();
    const auto order = QVariant::compare(a, b);
    if (order == QPartialOrdering::Less)
        return true;
    if (order == QPartialOrdering::Greater)
        return false;
    return ascending ? leftLead < rightLead : leftLead > rightLead;
}

} // namespace yardmaster::ui

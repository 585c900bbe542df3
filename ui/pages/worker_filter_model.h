// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>

namespace yardmaster::ui {

/// Sorts the worker table by numbers and filters it by words. A draining worker stays under its successor
/// whatever the order. Every word of the filter must be found in some column.
class WorkerFilterModel final : public QSortFilterProxyModel {
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WorkerFilterModel)
public:
    explicit WorkerFilterModel(QObject* parent = nullptr);

    void setFilterText(const QString& text);
    [[nodiscard]] QString filterText() const { return m_words.join(u' '); }

    /// Numbers right, words left.
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

protected:
    [[nodiscard]] bool filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const override;
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    [[nodiscard]] bool rowMatches(int sourceRow) const;
    /// The row a predecessor stands under; the row itself for others.
    [[nodiscard]] int leadingRow(int sourceRow) const;

    QStringList m_words;
};

} // namespace yardmaster::ui

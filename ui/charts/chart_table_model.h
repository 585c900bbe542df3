// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/chart_table.h"

#include <QAbstractTableModel>

namespace yardmaster::ui {

/// The table twin of a chart. New data is merged by the identifying columns, so that selection and place
/// survive; only other columns reset it.
class ChartTableModel final : public QAbstractTableModel {
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ChartTableModel)
public:
    explicit ChartTableModel(QObject* parent = nullptr);

    void apply(ChartTable table);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    using Row = std::vector<QVariant>;
    [[nodiscard]] QString keyOf(const Row& row) const;
    [[nodiscard]] bool merge(const std::vector<Row>& rows);
    [[nodiscard]] QString cellText(const ChartColumn& column, const QVariant& cell) const;

    ChartTable m_table;
};

} // namespace yardmaster::ui

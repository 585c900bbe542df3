// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"

#include <QTableView>

#include <vector>

class QStandardItemModel;

namespace yardmaster::ui {

/// One line a target: name and system, state in words, requests/s with its last minutes, errors,
/// percentiles, connections.
class TargetTable final : public QTableView {
    Q_OBJECT
public:
    enum Column : int { Name, State, RequestRate, ErrorPercent, P50, P99, Connections, ColumnCount };
    /// Of one target, over the last 10 s.
    struct Row {
        control::Target target;
        int workers = 0;
        QString state;
        int glyph = 0; ///< ui::Glyph
        std::optional<double> requestsPerSecond, errorPercent, p50Us, p99Us, connections;
        std::vector<double> rates;
        bool stale = false;
    };

    explicit TargetTable(QWidget* parent = nullptr);
    void setRows(std::vector<Row> rows);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitColumns();

    QStandardItemModel* m_model;
    std::vector<Row> m_rows;
};

} // namespace yardmaster::ui

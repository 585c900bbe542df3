// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"

#include <QAbstractTableModel>

#include <vector>

namespace yardmaster::models {

/// The workers of a target, one row each, merged by worker id and never reset. A draining predecessor stands
/// right under its successor. Source values (numbers) in SortRole; texts with units are the view's business
/// (ui/theme/format.h).
class WorkerTableModel final : public QAbstractTableModel {
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(WorkerTableModel)
public:
    enum Column : int {
        Id,
        Pid,
        State,
        Version,
        Revision,
        Uptime, ///< s
        Connections,
        RequestRate, ///< req/s
        ErrorPercent,
        P99, ///< us
        Rss, ///< bytes
        Cpu, ///< %
        ColumnCount
    };
    enum Role : int {
        SortRole = Qt::UserRole + 1, ///< raw number or string; invalid when unknown
        WorkerIdRole, ///< uint
        WorkerRole, ///< control::WorkerInfo
        IsPredecessorRole, ///< bool: shown indented under its successor
        StaleRole, ///< bool: the link is lost, data is old
    };

    explicit WorkerTableModel(QObject* parent = nullptr);

    void apply(const control::Snapshot& snapshot);
    void setStale(bool stale);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    [[nodiscard]] const control::WorkerInfo& worker(int row) const {
        return m_workers[static_cast<std::size_t>(row)];
    }
    [[nodiscard]] int rowOf(std::uint32_t workerId) const; ///< -1 when gone

private:
    std::vector<control::WorkerInfo> m_workers;
    std::int64_t m_nowUnixNs = 0;
    bool m_stale = false;
};

} // namespace yardmaster::models

Q_DECLARE_METATYPE(yardmaster::control::WorkerInfo)

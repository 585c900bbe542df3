// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"

#include <QAbstractTableModel>

#include <deque>

namespace yardmaster::models {

/// Events, newest first, merged by sequence, at most 5000.
class EventModel final : public QAbstractTableModel {
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EventModel)
public:
    enum Column : int { Time, Severity, Text, Worker, Actor, ColumnCount };
    enum Role : int { EventRole = Qt::UserRole + 1, SortRole };

    explicit EventModel(QObject* parent = nullptr);
    void append(const std::vector<control::Event>& events);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    [[nodiscard]] const control::Event& event(int row) const {
        return m_events[static_cast<std::size_t>(row)];
    }

private:
    std::deque<control::Event> m_events;
};

} // namespace yardmaster::models

Q_DECLARE_METATYPE(yardmaster::control::Event)

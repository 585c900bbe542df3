// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/event_model.h"

#include <algorithm>

namespace yardmaster::models {

namespace {
constexpr std::size_t mostEvents = 5000;
} // namespace

EventModel::EventModel(QObject* parent)
    : QAbstractTableModel(parent) { }

void EventModel::append(const std::vector<control::Event>& events) {
    std::vector<control::Event> fresh;
    for (const control::Event& event : events) {
        const auto known = [&](const control::Event& other) {
            return other.sequence == event.sequence && other.kind == event.kind
                && other.unixNs == event.unixNs;
        };
        if (std::none_of(m_events.begin(), m_events.end(), known)
            && std::none_of(fresh.begin(), fresh.end(), known))
            fresh.push_back(event);
    }
    if (fresh.empty())
        return;
    // Newest first; what was merged arrives in the order it happened.
    beginInsertRows({}, 0, static_cast<int>(fresh.size()) - 1);
    for (control::Event& event : fresh)
        m_events.push_front(std::move(event));
    endInsertRows();
    if (m_events.size() > mostEvents) {
        beginRemoveRows({}, static_cast<int>(mostEvents), static_cast<int>(m_events.size()) - 1);
        m_events.resize(mostEvents);
        endRemoveRows();
    }
}

int EventModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_events.size());
}

int EventModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EventModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const control::Event& event = m_events[static_cast<std::size_t>(index.row())];
    if (role == EventRole)
        return QVariant::fromValue(event);
    if (role != Qt::DisplayRole && role != SortRole)
        return {};
    switch (static_cast<Column>(index.column())) {
    case Time:
        return static_cast<qlonglong>(event.unixNs);
    case Severity:
        return static_cast<int>(event.severity);
    case Text:
        return event.text;
    case Worker:
        return event.workerId ? QVariant(*event.workerId) : QVariant();
    case Actor:
        return event.actor;
    case ColumnCount:
        break;
    }
    return {};
}

QVariant EventModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case Time:
        return tr("Time");
    case Severity:
        return tr("Severity");
    case Text:
        return tr("Event");
    case Worker:
        return tr("Worker");
    case Actor:
        return tr("Who");
    case ColumnCount:
        break;
    }
    return {};
}

} // namespace yardmaster::models

// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/worker_table_model.h"

#include <algorithm>

namespace yardmaster::models {

namespace {

using control::WorkerInfo;

bool isEnded(const WorkerInfo& worker) {
    return worker.state == control::WorkerState::Stopped || worker.state == control::WorkerState::Crashed
        || worker.state == control::WorkerState::Failed;
}

/// By slot; within a slot the newest first, so that a predecessor stands under its successor. Targets without
/// slots: by id.
bool standsBefore(const WorkerInfo& a, const WorkerInfo& b) {
    if (a.slot != b.slot)
        return a.slot < b.slot;
    return a.slot == 0 ? a.id < b.id : a.id > b.id;
}

template <typename T>
QVariant orInvalid(const std::optional<T>& value) {
    return value ? QVariant::fromValue(static_cast<double>(*value)) : QVariant();
}

} // namespace

WorkerTableModel::WorkerTableModel(QObject* parent)
    : QAbstractTableModel(parent) { }

void WorkerTableModel::apply(const control::Snapshot& snapshot) {
    m_nowUnixNs = snapshot.unixNs;
    std::vector<WorkerInfo> wanted = snapshot.workers;
    std::sort(wanted.begin(), wanted.end(), standsBefore);
    wanted.erase(
        std::unique(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.id == b.id; }),
        wanted.end());

    const auto inWanted = [&](std::uint32_t id) {
        return std::any_of(
            wanted.begin(), wanted.end(), [id](const auto& worker) { return worker.id == id; });
    };
    for (int row = static_cast<int>(m_workers.size()) - 1; row >= 0; --row) {
        if (inWanted(m_workers[static_cast<std::size_t>(row)].id))
            continue;
        beginRemoveRows({}, row, row);
        m_workers.erase(m_workers.begin() + row);
        endRemoveRows();
    }
    int firstChanged = -1, lastChanged = -1;
    for (int row = 0; row < static_cast<int>(wanted.size()); ++row) {
        WorkerInfo& want = wanted[static_cast<std::size_t>(row)];
        const int present = rowOf(want.id);
        if (present < 0) {
            beginInsertRows({}, row, row);
            m_workers.insert(m_workers.begin() + row, std::move(want));
            endInsertRows();
            continue;
        }
        if (present != row) { // only ever further down: all before `row` stand right
            beginMoveRows({}, present, present, {}, row);
            std::rotate(
                m_workers.begin() + row, m_workers.begin() + present, m_workers.begin() + present + 1);
            endMoveRows();
        }
        m_workers[static_cast<std::size_t>(row)] = std::move(want);
        firstChanged = firstChanged < 0 ? row : firstChanged;
        lastChanged = row;
    }
    // One signal for all: uptimes move with each snapshot anyhow.
    if (firstChanged >= 0)
        emit dataChanged(index(firstChanged, 0), index(lastChanged, ColumnCount - 1));
}

void WorkerTableModel::setStale(bool stale) {
    if (stale == m_stale)
        return;
    m_stale = stale;
    if (!m_workers.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {StaleRole});
}

int WorkerTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_workers.size());
}

int WorkerTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

int WorkerTableModel::rowOf(std::uint32_t workerId) const {
    const auto known = std::find_if(
        m_workers.begin(), m_workers.end(), [&](const auto& worker) { return worker.id == workerId; });
    return known == m_workers.end() ? -1 : static_cast<int>(known - m_workers.begin());
}

QVariant WorkerTableModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const WorkerInfo& worker = m_workers[static_cast<std::size_t>(index.row())];
    switch (role) {
    case WorkerIdRole:
        return worker.id;
    case WorkerRole:
        return QVariant::fromValue(worker);
    case IsPredecessorRole:
        return index.row() > 0 && worker.slot != 0
            && m_workers[static_cast<std::size_t>(index.row() - 1)].slot == worker.slot;
    case StaleRole:
        return m_stale;
    case Qt::DisplayRole:
    case SortRole:
        break;
    default:
        return {};
    }
    switch (static_cast<Column>(index.column())) {
    case Id:
        return worker.id;
    case Pid:
        return worker.pid > 0 ? QVariant(worker.pid) : QVariant();
    case State:
        return static_cast<int>(worker.state);
    case Version:
        return worker.version;
    case Revision:
        return orInvalid(worker.revision);
    case Uptime:
        return worker.startedUnixNs && !isEnded(worker)
            ? QVariant(static_cast<double>(m_nowUnixNs - *worker.startedUnixNs) / 1e9)
            : QVariant();
    case Connections:
        return orInvalid(worker.connections);
    case RequestRate:
        return orInvalid(worker.requestsPerSecond);
    case ErrorPercent:
        return orInvalid(worker.errorPercent);
    case P99:
        return orInvalid(worker.p99Us);
    case Rss:
        return orInvalid(worker.rssBytes);
    case Cpu:
        return orInvalid(worker.cpuPercent);
    case ColumnCount:
        break;
    }
    return {};
}

QVariant WorkerTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case Id:
        return tr("Id");
    case Pid:
        return tr("PID");
    case State:
        return tr("State");
    case Version:
        return tr("Version");
    case Revision:
        return tr("Revision");
    case Uptime:
        return tr("Uptime");
    case Connections:
        return tr("Connections");
    case RequestRate:
        return tr("Requests/s");
    case ErrorPercent:
        return tr("Errors %");
    case P99:
        return tr("p99 ms");
    case Rss:
        return tr("RSS MiB");
    case Cpu:
        return tr("CPU %");
    case ColumnCount:
        break;
    }
    return {};
}

} // namespace yardmaster::models

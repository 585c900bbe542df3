// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/job_model.h"

#include <algorithm>

namespace yardmaster::models {

namespace {
constexpr std::size_t mostJobs = 50;
} // namespace

JobModel::JobModel(QObject* parent)
    : QAbstractListModel(parent) { }

void JobModel::apply(const control::Job& job) {
    const auto known =
        std::find_if(m_jobs.begin(), m_jobs.end(), [&](const auto& other) { return other.id == job.id; });
    if (known != m_jobs.end()) {
        if (*known == job)
            return;
        *known = job;
        const QModelIndex changed = index(static_cast<int>(known - m_jobs.begin()));
        emit dataChanged(changed, changed);
        return;
    }
    const auto at = std::find_if(m_jobs.begin(), m_jobs.end(),
        [&](const auto& other) { return other.startedUnixNs <= job.startedUnixNs; });
    const int row = static_cast<int>(at - m_jobs.begin());
    beginInsertRows({}, row, row);
    m_jobs.insert(at, job);
    endInsertRows();
    if (m_jobs.size() > mostJobs) {
        beginRemoveRows({}, static_cast<int>(mostJobs), static_cast<int>(m_jobs.size()) - 1);
        m_jobs.resize(mostJobs);
        endRemoveRows();
    }
}

void JobModel::apply(const std::vector<control::Job>& jobs) {
    for (const control::Job& job : jobs)
        apply(job);
}

void JobModel::markRunningUnknown() {
    for (std::size_t row = 0; row < m_jobs.size(); ++row) {
        if (m_jobs[row].state != control::JobState::Running)
            continue;
        m_jobs[row].state = control::JobState::Unknown;
        const QModelIndex changed = index(static_cast<int>(row));
        emit dataChanged(changed, changed);
    }
}

int JobModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_jobs.size());
}

QVariant JobModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const control::Job& job = m_jobs[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return job.title;
    case JobRole:
        return QVariant::fromValue(job);
    case JobIdRole:
        return static_cast<qulonglong>(job.id);
    default:
        return {};
    }
}

std::optional<control::Job> JobModel::job(control::JobId id) const {
    const auto known =
        std::find_if(m_jobs.begin(), m_jobs.end(), [&](const auto& other) { return other.id == id; });
    return known == m_jobs.end() ? std::nullopt : std::optional(*known);
}

std::optional<control::Job> JobModel::newest() const {
    return m_jobs.empty() ? std::nullopt : std::optional(m_jobs.front());
}

int JobModel::runningCount() const {
    return static_cast<int>(std::count_if(m_jobs.begin(), m_jobs.end(),
        [](const auto& job) { return job.state == control::JobState::Running; }));
}

} // namespace yardmaster::models

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"

#include <QAbstractListModel>

#include <optional>
#include <vector>

namespace yardmaster::models {

/// Jobs, newest first, merged by id. The result of a job stays until 50 newer ones pushed it out.
class JobModel final : public QAbstractListModel {
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(JobModel)
public:
    enum Role : int { JobRole = Qt::UserRole + 1, JobIdRole };

    explicit JobModel(QObject* parent = nullptr);
    void apply(const control::Job& job);
    void apply(const std::vector<control::Job>& jobs);
    void markRunningUnknown(); ///< the link was lost

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] std::optional<control::Job> job(control::JobId id) const;
    [[nodiscard]] std::optional<control::Job> newest() const;
    [[nodiscard]] int runningCount() const;

private:
    std::vector<control::Job> m_jobs;
};

} // namespace yardmaster::models

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/job.h"

#include <QObject>

#include <map>
#include <memory>

namespace yardmaster::agent {

/// The running jobs and the last ended ones, by number from 1.
class JobList : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Numbers and begins it. Connect before: it may have ended when this returns.
    Job& start(std::unique_ptr<Job> job);
    [[nodiscard]] Expected<void> cancel(std::uint64_t id, const std::string& actor);
    [[nodiscard]] std::vector<const Job*> jobs() const; ///< oldest first

signals:
    void changed(const yardmaster::proto::JobProgress& progress);

private:
    void forgetOldest();

    std::map<std::uint64_t, std::unique_ptr<Job>> m_jobs;
    std::uint64_t m_lastId = 0;
};

} // namespace yardmaster::agent

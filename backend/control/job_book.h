// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>

namespace yardmaster::control {

/// Where the ids of jobs come from: taken on the GUI thread for calls, on the backend thread for jobs that
/// others started.
using JobIds = std::shared_ptr<std::atomic<JobId>>;

/// What is known of every job, kept over reconnects. Lives on the backend thread.
class JobBook {
public:
    using Changed = std::function<void(const Job&)>;
    JobBook(JobIds ids, Changed changed)
        : m_ids(std::move(ids))
        , m_changed(std::move(changed)) { }

    [[nodiscard]] JobId takeId() { return m_ids->fetch_add(1) + 1; }
    [[nodiscard]] const Job* find(JobId id) const;
    /// Adds or replaces; an ended job is never said to run again. Tells of it when it differs.
    void put(Job job);
    void end(JobId id, JobState state, std::optional<Error> error);
    /// All that run: their fate is not known while the link is down.
    void markRunningUnknown(const Error& why);
    /// The running ones, and the last 20 that do not run, by id.
    [[nodiscard]] std::vector<Job> list() const;

private:
    void forgetOldest();

    JobIds m_ids;
    Changed m_changed;
    std::map<JobId, Job> m_jobs;
};

} // namespace yardmaster::control

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/job_book.h"

#include "backend/base/monotonic_clock.h"

#include <algorithm>

namespace yardmaster::control {

namespace {

constexpr std::ptrdiff_t keptEndedJobs = 20;

bool hasEnded(JobState state) {
    return state == JobState::Done || state == JobState::Failed || state == JobState::Cancelled;
}

} // namespace

const Job* JobBook::find(JobId id) const {
    const auto found = m_jobs.find(id);
    return found == m_jobs.end() ? nullptr : &found->second;
}

void JobBook::put(Job job) {
    const auto found = m_jobs.find(job.id);
    if (found != m_jobs.end()) {
        // Two connections tell of one job; the slower one may still say what was.
        if ((hasEnded(found->second.state) && !hasEnded(job.state)) || found->second == job)
            return;
        found->second = job;
    } else {
        m_jobs.emplace(job.id, job);
    }
    forgetOldest();
    m_changed(job);
}

void JobBook::end(JobId id, JobState state, std::optional<Error> error) {
    const Job* known = find(id);
    if (!known || hasEnded(known->state))
        return;
    Job job = *known;
    job.state = state;
    job.error = std::move(error);
    if (state != JobState::Unknown) {
        job.endedUnixNs = unixNowNs();
        for (JobStep& step : job.steps) {
            if (step.state == StepState::Running) {
                step.state = state == JobState::Done ? StepState::Done
                    : state == JobState::Failed      ? StepState::Failed
                                                     : StepState::Skipped;
                if (step.startedUnixNs)
                    step.durationNs = *job.endedUnixNs - *step.startedUnixNs;
            } else if (step.state == StepState::Waiting) {
                step.state = StepState::Skipped;
            }
        }
    }
    put(std::move(job));
}

void JobBook::markRunningUnknown(const Error& why) {
    std::vector<JobId> running;
    for (const auto& [id, job] : m_jobs)
        if (job.state == JobState::Running)
            running.push_back(id);
    for (const JobId id : running)
        end(id, JobState::Unknown, why);
}

std::vector<Job> JobBook::list() const {
    std::vector<Job> jobs;
    for (const auto& [id, job] : m_jobs)
        jobs.push_back(job);
    return jobs;
}

void JobBook::forgetOldest() {
    auto ended = std::count_if(m_jobs.begin(), m_jobs.end(),
        [](const auto& entry) { return entry.second.state != JobState::Running; });
    for (auto entry = m_jobs.begin(); entry != m_jobs.end() && ended > keptEndedJobs;) {
        if (entry->second.state == JobState::Running) {
            ++entry;
            continue;
        }
        entry = m_jobs.erase(entry);
        --ended;
    }
}

} // namespace yardmaster::control

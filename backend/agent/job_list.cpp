// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/job_list.h"

#include <algorithm>

namespace yardmaster::agent {

namespace {
constexpr std::ptrdiff_t keptEndedJobs = 50;
}

Job& JobList::start(std::unique_ptr<Job> job) {
    Job* started = job.get();
    const std::uint64_t id = ++m_lastId;
    m_jobs.emplace(id, std::move(job));
    connect(started, &Job::changed, this, [this, started] { emit changed(started->progress()); });
    connect(started, &Job::finished, this, &JobList::forgetOldest, Qt::QueuedConnection);
    started->begin(id);
    return *started;
}

Expected<void> JobList::cancel(std::uint64_t id, const std::string& actor) {
    const auto found = m_jobs.find(id);
    if (found == m_jobs.end())
        return failure(Error::Code::NotFound, "there is no job " + std::to_string(id));
    return found->second->cancel(actor);
}

std::vector<const Job*> JobList::jobs() const {
    std::vector<const Job*> all;
    for (const auto& [id, job] : m_jobs)
        all.push_back(job.get());
    return all;
}

void JobList::forgetOldest() {
    auto ended = std::count_if(
        m_jobs.begin(), m_jobs.end(), [](const auto& entry) { return !entry.second->isRunning(); });
    for (auto entry = m_jobs.begin(); entry != m_jobs.end() && ended > keptEndedJobs;) {
        if (entry->second->isRunning()) {
            ++entry;
            continue;
        }
        entry = m_jobs.erase(entry);
        --ended;
    }
}

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/agent_session.h"

#include "backend/control/agent_mapping.h"

#include <algorithm>
#include <utility>

namespace yardmaster::control {

namespace {

constexpr std::uint32_t sampleIntervalMs = 100;
constexpr std::uint32_t historyEvents = 200;
constexpr Deadlines streamDeadlines{5'000, 3'000, 0};
// A job says how it goes when something changes, which in a drain may be long: its end is its own deadline's
// business, and that the agent lives is what the stream tells.
constexpr Deadlines actionDeadlines{5'000, 0, 0};
constexpr Deadlines answerDeadlines{5'000, 5'000, 10'000};

proto::Request requestOf(const Action& action) {
    proto::Request request;
    switch (action.kind) {
    case Action::Kind::SpawnWorker:
        request.mutable_spawn_worker();
        break;
    case Action::Kind::StopWorker:
        request.mutable_stop_worker()->set_id(action.workerId);
        request.mutable_stop_worker()->set_drain_deadline_ms(action.stopDeadlineMs);
        break;
    case Action::Kind::UpgradeWorker:
    case Action::Kind::UpgradeAll: {
        proto::UpgradeOptions& options = *request.mutable_upgrade_with_options();
        if (action.kind == Action::Kind::UpgradeWorker)
            options.set_id(action.workerId);
        options.set_ready_deadline_ms(action.upgrade.readyDeadlineMs);
        options.set_drain_deadline_ms(action.upgrade.drainDeadlineMs);
        options.set_drain_quiet_ms(action.upgrade.drainQuietMs);
        break;
    }
    }
    return request;
}

} // namespace

AgentSession::AgentSession(TargetMemory& memory, Connection* stream, QObject* parent)
    : Session(parent)
    , m_memory(memory)
    , m_stream(stream) {
    m_stream->setParent(this);
}

AgentSession::~AgentSession() {
    m_memory.orphans.insert(m_unbound.begin(), m_unbound.end());
}

void AgentSession::begin() {
    proto::Request request;
    request.mutable_subscribe_samples()->set_interval_ms(sampleIntervalMs);
    request.mutable_subscribe_samples()->set_history_events(historyEvents);
    m_stream->start(
        std::move(request), streamDeadlines, [this](const proto::Response& response) { onStream(response); },
        [this](const Expected<proto::Response>& result) {
            if (!result)
                emit lost(result.error());
            else
                emit lost(
                    {Error::Code::Unavailable, "the agent ended the stream of samples: " + result->message(),
                        m_memory.endpoint.toStdString(), {}});
        });
}

void AgentSession::meet(const proto::AgentIdentity& agent) {
    if (agent.pid() == m_memory.agentPid && agent.started_unix_ns() == m_memory.agentStartedUnixNs)
        return;
    m_memory.agentPid = agent.pid();
    m_memory.agentStartedUnixNs = agent.started_unix_ns();
    m_memory.lastAgentEvent = 0;
    // Another process: the numbers of its predecessor's jobs mean nothing to it.
    m_memory.jobOfAgent.clear();
    m_memory.orphans.clear();
}

void AgentSession::onStream(const proto::Response& response) {
    if (!response.content().has_sample())
        return;
    meet(response.agent());
    const proto::Sample& sample = response.content().sample();
    for (const proto::JobProgress& progress : sample.jobs())
        takeJob(progress);
    for (const proto::AgentEvent& event : sample.events()) {
        if (event.sequence() <= m_memory.lastAgentEvent)
            continue;
        m_memory.lastAgentEvent = event.sequence();
        m_memory.addEvent(eventOf(event));
    }
    Snapshot next = m_reader.read(sample);
    next.target = targetOf(response.agent(), m_memory.endpoint);
    next.capabilities = agentCapabilities();
    emit snapshot(m_memory.finish(std::move(next)));
}

void AgentSession::takeJob(const proto::JobProgress& progress) {
    const std::uint64_t agentJob = progress.job_id();
    if (!m_memory.jobOfAgent.contains(agentJob)) {
        if (!m_unbound.empty()) {
            m_unclaimed[agentJob] = progress;
            return;
        }
        const JobId orphan = orphanOf(progress);
        m_memory.orphans.erase(orphan);
        bind(agentJob, orphan != 0 ? orphan : m_memory.jobs.takeId());
    }
    m_memory.jobs.put(jobOf(progress, m_memory.jobOfAgent.at(agentJob)));
}

/// The call of ours that a job must come from, 0 when it is somebody else's.
JobId AgentSession::orphanOf(const proto::JobProgress& progress) const {
    for (const JobId id : m_memory.orphans) {
        const Job* call = m_memory.jobs.find(id);
        if (call && call->kind == text(progress.kind()) && call->startedUnixNs <= progress.started_unix_ns()
            && (!call->workerId || call->workerId == progress.worker_id()))
            return id;
    }
    return 0;
}

void AgentSession::bind(std::uint64_t agentJob, JobId job) {
    m_memory.jobOfAgent[agentJob] = job;
    m_unbound.erase(job);
    m_unclaimed.erase(agentJob);
    if (m_cancelWhenBound.erase(job) > 0)
        sendCancel(agentJob);
}

void AgentSession::settleUnclaimed() {
    if (!m_unbound.empty())
        return;
    for (const auto& [agentJob, progress] : std::exchange(m_unclaimed, {}))
        takeJob(progress);
}

void AgentSession::act(const Action& action) {
    const JobId job = action.job;
    m_memory.jobs.put(newJob(action));
    m_unbound.insert(job);
    auto* connection = new Connection(m_memory.endpoint, this);
    connection->start(
        requestOf(action), actionDeadlines,
        [this, job](const proto::Response& response) {
            if (!response.content().has_job())
                return;
            const proto::JobProgress& progress = response.content().job();
            if (m_unbound.contains(job))
                bind(progress.job_id(), job);
            m_memory.jobs.put(jobOf(progress, job));
            settleUnclaimed();
        },
        [this, job, connection](const Expected<proto::Response>& result) {
            onActionEnd(*connection, job, result);
            connection->deleteLater();
        });
}

void AgentSession::onActionEnd(Connection& connection, JobId job, const Expected<proto::Response>& result) {
    if (result && result->content().has_job()) {
        if (m_unbound.contains(job))
            bind(result->content().job().job_id(), job);
        m_memory.jobs.put(jobOf(result->content().job(), job));
    } else if (result) {
        const bool isOk = result->status() == proto::OK;
        m_memory.jobs.end(job, isOk ? JobState::Done : JobState::Failed,
            isOk ? std::nullopt
                 : std::optional(Error{Error::Code::Internal, result->message(), "the agent", {}}));
    } else if (connection.wasSent()) {
        // It may be done, or not: the stream will tell when the agent does.
        m_memory.jobs.end(job, JobState::Unknown, result.error());
        if (m_unbound.contains(job))
            m_memory.orphans.insert(job);
    } else {
        m_memory.jobs.end(job, JobState::Failed, result.error());
    }
    m_unbound.erase(job);
    m_cancelWhenBound.erase(job);
    settleUnclaimed();
    if (!result && result.error().code == Error::Code::Unsupported)
        emit lost(result.error());
}

void AgentSession::cancel(JobId job) {
    const auto bound = std::find_if(m_memory.jobOfAgent.begin(), m_memory.jobOfAgent.end(),
        [job](const auto& entry) { return entry.second == job; });
    if (bound != m_memory.jobOfAgent.end())
        sendCancel(bound->first);
    else if (m_unbound.contains(job))
        m_cancelWhenBound.insert(job);
}

void AgentSession::sendCancel(std::uint64_t agentJob) {
    proto::Request request;
    request.mutable_cancel_job()->set_job_id(agentJob);
    auto* connection = new Connection(m_memory.endpoint, this);
    connection->start(
        std::move(request), answerDeadlines, {}, [this, connection](const Expected<proto::Response>& result) {
            if (!result || result->status() != proto::OK)
                m_memory.addEvent(EventSeverity::Warning, QStringLiteral("cancel_refused"),
                    QStringLiteral("Not cancelled: ")
                        + text(result ? result->message() : result.error().toString()));
            connection->deleteLater();
        });
}

} // namespace yardmaster::control

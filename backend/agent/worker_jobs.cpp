// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/worker_jobs.h"

namespace yardmaster::agent {

SpawnJob::SpawnJob(Context context, std::uint32_t readyDeadlineMs, std::string actor)
    : Job(context, "spawn_worker", "Spawn a worker", std::move(actor))
    , m_readyDeadlineMs(readyDeadlineMs) {
    addStep("Start the worker");
}

void SpawnJob::start() {
    stepRunning(0);
    WorkerPool::SpawnOptions options;
    options.readyDeadlineMs = m_readyDeadlineMs;
    options.askedFor = true;
    auto spawned = m_context.pool.spawn(options);
    if (!spawned) {
        stepFailed(0, spawned.error().toString());
        finish(proto::JOB_FAILED, spawned.error().toString());
        return;
    }
    m_worker = *spawned;
    m_worker->setBusyWith(id());
    m_progress.set_worker_id(m_worker->id());
    m_progress.set_new_worker_id(m_worker->id());
    connect(m_worker, &Worker::ready, this, [this] {
        const proto::StartupStamps& stamps = m_worker->detail().stamps();
        stepDone(0, m_worker->name(), stamps.ready_ns() - stamps.spawn_ns());
        release(*m_worker);
        disconnect(m_worker, nullptr, this, nullptr);
        m_progress.set_done(1);
        finish(proto::JOB_DONE);
    });
    connect(m_worker, &Worker::ended, this, [this] {
        const std::string reason = m_worker->failureReason().toString();
        // Tried once: whether to try again is for whoever asked.
        m_context.pool.leaveEmpty(m_worker->slot());
        release(*m_worker);
        disconnect(m_worker, nullptr, this, nullptr);
        if (!m_cancelled)
            stepFailed(0, reason);
        finish(m_cancelled ? proto::JOB_CANCELLED : proto::JOB_FAILED, reason);
    });
}

Expected<void> SpawnJob::cancel(const std::string&) {
    if (!isRunning() || !m_worker)
        return failure(Error::Code::InvalidArgument, "the job has ended");
    m_cancelled = true;
    m_worker->failStart({Error::Code::Cancelled, "cancelled", m_worker->name(), {}});
    return {};
}

StopJob::StopJob(
    Context context, std::uint32_t workerId, proto::DrainOptions drain, bool hard, std::string actor)
    : Job(context, "stop_worker", "Stop worker " + std::to_string(workerId), std::move(actor))
    , m_drain(std::move(drain))
    , m_hard(hard) {
    m_progress.set_worker_id(workerId);
    addStep((hard ? "End worker " : "Drain worker ") + std::to_string(workerId));
}

void StopJob::start() {
    m_worker = m_context.pool.find(m_progress.worker_id());
    if (!m_worker || !m_worker->isAlive()) {
        finish(proto::JOB_FAILED,
            "worker " + std::to_string(m_progress.worker_id())
                + (m_worker ? " has ended already" : " does not exist"));
        return;
    }
    if (!m_hard && !m_worker->isServing()) {
        finish(proto::JOB_FAILED, m_worker->name() + " is not serving: it is starting or drains already");
        return;
    }
    if (auto claimed = claim(*m_worker); !claimed) {
        finish(proto::JOB_FAILED, claimed.error().toString());
        return;
    }
    m_context.events.add({proto::SEVERITY_INFO, m_hard ? "stop_started" : "drain_started",
        m_worker->name() + (m_hard ? " is being ended" : " drains"), m_worker->id(), m_worker->pid(),
        m_progress.actor(), {}});
    stepRunning(0);
    connect(m_worker, &Worker::changed, this, [this] {
        if (!m_worker->detail().has_drain())
            return;
        *m_progress.mutable_drain() = m_worker->lastDrain();
        stepDetail(0, describeDrain(m_worker->lastDrain()));
    });
    connect(m_worker, &Worker::ended, this, [this] {
        disconnect(m_worker, nullptr, this, nullptr);
        release(*m_worker);
        m_progress.set_done(1);
        if (m_worker->phase() == proto::PHASE_STOPPED) {
            stepDone(0);
            finish(proto::JOB_DONE);
        } else {
            finish(proto::JOB_FAILED,
                m_worker->name() + " " + m_worker->detail().last_exit().text() + " while it drained");
        }
    });
    // The replacement of this slot is the operator's to start.
    m_context.pool.leaveEmpty(m_worker->slot());
    if (m_hard)
        m_worker->stopHard();
    else
        m_worker->drain(m_drain);
}

Expected<void> StopJob::cancel(const std::string&) {
    return failure(
        Error::Code::InvalidArgument, isRunning() ? "a drain cannot be taken back" : "the job has ended");
}

} // namespace yardmaster::agent

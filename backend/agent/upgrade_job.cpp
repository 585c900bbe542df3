// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/upgrade_job.h"

namespace yardmaster::agent {

namespace {

std::string number(std::uint32_t id) {
    return std::to_string(id);
}

} // namespace

UpgradeJob::UpgradeJob(Context context, std::uint32_t workerId, Options options, std::string actor)
    : Job(context, "upgrade_worker", "Upgrade worker " + number(workerId), std::move(actor))
    , m_all(false)
    , m_options(std::move(options)) {
    m_progress.set_worker_id(workerId);
    addReplacement(workerId);
}

UpgradeJob::UpgradeJob(Context context, Options options, std::string actor)
    : Job(context, "upgrade_all", "Upgrade all workers", std::move(actor))
    , m_all(true)
    , m_options(std::move(options)) {
    for (const Worker* worker : m_context.pool.serving())
        addReplacement(worker->id());
}

void UpgradeJob::addReplacement(std::uint32_t workerId) {
    Replacement replacement;
    replacement.oldId = workerId;
    if (m_all) {
        replacement.readyStep = addStep("Start the successor of worker " + number(workerId));
    } else {
        replacement.spawnStep = addStep("Start the new worker");
        replacement.listenersStep = addStep("Hand over the listeners");
        replacement.stateStep = addStep("Load the state");
        replacement.readyStep = addStep("Accept connections");
    }
    replacement.drainStep = addStep("Drain worker " + number(workerId));
    m_replacements.push_back(replacement);
    m_progress.set_total(static_cast<std::uint32_t>(m_replacements.size()));
}

void UpgradeJob::start() {
    m_context.events.add({proto::SEVERITY_INFO, "upgrade_started", m_progress.title() + " started",
        m_all ? std::nullopt : std::optional(m_progress.worker_id()), {}, m_progress.actor(), {}});
    if (m_replacements.empty()) {
        finish(proto::JOB_FAILED, "no worker is serving");
        return;
    }
    // Held for the whole rollout: every successor runs the same program.
    auto binary = m_context.pool.openBinary();
    if (!binary) {
        finish(proto::JOB_FAILED, binary.error().toString());
        return;
    }
    m_binary = std::move(*binary);
    next();
}

void UpgradeJob::next() {
    for (; m_current < m_replacements.size(); ++m_current) {
        Replacement& replacement = current();
        Worker* old = m_context.pool.find(replacement.oldId);
        if (old && old->isServing()) {
            startReplacement(*old);
            return;
        }
        if (!m_all) {
            finish(proto::JOB_FAILED,
                "worker " + number(replacement.oldId)
                    + (old ? " is not serving: it is starting, draining or has ended" : " does not exist"));
            return;
        }
        stepSkipped(replacement.readyStep, "worker " + number(replacement.oldId) + " no longer serves");
        stepSkipped(replacement.drainStep, "nothing to drain");
        m_progress.set_done(static_cast<std::uint32_t>(m_current + 1));
    }
    finish(proto::JOB_DONE);
}

void UpgradeJob::startReplacement(Worker& old) {
    if (auto claimed = claim(old); !claimed) {
        finish(proto::JOB_FAILED, claimed.error().toString());
        return;
    }
    m_old = &old;
    m_newIsReady = false;
    m_progress.set_worker_id(old.id());
    m_progress.clear_new_worker_id();
    m_progress.clear_drain();
    Replacement& replacement = current();
    if (!m_all)
        stepRunning(replacement.spawnStep);
    stepRunning(replacement.readyStep, m_all ? "" : "waits for the steps before");

    WorkerPool::SpawnOptions spawnOptions;
    spawnOptions.slot = old.slot();
    spawnOptions.replaces = old.id();
    spawnOptions.readyDeadlineMs = m_options.readyDeadlineMs;
    spawnOptions.binary = m_binary;
    spawnOptions.askedFor = true;
    auto spawned = m_context.pool.spawn(spawnOptions);
    if (!spawned) {
        failReplacement(spawned.error().toString());
        return;
    }
    m_new = *spawned;
    m_new->setBusyWith(id());
    m_progress.set_new_worker_id(m_new->id());
    emit said("Launched a new worker with id " + number(m_new->id()));
    connect(m_new, &Worker::changed, this, &UpgradeJob::onNewChanged);
    connect(m_new, &Worker::ready, this, &UpgradeJob::onNewReady);
    connect(m_new, &Worker::ended, this, &UpgradeJob::onNewEnded);
    connect(m_old, &Worker::changed, this, &UpgradeJob::onOldChanged);
    connect(m_old, &Worker::ended, this, &UpgradeJob::onOldEnded);
    // The worker may have failed within spawn() already; its end will be told from the event loop.
    emit changed();
}

void UpgradeJob::onNewChanged() {
    if (m_all || m_newIsReady || !m_new)
        return;
    const proto::StartupStamps& stamps = m_new->detail().stamps();
    const Replacement& replacement = current();
    const auto isOpen = [this](int step) {
        const proto::StepState state = m_progress.steps(step).state();
        return state == proto::STEP_RUNNING || state == proto::STEP_WAITING;
    };
    if (stamps.has_spawned_ns() && isOpen(replacement.spawnStep)) {
        stepDone(replacement.spawnStep, m_new->name(), stamps.spawned_ns() - stamps.spawn_ns());
        stepRunning(replacement.listenersStep);
    }
    if (stamps.has_listeners_ns() && isOpen(replacement.listenersStep)) {
        stepDone(replacement.listenersStep, {}, stamps.listeners_ns() - stamps.spawned_ns());
        stepRunning(replacement.stateStep);
    }
    if (stamps.has_state_ns() && isOpen(replacement.stateStep)) {
        stepDone(replacement.stateStep, "revision " + std::to_string(m_new->detail().revision()),
            stamps.state_ns() - stamps.listeners_ns());
        stepRunning(replacement.readyStep);
    }
}

void UpgradeJob::onNewReady() {
    onNewChanged();
    m_newIsReady = true;
    const proto::StartupStamps& stamps = m_new->detail().stamps();
    const Replacement& replacement = current();
    stepDone(replacement.readyStep, m_new->name(),
        stamps.ready_ns() - (m_all || !stamps.has_state_ns() ? stamps.spawn_ns() : stamps.state_ns()));
    emit said("Worker " + number(m_new->id()) + " is ready");
    if (!m_old || !m_old->isAlive()) {
        stepSkipped(replacement.drainStep, "worker " + number(replacement.oldId) + " had ended already");
        finishReplacement();
        return;
    }
    stepRunning(replacement.drainStep);
    m_context.events.add({proto::SEVERITY_INFO, "drain_started", m_old->name() + " drains", m_old->id(),
        m_old->pid(), {}, {}});
    emit said("Worker " + number(m_old->id()) + " drains");
    m_old->drain(m_options.drain);
}

void UpgradeJob::onNewEnded() {
    if (m_newIsReady)
        return; // it served and then crashed: the pool's business; the old one drains on
    const std::string reason = m_new->failureReason().toString();
    if (m_cancelled) {
        disconnectWorkers();
        finish(proto::JOB_CANCELLED,
            "cancelled before worker " + number(m_new->id()) + " was ready; worker " + number(current().oldId)
                + " serves on");
        return;
    }
    failReplacement(reason);
}

void UpgradeJob::onOldChanged() {
    if (!m_newIsReady || !m_old || !m_old->detail().has_drain())
        return;
    *m_progress.mutable_drain() = m_old->lastDrain();
    stepDetail(current().drainStep, describeDrain(m_old->lastDrain()));
}

void UpgradeJob::onOldEnded() {
    if (!m_newIsReady)
        return; // it crashed while its successor starts; there will be nothing to drain
    const Replacement& replacement = current();
    emit said("Worker " + number(replacement.oldId) + " has ended");
    if (m_old->phase() == proto::PHASE_STOPPED) {
        stepDone(replacement.drainStep, m_old->detail().has_drain() ? describeDrain(m_old->lastDrain()) : "");
        finishReplacement();
        return;
    }
    // The successor serves, but connections of the old one may have been lost: that is no success.
    failReplacement("worker " + number(replacement.oldId) + " ended while it drained: "
        + m_old->detail().last_exit().text() + "; its successor " + number(m_new->id()) + " serves");
}

void UpgradeJob::finishReplacement() {
    disconnectWorkers();
    ++m_current;
    m_progress.set_done(static_cast<std::uint32_t>(m_current));
    if (m_cancelled && m_current < m_replacements.size())
        finish(proto::JOB_CANCELLED,
            "cancelled after " + std::to_string(m_current) + " of " + std::to_string(m_replacements.size())
                + " workers");
    else
        next();
}

void UpgradeJob::failReplacement(const std::string& error) {
    disconnectWorkers();
    Replacement& replacement = current();
    for (const int step : {replacement.spawnStep, replacement.listenersStep, replacement.stateStep,
             replacement.readyStep, replacement.drainStep}) {
        if (step >= 0 && m_progress.steps(step).state() == proto::STEP_RUNNING) {
            stepFailed(step, error);
            break;
        }
    }
    for (proto::JobStep& step : *m_progress.mutable_steps()) {
        if (step.state() == proto::STEP_RUNNING)
            step.set_state(proto::STEP_SKIPPED);
    }
    finish(proto::JOB_FAILED, error);
}

void UpgradeJob::disconnectWorkers() {
    for (Worker* worker : {m_old.data(), m_new.data()}) {
        if (!worker)
            continue;
        disconnect(worker, nullptr, this, nullptr);
        release(*worker);
    }
}

Expected<void> UpgradeJob::cancel(const std::string& actor) {
    if (!isRunning())
        return failure(Error::Code::InvalidArgument, "the job has ended");
    if (m_newIsReady && m_current + 1 >= m_replacements.size())
        return failure(Error::Code::InvalidArgument,
            "the new worker serves already and the old one drains: a drain cannot be taken back");
    m_cancelled = true;
    m_context.events.add({proto::SEVERITY_WARNING, "job_cancelled",
        m_progress.title() + " is being cancelled", {}, {}, actor, {}});
    if (!m_newIsReady && m_new)
        m_new->failStart({Error::Code::Cancelled, "cancelled", m_new->name(), {}});
    return {};
}

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#include "scene_control.h"

#include <QDateTime>

#include <algorithm>
#include <cmath>

namespace yardmaster::tests {

using namespace control;

namespace {

constexpr std::int64_t secondNs = 1'000'000'000;
constexpr std::int64_t millisecondNs = 1'000'000;
const QString oldVersion = QStringLiteral("1.4.1");
const QString newVersion = QStringLiteral("1.5.0");

StartupPhases startedAt(std::int64_t ns, double stretch) {
    const auto at = [ns, stretch](double ms) {
        return ns + static_cast<std::int64_t>(ms * stretch * static_cast<double>(millisecondNs));
    };
    return {ns, at(0.9), at(1.6), at(4.2), at(5.1), at(7.8)};
}

JobStep doneStep(
    const QString& name, const QString& detail, std::int64_t startedNs, std::int64_t durationNs) {
    return {name, detail, StepState::Done, startedNs, durationNs};
}

} // namespace

SceneControl::SceneControl(int workers, QObject* parent)
    : WorkerControl(parent)
    , m_nowNs(QDateTime::currentMSecsSinceEpoch() * millisecondNs) {
    m_target = {QStringLiteral("edge-fra-1"), QStringLiteral("Yardmaster agent"), newVersion, true,
        QStringLiteral("/run/yardmaster/yardmaster.sock"), m_nowNs - 6 * 86'400 * secondNs};
    m_capabilities.spawnWorker = m_capabilities.stopWorker = m_capabilities.upgradeWorker = true;
    m_capabilities.upgradeAll = m_capabilities.cancelJob = m_capabilities.startupPhases = true;
    m_capabilities.liveSamples = m_capabilities.drainReports = true;
    for (int slot = 1; slot <= workers; ++slot) {
        Worker& worker = addWorker(static_cast<std::uint32_t>(slot), oldVersion);
        worker.info.state = WorkerState::Serving;
        worker.info.startedUnixNs = m_nowNs - (6 * 86'400 + 4 * 3'600) * secondNs;
        worker.info.phases = startedAt(*worker.info.startedUnixNs, 1.05 + 0.02 * slot);
        worker.connections = 1'168 + slot * 3 % 17;
    }
}

SceneControl::Worker& SceneControl::addWorker(std::uint32_t slot, const QString& version) {
    Worker worker;
    worker.info.id = ++m_lastId;
    worker.info.slot = slot;
    worker.info.pid = static_cast<std::int32_t>(48'191 + 4 * m_lastId);
    worker.info.version = version;
    worker.info.revision = m_revision;
    worker.info.state = WorkerState::Starting;
    worker.info.startedUnixNs = m_nowNs;
    m_workers.push_back(worker);
    return m_workers.back();
}

SceneControl::Worker* SceneControl::find(std::uint32_t workerId) {
    const auto found = std::find_if(m_workers.begin(), m_workers.end(),
        [workerId](const Worker& worker) { return worker.info.id == workerId; });
    return found == m_workers.end() ? nullptr : &*found;
}

std::uint32_t SceneControl::servingWorker(std::uint32_t slot) const {
    for (const Worker& worker : m_workers) {
        if (worker.info.slot == slot && worker.info.state == WorkerState::Serving)
            return worker.info.id;
    }
    return 0;
}

void SceneControl::addEvent(
    EventSeverity severity, const QString& kind, const QString& text, std::optional<std::uint32_t> workerId) {
    Event event;
    event.sequence = ++m_eventSequence;
    event.unixNs = m_nowNs;
    event.severity = severity;
    event.kind = kind;
    event.text = text;
    event.workerId = workerId;
    event.actor = kind == u"upgrade_started" ? QStringLiteral("root") : QString();
    m_newEvents.push_back(event);
}

void SceneControl::start() {
    connectNow();
}

void SceneControl::connectNow() {
    m_link = {LinkState::Connected, m_nowNs, 0, {}};
    emit linkChanged(m_link);
}

void SceneControl::loseLink(int retryInMs, const QString& reason) {
    m_link = {LinkState::Lost, m_nowNs, retryInMs, reason};
    addEvent(EventSeverity::Warning, QStringLiteral("link_lost"), QStringLiteral("Link lost"), {});
    emit linkChanged(m_link);
}

void SceneControl::rewind(int ms) {
    m_nowNs -= ms * millisecondNs;
}

void SceneControl::crash(std::uint32_t workerId) {
    if (Worker* worker = find(workerId)) {
        worker->info.state = WorkerState::Crashed;
        worker->info.lastExit = QStringLiteral("killed by signal 9 (Killed)");
        worker->connections = 0;
        addEvent(EventSeverity::Error, QStringLiteral("worker_crashed"),
            QStringLiteral("Worker %1 crashed: killed by signal 9 (Killed)").arg(worker->info.slot),
            workerId);
    }
}

JobId SceneControl::begin(Job job, const UpgradeRequest& request) {
    job.id = ++m_lastJob;
    job.startedUnixNs = m_nowNs;
    m_jobs.push_back({job, request, {}, 0, 0});
    emit jobChanged(m_jobs.back().job);
    return job.id;
}

JobId SceneControl::spawnWorker() {
    m_calls.push_back({QStringLiteral("spawn_worker"), 0, {}});
    std::uint32_t slot = 0;
    for (const Worker& worker : m_workers)
        slot = std::max(slot, worker.info.slot);
    Job job;
    job.kind = QStringLiteral("spawn_worker");
    job.title = QStringLiteral("Spawn worker %1").arg(slot + 1);
    Worker& worker = addWorker(slot + 1, newVersion);
    job.newWorkerId = worker.info.id;
    const JobId id = begin(job, {});
    m_jobs.back().newId = worker.info.id;
    return id;
}

JobId SceneControl::stopWorker(std::uint32_t workerId, std::uint32_t drainDeadlineMs) {
    UpgradeRequest request;
    request.drainDeadlineMs = drainDeadlineMs;
    m_calls.push_back({QStringLiteral("stop_worker"), workerId, request});
    Job job;
    job.kind = QStringLiteral("stop_worker");
    job.title = QStringLiteral("Stop worker %1").arg(find(workerId)->info.slot);
    job.workerId = workerId;
    job.steps = {{QStringLiteral("Drain"), {}, StepState::Running, m_nowNs, {}}};
    const JobId id = begin(job, request);
    m_jobs.back().oldId = workerId;
    drain(*find(workerId), drainDeadlineMs);
    return id;
}

JobId SceneControl::upgradeWorker(std::uint32_t workerId, const UpgradeRequest& request) {
    m_calls.push_back({QStringLiteral("upgrade_worker"), workerId, request});
    Job job;
    job.kind = QStringLiteral("upgrade_worker");
    job.title = QStringLiteral("Upgrade worker %1").arg(find(workerId)->info.slot);
    job.workerId = workerId;
    const JobId id = begin(job, request);
    beginUpgradeOf(m_jobs.back(), workerId);
    return id;
}

JobId SceneControl::upgradeAll(const UpgradeRequest& request) {
    m_calls.push_back({QStringLiteral("upgrade_all"), 0, request});
    Job job;
    job.kind = QStringLiteral("upgrade_all");
    std::vector<std::uint32_t> ids;
    for (const Worker& worker : m_workers) {
        if (worker.info.state == WorkerState::Serving)
            ids.push_back(worker.info.id);
    }
    job.title = QStringLiteral("Upgrade all workers");
    job.total = static_cast<std::uint32_t>(ids.size());
    const JobId id = begin(job, request);
    RunningJob& running = m_jobs.back();
    running.waiting.assign(ids.begin() + 1, ids.end());
    beginUpgradeOf(running, ids.front());
    return id;
}

void SceneControl::cancelJob(JobId jobId) {
    m_calls.push_back({QStringLiteral("cancel_job"), 0, {}});
    for (RunningJob& running : m_jobs) {
        if (running.job.id != jobId || running.job.state != JobState::Running)
            continue;
        if (Worker* fresh = find(running.newId);
            fresh != nullptr && fresh->info.state == WorkerState::Starting) {
            fresh->info.state = WorkerState::Failed;
            fresh->endedNs = m_nowNs;
        }
        finish(running.job, JobState::Cancelled);
    }
}

void SceneControl::beginUpgradeOf(RunningJob& running, std::uint32_t workerId) {
    running.oldId = workerId;
    const std::uint32_t slot = find(workerId)->info.slot;
    Worker& fresh = addWorker(slot, newVersion);
    fresh.info.replaces = workerId;
    running.newId = fresh.info.id;
    running.job.newWorkerId = fresh.info.id;
    addEvent(EventSeverity::Info, QStringLiteral("upgrade_started"),
        QStringLiteral("Upgrade of worker %1 started").arg(slot), workerId);
    running.job.steps = {
        doneStep(QStringLiteral("Check v1.5.0"), QStringLiteral("configuration and state revision accepted"),
            m_nowNs + millisecondNs, 800'000),
        {QStringLiteral("Spawn worker"), QStringLiteral("pid %1, 4 listeners").arg(fresh.info.pid),
            StepState::Running, m_nowNs + 2 * millisecondNs, {}},
        {QStringLiteral("Ready"), {}, StepState::Waiting, {}, {}},
        {QStringLiteral("Drain old worker"), {}, StepState::Waiting, {}, {}},
        {QStringLiteral("Old worker exits"), {}, StepState::Waiting, {}, {}},
    };
    emit jobChanged(running.job);
}

void SceneControl::drain(Worker& worker, std::uint32_t deadlineMs) {
    worker.info.state = WorkerState::Draining;
    worker.drainUntilNs = m_nowNs + deadlineMs * millisecondNs;
    worker.info.drain = DrainStatus{};
    worker.info.drain->openConnections = static_cast<std::uint64_t>(worker.connections);
    addEvent(EventSeverity::Info, QStringLiteral("worker_draining"),
        QStringLiteral("Worker %1 drains").arg(worker.info.slot), worker.info.id);
}

void SceneControl::finish(Job& job, JobState state) {
    job.state = state;
    job.endedUnixNs = m_nowNs;
    for (JobStep& jobStep : job.steps) {
        if (jobStep.state == StepState::Running || jobStep.state == StepState::Waiting)
            jobStep.state = state == JobState::Done ? StepState::Done : StepState::Skipped;
    }
    emit jobChanged(job);
}

void SceneControl::advance(RunningJob& running) {
    Job& job = running.job;
    if (job.state != JobState::Running)
        return;
    Worker* fresh = find(running.newId);
    if (fresh == nullptr || fresh->info.state != WorkerState::Starting) {
        advanceDrain(running);
        return;
    }
    const std::int64_t startNs = *fresh->info.startedUnixNs;
    if (m_outcome == Outcome::NeverReady) {
        if (job.steps.size() > 2 && job.steps[1].state == StepState::Running) {
            job.steps[1].state = StepState::Done;
            job.steps[1].durationNs = 1'600'000;
            job.steps[2].state = StepState::Running;
            job.steps[2].startedUnixNs = startNs + 4 * millisecondNs;
            emit jobChanged(job);
        }
        if (m_nowNs - startNs < running.request.readyDeadlineMs * millisecondNs)
            return;
        fresh->info.state = WorkerState::Failed;
        fresh->info.lastExit = QStringLiteral("killed by signal 9 (Killed)");
        fresh->endedNs = m_nowNs;
        job.steps[2].state = StepState::Failed;
        job.error = Error{Error::Code::DeadlineExceeded, "the new worker was not ready within 5 s",
            "worker " + std::to_string(fresh->info.slot) + ", pid " + std::to_string(fresh->info.pid),
            "read its log; the old worker still serves, nothing was lost"};
        addEvent(EventSeverity::Error, QStringLiteral("upgrade_failed"),
            QStringLiteral("Upgrade of worker %1 failed: not ready in time").arg(fresh->info.slot),
            fresh->info.id);
        finish(job, JobState::Failed);
        return;
    }
    fresh->info.state = WorkerState::Serving;
    fresh->info.phases = startedAt(startNs, 1);
    fresh->connections = 0;
    addEvent(EventSeverity::Ok, QStringLiteral("worker_ready"),
        QStringLiteral("Worker %1 ready on v1.5.0 after 5.1 ms").arg(fresh->info.slot), fresh->info.id);
    Worker* old = find(running.oldId);
    if (old == nullptr) {
        job.steps = {doneStep(QStringLiteral("Spawn worker"), QStringLiteral("ready"), startNs, 5'100'000)};
        ++job.done;
        finish(job, JobState::Done);
        return;
    }
    job.steps[1].state = StepState::Done;
    job.steps[1].durationNs = 1'600'000;
    job.steps[2] = doneStep(QStringLiteral("Ready"), QStringLiteral("reported on its own channel"),
        startNs + 5 * millisecondNs, 900'000);
    job.steps[3].state = StepState::Running;
    job.steps[3].startedUnixNs = m_nowNs;
    old->info.replacedBy = fresh->info.id;
    drain(*old, running.request.drainDeadlineMs);
    emit jobChanged(job);
}

void SceneControl::advanceDrain(RunningJob& running) {
    Job& job = running.job;
    Worker* old = find(running.oldId);
    if (old == nullptr)
        return;
    if (old->info.state == WorkerState::Draining) {
        job.drain = old->info.drain;
        if (job.steps.size() > 3)
            job.steps[3].detail = QStringLiteral("%1 connections left").arg(job.drain->openConnections);
        emit jobChanged(job);
        return;
    }
    job.drain = old->info.drain;
    ++job.done;
    addEvent(EventSeverity::Ok, QStringLiteral("worker_drained"),
        QStringLiteral("Old worker %1 drained, 0 cut").arg(old->info.slot), old->info.id);
    if (running.waiting.empty()) {
        finish(job, JobState::Done);
        return;
    }
    const std::uint32_t next = running.waiting.front();
    running.waiting.erase(running.waiting.begin());
    beginUpgradeOf(running, next);
}

WorkerDelta SceneControl::trafficOf(Worker& worker, double seconds) {
    WorkerDelta delta;
    delta.workerId = worker.info.id;
    const bool serves =
        worker.info.state == WorkerState::Serving || worker.info.state == WorkerState::Draining;
    const double share = worker.info.state == WorkerState::Draining ? worker.connections / 1'180.0 : 1.0;
    const double rate = serves ? 305.0 + worker.info.slot % 5 : 0;
    std::poisson_distribution<std::uint64_t> poisson(std::max(1e-9, rate * share * seconds));
    delta.requests = poisson(m_random);
    delta.connections = static_cast<std::uint64_t>(worker.connections);
    std::lognormal_distribution<double> typical(std::log(1'850.0), 0.55), slow(std::log(13'000.0), 0.35);
    std::uniform_real_distribution<double> uniform(0, 1);
    auto latency = std::make_shared<metrics::Histogram>();
    for (std::uint64_t i = 0; i < delta.requests; ++i) {
        latency->record(
            static_cast<std::uint64_t>(uniform(m_random) < 0.02 ? slow(m_random) : typical(m_random)));
        if (uniform(m_random) < 0.0002)
            ++delta.errors;
    }
    if (delta.requests > 0)
        delta.latency = latency;

    WorkerInfo& info = worker.info;
    info.connections = delta.connections;
    info.requestsInFlight = serves ? 1 + info.slot % 3 : 0;
    info.requestsPerSecond = std::round(rate * share);
    info.errorPercent = serves ? std::optional(0.01 + 0.01 * (info.slot % 3)) : std::nullopt;
    info.p50Us = serves ? std::optional(1'820.0 + info.slot) : std::nullopt;
    info.p99Us = serves ? std::optional(13'200.0 + 110 * (info.slot % 7)) : std::nullopt;
    info.rssBytes = (38ULL << 20) + info.slot * 57'000;
    info.cpuPercent = serves ? 19.0 * share + info.slot % 3 : 0;
    return delta;
}

void SceneControl::sample(int ms) {
    const double seconds = ms / 1000.0;
    m_nowNs += ms * millisecondNs;
    for (std::size_t i = 0; i < m_jobs.size(); ++i)
        advance(m_jobs[i]);
    std::vector<WorkerDelta> deltas;
    for (Worker& worker : m_workers) {
        WorkerInfo& info = worker.info;
        if (info.state == WorkerState::Serving) {
            worker.connections += (1'180 - worker.connections) * (1 - std::exp(-seconds / 4));
        } else if (info.state == WorkerState::Draining) {
            const double before = worker.connections;
            worker.connections *= std::exp(-seconds / 4);
            if (worker.connections < 1 || m_nowNs >= worker.drainUntilNs) {
                worker.connections = 0;
                info.state = WorkerState::Stopped;
                info.lastExit = QStringLiteral("exited with 0");
                worker.endedNs = m_nowNs;
            }
            worker.drainedSoFar += static_cast<std::uint64_t>(
                std::max(0.0, std::floor(before) - std::floor(worker.connections)));
            info.drain->openConnections = static_cast<std::uint64_t>(worker.connections);
            info.drain->drained = worker.drainedSoFar;
        }
        deltas.push_back(trafficOf(worker, seconds));
    }
    std::erase_if(m_workers, [this](const Worker& worker) {
        return worker.endedNs != 0 && m_nowNs - worker.endedNs > 5 * secondNs;
    });
    if (m_link.state == LinkState::Connected)
        publish(std::move(deltas));
}

void SceneControl::publish(std::vector<WorkerDelta> deltas) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->sequence = ++m_sequence;
    snapshot->unixNs = m_nowNs;
    snapshot->target = m_target;
    snapshot->capabilities = m_capabilities;
    snapshot->revision = m_revision;
    for (const Worker& worker : m_workers)
        snapshot->workers.push_back(worker.info);
    snapshot->deltas = std::move(deltas);
    for (const RunningJob& running : m_jobs)
        snapshot->jobs.push_back(running.job);
    snapshot->newEvents = std::exchange(m_newEvents, {});
    m_latest = snapshot;
    emit snapshotReady(m_latest);
}

void SceneControl::step(int ms, int sampleMs) {
    for (int left = ms; left > 0; left -= sampleMs)
        sample(std::min(left, sampleMs));
}

} // namespace yardmaster::tests

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/sozu_session.h"

#include "backend/base/monotonic_clock.h"
#include "backend/control/listener_check.h"
#include "backend/control/process_files.h"

#include <algorithm>

namespace yardmaster::control {

namespace {

constexpr int pollIntervalMs = 1'000;
constexpr int statusIntervalMs = 5'000;
constexpr int eventsRetryMs = 5'000;
constexpr std::size_t keptEndedWorkers = 20; ///< Sozu lists every worker it ever had
constexpr Deadlines listDeadlines{5'000, 5'000, 10'000};
// Sozu answers when its slowest worker has, or after its own 10 s.
constexpr Deadlines workersDeadlines{12'000, 12'000, 15'000};
constexpr Deadlines eventsDeadlines{5'000, 0, 0};

WorkerState stateOf(proto::RunState state) {
    switch (state) {
    case proto::RUNNING:
        return WorkerState::Serving;
    case proto::STOPPING:
        return WorkerState::Draining;
    case proto::STOPPED:
        return WorkerState::Stopped;
    case proto::NOT_ANSWERING:
        return WorkerState::NotAnswering;
    }
    return WorkerState::Unknown;
}

} // namespace

Capabilities sozuCapabilities() {
    Capabilities capabilities;
    capabilities.upgradeWorker = capabilities.upgradeAll = capabilities.cancelJob = true;
    capabilities.reasonForMissing = QStringLiteral("Sozu cannot start or stop a single worker, and tells "
                                                   "neither the phases of a start nor how a drain goes");
    capabilities.upgradeWarning =
        QStringLiteral("Sozu does not tell its version here. Sozu 2.1.0 loses connections when a worker is "
                       "upgraded: the new worker "
                       "leaves its inherited listening socket open with nobody accepting, and the kernel "
                       "goes on sending it a share "
                       "of all new connections, which hang (measured: half of them after four upgrades of "
                       "four workers). It does not "
                       "heal without a restart of the whole Sozu. Be sure that this one is newer.");
    return capabilities;
}

SozuSession::SozuSession(
    TargetMemory& memory, Connection* listing, proto::WorkerInfos workers, QObject* parent)
    : Session(parent)
    , m_memory(memory)
    , m_listing(listing)
    , m_metricsConnection(memory.endpoint, this)
    , m_statusConnection(memory.endpoint, this)
    , m_eventsConnection(memory.endpoint, this)
    , m_pollTimer(this)
    , m_statusTimer(this)
    , m_eventsTimer(this)
    , m_firstWorkers(std::move(workers)) {
    m_listing->setParent(this);
    m_target.name = memory.endpoint;
    m_target.system = QStringLiteral("Sozu");
    m_target.endpoint = memory.endpoint;
    m_pid = listing->peerPid().value_or(0);
    if (const auto process = readProcess(m_pid))
        m_target.startedUnixNs = process->startedUnixNs;
    m_pollTimer.setInterval(pollIntervalMs);
    connect(&m_pollTimer, &QTimer::timeout, this, &SozuSession::poll);
    m_statusTimer.setInterval(statusIntervalMs);
    connect(&m_statusTimer, &QTimer::timeout, this, &SozuSession::askStatus);
    m_eventsTimer.setSingleShot(true);
    connect(&m_eventsTimer, &QTimer::timeout, this, &SozuSession::followEvents);
}

void SozuSession::begin() {
    takeWorkers(m_firstWorkers);
    m_firstWorkers.Clear();
    followEvents();
    askMetrics();
    askStatus();
    m_pollTimer.start();
    m_statusTimer.start();
}

void SozuSession::poll() {
    // A slow peer gets fewer questions, not a queue of them.
    if (!m_metricsConnection.isBusy())
        askMetrics();
    if (m_listing->isBusy())
        return;
    proto::Request request;
    request.mutable_list_workers();
    m_listing->start(std::move(request), listDeadlines, {}, [this](const Expected<proto::Response>& result) {
        if (!result) {
            m_pollTimer.stop();
            emit lost(result.error());
        } else if (result->has_agent()) {
            m_pollTimer.stop();
            emit lost({Error::Code::Unsupported, "an agent answers where a Sozu did",
                m_memory.endpoint.toStdString(), "the connection is made anew"});
        } else if (result->status() == proto::OK) {
            takeWorkers(result->content().workers());
        } else {
            m_pollTimer.stop();
            emit lost({Error::Code::PermissionDenied, result->message(), m_memory.endpoint.toStdString(),
                "see command_allowed_uids in Sozu's configuration"});
        }
    });
}

void SozuSession::askMetrics() {
    m_metricsConnection.start(
        sozuMetricsRequest(), workersDeadlines, {}, [this](const Expected<proto::Response>& result) {
            if (result && result->status() == proto::OK)
                m_metrics.take(result->content().metrics(), monotonicNowNs());
            else
                m_metrics.forgetGauges();
        });
}

/// The list comes from the main process' memory, where a worker that hangs still runs. Status asks them.
void SozuSession::askStatus() {
    if (m_statusConnection.isBusy())
        return;
    proto::Request request;
    request.mutable_status();
    m_statusConnection.start(
        std::move(request), workersDeadlines, {}, [this](const Expected<proto::Response>& result) {
            if (!result || result->status() != proto::OK)
                return; // not told: what was known holds
            m_notAnswering.clear();
            for (const proto::WorkerInfo& worker : result->content().workers().vec())
                if (worker.run_state() == proto::NOT_ANSWERING)
                    m_notAnswering.insert(worker.id());
        });
}

void SozuSession::followEvents() {
    proto::Request request;
    request.mutable_subscribe_events();
    m_eventsConnection.start(
        std::move(request), eventsDeadlines,
        [this](const proto::Response& response) {
            if (response.content().has_event()
                && response.content().event().kind() != proto::EVENTS_SUBSCRIBED)
                m_memory.addEvent(sozuEventOf(response.content().event(), response.message()));
        },
        [this](const Expected<proto::Response>&) { m_eventsTimer.start(eventsRetryMs); });
}

WorkerInfo SozuSession::infoOf(const proto::WorkerInfo& worker) {
    WorkerInfo info;
    info.id = worker.id();
    info.pid = worker.pid();
    info.state = stateOf(worker.run_state());
    if (info.state == WorkerState::Serving && m_notAnswering.contains(info.id))
        info.state = WorkerState::NotAnswering;
    if (info.state == WorkerState::Stopped)
        return info; // a zombie's figures, or those of another process with its number, tell nothing
    if (const auto process = readProcess(info.pid)) {
        info.rssBytes = process->rssBytes;
        info.startedUnixNs = process->startedUnixNs;
        m_metrics.addCpu(info.id, process->cpuNs);
    }
    m_metrics.fill(info);
    return info;
}

void SozuSession::takeWorkers(const proto::WorkerInfos& workers) {
    std::vector<WorkerInfo> living;
    std::vector<WorkerInfo> ended;
    for (const proto::WorkerInfo& worker : workers.vec()) {
        WorkerInfo info = infoOf(worker);
        (info.state == WorkerState::Stopped ? ended : living).push_back(std::move(info));
    }
    const auto byId = [](const WorkerInfo& a, const WorkerInfo& b) { return a.id < b.id; };
    std::sort(living.begin(), living.end(), byId);
    std::sort(ended.begin(), ended.end(), byId);
    m_metrics.forgetAllBut(living);
    Snapshot next;
    next.unixNs = unixNowNs();
    next.target = m_target;
    next.capabilities = sozuCapabilities();
    next.deltas = m_metrics.takeDeltas();
    next.workers = std::move(living);
    const std::size_t skipped = ended.size() > keptEndedWorkers ? ended.size() - keptEndedWorkers : 0;
    next.workers.insert(
        next.workers.end(), ended.begin() + static_cast<std::ptrdiff_t>(skipped), ended.end());
    noteChanges(next.workers);
    settleUpgrades(next.workers);
    emit snapshot(m_memory.finish(std::move(next)));
}

/// Sozu has events for workers that end and start, and never sends them.
void SozuSession::noteChanges(const std::vector<WorkerInfo>& workers) {
    const bool isFirst = m_states.empty();
    std::map<std::uint32_t, WorkerState> states;
    for (const WorkerInfo& worker : workers) {
        states[worker.id] = worker.state;
        const QString name = QStringLiteral("Worker %1 (pid %2)").arg(worker.id).arg(worker.pid);
        const auto before = m_states.find(worker.id);
        if (before == m_states.end()) {
            if (!isFirst && worker.state == WorkerState::Serving)
                m_memory.addEvent(EventSeverity::Info, QStringLiteral("worker_started"),
                    name + QStringLiteral(" runs"), worker.id);
            continue;
        }
        if (before->second == worker.state)
            continue;
        if (worker.state == WorkerState::Draining)
            m_memory.addEvent(EventSeverity::Info, QStringLiteral("drain_started"),
                name + QStringLiteral(" drains"), worker.id);
        else if (worker.state == WorkerState::NotAnswering)
            m_memory.addEvent(EventSeverity::Warning, QStringLiteral("worker_not_answering"),
                name + QStringLiteral(" does not answer"), worker.id);
        else if (worker.state == WorkerState::Serving && before->second == WorkerState::NotAnswering)
            m_memory.addEvent(EventSeverity::Ok, QStringLiteral("worker_answers"),
                name + QStringLiteral(" answers again"), worker.id);
        else if (worker.state == WorkerState::Stopped && before->second == WorkerState::Draining)
            m_memory.addEvent(EventSeverity::Ok, QStringLiteral("worker_drained"),
                name + QStringLiteral(" has ended"), worker.id);
        else if (worker.state == WorkerState::Stopped && m_upgrades.empty())
            m_memory.addEvent(EventSeverity::Error, QStringLiteral("worker_crashed"),
                name + QStringLiteral(" ended without being asked to"), worker.id);
        else if (worker.state == WorkerState::Stopped)
            m_memory.addEvent(EventSeverity::Info, QStringLiteral("worker_stopped"),
                name + QStringLiteral(" has ended"), worker.id);
    }
    m_states = std::move(states);
}

void SozuSession::settleUpgrades(const std::vector<WorkerInfo>& workers) {
    const auto is = [&workers](std::optional<std::uint32_t> id, WorkerState state) {
        return id && std::any_of(workers.begin(), workers.end(), [id, state](const WorkerInfo& worker) {
            return worker.id == *id && worker.state == state;
        });
    };
    std::erase_if(m_memory.sozuUpgrades, [&](const auto& upgrade) {
        const Job* job = m_memory.jobs.find(upgrade.first);
        // Another main process numbers its workers anew.
        if (!job || m_pid == 0 || upgrade.second != m_pid)
            return true;
        if (job->state != JobState::Unknown)
            return job->state != JobState::Running;
        if (job->total != 1 || !is(job->workerId, WorkerState::Stopped)
            || !is(job->newWorkerId, WorkerState::Serving))
            return false;
        m_memory.addEvent(EventSeverity::Ok, QStringLiteral("upgrade_done"),
            job->title + QStringLiteral(": done, as the list of workers tells"), job->newWorkerId);
        Job settled = *job;
        settled.done = 1;
        m_memory.jobs.put(std::move(settled));
        m_memory.jobs.end(upgrade.first, JobState::Done, std::nullopt);
        return true;
    });
}

void SozuSession::act(const Action& action) {
    m_memory.jobs.put(newJob(action));
    std::vector<std::uint32_t> workers;
    if (action.kind == Action::Kind::UpgradeWorker) {
        workers.push_back(action.workerId);
    } else if (action.kind == Action::Kind::UpgradeAll) {
        for (const auto& [id, state] : m_states)
            if (state == WorkerState::Serving)
                workers.push_back(id);
    } else {
        m_memory.jobs.end(action.job, JobState::Failed,
            Error{Error::Code::Unsupported, "Sozu cannot start or stop a single worker",
                m_memory.endpoint.toStdString(), "upgrade the worker, or stop the whole Sozu on its host"});
        return;
    }
    if (!m_upgrades.empty()) {
        m_memory.jobs.end(action.job, JobState::Failed,
            Error{Error::Code::AlreadyExists, "another upgrade of this Sozu is running",
                m_memory.endpoint.toStdString(), "wait for its end"});
        return;
    }
    auto* upgrade = new SozuUpgrade(m_memory, action, std::move(workers), this);
    m_upgrades[action.job] = upgrade;
    m_memory.sozuUpgrades[action.job] = m_pid;
    connect(upgrade, &SozuUpgrade::finished, this, [this, upgrade] {
        m_upgrades.erase(upgrade->job());
        upgrade->deleteLater();
        new ListenerCheck(m_memory, this);
    });
    upgrade->begin();
}

void SozuSession::cancel(JobId job) {
    if (const auto found = m_upgrades.find(job); found != m_upgrades.end())
        found->second->cancel();
}

} // namespace yardmaster::control

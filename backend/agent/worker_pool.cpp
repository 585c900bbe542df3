// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/worker_pool.h"

#include "backend/agent/process_usage.h"
#include "backend/agent/unix_socket.h"
#include "backend/base/monotonic_clock.h"

#include <algorithm>

namespace yardmaster::agent {

namespace {

constexpr std::size_t keptEndedWorkers = 20;
constexpr int usageIntervalMs = 1000;

std::string milliseconds(std::int64_t nanoseconds) {
    const std::int64_t tenths = nanoseconds / 100'000;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " ms";
}

} // namespace

WorkerPool::WorkerPool(const AgentConfig& config, StateStore& store, ListenerSet& listeners,
    const RuntimeDirectory& directory, EventLog& events, QObject* parent)
    : QObject(parent)
    , m_config(config)
    , m_store(store)
    , m_listeners(listeners)
    , m_directory(directory)
    , m_events(events) {
    connect(&m_usageTimer, &QTimer::timeout, this, [this] {
        for (Worker* worker : living())
            readUsage(*worker);
    });
    m_usageTimer.start(usageIntervalMs);
}

WorkerPool::~WorkerPool() = default;

proto::ServerConfig WorkerPool::serverConfig(std::uint32_t slot) const {
    proto::ServerConfig config;
    config.set_max_connections(m_config.maxConnections);
    config.set_front_timeout(m_config.frontTimeoutS);
    config.set_back_timeout(m_config.backTimeoutS);
    config.set_connect_timeout(m_config.connectTimeoutS);
    config.set_zombie_check_interval(config.zombie_check_interval());
    config.set_accept_queue_timeout(config.accept_queue_timeout());
    config.set_min_buffers(config.min_buffers());
    config.set_max_buffers(config.max_buffers());
    config.set_buffer_size(config.buffer_size());
    config.set_log_level(m_config.logLevel);
    config.set_log_target(m_config.logTarget);
    if (!m_config.accessLog.empty())
        config.set_access_logs_target("file://" + m_config.accessLog);
    config.set_command_buffer_size(m_config.commandBufferBytes);
    config.set_max_command_buffer_size(m_config.maxCommandBufferBytes);
    config.set_access_log_format(proto::Ascii);
    config.set_log_colored(false);
    auto& options = *config.mutable_options();
    options.set_agent_name(m_config.name);
    options.set_revision(m_store.revision());
    options.set_worker_slot(slot);
    if (!m_config.accessLog.empty())
        options.set_access_log(m_config.accessLog);
    options.set_max_connections(static_cast<std::uint32_t>(m_config.maxConnections));
    options.set_upstream_idle_connections(m_config.upstreamIdleConnections);
    return config;
}

Expected<std::shared_ptr<const WorkerBinary>> WorkerPool::openBinary() const {
    return WorkerBinary::open(m_config.workerBinary);
}

Expected<Worker*> WorkerPool::spawn(const SpawnOptions& options) {
    auto binary = options.binary ? options.binary : std::shared_ptr<const WorkerBinary>();
    if (!binary) {
        auto opened = openBinary();
        if (!opened)
            return failure(opened.error());
        binary = std::move(*opened);
    }
    const std::uint32_t id = m_nextId;
    const std::uint32_t slotNumber = options.slot != 0 ? options.slot : freeSlot();
    auto stateFd = m_store.initialStateFd();
    if (!stateFd)
        return failure(stateFd.error());
    auto page = metrics::MetricsPage::create(id);
    if (!page)
        return failure(page.error());
    auto adoptionSocket = listenUnix(m_directory.workerSocketPath(id), 4);
    if (!adoptionSocket)
        return failure(adoptionSocket.error());

    ++m_nextId;
    Slot& slot = m_slots[slotNumber];
    slot.wanted = true;
    if (options.askedFor)
        slot.policy.reset();
    auto worker = std::make_unique<Worker>(
        Worker::Identity{id, slotNumber, options.replaces, slot.crashes, false}, std::move(*page),
        Worker::Limits{m_config.maxCommandBufferBytes, static_cast<int>(m_config.workerTimeoutS) * 1000});
    auto process = spawnWorkerProcess(
        {binary.get(), id, slotNumber, *stateFd, worker->page().fd(), adoptionSocket->get()});
    if (!process) {
        m_directory.removeWorkerSocket(id);
        return failure(process.error());
    }
    Worker* added = add(std::move(worker));
    const std::uint32_t deadlineMs =
        options.readyDeadlineMs != 0 ? options.readyDeadlineMs : m_config.readyDeadlineMs;
    added->start(std::move(*process), serverConfig(slotNumber), m_listeners.inOrder(), m_store.revision(),
        static_cast<int>(deadlineMs));
    if (options.replaces != 0) {
        if (Worker* old = find(options.replaces))
            old->setReplacedBy(id);
    }
    m_events.add({proto::SEVERITY_INFO, "worker_spawned",
        added->name() + " started in slot " + std::to_string(slotNumber)
            + (options.replaces != 0 ? " to replace worker " + std::to_string(options.replaces) : ""),
        id, added->pid(), {}, {}});
    return added;
}

Worker* WorkerPool::adopt(
    const proto::WorkerReport& report, UniqueFd pidFd, UniqueFd channel, metrics::MetricsPage page) {
    m_slots[report.slot()].wanted = true;
    reserveIdsUpTo(report.id());
    auto worker =
        std::make_unique<Worker>(Worker::Identity{report.id(), report.slot(), 0, 0, true}, std::move(page),
            Worker::Limits{m_config.maxCommandBufferBytes, static_cast<int>(m_config.workerTimeoutS) * 1000});
    Worker* added = add(std::move(worker));
    added->adopt(report.pid(), std::move(pidFd), std::move(channel), report);
    return added;
}

Worker* WorkerPool::add(std::unique_ptr<Worker> worker) {
    Worker* added = worker.get();
    m_workers.emplace(added->id(), std::move(worker));
    connect(added, &Worker::changed, this, [this, added] { emit workerChanged(added); });
    connect(added, &Worker::ready, this, [this, added] { onReady(added); });
    // Queued: the sender may be forgotten by what follows.
    connect(added, &Worker::ended, this, [this, added] { onEnded(added); });
    emit workerAdded(added);
    return added;
}

void WorkerPool::reserveIdsUpTo(std::uint32_t id) {
    m_nextId = std::max(m_nextId, id + 1);
}

void WorkerPool::onReady(Worker* worker) {
    const proto::StartupStamps& stamps = worker->detail().stamps();
    EventLog::Entry entry{proto::SEVERITY_OK, "worker_ready",
        worker->name() + " is ready after " + milliseconds(stamps.ready_ns() - stamps.spawn_ns()),
        worker->id(), worker->pid(), {}, {}};
    if (worker->detail().restarts() > 0 && worker->detail().replaces() == 0) {
        entry.sozu.emplace();
        entry.sozu->set_kind(proto::WORKER_RELAUNCHED);
    }
    m_events.add(std::move(entry));
    readUsage(*worker);
}

void WorkerPool::onEnded(Worker* worker) {
    m_directory.removeWorkerSocket(worker->id());
    const std::string exit = worker->detail().last_exit().text();
    EventLog::Entry entry{proto::SEVERITY_INFO, {}, {}, worker->id(), worker->pid(), {}, {}};
    switch (worker->phase()) {
    case proto::PHASE_STOPPED:
        entry.severity = worker->lastDrain().cut() > 0 ? proto::SEVERITY_WARNING : proto::SEVERITY_OK;
        entry.kind = "worker_stopped";
        entry.text = worker->name() + " has ended: " + exit;
        if (worker->lastDrain().cut() > 0)
            entry.text +=
                ", " + std::to_string(worker->lastDrain().cut()) + " connections were cut at the deadline";
        break;
    case proto::PHASE_FAILED:
        entry.severity = proto::SEVERITY_ERROR;
        entry.kind = "worker_failed";
        entry.text = worker->name() + " did not start: " + worker->failureReason().toString();
        break;
    default:
        entry.severity = proto::SEVERITY_ERROR;
        entry.kind = "worker_crashed";
        entry.text = worker->name() + " ended by itself: " + exit;
        entry.sozu.emplace();
        entry.sozu->set_kind(proto::WORKER_KILLED);
        break;
    }
    m_events.add(std::move(entry));
    emit workerEnded(worker);

    const std::uint32_t slotNumber = worker->slot();
    const bool crashed = worker->phase() != proto::PHASE_STOPPED;
    if (crashed)
        ++m_slots[slotNumber].crashes;
    if (m_restarting && m_config.workerAutomaticRestart && m_slots[slotNumber].wanted
        && !isFilled(slotNumber)) {
        if (crashed)
            noteCrash(slotNumber);
        else
            scheduleRestart(slotNumber, 0);
    }
    QMetaObject::invokeMethod(this, &WorkerPool::forgetOldest, Qt::QueuedConnection);
}

void WorkerPool::noteCrash(std::uint32_t slotNumber) {
    Slot& slot = m_slots[slotNumber];
    if (slot.policy.hasGivenUp())
        return;
    const auto delayNs = slot.policy.onCrash(monotonicNowNs());
    if (delayNs) {
        scheduleRestart(slotNumber, *delayNs);
        return;
    }
    m_events.add({proto::SEVERITY_ERROR, "crash_loop",
        "Slot " + std::to_string(slotNumber) + " is left empty: " + std::to_string(RestartPolicy::maxCrashes)
            + " of its workers ended within " + std::to_string(RestartPolicy::windowNs / 1'000'000'000)
            + " s. Mend the cause, then spawn a worker.",
        {}, {}, {}, {}});
}

void WorkerPool::scheduleRestart(std::uint32_t slotNumber, std::int64_t delayNs) {
    Slot& slot = m_slots[slotNumber];
    if (!slot.timer) {
        slot.timer = std::make_unique<QTimer>();
        slot.timer->setSingleShot(true);
        connect(slot.timer.get(), &QTimer::timeout, this, [this, slotNumber] { restart(slotNumber); });
    }
    slot.timer->start(static_cast<int>(delayNs / 1'000'000));
}

void WorkerPool::restart(std::uint32_t slotNumber) {
    if (!m_restarting || !m_slots[slotNumber].wanted || isFilled(slotNumber))
        return;
    SpawnOptions options;
    options.slot = slotNumber;
    if (auto spawned = spawn(options); !spawned) {
        m_events.add({proto::SEVERITY_ERROR, "worker_failed",
            "No worker could be started in slot " + std::to_string(slotNumber) + ": "
                + spawned.error().toString(),
            {}, {}, {}, {}});
        ++m_slots[slotNumber].crashes;
        noteCrash(slotNumber);
    }
}

void WorkerPool::fillSlots(std::uint32_t count) {
    for (std::uint32_t slot = 1; slot <= count; ++slot) {
        m_slots[slot].wanted = true;
        if (!isFilled(slot))
            restart(slot);
    }
}

void WorkerPool::leaveEmpty(std::uint32_t slot) {
    m_slots[slot].wanted = false;
}

bool WorkerPool::isFilled(std::uint32_t slot) const {
    return std::any_of(m_workers.begin(), m_workers.end(), [slot](const auto& entry) {
        const Worker& worker = *entry.second;
        return worker.slot() == slot && worker.isAlive()
            && (worker.phase() == proto::PHASE_STARTING || worker.phase() == proto::PHASE_SERVING);
    });
}

std::uint32_t WorkerPool::freeSlot() const {
    std::uint32_t slot = 1;
    while (isFilled(slot))
        ++slot;
    return slot;
}

std::vector<Worker*> WorkerPool::living() const {
    std::vector<Worker*> found;
    for (const auto& [id, worker] : m_workers) {
        if (worker->isAlive())
            found.push_back(worker.get());
    }
    return found;
}

std::vector<Worker*> WorkerPool::serving() const {
    std::vector<Worker*> found = living();
    std::erase_if(found, [](const Worker* worker) { return !worker->isServing(); });
    return found;
}

std::vector<Worker*> WorkerPool::workers() const {
    std::vector<Worker*> found = living();
    for (const auto& [id, worker] : m_workers) {
        if (!worker->isAlive())
            found.push_back(worker.get());
    }
    return found;
}

Worker* WorkerPool::find(std::uint32_t id) const {
    const auto found = m_workers.find(id);
    return found == m_workers.end() ? nullptr : found->second.get();
}

void WorkerPool::forgetOldest() {
    std::size_t ended = m_workers.size() - living().size();
    for (auto entry = m_workers.begin(); entry != m_workers.end() && ended > keptEndedWorkers;) {
        if (entry->second->isAlive() || entry->second->busyWith() != 0) {
            ++entry;
            continue;
        }
        entry->second.release()->deleteLater();
        entry = m_workers.erase(entry);
        --ended;
    }
}

void WorkerPool::readUsage(Worker& worker) {
    if (const auto usage = readProcessUsage(worker.pid()))
        worker.setUsage(usage->rssBytes, usage->cpuNs);
}

} // namespace yardmaster::agent

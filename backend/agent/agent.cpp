// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/agent.h"

#include "backend/agent/adoption.h"
#include "backend/agent/state_file.h"
#include "backend/base/monotonic_clock.h"

#include <spdlog/spdlog.h>

#include <string.h>
#include <unistd.h>

namespace yardmaster::agent {

Agent::Agent(AgentConfig config, std::string configFile, std::string programDirectory, QObject* parent)
    : QObject(parent)
    , m_config(std::move(config))
    , m_configFile(std::move(configFile))
    , m_programDirectory(std::move(programDirectory))
    , m_startedUnixNs(unixNowNs()) { }

// The parts refer to each other: those that use others go first.
Agent::~Agent() {
    m_server.reset();
    m_router.reset();
}

Expected<void> Agent::start() {
    auto directory = RuntimeDirectory::open(m_config.runtimeDirectory);
    if (!directory)
        return failure(directory.error());
    m_directory.emplace(std::move(*directory));
    m_pool = std::make_unique<WorkerPool>(m_config, m_store, m_listeners, *m_directory, m_events);
    m_changes = std::make_unique<StateChanges>(m_store, m_listeners, *m_pool);
    m_parts = std::make_unique<AgentParts>(
        AgentParts{m_config, m_store, m_listeners, *m_pool, *m_changes, m_jobs, m_events,
            [this](bool hard, const proto::DrainOptions& drain, const std::string& actor, auto done) {
                shutDown(hard, drain, actor, std::move(done));
            },
            [this] { return identity(); }, m_configFile, m_programDirectory});
    m_router = std::make_unique<RequestRouter>(*m_parts);
    m_server = std::make_unique<CommandServer>(m_config.maxCommandBufferBytes, [this] { return identity(); });
    connect(m_server.get(), &CommandServer::requestReceived, this,
        [this](const proto::Request& request, const ReplyPtr& reply) { m_router->handle(request, reply); });
    connect(m_pool.get(), &WorkerPool::workerEnded, this, [this] { finishWhenEmpty(); });

    if (auto listening = m_server->listen(m_config.commandSocket); !listening) {
        m_directory->remove();
        return listening;
    }
    const std::size_t adopted = adoptWorkers(*m_parts, *m_directory);
    if (adopted > 0) {
        spdlog::info("{} workers adopted at revision {}; the configuration's listeners and clusters are read "
                     "at a reload",
            adopted, m_store.revision());
        if (auto bound = m_changes->bindActiveListeners(); !bound)
            m_events.add(
                {proto::SEVERITY_ERROR, "listener_failed", bound.error().toString(), {}, {}, {}, {}});
    } else if (auto loaded = loadConfiguredState(); !loaded) {
        m_server->close();
        m_directory->remove();
        return loaded;
    }
    m_pool->fillSlots(m_config.workerCount);
    m_events.add({proto::SEVERITY_INFO, "agent_started",
        "Agent " + m_config.name + " " YARDMASTER_VERSION " listens on " + m_config.commandSocket, {},
        ::getpid(), {}, {}});
    return {};
}

Expected<void> Agent::loadConfiguredState() {
    for (const proto::Request& request : m_config.requests) {
        if (auto applied = m_changes->applyLocally(request); !applied)
            return applied;
    }
    if (m_config.savedState.empty())
        return {};
    const auto saved = loadStateFile(m_config.savedState);
    if (!saved && saved.error().code == Error::Code::NotFound) {
        m_events.add({proto::SEVERITY_WARNING, "state_loaded",
            "There is no saved state yet: " + m_config.savedState, {}, {}, {}, {}});
        return {};
    }
    if (!saved)
        return failure(saved.error());
    for (const proto::Request& request : *saved) {
        // The file of an agent with the same configuration has that configuration's objects, too.
        if (auto applied = m_changes->applyLocally(request);
            !applied && applied.error().code != Error::Code::AlreadyExists)
            return applied;
    }
    return {};
}

proto::AgentIdentity Agent::identity() const {
    proto::AgentIdentity identity;
    identity.set_name(m_config.name);
    identity.set_version(YARDMASTER_VERSION);
    identity.set_revision(m_store.revision());
    identity.set_pid(::getpid());
    identity.set_started_unix_ns(m_startedUnixNs);
    identity.set_production(m_config.production);
    return identity;
}

void Agent::shutDown(bool hard, const proto::DrainOptions& drain, const std::string& actor,
    std::function<void(Expected<void>)> done) {
    if (done)
        m_waiting.push_back(std::move(done));
    if (!m_isEnding || hard) {
        EventLog::Entry entry{proto::SEVERITY_WARNING, "stop_requested",
            hard ? "The agent ends all workers and itself" : "The agent drains all workers and ends", {}, {},
            actor, proto::Event()};
        entry.sozu->set_kind(proto::STOP_REQUESTED);
        m_events.add(std::move(entry));
    }
    m_isEnding = true;
    m_pool->stopRestarting();
    for (Worker* worker : m_pool->living()) {
        if (worker->phase() == proto::PHASE_STARTING)
            worker->failStart({Error::Code::Cancelled, "the agent ends", worker->name(), {}});
        else if (hard)
            worker->stopHard();
        else
            worker->drain(drain);
    }
    QMetaObject::invokeMethod(this, &Agent::finishWhenEmpty, Qt::QueuedConnection);
}

void Agent::onTerminationSignal(int signal) {
    proto::DrainOptions drain = m_parts->standardDrain();
    const char* name = ::sigabbrev_np(signal);
    shutDown(m_isEnding, drain, std::string("signal ") + (name ? name : "?"));
}

void Agent::finishWhenEmpty() {
    if (!m_isEnding || m_hasFinished || !m_pool->living().empty())
        return;
    m_hasFinished = true;
    // Jobs that wait for these workers are told by the same signal; they come first.
    QMetaObject::invokeMethod(
        this,
        [this] {
            for (const auto& done : m_waiting)
                done({});
            m_server->close();
            m_directory->remove();
            emit finished();
        },
        Qt::QueuedConnection);
}

} // namespace yardmaster::agent

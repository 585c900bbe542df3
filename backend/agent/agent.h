// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/agent_parts.h"
#include "backend/agent/command_server.h"
#include "backend/agent/request_router.h"
#include "backend/agent/runtime_directory.h"

#include <QObject>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace yardmaster::agent {

/// One agent: owns the listeners, the state, the workers and the command socket. SIGKILL of it loses nothing:
/// its workers go on, and the next agent with the same runtime directory adopts them.
class Agent : public QObject {
    Q_OBJECT
public:
    /// `configFile` is what an empty reload_configuration reads.
    Agent(
        AgentConfig config, std::string configFile, std::string programDirectory, QObject* parent = nullptr);
    ~Agent() override;

    /// Takes the lock, adopts or starts, and listens. After an error nothing is left behind.
    [[nodiscard]] Expected<void> start();

    /// Ends all workers, by draining or at once, then the agent: finished(). A second call with `hard` cuts a
    /// drain short; every `done` is called.
    void shutDown(bool hard, const proto::DrainOptions& drain, const std::string& actor,
        std::function<void(Expected<void>)> done = {});
    /// The first one drains with the configured deadline, the next ends at once.
    void onTerminationSignal(int signal);

signals:
    void finished();

private:
    [[nodiscard]] Expected<void> loadConfiguredState();
    [[nodiscard]] proto::AgentIdentity identity() const;
    void finishWhenEmpty();

    AgentConfig m_config;
    std::string m_configFile;
    std::optional<RuntimeDirectory> m_directory;
    StateStore m_store;
    ListenerSet m_listeners;
    EventLog m_events;
    JobList m_jobs;
    std::unique_ptr<WorkerPool> m_pool;
    std::unique_ptr<StateChanges> m_changes;
    std::unique_ptr<AgentParts> m_parts;
    std::unique_ptr<RequestRouter> m_router;
    std::unique_ptr<CommandServer> m_server;
    std::string m_programDirectory;
    std::int64_t m_startedUnixNs;
    bool m_isEnding = false;
    bool m_hasFinished = false;
    std::vector<std::function<void(Expected<void>)>> m_waiting;
};

} // namespace yardmaster::agent

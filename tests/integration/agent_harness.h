// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/blocking_client.h"
#include "backend/protocol/command.pb.h"

#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yardmaster::tests {

/// A yardmasterd in a temporary directory, with real or fake workers. The destructor ends the agent and every
/// worker it ever started, adopted or not.
class AgentHarness {
public:
    enum class Workers { Real, Fake };
    explicit AgentHarness(Workers workers, int workerCount = 2);
    ~AgentHarness();
    AgentHarness(const AgentHarness&) = delete;
    AgentHarness& operator=(const AgentHarness&) = delete;

    /// What a fake worker started from now on does (tests/fakes/fake_worker.cpp).
    void plan(const std::string& words);
    /// Lines for the top of the configuration.
    void setting(const std::string& line) { m_settings.push_back(line); }
    /// Where the cluster "web" has its one backend.
    void setBackendPort(std::uint16_t port) { m_backendPort = port; }
    void writeConfig();

    /// Writes the configuration when there is none, starts the agent, waits until it answers and `serving`
    /// workers serve (-1: as many as configured). False: it did not come to that; see log().
    bool start(int serving = -1);
    void killAgent(); ///< SIGKILL, waited for
    bool waitForEnd(int timeoutMs = 10'000); ///< of the agent
    void signalAgent(int signal);
    [[nodiscard]] int exitCode() const { return m_process->exitCode(); }
    [[nodiscard]] qint64 agentPid() const { return m_process ? m_process->processId() : 0; }
    [[nodiscard]] bool agentIsRunning() const { return m_process && m_process->state() == QProcess::Running; }

    [[nodiscard]] Expected<agent::BlockingClient> client(int timeoutMs = 10'000) const;
    /// One request on a connection of its own; a broken connection is a FAILURE with the reason.
    [[nodiscard]] proto::Response call(const proto::Request& request,
        const std::function<bool(const proto::Response&)>& progress = {}) const;
    [[nodiscard]] std::vector<proto::WorkerInfo> workers() const;
    [[nodiscard]] std::vector<proto::WorkerInfo> serving() const;
    [[nodiscard]] std::optional<proto::WorkerInfo> worker(std::uint32_t id) const;
    [[nodiscard]] std::vector<proto::AgentEvent> events() const;
    [[nodiscard]] bool hasEvent(const std::string& kind) const;
    /// Polls until `condition` holds.
    static bool waitFor(const std::function<bool()>& condition, int timeoutMs = 10'000);

    [[nodiscard]] std::uint16_t port() const { return m_port; }
    [[nodiscard]] std::string directory() const { return m_directory.path().toStdString(); }
    [[nodiscard]] std::string socketPath() const { return directory() + "/agent.sock"; }
    [[nodiscard]] std::string runtimeDirectory() const { return directory() + "/run"; }
    [[nodiscard]] std::string configFile() const { return directory() + "/agent.toml"; }
    [[nodiscard]] QString log() const;
    /// Files of the agent that are still there: sockets and the runtime directory.
    [[nodiscard]] QStringList leftovers() const;
    /// Pids of living processes (the agent aside) that were started for this harness.
    [[nodiscard]] std::vector<pid_t> livingWorkers() const;

    static QString program(const char* name);
    static bool isAlive(pid_t pid);
    static std::uint16_t freePort();

private:
    QTemporaryDir m_directory;
    Workers m_workers;
    int m_workerCount;
    std::uint16_t m_port;
    std::uint16_t m_backendPort = 9;
    std::vector<std::string> m_settings;
    std::unique_ptr<QProcess> m_process;
};

proto::Request upgradeRequest(std::optional<std::uint32_t> id,
    std::optional<std::uint32_t> readyDeadlineMs = {}, std::optional<std::uint32_t> drainDeadlineMs = {});

} // namespace yardmaster::tests

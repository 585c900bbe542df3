// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/agent_config.h"
#include "backend/agent/event_log.h"
#include "backend/agent/listener_set.h"
#include "backend/agent/restart_policy.h"
#include "backend/agent/runtime_directory.h"
#include "backend/agent/state_store.h"
#include "backend/agent/worker.h"

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace yardmaster::agent {

/// All workers of one agent. A slot is a place for one serving worker and stays when its worker is replaced;
/// a wanted slot without a starting or serving worker is filled again: at once after a first crash, then with
/// growing pauses, and no more in a crash loop (RestartPolicy), which is said loudly.
class WorkerPool : public QObject {
    Q_OBJECT
public:
    WorkerPool(const AgentConfig& config, StateStore& store, ListenerSet& listeners,
        const RuntimeDirectory& directory, EventLog& events, QObject* parent = nullptr);
    ~WorkerPool() override;

    struct SpawnOptions {
        std::uint32_t slot = 0; ///< 0: the lowest free one
        std::uint32_t replaces = 0;
        std::uint32_t readyDeadlineMs = 0; ///< 0: as configured
        std::shared_ptr<const WorkerBinary> binary; ///< null: the configured path, opened now
        bool askedFor = false; ///< by an operator: a crash loop of the slot is forgiven
    };
    /// Starts one process. The worker's ready() or ended() tells how it went; never the return value alone.
    [[nodiscard]] Expected<Worker*> spawn(const SpawnOptions& options);
    /// A worker of an earlier agent.
    Worker* adopt(
        const proto::WorkerReport& report, UniqueFd pidFd, UniqueFd channel, metrics::MetricsPage page);

    /// Makes 1..count wanted and starts what is missing.
    void fillSlots(std::uint32_t count);
    /// The slot is left empty when its worker ends (an operator's stop).
    void leaveEmpty(std::uint32_t slot);
    /// No worker is started by itself from now on (the agent ends).
    void stopRestarting() { m_restarting = false; }

    /// Living ones first in order of id, then the last ended ones.
    [[nodiscard]] std::vector<Worker*> workers() const;
    [[nodiscard]] std::vector<Worker*> living() const;
    [[nodiscard]] std::vector<Worker*> serving() const;
    [[nodiscard]] Worker* find(std::uint32_t id) const; ///< null: none
    [[nodiscard]] Expected<std::shared_ptr<const WorkerBinary>> openBinary() const;
    /// Ids below this one are taken (sockets of an earlier agent).
    void reserveIdsUpTo(std::uint32_t id);

signals:
    void workerChanged(yardmaster::agent::Worker* worker);
    void workerAdded(yardmaster::agent::Worker* worker);
    void workerEnded(yardmaster::agent::Worker* worker);

private:
    struct Slot {
        bool wanted = false;
        std::uint32_t crashes = 0;
        RestartPolicy policy;
        std::unique_ptr<QTimer> timer;
    };
    Worker* add(std::unique_ptr<Worker> worker);
    [[nodiscard]] proto::ServerConfig serverConfig(std::uint32_t slot) const;
    [[nodiscard]] bool isFilled(std::uint32_t slot) const;
    [[nodiscard]] std::uint32_t freeSlot() const;
    void onReady(Worker* worker);
    void onEnded(Worker* worker);
    void scheduleRestart(std::uint32_t slot, std::int64_t delayNs);
    void restart(std::uint32_t slot);
    void noteCrash(std::uint32_t slot);
    void forgetOldest();
    static void readUsage(Worker& worker);

    const AgentConfig& m_config;
    StateStore& m_store;
    ListenerSet& m_listeners;
    const RuntimeDirectory& m_directory;
    EventLog& m_events;
    std::map<std::uint32_t, std::unique_ptr<Worker>> m_workers;
    std::map<std::uint32_t, Slot> m_slots;
    std::uint32_t m_nextId = 1;
    bool m_restarting = true;
    QTimer m_usageTimer;
};

} // namespace yardmaster::agent

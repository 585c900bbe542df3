// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/connection.h"
#include "backend/control/session.h"
#include "backend/control/sozu_metrics.h"
#include "backend/control/sozu_upgrade.h"

#include <QTimer>

#include <map>
#include <set>

namespace yardmaster::control {

/// Any Sozu 2.1: asked once a second for its workers and their metrics, and more rarely whether the workers
/// answer, each on its own connection. Only requests of Sozu itself are sent.
class SozuSession : public Session {
    Q_OBJECT
public:
    /// `listing` is the connection on which ListWorkers was answered by `workers`, idle now; the session
    /// takes it.
    SozuSession(TargetMemory& memory, Connection* listing, proto::WorkerInfos workers, QObject* parent);

    void begin() override;
    void act(const Action& action) override;
    void cancel(JobId job) override;

private:
    void poll();
    void askMetrics();
    void askStatus();
    void followEvents();
    void takeWorkers(const proto::WorkerInfos& workers);
    void noteChanges(const std::vector<WorkerInfo>& workers);
    void settleUpgrades(const std::vector<WorkerInfo>& workers);
    [[nodiscard]] WorkerInfo infoOf(const proto::WorkerInfo& worker);

    TargetMemory& m_memory;
    Connection* m_listing;
    Connection m_metricsConnection;
    Connection m_statusConnection;
    Connection m_eventsConnection;
    QTimer m_pollTimer;
    QTimer m_statusTimer;
    QTimer m_eventsTimer; ///< until the next try to follow them
    proto::WorkerInfos m_firstWorkers;
    SozuMetrics m_metrics;
    Target m_target;
    std::int32_t m_pid = 0; ///< of Sozu's main process, 0 when the kernel does not tell
    std::set<std::uint32_t> m_notAnswering; ///< in the last Status
    std::map<std::uint32_t, WorkerState> m_states; ///< at the previous poll
    std::map<JobId, SozuUpgrade*> m_upgrades;
};

[[nodiscard]] Capabilities sozuCapabilities();
[[nodiscard]] Event sozuEventOf(const proto::Event& event, const std::string& from);

} // namespace yardmaster::control

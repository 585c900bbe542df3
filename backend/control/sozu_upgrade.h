// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/connection.h"
#include "backend/control/session.h"

#include <vector>

namespace yardmaster::control {

/// Upgrades workers of a Sozu one after the other by its UpgradeWorker, on a connection of its own. What Sozu
/// says meanwhile becomes steps, with the time at which it was said. Sozu has no readiness: "done" is that
/// the old worker has answered its stop.
class SozuUpgrade : public QObject {
    Q_OBJECT
public:
    SozuUpgrade(
        TargetMemory& memory, const Action& action, std::vector<std::uint32_t> workers, QObject* parent);

    void begin();
    /// Between two workers; one that is being replaced is replaced.
    void cancel();
    [[nodiscard]] JobId job() const { return m_job.id; }

signals:
    void finished();

private:
    void next();
    void onProgress(const proto::Response& response);
    void onEnd(const Expected<proto::Response>& result);
    void addStep(const QString& name);
    void endStep(StepState state);
    void finish(JobState state, std::optional<Error> error);

    TargetMemory& m_memory;
    Connection m_connection;
    UpgradeRequest m_request;
    std::vector<std::uint32_t> m_workers;
    std::size_t m_current = 0;
    bool m_isCancelled = false;
    Job m_job;
};

} // namespace yardmaster::control

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/job_book.h"
#include "backend/control/worker_control.h"

#include <QObject>

#include <map>
#include <set>

namespace yardmaster::control {

/// One call of the GUI, on its way to the peer.
struct Action {
    enum class Kind { SpawnWorker, StopWorker, UpgradeWorker, UpgradeAll };
    Kind kind = Kind::SpawnWorker;
    JobId job = 0;
    std::uint32_t workerId = 0;
    std::uint32_t stopDeadlineMs = 0;
    UpgradeRequest upgrade;
};
/// The job as it is before anything is known of it.
[[nodiscard]] Job newJob(const Action& action);

/// What outlives a connection. Lives on the backend thread.
struct TargetMemory {
    TargetMemory(QString socketPath, JobBook book)
        : endpoint(std::move(socketPath))
        , jobs(std::move(book)) { }

    QString endpoint;
    JobBook jobs;
    std::uint64_t lastSnapshot = 0;
    std::uint64_t lastEvent = 0; ///< of our own numbering, one over all peers of the path
    std::vector<Event> events; ///< for the next snapshot
    /// Which agent it was, and how far it was heard; another agent numbers its jobs and events anew.
    std::int32_t agentPid = 0;
    std::int64_t agentStartedUnixNs = 0;
    std::uint64_t lastAgentEvent = 0;
    std::map<std::uint64_t, JobId> jobOfAgent; ///< by the agent's number
    /// Calls that were sent, and whose link was lost before the agent told their number.
    std::set<JobId> orphans;
    /// Upgrades that a Sozu was asked for, with the process that was asked: its list of workers tells later
    /// how one ended whose answer was lost.
    std::map<JobId, std::int32_t> sozuUpgrades;

    void addEvent(Event event);
    void addEvent(
        EventSeverity severity, QString kind, QString text, std::optional<std::uint32_t> workerId = {});
    /// Numbers it, and adds jobs and events.
    [[nodiscard]] SnapshotPtr finish(Snapshot snapshot);
};

/// The link to one peer of known kind, from its first answer to its loss. Lives on the backend thread.
class Session : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    virtual void begin() = 0;
    virtual void act(const Action& action) = 0;
    virtual void cancel(JobId job) = 0;

signals:
    void snapshot(const yardmaster::control::SnapshotPtr& snapshot);
    void lost(const yardmaster::Error& error); ///< once; the session is of no use afterwards
};

} // namespace yardmaster::control

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/metrics/histogram.h"
#include "backend/metrics/metrics_page.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

/// What the console may know about and ask of the workers of one target, whatever system that is. Plain
/// values, no wire types. Times: *Ns of CLOCK_MONOTONIC on the target's host unless the name says unix;
/// latencies in microseconds.
namespace yardmaster::control {

enum class WorkerState { Unknown, Starting, Serving, Draining, Stopped, Crashed, Failed, NotAnswering };

/// Stamps of a start; nullopt = not reached or not told by this target.
struct StartupPhases {
    std::optional<std::int64_t> spawnNs, spawnedNs, listenersNs, stateNs, readyNs, firstRequestNs;
    bool operator==(const StartupPhases&) const = default;
};

struct DrainStatus {
    std::uint64_t openConnections = 0, requestsInFlight = 0, drained = 0, closedIdle = 0, cut = 0, moved = 0;
    QStringList stragglers;
    bool operator==(const DrainStatus&) const = default;
};

/// Rates are over the last second; nullopt = unknown, shown as "–", never as 0.
struct WorkerInfo {
    std::uint32_t id = 0;
    std::uint32_t slot = 0; ///< stays with successors; 0 when the target has no such notion
    std::int32_t pid = 0;
    WorkerState state = WorkerState::Unknown;
    QString version;
    std::optional<std::uint64_t> revision;
    std::optional<std::uint64_t> generation;
    std::optional<std::int64_t> startedUnixNs;
    std::optional<std::uint64_t> connections;
    std::optional<std::uint64_t> requestsInFlight;
    std::optional<double> requestsPerSecond;
    std::optional<double> errorPercent;
    std::optional<double> p50Us, p99Us; ///< of the last 10 s; nullopt without a request
    std::optional<std::uint64_t> rssBytes;
    std::optional<double> cpuPercent;
    std::optional<std::uint32_t> replaces, replacedBy; ///< worker ids
    std::uint32_t restarts = 0;
    QString lastExit; ///< "killed by signal 9 (Killed)", empty while it lives
    StartupPhases phases;
    std::optional<DrainStatus> drain;
    bool operator==(const WorkerInfo&) const = default;
};

/// What one sample added for one worker; the UI's history is made of these.
struct WorkerDelta {
    std::uint32_t workerId = 0;
    std::uint64_t requests = 0, errors = 0, connections = 0; ///< connections: gauge at the sample
    std::shared_ptr<const metrics::Histogram> latency; ///< of this interval, null when none was recorded
};

enum class EventSeverity { Info, Ok, Warning, Error };
struct Event {
    std::uint64_t sequence = 0;
    std::int64_t unixNs = 0;
    EventSeverity severity = EventSeverity::Info;
    QString kind; ///< "upgrade_started", "worker_ready", "worker_drained", "worker_crashed", "link_lost", ...
    QString text;
    std::optional<std::uint32_t> workerId;
    std::optional<std::int32_t> pid;
    QString actor;
};

enum class JobState { Running, Done, Failed, Cancelled, Unknown }; ///< Unknown: the link was lost meanwhile
enum class StepState { Waiting, Running, Done, Failed, Skipped };
struct JobStep {
    QString name, detail;
    StepState state = StepState::Waiting;
    std::optional<std::int64_t> startedUnixNs;
    std::optional<std::int64_t> durationNs;
    bool operator==(const JobStep&) const = default;
};
using JobId = std::uint64_t; ///< given by the client when the call is made, 0 is none
struct Job {
    JobId id = 0;
    QString kind; ///< "upgrade_worker", "upgrade_all", "spawn_worker", "stop_worker"
    QString title; ///< "Upgrade worker 3"
    JobState state = JobState::Running;
    std::vector<JobStep> steps;
    std::int64_t startedUnixNs = 0;
    std::optional<std::int64_t> endedUnixNs;
    std::optional<Error> error;
    std::optional<std::uint32_t> workerId, newWorkerId;
    std::uint32_t done = 0, total = 1; ///< workers
    std::optional<DrainStatus> drain;
    bool operator==(const Job& other) const;
};

enum class LinkState { Connecting, Connected, Lost };
struct Link {
    LinkState state = LinkState::Connecting;
    std::int64_t sinceUnixNs = 0; ///< of this state
    int retryInMs = 0; ///< when Lost
    QString reason;
};

/// What a target can do; a page shows what is missing as disabled with the reason.
struct Capabilities {
    bool spawnWorker = false, stopWorker = false, upgradeWorker = false, upgradeAll = false,
         cancelJob = false;
    bool startupPhases = false, liveSamples = false, drainReports = false;
    QString reasonForMissing; ///< "Sozu has no per-worker stop"
    /// What the operator must read before an upgrade, empty when there is no danger ("Sozu 2.1.0 leaves dead
    /// listeners ...").
    QString upgradeWarning;
    bool operator==(const Capabilities&) const = default;
};

struct Target {
    QString name; ///< "edge-fra-1"
    QString system; ///< "Yardmaster agent", "Sozu"
    QString version;
    bool production = false;
    QString endpoint; ///< socket path
    std::int64_t startedUnixNs = 0;
};

/// One immutable picture of the target; made on the backend thread, 10 a second while Connected.
struct Snapshot {
    std::uint64_t sequence = 0;
    std::int64_t unixNs = 0;
    Target target;
    Capabilities capabilities;
    std::uint64_t revision = 0;
    std::vector<WorkerInfo> workers; ///< living ones, then ended ones the target still lists
    std::vector<WorkerDelta> deltas; ///< since the previous snapshot
    std::vector<Job> jobs; ///< running ones and the last 20 ended
    std::vector<Event> newEvents; ///< since the previous snapshot
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

struct UpgradeRequest {
    std::uint32_t readyDeadlineMs = 5'000;
    std::uint32_t drainDeadlineMs = 60'000;
    std::uint32_t drainQuietMs = 5'000;
};

/// One target's workers. Lives on the GUI thread; implementations do their I/O elsewhere and never block a
/// caller. Every action answers at once with a job id; its progress comes in the snapshots and as
/// jobChanged().
class WorkerControl : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    virtual void start() = 0; ///< connects, and reconnects with backoff until destroyed
    [[nodiscard]] virtual Link link() const = 0;
    [[nodiscard]] virtual SnapshotPtr latest() const = 0; ///< null before the first
    [[nodiscard]] virtual JobId spawnWorker() = 0;
    [[nodiscard]] virtual JobId stopWorker(std::uint32_t workerId, std::uint32_t drainDeadlineMs) = 0;
    [[nodiscard]] virtual JobId upgradeWorker(std::uint32_t workerId, const UpgradeRequest& request) = 0;
    [[nodiscard]] virtual JobId upgradeAll(const UpgradeRequest& request) = 0;
    virtual void cancelJob(JobId job) = 0;

signals:
    void snapshotReady(const yardmaster::control::SnapshotPtr& snapshot);
    void linkChanged(const yardmaster::control::Link& link);
    void jobChanged(const yardmaster::control::Job& job);
};

} // namespace yardmaster::control

Q_DECLARE_METATYPE(yardmaster::control::SnapshotPtr)
Q_DECLARE_METATYPE(yardmaster::control::Link)
Q_DECLARE_METATYPE(yardmaster::control::Job)

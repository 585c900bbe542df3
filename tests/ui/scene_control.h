// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"

#include <QTimer>

#include <random>
#include <vector>

namespace yardmaster::tests {

/// A target that exists only here: eight workers under 2,480 requests/s. Its clock is moved by step(), so
/// tests decide when what happens; the same every time it is run. Actions work as an agent's do: ready before
/// drain, and a worker that does not get ready is killed while the old one stays.
class SceneControl final : public control::WorkerControl {
    Q_OBJECT
public:
    enum class Outcome { Success, NeverReady };
    struct Call {
        QString action; ///< "upgrade_worker", "stop_worker", ...
        std::uint32_t workerId = 0;
        control::UpgradeRequest request;
    };

    explicit SceneControl(int workers = 8, QObject* parent = nullptr);

    // WorkerControl
    void start() override;
    [[nodiscard]] control::Link link() const override { return m_link; }
    [[nodiscard]] control::SnapshotPtr latest() const override { return m_latest; }
    [[nodiscard]] control::JobId spawnWorker() override;
    [[nodiscard]] control::JobId stopWorker(std::uint32_t workerId, std::uint32_t drainDeadlineMs) override;
    [[nodiscard]] control::JobId upgradeWorker(
        std::uint32_t workerId, const control::UpgradeRequest& request) override;
    [[nodiscard]] control::JobId upgradeAll(const control::UpgradeRequest& request) override;
    void cancelJob(control::JobId job) override;

    // The script
    void connectNow();
    void loseLink(int retryInMs = 2'000, const QString& reason = QStringLiteral("connection refused"));
    /// Moves the clock and tells what it brought, in snapshots of `sampleMs`.
    void step(int ms, int sampleMs = 100);
    /// Puts the clock this far back, to be moved up to now by step().
    void rewind(int ms);
    void crash(std::uint32_t workerId);
    void setOutcome(Outcome outcome) { m_outcome = outcome; }
    void setProduction(bool production) { m_target.production = production; }
    void setUpgradeWarning(const QString& text) { m_capabilities.upgradeWarning = text; }
    [[nodiscard]] control::Capabilities& capabilities() { return m_capabilities; }
    [[nodiscard]] const std::vector<Call>& calls() const { return m_calls; }
    [[nodiscard]] std::int64_t nowNs() const { return m_nowNs; }
    /// The worker that serves a slot now.
    [[nodiscard]] std::uint32_t servingWorker(std::uint32_t slot) const;

private:
    struct Worker {
        control::WorkerInfo info;
        double connections = 0;
        std::uint64_t drainedSoFar = 0;
        std::int64_t endedNs = 0;
        std::int64_t drainUntilNs = 0;
    };
    struct RunningJob {
        control::Job job;
        control::UpgradeRequest request;
        std::vector<std::uint32_t> waiting; ///< workers still to be upgraded
        std::uint32_t oldId = 0, newId = 0;
    };

    Worker& addWorker(std::uint32_t slot, const QString& version);
    [[nodiscard]] Worker* find(std::uint32_t workerId);
    void addEvent(control::EventSeverity severity, const QString& kind, const QString& text,
        std::optional<std::uint32_t> workerId);
    control::JobId begin(control::Job job, const control::UpgradeRequest& request);
    void beginUpgradeOf(RunningJob& running, std::uint32_t workerId);
    void advance(RunningJob& running);
    void advanceDrain(RunningJob& running);
    void finish(control::Job& job, control::JobState state);
    void drain(Worker& worker, std::uint32_t deadlineMs);
    void sample(int ms);
    [[nodiscard]] control::WorkerDelta trafficOf(Worker& worker, double seconds);
    void publish(std::vector<control::WorkerDelta> deltas);

    control::Target m_target;
    control::Capabilities m_capabilities;
    control::Link m_link;
    control::SnapshotPtr m_latest;
    std::vector<Worker> m_workers;
    std::vector<RunningJob> m_jobs;
    std::vector<control::Event> m_newEvents;
    std::vector<Call> m_calls;
    std::mt19937 m_random{11};
    std::uint64_t m_sequence = 0, m_eventSequence = 0;
    std::uint32_t m_lastId = 0;
    control::JobId m_lastJob = 40;
    std::uint64_t m_revision = 18'412;
    std::int64_t m_nowNs = 0;
    Outcome m_outcome = Outcome::Success;
};

} // namespace yardmaster::tests

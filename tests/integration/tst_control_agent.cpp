// SPDX-License-Identifier: GPL-3.0-or-later
//
// The console's control against a real agent: what the window would see.
#include "agent_harness.h"
#include "backend/control/connect.h"
#include "backend/control/connection.h"

#include <QTest>

#include <algorithm>
#include <csignal>
#include <map>

using namespace yardmaster;
using namespace yardmaster::control;
using yardmaster::tests::AgentHarness;

namespace {

struct Watcher {
    explicit Watcher(const AgentHarness& agent)
        : control(connectWorkerControl(QString::fromStdString(agent.socketPath()))) {
        QObject::connect(
            control.get(), &WorkerControl::snapshotReady, &context, [this](const SnapshotPtr& snapshot) {
                ++snapshots;
                events.insert(events.end(), snapshot->newEvents.begin(), snapshot->newEvents.end());
            });
        QObject::connect(control.get(), &WorkerControl::jobChanged, &context,
            [this](const Job& job) { jobs[job.id] = job; });
        control->start();
    }
    [[nodiscard]] std::vector<WorkerInfo> in(WorkerState state) const {
        std::vector<WorkerInfo> found;
        if (control->latest())
            for (const WorkerInfo& worker : control->latest()->workers)
                if (worker.state == state)
                    found.push_back(worker);
        return found;
    }
    [[nodiscard]] std::optional<WorkerInfo> worker(std::uint32_t id) const {
        if (control->latest())
            for (const WorkerInfo& candidate : control->latest()->workers)
                if (candidate.id == id)
                    return candidate;
        return std::nullopt;
    }
    [[nodiscard]] bool hasEvent(const char* kind) const {
        return std::any_of(events.begin(), events.end(),
            [kind](const Event& event) { return event.kind == QLatin1String(kind); });
    }

    std::unique_ptr<WorkerControl> control;
    std::map<JobId, Job> jobs;
    std::vector<Event> events;
    int snapshots = 0;
    QObject context; ///< last: nothing arrives in the lists once they go
};

} // namespace

class TestControlAgent : public QObject {
    Q_OBJECT
private slots:
    void snapshotsComeByThemselves() {
        AgentHarness agent(AgentHarness::Workers::Real, 2);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        Watcher seen(agent);
        QTRY_COMPARE(seen.in(WorkerState::Serving).size(), 2U);
        QCOMPARE(seen.control->link().state, LinkState::Connected);
        const SnapshotPtr snapshot = seen.control->latest();
        QCOMPARE(snapshot->target.name, QStringLiteral("test"));
        QVERIFY(!snapshot->target.version.isEmpty());
        QVERIFY(snapshot->capabilities.startupPhases && snapshot->capabilities.cancelJob);
        QVERIFY(snapshot->capabilities.upgradeWarning.isEmpty());
        for (const WorkerInfo& worker : snapshot->workers) {
            QVERIFY(worker.slot > 0 && worker.pid > 0);
            QVERIFY(worker.phases.spawnNs && worker.phases.readyNs);
            QVERIFY(*worker.phases.readyNs >= *worker.phases.spawnNs);
            QVERIFY(worker.rssBytes && *worker.rssBytes > 0);
            QVERIFY(!worker.p99Us); // nobody asked for anything
        }
        const int before = seen.snapshots;
        QTRY_VERIFY(seen.snapshots >= before + 5);
        QTRY_COMPARE(seen.in(WorkerState::Serving).at(0).requestsPerSecond, std::optional(0.0));
    }

    void upgradeIsFollowedToItsEnd() {
        AgentHarness agent(AgentHarness::Workers::Real, 2);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        Watcher seen(agent);
        QTRY_COMPARE(seen.in(WorkerState::Serving).size(), 2U);
        const WorkerInfo old = seen.in(WorkerState::Serving).at(0);
        const JobId job = seen.control->upgradeWorker(old.id, {});
        QTRY_COMPARE(seen.jobs[job].state, JobState::Done);
        const Job done = seen.jobs[job];
        QVERIFY(!done.error);
        QVERIFY(!done.steps.empty());
        for (const JobStep& step : done.steps)
            QVERIFY2(
                step.state == StepState::Done || step.state == StepState::Skipped, qPrintable(step.name));
        QVERIFY(done.newWorkerId);
        QTRY_COMPARE(seen.in(WorkerState::Serving).size(), 2U);
        QTRY_VERIFY(seen.worker(*done.newWorkerId));
        QCOMPARE(seen.worker(*done.newWorkerId)->slot, old.slot);
        QCOMPARE(seen.worker(*done.newWorkerId)->replaces, std::optional(old.id));
        QTRY_COMPARE(seen.worker(old.id)->state, WorkerState::Stopped);
        QVERIFY(!AgentHarness::isAlive(old.pid));
        QTRY_COMPARE(seen.control->latest()->jobs.size(), 1U);
        QCOMPARE(seen.control->latest()->jobs[0].id, job);
    }

    void spawnAndStop() {
        AgentHarness agent(AgentHarness::Workers::Real, 1);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        Watcher seen(agent);
        QTRY_COMPARE(seen.in(WorkerState::Serving).size(), 1U);
        const std::uint32_t first = seen.in(WorkerState::Serving).at(0).id;
        const JobId spawn = seen.control->spawnWorker();
        QTRY_COMPARE(seen.jobs[spawn].state, JobState::Done);
        QTRY_COMPARE(seen.in(WorkerState::Serving).size(), 2U);
        const JobId stop = seen.control->stopWorker(first, 2'000);
        QTRY_COMPARE(seen.jobs[stop].state, JobState::Done);
        QTRY_COMPARE(seen.worker(first)->state, WorkerState::Stopped);
        QTRY_COMPARE(seen.in(WorkerState::Serving).size(), 1U);
        const JobId absent = seen.control->stopWorker(999, 1'000);
        QTRY_COMPARE(seen.jobs[absent].state, JobState::Failed);
        QVERIFY(seen.jobs[absent].error && !seen.jobs[absent].error->what.empty());
    }

    void workerThatIsNotReadyFailsTheJobAndTheOldOneStays() {
        AgentHarness agent(AgentHarness::Workers::Fake, 1);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        Watcher seen(agent);
        QTRY_COMPARE(seen.in(WorkerState::Serving).size(), 1U);
        const std::uint32_t old = seen.in(WorkerState::Serving).at(0).id;
        agent.plan("never_ready");
        UpgradeRequest request;
        request.readyDeadlineMs = 300;
        const JobId job = seen.control->upgradeWorker(old, request);
        QTRY_COMPARE(seen.jobs[job].state, JobState::Failed);
        QVERIFY(seen.jobs[job].error);
        QTRY_COMPARE(seen.worker(old)->state, WorkerState::Serving);
    }

    void cancelledWhileItWaits() {
        AgentHarness agent(AgentHarness::Workers::Fake, 1);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        Watcher seen(agent);
        QTRY_COMPARE(seen.in(WorkerState::Serving).size(), 1U);
        const std::uint32_t old = seen.in(WorkerState::Serving).at(0).id;
        agent.plan("never_ready");
        UpgradeRequest request;
        request.readyDeadlineMs = 60'000;
        const JobId job = seen.control->upgradeWorker(old, request);
        seen.control->cancelJob(job); // at once: before the agent has told its number
        QTRY_COMPARE(seen.jobs[job].state, JobState::Cancelled);
        QTRY_COMPARE(seen.worker(old)->state, WorkerState::Serving);
    }

    void crashIsSeen() {
        AgentHarness agent(AgentHarness::Workers::Real, 1);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        Watcher seen(agent);
        QTRY_COMPARE(seen.in(WorkerState::Serving).size(), 1U);
        const WorkerInfo victim = seen.in(WorkerState::Serving).at(0);
        QCOMPARE(::kill(victim.pid, SIGKILL), 0);
        QTRY_COMPARE(seen.worker(victim.id)->state, WorkerState::Crashed);
        QVERIFY(seen.worker(victim.id)->lastExit.contains(QStringLiteral("signal 9")));
        QTRY_VERIFY(seen.hasEvent("worker_crashed"));
        QTRY_COMPARE(seen.in(WorkerState::Serving).size(), 1U);
        QVERIFY(seen.in(WorkerState::Serving).at(0).pid != victim.pid);
    }

    void killedAgentIsALostLinkAndItsJobUnknown() {
        AgentHarness agent(AgentHarness::Workers::Fake, 1);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        Watcher seen(agent);
        QTRY_COMPARE(seen.in(WorkerState::Serving).size(), 1U);
        const WorkerInfo kept = seen.in(WorkerState::Serving).at(0);
        agent.plan("slow_start 60000");
        UpgradeRequest request;
        request.readyDeadlineMs = 60'000;
        const JobId job = seen.control->upgradeWorker(kept.id, request);
        QTRY_VERIFY(!seen.jobs[job].steps.empty());
        agent.killAgent();
        QTRY_COMPARE(seen.control->link().state, LinkState::Lost);
        QTRY_COMPARE(seen.jobs[job].state, JobState::Unknown);
        QVERIFY(seen.control->latest()); // the last picture stays

        agent.plan("ok");
        QVERIFY2(agent.start(1), qPrintable(agent.log()));
        QTRY_COMPARE_WITH_TIMEOUT(seen.control->link().state, LinkState::Connected, 15'000);
        QTRY_VERIFY(seen.hasEvent("link_lost") && seen.hasEvent("link_restored"));
        QTRY_VERIFY(seen.worker(kept.id));
        QCOMPARE(seen.worker(kept.id)->pid, kept.pid); // adopted
        // The new agent knows nothing of the job: neither done nor failed.
        QCOMPARE(seen.jobs[job].state, JobState::Unknown);
    }
};

QTEST_GUILESS_MAIN(TestControlAgent)
#include "tst_control_agent.moc"

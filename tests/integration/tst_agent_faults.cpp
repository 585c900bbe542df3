// SPDX-License-Identifier: GPL-3.0-or-later
//
// Workers that misbehave: whatever a new one does, the old one serves on, and nothing is left behind.
#include "agent_harness.h"

#include <QTest>

#include <csignal>
#include <thread>

using namespace yardmaster;
using namespace yardmaster::tests;

namespace {

/// The pid of the newest worker that is still starting, 0 when there is none.
pid_t startingPid(const AgentHarness& agent) {
    for (const proto::WorkerInfo& info : agent.workers()) {
        if (info.detail().phase() == proto::PHASE_STARTING)
            return info.pid();
    }
    return 0;
}

} // namespace

class TestAgentFaults : public QObject {
    Q_OBJECT

private slots:
    void refusesASuccessorThatIsNotReady_data() {
        QTest::addColumn<QString>("plan");
        QTest::addColumn<QString>("error"); // a part of it
        QTest::newRow("never ready") << "never_ready"
                                     << "not ready after 500 ms";
        QTest::newRow("exits early") << "exit_early 20"
                                     << "exited with status 3";
        QTest::newRow("killed during start") << "killed_at_start 20"
                                             << "killed by signal 9";
        QTest::newRow("refuses listeners") << "refuse_listeners"
                                           << "the fake refuses its listeners";
        QTest::newRow("holds one listener less") << "fewer_listeners"
                                                 << "hand-over of listeners is not complete";
        QTest::newRow("holds a foreign listener") << "foreign_listener"
                                                  << "hand-over of listeners is not complete";
        QTest::newRow("speaks for another process") << "wrong_pid"
                                                    << "names pid 1";
        QTest::newRow("ready too late") << "slow_start 2000"
                                        << "not ready after 500 ms";
    }
    void refusesASuccessorThatIsNotReady() {
        QFETCH(QString, plan);
        QFETCH(QString, error);
        AgentHarness agent(AgentHarness::Workers::Fake);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        const auto before = agent.serving();
        agent.plan(plan.toStdString());

        const proto::Response response = agent.call(upgradeRequest(1, 500));
        QCOMPARE(response.status(), proto::FAILURE);
        const QString said = QString::fromStdString(response.message());
        QVERIFY2(said.contains(error), qPrintable(said));
        const proto::JobProgress& job = response.content().job();
        QCOMPARE(job.state(), proto::JOB_FAILED);
        QVERIFY(!job.error().empty());
        int failedSteps = 0;
        for (const proto::JobStep& step : job.steps()) {
            failedSteps += step.state() == proto::STEP_FAILED ? 1 : 0;
            QVERIFY(step.state() != proto::STEP_RUNNING && step.state() != proto::STEP_WAITING);
        }
        QCOMPARE(failedSteps, 1);
        QCOMPARE(job.steps(4).state(), proto::STEP_SKIPPED);

        const auto after = agent.serving();
        QCOMPARE(after.size(), 2U);
        for (std::size_t index = 0; index < after.size(); ++index) {
            QCOMPARE(after[index].pid(), before[index].pid());
            QVERIFY(!after[index].detail().has_drain());
        }
        const auto failed = agent.worker(3);
        QCOMPARE(failed->detail().phase(), proto::PHASE_FAILED);
        QVERIFY(agent.hasEvent("worker_failed"));
        QVERIFY(agent.hasEvent("upgrade_worker_failed"));
        QCOMPARE(agent.livingWorkers().size(), 2U);

        // And once the cause is mended, the same upgrade goes through.
        agent.plan("ok");
        QCOMPARE(agent.call(upgradeRequest(1)).status(), proto::OK);
    }

    void failsTheRequestOfSozuToo() {
        AgentHarness agent(AgentHarness::Workers::Fake);
        agent.setting("ready_deadline_ms = 300");
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.plan("never_ready");
        proto::Request request;
        request.set_upgrade_worker(1);
        const proto::Response response = agent.call(request);
        QCOMPARE(response.status(), proto::FAILURE);
        QVERIFY(QString::fromStdString(response.message()).startsWith(QStringLiteral("Upgrade failed")));
        QCOMPARE(agent.serving().size(), 2U);
    }

    void stopsARolloutAtTheFirstFailure() {
        AgentHarness agent(AgentHarness::Workers::Fake, 3);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.plan("refuse_listeners");
        const proto::Response response = agent.call(upgradeRequest({}));
        QCOMPARE(response.status(), proto::FAILURE);
        QCOMPARE(response.content().job().done(), 0U);
        std::vector<std::uint32_t> ids;
        for (const proto::WorkerInfo& info : agent.serving())
            ids.push_back(info.id());
        QCOMPARE(ids, (std::vector<std::uint32_t>{1, 2, 3}));
        QVERIFY(!agent.worker(5).has_value());
    }

    void survivesASuccessorKilledFromOutside() {
        AgentHarness agent(AgentHarness::Workers::Fake);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.plan("never_ready");
        std::thread killer([&] {
            pid_t pid = 0;
            AgentHarness::waitFor([&] { return (pid = startingPid(agent)) != 0; });
            if (pid > 0)
                ::kill(pid, SIGKILL);
        });
        const proto::Response response = agent.call(upgradeRequest(2, 8000));
        killer.join();
        QCOMPARE(response.status(), proto::FAILURE);
        QVERIFY(QString::fromStdString(response.message()).contains(QStringLiteral("killed by signal 9")));
        QCOMPARE(agent.serving().size(), 2U);
    }

    void upgradesWhileTheOldOneDies() {
        AgentHarness agent(AgentHarness::Workers::Fake, 1);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        const pid_t old = agent.worker(1)->pid();
        agent.plan("slow_start 500");
        std::thread killer([&] {
            AgentHarness::waitFor([&] { return startingPid(agent) != 0; });
            ::kill(old, SIGKILL);
        });
        const proto::Response response = agent.call(upgradeRequest(1));
        killer.join();
        QCOMPARE(response.status(), proto::OK);
        QCOMPARE(response.content().job().steps(4).state(), proto::STEP_SKIPPED);
        // The successor has the slot; no third worker was started beside it.
        QCOMPARE(agent.workers().size(), 2U);
        QCOMPARE(agent.worker(2)->detail().phase(), proto::PHASE_SERVING);
    }

    void failsWhenTheOldOneDiesInItsDrain() {
        AgentHarness agent(AgentHarness::Workers::Fake, 1);
        agent.plan("crash_in_drain");
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.plan("ok");
        const proto::Response response = agent.call(upgradeRequest(1));
        QCOMPARE(response.status(), proto::FAILURE);
        QVERIFY(
            QString::fromStdString(response.message()).contains(QStringLiteral("ended while it drained")));
        QCOMPARE(agent.worker(1)->detail().phase(), proto::PHASE_CRASHED);
        QCOMPARE(agent.serving().size(), 1U);
        QCOMPARE(agent.workers().size(), 2U);
    }

    void endsADrainThatHangs() {
        AgentHarness agent(AgentHarness::Workers::Fake, 1);
        agent.plan("hang_in_drain");
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.plan("ok");
        bool sawDrain = false;
        const proto::Response response =
            agent.call(upgradeRequest(1, {}, 100), [&](const proto::Response& progress) {
                sawDrain |= progress.content().job().drain().open_connections() == 2;
                return true;
            });
        QVERIFY(sawDrain);
        QCOMPARE(response.status(), proto::FAILURE);
        QCOMPARE(agent.worker(1)->detail().last_exit().signal(), SIGKILL);
        QCOMPARE(agent.livingWorkers().size(), 1U);
    }

    void cancelsBeforeReady() {
        AgentHarness agent(AgentHarness::Workers::Fake);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.plan("never_ready");
        proto::Response cancelled;
        std::thread canceller([&] {
            AgentHarness::waitFor([&] { return startingPid(agent) != 0; });
            proto::Request request;
            request.mutable_cancel_job()->set_job_id(1);
            cancelled = agent.call(request);
        });
        const proto::Response response = agent.call(upgradeRequest(1, 8000));
        canceller.join();
        QCOMPARE(cancelled.status(), proto::OK);
        QCOMPARE(response.status(), proto::FAILURE);
        QCOMPARE(response.content().job().state(), proto::JOB_CANCELLED);
        QCOMPARE(agent.serving().size(), 2U);
        QCOMPARE(agent.livingWorkers().size(), 2U);
        QCOMPARE(agent.worker(1)->detail().phase(), proto::PHASE_SERVING);
    }

    void cancelsTheRestOfARolloutInADrain() {
        AgentHarness agent(AgentHarness::Workers::Fake, 3);
        agent.plan("slow_drain 600");
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.plan("ok");
        proto::Response cancelled;
        bool asked = false;
        const proto::Response response = agent.call(upgradeRequest({}), [&](const proto::Response& progress) {
            if (!asked && progress.content().job().has_drain()) {
                asked = true;
                proto::Request request;
                request.mutable_cancel_job()->set_job_id(progress.content().job().job_id());
                cancelled = agent.call(request);
            }
            return true;
        });
        QCOMPARE(cancelled.status(), proto::OK);
        QCOMPARE(response.content().job().state(), proto::JOB_CANCELLED);
        QCOMPARE(response.content().job().done(), 1U);
        // The drain went on to its end, and two were not touched.
        QCOMPARE(agent.worker(1)->detail().phase(), proto::PHASE_STOPPED);
        QCOMPARE(agent.worker(2)->detail().phase(), proto::PHASE_SERVING);
        QCOMPARE(agent.worker(3)->detail().phase(), proto::PHASE_SERVING);
        QCOMPARE(agent.serving().size(), 3U);
    }

    void refusesASecondJobOnOneWorker() {
        AgentHarness agent(AgentHarness::Workers::Fake);
        agent.plan("slow_drain 800");
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.plan("ok");
        proto::Response second;
        bool asked = false;
        const proto::Response first = agent.call(upgradeRequest(1), [&](const proto::Response& progress) {
            if (!asked && progress.content().job().new_worker_id() != 0) {
                asked = true;
                second = agent.call(upgradeRequest(1));
            }
            return true;
        });
        QCOMPARE(first.status(), proto::OK);
        QCOMPARE(second.status(), proto::FAILURE);
        QCOMPARE(agent.serving().size(), 2U);
    }

    void givesUpACrashLoopAndSaysSo() {
        AgentHarness agent(AgentHarness::Workers::Fake, 1);
        agent.plan("crash_after 10");
        QVERIFY2(agent.start(0), qPrintable(agent.log()));
        QVERIFY2(AgentHarness::waitFor([&] { return agent.hasEvent("crash_loop"); }, 20'000),
            qPrintable(agent.log()));
        QCOMPARE(agent.workers().size(), 5U);
        QVERIFY(agent.serving().empty());
        // An operator's start forgives.
        agent.plan("ok");
        proto::Request spawn;
        spawn.mutable_spawn_worker();
        const proto::Response response = agent.call(spawn);
        QCOMPARE(response.status(), proto::OK);
        QCOMPARE(agent.worker(6)->detail().slot(), 1U);
        QCOMPARE(agent.worker(6)->detail().restarts(), 5U);
    }

    void doesNotRestartWhenToldNotTo() {
        AgentHarness agent(AgentHarness::Workers::Fake, 1);
        agent.setting("worker_automatic_restart = false");
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        ::kill(agent.worker(1)->pid(), SIGKILL);
        QVERIFY(AgentHarness::waitFor([&] { return agent.hasEvent("worker_crashed"); }));
        QCOMPARE(agent.workers().size(), 1U);
    }

    void triesASpawnOnce() {
        AgentHarness agent(AgentHarness::Workers::Fake, 1);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.plan("exit_early 1");
        proto::Request spawn;
        spawn.mutable_spawn_worker();
        QCOMPARE(agent.call(spawn).status(), proto::FAILURE);
        proto::Request status;
        status.mutable_status();
        (void)agent.call(status); // a turn of the agent's loop, in which a restart would have shown
        QCOMPARE(agent.workers().size(), 2U);
    }

    void replacesAWorkerThatSpeaksNonsense() {
        AgentHarness agent(AgentHarness::Workers::Fake, 1);
        agent.plan("garbage");
        QVERIFY2(agent.start(0), qPrintable(agent.log()));
        // A worker reads its plan after the agent answers: the next plan has to wait until this one was acted
        // on.
        QVERIFY2(
            AgentHarness::waitFor([&] { return agent.hasEvent("worker_crashed"); }), qPrintable(agent.log()));
        agent.plan("ok");
        QVERIFY2(AgentHarness::waitFor(
                     [&] { return agent.serving().size() == 1 && agent.serving().front().id() > 1; }),
            qPrintable(agent.log()));
        QCOMPARE(agent.livingWorkers().size(), 1U);
    }

    void saysWhoDoesNotAnswer() {
        AgentHarness agent(AgentHarness::Workers::Fake, 1);
        agent.setting("worker_timeout = 1");
        agent.plan("silent");
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        proto::Request status;
        status.mutable_status();
        const proto::Response response = agent.call(status);
        QCOMPARE(response.status(), proto::OK);
        QCOMPARE(response.content().workers().vec(0).run_state(), proto::NOT_ANSWERING);
    }

    void namesTheWorkerThatDidNotFollow() {
        AgentHarness agent(AgentHarness::Workers::Fake, 2);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.plan("refuse_state");
        QCOMPARE(agent.call(upgradeRequest(1)).status(), proto::OK);
        proto::Request request;
        request.mutable_add_cluster()->set_cluster_id("late");
        request.mutable_add_cluster()->set_sticky_session(false);
        request.mutable_add_cluster()->set_https_redirect(false);
        request.mutable_add_cluster()->set_load_balancing(proto::ROUND_ROBIN);
        const proto::Response response = agent.call(request);
        QCOMPARE(response.status(), proto::FAILURE);
        const QString said = QString::fromStdString(response.message());
        QVERIFY2(said.contains(QStringLiteral("worker 3: the fake refuses")), qPrintable(said));
        QVERIFY2(!said.contains(QStringLiteral("worker 2")), qPrintable(said));
        QVERIFY(agent.worker(2)->detail().revision() > agent.worker(3)->detail().revision());
    }

    void cutsADrainShortOnTheSecondSignal() {
        AgentHarness agent(AgentHarness::Workers::Fake, 2);
        agent.plan("hang_in_drain");
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.signalAgent(SIGTERM);
        QVERIFY(AgentHarness::waitFor([&] { return agent.hasEvent("stop_requested"); }));
        QVERIFY(agent.agentIsRunning());
        agent.signalAgent(SIGTERM);
        QVERIFY2(agent.waitForEnd(), qPrintable(agent.log()));
        QCOMPARE(agent.exitCode(), 0);
        QVERIFY(agent.livingWorkers().empty());
        QCOMPARE(agent.leftovers(), QStringList());
    }

    void saysThatTheProgramIsMissing() {
        AgentHarness agent(AgentHarness::Workers::Fake, 1);
        agent.writeConfig();
        QFile file(QString::fromStdString(agent.configFile()));
        QVERIFY(file.open(QIODevice::ReadWrite));
        QByteArray text = file.readAll().replace("fake_worker", "no_such_worker");
        QVERIFY(file.resize(0) && file.seek(0) && file.write(text) == text.size());
        file.close();
        QVERIFY2(agent.start(0), qPrintable(agent.log()));
        QVERIFY(AgentHarness::waitFor([&] { return agent.hasEvent("worker_failed"); }));
        QVERIFY(agent.log().contains(QStringLiteral("no_such_worker")));
    }
};

QTEST_GUILESS_MAIN(TestAgentFaults)
#include "tst_agent_faults.moc"

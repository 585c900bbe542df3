// SPDX-License-Identifier: GPL-3.0-or-later
//
// An agent with real workers, from its start to an end that leaves nothing behind.
#include "agent_harness.h"
#include "blocking_upstream.h"

#include <QTest>

#include <csignal>
#include <sys/stat.h>

using namespace yardmaster;
using namespace yardmaster::tests;

class TestAgentLifecycle : public QObject {
    Q_OBJECT

private slots:
    void startsListsAndStops() {
        AgentHarness agent(AgentHarness::Workers::Real, 3);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        const auto workers = agent.workers();
        QCOMPARE(workers.size(), 3U);
        for (std::uint32_t index = 0; index < 3; ++index) {
            const proto::WorkerDetail& detail = workers[index].detail();
            QCOMPARE(workers[index].id(), index + 1);
            QCOMPARE(detail.slot(), index + 1);
            QCOMPARE(workers[index].run_state(), proto::RUNNING);
            QVERIFY(AgentHarness::isAlive(workers[index].pid()));
            QVERIFY(detail.stamps().spawn_ns() > 0);
            QVERIFY(detail.stamps().spawned_ns() >= detail.stamps().spawn_ns());
            QVERIFY(detail.stamps().listeners_ns() >= detail.stamps().spawned_ns());
            QVERIFY(detail.stamps().state_ns() >= detail.stamps().listeners_ns());
            QVERIFY(detail.stamps().ready_ns() >= detail.stamps().state_ns());
            QVERIFY(!detail.stamps().has_first_request_ns());
            QVERIFY(!detail.version().empty());
            QVERIFY(detail.rss_bytes() > 0);
        }
        struct stat info { };
        QCOMPARE(::stat(agent.socketPath().c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777U, 0600U);
        QCOMPARE(::stat(agent.runtimeDirectory().c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777U, 0700U);

        proto::Request stop;
        stop.mutable_soft_stop();
        const proto::Response response = agent.call(stop);
        QCOMPARE(response.status(), proto::OK);
        QVERIFY2(agent.waitForEnd(), qPrintable(agent.log()));
        QCOMPARE(agent.exitCode(), 0);
        QCOMPARE(agent.leftovers(), QStringList());
        QVERIFY(agent.livingWorkers().empty());
    }

    void endsOnASignal_data() {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGINT") << SIGINT;
    }
    void endsOnASignal() {
        QFETCH(int, signal);
        AgentHarness agent(AgentHarness::Workers::Real);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.signalAgent(signal);
        QVERIFY2(agent.waitForEnd(), qPrintable(agent.log()));
        QCOMPARE(agent.exitCode(), 0);
        QCOMPARE(agent.leftovers(), QStringList());
        QVERIFY(agent.livingWorkers().empty());
    }

    void everyAnswerNamesTheAgent() {
        AgentHarness agent(AgentHarness::Workers::Real, 1);
        agent.setting("production = true");
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        proto::Request request;
        request.mutable_list_workers();
        const proto::Response response = agent.call(request);
        QCOMPARE(response.agent().name(), std::string("test"));
        QCOMPARE(response.agent().pid(), static_cast<std::int32_t>(agent.agentPid()));
        QVERIFY(response.agent().production());
        QVERIFY(response.agent().revision() > 0);
        QVERIFY(response.agent().started_unix_ns() > 0);
    }

    void upgradesOneWorkerInSteps() {
        AgentHarness agent(AgentHarness::Workers::Real);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        const pid_t oldPid = agent.worker(1)->pid();
        int progressMessages = 0;
        const proto::Response response = agent.call(upgradeRequest(1), [&](const proto::Response& progress) {
            progressMessages += progress.content().has_job() ? 1 : 0;
            return true;
        });
        QCOMPARE(QString::fromStdString(response.message()), QStringLiteral("Upgrade worker 1: done"));
        QCOMPARE(response.status(), proto::OK);
        QVERIFY(progressMessages > 3);
        const proto::JobProgress& job = response.content().job();
        QCOMPARE(job.state(), proto::JOB_DONE);
        QCOMPARE(job.new_worker_id(), 3U);
        QCOMPARE(job.steps_size(), 5);
        for (const proto::JobStep& step : job.steps()) {
            QCOMPARE(step.state(), proto::STEP_DONE);
            QVERIFY(step.has_started_unix_ns());
            QVERIFY(step.duration_ns() >= 0);
        }
        QVERIFY(job.ended_unix_ns() >= job.started_unix_ns());
        QVERIFY(!AgentHarness::isAlive(oldPid));
        const auto old = agent.worker(1);
        QCOMPARE(old->detail().phase(), proto::PHASE_STOPPED);
        QCOMPARE(old->run_state(), proto::STOPPED);
        QCOMPARE(old->detail().replaced_by(), 3U);
        QCOMPARE(old->detail().last_exit().code(), 0);
        const auto successor = agent.worker(3);
        QCOMPARE(successor->detail().phase(), proto::PHASE_SERVING);
        QCOMPARE(successor->detail().replaces(), 1U);
        QCOMPARE(successor->detail().slot(), old->detail().slot());
    }

    void upgradesByTheRequestOfSozu() {
        AgentHarness agent(AgentHarness::Workers::Real);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        proto::Request request;
        request.set_upgrade_worker(2);
        QStringList said;
        const proto::Response response = agent.call(request, [&](const proto::Response& progress) {
            said << QString::fromStdString(progress.message());
            // A client of Sozu's knows no jobs.
            return !progress.has_content();
        });
        QCOMPARE(response.status(), proto::OK);
        QVERIFY(said.contains(QStringLiteral("Launched a new worker with id 3")));
        QVERIFY(QString::fromStdString(response.message()).startsWith(QStringLiteral("Upgrade successful")));
        request.set_upgrade_worker(77);
        QCOMPARE(agent.call(request).status(), proto::FAILURE);
    }

    void upgradesAllOneAfterTheOther() {
        AgentHarness agent(AgentHarness::Workers::Real, 3);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        const proto::Response response = agent.call(upgradeRequest({}));
        QCOMPARE(response.status(), proto::OK);
        QCOMPARE(response.content().job().done(), 3U);
        QCOMPARE(response.content().job().total(), 3U);
        std::vector<std::uint32_t> ids;
        for (const proto::WorkerInfo& info : agent.serving())
            ids.push_back(info.id());
        QCOMPARE(ids, (std::vector<std::uint32_t>{4, 5, 6}));
    }

    void spawnsAndStopsOne() {
        AgentHarness agent(AgentHarness::Workers::Real);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        proto::Request spawn;
        spawn.mutable_spawn_worker();
        const proto::Response spawned = agent.call(spawn);
        QCOMPARE(spawned.status(), proto::OK);
        QCOMPARE(spawned.content().job().new_worker_id(), 3U);
        QCOMPARE(agent.serving().size(), 3U);
        QCOMPARE(agent.worker(3)->detail().slot(), 3U);

        proto::Request stop;
        stop.mutable_stop_worker()->set_id(2);
        QCOMPARE(agent.call(stop).status(), proto::OK);
        QCOMPARE(agent.worker(2)->detail().phase(), proto::PHASE_STOPPED);
        QCOMPARE(agent.serving().size(), 2U);
        // The slot is free for the operator, not filled by the agent.
        const proto::Response refilled = agent.call(spawn);
        QCOMPARE(refilled.status(), proto::OK);
        QCOMPARE(agent.worker(4)->detail().slot(), 2U);

        proto::Request hard;
        hard.mutable_stop_worker()->set_id(4);
        hard.mutable_stop_worker()->set_hard(true);
        QCOMPARE(agent.call(hard).status(), proto::OK);
        QCOMPARE(agent.worker(4)->detail().phase(), proto::PHASE_STOPPED);
    }

    void respawnsAKilledWorkerAndShowsItsEnd() {
        AgentHarness agent(AgentHarness::Workers::Real);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        auto connected = agent.client();
        QVERIFY(connected.has_value());
        proto::Request subscribe;
        subscribe.mutable_subscribe_samples()->set_interval_ms(20);
        QVERIFY(connected->send(subscribe).has_value());
        ::kill(agent.worker(1)->pid(), SIGKILL);

        bool sawLast = false;
        bool sawEvent = false;
        bool sawSuccessor = false;
        for (int sample = 0; sample < 300 && !(sawLast && sawEvent && sawSuccessor); ++sample) {
            const auto response = connected->receive();
            QVERIFY(response.has_value());
            for (const proto::WorkerSample& worker : response->content().sample().workers()) {
                sawLast |= worker.id() == 1 && worker.last_of_dead();
                sawSuccessor |= worker.id() == 3 && worker.detail().phase() == proto::PHASE_SERVING;
            }
            for (const proto::AgentEvent& event : response->content().sample().events())
                sawEvent |= event.kind() == "worker_crashed" && event.worker_id() == 1;
        }
        QVERIFY(sawLast && sawEvent && sawSuccessor);
        const auto dead = agent.worker(1);
        QCOMPARE(dead->detail().phase(), proto::PHASE_CRASHED);
        QCOMPARE(QString::fromStdString(dead->detail().last_exit().text()),
            QStringLiteral("killed by signal 9 (Killed)"));
        QCOMPARE(agent.worker(3)->detail().slot(), 1U);
        QCOMPARE(agent.worker(3)->detail().restarts(), 1U);
    }

    /// Requests that follow each other on new connections, while every worker is replaced again and again.
    void losesNoRequestInUpgrades() {
        BlockingUpstream upstream;
        AgentHarness agent(AgentHarness::Workers::Real);
        agent.setBackendPort(upstream.port());
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        RequestLoop connectionPerRequest(agent.port(), false);
        RequestLoop keepAlive(agent.port(), true);
        QVERIFY(AgentHarness::waitFor(
            [&] { return connectionPerRequest.answered() > 10 && keepAlive.answered() > 10; }));
        for (int round = 0; round < 5; ++round) {
            const proto::Response response = agent.call(upgradeRequest({}));
            QVERIFY2(response.status() == proto::OK, response.message().c_str());
        }
        const int before = keepAlive.answered();
        QVERIFY(AgentHarness::waitFor([&] { return keepAlive.answered() > before + 10; }));
        connectionPerRequest.stop();
        keepAlive.stop();
        QCOMPARE(connectionPerRequest.lost(), 0);
        QCOMPARE(keepAlive.lost(), 0);
        bool sawFirstRequest = false;
        for (const proto::WorkerInfo& info : agent.workers())
            sawFirstRequest |= info.detail().stamps().has_first_request_ns();
        QVERIFY(sawFirstRequest);
    }
};

QTEST_GUILESS_MAIN(TestAgentLifecycle)
#include "tst_agent_lifecycle.moc"

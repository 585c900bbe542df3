// SPDX-License-Identifier: GPL-3.0-or-later
//
// The agent dies by SIGKILL; its workers go on, and the next agent takes them over.
#include "agent_harness.h"
#include "blocking_upstream.h"

#include <QFile>
#include <QTest>

#include <csignal>

using namespace yardmaster;
using namespace yardmaster::tests;

Q_DECLARE_METATYPE(yardmaster::tests::AgentHarness::Workers)

namespace {

std::vector<pid_t> servingPids(const AgentHarness& agent) {
    std::vector<pid_t> pids;
    for (const proto::WorkerInfo& info : agent.serving())
        pids.push_back(info.pid());
    return pids;
}

/// The inodes of all sockets that listen on a port of 127.0.0.1: one as long as nobody binds anew.
QStringList listeningInodes(std::uint16_t port) {
    QFile table(QStringLiteral("/proc/net/tcp"));
    (void)table.open(QIODevice::ReadOnly);
    const QString address = QStringLiteral("0100007F:%1").arg(port, 4, 16, QLatin1Char('0')).toUpper();
    QStringList inodes;
    for (const QByteArray& line : table.readAll().split('\n')) {
        const QStringList fields = QString::fromLatin1(line).split(QLatin1Char(' '), Qt::SkipEmptyParts);
        if (fields.size() > 9 && fields[1] == address && fields[3] == QStringLiteral("0A"))
            inodes << fields[9];
    }
    return inodes;
}

proto::Request addCluster(const char* id) {
    proto::Request request;
    proto::Cluster& cluster = *request.mutable_add_cluster();
    cluster.set_cluster_id(id);
    cluster.set_sticky_session(false);
    cluster.set_https_redirect(false);
    cluster.set_load_balancing(proto::ROUND_ROBIN);
    return request;
}

bool knowsCluster(const AgentHarness& agent, const std::string& id) {
    proto::Request request;
    request.mutable_query_clusters_hashes();
    const proto::Response response = agent.call(request);
    const auto& map = response.content().worker_responses().map();
    const auto main = map.find("main");
    return main != map.end() && main->second.cluster_hashes().map().contains(id);
}

} // namespace

class TestAgentAdoption : public QObject {
    Q_OBJECT

    static void bothKinds() {
        QTest::addColumn<AgentHarness::Workers>("kind");
        QTest::newRow("real workers") << AgentHarness::Workers::Real;
        QTest::newRow("fake workers") << AgentHarness::Workers::Fake;
    }

private slots:
    void takesOverWorkersListenersAndState_data() { bothKinds(); }
    void takesOverWorkersListenersAndState() {
        QFETCH(AgentHarness::Workers, kind);
        AgentHarness agent(kind);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        QCOMPARE(agent.call(addCluster("added-before")).status(), proto::OK);
        const auto pids = servingPids(agent);
        const auto before = agent.workers();
        const QStringList inodes = listeningInodes(agent.port());
        QCOMPARE(inodes.size(), 1);

        agent.killAgent();
        for (const pid_t pid : pids)
            QVERIFY(AgentHarness::isAlive(pid));
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        QCOMPARE(servingPids(agent), pids);
        QCOMPARE(listeningInodes(agent.port()), inodes);
        QVERIFY(knowsCluster(agent, "added-before"));
        const auto after = agent.workers();
        QCOMPARE(after.size(), 2U);
        for (std::size_t index = 0; index < after.size(); ++index) {
            const proto::WorkerDetail& detail = after[index].detail();
            QCOMPARE(after[index].id(), before[index].id());
            QVERIFY(detail.adopted());
            QCOMPARE(detail.slot(), before[index].detail().slot());
            QCOMPARE(detail.revision(), before[index].detail().revision());
            QCOMPARE(detail.stamps().ready_ns(), before[index].detail().stamps().ready_ns());
            QCOMPARE(detail.version(), before[index].detail().version());
        }
        QVERIFY(agent.hasEvent("worker_adopted"));
    }

    void commandsAdoptedWorkers_data() { bothKinds(); }
    void commandsAdoptedWorkers() {
        QFETCH(AgentHarness::Workers, kind);
        AgentHarness agent(kind);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.killAgent();
        QVERIFY2(agent.start(), qPrintable(agent.log()));

        proto::Request status;
        status.mutable_status();
        const proto::Response answered = agent.call(status);
        for (const proto::WorkerInfo& info : answered.content().workers().vec())
            QCOMPARE(info.run_state(), proto::RUNNING);
        QCOMPARE(agent.call(addCluster("added-after")).status(), proto::OK);

        // A listener that is activated now must reach workers whose only connection is the channel.
        const std::uint16_t port = AgentHarness::freePort();
        proto::Request add;
        proto::HttpListenerConfig& listener = *add.mutable_add_http_listener();
        listener.mutable_address()->mutable_ip()->set_v4(0x7F000001);
        listener.mutable_address()->set_port(port);
        listener.set_sticky_name("S");
        listener.set_expect_proxy(false);
        listener.set_front_timeout(60);
        listener.set_back_timeout(30);
        listener.set_connect_timeout(3);
        listener.set_request_timeout(10);
        listener.set_active(true);
        const proto::Response activated = agent.call(add);
        QVERIFY2(activated.status() == proto::OK, activated.message().c_str());
        QCOMPARE(listeningInodes(port).size(), 1);

        const proto::Response upgraded = agent.call(upgradeRequest({}));
        QVERIFY2(upgraded.status() == proto::OK, upgraded.message().c_str());
        QCOMPARE(servingPids(agent).size(), 2U);
        for (const proto::WorkerInfo& info : agent.serving()) {
            QVERIFY(info.id() > 2);
            QVERIFY(!info.detail().adopted());
        }
        QCOMPARE(listeningInodes(port).size(), 1);

        agent.signalAgent(SIGTERM);
        QVERIFY2(agent.waitForEnd(), qPrintable(agent.log()));
        QVERIFY(agent.livingWorkers().empty());
        QCOMPARE(agent.leftovers(), QStringList());
    }

    void survivesThreeAgents() {
        AgentHarness agent(AgentHarness::Workers::Real);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        const auto pids = servingPids(agent);
        for (int round = 0; round < 3; ++round) {
            agent.killAgent();
            QVERIFY2(agent.start(), qPrintable(agent.log()));
            QCOMPARE(servingPids(agent), pids);
            QCOMPARE(agent.call(addCluster(("round-" + std::to_string(round)).c_str())).status(), proto::OK);
        }
    }

    void losesNoRequest() {
        BlockingUpstream upstream;
        AgentHarness agent(AgentHarness::Workers::Real);
        agent.setBackendPort(upstream.port());
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        RequestLoop connectionPerRequest(agent.port(), false);
        RequestLoop keepAlive(agent.port(), true);
        QVERIFY(AgentHarness::waitFor(
            [&] { return connectionPerRequest.answered() > 10 && keepAlive.answered() > 10; }));
        agent.killAgent();
        int before = connectionPerRequest.answered();
        QVERIFY(AgentHarness::waitFor([&] { return connectionPerRequest.answered() > before + 50; }));
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        QCOMPARE(agent.call(upgradeRequest({})).status(), proto::OK);
        before = keepAlive.answered();
        QVERIFY(AgentHarness::waitFor([&] { return keepAlive.answered() > before + 50; }));
        connectionPerRequest.stop();
        keepAlive.stop();
        QCOMPARE(connectionPerRequest.lost(), 0);
        QCOMPARE(keepAlive.lost(), 0);
    }

    void fillsTheSlotOfAWorkerThatDiedMeanwhile() {
        AgentHarness agent(AgentHarness::Workers::Real);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        const pid_t dying = agent.worker(1)->pid();
        agent.killAgent();
        ::kill(dying, SIGKILL);
        QVERIFY(AgentHarness::waitFor([&] { return agent.livingWorkers().size() == 1; }));
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        const auto serving = agent.serving();
        QCOMPARE(serving.size(), 2U);
        QCOMPARE(serving[0].id(), 2U);
        QCOMPARE(serving[1].id(), 3U); // ids are not used twice
        QCOMPARE(serving[1].detail().slot(), 1U);
        QVERIFY(!QFile::exists(QString::fromStdString(agent.runtimeDirectory() + "/worker-1.sock")));
        QVERIFY(agent.hasEvent("worker_gone"));
    }

    void adoptsADrainingWorkerAsSuch() {
        AgentHarness agent(AgentHarness::Workers::Fake, 1);
        agent.plan("slow_drain 3000");
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        agent.plan("ok");
        auto connected = agent.client();
        QVERIFY(connected && connected->send(upgradeRequest(1)));
        QVERIFY(AgentHarness::waitFor(
            [&] { return agent.worker(1)->detail().phase() == proto::PHASE_DRAINING; }));
        agent.killAgent();
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        QCOMPARE(agent.worker(1)->detail().phase(), proto::PHASE_DRAINING);
        QCOMPARE(agent.worker(2)->detail().phase(), proto::PHASE_SERVING);
        QVERIFY(
            AgentHarness::waitFor([&] { return agent.worker(1)->detail().phase() == proto::PHASE_STOPPED; }));
        QCOMPARE(agent.serving().size(), 1U);
        QVERIFY(!agent.worker(3).has_value());
    }

    void keepsASecondAgentOut() {
        AgentHarness agent(AgentHarness::Workers::Real, 1);
        QVERIFY2(agent.start(), qPrintable(agent.log()));
        QProcess second;
        second.start(AgentHarness::program("yardmasterd"),
            {QStringLiteral("-c"), QString::fromStdString(agent.configFile())});
        QVERIFY(second.waitForFinished());
        QCOMPARE(second.exitCode(), 1);
        QVERIFY(QString::fromUtf8(second.readAllStandardError()).contains(QStringLiteral("another agent")));
        QCOMPARE(agent.serving().size(), 1U);
    }
};

QTEST_GUILESS_MAIN(TestAgentAdoption)
#include "tst_agent_adoption.moc"

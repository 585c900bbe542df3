// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/worker_harness.h"

#include <QTest>

#include <csignal>

using namespace yardmaster;
using namespace yardmaster::test;

namespace {
constexpr const char* okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";
constexpr std::uint32_t farDeadlineMs = 60'000;

std::string get(const std::string& path) {
    return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}
bool closes(const std::string& response) {
    return response.find("Connection: close\r\n") != std::string::npos;
}
} // namespace

/// A worker that is to stop loses no request.
class TestWorkerDrain : public QObject {
    Q_OBJECT

    TestListener m_backend;
    std::unique_ptr<WorkerHarness> m_worker;

    TestConnection accept() { return TestConnection::acceptFrom(m_backend); }

    /// A client with one request served, so that its connection is idle.
    TestConnection idleClient(TestConnection& upstream) {
        TestConnection client = m_worker->connect();
        client.send(get("/first"));
        if (!upstream.isValid())
            upstream = accept();
        upstream.readHead();
        upstream.send(okResponse);
        client.readMessage();
        return client;
    }
    void drain(std::uint32_t deadlineMs, std::uint32_t quietMs) {
        m_worker->startDrain(deadlineMs, quietMs);
        QTRY_COMPARE(m_worker->gauge(metrics::Gauge::Draining), 1U);
    }
    proto::DrainReport finish() {
        const auto done = m_worker->waitFor("drain");
        int exitCode = -1;
        if (!done || done->status() != proto::OK || !m_worker->waitForExit(exitCode) || exitCode != 0)
            return {};
        return done->report().drain();
    }

private slots:
    void init() {
        m_backend = TestListener();
        m_worker = std::make_unique<WorkerHarness>();
        m_worker->addBackend(m_backend.port, "b0");
        QVERIFY2(m_worker->start(), m_worker->fatalError.c_str());
    }

    void cleanup() {
        for (int gauge = 0; gauge <= static_cast<int>(metrics::Gauge::OpenTunnels); ++gauge)
            if (static_cast<metrics::Gauge>(gauge) != metrics::Gauge::UpstreamConnections
                && static_cast<metrics::Gauge>(gauge) != metrics::Gauge::UpstreamIdle)
                QCOMPARE(m_worker->gauge(static_cast<metrics::Gauge>(gauge)), 0U);
        m_worker.reset();
    }

    void endsAtOnceWithNothingOpen() {
        drain(farDeadlineMs, 5'000);
        const auto report = finish();
        QVERIFY(report.has_drained());
        QCOMPARE(report.drained() + report.closed_idle() + report.cut(), 0U);
    }

    void closesIdleConnectionsAfterSilence() {
        TestConnection upstream;
        TestConnection client = idleClient(upstream);
        drain(farDeadlineMs, 300);
        QVERIFY(client.isSilent(150)); // not yet
        QVERIFY(client.isClosedByPeer());
        client.close();
        const auto report = finish();
        QCOMPARE(report.closed_idle(), 1U);
        QCOMPARE(report.cut(), 0U);
    }

    void servesWhatArrivesInTheQuietPeriod() {
        TestConnection upstream;
        TestConnection client = idleClient(upstream);
        drain(farDeadlineMs, 30'000);
        client.send(get("/late"));
        QVERIFY(upstream.readHead().starts_with("GET /late "));
        upstream.send(okResponse);
        const std::string response = client.readMessage();
        QVERIFY2(closes(response) && response.ends_with("abc"), response.c_str());
        QVERIFY(client.isClosedByPeer()); // the worker's half only: it still reads
        client.close();
        const auto report = finish();
        QCOMPARE(report.drained(), 1U);
        QCOMPARE(report.closed_idle(), 0U);
    }

    void servesTheFirstRequestOfANewConnection() {
        TestConnection client = m_worker->connect();
        QTRY_COMPARE(m_worker->gauge(metrics::Gauge::Connections), 1U);
        drain(farDeadlineMs, 100);
        QVERIFY(client.isSilent(400)); // longer than the quiet period
        client.send(get("/first"));
        TestConnection upstream = accept();
        QVERIFY(upstream.readHead().starts_with("GET /first "));
        upstream.send(okResponse);
        QVERIFY(closes(client.readMessage()));
        client.close();
        QCOMPARE(finish().drained(), 1U);
    }

    void doesNotResetAClientThatSendsMore() {
        TestConnection client = m_worker->connect();
        client.send(get("/1"));
        TestConnection upstream = accept();
        upstream.readHead();
        drain(farDeadlineMs, 100);
        client.send(get("/2") + get("/3")); // pipelined behind the last request
        upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + std::string(100'000, 'x'));
        const std::string response = client.readToEnd();
        QVERIFY(closes(response));
        QVERIFY(response.ends_with(std::string(1000, 'x')));
        QVERIFY(!client.wasReset());
        client.close();
        QCOMPARE(finish().drained(), 1U);
    }

    void leavesNewConnectionsToOthers() {
        TestConnection upstream;
        TestConnection client = idleClient(upstream);
        drain(farDeadlineMs, 30'000);
        TestConnection next = m_worker->connect(); // the socket is shared: it lives on and queues
        QVERIFY(next.isValid());
        next.send(get("/other"));
        QVERIFY(next.isSilent(150));
        QCOMPARE(m_worker->counter(metrics::Counter::ConnectionsAccepted), 1U);
        client.close();
        QCOMPARE(finish().drained(), 1U);
    }

    void cutsAtTheDeadlineAndNamesTheStragglers() {
        TestConnection client = m_worker->connect();
        client.send("POST /slow?secret=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
        TestConnection upstream = accept();
        upstream.readHead();
        TestConnection silent = m_worker->connect();
        QTRY_COMPARE(m_worker->gauge(metrics::Gauge::Connections), 2U);
        drain(500, 30'000);
        const auto report = finish();
        QCOMPARE(report.cut(), 2U);
        QCOMPARE(report.stragglers_size(), 2);
        const std::string all = report.stragglers(0) + "\n" + report.stragglers(1);
        QVERIFY2(all.find("POST /slow ") != std::string::npos, all.c_str());
        QVERIFY2(all.find("127.0.0.1:") != std::string::npos && all.find("secret") == std::string::npos,
            all.c_str());
        bool reported = false;
        for (const auto& message : m_worker->reports)
            reported =
                reported || (message.id() == "drain" && message.report().drain().open_connections() == 2);
        QVERIFY(reported);
        QVERIFY(client.isClosedByPeer());
    }

    void tunnelsLastUntilTheDeadline() {
        TestConnection client = m_worker->connect();
        client.send("GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
        TestConnection upstream = accept();
        upstream.readHead();
        upstream.send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
        client.readHead();
        drain(farDeadlineMs, 50);
        client.send("ping");
        QCOMPARE(upstream.read(4), std::string("ping"));
        QVERIFY(client.isSilent(300));
        upstream.close();
        QVERIFY(client.isClosedByPeer());
        client.close();
        QCOMPARE(finish().drained(), 1U);
    }

    void drainsOnSigterm() {
        TestConnection upstream;
        TestConnection client = idleClient(upstream);
        QCOMPARE(::kill(m_worker->pid(), SIGTERM), 0);
        QTRY_COMPARE(m_worker->gauge(metrics::Gauge::Draining), 1U);
        client.send(get("/late"));
        QVERIFY(upstream.readHead().starts_with("GET /late "));
        upstream.send(okResponse);
        QVERIFY(closes(client.readMessage()));
        client.close();
        int exitCode = -1;
        QVERIFY(m_worker->waitForExit(exitCode));
        QCOMPARE(exitCode, 0);
    }

    void hardStopEndsAtOnce() {
        TestConnection upstream;
        TestConnection client = idleClient(upstream);
        proto::Request stop;
        stop.mutable_hard_stop();
        m_worker->send(stop, "h");
        const auto answer = m_worker->waitFor("h");
        QVERIFY(answer && answer->status() == proto::OK);
        int exitCode = -1;
        QVERIFY(m_worker->waitForExit(exitCode));
        QCOMPARE(exitCode, 0);
    }
};

QTEST_GUILESS_MAIN(TestWorkerDrain)
#include "tst_worker_drain.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/worker_harness.h"

#include <QTest>

using namespace yardmaster;
using namespace yardmaster::test;

class TestWorkerSmoke : public QObject {
    Q_OBJECT
private slots:
    void relaysAndKeepsBothConnections() {
        TestListener backend;
        WorkerHarness worker;
        worker.addBackend(backend.port, "b0");
        QVERIFY2(worker.start(), worker.fatalError.c_str());
        TestConnection client = worker.connect();
        TestConnection upstream;
        for (int round = 0; round < 3; ++round) {
            client.send("POST /a/../b?q=1 HTTP/1.1\r\nHost: LocalHost\r\nContent-Length: 5\r\nConnection: "
                        "x-gone\r\nX-Gone: 1\r\n\r\nhello");
            if (!upstream.isValid())
                upstream = TestConnection::acceptFrom(backend);
            const std::string request = upstream.readMessage();
            QVERIFY2(request.starts_with("POST /b?q=1 HTTP/1.1\r\n"), request.c_str());
            QVERIFY2(request.ends_with("\r\n\r\nhello"), request.c_str());
            QVERIFY2(request.find("X-Gone") == std::string::npos, request.c_str());
            QVERIFY2(request.find("X-Forwarded-For: 127.0.0.1") != std::string::npos, request.c_str());
            upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
            const std::string response = client.readMessage();
            QVERIFY2(response.starts_with("HTTP/1.1 200 OK\r\n"), response.c_str());
            QVERIFY(response.ends_with("abc"));
        }
        QTRY_COMPARE(worker.page().worker.get(metrics::Counter::Requests), 3U);
        QCOMPARE(worker.page().worker.get(metrics::Counter::UpstreamConnects), 1U);
    }

    void drains() {
        TestListener backend;
        WorkerHarness worker;
        worker.addBackend(backend.port, "b0");
        QVERIFY(worker.start());
        TestConnection client = worker.connect();
        client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        TestConnection upstream = TestConnection::acceptFrom(backend);
        QVERIFY(!upstream.readMessage().empty());
        worker.startDrain(20'000, 50);
        QTRY_COMPARE(worker.page().worker.get(metrics::Gauge::Draining), 1U);
        upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
        const std::string response = client.readMessage();
        QVERIFY2(response.find("Connection: close") != std::string::npos, response.c_str());
        client.close();
        const auto done = worker.waitFor("drain");
        QVERIFY(done);
        QCOMPARE(done->report().drain().drained(), 1U);
        int exitCode = -1;
        QVERIFY(worker.waitForExit(exitCode));
        QCOMPARE(exitCode, 0);
        QCOMPARE(worker.page().worker.get(metrics::Gauge::Connections), 0U);
        QCOMPARE(worker.page().worker.get(metrics::Gauge::RequestsInFlight), 0U);
    }

    void isAdoptedAfterItsAgentDied() {
        TestListener backend;
        WorkerHarness worker;
        worker.addBackend(backend.port, "b0");
        QVERIFY(worker.start());
        worker.closeChannel();
        TestConnection client = worker.connect();
        client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        TestConnection upstream = TestConnection::acceptFrom(backend);
        QVERIFY(!upstream.readMessage().empty());
        upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
        QVERIFY(client.readMessage().ends_with("abc"));
        QCOMPARE(worker.adopt(), 1);
        proto::Request status;
        status.mutable_status();
        worker.send(status, "s1");
        const auto answer = worker.waitFor("s1");
        QVERIFY(answer);
        QCOMPARE(answer->status(), proto::OK);
    }

    void refusesToStartWithoutItsListener() {
        WorkerHarness worker;
        QVERIFY(!worker.start(false));
        QVERIFY2(worker.fatalError.find(std::to_string(worker.port())) != std::string::npos,
            worker.fatalError.c_str());
    }
};

QTEST_GUILESS_MAIN(TestWorkerSmoke)
#include "tst_worker_smoke.moc"

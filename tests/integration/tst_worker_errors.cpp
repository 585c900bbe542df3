// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/worker_harness.h"

#include <QTest>

#include <poll.h>

using namespace yardmaster;
using namespace yardmaster::test;

namespace {

constexpr const char* getRequest = "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr const char* okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";

bool contains(const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
}

bool isContacted(const TestListener& backend, int ms) {
    pollfd wait{backend.fd.get(), POLLIN, 0};
    return ::poll(&wait, 1, ms) > 0;
}

} // namespace

/// What is refused, and what a client is told when something fails.
class TestWorkerErrors : public QObject {
    Q_OBJECT

    TestListener m_backend;
    std::unique_ptr<WorkerHarness> m_worker;

    TestConnection accept() { return TestConnection::acceptFrom(m_backend); }
    void restart(const std::function<void(WorkerHarness&)>& configure) {
        m_worker = std::make_unique<WorkerHarness>();
        m_worker->addBackend(m_backend.port, "b0");
        m_worker->addFrontend("localhost", "/", "web");
        m_worker->addFrontend("localhost", "/admin", ""); // denied
        proto::Request guarded; // needs credentials
        auto* frontend = guarded.mutable_add_http_frontend();
        *frontend->mutable_address() = m_worker->listenerConfig.address();
        frontend->set_cluster_id("web");
        frontend->set_hostname("localhost");
        frontend->mutable_path()->set_kind(proto::PREFIX);
        frontend->mutable_path()->set_value("/private");
        frontend->set_position(proto::TREE);
        frontend->set_required_auth(true);
        m_worker->moreState.push_back(guarded);
        configure(*m_worker);
        QVERIFY2(m_worker->start(), m_worker->fatalError.c_str());
    }

private slots:
    void init() {
        m_backend = TestListener();
        restart([](WorkerHarness&) {});
    }

    void cleanup() {
        QTRY_COMPARE(m_worker->gauge(metrics::Gauge::Connections), 0U);
        QCOMPARE(m_worker->gauge(metrics::Gauge::RequestsInFlight), 0U);
        QCOMPARE(m_worker->gauge(metrics::Gauge::IdleConnections), 0U);
        m_worker.reset();
    }

    void refusesBadRequests_data() {
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<int>("status");
        const auto row = [](const char* name, const QByteArray& request, int status) {
            QTest::newRow(name) << request << status;
        };
        row("both lengths",
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: "
            "chunked\r\n\r\n0\r\n\r\n",
            400);
        row("differing lengths",
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400);
        row("folded field", "GET / HTTP/1.1\r\nHost: localhost\r\nX-A: 1\r\n 2\r\n\r\n", 400);
        row("bare LF", "GET / HTTP/1.1\nHost: localhost\n\n", 400);
        row("space before the colon", "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length : 3\r\n\r\nabc",
            400);
        row("no host", "GET / HTTP/1.1\r\n\r\n", 400);
        row("two hosts", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: other\r\n\r\n", 400);
        row("backslash", "GET /a\\b HTTP/1.1\r\nHost: localhost\r\n\r\n", 400);
        row("encoded slash", "GET /a%2fb HTTP/1.1\r\nHost: localhost\r\n\r\n", 400);
        row("NUL", "GET /a%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400);
        row("above the root", "GET /../x HTTP/1.1\r\nHost: localhost\r\n\r\n", 400);
        row("TLS hello", QByteArray("\x16\x03\x01\x02\x00\x01\x00", 7), 400);
        row("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505);
        row("long line", "GET /" + QByteArray(9000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 414);
        row("long field", "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + QByteArray(40000, 'a') + "\r\n\r\n",
            431);
        row("many fields",
            "GET / HTTP/1.1\r\nHost: localhost\r\n" + QByteArray("X: 1\r\n").repeated(101) + "\r\n", 431);
        row("connect", "CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n", 405);
        row("unknown host", "GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n", 404);
        row("denied", "GET /admin/users HTTP/1.1\r\nHost: localhost\r\n\r\n", 401);
        row("credentials asked for, none given", "GET /private/a HTTP/1.1\r\nHost: localhost\r\n\r\n", 401);
        row("credentials asked for, any given",
            "GET /private HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic YTpi\r\n\r\n", 401);
        row("denied, dot segments", "GET /x/../admin HTTP/1.1\r\nHost: localhost\r\n\r\n", 401);
        row("denied, encoded", "GET /%61dmin HTTP/1.1\r\nHost: localhost\r\n\r\n", 401);
        row("denied, double slash", "GET //admin HTTP/1.1\r\nHost: localhost\r\n\r\n", 401);
        row("denied, absolute form", "GET http://localhost/admin HTTP/1.1\r\nHost: localhost\r\n\r\n", 401);
        row("denied, upper case host", "GET /admin HTTP/1.1\r\nHost: LOCALHOST:80\r\n\r\n", 401);
    }
    void refusesBadRequests() {
        QFETCH(QByteArray, request);
        QFETCH(int, status);
        TestConnection client = m_worker->connect();
        client.send(request.toStdString());
        const std::string response = client.readMessage();
        QVERIFY2(response.starts_with("HTTP/1.1 " + std::to_string(status) + " "), response.c_str());
        QTRY_COMPARE(m_worker->counter(metrics::Counter::ProxyErrors), 1U);
        QVERIFY(!isContacted(m_backend, 0));
    }

    void keepsTheConnectionWhereTheRequestWasComplete() {
        TestConnection client = m_worker->connect();
        client.send("POST / HTTP/1.1\r\nHost: elsewhere\r\nContent-Length: 4\r\n\r\nbody");
        QVERIFY(client.readMessage().starts_with("HTTP/1.1 404 "));
        client.send(getRequest);
        TestConnection upstream = accept();
        QVERIFY(upstream.readHead().starts_with("GET /x "));
        upstream.send(okResponse);
        QVERIFY(client.readMessage().ends_with("abc"));
    }

    void answers502ToBadResponses_data() {
        QTest::addColumn<QByteArray>("response");
        const auto row = [](const char* name, const QByteArray& response) {
            QTest::newRow(name) << response;
        };
        row("no HTTP", "SSH-2.0-OpenSSH_9.2\r\n");
        row("bad status line", "HTTP/1.1 2x0 OK\r\n\r\n");
        row("HTTP/2", "HTTP/2 200 OK\r\n\r\n");
        row("bad length", "HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc");
        row("differing lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabc");
        row("both framings",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
        row("unknown coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n");
        row("bad first chunk", "HTTP/1.1 200 OK\r\nX: 1\nY: 2\r\n\r\n");
        row("unasked upgrade",
            "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
        row("endless hints", QByteArray("HTTP/1.1 103 Early Hints\r\n\r\n").repeated(100));
        row("nothing", "");
        row("half a head", "HTTP/1.1 200 OK\r\nContent-Le");
        row("huge head", "HTTP/1.1 200 OK\r\nX: " + QByteArray(100'000, 'a') + "\r\n\r\n");
    }
    void answers502ToBadResponses() {
        QFETCH(QByteArray, response);
        TestConnection client = m_worker->connect();
        client.send(getRequest);
        TestConnection upstream = accept();
        upstream.readHead();
        upstream.send(response.toStdString());
        upstream.shutdownWrite();
        std::string got;
        do {
            got = client.readMessage(); // hints come first
        } while (got.starts_with("HTTP/1.1 103 "));
        QVERIFY2(got.starts_with("HTTP/1.1 502 "), got.c_str());
        QVERIFY(upstream.isClosedByPeer());
        client.send(getRequest); // the client did nothing wrong: its connection goes on
        QVERIFY(accept().readHead().starts_with("GET /x "));
    }

    void closesBackendsThatSayMore_data() {
        QTest::addColumn<QByteArray>("response");
        QTest::addColumn<QByteArray>("method");
        QTest::newRow("behind a length")
            << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\n")
            << QByteArray("GET");
        QTest::newRow("behind HEAD") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
                                     << QByteArray("HEAD");
        QTest::newRow("behind 204") << QByteArray("HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
                                    << QByteArray("GET");
        QTest::newRow("behind 304") << QByteArray("HTTP/1.1 304 Not Modified\r\n\r\nx") << QByteArray("GET");
        QTest::newRow("behind the last chunk")
            << QByteArray("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx")
            << QByteArray("GET");
    }
    void closesBackendsThatSayMore() {
        QFETCH(QByteArray, response);
        QFETCH(QByteArray, method);
        TestConnection client = m_worker->connect();
        client.send(method.toStdString() + " / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        TestConnection upstream = accept();
        upstream.readHead();
        upstream.send(response.toStdString());
        QVERIFY(upstream.isClosedByPeer());
        client.readHead();
        client.send(getRequest);
        TestConnection second = accept(); // a new connection
        QVERIFY(second.readHead().starts_with("GET /x "));
    }

    void neverUsesAStaleResponse() {
        TestConnection client = m_worker->connect();
        client.send(getRequest);
        TestConnection upstream = accept();
        upstream.readHead();
        upstream.send(okResponse);
        QVERIFY(client.readMessage().ends_with("abc"));
        upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstale");
        client.send("GET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        TestConnection second = accept();
        QVERIFY(second.readHead().starts_with("GET /2 "));
        second.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfresh");
        QVERIFY(client.readMessage().ends_with("fresh"));
        QVERIFY(upstream.isClosedByPeer());
    }

    void breaksOffWhatCannotBeCompleted_data() {
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<QByteArray>("response");
        QTest::newRow("length") << QByteArray("1.1")
                                << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nabc");
        QTest::newRow("chunked") << QByteArray(
            "1.1") << QByteArray("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc");
        QTest::newRow("chunked to 1.0") << QByteArray(
            "1.0") << QByteArray("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc");
    }
    void breaksOffWhatCannotBeCompleted() {
        QFETCH(QByteArray, version);
        QFETCH(QByteArray, response);
        TestConnection client = m_worker->connect();
        client.send("GET / HTTP/" + version.toStdString() + "\r\nHost: localhost\r\n\r\n");
        TestConnection upstream = accept();
        upstream.readHead();
        upstream.send(response.toStdString());
        QVERIFY(contains(
            client.readUntil([](std::string_view bytes) { return bytes.find("abc") != bytes.npos; }), "abc"));
        upstream.close();
        // To 1.0 only a reset tells a broken body from a complete one.
        QCOMPARE(client.wasReset(), version == "1.0");
    }

    void timesOut_data() {
        QTest::addColumn<QByteArray>("request");
        QTest::addColumn<int>("status");
        QTest::newRow("head") << QByteArray("GET / HTTP/1.1\r\nHost: loc") << 408;
        QTest::newRow("body") << QByteArray(
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc")
                              << 408;
        QTest::newRow("response") << QByteArray(getRequest) << 504;
        QTest::newRow("100") << QByteArray(
            "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
                             << 504;
        QTest::newRow("idle") << QByteArray() << 0;
    }
    void timesOut() {
        QFETCH(QByteArray, request);
        QFETCH(int, status);
        restart([](WorkerHarness& worker) {
            auto* limits = worker.listenerConfig.mutable_limits();
            limits->set_header_timeout_ms(200);
            limits->set_idle_timeout_ms(300);
            limits->set_response_timeout_ms(250);
        });
        TestConnection client = m_worker->connect();
        client.send(request.toStdString());
        TestConnection upstream;
        if (request.contains("localhost")) {
            upstream = accept();
            upstream.readHead();
        }
        if (status != 0) {
            const std::string response = client.readMessage();
            QVERIFY2(response.starts_with("HTTP/1.1 " + std::to_string(status) + " "), response.c_str());
        } else {
            QVERIFY(client.isClosedByPeer());
        }
        if (upstream.isValid())
            QVERIFY(upstream.isClosedByPeer());
    }

    void limitsBodies() {
        restart(
            [](WorkerHarness& worker) { worker.listenerConfig.mutable_limits()->set_max_body_bytes(10); });
        TestConnection client = m_worker->connect();
        client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\n\r\n");
        QVERIFY(client.readMessage().starts_with("HTTP/1.1 413 "));
        TestConnection chunked = m_worker->connect();
        chunked.send(
            "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n");
        QVERIFY(chunked.readMessage().starts_with("HTTP/1.1 413 "));
    }

    void tellsRefusedFromMissingBackends() {
        m_backend.fd.reset(); // refuses from now on
        TestConnection client = m_worker->connect();
        client.send(getRequest);
        const std::string refused = client.readMessage();
        QVERIFY2(refused.starts_with("HTTP/1.1 502 "), refused.c_str());
        QVERIFY(m_worker->counter(metrics::Counter::UpstreamErrors) > 0);
        proto::Request remove;
        remove.mutable_remove_backend()->set_cluster_id("web");
        remove.mutable_remove_backend()->set_backend_id("b0");
        remove.mutable_remove_backend()->mutable_address()->mutable_ip()->set_v4(0x7F000001);
        remove.mutable_remove_backend()->mutable_address()->set_port(m_backend.port);
        m_worker->send(remove, "r");
        const auto answer = m_worker->waitFor("r");
        QVERIFY(answer && answer->status() == proto::OK);
        client.send(getRequest);
        QVERIFY(client.readMessage().starts_with("HTTP/1.1 503 "));
    }

    void stopsAcceptingAtTheLimit() {
        restart([](WorkerHarness& worker) { worker.maxConnections = 2; });
        TestConnection first = m_worker->connect();
        TestConnection second = m_worker->connect();
        QTRY_COMPARE(m_worker->gauge(metrics::Gauge::Connections), 2U);
        TestConnection third = m_worker->connect(); // waits in the queue, is not reset
        third.send(getRequest);
        QVERIFY(third.isSilent(100));
        QCOMPARE(m_worker->gauge(metrics::Gauge::Connections), 2U);
        first.close();
        TestConnection upstream = accept();
        QVERIFY(upstream.readHead().starts_with("GET /x "));
        upstream.send(okResponse);
        QVERIFY(third.readMessage().ends_with("abc"));
    }
};

QTEST_GUILESS_MAIN(TestWorkerErrors)
#include "tst_worker_errors.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/worker_harness.h"

#include <QFile>
#include <QTest>

#include <atomic>
#include <poll.h>
#include <sys/socket.h>
#include <thread>

using namespace yardmaster;
using namespace yardmaster::test;

namespace {

constexpr const char* okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";

bool contains(const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
}

std::size_t residentBytes(pid_t pid) {
    QFile status(QString::fromLatin1("/proc/%1/status").arg(pid));
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray& line : status.readAll().split('\n'))
        if (line.startsWith("VmHWM:"))
            return line.mid(6).trimmed().split(' ').first().toULongLong() * 1024;
    return 0;
}

} // namespace

/// Bodies, framing, interim responses, upgrades: what passes through.
class TestWorkerProxy : public QObject {
    Q_OBJECT

    TestListener m_backend;
    std::unique_ptr<WorkerHarness> m_worker;

    TestConnection accept() { return TestConnection::acceptFrom(m_backend); }

private slots:
    void init() {
        m_backend = TestListener();
        m_worker = std::make_unique<WorkerHarness>();
        m_worker->addBackend(m_backend.port, "b0");
        m_worker->addFrontend("localhost", "/", "web");
        QVERIFY2(m_worker->start(), m_worker->fatalError.c_str());
    }

    void cleanup() {
        // Whatever happened, nothing is left counted once the connections are gone.
        QTRY_COMPARE(m_worker->gauge(metrics::Gauge::Connections), 0U);
        QCOMPARE(m_worker->gauge(metrics::Gauge::RequestsInFlight), 0U);
        QCOMPARE(m_worker->gauge(metrics::Gauge::IdleConnections), 0U);
        QCOMPARE(m_worker->gauge(metrics::Gauge::OpenTunnels), 0U);
        QCOMPARE(m_worker->counter(metrics::Counter::ConnectionsAccepted),
            m_worker->counter(metrics::Counter::ConnectionsClosed));
        m_worker.reset();
    }

    void relaysChunkedBothWays() {
        TestConnection client = m_worker->connect();
        client.send(
            "POST /c HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
            "3\r\nabc\r\n");
        TestConnection upstream = accept();
        const std::string head = upstream.readHead();
        QVERIFY2(contains(head, "Transfer-Encoding: chunked\r\n"), head.c_str());
        QCOMPARE(upstream.read(8), std::string("3\r\nabc\r\n"));
        client.send("2;ext=1\r\nde\r\n0\r\nX-Sum: 5\r\n\r\n");
        QCOMPARE(upstream.read(22), std::string("2\r\nde\r\n0\r\nX-Sum: 5\r\n\r\n"));
        upstream.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n");
        QVERIFY(contains(client.readHead(), "Transfer-Encoding: chunked\r\n"));
        QCOMPARE(client.read(9), std::string("4\r\nWiki\r\n"));
        upstream.send("0\r\nX-T: 1\r\n\r\n");
        QCOMPARE(client.read(13), std::string("0\r\nX-T: 1\r\n\r\n"));
        // Both connections go on.
        client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        QVERIFY(upstream.readHead().starts_with("GET / "));
        upstream.send(okResponse);
        QVERIFY(client.readMessage().ends_with("abc"));
    }

    void unchunksForOldClients() {
        TestConnection client = m_worker->connect();
        client.send("GET / HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n");
        TestConnection upstream = accept();
        QVERIFY(upstream.readHead().starts_with("GET / HTTP/1.1\r\n"));
        upstream.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
        const std::string all = client.readToEnd();
        QVERIFY2(all.starts_with("HTTP/1.1 200 OK\r\n"), all.c_str()); // no interim response to 1.0
        QVERIFY2(contains(all, "Connection: close\r\n") && !contains(all, "chunked"), all.c_str());
        QVERIFY2(all.ends_with("\r\n\r\nabc"), all.c_str());
    }

    void relaysBodiesEndedByClose() {
        TestConnection client = m_worker->connect();
        client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        TestConnection upstream = accept();
        upstream.readHead();
        upstream.send("HTTP/1.1 200 OK\r\n\r\nabc");
        upstream.close();
        QVERIFY(contains(client.readHead(), "Transfer-Encoding: chunked\r\n"));
        QCOMPARE(client.read(13), std::string("3\r\nabc\r\n0\r\n\r\n"));
        client.send("GET /2 HTTP/1.1\r\nHost: localhost\r\n\r\n"); // the client's connection was kept
        QVERIFY(accept().isValid());
    }

    void answersHeadWithoutABody() {
        TestConnection client = m_worker->connect();
        client.send(
            "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /next HTTP/1.1\r\nHost: localhost\r\n\r\n");
        TestConnection upstream = accept();
        QVERIFY(upstream.readHead().starts_with("HEAD / "));
        upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n");
        QVERIFY(contains(client.readHead(), "Content-Length: 12345\r\n"));
        QVERIFY(upstream.readHead().starts_with("GET /next "));
        upstream.send("HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n");
        QVERIFY(client.readHead().starts_with("HTTP/1.1 304 "));
    }

    void servesPipelinedRequestsInOrder() {
        TestConnection client = m_worker->connect();
        client.send("GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    "POST /2 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi"
                    "GET /nohost HTTP/1.1\r\nHost: other\r\n\r\n"
                    "GET /3 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        client.shutdownWrite(); // a half-closed client still gets all its answers
        TestConnection upstream = accept();
        QVERIFY(upstream.readMessage().starts_with("GET /1 "));
        QVERIFY(upstream.isSilent(50)); // one at a time
        upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1");
        QVERIFY(upstream.readMessage().ends_with("\r\n\r\nhi"));
        upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2");
        QVERIFY(upstream.readMessage().starts_with("GET /3 "));
        upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n3");
        QVERIFY(client.readMessage().ends_with("\r\n\r\n1"));
        QVERIFY(client.readMessage().ends_with("\r\n\r\n2"));
        QVERIFY(client.readMessage().starts_with("HTTP/1.1 404 "));
        QVERIFY(client.readMessage().ends_with("\r\n\r\n3"));
        QVERIFY(client.isClosedByPeer());
    }

    void forwardsExpectContinue() {
        TestConnection client = m_worker->connect();
        client.send(
            "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
        TestConnection upstream = accept();
        QVERIFY(contains(upstream.readHead(), "Expect: 100-continue\r\n"));
        upstream.send("HTTP/1.1 100 Continue\r\n\r\n");
        QVERIFY(client.readHead().starts_with("HTTP/1.1 100 "));
        client.send("hello");
        QCOMPARE(upstream.read(5), std::string("hello"));
        upstream.send(okResponse);
        const std::string response = client.readMessage();
        QVERIFY2(response.starts_with("HTTP/1.1 200 ") && !contains(response, "close"), response.c_str());
    }

    void endsBothConnectionsAfterAnEarlyAnswer() {
        TestConnection client = m_worker->connect();
        client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nfirst");
        TestConnection upstream = accept();
        upstream.readHead();
        upstream.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nno!");
        const std::string response = client.readMessage();
        QVERIFY2(contains(response, "Connection: close\r\n"), response.c_str());
        QVERIFY(response.ends_with("no!"));
        QVERIFY(upstream.isClosedByPeer());
    }

    void relaysEarlyHints() {
        TestConnection client = m_worker->connect();
        client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        TestConnection upstream = accept();
        upstream.readHead();
        upstream.send("HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n");
        QVERIFY(contains(client.readHead(), "Link: </style.css>"));
        upstream.send(okResponse);
        QVERIFY(client.readMessage().starts_with("HTTP/1.1 200 "));
    }

    void passesUpgradesThrough() {
        TestConnection client = m_worker->connect();
        client.send(
            "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nearly");
        TestConnection upstream = accept();
        const std::string head = upstream.readHead();
        QVERIFY2(
            contains(head, "Upgrade: websocket\r\n") && contains(head, "Connection: upgrade"), head.c_str());
        upstream.send(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhello");
        QVERIFY(client.readHead().starts_with("HTTP/1.1 101 "));
        QCOMPARE(client.read(5), std::string("hello"));
        QCOMPARE(upstream.read(5), std::string("early"));
        QCOMPARE(m_worker->gauge(metrics::Gauge::OpenTunnels), 1U);
        QCOMPARE(m_worker->gauge(metrics::Gauge::RequestsInFlight), 0U);
        client.send("ping");
        QCOMPARE(upstream.read(4), std::string("ping"));
        client.shutdownWrite(); // one half ends, the other goes on
        QVERIFY(upstream.isClosedByPeer());
        upstream.send("last words");
        QCOMPARE(client.read(10), std::string("last words"));
        upstream.close();
        QVERIFY(client.isClosedByPeer());
    }

    void keepsBigBodiesOutOfMemory_data() {
        QTest::addColumn<bool>("upload");
        QTest::newRow("response") << false;
        QTest::newRow("request") << true;
    }
    void keepsBigBodiesOutOfMemory() {
        QFETCH(bool, upload);
        constexpr std::size_t total = 300'000'000;
        TestConnection client = m_worker->connect();
        const std::string length = "Content-Length: " + std::to_string(total) + "\r\n\r\n";
        client.send(upload ? "PUT / HTTP/1.1\r\nHost: localhost\r\n" + length
                           : std::string("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        TestConnection upstream = accept();
        upstream.readHead();
        if (!upload) {
            upstream.send("HTTP/1.1 200 OK\r\n" + length);
            client.readHead();
        }
        TestConnection& source = upload ? client : upstream;
        TestConnection& sink = upload ? upstream : client;
        std::thread writer([&source] {
            const std::string piece(1'000'000, 'x');
            for (std::size_t sent = 0; sent < total; sent += piece.size())
                source.send(piece);
        });
        // The reader dawdles at first: then buffers would fill if they had no bound.
        ::poll(nullptr, 0, 200);
        std::size_t received = 0;
        std::vector<char> buffer(1 << 20);
        while (received < total) {
            const ssize_t count = ::recv(sink.fd(), buffer.data(), buffer.size(), 0);
            if (count <= 0)
                break;
            received += static_cast<std::size_t>(count);
        }
        writer.join();
        QCOMPARE(received, total);
        const std::size_t peak = residentBytes(m_worker->pid());
        QVERIFY2(peak > 0 && peak < 64'000'000, std::to_string(peak).c_str());
    }

    void aBusyConnectionLetsOthersThrough() {
        TestConnection greedy = m_worker->connect();
        greedy.send("GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n");
        TestConnection bigUpstream = accept();
        bigUpstream.readHead();
        bigUpstream.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        std::atomic<bool> stop = false;
        std::thread writer([&] {
            const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
            while (!stop)
                bigUpstream.send(chunk);
            bigUpstream.send("0\r\n\r\n");
        });
        std::thread reader([&] {
            std::vector<char> buffer(1 << 20);
            while (::recv(greedy.fd(), buffer.data(), buffer.size(), 0) > 0) { }
        });
        TestConnection small = m_worker->connect();
        small.send("GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n");
        TestConnection upstream = accept();
        const std::string request = upstream.readHead();
        upstream.send(okResponse);
        const std::string response = small.readMessage();
        stop = true;
        writer.join();
        ::shutdown(greedy.fd(), SHUT_RDWR);
        reader.join();
        QVERIFY(request.starts_with("GET /small "));
        QVERIFY(response.ends_with("abc"));
    }

    void retriesOnlyWhatNobodyCanHaveSeen() {
        TestListener dead; // refuses: its socket is closed below
        TestListener alive;
        WorkerHarness worker;
        worker.addBackend(dead.port, "dead");
        worker.addBackend(alive.port, "alive");
        dead.fd.reset();
        QVERIFY(worker.start());
        for (int round = 0; round < 6; ++round) {
            TestConnection client = worker.connect();
            client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi");
            TestConnection upstream = TestConnection::acceptFrom(alive);
            QVERIFY(upstream.readMessage().ends_with("hi"));
            upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
            QVERIFY(client.readMessage().ends_with("ok"));
        }
        QVERIFY(worker.counter(metrics::Counter::Retries) > 0);
        // Seen, then lost: 502, and not one more connection.
        TestConnection client = worker.connect();
        client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        TestConnection upstream = TestConnection::acceptFrom(alive);
        upstream.readHead();
        upstream.close();
        QVERIFY(client.readMessage().starts_with("HTTP/1.1 502 "));
        pollfd more{alive.fd.get(), POLLIN, 0};
        QCOMPARE(::poll(&more, 1, 100), 0);
    }

    void countsClientsThatGoAway() {
        TestConnection client = m_worker->connect();
        client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        TestConnection upstream = accept();
        upstream.readHead();
        client.reset();
        QVERIFY(upstream.isClosedByPeer());
        QTRY_COMPARE(m_worker->counter(metrics::Counter::ClientAborts), 1U);
    }
};

QTEST_GUILESS_MAIN(TestWorkerProxy)
#include "tst_worker_proxy.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/worker_harness.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/socket.h>

using namespace yardmaster;
using namespace yardmaster::test;

namespace {

constexpr const char* okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc";

void setAddress(proto::SocketAddress& wire, std::uint16_t port) {
    wire.mutable_ip()->set_v4(0x7F000001);
    wire.set_port(port);
}

} // namespace

/// The worker and its agents: what comes over the channel, and life without one.
class TestWorkerAdoption : public QObject {
    Q_OBJECT

    TestListener m_backend;
    std::unique_ptr<WorkerHarness> m_worker;

    TestConnection accept() { return TestConnection::acceptFrom(m_backend); }
    std::unique_ptr<proto::WorkerResponse> ask(const proto::Request& request) {
        const std::string id = "r" + std::to_string(++m_lastId);
        m_worker->send(request, id);
        return m_worker->waitFor(id);
    }
    int m_lastId = 0;

    bool isServed(std::uint16_t port, const std::string& path, TestListener& backend) {
        TestConnection client = TestConnection::to(port);
        client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        TestConnection upstream = TestConnection::acceptFrom(backend);
        if (!upstream.isValid() || !upstream.readHead().starts_with("GET " + path + " "))
            return false;
        upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc");
        return client.readMessage().ends_with("abc");
    }

private slots:
    void init() {
        m_backend = TestListener();
        m_worker = std::make_unique<WorkerHarness>();
        m_worker->addBackend(m_backend.port, "b0");
    }
    void cleanup() { m_worker.reset(); }

    void stampsEachPhaseInOrder() {
        QVERIFY(m_worker->start());
        QVERIFY(isServed(m_worker->port(), "/", m_backend));
        proto::Request status;
        status.mutable_status();
        QVERIFY(ask(status));
        const auto& stamps = m_worker->reports.back().report().stamps();
        QVERIFY(stamps.spawned_ns() > 0);
        QVERIFY(stamps.spawned_ns() <= stamps.listeners_ns());
        QVERIFY(stamps.listeners_ns() <= stamps.state_ns());
        QVERIFY(stamps.state_ns() <= stamps.ready_ns());
        QVERIFY(stamps.ready_ns() < stamps.first_request_ns());
    }

    void configurationTakesEffectBeforeItsAnswer() {
        QVERIFY(m_worker->start());
        TestListener other;
        proto::Request cluster;
        auto* added = cluster.mutable_add_cluster();
        added->set_cluster_id("other");
        added->set_sticky_session(false);
        added->set_https_redirect(false);
        added->set_load_balancing(proto::LEAST_LOADED);
        QCOMPARE(ask(cluster)->status(), proto::OK);
        proto::Request frontend;
        frontend.mutable_add_http_frontend()->set_cluster_id("other");
        setAddress(*frontend.mutable_add_http_frontend()->mutable_address(), m_worker->port());
        frontend.mutable_add_http_frontend()->set_hostname("localhost");
        frontend.mutable_add_http_frontend()->mutable_path()->set_kind(proto::EQUALS);
        frontend.mutable_add_http_frontend()->mutable_path()->set_value("/other");
        frontend.mutable_add_http_frontend()->set_position(proto::TREE);
        QCOMPARE(ask(frontend)->status(), proto::OK);
        QCOMPARE(ask(frontend)->status(), proto::FAILURE); // exists
        TestConnection client = m_worker->connect();
        client.send("GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n");
        QVERIFY(client.readMessage().starts_with("HTTP/1.1 503 "));
        proto::Request backend;
        backend.mutable_add_backend()->set_cluster_id("other");
        backend.mutable_add_backend()->set_backend_id("o0");
        setAddress(*backend.mutable_add_backend()->mutable_address(), other.port);
        QCOMPARE(ask(backend)->status(), proto::OK);
        QVERIFY(isServed(m_worker->port(), "/other", other));
        QVERIFY(isServed(m_worker->port(), "/else", m_backend));
        QCOMPARE(m_worker->gauge(metrics::Gauge::Revision), 5U + 3U);
        proto::Request remove;
        *remove.mutable_remove_http_frontend() = frontend.add_http_frontend();
        QCOMPARE(ask(remove)->status(), proto::OK);
        QVERIFY(isServed(m_worker->port(), "/other", m_backend));
    }

    void openConnectionsFollowTheConfiguration() {
        QVERIFY(m_worker->start());
        TestConnection client = m_worker->connect();
        client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        TestConnection upstream = accept();
        upstream.readHead();
        upstream.send(okResponse);
        QVERIFY(client.readMessage().ends_with("abc"));
        proto::Request deny;
        setAddress(*deny.mutable_add_http_frontend()->mutable_address(), m_worker->port());
        deny.mutable_add_http_frontend()->set_hostname("localhost");
        deny.mutable_add_http_frontend()->mutable_path()->set_kind(proto::PREFIX);
        deny.mutable_add_http_frontend()->mutable_path()->set_value("/admin");
        deny.mutable_add_http_frontend()->set_position(proto::TREE);
        QCOMPARE(ask(deny)->status(), proto::OK);
        client.send("GET /admin HTTP/1.1\r\nHost: localhost\r\n\r\n");
        QVERIFY(client.readMessage().starts_with("HTTP/1.1 401 "));
    }

    void activatesAListener_data() {
        QTest::addColumn<bool>("adopted");
        QTest::newRow("its first agent") << false;
        QTest::newRow("after an adoption") << true;
    }
    void activatesAListener() {
        QFETCH(bool, adopted);
        QVERIFY(m_worker->start());
        if (adopted) {
            m_worker->closeChannel();
            QCOMPARE(m_worker->adopt(), 1);
        }
        TestListener second;
        proto::Request add;
        *add.mutable_add_http_listener() = m_worker->listenerConfig;
        setAddress(*add.mutable_add_http_listener()->mutable_address(), second.port);
        add.mutable_add_http_listener()->set_active(false);
        QCOMPARE(ask(add)->status(), proto::OK);
        proto::Request frontend;
        frontend.mutable_add_http_frontend()->set_cluster_id("web");
        setAddress(*frontend.mutable_add_http_frontend()->mutable_address(), second.port);
        frontend.mutable_add_http_frontend()->set_hostname("localhost");
        frontend.mutable_add_http_frontend()->mutable_path()->set_kind(proto::PREFIX);
        frontend.mutable_add_http_frontend()->mutable_path()->set_value("/");
        frontend.mutable_add_http_frontend()->set_position(proto::TREE);
        QCOMPARE(ask(frontend)->status(), proto::OK);
        QVERIFY(m_worker->activate(second, "a"));
        const auto activated = m_worker->waitFor("a");
        QVERIFY(activated);
        QVERIFY2(activated->status() == proto::OK, activated->message().c_str());
        QVERIFY(isServed(second.port, "/second", m_backend));
        QVERIFY(isServed(m_worker->port(), "/first", m_backend));
        proto::Request deactivate;
        setAddress(*deactivate.mutable_deactivate_listener()->mutable_address(), second.port);
        deactivate.mutable_deactivate_listener()->set_proxy(proto::HTTP);
        deactivate.mutable_deactivate_listener()->set_to_scm(false);
        QCOMPARE(ask(deactivate)->status(), proto::OK);
        TestConnection queued = TestConnection::to(second.port); // nobody accepts it any more
        queued.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        QVERIFY(queued.isSilent(100));
    }

    void servesThroughAgentsThatComeAndGo() {
        QVERIFY(m_worker->start());
        TestConnection client = m_worker->connect();
        TestConnection upstream;
        for (int agent = 0; agent < 3; ++agent) {
            m_worker->closeChannel();
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
            if (!upstream.isValid())
                upstream = accept();
            upstream.readHead();
            QCOMPARE(m_worker->adopt(), 1); // with a request in flight
            const auto& report = m_worker->reports.back().report();
            QCOMPARE(report.id(), 7U);
            QCOMPARE(report.slot(), 3U);
            QCOMPARE(report.pid(), m_worker->pid());
            QCOMPARE(report.revision(), 5U);
            QCOMPARE(report.phase(), proto::PHASE_SERVING);
            QVERIFY(report.stamps().has_ready_ns());
            upstream.send(okResponse);
            QVERIFY(client.readMessage().ends_with("abc"));
        }
    }

    void anAgentThatTalksNonsenseIsDropped_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("length too small") << QByteArray(8, '\0');
        QTest::newRow("length too large") << QByteArray(16, '\xff');
        QTest::newRow("no message") << QByteArray("\x0c\0\0\0\0\0\0\0abcd", 12);
    }
    void anAgentThatTalksNonsenseIsDropped() {
        QFETCH(QByteArray, bytes);
        QVERIFY(m_worker->start());
        for (int agent = 0; agent < 2; ++agent) {
            m_worker->sendRaw(bytes.toStdString());
            QVERIFY(m_worker->waitForChannelEnd());
            QVERIFY(isServed(m_worker->port(), "/", m_backend));
            QCOMPARE(m_worker->adopt(), 1);
        }
        proto::Request status;
        status.mutable_status();
        QCOMPARE(ask(status)->status(), proto::OK);
    }

    void drainsForTheAgentThatAdopted() {
        QVERIFY(m_worker->start());
        m_worker->closeChannel();
        QCOMPARE(m_worker->adopt(), 1);
        m_worker->startDrain(10'000, 100);
        const auto done = m_worker->waitFor("drain");
        QVERIFY(done && done->status() == proto::OK);
        int exitCode = -1;
        QVERIFY(m_worker->waitForExit(exitCode));
        QCOMPARE(exitCode, 0);
    }

    void writesAnAccessLog() {
        QTemporaryDir directory;
        const QString path = directory.filePath(QStringLiteral("access.log"));
        m_worker->accessLog = path.toStdString();
        QVERIFY(m_worker->start());
        QVERIFY(isServed(m_worker->port(), "/logged", m_backend));
        m_worker->startDrain(10'000, 100);
        QVERIFY(m_worker->waitFor("drain"));
        int exitCode = -1;
        QVERIFY(m_worker->waitForExit(exitCode));
        QFile log(path);
        QVERIFY(log.open(QIODevice::ReadOnly));
        const QByteArray line = log.readAll();
        QCOMPARE(line.count('\n'), 1);
        QVERIFY2(line.contains(" 127.0.0.1 GET localhost/logged 200 "), line.constData());
        QVERIFY2(line.contains("cluster=web backend=b0"), line.constData());
    }
};

QTEST_GUILESS_MAIN(TestWorkerAdoption)
#include "tst_worker_adoption.moc"

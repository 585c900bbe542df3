// SPDX-License-Identifier: GPL-3.0-or-later
//
// The command socket: every request is answered, bad frames end their own connection and no other.
#include "agent_harness.h"

#include <QFile>
#include <QTest>

using namespace yardmaster;
using namespace yardmaster::tests;

namespace {

void setLoopback(proto::SocketAddress& address, std::uint16_t port) {
    address.mutable_ip()->set_v4(0x7F000001);
    address.set_port(port);
}

proto::Request addCluster(const std::string& id) {
    proto::Request request;
    proto::Cluster& cluster = *request.mutable_add_cluster();
    cluster.set_cluster_id(id);
    cluster.set_sticky_session(false);
    cluster.set_https_redirect(false);
    cluster.set_load_balancing(proto::ROUND_ROBIN);
    return request;
}

proto::Request addBackend(const std::string& cluster, const std::string& id, std::uint16_t port) {
    proto::Request request;
    request.mutable_add_backend()->set_cluster_id(cluster);
    request.mutable_add_backend()->set_backend_id(id);
    setLoopback(*request.mutable_add_backend()->mutable_address(), port);
    return request;
}

proto::Request addFrontend(const std::string& cluster, const std::string& host, std::uint16_t port) {
    proto::Request request;
    proto::RequestHttpFrontend& frontend = *request.mutable_add_http_frontend();
    frontend.set_cluster_id(cluster);
    setLoopback(*frontend.mutable_address(), port);
    frontend.set_hostname(host);
    frontend.mutable_path()->set_kind(proto::PREFIX);
    frontend.mutable_path()->set_value("/");
    frontend.set_position(proto::TREE);
    return request;
}

proto::Request addListener(std::uint16_t port, bool active) {
    proto::Request request;
    proto::HttpListenerConfig& listener = *request.mutable_add_http_listener();
    setLoopback(*listener.mutable_address(), port);
    listener.set_expect_proxy(false);
    listener.set_sticky_name("S");
    listener.set_front_timeout(60);
    listener.set_back_timeout(30);
    listener.set_connect_timeout(3);
    listener.set_request_timeout(10);
    listener.set_active(active);
    return request;
}

const proto::ResponseContent& ofMain(const proto::Response& response) {
    static const proto::ResponseContent none;
    const auto& map = response.content().worker_responses().map();
    const auto main = map.find("main");
    return main == map.end() ? none : main->second;
}

/// A frame with one field of the request, empty.
std::string frameWithEmptyField(int number, int wireType) {
    std::string payload;
    for (auto rest = static_cast<std::uint32_t>(number) << 3 | static_cast<std::uint32_t>(wireType);;
         rest >>= 7) {
        payload.push_back(static_cast<char>(rest < 128 ? rest : (rest & 127) | 128));
        if (rest < 128)
            break;
    }
    payload.push_back('\0');
    std::string frame(8, '\0');
    frame[0] = static_cast<char>(payload.size() + 8);
    return frame + payload;
}

} // namespace

class TestAgentCommands : public QObject {
    Q_OBJECT

    std::unique_ptr<AgentHarness> m_agent;

    /// The final answer to raw bytes on a connection of their own.
    Expected<proto::Response> answerTo(const std::string& bytes) {
        auto client = m_agent->client();
        if (!client)
            return failure(client.error());
        if (auto sent = client->sendBytes(bytes); !sent)
            return failure(sent.error());
        auto response = client->receive();
        while (response && response->status() == proto::PROCESSING)
            response = client->receive();
        return response;
    }

private slots:
    void init() {
        m_agent = std::make_unique<AgentHarness>(AgentHarness::Workers::Fake);
        QVERIFY2(m_agent->start(), qPrintable(m_agent->log()));
    }
    void cleanup() { m_agent.reset(); }

    /// Nothing is left without an answer, whatever it is: a client would wait for ever. All numbers of the
    /// oneof and some that are not in it, each empty; what then lacks a required field is answered as well.
    void answersEveryRequest() {
        int answered = 0;
        for (int number = 1; number <= 1010; ++number) {
            const bool isStreamOrStop = number == 10 || number == 39 || number == 40 || number == 1000;
            if (isStreamOrStop || (number > 60 && number < 999))
                continue;
            for (const int wireType : {0, 2}) {
                const auto response = answerTo(frameWithEmptyField(number, wireType));
                const QString what = QStringLiteral("field %1, wire type %2").arg(number).arg(wireType);
                QVERIFY2(response.has_value(), qPrintable(what));
                QVERIFY2(response->status() == proto::OK || !response->message().empty(), qPrintable(what));
                QVERIFY2(response->has_agent(), qPrintable(what));
                ++answered;
            }
        }
        QVERIFY(answered > 100);
        QVERIFY(m_agent->agentIsRunning());
        QVERIFY(!m_agent->serving().empty());
    }

    void closesOnlyTheConnectionOfABadFrame_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("length below 8") << QByteArray("\x07\0\0\0\0\0\0\0", 8);
        QTest::newRow("length zero") << QByteArray(8, '\0');
        QTest::newRow("oversize") << QByteArray("\0\0\0\x7f\0\0\0\0", 8);
        QTest::newRow("absurd length") << QByteArray(8, '\xff');
        QTest::newRow("undecodable") << QByteArray("\x0a\0\0\0\0\0\0\0\xff\xff", 10);
        QTest::newRow("lacks a required field") << QByteArray("\x0a\0\0\0\0\0\0\0\x6a\0", 10);
        QTest::newRow("field longer than the frame") << QByteArray("\x0a\0\0\0\0\0\0\0\x22\x05", 10);
        QTest::newRow("an HTTP request") << QByteArray("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    void closesOnlyTheConnectionOfABadFrame() {
        QFETCH(QByteArray, bytes);
        auto good = m_agent->client();
        auto bad = m_agent->client();
        QVERIFY(good && bad);
        QVERIFY(bad->sendBytes(bytes.toStdString()).has_value());
        auto response = bad->receive();
        if (response) {
            QCOMPARE(response->status(), proto::FAILURE);
            response = bad->receive();
        }
        QVERIFY(!response.has_value());
        QVERIFY(response.error().code != Error::Code::DeadlineExceeded);
        proto::Request list;
        list.mutable_list_workers();
        const auto answered = good->call(list);
        QVERIFY(answered && answered->status() == proto::OK);
    }

    void waitsForTheRestOfAFrame() {
        auto client = m_agent->client();
        QVERIFY(client.has_value());
        const std::string frame(
            "\x0a\0\0\0\0\0\0\0\x22\0", 10); // ListWorkers, byte for byte as Sozu's client
        for (const char byte : frame)
            QVERIFY(client->sendBytes(std::string_view(&byte, 1)).has_value());
        const auto response = client->receive();
        QVERIFY(response && response->status() == proto::OK);
        QCOMPARE(response->content().workers().vec_size(), 2);
    }

    void answersPipelinedRequestsInOrder() {
        auto client = m_agent->client();
        QVERIFY(client.has_value());
        QVERIFY(client->send(addCluster("one")).has_value());
        QVERIFY(client->send(addCluster("two")).has_value());
        proto::Request list;
        list.mutable_list_workers();
        QVERIFY(client->send(list).has_value());
        for (int index = 0; index < 2; ++index) {
            const auto response = client->receive();
            QVERIFY(response && response->status() == proto::OK);
            QVERIFY(!response->content().has_workers());
        }
        const auto response = client->receive();
        QVERIFY(response && response->content().has_workers());
    }

    void appliesChangesToAgentAndWorkers() {
        const std::uint64_t before = m_agent->workers().front().detail().revision();
        QCOMPARE(m_agent->call(addCluster("shop")).status(), proto::OK);
        QCOMPARE(m_agent->call(addBackend("shop", "shop-0", 9001)).status(), proto::OK);
        QCOMPARE(m_agent->call(addFrontend("shop", "shop.example", m_agent->port())).status(), proto::OK);
        QCOMPARE(
            m_agent->call(addFrontend("shop", "shop.example", m_agent->port())).status(), proto::FAILURE);
        for (const proto::WorkerInfo& info : m_agent->workers())
            QCOMPARE(info.detail().revision(), before + 3);

        proto::Request byId;
        byId.set_query_cluster_by_id("shop");
        const proto::Response found = m_agent->call(byId);
        QCOMPARE(ofMain(found).clusters().vec_size(), 1);
        const auto& cluster = ofMain(found).clusters().vec(0);
        QCOMPARE(cluster.configuration().cluster_id(), std::string("shop"));
        QCOMPARE(cluster.backends_size(), 1);
        QCOMPARE(cluster.http_frontends_size(), 1);

        proto::Request byDomain;
        byDomain.mutable_query_clusters_by_domain()->set_hostname("shop.example");
        QCOMPARE(ofMain(m_agent->call(byDomain)).clusters().vec_size(), 1);
        byDomain.mutable_query_clusters_by_domain()->set_hostname("example");
        QCOMPARE(ofMain(m_agent->call(byDomain)).clusters().vec_size(), 0);

        proto::Request hashes;
        hashes.mutable_query_clusters_hashes();
        QCOMPARE(ofMain(m_agent->call(hashes)).cluster_hashes().map().size(), 2U);
        proto::Request counts;
        counts.mutable_count_requests();
        QVERIFY(m_agent->call(counts).content().request_counts().map().at("ADD_CLUSTER") >= 2);

        proto::Request remove;
        remove.set_remove_cluster("shop");
        QCOMPARE(m_agent->call(remove).status(), proto::OK);
        QCOMPARE(m_agent->call(remove).status(), proto::FAILURE);
    }

    void listsFrontendsByProtocolAndDomain() {
        QCOMPARE(m_agent->call(addFrontend("web", "api.example.org", m_agent->port())).status(), proto::OK);
        proto::Request list;
        list.mutable_list_frontends()->set_http(true);
        list.mutable_list_frontends()->set_https(false);
        list.mutable_list_frontends()->set_tcp(false);
        QCOMPARE(m_agent->call(list).content().frontend_list().http_frontends_size(), 2);
        list.mutable_list_frontends()->set_domain("example");
        QCOMPARE(m_agent->call(list).content().frontend_list().http_frontends_size(), 1);
        list.mutable_list_frontends()->set_http(false);
        list.mutable_list_frontends()->set_https(true);
        QCOMPARE(m_agent->call(list).content().frontend_list().http_frontends_size(), 0);
    }

    void activatesAndDeactivatesListeners() {
        const std::uint16_t port = AgentHarness::freePort();
        const std::string address = "127.0.0.1:" + std::to_string(port);
        QCOMPARE(m_agent->call(addListener(port, true)).status(), proto::OK);
        proto::Request list;
        list.mutable_list_listeners();
        QVERIFY(m_agent->call(list).content().listeners_list().http_listeners().at(address).active());
        // The same address again changes nothing.
        QCOMPARE(m_agent->call(addListener(port, true)).status(), proto::FAILURE);

        proto::Request deactivate;
        setLoopback(*deactivate.mutable_deactivate_listener()->mutable_address(), port);
        deactivate.mutable_deactivate_listener()->set_proxy(proto::HTTP);
        deactivate.mutable_deactivate_listener()->set_to_scm(false);
        QCOMPARE(m_agent->call(deactivate).status(), proto::OK);
        QVERIFY(!m_agent->call(list).content().listeners_list().http_listeners().at(address).active());
        // A worker that starts now gets one listener, and an upgrade proves it.
        const proto::Response upgraded = m_agent->call(upgradeRequest(1));
        QVERIFY2(upgraded.status() == proto::OK, upgraded.message().c_str());

        proto::Request remove;
        setLoopback(*remove.mutable_remove_listener()->mutable_address(), port);
        remove.mutable_remove_listener()->set_proxy(proto::HTTP);
        QCOMPARE(m_agent->call(remove).status(), proto::OK);
        QVERIFY(!m_agent->call(list).content().listeners_list().http_listeners().contains(address));
    }

    void refusesAnAddressThatIsTaken() {
        AgentHarness other(AgentHarness::Workers::Fake, 1);
        QVERIFY2(other.start(), qPrintable(other.log()));
        const proto::Response response = m_agent->call(addListener(other.port(), true));
        QCOMPARE(response.status(), proto::FAILURE);
        QVERIFY(QString::fromStdString(response.message())
                    .contains(QStringLiteral("another process listens there")));
    }

    void refusesAListenerNobodyServes() {
        proto::Request add;
        proto::TcpListenerConfig& listener = *add.mutable_add_tcp_listener();
        setLoopback(*listener.mutable_address(), AgentHarness::freePort());
        listener.set_expect_proxy(false);
        listener.set_front_timeout(60);
        listener.set_back_timeout(30);
        listener.set_connect_timeout(3);
        listener.set_active(false);
        QCOMPARE(m_agent->call(add).status(), proto::OK);
        proto::Request activate;
        *activate.mutable_activate_listener()->mutable_address() = listener.address();
        activate.mutable_activate_listener()->set_proxy(proto::TCP);
        activate.mutable_activate_listener()->set_from_scm(false);
        const proto::Response response = m_agent->call(activate);
        QCOMPARE(response.status(), proto::FAILURE);
        QVERIFY(QString::fromStdString(response.message()).contains(QStringLiteral("not served")));
    }

    void streamsEventsAsSozuDoes() {
        auto client = m_agent->client();
        QVERIFY(client.has_value());
        proto::Request subscribe;
        subscribe.mutable_subscribe_events();
        QVERIFY(client->send(subscribe).has_value());
        auto event = client->receive();
        QVERIFY(event.has_value());
        QCOMPARE(event->status(), proto::PROCESSING);
        QCOMPARE(event->content().event().kind(), proto::EVENTS_SUBSCRIBED);
        QCOMPARE(event->message(), std::string("main"));
        QCOMPARE(m_agent->call(addCluster("seen")).status(), proto::OK);
        event = client->receive();
        QVERIFY(event.has_value());
        QCOMPARE(event->content().event().kind(), proto::CLUSTER_ADDED);
        QCOMPARE(event->content().event().cluster_id(), std::string("seen"));
        QVERIFY(!event->content().event().agent_event().actor().empty());
    }

    void streamsSamples() {
        auto client = m_agent->client();
        QVERIFY(client.has_value());
        proto::Request subscribe;
        subscribe.mutable_subscribe_samples()->set_interval_ms(20);
        QVERIFY(client->send(subscribe).has_value());
        std::uint64_t sequence = 0;
        std::int64_t monotonic = 0;
        for (int index = 0; index < 5; ++index) {
            const auto response = client->receive();
            QVERIFY(response && response->content().has_sample());
            const proto::Sample& sample = response->content().sample();
            QCOMPARE(sample.sequence(), sequence + 1);
            QVERIFY(sample.monotonic_ns() > monotonic);
            sequence = sample.sequence();
            monotonic = sample.monotonic_ns();
            QCOMPARE(sample.workers_size(), 2);
            QVERIFY(sample.workers(0).counters_size() > 10);
            QVERIFY(sample.workers(0).gauges_size() > 5);
            if (index == 0)
                QVERIFY(sample.events_size() > 2);
        }
        // The connection still takes requests, and the stream goes on.
        QVERIFY(client->send(addCluster("beside")).has_value());
        bool answered = false;
        bool sawEvent = false;
        for (int index = 0; index < 200 && !(answered && sawEvent); ++index) {
            const auto response = client->receive();
            QVERIFY(response.has_value());
            answered |= response->status() == proto::OK;
            for (const proto::AgentEvent& event : response->content().sample().events())
                sawEvent |= event.kind() == "state_changed";
        }
        QVERIFY(answered && sawEvent);
    }

    void answersMetricsInTheNamesOfSozu() {
        proto::Request request;
        proto::QueryMetricsOptions& options = *request.mutable_query_metrics();
        options.set_list(false);
        options.set_no_clusters(true);
        options.set_workers(true);
        const proto::Response perWorker = m_agent->call(request);
        QCOMPARE(perWorker.status(), proto::OK);
        const auto& workers = perWorker.content().metrics().workers();
        QCOMPARE(workers.size(), 2U);
        QVERIFY(workers.at("1").proxy().contains("http.requests"));
        QVERIFY(workers.at("1").proxy().contains("request_time_histogram"));
        QCOMPARE(workers.at("1").proxy().at("server.live").gauge(), 1U);
        options.set_workers(false);
        options.add_metric_names("request_time");
        const proto::Response merged = m_agent->call(request);
        const auto& proxying = merged.content().metrics().proxying();
        QCOMPARE(proxying.size(), 2U); // the base name and its histogram
        QVERIFY(proxying.at("request_time").has_percentiles());
        options.set_list(true);
        QVERIFY(m_agent->call(request).content().available_metrics().proxy_metrics_size() > 5);
    }

    void listsJobs() {
        QCOMPARE(m_agent->call(upgradeRequest(1)).status(), proto::OK);
        QCOMPARE(m_agent->call(upgradeRequest(99)).status(), proto::FAILURE);
        proto::Request list;
        list.mutable_list_jobs();
        const proto::Response response = m_agent->call(list);
        QCOMPARE(response.content().jobs().jobs_size(), 2);
        QCOMPARE(response.content().jobs().jobs(0).state(), proto::JOB_DONE);
        QCOMPARE(response.content().jobs().jobs(1).state(), proto::JOB_FAILED);
        QVERIFY(!response.content().jobs().jobs(0).actor().empty());
        proto::Request cancel;
        cancel.mutable_cancel_job()->set_job_id(1);
        QCOMPARE(m_agent->call(cancel).status(), proto::FAILURE);
        cancel.mutable_cancel_job()->set_job_id(12345);
        QCOMPARE(m_agent->call(cancel).status(), proto::FAILURE);
    }

    void reloadsTheConfiguration() {
        QFile file(QString::fromStdString(m_agent->configFile()));
        QVERIFY(file.open(QIODevice::Append));
        file.write(
            "[clusters.fresh]\nprotocol = \"http\"\nbackends = [ { address = \"127.0.0.1:9009\" } ]\n");
        file.close();
        proto::Request reload;
        reload.set_reload_configuration("");
        const proto::Response done = m_agent->call(reload);
        QVERIFY2(done.status() == proto::OK, done.message().c_str());
        proto::Request hashes;
        hashes.mutable_query_clusters_hashes();
        const proto::Response hashed = m_agent->call(hashes);
        QVERIFY(ofMain(hashed).cluster_hashes().map().contains("fresh"));

        QVERIFY(file.open(QIODevice::Append));
        file.write("[clusters.broken]\nbackends = [ { adress = \"127.0.0.1:9009\" } ]\n");
        file.close();
        const proto::Response refused = m_agent->call(reload);
        QCOMPARE(refused.status(), proto::FAILURE);
        QVERIFY2(QString::fromStdString(refused.message()).contains(QStringLiteral("did you mean address?")),
            refused.message().c_str());
        reload.set_reload_configuration("/no/such/file");
        QCOMPARE(m_agent->call(reload).status(), proto::FAILURE);
        QVERIFY(m_agent->agentIsRunning());
    }

    void savesAndLoadsTheState() {
        QCOMPARE(m_agent->call(addCluster("kept")).status(), proto::OK);
        QCOMPARE(m_agent->call(addBackend("kept", "kept-0", 9001)).status(), proto::OK);
        const std::string path = m_agent->directory() + "/state.json";
        proto::Request save;
        save.set_save_state(path);
        const proto::Response saved = m_agent->call(save);
        QVERIFY2(saved.status() == proto::OK, saved.message().c_str());

        AgentHarness other(AgentHarness::Workers::Fake, 1);
        QVERIFY2(other.start(), qPrintable(other.log()));
        proto::Request load;
        load.set_load_state(path);
        // The other one has a cluster "web" of its own, with other addresses; the listener of this one is
        // taken.
        const proto::Response loaded = other.call(load);
        QCOMPARE(loaded.status(), proto::FAILURE);
        QVERIFY2(QString::fromStdString(loaded.message()).contains(QStringLiteral("1 errors")),
            loaded.message().c_str());
        proto::Request byId;
        byId.set_query_cluster_by_id("kept");
        const proto::Response found = other.call(byId);
        QCOMPARE(ofMain(found).clusters().vec(0).backends_size(), 1);
        QCOMPARE(other.workers().front().detail().revision(), found.agent().revision());
        load.set_load_state("/no/such/file");
        QCOMPARE(other.call(load).status(), proto::FAILURE);
    }

    void startsFromASavedState() {
        QCOMPARE(m_agent->call(addCluster("kept")).status(), proto::OK);
        const std::string path = m_agent->directory() + "/state.json";
        proto::Request save;
        save.set_save_state(path);
        QCOMPARE(m_agent->call(save).status(), proto::OK);
        proto::Request stop;
        stop.mutable_soft_stop();
        QCOMPARE(m_agent->call(stop).status(), proto::OK);
        QVERIFY(m_agent->waitForEnd());
        m_agent->setting("saved_state = \"" + path + "\"");
        m_agent->writeConfig();
        QVERIFY2(m_agent->start(), qPrintable(m_agent->log()));
        proto::Request hashes;
        hashes.mutable_query_clusters_hashes();
        const proto::Response hashed = m_agent->call(hashes);
        QVERIFY(ofMain(hashed).cluster_hashes().map().contains("kept"));
    }

    void refusesWhatItDoesNotDo() {
        proto::Request request;
        request.mutable_upgrade_main();
        QCOMPARE(m_agent->call(request).status(), proto::FAILURE);
        request.mutable_return_listen_sockets();
        QCOMPARE(m_agent->call(request).status(), proto::FAILURE);
        request.set_launch_worker("x");
        QCOMPARE(m_agent->call(request).status(), proto::FAILURE);
    }

    void changesTheLogLevel() {
        proto::Request request;
        request.set_logging("debug");
        QCOMPARE(m_agent->call(request).status(), proto::OK);
        request.set_logging("loud");
        QCOMPARE(m_agent->call(request).status(), proto::FAILURE);
    }

    void replacesAStaleSocketButNotAFile() {
        m_agent->killAgent();
        QVERIFY(QFile::exists(QString::fromStdString(m_agent->socketPath())));
        QVERIFY2(m_agent->start(), qPrintable(m_agent->log()));
        m_agent->killAgent();
        QVERIFY(QFile::remove(QString::fromStdString(m_agent->socketPath())));
        QFile file(QString::fromStdString(m_agent->socketPath()));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("precious") == 8);
        file.close();
        QVERIFY(!m_agent->start());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("precious"));
    }

    void hardStopEndsAll() {
        m_agent->plan("hang_in_drain");
        QCOMPARE(m_agent->call(upgradeRequest({})).status(), proto::OK);
        proto::Request stop;
        stop.mutable_hard_stop();
        QCOMPARE(m_agent->call(stop).status(), proto::OK);
        QVERIFY(m_agent->waitForEnd());
        QCOMPARE(m_agent->leftovers(), QStringList());
        QVERIFY(m_agent->livingWorkers().empty());
    }

    void tellsACommandLineClient() {
        const QStringList socket{QStringLiteral("--socket"), QString::fromStdString(m_agent->socketPath())};
        const auto run = [&](const QStringList& arguments) {
            auto process = std::make_unique<QProcess>();
            process->start(AgentHarness::program("yardmasterctl"), socket + arguments);
            process->waitForFinished();
            return process;
        };
        auto status = run({QStringLiteral("status")});
        QCOMPARE(status->exitCode(), 0);
        QVERIFY(status->readAllStandardOutput().contains("serving"));
        auto upgrade = run({QStringLiteral("upgrade"), QStringLiteral("--worker"), QStringLiteral("1")});
        QCOMPARE(upgrade->exitCode(), 0);
        const QByteArray steps = upgrade->readAllStandardOutput();
        QVERIFY2(steps.contains("Accept connections") && steps.contains(" ms"), steps.constData());
        m_agent->plan("refuse_listeners");
        auto failed = run({QStringLiteral("upgrade"), QStringLiteral("--worker"), QStringLiteral("2")});
        QCOMPARE(failed->exitCode(), 1);
        QVERIFY(failed->readAllStandardError().contains("refuses its listeners"));
        auto json = run({QStringLiteral("-j"), QStringLiteral("status")});
        QVERIFY(json->readAllStandardOutput().startsWith("{\"agent\":\"test\""));
        QCOMPARE(run({QStringLiteral("cluster"), QStringLiteral("list"), QStringLiteral("-i"),
                         QStringLiteral("none")})
                     ->exitCode(),
            1);
        QCOMPARE(run({QStringLiteral("nonsense")})->exitCode() != 0, true);
        QCOMPARE(run({QStringLiteral("shutdown")})->exitCode(), 0);
        QVERIFY(m_agent->waitForEnd());
        QCOMPARE(run({QStringLiteral("status")})->exitCode(), 2);
    }
};

QTEST_GUILESS_MAIN(TestAgentCommands)
#include "tst_agent_commands.moc"

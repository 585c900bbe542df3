// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/canonical.h"
#include "backend/state/config_state.h"
#include "certificates.h"
#include "requests.h"

#include <QtTest>

using namespace yardmaster;
using namespace yardmaster::test;
using state::ConfigState;
using Requests = std::vector<proto::Request>;

Q_DECLARE_METATYPE(Requests)
Q_DECLARE_METATYPE(proto::Request)

namespace {

constexpr int ok = -1;
constexpr int exists = static_cast<int>(Error::Code::AlreadyExists);
constexpr int notFound = static_cast<int>(Error::Code::NotFound);

int resultOf(ConfigState& state, const proto::Request& request) {
    const auto applied = state.apply(request);
    return applied ? ok : static_cast<int>(applied.error().code);
}

ConfigState stateOf(const Requests& requests) {
    ConfigState state;
    for (const auto& request : requests)
        if (const auto applied = state.apply(request); !applied)
            qFatal("%s", applied.error().toString().c_str());
    return state;
}

} // namespace

class TestConfigState : public QObject {
    Q_OBJECT

private slots:
    void rules_data() {
        QTest::addColumn<Requests>("before");
        QTest::addColumn<proto::Request>("request");
        QTest::addColumn<int>("result");
        const std::string at = "127.0.0.1:8080";
        const auto front = addHttpFrontend("web", at, "a.example");

        QTest::newRow("cluster: new") << Requests{} << addCluster("web") << ok;
        QTest::newRow("cluster: again") << Requests{addCluster("web")} << addCluster("web") << ok;
        QTest::newRow("cluster: remove") << Requests{addCluster("web")} << removeCluster("web") << ok;
        QTest::newRow("cluster: remove none")
            << Requests{addCluster("api")} << removeCluster("web") << notFound;
        QTest::newRow("backend: without its cluster") << Requests{} << addBackend("web", "1", at) << ok;
        QTest::newRow("backend: again")
            << Requests{addBackend("web", "1", at)} << addBackend("web", "1", at, 7) << ok;
        QTest::newRow("backend: remove")
            << Requests{addBackend("web", "1", at)} << removeBackend("web", "1", at) << ok;
        QTest::newRow("backend: remove from none") << Requests{} << removeBackend("web", "1", at) << notFound;
        QTest::newRow("backend: remove other id")
            << Requests{addBackend("web", "1", at)} << removeBackend("web", "2", at) << notFound;
        QTest::newRow("backend: remove other address")
            << Requests{addBackend("web", "1", at)} << removeBackend("web", "1", "127.0.0.1:1") << notFound;
        QTest::newRow("frontend: without its cluster") << Requests{} << front << ok;
        QTest::newRow("frontend: again") << Requests{front} << front << exists;
        QTest::newRow("frontend: again to another cluster")
            << Requests{front} << addHttpFrontend("api", at, "a.example") << exists;
        QTest::newRow("frontend: other case of the name")
            << Requests{front} << addHttpFrontend("api", at, "A.Example") << exists;
        QTest::newRow("frontend: other kind of path")
            << Requests{front} << addHttpFrontend("web", at, "a.example", "/", proto::EQUALS) << ok;
        QTest::newRow("frontend: other path")
            << Requests{front} << addHttpFrontend("web", at, "a.example", "/x") << ok;
        QTest::newRow("frontend: other address")
            << Requests{front} << addHttpFrontend("web", "127.0.0.1:81", "a.example") << ok;
        auto post = front;
        post.mutable_add_http_frontend()->set_method("POST");
        QTest::newRow("frontend: with a method") << Requests{front} << post << ok;
        QTest::newRow("frontend: remove") << Requests{front} << removeHttpFrontend(front) << ok;
        QTest::newRow("frontend: remove none") << Requests{front} << removeHttpFrontend(post) << notFound;
        auto deny = front;
        deny.mutable_add_http_frontend()->clear_cluster_id();
        QTest::newRow("frontend: deny") << Requests{} << deny << ok;
        proto::Request https;
        *https.mutable_add_https_frontend() = front.add_http_frontend();
        QTest::newRow("frontend: http and https are apart") << Requests{front} << https << ok;
        QTest::newRow("tcp frontend: again")
            << Requests{addTcpFrontend("db", at)} << addTcpFrontend("db", at) << exists;
        QTest::newRow("tcp frontend: other address")
            << Requests{addTcpFrontend("db", at)} << addTcpFrontend("db", "[::1]:8080") << ok;
        QTest::newRow("udp frontend beside tcp")
            << Requests{addTcpFrontend("db", at)} << addUdpFrontend("db", at) << ok;

        for (const auto type : {proto::HTTP, proto::HTTPS, proto::TCP, proto::UDP}) {
            const auto add = addListener(type, at);
            const auto name = [&](const char* text) {
                return "listener " + std::to_string(type) + ": " + text;
            };
            QTest::newRow(name("new").c_str()) << Requests{} << add << ok;
            QTest::newRow(name("again").c_str()) << Requests{add} << add << exists;
            QTest::newRow(name("activate").c_str()) << Requests{add} << activate(type, at) << ok;
            QTest::newRow(name("activate twice").c_str())
                << Requests{add, activate(type, at)} << activate(type, at) << ok;
            QTest::newRow(name("activate none").c_str()) << Requests{} << activate(type, at) << notFound;
            QTest::newRow(name("deactivate").c_str()) << Requests{add} << deactivate(type, at) << ok;
            QTest::newRow(name("remove").c_str())
                << Requests{add, activate(type, at)} << removeListener(type, at) << ok;
            QTest::newRow(name("remove none").c_str()) << Requests{} << removeListener(type, at) << notFound;
            QTest::newRow(name("remove other kind").c_str())
                << Requests{add} << removeListener(static_cast<proto::ListenerType>((type + 1) % 4), at)
                << notFound;
        }
        QTest::newRow("listener: one address, two kinds")
            << Requests{addListener(proto::HTTP, at)} << addListener(proto::TCP, at) << exists;
        QTest::newRow("listener: udp beside http")
            << Requests{addListener(proto::HTTP, at)} << addListener(proto::UDP, at) << ok;

        proto::Request check;
        check.mutable_set_health_check()->set_cluster_id("web");
        *check.mutable_set_health_check()->mutable_config() = healthCheck("/up");
        proto::Request noCheck;
        noCheck.set_remove_health_check("web");
        QTest::newRow("health check") << Requests{addCluster("web")} << check << ok;
        QTest::newRow("health check: no cluster") << Requests{} << check << notFound;
        QTest::newRow("health check: remove") << Requests{addCluster("web"), check} << noCheck << ok;
        QTest::newRow("health check: remove none") << Requests{addCluster("web")} << noCheck << notFound;

        proto::Request status;
        status.mutable_status();
        QTest::newRow("not a state request") << Requests{} << status << int(Error::Code::Unsupported);
        QTest::newRow("empty") << Requests{} << proto::Request() << int(Error::Code::Unsupported);
        proto::Request incomplete;
        incomplete.mutable_add_cluster()->set_cluster_id("web");
        QTest::newRow("incomplete") << Requests{} << incomplete << int(Error::Code::InvalidArgument);
    }
    void rules() {
        QFETCH(Requests, before);
        QFETCH(proto::Request, request);
        QFETCH(int, result);
        ConfigState state = stateOf(before);
        const ConfigState unchanged = state;
        QCOMPARE(resultOf(state, request), result);
        if (result != ok) {
            QVERIFY(state == unchanged);
            QCOMPARE(state.requestCounts(), unchanged.requestCounts());
        }
        QCOMPARE(ConfigState::isStateRequest(request), result != int(Error::Code::Unsupported));
    }

    void removingAClusterLeavesItsPeople() {
        ConfigState state = stateOf({addCluster("web"), addBackend("web", "1", "127.0.0.1:9001"),
            addHttpFrontend("web", "127.0.0.1:80", "a.example"), addTcpFrontend("web", "127.0.0.1:81"),
            removeCluster("web")});
        QCOMPARE(state.clusters().size(), std::size_t{0});
        QCOMPARE(state.backends().at("web").size(), std::size_t{1});
        QCOMPARE(state.httpFrontends().size(), std::size_t{1});
        QCOMPARE(state.tcpFrontends().at("web").size(), std::size_t{1});
        QCOMPARE(state.objectCount(), std::size_t{3});
    }

    void backendsAreSortedAndReplaced() {
        const ConfigState state =
            stateOf({addBackend("web", "b", "127.0.0.1:2"), addBackend("web", "a", "127.0.0.1:2"),
                addBackend("web", "a", "127.0.0.1:1"), addBackend("web", "a", "127.0.0.1:2", 5)});
        std::vector<std::string> listed;
        for (const auto& backend : state.backends().at("web"))
            listed.push_back(backend.backend_id() + std::to_string(backend.address().port()) + "w"
                + std::to_string(backend.load_balancing_parameters().weight()));
        QCOMPARE(listed, (std::vector<std::string>{"a1w100", "a2w5", "b2w100"}));
    }

    void frontendKeys_data() {
        QTest::addColumn<proto::Request>("request");
        QTest::addColumn<QString>("key");
        auto get = addHttpFrontend("web", "[::1]:80", "*.A.example", "/v[0-9]+", proto::REGEX);
        get.mutable_add_http_frontend()->set_method("GET");
        QTest::newRow("prefix") << addHttpFrontend("web", "127.0.0.1:80", "a.example", "/api")
                                << QStringLiteral("127.0.0.1:80;a.example;P/api");
        QTest::newRow("equals") << addHttpFrontend("web", "127.0.0.1:80", "a.example", "/api", proto::EQUALS)
                                << QStringLiteral("127.0.0.1:80;a.example;=/api");
        QTest::newRow("regex and method") << get << QStringLiteral("[::1]:80;*.a.example;R/v[0-9]+;GET");
    }
    void frontendKeys() {
        QFETCH(proto::Request, request);
        QFETCH(QString, key);
        QCOMPARE(QString::fromStdString(ConfigState::frontendKey(request.add_http_frontend())), key);
        QVERIFY(stateOf({request}).httpFrontends().contains(key.toStdString()));
    }

    void certificatesOfAListener() {
        const std::string at = "127.0.0.1:443";
        const auto listener = state::SocketAddress::parse(at).value();
        const auto first = makeCertificate("first.example", {"A.example", "b.example"});
        const auto second = makeCertificate("second.example");
        const std::string firstPrint = fingerprintOf(first);
        const std::string secondPrint = fingerprintOf(second);

        ConfigState state = stateOf({addCertificate(at, first)});
        QCOMPARE(state.certificates().at(listener).size(), std::size_t{1});
        const auto& stored = state.certificates().at(listener).at(firstPrint).certificate();
        QCOMPARE((std::vector<std::string>{stored.names().begin(), stored.names().end()}),
            (std::vector<std::string>{"a.example", "b.example"}));

        auto named = second;
        named.add_names("override.example");
        QCOMPARE(resultOf(state, replaceCertificate(at, secondPrint, named)), notFound);
        QCOMPARE(resultOf(state, replaceCertificate("127.0.0.1:444", firstPrint, named)), notFound);
        auto bad = named;
        bad.set_key(first.key());
        const ConfigState unchanged = state;
        QCOMPARE(resultOf(state, replaceCertificate(at, firstPrint, bad)), int(Error::Code::InvalidArgument));
        QVERIFY(state == unchanged);

        QCOMPARE(resultOf(state, replaceCertificate(at, firstPrint, named)), ok);
        QCOMPARE(state.certificates().at(listener).size(), std::size_t{1});
        QCOMPARE(state.certificates().at(listener).at(secondPrint).certificate().names(0),
            std::string("override.example"));
        // By itself, with other names; and the hex digits in upper case.
        QCOMPARE(
            resultOf(state,
                replaceCertificate(at, QString::fromStdString(secondPrint).toUpper().toStdString(), second)),
            ok);
        QCOMPARE(state.certificates().at(listener).at(secondPrint).certificate().names(0),
            std::string("second.example"));

        QCOMPARE(resultOf(state, addCertificate(at, first)), ok);
        QCOMPARE(resultOf(state, addCertificate(at, first)), ok); // again is no error
        QCOMPARE(state.certificates().at(listener).size(), std::size_t{2});
        QCOMPARE(resultOf(state, removeCertificate(at, firstPrint)), ok);
        QCOMPARE(resultOf(state, removeCertificate(at, firstPrint)), notFound);
        QCOMPARE(resultOf(state, removeCertificate(at, secondPrint)), ok);
        QVERIFY(state == ConfigState());
    }

    void anUpdateChangesOnlyWhatItHolds() {
        const std::string at = "127.0.0.1:80";
        const auto listener = state::SocketAddress::parse(at).value();
        auto add = addListener(proto::HTTP, at);
        (*add.mutable_add_http_listener()->mutable_answers())["503"] = "busy";
        add.mutable_add_http_listener()->mutable_http_answers()->set_answer_404("no");
        add.mutable_add_http_listener()->mutable_limits()->set_max_header_count(50);
        ConfigState state = stateOf({add, activate(proto::HTTP, at)});

        proto::Request request;
        auto& update = *request.mutable_update_http_listener();
        *update.mutable_address() = address(at);
        QCOMPARE(resultOf(state, request), ok); // nothing in it, nothing changed
        auto expected = add.add_http_listener();
        expected.set_active(true);
        QVERIFY(protocol::sameMessage(state.httpListeners().at(listener), expected));

        update.set_back_timeout(5);
        update.set_expect_proxy(true);
        (*update.mutable_answers())["404"] = "none";
        update.mutable_http_answers()->set_answer_503("wait");
        update.mutable_limits()->set_max_line_bytes(1000);
        *update.mutable_public_address() = address("1.2.3.4:80");
        QCOMPARE(resultOf(state, request), ok);
        expected.set_back_timeout(5);
        expected.set_expect_proxy(true);
        (*expected.mutable_answers())["404"] = "none";
        expected.mutable_http_answers()->set_answer_503("wait");
        expected.mutable_limits()->set_max_line_bytes(1000);
        *expected.mutable_public_address() = address("1.2.3.4:80");
        QVERIFY(protocol::sameMessage(state.httpListeners().at(listener), expected));

        // An update that would make the listener wrong, one for no listener, one with what we do not know.
        const ConfigState unchanged = state;
        update.set_sticky_name("not a cookie name");
        QCOMPARE(resultOf(state, request), int(Error::Code::InvalidArgument));
        update.clear_sticky_name();
        *update.mutable_address() = address("127.0.0.1:81");
        QCOMPARE(resultOf(state, request), notFound);
        *update.mutable_address() = address(at);
        QVERIFY(update.ParseFromString(update.SerializeAsString() + std::string("\x68\x05", 2))); // field 13
        QCOMPARE(resultOf(state, request), int(Error::Code::Unsupported));
        QVERIFY(state == unchanged);
    }

    void updatesOfTheOtherListeners() {
        const std::string at = "127.0.0.1:443";
        const auto listener = state::SocketAddress::parse(at).value();
        auto https = addListener(proto::HTTPS, at);
        https.mutable_add_https_listener()->add_alpn_protocols("h2");
        https.mutable_add_https_listener()->add_alpn_protocols("http/1.1");
        ConfigState state =
            stateOf({https, addListener(proto::UDP, at), addListener(proto::TCP, "127.0.0.1:444")});
        proto::Request request;
        *request.mutable_update_https_listener()->mutable_address() = address(at);
        request.mutable_update_https_listener()->mutable_alpn_protocols()->add_values("http/1.1");
        request.mutable_update_https_listener()->mutable_hsts()->set_max_age(60);
        QCOMPARE(resultOf(state, request), ok);
        QCOMPARE(state.httpsListeners().at(listener).alpn_protocols_size(), 1); // a list is replaced
        QCOMPARE(state.httpsListeners().at(listener).hsts().max_age(), 60U);

        proto::Request udp;
        *udp.mutable_update_udp_listener()->mutable_address() = address(at);
        udp.mutable_update_udp_listener()->set_max_flows(9);
        QCOMPARE(resultOf(state, udp), ok);
        QCOMPARE(state.udpListeners().at(listener).max_flows(), 9U);
        udp.mutable_update_udp_listener()->set_max_rx_datagram_size(0);
        QCOMPARE(resultOf(state, udp), int(Error::Code::InvalidArgument));

        proto::Request tcp;
        *tcp.mutable_update_tcp_listener()->mutable_address() = address("127.0.0.1:444");
        tcp.mutable_update_tcp_listener()->set_connect_timeout(1);
        QCOMPARE(resultOf(state, tcp), ok);
        QCOMPARE(state.tcpListeners().begin()->second.connect_timeout(), 1U);
    }

    void replayOrderIsSozus() {
        const std::string at = "127.0.0.1:80";
        const ConfigState state = stateOf({addBackend("web", "1", "127.0.0.1:9001"),
            addUdpFrontend("web", at), addHttpFrontend("web", at, "a.example"), addTcpFrontend("web", at),
            addCluster("web"), addCertificate(at, makeCertificate("a.example")), addListener(proto::UDP, at),
            addListener(proto::HTTPS, "127.0.0.1:443"), addListener(proto::HTTP, at),
            activate(proto::HTTP, at)});
        std::vector<int> kinds;
        bool activeAdded = false;
        state.forEachRequest([&](const proto::Request& request) {
            kinds.push_back(request.request_type_case());
            activeAdded = activeAdded || request.add_http_listener().active();
        });
        using R = proto::Request;
        QCOMPARE(kinds,
            (std::vector<int>{R::kAddHttpListener, R::kActivateListener, R::kAddHttpsListener,
                R::kAddUdpListener, R::kAddCluster, R::kAddHttpFrontend, R::kAddCertificate,
                R::kAddTcpFrontend, R::kAddUdpFrontend, R::kAddBackend}));
        QVERIFY(!activeAdded);
    }

    void hashesShowWhichClusterDiffers() {
        const Requests base{addCluster("web"), addCluster("api"), addBackend("web", "1", "127.0.0.1:9001"),
            addHttpFrontend("api", "127.0.0.1:80", "a.example")};
        const ConfigState state = stateOf(base);
        const auto differs = [&](const proto::Request& more) {
            ConfigState other = state;
            QVector<QString> ids;
            if (!other.apply(more))
                qFatal("not applied");
            const auto before = state.clusterHashes();
            for (const auto& [id, hash] : other.clusterHashes())
                if (!before.contains(id) || before.at(id) != hash)
                    ids.push_back(QString::fromStdString(id));
            if (other.hash() == state.hash())
                ids.clear();
            return ids;
        };
        const QVector<QString> web{QStringLiteral("web")};
        const QVector<QString> api{QStringLiteral("api")};
        QCOMPARE(differs(addBackend("web", "1", "127.0.0.1:9001", 5)), web);
        QCOMPARE(differs(addBackend("api", "1", "127.0.0.1:9001")), api);
        QCOMPARE(differs(addHttpFrontend("web", "127.0.0.1:80", "b.example")), web);
        QCOMPARE(differs(addTcpFrontend("web", "127.0.0.1:80")), web);
        QCOMPARE(differs(addCluster("new")), QVector<QString>{QStringLiteral("new")});
        QCOMPARE(differs(addUdpFrontend("api", "127.0.0.1:80")), api);
        // The same frontend on https is not the same.
        proto::Request https;
        *https.mutable_add_https_frontend() =
            addHttpFrontend("web", "127.0.0.1:80", "b.example").add_http_frontend();
        ConfigState one = state;
        ConfigState two = state;
        QVERIFY(one.apply(https));
        QVERIFY(two.apply(addHttpFrontend("web", "127.0.0.1:80", "b.example")));
        QVERIFY(one.clusterHashes().at("web") != two.clusterHashes().at("web"));
    }

    void countsOfRequests() {
        ConfigState state =
            stateOf({addCluster("web"), addCluster("web"), addCluster("api"), removeCluster("web")});
        QCOMPARE(resultOf(state, removeCluster("web")), notFound); // not counted
        QCOMPARE(state.requestCounts(),
            (std::map<std::string, std::int32_t>{{"ADD_CLUSTER", 3}, {"REMOVE_CLUSTER", 1}}));
    }

    void connectionsPerAddress() {
        proto::Request request;
        request.set_set_max_connections_per_ip(7);
        ConfigState state = stateOf({request});
        QCOMPARE(state.maxConnectionsPerIp(), std::uint64_t{7});
        QVERIFY(!(state == ConfigState()));
        QCOMPARE(state.requests().size(), std::size_t{1});
        request.set_set_max_connections_per_ip(0);
        QCOMPARE(resultOf(state, request), ok);
        QVERIFY(state == ConfigState());
    }

    // A worker takes what the agent has checked, without checking it again.
    void trustedRequestsAreNotParsedAgain() {
        const auto regex = addHttpFrontend("web", "127.0.0.1:80", "a.example", "/(", proto::REGEX);
        ConfigState state;
        QCOMPARE(resultOf(state, regex), int(Error::Code::InvalidArgument));
        QVERIFY(state.apply(regex, ConfigState::Checks::Trusted));
        auto pair = makeCertificate("a.example");
        pair.set_key("not a key");
        pair.add_names("a.example");
        QCOMPARE(resultOf(state, addCertificate("127.0.0.1:443", pair)), int(Error::Code::InvalidArgument));
        QVERIFY(state.apply(addCertificate("127.0.0.1:443", pair), ConfigState::Checks::Trusted));
        QCOMPARE(state.certificates().begin()->second.begin()->first, fingerprintOf(pair));
    }
};

QTEST_GUILESS_MAIN(TestConfigState)
#include "tst_config_state.moc"

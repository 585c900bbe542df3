// SPDX-License-Identifier: GPL-3.0-or-later
//
// One wrong field each: refused with the name of the field, nothing changed; and the edges that are right.
#include "backend/state/config_state.h"
#include "requests.h"

#include <QtTest>

#include <functional>

using namespace yardmaster;
using namespace yardmaster::test;
using state::ConfigState;
using Change = std::function<void(proto::Request&)>;

Q_DECLARE_METATYPE(proto::Request)
Q_DECLARE_METATYPE(Change)

namespace {

proto::Request frontendWith(const std::string& host) {
    return addHttpFrontend("web", "127.0.0.1:80", host);
}
proto::Request frontendWith(proto::PathRuleKind kind, const std::string& path) {
    return addHttpFrontend("web", "127.0.0.1:80", "a.example", path, kind);
}

} // namespace

class TestStateValidation : public QObject {
    Q_OBJECT

private slots:
    void refused_data() {
        QTest::addColumn<proto::Request>("request");
        QTest::addColumn<QString>("where");
        const auto row = [](const char* name, proto::Request request, const char* where) {
            QTest::newRow(name) << std::move(request) << QString::fromLatin1(where);
        };
        const auto with = [](proto::Request request, const Change& change) {
            change(request);
            return request;
        };
        const auto frontend = frontendWith("a.example");
        row("cluster: no id", addCluster(""), "cluster_id");
        row("cluster: id of two lines", addCluster("a\nb"), "cluster_id");
        row("cluster: redirect port",
            with(addCluster("web"), [](auto& r) { r.mutable_add_cluster()->set_https_redirect_port(65536); }),
            "https_redirect_port");
        row("cluster: header injection",
            with(addCluster("web"),
                [](auto& r) { r.mutable_add_cluster()->set_www_authenticate("Basic\r\nX: y"); }),
            "www_authenticate");
        row("cluster: health check without path",
            with(addCluster("web"),
                [](auto& r) { *r.mutable_add_cluster()->mutable_health_check() = healthCheck(""); }),
            "health_check.uri");
        row("cluster: health check never",
            with(addCluster("web"),
                [](auto& r) {
                    *r.mutable_add_cluster()->mutable_health_check() = healthCheck("/");
                    r.mutable_add_cluster()->mutable_health_check()->set_interval(0);
                }),
            "health_check.interval");
        row("cluster: health check status",
            with(addCluster("web"),
                [](auto& r) {
                    *r.mutable_add_cluster()->mutable_health_check() = healthCheck("/");
                    r.mutable_add_cluster()->mutable_health_check()->set_expected_status(99);
                }),
            "health_check.expected_status");

        row("backend: no cluster", addBackend("", "1", "127.0.0.1:80"), "cluster_id");
        row("backend: no id", addBackend("web", "", "127.0.0.1:80"), "backend_id");
        row("backend: port 0", addBackend("web", "1", "127.0.0.1:0"), "address");
        row("backend: port beyond",
            with(addBackend("web", "1", "127.0.0.1:80"),
                [](auto& r) { r.mutable_add_backend()->mutable_address()->set_port(65536); }),
            "address");
        row("backend: no address",
            with(addBackend("web", "1", "127.0.0.1:80"),
                [](auto& r) { r.mutable_add_backend()->mutable_address()->mutable_ip()->Clear(); }),
            "address");
        row("backend: weight", addBackend("web", "1", "127.0.0.1:80", -1),
            "load_balancing_parameters.weight");

        row("host: empty", frontendWith(""), "hostname");
        row("host: a space", frontendWith("a b"), "hostname");
        row("host: a port", frontendWith("a.example:80"), "hostname");
        row("host: a path", frontendWith("a.example/x"), "hostname");
        row("host: star in the middle", frontendWith("a.*.example"), "hostname");
        row("host: part of a label", frontendWith("*a.example"), "hostname");
        row("host: only the star's dot", frontendWith("*."), "hostname");
        row("host: empty label", frontendWith("a..example"), "hostname");
        row("host: dot at the end", frontendWith("a.example."), "hostname");
        row("host: label of 64", frontendWith(std::string(64, 'a') + ".example"), "hostname");
        row("host: 254 bytes",
            frontendWith(std::string(63, 'a') + "." + std::string(63, 'a') + "." + std::string(63, 'a') + "."
                + std::string(62, 'a')),
            "hostname");
        row("host: not ASCII",
            frontendWith("b\xc3\xbc"
                         "cher.example"),
            "hostname");
        row("host: zero byte", frontendWith(std::string("a\0b", 3)), "hostname");
        row("host: no IPv6", frontendWith("[::x]"), "hostname");

        row("path: prefix without /", frontendWith(proto::PREFIX, "api"), "path");
        row("path: equals nothing", frontendWith(proto::EQUALS, ""), "path");
        row("path: new line", frontendWith(proto::PREFIX, "/a\nb"), "path");
        row("regex: empty", frontendWith(proto::REGEX, ""), "path");
        row("regex: open bracket", frontendWith(proto::REGEX, "/[a"), "path");
        row("regex: open parenthesis", frontendWith(proto::REGEX, "/(a"), "path");
        row("regex: nothing to repeat", frontendWith(proto::REGEX, "*a"), "path");
        row("regex: back reference", frontendWith(proto::REGEX, "/(a)\\1"), "path");
        row("regex: look-ahead", frontendWith(proto::REGEX, "/a(?=b)"), "path");
        row("regex: too long", frontendWith(proto::REGEX, std::string(1025, 'a')), "path");
        row("regex: too deep", frontendWith(proto::REGEX, std::string(33, '(') + "a" + std::string(33, ')')),
            "path");
        row("regex: too many states", frontendWith(proto::REGEX, "/((a{999}){999}){999}"), "path");

        row("frontend: empty cluster", addHttpFrontend("", "127.0.0.1:80", "a.example"), "cluster_id");
        row("frontend: method",
            with(frontend, [](auto& r) { r.mutable_add_http_frontend()->set_method("GET /"); }), "method");
        row("frontend: no method",
            with(frontend, [](auto& r) { r.mutable_add_http_frontend()->set_method(""); }), "method");
        row("frontend: rewrite port",
            with(frontend, [](auto& r) { r.mutable_add_http_frontend()->set_rewrite_port(70000); }),
            "rewrite_port");
        row("frontend: rewrite injection",
            with(frontend, [](auto& r) { r.mutable_add_http_frontend()->set_rewrite_host("a\r\nb"); }),
            "rewrite_host");
        row("frontend: header name",
            with(frontend,
                [](auto& r) {
                    auto& header = *r.mutable_add_http_frontend()->add_headers();
                    header.set_position(proto::BOTH);
                    header.set_key("X Y");
                    header.set_val("z");
                }),
            "headers");
        row("frontend: header injection",
            with(frontend,
                [](auto& r) {
                    auto& header = *r.mutable_add_http_frontend()->add_headers();
                    header.set_position(proto::BOTH);
                    header.set_key("X");
                    header.set_val("z\r\nY: evil");
                }),
            "headers");
        row("tcp frontend: no cluster", addTcpFrontend("", "127.0.0.1:80"), "cluster_id");
        row("tcp frontend: port 0", addTcpFrontend("web", "127.0.0.1:0"), "address");

        for (const auto type : {proto::HTTP, proto::HTTPS, proto::TCP, proto::UDP})
            QTest::addRow("listener %d: port 0", type)
                << addListener(type, "127.0.0.1:0") << QStringLiteral("address");
        row("listener: public address",
            with(addListener(proto::HTTP, "127.0.0.1:80"),
                [](auto& r) {
                    *r.mutable_add_http_listener()->mutable_public_address() = address("1.2.3.4:0");
                }),
            "public_address");
        row("listener: sticky name",
            with(addListener(proto::HTTP, "127.0.0.1:80"),
                [](auto& r) { r.mutable_add_http_listener()->set_sticky_name("a;b"); }),
            "sticky_name");
        row("listener: request id",
            with(addListener(proto::HTTP, "127.0.0.1:80"),
                [](auto& r) { r.mutable_add_http_listener()->set_request_id_header("X:"); }),
            "request_id_header");
        row("listener: certificate without key",
            with(addListener(proto::HTTPS, "127.0.0.1:80"),
                [](auto& r) { r.mutable_add_https_listener()->set_certificate("x"); }),
            "certificate");
        row("listener: bad certificate",
            with(addListener(proto::HTTPS, "127.0.0.1:80"),
                [](auto& r) {
                    r.mutable_add_https_listener()->set_certificate("x");
                    r.mutable_add_https_listener()->set_key("y");
                }),
            "certificate");
        row("listener: alpn",
            with(addListener(proto::HTTPS, "127.0.0.1:80"),
                [](auto& r) { r.mutable_add_https_listener()->add_alpn_protocols(""); }),
            "alpn_protocols");
        row("udp listener: datagram",
            with(addListener(proto::UDP, "127.0.0.1:80"),
                [](auto& r) { r.mutable_add_udp_listener()->set_max_rx_datagram_size(65536); }),
            "max_rx_datagram_size");
    }
    void refused() {
        QFETCH(proto::Request, request);
        QFETCH(QString, where);
        ConfigState state;
        const auto applied = state.apply(request);
        QVERIFY(!applied);
        QCOMPARE(applied.error().code, Error::Code::InvalidArgument);
        QCOMPARE(QString::fromStdString(applied.error().where), where);
        QVERIFY(!applied.error().what.empty());
        QVERIFY(state == ConfigState());
    }

    void accepted_data() {
        QTest::addColumn<proto::Request>("request");
        for (const char* host : {"a", "localhost", "a.example", "*.a.example", "A-1_x.example", "*",
                 "127.0.0.1", "[::1]", "xn--bcher-kva.example"})
            QTest::addRow("host %s", host) << frontendWith(host);
        QTest::newRow("host of 253 bytes") << frontendWith(std::string(63, 'a') + "." + std::string(63, 'a')
            + "." + std::string(63, 'a') + "." + std::string(61, 'a'));
        QTest::newRow("every path") << frontendWith(proto::PREFIX, "");
        QTest::newRow("asterisk form") << frontendWith(proto::EQUALS, "*");
        QTest::newRow("regex") << frontendWith(proto::REGEX, R"(^/(users|groups)/[0-9]+(/.*)?$)");
        QTest::newRow("regex with escaped parentheses") << frontendWith(proto::REGEX, R"(/\(\(a)");
        QTest::newRow("regex nested 32")
            << frontendWith(proto::REGEX, std::string(32, '(') + "a" + std::string(32, ')'));
        QTest::newRow("weight 0") << addBackend("web", "1", "127.0.0.1:80", 0);
        QTest::newRow("port 65535") << addBackend("web", "1", "127.0.0.1:65535");
        auto answer = addCluster("web");
        answer.mutable_add_cluster()->set_answer_503("HTTP/1.1 503 Busy\r\n\r\nbusy\n"); // lines belong there
        QTest::newRow("answer of several lines") << answer;
    }
    void accepted() {
        QFETCH(proto::Request, request);
        ConfigState state;
        const auto applied = state.apply(request);
        QVERIFY2(applied, applied ? "" : applied.error().toString().c_str());
        QCOMPARE(state.objectCount(), std::size_t{1});
    }
};

QTEST_GUILESS_MAIN(TestStateValidation)
#include "tst_state_validation.moc"

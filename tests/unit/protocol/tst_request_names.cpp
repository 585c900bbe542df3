// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/request_names.h"

#include <QtTest>

#include <functional>
#include <set>

using namespace yardmaster;

namespace {

using Fill = std::function<void(proto::Request&)>;

void loopback(proto::SocketAddress* address, std::uint32_t port) {
    address->mutable_ip()->set_v4(0x7F000001);
    address->set_port(port);
}

} // namespace

Q_DECLARE_METATYPE(Fill)

class TestRequestNames : public QObject {
    Q_OBJECT

private slots:
    void everyKindHasItsOwnName() {
        std::set<std::string_view> names;
        int kinds = 0;
        for (int number = 1; number < 1010; ++number) {
            // Reading the wire form of an empty field with this number tells whether there is such a kind.
            std::string bytes;
            for (const int wireType : {2, 0}) {
                bytes.clear();
                for (unsigned tag = static_cast<unsigned>(number) << 3 | static_cast<unsigned>(wireType);
                     tag != 0; tag >>= 7)
                    bytes += static_cast<char>((tag & 0x7f) | (tag > 0x7f ? 0x80 : 0));
                bytes += '\0';
                proto::Request request;
                if (!request.ParsePartialFromString(bytes)
                    || request.request_type_case() == proto::Request::REQUEST_TYPE_NOT_SET)
                    continue;
                ++kinds;
                const auto name = protocol::requestName(request);
                QVERIFY2(name != "NONE", std::to_string(number).c_str());
                names.insert(name);
                QVERIFY(!protocol::describeRequest(request).empty());
            }
        }
        QCOMPARE(kinds, 61);
        QCOMPARE(names.size(), std::size_t{61});
        QCOMPARE(protocol::requestName(proto::Request()), std::string_view("NONE"));
    }

    void descriptions_data() {
        QTest::addColumn<Fill>("fill");
        QTest::addColumn<QString>("text");
        QTest::newRow("cluster") << Fill([](auto& r) { r.mutable_add_cluster()->set_cluster_id("web"); })
                                 << QStringLiteral("add cluster web");
        QTest::newRow("certificate") << Fill([](auto& r) {
            auto& add = *r.mutable_add_certificate();
            loopback(add.mutable_address(), 443);
            add.mutable_certificate()->add_names("a.example");
            add.mutable_certificate()->set_key("-----BEGIN PRIVATE KEY-----");
        }) << QStringLiteral("add certificate for 127.0.0.1:443 (a.example)");
        QTest::newRow("frontend") << Fill([](auto& r) {
            auto& add = *r.mutable_add_http_frontend();
            loopback(add.mutable_address(), 80);
            add.set_hostname("a.example");
            add.mutable_path()->set_value("/api");
            add.set_cluster_id("web");
            add.set_method("GET");
        }) << QStringLiteral("add http frontend a.example/api GET on 127.0.0.1:80 to cluster web");
        QTest::newRow("denied frontend") << Fill([](auto& r) {
            auto& add = *r.mutable_add_https_frontend();
            loopback(add.mutable_address(), 80);
            add.set_hostname("a.example");
        }) << QStringLiteral("add https frontend a.example/ on 127.0.0.1:80, denied");
        QTest::newRow("IPv6 backend") << Fill([](auto& r) {
            auto& remove = *r.mutable_remove_backend();
            remove.mutable_address()->mutable_ip()->mutable_v6()->set_low(1);
            remove.mutable_address()->set_port(9000);
            remove.set_backend_id("web-1");
            remove.set_cluster_id("web");
        }) << QStringLiteral("remove backend web-1 ([::1]:9000) of cluster web");
        QTest::newRow("without a text of its own")
            << Fill([](auto& r) { r.mutable_list_workers(); }) << QStringLiteral("list workers");
        QTest::newRow("one line only") << Fill([](auto& r) { r.set_remove_cluster("a\nb\x1b[0m"); })
                                       << QStringLiteral("remove cluster a?b?[0m");
        QTest::newRow("cut at a character")
            << Fill([](auto& r) { r.set_remove_cluster(std::string(119, 'x') + "\xc3\xa9" + "yy"); })
            << QStringLiteral("remove cluster %1...").arg(QString(119, u'x'));
    }
    void descriptions() {
        QFETCH(Fill, fill);
        QFETCH(QString, text);
        proto::Request request;
        fill(request);
        QCOMPARE(QString::fromStdString(protocol::describeRequest(request)), text);
    }

    void secretsAreNotShown() {
        const std::string secret = "S3cret";
        std::vector<proto::Request> requests(4);
        requests[0].mutable_add_certificate()->mutable_certificate()->set_key(secret);
        requests[1].mutable_replace_certificate()->mutable_new_certificate()->set_key(secret);
        requests[2].mutable_add_https_listener()->set_key(secret);
        requests[3].mutable_add_cluster()->add_authorized_hashes(secret);
        for (const auto& request : requests)
            QVERIFY(protocol::describeRequest(request).find(secret) == std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestRequestNames)
#include "tst_request_names.moc"

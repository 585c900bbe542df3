// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/path.h"
#include "backend/worker/route_table.h"

#include <QTest>

#include <array>
#include <random>

using namespace yardmaster;
using namespace yardmaster::worker;

namespace {

proto::RequestHttpFrontend frontendOf(const std::string& host, proto::PathRuleKind kind,
    const std::string& path, const std::string& method = {}, proto::RulePosition position = proto::TREE) {
    proto::RequestHttpFrontend frontend;
    frontend.set_hostname(host);
    frontend.mutable_path()->set_kind(kind);
    frontend.mutable_path()->set_value(path);
    frontend.set_position(position);
    if (!method.empty())
        frontend.set_method(method);
    return frontend;
}

/// A table whose clusters are called by their frontends.
class Table {
public:
    void add(const std::string& cluster, proto::RequestHttpFrontend frontend) {
        std::shared_ptr<Cluster> target;
        if (!cluster.empty()) {
            frontend.set_cluster_id(cluster);
            target = std::make_shared<Cluster>();
            target->id = cluster;
        }
        m_table.add(frontend, target);
    }
    void finish() { m_table.finish(); }
    std::string find(
        const std::string& host, const std::string& path, const std::string& method = "GET") const {
        std::string hostStorage, pathStorage;
        const auto normalHost = http::normaliseHost(host, hostStorage);
        const auto normalPath = http::normalisePath(path, pathStorage);
        if (!normalHost || !normalPath)
            return "refused";
        const Route* route = m_table.find(*normalHost, *normalPath, method);
        return !route ? "none" : route->cluster ? route->cluster->id : "denied";
    }

private:
    RouteTable m_table;
};

} // namespace

class TestRouteTable : public QObject {
    Q_OBJECT
    Table m_table;

private slots:
    void initTestCase() {
        m_table.add("prefix", frontendOf("a.example", proto::PREFIX, "/"));
        m_table.add("longer", frontendOf("a.example", proto::PREFIX, "/api"));
        m_table.add("longer-post", frontendOf("a.example", proto::PREFIX, "/api", "POST"));
        m_table.add("regex", frontendOf("a.example", proto::REGEX, "^/api/v[0-9]+$"));
        m_table.add("equal", frontendOf("a.example", proto::EQUALS, "/api/v1"));
        m_table.add("", frontendOf("a.example", proto::PREFIX, "/admin"));
        m_table.add("wildcard", frontendOf("*.example", proto::PREFIX, "/"));
        m_table.add("upper", frontendOf("UPPER.example", proto::PREFIX, "/"));
        m_table.add("pre", frontendOf("*.example", proto::PREFIX, "/first", {}, proto::PRE));
        m_table.add("post", frontendOf("*", proto::PREFIX, "/last", {}, proto::POST));
        m_table.add("normalised", frontendOf("n.example", proto::PREFIX, "/%7euser//x"));
        m_table.finish();
    }

    void follows_data() {
        QTest::addColumn<QString>("host");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("cluster");
        const auto row = [](const char* name, const char* host, const char* path, const char* method,
                             const char* cluster) {
            QTest::newRow(name) << QString::fromLatin1(host) << QString::fromLatin1(path)
                                << QString::fromLatin1(method) << QString::fromLatin1(cluster);
        };
        row("shortest prefix", "a.example", "/x", "GET", "prefix");
        row("longest prefix", "a.example", "/api/x", "GET", "longer");
        row("a method before any", "a.example", "/api/x", "POST", "longer-post");
        row("regex before prefix", "a.example", "/api/v2", "GET", "regex");
        row("regex is anchored where it says", "a.example", "/api/v2/x", "GET", "longer");
        row("equal before regex", "a.example", "/api/v1", "GET", "equal");
        row("exact host before wildcard", "a.example", "/", "GET", "prefix");
        row("wildcard", "b.example", "/", "GET", "wildcard");
        row("wildcard is one label", "c.b.example", "/", "GET", "none");
        row("wildcard is not nothing", "example", "/", "GET", "none");
        row("host without case", "uPPer.EXAMPLE", "/", "GET", "upper");
        row("host with a final dot", "a.example.", "/x", "GET", "prefix");
        row("denied", "a.example", "/admin/x", "GET", "denied");
        row("pre before all", "a.example", "/first", "GET", "pre");
        row("post after all", "elsewhere", "/last", "GET", "post");
        row("post not before the tree", "a.example", "/last", "GET", "prefix");
        row("nothing", "elsewhere", "/", "GET", "none");
        row("rules are normalised too", "n.example", "/~user/x/y", "GET", "normalised");
    }
    void follows() {
        QFETCH(QString, host);
        QFETCH(QString, path);
        QFETCH(QString, method);
        QFETCH(QString, cluster);
        QCOMPARE(QString::fromStdString(
                     m_table.find(host.toStdString(), path.toStdString(), method.toStdString())),
            cluster);
    }

    /// However a path is disguised, it is refused or goes where its plain form goes.
    void noDisguisedPathReachesAnotherBackend() {
        const std::array<std::string, 6> plain{
            "/admin", "/admin/users", "/api/v1", "/api/v2", "/x/y", "/first/z"};
        std::mt19937 random(20261201);
        const auto chance = [&random](unsigned oneIn) { return random() % oneIn == 0; };
        int disguised = 0;
        for (int round = 0; round < 20'000; ++round) {
            const std::string& target = plain[random() % plain.size()];
            std::string path;
            for (const char c : target) {
                if (c == '/') {
                    path += chance(4) ? "//" : "/";
                    if (chance(4))
                        path += chance(2) ? "./" : "%2e/";
                    if (chance(4))
                        path += chance(2) ? "x/../" : "q/%2E%2e/";
                } else if (chance(3)) {
                    static constexpr char hex[] = "0123456789abcdefABCDEF";
                    path += '%';
                    path += hex[static_cast<unsigned char>(c) >> 4];
                    path += hex[static_cast<unsigned char>(c) & 15];
                } else {
                    path += c;
                }
            }
            disguised += path != target ? 1 : 0;
            const std::string found = m_table.find("a.example", path);
            QVERIFY2(found == m_table.find("a.example", target), (path + " -> " + found).c_str());
        }
        QVERIFY(disguised > 10'000);
        for (const char* refused :
            {"/x/..%2fadmin", "/x\\..\\admin", "/x/%5c../admin", "/admin%00", "/../admin", "/x/..;/admin"})
            QVERIFY2(m_table.find("a.example", refused) == "refused", refused);
    }
};

QTEST_APPLESS_MAIN(TestRouteTable)
#include "tst_route_table.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/request_names.h"
#include "backend/state/config_state.h"
#include "certificates.h"
#include "requests.h"

#include <QtTest>

using namespace yardmaster;
using namespace yardmaster::test;
using state::ConfigState;
using Requests = std::vector<proto::Request>;

Q_DECLARE_METATYPE(Requests)

namespace {

ConfigState stateOf(const Requests& requests) {
    ConfigState state;
    for (const auto& request : requests)
        if (const auto applied = state.apply(request); !applied)
            qFatal("%s", applied.error().toString().c_str());
    return state;
}

proto::Request with(proto::Request request, const std::function<void(proto::Request&)>& change) {
    change(request);
    return request;
}

} // namespace

class TestStateDiff : public QObject {
    Q_OBJECT

private slots:
    void steps_data() {
        QTest::addColumn<Requests>("from");
        QTest::addColumn<Requests>("to");
        QTest::addColumn<QStringList>("steps");
        const std::string at = "127.0.0.1:80";
        const auto listener = addListener(proto::HTTP, at);
        const auto front = addHttpFrontend("web", at, "a.example");
        const auto row = [](const char* name, const Requests& from, const Requests& to,
                             const std::vector<const char*>& steps) {
            QStringList list;
            for (const char* step : steps)
                list << QString::fromLatin1(step);
            QTest::newRow(name) << from << to << list;
        };
        row("equal", {addCluster("web"), front}, {front, addCluster("web")}, {});
        row("new listener", {}, {listener, activate(proto::HTTP, at)},
            {"add http listener 127.0.0.1:80", "activate http listener 127.0.0.1:80"});
        row("activated", {listener}, {listener, activate(proto::HTTP, at)},
            {"activate http listener 127.0.0.1:80"});
        row("deactivated", {listener, activate(proto::HTTP, at)}, {listener},
            {"deactivate http listener 127.0.0.1:80"});
        const auto slower =
            with(listener, [](auto& r) { r.mutable_add_http_listener()->set_back_timeout(99); });
        row("listener updated in place", {listener, activate(proto::HTTP, at)},
            {slower, activate(proto::HTTP, at)}, {"update http listener 127.0.0.1:80"});
        const auto answering = with(
            listener, [](auto& r) { (*r.mutable_add_http_listener()->mutable_answers())["503"] = "busy"; });
        row("what an update cannot take away", {answering, activate(proto::HTTP, at)},
            {listener, activate(proto::HTTP, at)},
            {"remove http listener 127.0.0.1:80", "add http listener 127.0.0.1:80",
                "activate http listener 127.0.0.1:80"});
        row("an address changes its kind", {listener}, {addListener(proto::TCP, at)},
            {"remove http listener 127.0.0.1:80", "add tcp listener 127.0.0.1:80"});
        row("the new backend comes before the old goes",
            {addCluster("web"), addBackend("web", "1", "127.0.0.1:9001")},
            {addCluster("web"), addBackend("web", "2", "127.0.0.1:9002")},
            {"add backend 2 (127.0.0.1:9002) of cluster web",
                "remove backend 1 (127.0.0.1:9001) of cluster web"});
        row("a changed backend is replaced in place", {addBackend("web", "1", "127.0.0.1:9001")},
            {addBackend("web", "1", "127.0.0.1:9001", 5)}, {"add backend 1 (127.0.0.1:9001) of cluster web"});
        row("a changed frontend", {front}, {addHttpFrontend("api", at, "a.example")},
            {"remove http frontend a.example/ on 127.0.0.1:80 to cluster web",
                "add http frontend a.example/ on 127.0.0.1:80 to cluster api"});
        row("a cluster goes last", {addCluster("web"), addBackend("web", "1", "127.0.0.1:9001"), front},
            {addCluster("api")},
            {"add cluster api", "remove http frontend a.example/ on 127.0.0.1:80 to cluster web",
                "remove backend 1 (127.0.0.1:9001) of cluster web", "remove cluster web"});
        row("a tcp listener leads to another cluster", {addTcpFrontend("a", at)}, {addTcpFrontend("b", at)},
            {"remove tcp frontend 127.0.0.1:80 of cluster a", "add tcp frontend 127.0.0.1:80 of cluster b"});
    }
    void steps() {
        QFETCH(Requests, from);
        QFETCH(Requests, to);
        QFETCH(QStringList, steps);
        ConfigState state = stateOf(from);
        const ConfigState target = stateOf(to);
        QStringList described;
        for (const auto& request : state.diff(target)) {
            described << QString::fromStdString(protocol::describeRequest(request));
            const auto applied = state.apply(request);
            QVERIFY2(applied, applied ? "" : applied.error().toString().c_str());
        }
        QCOMPARE(described, steps);
        QVERIFY(state == target);
    }

    void certificates() {
        const std::string at = "127.0.0.1:443";
        const auto kept = makeCertificate("kept.example");
        const auto gone = makeCertificate("gone.example");
        const auto fresh = makeCertificate("fresh.example");
        auto renamed = kept;
        renamed.add_names("renamed.example");
        ConfigState state = stateOf(
            {addCertificate(at, kept), addCertificate(at, gone), addCertificate("127.0.0.1:444", gone)});
        const ConfigState target = stateOf({addCertificate(at, renamed), addCertificate(at, fresh)});
        const auto difference = state.diff(target);
        QCOMPARE(difference.size(), std::size_t{5}); // remove + add, add, two removals
        QCOMPARE(difference.back().request_type_case(), proto::Request::kRemoveCertificate);
        for (const auto& request : difference)
            QVERIFY(state.apply(request));
        QVERIFY(state == target);
    }
};

QTEST_GUILESS_MAIN(TestStateDiff)
#include "tst_state_diff.moc"

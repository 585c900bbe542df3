// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/sozu_json.h"
#include "backend/agent/state_file.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace yardmaster;
using namespace yardmaster::agent;

namespace {

proto::Request parsed(const char* record) {
    const auto request = requestFromSozuJson(record);
    return request ? *request : proto::Request();
}

// As Sozu 2.1's serde writes them (facts: tags, enums as numbers, the form of addresses).
constexpr const char* clusterRecord =
    R"({"id":"SAVE-0","content":{"request_type":{"ADD_CLUSTER":{"cluster_id":"web","sticky_session":false,"https_redirect":true,)"
    R"("proxy_protocol":null,"load_balancing":3,"answer_503":null,"load_metric":1,"http2":null,"answers":{"503":"later"},)"
    R"("https_redirect_port":null,"authorized_hashes":[],"www_authenticate":null,"max_connections_per_ip":null,)"
    R"("retry_after":null,"health_check":{"uri":"/up","interval":10,"timeout":5,"healthy_threshold":3,)"
    R"("unhealthy_threshold":3,"expected_status":0},"udp":null}}}})";
constexpr const char* backendRecord =
    R"({"id":"SAVE-1","content":{"request_type":{"ADD_BACKEND":{"cluster_id":"web","backend_id":"web-0",)"
    R"("address":{"ip":{"inner":{"V4":2130706433}},"port":80},"sticky_id":null,"load_balancing_parameters":{"weight":-1},"backup":null}}}})";
constexpr const char* frontendRecord =
    R"({"id":"SAVE-2","content":{"request_type":{"ADD_HTTP_FRONTEND":{"cluster_id":null,)"
    R"("address":{"ip":{"inner":{"V6":{"low":1,"high":0}}},"port":8080},"hostname":"a.example","path":{"kind":2,"value":"/x"},)"
    R"("method":"GET","position":2,"tags":{"owner":"me"},"redirect":0,"required_auth":null,"redirect_scheme":0,)"
    R"("redirect_template":null,"rewrite_host":null,"rewrite_path":null,"rewrite_port":null,)"
    R"("headers":[{"position":1,"key":"X-A","val":"b"}],"hsts":null}}}})";

} // namespace

class TestSozuJson : public QObject {
    Q_OBJECT

private slots:
    void readsWhatSozuWrites() {
        const proto::Request cluster = parsed(clusterRecord);
        QCOMPARE(cluster.add_cluster().cluster_id(), std::string("web"));
        QCOMPARE(cluster.add_cluster().load_balancing(), proto::POWER_OF_TWO);
        QVERIFY(cluster.add_cluster().https_redirect());
        QVERIFY(!cluster.add_cluster().has_proxy_protocol());
        QCOMPARE(cluster.add_cluster().load_metric(), proto::REQUESTS);
        QCOMPARE(cluster.add_cluster().answers().at("503"), std::string("later"));
        QCOMPARE(cluster.add_cluster().health_check().uri(), std::string("/up"));
        const proto::Request backend = parsed(backendRecord);
        QCOMPARE(backend.add_backend().address().ip().v4(), 0x7F000001U);
        QCOMPARE(backend.add_backend().address().port(), 80U);
        QCOMPARE(backend.add_backend().load_balancing_parameters().weight(), -1);
        const proto::Request frontend = parsed(frontendRecord);
        QVERIFY(!frontend.add_http_frontend().has_cluster_id());
        QCOMPARE(frontend.add_http_frontend().address().ip().v6().low(), 1U);
        QCOMPARE(frontend.add_http_frontend().path().kind(), proto::EQUALS);
        QCOMPARE(frontend.add_http_frontend().headers(0).key(), std::string("X-A"));
        QCOMPARE(frontend.add_http_frontend().tags().at("owner"), std::string("me"));
    }

    void writesWhatItReads_data() {
        QTest::addColumn<QByteArray>("record");
        QTest::newRow("cluster") << QByteArray(clusterRecord);
        QTest::newRow("backend") << QByteArray(backendRecord);
        QTest::newRow("frontend") << QByteArray(frontendRecord);
        QTest::newRow("limit") << QByteArray(
            R"({"id":"SAVE-3","content":{"request_type":{"SET_MAX_CONNECTIONS_PER_IP":7}}})");
        QTest::newRow("activation") << QByteArray(
            R"({"id":"SAVE-4","content":{"request_type":{"ACTIVATE_LISTENER":{"address":{"ip":{"inner":{"V4":1}},"port":1},"proxy":0,"from_scm":false}}}})");
    }
    void writesWhatItReads() {
        QFETCH(QByteArray, record);
        const proto::Request first = parsed(record.constData());
        QVERIFY(first.request_type_case() != proto::Request::REQUEST_TYPE_NOT_SET);
        const auto written = requestToSozuJson("SAVE-0", first);
        QVERIFY(written.has_value());
        const auto again = requestFromSozuJson(*written);
        QVERIFY(again.has_value());
        QCOMPARE(again->SerializeAsString(), first.SerializeAsString());
        // Everything Sozu requires to be there is: what the record had is in the text again.
        for (const QByteArray& piece : record.mid(record.indexOf("request_type")).split(',')) {
            const QByteArray name = piece.mid(piece.indexOf('"')).split(':').first();
            if (name.startsWith('"') && name.endsWith('"'))
                QVERIFY2(QByteArray::fromStdString(*written).contains(name), name.constData());
        }
    }

    void refusesWhatItCannotRead_data() {
        QTest::addColumn<QByteArray>("record");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("no JSON") << QByteArray("{") << QByteArray("no JSON");
        QTest::newRow("an array") << QByteArray("[]") << QByteArray("no JSON object");
        QTest::newRow("no content") << QByteArray(R"({"id":"a"})") << QByteArray("content.request_type");
        QTest::newRow("two kinds") << QByteArray(
            R"({"content":{"request_type":{"ADD_CLUSTER":{},"ADD_BACKEND":{}}}})")
                                   << QByteArray("one entry");
        QTest::newRow("no state") << QByteArray(R"({"content":{"request_type":{"HARD_STOP":{}}}})")
                                  << QByteArray("no part");
        QTest::newRow("required field")
            << QByteArray(R"({"content":{"request_type":{"ADD_CLUSTER":{"cluster_id":"a"}}}})")
            << QByteArray("lacks a required field");
        QTest::newRow("wrong type") << QByteArray(
            R"({"content":{"request_type":{"ADD_CLUSTER":{"cluster_id":3}}}})")
                                    << QByteArray("ADD_CLUSTER.cluster_id must be a string");
        QTest::newRow("number too large") << QByteArray(
            R"({"content":{"request_type":{"ADD_BACKEND":{"address":{"ip":{"inner":{"V4":4294967296}},"port":1}}}}})")
                                          << QByteArray("ADD_BACKEND.address.ip");
        QTest::newRow("negative where there is none") << QByteArray(
            R"({"content":{"request_type":{"ADD_BACKEND":{"address":{"ip":{"inner":{"V4":1}},"port":-1}}}}})")
                                                      << QByteArray("ADD_BACKEND.address.port");
        QTest::newRow("no such enum value")
            << QByteArray(R"({"content":{"request_type":{"ADD_CLUSTER":{"load_balancing":99}}}})")
            << QByteArray("no such value");
        QTest::newRow("an object expected")
            << QByteArray(R"({"content":{"request_type":{"ADD_CLUSTER":[]}}})")
            << QByteArray("must be an object");
    }
    void refusesWhatItCannotRead() {
        QFETCH(QByteArray, record);
        QFETCH(QByteArray, said);
        const auto request = requestFromSozuJson(record.toStdString());
        QVERIFY(!request.has_value());
        const QByteArray text = QByteArray::fromStdString(request.error().toString());
        QVERIFY2(text.contains(said), text.constData());
    }

    void neverRepeatsAKey() {
        const auto request = requestFromSozuJson(
            R"({"content":{"request_type":{"ADD_CERTIFICATE":{"certificate":{"certificate":3,"key":"TOP-SECRET"}}}}})");
        QVERIFY(!request.has_value());
        QVERIFY(request.error().toString().find("TOP-SECRET") == std::string::npos);
    }

    void fileHoldsTheState() {
        state::ConfigState state;
        QVERIFY(state.apply(parsed(clusterRecord)).has_value());
        proto::Request backend = parsed(backendRecord);
        backend.mutable_add_backend()->mutable_load_balancing_parameters()->set_weight(5);
        QVERIFY(state.apply(backend).has_value());
        QTemporaryDir directory;
        const std::string path = directory.path().toStdString() + "/state.json";
        const auto saved = saveStateFile(state, path);
        QVERIFY(saved.has_value());
        QCOMPARE(*saved, 2U);
        struct stat info { };
        QCOMPARE(::stat(path.c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777U, 0600U);
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QCOMPARE(text.count(QByteArray("\n\0", 2)), 2);
        QVERIFY(text.endsWith(QByteArray("}\n\0", 3)));
        const auto loaded = loadStateFile(path);
        QVERIFY(loaded.has_value());
        state::ConfigState again;
        for (const proto::Request& request : *loaded)
            QVERIFY(again.apply(request).has_value());
        QVERIFY(again == state);
    }

    void fileErrorsNameTheRecord() {
        QTemporaryDir directory;
        const QString path = directory.filePath(QStringLiteral("state.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(clusterRecord);
        file.write("\n\0", 2);
        file.write("{\"torn");
        file.close();
        const auto loaded = loadStateFile(path.toStdString());
        QVERIFY(!loaded.has_value());
        QVERIFY(loaded.error().where.find("record 2") != std::string::npos);
        QCOMPARE(loadStateFile("/no/such/file").error().code, Error::Code::NotFound);
        state::ConfigState state;
        QVERIFY(!saveStateFile(state, "relative.json").has_value());
        QVERIFY(!saveStateFile(state, "/no/such/directory/state.json").has_value());
    }

    void readsRecordsOfAnySize() {
        QTemporaryDir directory;
        const QString path = directory.filePath(QStringLiteral("state.json"));
        QByteArray record(clusterRecord);
        record.replace("later", QByteArray(1'000'000, 'x')); // Sozu's own reader stops at 200,000
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(record + QByteArray("\n\0", 2));
        file.close();
        const auto loaded = loadStateFile(path.toStdString());
        QVERIFY(loaded.has_value());
        QCOMPARE(loaded->front().add_cluster().answers().at("503").size(), 1'000'000U);
    }
};

QTEST_GUILESS_MAIN(TestSozuJson)
#include "tst_sozu_json.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/canonical.h"
#include "backend/protocol/command.pb.h"
#include "backend/protocol/frame.h"

#include <QtTest>

#include <functional>

using namespace yardmaster;
using protocol::FrameReader;

namespace {

using Fill = std::function<void(proto::Request&)>;

std::string frameOfLength(std::uint64_t length, std::string_view payload = {}) {
    std::string frame(reinterpret_cast<const char*>(&length), sizeof length);
    return frame.append(payload);
}

std::string validFrame(const std::string& clusterId) {
    proto::Request request;
    request.set_remove_cluster(clusterId);
    return protocol::encodeFrame(request).value();
}

} // namespace

Q_DECLARE_METATYPE(Fill)

class TestFrame : public QObject {
    Q_OBJECT

private slots:
    // Bytes made with protoc from Sozu's own definition.
    void referenceFrames_data() {
        QTest::addColumn<Fill>("fill");
        QTest::addColumn<QByteArray>("hex");
        QTest::newRow("ListWorkers") << Fill([](auto& r) { r.mutable_list_workers(); })
                                     << QByteArray("0a000000000000002200");
        QTest::newRow("Status") << Fill([](auto& r) { r.mutable_status(); })
                                << QByteArray("0a000000000000006200");
        QTest::newRow("ListListeners")
            << Fill([](auto& r) { r.mutable_list_listeners(); }) << QByteArray("0a000000000000003200");
        QTest::newRow("UpgradeWorker")
            << Fill([](auto& r) { r.set_upgrade_worker(0); }) << QByteArray("0a000000000000004800");
        QTest::newRow("UpgradeMain") << Fill([](auto& r) { r.mutable_upgrade_main(); })
                                     << QByteArray("0a000000000000004200");
        QTest::newRow("SubscribeEvents")
            << Fill([](auto& r) { r.mutable_subscribe_events(); }) << QByteArray("0a000000000000005200");
        QTest::newRow("SoftStop") << Fill([](auto& r) { r.mutable_soft_stop(); })
                                  << QByteArray("0b00000000000000ba0200");
        QTest::newRow("HardStop") << Fill([](auto& r) { r.mutable_hard_stop(); })
                                  << QByteArray("0b00000000000000c20200");
        QTest::newRow("QueryMetrics") << Fill([](auto& r) {
            auto& query = *r.mutable_query_metrics();
            query.set_list(false);
            query.set_no_clusters(true);
            query.set_workers(true);
        }) << QByteArray("1100000000000000b20206080028013001");
        QTest::newRow("Reload") << Fill([](auto& r) { r.set_reload_configuration(""); })
                                << QByteArray("0a000000000000005a00");
        QTest::newRow("ConfigureMetrics") << Fill([](auto& r) { r.set_configure_metrics(proto::CLEAR); })
                                          << QByteArray("0b00000000000000c80202");
    }
    void referenceFrames() {
        QFETCH(Fill, fill);
        QFETCH(QByteArray, hex);
        proto::Request request;
        fill(request);
        const auto frame = protocol::encodeFrame(request);
        QVERIFY(frame);
        QCOMPARE(QByteArray::fromStdString(*frame).toHex(), hex);

        FrameReader reader;
        reader.append(*frame);
        std::string_view payload;
        const auto next = reader.next(payload);
        QVERIFY(next && *next);
        proto::Request decoded;
        QVERIFY(protocol::decodePayload(payload, decoded));
        QVERIFY(protocol::sameMessage(decoded, request));
        QCOMPARE(reader.pendingBytes(), std::size_t{0});
    }

    // 127.0.0.1 = 0x7F000001, written as fixed32 in little-endian.
    void addressBytes() {
        proto::SocketAddress address;
        address.mutable_ip()->set_v4(0x7F000001);
        address.set_port(80);
        QCOMPARE(
            QByteArray::fromStdString(address.SerializeAsString()).toHex(), QByteArray("0a050d0100007f1050"));
    }

    void anyCutGivesTheSamePayloads() {
        const std::string stream = validFrame("a") + validFrame(std::string(300, 'b')) + validFrame("");
        for (std::size_t step = 1; step <= stream.size(); ++step) {
            FrameReader reader;
            std::vector<std::string> ids;
            for (std::size_t at = 0; at < stream.size(); at += step) {
                reader.append(std::string_view(stream).substr(at, step));
                std::string_view payload;
                for (auto next = reader.next(payload); next && *next; next = reader.next(payload)) {
                    proto::Request request;
                    QVERIFY(protocol::decodePayload(payload, request));
                    ids.push_back(request.remove_cluster());
                }
            }
            QCOMPARE(ids, (std::vector<std::string>{"a", std::string(300, 'b'), ""}));
        }
    }

    void anEmptyPayloadIsAFrame() {
        FrameReader reader;
        reader.append(frameOfLength(8));
        std::string_view payload = "x";
        const auto next = reader.next(payload);
        QVERIFY(next && *next);
        QVERIFY(payload.empty());
    }

    void badLengths_data() {
        QTest::addColumn<quint64>("length");
        QTest::addColumn<int>("code");
        const int short_ = static_cast<int>(Error::Code::DataLoss);
        const int long_ = static_cast<int>(Error::Code::ResourceExhausted);
        QTest::newRow("0") << quint64{0} << short_;
        QTest::newRow("7") << quint64{7} << short_;
        QTest::newRow("one beyond the cap") << quint64{1001} << long_;
        QTest::newRow("4 GiB") << (quint64{1} << 32) << long_;
        QTest::newRow("all ones") << ~quint64{0} << long_;
    }
    void badLengths() {
        QFETCH(quint64, length);
        QFETCH(int, code);
        FrameReader reader(1000);
        reader.append(validFrame("good"));
        reader.append(frameOfLength(length, std::string(16, 'x')));
        std::string_view payload;
        auto next = reader.next(payload);
        QVERIFY(next && *next); // what came before is not lost
        next = reader.next(payload);
        QVERIFY(!next);
        QCOMPARE(static_cast<int>(next.error().code), code);
        QVERIFY(!reader.next(payload)); // and it stays an error
    }

    void aFrameOfExactlyTheCapPasses() {
        FrameReader reader(1000);
        reader.append(frameOfLength(1000, std::string(992, 'x')));
        std::string_view payload;
        const auto next = reader.next(payload);
        QVERIFY(next && *next);
        QCOMPARE(payload.size(), std::size_t{992});
    }

    void aTruncatedFrameIsPending() {
        const std::string frame = validFrame("cluster");
        FrameReader reader;
        reader.append(std::string_view(frame).substr(0, frame.size() - 1));
        std::string_view payload;
        const auto next = reader.next(payload);
        QVERIFY(next && !*next);
        QCOMPARE(reader.pendingBytes(), frame.size() - 1);
    }

    void anUndecodablePayloadIsDataLoss_data() {
        QTest::addColumn<QByteArray>("payload");
        QTest::newRow("random bytes") << QByteArray("\xff\xff\xff\xff");
        QTest::newRow("a length beyond the end") << QByteArray("\x72\x7f"
                                                               "ab");
        QTest::newRow("a required field is missing") << QByteArray::fromHex("b20202"
                                                                            "0800");
    }
    void anUndecodablePayloadIsDataLoss() {
        QFETCH(QByteArray, payload);
        proto::Request request;
        const auto decoded =
            protocol::decodePayload({payload.constData(), static_cast<std::size_t>(payload.size())}, request);
        QVERIFY(!decoded);
        QCOMPARE(decoded.error().code, Error::Code::DataLoss);
        QVERIFY(decoded.error().where.find("Request") != std::string::npos);
    }

    void encodingRefusesWhatThePeerCouldNotRead() {
        proto::Request request;
        request.mutable_query_metrics()->set_list(true); // two required fields are not set
        auto frame = protocol::encodeFrame(request);
        QVERIFY(!frame);
        QCOMPARE(frame.error().code, Error::Code::InvalidArgument);

        request.set_logging(std::string(100, 'x'));
        QVERIFY(protocol::encodeFrame(request, 8 + 103));
        frame = protocol::encodeFrame(request, 8 + 102);
        QVERIFY(!frame);
        QCOMPARE(frame.error().code, Error::Code::ResourceExhausted);
    }

    // A field from a newer peer is carried along, not lost.
    void unknownFieldsSurvive() {
        const QByteArray bytes = QByteArray::fromHex("7203777765"
                                                     "f0ff0105");
        proto::Request request;
        QVERIFY(
            protocol::decodePayload({bytes.constData(), static_cast<std::size_t>(bytes.size())}, request));
        QCOMPARE(QByteArray::fromStdString(request.SerializeAsString()).toHex(), bytes.toHex());
    }

    void canonicalBytesDoNotDependOnTheOrderOfMapEntries() {
        proto::Cluster forward;
        proto::Cluster backward;
        for (auto* cluster : {&forward, &backward}) {
            cluster->set_cluster_id("web");
            cluster->set_sticky_session(false);
            cluster->set_https_redirect(false);
            cluster->set_load_balancing(proto::ROUND_ROBIN);
        }
        for (int i = 0; i < 100; ++i) {
            (*forward.mutable_answers())[std::to_string(i)] = "a";
            (*backward.mutable_answers())[std::to_string(99 - i)] = "a";
        }
        QCOMPARE(protocol::canonicalBytes(forward), protocol::canonicalBytes(backward));
        QVERIFY(protocol::sameMessage(forward, backward));
        (*backward.mutable_answers())["7"] = "b";
        QVERIFY(!protocol::sameMessage(forward, backward));
    }
};

QTEST_GUILESS_MAIN(TestFrame)
#include "tst_frame.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/base/monotonic_clock.h"
#include "lab_harness.h"

#include <QTest>

using namespace yardmaster;
using namespace yardmaster::lab;
using namespace yardmaster::lab::test;

class TestLabUpstream : public QObject {
    Q_OBJECT

private slots:
    void answers_data();
    void answers();
    void echoedHeadIsTheRequestToTheByte();
    void headHasLengthButNoBody();
    void everyServerNamesItself();
    void latencies();
    void pipelinedRequestsAreAnsweredInTurn();
    void requestsInSmallPieces();
    void closesWhenAsked_data();
    void closesWhenAsked();
    void refusesAndCloses_data();
    void refusesAndCloses();
    void continueBeforeTheBody();
    void halfClosedClientIsAnswered();
    void cutRequestIsNotAnswered();
    void addressesAreTakenAsGiven();
    void latencyTexts_data();
    void latencyTexts();

private:
    static UpstreamOptions options(std::size_t servers = 1);
};

UpstreamOptions TestLabUpstream::options(std::size_t servers) {
    UpstreamOptions made;
    made.listen = {localAddress()};
    made.servers = servers;
    made.bodyBytes = 100;
    return made;
}

void TestLabUpstream::answers_data() {
    QTest::addColumn<QByteArray>("request");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("length"); ///< Content-Length as sent
    const QByteArray tail = " HTTP/1.1\r\nHost: a\r\n";
    const auto filler = [](int bytes) { return QByteArray(bytes, 'x'); };
    const auto get = [&](const char* target) -> QByteArray {
        return "GET " + QByteArray(target) + tail + "\r\n";
    };

    QTest::newRow("get") << get("/") << 200 << filler(100) << QByteArray("100");
    QTest::newRow("get any path") << get("/a/b?c=d") << 200 << filler(100) << QByteArray("100");
    QTest::newRow("bytes") << get("/bytes?n=5") << 200 << filler(5) << QByteArray("5");
    QTest::newRow("no bytes") << get("/bytes?n=0") << 200 << filler(0) << QByteArray("0");
    QTest::newRow("many bytes") << get("/bytes?n=3000000") << 200 << filler(3'000'000)
                                << QByteArray("3000000");
    QTest::newRow("bytes that are no number")
        << get("/bytes?n=5x") << 200 << filler(100) << QByteArray("100");
    QTest::newRow("bytes of another name") << get("/bytes?an=5") << 200 << filler(100) << QByteArray("100");
    QTest::newRow("chunked") << get("/chunked?n=2500") << 200 << filler(2500) << QByteArray();
    QTest::newRow("chunked, empty") << get("/chunked?n=0") << 200 << filler(0) << QByteArray();
    QTest::newRow("chunked, large") << get("/chunked?n=1000000") << 200 << filler(1'000'000) << QByteArray();
    QTest::newRow("404") << get("/status?code=404") << 404 << filler(100) << QByteArray("100");
    QTest::newRow("503 with 3 bytes") << get("/status?code=503&n=3") << 503 << filler(3) << QByteArray("3");
    QTest::newRow("204") << get("/status?code=204") << 204 << QByteArray() << QByteArray();
    QTest::newRow("304") << get("/status?code=304") << 304 << QByteArray() << QByteArray("100");
    QTest::newRow("100 is no answer") << get("/status?code=100") << 400 << filler(100) << QByteArray("100");
    QTest::newRow("post") << "POST /" + tail + "Content-Length: 5\r\n\r\nhello" << 200 << QByteArray("hello")
                          << QByteArray("5");
    QTest::newRow("put, chunked") << "PUT /" + tail
            + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;ext=1\r\n!\r\n0\r\nx: y\r\n\r\n"
                                  << 200 << QByteArray("hello!") << QByteArray("6");
    QTest::newRow("post, empty") << "POST /" + tail + "Content-Length: 0\r\n\r\n"
                                 << 200 << QByteArray() << QByteArray("0");
    QTest::newRow("post echoed in chunks") << "POST /chunked" + tail + "Content-Length: 5\r\n\r\nhello" << 200
                                           << QByteArray("hello") << QByteArray();
    QTest::newRow("large post") << "POST /" + tail + "Content-Length: 2000000\r\n\r\n"
            + QByteArray(2'000'000, 'b')
                                << 200 << QByteArray(2'000'000, 'b') << QByteArray("2000000");
    QTest::newRow("delete") << "DELETE /" + tail + "\r\n" << 200 << filler(100) << QByteArray("100");
}

void TestLabUpstream::answers() {
    QFETCH(QByteArray, request);
    const UpstreamThread upstream(options());
    RawClient client(upstream.addresses().front());
    for (int round = 0; round < 2; ++round) { // the connection is kept and as good as new
        client.send(request);
        const auto answer = client.readAnswer();
        QVERIFY(answer.has_value());
        QTEST(answer->status, "status");
        QTEST(answer->body, "body");
        QTEST(answer->field("Content-Length"), "length");
        QCOMPARE(answer->field("X-Backend"), QByteArray("0"));
    }
}

void TestLabUpstream::echoedHeadIsTheRequestToTheByte() {
    const UpstreamThread upstream(options());
    RawClient client(upstream.addresses().front());
    const QByteArray head = "GET /echo-headers?x=1 HTTP/1.1\r\nhost:a\r\nX-Odd:   b  \r\n\r\n";
    client.send(head);
    const auto answer = client.readAnswer();
    QVERIFY(answer.has_value());
    QCOMPARE(answer->body, head);
}

void TestLabUpstream::headHasLengthButNoBody() {
    const UpstreamThread upstream(options());
    RawClient client(upstream.addresses().front());
    client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nHEAD /chunked HTTP/1.1\r\nHost: a\r\n\r\n"
                "GET /bytes?n=1 HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto first = client.readAnswer(true);
    QVERIFY(first.has_value());
    QCOMPARE(first->field("Content-Length"), QByteArray("100"));
    const auto second = client.readAnswer(true);
    QVERIFY(second.has_value());
    QCOMPARE(second->field("Transfer-Encoding"), QByteArray("chunked"));
    const auto third = client.readAnswer();
    QVERIFY(third.has_value());
    QCOMPARE(third->body, QByteArray("x"));
}

void TestLabUpstream::everyServerNamesItself() {
    const UpstreamThread upstream(options(3));
    QCOMPARE(upstream.addresses().size(), std::size_t{3});
    int index = 0;
    for (const SocketAddress& address : upstream.addresses()) {
        RawClient client(address);
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        const auto answer = client.readAnswer();
        QVERIFY(answer.has_value());
        QCOMPARE(answer->field("X-Backend"), QByteArray::number(index++));
    }
}

void TestLabUpstream::latencies() {
    UpstreamOptions made = options(3);
    made.latencies = {Latency{}, Latency{40'000, 5'000}};
    const UpstreamThread upstream(made);
    const auto elapsedMs = [&](std::size_t server, const QByteArray& target) {
        RawClient client(upstream.addresses()[server]);
        const std::int64_t startNs = monotonicNowNs();
        client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
        return client.readAnswer() ? static_cast<double>(monotonicNowNs() - startNs) / 1e6 : -1.0;
    };
    QVERIFY(elapsedMs(1, "/") >= 40);
    QVERIFY(elapsedMs(2, "/") >= 40); // the last latency holds for those behind it
    QVERIFY(elapsedMs(0, "/slow?ms=60") >= 60);
    QVERIFY(elapsedMs(0, "/bytes?n=1&ms=30") >= 30);
    QVERIFY(elapsedMs(1, "/slow?ms=0") >= 0);
}

void TestLabUpstream::pipelinedRequestsAreAnsweredInTurn() {
    UpstreamOptions made = options();
    made.latencies = {Latency{500, 2'000}};
    const UpstreamThread upstream(made);
    RawClient client(upstream.addresses().front());
    QByteArray requests;
    for (int i = 0; i < 40; ++i) {
        const QByteArray body = "body " + QByteArray::number(i);
        requests += "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + QByteArray::number(body.size())
            + "\r\n\r\n" + body;
    }
    client.send(requests);
    for (int i = 0; i < 40; ++i) {
        const auto answer = client.readAnswer();
        QVERIFY(answer.has_value());
        QCOMPARE(answer->body, "body " + QByteArray::number(i));
    }
}

void TestLabUpstream::requestsInSmallPieces() {
    const UpstreamThread upstream(options());
    RawClient client(upstream.addresses().front());
    const QByteArray request = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                               "3\r\nabc\r\n0\r\n\r\n";
    const QByteArray twoRequests = request + request;
    for (const char byte : twoRequests)
        client.send(QByteArray(1, byte));
    for (int i = 0; i < 2; ++i) {
        const auto answer = client.readAnswer();
        QVERIFY(answer.has_value());
        QCOMPARE(answer->body, QByteArray("abc"));
    }
}

void TestLabUpstream::closesWhenAsked_data() {
    QTest::addColumn<QByteArray>("request");
    QTest::newRow("Connection: close")
        << QByteArray("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    QTest::newRow("HTTP/1.0") << QByteArray("GET / HTTP/1.0\r\n\r\n");
    QTest::newRow("another request behind")
        << QByteArray("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                      "GET /bytes?n=7 HTTP/1.1\r\nHost: a\r\n\r\n");
    QTest::newRow("large answer") << QByteArray(
        "GET /bytes?n=1000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
}

void TestLabUpstream::closesWhenAsked() {
    QFETCH(QByteArray, request);
    const UpstreamThread upstream(options());
    RawClient client(upstream.addresses().front());
    client.send(request);
    const auto answer = client.readAnswer();
    QVERIFY(answer.has_value());
    QCOMPARE(answer->status, 200);
    QCOMPARE(answer->field("Connection"), QByteArray("close"));
    QVERIFY(client.readEnd());
}

void TestLabUpstream::refusesAndCloses_data() {
    QTest::addColumn<QByteArray>("request");
    QTest::addColumn<int>("status");
    QTest::newRow("garbage") << QByteArray("\x16\x03\x01 hello\r\n\r\n") << 400;
    QTest::newRow("no host") << QByteArray("GET / HTTP/1.1\r\n\r\n") << 400;
    QTest::newRow("both lengths") << QByteArray("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
                                                "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
                                  << 400;
    QTest::newRow("bad chunk size") << QByteArray(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
        "\r\nxyz\r\n") << 400;
    QTest::newRow("body too large") << QByteArray(
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n")
                                    << 413;
}

void TestLabUpstream::refusesAndCloses() {
    QFETCH(QByteArray, request);
    const UpstreamThread upstream(options());
    RawClient client(upstream.addresses().front());
    client.send(request);
    const auto answer = client.readAnswer();
    QVERIFY(answer.has_value());
    QTEST(answer->status, "status");
    QVERIFY(client.readEnd());
}

void TestLabUpstream::continueBeforeTheBody() {
    const UpstreamThread upstream(options());
    RawClient client(upstream.addresses().front());
    client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    const auto interim = client.readAnswer();
    QVERIFY(interim.has_value());
    QCOMPARE(interim->status, 100);
    client.send("ok");
    const auto answer = client.readAnswer();
    QVERIFY(answer.has_value());
    QCOMPARE(answer->status, 200);
    QCOMPARE(answer->body, QByteArray("ok"));
}

void TestLabUpstream::halfClosedClientIsAnswered() {
    UpstreamOptions made = options();
    made.latencies = {Latency{20'000, 0}};
    const UpstreamThread upstream(made);
    RawClient client(upstream.addresses().front());
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    client.shutdownWrite();
    const auto answer = client.readAnswer();
    QVERIFY(answer.has_value());
    QCOMPARE(answer->body.size(), 100);
    QVERIFY(client.readEnd());
}

void TestLabUpstream::cutRequestIsNotAnswered() {
    const UpstreamThread upstream(options());
    RawClient client(upstream.addresses().front());
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
    client.shutdownWrite();
    QVERIFY(client.readEnd());
}

void TestLabUpstream::addressesAreTakenAsGiven() {
    auto loop = io::EventLoop::create();
    QVERIFY(loop.has_value());

    UpstreamOptions made;
    made.listen = {*SocketAddress::parse("127.0.0.1:0"), *SocketAddress::parse("[::1]:0")};
    Upstream two(*loop, made);
    const auto started = two.start();
    QVERIFY2(started.has_value(), started ? "" : started.error().toString().c_str());
    QCOMPARE(two.addresses().size(), std::size_t{2});
    QCOMPARE(two.addresses()[1].family(), AF_INET6);

    made.servers = 3;
    const auto mismatch = Upstream(*loop, made).start();
    QVERIFY(!mismatch.has_value());
    QCOMPARE(mismatch.error().code, Error::Code::InvalidArgument);

    UpstreamOptions taken;
    taken.listen = {two.addresses().front()};
    const auto again = Upstream(*loop, taken).start();
    QVERIFY(!again.has_value());
    QVERIFY(again.error().where.find(two.addresses().front().toString()) != std::string::npos);

    UpstreamOptions none;
    QVERIFY(!Upstream(*loop, none).start().has_value());
}

void TestLabUpstream::latencyTexts_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("isRight");
    QTest::addColumn<quint32>("fixedUs");
    QTest::addColumn<quint32>("jitterUs");
    QTest::newRow("0") << "0" << true << 0U << 0U;
    QTest::newRow("3") << "3" << true << 3000U << 0U;
    QTest::newRow("0.5") << "0.5" << true << 500U << 0U;
    QTest::newRow("3+2") << "3+2" << true << 3000U << 2000U;
    for (const char* text : {"", "x", "3ms", "-1", "3+", "+3", "3+-1", "nan", "1e99", "3+2+1"})
        QTest::newRow(text[0] ? text : "empty") << QString::fromLatin1(text) << false << 0U << 0U;
}

void TestLabUpstream::latencyTexts() {
    QFETCH(QString, text);
    QFETCH(bool, isRight);
    const auto latency = Latency::parse(text.toStdString());
    QCOMPARE(latency.has_value(), isRight);
    if (!latency)
        return;
    QTEST(quint32{latency->fixedUs}, "fixedUs");
    QTEST(quint32{latency->jitterUs}, "jitterUs");
}

QTEST_GUILESS_MAIN(TestLabUpstream)
#include "tst_lab_upstream.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "request_cases.h"
#include "response_cases.h"

#include "backend/http/head_writer.h"
#include "backend/http/parser.h"
#include "backend/http/path.h"

#include "string_compare.h"

using namespace yardmaster;
using namespace yardmaster::http;
using namespace std::string_literals;

class TestHeadWriter : public QObject {
    Q_OBJECT

private slots:
    void upstream_request_whole();
    void upstream_request_data();
    void upstream_request();
    void upstream_request_replacing_data();
    void upstream_request_replacing();
    void own_names_and_ids();
    void every_accepted_request_is_forwarded_unambiguously();
    void client_response_data();
    void client_response();
    void every_accepted_response_is_forwarded_unambiguously();
    void fields_from_elsewhere_are_written_too();
    void own_answers_data();
    void own_answers();
    void every_own_answer_is_valid();
    void appends_and_does_not_allocate_again();
};

namespace {

ForwardedInfo plainInfo() {
    ForwardedInfo info;
    info.clientAddress = "192.0.2.7";
    info.port = "8080";
    info.requestId = "our-id";
    return info;
}

/// What the upstream gets; the parts behind the fields that come from the client are left out when `tail` is
/// false.
std::string forwarded(const std::string& bytes, const ForwardedInfo& info) {
    RequestParser parser;
    if (parser.parse(bytes) != ParseStatus::Complete) {
        return "refused: "s + parser.error().reason;
    }
    std::string storage;
    const auto path = parser.head().method == Method::Connect ? Expected<std::string_view>(std::string_view())
                                                              : normalisePath(parser.head().path, storage);
    if (!path) {
        return "refused: " + path.error().what;
    }
    std::string out;
    writeUpstreamRequest(out, parser.head(), *path, info);
    return out;
}

std::string answered(const std::string& bytes, const ResponseOptions& options, Method method = Method::Get) {
    ResponseParser parser;
    if (parser.parse(bytes, method) != ParseStatus::Complete) {
        return "refused: "s + parser.error().reason;
    }
    std::string out;
    writeClientResponse(out, parser.head(), options);
    return out;
}

bool hasLine(const std::string& head, const std::string& line) {
    return head.find("\r\n" + line + "\r\n") != std::string::npos;
}

bool hasField(const std::string& head, const std::string& name) {
    RequestParser parser;
    const std::string padded = "GET / HTTP/1.1\r\n" + head.substr(head.find('\n') + 1);
    static_cast<void>(parser.parse(padded));
    for (const Field& field : parser.head().fields) {
        if (QByteArray(field.name.data(), static_cast<qsizetype>(field.name.size()))
                .compare(name.c_str(), Qt::CaseInsensitive)
            == 0) {
            return true;
        }
    }
    return false;
}

void checkLines(const std::string& head, const QByteArrayList& present, const QByteArrayList& absent) {
    for (const QByteArray& line : present) {
        QVERIFY2(hasLine(head, line.toStdString()), (line.toStdString() + " is missing in\n" + head).c_str());
    }
    for (const QByteArray& name : absent) {
        QVERIFY2(!hasField(head, name.toStdString()), (name.toStdString() + " is in\n" + head).c_str());
    }
}

void addLineColumns() {
    QTest::addColumn<QByteArray>("lines");
    QTest::addColumn<QByteArrayList>("present");
    QTest::addColumn<QByteArrayList>("absent");
}

using Lines = QByteArrayList;

} // namespace

void TestHeadWriter::upstream_request_whole() {
    const std::string bytes = "POST /a/../%62?c=%64 HTTP/1.0\r\nAccept: */*\r\nHost: example.com:81\r\n"
                              "Connection: keep-alive, X-Drop\r\nX-Drop: 1\r\nContent-Length: 007\r\n"
                              "User-Agent:x\r\nX-Forwarded-For: 198.51.100.9\r\n\r\n";
    QCOMPARE(forwarded(bytes, plainInfo()),
        "POST /b?c=%64 HTTP/1.1\r\nHost: example.com:81\r\nAccept: */*\r\nUser-Agent: x\r\n"
        "Content-Length: 7\r\nX-Forwarded-For: 198.51.100.9, 192.0.2.7\r\nX-Forwarded-Proto: http\r\n"
        "X-Forwarded-Port: 8080\r\nForwarded: for=192.0.2.7;proto=http;host=\"example.com:81\"\r\n"
        "X-Request-Id: our-id\r\n\r\n"s);
}

void TestHeadWriter::upstream_request_data() {
    addLineColumns();
    const auto row = [](const char* name, const char* lines, const Lines& present, const Lines& absent = {}) {
        QTest::newRow(name) << QByteArray(lines) << present << absent;
    };
    row("9110-7.6.1 hop-by-hop",
        "Connection: close, a\r\nA: 1\r\nKeep-Alive: 2\r\nProxy-Connection: 3\r\nTE: trailers\r\n"
        "Upgrade: x\r\nProxy-Authorization: y\r\nB: 4\r\nTrailer: c\r\n",
        {"B: 4", "Trailer: c", "Host: h"},
        {"Connection", "A", "Keep-Alive", "Proxy-Connection", "TE", "Upgrade", "Proxy-Authorization"});
    row("9110-7.6.1 what cannot be removed",
        "Connection: content-length, x-forwarded-for, host, forwarded, x-request-id\r\nContent-Length: 5\r\n"
        "X-Forwarded-For: 1.2.3.4\r\nForwarded: for=1.2.3.4\r\nX-Request-Id: theirs\r\n",
        {"Content-Length: 5", "X-Forwarded-For: 1.2.3.4, 192.0.2.7", "Host: h", "X-Request-Id: theirs",
            "Forwarded: for=1.2.3.4, for=192.0.2.7;proto=http;host=h"});
    row("9112-7.1 chunked", "Transfer-Encoding: Chunked\r\n", {"Transfer-Encoding: chunked"},
        {"Content-Length"});
    row("no body", "", {}, {"Content-Length", "Transfer-Encoding"});
    row("zero length", "Content-Length: 0\r\n", {"Content-Length: 0"}, {"Transfer-Encoding"});
    row("several X-Forwarded-For",
        "X-Forwarded-For: a\r\nB: 1\r\nX-Forwarded-For: b, c\r\nX-Forwarded-For:\r\n",
        {"X-Forwarded-For: a, b, c, 192.0.2.7", "B: 1"});
    row("empty X-Forwarded-For", "X-Forwarded-For: \r\n", {"X-Forwarded-For: 192.0.2.7"});
    row("own proto and port win", "X-Forwarded-Proto: https\r\nX-Forwarded-Port: 443\r\n",
        {"X-Forwarded-Proto: http", "X-Forwarded-Port: 8080"});
    row("other claims are kept", "X-Real-IP: 1\r\nX-Forwarded-Host: a\r\n",
        {"X-Real-IP: 1", "X-Forwarded-Host: a"});
    row("disguised claims are not", "X_Forwarded_For: 1\r\nx_real_ip: 2\r\nContent_Length: 3\r\n", {},
        {"X_Forwarded_For", "x_real_ip", "Content_Length"});
    row("7239-4 several Forwarded", "Forwarded: for=a\r\nForwarded: for=\"[::1]:80\"\r\n",
        {"Forwarded: for=a, for=\"[::1]:80\", for=192.0.2.7;proto=http;host=h"});
    row("7239-4 an open quote", "Forwarded: for=\"a\r\n", {"Forwarded: for=192.0.2.7;proto=http;host=h"});
    row("7239-4 one of two is wrong", "Forwarded: for=a\r\nForwarded: nonsense\r\n",
        {"Forwarded: for=192.0.2.7;proto=http;host=h"});
    row("request id", "X-Request-ID: 0f8fad5b-d9cb\r\n", {"X-Request-ID: 0f8fad5b-d9cb"});
    row("request id that is none", "X-Request-ID: a b\r\n", {"X-Request-Id: our-id"});
    row("empty request id", "X-Request-ID:\r\n", {"X-Request-Id: our-id"});
    row("two request ids", "X-Request-ID: a\r\nX-Request-ID: b\r\n", {"X-Request-Id: our-id"});
    row("9110-7.8 upgrade",
        "Connection: Upgrade, x\r\nUpgrade: websocket\r\nX: 1\r\nSec-WebSocket-Key: k\r\n",
        {"Connection: upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: k"}, {"X"});
    row("9113-3.1 h2c", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n", {},
        {"Connection", "Upgrade", "HTTP2-Settings"});
    row("9110-10.1.1 expectation", "Expect: 100-continue\r\nContent-Length: 1\r\n", {"Expect: 100-continue"});
    row("9110-10.1.1 expectation without a body", "Expect: 100-continue\r\n", {}, {"Expect"});
    row("order and repetition", "A: 1\r\nB:2\r\nA: 3\r\n", {"A: 1\r\nB: 2\r\nA: 3"});
    row("values are made uniform", "A: \t 1 \t\r\nB:\r\nC: \t\r\nD: 2\r\n", {"A: 1\r\nB: \r\nC: \r\nD: 2"});
}

void TestHeadWriter::upstream_request() {
    QFETCH(QByteArray, lines);
    QFETCH(QByteArrayList, present);
    QFETCH(QByteArrayList, absent);
    checkLines(forwarded("GET / HTTP/1.1\r\nHost: h\r\n" + lines.toStdString() + "\r\n", plainInfo()),
        present, absent);
}

void TestHeadWriter::upstream_request_replacing_data() {
    addLineColumns();
    const auto row = [](const char* name, const char* lines, const Lines& present, const Lines& absent = {}) {
        QTest::newRow(name) << QByteArray(lines) << present << absent;
    };
    row("X-Forwarded-For", "X-Forwarded-For: a\r\nX-Forwarded-For: b\r\n", {"X-Forwarded-For: 2001:db8::1"});
    row("Forwarded", "Forwarded: for=a\r\n", {"Forwarded: for=\"[2001:db8::1]\";proto=https;host=h"});
    row("other claims", "X-Real-IP: 1\r\nX-Forwarded-Host: a\r\nB: 1\r\n", {"B: 1"},
        {"X-Real-IP", "X-Forwarded-Host"});
    row("request id stays", "X-Request-Id: a\r\n", {"X-Request-Id: a"});
}

void TestHeadWriter::upstream_request_replacing() {
    QFETCH(QByteArray, lines);
    QFETCH(QByteArrayList, present);
    QFETCH(QByteArrayList, absent);
    ForwardedInfo info = plainInfo();
    info.clientAddress = "2001:db8::1";
    info.proto = "https";
    info.replaceForwardedFor = true;
    checkLines(
        forwarded("GET / HTTP/1.1\r\nHost: h\r\n" + lines.toStdString() + "\r\n", info), present, absent);
}

void TestHeadWriter::own_names_and_ids() {
    ForwardedInfo info = plainInfo();
    info.requestIdHeader = "Sozu-Id";
    info.port = {};
    const std::string ours = forwarded("GET / HTTP/1.1\r\nHost: h\r\nX-Request-Id: a\r\n\r\n", info);
    checkLines(ours, {"X-Request-Id: a", "Sozu-Id: our-id"}, {"X-Forwarded-Port"});
    const std::string theirs =
        forwarded("GET / HTTP/1.1\r\nHost: h\r\nConnection: sozu-id\r\nsozu-id: b\r\n\r\n", info);
    checkLines(theirs, {"sozu-id: b"}, {"Connection"});
    QVERIFY(!hasLine(theirs, "Sozu-Id: our-id"));

    info.requestId = {};
    info.clientAddress = {};
    const std::string unknown = forwarded("GET / HTTP/1.1\r\nHost: h\r\n\r\n", info);
    checkLines(unknown, {"Forwarded: for=unknown;proto=http;host=h"}, {"Sozu-Id", "X-Forwarded-For"});
    checkLines(forwarded("GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: a\r\n\r\n", info),
        {"X-Forwarded-For: a, unknown"}, {});

    QCOMPARE(forwarded("GET / HTTP/1.0\r\n\r\n", info),
        "GET / HTTP/1.1\r\nHost: \r\nX-Forwarded-Proto: http\r\nForwarded: for=unknown;proto=http\r\n\r\n"s);
    QVERIFY(forwarded("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", info).rfind("OPTIONS * HTTP/1.1\r\n", 0) == 0);
    QVERIFY(forwarded("GET /? HTTP/1.1\r\nHost: h\r\n\r\n", info).rfind("GET /? HTTP/1.1\r\n", 0) == 0);
    QVERIFY(forwarded("GET https://h/a/./b?c HTTP/1.1\r\nHost: h\r\n\r\n", info)
                .rfind("GET /a/b?c HTTP/1.1\r\nHost: h\r\n", 0)
        == 0);
    QVERIFY(
        forwarded("CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n", info).rfind("CONNECT h:1 HTTP/1.1\r\n", 0) == 0);
}

void TestHeadWriter::every_accepted_request_is_forwarded_unambiguously() {
    std::size_t forwardedCount = 0;
    for (const RequestCase& c : requestCases()) {
        if (c.status != 0) {
            continue;
        }
        RequestParser first;
        QCOMPARE(first.parse(c.bytes), ParseStatus::Complete);
        const std::string out = forwarded(c.bytes, plainInfo());
        if (out.rfind("refused: ", 0) == 0) {
            continue; // a path that is a target, but not one to route
        }
        ++forwardedCount;
        RequestParser second;
        const ParseStatus status = second.parse(out);
        if (first.head().host.empty()) {
            QCOMPARE(status, ParseStatus::Error); // HTTP/1.0 without Host is for no backend
            continue;
        }
        QVERIFY2(
            status == ParseStatus::Complete, (c.name + ": " + second.error().reason + "\n" + out).c_str());
        QCOMPARE(second.head().headBytes, out.size());
        QCOMPARE(second.head().methodText, first.head().methodText);
        QCOMPARE(second.head().authority, first.head().authority);
        QCOMPARE(second.head().query, first.head().query);
        QCOMPARE(second.head().contentLength, first.head().contentLength);
        QVERIFY(second.head().framing == first.head().framing);
        QVERIFY(second.head().wantsUpgrade == first.head().wantsUpgrade);
        QVERIFY(second.head().keepAlive);
    }
    QVERIFY(forwardedCount > 60);
}

void TestHeadWriter::client_response_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<bool>("keepAlive");
    QTest::addColumn<bool>("chunked");
    QTest::addColumn<int>("minor");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* name, const char* bytes, bool keepAlive, bool chunked, int minor,
                         const char* expected) {
        QTest::newRow(name) << QByteArray(bytes) + "\r\n"
                            << keepAlive << chunked << minor << QByteArray(expected) + "\r\n";
    };
    row("kept alive", "HTTP/1.1 200 OK\r\nServer: a\r\nContent-Length: 5\r\nDate: b\r\n", true, false, 1,
        "HTTP/1.1 200 OK\r\nServer: a\r\nContent-Length: 5\r\nDate: b\r\n");
    row("closed", "HTTP/1.1 404 No\r\nContent-Length: 5\r\n", false, false, 1,
        "HTTP/1.1 404 No\r\nContent-Length: 5\r\nConnection: close\r\n");
    row("kept alive in HTTP/1.0", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", true, false, 0,
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n");
    row("hop-by-hop",
        "HTTP/1.0 200 OK\r\nConnection: keep-alive, a\r\nA: 1\r\nKeep-Alive: x\r\nB: 2\r\nUpgrade: h2\r\n"
        "Proxy-Authenticate: c\r\nContent-Length: 00\r\n",
        true, false, 1, "HTTP/1.1 200 OK\r\nB: 2\r\nContent-Length: 0\r\n");
    row("length cannot be removed", "HTTP/1.1 200 OK\r\nConnection: content-length\r\nContent-Length: 5\r\n",
        true, false, 1, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n");
    row("chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nTrailer: a\r\n", true, true, 1,
        "HTTP/1.1 200 OK\r\nTrailer: a\r\nTransfer-Encoding: chunked\r\n");
    row("chunked to HTTP/1.0", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n", false, false, 0,
        "HTTP/1.1 200 OK\r\nA: b\r\nConnection: close\r\n");
    row("until close, re-framed", "HTTP/1.0 200 OK\r\nA: b\r\n", true, true, 1,
        "HTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\n");
    row("until close, as it came", "HTTP/1.1 200 OK\r\nA: b\r\n", false, false, 1,
        "HTTP/1.1 200 OK\r\nA: b\r\nConnection: close\r\n");
    row("304 with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: x\r\n", true, false, 1,
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: x\r\n");
    row("204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n", true, false, 1,
        "HTTP/1.1 204 No Content\r\n");
    row("103", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n", false, false, 1,
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n");
    row("101",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade, x\r\nX: 1\r\n"
        "Sec-WebSocket-Accept: k\r\n",
        true, false, 1,
        "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: k\r\nUpgrade: websocket\r\n"
        "Connection: upgrade\r\n");
    row("426", "HTTP/1.1 426 Upgrade Required\r\nUpgrade: a\r\nConnection: Upgrade\r\nContent-Length: 0\r\n",
        false, false, 1,
        "HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\nUpgrade: a\r\nConnection: upgrade, close\r\n");
    row("426 without Upgrade", "HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n", false, false, 1,
        "HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\nConnection: close\r\n");
    row("empty reason", "HTTP/1.1 299 \r\nContent-Length: 0\r\n", true, false, 1,
        "HTTP/1.1 299 \r\nContent-Length: 0\r\n");
    row("repeated fields", "HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nSet-Cookie:b\r\nContent-Length: 0\r\n", true,
        false, 1, "HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 0\r\n");
}

void TestHeadWriter::client_response() {
    QFETCH(QByteArray, bytes);
    QFETCH(bool, keepAlive);
    QFETCH(bool, chunked);
    QFETCH(int, minor);
    QFETCH(QByteArray, expected);
    QCOMPARE(
        answered(bytes.toStdString(), ResponseOptions{keepAlive, chunked, minor}), expected.toStdString());
}

void TestHeadWriter::every_accepted_response_is_forwarded_unambiguously() {
    for (const ResponseCase& c : responseCases()) {
        if (c.verdict != ResponseCase::Verdict::Accepted) {
            continue;
        }
        ResponseParser first;
        QCOMPARE(first.parse(c.bytes, c.method), ParseStatus::Complete);
        ResponseOptions options;
        options.chunked =
            first.head().framing == BodyFraming::Chunked || first.head().framing == BodyFraming::UntilClose;
        const std::string out = answered(c.bytes, options, c.method);
        ResponseParser second;
        const ParseStatus status = second.parse(out, c.method);
        QVERIFY2(
            status == ParseStatus::Complete, (c.name + ": " + second.error().reason + "\n" + out).c_str());
        QCOMPARE(second.head().headBytes, out.size());
        QCOMPARE(second.head().status, first.head().status);
        QCOMPARE(second.head().reason, first.head().reason);
        QCOMPARE(second.head().hasContentLength, first.head().hasContentLength);
        if (first.head().hasContentLength) {
            QCOMPARE(second.head().contentLength, first.head().contentLength);
        }
        QVERIFY(second.head().framing == (options.chunked ? BodyFraming::Chunked : first.head().framing));
        QVERIFY2(second.head().keepAlive, c.name.c_str());
    }
}

void TestHeadWriter::fields_from_elsewhere_are_written_too() {
    // Not views into one buffer, no Content-Length field, no id.
    ResponseHead head;
    head.status = 200;
    head.reason = "Fine";
    head.framing = BodyFraming::ContentLength;
    head.contentLength = 12;
    const std::string name = "A";
    const std::string value = "b";
    head.fields = {Field{name, value, FieldId::Other, false}, Field{"C", "", FieldId::Other, false},
        Field{"D", "e", FieldId::Other, true}};
    std::string out = "before ";
    writeClientResponse(out, head, {});
    QCOMPARE(out, "before HTTP/1.1 200 Fine\r\nA: b\r\nC: \r\nContent-Length: 12\r\n\r\n"s);
}

void TestHeadWriter::own_answers_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<bool>("keepAlive");
    QTest::addColumn<bool>("headRequest");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("extraFields");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("404") << 404 << true << false << QByteArray() << QByteArray()
                         << QByteArray(
                                "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 14\r\n"
                                "Connection: keep-alive\r\n\r\n404 Not Found\n");
    QTest::newRow("404 to HEAD") << 404 << true << true << QByteArray() << QByteArray()
                                 << QByteArray("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n"
                                               "Content-Length: 14\r\nConnection: keep-alive\r\n\r\n");
    QTest::newRow("400, closed") << 400 << false << false << QByteArray("no\n") << QByteArray()
                                 << QByteArray("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n"
                                               "Content-Length: 3\r\nConnection: close\r\n\r\nno\n");
    QTest::newRow("own body to HEAD")
        << 503 << false << true << QByteArray("no\n") << QByteArray()
        << QByteArray("HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\n"
                      "Content-Length: 3\r\nConnection: close\r\n\r\n");
    QTest::newRow("extra field") << 405 << true << false << QByteArray() << QByteArray("Allow: GET\r\n")
                                 << QByteArray(
                                        "HTTP/1.1 405 Method Not Allowed\r\nContent-Type: text/plain\r\n"
                                        "Content-Length: 23\r\nConnection: keep-alive\r\nAllow: GET\r\n\r\n"
                                        "405 Method Not Allowed\n");
    QTest::newRow("100") << 100 << true << false << QByteArray() << QByteArray()
                         << QByteArray("HTTP/1.1 100 Continue\r\n\r\n");
    QTest::newRow("204") << 204 << true << false << QByteArray() << QByteArray()
                         << QByteArray("HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n");
}

void TestHeadWriter::own_answers() {
    QFETCH(int, status);
    QFETCH(bool, keepAlive);
    QFETCH(bool, headRequest);
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, extraFields);
    QFETCH(QByteArray, expected);
    std::string out;
    writeOwnAnswer(out, status, keepAlive, headRequest, body.toStdString(), extraFields.toStdString());
    QCOMPARE(out, expected.toStdString());
}

void TestHeadWriter::every_own_answer_is_valid() {
    for (const int status : {200, 204, 301, 304, 400, 403, 404, 405, 408, 411, 413, 414, 417, 421, 426, 429,
             431, 500, 501, 502, 503, 504, 505}) {
        for (const bool keepAlive : {true, false}) {
            for (const Method method : {Method::Get, Method::Head}) {
                std::string out;
                writeOwnAnswer(out, status, keepAlive, method == Method::Head);
                ResponseParser parser;
                QCOMPARE(parser.parse(out, method), ParseStatus::Complete);
                QCOMPARE(parser.head().status, status);
                QVERIFY(!parser.head().reason.empty());
                QCOMPARE(parser.head().keepAlive, keepAlive);
                const std::size_t body =
                    parser.head().framing == BodyFraming::None ? 0 : parser.head().contentLength;
                QCOMPARE(out.size(), parser.head().headBytes + body);
            }
        }
    }
}

void TestHeadWriter::appends_and_does_not_allocate_again() {
    const std::string request = "GET /a HTTP/1.1\r\nHost: h\r\nA: b\r\n\r\n";
    RequestParser parser;
    QCOMPARE(parser.parse(request), ParseStatus::Complete);
    std::string out;
    writeUpstreamRequest(out, parser.head(), "/a", plainInfo());
    const std::string once = out;
    writeUpstreamRequest(out, parser.head(), "/a", plainInfo());
    QCOMPARE(out, once + once);
    const void* memory = out.data();
    for (int i = 0; i < 10; ++i) {
        out.clear();
        writeUpstreamRequest(out, parser.head(), "/a", plainInfo());
        QCOMPARE(static_cast<const void*>(out.data()), memory);
    }
}

QTEST_APPLESS_MAIN(TestHeadWriter)
#include "tst_head_writer.moc"

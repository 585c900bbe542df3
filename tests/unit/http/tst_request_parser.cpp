// SPDX-License-Identifier: GPL-3.0-or-later
#include "guarded_bytes.h"
#include "message_text.h"
#include "request_cases.h"

#include "backend/http/parser.h"

#include "string_compare.h"

#include <set>

using namespace yardmaster::http;

class TestRequestParser : public QObject {
    Q_OBJECT

private slots:
    void accepts_and_refuses_data();
    void accepts_and_refuses();
    void result_does_not_depend_on_the_pieces_data();
    void result_does_not_depend_on_the_pieces();
    void body_bytes_are_left_alone();
    void parses_pipelined_requests_in_turn();
    void limits_data();
    void limits();
    void marks_connection_fields();
    void marks_disguised_fields();
    void reset_keeps_the_memory_of_fields();
    void stays_refused();
};

namespace {

Outcome parseAtOnce(std::string_view bytes, const ParserLimits& limits = {}) {
    GuardedBytes memory;
    RequestParser parser(limits);
    const std::string_view placed = memory.place(bytes);
    return outcomeOf(parser, parser.parse(placed));
}

/// The bytes move between the calls, as in a growing buffer.
Outcome parseInPieces(
    std::string_view bytes, const std::vector<std::size_t>& ends, const ParserLimits& limits = {}) {
    GuardedBytes memory;
    RequestParser parser(limits);
    for (const std::size_t end : ends) {
        const std::string_view placed = memory.place(bytes.substr(0, end));
        const ParseStatus status = parser.parse(placed);
        if (status != ParseStatus::NeedMore || end == bytes.size()) {
            return outcomeOf(parser, status);
        }
    }
    return {};
}

std::vector<std::size_t> everyByte(std::size_t size) {
    std::vector<std::size_t> ends;
    for (std::size_t end = 0; end <= size; ++end) {
        ends.push_back(end);
    }
    return ends;
}

void addRows() {
    QTest::addColumn<int>("index");
    const auto cases = requestCases();
    for (std::size_t i = 0; i < cases.size(); ++i) {
        QTest::newRow(cases[i].name.c_str()) << static_cast<int>(i);
    }
}

RequestCase currentCase() {
    QFETCH(int, index);
    return requestCases()[static_cast<std::size_t>(index)];
}

std::string hostedBy(const std::string& lines) {
    return "GET / HTTP/1.1\r\nHost: h\r\n" + lines + "\r\n";
}

} // namespace

void TestRequestParser::accepts_and_refuses_data() {
    addRows();
    std::set<std::string> names;
    for (const RequestCase& c : requestCases()) {
        QVERIFY2(names.insert(c.name).second, c.name.c_str());
    }
    QVERIFY(names.size() >= 150);
}

void TestRequestParser::accepts_and_refuses() {
    const RequestCase c = currentCase();
    const Outcome outcome = parseAtOnce(c.bytes);
    if (c.status > 0) {
        QCOMPARE(outcome.toString(), "error " + std::to_string(c.status) + ": " + c.expected);
    } else if (c.status < 0) {
        QCOMPARE(outcome.toString(), std::string("needs more"));
    } else {
        QVERIFY2(outcome.status == ParseStatus::Complete, outcome.toString().c_str());
        const std::string words = outcome.text.substr(0, outcome.text.find('\n'));
        QCOMPARE(missingWords(words, c.expected), std::string());
        QVERIFY2(missingWords(words, "bytes=" + std::to_string(c.bytes.size())).empty(), words.c_str());
    }
}

void TestRequestParser::result_does_not_depend_on_the_pieces_data() {
    addRows();
}

void TestRequestParser::result_does_not_depend_on_the_pieces() {
    const RequestCase c = currentCase();
    const Outcome whole = parseAtOnce(c.bytes);
    QCOMPARE(parseInPieces(c.bytes, everyByte(c.bytes.size())).toString(), whole.toString());
    for (std::size_t cut = 0; cut <= c.bytes.size(); ++cut) {
        const Outcome cutOnce = parseInPieces(c.bytes, {cut, c.bytes.size()});
        if (cutOnce != whole) {
            QFAIL(
                ("cut at " + std::to_string(cut) + ": " + cutOnce.toString() + "\nwhole: " + whole.toString())
                    .c_str());
        }
    }
}

void TestRequestParser::body_bytes_are_left_alone() {
    for (const RequestCase& c : requestCases()) {
        if (c.status == 0) {
            QCOMPARE(
                parseAtOnce(c.bytes + "\n\r\0\x80 body\r\n\r\n").toString(), parseAtOnce(c.bytes).toString());
        }
    }
}

void TestRequestParser::parses_pipelined_requests_in_turn() {
    std::string bytes;
    std::vector<std::string> expected;
    for (const RequestCase& c : requestCases()) {
        if (c.status == 0) {
            bytes += c.bytes;
            expected.push_back(parseAtOnce(c.bytes).toString());
        }
    }
    RequestParser parser;
    std::string_view rest = bytes;
    for (const std::string& wanted : expected) {
        parser.reset();
        const ParseStatus status = parser.parse(rest);
        QCOMPARE(outcomeOf(parser, status).toString(), wanted);
        rest.remove_prefix(parser.head().headBytes);
    }
    QVERIFY(rest.empty());
}

void TestRequestParser::limits_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("reason");
    // Limits below: a line of 40, 4 fields, 100 bytes in all, a body of 10.
    const auto row = [](const char* name, const std::string& bytes, int status, const char* reason) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << status << QByteArray(reason);
    };
    const auto target = [](std::size_t length) {
        return "GET /" + std::string(length - 14, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n";
    };
    row("longest request line", target(40), 0, "");
    row("request line too long", target(41), 414, "line too long");
    row("request line without an end", "GET /" + std::string(60, 'a'), 414, "line too long");
    row("request line that just needs its LF", "GET /" + std::string(36, 'a'), -1, "");
    row("longest field line", hostedBy("A: " + std::string(37, 'b') + "\r\n"), 0, "");
    row("field line too long", hostedBy("A: " + std::string(38, 'b') + "\r\n"), 431, "line too long");
    row("wrong field line too long", hostedBy("A : " + std::string(38, 'b') + "\r\n"), 431, "line too long");
    row("field line without an end", "GET / HTTP/1.1\r\nA: " + std::string(80, 'b'), 431, "line too long");
    row("field name without an end", "GET / HTTP/1.1\r\n" + std::string(80, 'b'), 431, "line too long");
    row("most fields", hostedBy("A: 1\r\nB: 2\r\nC: 3\r\n"), 0, "");
    row("too many fields", hostedBy("A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n"), 431, "too many fields");
    const std::string half = "A: " + std::string(34, 'b') + "\r\n"; // 39 bytes, behind 25
    row("largest head", hostedBy(half + "B: " + std::string(29, 'c') + "\r\n"), 0, "");
    row("head too large by its end", hostedBy(half + "B: " + std::string(30, 'c') + "\r\n"), 431,
        "head too large");
    row("head too large", hostedBy(half + "B: " + std::string(36, 'c') + "\r\n"), 431, "head too large");
    row("head too large without an end",
        "GET / HTTP/1.1\r\nHost: h\r\n" + half + "B: " + std::string(33, 'c'), 431, "head too large");
    row("largest body", hostedBy("Content-Length: 10\r\n"), 0, "");
    row("body too large", hostedBy("Content-Length: 11\r\n"), 413, "body larger than the limit");
    row("chunked body is not judged here", hostedBy("Transfer-Encoding: chunked\r\n"), 0, "");
}

void TestRequestParser::limits() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, status);
    QFETCH(QByteArray, reason);
    ParserLimits limits;
    limits.maxLineBytes = 40;
    limits.maxHeaderCount = 4;
    limits.maxHeadBytes = 100;
    limits.maxBodyBytes = 10;
    const std::string text = bytes.toStdString();
    const Outcome whole = parseAtOnce(text, limits);
    if (status > 0) {
        QCOMPARE(whole.toString(), "error " + std::to_string(status) + ": " + reason.toStdString());
    } else {
        QVERIFY2(whole.status == (status == 0 ? ParseStatus::Complete : ParseStatus::NeedMore),
            whole.toString().c_str());
    }
    QCOMPARE(parseInPieces(text, everyByte(text.size()), limits).toString(), whole.toString());
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        QCOMPARE(parseInPieces(text, {cut, text.size()}, limits).toString(), whole.toString());
    }
}

void TestRequestParser::marks_connection_fields() {
    const std::string bytes = hostedBy(
        "Connection: close, X-Secret, content-length, HOST, x-forwarded-for, transfer-encoding, Forwarded\r\n"
        "X-Secret: 1\r\nx-secret: 2\r\nX-Other: 3\r\nX-Forwarded-For: 4\r\nForwarded: for=a\r\n"
        "Content-Length: 0\r\nKeep-Alive: 5\r\nTE: trailers\r\nTrailer: a\r\nProxy-Connection: close\r\n"
        "Proxy-Authorization: x\r\n");
    RequestParser parser;
    QCOMPARE(parser.parse(bytes), ParseStatus::Complete);
    std::string marked;
    for (const Field& field : parser.head().fields) {
        marked += field.hopByHop ? std::string(field.name) + " " : std::string();
    }
    QCOMPARE(marked,
        std::string("Connection X-Secret x-secret Keep-Alive TE Proxy-Connection Proxy-Authorization "));
}

void TestRequestParser::marks_disguised_fields() {
    const std::string bytes =
        hostedBy("X_Forwarded_For: 1\r\nContent_Length: 2\r\nTransfer_Encoding: chunked\r\n"
                 "X_Real-Ip: 3\r\nmy_field: 4\r\nX_Forwarded_For_And_More_Text: 5\r\n");
    RequestParser parser;
    QCOMPARE(parser.parse(bytes), ParseStatus::Complete);
    std::string kept;
    for (const Field& field : parser.head().fields) {
        kept += field.hopByHop ? std::string() : std::string(field.name) + " ";
    }
    QCOMPARE(kept, std::string("Host my_field X_Forwarded_For_And_More_Text "));
    QVERIFY(parser.head().framing == BodyFraming::None);
}

void TestRequestParser::reset_keeps_the_memory_of_fields() {
    RequestParser parser;
    const std::string bytes = hostedBy("A: 1\r\nB: 2\r\nC: 3\r\n");
    QCOMPARE(parser.parse(bytes), ParseStatus::Complete);
    const Field* memory = parser.head().fields.data();
    const auto capacity = parser.head().fields.capacity();
    parser.reset();
    QVERIFY(parser.head().fields.empty());
    QCOMPARE(parser.parse(bytes), ParseStatus::Complete);
    QCOMPARE(parser.head().fields.data(), memory);
    QCOMPARE(parser.head().fields.capacity(), capacity);
    QCOMPARE(parser.head().fields.size(), std::size_t{4});
}

void TestRequestParser::stays_refused() {
    RequestParser parser;
    QCOMPARE(parser.parse("GET / HTTP/1.1\r\nA : b\r\n"), ParseStatus::Error);
    const std::string good = hostedBy("");
    QCOMPARE(parser.parse(good), ParseStatus::Error);
    parser.reset();
    QCOMPARE(parser.parse(good), ParseStatus::Complete);
}

QTEST_APPLESS_MAIN(TestRequestParser)
#include "tst_request_parser.moc"

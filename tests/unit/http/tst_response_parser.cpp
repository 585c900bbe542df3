// SPDX-License-Identifier: GPL-3.0-or-later
#include "guarded_bytes.h"
#include "message_text.h"
#include "response_cases.h"

#include "backend/http/parser.h"

#include "string_compare.h"

#include <set>

using namespace yardmaster::http;

class TestResponseParser : public QObject {
    Q_OBJECT

private slots:
    void accepts_and_refuses_data();
    void accepts_and_refuses();
    void result_does_not_depend_on_the_pieces_data();
    void result_does_not_depend_on_the_pieces();
    void body_bytes_are_left_alone();
    void limits_data();
    void limits();
    void marks_connection_fields();
    void reset_keeps_the_memory_of_fields();
};

namespace {

Outcome parseAtOnce(std::string_view bytes, Method method, const ParserLimits& limits = {}) {
    GuardedBytes memory;
    ResponseParser parser(limits);
    const std::string_view placed = memory.place(bytes);
    return outcomeOf(parser, parser.parse(placed, method));
}

/// The bytes move between the calls, as in a growing buffer. Cut at `cut`, or after every byte.
Outcome parseInPieces(
    std::string_view bytes, Method method, std::size_t cut, bool everyByte, const ParserLimits& limits = {}) {
    GuardedBytes memory;
    ResponseParser parser(limits);
    ParseStatus status = ParseStatus::NeedMore;
    for (std::size_t end = everyByte ? 0 : cut; end <= bytes.size() && status == ParseStatus::NeedMore;
         end = everyByte || end == bytes.size() ? end + 1 : bytes.size()) {
        status = parser.parse(memory.place(bytes.substr(0, end)), method);
    }
    return outcomeOf(parser, status);
}

std::string inPiecesDiffers(std::string_view bytes, Method method, const ParserLimits& limits = {}) {
    const Outcome whole = parseAtOnce(bytes, method, limits);
    if (const Outcome other = parseInPieces(bytes, method, 0, true, limits); other != whole) {
        return "byte by byte: " + other.toString() + "\nwhole: " + whole.toString();
    }
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        if (const Outcome other = parseInPieces(bytes, method, cut, false, limits); other != whole) {
            return "cut at " + std::to_string(cut) + ": " + other.toString() + "\nwhole: " + whole.toString();
        }
    }
    return {};
}

void addRows() {
    QTest::addColumn<int>("index");
    const auto cases = responseCases();
    for (std::size_t i = 0; i < cases.size(); ++i) {
        QTest::newRow(cases[i].name.c_str()) << static_cast<int>(i);
    }
}

ResponseCase currentCase() {
    QFETCH(int, index);
    return responseCases()[static_cast<std::size_t>(index)];
}

} // namespace

void TestResponseParser::accepts_and_refuses_data() {
    addRows();
    std::set<std::string> names;
    for (const ResponseCase& c : responseCases()) {
        QVERIFY2(names.insert(c.name).second, c.name.c_str());
    }
    QVERIFY(names.size() >= 80);
}

void TestResponseParser::accepts_and_refuses() {
    const ResponseCase c = currentCase();
    const Outcome outcome = parseAtOnce(c.bytes, c.method);
    switch (c.verdict) {
    case ResponseCase::Verdict::Refused:
        QCOMPARE(outcome.toString(), "error 502: " + c.expected);
        break;
    case ResponseCase::Verdict::Incomplete:
        QCOMPARE(outcome.toString(), std::string("needs more"));
        break;
    case ResponseCase::Verdict::Accepted: {
        QVERIFY2(outcome.status == ParseStatus::Complete, outcome.toString().c_str());
        const std::string words = outcome.text.substr(0, outcome.text.find('\n'));
        QCOMPARE(missingWords(words, c.expected), std::string());
        QVERIFY2(missingWords(words, "bytes=" + std::to_string(c.bytes.size())).empty(), words.c_str());
        break;
    }
    }
}

void TestResponseParser::result_does_not_depend_on_the_pieces_data() {
    addRows();
}

void TestResponseParser::result_does_not_depend_on_the_pieces() {
    const ResponseCase c = currentCase();
    QCOMPARE(inPiecesDiffers(c.bytes, c.method), std::string());
}

void TestResponseParser::body_bytes_are_left_alone() {
    for (const ResponseCase& c : responseCases()) {
        if (c.verdict == ResponseCase::Verdict::Accepted) {
            QCOMPARE(parseAtOnce(c.bytes + "\n\r\x01\x80 body\r\n\r\n", c.method).toString(),
                parseAtOnce(c.bytes, c.method).toString());
        }
    }
}

void TestResponseParser::limits_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("reason");
    // Limits below: a line of 40, 4 fields, 100 bytes in all, a body of 10.
    const auto row = [](const char* name, const std::string& bytes, const char* reason) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(reason);
    };
    const std::string start = "HTTP/1.1 200 OK\r\n";
    const std::string half = "A: " + std::string(34, 'b') + "\r\n"; // 39 bytes, behind 17
    row("longest status line", "HTTP/1.1 200 " + std::string(27, 'a') + "\r\n\r\n", "");
    row("status line too long", "HTTP/1.1 200 " + std::string(28, 'a') + "\r\n\r\n", "line too long");
    row("status line without an end", "HTTP/1.1 200 " + std::string(60, 'a'), "line too long");
    row("longest field line", start + "A: " + std::string(37, 'b') + "\r\n\r\n", "");
    row("field line too long", start + "A: " + std::string(38, 'b') + "\r\n\r\n", "line too long");
    row("most fields", start + "A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n\r\n", "");
    row("too many fields", start + "A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\nE: 5\r\n\r\n", "too many fields");
    row("largest head", start + half + "B: " + std::string(37, 'c') + "\r\n\r\n", "");
    row("head too large", start + half + half + "C: 123\r\n\r\n", "head too large");
    row("largest body", start + "Content-Length: 10\r\n\r\n", "");
    row("body too large", start + "Content-Length: 11\r\n\r\n", "body larger than the limit");
}

void TestResponseParser::limits() {
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, reason);
    ParserLimits limits;
    limits.maxLineBytes = 40;
    limits.maxHeaderCount = 4;
    limits.maxHeadBytes = 100;
    limits.maxBodyBytes = 10;
    const std::string text = bytes.toStdString();
    const Outcome whole = parseAtOnce(text, Method::Get, limits);
    if (reason.isEmpty()) {
        QVERIFY2(whole.status == ParseStatus::Complete, whole.toString().c_str());
    } else {
        QCOMPARE(whole.toString(), "error 502: " + reason.toStdString());
    }
    QCOMPARE(inPiecesDiffers(text, Method::Get, limits), std::string());
}

void TestResponseParser::marks_connection_fields() {
    const std::string_view bytes =
        "HTTP/1.1 200 OK\r\nConnection: keep-alive, X-Internal, Content-Length\r\n"
        "X-Internal: 1\r\nContent-Length: 0\r\nKeep-Alive: timeout=5\r\n"
        "Upgrade: h2c\r\nTrailer: a\r\nProxy-Authenticate: Basic\r\nVia: 1.1 x\r\n\r\n";
    ResponseParser parser;
    QCOMPARE(parser.parse(bytes, Method::Get), ParseStatus::Complete);
    std::string kept;
    for (const Field& field : parser.head().fields) {
        kept += field.hopByHop ? std::string() : std::string(field.name) + " ";
    }
    QCOMPARE(kept, std::string("Content-Length Trailer Via "));
}

void TestResponseParser::reset_keeps_the_memory_of_fields() {
    ResponseParser parser;
    const std::string_view bytes = "HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\nContent-Length: 0\r\n\r\n";
    QCOMPARE(parser.parse(bytes, Method::Get), ParseStatus::Complete);
    const Field* memory = parser.head().fields.data();
    parser.reset();
    QCOMPARE(parser.parse(bytes, Method::Get), ParseStatus::Complete);
    QCOMPARE(parser.head().fields.data(), memory);
    QCOMPARE(parser.head().fields.size(), std::size_t{3});
}

QTEST_APPLESS_MAIN(TestResponseParser)
#include "tst_response_parser.moc"

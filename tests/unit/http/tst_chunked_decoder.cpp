// SPDX-License-Identifier: GPL-3.0-or-later
#include "guarded_bytes.h"

#include "backend/http/parser.h"

#include "string_compare.h"

using namespace yardmaster::http;
using namespace std::string_literals;

class TestChunkedDecoder : public QObject {
    Q_OBJECT

private slots:
    void decodes_and_refuses_data();
    void decodes_and_refuses();
    void every_size_digit();
    void every_byte_behind_a_size();
    void body_limit();
    void extension_limit();
    void trailer_limits();
    void data_is_not_copied();
    void keeps_its_result_until_reset();
};

namespace {

struct Decoded {
    std::string body;
    std::string trailers;
    std::string verdict = "needs more"; ///< "end", or status and reason
    std::size_t consumed = 0;

    [[nodiscard]] std::string toString() const {
        return verdict + " after " + std::to_string(consumed) + "\nbody: " + body + "\ntrailers: " + trailers;
    }
};

/// Feeds the bytes in the given pieces; each piece lies at the end of readable memory.
Decoded decode(ChunkedDecoder& decoder, std::string_view bytes, const std::vector<std::size_t>& pieceSizes) {
    GuardedBytes memory(1 << 18);
    Decoded result;
    for (const std::size_t size : pieceSizes) {
        std::string_view piece = memory.place(bytes.substr(result.consumed, size));
        while (true) {
            const ChunkedDecoder::Step step = decoder.next(piece);
            result.consumed += step.consumed;
            piece.remove_prefix(step.consumed);
            if (step.kind == ChunkedDecoder::Kind::Data) {
                result.body += step.data;
            } else if (step.kind == ChunkedDecoder::Kind::NeedMore) {
                if (!piece.empty()) {
                    result.verdict = "did not take everything";
                    return result;
                }
                break;
            } else if (step.kind == ChunkedDecoder::Kind::End) {
                result.trailers = step.data;
                result.verdict = "end";
                return result;
            } else {
                result.verdict = std::to_string(decoder.error().status) + " " + decoder.error().reason;
                return result;
            }
        }
    }
    return result;
}

Decoded decodeWhole(std::string_view bytes, std::uint64_t limit = UINT64_MAX) {
    ChunkedDecoder decoder(limit);
    return decode(decoder, bytes, {bytes.size()});
}

std::string inPiecesDiffers(std::string_view bytes, std::uint64_t limit = UINT64_MAX) {
    const std::string whole = decodeWhole(bytes, limit).toString();
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        ChunkedDecoder decoder(limit);
        const std::string other = decode(decoder, bytes, {cut, bytes.size() - cut}).toString();
        if (other != whole) {
            return "cut at " + std::to_string(cut) + ": " + other + "\nwhole: " + whole;
        }
    }
    ChunkedDecoder decoder(limit);
    const std::string other = decode(decoder, bytes, std::vector<std::size_t>(bytes.size(), 1)).toString();
    return other == whole ? std::string() : "byte by byte: " + other + "\nwhole: " + whole;
}

} // namespace

void TestChunkedDecoder::decodes_and_refuses_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("verdict");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("trailers");
    const auto good = [](const char* name, const std::string& bytes, const char* body,
                          const char* trailers = "") {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray("end") << QByteArray(body)
                            << QByteArray(trailers);
    };
    const auto bad = [](const char* name, const std::string& bytes, const char* verdict,
                         const char* body = "") {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(verdict) << QByteArray(body)
                            << QByteArray();
    };
    const char* const badSize = "400 invalid chunk size";
    const char* const noSize = "400 chunk without a size";
    const char* const longer = "400 chunk longer than its size";
    const char* const blank = "400 white space behind a chunk size";
    const char* const refused = "400 field not allowed in the trailer section";

    good("9112-7.1 empty body", "0\r\n\r\n", "");
    good("9112-7.1 one chunk", "5\r\nhello\r\n0\r\n\r\n", "hello");
    good("9112-7.1 two chunks", "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", "hello");
    good("9112-7.1 hex, capitals", "A\r\n0123456789\r\n0\r\n\r\n", "0123456789");
    good("9112-7.1 hex, small", "a\r\n0123456789\r\n0\r\n\r\n", "0123456789");
    good("9112-7.1 leading zeros", "0000000000000005\r\nhello\r\n000\r\n\r\n", "hello");
    good("9112-7.1 line ends in the data", "4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n");
    good("9112-7.1 what looks like a last chunk in the data", "5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n");
    good("9112-7.1.1 extension", "5;a=b\r\nhello\r\n0;c\r\n\r\n", "hello");
    good("9112-7.1.1 quoted extension", "5;a=\"b;c d\"\r\nhello\r\n0\r\n\r\n", "hello");
    good("9112-7.1.1 blanks before the extension", "5 \t;a\r\nhello\r\n0\r\n\r\n", "hello");
    good("9112-7.1.1 blanks in the extension", "5; a = b\r\nhello\r\n0\r\n\r\n", "hello");
    good("9112-7.1.2 trailer", "0\r\nDigest: abc\r\n\r\n", "", "Digest: abc\r\n");
    good("9112-7.1.2 trailers, made uniform", "0\r\nA:b\r\nC: \t d \t\r\nE:\r\n\r\n", "",
        "A: b\r\nC: d\r\nE: \r\n");
    good("9110-6.5.1 dropped trailers",
        "0\r\nAuthorization: x\r\nset-cookie: y\r\nContent-Type: z\r\nA: b\r\n\r\n", "", "A: b\r\n");

    bad("9112-7.1 no size", "\r\nhello\r\n", noSize);
    bad("9112-7.1 no hex", "x\r\n", noSize);
    bad("9112-7.1 0x", "0x5\r\nhello\r\n0\r\n\r\n", badSize);
    bad("9112-7.1 plus", "+5\r\nhello\r\n", noSize);
    bad("9112-7.1 minus", "-1\r\n", noSize);
    bad("9112-7.1 letter behind", "5g\r\nhello\r\n", badSize);
    bad("9112-7.1 underscore", "1_0\r\n", badSize);
    bad("9112-7.1 h suffix", "5h\r\nhello\r\n", badSize);
    bad("9112-7.1 comma", "5,5\r\nhello\r\n", badSize);
    bad("9112-7.1 fraction", "5.0\r\nhello\r\n", badSize);
    bad("9112-7.1 quoted", "\"5\"\r\nhello\r\n", noSize);
    bad("9112-7.1 NUL behind", "5\0\r\nhello\r\n"s, badSize);
    bad("9112-7.1 17 digits", "00000000000000005\r\nhello\r\n", "400 chunk size too long");
    bad("9112-7.1 2^64 + 5", "10000000000000005\r\nhello\r\n", "400 chunk size too long");
    bad("9112-7.1 space in front", " 5\r\nhello\r\n", noSize);
    bad("9112-7.1 space behind", "5 \r\nhello\r\n", blank);
    bad("9112-7.1 tab behind", "5\t\r\nhello\r\n", blank);
    bad("9112-7.1 two sizes", "5 5\r\nhello\r\n", badSize);
    bad("9112-7.1 vertical tab behind", "5\v\r\nhello\r\n", badSize);
    bad("9112-2.2 LF behind a size", "5\nhello\r\n", "400 bare LF behind a chunk size");
    bad("9112-2.2 CR behind a size", "5\rhello\r\n", "400 bare CR behind a chunk size");
    bad("9112-2.2 CR CR LF behind a size", "5\r\r\nhello\r\n", "400 bare CR behind a chunk size");
    bad("9112-7.1 data too long", "3\r\nhello\r\n0\r\n\r\n", longer, "hel");
    bad("9112-7.1 data too short", "6\r\nhello\r\n0\r\n\r\n", "400 chunk longer than its size", "hello\r");
    bad("9112-2.2 LF behind the data", "5\r\nhello\n0\r\n\r\n", longer, "hello");
    bad("9112-2.2 CR behind the data", "5\r\nhello\r0\r\n\r\n", "400 bare CR behind a chunk", "hello");
    bad("9112-2.2 two bytes behind the data", "5\r\nhelloXX0\r\n\r\n", longer, "hello");
    bad("9112-7.1.1 LF in an extension", "5;a\nb\r\nhello\r\n", "400 bare LF in a chunk extension");
    bad("9112-7.1.1 CR in an extension", "5;a\rb\r\nhello\r\n", "400 bare CR behind a chunk size");
    bad("9112-7.1.1 NUL in an extension", "5;a\0\r\nhello\r\n"s, "400 invalid chunk extension");
    bad("9112-2.2 LF behind the last chunk", "0\n\r\n", "400 bare LF behind a chunk size");
    bad("9112-2.2 LF as the end", "0\r\n\n", "400 bare LF in the trailer section");
    bad("9112-2.2 LF behind a trailer", "0\r\nA: b\n\r\n", "400 bare LF in the trailer section");
    bad("9112-2.2 CR in a trailer", "0\r\nA: b\rc\r\n\r\n", "400 bare CR");
    bad("9112-7.1.2 space before the colon", "0\r\nA : b\r\n\r\n",
        "400 white space in or behind a field name");
    bad("9112-7.1.2 no colon", "0\r\nhello\r\n\r\n", "400 field line without a colon");
    bad("9112-5.2 folded trailer", "0\r\nA: b\r\n c\r\n\r\n", "400 folded field line");
    bad("9110-5.5 NUL in a trailer", "0\r\nA: \0\r\n\r\n"s, "400 control character in a field value");
    for (const char* name : {"Content-Length", "Transfer-Encoding", "Host", "Connection", "TE", "Trailer",
             "Upgrade", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Expect", "X-Forwarded-For",
             "X-Forwarded-Proto", "Forwarded", "X-Real-IP", "X-Request-Id", "Cookie", "content_length",
             "X_Forwarded_For"}) {
        bad(name, "0\r\nA: b\r\n" + std::string(name) + ": 1\r\n\r\n", refused);
    }
    bad("a request instead of a chunk", "GET / HTTP/1.1\r\n", noSize);
    bad("part of a size", "5", "needs more");
    bad("part of the data", "5\r\nhel", "needs more", "hel");
    bad("no last chunk", "5\r\nhello\r\n", "needs more", "hello");
    bad("no end", "0\r\nA: b\r\n", "needs more");
}

void TestChunkedDecoder::decodes_and_refuses() {
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, verdict);
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, trailers);
    const std::string text = bytes.toStdString();
    const Decoded whole = decodeWhole(text);
    QCOMPARE(whole.verdict, verdict.toStdString());
    QCOMPARE(whole.body, body.toStdString());
    QCOMPARE(whole.trailers, trailers.toStdString());
    QCOMPARE(inPiecesDiffers(text), std::string());
    if (whole.verdict == "end") {
        QCOMPARE(whole.consumed, text.size());
        // The next message is not touched.
        const Decoded followed = decodeWhole(text + "GET / HTTP/1.1\r\n\r\n");
        QCOMPARE(followed.toString(), whole.toString());
    }
}

void TestChunkedDecoder::every_size_digit() {
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        const Decoded decoded = decodeWhole(std::string(1, c) + "\r\n");
        const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        QCOMPARE(decoded.verdict, hex ? "needs more"s : "400 chunk without a size"s);
    }
}

void TestChunkedDecoder::every_byte_behind_a_size() {
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        const Decoded decoded = decodeWhole("0" + std::string(1, c) + "\r\n");
        const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        QCOMPARE(decoded.verdict == "needs more", hex || c == ';');
    }
}

void TestChunkedDecoder::body_limit() {
    const std::string ten = "5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n";
    QCOMPARE(decodeWhole(ten, 10).verdict, "end"s);
    const Decoded over = decodeWhole(ten, 9);
    QCOMPARE(over.verdict, "413 body larger than the limit"s);
    QCOMPARE(over.body, "hello"s);
    QCOMPARE(inPiecesDiffers(ten, 9), std::string());
    QCOMPARE(decodeWhole("ffffffffffffffff\r\n", 10).verdict, "413 body larger than the limit"s);
    QCOMPARE(decodeWhole("1\r\na\r\nffffffffffffffff\r\n").verdict, "413 body larger than the limit"s);
}

void TestChunkedDecoder::extension_limit() {
    QCOMPARE(decodeWhole("0;" + std::string(16000, 'a') + "\r\n\r\n").verdict, "end"s);
    QCOMPARE(
        decodeWhole("0;" + std::string(17000, 'a') + "\r\n\r\n").verdict, "400 chunk extensions too long"s);
    std::string many;
    for (int i = 0; i < 1000; ++i) {
        many += "1;" + std::string(50, 'a') + "\r\nx\r\n";
    }
    QCOMPARE(decodeWhole(many).verdict, "400 chunk extensions too long"s);
    // Signatures on large chunks are no abuse.
    std::string large;
    for (int i = 0; i < 1000; ++i) {
        large += "64;" + std::string(85, 's') + "\r\n" + std::string(100, 'x') + "\r\n";
    }
    large += "0\r\n\r\n";
    QCOMPARE(decodeWhole(large).verdict, "end"s);
}

void TestChunkedDecoder::trailer_limits() {
    QCOMPARE(decodeWhole("0\r\nA: " + std::string(8000, 'b') + "\r\n\r\n").verdict, "end"s);
    const std::string large = "0\r\nA: " + std::string(8300, 'b') + "\r\n\r\n";
    QCOMPARE(decodeWhole(large).verdict, "431 trailer section too large"s);
    ChunkedDecoder decoder;
    const Decoded inPieces = decode(decoder, large, std::vector<std::size_t>(large.size(), 1));
    QCOMPARE(inPieces.toString(), decodeWhole(large).toString());
    std::string many = "0\r\n";
    for (int i = 0; i < 64; ++i) {
        many += "A: b\r\n";
    }
    QCOMPARE(decodeWhole(many + "\r\n").verdict, "end"s);
    QCOMPARE(decodeWhole(many + "A: b\r\n\r\n").verdict, "431 too many trailers"s);
}

void TestChunkedDecoder::data_is_not_copied() {
    const std::string bytes = "5\r\nhello\r\n0\r\n\r\n";
    ChunkedDecoder decoder;
    const ChunkedDecoder::Step step = decoder.next(bytes);
    QVERIFY(step.kind == ChunkedDecoder::Kind::Data);
    QCOMPARE(static_cast<const void*>(step.data.data()), static_cast<const void*>(bytes.data() + 3));
    QCOMPARE(step.consumed, std::size_t{8});
    QCOMPARE(decoder.bodyBytes(), std::uint64_t{5});
}

void TestChunkedDecoder::keeps_its_result_until_reset() {
    ChunkedDecoder decoder;
    QVERIFY(decoder.next("x").kind == ChunkedDecoder::Kind::Error);
    QVERIFY(decoder.next("0\r\n\r\n").kind == ChunkedDecoder::Kind::Error);
    QVERIFY(decoder.next("").kind == ChunkedDecoder::Kind::Error);
    decoder.reset();
    QVERIFY(decoder.next("").kind == ChunkedDecoder::Kind::NeedMore);
    QVERIFY(decoder.next("0\r\nA: b\r\n\r\n").kind == ChunkedDecoder::Kind::End);
    const ChunkedDecoder::Step again = decoder.next("GET");
    QVERIFY(again.kind == ChunkedDecoder::Kind::End);
    QCOMPARE(again.consumed, std::size_t{0});
    QCOMPARE(again.data, std::string_view("A: b\r\n"));
    decoder.reset();
    const std::string bytes = "2\r\nab\r\n0\r\n\r\n";
    QCOMPARE(decode(decoder, bytes, {bytes.size()}).toString(), decodeWhole(bytes).toString());
}

QTEST_APPLESS_MAIN(TestChunkedDecoder)
#include "tst_chunked_decoder.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
//
// Damaged messages: the parsers and the slow reference must agree on every one, whatever the pieces, and
// never read behind the bytes. The seeds are fixed, so that a failure can be repeated.
#include "guarded_bytes.h"
#include "message_text.h"
#include "request_cases.h"
#include "response_cases.h"
#include "slow_reference.h"

#include "backend/http/parser.h"

#include "string_compare.h"

#include <random>

using namespace yardmaster::http;
using namespace std::string_literals;

class TestHttpMutations : public QObject {
    Q_OBJECT

private slots:
    void the_reference_knows_the_cases();
    void requests();
    void responses();
    void chunked_bodies();
};

namespace {

constexpr int kRounds = 40'000;

class Mutator {
public:
    Mutator(std::vector<std::string> seeds, unsigned seed)
        : m_seeds(std::move(seeds))
        , m_random(seed) { }

    std::string next() {
        std::string text = pick(m_seeds);
        for (auto count = below(4); count > 0; --count) {
            damage(text);
        }
        return text;
    }
    std::size_t below(std::size_t bound) { return bound == 0 ? 0 : m_random() % bound; }

private:
    const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

    void damage(std::string& text) {
        static const std::vector<std::string> pieces{"\r\n", "\r", "\n", " ", "\t", ":", "\0"s, ",", ";", "#",
            "?", "/", "@", "[", "]", "%", "\\", "\x7f", "\x80", "0", "1", "5", "a", "F", "_", "-", "\v",
            "\r\n ", "\r\n\r\n", "HTTP/1.1", "HTTP/1.0", "Host: h\r\n", "Content-Length: 5\r\n",
            "Transfer-Encoding: chunked\r\n", "Connection: close, a\r\n", "A: b\r\n", "chunked", "http://",
            "Upgrade: websocket\r\n", "Connection: upgrade\r\n", "Expect: 100-continue\r\n", "5\r\nhello\r\n",
            "0\r\n\r\n", ";a=b"};
        const std::size_t at = below(text.size() + 1);
        const std::size_t length = below(std::min<std::size_t>(text.size() - at, 12) + 1);
        switch (below(6)) {
        case 0:
            text.insert(at, pick(pieces));
            break;
        case 1:
            text.replace(at, length, pick(pieces));
            break;
        case 2:
            text.erase(at, length);
            break;
        case 3:
            text.insert(at, text.substr(at, length));
            break;
        case 4:
            if (at < text.size()) {
                text[at] = static_cast<char>(below(256));
            }
            break;
        default: {
            // A line of another message.
            const std::string& other = pick(m_seeds);
            const std::size_t from = other.find("\r\n", below(other.size() + 1));
            const std::size_t to = other.find("\r\n", from == std::string::npos ? from : from + 2);
            const std::size_t here = text.find("\r\n", at);
            if (to != std::string::npos && here != std::string::npos) {
                text.insert(here, other.substr(from, to - from));
            }
            break;
        }
        }
    }

    std::vector<std::string> m_seeds;
    std::mt19937 m_random;
};

std::string escaped(std::string_view text) {
    return QByteArray(text.data(), static_cast<qsizetype>(text.size()))
        .toPercentEncoding(" /:?=;,\"")
        .toStdString();
}

/// Parses whole and in two pieces; the text of an accepted message, nothing else. Sets `difference` when the
/// pieces mattered.
template <typename Parse>
std::optional<std::string> parseTwice(GuardedBytes& memory, const std::string& bytes, std::size_t cut,
    const Parse& parse, std::string& difference) {
    auto [whole, again] = std::pair{parse(), parse()};
    const Outcome once = whole(memory.place(bytes));
    Outcome pieces = again(memory.place(std::string_view(bytes).substr(0, cut)));
    if (pieces.status == ParseStatus::NeedMore) {
        pieces = again(memory.place(bytes));
    }
    if (pieces != once) {
        difference =
            "cut at " + std::to_string(cut) + ": " + pieces.toString() + "\nwhole: " + once.toString();
    }
    return once.status == ParseStatus::Complete ? std::optional(once.text) : std::nullopt;
}

std::vector<std::string> requestSeeds() {
    std::vector<std::string> seeds;
    for (const RequestCase& c : requestCases()) {
        if (c.status == 0 || seeds.size() % 3 == 0) {
            seeds.push_back(c.bytes);
        }
    }
    return seeds;
}

std::vector<std::string> responseSeeds() {
    std::vector<std::string> seeds;
    for (const ResponseCase& c : responseCases()) {
        if (c.verdict == ResponseCase::Verdict::Accepted || seeds.size() % 3 == 0) {
            seeds.push_back(c.bytes);
        }
    }
    return seeds;
}

} // namespace

void TestHttpMutations::the_reference_knows_the_cases() {
    for (const RequestCase& c : requestCases()) {
        RequestParser parser;
        const Outcome outcome = outcomeOf(parser, parser.parse(c.bytes));
        QCOMPARE(slowRequest(c.bytes).value_or("refused"),
            outcome.status == ParseStatus::Complete ? outcome.text : "refused"s);
    }
    for (const ResponseCase& c : responseCases()) {
        if (c.method == Method::Connect) {
            continue;
        }
        ResponseParser parser;
        const Outcome outcome = outcomeOf(parser, parser.parse(c.bytes, c.method));
        QCOMPARE(slowResponse(c.bytes, c.method == Method::Head).value_or("refused"),
            outcome.status == ParseStatus::Complete ? outcome.text : "refused"s);
    }
}

void TestHttpMutations::requests() {
    GuardedBytes memory;
    Mutator mutator(requestSeeds(), 1);
    int accepted = 0;
    for (int round = 0; round < kRounds; ++round) {
        const std::string bytes = mutator.next();
        std::string difference;
        const auto fast = parseTwice(
            memory, bytes, mutator.below(bytes.size() + 1),
            [] {
                return [parser = RequestParser()](std::string_view piece) mutable {
                    const ParseStatus status = parser.parse(piece);
                    return outcomeOf(parser, status);
                };
            },
            difference);
        QVERIFY2(difference.empty(), (escaped(bytes) + "\n" + difference).c_str());
        const auto slow = slowRequest(bytes);
        QVERIFY2(fast == slow,
            (escaped(bytes) + "\nparser: " + fast.value_or("refused")
                + "\nreference: " + slow.value_or("refused"))
                .c_str());
        accepted += fast ? 1 : 0;
    }
    QVERIFY2(accepted > kRounds / 10, std::to_string(accepted).c_str());
}

void TestHttpMutations::responses() {
    GuardedBytes memory;
    Mutator mutator(responseSeeds(), 2);
    int accepted = 0;
    for (int round = 0; round < kRounds; ++round) {
        const std::string bytes = mutator.next();
        const bool toHead = mutator.below(5) == 0;
        std::string difference;
        const auto fast = parseTwice(
            memory, bytes, mutator.below(bytes.size() + 1),
            [toHead] {
                return [toHead, parser = ResponseParser()](std::string_view piece) mutable {
                    const ParseStatus status = parser.parse(piece, toHead ? Method::Head : Method::Get);
                    return outcomeOf(parser, status);
                };
            },
            difference);
        QVERIFY2(difference.empty(), (escaped(bytes) + "\n" + difference).c_str());
        const auto slow = slowResponse(bytes, toHead);
        QVERIFY2(fast == slow,
            (escaped(bytes) + "\nparser: " + fast.value_or("refused")
                + "\nreference: " + slow.value_or("refused"))
                .c_str());
        accepted += fast ? 1 : 0;
    }
    QVERIFY2(accepted > kRounds / 10, std::to_string(accepted).c_str());
}

void TestHttpMutations::chunked_bodies() {
    GuardedBytes memory;
    Mutator mutator({"0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "5;a=\"b\"\r\nhello\r\n0\r\nA: b\r\n\r\n",
                        "3 \t; x\r\nabc\r\n0002\r\nde\r\n0;y\r\nDigest:\tabc \r\nB:\r\n\r\nGET",
                        "b\r\n\r\n0\r\n\r\n1234\r\n0\r\nSet-Cookie: a\r\nHost_: b\r\n\r\n"},
        3);
    int accepted = 0;
    for (int round = 0; round < kRounds; ++round) {
        const std::string bytes = mutator.next();
        ChunkedDecoder decoder;
        std::optional<SlowBody> fast(std::in_place);
        ChunkedDecoder::Kind kind = ChunkedDecoder::Kind::NeedMore;
        while (kind == ChunkedDecoder::Kind::NeedMore || kind == ChunkedDecoder::Kind::Data) {
            const std::size_t left = bytes.size() - fast->consumed;
            if (left == 0) {
                break;
            }
            const std::size_t size = 1 + mutator.below(left);
            const auto step =
                decoder.next(memory.place(std::string_view(bytes).substr(fast->consumed, size)));
            kind = step.kind;
            fast->consumed += step.consumed;
            if (kind == ChunkedDecoder::Kind::Data) {
                fast->body += step.data;
            } else if (kind == ChunkedDecoder::Kind::End) {
                fast->trailers = step.data;
            } else if (kind == ChunkedDecoder::Kind::NeedMore) {
                QCOMPARE(step.consumed, size);
            }
        }
        if (kind != ChunkedDecoder::Kind::End) {
            fast.reset();
        }
        QVERIFY2(fast == slowChunked(bytes), (escaped(bytes) + (fast ? "\naccepted" : "\nrefused")).c_str());
        accepted += fast ? 1 : 0;
    }
    QVERIFY2(accepted > kRounds / 10, std::to_string(accepted).c_str());
}

QTEST_APPLESS_MAIN(TestHttpMutations)
#include "tst_http_mutations.moc"

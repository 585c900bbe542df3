// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab_harness.h"

#include <QSet>
#include <QTest>

using namespace yardmaster;
using namespace yardmaster::lab;
using namespace yardmaster::lab::test;

using Action = ScriptedServer::Action;
using Request = ScriptedServer::Request;

namespace {

constexpr std::uint64_t plannedRequests = 6;
constexpr int badRequest = 3;

/// What a bad server does with one of the requests, and how that has to be counted.
struct BadCase {
    const char* name;
    Loss loss;
    Action action;
    LoadMethod method = LoadMethod::Get;
    QByteArray (*made)(const Request&) = nullptr; ///< in place of action.bytes
};

QByteArray wrongByte(const Request& request) {
    QByteArray answer = ScriptedServer::rightAnswer(request);
    answer[answer.size() - 1] = answer.endsWith('!') ? '?' : '!';
    return answer;
}
QByteArray oneMore(const Request& request) {
    Request longer = request;
    longer.body += 'x';
    return ScriptedServer::rightAnswer(longer);
}
QByteArray oneLess(const Request& request) {
    Request shorter = request;
    shorter.body.chop(1);
    return ScriptedServer::rightAnswer(shorter);
}
QByteArray twice(const Request& request) {
    return ScriptedServer::rightAnswer(request) + ScriptedServer::rightAnswer(request);
}

const std::vector<BadCase>& badCases() {
    using End = Action::End;
    const QByteArray half = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234";
    static const std::vector<BadCase> cases{
        {"reset before the response", Loss::Reset, {{}, End::Reset}},
        {"reset in the body", Loss::Reset, {half, End::Reset}},
        {"closed before the response", Loss::ClosedBeforeResponse, {{}, End::Close}},
        {"closed in the status line", Loss::ShortBody, {"HTTP/1.1 20", End::Close}},
        {"closed in the head", Loss::ShortBody, {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n", End::Close}},
        {"closed in the body", Loss::ShortBody, {half, End::Close}},
        {"closed with the last bytes of half a body", Loss::ShortBody, {half, End::CloseAtOnce}},
        {"closed after 100", Loss::ShortBody, {"HTTP/1.1 100 Continue\r\n\r\n", End::Close}},
        {"closed in a chunk", Loss::ShortBody,
            {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n01234", End::Close}},
        {"closed before the last chunk", Loss::ShortBody,
            {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n", End::Close}},
        {"says nothing", Loss::Timeout, {{}, End::Hang}},
        {"stops in the body", Loss::Timeout, {half, End::Hang}},
        {"404", Loss::BadStatus, {"HTTP/1.1 404 Not Found\r\nContent-Length: 10\r\n\r\n0123456789"}},
        {"302", Loss::BadStatus, {"HTTP/1.1 302 Found\r\nContent-Length: 10\r\n\r\n0123456789"}},
        {"503 and close", Loss::BadStatus,
            {"HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", End::Close}},
        {"304", Loss::BadStatus, {"HTTP/1.1 304 Not Modified\r\n\r\n"}},
        {"no HTTP", Loss::ProtocolError, {"hello\r\n\r\n"}},
        {"HTTP/2", Loss::ProtocolError, {"HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n"}},
        {"both lengths", Loss::ProtocolError,
            {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"}},
        {"two lengths", Loss::ProtocolError,
            {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 11\r\n\r\n0123456789"}},
        {"bad chunk size", Loss::ProtocolError,
            {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"}},
        {"endless head", Loss::ProtocolError, {"HTTP/1.1 200 OK\r\nA: " + QByteArray(100'000, 'a')}},
        {"switches protocols", Loss::ProtocolError,
            {"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"}},
        {"bytes behind the body", Loss::ProtocolError,
            {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789abc"}},
        {"bytes behind the last chunk", Loss::ProtocolError,
            {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\nabc"}},
        {"bytes behind 204", Loss::ProtocolError, {"HTTP/1.1 204 No Content\r\n\r\nabc"}},
        {"two answers", Loss::ProtocolError, {}, LoadMethod::Get, &twice},
        {"another size than expected", Loss::WrongBody,
            {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n012345678"}},
        {"no body where one is expected", Loss::WrongBody, {"HTTP/1.1 204 No Content\r\n\r\n"}},
        {"echo with a wrong byte", Loss::WrongBody, {}, LoadMethod::Post, &wrongByte},
        {"echo with a byte more", Loss::WrongBody, {}, LoadMethod::Post, &oneMore},
        {"echo with a byte less", Loss::WrongBody, {}, LoadMethod::Post, &oneLess},
        {"empty echo", Loss::WrongBody, {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}, LoadMethod::Post},
        {"echo ended by closing, cut", Loss::WrongBody, {"HTTP/1.1 200 OK\r\n\r\n1", End::Close},
            LoadMethod::Post},
    };
    return cases;
}

void checkSum(const LoadStats& stats) {
    QCOMPARE(stats.sent(), stats.answered() + stats.lost());
    std::uint64_t answered = 0, lost = 0;
    for (const SeriesPoint& point : stats.series()) {
        answered += point.answered;
        lost += point.lost;
    }
    QCOMPARE(answered, stats.answered());
    QCOMPARE(lost, stats.lost());
}

void checkOnlyLoss(const LoadStats& stats, Loss loss, std::uint64_t count) {
    for (std::size_t kind = 0; kind < lossKinds; ++kind) {
        const auto one = static_cast<Loss>(kind);
        const std::uint64_t wanted = one == loss ? count : 0;
        QVERIFY2(stats.lost(one) == wanted,
            qPrintable(QStringLiteral("%1: %2").arg(QLatin1String(lossName(one))).arg(stats.lost(one))));
    }
}

} // namespace

class TestLabLoad : public QObject {
    Q_OBJECT

private slots:
    void init();
    void eachKindIsCountedAsItShould_data();
    void eachKindIsCountedAsItShould();
    void rightAnswersOfEveryForm_data();
    void rightAnswersOfEveryForm();
    void refused();
    void connectionsAreKeptOrNot_data();
    void connectionsAreKeptOrNot();
    void closedWithoutSayingSoIsLost_data();
    void closedWithoutSayingSoIsLost();
    void answerBeforeTheWholeRequest();
    void idleConnectionClosedCostsNoRequest();
    void neverRetries();
    void everyBodyIsItsOwn();
    void mixAndPaths();
    void openLoopCorrectsForStalls();
    void openLoopKeepsItsRate();
    void whatCouldNotBeSentIsSaid();
    void abandonedWhenCutShort();
    void stopWaitsForAnswers();
    void againstTheUpstream_data();
    void againstTheUpstream();
    void refusesSenselessOptions_data();
    void refusesSenselessOptions();

private:
    LoadOptions options(const ScriptedServer& server) const;
    std::optional<io::EventLoop> m_loop;
};

void TestLabLoad::init() {
    m_loop.reset();
    auto loop = io::EventLoop::create();
    QVERIFY(loop.has_value());
    m_loop.emplace(std::move(*loop));
}

LoadOptions TestLabLoad::options(const ScriptedServer& server) const {
    LoadOptions made;
    made.target = server.address();
    made.connections = 1;
    made.requests = plannedRequests;
    made.bodyBytes = 40;
    made.expectedBytes = 10;
    return made;
}

void TestLabLoad::eachKindIsCountedAsItShould_data() {
    QTest::addColumn<int>("index");
    QTest::addColumn<bool>("keepAlive");
    int index = 0;
    for (const BadCase& one : badCases()) {
        QTest::addRow("%s, keep-alive", one.name) << index << true;
        QTest::addRow("%s, one per request", one.name) << index << false;
        ++index;
    }
}

void TestLabLoad::eachKindIsCountedAsItShould() {
    QFETCH(int, index);
    QFETCH(bool, keepAlive);
    const BadCase& one = badCases()[static_cast<std::size_t>(index)];
    ScriptedServer server([&one](const Request& request) {
        if (request.number != badRequest)
            return Action{ScriptedServer::rightAnswer(request)};
        Action action = one.action;
        if (one.made)
            action.bytes = one.made(request);
        return action;
    });
    LoadOptions made = options(server);
    made.method = one.method;
    made.keepAlive = keepAlive;
    // Only where it is waited for: a machine that is slow must not add losses.
    if (one.loss == Loss::Timeout)
        made.timeoutMs = 300;
    LoadGenerator load(*m_loop, made);
    QVERIFY(load.start().has_value());
    run(*m_loop, load);
    checkSum(load.stats());
    QCOMPARE(load.stats().sent(), plannedRequests);
    checkOnlyLoss(load.stats(), one.loss, 1);
    QCOMPARE(server.requests().size(), std::size_t{plannedRequests});
}

void TestLabLoad::rightAnswersOfEveryForm_data() {
    QTest::addColumn<QByteArray>("answer");
    QTest::addColumn<bool>("closes");
    const QByteArray plain = "Content-Length: 10\r\n\r\n0123456789";
    QTest::newRow("length") << "HTTP/1.1 200 OK\r\n" + plain << false;
    QTest::newRow("201") << "HTTP/1.1 201 Created\r\n" + plain << false;
    QTest::newRow("interim first") << "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                                      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"
            + plain << false;
    QTest::newRow("chunked") << QByteArray("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                           "4\r\n0123\r\n6;a=b\r\n456789\r\n0\r\nDate: x\r\n\r\n")
                             << false;
    QTest::newRow("until closed") << QByteArray("HTTP/1.1 200 OK\r\n\r\n0123456789") << true;
    QTest::newRow("HTTP/1.0") << "HTTP/1.0 200 OK\r\n" + plain << true;
    QTest::newRow("says close") << "HTTP/1.1 200 OK\r\nConnection: close\r\n" + plain << true;
}

void TestLabLoad::rightAnswersOfEveryForm() {
    QFETCH(QByteArray, answer);
    QFETCH(bool, closes);
    for (const bool inPieces : {false, true}) {
        ScriptedServer server([&](const Request&) {
            return Action{answer, closes ? Action::End::Close : Action::End::Keep, inPieces ? 1 : 0};
        });
        LoadGenerator load(*m_loop, options(server));
        QVERIFY(load.start().has_value());
        run(*m_loop, load);
        checkSum(load.stats());
        QCOMPARE(load.stats().answered(), plannedRequests);
        QCOMPARE(server.connections(), closes ? static_cast<int>(plannedRequests) : 1);
    }
}

void TestLabLoad::refused() {
    // Bound, so that nobody else takes the port, but not listening.
    UniqueFd bound(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const SocketAddress any = localAddress();
    QCOMPARE(::bind(bound.get(), any.get(), any.size()), 0);
    LoadOptions made;
    made.target = *SocketAddress::ofSocket(bound.get());
    made.connections = 3;
    made.requests = 12;
    for (const double rate : {0.0, 500.0}) {
        made.requestsPerSecond = rate;
        LoadGenerator load(*m_loop, made);
        QVERIFY(load.start().has_value());
        run(*m_loop, load);
        checkSum(load.stats());
        QCOMPARE(load.stats().sent(), std::uint64_t{12});
        checkOnlyLoss(load.stats(), Loss::Refused, 12);
        QCOMPARE(load.stats().connectionsOpened(), std::uint64_t{0});
    }
}

void TestLabLoad::connectionsAreKeptOrNot_data() {
    QTest::addColumn<bool>("keepAlive");
    QTest::newRow("keep-alive") << true;
    QTest::newRow("one per request") << false;
}

void TestLabLoad::connectionsAreKeptOrNot() {
    QFETCH(bool, keepAlive);
    ScriptedServer server(
        [](const Request& request) { return Action{ScriptedServer::rightAnswer(request)}; });
    LoadOptions made = options(server);
    made.connections = 3;
    made.requests = 30;
    made.keepAlive = keepAlive;
    made.method = LoadMethod::Post;
    LoadGenerator load(*m_loop, made);
    QVERIFY(load.start().has_value());
    run(*m_loop, load);
    checkSum(load.stats());
    QCOMPARE(load.stats().answered(), std::uint64_t{30});
    const int connections = keepAlive ? 3 : 30;
    QCOMPARE(server.connections(), connections);
    QCOMPARE(load.stats().connectionsOpened(), static_cast<std::uint64_t>(connections));
    for (const Request& request : server.requests())
        QCOMPARE(request.head.contains("Connection: close"), !keepAlive);
}

void TestLabLoad::closedWithoutSayingSoIsLost_data() {
    QTest::addColumn<int>("end");
    QTest::newRow("closed after the answer") << static_cast<int>(Action::End::Close);
    // The end of stream is there before the next request is written, and nobody has read it yet.
    QTest::newRow("closed with the answer") << static_cast<int>(Action::End::CloseAtOnce);
}

void TestLabLoad::closedWithoutSayingSoIsLost() {
    QFETCH(int, end);
    ScriptedServer server([end](const Request& request) {
        const bool isBad = request.number == badRequest;
        return Action{
            ScriptedServer::rightAnswer(request), isBad ? static_cast<Action::End>(end) : Action::End::Keep};
    });
    LoadGenerator load(*m_loop, options(server));
    QVERIFY(load.start().has_value());
    run(*m_loop, load);
    checkSum(load.stats());
    // The answer was whole; it is the request behind it that nobody took. One that is there already when the
    // server closes is answered by a reset.
    const bool wasReset =
        static_cast<Action::End>(end) == Action::End::Close && load.stats().lost(Loss::Reset) > 0;
    checkOnlyLoss(load.stats(), wasReset ? Loss::Reset : Loss::ClosedBeforeResponse, 1);
    QCOMPARE(load.stats().answered(), plannedRequests - 1);
    QCOMPARE(server.requests().size(), std::size_t{plannedRequests - 1});
}

void TestLabLoad::answerBeforeTheWholeRequest() {
    // The scripted server reads whole requests, so this one is answered by hand: at its first bytes.
    UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const SocketAddress any = localAddress();
    QCOMPARE(::bind(listener.get(), any.get(), any.size()), 0);
    QCOMPARE(::listen(listener.get(), 10), 0);
    LoadOptions made;
    made.target = *SocketAddress::ofSocket(listener.get());
    made.connections = 1;
    made.requests = 1;
    made.method = LoadMethod::Post;
    made.bodyBytes = 16 * 1024 * 1024; // more than the buffers of the system hold
    LoadGenerator load(*m_loop, made);
    QVERIFY(load.start().has_value());
    std::thread server([&] {
        UniqueFd fd(::accept(listener.get(), nullptr, nullptr));
        char byte = 0;
        const ssize_t got = ::recv(fd.get(), &byte, 1, 0);
        const QByteArray answer = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n";
        const ssize_t sent = ::send(fd.get(), answer.constData(), static_cast<std::size_t>(answer.size()), 0);
        if (got == 1 && sent == answer.size()) {
            ::shutdown(fd.get(), SHUT_WR);
            std::array<char, 65536> rest;
            while (::recv(fd.get(), rest.data(), rest.size(), 0) > 0) { }
        }
    });
    run(*m_loop, load);
    server.join();
    checkSum(load.stats());
    checkOnlyLoss(load.stats(), Loss::BadStatus, 1);
}

void TestLabLoad::idleConnectionClosedCostsNoRequest() {
    ScriptedServer server([](const Request& request) {
        return Action{ScriptedServer::rightAnswer(request), Action::End::Close};
    });
    LoadOptions made = options(server);
    made.requestsPerSecond = 5; // so that the connection lies idle when the server ends it
    LoadGenerator load(*m_loop, made);
    QVERIFY(load.start().has_value());
    run(*m_loop, load);
    checkSum(load.stats());
    QCOMPARE(load.stats().answered(), plannedRequests);
    // The last one need not be noticed any more.
    QVERIFY(load.stats().idleClosed() >= plannedRequests - 1);
    QCOMPARE(server.connections(), static_cast<int>(plannedRequests));
}

void TestLabLoad::neverRetries() {
    ScriptedServer server([](const Request& request) {
        using End = Action::End;
        const End ends[] = {End::Keep, End::Close, End::Reset};
        const End end = ends[request.number % 3];
        return Action{end == End::Keep ? ScriptedServer::rightAnswer(request) : QByteArray(), end};
    });
    LoadOptions made = options(server);
    made.method = LoadMethod::Post;
    made.connections = 4;
    made.requests = 90;
    LoadGenerator load(*m_loop, made);
    QVERIFY(load.start().has_value());
    run(*m_loop, load);
    checkSum(load.stats());
    QCOMPARE(load.stats().answered(), std::uint64_t{30});
    QCOMPARE(load.stats().lost(Loss::ClosedBeforeResponse), std::uint64_t{30});
    QCOMPARE(load.stats().lost(Loss::Reset), std::uint64_t{30});
    QSet<QByteArray> bodies;
    for (const Request& request : server.requests())
        bodies.insert(request.body);
    QCOMPARE(bodies.size(), 90);
    QCOMPARE(server.requests().size(), std::size_t{90});
}

void TestLabLoad::everyBodyIsItsOwn() {
    for (const std::size_t bodyBytes : {0, 1, 8, 24, 1000}) {
        LoadOptions made;
        made.method = LoadMethod::Post;
        made.bodyBytes = bodyBytes;
        RequestFactory factory(made, 123'456'789'012'345);
        QSet<QByteArray> bodies;
        for (int i = 0; i < 1000; ++i) {
            std::string bytes;
            const RequestFactory::Request request = factory.next(bytes);
            QCOMPARE(bytes.size() - request.headBytes, bodyBytes);
            bodies.insert(QByteArray::fromStdString(bytes.substr(request.headBytes)));
        }
        if (bodyBytes >= 8) // a short one cannot differ
            QCOMPARE(bodies.size(), 1000);
    }
}

void TestLabLoad::mixAndPaths() {
    ScriptedServer server(
        [](const Request& request) { return Action{ScriptedServer::rightAnswer(request)}; });
    LoadOptions made = options(server);
    made.method = LoadMethod::Mix;
    made.paths = {"/a", "/b?c=1"};
    made.host = "shop.example";
    made.requests = 8;
    LoadGenerator load(*m_loop, made);
    QVERIFY(load.start().has_value());
    run(*m_loop, load);
    QCOMPARE(load.stats().answered(), std::uint64_t{8});
    QMap<QByteArray, int> seen;
    for (const Request& request : server.requests()) {
        ++seen[request.head.first(request.head.indexOf(" HTTP/1.1\r\n"))];
        QVERIFY(request.head.contains("\r\nHost: shop.example\r\n"));
    }
    QCOMPARE(
        seen, (QMap<QByteArray, int>{{"GET /a", 2}, {"GET /b?c=1", 2}, {"POST /a", 2}, {"POST /b?c=1", 2}}));
}

void TestLabLoad::openLoopCorrectsForStalls() {
    constexpr int stallMs = 400;
    ScriptedServer server([](const Request& request) {
        return Action{
            ScriptedServer::rightAnswer(request), Action::End::Keep, request.number == 10 ? stallMs : 0};
    });
    LoadOptions made = options(server);
    made.requestsPerSecond = 200;
    made.requests = 100;
    LoadGenerator load(*m_loop, made);
    QVERIFY(load.start().has_value());
    run(*m_loop, load);
    QCOMPARE(load.stats().answered(), std::uint64_t{100});
    const auto slower = [](const metrics::Histogram& histogram) {
        std::uint64_t count = 0;
        for (std::uint32_t index = metrics::HistogramLayout::indexOf(100'000);
             index < histogram.buckets().size(); ++index)
            count += histogram.buckets()[index];
        return count;
    };
    // One request stood still; (400 - 100) ms / 5 ms more were due meanwhile and waited over 100 ms.
    QVERIFY(slower(load.stats().service()) >= 1);
    QVERIFY(slower(load.stats().corrected()) >= slower(load.stats().service()) + 50);
    QVERIFY(load.stats().corrected().maxUs() >= stallMs * 1000);
}

void TestLabLoad::openLoopKeepsItsRate() {
    ScriptedServer server(
        [](const Request& request) { return Action{ScriptedServer::rightAnswer(request)}; });
    LoadOptions made = options(server);
    made.connections = 20;
    made.requests = 0;
    made.requestsPerSecond = 300;
    made.seconds = 0.5;
    LoadGenerator load(*m_loop, made);
    QVERIFY(load.start().has_value());
    run(*m_loop, load);
    checkSum(load.stats());
    // Each was due at n / 300 s, those due before the end were begun or are said not to have been.
    QCOMPARE(load.stats().sent() + load.stats().notSent(), std::uint64_t{150});
    QVERIFY(load.seconds() >= 0.5);
}

void TestLabLoad::whatCouldNotBeSentIsSaid() {
    ScriptedServer server([](const Request& request) {
        return Action{ScriptedServer::rightAnswer(request), Action::End::Keep, 50};
    });
    LoadOptions made = options(server);
    made.requests = 0;
    made.requestsPerSecond = 1000;
    made.seconds = 0.3;
    LoadGenerator load(*m_loop, made);
    QVERIFY(load.start().has_value());
    run(*m_loop, load);
    checkSum(load.stats());
    QCOMPARE(load.stats().sent() + load.stats().notSent(), std::uint64_t{300});
    QVERIFY(load.stats().sent() <= 7);
}

void TestLabLoad::abandonedWhenCutShort() {
    ScriptedServer server([](const Request&) { return Action{{}, Action::End::Hang}; });
    LoadOptions made = options(server);
    made.connections = 5;
    made.requests = 0;
    LoadGenerator load(*m_loop, made);
    QVERIFY(load.start().has_value());
    run(*m_loop, load, [&] {
        if (server.requests().size() == 5)
            load.abandon();
    });
    checkSum(load.stats());
    checkOnlyLoss(load.stats(), Loss::Abandoned, 5);
}

void TestLabLoad::stopWaitsForAnswers() {
    ScriptedServer server([](const Request& request) {
        return Action{ScriptedServer::rightAnswer(request), Action::End::Keep, 100};
    });
    LoadOptions made = options(server);
    made.connections = 5;
    made.requests = 0;
    LoadGenerator load(*m_loop, made);
    QVERIFY(load.start().has_value());
    run(*m_loop, load, [&] {
        if (server.requests().size() >= 5)
            load.stop();
    });
    checkSum(load.stats());
    QCOMPARE(load.stats().lost(), std::uint64_t{0});
    QVERIFY(load.stats().answered() >= 5);
}

void TestLabLoad::againstTheUpstream_data() {
    QTest::addColumn<int>("method");
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("bodyBytes");
    QTest::newRow("get") << static_cast<int>(LoadMethod::Get) << "/" << 0;
    QTest::newRow("post") << static_cast<int>(LoadMethod::Post) << "/" << 512;
    QTest::newRow("post, empty") << static_cast<int>(LoadMethod::Post) << "/" << 0;
    QTest::newRow("post, large") << static_cast<int>(LoadMethod::Post) << "/" << 500'000;
    QTest::newRow("post, chunked back") << static_cast<int>(LoadMethod::Post) << "/chunked" << 100'000;
    QTest::newRow("mix") << static_cast<int>(LoadMethod::Mix) << "/chunked?n=1024" << 512;
}

void TestLabLoad::againstTheUpstream() {
    QFETCH(int, method);
    QFETCH(QString, path);
    QFETCH(int, bodyBytes);
    UpstreamOptions upstreamOptions;
    upstreamOptions.listen = {localAddress()};
    upstreamOptions.latencies = {Latency{0, 500}};
    const UpstreamThread upstream(upstreamOptions);
    for (const bool keepAlive : {true, false}) {
        LoadOptions made;
        made.target = upstream.addresses().front();
        made.connections = 10;
        made.requests = 200;
        made.keepAlive = keepAlive;
        made.method = static_cast<LoadMethod>(method);
        made.paths = {path.toStdString()};
        made.bodyBytes = static_cast<std::size_t>(bodyBytes);
        made.expectedBytes = 1024;
        LoadGenerator load(*m_loop, made);
        QVERIFY(load.start().has_value());
        run(*m_loop, load);
        checkSum(load.stats());
        QCOMPARE(load.stats().answered(), std::uint64_t{200});
    }
}

void TestLabLoad::refusesSenselessOptions_data() {
    QTest::addColumn<QString>("what");
    for (const char* what : {"port", "paths", "connections", "timeout", "series"})
        QTest::newRow(what) << QString::fromLatin1(what);
}

void TestLabLoad::refusesSenselessOptions() {
    QFETCH(QString, what);
    LoadOptions made;
    made.target = localAddress(what == QLatin1String("port") ? 0 : 9);
    if (what == QLatin1String("paths"))
        made.paths.clear();
    if (what == QLatin1String("connections"))
        made.connections = 0;
    if (what == QLatin1String("timeout"))
        made.timeoutMs = 0;
    if (what == QLatin1String("series"))
        made.seriesMs = 0;
    LoadGenerator load(*m_loop, made);
    const auto started = load.start();
    QVERIFY(!started.has_value());
    QCOMPARE(started.error().code, Error::Code::InvalidArgument);
}

QTEST_GUILESS_MAIN(TestLabLoad)
#include "tst_lab_load.moc"

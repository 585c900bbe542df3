// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/load_report.h"
#include "backend/lab/option_text.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace yardmaster;
using namespace yardmaster::lab;

namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t startNs = 5'000 * ms;

QJsonObject parse(const std::string& text) {
    QJsonParseError error{};
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(text), &error);
    return error.error == QJsonParseError::NoError ? document.object() : QJsonObject();
}

LoadOptions someOptions() {
    LoadOptions options;
    options.target = *SocketAddress::parse("127.0.0.1:8080");
    options.seriesMs = 100;
    return options;
}

} // namespace

class TestLabReport : public QObject {
    Q_OBJECT

private slots:
    void countsAndPercentiles();
    void correctedOnlyInTheOpenLoop();
    void everyKindOfLossHasItsName();
    void windowsFollowEachOther();
    void windowsCanBeMerged();
    void liveSnapshots();
    void durations_data();
    void durations();
    void addresses_data();
    void addresses();
    void filesAppearWhole();
};

void TestLabReport::countsAndPercentiles() {
    LoadStats stats(startNs, 100, false);
    for (std::uint64_t i = 1; i <= 100; ++i) {
        stats.noteSent();
        stats.noteAnswered(startNs + 10 * ms, i, i);
    }
    stats.noteSent();
    stats.noteLost(startNs + 20 * ms, Loss::ShortBody);
    stats.noteConnected();
    stats.finish(startNs + 50 * ms);
    const QJsonObject json = parse(loadReport(someOptions(), stats, 2.0));
    QCOMPARE(json[u"target"].toString(), QStringLiteral("127.0.0.1:8080"));
    QCOMPARE(json[u"sent"].toInt(), 101);
    QCOMPARE(json[u"answered"].toInt(), 100);
    QCOMPARE(json[u"lost"].toInt(), 1);
    QCOMPARE(json[u"lost_by_kind"][u"short_body"].toInt(), 1);
    QCOMPARE(json[u"connections_opened"].toInt(), 1);
    QCOMPARE(json[u"answered_per_second"].toDouble(), 50.0);
    QCOMPARE(json[u"latency_us"][u"p50"].toInt(), 50);
    QCOMPARE(json[u"latency_us"][u"p90"].toInt(), 90);
    QCOMPARE(json[u"latency_us"][u"p99"].toInt(), 99);
    QCOMPARE(json[u"latency_us"][u"p99.9"].toInt(), 100);
    QCOMPARE(json[u"latency_us"][u"max"].toInt(), 100);
    QCOMPARE(json[u"latency_us"][u"count"].toInt(), 100);
    QVERIFY(json[u"latency_us_note"].toString().startsWith(QLatin1String("uncorrected")));
}

void TestLabReport::correctedOnlyInTheOpenLoop() {
    LoadStats stats(startNs, 100, false);
    stats.noteSent();
    stats.noteAnswered(startNs, 10, 200);
    LoadOptions options = someOptions();
    QVERIFY(parse(loadReport(options, stats, 1))[u"corrected_latency_us"].isNull());
    options.requestsPerSecond = 100;
    const QJsonObject json = parse(loadReport(options, stats, 1));
    QCOMPARE(json[u"loop"].toString(), QStringLiteral("open"));
    QCOMPARE(json[u"latency_us"][u"p50"].toInt(), 10);
    QCOMPARE(json[u"corrected_latency_us"][u"p50"].toInt(), 200);
}

void TestLabReport::everyKindOfLossHasItsName() {
    LoadStats stats(startNs, 100, false);
    QSet<QString> names;
    for (std::size_t kind = 0; kind < lossKinds; ++kind) {
        for (std::size_t i = 0; i <= kind; ++i) {
            stats.noteSent();
            stats.noteLost(startNs, static_cast<Loss>(kind));
        }
        names.insert(QString::fromLatin1(lossName(static_cast<Loss>(kind))));
    }
    QVERIFY(!names.contains(QString()));
    QCOMPARE(names.size(), static_cast<qsizetype>(lossKinds));
    const QJsonObject byKind = parse(loadReport(someOptions(), stats, 1))[u"lost_by_kind"].toObject();
    int sum = 0;
    for (std::size_t kind = 0; kind < lossKinds; ++kind) {
        const int count = byKind[QLatin1String(lossName(static_cast<Loss>(kind)))].toInt();
        QCOMPARE(count, static_cast<int>(kind) + 1);
        sum += count;
    }
    QCOMPARE(stats.lost(), static_cast<std::uint64_t>(sum));
}

void TestLabReport::windowsFollowEachOther() {
    LoadStats stats(startNs, 100, false);
    stats.noteAnswered(startNs + 99 * ms, 10, 10);
    stats.noteAnswered(startNs + 100 * ms, 20, 20);
    stats.noteLost(startNs + 450 * ms, Loss::Reset);
    stats.finish(startNs + 460 * ms);
    const QJsonArray series = parse(loadReport(someOptions(), stats, 1))[u"series"].toArray();
    // A stall is there as windows without an answer, not as a hole.
    QCOMPARE(series.size(), 5);
    for (int i = 0; i < 5; ++i)
        QCOMPARE(series[i][u"monotonic_ns"].toInteger(), startNs + i * 100 * ms);
    QCOMPARE(series[0][u"answered"].toInt(), 1);
    QCOMPARE(series[0][u"p99_us"].toInt(), 10);
    QCOMPARE(series[1][u"max_us"].toInt(), 20);
    QCOMPARE(series[2][u"answered"].toInt(), 0);
    QCOMPARE(series[4][u"lost"].toInt(), 1);
}

void TestLabReport::windowsCanBeMerged() {
    LoadOptions options = someOptions();
    options.seriesHistograms = true;
    LoadStats stats(startNs, 100, true);
    metrics::Histogram expected;
    for (int i = 0; i < 1000; ++i) {
        const auto latencyUs = static_cast<std::uint64_t>(i * i);
        stats.noteAnswered(startNs + i * ms, latencyUs, latencyUs);
        expected.record(latencyUs);
    }
    stats.finish(startNs + 2000 * ms);
    metrics::Histogram merged;
    const QJsonArray series = parse(loadReport(options, stats, 1))[u"series"].toArray();
    for (const QJsonValue& window : series) {
        const QJsonArray buckets = window[u"buckets"].toArray();
        for (const QJsonValue& bucket : buckets)
            merged.record(static_cast<std::uint64_t>(bucket[0].toInteger()),
                static_cast<std::uint64_t>(bucket[1].toInteger()));
    }
    QVERIFY(std::ranges::equal(merged.buckets(), expected.buckets()));
}

void TestLabReport::liveSnapshots() {
    LoadStats stats(startNs, 1000, false);
    LiveReport live;
    for (int i = 0; i < 10; ++i) {
        stats.noteSent();
        stats.noteAnswered(startNs, 100, 100);
    }
    QJsonObject json = parse(live.next(stats, startNs + 1000 * ms));
    QCOMPARE(json[u"answered"].toInt(), 10);
    QCOMPARE(json[u"window"][u"answered"].toInt(), 10);
    QCOMPARE(json[u"window"][u"seconds"].toDouble(), 1.0);

    for (int i = 0; i < 5; ++i)
        stats.noteSent();
    stats.noteAnswered(startNs, 5000, 5000);
    stats.noteLost(startNs, Loss::Timeout);
    json = parse(live.next(stats, startNs + 1500 * ms));
    QCOMPARE(json[u"answered"].toInt(), 11);
    QCOMPARE(json[u"in_flight"].toInt(), 3);
    QCOMPARE(json[u"lost_by_kind"][u"timeout"].toInt(), 1);
    QCOMPARE(json[u"window"][u"answered"].toInt(), 1);
    QCOMPARE(json[u"window"][u"lost"].toInt(), 1);
    QCOMPARE(json[u"window"][u"seconds"].toDouble(), 0.5);
    // Of the window alone: the 100 us of before are not in it.
    QVERIFY(json[u"window"][u"latency_us"][u"p50"].toInt() >= 5000);
    QCOMPARE(json[u"latency_us"][u"p50"].toInt(), 100);
}

void TestLabReport::durations_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("seconds"); ///< 0: refused
    QTest::newRow("60") << "60" << 60.0;
    QTest::newRow("60s") << "60s" << 60.0;
    QTest::newRow("1.5m") << "1.5m" << 90.0;
    QTest::newRow("500ms") << "500ms" << 0.5;
    QTest::newRow("2h") << "2h" << 7200.0;
    for (const char* text : {"", "s", "0", "-5", "5 s", "5d", "1e300", "nan", "0x10", "5ss"})
        QTest::newRow(text[0] ? text : "empty") << QString::fromLatin1(text) << 0.0;
}

void TestLabReport::durations() {
    QFETCH(QString, text);
    QFETCH(double, seconds);
    const auto parsed = parseSeconds(text.toStdString());
    QCOMPARE(parsed.has_value(), seconds > 0);
    if (parsed)
        QCOMPARE(*parsed, seconds);
    else
        QCOMPARE(parsed.error().where, text.toStdString());
}

void TestLabReport::addresses_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("shown"); ///< empty: refused
    QTest::newRow("v4") << "127.0.0.1:8080"
                        << "127.0.0.1:8080";
    QTest::newRow("v6") << "[::1]:80"
                        << "[::1]:80";
    QTest::newRow("port 0") << "127.0.0.1:0"
                            << "127.0.0.1:0";
    for (const char* text : {"", "127.0.0.1", ":80", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
             "127.0.0.1:-1", "127.0.0.1:80x", "::1:80", "no such host.invalid:80"})
        QTest::newRow(text[0] ? text : "empty") << QString::fromLatin1(text) << QString();
}

void TestLabReport::addresses() {
    QFETCH(QString, text);
    const auto address = SocketAddress::parse(text.toStdString());
    QTEST(address ? QString::fromStdString(address->toString()) : QString(), "shown");
    if (!address)
        QCOMPARE(address.error().code, Error::Code::InvalidArgument);
}

void TestLabReport::filesAppearWhole() {
    QTemporaryDir directory;
    const QString path = directory.filePath(QStringLiteral("live.json"));
    QVERIFY(writeFileAtomically(path.toStdString(), "one").has_value());
    QVERIFY(writeFileAtomically(path.toStdString(), "second").has_value());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("second"));
    QCOMPARE(QDir(directory.path()).entryList(QDir::Files), QStringList{QStringLiteral("live.json")});
    const auto failed = writeFileAtomically(directory.filePath(QStringLiteral("no/file")).toStdString(), "x");
    QVERIFY(!failed.has_value());
    QVERIFY(failed.error().where.find("no/file") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestLabReport)
#include "tst_lab_report.moc"

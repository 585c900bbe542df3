// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/metrics/hgrm.h"

#include <QTest>

#include <random>

using namespace yardmaster;
using namespace yardmaster::metrics;

class TestHgrm : public QObject {
    Q_OBJECT

private slots:
    void formatToTheLetter_data();
    void formatToTheLetter();
    void ticksDoubleWithEachHalfDistance();
    void readsBackWhatItWrites();
    void histogramWithoutMaximumReadsBack();
    void damagedTextIsRefused_data();
    void damagedTextIsRefused();
};

namespace {

const std::string headLine = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n";

Histogram oneToHundred() {
    Histogram histogram;
    for (std::uint64_t value = 1; value <= 100; ++value)
        histogram.record(value * 1000);
    return histogram;
}

} // namespace

void TestHgrm::formatToTheLetter_data() {
    QTest::addColumn<QList<quint64>>("values");
    QTest::addColumn<QString>("text");
    const QString head = QString::fromStdString(headLine);

    QTest::newRow("empty") << QList<quint64>{}
                           << head
            + QStringLiteral("#[Mean    =        0.000, StdDeviation   =        0.000]\n"
                             "#[Max     =        0.000, Total count    =            0]\n"
                             "#[Buckets =           20, SubBuckets     =          256]\n");
    QTest::newRow("one value, five times") << QList<quint64>{100, 100, 100, 100, 100}
                                           << head
            + QStringLiteral("     100.000 0.000000000000          5           1.00\n"
                             "     100.000 1.000000000000          5\n"
                             "#[Mean    =      100.000, StdDeviation   =        0.000]\n"
                             "#[Max     =      100.000, Total count    =            5]\n"
                             "#[Buckets =           20, SubBuckets     =          256]\n");
    QTest::newRow("1 to 4") << QList<quint64>{1, 2, 3, 4}
                            << head
            + QStringLiteral("       1.000 0.000000000000          1           1.00\n"
                             "       1.000 0.100000000000          1           1.11\n"
                             "       1.000 0.200000000000          1           1.25\n"
                             "       2.000 0.300000000000          2           1.43\n"
                             "       2.000 0.400000000000          2           1.67\n"
                             "       2.000 0.500000000000          2           2.00\n"
                             "       3.000 0.550000000000          3           2.22\n"
                             "       3.000 0.600000000000          3           2.50\n"
                             "       3.000 0.650000000000          3           2.86\n"
                             "       3.000 0.700000000000          3           3.33\n"
                             "       3.000 0.750000000000          3           4.00\n"
                             "       4.000 0.775000000000          4           4.44\n"
                             "       4.000 1.000000000000          4\n"
                             "#[Mean    =        2.500, StdDeviation   =        1.118]\n"
                             "#[Max     =        4.000, Total count    =            4]\n"
                             "#[Buckets =           20, SubBuckets     =          256]\n");
    // Values of one bucket are said by its highest value, the maximum exactly.
    QTest::newRow("buckets") << QList<quint64>{2465, 2465, 4999}
                             << head
            + QStringLiteral("    2479.000 0.000000000000          2           1.00\n"
                             "    2479.000 0.100000000000          2           1.11\n"
                             "    2479.000 0.200000000000          2           1.25\n"
                             "    2479.000 0.300000000000          2           1.43\n"
                             "    2479.000 0.400000000000          2           1.67\n"
                             "    2479.000 0.500000000000          2           2.00\n"
                             "    2479.000 0.550000000000          2           2.22\n"
                             "    2479.000 0.600000000000          2           2.50\n"
                             "    2479.000 0.650000000000          2           2.86\n"
                             "    4999.000 0.700000000000          3           3.33\n"
                             "    4999.000 1.000000000000          3\n"
                             "#[Mean    =     3309.667, StdDeviation   =     1195.506]\n"
                             "#[Max     =     4999.000, Total count    =            3]\n"
                             "#[Buckets =           20, SubBuckets     =          256]\n");
}

void TestHgrm::formatToTheLetter() {
    QFETCH(QList<quint64>, values);
    Histogram histogram;
    for (const quint64 value : values)
        histogram.record(value);
    QTEST(QString::fromStdString(toHgrm(histogram)), "text");
}

void TestHgrm::ticksDoubleWithEachHalfDistance() {
    Histogram histogram;
    for (std::uint64_t value = 0; value < 100'000; ++value)
        histogram.record(value);
    const QString text = QString::fromStdString(toHgrm(histogram));
    std::array<int, 4> rows{}; // of [0, 0.5), [0.5, 0.75), [0.75, 0.875), [0.875, 0.9375)
    for (const QString& line : text.split(u'\n')) {
        const double percentile = line.simplified().section(u' ', 1, 1).toDouble();
        if (line.startsWith(u'#') || line.isEmpty() || line.contains(QLatin1String("Percentile")))
            continue;
        double begin = 0, left = 0.5;
        for (int& count : rows) {
            count += percentile > begin - 1e-9 && percentile < begin + left - 1e-9 ? 1 : 0;
            begin += left;
            left /= 2;
        }
    }
    for (const int count : rows)
        QCOMPARE(count, 5);
}

void TestHgrm::readsBackWhatItWrites() {
    std::mt19937_64 random(3);
    for (int round = 0; round < 50; ++round) {
        Histogram histogram;
        const std::uint64_t count = random() % 5000;
        for (std::uint64_t i = 0; i < count; ++i)
            histogram.record(random() % (std::uint64_t{1} << (random() % 30)));
        const auto summary = readHgrm(toHgrm(histogram));
        QVERIFY2(summary.has_value(), summary ? "" : summary.error().toString().c_str());
        QCOMPARE(summary->totalCount, count);
        QCOMPARE(summary->maxUs, static_cast<double>(histogram.maxUs()));
        QVERIFY(std::abs(summary->meanUs - histogram.meanUs()) < 0.001);
        QCOMPARE(summary->rows > 0, count > 0);
    }
}

void TestHgrm::histogramWithoutMaximumReadsBack() {
    Histogram histogram; // as from a difference of bucket counts
    histogram.addBucket(HistogramLayout::indexOf(1000), 10);
    histogram.addBucket(HistogramLayout::indexOf(90'000), 1);
    const auto summary = readHgrm(toHgrm(histogram));
    QVERIFY(summary.has_value());
    QCOMPARE(
        summary->maxUs, static_cast<double>(HistogramLayout::nextUs(HistogramLayout::indexOf(90'000)) - 1));
}

void TestHgrm::damagedTextIsRefused_data() {
    QTest::addColumn<QString>("text");
    const QString good = QString::fromStdString(toHgrm(oneToHundred()));
    const auto without = [&good](const QString& line) {
        QStringList lines = good.split(u'\n');
        erase_if(lines, [&](const QString& one) { return one.contains(line); });
        return lines.join(u'\n');
    };
    QTest::newRow("empty") << QString();
    QTest::newRow("without head") << good.mid(10);
    QTest::newRow("cut in the rows") << good.left(good.size() / 2);
    QTest::newRow("without maximum") << without(QStringLiteral("#[Max"));
    QTest::newRow("without mean") << without(QStringLiteral("#[Mean"));
    QTest::newRow("without the row of 100 %") << without(QStringLiteral(" 1.000000000000 "));
    QString text = good;
    QTest::newRow("word in a row") << text.replace(
        QLatin1String(" 0.100000000000 "), QLatin1String(" what "));
    text = good;
    QTest::newRow("falling percentile")
        << text.replace(QLatin1String(" 0.500000000000 "), QLatin1String(" 0.050000000000 "));
    text = good;
    QTest::newRow("another total") << text.replace(
        QLatin1String("Total count    =          100"), QLatin1String("Total count    =          101"));
}

void TestHgrm::damagedTextIsRefused() {
    QFETCH(QString, text);
    QVERIFY(readHgrm(toHgrm(oneToHundred())).has_value());
    const auto summary = readHgrm(text.toStdString());
    QVERIFY(!summary.has_value());
    QCOMPARE(summary.error().code, Error::Code::DataLoss);
}

QTEST_GUILESS_MAIN(TestHgrm)
#include "tst_hgrm.moc"

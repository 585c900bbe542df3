// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/metrics/histogram.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace yardmaster::metrics;

namespace {

/// What a histogram stands in for: every value kept.
class SortedModel {
public:
    void record(std::uint64_t valueUs) { m_values.push_back(valueUs); }
    [[nodiscard]] std::uint64_t quantileUs(double quantile) {
        std::sort(m_values.begin(), m_values.end());
        const auto rank =
            static_cast<std::size_t>(std::ceil(quantile * static_cast<double>(m_values.size()) - 1e-6));
        return m_values[std::clamp<std::size_t>(rank, 1, m_values.size()) - 1];
    }
    [[nodiscard]] const std::vector<std::uint64_t>& values() const { return m_values; }

private:
    std::vector<std::uint64_t> m_values;
};

std::uint64_t draw(const QString& shape, std::mt19937_64& random) {
    if (shape == QLatin1String("uniform"))
        return random() % 1'000'000;
    if (shape == QLatin1String("small"))
        return random() % 300;
    if (shape == QLatin1String("heavy tail"))
        return static_cast<std::uint64_t>(std::exp(std::normal_distribution<double>(6.5, 2.0)(random)));
    if (shape == QLatin1String("two humps"))
        return random() % 10 == 0 ? 250'000 + random() % 1000 : 900 + random() % 50;
    return std::uint64_t{1} << (random() % 27); // powers of two: the borders between ranges
}

} // namespace

class TestHistogram : public QObject {
    Q_OBJECT

private slots:
    void layoutCoversEveryValueOnce();
    void layoutErrorIsAtMostOnePart128();
    void knownBuckets_data();
    void knownBuckets();
    void quantilesAgreeWithModel_data();
    void quantilesAgreeWithModel();
    void meanAndDeviationAgreeWithModel();
    void mergeIsRecordingAll();
    void emptyHistogram();
    void valuesAboveRangeKeepTheirMaximum();
    void ranksAreExact_data();
    void ranksAreExact();
    void bucketsWithoutMaximum();
    void recordWithCount();
    void clearForgetsAll();
};

void TestHistogram::layoutCoversEveryValueOnce() {
    for (std::uint32_t index = 0; index < HistogramLayout::bucketCount; ++index) {
        const std::uint64_t lowest = HistogramLayout::lowestUs(index);
        const std::uint64_t highest = HistogramLayout::nextUs(index) - 1;
        QVERIFY(lowest <= highest);
        QCOMPARE(HistogramLayout::indexOf(lowest), index);
        QCOMPARE(HistogramLayout::indexOf(highest), index);
        QCOMPARE(HistogramLayout::indexOf(HistogramLayout::middleUs(index)), index);
        if (index > 0)
            QCOMPARE(HistogramLayout::nextUs(index - 1), lowest);
    }
    QCOMPARE(HistogramLayout::lowestUs(0), std::uint64_t{0});
    QCOMPARE(HistogramLayout::nextUs(HistogramLayout::bucketCount - 1),
        std::uint64_t{1} << HistogramLayout::maxExponent);
    QCOMPARE(HistogramLayout::indexOf(UINT64_MAX), HistogramLayout::bucketCount - 1);
}

void TestHistogram::layoutErrorIsAtMostOnePart128() {
    for (std::uint32_t index = 1; index < HistogramLayout::bucketCount; ++index) {
        const std::uint64_t lowest = HistogramLayout::lowestUs(index);
        QVERIFY((HistogramLayout::nextUs(index) - 1 - lowest) * 128 <= lowest);
    }
}

void TestHistogram::knownBuckets_data() {
    // Equivalent ranges of HdrHistogram with unit 1 and two significant digits.
    QTest::addColumn<quint64>("value");
    QTest::addColumn<quint64>("lowest");
    QTest::addColumn<quint64>("highest");
    QTest::newRow("0") << quint64{0} << quint64{0} << quint64{0};
    QTest::newRow("255") << quint64{255} << quint64{255} << quint64{255};
    QTest::newRow("256") << quint64{256} << quint64{256} << quint64{257};
    QTest::newRow("257") << quint64{257} << quint64{256} << quint64{257};
    QTest::newRow("511") << quint64{511} << quint64{510} << quint64{511};
    QTest::newRow("512") << quint64{512} << quint64{512} << quint64{515};
    QTest::newRow("2479") << quint64{2479} << quint64{2464} << quint64{2479};
    QTest::newRow("4999") << quint64{4999} << quint64{4992} << quint64{5023};
    QTest::newRow("1 s") << quint64{1'000'000} << quint64{999'424} << quint64{1'003'519};
    QTest::newRow("2^27 - 1") << quint64{134'217'727} << quint64{133'693'440} << quint64{134'217'727};
}

void TestHistogram::knownBuckets() {
    QFETCH(quint64, value);
    const std::uint32_t index = HistogramLayout::indexOf(value);
    QTEST(quint64{HistogramLayout::lowestUs(index)}, "lowest");
    QTEST(quint64{HistogramLayout::nextUs(index) - 1}, "highest");
}

void TestHistogram::quantilesAgreeWithModel_data() {
    QTest::addColumn<QString>("shape");
    QTest::addColumn<int>("count");
    for (const char* shape : {"uniform", "small", "heavy tail", "two humps", "powers of two"}) {
        for (const int count : {1, 2, 7, 100, 20'000})
            QTest::addRow("%s, %d", shape, count) << QString::fromLatin1(shape) << count;
    }
}

void TestHistogram::quantilesAgreeWithModel() {
    QFETCH(QString, shape);
    QFETCH(int, count);
    std::mt19937_64 random(static_cast<std::uint64_t>(count));
    Histogram histogram;
    SortedModel model;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t value = std::min(draw(shape, random), (std::uint64_t{1} << 27) - 1);
        histogram.record(value);
        model.record(value);
    }
    QCOMPARE(histogram.count(), static_cast<std::uint64_t>(count));
    QCOMPARE(histogram.maxUs(), model.quantileUs(1));
    for (const double quantile : {0.0, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
        const std::uint64_t exact = model.quantileUs(quantile);
        const std::uint64_t found = histogram.quantileUs(quantile);
        // The highest value equivalent to the exact one: never below it, at most 1/128 above.
        QVERIFY2(found >= exact && (found - exact) * 128 <= exact,
            qPrintable(QStringLiteral("quantile %1: %2 for %3").arg(quantile).arg(found).arg(exact)));
    }
}

void TestHistogram::meanAndDeviationAgreeWithModel() {
    std::mt19937_64 random(5);
    Histogram histogram;
    SortedModel model;
    double sum = 0;
    for (int i = 0; i < 10'000; ++i) {
        const std::uint64_t value = draw(QStringLiteral("uniform"), random);
        histogram.record(value);
        model.record(value);
        sum += static_cast<double>(value);
    }
    const double mean = sum / 10'000;
    double squares = 0;
    for (const std::uint64_t value : model.values())
        squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
    const double deviation = std::sqrt(squares / 10'000);
    QVERIFY(std::abs(histogram.meanUs() - mean) < 0.001); // the sum is exact
    QVERIFY(std::abs(histogram.stdDeviationUs() - deviation) < deviation / 128);
}

void TestHistogram::mergeIsRecordingAll() {
    std::mt19937_64 random(9);
    Histogram all, merged;
    for (int part = 0; part < 5; ++part) {
        Histogram one;
        for (int i = 0; i < 1000; ++i) {
            const std::uint64_t value = draw(QStringLiteral("heavy tail"), random);
            one.record(value);
            all.record(value);
        }
        merged.merge(one);
    }
    QVERIFY(merged == all);
    merged.merge(Histogram());
    QVERIFY(merged == all);
}

void TestHistogram::emptyHistogram() {
    const Histogram empty;
    QCOMPARE(empty.count(), std::uint64_t{0});
    QCOMPARE(empty.quantileUs(0.5), std::uint64_t{0});
    QCOMPARE(empty.meanUs(), 0.0);
    QCOMPARE(empty.stdDeviationUs(), 0.0);
}

void TestHistogram::valuesAboveRangeKeepTheirMaximum() {
    Histogram histogram;
    histogram.record(300'000'000);
    histogram.record(5);
    QCOMPARE(histogram.maxUs(), std::uint64_t{300'000'000});
    QCOMPARE(histogram.quantileUs(1), std::uint64_t{300'000'000});
    QCOMPARE(histogram.quantileUs(0.5), std::uint64_t{5});
    QCOMPARE(histogram.buckets().back(), std::uint64_t{1});
}

void TestHistogram::ranksAreExact_data() {
    QTest::addColumn<double>("quantile");
    QTest::addColumn<quint64>("value");
    // Of 1..100, one each: 0.99 is the 99th, not by rounding of 0.99 * 100 the 100th.
    QTest::newRow("0") << 0.0 << quint64{1};
    QTest::newRow("0.5") << 0.5 << quint64{50};
    QTest::newRow("0.51") << 0.51 << quint64{51};
    QTest::newRow("0.9") << 0.9 << quint64{90};
    QTest::newRow("0.99") << 0.99 << quint64{99};
    QTest::newRow("0.991") << 0.991 << quint64{100};
    QTest::newRow("1") << 1.0 << quint64{100};
    QTest::newRow("below") << -1.0 << quint64{1};
    QTest::newRow("above") << 2.0 << quint64{100};
}

void TestHistogram::ranksAreExact() {
    QFETCH(double, quantile);
    Histogram histogram;
    for (std::uint64_t value = 1; value <= 100; ++value)
        histogram.record(value);
    QTEST(quint64{histogram.quantileUs(quantile)}, "value");
}

void TestHistogram::bucketsWithoutMaximum() {
    Histogram histogram;
    histogram.addBucket(HistogramLayout::indexOf(4999), 3);
    histogram.addBucket(HistogramLayout::indexOf(10), 0);
    histogram.addBucket(UINT32_MAX, 1); // from a peer: counted in the last bucket, not beyond it
    QCOMPARE(histogram.count(), std::uint64_t{4});
    QCOMPARE(histogram.quantileUs(0.5), std::uint64_t{5023});
    QCOMPARE(histogram.buckets().back(), std::uint64_t{1});
    histogram.noteMax(5000);
    QCOMPARE(histogram.quantileUs(0.5), std::uint64_t{5000});
}

void TestHistogram::recordWithCount() {
    Histogram once, often;
    for (int i = 0; i < 7; ++i)
        once.record(1234);
    often.record(1234, 7);
    often.record(9999, 0);
    QVERIFY(once == often);
}

void TestHistogram::clearForgetsAll() {
    Histogram histogram;
    histogram.record(77);
    histogram.clear();
    QVERIFY(histogram == Histogram());
}

QTEST_GUILESS_MAIN(TestHistogram)
#include "tst_histogram.moc"

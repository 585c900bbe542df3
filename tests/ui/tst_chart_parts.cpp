// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_feed.h"
#include "ui/charts/chart_drawing.h"
#include "ui/charts/chart_table_model.h"
#include "ui/charts/window_cache.h"

#include <QAbstractItemModelTester>
#include <QItemSelectionModel>
#include <QSignalSpy>
#include <QTest>

#include <random>

using namespace yardmaster;
using namespace yardmaster::ui;
using tests::ChartFeed;

namespace {

ChartTable tableOf(const std::vector<std::pair<int, double>>& rows) {
    ChartTable table;
    table.columns = {
        {QStringLiteral("time"), QStringLiteral("Time"), {}, ChartColumn::Kind::Integer, true, 0},
        {QStringLiteral("value"), QStringLiteral("Value"), QStringLiteral("ms"), ChartColumn::Kind::Real,
            false, 1}};
    for (const auto& [key, value] : rows)
        table.rows.push_back({QVariant(key), QVariant(value)});
    return table;
}

} // namespace

class TestChartParts : public QObject {
    Q_OBJECT

private slots:
    void pushesLabelsApart_data();
    void pushesLabelsApart();
    void pushesApartProperty();
    void hatchesInsideThePolygon();
    void picksTheWindow_data();
    void picksTheWindow();
    void asksForAWindowOnce();
    void leavesOutTheUnfinishedWindow();
    void mergesTables();
    void mergesRandomTables();
};

void TestChartParts::pushesLabelsApart_data() {
    QTest::addColumn<QList<double>>("wanted");
    QTest::addColumn<QList<double>>("placed");
    QTest::newRow("none") << QList<double>{} << QList<double>{};
    QTest::newRow("far apart stay") << QList<double>{10, 40, 80} << QList<double>{10, 40, 80};
    QTest::newRow("two at one place") << QList<double>{50, 50} << QList<double>{43, 57};
    QTest::newRow("at the lower end") << QList<double>{0, 1} << QList<double>{0, 14};
    QTest::newRow("at the upper end") << QList<double>{99, 100} << QList<double>{86, 100};
    QTest::newRow("a push reaches the next")
        << QList<double>{40, 42, 54} << QList<double>{31.333333, 45.333333, 59.333333};
}

void TestChartParts::pushesLabelsApart() {
    QFETCH(QList<double>, wanted);
    QFETCH(QList<double>, placed);
    const std::vector<double> result = pushedApart({wanted.begin(), wanted.end()}, 14, 0, 100);
    QCOMPARE(result.size(), static_cast<std::size_t>(placed.size()));
    for (std::size_t i = 0; i < result.size(); ++i)
        QVERIFY2(std::abs(result[i] - placed[static_cast<qsizetype>(i)]) < 1e-4,
            qPrintable(QString::number(result[i])));
}

void TestChartParts::pushesApartProperty() {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> anywhere(-20, 320);
    for (int round = 0; round < 500; ++round) {
        std::vector<double> wanted(1 + random() % 8);
        for (double& position : wanted)
            position = anywhere(random);
        std::sort(wanted.begin(), wanted.end());
        const std::vector<double> placed = pushedApart(wanted, 14, 0, 300);
        for (std::size_t i = 0; i < placed.size(); ++i) {
            QVERIFY(placed[i] >= -1e-9 && placed[i] <= 300 + 1e-9);
            QVERIFY(i == 0 || placed[i] - placed[i - 1] >= 14 - 1e-9);
        }
    }
}

void TestChartParts::hatchesInsideThePolygon() {
    const QPolygonF steps({{10, 80}, {10, 30}, {50, 30}, {50, 60}, {90, 60}, {90, 80}});
    const QVector<QLineF> lines = hatchLines(steps, 7);
    QVERIFY(lines.size() > 8);
    for (const QLineF& line : lines) {
        // Diagonal, and with both ends and the middle inside: nothing relies on clipping.
        QVERIFY(std::abs((line.x1() + line.y1()) - (line.x2() + line.y2())) < 1e-6);
        QVERIFY(steps.containsPoint(line.center(), Qt::OddEvenFill));
        QVERIFY(steps.boundingRect().adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(line.p1()));
        QVERIFY(steps.boundingRect().adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(line.p2()));
    }
}

void TestChartParts::picksTheWindow_data() {
    QTest::addColumn<int>("rangeS");
    QTest::addColumn<int>("ageS"); // of the end of the range
    QTest::addColumn<int>("windowS");
    QTest::newRow("1 min") << 60 << 0 << 1;
    QTest::newRow("5 min") << 300 << 0 << 2;
    QTest::newRow("15 min") << 900 << 0 << 5;
    QTest::newRow("1 h") << 3600 << 0 << 20;
    QTest::newRow("1 d") << 86400 << 0 << 600;
    QTest::newRow("1 min of half an hour ago has seconds") << 60 << 1800 << 1;
    QTest::newRow("1 min of two hours ago has only minutes") << 60 << 7200 << 60;
}

void TestChartParts::picksTheWindow() {
    QFETCH(int, rangeS);
    QFETCH(int, ageS);
    QFETCH(int, windowS);
    constexpr std::int64_t second = ChartFeed::second;
    const models::TimeSpan recorded{0, 1'000'000 * second};
    const std::int64_t to = recorded.toNs - ageS * second;
    QCOMPARE(
        windowLengthNs({to - rangeS * second, to}, recorded) / second, static_cast<std::int64_t>(windowS));
}

void TestChartParts::asksForAWindowOnce() {
    ChartFeed feed;
    feed.run(30);
    WindowCache cache(feed.history);
    const std::int64_t window = 2 * ChartFeed::second;
    const auto first = cache.windows(feed.time.span(), window, {});
    QVERIFY(first.size() >= 13);
    const std::uint64_t queries = cache.queries();
    for (int i = 0; i < 10; ++i)
        std::ignore = cache.windows(feed.time.span(), window, {});
    // The newest windows may still change and are asked again; that is one query, not one of the whole range.
    QVERIFY(cache.queries() - queries <= 10);

    feed.run(10);
    const auto later = cache.windows(feed.time.span(), window, {});
    WindowCache fresh(feed.history);
    const auto anew = fresh.windows(feed.time.span(), window, {});
    QCOMPARE(later.size(), anew.size());
    for (std::size_t i = 0; i < later.size(); ++i) {
        QCOMPARE(later[i].span.fromNs, anew[i].span.fromNs);
        QCOMPARE(later[i].count, anew[i].count);
        QVERIFY(later[i].p99 == anew[i].p99 || (std::isnan(later[i].p99) && std::isnan(anew[i].p99)));
    }
}

void TestChartParts::leavesOutTheUnfinishedWindow() {
    ChartFeed feed;
    feed.run(21.3);
    WindowCache cache(feed.history);
    const auto& windows = cache.windows(feed.time.span(), 2 * ChartFeed::second, {});
    QVERIFY(!windows.empty());
    QVERIFY(windows.back().span.toNs <= feed.nowNs());
    QCOMPARE(windows.back().count, 2 * 10 * ChartFeed::workerCount * ChartFeed::requestsPerSample);
    QVERIFY(cache.at(windows.back().span.fromNs) == &windows.back());
    QVERIFY(cache.at(windows.back().span.toNs) == nullptr);
}

void TestChartParts::mergesTables() {
    ChartTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.apply(tableOf({{1, 1}, {2, 2}, {3, 3}, {4, 4}}));
    QItemSelectionModel selection(&model);
    selection.select(model.index(2, 0), QItemSelectionModel::Select);
    const QPersistentModelIndex third(model.index(2, 0));

    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    model.apply(tableOf({{3, 3}, {4, 4.5}, {5, 5}, {6, 6}}));
    QCOMPARE(reset.size(), 0);
    QCOMPARE(removed.size(), 1);
    QCOMPARE(inserted.size(), 1);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(third.row(), 0);
    QVERIFY(selection.isSelected(third));
    QCOMPARE(model.index(1, 1).data().toString(), QLocale().toString(4.5, 'f', 1));
    QCOMPARE(model.headerData(1, Qt::Horizontal).toString(), QStringLiteral("Value ms"));
}

void TestChartParts::mergesRandomTables() {
    ChartTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::pair<int, double>> rows;
        for (int key = 0; key < 30; ++key) {
            if (random() % 3 != 0)
                rows.emplace_back(key, random() % 4);
        }
        if (round % 17 == 0)
            std::shuffle(rows.begin(), rows.end(), random);
        model.apply(tableOf(rows));
        QCOMPARE(model.rowCount(), static_cast<int>(rows.size()));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QCOMPARE(model.index(static_cast<int>(i), 0).data().toInt(), rows[i].first);
            QCOMPARE(model.index(static_cast<int>(i), 1).data().toString(),
                QLocale().toString(rows[i].second, 'f', 1));
        }
    }
}

QTEST_MAIN(TestChartParts)
#include "tst_chart_parts.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_feed.h"
#include "ui/charts/chart_panel.h"
#include "ui/charts/connections_chart.h"
#include "ui/charts/heatmap_chart.h"
#include "ui/charts/histogram_chart.h"
#include "ui/charts/percentile_chart.h"
#include "ui/charts/rate_chart.h"
#include "ui/charts/startup_chart.h"
#include "ui/theme/format.h"

#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>
#include <numeric>

using namespace yardmaster;
using namespace yardmaster::ui;
using tests::ChartFeed;

namespace {

void show(QWidget& widget) {
    widget.resize(900, 300);
    widget.show();
    QVERIFY(QTest::qWaitForWindowExposed(&widget));
}

/// The library's widget, which takes the mouse.
QWidget* surface(const ChartView& chart) {
    return chart.findChild<QWidget*>({}, Qt::FindDirectChildrenOnly);
}

} // namespace

class TestChartViews : public QObject {
    Q_OBJECT

private slots:
    void showsMergedPercentiles();
    void doesNotBridgeGaps();
    void pausedRangeStandsStill();
    void sharesTheCrosshair();
    void arrowKeysMoveTheCrosshair();
    void dragZoomsAndDoubleClickResets();
    void hiddenChartsDoNotReplot();
    void coalescesReplots();
    void saysItsNumbers();
    void showsOneWorker();
    void heatmapKeepsEveryRequest();
    void histogramKeepsEveryRequest();
    void stacksGenerations();
    void stacksVersions();
    void standsOldAndNewSideBySide();
    void linearScaleStartsAtZero();
    void tableReplacesTheChart();
    void saysThatThereIsNothing();
};

void TestChartViews::showsMergedPercentiles() {
    ChartFeed feed;
    feed.run(40);
    PercentileChart chart(&feed.history, &feed.time);
    show(chart);
    QTRY_VERIFY(chart.replotCount() > 0);

    const auto p99 = chart.shownSeries(2);
    const auto max = chart.shownSeries(4);
    QVERIFY(p99.size() >= 15);
    const std::int64_t half = chart.windowNs() / 2;
    int compared = 0;
    for (std::size_t i = 0; i < p99.size(); ++i) {
        const models::TimeSpan window{p99[i].first - half, p99[i].first + half};
        const metrics::Histogram merged = feed.history.merged(window);
        if (merged.count() == 0)
            continue;
        QCOMPARE(p99[i].second, static_cast<double>(merged.quantileUs(0.99)));
        QCOMPARE(max[i].second, static_cast<double>(merged.maxUs()));
        ++compared;
    }
    QVERIFY(compared >= 15);
    QVERIFY2(
        chart.subTitle().contains(QStringLiteral("merged over 4 workers")), qPrintable(chart.subTitle()));
    QVERIFY(chart.subTitle().contains(QStringLiteral("2 s windows")));
    QVERIFY(chart.subTitle().contains(QStringLiteral("corrected for coordinated omission: no")));
}

void TestChartViews::doesNotBridgeGaps() {
    ChartFeed feed;
    feed.run(20);
    const std::int64_t lostAt = feed.nowNs();
    feed.loseLink(8);
    const std::int64_t backAt = feed.nowNs();
    feed.run(20);
    PercentileChart chart(&feed.history, &feed.time);
    show(chart);
    QTRY_VERIFY(chart.replotCount() > 0);

    int inside = 0, outside = 0;
    for (const auto& [atNs, value] : chart.shownSeries(0)) {
        const std::int64_t half = chart.windowNs() / 2;
        if (atNs - half >= lostAt && atNs + half <= backAt) {
            QVERIFY2(std::isnan(value), "a line goes through the gap");
            ++inside;
        } else if (atNs + half <= lostAt || atNs - half >= backAt) {
            QVERIFY(std::isfinite(value));
            ++outside;
        }
    }
    QVERIFY(inside >= 2);
    QVERIFY(outside >= 10);
    QCOMPARE(chart.shownGaps().size(), 1U);
    QVERIFY(!chart.shownGaps().front().reason.isEmpty());
}

void TestChartViews::pausedRangeStandsStill() {
    ChartFeed feed;
    feed.run(30);
    PercentileChart chart(&feed.history, &feed.time);
    show(chart);
    QTRY_VERIFY(chart.replotCount() > 0);
    feed.time.setLive(false);
    QTest::qWait(0);
    chart.refresh();
    const models::TimeSpan paused = chart.axisSpan();
    const auto series = chart.shownSeries(1);

    feed.run(10);
    QTest::qWait(0);
    chart.refresh();
    QCOMPARE(chart.axisSpan().toNs, paused.toNs);
    QCOMPARE(chart.shownSeries(1).size(), series.size());
    QCOMPARE(feed.time.missedSamples(), 100ULL);

    feed.time.setLive(true);
    QTRY_VERIFY(chart.axisSpan().toNs >= paused.toNs + 9 * ChartFeed::second);
}

void TestChartViews::sharesTheCrosshair() {
    ChartFeed feed;
    feed.run(60);
    feed.time.setLengthNs(60 * ChartFeed::second);
    QWidget page;
    auto* layout = new QVBoxLayout(&page);
    auto* percentiles = new PercentileChart(&feed.history, &feed.time);
    auto* heatmap = new HeatmapChart(&feed.history, &feed.time);
    auto* connections = new ConnectionsChart(&feed.history, &feed.time);
    for (ChartView* chart : std::initializer_list<ChartView*>{percentiles, heatmap, connections})
        layout->addWidget(chart);
    page.resize(900, 800);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QTRY_VERIFY(
        connections->replotCount() > 0 && percentiles->replotCount() > 0 && heatmap->replotCount() > 0);

    // The times of all charts stand under each other.
    QTRY_COMPARE(percentiles->plotArea().left(), connections->plotArea().left());
    QCOMPARE(percentiles->plotArea().right(), connections->plotArea().right());
    QCOMPARE(percentiles->plotArea().right(), heatmap->plotArea().right());

    QVERIFY(percentiles->readoutText().isEmpty());
    QTest::mouseMove(surface(*percentiles), percentiles->plotArea().center());
    QTRY_VERIFY(feed.time.crosshairNs().has_value());
    const std::int64_t middle = feed.time.span().fromNs + 30 * ChartFeed::second;
    QVERIFY(std::abs(*feed.time.crosshairNs() - middle) < ChartFeed::second);
    QVERIFY(percentiles->readoutText().contains(QStringLiteral("p99.9")));
    QVERIFY(heatmap->readoutText().contains(QStringLiteral("requests")));
    QVERIFY2(
        connections->readoutText().contains(QStringLiteral("400")), qPrintable(connections->readoutText()));
    const metrics::Histogram merged = feed.history.merged({middle - 2 * ChartFeed::second, middle});
    QVERIFY(merged.count() > 0);

    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(surface(*percentiles), &leave);
    QVERIFY(!feed.time.crosshairNs());
    QVERIFY(heatmap->readoutText().isEmpty());
}

void TestChartViews::arrowKeysMoveTheCrosshair() {
    ChartFeed feed;
    feed.run(40);
    PercentileChart chart(&feed.history, &feed.time);
    show(chart);
    QTRY_VERIFY(chart.replotCount() > 0);
    chart.setFocus();
    QTest::keyClick(&chart, Qt::Key_Left);
    QVERIFY(feed.time.crosshairNs());
    const std::int64_t first = *feed.time.crosshairNs();
    QTest::keyClick(&chart, Qt::Key_Left);
    QCOMPARE(first - *feed.time.crosshairNs(), chart.windowNs());
    QTest::keyClick(&chart, Qt::Key_Home);
    QCOMPARE(*feed.time.crosshairNs(), feed.time.span().fromNs);
    QTest::keyClick(&chart, Qt::Key_Escape);
    QVERIFY(!feed.time.crosshairNs());
}

void TestChartViews::dragZoomsAndDoubleClickResets() {
    ChartFeed feed;
    feed.run(60);
    feed.time.setLengthNs(60 * ChartFeed::second);
    PercentileChart chart(&feed.history, &feed.time);
    show(chart);
    QTRY_VERIFY(chart.replotCount() > 0);
    const QRect area = chart.plotArea();
    const QPoint from(area.left() + area.width() / 4, area.center().y());
    const QPoint to(area.left() + area.width() / 2, area.center().y());
    QTest::mousePress(surface(chart), Qt::LeftButton, {}, from);
    QTest::mouseMove(surface(chart), to);
    QTest::mouseRelease(surface(chart), Qt::LeftButton, {}, to);
    QVERIFY(!feed.time.isLive());
    const models::TimeSpan zoomed = feed.time.span();
    const double seconds = static_cast<double>(zoomed.toNs - zoomed.fromNs) / ChartFeed::second;
    QVERIFY2(std::abs(seconds - 15) < 0.5, qPrintable(QString::number(seconds)));
    QTRY_COMPARE(chart.axisSpan().toNs / 1'000'000, zoomed.toNs / 1'000'000);

    QTest::mouseDClick(surface(chart), Qt::LeftButton, {}, from);
    QVERIFY(feed.time.isLive());
    QCOMPARE(feed.time.span().toNs - feed.time.span().fromNs, 60 * ChartFeed::second);
}

void TestChartViews::hiddenChartsDoNotReplot() {
    ChartFeed feed;
    feed.run(10);
    PercentileChart chart(&feed.history, &feed.time);
    feed.run(1);
    QCoreApplication::processEvents();
    QCOMPARE(chart.replotCount(), 0ULL);

    show(chart);
    QTRY_VERIFY(chart.replotCount() > 0);
    chart.setActive(false);
    QCoreApplication::processEvents();
    const std::uint64_t before = chart.replotCount();
    feed.run(1);
    feed.time.setCrosshair(feed.nowNs());
    QCoreApplication::processEvents();
    QCOMPARE(chart.replotCount(), before);

    chart.hide();
    chart.setActive(true);
    feed.run(1);
    QCoreApplication::processEvents();
    QCOMPARE(chart.replotCount(), before);

    chart.show();
    QTRY_COMPARE(chart.axisSpan().toNs / 1'000'000, feed.nowNs() / 1'000'000);
    QVERIFY(chart.replotCount() > before);
}

void TestChartViews::coalescesReplots() {
    ChartFeed feed;
    feed.run(10);
    RateChart chart(&feed.history, &feed.time);
    show(chart);
    QTRY_VERIFY(chart.replotCount() > 0);
    QCoreApplication::processEvents();
    const std::uint64_t before = chart.replotCount();
    feed.run(2); // 20 samples, each a change of history and range
    QTRY_VERIFY(chart.replotCount() > before);
    QCoreApplication::processEvents();
    QCOMPARE(chart.replotCount(), before + 1);
}

void TestChartViews::saysItsNumbers() {
    ChartFeed feed;
    feed.run(40);
    feed.time.setLive(false);
    PercentileChart percentiles(&feed.history, &feed.time);
    show(percentiles);
    QTRY_VERIFY(percentiles.replotCount() > 0);
    const auto p99 = percentiles.shownSeries(2);
    const QString text = percentiles.accessibleDescription();
    QVERIFY2(text.contains(QStringLiteral("p99 ") + format::latency(p99.back().second)), qPrintable(text));
    QCOMPARE(percentiles.accessibleName(), percentiles.title());
    QCOMPARE(percentiles.endLabels().size(), 5U);

    HistogramChart histogram(&feed.history, &feed.time);
    histogram.refresh();
    const metrics::Histogram merged = feed.history.merged(feed.time.span());
    QVERIFY(histogram.accessibleDescription().contains(format::number(static_cast<double>(merged.count()))));

    StartupChart startup(&feed.history, &feed.time);
    startup.refresh();
    QVERIFY2(startup.accessibleDescription().contains(QStringLiteral("ready after")),
        qPrintable(startup.accessibleDescription()));

    ConnectionsChart connections(&feed.history, &feed.time);
    connections.refresh();
    QVERIFY2(connections.accessibleDescription().contains(QStringLiteral("400")),
        qPrintable(connections.accessibleDescription()));
}

void TestChartViews::showsOneWorker() {
    ChartFeed feed;
    feed.run(30);
    feed.time.setLive(false);
    HistogramChart chart(&feed.history, &feed.time);
    const auto total = [&chart] {
        return std::accumulate(chart.bars().begin(), chart.bars().end(), std::uint64_t{0},
            [](std::uint64_t sum, const HistogramChart::Bar& bar) { return sum + bar.count; });
    };
    chart.refresh();
    const std::uint64_t all = total();
    chart.setSlot(2);
    chart.refresh();
    QCOMPARE(total() * ChartFeed::workerCount, all);

    ConnectionsChart connections(&feed.history, &feed.time);
    QSignalSpy said(&connections, &ChartView::summaryChanged);
    connections.setSlot(2);
    connections.refresh();
    QCOMPARE(connections.title(), QStringLiteral("Connections of worker 2"));
    QVERIFY(said.size() > 0);
}

void TestChartViews::heatmapKeepsEveryRequest() {
    ChartFeed feed;
    feed.run(40);
    feed.time.setLive(false);
    HeatmapChart chart(&feed.history, &feed.time);
    for (const HeatmapChart::Scale scale :
        {HeatmapChart::Scale::Count, HeatmapChart::Scale::PercentOfColumn}) {
        chart.setScale(scale);
        chart.refresh();
        std::map<std::size_t, double> columns;
        for (const HeatmapChart::Cell& cell : chart.cells()) {
            QVERIFY(cell.count > 0);
            columns[cell.column] += cell.count;
        }
        QVERIFY(columns.size() >= 8);
        // 4 s windows at 10 samples a second; the first may have begun before the recording did.
        const double whole =
            4 * 10 * ChartFeed::workerCount * static_cast<double>(ChartFeed::requestsPerSample);
        QCOMPARE(columns[3], whole);
        QCOMPARE(columns[6], whole);
    }
}

void TestChartViews::histogramKeepsEveryRequest() {
    ChartFeed feed;
    feed.run(40);
    feed.time.setLive(false);
    HistogramChart chart(&feed.history, &feed.time);
    chart.refresh();
    std::uint64_t sum = 0;
    double last = 0;
    for (const HistogramChart::Bar& bar : chart.bars()) {
        QVERIFY(bar.fromUs >= last);
        QVERIFY(bar.toUs > bar.fromUs);
        last = bar.toUs;
        sum += bar.count;
    }
    QCOMPARE(sum, feed.history.merged(feed.time.span()).count());
}

void TestChartViews::stacksGenerations() {
    ChartFeed feed;
    feed.run(20);
    feed.upgrade(3);
    feed.run(0.5);
    feed.time.setLive(false);
    ConnectionsChart chart(&feed.history, &feed.time);
    chart.setSlot(3);
    chart.refresh();
    QCOMPARE(chart.layers().size(), 2U);
    QCOMPARE(chart.layers()[0].age, 0);
    QCOMPARE(chart.layers()[0].name, QStringLiteral("v1.5.0"));
    QCOMPARE(chart.layers()[1].age, 1);
    QCOMPARE(chart.layers()[1].name, QStringLiteral("v1.4.1"));
    // After half a second: 20 + 5 * 4 new ones, 100 - 5 * 5 old ones are left.
    QCOMPARE(chart.layers()[0].values.back(), 40.0);
    QCOMPARE(chart.layers()[1].values.back(), 75.0);
    QVERIFY(std::isnan(chart.layers()[0].values.front()) || chart.layers()[0].values.front() == 0);

    feed.time.setLive(true);
    feed.run(20);
    feed.time.setLive(false);
    chart.refresh();
    QCOMPARE(chart.layers()[0].values.back(), 100.0);
    const double old = chart.layers().size() > 1 ? chart.layers()[1].values.back() : 0;
    QVERIFY2(std::isnan(old) || old == 0, "a worker that is gone still has connections");
    QCOMPARE(chart.endLabels().size(), 1U);

    chart.setSlot(1);
    chart.refresh();
    QCOMPARE(chart.layers().size(), 1U);
    QCOMPARE(chart.layers()[0].age, 0);
}

void TestChartViews::stacksVersions() {
    ChartFeed feed;
    feed.run(20);
    feed.upgrade(3);
    feed.run(20);
    feed.time.setLive(false);
    RateChart chart(&feed.history, &feed.time);
    chart.refresh();
    QCOMPARE(chart.layers().size(), 2U);
    QCOMPARE(chart.layers()[0].name, QStringLiteral("v1.5.0"));
    const auto lastKnown = [](const std::vector<double>& values) {
        const auto found =
            std::find_if(values.rbegin(), values.rend(), [](double v) { return std::isfinite(v); });
        return found == values.rend() ? std::nan("") : *found;
    };
    const double perWorker = 10 * static_cast<double>(ChartFeed::requestsPerSample);
    QCOMPARE(lastKnown(chart.layers()[0].values), perWorker);
    QCOMPARE(lastKnown(chart.layers()[1].values), 3 * perWorker);
}

void TestChartViews::standsOldAndNewSideBySide() {
    ChartFeed feed;
    feed.run(5);
    feed.upgrade(3);
    feed.run(5);
    StartupChart chart(&feed.history, &feed.time);
    chart.setSlot(3);
    chart.refresh();
    QStringList names;
    for (const StartupChart::Row& row : chart.rows())
        names.append(row.name);
    QCOMPARE(names,
        QStringList({QStringLiteral("3 new"), QStringLiteral("3 old"), QStringLiteral("1"),
            QStringLiteral("2"), QStringLiteral("4")}));
    QVERIFY(chart.rows()[0].isMarked && chart.rows()[1].isMarked && !chart.rows()[2].isMarked);
    QVERIFY(chart.rows()[0].record.readyMs.has_value());
}

void TestChartViews::linearScaleStartsAtZero() {
    ChartFeed feed;
    feed.run(20);
    PercentileChart chart(&feed.history, &feed.time);
    QVERIFY(chart.isLogarithmic());
    std::unique_ptr<QWidget> choice(chart.createHeadWidget(nullptr));
    const auto buttons = choice->findChildren<QAbstractButton*>();
    QCOMPARE(buttons.size(), 2);
    buttons[1]->click();
    QVERIFY(!chart.isLogarithmic());
    chart.setLogarithmic(true);
    QVERIFY(buttons[0]->isChecked());
}

void TestChartViews::tableReplacesTheChart() {
    ChartFeed feed;
    feed.run(30);
    feed.time.setLive(false);
    auto* chart = new PercentileChart(&feed.history, &feed.time);
    ChartPanel panel(chart);
    panel.resize(900, 300);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    ChartSection* section = panel.sections().front();
    auto* button = section->findChild<QToolButton*>(QStringLiteral("showAsTable"));
    QVERIFY(button);
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(section->isTableShown());
    QVERIFY(!chart->isVisible());
    const ChartTable table = chart->table(feed.time.span());
    QCOMPARE(section->table()->model()->rowCount(), static_cast<int>(table.rows.size()));
    QCOMPARE(section->table()->model()->headerData(3, Qt::Horizontal).toString(), QStringLiteral("p99 ms"));
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(chart->isVisible());
}

void TestChartViews::saysThatThereIsNothing() {
    models::MetricsHistory history;
    models::TimeCursor time;
    std::vector<std::unique_ptr<ChartView>> charts;
    charts.push_back(std::make_unique<PercentileChart>(&history, &time));
    charts.push_back(std::make_unique<HeatmapChart>(&history, &time));
    charts.push_back(std::make_unique<HistogramChart>(&history, &time));
    charts.push_back(std::make_unique<ConnectionsChart>(&history, &time));
    charts.push_back(std::make_unique<RateChart>(&history, &time));
    charts.push_back(std::make_unique<StartupChart>(&history, &time));
    for (const auto& chart : charts) {
        show(*chart);
        QTRY_VERIFY2(chart->replotCount() > 0, qPrintable(chart->id()));
        QVERIFY2(!chart->accessibleDescription().isEmpty(), qPrintable(chart->id()));
        QVERIFY(!chart->grab().isNull());
    }
}

QTEST_MAIN(TestChartViews)
#include "tst_chart_views.moc"

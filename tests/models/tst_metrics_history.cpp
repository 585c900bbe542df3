// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/metrics_history.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace yardmaster;
using namespace yardmaster::models;

namespace {

constexpr std::int64_t secondNs = 1'000'000'000;
constexpr std::int64_t startNs = 1'700'000'040 * secondNs; ///< at the beginning of a minute

/// Feeds a history at 10 Hz and remembers everything plainly: the slow model it is compared with.
struct Feed {
    MetricsHistory history;
    metrics::Histogram all, firstSlot;
    std::uint64_t requests = 0;
    std::int64_t nowNs = startNs;
    std::mt19937 random{42};

    void step() {
        nowNs += secondNs / 10;
        control::Snapshot snapshot;
        snapshot.unixNs = nowNs;
        for (std::uint32_t id = 1; id <= 2; ++id) {
            control::WorkerInfo info;
            info.id = info.slot = id;
            info.version = QStringLiteral("v1");
            info.state = control::WorkerState::Serving;
            info.connections = id * 5;
            snapshot.workers.push_back(info);
            auto latency = std::make_shared<metrics::Histogram>();
            const std::uint64_t count = random() % 20;
            for (std::uint64_t at = 0; at < count; ++at)
                latency->record(100 + random() % 100'000);
            all.merge(*latency);
            if (id == 1)
                firstSlot.merge(*latency);
            requests += count;
            control::WorkerDelta delta;
            delta.workerId = id;
            delta.requests = count;
            delta.latency = latency;
            snapshot.deltas.push_back(delta);
        }
        history.apply(snapshot);
    }
    void steps(int count) {
        for (int at = 0; at < count; ++at)
            step();
    }
};

control::WorkerInfo startedWorker(std::uint32_t id, std::uint32_t slot) {
    control::WorkerInfo info;
    info.id = id;
    info.slot = slot;
    info.pid = static_cast<std::int32_t>(1000 + id);
    info.startedUnixNs = startNs + id;
    info.phases.spawnNs = 1'000'000;
    info.phases.readyNs = 4'500'000;
    return info;
}

} // namespace

class TestMetricsHistory : public QObject {
    Q_OBJECT
private slots:
    void mergedIsTheMergeOfAllThatWasRecorded_data() {
        QTest::addColumn<int>("steps");
        QTest::newRow("three seconds") << 30;
        QTest::newRow("two minutes") << 1200;
        QTest::newRow("more than the finest tier keeps") << 4200;
    }
    void mergedIsTheMergeOfAllThatWasRecorded() {
        QFETCH(int, steps);
        Feed feed;
        feed.steps(steps);
        QVERIFY(feed.history.merged({startNs - secondNs, feed.nowNs}) == feed.all);
        QVERIFY(feed.history.merged({startNs - secondNs, feed.nowNs}, 1) == feed.firstSlot);
    }

    void windowsAddUpToTheWhole() {
        Feed feed;
        feed.steps(600);
        std::uint64_t requests = 0;
        for (const LatencyWindow& window : feed.history.windows({startNs, feed.nowNs}, 2 * secondNs)) {
            QCOMPARE(window.span.fromNs % (2 * secondNs), std::int64_t{0});
            QVERIFY(!window.isGap);
            requests += window.requests;
            QCOMPARE(window.latency ? window.latency->count() : 0, window.requests);
        }
        QCOMPARE(requests, feed.requests);
    }

    void aLostLinkIsAGapAndNotBridged() {
        Feed feed;
        feed.steps(100);
        const std::int64_t lostNs = feed.nowNs;
        control::Link link;
        link.state = control::LinkState::Lost;
        feed.history.noteLink(link);
        feed.nowNs += 10 * secondNs;
        feed.steps(100);
        const TimeSpan inside{lostNs + secondNs, lostNs + 9 * secondNs};
        const auto windows = feed.history.windows(inside, secondNs);
        QCOMPARE(windows.size(), std::size_t{8});
        for (const LatencyWindow& window : windows)
            QVERIFY(window.isGap);
        QCOMPARE(feed.history.gaps({startNs, feed.nowNs}).size(), std::size_t{1});
        const auto series = feed.history.connections({startNs, feed.nowNs});
        QCOMPARE(series.size(), std::size_t{2});
        for (const ConnectionSeries& one : series)
            QVERIFY(std::any_of(one.points.begin(), one.points.end(),
                [&](const auto& point) { return point.first >= lostNs && std::isnan(point.second); }));
    }

    void startupsTellOldFromNew() {
        MetricsHistory history;
        control::Snapshot snapshot;
        snapshot.unixNs = startNs;
        snapshot.workers = {startedWorker(1, 1), startedWorker(9, 1)};
        history.apply(snapshot);
        const auto startups = history.startups();
        QCOMPARE(startups.size(), std::size_t{2});
        QCOMPARE(startups[0].workerId, 9U);
        QCOMPARE(startups[0].age, 0);
        QCOMPARE(startups[1].age, 1);
        QCOMPARE(*startups[0].readyMs, 3.5);
        QVERIFY(!startups[0].firstRequestMs);
    }

    void anOldWorkerAmongManyNewerStartsIsLeftOut() {
        MetricsHistory history;
        control::Snapshot snapshot;
        snapshot.unixNs = startNs;
        for (std::uint32_t id = 100; id < 180; ++id)
            snapshot.workers.push_back(startedWorker(id, id));
        snapshot.workers.push_back(startedWorker(1, 1)); // started before all others, still alive
        history.apply(snapshot);
        history.apply(snapshot);
        const auto startups = history.startups();
        QCOMPARE(startups.size(), std::size_t{64});
        QCOMPARE(startups.front().workerId, 179U);
        for (const StartupRecord& record : startups)
            QVERIFY(record.workerId >= 116);
    }
};

QTEST_GUILESS_MAIN(TestMetricsHistory)
#include "tst_metrics_history.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention.h"

#include <QSignalSpy>
#include <QTest>

using namespace yardmaster;
using namespace yardmaster::control;
using ui::AttentionList;
using ui::Glyph;

namespace {

constexpr std::int64_t secondNs = 1'000'000'000;
const Link connected{LinkState::Connected, 0, 0, {}};

WorkerInfo workerIn(WorkerState state) {
    WorkerInfo worker;
    worker.id = 4;
    worker.slot = 4;
    worker.pid = 1'234;
    worker.state = state;
    return worker;
}

SnapshotPtr snapshotOf(const WorkerInfo& worker, std::int64_t seconds = 1'000) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->unixNs = seconds * secondNs;
    snapshot->workers = {worker};
    return snapshot;
}

} // namespace

class TestAttention : public QObject {
    Q_OBJECT

private slots:
    void oneWorker_data() {
        QTest::addColumn<int>("state");
        QTest::addColumn<int>("restarts");
        QTest::addColumn<bool>("replaced");
        QTest::addColumn<QString>("expected"); // empty: nothing
        const auto row = [](const char* name, WorkerState state, int restarts, bool replaced,
                             const char* expected) {
            QTest::newRow(name) << static_cast<int>(state) << restarts << replaced
                                << QString::fromUtf8(expected);
        };
        row("serving", WorkerState::Serving, 0, false, "");
        row("restarted twice", WorkerState::Serving, 2, false, "");
        row("crash loop", WorkerState::Serving, 3, false, "Worker 4 was restarted 3 times: exit reason");
        row("crashed", WorkerState::Crashed, 0, false, "Worker 4 crashed: exit reason");
        row("crashed and replaced is history", WorkerState::Crashed, 0, true, "");
        row("failed", WorkerState::Failed, 0, false, "Worker 4 did not start: exit reason");
        row("not answering", WorkerState::NotAnswering, 0, false, "Worker 4 does not answer");
        row("stopped on purpose", WorkerState::Stopped, 0, false, "");
        row("draining for a moment", WorkerState::Draining, 0, false, "");
    }
    void oneWorker() {
        QFETCH(int, state);
        QFETCH(int, restarts);
        QFETCH(bool, replaced);
        QFETCH(QString, expected);
        WorkerInfo worker = workerIn(static_cast<WorkerState>(state));
        worker.restarts = static_cast<std::uint32_t>(restarts);
        worker.lastExit = QStringLiteral("exit reason");
        if (replaced)
            worker.replacedBy = 9;
        AttentionList list;
        list.update(snapshotOf(worker), connected);
        QCOMPARE(list.items().size(), std::size_t(expected.isEmpty() ? 0 : 1));
        if (expected.isEmpty())
            return;
        QCOMPARE(list.items().front().text, expected);
        QCOMPARE(list.items().front().workerId, std::optional(4U));
    }

    void longDrain() {
        WorkerInfo worker = workerIn(WorkerState::Draining);
        worker.drain = DrainStatus{};
        worker.drain->openConnections = 64;
        AttentionList list;
        list.update(snapshotOf(worker, 1'000), connected);
        list.update(snapshotOf(worker, 1'059), connected);
        QVERIFY(list.items().empty());
        list.update(snapshotOf(worker, 1'060), connected);
        QCOMPARE(list.items().size(), std::size_t{1});
        QCOMPARE(list.items().front().glyph, Glyph::Draining);
        QCOMPARE(list.items().front().sinceUnixNs, 1'000 * secondNs);
        worker.state = WorkerState::Stopped;
        list.update(snapshotOf(worker, 1'061), connected);
        QVERIFY(list.items().empty());
    }

    void lostLinkComesFirst() {
        AttentionList list;
        const Link lost{LinkState::Lost, 7 * secondNs, 2'000, QStringLiteral("connection refused")};
        list.update(snapshotOf(workerIn(WorkerState::Crashed)), lost);
        QCOMPARE(list.items().size(), std::size_t{2});
        QCOMPARE(list.items()[0].text, QStringLiteral("Link lost, state unknown: connection refused"));
        QCOMPARE(list.items()[0].sinceUnixNs, 7 * secondNs);
        QCOMPARE(list.items()[1].glyph, Glyph::Crashed);
    }

    void lostBeforeTheFirstSnapshot() {
        AttentionList list;
        list.update(nullptr, Link{LinkState::Lost, 1, 0, {}});
        QCOMPARE(list.items().size(), std::size_t{1});
        list.update(nullptr, connected);
        QVERIFY(list.items().empty());
    }

    void failedJobIsSaidOnce() {
        auto snapshot = std::make_shared<Snapshot>(*snapshotOf(workerIn(WorkerState::Failed)));
        Job job;
        job.id = 1;
        job.title = QStringLiteral("Upgrade worker 4");
        job.state = JobState::Failed;
        job.newWorkerId = 4;
        job.error = Error{Error::Code::DeadlineExceeded, "not ready", {}, {}};
        snapshot->jobs = {job};
        AttentionList list;
        list.update(snapshot, connected);
        QCOMPARE(list.items().size(), std::size_t{1});
        QCOMPARE(list.items().front().text, QStringLiteral("Upgrade worker 4 failed: not ready"));
        // A newer job makes it history.
        Job newer;
        newer.id = 2;
        newer.startedUnixNs = 5;
        newer.state = JobState::Done;
        auto later = std::make_shared<Snapshot>(*snapshotOf(workerIn(WorkerState::Serving)));
        later->jobs = {job, newer};
        list.update(later, connected);
        QVERIFY(list.items().empty());
    }

    void saysChangesAndNothingElse() {
        AttentionList list;
        QSignalSpy changed(&list, &AttentionList::changed);
        list.update(snapshotOf(workerIn(WorkerState::Serving)), connected);
        QCOMPARE(changed.count(), 0);
        list.update(snapshotOf(workerIn(WorkerState::Crashed)), connected);
        list.update(snapshotOf(workerIn(WorkerState::Crashed)), connected);
        QCOMPARE(changed.count(), 1);
    }

    void warningOfTheTarget() {
        auto snapshot = std::make_shared<Snapshot>();
        snapshot->capabilities.upgradeWarning = QStringLiteral("leaves dead listeners");
        AttentionList list;
        list.update(snapshot, connected);
        QCOMPARE(list.items().size(), std::size_t{1});
        QCOMPARE(list.items().front().glyph, Glyph::Warning);
    }
};

QTEST_GUILESS_MAIN(TestAttention)
#include "tst_attention.moc"

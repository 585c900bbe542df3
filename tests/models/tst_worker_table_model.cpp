// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/worker_table_model.h"

#include <QAbstractItemModelTester>
#include <QPersistentModelIndex>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace yardmaster;
using namespace yardmaster::models;

namespace {

control::WorkerInfo worker(std::uint32_t id, std::uint32_t slot) {
    control::WorkerInfo info;
    info.id = id;
    info.slot = slot;
    info.state = control::WorkerState::Serving;
    info.connections = id * 10;
    return info;
}

control::Snapshot randomSnapshot(std::mt19937& random) {
    control::Snapshot snapshot;
    for (std::uint32_t id = 1; id <= 12; ++id) {
        if (random() % 3 == 0)
            continue;
        auto info = worker(id, id % 5);
        info.connections = random() % 1000;
        snapshot.workers.push_back(info);
    }
    std::shuffle(snapshot.workers.begin(), snapshot.workers.end(), random);
    return snapshot;
}

} // namespace

class TestWorkerTableModel : public QObject {
    Q_OBJECT
private slots:
    void rowsFollowRandomSnapshots() {
        std::mt19937 random(20261201);
        WorkerTableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        std::map<std::uint32_t, QPersistentModelIndex> kept;
        for (int round = 0; round < 400; ++round) {
            const control::Snapshot snapshot = randomSnapshot(random);
            QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
            model.apply(snapshot);
            QVERIFY2(changes.count() <= 1, "one coalesced dataChanged per snapshot");

            std::set<std::uint32_t> wanted, shown;
            for (const auto& one : snapshot.workers)
                wanted.insert(one.id);
            for (int row = 0; row < model.rowCount(); ++row) {
                const auto& info = model.worker(row);
                shown.insert(info.id);
                const auto given = std::find_if(snapshot.workers.begin(), snapshot.workers.end(),
                    [&](const auto& candidate) { return candidate.id == info.id; });
                QVERIFY(given != snapshot.workers.end());
                QVERIFY(*given == info);
                QVERIFY(row == 0 || model.worker(row - 1).slot <= info.slot);
            }
            QCOMPARE(shown, wanted);
            // A selection is made of such indexes: it must stay with its worker.
            for (const auto& [id, index] : kept) {
                if (wanted.contains(id)) {
                    QVERIFY(index.isValid());
                    QCOMPARE(model.data(index, WorkerTableModel::WorkerIdRole).toUInt(), id);
                }
            }
            kept.clear();
            for (int row = 0; row < model.rowCount(); ++row)
                kept.emplace(model.worker(row).id, QPersistentModelIndex(model.index(row, 0)));
        }
        QCOMPARE(resets.count(), 0);
    }

    void aPredecessorStandsUnderItsSuccessor() {
        WorkerTableModel model;
        control::Snapshot snapshot;
        snapshot.workers = {worker(1, 1), worker(2, 2), worker(7, 1)};
        model.apply(snapshot);
        QCOMPARE(model.worker(0).id, 7U);
        QCOMPARE(model.worker(1).id, 1U);
        QVERIFY(!model.data(model.index(0, 0), WorkerTableModel::IsPredecessorRole).toBool());
        QVERIFY(model.data(model.index(1, 0), WorkerTableModel::IsPredecessorRole).toBool());
    }

    void whatIsUnknownIsInvalidAndNotZero() {
        WorkerTableModel model;
        control::Snapshot snapshot;
        snapshot.workers = {worker(1, 1)};
        model.apply(snapshot);
        QVERIFY(!model.data(model.index(0, WorkerTableModel::P99), WorkerTableModel::SortRole).isValid());
        QCOMPARE(
            model.data(model.index(0, WorkerTableModel::Connections), WorkerTableModel::SortRole).toDouble(),
            10.0);
    }
};

QTEST_GUILESS_MAIN(TestWorkerTableModel)
#include "tst_worker_table_model.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui_test_main.h"
#include "window_fixture.h"

#include <QAbstractItemModelTester>

using namespace yardmaster;
using models::WorkerTableModel;
using tests::WindowFixture;

class TestWorkerTable : public QObject {
    Q_OBJECT

private slots:
    void filterKeepsSelectionAndCounts() {
        WindowFixture f;
        const QAbstractItemModelTester tester(
            f.table()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        f.clickRow(4);
        auto* filter = qobject_cast<QLineEdit*>(f.page()->filterField());
        filter->setText(QStringLiteral("serving v1.4.1"));
        QCOMPARE(f.table()->model()->rowCount(), 8);
        filter->setText(QStringLiteral("no such thing"));
        QCOMPARE(f.table()->model()->rowCount(), 0);
        QCOMPARE(f.page()->tablePanel()->emptyText(), QStringLiteral("0 of 8 match"));
        filter->clear();
        QCOMPARE(f.table()->model()->rowCount(), 8);
        QCOMPARE(f.window.actions()->selectedWorker(), std::optional(5U));
        QCOMPARE(f.page()->tablePanel()->emptyText(), QString());
    }

    void predecessorStaysUnderItsSuccessor() {
        WindowFixture f;
        (void)f.scene.upgradeWorker(4, {});
        f.scene.step(500);
        const std::uint32_t successor = f.scene.servingWorker(4);
        QVERIFY(successor != 4);
        for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            for (int column = 0; column < WorkerTableModel::ColumnCount; ++column) {
                f.table()->sortByColumn(column, order);
                int row = 0;
                while (row < 9 && f.workerAt(row) != successor)
                    ++row;
                QCOMPARE(f.workerAt(row + 1), 4U);
            }
        }
    }

    void sortsByTheNumberPeopleKnow() {
        WindowFixture f;
        (void)f.scene.upgradeWorker(1, {});
        f.scene.step(60'000, 500);
        f.table()->sortByColumn(WorkerTableModel::Id, Qt::AscendingOrder);
        QCOMPARE(f.workerAt(0), f.scene.servingWorker(1)); // id 9, but worker 1
        QCOMPARE(f.workerAt(1), 2U);
        f.table()->sortByColumn(WorkerTableModel::Id, Qt::DescendingOrder);
        QCOMPARE(f.workerAt(0), 8U);
    }

    void columnsGoFromTheRight() {
        WindowFixture f;
        f.window.resize(820, 700);
        QTRY_VERIFY(f.table()->isColumnHidden(WorkerTableModel::Cpu));
        QVERIFY(!f.table()->isColumnHidden(WorkerTableModel::State));
        bool hidden = false;
        for (int column = 0; column < WorkerTableModel::ColumnCount; ++column) {
            QVERIFY(!hidden || f.table()->isColumnHidden(column));
            hidden = hidden || f.table()->isColumnHidden(column);
        }
        f.window.resize(1280, 800);
        QTRY_VERIFY(!f.table()->isColumnHidden(WorkerTableModel::Cpu));
        f.table()->setColumnWanted(WorkerTableModel::Revision, false);
        QVERIFY(f.table()->isColumnHidden(WorkerTableModel::Revision));
        QVERIFY(!f.table()->isColumnHidden(WorkerTableModel::Cpu));
    }

    void allRowsAreVisible() {
        WindowFixture f;
        (void)f.scene.upgradeWorker(3, {});
        f.scene.step(500);
        QCOMPARE(f.table()->model()->rowCount(), 9);
        const auto lastRowBottom = [&f] {
            return f.table()->visualRect(f.table()->model()->index(8, 0)).bottom();
        };
        QTRY_VERIFY2(
            lastRowBottom() <= f.table()->viewport()->height(), "the ninth row is below the table's edge");
    }

    void asCsv() {
        WindowFixture f(2);
        const QList<QByteArray> lines = f.table()->toCsv().split('\n');
        QCOMPARE(lines[0].trimmed(),
            QByteArray(
                "id,pid,state,version,revision,uptime_s,connections,requests_per_s,errors_percent,p99_us,"
                "rss_bytes,cpu_percent"));
        QCOMPARE(lines.size(), 4); // two workers, and nothing after the last line's end
        QVERIFY2(lines[1].startsWith("1,48195,Serving,1.4.1,18412,"), lines[1].constData());
    }
};

YARDMASTER_UI_TEST_MAIN(TestWorkerTable)
#include "tst_worker_table.moc"

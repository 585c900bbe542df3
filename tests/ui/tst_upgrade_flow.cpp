// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui_test_main.h"
#include "window_fixture.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QPointer>
#include <QSpinBox>
#include <QTimer>

using namespace yardmaster;
using tests::SceneControl;
using tests::WindowFixture;

namespace {

const QString upgradeId = QStringLiteral("worker.upgrade");
const QString stopId = QStringLiteral("worker.stop");
const std::initializer_list<const char*> actionIds{
    "worker.upgrade", "worker.upgrade_all", "worker.stop", "worker.spawn"};

/// The longest time in which the event loop did not come round.
class LoopWatch {
public:
    LoopWatch() {
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] {
            m_longestMs = std::max(m_longestMs, m_since.restart());
            ++m_rounds;
        });
        m_since.start();
        m_timer.start(0);
    }
    [[nodiscard]] qint64 longestMs() const { return m_longestMs; }

    [[nodiscard]] int rounds() const { return m_rounds; }

private:
    QTimer m_timer;
    QElapsedTimer m_since;
    qint64 m_longestMs = 0;
    int m_rounds = 0;
};

} // namespace

class TestUpgradeFlow : public QObject {
    Q_OBJECT

private slots:
    void mouseUpgradesAWorker() {
        WindowFixture f;
        f.clickRow(2);
        QCOMPARE(f.window.actions()->selectedWorker(), std::optional(3U));
        f.click(f.button(upgradeId));
        QVERIFY(f.dialog() != nullptr);
        QCOMPARE(f.dialog()->windowTitle(), QStringLiteral("Upgrade worker 3 on edge-fra-1?"));
        QVERIFY(f.dialog()->cancelButton()->hasFocus());
        QVERIFY(f.scene.calls().empty());

        const auto deadlines = f.dialog()->findChildren<QSpinBox*>();
        QCOMPARE(deadlines.size(), 2);
        deadlines[0]->setValue(7);
        f.click(f.dialog()->verbButton());
        QTRY_VERIFY(f.dialog() == nullptr);
        QCOMPARE(f.scene.calls().size(), std::size_t{1});
        QCOMPARE(f.scene.calls().front().workerId, 3U);
        QCOMPARE(f.scene.calls().front().request.readyDeadlineMs, 7'000U);
        QCOMPARE(f.scene.calls().front().request.drainDeadlineMs, 60'000U);
        QVERIFY(!f.button(upgradeId)->isEnabled()); // off while it runs
        QVERIFY(f.page()->areStepsShown());

        f.scene.step(300);
        QTRY_VERIFY(f.page()->steps()->stepText(2).contains(QStringLiteral("done")));
        QTRY_VERIFY(f.page()->steps()->stepText(3).contains(QStringLiteral("running")));
        // The selection goes to the successor, the old one stands under it.
        QTRY_COMPARE(f.window.actions()->selectedWorker(), std::optional(f.scene.servingWorker(3)));
        QCOMPARE(f.table()->model()->rowCount(), 9);
        QCOMPARE(f.workerAt(3), 3U);

        f.scene.step(60'000, 500);
        QTRY_COMPARE(f.job()->state, control::JobState::Done);
        QTRY_VERIFY(f.window.jobStrip()->text().contains(QStringLiteral("finished")));
        QTRY_COMPARE(f.table()->model()->rowCount(), 8);
        QVERIFY(f.page()->areStepsShown()); // the result stays
        QVERIFY(f.page()->steps()->stepText(4).contains(QStringLiteral("done")));
        QVERIFY(f.button(upgradeId)->isEnabled());
    }

    /// How long the GUI thread is busy at a time is for the benches to judge; here it is only said.
    void eventLoopGapsAreMeasured() {
        WindowFixture f;
        (void)f.scene.upgradeWorker(3, {});
        LoopWatch watch;
        for (int sample = 0; sample < 10; ++sample) {
            f.scene.step(100);
            const int before = watch.rounds();
            QTRY_VERIFY(watch.rounds() > before + 5);
        }
        qInfo("longest event loop gap: %lld ms", static_cast<long long>(watch.longestMs()));
    }

    void keyboardAlone() {
        WindowFixture f;
        f.table()->setFocus(Qt::TabFocusReason);
        QTest::keyClick(f.table(), Qt::Key_Home);
        QTest::keyClick(f.table(), Qt::Key_Down);
        QCOMPARE(f.window.actions()->selectedWorker(), std::optional(2U));
        QTest::keyClick(&f.window, Qt::Key_U, Qt::ControlModifier);
        QVERIFY(f.dialog() != nullptr);
        QVERIFY(f.dialog()->cancelButton()->hasFocus());

        // Tab goes round inside the dialog, whatever is behind it.
        QSet<QWidget*> visited;
        for (int i = 0; i < 6; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            QVERIFY(f.dialog()->isAncestorOf(QApplication::focusWidget()));
            visited.insert(QApplication::focusWidget());
        }
        QCOMPARE(visited.size(), 4); // two deadlines, two buttons
        QVERIFY(visited.contains(f.dialog()->verbButton()));
        QVERIFY(visited.contains(f.dialog()->cancelButton()));

        // The window's keys do nothing meanwhile.
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_1, Qt::ControlModifier);
        QCOMPARE(f.window.currentPageId(), QStringLiteral("workers"));

        for (int i = 0; i < 6 && !f.dialog()->verbButton()->hasFocus(); ++i)
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QTRY_VERIFY(f.dialog() == nullptr);
        QCOMPARE(f.scene.calls().size(), std::size_t{1});
        QCOMPARE(f.scene.calls().front().workerId, 2U);
        QVERIFY(f.table()->hasFocus()); // where it was before
    }

    void enterDoesNothingElsewhere() {
        WindowFixture f;
        f.clickRow(0);
        f.click(f.button(upgradeId));
        f.dialog()->findChildren<QSpinBox*>().first()->setFocus();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QVERIFY(f.dialog() != nullptr);
        QVERIFY(f.scene.calls().empty());
    }

    void escapeCancels() {
        WindowFixture f;
        f.clickRow(0);
        f.click(f.button(upgradeId));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QTRY_VERIFY(f.dialog() == nullptr);
        QVERIFY(f.scene.calls().empty());
    }

    void doubleClickActsOnce() {
        WindowFixture f;
        f.clickRow(0);
        f.click(f.button(upgradeId));
        const QPointer<QPushButton> verb = f.dialog()->verbButton();
        f.click(verb);
        if (verb != nullptr)
            f.click(verb);
        QTRY_VERIFY(f.dialog() == nullptr);
        QCOMPARE(f.scene.calls().size(), std::size_t{1});
    }

    void failureIsShownAndKept() {
        WindowFixture f;
        f.scene.setOutcome(SceneControl::Outcome::NeverReady);
        f.clickRow(4);
        f.click(f.button(upgradeId));
        f.click(f.dialog()->verbButton());
        f.scene.step(1'000);
        QTRY_VERIFY(f.page()->steps()->stepText(2).contains(QStringLiteral("running")));
        f.scene.step(5'000);
        QTRY_COMPARE(f.job()->state, control::JobState::Failed);
        QTRY_VERIFY(f.page()->steps()->stepText(2).contains(QStringLiteral("failed")));
        auto* strip = f.page()->steps()->findChild<QWidget*>(QStringLiteral("error-strip"));
        QTRY_VERIFY(strip->isVisible());
        QVERIFY(strip->accessibleName().contains(QStringLiteral("not ready within 5 s")));
        QVERIFY(strip->accessibleName().contains(QStringLiteral("read its log")));
        QCOMPARE(f.scene.servingWorker(5), 5U); // the old one stays
        f.scene.step(10'000);
        QTRY_VERIFY(strip->isVisible());
        QVERIFY(f.window.jobStrip()->text().contains(QStringLiteral("failed")));
        QVERIFY(!f.window.session()->attention()->items().empty());
    }

    void lostLinkLeavesTheStateUnknown() {
        WindowFixture f;
        f.clickRow(2);
        f.click(f.button(upgradeId));
        f.click(f.dialog()->verbButton());
        f.scene.step(300);
        f.scene.loseLink(2'000, QStringLiteral("connection refused"));
        QCOMPARE(f.job()->state, control::JobState::Unknown);
        QTRY_VERIFY(f.window.jobStrip()->text().contains(QStringLiteral("state unknown")));
        QVERIFY(!f.window.jobStrip()->text().contains(QStringLiteral("failed")));
        QVERIFY(f.window.header()->linkText().startsWith(QStringLiteral("Lost ")));
        QCOMPARE(f.table()->model()->rowCount(), 9); // the last data stays
        QVERIFY(f.table()->model()->index(0, 0).data(models::WorkerTableModel::StaleRole).toBool());
        for (const char* id : actionIds) {
            const QAction* action = f.window.commands()->action(QString::fromLatin1(id));
            QVERIFY2(!action->isEnabled(), id);
            QVERIFY2(action->toolTip().contains(QStringLiteral("link")), qPrintable(action->toolTip()));
        }
        f.scene.connectNow();
        f.scene.step(40'000, 500);
        QTRY_COMPARE(f.job()->state, control::JobState::Done);
        QTRY_COMPARE(f.window.header()->linkText(), QStringLiteral("Connected"));
        QVERIFY(!f.table()->model()->index(0, 0).data(models::WorkerTableModel::StaleRole).toBool());
    }

    void linkLostWhileTheDialogIsOpen() {
        WindowFixture f;
        f.clickRow(2);
        f.click(f.button(upgradeId));
        f.scene.loseLink();
        f.click(f.dialog()->verbButton());
        QTRY_VERIFY(f.dialog() == nullptr);
        QVERIFY(f.scene.calls().empty());
    }

    void abortOfARunningJob() {
        WindowFixture f;
        f.scene.setOutcome(SceneControl::Outcome::NeverReady);
        f.clickRow(1);
        f.click(f.button(upgradeId));
        f.click(f.dialog()->verbButton());
        f.scene.step(300);
        auto* abort = f.button(QStringLiteral("job.cancel"));
        QTRY_VERIFY(abort->isVisible() && abort->isEnabled());
        f.click(abort);
        QVERIFY(f.dialog() != nullptr);
        QVERIFY(f.dialog()->cancelButton()->hasFocus());
        f.click(f.dialog()->verbButton());
        QTRY_COMPARE(f.job()->state, control::JobState::Cancelled);
        QTRY_VERIFY(f.window.jobStrip()->text().contains(QStringLiteral("cancelled")));
        QCOMPARE(f.scene.servingWorker(2), 2U);
    }

    void upgradeAllCountsWorkers() {
        WindowFixture f(3);
        f.click(f.button(QStringLiteral("worker.upgrade_all")));
        QVERIFY(f.dialog()->windowTitle().contains(QStringLiteral("3 workers")));
        f.click(f.dialog()->verbButton());
        f.scene.step(40'000, 500);
        QTRY_VERIFY(f.window.jobStrip()->text().contains(QStringLiteral("1 of 3 workers")));
        f.scene.step(80'000, 500);
        QTRY_COMPARE(f.job()->state, control::JobState::Done);
    }

    void lastWorkerNeedsTheTypedName() {
        WindowFixture f(1);
        f.clickRow(0);
        f.click(f.button(stopId));
        QVERIFY(f.dialog() != nullptr);
        QLineEdit* field = f.dialog()->confirmationField();
        QVERIFY(field != nullptr);
        QVERIFY(!f.dialog()->verbButton()->isEnabled());
        field->setFocus();
        QTest::keyClicks(field, QStringLiteral("edge-fra"));
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(!f.dialog()->verbButton()->isEnabled());
        QVERIFY(f.scene.calls().empty());
        QTest::keyClicks(field, QStringLiteral("-1"));
        QVERIFY(f.dialog()->verbButton()->isEnabled());
        f.click(f.dialog()->verbButton());
        QTRY_COMPARE(f.scene.calls().size(), std::size_t{1});
        QCOMPARE(f.scene.calls().front().action, QStringLiteral("stop_worker"));
    }

    void oneOfManyIsStoppedWithoutTyping() {
        WindowFixture f(4);
        f.clickRow(0);
        f.click(f.button(stopId));
        QVERIFY(f.dialog()->confirmationField() == nullptr);
        QVERIFY(f.dialog()->verbButton()->isEnabled());
        QVERIFY(f.dialog()->accessibleDescription().contains(QStringLiteral("3 other workers")));
    }

    void readOnlySessionActsOnNothing() {
        WindowFixture f(8, true);
        f.clickRow(0);
        for (const char* id : actionIds) {
            const QAction* action = f.window.commands()->action(QString::fromLatin1(id));
            QVERIFY2(!action->isEnabled(), id);
            QVERIFY(action->toolTip().contains(QStringLiteral("read-only")));
        }
        f.window.actions()->openUpgrade(1);
        QVERIFY(f.dialog() == nullptr);
        QVERIFY(f.window.windowTitle().contains(QStringLiteral("read-only")));
    }

    void missingCapabilityIsSaid() {
        WindowFixture f;
        f.scene.capabilities().stopWorker = false;
        f.scene.capabilities().reasonForMissing = QStringLiteral("Sozu has no per-worker stop");
        f.scene.step(100);
        const QAction* stop = f.window.commands()->action(stopId);
        QVERIFY(!stop->isEnabled());
        QCOMPARE(stop->toolTip(), QStringLiteral("Sozu has no per-worker stop"));
        f.clickRow(0);
        QVERIFY(f.window.commands()->action(upgradeId)->isEnabled());
    }

    void warningOfTheTargetIsInTheDialog() {
        WindowFixture f;
        f.scene.setUpgradeWarning(QStringLiteral("leaves dead listeners"));
        f.scene.step(100);
        f.clickRow(0);
        f.click(f.button(upgradeId));
        const auto* warning = f.dialog()->findChild<QLabel*>(QStringLiteral("warning"));
        QVERIFY(warning != nullptr);
        QCOMPARE(warning->text(), QStringLiteral("leaves dead listeners"));
    }
};

YARDMASTER_UI_TEST_MAIN(TestUpgradeFlow)
#include "tst_upgrade_flow.moc"

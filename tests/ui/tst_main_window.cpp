// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/command_palette.h"
#include "ui/theme/text_label.h"
#include "ui_test_main.h"
#include "window_fixture.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QFontMetrics>
#include <QLabel>
#include <QMenu>

using namespace yardmaster;
using tests::WindowFixture;

namespace {

QString describe(const QWidget* widget) {
    QStringList path;
    for (const QWidget* at = widget; at != nullptr; at = at->parentWidget())
        path.prepend(at->objectName().isEmpty() ? QString::fromLatin1(at->metaObject()->className())
                                                : at->objectName());
    return path.join(u'/');
}

/// Labels and buttons whose text has no room.
QStringList cutOff(const QWidget& window) {
    QStringList found;
    const auto note = [&found](const QWidget* widget, const QString& text, QSize needed) {
        found << QStringLiteral("%1: \"%2\" needs %3x%4, has %5x%6")
                     .arg(describe(widget), text)
                     .arg(needed.width())
                     .arg(needed.height())
                     .arg(widget->width())
                     .arg(widget->height());
    };
    for (const auto* label : window.findChildren<QLabel*>()) {
        if (!label->isVisible() || label->text().isEmpty())
            continue;
        const auto* own = qobject_cast<const ui::TextLabel*>(label);
        const QFontMetrics metrics(label->font());
        QSize needed = label->wordWrap() ? QSize(0, label->heightForWidth(label->width()))
                                         : QSize(metrics.horizontalAdvance(label->text()), metrics.height());
        // An elided label may be shorter than its text, which stands in the tool tip, but not without a word.
        if (own != nullptr && own->isElided())
            needed.setWidth(metrics.horizontalAdvance(label->text().left(4)));
        if (label->width() < needed.width() || label->height() < needed.height())
            note(label, label->text(), needed);
    }
    for (const auto* button : window.findChildren<QAbstractButton*>()) {
        const QString name = button->objectName();
        // These shorten their text themselves.
        const bool elides = name == u"target-box" || name == u"palette-button" || name.startsWith(u"rail.");
        if (!button->isVisible() || button->text().isEmpty() || elides)
            continue;
        const int needed = QFontMetrics(button->font()).horizontalAdvance(button->text());
        if (button->width() < needed)
            note(button, button->text(), {needed, 0});
    }
    return found;
}

bool isControl(const QWidget* widget) {
    const QString className = QString::fromLatin1(widget->metaObject()->className());
    // Parts of Qt's own widgets, named by what they are part of.
    if (className == u"QTableCornerButton" || className == u"QHeaderView" || className == u"QComboBoxListView"
        || widget->objectName().startsWith(u"qt_"))
        return false;
    return qobject_cast<const QAbstractButton*>(widget) != nullptr
        || qobject_cast<const QComboBox*>(widget) != nullptr
        || qobject_cast<const QAbstractItemView*>(widget) != nullptr
        || qobject_cast<const QAbstractSpinBox*>(widget) != nullptr
        || qobject_cast<const QLineEdit*>(widget) != nullptr;
}

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

private slots:
    void nothingIsCutOff_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("page");
        for (const ui::PageFactory& factory : ui::pageFactories()) {
            QTest::addRow("%s at 1280x800", qPrintable(factory.id)) << QSize(1280, 800) << factory.id;
            QTest::addRow("%s at 1440x900", qPrintable(factory.id)) << QSize(1440, 900) << factory.id;
        }
    }
    void nothingIsCutOff() {
        QFETCH(QSize, size);
        QFETCH(QString, page);
        WindowFixture f(8, false, size);
        f.clickRow(2);
        (void)f.scene.upgradeWorker(3, {});
        f.scene.step(3'000);
        f.window.openPage(page);
        QTRY_VERIFY(f.window.jobStrip()->text().contains(QStringLiteral("step 4 of 5")));
        QTRY_VERIFY2(cutOff(f.window).isEmpty(), qPrintable(cutOff(f.window).join(u'\n')));
        QCOMPARE(f.window.size(), size); // it did not grow to make room
    }

    void dialogsAreNotCutOff() {
        WindowFixture f;
        f.scene.setUpgradeWarning(
            QStringLiteral("A warning that is long enough to be wrapped into two lines of "
                           "the dialog, and then some more words."));
        f.scene.step(100);
        f.window.actions()->setSelectedWorker(3);
        const auto trigger = [&f](const char* id) {
            return [&f, id] { f.window.commands()->action(QString::fromLatin1(id))->trigger(); };
        };
        const std::initializer_list<std::function<void()>> openers{trigger("worker.upgrade"),
            trigger("worker.upgrade_all"), trigger("worker.stop"), trigger("worker.spawn"),
            trigger("view.palette"), trigger("window.shortcuts"), trigger("view.range.custom")};
        for (const auto& open : openers) {
            open();
            auto* dialog = ui::OverlayDialog::openOver(&f.window);
            QVERIFY(dialog != nullptr);
            QCoreApplication::processEvents();
            QVERIFY2(cutOff(*dialog).isEmpty(), qPrintable(cutOff(*dialog).join(u'\n')));
            const QRect place(dialog->mapTo(&f.window, QPoint(0, 0)), dialog->size());
            QVERIFY(f.window.rect().contains(place));
            dialog->reject();
            QTRY_VERIFY(ui::OverlayDialog::openOver(&f.window) == nullptr);
        }
    }

    void everyControlHasAName() {
        WindowFixture f;
        for (const ui::PageFactory& factory : ui::pageFactories())
            f.window.openPage(factory.id);
        f.window.openPage(QStringLiteral("workers"));
        f.window.actions()->openUpgrade(3);
        QStringList nameless;
        for (const auto* widget : f.window.findChildren<QWidget*>()) {
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            const bool hasName =
                !widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty());
            if (isControl(widget) && !hasName)
                nameless << describe(widget);
        }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(u'\n')));
    }

    void commandsAreComplete() {
        WindowFixture f;
        QSet<QString> ids;
        QHash<QString, QString> keys;
        for (const ui::Command& command : f.window.commands()->commands()) {
            const char* id = qPrintable(command.id);
            QVERIFY2(!ids.contains(command.id), id);
            ids.insert(command.id);
            QVERIFY2(!command.text.isEmpty(), id);
            QVERIFY2(!command.group.isEmpty(), id);
            const QAction* action = f.window.commands()->action(command.id);
            QVERIFY2(action != nullptr, id);
            for (const QKeySequence& shortcut : action->shortcuts()) {
                const QString key = shortcut.toString();
                QVERIFY2(
                    !keys.contains(key), qPrintable(command.id + QStringLiteral(" and ") + keys.value(key)));
                keys.insert(key, command.id);
                // No single key for what disturbs or destroys.
                if (command.danger != ui::Danger::Safe)
                    QVERIFY2(shortcut[0].keyboardModifiers().testFlag(Qt::ControlModifier), id);
            }
        }
        QVERIFY(f.window.commands()->action(QStringLiteral("no.such.command")) == nullptr);
    }

    void keysChangePages() {
        WindowFixture f;
        QTest::keyClick(&f.window, Qt::Key_1, Qt::ControlModifier);
        QCOMPARE(f.window.currentPageId(), QStringLiteral("overview"));
        QTest::keyClick(&f.window, Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(f.window.currentPageId(), QStringLiteral("workers"));
    }

    void pagesAreMadeOnFirstUse() {
        WindowFixture f;
        QVERIFY(f.window.page(QStringLiteral("overview")) != nullptr);
        QVERIFY(f.window.page(QStringLiteral("latency")) == nullptr);
        f.window.openPage(QStringLiteral("no-such-page"));
        QCOMPARE(f.window.currentPageId(), QStringLiteral("workers"));
    }

    void spacePausesButPressesButtons() {
        WindowFixture f;
        f.table()->setFocus();
        QTest::keyClick(f.table(), Qt::Key_Space);
        QVERIFY(!f.window.session()->time()->isLive());
        auto* resume = f.window.findChild<QPushButton*>(QStringLiteral("resume"));
        QTRY_VERIFY(resume->isVisible());
        resume->setFocus();
        QTest::keyClick(resume, Qt::Key_Space);
        QTRY_VERIFY(f.window.session()->time()->isLive());
        QTRY_VERIFY(!resume->isVisible());
        // In a text field it is a letter.
        auto* filter = qobject_cast<QLineEdit*>(f.page()->filterField());
        filter->setFocus();
        QTest::keyClick(filter, Qt::Key_Space);
        QCOMPARE(filter->text(), QStringLiteral(" "));
        QVERIFY(f.window.session()->time()->isLive());
    }

    void slashAndCtrlFGoToTheFilter() {
        WindowFixture f;
        f.table()->setFocus();
        QTest::keyClick(f.table(), Qt::Key_Slash);
        QVERIFY(f.page()->filterField()->hasFocus());
        f.table()->setFocus();
        QTest::keyClick(f.table(), Qt::Key_F, Qt::ControlModifier);
        QVERIFY(f.page()->filterField()->hasFocus());
    }

    void rangeButtonsSetTheRange() {
        WindowFixture f;
        QTest::keyClick(&f.window, Qt::Key_3, Qt::AltModifier);
        QCOMPARE(f.window.session()->time()->lengthNs(), 15LL * 60 * 1'000'000'000);
        auto* oneMinute = f.window.header()->findChild<QPushButton*>(QStringLiteral("view.range.1m"));
        f.click(oneMinute);
        QCOMPARE(f.window.session()->time()->lengthNs(), 60LL * 1'000'000'000);
        QVERIFY(oneMinute->isChecked());
        f.click(oneMinute); // a second click leaves it checked
        QVERIFY(oneMinute->isChecked());
    }

    void ctrlBMakesTheRailNarrow() {
        WindowFixture f;
        const auto* item = f.window.findChild<QAbstractButton*>(QStringLiteral("rail.workers"));
        const int wide = item->parentWidget()->width();
        QTest::keyClick(&f.window, Qt::Key_B, Qt::ControlModifier);
        QTRY_VERIFY(item->parentWidget()->width() < wide);
        QTest::keyClick(&f.window, Qt::Key_B, Qt::ControlModifier);
        QTRY_COMPARE(item->parentWidget()->width(), wide);
    }

    void narrowWindowHasANarrowRail() {
        WindowFixture f(8, false, QSize(1000, 700));
        const auto* item = f.window.findChild<QAbstractButton*>(QStringLiteral("rail.workers"));
        QVERIFY(item->parentWidget()->width() < 60);
    }

    void paletteFindsCommandsAndWorkers() {
        WindowFixture f;
        QTest::keyClick(&f.window, Qt::Key_K, Qt::ControlModifier);
        const auto* palette = qobject_cast<ui::CommandPalette*>(ui::OverlayDialog::openOver(&f.window));
        QVERIFY(palette != nullptr);
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("worker 5"));
        QVERIFY(palette->shownTexts().first().startsWith(QStringLiteral("Worker 5, pid ")));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QTRY_COMPARE(f.window.actions()->selectedWorker(), std::optional(5U));
    }

    void paletteScores_data() {
        QTest::addColumn<QString>("better");
        QTest::addColumn<QString>("worse");
        QTest::addColumn<QString>("typed");
        QTest::newRow("prefix before word")
            << QStringLiteral("Stop worker") << QStringLiteral("Worker stop") << QStringLiteral("sto");
        QTest::newRow("word before inside")
            << QStringLiteral("Go to Workers") << QStringLiteral("Coworkers") << QStringLiteral("work");
        QTest::newRow("inside before letters")
            << QStringLiteral("Coworkers") << QStringLiteral("Wide open road kit") << QStringLiteral("work");
    }
    void paletteScores() {
        QFETCH(QString, better);
        QFETCH(QString, worse);
        QFETCH(QString, typed);
        QVERIFY(ui::matchScore(better, typed) > ui::matchScore(worse, typed));
        QVERIFY(ui::matchScore(worse, typed) > 0);
        QCOMPARE(ui::matchScore(better, QStringLiteral("zzz")), 0);
    }

    void altOpensTheMenu() {
        WindowFixture f;
        QTest::keyClick(&f.window, Qt::Key_F10);
        QTRY_VERIFY(qobject_cast<QMenu*>(QApplication::activePopupWidget()) != nullptr);
        QApplication::activePopupWidget()->close();
        QTRY_VERIFY(f.window.isActiveWindow());
        QTest::keyPress(&f.window, Qt::Key_Alt, Qt::AltModifier);
        QTest::keyRelease(&f.window, Qt::Key_Alt);
        QTRY_VERIFY(qobject_cast<QMenu*>(QApplication::activePopupWidget()) != nullptr);
        QApplication::activePopupWidget()->close();
    }

    void themeChangesAtOnce() {
        WindowFixture f;
        const QColor light = f.window.palette().color(QPalette::Window);
        f.window.commands()->action(QStringLiteral("window.theme.dark"))->trigger();
        QTRY_VERIFY(f.window.palette().color(QPalette::Window) != light);
        QVERIFY(ui::themeOf(&f.window).dark);
        f.window.commands()->action(QStringLiteral("window.theme.light"))->trigger();
        QTRY_COMPARE(f.window.palette().color(QPalette::Window), light);
    }

    void emptyTargetOffersToSpawn() {
        WindowFixture f(0);
        QTRY_COMPARE(f.page()->tablePanel()->emptyText(), QStringLiteral("No workers."));
        QPushButton* spawn = f.button(QStringLiteral("worker.spawn"));
        QVERIFY(spawn->isEnabled());
        f.click(spawn);
        f.click(f.dialog()->verbButton());
        f.scene.step(500);
        QTRY_COMPARE(f.table()->model()->rowCount(), 1);
        QTRY_COMPARE(f.page()->tablePanel()->emptyText(), QString());
    }

    void crashIsSaid() {
        WindowFixture f;
        f.scene.crash(6);
        f.scene.step(200);
        const auto& items = f.window.session()->attention()->items();
        QCOMPARE(items.size(), std::size_t{1});
        QCOMPARE(items.front().text, QStringLiteral("Worker 6 crashed: killed by signal 9 (Killed)"));
        QCOMPARE(items.front().workerId, std::optional(6U));
        f.window.actions()->setSelectedWorker(6);
        QTRY_COMPARE(f.page()->details()->valueOf(QStringLiteral("Last exit")),
            QStringLiteral("killed by signal 9 (Killed)"));
        QVERIFY(!f.window.commands()->action(QStringLiteral("worker.upgrade"))->isEnabled());
    }
};

YARDMASTER_UI_TEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"

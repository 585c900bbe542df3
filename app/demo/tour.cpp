// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/demo/tour.h"

#include "models/job_model.h"
#include "models/metrics_history.h"
#include "models/worker_table_model.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/export_dialog.h"
#include "ui/shell/console_session.h"
#include "ui/shell/main_window.h"
#include "ui/theme/format.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QJsonDocument>
#include <QTest>
#include <QXmlStreamReader>

#include <cstdio>

namespace yardmaster::demo {

namespace {

constexpr int pageSettleMs = 700;
constexpr int jobDeadlineMs = 120'000;

void say(const QString& text) {
    std::printf("%s\n", qUtf8Printable(text));
    std::fflush(stdout);
}

QByteArray readAll(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool isReadable(const QString& path) {
    const QByteArray bytes = readAll(path);
    if (bytes.isEmpty())
        return false;
    if (path.endsWith(QLatin1String(".png")))
        return !QImage(path).isNull();
    if (path.endsWith(QLatin1String(".pdf")))
        return bytes.startsWith("%PDF") && bytes.contains("%%EOF");
    if (path.endsWith(QLatin1String(".json")))
        return !QJsonDocument::fromJson(bytes).isNull();
    if (path.endsWith(QLatin1String(".svg"))) {
        QXmlStreamReader xml(bytes);
        while (!xml.atEnd())
            xml.readNext();
        return !xml.hasError();
    }
    if (path.endsWith(QLatin1String(".csv")))
        return bytes.count('\n') >= 2;
    return bytes.contains("Percentile") && bytes.contains("#[Max");
}

} // namespace

Tour::Tour(ui::MainWindow& window, DemoStack& stack, const QDir& pictures)
    : m_window(window)
    , m_stack(stack)
    , m_pictures(pictures) { }

int Tour::run() {
    m_window.resize(1440, 900);
    m_window.show();
    m_window.activateWindow();
    check(QTest::qWaitForWindowActive(&m_window), QStringLiteral("make the window active"));
    waitForTraffic();
    visitPages();
    upgradeOneWorker();
    upgradeAllWorkers();
    pauseAndResume();
    usePalette();
    lookAtDialogs();
    exportCharts();
    report();
    return m_failures.isEmpty() ? 0 : 1;
}

bool Tour::waitUntil(const std::function<bool()>& condition, int timeoutMs) {
    return QTest::qWaitFor(condition, timeoutMs);
}

void Tour::check(bool ok, const QString& what) {
    if (ok)
        return;
    m_failures << what;
    say(QStringLiteral("FAILED  ") + what);
}

void Tour::shot(const QString& name) {
    // Without a window manager nobody gives the focus back after a dialog.
    QApplication::setActiveWindow(&m_window);
    const QString path =
        m_pictures.filePath(QStringLiteral("%1-%2.png").arg(++m_shots, 2, 10, QLatin1Char('0')).arg(name));
    check(m_window.grab().save(path), QStringLiteral("save the picture ") + path);
}

bool Tour::click(QWidget* widget) {
    if (!widget || !widget->isVisible() || !widget->isEnabled())
        return false;
    QTest::mouseClick(widget, Qt::LeftButton);
    return true;
}

bool Tour::click(const QString& objectName) {
    for (QAbstractButton* button : m_window.findChildren<QAbstractButton*>(objectName)) {
        if (button->isVisible() && click(button))
            return true;
    }
    return false;
}

void Tour::openPage(const QString& id) {
    check(click(QStringLiteral("rail.") + id), QStringLiteral("click the page %1 in the rail").arg(id));
    QTest::qWait(pageSettleMs);
    check(m_window.currentPageId() == id, QStringLiteral("open the page ") + id);
}

void Tour::waitForTraffic() {
    say(QStringLiteral("waiting for the console to see traffic"));
    const auto* table = m_window.session()->workerTable();
    check(waitUntil(
              [&] {
                  int serving = 0;
                  for (int row = 0; row < table->rowCount(); ++row)
                      serving += table->worker(row).state == control::WorkerState::Serving
                          && table->worker(row).requestsPerSecond > 1.0;
                  return serving >= 2;
              },
              20'000),
        QStringLiteral("see at least two workers serve requests"));
    check(click(QStringLiteral("view.range.1m")), QStringLiteral("click the range of one minute"));
    QTest::qWait(6000); // a little history for the charts
}

void Tour::visitPages() {
    for (const ui::PageFactory& factory : ui::pageFactories()) {
        openPage(factory.id);
        shot(factory.id);
    }
}

bool Tour::waitForJob(const QString& kind, const QString& picture, int timeoutMs) {
    const auto* jobs = m_window.session()->jobs();
    const auto isNewest = [&] { return jobs->newest() && jobs->newest()->kind == kind; };
    if (!waitUntil([&] { return isNewest() && jobs->newest()->state == control::JobState::Running; }, 3000)
        && !isNewest())
        return false;
    QTest::qWait(300);
    shot(picture + QStringLiteral("-running"));
    const bool ended = waitUntil(
        [&] { return isNewest() && jobs->newest()->state != control::JobState::Running; }, timeoutMs);
    QTest::qWait(pageSettleMs);
    shot(picture + QStringLiteral("-ended"));
    if (ended && jobs->newest()->error)
        say(QString::fromStdString(jobs->newest()->error->toString()));
    return ended && jobs->newest()->state == control::JobState::Done;
}

void Tour::upgradeOneWorker() {
    say(QStringLiteral("upgrading one worker"));
    openPage(QStringLiteral("workers"));
    auto* table = m_window.findChild<QAbstractItemView*>(QStringLiteral("worker-table"));
    if (!table || !table->model() || table->model()->rowCount() == 0) {
        check(false, QStringLiteral("find a row in the table of workers"));
        return;
    }
    const QModelIndex row = table->model()->index(0, 0);
    m_upgradedWorker = row.data(models::WorkerTableModel::WorkerIdRole).toUInt();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(row).center());
    QTest::qWait(200);
    shot(QStringLiteral("worker-selected"));
    check(click(QStringLiteral("worker.upgrade")), QStringLiteral("click Upgrade…"));
    QTest::qWait(300);
    shot(QStringLiteral("upgrade-dialog"));
    check(click(QStringLiteral("verb")), QStringLiteral("confirm the upgrade in the dialog"));
    check(waitForJob(QStringLiteral("upgrade_worker"), QStringLiteral("upgrade-one"), jobDeadlineMs),
        QStringLiteral("upgrade of worker %1 done").arg(m_upgradedWorker));
}

void Tour::upgradeAllWorkers() {
    say(QStringLiteral("upgrading all workers"));
    check(click(QStringLiteral("worker.upgrade_all")), QStringLiteral("click Upgrade all…"));
    QTest::qWait(300);
    shot(QStringLiteral("upgrade-all-dialog"));
    // By keyboard this time: from Cancel, which has the focus, to the verb.
    for (int presses = 0; presses < 12; ++presses) {
        QWidget* focus = QApplication::focusWidget();
        if (focus && focus->objectName() == QLatin1String("verb"))
            break;
        QTest::keyClick(focus ? focus : &m_window, Qt::Key_Tab);
    }
    if (QWidget* focus = QApplication::focusWidget(); focus && focus->objectName() == QLatin1String("verb"))
        QTest::keyClick(focus, Qt::Key_Space);
    else
        check(false, QStringLiteral("reach the verb of Upgrade all by Tab"));
    check(waitForJob(QStringLiteral("upgrade_all"), QStringLiteral("upgrade-all"), jobDeadlineMs),
        QStringLiteral("upgrade of all workers done"));
}

void Tour::pauseAndResume() {
    openPage(QStringLiteral("latency"));
    shot(QStringLiteral("latency-after-upgrades"));
    if (auto* chart = m_window.findChild<ui::ChartView*>()) {
        QTest::mouseMove(chart, chart->rect().center());
        QTest::qWait(300);
    }
    shot(QStringLiteral("crosshair"));
    QTest::keyClick(&m_window, Qt::Key_Space);
    QTest::qWait(1200);
    check(!m_window.session()->time()->isLive(), QStringLiteral("Space pauses the charts"));
    shot(QStringLiteral("paused"));
    check(click(QStringLiteral("resume")), QStringLiteral("click Resume"));
    QTest::qWait(300);
    check(m_window.session()->time()->isLive(), QStringLiteral("Resume makes the charts live"));
}

void Tour::usePalette() {
    say(QStringLiteral("using the command palette: dark theme"));
    QTest::keyClick(&m_window, Qt::Key_K, Qt::ControlModifier);
    QTest::qWait(300);
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClicks(focus ? focus : &m_window, QStringLiteral("dark theme"));
    QTest::qWait(200);
    shot(QStringLiteral("palette"));
    focus = QApplication::focusWidget();
    QTest::keyClick(focus ? focus : &m_window, Qt::Key_Return);
    QTest::qWait(300);
    check(m_window.palette().color(QPalette::Window).lightness() < 100,
        QStringLiteral("switch to the dark theme by the palette"));
    for (const ui::PageFactory& factory : ui::pageFactories()) {
        openPage(factory.id);
        shot(factory.id + QStringLiteral("-dark"));
    }
}

void Tour::lookAtDialogs() {
    openPage(QStringLiteral("workers"));
    for (const char* id : {"worker.stop", "worker.spawn"}) {
        if (!click(QString::fromLatin1(id)))
            continue;
        QTest::qWait(300);
        shot(QString::fromLatin1(id).replace(QLatin1Char('.'), QLatin1Char('-')));
        QWidget* focus = QApplication::focusWidget();
        QTest::keyClick(focus ? focus : &m_window, Qt::Key_Escape);
        QTest::qWait(200);
    }
    QTest::keyClick(&m_window, Qt::Key_Question, Qt::ShiftModifier);
    QTest::qWait(300);
    shot(QStringLiteral("shortcuts"));
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClick(focus ? focus : &m_window, Qt::Key_Escape);
    QTest::qWait(200);
}

void Tour::exportCharts() {
    say(QStringLiteral("exporting every chart in every format"));
    check(m_pictures.mkpath(QStringLiteral("exports")), QStringLiteral("make the folder for exports"));
    QStringList seen;
    for (const ui::PageFactory& factory : ui::pageFactories()) {
        openPage(factory.id);
        for (ui::ChartView* chart : m_window.findChildren<ui::ChartView*>()) {
            if (!chart->isVisible() || seen.contains(chart->id()))
                continue;
            seen << chart->id();
            exportChart(*chart);
        }
    }
    check(seen.size() >= 5, QStringLiteral("find at least five charts, found %1").arg(seen.size()));
}

void Tour::exportChart(ui::ChartView& chart) {
    // The button stands in the panel, or the section of a panel, that holds the chart.
    QAbstractButton* button = nullptr;
    for (QWidget* holder = chart.parentWidget(); holder && !button; holder = holder->parentWidget())
        button = holder->findChild<QAbstractButton*>(QStringLiteral("export"));
    if (!click(button)) {
        check(false, QStringLiteral("click Export of ") + chart.id());
        return;
    }
    QTest::qWait(200);
    auto* dialog = m_window.findChild<ui::ExportDialog*>();
    if (!dialog) {
        check(false, QStringLiteral("open the export dialog of ") + chart.id());
        return;
    }
    shot(QStringLiteral("export-") + chart.id());
    for (const char* format : {"png", "png-2x", "svg", "pdf", "csv", "json", "hgrm"}) {
        auto* choice = dialog->findChild<QAbstractButton*>(QStringLiteral("format-") + QLatin1String(format));
        if (!choice || !choice->isEnabled())
            continue; // .hgrm of a chart that shows no latency
        click(choice);
        const QString suffix = QLatin1String(format).left(format[0] == 'p' && format[1] == 'n' ? 3 : 4);
        const QString path = m_pictures.filePath(
            QStringLiteral("exports/%1-%2.%3").arg(chart.id(), QLatin1String(format), suffix));
        dialog->setDestination(path);
        const QString before = dialog->message();
        check(click(dialog->findChild<QAbstractButton*>(QStringLiteral("verb"))),
            QStringLiteral("click Export for ") + path);
        check(waitUntil([&] { return QFileInfo::exists(path) && dialog->message() != before; }, 20'000),
            QStringLiteral("write %1: %2").arg(path, dialog->message()));
        checkFile(path);
    }
    click(dialog->findChild<QAbstractButton*>(QStringLiteral("cancel")));
    check(waitUntil([&] { return m_window.findChild<ui::ExportDialog*>() == nullptr; }, 3000),
        QStringLiteral("close the export dialog"));
}

void Tour::checkFile(const QString& path) {
    m_files << path;
    check(isReadable(path), QStringLiteral("read back ") + path);
}

void Tour::report() {
    const auto load = m_stack.stopLoad();
    say({});
    say(QStringLiteral("Startup, ms since spawn      spawned  listeners  state  ready  first request"));
    const auto ms = [](const std::optional<double>& value) {
        return value ? QString::number(*value, 'f', 2) : ui::format::unknown();
    };
    const auto startups = m_window.session()->history()->startups();
    for (const models::StartupRecord& start : startups) {
        say(QStringLiteral("  worker %1 (slot %2, %3)%4%5%6%7%8%9")
                .arg(start.workerId, 3)
                .arg(start.slot)
                .arg(start.age == 0 ? QStringLiteral("new") : QStringLiteral("old"))
                .arg(ms(start.spawnedMs), 11)
                .arg(ms(start.listenersMs), 11)
                .arg(ms(start.stateMs), 7)
                .arg(ms(start.readyMs), 7)
                .arg(ms(start.firstRequestMs), 12)
                .arg(QString()));
    }
    check(startups.size() >= 2, QStringLiteral("startup phases of old and new workers"));
    if (load) {
        say(QStringLiteral(
            "Requests: %1 sent, %2 answered, %3 lost   p50 %4 ms, p99 %5 ms, p99.9 %6 ms, max %7 ms")
                .arg(load->sent)
                .arg(load->answered)
                .arg(load->lost)
                .arg(load->p50Ms, 0, 'f', 2)
                .arg(load->p99Ms, 0, 'f', 2)
                .arg(load->p999Ms, 0, 'f', 2)
                .arg(load->maxMs, 0, 'f', 2));
        check(load->lost == 0,
            QStringLiteral("no request lost; %1 were: %2").arg(load->lost).arg(load->lostByKind));
        check(load->answered > 0, QStringLiteral("requests were answered"));
    } else {
        check(false, QString::fromStdString("the load's report: " + load.error().toString()));
    }
    say(QStringLiteral("Files: %1 pictures, %2 exports in %3")
            .arg(m_shots)
            .arg(m_files.size())
            .arg(m_pictures.path()));
    check(m_shots >= 20, QStringLiteral("at least 20 pictures, %1 were taken").arg(m_shots));
    say(m_failures.isEmpty() ? QStringLiteral("Tour: every step worked")
                             : QStringLiteral("Tour: %1 failed").arg(m_failures.size()));
}

} // namespace yardmaster::demo

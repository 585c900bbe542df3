// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pictures of every page, dialog and state, for people to look at: shots --out DIR [--scale 2].
#include "models/time_cursor.h"
#include "scene_control.h"
#include "ui/charts/chart_panel.h"
#include "ui/commands/command_registry.h"
#include "ui/dialogs/overlay_dialog.h"
#include "ui/dialogs/worker_actions.h"
#include "ui/pages/page.h"
#include "ui/shell/console_session.h"
#include "ui/shell/main_window.h"
#include "ui/theme/focus_ring.h"
#include "ui/theme/style.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QLineEdit>
#include <QLocale>
#include <QTest>

#include <cstdio>

using namespace yardmaster;
using tests::SceneControl;

namespace {

class Photographer {
public:
    Photographer(QString directory, bool dark, bool doubled)
        : m_directory(std::move(directory))
        , m_suffix((dark ? QStringLiteral("-dark") : QStringLiteral("-light"))
              + (doubled ? QStringLiteral("@2x.png") : QStringLiteral(".png"))) { }

    void shoot(ui::MainWindow& window, const QString& name) {
        // Charts and texts follow a moment later, twice a second at most.
        QTest::qWait(700);
        const QString path = m_directory + u'/' + name + m_suffix;
        if (!window.grab().save(path)) {
            std::fprintf(stderr, "shots: cannot write %s\n", qUtf8Printable(path));
            ++m_failures;
            return;
        }
        ++m_count;
    }
    void closeDialog(ui::MainWindow& window) {
        if (ui::OverlayDialog* dialog = ui::OverlayDialog::openOver(&window))
            dialog->reject();
        QTest::qWait(20);
    }
    [[nodiscard]] int count() const { return m_count; }
    [[nodiscard]] int failures() const { return m_failures; }

private:
    QString m_directory, m_suffix;
    int m_count = 0, m_failures = 0;
};

const QSize windowSize(1280, 800);
const QString overview = QStringLiteral("overview");
const QString workers = QStringLiteral("workers");

/// Five minutes of traffic, with a lost link of four seconds in it.
void fillHistory(SceneControl& scene) {
    scene.rewind(300'000);
    scene.connectNow();
    scene.step(148'000, 500);
    scene.loseLink();
    scene.step(4'000, 500);
    scene.connectNow();
    scene.step(136'000, 500);
}

void trigger(ui::MainWindow& window, const char* command) {
    window.commands()->action(QString::fromLatin1(command))->trigger();
}

void shootEmpty(Photographer& camera) {
    SceneControl scene(0);
    ui::MainWindow window(&scene);
    window.resize(windowSize);
    window.show();
    camera.shoot(window, QStringLiteral("overview-connecting"));
    window.openPage(workers);
    camera.shoot(window, QStringLiteral("workers-connecting"));
    scene.connectNow();
    scene.step(1'000);
    camera.shoot(window, QStringLiteral("workers-none"));
}

void shootDialogs(Photographer& camera, ui::MainWindow& window, SceneControl& scene) {
    window.openPage(workers);
    window.actions()->setSelectedWorker(3);
    window.actions()->openUpgrade(3);
    camera.shoot(window, QStringLiteral("dialog-upgrade"));
    camera.closeDialog(window);
    scene.setUpgradeWarning(
        QStringLiteral("Sozu 2.1.0 leaves dead listeners after an upgrade: about half of all new connections "
                       "hang after four of them. Check the accept queues afterwards."));
    scene.step(100);
    window.actions()->openUpgradeAll();
    camera.shoot(window, QStringLiteral("dialog-upgrade-all-warning"));
    camera.closeDialog(window);
    scene.setUpgradeWarning({});
    scene.step(100);
    window.actions()->openStop(3);
    camera.shoot(window, QStringLiteral("dialog-stop"));
    camera.closeDialog(window);
    window.actions()->openSpawn();
    camera.shoot(window, QStringLiteral("dialog-spawn"));
    camera.closeDialog(window);
    for (const auto& [command, name] :
        std::initializer_list<std::pair<const char*, const char*>>{{"view.palette", "palette"},
            {"view.range.custom", "dialog-range"}, {"window.shortcuts", "shortcuts"}}) {
        trigger(window, command);
        camera.shoot(window, QString::fromLatin1(name));
        camera.closeDialog(window);
    }
    const auto sections = window.page(workers)->findChildren<ui::ChartSection*>();
    if (!sections.isEmpty()) {
        sections.first()->openExportDialog();
        camera.shoot(window, QStringLiteral("dialog-export"));
        camera.closeDialog(window);
    }
}

void shootUpgrade(Photographer& camera, ui::MainWindow& window, SceneControl& scene) {
    (void)scene.upgradeWorker(3, {});
    scene.step(6'000);
    camera.shoot(window, QStringLiteral("workers-upgrade"));
    trigger(window, "job.cancel");
    camera.shoot(window, QStringLiteral("dialog-abort"));
    camera.closeDialog(window);
    window.openPage(overview);
    camera.shoot(window, QStringLiteral("overview-upgrade"));
    scene.loseLink(7'000);
    camera.shoot(window, QStringLiteral("overview-lost"));
    window.openPage(workers);
    camera.shoot(window, QStringLiteral("workers-lost"));
    scene.step(1'000);
    scene.connectNow();
    scene.step(30'000, 200);
    camera.shoot(window, QStringLiteral("workers-result"));
}

void shootFailure(Photographer& camera, ui::MainWindow& window, SceneControl& scene) {
    scene.setOutcome(SceneControl::Outcome::NeverReady);
    (void)scene.upgradeWorker(5, {});
    scene.step(6'000);
    camera.shoot(window, QStringLiteral("workers-failed"));
    scene.crash(7);
    scene.step(500);
    window.openPage(overview);
    camera.shoot(window, QStringLiteral("overview-attention"));
    window.session()->time()->setLive(false);
    scene.step(2'000);
    camera.shoot(window, QStringLiteral("overview-paused"));
    window.session()->time()->setLive(true);
    window.openPage(workers);
    window.actions()->setSelectedWorker(7);
    camera.shoot(window, QStringLiteral("workers-crashed"));
}

void shootStory(Photographer& camera) {
    SceneControl scene;
    ui::MainWindow window(&scene);
    window.resize(windowSize);
    window.show();
    fillHistory(scene);
    for (const ui::PageFactory& factory : ui::pageFactories()) {
        window.openPage(factory.id);
        camera.shoot(window, factory.id);
    }
    shootDialogs(camera, window, scene);
    auto* filter = qobject_cast<QLineEdit*>(window.page(workers)->filterField());
    filter->setText(QStringLiteral("nothing"));
    camera.shoot(window, QStringLiteral("workers-filter-empty"));
    filter->clear();
    shootUpgrade(camera, window, scene);
    shootFailure(camera, window, scene);
    window.resize(1000, 700);
    camera.shoot(window, QStringLiteral("workers-narrow"));
}

void shootReadOnly(Photographer& camera) {
    SceneControl scene(1);
    scene.setProduction(false);
    ui::MainWindow window(&scene, true);
    window.resize(windowSize);
    window.show();
    scene.connectNow();
    scene.step(3'000);
    window.openPage(workers);
    camera.shoot(window, QStringLiteral("workers-read-only"));
}

void shootLastWorker(Photographer& camera) {
    SceneControl scene(1);
    ui::MainWindow window(&scene);
    window.resize(windowSize);
    window.show();
    scene.connectNow();
    scene.step(3'000);
    window.openPage(workers);
    window.actions()->openStop(1);
    camera.shoot(window, QStringLiteral("dialog-stop-last"));
}

} // namespace

int main(int argc, char** argv) {
    // The scale must be known before the application is.
    bool doubled = false;
    for (int i = 1; i + 1 < argc; ++i) {
        if (qstrcmp(argv[i], "--scale") == 0) {
            qputenv("QT_SCALE_FACTOR", argv[i + 1]);
            doubled = qstrcmp(argv[i + 1], "1") != 0;
        }
    }
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QCommandLineParser parser;
    parser.addHelpOption();
    const QCommandLineOption out(QStringLiteral("out"), QStringLiteral("Directory to write to."),
        QStringLiteral("directory"), QStringLiteral("."));
    const QCommandLineOption scale(
        QStringLiteral("scale"), QStringLiteral("1 or 2."), QStringLiteral("factor"), QStringLiteral("1"));
    parser.addOptions({out, scale});
    parser.process(application);
    const QString directory = parser.value(out);
    if (!QDir().mkpath(directory)) {
        std::fprintf(stderr, "shots: cannot make %s\n", qUtf8Printable(directory));
        return 1;
    }

    new ui::FocusRing(&application);
    int failures = 0, count = 0;
    for (const bool dark : {false, true}) {
        QApplication::setStyle(new ui::YardmasterStyle(dark ? ui::ThemeMode::Dark : ui::ThemeMode::Light));
        Photographer camera(directory, dark, doubled);
        shootEmpty(camera);
        shootStory(camera);
        shootReadOnly(camera);
        shootLastWorker(camera);
        failures += camera.failures();
        count += camera.count();
    }
    std::printf("%d pictures in %s\n", count, qUtf8Printable(directory));
    return failures == 0 ? 0 : 1;
}

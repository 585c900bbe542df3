// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/connect.h"
#include "ui/shell/main_window.h"
#include "ui/theme/focus_ring.h"
#include "ui/theme/icons.h"
#include "ui/theme/style.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QLocale>

#include <cstdio>
#include <optional>

using namespace yardmaster;

namespace {

std::optional<ui::ThemeMode> themeMode(const QString& name) {
    if (name == u"system")
        return ui::ThemeMode::System;
    if (name == u"light")
        return ui::ThemeMode::Light;
    if (name == u"dark")
        return ui::ThemeMode::Dark;
    return {};
}

} // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("yardmaster"));
    QApplication::setApplicationDisplayName(QStringLiteral("Yardmaster"));
    QApplication::setApplicationVersion(QStringLiteral(YARDMASTER_VERSION));
    // The C locale does not group digits, and 164201377 cannot be read.
    if (QLocale().language() == QLocale::C)
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Console for traffic-serving workers: a Yardmaster agent's or a Sozu's."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption connectOption(QStringLiteral("connect"),
        QStringLiteral("Command socket of the agent or Sozu to connect to."), QStringLiteral("socket"));
    const QCommandLineOption themeOption(QStringLiteral("theme"),
        QStringLiteral("light, dark or system (the default)."), QStringLiteral("theme"),
        QStringLiteral("system"));
    const QCommandLineOption readOnlyOption(
        QStringLiteral("read-only"), QStringLiteral("Show everything, change nothing."));
    parser.addOptions({connectOption, themeOption, readOnlyOption});
    parser.process(application);

    if (!parser.isSet(connectOption)) {
        std::fputs(
            "yardmaster: say what to connect to, for example --connect /run/yardmaster/yardmaster.sock\n",
            stderr);
        return 2;
    }
    const auto mode = themeMode(parser.value(themeOption));
    if (!mode) {
        std::fprintf(stderr, "yardmaster: no theme \"%s\"; there are light, dark and system\n",
            qUtf8Printable(parser.value(themeOption)));
        return 2;
    }
    QApplication::setStyle(new ui::YardmasterStyle(*mode));
    new ui::FocusRing(&application);
    QApplication::setWindowIcon(ui::themedIcon(QStringLiteral("app-mark"), ui::ColorRole::Accent));
    const auto control = control::connectWorkerControl(parser.value(connectOption));
    ui::MainWindow window(control.get(), parser.isSet(readOnlyOption));
    control->start();
    window.show();
    return QApplication::exec();
}

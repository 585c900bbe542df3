// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/demo/demo_stack.h"
#include "app/demo/tour.h"
#include "backend/control/connect.h"
#include "ui/shell/main_window.h"
#include "ui/theme/style.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QSocketNotifier>

#include <csignal>
#include <cstdio>
#include <sys/signalfd.h>
#include <unistd.h>

using namespace yardmaster;

namespace {

/// Ctrl-C and a SIGTERM end the program in order, so that everything it started ends too.
int blockedTerminationSignals() {
    sigset_t mask;
    ::sigemptyset(&mask);
    ::sigaddset(&mask, SIGINT);
    ::sigaddset(&mask, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &mask, nullptr);
    return ::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}

} // namespace

int main(int argc, char** argv) {
    const int signalFd = blockedTerminationSignals();
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("yardmaster"));
    QApplication::setApplicationDisplayName(QStringLiteral("Yardmaster"));
    QApplication::setApplicationVersion(QStringLiteral(YARDMASTER_VERSION));

    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral(
        "Starts upstreams, an agent with its workers, a steady load, and the console connected to them."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption tourOption(QStringLiteral("tour"),
        QStringLiteral(
            "Drive the console through the guided tour and write a picture of each step to <directory>."),
        QStringLiteral("directory"));
    const QCommandLineOption workersOption(QStringLiteral("workers"),
        QStringLiteral("Number of workers (4)."), QStringLiteral("count"), QStringLiteral("4"));
    const QCommandLineOption rateOption(QStringLiteral("rate"), QStringLiteral("Requests per second (1000)."),
        QStringLiteral("requests"), QStringLiteral("1000"));
    parser.addOptions({tourOption, workersOption, rateOption});
    parser.process(application);

    demo::DemoOptions options;
    options.binaryDirectory = QApplication::applicationDirPath();
    options.workers = parser.value(workersOption).toInt();
    options.requestsPerSecond = parser.value(rateOption).toInt();
    demo::DemoStack stack(options);
    if (auto started = stack.start(); !started) {
        std::fprintf(stderr, "yardmaster-demo: %s\n", started.error().toString().c_str());
        return 1;
    }
    QSocketNotifier onSignal(signalFd, QSocketNotifier::Read);
    QObject::connect(&onSignal, &QSocketNotifier::activated, &application, [] { QApplication::quit(); });

    const bool isTour = parser.isSet(tourOption);
    QApplication::setStyle(new ui::YardmasterStyle(isTour ? ui::ThemeMode::Light : ui::ThemeMode::System));
    int exitCode = 0;
    {
        const auto control = control::connectWorkerControl(stack.socketPath());
        ui::MainWindow window(control.get());
        control->start();
        if (isTour) {
            exitCode = demo::Tour(window, stack, QDir(parser.value(tourOption))).run();
        } else {
            std::printf("console connected to %s, traffic on port %u; close the window to end everything\n",
                qUtf8Printable(stack.socketPath()), stack.port());
            std::fflush(stdout);
            window.resize(1440, 900);
            window.show();
            exitCode = QApplication::exec();
        }
    }
    stack.stop();
    return exitCode;
}

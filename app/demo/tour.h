// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/demo/demo_stack.h"

#include <QDir>
#include <QString>
#include <QStringList>

#include <functional>

class QAbstractButton;
class QWidget;

namespace yardmaster::control {
class WorkerControl;
}
namespace yardmaster::ui {
class ChartView;
class MainWindow;
} // namespace yardmaster::ui

namespace yardmaster::demo {

/// The guided tour: an operator's first half hour on the running demo, by real mouse and key events, with a
/// picture of each step. It needs no display. A step that fails is reported and the tour goes on, so that one
/// run shows all that is wrong.
class Tour {
public:
    Tour(ui::MainWindow& window, DemoStack& stack, const QDir& pictures);

    /// Returns the exit code: 0 when every step worked, no request was lost and every written file can be
    /// read.
    [[nodiscard]] int run();

private:
    void waitForTraffic();
    void visitPages();
    void upgradeOneWorker();
    void upgradeAllWorkers();
    void pauseAndResume();
    void usePalette();
    void lookAtDialogs();
    void exportCharts();
    void exportChart(ui::ChartView& chart);
    void report();

    void shot(const QString& name);
    void check(bool ok, const QString& what);
    bool click(const QString& objectName);
    bool click(QWidget* widget);
    void openPage(const QString& id);
    [[nodiscard]] bool waitUntil(const std::function<bool()>& condition, int timeoutMs);
    /// Waits for the newest job to end; true when it is done.
    [[nodiscard]] bool waitForJob(const QString& kind, const QString& picture, int timeoutMs);
    void checkFile(const QString& path);

    ui::MainWindow& m_window;
    DemoStack& m_stack;
    QDir m_pictures;
    int m_shots = 0;
    QStringList m_failures;
    QStringList m_files;
    std::uint32_t m_upgradedWorker = 0;
};

} // namespace yardmaster::demo

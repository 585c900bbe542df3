// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "scene_control.h"
#include "ui/commands/command_registry.h"
#include "ui/dialogs/action_dialog.h"
#include "ui/dialogs/worker_actions.h"
#include "ui/pages/job_steps_view.h"
#include "ui/pages/worker_details.h"
#include "ui/pages/worker_table.h"
#include "ui/pages/worker_table_panel.h"
#include "ui/pages/workers_page.h"
#include "ui/shell/console_session.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/job_strip.h"
#include "ui/shell/main_window.h"

#include <QLineEdit>
#include <QPushButton>
#include <QTest>

namespace yardmaster::tests {

/// The console's window over a scene, connected and with two seconds of traffic, on the Workers page.
struct WindowFixture {
    explicit WindowFixture(int workers = 8, bool readOnly = false, QSize size = {1280, 800})
        : scene(workers)
        , window(&scene, readOnly) {
        window.resize(size);
        window.show();
        (void)QTest::qWaitForWindowActive(&window);
        scene.connectNow();
        scene.step(2'000);
        window.openPage(QStringLiteral("workers"));
    }

    [[nodiscard]] ui::WorkersPage* page() const {
        return qobject_cast<ui::WorkersPage*>(window.page(QStringLiteral("workers")));
    }
    [[nodiscard]] ui::WorkerTable* table() const { return page()->tablePanel()->table(); }
    [[nodiscard]] std::uint32_t workerAt(int row) const {
        return table()->model()->index(row, 0).data(models::WorkerTableModel::WorkerIdRole).toUInt();
    }
    [[nodiscard]] ui::ActionDialog* dialog() const {
        return qobject_cast<ui::ActionDialog*>(ui::OverlayDialog::openOver(&window));
    }
    /// The button of a command on the page.
    [[nodiscard]] QPushButton* button(const QString& command) const {
        return page()->findChild<QPushButton*>(command);
    }
    void click(QWidget* widget) const { QTest::mouseClick(widget, Qt::LeftButton); }
    void clickRow(int row) const {
        const QModelIndex index = table()->model()->index(row, 1);
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, table()->visualRect(index).center());
    }
    [[nodiscard]] std::optional<control::Job> job() const { return window.session()->jobs()->newest(); }

    SceneControl scene;
    ui::MainWindow window;
};

} // namespace yardmaster::tests

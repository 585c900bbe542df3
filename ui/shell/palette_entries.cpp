// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/palette_entries.h"

#include "ui/dialogs/worker_actions.h"
#include "ui/dialogs/worker_texts.h"
#include "ui/shell/console_session.h"

#include <QCoreApplication>

namespace yardmaster::ui {

std::vector<PaletteEntry> paletteEntries(const PageContext& context, ConsoleSession& session) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("CommandPalette", text); };
    std::vector<PaletteEntry> entries;
    for (const Command& command : context.commands->commands()) {
        QAction* action = context.commands->action(command.id);
        if (!action->isVisible() || command.id == u"view.palette")
            continue;
        entries.push_back({command.text, command.group, command.shortcut.toString(QKeySequence::NativeText),
            action->isEnabled() ? QString() : action->toolTip(), [action] { action->trigger(); }});
    }
    const control::SnapshotPtr snapshot = session.latest();
    if (snapshot == nullptr)
        return entries;
    WorkerActions* actions = context.actions;
    const QString group = tr("Worker");
    for (const control::WorkerInfo& worker : snapshot->workers) {
        const std::uint32_t id = worker.id;
        entries.push_back({tr("Worker %1, pid %2").arg(workerName(worker)).arg(worker.pid), group, {}, {},
            [actions, id, open = context.openPage] {
                actions->setSelectedWorker(id);
                open(QStringLiteral("workers"));
            }});
        if (worker.state == control::WorkerState::Serving)
            entries.push_back({tr("Upgrade worker %1…").arg(workerName(worker)), group, {}, {},
                [actions, id] { actions->openUpgrade(id); }});
    }
    return entries;
}

} // namespace yardmaster::ui

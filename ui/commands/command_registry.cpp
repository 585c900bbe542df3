// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands/command_registry.h"

#include <QLoggingCategory>

#include <algorithm>

namespace yardmaster::ui {

namespace {

/// "Pause or resume the charts (Space)", so that a tool tip teaches the key.
QString toolTipOf(const Command& command) {
    QString tip = command.description.isEmpty() ? command.text : command.description;
    if (!command.shortcut.isEmpty())
        tip += QStringLiteral(" (%1)").arg(command.shortcut.toString(QKeySequence::NativeText));
    return tip;
}

} // namespace

QAction* CommandRegistry::add(const Command& command, std::function<void()> run) {
    Q_ASSERT_X(action(command.id) == nullptr, "CommandRegistry::add", qUtf8Printable(command.id));
    auto* added = new QAction(command.text, this);
    added->setObjectName(command.id);
    added->setShortcut(command.shortcut);
    added->setToolTip(toolTipOf(command));
    added->setStatusTip(command.description);
    connect(added, &QAction::triggered, this, [run = std::move(run)] { run(); });
    m_commands.push_back(command);
    m_actions.push_back(added);
    emit this->added(command.id);
    return added;
}

QAction* CommandRegistry::action(const QString& id) const {
    const auto found = std::find_if(
        m_commands.begin(), m_commands.end(), [&id](const Command& command) { return command.id == id; });
    return found == m_commands.end() ? nullptr
                                     : m_actions[static_cast<std::size_t>(found - m_commands.begin())];
}

void CommandRegistry::setUnavailable(const QString& id, const QString& reason) {
    QAction* target = action(id);
    if (target == nullptr)
        return;
    const auto found = std::find_if(
        m_commands.begin(), m_commands.end(), [&id](const Command& command) { return command.id == id; });
    target->setEnabled(reason.isEmpty());
    target->setToolTip(reason.isEmpty() ? toolTipOf(*found) : reason);
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <QString>

#include <functional>
#include <vector>

namespace yardmaster::ui {

enum class Danger { Safe, Disruptive, Destructive };

/// One thing the user can do. Menu, palette, shortcuts, tool tips and tests all read this list.
struct Command {
    QString id; ///< "worker.upgrade"
    QString text; ///< "Upgrade worker…", with the … if a dialog follows
    QString group; ///< menu it stands in: "View", "Worker", "Chart"
    QKeySequence shortcut;
    Danger danger = Danger::Safe;
    QString description;
};

class CommandRegistry : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Makes the action; `run` is called when it is triggered. An id may be added once (a second time is a
    /// bug: asserts).
    QAction* add(const Command& command, std::function<void()> run);
    [[nodiscard]] QAction* action(const QString& id) const; ///< null when unknown
    [[nodiscard]] const std::vector<Command>& commands() const { return m_commands; }
    /// Disables with the reason as tool tip; an empty reason enables.
    void setUnavailable(const QString& id, const QString& reason);

signals:
    void added(const QString& id);

private:
    std::vector<Command> m_commands;
    std::vector<QAction*> m_actions;
};

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QAbstractButton;

namespace yardmaster::ui {

class CommandRegistry;

/// The button triggers the command, is enabled when it is, and explains itself with the same tool tip. Its
/// text stays its own, because a button beside its object needs fewer words than a menu.
void bindButton(QAbstractButton& button, CommandRegistry& commands, const QString& id);

} // namespace yardmaster::ui

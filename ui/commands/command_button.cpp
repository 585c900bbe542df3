// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands/command_button.h"

#include "ui/commands/command_registry.h"

#include <QAbstractButton>

namespace yardmaster::ui {

void bindButton(QAbstractButton& button, CommandRegistry& commands, const QString& id) {
    QAction* action = commands.action(id);
    Q_ASSERT_X(action != nullptr, "bindButton", qUtf8Printable(id));
    const auto take = [&button, action] {
        button.setEnabled(action->isEnabled());
        button.setToolTip(action->toolTip());
        button.setAccessibleDescription(action->toolTip());
    };
    if (button.objectName().isEmpty())
        button.setObjectName(id);
    if (button.accessibleName().isEmpty())
        button.setAccessibleName(button.text().isEmpty() ? action->text() : button.text());
    QObject::connect(action, &QAction::changed, &button, take);
    QObject::connect(&button, &QAbstractButton::clicked, action, &QAction::trigger);
    take();
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/shortcuts_dialog.h"

#include "ui/commands/command_registry.h"
#include "ui/theme/controls.h"
#include "ui/theme/text_label.h"

#include <QGridLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace yardmaster::ui {

ShortcutsDialog::ShortcutsDialog(const CommandRegistry& commands, QWidget* owner)
    : OverlayDialog(owner) {
    setObjectName(QStringLiteral("shortcuts-dialog"));
    setAccessibleName(tr("Keyboard shortcuts"));
    setFixedWidth(scaled(720));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(scaled(24), scaled(20), scaled(24), scaled(20));
    layout->setSpacing(scaled(12));
    layout->addWidget(new TextLabel(tr("Keyboard shortcuts"), TextStyle::PageTitle, ColorRole::Text, this));

    std::vector<std::pair<QString, QString>> rows; // key, text
    for (const Command& command : commands.commands()) {
        if (!command.shortcut.isEmpty())
            rows.emplace_back(QKeySequence::listToString(
                                  commands.action(command.id)->shortcuts(), QKeySequence::NativeText),
                command.text);
    }
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(scaled(12));
    grid->setVerticalSpacing(scaled(6));
    const int half = static_cast<int>(rows.size() + 1) / 2;
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
        const auto& [key, text] = rows[static_cast<std::size_t>(i)];
        const int column = i < half ? 0 : 3;
        grid->addWidget(new TextLabel(key, TextStyle::Mono, ColorRole::Muted, this), i % half, column);
        auto* label = new TextLabel(text, TextStyle::Body, ColorRole::Text, this);
        label->setElided(true);
        grid->addWidget(label, i % half, column + 1);
    }
    grid->setColumnMinimumWidth(2, scaled(16));
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(4, 1);
    layout->addLayout(grid);
    auto* close = new QPushButton(tr("Close"), this);
    setControlSize(*close, ControlSize::Dialog);
    close->setDefault(true);
    close->setFocus();
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    layout->addWidget(close, 0, Qt::AlignRight);
}

} // namespace yardmaster::ui

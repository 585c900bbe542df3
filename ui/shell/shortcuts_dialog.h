// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/dialogs/overlay_dialog.h"

namespace yardmaster::ui {

class CommandRegistry;

/// "?": every command that has a key.
class ShortcutsDialog final : public OverlayDialog {
    Q_OBJECT
public:
    ShortcutsDialog(const CommandRegistry& commands, QWidget* owner);
};

} // namespace yardmaster::ui

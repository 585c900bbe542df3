// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/page.h"
#include "ui/shell/command_palette.h"

namespace yardmaster::ui {

class ConsoleSession;

/// All commands, and each worker: to show, and to upgrade.
[[nodiscard]] std::vector<PaletteEntry> paletteEntries(const PageContext& context, ConsoleSession& session);

} // namespace yardmaster::ui

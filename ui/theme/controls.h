// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

class QAbstractButton;
class QToolButton;
class QWidget;

namespace yardmaster::ui {

/// What a button means; YardmasterStyle draws it accordingly.
enum class ButtonKind {
    Secondary, ///< outlined
    Primary, ///< accent fill, one per page
    Danger, ///< outlined in `bad`
    DangerFilled, ///< the verb of a destructive dialog
    Link, ///< accent text, no frame
    Chip, ///< outlined in `ok`: Live
    WarnChip, ///< `warn_bg` with a `warn` outline: Paused
    Segment, ///< one of a row that shares a frame; checkable
    Flat, ///< no frame, hover fill: icons in panel heads
};

/// Heights: 24 in panels, 28 on pages, 32 in dialogs.
enum class ControlSize { Panel, Page, Dialog };

void setButtonKind(QAbstractButton& button, ButtonKind kind);
[[nodiscard]] ButtonKind buttonKind(const QWidget* widget);
void setControlSize(QWidget& widget, ControlSize size);
[[nodiscard]] int controlHeight(const QWidget* widget);

/// Text (and icon) colour of a button of this kind.
[[nodiscard]] ColorRole textRole(ButtonKind kind);

/// A 24 px button with an icon alone; the name is its tool tip and accessible name.
[[nodiscard]] QToolButton* makeIconButton(const QString& iconName, const QString& name, QWidget* parent);

} // namespace yardmaster::ui

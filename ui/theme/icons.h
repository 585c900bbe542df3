// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QIcon>
#include <QString>

namespace yardmaster::ui {

/// resources/icons/<name>.svg in the colour of `role` of the application's theme at the time of painting, so
/// that a theme change needs no new icons. Disabled mode is drawn in `disabled`. An unknown name is an
/// empty icon and a warning.
[[nodiscard]] QIcon themedIcon(const QString& name, ColorRole role = ColorRole::Text);

} // namespace yardmaster::ui

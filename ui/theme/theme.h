// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

#include <array>

class QWidget;

namespace yardmaster::ui {

/// Colours by what they mean.
enum class ColorRole : int {
    Window,
    Rail,
    Panel,
    Raised,
    Alt,
    Hover,
    Border,
    ControlBorder,
    Text,
    Muted,
    Disabled,
    Accent,
    AccentHover,
    OnAccent,
    Focus,
    Ok,
    Warn,
    Bad,
    Neutral,
    Info,
    OkBg,
    WarnBg,
    BadBg,
    InfoBg,
    Prod,
    OnProd,
    Selection,
    SelectionText,
    SeriesP50,
    SeriesP90,
    SeriesP99,
    SeriesP999,
    SeriesMax,
    GenNew,
    GenOld,
    GenOlder,
    PhaseSpawned,
    PhaseListeners,
    PhaseState,
    PhaseReady,
    PhaseFirstRequest,
    ChartGrid,
    ChartSubgrid,
    Scrim,
    Count_
};

enum class TextStyle {
    Body,
    BodyStrong,
    Running,
    SubTitle,
    Caption,
    PanelTitle,
    PageTitle,
    BigNumber,
    Mono,
    MonoSmall
};

struct Theme {
    bool dark = false;
    std::array<QColor, static_cast<std::size_t>(ColorRole::Count_)> colors;
    std::array<QColor, 6> heatmap; ///< low to high

    [[nodiscard]] QColor color(ColorRole role) const { return colors[static_cast<std::size_t>(role)]; }
    [[nodiscard]] QPalette palette() const;

    [[nodiscard]] static const Theme& light();
    [[nodiscard]] static const Theme& darkTheme();
};

/// The theme a widget is drawn with: that of its YardmasterStyle (ui/theme/style.h), the light one under any
/// other style.
[[nodiscard]] const Theme& themeOf(const QWidget* widget);

/// Sizes are ratios of the system font's size (13 px = 1.0).
[[nodiscard]] QFont fontFor(TextStyle style);
/// The same size in a family whose figures are all equally wide, so that columns of numbers align.
[[nodiscard]] QFont numberFontFor(TextStyle style);
/// A length of the design (at 13 px text) for the system font's size: row heights, paddings.
[[nodiscard]] int scaled(int px);

} // namespace yardmaster::ui

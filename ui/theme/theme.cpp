// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include "ui/theme/style.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QStyle>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace yardmaster::ui {

namespace {

struct ColorRow {
    ColorRole role;
    QRgb light, dark;
};

constexpr std::array<ColorRow, static_cast<std::size_t>(ColorRole::Count_)> colorRows{{
    {ColorRole::Window, 0xfff2f4f7, 0xff14171c},
    {ColorRole::Rail, 0xffe7eaef, 0xff0f1216},
    {ColorRole::Panel, 0xffffffff, 0xff1b1f26},
    {ColorRole::Raised, 0xffffffff, 0xff262b34},
    {ColorRole::Alt, 0xfff6f8fa, 0xff20252d},
    {ColorRole::Hover, 0xffedf1f6, 0xff272d37},
    {ColorRole::Border, 0xffd5dae2, 0xff303743},
    {ColorRole::ControlBorder, 0xff838c9a, 0xff727c8c},
    {ColorRole::Text, 0xff1a1f29, 0xffe4e8ee},
    {ColorRole::Muted, 0xff545e6d, 0xffa3adbb},
    {ColorRole::Disabled, 0xff8a93a2, 0xff6b7483},
    {ColorRole::Accent, 0xff1d5fc2, 0xff6fa8ff},
    {ColorRole::AccentHover, 0xff164c9e, 0xff8fbcff},
    {ColorRole::OnAccent, 0xffffffff, 0xff0b1626},
    {ColorRole::Focus, 0xff1d5fc2, 0xff8fbcff},
    {ColorRole::Ok, 0xff106b3c, 0xff5ccb8b},
    {ColorRole::Warn, 0xff8a5600, 0xffe6b24d},
    {ColorRole::Bad, 0xff9c1412, 0xffff8f86},
    {ColorRole::Neutral, 0xff545e6d, 0xffa3adbb},
    {ColorRole::Info, 0xff1d5fc2, 0xff6fa8ff},
    {ColorRole::OkBg, 0xffe2f2e7, 0xff17322a},
    {ColorRole::WarnBg, 0xfffbefd6, 0xff3a2e17},
    {ColorRole::BadBg, 0xfffce7e5, 0xff43201f},
    {ColorRole::InfoBg, 0xffe4edfb, 0xff1c2f4d},
    {ColorRole::Prod, 0xff8a1f6a, 0xffe28ac6},
    {ColorRole::OnProd, 0xffffffff, 0xff2a0a20},
    {ColorRole::Selection, 0xffd6e5fb, 0xff223c5e},
    {ColorRole::SelectionText, 0xff10203a, 0xfff2f6fc},
    {ColorRole::SeriesP50, 0xff2f7de1, 0xff5b93e6},
    {ColorRole::SeriesP90, 0xff12a082, 0xff5fe3b0},
    {ColorRole::SeriesP99, 0xffb0590c, 0xfff59a1b},
    {ColorRole::SeriesP999, 0xffac137b, 0xffea4a86},
    {ColorRole::SeriesMax, 0xff2b3038, 0xffa9b1bc},
    {ColorRole::GenNew, 0xff2f7de1, 0xff5b93e6},
    {ColorRole::GenOld, 0xffc0781a, 0xffe0a04a},
    {ColorRole::GenOlder, 0xff8a93a0, 0xff7a8494},
    {ColorRole::PhaseSpawned, 0xff2e3f63, 0xff5c6f99},
    {ColorRole::PhaseListeners, 0xff2a6fb5, 0xff4c93db},
    {ColorRole::PhaseState, 0xff2fa093, 0xff4cbfaf},
    {ColorRole::PhaseReady, 0xff7daf3f, 0xff9cc757},
    {ColorRole::PhaseFirstRequest, 0xfff0d667, 0xfffbefa6},
    {ColorRole::ChartGrid, 0x1f1a1f29, 0x1fe4e8ee},
    {ColorRole::ChartSubgrid, 0x0d1a1f29, 0x0de4e8ee},
    {ColorRole::Scrim, 0x731a1f29, 0x8c000000},
}};
constexpr std::array<QRgb, 6> lightHeatmap{
    0xffe6f1f2, 0xffa8d6d3, 0xff5fb0bf, 0xff3180b0, 0xff2d4c93, 0xff20114f};
constexpr std::array<QRgb, 6> darkHeatmap{
    0xff222b3b, 0xff2a4a78, 0xff237f91, 0xff45ae7c, 0xffb4d04f, 0xfffde77a};

constexpr double designPx = 13; // what the sizes of the design are ratios of

Theme makeTheme(bool dark) {
    Theme theme;
    theme.dark = dark;
    for (const ColorRow& row : colorRows)
        theme.colors[static_cast<std::size_t>(row.role)] = QColor::fromRgba(dark ? row.dark : row.light);
    const auto& heatmap = dark ? darkHeatmap : lightHeatmap;
    std::transform(
        heatmap.begin(), heatmap.end(), theme.heatmap.begin(), [](QRgb rgb) { return QColor(rgb); });
    return theme;
}

/// 11 px is the smallest size that is read without effort and captions are 11/13 of the base, so the base
/// does not go below 13.
double basePx() {
    return std::max(designPx, static_cast<double>(QFontInfo(QGuiApplication::font()).pixelSize()));
}

QString firstPresent(const QStringList& families) {
    static const QStringList installed = QFontDatabase::families();
    for (const QString& family : families) {
        if (installed.contains(family))
            return family;
    }
    return {};
}

bool hasTabularFigures(const QString& family) {
    QFont font(family);
    font.setPixelSize(100);
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance(u'0');
    for (char16_t digit = u'1'; digit <= u'9'; ++digit) {
        if (std::abs(metrics.horizontalAdvance(QChar(digit)) - width) > 0.01)
            return false;
    }
    return true;
}

const QString& textFamily() {
    static const QString family = [] {
        const QString noto = firstPresent({QStringLiteral("Noto Sans")});
        return noto.isEmpty() ? QGuiApplication::font().family() : noto;
    }();
    return family;
}

const QString& numberFamily() {
    static const QString family = [] {
        if (hasTabularFigures(textFamily()))
            return textFamily();
        const QString tabular = firstPresent({QStringLiteral("Noto Sans"), QStringLiteral("Open Sans"),
            QStringLiteral("Roboto"), QStringLiteral("Liberation Sans"), QStringLiteral("DejaVu Sans")});
        return tabular.isEmpty() ? textFamily() : tabular;
    }();
    return family;
}

const QString& monoFamily() {
    static const QString family = [] {
        const QString noto = firstPresent({QStringLiteral("Noto Sans Mono"), QStringLiteral("Noto Mono")});
        return noto.isEmpty() ? QFontDatabase::systemFont(QFontDatabase::FixedFont).family() : noto;
    }();
    return family;
}

struct TypeSize {
    double px;
    QFont::Weight weight;
    bool mono;
};

TypeSize typeSize(TextStyle style) {
    switch (style) {
    case TextStyle::Body:
        return {13, QFont::Normal, false};
    case TextStyle::BodyStrong:
        return {13, QFont::DemiBold, false};
    case TextStyle::Running:
        return {13, QFont::DemiBold, false};
    case TextStyle::SubTitle:
        return {12, QFont::Normal, false};
    case TextStyle::Caption:
        return {11, QFont::Normal, false};
    case TextStyle::PanelTitle:
        return {13, QFont::DemiBold, false};
    case TextStyle::PageTitle:
        return {17, QFont::DemiBold, false};
    case TextStyle::BigNumber:
        return {22, QFont::DemiBold, false};
    case TextStyle::Mono:
        return {12, QFont::Normal, true};
    case TextStyle::MonoSmall:
        return {11, QFont::Normal, true};
    }
    return {13, QFont::Normal, false};
}

} // namespace

const Theme& Theme::light() {
    static const Theme theme = makeTheme(false);
    return theme;
}

const Theme& Theme::darkTheme() {
    static const Theme theme = makeTheme(true);
    return theme;
}

QPalette Theme::palette() const {
    struct Entry {
        QPalette::ColorRole role;
        ColorRole color;
    };
    static constexpr std::array entries{
        Entry{QPalette::Window, ColorRole::Window},
        Entry{QPalette::WindowText, ColorRole::Text},
        Entry{QPalette::Base, ColorRole::Panel},
        Entry{QPalette::AlternateBase, ColorRole::Alt},
        Entry{QPalette::Text, ColorRole::Text},
        Entry{QPalette::Button, ColorRole::Panel},
        Entry{QPalette::ButtonText, ColorRole::Text},
        Entry{QPalette::BrightText, ColorRole::Bad},
        Entry{QPalette::Highlight, ColorRole::Selection},
        Entry{QPalette::HighlightedText, ColorRole::SelectionText},
        Entry{QPalette::Link, ColorRole::Accent},
        Entry{QPalette::LinkVisited, ColorRole::Accent},
        Entry{QPalette::PlaceholderText, ColorRole::Muted},
        Entry{QPalette::ToolTipBase, ColorRole::Raised},
        Entry{QPalette::ToolTipText, ColorRole::Text},
        Entry{QPalette::Light, ColorRole::Raised},
        Entry{QPalette::Midlight, ColorRole::Hover},
        Entry{QPalette::Mid, ColorRole::Border},
        Entry{QPalette::Dark, ColorRole::ControlBorder},
        Entry{QPalette::Shadow, ColorRole::Rail},
    };
    QPalette palette;
    for (const Entry& entry : entries)
        palette.setColor(entry.role, color(entry.color));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, color(ColorRole::Disabled));
    return palette;
}

const Theme& themeOf(const QWidget* widget) {
    const QStyle* style = widget != nullptr ? widget->style() : QApplication::style();
    const auto* own = qobject_cast<const YardmasterStyle*>(style);
    return own != nullptr ? own->theme() : Theme::light();
}

int scaled(int px) {
    return static_cast<int>(std::lround(px * basePx() / designPx));
}

QFont fontFor(TextStyle style) {
    const TypeSize size = typeSize(style);
    QFont font(size.mono ? monoFamily() : textFamily());
    font.setPixelSize(static_cast<int>(std::lround(size.px * basePx() / designPx)));
    font.setWeight(size.weight);
    if (size.mono)
        font.setStyleHint(QFont::Monospace);
    return font;
}

QFont numberFontFor(TextStyle style) {
    QFont font = fontFor(style);
    if (!typeSize(style).mono)
        font.setFamily(numberFamily());
    return font;
}

} // namespace yardmaster::ui

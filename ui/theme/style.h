// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QProxyStyle>

namespace yardmaster::ui {

enum class ThemeMode { System, Light, Dark };

/// Fusion with flat controls in the theme's colours. Owns the choice of the theme: in System mode it follows
/// the lightness of the palette the platform asks for (Qt 6.4 has no colour scheme to query), also when that
/// changes while the program runs.
class YardmasterStyle final : public QProxyStyle {
    Q_OBJECT
public:
    explicit YardmasterStyle(ThemeMode mode = ThemeMode::System);

    [[nodiscard]] const Theme& theme() const { return *m_theme; }
    [[nodiscard]] ThemeMode mode() const { return m_mode; }
    /// Takes effect at once in every window when this is the application's style.
    void setMode(ThemeMode mode);

    void polish(QPalette& palette) override;
    void polish(QWidget* widget) override;
    void polish(QApplication* application) override;
    using QProxyStyle::polish;

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
        const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
        const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
        const QWidget* widget) const override;
    [[nodiscard]] QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option,
        SubControl subControl, const QWidget* widget) const override;
    [[nodiscard]] QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
        const QWidget* widget) const override;
    [[nodiscard]] int pixelMetric(
        PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    [[nodiscard]] int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
        QStyleHintReturn* returnData) const override;

signals:
    void themeChanged();

private:
    void choose();

    ThemeMode m_mode;
    bool m_systemIsDark = false;
    const Theme* m_theme;
};

} // namespace yardmaster::ui

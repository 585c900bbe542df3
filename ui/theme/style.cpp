// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/style.h"

#include "ui/theme/controls.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QScrollBar>
#include <QStyleFactory>
#include <QStyleOption>

namespace yardmaster::ui {

YardmasterStyle::YardmasterStyle(ThemeMode mode)
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion")))
    , m_mode(mode)
    , m_theme(&Theme::light()) {
    choose();
}

void YardmasterStyle::choose() {
    const bool dark = m_mode == ThemeMode::Dark || (m_mode == ThemeMode::System && m_systemIsDark);
    const Theme* chosen = dark ? &Theme::darkTheme() : &Theme::light();
    if (chosen == m_theme)
        return;
    m_theme = chosen;
    emit themeChanged();
}

void YardmasterStyle::setMode(ThemeMode mode) {
    m_mode = mode;
    choose();
    // An empty palette makes Qt build the application's palette anew, through polish(QPalette&).
    if (QApplication::style() == this)
        QApplication::setPalette(QPalette());
}

void YardmasterStyle::polish(QPalette& palette) {
    // What comes in is the platform's palette, what goes out is ours.
    m_systemIsDark =
        palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
    choose();
    palette = m_theme->palette();
}

void YardmasterStyle::polish(QApplication* application) {
    QProxyStyle::polish(application);
    QApplication::setFont(fontFor(TextStyle::Body));
}

void YardmasterStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if (qobject_cast<QAbstractButton*>(widget) != nullptr || qobject_cast<QComboBox*>(widget) != nullptr
        || qobject_cast<QAbstractSpinBox*>(widget) != nullptr || qobject_cast<QScrollBar*>(widget) != nullptr)
        widget->setAttribute(Qt::WA_Hover);
}

int YardmasterStyle::pixelMetric(
    PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_FocusFrameHMargin:
    case PM_FocusFrameVMargin:
        return 4; // a ring of 2 px, 2 px outside
    case PM_ScrollBarExtent:
        return scaled(10);
    case PM_ScrollBarSliderMin:
        return scaled(24);
    case PM_ButtonMargin:
        return scaled(12);
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
    case PM_ButtonDefaultIndicator:
        return 0;
    case PM_ButtonIconSize:
    case PM_SmallIconSize:
    case PM_ToolBarIconSize:
        return scaled(16);
    case PM_DefaultFrameWidth:
        // Views stand in panels, which have the frame.
        return qobject_cast<const QAbstractItemView*>(widget) != nullptr ? 0 : 1;
    case PM_ToolTipLabelFrameWidth:
        return scaled(4);
    case PM_HeaderMargin:
        return scaled(8);
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
        return scaled(14);
    case PM_MenuPanelWidth:
        return 1;
    case PM_MenuVMargin:
    case PM_MenuHMargin:
        return 4;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int YardmasterStyle::styleHint(
    StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* returnData) const {
    switch (hint) {
    case SH_ScrollBar_Transient:
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
    case SH_UnderlineShortcut:
    case SH_Widget_Animate:
    case SH_Menu_FadeOutOnHide:
        return 0;
    case SH_ComboBox_Popup:
        return 0;
    case SH_ItemView_ShowDecorationSelected:
    case SH_Menu_MouseTracking:
        return 1;
    default:
        return QProxyStyle::styleHint(hint, option, widget, returnData);
    }
}

QSize YardmasterStyle::sizeFromContents(
    ContentsType type, const QStyleOption* option, const QSize& size, const QWidget* widget) const {
    const int height = controlHeight(widget);
    switch (type) {
    case CT_PushButton: {
        const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
        if (button == nullptr)
            break;
        const ButtonKind kind = buttonKind(widget);
        const bool frameless = kind == ButtonKind::Link;
        int width =
            size.width() + 2 * (frameless ? scaled(4) : scaled(kind == ButtonKind::Segment ? 10 : 12));
        if (!button->icon.isNull() && !button->text.isEmpty())
            width += scaled(6);
        if (button->features.testFlag(QStyleOptionButton::HasMenu))
            width += scaled(16);
        if (button->text.isEmpty())
            width = std::max(height, size.width() + scaled(8));
        return {width, std::max(height, size.height())};
    }
    case CT_ToolButton: {
        const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
        if (button != nullptr && button->toolButtonStyle == Qt::ToolButtonIconOnly)
            return {height, height};
        return {size.width() + scaled(12), height};
    }
    case CT_LineEdit:
        return {size.width() + scaled(12), std::max(height, size.height())};
    case CT_ComboBox:
        return {size.width() + scaled(36), height};
    case CT_SpinBox:
        return {size.width() + scaled(36), height};
    case CT_HeaderSection:
        return {QProxyStyle::sizeFromContents(type, option, size, widget).width(), scaled(28)};
    case CT_MenuItem: {
        QSize item = QProxyStyle::sizeFromContents(type, option, size, widget);
        const auto* menuItem = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
        if (menuItem != nullptr && menuItem->menuItemType != QStyleOptionMenuItem::Separator)
            item.setHeight(std::max(item.height(), scaled(26)));
        return item;
    }
    default:
        break;
    }
    return QProxyStyle::sizeFromContents(type, option, size, widget);
}

QRect YardmasterStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option,
    SubControl subControl, const QWidget* widget) const {
    const QRect rect = option->rect;
    const int side = scaled(22);
    if (control == CC_SpinBox) {
        switch (subControl) {
        case SC_SpinBoxUp:
            return {rect.right() - side, rect.top() + 1, side, rect.height() / 2 - 1};
        case SC_SpinBoxDown:
            return {rect.right() - side, rect.top() + rect.height() / 2, side, rect.height() / 2 - 1};
        case SC_SpinBoxEditField:
            return rect.adjusted(scaled(6), 1, -side, -1);
        case SC_SpinBoxFrame:
            return rect;
        default:
            break;
        }
    }
    if (control == CC_ComboBox) {
        switch (subControl) {
        case SC_ComboBoxArrow:
            return {rect.right() - side, rect.top(), side, rect.height()};
        case SC_ComboBoxEditField:
            return rect.adjusted(scaled(8), 1, -side, -1);
        default:
            break;
        }
    }
    return QProxyStyle::subControlRect(control, option, subControl, widget);
}

} // namespace yardmaster::ui

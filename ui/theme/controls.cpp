// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/controls.h"

#include "ui/theme/icons.h"

#include <QAbstractButton>
#include <QToolButton>
#include <QVariant>

namespace yardmaster::ui {

namespace {
constexpr const char* kindProperty = "buttonKind";
constexpr const char* sizeProperty = "controlSize";
} // namespace

void setButtonKind(QAbstractButton& button, ButtonKind kind) {
    button.setProperty(kindProperty, static_cast<int>(kind));
    if (kind == ButtonKind::Primary || kind == ButtonKind::DangerFilled || kind == ButtonKind::Chip
        || kind == ButtonKind::WarnChip)
        button.setFont(fontFor(TextStyle::BodyStrong));
    button.updateGeometry();
    button.update();
}

ButtonKind buttonKind(const QWidget* widget) {
    if (widget == nullptr)
        return ButtonKind::Secondary;
    const QVariant kind = widget->property(kindProperty);
    if (!kind.isValid())
        return qobject_cast<const QToolButton*>(widget) != nullptr ? ButtonKind::Flat : ButtonKind::Secondary;
    return static_cast<ButtonKind>(kind.toInt());
}

void setControlSize(QWidget& widget, ControlSize size) {
    widget.setProperty(sizeProperty, static_cast<int>(size));
    widget.setFixedHeight(controlHeight(&widget));
}

int controlHeight(const QWidget* widget) {
    const QVariant size = widget != nullptr ? widget->property(sizeProperty) : QVariant();
    const ControlSize fallback =
        qobject_cast<const QToolButton*>(widget) != nullptr ? ControlSize::Panel : ControlSize::Page;
    switch (size.isValid() ? static_cast<ControlSize>(size.toInt()) : fallback) {
    case ControlSize::Panel:
        return scaled(24);
    case ControlSize::Page:
        return scaled(28);
    case ControlSize::Dialog:
        return scaled(32);
    }
    return scaled(28);
}

ColorRole textRole(ButtonKind kind) {
    switch (kind) {
    case ButtonKind::Primary:
        return ColorRole::OnAccent;
    case ButtonKind::Danger:
        return ColorRole::Bad;
    case ButtonKind::DangerFilled:
        return ColorRole::Panel;
    case ButtonKind::Link:
        return ColorRole::Accent;
    case ButtonKind::Secondary:
    case ButtonKind::Chip:
    case ButtonKind::WarnChip:
    case ButtonKind::Segment:
    case ButtonKind::Flat:
        return ColorRole::Text;
    }
    return ColorRole::Text;
}

QToolButton* makeIconButton(const QString& iconName, const QString& name, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setIcon(themedIcon(iconName));
    button->setToolTip(name);
    button->setAccessibleName(name);
    button->setFocusPolicy(Qt::TabFocus);
    setButtonKind(*button, ButtonKind::Flat);
    setControlSize(*button, ControlSize::Panel);
    return button;
}

} // namespace yardmaster::ui

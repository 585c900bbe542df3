// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/controls.h"
#include "ui/theme/style.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>

namespace yardmaster::ui {

namespace {

constexpr qreal radius = 4;

QRectF crisp(const QRect& rect) {
    return QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5);
}

void drawBox(
    QPainter& painter, const QRect& rect, const QColor& fill, const QColor& line, qreal corner = radius) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(line.isValid() ? QPen(line, 1) : QPen(Qt::NoPen));
    painter.setBrush(fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(line.isValid() ? crisp(rect) : QRectF(rect), corner, corner);
    painter.restore();
}

void drawChevron(QPainter& painter, const QRectF& rect, const QColor& color, bool up = false) {
    const qreal half = scaled(4), depth = half * 0.55;
    const QPointF c = rect.center();
    const qreal sign = up ? -1 : 1;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(QPolygonF{QPointF(c.x() - half, c.y() - sign * depth),
        QPointF(c.x(), c.y() + sign * depth), QPointF(c.x() + half, c.y() - sign * depth)});
    painter.restore();
}

/// Position of a segment in its row: property "segment", a string of 'f' (first) and 'l' (last).
void drawSegment(QPainter& painter, const QStyleOption& option, const QWidget* widget, const Theme& theme) {
    const QString place = widget != nullptr ? widget->property("segment").toString() : QStringLiteral("fl");
    const bool first = place.contains(u'f');
    const bool last = place.contains(u'l');
    QRectF rect = crisp(option.rect);
    // What is to be square goes beyond the widget's own edge; a later segment leaves out its left line.
    const qreal over = radius + 2;
    if (!first)
        rect.setLeft(rect.left() - over);
    if (!last)
        rect.setRight(rect.right() + over);
    const bool checked = option.state.testFlag(QStyle::State_On);
    const bool hovered =
        option.state.testFlag(QStyle::State_MouseOver) && option.state.testFlag(QStyle::State_Enabled);
    painter.save();
    painter.setClipRect(option.rect);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.color(ColorRole::ControlBorder), 1));
    painter.setBrush(theme.color(checked ? ColorRole::Selection
            : hovered                    ? ColorRole::Hover
                                         : ColorRole::Panel));
    painter.drawRoundedRect(rect, radius, radius);
    if (!last) {
        const qreal x = option.rect.right() + 0.5;
        painter.drawLine(QPointF(x, option.rect.top()), QPointF(x, option.rect.bottom() + 1));
    }
    painter.restore();
}

void drawButton(QPainter& painter, const QStyleOption& option, const QWidget* widget, const Theme& theme) {
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool hovered = enabled && option.state.testFlag(QStyle::State_MouseOver);
    const bool pressed = enabled && (option.state & (QStyle::State_Sunken | QStyle::State_On));
    const auto color = [&theme](ColorRole role) { return theme.color(role); };
    const ColorRole surface = pressed ? ColorRole::Selection : hovered ? ColorRole::Hover : ColorRole::Panel;
    switch (buttonKind(widget)) {
    case ButtonKind::Segment:
        drawSegment(painter, option, widget, theme);
        return;
    case ButtonKind::Primary:
        if (!enabled)
            break;
        drawBox(
            painter, option.rect, color(hovered || pressed ? ColorRole::AccentHover : ColorRole::Accent), {});
        return;
    case ButtonKind::DangerFilled:
        if (!enabled)
            break;
        drawBox(painter, option.rect, color(ColorRole::Bad), {});
        return;
    case ButtonKind::Danger:
        if (!enabled)
            break;
        drawBox(painter, option.rect, color(hovered || pressed ? ColorRole::BadBg : ColorRole::Panel),
            color(ColorRole::Bad));
        return;
    case ButtonKind::Chip:
        drawBox(painter, option.rect, color(surface), color(ColorRole::Ok));
        return;
    case ButtonKind::WarnChip:
        drawBox(painter, option.rect, color(ColorRole::WarnBg), color(ColorRole::Warn));
        return;
    case ButtonKind::Link:
        if (hovered)
            drawBox(painter, option.rect, color(ColorRole::Hover), {});
        return;
    case ButtonKind::Flat:
        if (hovered || pressed)
            drawBox(painter, option.rect, color(pressed ? ColorRole::Selection : ColorRole::Hover), {});
        return;
    case ButtonKind::Secondary:
        break;
    }
    if (enabled)
        drawBox(painter, option.rect, color(surface), color(ColorRole::ControlBorder));
    else
        drawBox(painter, option.rect, color(ColorRole::Alt), color(ColorRole::Border));
}

/// Icon, 6 px, text; in the middle together. Fusion leaves less between them.
void drawIconAndText(QPainter& painter, const QStyleOptionButton& button) {
    const int gap = scaled(6);
    const QSize icon = button.iconSize;
    const int textWidth = painter.fontMetrics().horizontalAdvance(button.text);
    const int left = button.rect.left() + (button.rect.width() - icon.width() - gap - textWidth) / 2;
    const QRect iconRect(QPoint(left, button.rect.center().y() - icon.height() / 2 + 1), icon);
    const bool enabled = button.state.testFlag(QStyle::State_Enabled);
    button.icon.paint(&painter, iconRect, Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
    painter.setPen(button.palette.color(QPalette::ButtonText));
    painter.drawText(QRect(left + icon.width() + gap, button.rect.top(), textWidth + 2, button.rect.height()),
        Qt::AlignVCenter | Qt::AlignLeft, button.text);
}

void drawHeader(QPainter& painter, const QStyleOptionHeader& header, const Theme& theme) {
    painter.save();
    painter.fillRect(header.rect, theme.color(ColorRole::Alt));
    painter.fillRect(QRect(header.rect.left(), header.rect.bottom(), header.rect.width(), 1),
        theme.color(ColorRole::Border));
    const bool sorted = header.sortIndicator != QStyleOptionHeader::None;
    const int margin = scaled(10);
    const int arrow = sorted ? scaled(12) : 0;
    QRect text = header.rect.adjusted(margin, 0, -margin, -1);
    const bool right = header.textAlignment.testFlag(Qt::AlignRight);
    painter.setFont(fontFor(TextStyle::SubTitle));
    const int width = std::min(painter.fontMetrics().horizontalAdvance(header.text), text.width() - arrow);
    painter.setPen(theme.color(ColorRole::Muted));
    if (right)
        text.setLeft(text.right() - width - arrow + 1);
    text.setWidth(width);
    painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft,
        painter.fontMetrics().elidedText(header.text, Qt::ElideRight, width + 1));
    if (sorted) {
        // Qt calls "down" what is sorted upwards.
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF box(text.right() + 3, text.top(), arrow - 2, text.height());
        const qreal sign = header.sortIndicator == QStyleOptionHeader::SortDown ? 1 : -1;
        const QPointF c = box.center();
        painter.setPen(QPen(theme.color(ColorRole::Muted), 1.3));
        painter.drawPolyline(QPolygonF{QPointF(c.x() - 3, c.y() + sign * 1.5),
            QPointF(c.x(), c.y() - sign * 1.5), QPointF(c.x() + 3, c.y() + sign * 1.5)});
    }
    painter.restore();
}

void drawCheckMark(QPainter& painter, const QStyleOption& option, const Theme& theme, bool round) {
    const bool on = option.state.testFlag(QStyle::State_On);
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const QColor accent = theme.color(enabled ? ColorRole::Accent : ColorRole::Disabled);
    drawBox(painter, option.rect, on ? accent : theme.color(ColorRole::Panel),
        on ? accent : theme.color(enabled ? ColorRole::ControlBorder : ColorRole::Border),
        round ? option.rect.width() / 2.0 : 3);
    if (!on)
        return;
    const QRectF r(option.rect);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (round) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.color(ColorRole::OnAccent));
        painter.drawEllipse(r.center(), r.width() * 0.2, r.width() * 0.2);
    } else {
        painter.setPen(
            QPen(theme.color(ColorRole::OnAccent), 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const auto at = [&r](qreal x, qreal y) {
            return QPointF(r.left() + x * r.width(), r.top() + y * r.height());
        };
        painter.drawPolyline(QPolygonF{at(0.25, 0.52), at(0.43, 0.7), at(0.76, 0.32)});
    }
    painter.restore();
}

void drawScrollBar(QPainter& painter, const QStyle& style, const QStyleOptionSlider& option,
    const QWidget* widget, const Theme& theme) {
    if (option.minimum == option.maximum)
        return;
    const QRect slider =
        style.subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarSlider, widget);
    const bool active = option.state.testFlag(QStyle::State_MouseOver)
        || option.activeSubControls.testFlag(QStyle::SC_ScrollBarSlider);
    drawBox(painter, slider.adjusted(2, 2, -2, -2),
        theme.color(active ? ColorRole::ControlBorder : ColorRole::Border), {}, 3);
}

} // namespace

void YardmasterStyle::drawPrimitive(
    PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const {
    const Theme& theme = *m_theme;
    switch (element) {
    case PE_PanelButtonCommand:
    case PE_PanelButtonTool:
        drawButton(*painter, *option, widget, theme);
        return;
    case PE_FrameDefaultButton:
    case PE_PanelStatusBar:
    case PE_FrameStatusBarItem:
    case PE_FrameTabBarBase:
        return;
    case PE_FrameFocusRect:
        // Controls have the ring of FocusRing; delegates draw their own.
        return;
    case PE_FrameButtonTool:
        return;
    case PE_PanelLineEdit: {
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
        if (frame != nullptr && frame->lineWidth == 0)
            return;
        const bool enabled = option->state.testFlag(State_Enabled);
        const bool focused = option->state.testFlag(State_HasFocus);
        drawBox(*painter, option->rect, theme.color(enabled ? ColorRole::Panel : ColorRole::Alt),
            theme.color(!enabled ? ColorRole::Border
                    : focused    ? ColorRole::Focus
                                 : ColorRole::ControlBorder));
        return;
    }
    case PE_FrameLineEdit:
        return;
    case PE_IndicatorArrowDown:
        drawChevron(*painter, option->rect, theme.color(ColorRole::Text));
        return;
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        drawCheckMark(*painter, *option, theme, false);
        return;
    case PE_IndicatorRadioButton:
        drawCheckMark(*painter, *option, theme, true);
        return;
    case PE_PanelMenu:
    case PE_FrameMenu:
    case PE_PanelTipLabel:
        painter->fillRect(option->rect, theme.color(ColorRole::Raised));
        painter->save();
        painter->setPen(theme.color(ColorRole::ControlBorder));
        painter->drawRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5));
        painter->restore();
        return;
    case PE_Frame:
        if (qobject_cast<const QAbstractItemView*>(widget) != nullptr)
            return;
        break;
    default:
        break;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void YardmasterStyle::drawControl(
    ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const {
    const Theme& theme = *m_theme;
    switch (element) {
    case CE_PushButtonLabel: {
        const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
        if (button == nullptr)
            break;
        QStyleOptionButton copy = *button;
        const ButtonKind kind = buttonKind(widget);
        const bool checked = option->state.testFlag(State_On);
        const ColorRole role =
            kind == ButtonKind::Segment && checked ? ColorRole::SelectionText : textRole(kind);
        copy.palette.setColor(QPalette::ButtonText,
            theme.color(option->state.testFlag(State_Enabled) ? role : ColorRole::Disabled));
        painter->save();
        if (kind == ButtonKind::Segment && checked) {
            QFont font = painter->font();
            font.setWeight(QFont::DemiBold);
            painter->setFont(font);
        }
        if (copy.icon.isNull() || copy.text.isEmpty())
            QProxyStyle::drawControl(element, &copy, painter, widget);
        else
            drawIconAndText(*painter, copy);
        painter->restore();
        return;
    }
    case CE_FocusFrame: {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(theme.color(ColorRole::Focus), 2));
        painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), radius + 3, radius + 3);
        painter->restore();
        return;
    }
    case CE_Header:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            drawHeader(*painter, *header, theme);
            return;
        }
        break;
    case CE_HeaderEmptyArea:
        painter->fillRect(option->rect, theme.color(ColorRole::Alt));
        painter->fillRect(QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
            theme.color(ColorRole::Border));
        return;
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

void YardmasterStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
    QPainter* painter, const QWidget* widget) const {
    const Theme& theme = *m_theme;
    const bool enabled = option->state.testFlag(State_Enabled);
    const QColor ink = theme.color(enabled ? ColorRole::Text : ColorRole::Disabled);
    const auto frame = [&] {
        const bool focused = enabled && option->state.testFlag(State_HasFocus);
        drawBox(*painter, option->rect, theme.color(enabled ? ColorRole::Panel : ColorRole::Alt),
            theme.color(!enabled ? ColorRole::Border
                    : focused    ? ColorRole::Focus
                                 : ColorRole::ControlBorder));
    };
    switch (control) {
    case CC_ComboBox:
        frame();
        drawChevron(*painter, subControlRect(control, option, SC_ComboBoxArrow, widget), ink);
        return;
    case CC_SpinBox:
        frame();
        drawChevron(*painter, subControlRect(control, option, SC_SpinBoxUp, widget), ink, true);
        drawChevron(*painter, subControlRect(control, option, SC_SpinBoxDown, widget), ink);
        return;
    case CC_ScrollBar:
        if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
            drawScrollBar(*painter, *this, *slider, widget, theme);
            return;
        }
        break;
    case CC_ToolButton:
        if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option)) {
            // The arrow of a menu would stand on the icon.
            QStyleOptionToolButton copy = *button;
            copy.features &= ~QStyleOptionToolButton::ToolButtonFeatures(
                QStyleOptionToolButton::HasMenu | QStyleOptionToolButton::MenuButtonPopup);
            copy.palette.setColor(QPalette::ButtonText,
                theme.color(enabled ? textRole(buttonKind(widget)) : ColorRole::Disabled));
            if ((option->state & State_MouseOver) != 0 || (option->state & (State_Sunken | State_On)) != 0
                || buttonKind(widget) != ButtonKind::Flat)
                drawButton(*painter, copy, widget, theme);
            copy.rect = option->rect;
            proxy()->drawControl(CE_ToolButtonLabel, &copy, painter, widget);
            return;
        }
        break;
    default:
        break;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

} // namespace yardmaster::ui

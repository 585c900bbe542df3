// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/text_label.h"

#include <QEvent>
#include <QPainter>

namespace yardmaster::ui {

TextLabel::TextLabel(const QString& text, TextStyle style, ColorRole role, QWidget* parent)
    : QLabel(text, parent)
    , m_style(style)
    , m_role(role) {
    setTextFormat(Qt::PlainText);
    setTextStyle(style);
    applyPalette();
}

void TextLabel::setRole(ColorRole role) {
    if (m_role == role)
        return;
    m_role = role;
    applyPalette();
}

void TextLabel::setTextStyle(TextStyle style) {
    m_style = style;
    setFont(numberFontFor(style));
}

void TextLabel::setElided(bool elided) {
    m_elided = elided;
    updateGeometry();
}

void TextLabel::setRoomFor(const QString& text) {
    m_roomPx = fontMetrics().horizontalAdvance(text);
    updateGeometry();
}

QSize TextLabel::sizeHint() const {
    return QLabel::sizeHint().expandedTo(QSize(m_roomPx, 0));
}

QSize TextLabel::minimumSizeHint() const {
    if (!m_elided)
        return QLabel::minimumSizeHint().expandedTo(QSize(m_roomPx, 0));
    return {std::max(m_roomPx, fontMetrics().horizontalAdvance(u'…')), QLabel::minimumSizeHint().height()};
}

void TextLabel::applyPalette() {
    if (m_applying)
        return;
    m_applying = true;
    QPalette colors = palette();
    colors.setColor(QPalette::WindowText, themeOf(this).color(m_role));
    setPalette(colors);
    m_applying = false;
}

void TextLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::StyleChange || event->type() == QEvent::PaletteChange)
        applyPalette();
}

void TextLabel::paintEvent(QPaintEvent* event) {
    if (!m_elided) {
        QLabel::paintEvent(event);
        return;
    }
    const QRect area = contentsRect();
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, area.width());
    const QString tip = shown == text() ? QString() : text();
    if (toolTip() != tip)
        setToolTip(tip);
    QPainter painter(this);
    painter.setPen(themeOf(this).color(isEnabled() ? m_role : ColorRole::Disabled));
    painter.drawText(area, static_cast<int>(alignment() | Qt::TextSingleLine), shown);
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/tag.h"

#include <QFontMetrics>
#include <QPainter>

namespace yardmaster::ui {

namespace {

QFont tagFont() {
    QFont font = numberFontFor(TextStyle::Caption);
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

Tag::Tag(const QString& text, ColorRole fill, ColorRole ink, QWidget* parent)
    : QWidget(parent)
    , m_text(text)
    , m_fill(fill)
    , m_ink(ink) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(text);
}

Tag* Tag::production(QWidget* parent) {
    auto* tag = new Tag(tr("PROD"), ColorRole::Prod, ColorRole::OnProd, parent);
    tag->setToolTip(tr("This target serves production traffic"));
    return tag;
}

void Tag::setText(const QString& text) {
    if (m_text == text)
        return;
    m_text = text;
    setAccessibleName(text);
    updateGeometry();
    update();
}

void Tag::setColors(ColorRole fill, ColorRole ink) {
    m_fill = fill;
    m_ink = ink;
    update();
}

QSize Tag::sizeHint() const {
    return {QFontMetrics(tagFont()).horizontalAdvance(m_text) + scaled(14), scaled(18)};
}

void Tag::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.color(m_fill));
    painter.drawRoundedRect(QRectF(rect()), 3, 3);
    painter.setPen(theme.color(m_ink));
    painter.setFont(tagFont());
    painter.drawText(rect(), Qt::AlignCenter, m_text);
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/search_field.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QPainter>

namespace yardmaster::ui {

SearchField::SearchField(const QString& placeholder, const QString& keyHint, QWidget* parent)
    : QLineEdit(parent)
    , m_keyHint(keyHint) {
    setPlaceholderText(placeholder);
    setAccessibleName(placeholder);
    setTextMargins(scaled(24), 0, scaled(4), 0);
    setClearButtonEnabled(false);
}

QSize SearchField::minimumSizeHint() const {
    return {scaled(120), QLineEdit::minimumSizeHint().height()};
}

void SearchField::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && !text().isEmpty()) {
        clear();
        event->accept();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void SearchField::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    const Theme& theme = themeOf(this);
    QPainter painter(this);
    const int side = scaled(16);
    themedIcon(QStringLiteral("search"), ColorRole::Muted)
        .paint(&painter, QRect(scaled(7), (height() - side) / 2, side, side));
    if (m_keyHint.isEmpty() || !text().isEmpty() || hasFocus())
        return;
    painter.setFont(fontFor(TextStyle::Caption));
    const int width = painter.fontMetrics().horizontalAdvance(m_keyHint) + scaled(10);
    const QRectF key(this->width() - width - scaled(6), (height() - scaled(16)) / 2.0, width, scaled(16));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.color(ColorRole::Border));
    painter.setBrush(theme.color(ColorRole::Alt));
    painter.drawRoundedRect(key.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setPen(theme.color(ColorRole::Muted));
    painter.drawText(key, Qt::AlignCenter, m_keyHint);
}

} // namespace yardmaster::ui

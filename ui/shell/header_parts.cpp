// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/header_parts.h"

#include "ui/theme/controls.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"

#include <QPainter>

namespace yardmaster::ui {

namespace {

void drawFrame(QPainter& painter, const QWidget& widget) {
    const Theme& theme = themeOf(&widget);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.color(ColorRole::ControlBorder));
    painter.setBrush(theme.color(widget.underMouse() ? ColorRole::Hover : ColorRole::Panel));
    painter.drawRoundedRect(QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

} // namespace

TargetBox::TargetBox(QWidget* parent)
    : QAbstractButton(parent) {
    setObjectName(QStringLiteral("target-box"));
    setAccessibleName(tr("Target"));
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setFixedHeight(scaled(28));
    setMinimumWidth(scaled(120));
    setMaximumWidth(scaled(210));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void TargetBox::setTarget(const QString& name, const QString& system) {
    if (name == text() && system == m_system)
        return;
    m_system = system;
    setText(name);
    setAccessibleDescription(name + QStringLiteral(", ") + system);
    update();
}

QSize TargetBox::sizeHint() const {
    return {scaled(210), scaled(28)};
}

void TargetBox::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(this);
    QPainter painter(this);
    drawFrame(painter, *this);
    QRect area = rect().adjusted(scaled(10), 0, -scaled(28), 0);
    painter.setFont(fontFor(TextStyle::BodyStrong));
    painter.setPen(theme.color(ColorRole::Text));
    const QString name = painter.fontMetrics().elidedText(text(), Qt::ElideRight, area.width());
    painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft, name);
    area.setLeft(area.left() + painter.fontMetrics().horizontalAdvance(name) + scaled(8));
    painter.setFont(numberFontFor(TextStyle::Body));
    painter.setPen(theme.color(ColorRole::Muted));
    if (area.width() > scaled(24))
        painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft,
            painter.fontMetrics().elidedText(m_system, Qt::ElideRight, area.width()));
    const QPointF c(width() - scaled(14), height() / 2.0);
    painter.setPen(QPen(theme.color(ColorRole::Text), 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(QPolygonF{c + QPointF(-4, -2), c + QPointF(0, 2), c + QPointF(4, -2)});
}

PaletteButton::PaletteButton(QWidget* parent)
    : QPushButton(parent) {
    setObjectName(QStringLiteral("palette-button"));
    setAccessibleName(tr("Search or run"));
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setFixedHeight(scaled(28));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setMaximumWidth(scaled(200));
}

QSize PaletteButton::sizeHint() const {
    return {scaled(200), scaled(28)};
}

QSize PaletteButton::minimumSizeHint() const {
    return {scaled(34), scaled(28)};
}

void PaletteButton::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(this);
    QPainter painter(this);
    drawFrame(painter, *this);
    const int side = scaled(16);
    themedIcon(QStringLiteral("search"), ColorRole::Muted)
        .paint(&painter, QRect(scaled(9), (height() - side) / 2, side, side));
    const QString key = QStringLiteral("Ctrl K");
    painter.setFont(fontFor(TextStyle::Caption));
    const int keyWidth = painter.fontMetrics().horizontalAdvance(key) + scaled(10);
    int right = width() - scaled(8);
    if (width() >= scaled(110)) {
        const QRectF box(right - keyWidth, (height() - scaled(17)) / 2.0, keyWidth, scaled(17));
        painter.setPen(theme.color(ColorRole::Border));
        painter.setBrush(theme.color(ColorRole::Alt));
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setPen(theme.color(ColorRole::Muted));
        painter.drawText(box, Qt::AlignCenter, key);
        right -= keyWidth + scaled(6);
    }
    painter.setFont(fontFor(TextStyle::Body));
    painter.setPen(theme.color(ColorRole::Muted));
    const QRect area(scaled(31), 0, right - scaled(31), height());
    const QString words = tr("Search or run…");
    const QString fitting =
        painter.fontMetrics().horizontalAdvance(words) <= area.width() ? words : tr("Search…");
    if (painter.fontMetrics().horizontalAdvance(fitting) <= area.width())
        painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft, fitting);
}

LiveChip::LiveChip(QWidget* parent)
    : QPushButton(parent) {
    setObjectName(QStringLiteral("live-chip"));
    setFocusPolicy(Qt::TabFocus);
    setFixedHeight(scaled(28));
    setButtonKind(*this, ButtonKind::Chip);
    setState(true, 0);
}

void LiveChip::setState(bool live, std::uint64_t missedSamples) {
    const QString more =
        live ? QString() : tr("+%1 samples").arg(format::number(static_cast<double>(missedSamples)));
    if (live == m_live && more == m_more && !text().isEmpty())
        return;
    m_live = live;
    m_more = more;
    setText(live ? tr("Live") : tr("Paused"));
    setAccessibleName(live ? tr("Live") : tr("Paused, %1").arg(more));
    setButtonKind(*this, live ? ButtonKind::Chip : ButtonKind::WarnChip);
    updateGeometry();
    update();
}

QSize LiveChip::sizeHint() const {
    int width = QFontMetrics(fontFor(TextStyle::BodyStrong)).horizontalAdvance(text()) + scaled(38);
    if (!m_more.isEmpty()) {
        // Room for growing numbers, so that the header does not move with each sample.
        const int room =
            QFontMetrics(numberFontFor(TextStyle::Body)).horizontalAdvance(tr("+%1 samples").arg(u"0,000"));
        width += scaled(8)
            + std::max(room, QFontMetrics(numberFontFor(TextStyle::Body)).horizontalAdvance(m_more));
    }
    return {width, scaled(28)};
}

void LiveChip::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.color(m_live ? ColorRole::Ok : ColorRole::Warn));
    painter.setBrush(theme.color(!m_live ? ColorRole::WarnBg
            : underMouse()               ? ColorRole::Hover
                                         : ColorRole::Panel));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    if (m_live) {
        drawGlyph(painter, QRectF(scaled(10), 0, scaled(12), height()), Glyph::Serving, theme);
    } else {
        const int side = scaled(14);
        themedIcon(QStringLiteral("pause"))
            .paint(&painter, QRect(scaled(9), (height() - side) / 2, side, side));
    }
    painter.setFont(fontFor(TextStyle::BodyStrong));
    painter.setPen(theme.color(ColorRole::Text));
    QRect area = rect().adjusted(scaled(28), 0, 0, 0);
    painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft, text());
    area.setLeft(area.left() + painter.fontMetrics().horizontalAdvance(text()) + scaled(8));
    painter.setFont(numberFontFor(TextStyle::Body));
    painter.drawText(area, Qt::AlignVCenter | Qt::AlignLeft, m_more);
}

} // namespace yardmaster::ui

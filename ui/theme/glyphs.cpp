// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/glyphs.h"

#include <QPainter>
#include <QPainterPath>

#include <cmath>
#include <numbers>

namespace yardmaster::ui {

namespace {

constexpr qreal side = 12; // the paths below are in a square of this size

QPolygonF octagon() {
    QPolygonF points;
    for (int i = 0; i < 8; ++i) {
        const double angle = std::numbers::pi / 8 + i * std::numbers::pi / 4;
        points << QPointF(6 + 5.6 * std::cos(angle), 6 + 5.6 * std::sin(angle));
    }
    return points;
}

void drawDashedRing(QPainter& painter, const QColor& color) {
    QPen pen(color, 1.3);
    pen.setDashPattern({1.6, 1.5});
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(QPointF(6, 6), 5, 5);
}

void drawRing(QPainter& painter, const QColor& color, qreal width) {
    painter.setPen(QPen(color, width));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(QPointF(6, 6), 4.5, 4.5);
}

void drawDot(QPainter& painter, const QPointF& at, qreal radius, const QColor& color) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawEllipse(at, radius, radius);
}

} // namespace

ColorRole glyphColor(Glyph glyph) {
    switch (glyph) {
    case Glyph::Serving:
    case Glyph::Done:
        return ColorRole::Ok;
    case Glyph::Running:
    case Glyph::Info:
    case Glyph::Moved:
        return ColorRole::Info;
    case Glyph::Draining:
    case Glyph::Warning:
    case Glyph::NotAnswering:
        return ColorRole::Warn;
    case Glyph::Crashed:
        return ColorRole::Bad;
    case Glyph::None:
    case Glyph::Waiting:
    case Glyph::Stopped:
    case Glyph::Gone:
    case Glyph::Unknown:
        return ColorRole::Neutral;
    }
    return ColorRole::Neutral;
}

void drawGlyph(QPainter& painter, const QRectF& rect, Glyph glyph, const Theme& theme) {
    drawGlyph(painter, rect, glyph, theme.color(glyphColor(glyph)), theme);
}

void drawGlyph(QPainter& painter, const QRectF& rect, Glyph glyph, const QColor& color, const Theme& theme) {
    const qreal size = scaled(12);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(std::round(rect.center().x() - size / 2), std::round(rect.center().y() - size / 2));
    painter.scale(size / side, size / side);
    const QPen line(color, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    switch (glyph) {
    case Glyph::None:
        break;
    case Glyph::Serving:
        drawDot(painter, {6, 6}, 4.5, color);
        break;
    case Glyph::Running:
        drawRing(painter, color, 1.5);
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawPie(QRectF(1.5, 1.5, 9, 9), -90 * 16, 180 * 16);
        break;
    case Glyph::Draining:
        painter.setPen(QPen(color, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolygon(QPolygonF{QPointF(1.2, 1.8), QPointF(10.8, 1.8), QPointF(6, 10.6)});
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawPolygon(QPolygonF{QPointF(4.1, 4), QPointF(7.9, 4), QPointF(6, 7.4)});
        break;
    case Glyph::Warning:
        painter.setPen(QPen(color, 1, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(color);
        painter.drawPolygon(QPolygonF{QPointF(6, 1), QPointF(11.4, 10.8), QPointF(0.6, 10.8)});
        painter.setPen(QPen(theme.color(ColorRole::Panel), 1.4, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(6, 4.4), QPointF(6, 7));
        painter.drawPoint(QPointF(6, 9.1));
        break;
    case Glyph::Crashed:
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawPolygon(octagon());
        painter.setPen(QPen(theme.color(ColorRole::Panel), 1.4, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(4.2, 4.2), QPointF(7.8, 7.8));
        painter.drawLine(QPointF(7.8, 4.2), QPointF(4.2, 7.8));
        break;
    case Glyph::Waiting:
        drawRing(painter, color, 1.7);
        break;
    case Glyph::Stopped:
        painter.setPen(QPen(color, 1.6, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(2, 2, 8, 8));
        break;
    case Glyph::Gone:
        painter.setPen(line);
        painter.drawLine(QPointF(2.5, 6), QPointF(9.5, 6));
        break;
    case Glyph::Unknown:
        drawDashedRing(painter, color);
        painter.setPen(QPen(color, 1.2, Qt::SolidLine, Qt::RoundCap));
        painter.drawArc(QRectF(4.4, 3.3, 3.2, 3.0), -60 * 16, 240 * 16);
        painter.drawLine(QPointF(6.1, 6.2), QPointF(6, 7));
        painter.drawPoint(QPointF(6, 8.7));
        break;
    case Glyph::NotAnswering:
        drawDashedRing(painter, color);
        painter.setPen(QPen(color, 1.3, Qt::SolidLine, Qt::RoundCap));
        painter.drawPolyline(QPolygonF{QPointF(6, 3.4), QPointF(6, 6.2), QPointF(7.9, 7.3)});
        break;
    case Glyph::Done:
        painter.setPen(QPen(color, 1.7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPolyline(QPolygonF{QPointF(1.8, 6.4), QPointF(4.7, 9.2), QPointF(10.2, 3)});
        break;
    case Glyph::Moved:
        painter.setPen(line);
        painter.drawLine(QPointF(1.5, 6), QPointF(10, 6));
        painter.drawPolyline(QPolygonF{QPointF(7, 3), QPointF(10.2, 6), QPointF(7, 9)});
        break;
    case Glyph::Info:
        drawRing(painter, color, 1.4);
        painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(6, 5.8), QPointF(6, 8.2));
        painter.drawPoint(QPointF(6, 3.8));
        break;
    }
    painter.restore();
}

GlyphLabel::GlyphLabel(Glyph glyph, QWidget* parent)
    : QWidget(parent)
    , m_glyph(glyph) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void GlyphLabel::setGlyph(Glyph glyph) {
    if (m_glyph == glyph)
        return;
    m_glyph = glyph;
    update();
}

QSize GlyphLabel::sizeHint() const {
    return {scaled(14), scaled(14)};
}

void GlyphLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    drawGlyph(painter, rect(), m_glyph, themeOf(this));
}

} // namespace yardmaster::ui

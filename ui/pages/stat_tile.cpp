// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/stat_tile.h"

#include "ui/theme/text_label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace yardmaster::ui {

StatTile::StatTile(const QString& name, const QString& unit, QWidget* parent)
    : QFrame(parent)
    , m_name(new TextLabel(name, TextStyle::SubTitle, ColorRole::Muted, this))
    , m_note(new TextLabel({}, TextStyle::SubTitle, ColorRole::Muted, this))
    , m_value(new TextLabel({}, TextStyle::BigNumber, ColorRole::Text, this))
    , m_unit(new TextLabel(unit, TextStyle::Body, ColorRole::Muted, this))
    , m_spark(new Sparkline(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(scaled(12), scaled(10), scaled(12), scaled(10));
    layout->setSpacing(scaled(2));
    auto* top = new QHBoxLayout;
    top->setSpacing(scaled(8));
    top->addWidget(m_name);
    m_note->setElided(true);
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    top->addWidget(m_note, 1);
    layout->addLayout(top);
    auto* middle = new QHBoxLayout;
    middle->setSpacing(scaled(5));
    middle->addWidget(m_value, 0, Qt::AlignBaseline);
    middle->addWidget(m_unit, 0, Qt::AlignBaseline);
    middle->addStretch(1);
    layout->addLayout(middle);
    layout->addWidget(m_spark, 1);
    setAccessibleName(name);
}

void StatTile::setValue(const QString& value, const QString& note) {
    m_value->setText(value);
    m_note->setText(note);
    setAccessibleDescription(value + u' ' + m_unit->text() + QStringLiteral(", ") + note);
}

void StatTile::setSeries(std::vector<Sparkline::Series> series) {
    m_spark->setSeries(std::move(series));
}

void StatTile::setStale(bool stale) {
    m_value->setRole(stale ? ColorRole::Muted : ColorRole::Text);
}

QString StatTile::value() const {
    return m_value->text();
}

void StatTile::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(themeOf(this).color(ColorRole::Border));
    painter.setBrush(themeOf(this).color(ColorRole::Panel));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

} // namespace yardmaster::ui

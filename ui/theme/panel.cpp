// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/panel.h"

#include "ui/theme/text_label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace yardmaster::ui {

Panel::Panel(const QString& title, QWidget* parent)
    : QFrame(parent)
    , m_head(new QWidget(this))
    , m_titleLayout(new QHBoxLayout)
    , m_actionLayout(new QHBoxLayout)
    , m_title(new TextLabel(title, TextStyle::PanelTitle, ColorRole::Text, m_head))
    , m_subTitle(new TextLabel({}, TextStyle::SubTitle, ColorRole::Muted, m_head))
    , m_body(new QVBoxLayout) {
    setFrameShape(QFrame::NoFrame);
    m_head->setFixedHeight(scaled(36));
    m_subTitle->setElided(true);
    m_subTitle->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* head = new QHBoxLayout(m_head);
    head->setContentsMargins(scaled(12), 0, scaled(10), 0);
    head->setSpacing(scaled(8));
    m_titleLayout->setSpacing(scaled(8));
    m_titleLayout->addWidget(m_title);
    head->addLayout(m_titleLayout);
    head->addWidget(m_subTitle, 1);
    m_actionLayout->setSpacing(scaled(4));
    head->addLayout(m_actionLayout);

    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(1, 1, 1, 1);
    whole->setSpacing(0);
    whole->addWidget(m_head);
    m_body->setContentsMargins(0, 0, 0, 0);
    m_body->setSpacing(0);
    whole->addLayout(m_body, 1);
    setAccessibleName(title);
}

void Panel::setTitle(const QString& title) {
    m_title->setText(title);
    setAccessibleName(title);
}

QString Panel::title() const {
    return m_title->text();
}

void Panel::setSubTitle(const QString& text) {
    m_subTitle->setText(text);
}

QString Panel::subTitle() const {
    return m_subTitle->text();
}

void Panel::addHeadWidget(QWidget* widget) {
    m_actionLayout->addWidget(widget);
}

void Panel::addTitleWidget(QWidget* widget) {
    m_titleLayout->addWidget(widget);
}

void Panel::setHeadWidget(QWidget* widget) {
    m_title->hide();
    m_subTitle->hide();
    m_head->setFixedHeight(scaled(40));
    m_titleLayout->addWidget(widget, 1);
    static_cast<QHBoxLayout*>(m_head->layout())->setStretch(0, 1);
}

void Panel::setHeadVisible(bool visible) {
    m_head->setVisible(visible);
}

void Panel::setHeadLine(bool line) {
    m_headLine = line;
    update();
}

void Panel::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.color(ColorRole::Border), 1));
    painter.setBrush(theme.color(ColorRole::Panel));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    if (m_headLine && m_head->isVisible())
        painter.fillRect(
            QRect(1, m_head->geometry().bottom(), width() - 2, 1), theme.color(ColorRole::Border));
}

} // namespace yardmaster::ui

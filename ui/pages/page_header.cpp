// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_header.h"

#include "ui/theme/text_label.h"

#include <QHBoxLayout>
#include <QPushButton>

namespace yardmaster::ui {

PageHeader::PageHeader(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_summary(new TextLabel({}, TextStyle::SubTitle, ColorRole::Muted, this))
    , m_actions(new QHBoxLayout) {
    setFixedHeight(scaled(48));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(scaled(10));
    layout->addWidget(new TextLabel(title, TextStyle::PageTitle, ColorRole::Text, this));
    m_summary->setElided(true);
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    layout->addWidget(m_summary, 1);
    m_actions->setSpacing(scaled(10));
    layout->addLayout(m_actions);
}

void PageHeader::setSummary(const QString& text) {
    m_summary->setText(text);
}

QString PageHeader::summary() const {
    return m_summary->text();
}

void PageHeader::addAction(QPushButton* button) {
    m_actions->addWidget(button);
}

} // namespace yardmaster::ui

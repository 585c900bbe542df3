// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/error_strip.h"

#include "ui/theme/controls.h"
#include "ui/theme/glyphs.h"
#include "ui/theme/text_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace yardmaster::ui {

ErrorStrip::ErrorStrip(QWidget* parent)
    : QWidget(parent)
    , m_what(new TextLabel({}, TextStyle::BodyStrong, ColorRole::Text, this))
    , m_more(new TextLabel({}, TextStyle::SubTitle, ColorRole::Text, this))
    , m_retry(new QPushButton(tr("Retry…"), this)) {
    setObjectName(QStringLiteral("error-strip"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(scaled(10), scaled(8), scaled(10), scaled(8));
    layout->setSpacing(scaled(8));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(scaled(8));
    layout->addWidget(new GlyphLabel(Glyph::Crashed, this), 0, Qt::AlignTop);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(scaled(2));
    for (TextLabel* label : {m_what, m_more}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        texts->addWidget(label);
    }
    texts->addSpacing(scaled(4));
    texts->addLayout(buttons);
    layout->addLayout(texts, 1);
    auto* copy = new QPushButton(tr("Copy"), this);
    copy->setAccessibleDescription(tr("Copies the error text"));
    for (QPushButton* button : {m_retry, copy}) {
        setControlSize(*button, ControlSize::Panel);
        buttons->addWidget(button);
    }
    buttons->addStretch(1);
    connect(m_retry, &QPushButton::clicked, this, &ErrorStrip::retryWanted);
    connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_text); });
}

void ErrorStrip::setError(const Error& error) {
    m_text = QString::fromStdString(error.toString());
    QString what = QString::fromStdString(error.what);
    if (!what.isEmpty())
        what[0] = what[0].toUpper(); // it begins a sentence here
    m_what->setText(what);
    QStringList more;
    if (!error.where.empty())
        more << tr("Where: %1").arg(QString::fromStdString(error.where));
    if (!error.hint.empty())
        more << tr("What to do: %1").arg(QString::fromStdString(error.hint));
    m_more->setText(more.join(u'\n'));
    m_more->setVisible(!more.isEmpty());
    setAccessibleName(m_text);
}

void ErrorStrip::setRetryVisible(bool visible) {
    m_retry->setVisible(visible);
}

void ErrorStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(themeOf(this).color(ColorRole::Bad));
    painter.setBrush(themeOf(this).color(ColorRole::BadBg));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

} // namespace yardmaster::ui

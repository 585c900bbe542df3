// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/rail.h"

#include "ui/theme/icons.h"

#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

namespace yardmaster::ui {

namespace {

constexpr int wide = 168;
constexpr int narrow = 48;
constexpr int markHeight = 52;

} // namespace

RailItem::RailItem(const QString& id, const QString& title, const QString& iconName, QWidget* parent)
    : QAbstractButton(parent)
    , m_id(id)
    , m_iconName(iconName) {
    setText(title);
    setAccessibleName(title);
    setObjectName(QStringLiteral("rail.") + id);
    setCheckable(true);
    setAutoExclusive(true);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setFixedHeight(scaled(32));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void RailItem::setBadge(Glyph glyph, int count) {
    if (glyph == m_badge && count == m_count)
        return;
    m_badge = glyph;
    m_count = count;
    setAccessibleDescription(count > 0 ? QString::number(count) : QString());
    update();
}

void RailItem::setCompact(bool compact) {
    m_compact = compact;
    update();
}

QSize RailItem::sizeHint() const {
    return {scaled(m_compact ? 32 : 152), scaled(32)};
}

void RailItem::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool current = isChecked();
    if (current || underMouse()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.color(current ? ColorRole::Selection : ColorRole::Hover));
        painter.drawRoundedRect(QRectF(rect()), 4, 4);
    }
    const int side = scaled(16);
    const QRect icon((m_compact ? (width() - side) / 2 : scaled(8)), (height() - side) / 2, side, side);
    themedIcon(m_iconName, current ? ColorRole::Accent : ColorRole::Muted).paint(&painter, icon);
    if (m_compact) {
        if (m_count > 0)
            drawGlyph(painter, QRectF(width() - scaled(14), 0, scaled(14), scaled(14)), m_badge, theme);
        return;
    }
    painter.setFont(fontFor(current ? TextStyle::PanelTitle : TextStyle::Body));
    painter.setPen(theme.color(current ? ColorRole::SelectionText : ColorRole::Text));
    painter.drawText(
        rect().adjusted(scaled(34), 0, -scaled(40), 0), Qt::AlignVCenter | Qt::AlignLeft, text());
    if (m_count <= 0)
        return;
    QFont font = numberFontFor(TextStyle::SubTitle);
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    const QString count = QString::number(m_count);
    const int width = painter.fontMetrics().horizontalAdvance(count);
    const QRect number = rect().adjusted(0, 0, -scaled(10), 0);
    painter.drawText(number, Qt::AlignVCenter | Qt::AlignRight, count);
    drawGlyph(painter, QRectF(number.right() - width - scaled(18), 0, scaled(12), height()), m_badge, theme);
}

Rail::Rail(QWidget* parent)
    : QWidget(parent) {
    setFixedWidth(scaled(wide));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(scaled(8), scaled(markHeight), scaled(8), scaled(8));
    layout->setSpacing(scaled(2));
    layout->addStretch(1);
    setAccessibleName(tr("Pages"));
}

RailItem* Rail::addPage(
    const QString& id, const QString& title, const QString& iconName, const QString& toolTip) {
    auto* item = new RailItem(id, title, iconName, this);
    item->setToolTip(toolTip);
    auto* list = static_cast<QVBoxLayout*>(layout());
    list->insertWidget(list->count() - 1, item);
    m_items.push_back(item);
    connect(item, &QAbstractButton::clicked, this, [this, id] { emit pageWanted(id); });
    return item;
}

RailItem* Rail::item(const QString& id) const {
    for (RailItem* item : m_items) {
        if (item->id() == id)
            return item;
    }
    return nullptr;
}

void Rail::setCurrent(const QString& id) {
    if (RailItem* current = item(id))
        current->setChecked(true);
}

void Rail::setCompact(bool compact) {
    if (m_compact == compact)
        return;
    m_compact = compact;
    setFixedWidth(scaled(compact ? narrow : wide));
    for (RailItem* item : m_items)
        item->setCompact(compact);
    update();
}

void Rail::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
        focusNextPrevChild(event->key() == Qt::Key_Down);
        return;
    }
    QWidget::keyPressEvent(event);
}

void Rail::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.color(ColorRole::Rail));
    painter.fillRect(QRect(width() - 1, 0, 1, height()), theme.color(ColorRole::Border));
    const int side = scaled(18);
    const int top = (scaled(markHeight) - side) / 2;
    const int left = m_compact ? (width() - side) / 2 : scaled(15);
    themedIcon(QStringLiteral("app-mark"), ColorRole::Accent).paint(&painter, QRect(left, top, side, side));
    if (m_compact)
        return;
    QFont font = fontFor(TextStyle::PanelTitle);
    font.setPixelSize(scaled(15));
    painter.setFont(font);
    painter.setPen(theme.color(ColorRole::Text));
    painter.drawText(QRect(scaled(44), 0, width() - scaled(48), scaled(markHeight)),
        Qt::AlignVCenter | Qt::AlignLeft, QStringLiteral("Yardmaster"));
}

} // namespace yardmaster::ui

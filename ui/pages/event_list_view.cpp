// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/event_list_view.h"

#include "models/event_model.h"
#include "ui/dialogs/worker_texts.h"
#include "ui/pages/worker_delegate.h"
#include "ui/theme/format.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QToolTip>

namespace yardmaster::ui {

namespace {

class EventDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {scaled(200), scaled(28)};
    }

    void paint(
        QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = themeOf(option.widget);
        const auto event = index.data(models::EventModel::EventRole).value<control::Event>();
        painter->save();
        QStyleOptionViewItem unselected = option;
        unselected.state.setFlag(QStyle::State_Selected, false);
        paintRowBackground(*painter, unselected, false, theme);
        QRect row = option.rect.adjusted(scaled(12), 0, -scaled(12), -1);
        painter->setFont(fontFor(TextStyle::Mono));
        painter->setPen(theme.color(ColorRole::Text));
        const QString clock = format::clock(event.unixNs);
        painter->drawText(row, Qt::AlignLeft | Qt::AlignVCenter, clock);
        row.setLeft(row.left() + painter->fontMetrics().horizontalAdvance(clock) + scaled(12));
        drawGlyph(
            *painter, QRectF(row.left(), row.top(), scaled(12), row.height()), eventGlyph(event), theme);
        row.setLeft(row.left() + scaled(24));
        painter->setFont(numberFontFor(TextStyle::Body));
        if (!event.actor.isEmpty()) {
            painter->setPen(theme.color(ColorRole::Muted));
            const int width =
                std::min(painter->fontMetrics().horizontalAdvance(event.actor), row.width() / 3);
            painter->drawText(row, Qt::AlignRight | Qt::AlignVCenter,
                painter->fontMetrics().elidedText(event.actor, Qt::ElideRight, width));
            row.setRight(row.right() - width - scaled(12));
        }
        painter->setPen(theme.color(ColorRole::Text));
        painter->drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
            painter->fontMetrics().elidedText(event.text, Qt::ElideRight, row.width()));
        painter->restore();
    }

    bool helpEvent(QHelpEvent* help, QAbstractItemView* view, const QStyleOptionViewItem& option,
        const QModelIndex& index) override {
        if (help->type() != QEvent::ToolTip || !index.isValid())
            return QStyledItemDelegate::helpEvent(help, view, option, index);
        const auto event = index.data(models::EventModel::EventRole).value<control::Event>();
        QToolTip::showText(help->globalPos(),
            event.actor.isEmpty() ? event.text : EventListView::tr("%1, by %2").arg(event.text, event.actor),
            view);
        return true;
    }
};

} // namespace

EventListView::EventListView(models::EventModel* model, QWidget* parent)
    : QListView(parent) {
    setModel(model);
    setModelColumn(models::EventModel::Text);
    setItemDelegate(new EventDelegate(this));
    setSelectionMode(QAbstractItemView::NoSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setUniformItemSizes(true);
    setAccessibleName(tr("Events, newest first"));
}

void EventListView::paintEvent(QPaintEvent* event) {
    QListView::paintEvent(event);
    if (model()->rowCount() > 0)
        return;
    QPainter painter(viewport());
    painter.setFont(fontFor(TextStyle::Body));
    painter.setPen(themeOf(this).color(ColorRole::Muted));
    painter.drawText(viewport()->rect().adjusted(scaled(12), scaled(8), -scaled(12), 0),
        Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, tr("No event yet."));
}

} // namespace yardmaster::ui

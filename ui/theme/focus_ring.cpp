// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/focus_ring.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QFocusEvent>
#include <QFocusFrame>
#include <QLineEdit>

namespace yardmaster::ui {

namespace {

/// The control a focus widget belongs to, or null when it shows focus itself (tables, charts).
QWidget* ringed(QWidget* widget) {
    if (auto* spinBox = qobject_cast<QAbstractSpinBox*>(widget->parentWidget()))
        return spinBox;
    if (qobject_cast<QAbstractButton*>(widget) != nullptr || qobject_cast<QComboBox*>(widget) != nullptr
        || qobject_cast<QAbstractSpinBox*>(widget) != nullptr)
        return widget;
    if (auto* edit = qobject_cast<QLineEdit*>(widget))
        return edit->hasFrame() ? edit : nullptr;
    return nullptr;
}

} // namespace

FocusRing::FocusRing(QObject* parent)
    : QObject(parent) {
    qApp->installEventFilter(this);
}

FocusRing::~FocusRing() {
    delete m_frame;
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn && watched->isWidgetType()) {
        const auto reason = static_cast<QFocusEvent*>(event)->reason();
        if (reason == Qt::PopupFocusReason)
            return false;
        // A window that becomes active again shows what it showed before.
        if (reason != Qt::ActiveWindowFocusReason)
            m_byMouse = reason == Qt::MouseFocusReason;
        QWidget* target = ringed(static_cast<QWidget*>(watched));
        if (m_byMouse)
            target = nullptr;
        // The frame becomes a child of what it frames in, and goes with it.
        if (m_frame.isNull() && target != nullptr)
            m_frame = new QFocusFrame(target);
        if (!m_frame.isNull())
            m_frame->setWidget(target);
    } else if (event->type() == QEvent::FocusOut && watched->isWidgetType() && !m_frame.isNull()
        && static_cast<QFocusEvent*>(event)->reason() != Qt::PopupFocusReason) {
        m_frame->setWidget(nullptr);
    }
    return false;
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/overlay_dialog.h"

#include "ui/theme/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>

namespace yardmaster::ui {

namespace {

/// Dims the window and takes the mouse from it.
class Scrim final : public QWidget {
public:
    explicit Scrim(QWidget* window)
        : QWidget(window) {
        setObjectName(QStringLiteral("scrim"));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter(this).fillRect(rect(), themeOf(this).color(ColorRole::Scrim));
    }
    void mousePressEvent(QMouseEvent* event) override { event->accept(); }
    void mouseReleaseEvent(QMouseEvent* event) override { event->accept(); }
    void mouseDoubleClickEvent(QMouseEvent* event) override { event->accept(); }
    void wheelEvent(QWheelEvent* event) override { event->accept(); }
    void keyPressEvent(QKeyEvent* event) override { event->accept(); }
    void contextMenuEvent(QContextMenuEvent* event) override { event->accept(); }
};

constexpr qreal radius = 6;

} // namespace

OverlayDialog::OverlayDialog(QWidget* owner, Placement placement)
    : QDialog(nullptr)
    , m_window(owner->window())
    , m_focusBefore(QApplication::focusWidget())
    , m_placement(placement) {
    m_scrim = new Scrim(m_window);
    m_scrim->hide();
    setParent(m_scrim, Qt::Widget);
    m_window->installEventFilter(this);
}

OverlayDialog::~OverlayDialog() = default;

OverlayDialog* OverlayDialog::openOver(const QWidget* window) {
    const auto dialogs = window->findChildren<OverlayDialog*>();
    for (OverlayDialog* dialog : dialogs) {
        if (dialog->isVisible())
            return dialog;
    }
    return nullptr;
}

void OverlayDialog::open() {
    setResult(0);
    m_scrim->setGeometry(m_window->rect());
    m_scrim->show();
    m_scrim->raise();
    place();
    show();
    // A first child with focus would be chosen by show(); who wants another one has set it before.
    if (QWidget* wanted = focusWidget())
        wanted->setFocus(Qt::OtherFocusReason);
    else
        setFocus(Qt::OtherFocusReason);
}

void OverlayDialog::place() {
    adjustSize();
    const QSize room = m_scrim->size() - QSize(32, 32);
    resize(size().boundedTo(room));
    const int x = (m_scrim->width() - width()) / 2;
    const int middle = (m_scrim->height() - height()) * 45 / 100;
    const int y = m_placement == Placement::Center ? middle : std::min(middle, scaled(64));
    move(std::max(16, x), std::max(16, y));
}

void OverlayDialog::setBar(bool production) {
    m_production = production;
    update();
}

bool OverlayDialog::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        // Taken here, so that it is not looked up among the window's shortcuts and comes back as a key press.
        event->accept();
        return true;
    }
    if (event->type() == QEvent::LayoutRequest && isVisible()) {
        const bool handled = QDialog::event(event);
        place();
        return handled;
    }
    return QDialog::event(event);
}

bool OverlayDialog::focusNextPrevChild(bool next) {
    QWidget* const start = QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : this;
    QWidget* widget = start;
    do {
        widget = next ? widget->nextInFocusChain() : widget->previousInFocusChain();
        const bool reachable = isAncestorOf(widget) && widget->isVisibleTo(this) && widget->isEnabled()
            && (widget->focusPolicy() & Qt::TabFocus) == Qt::TabFocus && widget->focusProxy() == nullptr;
        if (reachable) {
            widget->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
            return true;
        }
    } while (widget != start);
    return true;
}

bool OverlayDialog::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_window && event->type() == QEvent::Resize && m_scrim != nullptr
        && m_scrim->isVisible()) {
        m_scrim->setGeometry(m_window->rect());
        place();
    }
    return QDialog::eventFilter(watched, event);
}

void OverlayDialog::paintEvent(QPaintEvent*) {
    const Theme& theme = themeOf(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath outline;
    outline.addRoundedRect(QRectF(rect()), radius, radius);
    painter.fillPath(outline, theme.color(ColorRole::Raised));
    if (m_production) {
        painter.setClipPath(outline);
        painter.fillRect(QRect(0, 0, width(), 3), theme.color(ColorRole::Prod));
    } else {
        painter.setPen(theme.color(ColorRole::ControlBorder));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    }
}

void OverlayDialog::done(int result) {
    QDialog::done(result);
    if (m_scrim != nullptr) {
        m_scrim->hide();
        m_scrim->deleteLater(); // takes this dialog along
    }
    if (m_focusBefore != nullptr)
        m_focusBefore->setFocus(Qt::OtherFocusReason);
}

} // namespace yardmaster::ui

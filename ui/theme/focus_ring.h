// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>

class QFocusFrame;

namespace yardmaster::ui {

/// The ring round the control that has the focus, 2 px outside it (Qt draws focus inside the control). Shown
/// when the focus came by keyboard or program, not by a click. One for the application.
class FocusRing final : public QObject {
    Q_OBJECT
public:
    explicit FocusRing(QObject* parent);
    ~FocusRing() override;

    [[nodiscard]] bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QPointer<QFocusFrame> m_frame;
    bool m_byMouse = false;
};

} // namespace yardmaster::ui

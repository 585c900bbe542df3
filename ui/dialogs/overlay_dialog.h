// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QPointer>

namespace yardmaster::ui {

/// A dialog inside its window, over a dimmed page. It needs no window manager to place it, looks the same
/// everywhere and is in every picture of the window. Keyboard and mouse stay inside while it is open: the
/// window's shortcuts do nothing, Tab goes round, Escape cancels.
class OverlayDialog : public QDialog {
    Q_OBJECT
public:
    enum class Placement { Center, Top };

    /// Over the window `owner` is in; deletes itself when it is closed.
    explicit OverlayDialog(QWidget* owner, Placement placement = Placement::Center);
    ~OverlayDialog() override;

    /// Shows the scrim and the dialog. Not exec(): nothing waits in a nested event loop.
    void open() override;
    [[nodiscard]] QWidget* scrim() const { return m_scrim; }

    /// The dialog that is open over this window, or null.
    [[nodiscard]] static OverlayDialog* openOver(const QWidget* window);

protected:
    void setBar(bool production); ///< 3 px of `prod` along the top
    [[nodiscard]] bool event(QEvent* event) override;
    [[nodiscard]] bool focusNextPrevChild(bool next) override;
    [[nodiscard]] bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void done(int result) override;

private:
    void place();

    QPointer<QWidget> m_scrim;
    QPointer<QWidget> m_window;
    QPointer<QWidget> m_focusBefore;
    Placement m_placement;
    bool m_production = false;
};

} // namespace yardmaster::ui

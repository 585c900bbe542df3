// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/dialogs/overlay_dialog.h"
#include "ui/theme/controls.h"

#include <vector>

class QLineEdit;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace yardmaster::ui {

class TextLabel;

/// "Upgrade worker 3 on edge-fra-1?": what happens, from what to what, who is hit, deadlines, how to undo.
/// Cancel has the focus and nothing is the default button.
class ActionDialog final : public OverlayDialog {
    Q_OBJECT
public:
    struct HitRow {
        QString count, kind, fate;
    };

    ActionDialog(QWidget* owner, const QString& question, const QString& consequence, bool production);

    void addWarning(const QString& text);
    void addFromTo(
        const QString& from, const QString& fromDetail, const QString& to, const QString& toDetail);
    void addHits(const QString& heading, const std::vector<HitRow>& rows);
    /// A deadline in whole seconds with what happens when it passes.
    QSpinBox* addDeadline(const QString& name, int seconds, int maximumSeconds, const QString& then);
    /// The verb stays disabled until the word is typed; for what cannot be taken back.
    void setTypedConfirmation(const QString& word, const QString& purpose);
    void setUndo(const QString& text);
    void setVerb(const QString& verb, ButtonKind kind);

    [[nodiscard]] QPushButton* verbButton() const { return m_verb; }
    [[nodiscard]] QPushButton* cancelButton() const { return m_cancel; }
    [[nodiscard]] QLineEdit* confirmationField() const { return m_confirmation; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QVBoxLayout* m_content;
    QWidget* m_foot;
    TextLabel* m_undo;
    QPushButton* m_cancel;
    QPushButton* m_verb;
    QLineEdit* m_confirmation = nullptr;
};

} // namespace yardmaster::ui

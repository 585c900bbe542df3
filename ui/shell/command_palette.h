// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/dialogs/overlay_dialog.h"

#include <functional>
#include <vector>

class QListView;
class QStandardItemModel;

namespace yardmaster::ui {

class ConsoleSession;
class SearchField;

/// One line of the palette.
struct PaletteEntry {
    QString text, group, shortcut;
    QString reasonAgainst; ///< not empty: shown, but cannot be run
    std::function<void()> run;
};

/// How well a text matches what was typed; 0 is not at all. A prefix is better than the start of a word, that
/// better than somewhere inside, that better than the letters in order.
[[nodiscard]] int matchScore(const QString& text, const QString& typed);

/// Ctrl+K: everything that can be done or looked at, found by typing.
class CommandPalette final : public OverlayDialog {
    Q_OBJECT
public:
    CommandPalette(std::vector<PaletteEntry> entries, QWidget* owner);

    [[nodiscard]] QStringList shownTexts() const;

protected:
    [[nodiscard]] bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter();
    void runCurrent();

    std::vector<PaletteEntry> m_entries;
    SearchField* m_field;
    QStandardItemModel* m_model;
    QListView* m_list;
};

} // namespace yardmaster::ui

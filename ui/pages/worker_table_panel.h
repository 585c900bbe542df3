// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/page.h"

class QLineEdit;
class QPushButton;

namespace yardmaster::ui {

class GlyphLabel;
class Panel;
class TextLabel;
class WorkerTable;

/// The upper half of the Workers page: filter, counts by state, columns, export, the table, and what stands
/// in its place when it is empty.
class WorkerTablePanel final : public QWidget {
    Q_OBJECT
public:
    explicit WorkerTablePanel(const PageContext& context, QWidget* parent = nullptr);

    [[nodiscard]] WorkerTable* table() const { return m_table; }
    [[nodiscard]] QLineEdit* filter() const { return m_filter; }
    /// Counts, sparklines, empty states; at most twice a second.
    void refresh();
    [[nodiscard]] QString emptyText() const;

private:
    void makeHead();
    void makeEmptyState();
    void applyFilter();
    void placeEmptyState();
    void openColumnMenu(QWidget* button);
    void openExport();
    void openWorkerMenu(const QPoint& at);
    [[nodiscard]] bool eventFilter(QObject* watched, QEvent* event) override;

    PageContext m_context;
    Panel* m_panel;
    WorkerTable* m_table;
    QLineEdit* m_filter = nullptr;
    TextLabel* m_counts = nullptr;
    GlyphLabel* m_servingGlyph = nullptr;
    TextLabel* m_serving = nullptr;
    GlyphLabel* m_drainingGlyph = nullptr;
    TextLabel* m_draining = nullptr;
    QWidget* m_empty = nullptr;
    TextLabel* m_emptyText = nullptr;
    QPushButton* m_emptyAction = nullptr;
};

} // namespace yardmaster::ui

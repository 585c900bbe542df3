// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <vector>

class QStackedLayout;
class QTableView;
class QTimer;
class QToolButton;

namespace yardmaster::ui {

class ChartTableModel;
class ChartView;
class TextLabel;

/// A chart with its head: title, sub-title, the chart's own switches, Show as table, Export. The table stands
/// where the chart was.
class ChartSection final : public QWidget {
    Q_OBJECT
public:
    explicit ChartSection(ChartView* view, QWidget* parent = nullptr);

    [[nodiscard]] ChartView* view() const { return m_view; }
    void setTableShown(bool shown);
    [[nodiscard]] bool isTableShown() const;
    [[nodiscard]] QTableView* table() const { return m_table; }

public slots:
    void openExportDialog();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void updateHead();
    void makeTable();
    void updateTable();

    ChartView* m_view;
    TextLabel* m_title;
    TextLabel* m_subTitle;
    QToolButton* m_tableButton;
    QToolButton* m_exportButton;
    QStackedLayout* m_stack;
    QTableView* m_table = nullptr;
    ChartTableModel* m_model = nullptr;
    QTimer* m_tableTimer = nullptr;
};

/// A panel around one chart, or around several that share a time axis and stand under each other.
class ChartPanel final : public QWidget {
    Q_OBJECT
public:
    explicit ChartPanel(ChartView* view, QWidget* parent = nullptr);
    /// `stretches`: the heights relative to each other.
    ChartPanel(
        const std::vector<ChartView*>& views, const std::vector<int>& stretches, QWidget* parent = nullptr);

    [[nodiscard]] const std::vector<ChartSection*>& sections() const { return m_sections; }
    [[nodiscard]] ChartView* view() const;
    /// For all charts inside.
    void setActive(bool active);

private:
    std::vector<ChartSection*> m_sections;
};

} // namespace yardmaster::ui

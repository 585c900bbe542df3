// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

#include <optional>

namespace yardmaster::models {
class MetricsHistory;
class WorkerTableModel;
} // namespace yardmaster::models

namespace yardmaster::ui {

class WorkerDelegate;
class WorkerFilterModel;

/// The table of workers: sorted, filtered, rows hold still while the pointer is inside, columns go from the
/// right when there is little room. The selection belongs to a worker, not to a row, and goes to the
/// successor when the worker is replaced.
class WorkerTable final : public QTableView {
    Q_OBJECT
public:
    WorkerTable(
        models::WorkerTableModel* model, const models::MetricsHistory* history, QWidget* parent = nullptr);

    void setFilterText(const QString& text);
    [[nodiscard]] int shownRows() const;
    [[nodiscard]] std::optional<std::uint32_t> selectedWorker() const { return m_selected; }
    void selectWorker(std::optional<std::uint32_t> workerId);
    /// A column the user does not want; it may be hidden for lack of room all the same.
    void setColumnWanted(int column, bool wanted);
    [[nodiscard]] bool isColumnWanted(int column) const { return !m_unwanted.contains(column); }
    /// Sparklines; texts come with the model.
    void refreshRates();
    /// Rows in the order shown as CSV with raw numbers.
    [[nodiscard]] QByteArray toCsv() const;

    /// Of head and this many rows.
    [[nodiscard]] static int heightOf(int rows);

signals:
    void selectedWorkerChanged();
    void menuWanted(const QPoint& globalPosition);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void fitColumns();
    void takeSelection();
    void followReplacement();
    void setHoveredRow(int row);

    models::WorkerTableModel* m_model;
    const models::MetricsHistory* m_history;
    WorkerFilterModel* m_proxy;
    WorkerDelegate* m_delegate;
    std::optional<std::uint32_t> m_selected;
    std::optional<std::uint32_t> m_followed;
    QList<int> m_unwanted;
    bool m_selecting = false;
};

} // namespace yardmaster::ui

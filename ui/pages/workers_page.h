// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/page.h"

class QPushButton;
class QStackedWidget;
class QTimer;

namespace yardmaster::ui {

class ChartPanel;
class ConnectionsChart;
class JobStepsView;
class PageHeader;
class Panel;
class StartupChart;
class WorkerDetails;
class WorkerTablePanel;

/// All workers of the target, what can be done to them, and for the selected one its start, its upgrade or
/// details, and its connections.
class WorkersPage final : public Page {
    Q_OBJECT
public:
    explicit WorkersPage(const PageContext& context, QWidget* parent = nullptr);

    void setActive(bool active) override;
    [[nodiscard]] QWidget* filterField() override;
    [[nodiscard]] WorkerTablePanel* tablePanel() const { return m_tablePanel; }
    [[nodiscard]] JobStepsView* steps() const { return m_steps; }
    [[nodiscard]] WorkerDetails* details() const { return m_details; }
    /// Steps of the job, or details of the worker.
    void setStepsShown(bool steps);
    [[nodiscard]] bool areStepsShown() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeMiddlePanel();
    void fitTable();
    void refresh();
    void takeSelection();
    void updateMiddle();

    PageContext m_context;
    PageHeader* m_header;
    WorkerTablePanel* m_tablePanel;
    StartupChart* m_startup;
    ConnectionsChart* m_connections;
    ChartPanel* m_startupPanel;
    ChartPanel* m_connectionsPanel;
    Panel* m_middle = nullptr;
    QStackedWidget* m_middleStack = nullptr;
    JobStepsView* m_steps = nullptr;
    WorkerDetails* m_details = nullptr;
    QPushButton* m_swap = nullptr;
    QPushButton* m_abort = nullptr;
    QTimer* m_timer;
    quint64 m_shownJob = 0;
    quint64 m_announcedJob = 0;
    bool m_active = false;
};

} // namespace yardmaster::ui

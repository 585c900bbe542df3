// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/page.h"

class QTimer;

namespace yardmaster::ui {

class AttentionPanel;
class ChartPanel;
class EventListView;
class JobStepsView;
class PageHeader;
class Panel;
class RateChart;
class StatTile;
class TargetTable;
struct OverviewData;

/// Is all well, and if not, where to look: numbers, what needs attention, targets, traffic by version, the
/// newest job, the last events.
class OverviewPage final : public Page {
    Q_OBJECT
public:
    explicit OverviewPage(const PageContext& context, QWidget* parent = nullptr);

    void setActive(bool active) override;
    [[nodiscard]] const StatTile* rateTile() const { return m_rate; }
    [[nodiscard]] AttentionPanel* attentionPanel() const { return m_attention; }

private:
    void makeJobPanel();
    void refresh();
    void updateTiles(const OverviewData& data, bool stale);
    void updateTargets(const OverviewData& data, bool stale);
    void updateJob();

    PageContext m_context;
    PageHeader* m_header;
    StatTile* m_rate;
    StatTile* m_errors;
    StatTile* m_latency;
    StatTile* m_connections;
    AttentionPanel* m_attention;
    Panel* m_targetsPanel;
    TargetTable* m_targets;
    RateChart* m_chart;
    ChartPanel* m_chartPanel;
    Panel* m_jobPanel = nullptr;
    JobStepsView* m_steps = nullptr;
    Panel* m_eventsPanel;
    EventListView* m_events;
    QTimer* m_timer;
    bool m_active = false;
};

} // namespace yardmaster::ui

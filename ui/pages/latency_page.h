// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/page.h"

#include <optional>
#include <vector>

class QComboBox;
class QTimer;

namespace yardmaster::ui {

class ChartPanel;
class ChartView;
class ConnectionsChart;
class EventSpanModel;
class HeatmapChart;
class HistogramChart;
class PageHeader;
class Panel;
class PercentileChart;
class UpgradeComparison;

/// How long requests take: percentiles, heatmap and connections under one time axis; histogram, the last
/// upgrade's effect and the events of the range beside them.
class LatencyPage final : public Page {
    Q_OBJECT
public:
    explicit LatencyPage(const PageContext& context, QWidget* parent = nullptr);

    void setActive(bool active) override;
    /// All workers, or one slot.
    void setSlot(std::optional<std::uint32_t> slot);
    [[nodiscard]] std::optional<std::uint32_t> slot() const;

    [[nodiscard]] const std::vector<ChartView*>& charts() const { return m_charts; }
    [[nodiscard]] PercentileChart* percentiles() const { return m_percentiles; }
    [[nodiscard]] UpgradeComparison* comparison() const { return m_comparison; }
    void openExportDialog();

private:
    [[nodiscard]] QWidget* makeRightColumn();
    void addActions();
    void updateWorkers();
    void updateTexts();
    void chooseSlot();

    PageContext m_context;
    PageHeader* m_header;
    QComboBox* m_workers;
    PercentileChart* m_percentiles;
    HeatmapChart* m_heatmap;
    ConnectionsChart* m_connections;
    HistogramChart* m_histogram;
    ChartPanel* m_timePanel;
    ChartPanel* m_histogramPanel = nullptr;
    UpgradeComparison* m_comparison = nullptr;
    Panel* m_eventsPanel = nullptr;
    EventSpanModel* m_eventsInRange = nullptr;
    std::vector<ChartView*> m_charts;
    std::vector<std::uint32_t> m_slots; ///< as listed in the choice, after "All workers"
    QTimer* m_timer;
};

} // namespace yardmaster::ui

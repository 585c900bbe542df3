// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/time_chart.h"
#include "ui/charts/window_cache.h"

namespace yardmaster::ui {

/// Requests by time and latency. Colour goes with the logarithm of the count, or of the share of the column;
/// a cell without a request is not drawn.
class HeatmapChart final : public TimeChart {
    Q_OBJECT
public:
    enum class Scale { Count, PercentOfColumn };

    HeatmapChart(const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent = nullptr);
    ~HeatmapChart() override;

    void setScale(Scale scale);
    [[nodiscard]] Scale scale() const { return m_scale; }

    [[nodiscard]] QString id() const override { return QStringLiteral("latency_heatmap"); }
    [[nodiscard]] QString title() const override { return tr("Heatmap"); }
    [[nodiscard]] ChartTable table(models::TimeSpan span) const override;
    [[nodiscard]] std::function<ChartTable()> tableMaker(models::TimeSpan span) const override;
    [[nodiscard]] std::optional<metrics::Histogram> latencies(models::TimeSpan span) const override;
    [[nodiscard]] ChartMetadata metadata(models::TimeSpan span) const override;
    [[nodiscard]] std::unique_ptr<ChartView> twin(models::TimeCursor* time) const override;
    [[nodiscard]] QWidget* createHeadWidget(QWidget* parent) override;

    struct Cell {
        std::size_t column = 0, row = 0;
        double count = 0;
    };
    [[nodiscard]] const std::vector<Cell>& cells() const { return m_cells; }

signals:
    void scaleChanged();

protected:
    [[nodiscard]] Readout readoutAt(std::int64_t atNs) const override;
    [[nodiscard]] std::int64_t stepNs() const override { return m_windowNs; }
    void updateData(models::TimeSpan span) override;
    void slotChanged() override;

private:
    void buildCells();
    void drawCells(QPainter& painter);
    void drawScale(QPainter& painter);
    [[nodiscard]] double fractionOf(const Cell& cell) const;

    mutable WindowCache m_cache;
    std::vector<double> m_edgesUs; ///< rows are between neighbours
    std::vector<Cell> m_cells;
    std::vector<double> m_columnTotals;
    std::int64_t m_windowNs = 4'000'000'000;
    std::int64_t m_builtToNs = 0, m_builtFromNs = 0;
    double m_highest = 1; ///< top of the colour scale
    Scale m_scale = Scale::Count;
    bool m_rangeIsNew = true;
};

} // namespace yardmaster::ui

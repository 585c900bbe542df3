// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/time_chart.h"

namespace yardmaster::ui {

/// Areas on top of each other, from 0. The newest generation is a flat fill, older ones are hatched, so that
/// they differ without colour.
class StackChart : public TimeChart {
    Q_OBJECT
public:
    struct Layer {
        QString name; ///< short, at the end of the line: "v1.5.0"
        QString longName; ///< with the process: "v1.5.0, pid 51877"
        int age = 0; ///< 0 flat, 1 hatched, 2 and more hatched in gray
        std::vector<double> values; ///< not cumulated, one for each of times(); NaN is a gap
    };

    StackChart(const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent);
    ~StackChart() override;

    /// Lowest first.
    [[nodiscard]] const std::vector<Layer>& layers() const { return m_layers; }
    [[nodiscard]] const std::vector<std::int64_t>& times() const { return m_times; }

protected:
    void setStack(std::vector<std::int64_t> times, std::vector<Layer> layers, bool steps);
    [[nodiscard]] virtual QString valueText(double value) const;
    [[nodiscard]] Readout readoutAt(std::int64_t atNs) const override;
    void applyTheme() override;
    void slotChanged() override;
    [[nodiscard]] std::optional<std::size_t> indexAt(std::int64_t atNs) const;
    [[nodiscard]] QColor layerColor(const Layer& layer) const;

private:
    void drawStack(QPainter& painter);
    void drawNames(QPainter& painter);
    void drawLegendRow(QPainter& painter);
    void updateLabels();
    void setYRange();
    [[nodiscard]] std::vector<double> cumulated(std::size_t layer) const;

    std::vector<std::int64_t> m_times;
    std::vector<Layer> m_layers;
    std::vector<QString> m_lastValues; ///< of each layer, "–" when it is over
    double m_highest = 0;
    double m_yHigh = 0;
    bool m_steps = true;
    bool m_rangeIsNew = true;
};

} // namespace yardmaster::ui

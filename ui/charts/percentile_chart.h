// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/time_chart.h"
#include "ui/charts/window_cache.h"

#include <array>

class QCPGraph;

namespace yardmaster::ui {

/// p50, p90, p99, p99.9 and the maximum over time, with the requests of each window beneath: a percentile
/// without its count is noise. Every value is of the merged histogram of its window.
class PercentileChart final : public TimeChart {
    Q_OBJECT
public:
    PercentileChart(
        const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent = nullptr);
    ~PercentileChart() override;

    void setLogarithmic(bool logarithmic);
    [[nodiscard]] bool isLogarithmic() const { return m_logarithmic; }

    [[nodiscard]] QString id() const override { return QStringLiteral("latency_percentiles"); }
    [[nodiscard]] QString title() const override { return tr("Latency percentiles"); }
    [[nodiscard]] ChartTable table(models::TimeSpan span) const override;
    [[nodiscard]] std::optional<metrics::Histogram> latencies(models::TimeSpan span) const override;
    [[nodiscard]] ChartMetadata metadata(models::TimeSpan span) const override;
    [[nodiscard]] std::unique_ptr<ChartView> twin(models::TimeCursor* time) const override;
    [[nodiscard]] QWidget* createHeadWidget(QWidget* parent) override;

    /// (unix ns, us) as drawn, NaN where the line is broken. 0..4: p50, p90, p99, p99.9, max.
    [[nodiscard]] std::vector<std::pair<std::int64_t, double>> shownSeries(int index) const;
    [[nodiscard]] std::int64_t windowNs() const { return m_windowNs; }

signals:
    void logarithmicChanged(bool logarithmic);

protected:
    [[nodiscard]] Readout readoutAt(std::int64_t atNs) const override;
    [[nodiscard]] std::int64_t stepNs() const override { return m_windowNs; }
    void updateData(models::TimeSpan span) override;
    void applyTheme() override;
    void slotChanged() override;

private:
    void setYRange();
    void updateTexts(models::TimeSpan span);
    void drawMaxima(QPainter& painter);
    void drawCounts(QPainter& painter);

    mutable WindowCache m_cache;
    std::array<QCPGraph*, 4> m_graphs{};
    QCPAxisRect* m_strip = nullptr;
    std::int64_t m_windowNs = 2'000'000'000;
    double m_yLow = 0, m_yHigh = 0, m_countHigh = 0;
    bool m_logarithmic = true;
    bool m_rangeIsNew = true;
};

} // namespace yardmaster::ui

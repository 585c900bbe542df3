// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/chart_view.h"

#include <array>

class QCustomPlot;

namespace yardmaster::ui {

/// How many requests of the range took how long; both axes logarithmic, percentiles as lines.
class HistogramChart final : public ChartView {
    Q_OBJECT
public:
    HistogramChart(
        const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent = nullptr);
    ~HistogramChart() override;

    [[nodiscard]] QString id() const override { return QStringLiteral("latency_histogram"); }
    [[nodiscard]] QString title() const override { return tr("Histogram"); }
    [[nodiscard]] ChartTable table(models::TimeSpan span) const override;
    [[nodiscard]] std::optional<metrics::Histogram> latencies(models::TimeSpan span) const override;
    [[nodiscard]] ChartMetadata metadata(models::TimeSpan span) const override;
    [[nodiscard]] std::unique_ptr<ChartView> twin(models::TimeCursor* time) const override;
    void render(QCPPainter& painter, QSize size) override;
    [[nodiscard]] QSize minimumSizeHint() const override;

    struct Bar {
        double fromUs = 0, toUs = 0;
        std::uint64_t count = 0;
    };
    [[nodiscard]] const std::vector<Bar>& bars() const { return m_bars; }

protected:
    void rebuild() override;
    void applyTheme() override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildBars(const metrics::Histogram& merged);
    void drawBars(QPainter& painter);

    QCustomPlot* m_plot;
    std::vector<Bar> m_bars;
    std::array<double, 4> m_percentilesUs{};
    std::uint64_t m_count = 0;
    std::optional<std::size_t> m_hovered;
    qint64 m_mergedAtMs = 0;
    bool m_coloursChanged = true;
    models::TimeSpan m_mergedSpan;
    std::optional<std::uint32_t> m_mergedSlot;
};

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/stack_chart.h"

namespace yardmaster::ui {

/// Requests/s of all workers, stacked by version.
class RateChart final : public StackChart {
    Q_OBJECT
public:
    RateChart(const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent = nullptr);

    [[nodiscard]] QString id() const override { return QStringLiteral("request_rate"); }
    [[nodiscard]] QString title() const override { return tr("Requests/s by version"); }
    [[nodiscard]] bool filtersBySlot() const override { return false; }
    [[nodiscard]] ChartTable table(models::TimeSpan span) const override;
    [[nodiscard]] ChartMetadata metadata(models::TimeSpan span) const override;
    [[nodiscard]] std::unique_ptr<ChartView> twin(models::TimeCursor* time) const override;

protected:
    void updateData(models::TimeSpan span) override;
    [[nodiscard]] std::int64_t stepNs() const override { return m_windowNs; }

private:
    std::int64_t m_windowNs = 2'000'000'000;
    models::TimeSpan m_taken;
};

} // namespace yardmaster::ui

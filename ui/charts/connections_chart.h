// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/stack_chart.h"

namespace yardmaster::ui {

/// Open connections, stacked by generation of the worker (one slot) or of all workers together, so that a
/// drain is seen. Steps, never smoothed.
class ConnectionsChart final : public StackChart {
    Q_OBJECT
public:
    ConnectionsChart(
        const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent = nullptr);

    [[nodiscard]] QString id() const override { return QStringLiteral("connections"); }
    [[nodiscard]] QString title() const override;
    [[nodiscard]] ChartTable table(models::TimeSpan span) const override;
    [[nodiscard]] ChartMetadata metadata(models::TimeSpan span) const override;
    [[nodiscard]] std::unique_ptr<ChartView> twin(models::TimeCursor* time) const override;

protected:
    void updateData(models::TimeSpan span) override;
};

} // namespace yardmaster::ui

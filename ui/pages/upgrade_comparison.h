// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/metrics_history.h"

#include <QAbstractTableModel>
#include <QWidget>

#include <array>
#include <optional>

namespace yardmaster::ui {

class Panel;

/// Latencies of the range, and of 60 s before and after its last upgrade. Percentiles are of the merged
/// histograms of each time.
class UpgradeComparisonModel final : public QAbstractTableModel {
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(UpgradeComparisonModel)
public:
    enum Column : int { Name, Range, Before, After, Change, ColumnCount };
    enum Row : int { P50, P90, P99, P999, Max, Count, RowCount };

    struct Upgrade {
        std::int64_t atNs = 0; ///< the new worker was ready
        QString fromVersion, toVersion;
        std::uint32_t slot = 0;
    };

    explicit UpgradeComparisonModel(QObject* parent = nullptr);

    void update(
        const models::MetricsHistory& history, models::TimeSpan span, std::optional<std::uint32_t> slot);
    [[nodiscard]] const std::optional<Upgrade>& upgrade() const { return m_upgrade; }
    /// Seconds that were recorded of each side, at most 60.
    [[nodiscard]] double secondsBefore() const { return m_secondsBefore; }
    [[nodiscard]] double secondsAfter() const { return m_secondsAfter; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    /// In microseconds, the last one a count; nothing without a request.
    using Figures = std::array<std::optional<double>, RowCount>;
    [[nodiscard]] static Figures figuresOf(const metrics::Histogram& merged);
    [[nodiscard]] QString cellText(int row, int column) const;

    std::optional<Upgrade> m_upgrade;
    Figures m_range{}, m_before{}, m_after{};
    double m_secondsBefore = 0, m_secondsAfter = 0;
};

/// The panel with that table.
class UpgradeComparison final : public QWidget {
    Q_OBJECT
public:
    explicit UpgradeComparison(QWidget* parent = nullptr);

    void update(
        const models::MetricsHistory& history, models::TimeSpan span, std::optional<std::uint32_t> slot);
    [[nodiscard]] const UpgradeComparisonModel& model() const { return *m_model; }

private:
    Panel* m_panel;
    UpgradeComparisonModel* m_model;
};

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"
#include "ui/theme/theme.h"

#include <QHash>
#include <QStyledItemDelegate>

#include <vector>

namespace yardmaster::ui {

/// Paints one cell of the worker table: numbers with their units' rules, state with its glyph, requests/s
/// with a sparkline on one scale for the whole column.
class WorkerDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    /// The last minute of each worker and the top of the column's scale.
    void setRates(QHash<std::uint32_t, std::vector<double>> rates, double maximum);
    void setHoveredRow(int row) { m_hoveredRow = row; }
    [[nodiscard]] int hoveredRow() const { return m_hoveredRow; }

    void paint(
        QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QString displayText(const QVariant& value, const QLocale& locale) const override;

    /// The text of a cell as it is painted.
    [[nodiscard]] static QString cellText(const QModelIndex& index);
    static constexpr int rateSeconds = 60;

private:
    void paintRate(QPainter& painter, const QRect& cell, const control::WorkerInfo& worker,
        const QString& text, const QColor& ink, const Theme& theme) const;

    QHash<std::uint32_t, std::vector<double>> m_rates;
    double m_maximumRate = 1;
    int m_hoveredRow = -1;
};

/// Fill, selection, hover and the line under a row; what every table of the console has in common.
void paintRowBackground(
    QPainter& painter, const QStyleOptionViewItem& option, bool hovered, const Theme& theme);

} // namespace yardmaster::ui

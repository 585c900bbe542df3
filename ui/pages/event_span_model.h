// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/metrics_history.h"

#include <QSortFilterProxyModel>

namespace yardmaster::ui {

/// The events of a time range, newest first.
class EventSpanModel final : public QSortFilterProxyModel {
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setSpan(models::TimeSpan span);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    models::TimeSpan m_span;
};

} // namespace yardmaster::ui

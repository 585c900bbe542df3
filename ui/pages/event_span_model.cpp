// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/event_span_model.h"

#include "models/event_model.h"

namespace yardmaster::ui {

void EventSpanModel::setSpan(models::TimeSpan span) {
    if (span == m_span)
        return;
    m_span = span;
    invalidateFilter();
}

bool EventSpanModel::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const auto event =
        sourceModel()->index(row, 0, parent).data(models::EventModel::EventRole).value<control::Event>();
    // An event just now is in the range before the next sample moves the range on.
    return event.unixNs >= m_span.fromNs && event.unixNs < m_span.toNs + 1'000'000'000;
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/rate_chart.h"

#include "ui/charts/window_cache.h"
#include "ui/dialogs/worker_texts.h"
#include "ui/theme/format.h"

#include <QCollator>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace yardmaster::ui {

namespace {

std::int64_t firstAt(const models::RateSeries& series) {
    for (const auto& [atNs, rate] : series.points) {
        if (std::isfinite(rate) && rate > 0)
            return atNs;
    }
    return std::numeric_limits<std::int64_t>::min();
}

/// Newest first: what began last, or else has the higher version.
void sortByAge(std::vector<models::RateSeries>& all) {
    QCollator collator;
    collator.setNumericMode(true);
    std::stable_sort(all.begin(), all.end(), [&collator](const auto& a, const auto& b) {
        const std::int64_t beganA = firstAt(a), beganB = firstAt(b);
        return beganA != beganB ? beganA > beganB : collator.compare(a.label, b.label) > 0;
    });
}

} // namespace

RateChart::RateChart(const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent)
    : StackChart(history, time, parent) {
    setSubTitle(tr("all workers, stacked"));
}

void RateChart::updateData(models::TimeSpan span) {
    m_windowNs = windowLengthNs(span, history().recorded());
    // Only whole windows, and only when there is a new one: half of a window would be half of the rate.
    const std::int64_t to = std::min(span.toNs, recordedSpan().toNs) / m_windowNs * m_windowNs;
    const std::int64_t first = std::max(span.fromNs, recordedSpan().fromNs);
    const models::TimeSpan wanted{(first + m_windowNs - 1) / m_windowNs * m_windowNs, to};
    if (wanted == m_taken && !layers().empty())
        return;
    m_taken = wanted;
    std::vector<models::RateSeries> all;
    if (wanted.toNs > wanted.fromNs)
        all = history().ratesByVersion(wanted, m_windowNs);
    std::erase_if(all, [](const models::RateSeries& series) {
        return std::none_of(series.points.begin(), series.points.end(),
            [](const auto& point) { return std::isfinite(point.second); });
    });
    sortByAge(all);

    std::map<std::int64_t, std::size_t> indexOf;
    std::vector<std::int64_t> times;
    for (const models::RateSeries& series : all) {
        for (const auto& [atNs, rate] : series.points) {
            if (atNs < wanted.toNs)
                indexOf.emplace(atNs, 0);
        }
    }
    for (auto& [atNs, index] : indexOf) {
        index = times.size();
        times.push_back(atNs);
    }
    std::vector<Layer> layers;
    for (std::size_t k = 0; k < all.size(); ++k) {
        Layer layer;
        layer.name = all[k].label.isEmpty() ? tr("requests") : versionText(all[k].label);
        layer.longName = layer.name;
        layer.age = static_cast<int>(std::min<std::size_t>(k, 2));
        layer.values.assign(times.size(), std::numeric_limits<double>::quiet_NaN());
        for (const auto& [atNs, rate] : all[k].points) {
            if (atNs < wanted.toNs)
                layer.values[indexOf[atNs]] = rate;
        }
        layers.push_back(std::move(layer));
    }
    setStack(std::move(times), std::move(layers), false);
}

ChartTable RateChart::table(models::TimeSpan span) const {
    using Kind = ChartColumn::Kind;
    ChartTable table;
    table.columns = {{QStringLiteral("time"), tr("Time"), {}, Kind::Time, true, 0},
        {QStringLiteral("version"), tr("Version"), {}, Kind::Text, true, 0},
        {QStringLiteral("requests_per_s"), tr("Requests/s"), {}, Kind::Real, false, 1}};
    for (const models::RateSeries& series :
        history().ratesByVersion(span, windowLengthNs(span, history().recorded()))) {
        for (const auto& [atNs, rate] : series.points)
            table.rows.push_back({QVariant::fromValue<qlonglong>(atNs), series.label,
                std::isfinite(rate) ? QVariant(rate) : QVariant()});
    }
    std::stable_sort(table.rows.begin(), table.rows.end(),
        [](const auto& a, const auto& b) { return a[0].toLongLong() < b[0].toLongLong(); });
    return table;
}

ChartMetadata RateChart::metadata(models::TimeSpan span) const {
    ChartMetadata result = StackChart::metadata(span);
    result.emplace_back(QStringLiteral("units"), QStringLiteral("requests per second"));
    result.emplace_back(QStringLiteral("window"), windowText(windowLengthNs(span, history().recorded())));
    return result;
}

std::unique_ptr<ChartView> RateChart::twin(models::TimeCursor* time) const {
    auto result = std::make_unique<RateChart>(&history(), time);
    copySettingsTo(*result);
    return result;
}

} // namespace yardmaster::ui

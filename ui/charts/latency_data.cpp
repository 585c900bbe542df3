// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/latency_data.h"

#include <QCoreApplication>

#include <cmath>
#include <set>

namespace yardmaster::ui {

namespace {

using Kind = ChartColumn::Kind;

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(LatencyData)
};

QVariant cell(std::uint64_t value) {
    return QVariant::fromValue<qulonglong>(value);
}

QVariant milliseconds(double us) {
    return std::isfinite(us) ? QVariant(us / 1000) : QVariant();
}

ChartColumn timeColumn() {
    return {QStringLiteral("time"), Texts::tr("Time"), {}, Kind::Time, true, 0};
}

QString mergedOver(
    const models::MetricsHistory& history, models::TimeSpan span, std::optional<std::uint32_t> slot) {
    if (slot)
        return Texts::tr("worker %1").arg(*slot);
    std::set<std::uint32_t> workers;
    for (const models::ConnectionSeries& series : history.connections(span))
        workers.insert(series.slot ? series.slot : series.workerId);
    if (workers.empty())
        return Texts::tr("all workers");
    return workers.size() == 1 ? Texts::tr("merged over 1 worker")
                               : Texts::tr("merged over %1 workers").arg(workers.size());
}

} // namespace

QString latencySourceText(const models::MetricsHistory& history, models::TimeSpan span, std::int64_t windowNs,
    std::optional<std::uint32_t> slot) {
    return Texts::tr("%1, %2 windows, corrected for coordinated omission: no")
        .arg(mergedOver(history, span, slot), windowText(windowNs));
}

QString shortLatencySourceText(const models::MetricsHistory& history, models::TimeSpan span,
    std::int64_t windowNs, std::optional<std::uint32_t> slot) {
    return Texts::tr("%1, %2 windows, corrected for CO: no")
        .arg(mergedOver(history, span, slot), windowText(windowNs));
}

void addLatencyMetadata(ChartMetadata& metadata, const models::MetricsHistory& history, models::TimeSpan span,
    std::int64_t windowNs, std::optional<std::uint32_t> slot) {
    metadata.emplace_back(QStringLiteral("units"), QStringLiteral("ms; counts of requests"));
    metadata.emplace_back(QStringLiteral("window"), windowText(windowNs));
    metadata.emplace_back(QStringLiteral("percentile_source"),
        Texts::tr("histograms (HdrHistogram layout, error at most 1/128), %1; corrected for coordinated "
                  "omission: no")
            .arg(mergedOver(history, span, slot)));
}

ChartTable percentileTable(const models::MetricsHistory& history, models::TimeSpan span,
    std::int64_t windowNs, std::optional<std::uint32_t> slot) {
    const QString ms = QStringLiteral("ms");
    ChartTable table;
    table.columns.push_back(timeColumn());
    for (const char16_t* name : {u"p50", u"p90", u"p99", u"p99.9", u"max"}) {
        const QString title = QString::fromUtf16(name);
        QString key = title;
        table.columns.push_back({key.replace(u'.', u'_'), title, ms, Kind::Real, false, 2});
    }
    table.columns.push_back({QStringLiteral("requests"), Texts::tr("Requests"), {}, Kind::Integer, false, 0});
    table.columns.push_back({QStringLiteral("errors"), Texts::tr("Errors"), {}, Kind::Integer, false, 0});

    WindowCache windows(history);
    for (const LatencySummary& window : windows.windows(span, windowNs, slot)) {
        std::vector<QVariant> row{QVariant::fromValue<qlonglong>(window.span.fromNs)};
        for (const double us : {window.p50, window.p90, window.p99, window.p999, window.max})
            row.push_back(milliseconds(us));
        row.push_back(window.isGap ? QVariant() : cell(window.count));
        row.push_back(window.isGap ? QVariant() : cell(window.errors));
        table.rows.push_back(std::move(row));
    }
    return table;
}

ChartTable bucketTable(const metrics::Histogram& merged) {
    const QString us = QStringLiteral("us");
    ChartTable table;
    table.columns = {{QStringLiteral("from"), Texts::tr("From"), us, Kind::Integer, true, 0},
        {QStringLiteral("to"), Texts::tr("Below"), us, Kind::Integer, false, 0},
        {QStringLiteral("requests"), Texts::tr("Requests"), {}, Kind::Integer, false, 0},
        {QStringLiteral("percentile"), Texts::tr("Percentile"), {}, Kind::Real, false, 4}};
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < merged.buckets().size(); ++i) {
        const std::uint64_t count = merged.buckets()[i];
        if (count == 0)
            continue;
        sum += count;
        table.rows.push_back({cell(metrics::HistogramLayout::lowestUs(i)),
            cell(metrics::HistogramLayout::nextUs(i)), cell(count),
            QVariant(100.0 * static_cast<double>(sum) / static_cast<double>(merged.count()))});
    }
    return table;
}

ChartTable heatmapTable(const std::vector<LatencySummary>& windows) {
    const QString us = QStringLiteral("us");
    ChartTable table;
    table.columns = {timeColumn(), {QStringLiteral("from"), Texts::tr("From"), us, Kind::Integer, true, 0},
        {QStringLiteral("to"), Texts::tr("Below"), us, Kind::Integer, false, 0},
        {QStringLiteral("requests"), Texts::tr("Requests"), {}, Kind::Integer, false, 0}};
    for (const LatencySummary& window : windows) {
        if (!window.latency)
            continue;
        const auto buckets = window.latency->buckets();
        for (std::uint32_t i = 0; i < buckets.size(); ++i) {
            if (buckets[i] > 0)
                table.rows.push_back({QVariant::fromValue<qlonglong>(window.span.fromNs),
                    cell(metrics::HistogramLayout::lowestUs(i)), cell(metrics::HistogramLayout::nextUs(i)),
                    cell(buckets[i])});
        }
    }
    return table;
}

} // namespace yardmaster::ui

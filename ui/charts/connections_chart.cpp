// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/connections_chart.h"

#include "ui/dialogs/worker_texts.h"

#include <QCollator>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace yardmaster::ui {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t wantedPoints = 600;

/// What a series is at each of the times: the last value before, because a series has points only where it
/// changes; nothing before its first one and after its end.
std::vector<double> resampled(
    const models::ConnectionSeries& series, const std::vector<std::int64_t>& times, std::int64_t gridNs) {
    std::vector<double> values(times.size(), unknown);
    if (series.points.empty())
        return values;
    const auto& points = series.points;
    std::size_t at = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        // A grid step shows what was last known in it, so that the newest sample is seen at once.
        const std::int64_t until = times[i] + gridNs;
        if (points.front().first >= until)
            continue;
        while (at + 1 < points.size() && points[at + 1].first < until)
            ++at;
        // An older generation without connections is gone, or as good as.
        if (at + 1 == points.size() && series.age > 0 && points[at].second == 0)
            continue;
        values[i] = points[at].second;
    }
    return values;
}

using Layer = StackChart::Layer;

QString processText(const models::ConnectionSeries& series) {
    return ConnectionsChart::tr("pid %1").arg(series.pid);
}

void addTo(std::vector<double>& sums, const std::vector<double>& values) {
    if (sums.empty())
        sums.assign(values.size(), unknown);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i]))
            sums[i] = std::isfinite(sums[i]) ? sums[i] + values[i] : values[i];
    }
}

bool isEmpty(const Layer& layer) {
    return std::none_of(
        layer.values.begin(), layer.values.end(), [](double value) { return std::isfinite(value); });
}

/// Newest first, which is lowest in the stack; everything older than the previous one is one layer.
std::vector<Layer> layersOfSlot(const std::vector<models::ConnectionSeries>& all,
    const std::vector<std::int64_t>& times, std::int64_t gridNs) {
    std::map<int, Layer> byAge;
    std::map<QString, int> uses;
    for (const models::ConnectionSeries& series : all) {
        const int age = std::min(series.age, 2);
        const auto [found, isNew] = byAge.try_emplace(age);
        Layer& layer = found->second;
        layer.age = age;
        addTo(layer.values, resampled(series, times, gridNs));
        if (!isNew) {
            layer.name = layer.longName = ConnectionsChart::tr("older");
            continue;
        }
        layer.name = series.version.isEmpty() ? processText(series) : versionText(series.version);
        layer.longName =
            series.version.isEmpty() ? layer.name : layer.name + QStringLiteral(", ") + processText(series);
    }
    std::vector<Layer> layers;
    for (auto& [age, layer] : byAge) {
        if (isEmpty(layer))
            continue;
        ++uses[layer.name];
        layers.push_back(std::move(layer));
    }
    for (Layer& layer : layers) {
        // The same program started again has the same version: then the process names it.
        if (uses[layer.name] > 1 && layer.longName.contains(QStringLiteral(", ")))
            layer.name = layer.longName.section(QStringLiteral(", "), 1);
    }
    return layers;
}

/// By version when there is more than one, else by generation.
std::vector<Layer> layersOfAll(const std::vector<models::ConnectionSeries>& all,
    const std::vector<std::int64_t>& times, std::int64_t gridNs) {
    QCollator collator;
    collator.setNumericMode(true);
    const auto isNewer = [&collator](
                             const QString& a, const QString& b) { return collator.compare(a, b) > 0; };
    std::map<QString, Layer, decltype(isNewer)> byVersion(isNewer);
    std::map<int, Layer> byAge;
    for (const models::ConnectionSeries& series : all) {
        const std::vector<double> values = resampled(series, times, gridNs);
        addTo(byVersion[series.version].values, values);
        addTo(byAge[std::min(series.age, 2)].values, values);
    }
    std::erase_if(byVersion, [](const auto& entry) { return isEmpty(entry.second); });
    std::vector<Layer> layers;
    if (byVersion.size() > 1) {
        for (auto& [version, layer] : byVersion) {
            layer.name = layer.longName = versionText(version);
            layer.age = static_cast<int>(std::min<std::size_t>(layers.size(), 2));
            layers.push_back(std::move(layer));
        }
        return layers;
    }
    const std::array<QString, 3> names{
        ConnectionsChart::tr("current"), ConnectionsChart::tr("replaced"), ConnectionsChart::tr("older")};
    for (auto& [age, layer] : byAge) {
        if (isEmpty(layer))
            continue;
        layer.name = layer.longName = names[static_cast<std::size_t>(age)];
        layer.age = age;
        layers.push_back(std::move(layer));
    }
    return layers;
}

std::int64_t gridStep(models::TimeSpan span) {
    static constexpr std::array<std::int64_t, 12> stepsMs{
        100, 200, 500, 1000, 2000, 5000, 10'000, 20'000, 60'000, 120'000, 300'000, 600'000};
    const std::int64_t wanted = (span.toNs - span.fromNs) / wantedPoints / 1'000'000;
    const auto found =
        std::find_if(stepsMs.begin(), stepsMs.end(), [wanted](std::int64_t ms) { return ms >= wanted; });
    return (found == stepsMs.end() ? stepsMs.back() : *found) * 1'000'000;
}

} // namespace

ConnectionsChart::ConnectionsChart(
    const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent)
    : StackChart(history, time, parent) {
    setSubTitle(tr("by generation"));
}

QString ConnectionsChart::title() const {
    return slot() ? tr("Connections of worker %1").arg(*slot()) : tr("Connections");
}

void ConnectionsChart::updateData(models::TimeSpan span) {
    // One more than the half open span, for the sample at its end.
    const auto all = history().connections({span.fromNs, span.toNs + 1}, slot());
    const std::int64_t recordedTo = recordedSpan().toNs;
    // Steps of the grid stand at multiples of it, or the picture would shimmer as it moves.
    const std::int64_t step = gridStep(span);
    std::vector<std::int64_t> times;
    const std::int64_t first = (std::max(span.fromNs, recordedSpan().fromNs) / step) * step;
    for (std::int64_t at = first; at <= std::min(span.toNs, recordedTo); at += step)
        times.push_back(at);

    std::vector<Layer> layers = slot() ? layersOfSlot(all, times, step) : layersOfAll(all, times, step);
    if (layers.size() == 1)
        layers.front().age = 0; // with one generation only, it is the new one
    setStack(std::move(times), std::move(layers), true);
}

ChartTable ConnectionsChart::table(models::TimeSpan span) const {
    using Kind = ChartColumn::Kind;
    ChartTable table;
    table.columns = {{QStringLiteral("time"), tr("Time"), {}, Kind::Time, true, 0},
        {QStringLiteral("worker"), tr("Worker"), {}, Kind::Integer, true, 0},
        {QStringLiteral("slot"), tr("Slot"), {}, Kind::Integer, false, 0},
        {QStringLiteral("pid"), tr("PID"), {}, Kind::Text, false, 0},
        {QStringLiteral("version"), tr("Version"), {}, Kind::Text, false, 0},
        {QStringLiteral("generation"), tr("Generation"), {}, Kind::Integer, false, 0},
        {QStringLiteral("connections"), tr("Connections"), {}, Kind::Integer, false, 0}};
    for (const models::ConnectionSeries& series : history().connections(span, slot())) {
        for (const auto& [atNs, count] : series.points) {
            table.rows.push_back(
                {QVariant::fromValue<qlonglong>(atNs), QVariant::fromValue<qulonglong>(series.workerId),
                    QVariant::fromValue<qulonglong>(series.slot), QString::number(series.pid), series.version,
                    QVariant(series.age),
                    std::isfinite(count) ? QVariant::fromValue<qulonglong>(static_cast<qulonglong>(count))
                                         : QVariant()});
        }
    }
    std::stable_sort(table.rows.begin(), table.rows.end(),
        [](const auto& a, const auto& b) { return a[0].toLongLong() < b[0].toLongLong(); });
    return table;
}

ChartMetadata ConnectionsChart::metadata(models::TimeSpan span) const {
    ChartMetadata result = StackChart::metadata(span);
    result.emplace_back(QStringLiteral("units"), QStringLiteral("connections"));
    result.emplace_back(QStringLiteral("source"),
        tr("gauge of each worker process as sampled; generation 0 is the newest of its slot"));
    return result;
}

std::unique_ptr<ChartView> ConnectionsChart::twin(models::TimeCursor* time) const {
    auto result = std::make_unique<ConnectionsChart>(&history(), time);
    copySettingsTo(*result);
    return result;
}

} // namespace yardmaster::ui

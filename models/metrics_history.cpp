// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/metrics_history.h"

#include "models/history_tier.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <map>

namespace yardmaster::models {

namespace {

constexpr std::int64_t secondNs = 1'000'000'000;
constexpr std::int64_t keepConnectionsNs = 3600 * secondNs;
constexpr std::int64_t longestSampleNs = 2 * secondNs; ///< more between two snapshots is a gap
constexpr std::size_t mostStartups = 64;
constexpr std::size_t mostMarkers = 2000;
constexpr std::size_t rateSeconds = 180;
const double unknown = std::numeric_limits<double>::quiet_NaN();

std::optional<double> sinceSpawnMs(
    const control::StartupPhases& phases, const std::optional<std::int64_t>& stamp) {
    if (!phases.spawnNs || !stamp)
        return {};
    return static_cast<double>(*stamp - *phases.spawnNs) / 1e6;
}

std::optional<QString> markerText(const control::Event& event) {
    const QString id = event.workerId ? QString::number(*event.workerId) : QString();
    if (event.kind == QLatin1String("upgrade_started"))
        return event.workerId ? MetricsHistory::tr("upgrade %1").arg(id) : MetricsHistory::tr("upgrade all");
    if (event.kind == QLatin1String("worker_ready"))
        return MetricsHistory::tr("%1 ready").arg(id);
    if (event.kind == QLatin1String("worker_drained") || event.kind == QLatin1String("worker_stopped"))
        return MetricsHistory::tr("%1 drained").arg(id);
    if (event.kind == QLatin1String("worker_crashed"))
        return MetricsHistory::tr("%1 crashed").arg(id);
    if (event.kind == QLatin1String("worker_failed"))
        return MetricsHistory::tr("%1 not ready").arg(id);
    return {};
}

} // namespace

class MetricsHistory::Private {
public:
    struct Process {
        std::uint32_t slot = 0;
        std::int32_t pid = 0;
        QString version;
        bool isGone = false;
        std::deque<std::pair<std::int64_t, double>> connections;
        std::deque<std::pair<std::int64_t, double>> rates; ///< second, requests in it
    };

    // Finest first: each snapshot for 5 minutes, seconds for an hour, minutes for a day.
    std::array<HistoryTier, 3> tiers{HistoryTier(0, 300 * secondNs), HistoryTier(secondNs, 3600 * secondNs),
        HistoryTier(60 * secondNs, 86'400 * secondNs)};
    std::map<std::uint32_t, Process> processes;
    std::deque<Marker> markers;
    std::deque<Gap> gaps;
    std::deque<StartupRecord> startups; ///< newest first
    std::int64_t lastNs = 0;
    std::int64_t lostSinceNs = 0;

    [[nodiscard]] const HistoryTier& tierFor(TimeSpan span, std::int64_t windowNs) const;
    [[nodiscard]] int ageOf(std::uint32_t workerId, std::uint32_t slot) const;
    void noteConnections(const control::Snapshot& snapshot, bool afterGap);
    void noteStartup(const control::WorkerInfo& worker);
    void noteRate(Process& process, std::int64_t nowNs, std::uint64_t requests);
    void notePiece(const control::Snapshot& snapshot);
    template <typename Visit>
    void forEachCell(
        TimeSpan span, std::int64_t windowNs, std::optional<std::uint32_t> slot, Visit&& visit) const;
};

const HistoryTier& MetricsHistory::Private::tierFor(TimeSpan span, std::int64_t windowNs) const {
    // The coarsest whose pieces fit a window twice, among those that reach back as far as anything recorded
    // does.
    std::int64_t oldestNs = std::numeric_limits<std::int64_t>::max();
    for (const HistoryTier& tier : tiers) {
        if (!tier.pieces().empty())
            oldestNs = std::min(oldestNs, tier.pieces().front().span.fromNs);
    }
    const HistoryTier* best = nullptr;
    for (const HistoryTier& tier : tiers) {
        if (tier.reachesBackTo(std::max(span.fromNs, oldestNs)) && (!best || tier.pieceNs() * 2 <= windowNs))
            best = &tier;
    }
    if (!best)
        best = &tiers.back();
    return *best;
}

int MetricsHistory::Private::ageOf(std::uint32_t workerId, std::uint32_t slot) const {
    if (slot == 0)
        return 0;
    int newer = 0;
    for (const auto& [id, process] : processes)
        newer += process.slot == slot && id > workerId ? 1 : 0;
    return std::min(newer, 2);
}

template <typename Visit>
void MetricsHistory::Private::forEachCell(
    TimeSpan span, std::int64_t windowNs, std::optional<std::uint32_t> slot, Visit&& visit) const {
    const auto& pieces = tierFor(span, windowNs).pieces();
    auto piece = std::lower_bound(pieces.begin(), pieces.end(), span.fromNs,
        [](const HistoryPiece& candidate, std::int64_t fromNs) { return candidate.span.toNs <= fromNs; });
    for (; piece != pieces.end() && piece->span.toNs <= span.toNs; ++piece) {
        for (const HistoryCell& cell : piece->cells) {
            if (!slot || cell.slot == *slot)
                visit(*piece, cell);
        }
    }
}

void MetricsHistory::Private::noteRate(Process& process, std::int64_t nowNs, std::uint64_t requests) {
    const std::int64_t second = nowNs / secondNs;
    if (process.rates.empty() || process.rates.back().first != second)
        process.rates.emplace_back(second, 0.0);
    process.rates.back().second += static_cast<double>(requests);
    while (process.rates.size() > rateSeconds)
        process.rates.pop_front();
}

void MetricsHistory::Private::notePiece(const control::Snapshot& snapshot) {
    HistoryPiece piece;
    piece.span = {
        lastNs > 0 && snapshot.unixNs - lastNs <= longestSampleNs ? lastNs : snapshot.unixNs - secondNs / 10,
        snapshot.unixNs};
    for (const control::WorkerDelta& delta : snapshot.deltas) {
        Process& process = processes[delta.workerId];
        noteRate(process, snapshot.unixNs, delta.requests);
        HistoryCell cell;
        cell.workerId = delta.workerId;
        cell.slot = process.slot;
        cell.version = process.version;
        cell.requests = delta.requests;
        cell.errors = delta.errors;
        if (delta.latency)
            cell.latency.merge(*delta.latency);
        piece.cells.push_back(std::move(cell));
    }
    for (HistoryTier& tier : tiers)
        tier.append(piece);
}

void MetricsHistory::Private::noteConnections(const control::Snapshot& snapshot, bool afterGap) {
    for (auto& [id, process] : processes) {
        const auto worker = std::find_if(snapshot.workers.begin(), snapshot.workers.end(),
            [wanted = id](const control::WorkerInfo& candidate) { return candidate.id == wanted; });
        auto& points = process.connections;
        if (afterGap && !points.empty())
            points.emplace_back(lastNs, unknown);
        const bool lives = worker != snapshot.workers.end()
            && (worker->state == control::WorkerState::Serving
                || worker->state == control::WorkerState::Draining
                || worker->state == control::WorkerState::NotAnswering
                || worker->state == control::WorkerState::Starting);
        if (!lives) {
            if (!process.isGone && !points.empty())
                points.emplace_back(snapshot.unixNs, 0.0);
            process.isGone = true;
            continue;
        }
        process.isGone = false;
        if (!worker->connections)
            continue;
        const auto count = static_cast<double>(*worker->connections);
        if (points.empty() || points.back().second != count)
            points.emplace_back(snapshot.unixNs, count);
        // The point before the span says what it begins with, so one older than the limit stays.
        while (points.size() > 1 && points[1].first < snapshot.unixNs - keepConnectionsNs)
            points.pop_front();
    }
    std::erase_if(processes, [&](const auto& entry) {
        return entry.second.isGone && !entry.second.connections.empty()
            && entry.second.connections.back().first < snapshot.unixNs - keepConnectionsNs;
    });
}

void MetricsHistory::Private::noteStartup(const control::WorkerInfo& worker) {
    if (!worker.phases.spawnNs)
        return;
    auto known = std::find_if(startups.begin(), startups.end(), [&](const StartupRecord& record) {
        return record.workerId == worker.id && record.pid == worker.pid;
    });
    if (known == startups.end()) {
        const auto at = std::find_if(startups.begin(), startups.end(), [&](const StartupRecord& record) {
            return record.startedUnixNs <= worker.startedUnixNs.value_or(0);
        });
        if (at == startups.end() && startups.size() >= mostStartups)
            return; // older than all that are kept
        known = startups.insert(at, StartupRecord{});
        if (startups.size() > mostStartups)
            startups.pop_back();
    }
    known->workerId = worker.id;
    known->slot = worker.slot;
    known->pid = worker.pid;
    known->version = worker.version;
    known->startedUnixNs = worker.startedUnixNs.value_or(0);
    known->spawnedMs = sinceSpawnMs(worker.phases, worker.phases.spawnedNs);
    known->listenersMs = sinceSpawnMs(worker.phases, worker.phases.listenersNs);
    known->stateMs = sinceSpawnMs(worker.phases, worker.phases.stateNs);
    known->readyMs = sinceSpawnMs(worker.phases, worker.phases.readyNs);
    known->firstRequestMs = sinceSpawnMs(worker.phases, worker.phases.firstRequestNs);
}

MetricsHistory::MetricsHistory(QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>()) { }

MetricsHistory::~MetricsHistory() = default;

void MetricsHistory::apply(const control::Snapshot& snapshot) {
    const bool afterGap = d->lastNs > 0 && snapshot.unixNs - d->lastNs > longestSampleNs;
    if (afterGap && d->lostSinceNs == 0)
        d->gaps.push_back({{d->lastNs, snapshot.unixNs},
            tr("no samples for %n s", nullptr, static_cast<int>((snapshot.unixNs - d->lastNs) / secondNs))});
    if (d->lostSinceNs != 0) {
        d->gaps.push_back({{d->lostSinceNs, snapshot.unixNs},
            tr("link lost %n s", nullptr,
                static_cast<int>(std::max<std::int64_t>(1, (snapshot.unixNs - d->lostSinceNs) / secondNs)))});
        d->lostSinceNs = 0;
    }
    while (d->gaps.size() > mostMarkers)
        d->gaps.pop_front();
    for (const control::WorkerInfo& worker : snapshot.workers) {
        Private::Process& process = d->processes[worker.id];
        process.slot = worker.slot;
        process.pid = worker.pid;
        process.version = worker.version;
        d->noteStartup(worker);
    }
    d->notePiece(snapshot);
    d->noteConnections(snapshot, afterGap);
    for (const control::Event& event : snapshot.newEvents) {
        if (auto text = markerText(event))
            d->markers.push_back({event.unixNs, *text, event.severity});
    }
    while (d->markers.size() > mostMarkers)
        d->markers.pop_front();
    d->lastNs = snapshot.unixNs;
    emit changed();
}

void MetricsHistory::noteLink(const control::Link& link) {
    if (link.state == control::LinkState::Lost && d->lostSinceNs == 0 && d->lastNs > 0) {
        d->lostSinceNs = d->lastNs;
        for (auto& [id, process] : d->processes) {
            if (!process.isGone && !process.connections.empty())
                process.connections.emplace_back(d->lastNs, unknown);
        }
        emit changed();
    }
}

std::optional<TimeSpan> MetricsHistory::recorded() const {
    std::optional<TimeSpan> all;
    for (const HistoryTier& tier : d->tiers) {
        if (tier.pieces().empty())
            continue;
        const TimeSpan span{tier.pieces().front().span.fromNs, tier.pieces().back().span.toNs};
        all = all ? TimeSpan{std::min(all->fromNs, span.fromNs), std::max(all->toNs, span.toNs)} : span;
    }
    return all;
}

std::vector<LatencyWindow> MetricsHistory::windows(
    TimeSpan span, std::int64_t windowNs, std::optional<std::uint32_t> slot) const {
    std::vector<LatencyWindow> result;
    if (windowNs <= 0 || span.toNs <= span.fromNs)
        return result;
    const std::int64_t first = span.fromNs / windowNs;
    const std::int64_t last = (span.toNs + windowNs - 1) / windowNs;
    std::vector<std::shared_ptr<metrics::Histogram>> latencies(static_cast<std::size_t>(last - first));
    for (std::int64_t number = first; number < last; ++number) {
        LatencyWindow window;
        window.span = {number * windowNs, (number + 1) * windowNs};
        window.isGap = true;
        result.push_back(window);
    }
    d->forEachCell({first * windowNs, last * windowNs}, windowNs, slot,
        [&](const HistoryPiece& piece, const HistoryCell& cell) {
            const auto at = static_cast<std::size_t>(
                std::clamp<std::int64_t>((piece.span.toNs - 1) / windowNs, first, last - 1) - first);
            LatencyWindow& window = result[at];
            window.isGap = false;
            window.requests += cell.requests;
            window.errors += cell.errors;
            if (cell.latency.isEmpty())
                return;
            if (!latencies[at])
                latencies[at] = std::make_shared<metrics::Histogram>();
            cell.latency.addTo(*latencies[at]);
        });
    for (std::size_t at = 0; at < result.size(); ++at)
        result[at].latency = std::move(latencies[at]);
    return result;
}

metrics::Histogram MetricsHistory::merged(TimeSpan span, std::optional<std::uint32_t> slot) const {
    metrics::Histogram all;
    // Pieces much shorter than the span, or its ends would be off by a whole piece.
    d->forEachCell(span, (span.toNs - span.fromNs) / 100, slot,
        [&](const HistoryPiece&, const HistoryCell& cell) { cell.latency.addTo(all); });
    return all;
}

std::vector<ConnectionSeries> MetricsHistory::connections(
    TimeSpan span, std::optional<std::uint32_t> slot) const {
    std::vector<ConnectionSeries> result;
    for (const auto& [id, process] : d->processes) {
        if (slot && process.slot != *slot)
            continue;
        ConnectionSeries series;
        series.workerId = id;
        series.slot = process.slot;
        series.pid = process.pid;
        series.version = process.version;
        series.age = d->ageOf(id, process.slot);
        for (const auto& [atNs, count] : process.connections) {
            if (atNs >= span.toNs)
                break;
            // What held before the span is what it begins with.
            if (atNs <= span.fromNs)
                series.points.assign(1, {span.fromNs, count});
            else
                series.points.emplace_back(atNs, count);
        }
        const bool isNothing = std::all_of(series.points.begin(), series.points.end(),
            [](const auto& point) { return point.second == 0 || std::isnan(point.second); });
        if (series.points.empty() || (process.isGone && isNothing))
            continue;
        result.push_back(std::move(series));
    }
    return result;
}

std::vector<RateSeries> MetricsHistory::ratesByVersion(TimeSpan span, std::int64_t windowNs) const {
    std::vector<RateSeries> result;
    if (windowNs <= 0 || span.toNs <= span.fromNs)
        return result;
    const std::int64_t first = span.fromNs / windowNs;
    const std::int64_t last =
        std::max(first + 1, span.toNs / windowNs); // the window that runs is not complete yet
    const auto count = static_cast<std::size_t>(last - first);
    std::map<QString, std::vector<double>> byVersion;
    std::vector<bool> isRecorded(count, false);
    d->forEachCell({first * windowNs, last * windowNs}, windowNs, {},
        [&](const HistoryPiece& piece, const HistoryCell& cell) {
            const auto at = static_cast<std::size_t>(
                std::clamp<std::int64_t>((piece.span.toNs - 1) / windowNs, first, last - 1) - first);
            auto& sums = byVersion[cell.version];
            sums.resize(count, 0.0);
            sums[at] += static_cast<double>(cell.requests);
            isRecorded[at] = true;
        });
    for (const auto& [version, sums] : byVersion) {
        RateSeries series;
        series.label = version;
        for (std::size_t at = 0; at < count; ++at) {
            const std::int64_t middleNs = (first + static_cast<std::int64_t>(at)) * windowNs + windowNs / 2;
            series.points.emplace_back(middleNs,
                isRecorded[at] ? sums[at] * static_cast<double>(secondNs) / static_cast<double>(windowNs)
                               : unknown);
        }
        result.push_back(std::move(series));
    }
    return result;
}

std::vector<double> MetricsHistory::recentRates(std::uint32_t workerId, int count) const {
    std::vector<double> result(static_cast<std::size_t>(std::max(count, 0)), unknown);
    const auto process = d->processes.find(workerId);
    if (process == d->processes.end() || result.empty())
        return result;
    const std::int64_t lastComplete = d->lastNs / secondNs - 1;
    for (const auto& [second, requests] : process->second.rates) {
        const std::int64_t at = static_cast<std::int64_t>(result.size()) - 1 - (lastComplete - second);
        if (at >= 0 && at < static_cast<std::int64_t>(result.size()))
            result[static_cast<std::size_t>(at)] = requests;
    }
    return result;
}

std::vector<Marker> MetricsHistory::markers(TimeSpan span) const {
    std::vector<Marker> result;
    std::copy_if(d->markers.begin(), d->markers.end(), std::back_inserter(result),
        [&](const Marker& marker) { return marker.atNs >= span.fromNs && marker.atNs < span.toNs; });
    return result;
}

std::vector<Gap> MetricsHistory::gaps(TimeSpan span) const {
    std::vector<Gap> result;
    for (const Gap& gap : d->gaps) {
        if (gap.span.toNs > span.fromNs && gap.span.fromNs < span.toNs)
            result.push_back(gap);
    }
    if (d->lostSinceNs != 0 && d->lostSinceNs < span.toNs)
        result.push_back({{d->lostSinceNs, span.toNs}, tr("link lost")});
    return result;
}

std::vector<StartupRecord> MetricsHistory::startups() const {
    std::vector<StartupRecord> result(d->startups.begin(), d->startups.end());
    for (StartupRecord& record : result)
        record.age = d->ageOf(record.workerId, record.slot);
    return result;
}

} // namespace yardmaster::models

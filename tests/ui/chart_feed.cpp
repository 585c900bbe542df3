// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_feed.h"

#include <algorithm>
#include <cmath>

namespace yardmaster::tests {

namespace {

constexpr std::int64_t sampleNs = ChartFeed::second / 10;

control::StartupPhases phasesAt(double scale) {
    const auto ns = [scale](double ms) { return static_cast<std::int64_t>(ms * scale * 1e6) + 1; };
    return {1, ns(0.9), ns(1.6), ns(4.2), ns(5.1), ns(7.8)};
}

} // namespace

ChartFeed::ChartFeed() {
    for (std::uint32_t slot = 1; slot <= workerCount; ++slot) {
        Worker worker;
        worker.info.id = ++m_lastId;
        worker.info.slot = slot;
        worker.info.pid = 48'000 + static_cast<std::int32_t>(slot);
        worker.info.state = control::WorkerState::Serving;
        worker.info.version = QStringLiteral("1.4.1");
        worker.info.startedUnixNs = startNs - 60 * second;
        worker.info.phases = phasesAt(1 + 0.1 * slot);
        m_workers.push_back(worker);
    }
    control::Link link;
    link.state = control::LinkState::Connected;
    link.sinceUnixNs = startNs;
    history.noteLink(link);
}

void ChartFeed::run(double seconds) {
    const std::int64_t until = m_nowNs + std::llround(seconds * second);
    while (m_nowNs < until)
        sample();
}

void ChartFeed::loseLink(double seconds) {
    control::Link link;
    link.state = control::LinkState::Lost;
    link.sinceUnixNs = m_nowNs;
    link.reason = QStringLiteral("connection reset");
    history.noteLink(link);
    m_nowNs += std::llround(seconds * second);
    link.state = control::LinkState::Connected;
    link.sinceUnixNs = m_nowNs;
    link.reason.clear();
    history.noteLink(link);
}

void ChartFeed::upgrade(std::uint32_t slot) {
    const auto old = std::find_if(m_workers.begin(), m_workers.end(),
        [slot](const Worker& worker) { return worker.info.slot == slot && !worker.isDraining; });
    Worker next = *old;
    old->isDraining = true;
    old->info.state = control::WorkerState::Draining;
    next.info.id = ++m_lastId;
    next.info.pid += 1000;
    next.info.version = QStringLiteral("1.5.0");
    next.info.startedUnixNs = m_nowNs;
    next.info.replaces = old->info.id;
    next.connections = 20;
    old->info.replacedBy = next.info.id;
    control::Event event;
    event.sequence = ++m_eventSequence;
    event.unixNs = m_nowNs + 5'100'000;
    event.severity = control::EventSeverity::Ok;
    event.kind = QStringLiteral("worker_ready");
    event.text = QStringLiteral("Worker %1 ready").arg(slot);
    event.workerId = next.info.id;
    m_newEvents.push_back(event);
    m_workers.push_back(next);
}

void ChartFeed::sample() {
    m_nowNs += sampleNs;
    control::Snapshot snapshot;
    snapshot.sequence = ++m_sequence;
    snapshot.unixNs = m_nowNs;
    snapshot.target.name = QStringLiteral("edge-fra-1");
    snapshot.newEvents = std::exchange(m_newEvents, {});
    std::lognormal_distribution<double> latency(std::log(1800.0), 0.7);
    for (Worker& worker : m_workers) {
        if (worker.isDraining)
            worker.connections = worker.connections > 5 ? worker.connections - 5 : 0;
        else if (worker.info.version == u"1.5.0")
            worker.connections = std::min<std::uint64_t>(worker.connections + 4, 100);
        control::WorkerDelta delta;
        delta.workerId = worker.info.id;
        delta.connections = worker.connections;
        if (!worker.isDraining) {
            auto histogram = std::make_shared<metrics::Histogram>();
            for (std::uint64_t i = 0; i < requestsPerSample; ++i)
                histogram->record(static_cast<std::uint64_t>(latency(m_random)) + 50);
            delta.requests = requestsPerSample;
            delta.latency = std::move(histogram);
        }
        worker.info.connections = worker.connections;
        snapshot.workers.push_back(worker.info);
        snapshot.deltas.push_back(delta);
    }
    std::erase_if(
        m_workers, [](const Worker& worker) { return worker.isDraining && worker.connections == 0; });
    history.apply(snapshot);
    time.advance(m_nowNs);
}

} // namespace yardmaster::tests

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/sample_reader.h"

#include "backend/control/agent_mapping.h"

#include <algorithm>

namespace yardmaster::control {

namespace {

constexpr std::size_t keptEndedWorkers = 20;

bool hasEnded(const proto::WorkerSample& worker) {
    const proto::WorkerPhase phase = worker.detail().phase();
    return worker.last_of_dead() || phase == proto::PHASE_STOPPED || phase == proto::PHASE_CRASHED
        || phase == proto::PHASE_FAILED;
}

std::uint64_t grown(std::uint64_t from, std::uint64_t to) {
    return to >= from ? to - from : to; // it fell: the worker counts anew
}

} // namespace

void SampleReader::addDelta(const proto::WorkerSample& worker, std::int64_t atNs, Snapshot& snapshot) {
    const auto found = m_known.find(worker.id());
    const bool isNew = found == m_known.end();
    // One that ended before we listened adds nothing.
    if (isNew && hasEnded(worker) && (m_isFirst || m_ended.contains(worker.id())))
        return;
    Known& known = isNew ? m_known[worker.id()] : found->second;
    WorkerReading reading;
    reading.atNs = atNs;
    reading.requests = requestsOf(worker);
    reading.errors = errorsOf(worker);
    if (worker.detail().has_cpu_ns())
        reading.cpuNs = worker.detail().cpu_ns();
    known.history.add(reading);

    WorkerDelta delta;
    delta.workerId = worker.id();
    if (!isNew || !m_isFirst) {
        delta.requests = grown(known.requests, reading.requests);
        delta.errors = grown(known.errors, reading.errors);
    }
    constexpr int connections = static_cast<int>(metrics::Gauge::Connections);
    if (!hasEnded(worker) && connections < worker.gauges_size())
        delta.connections = worker.gauges(connections);
    delta.latency = histogramOf(worker.latency_delta());
    if (delta.latency)
        known.history.addLatency(atNs, *delta.latency);
    known.requests = reading.requests;
    known.errors = reading.errors;
    snapshot.deltas.push_back(std::move(delta));
}

Snapshot SampleReader::read(const proto::Sample& sample) {
    Snapshot snapshot;
    snapshot.unixNs = sample.unix_ns();
    snapshot.revision = sample.revision();
    std::map<std::uint32_t, WorkerInfo> living;
    for (const proto::WorkerSample& worker : sample.workers()) {
        addDelta(worker, sample.monotonic_ns(), snapshot);
        WorkerInfo info = workerInfoOf(worker);
        if (hasEnded(worker)) {
            m_ended[worker.id()] = std::move(info);
            continue;
        }
        m_known[worker.id()].history.fill(info);
        living[worker.id()] = std::move(info);
    }
    std::erase_if(m_known, [&living](const auto& entry) { return !living.contains(entry.first); });
    while (m_ended.size() > keptEndedWorkers)
        m_ended.erase(m_ended.begin());
    for (auto& [id, info] : living)
        snapshot.workers.push_back(std::move(info));
    for (const auto& [id, info] : m_ended)
        snapshot.workers.push_back(info);
    m_isFirst = false;
    return snapshot;
}

} // namespace yardmaster::control

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/sampler.h"

#include "backend/base/monotonic_clock.h"

#include <algorithm>

namespace yardmaster::agent {

namespace {

constexpr std::uint32_t standardIntervalMs = 100;
constexpr std::uint32_t shortestIntervalMs = 20;
constexpr std::uint32_t standardHistory = 200;

std::uint64_t load(const std::atomic<std::uint64_t>& cell) {
    return cell.load(std::memory_order_relaxed);
}

} // namespace

SampleStream::SampleStream(AgentParts& parts, const proto::SubscribeSamples& options, ClientSession& session)
    : QObject(&session)
    , m_parts(parts)
    , m_session(session) {
    const std::uint32_t history = options.has_history_events() ? options.history_events() : standardHistory;
    const std::uint64_t last = m_parts.events.lastSequence();
    m_lastEvent = last - std::min<std::uint64_t>(last, history);
    for (const Job* job : m_parts.jobs.jobs())
        m_changedJobs[job->id()] = job->progress();
    connect(&m_parts.jobs, &JobList::changed, this,
        [this](const proto::JobProgress& progress) { m_changedJobs[progress.job_id()] = progress; });

    // What happened before the subscription is no part of its first delta.
    for (Worker* worker : m_parts.pool.workers()) {
        proto::SparseHistogram before;
        m_windows[worker->id()].take(worker->page().layout().worker, before);
        m_clusters.read(*worker);
    }
    proto::Sample before;
    m_clusters.fill(before);

    connect(&m_timer, &QTimer::timeout, this, &SampleStream::sample);
    m_timer.setTimerType(Qt::PreciseTimer);
    const std::uint32_t intervalMs = options.has_interval_ms() ? options.interval_ms() : standardIntervalMs;
    m_timer.start(static_cast<int>(std::clamp(intervalMs, shortestIntervalMs, 3'600'000U)));
    sample();
}

void SampleStream::addWorker(Worker& worker, proto::Sample& sample) {
    const metrics::MetricsBlock& block = worker.page().layout().worker;
    proto::WorkerSample& entry = *sample.add_workers();
    entry.set_id(worker.id());
    entry.set_pid(worker.pid());
    *entry.mutable_detail() = worker.detail();
    for (const auto& counter : block.counters)
        entry.add_counters(load(counter));
    for (const auto& gauge : block.gauges)
        entry.add_gauges(load(gauge));
    proto::SparseHistogram delta;
    if (m_windows[worker.id()].take(block, delta))
        *entry.mutable_latency_delta() = std::move(delta);
}

void SampleStream::addWorkers(proto::Sample& sample) {
    for (Worker* worker : m_parts.pool.workers()) {
        if (!worker->isAlive() && m_endedSent.contains(worker->id()))
            continue;
        addWorker(*worker, sample);
        m_clusters.read(*worker);
        if (worker->isAlive())
            continue;
        sample.mutable_workers(sample.workers_size() - 1)->set_last_of_dead(true);
        m_endedSent.insert(worker->id());
        m_windows.erase(worker->id());
        m_clusters.forget(worker->id());
    }
}

void SampleStream::sample() {
    // A client that reads slowly gets fewer samples, and nothing of their content is lost: deltas go on from
    // the last one that was sent.
    if (m_session.isBehind())
        return;
    proto::Response response;
    response.set_status(proto::PROCESSING);
    response.set_message("sample");
    proto::Sample& sample = *response.mutable_content()->mutable_sample();
    sample.set_sequence(++m_sequence);
    sample.set_monotonic_ns(monotonicNowNs());
    sample.set_unix_ns(unixNowNs());
    sample.set_revision(m_parts.store.revision());
    addWorkers(sample);
    m_clusters.fill(sample);
    for (auto& [id, progress] : m_changedJobs)
        *sample.add_jobs() = std::move(progress);
    m_changedJobs.clear();
    for (proto::AgentEvent& event : m_parts.events.since(m_lastEvent, 1000)) {
        m_lastEvent = event.sequence();
        *sample.add_events() = std::move(event);
    }
    m_session.send(std::move(response));
}

void answerSubscribeSamples(
    AgentParts& parts, const proto::SubscribeSamples& options, const ReplyPtr& reply) {
    ClientSession* session = reply->session();
    if (!session)
        return;
    delete session->findChild<SampleStream*>();
    reply->becomeStream();
    new SampleStream(parts, options, *session);
}

} // namespace yardmaster::agent

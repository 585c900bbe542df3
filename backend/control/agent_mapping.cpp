// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/agent_mapping.h"

#include <algorithm>

namespace yardmaster::control {

namespace {

std::optional<std::int64_t> stamp(bool has, std::int64_t value) {
    return has ? std::optional(value) : std::nullopt;
}

WorkerState stateOf(proto::WorkerPhase phase) {
    switch (phase) {
    case proto::PHASE_STARTING:
        return WorkerState::Starting;
    case proto::PHASE_SERVING:
        return WorkerState::Serving;
    case proto::PHASE_DRAINING:
        return WorkerState::Draining;
    case proto::PHASE_STOPPED:
        return WorkerState::Stopped;
    case proto::PHASE_CRASHED:
        return WorkerState::Crashed;
    case proto::PHASE_FAILED:
        return WorkerState::Failed;
    default:
        return WorkerState::Unknown;
    }
}

StartupPhases phasesOf(const proto::StartupStamps& stamps) {
    StartupPhases phases;
    phases.spawnNs = stamp(stamps.has_spawn_ns(), stamps.spawn_ns());
    phases.spawnedNs = stamp(stamps.has_spawned_ns(), stamps.spawned_ns());
    phases.listenersNs = stamp(stamps.has_listeners_ns(), stamps.listeners_ns());
    phases.stateNs = stamp(stamps.has_state_ns(), stamps.state_ns());
    phases.readyNs = stamp(stamps.has_ready_ns(), stamps.ready_ns());
    phases.firstRequestNs = stamp(stamps.has_first_request_ns(), stamps.first_request_ns());
    return phases;
}

std::uint64_t counter(const proto::WorkerSample& sample, metrics::Counter which) {
    const int index = static_cast<int>(which);
    return index < sample.counters_size() ? sample.counters(index) : 0;
}

std::optional<std::uint64_t> gauge(const proto::WorkerSample& sample, metrics::Gauge which) {
    const int index = static_cast<int>(which);
    return index < sample.gauges_size() ? std::optional<std::uint64_t>(sample.gauges(index)) : std::nullopt;
}

StepState stepStateOf(proto::StepState state) {
    switch (state) {
    case proto::STEP_RUNNING:
        return StepState::Running;
    case proto::STEP_DONE:
        return StepState::Done;
    case proto::STEP_FAILED:
        return StepState::Failed;
    case proto::STEP_SKIPPED:
        return StepState::Skipped;
    default:
        return StepState::Waiting;
    }
}

} // namespace

QString text(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

Target targetOf(const proto::AgentIdentity& agent, const QString& endpoint) {
    Target target;
    target.name = agent.name().empty() ? endpoint : text(agent.name());
    target.system = QStringLiteral("Yardmaster agent");
    target.version = text(agent.version());
    target.production = agent.production();
    target.endpoint = endpoint;
    target.startedUnixNs = agent.started_unix_ns();
    return target;
}

Capabilities agentCapabilities() {
    Capabilities capabilities;
    capabilities.spawnWorker = capabilities.stopWorker = capabilities.upgradeWorker = true;
    capabilities.upgradeAll = capabilities.cancelJob = true;
    capabilities.startupPhases = capabilities.liveSamples = capabilities.drainReports = true;
    return capabilities;
}

DrainStatus drainOf(const proto::DrainReport& report) {
    DrainStatus drain;
    drain.openConnections = report.open_connections();
    drain.requestsInFlight = report.requests_in_flight();
    drain.drained = report.drained();
    drain.closedIdle = report.closed_idle();
    drain.cut = report.cut();
    drain.moved = report.moved();
    for (const std::string& straggler : report.stragglers())
        drain.stragglers.append(text(straggler));
    return drain;
}

WorkerInfo workerInfoOf(const proto::WorkerSample& sample) {
    const proto::WorkerDetail& detail = sample.detail();
    WorkerInfo info;
    info.id = sample.id();
    info.slot = detail.slot();
    info.pid = sample.pid();
    info.state = stateOf(detail.phase());
    info.version = text(detail.version());
    if (detail.has_revision())
        info.revision = detail.revision();
    if (detail.has_generation())
        info.generation = detail.generation();
    if (detail.has_started_unix_ns())
        info.startedUnixNs = detail.started_unix_ns();
    if (!sample.last_of_dead()) {
        // The gauges of an ended process are what it had at its end, not what is open now.
        info.connections = gauge(sample, metrics::Gauge::Connections);
        info.requestsInFlight = gauge(sample, metrics::Gauge::RequestsInFlight);
        if (detail.has_rss_bytes())
            info.rssBytes = detail.rss_bytes();
    }
    if (detail.has_replaces())
        info.replaces = detail.replaces();
    if (detail.has_replaced_by())
        info.replacedBy = detail.replaced_by();
    info.restarts = detail.restarts();
    info.lastExit = text(detail.last_exit().text());
    info.phases = phasesOf(detail.stamps());
    if (detail.has_drain())
        info.drain = drainOf(detail.drain());
    return info;
}

std::shared_ptr<const metrics::Histogram> histogramOf(const proto::SparseHistogram& sparse) {
    const int size = std::min(sparse.index_size(), sparse.count_size());
    if (size == 0)
        return nullptr;
    auto histogram = std::make_shared<metrics::Histogram>();
    for (int i = 0; i < size; ++i)
        if (sparse.index(i) < metrics::HistogramLayout::bucketCount)
            histogram->addBucket(sparse.index(i), sparse.count(i));
    histogram->noteMax(sparse.max_us());
    histogram->noteSum(sparse.sum_us());
    return histogram->count() > 0 ? histogram : nullptr;
}

Event eventOf(const proto::AgentEvent& event) {
    Event result;
    result.unixNs = event.unix_ns();
    switch (event.severity()) {
    case proto::SEVERITY_OK:
        result.severity = EventSeverity::Ok;
        break;
    case proto::SEVERITY_WARNING:
        result.severity = EventSeverity::Warning;
        break;
    case proto::SEVERITY_ERROR:
        result.severity = EventSeverity::Error;
        break;
    default:
        break;
    }
    result.kind = text(event.kind());
    result.text = text(event.text());
    if (event.has_worker_id())
        result.workerId = event.worker_id();
    if (event.has_pid())
        result.pid = event.pid();
    result.actor = text(event.actor());
    return result;
}

Job jobOf(const proto::JobProgress& progress, JobId id) {
    Job job;
    job.id = id;
    job.kind = text(progress.kind());
    job.title = text(progress.title());
    switch (progress.state()) {
    case proto::JOB_DONE:
        job.state = JobState::Done;
        break;
    case proto::JOB_FAILED:
        job.state = JobState::Failed;
        break;
    case proto::JOB_CANCELLED:
        job.state = JobState::Cancelled;
        break;
    default:
        job.state = JobState::Running;
        break;
    }
    for (const proto::JobStep& from : progress.steps()) {
        JobStep step;
        step.name = text(from.name());
        step.detail = text(from.detail());
        step.state = stepStateOf(from.state());
        step.startedUnixNs = stamp(from.has_started_unix_ns(), from.started_unix_ns());
        step.durationNs = stamp(from.has_duration_ns(), from.duration_ns());
        job.steps.push_back(std::move(step));
    }
    job.startedUnixNs = progress.started_unix_ns();
    job.endedUnixNs = stamp(progress.has_ended_unix_ns(), progress.ended_unix_ns());
    if (!progress.error().empty())
        job.error = Error{job.state == JobState::Cancelled ? Error::Code::Cancelled : Error::Code::Internal,
            progress.error(), {}, {}};
    if (progress.has_worker_id())
        job.workerId = progress.worker_id();
    if (progress.has_new_worker_id())
        job.newWorkerId = progress.new_worker_id();
    job.done = progress.done();
    job.total = progress.has_total() ? progress.total() : 1;
    if (progress.has_drain())
        job.drain = drainOf(progress.drain());
    return job;
}

std::uint64_t requestsOf(const proto::WorkerSample& sample) {
    return counter(sample, metrics::Counter::Requests);
}

std::uint64_t errorsOf(const proto::WorkerSample& sample) {
    return counter(sample, metrics::Counter::Responses5xx);
}

} // namespace yardmaster::control

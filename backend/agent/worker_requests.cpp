// SPDX-License-Identifier: GPL-3.0-or-later
//
// Requests about worker processes: list, status, and the jobs that start, replace and end them.
#include "backend/agent/request_router.h"
#include "backend/agent/upgrade_job.h"
#include "backend/agent/worker_jobs.h"

namespace yardmaster::agent {

namespace {

proto::RunState runState(const Worker& worker) {
    switch (worker.phase()) {
    case proto::PHASE_STARTING:
    case proto::PHASE_SERVING:
        return proto::RUNNING;
    case proto::PHASE_DRAINING:
        return proto::STOPPING;
    default:
        return proto::STOPPED;
    }
}

proto::ResponseContent jobContent(const Job& job) {
    proto::ResponseContent content;
    *content.mutable_job() = job.progress();
    return content;
}

/// Progress in words and steps to the one who asked, and the final answer by how the job ends.
void startFollowed(AgentParts& parts, std::unique_ptr<Job> job, const ReplyPtr& reply) {
    Job* followed = job.get();
    QObject::connect(followed, &Job::changed, followed, [followed, reply] {
        if (followed->isRunning())
            reply->processing(followed->progress().title(), jobContent(*followed));
    });
    QObject::connect(followed, &Job::finished, followed, [followed, reply] {
        const proto::JobProgress& progress = followed->progress();
        if (progress.state() == proto::JOB_DONE)
            reply->ok(progress.title() + ": done", jobContent(*followed));
        else
            reply->fail(progress.error().empty() ? progress.title() + " was cancelled" : progress.error(),
                jobContent(*followed));
    });
    parts.jobs.start(std::move(job));
}

proto::DrainOptions drainOptions(const AgentParts& parts, const proto::UpgradeOptions& options) {
    proto::DrainOptions drain = parts.standardDrain();
    if (options.has_drain_deadline_ms())
        drain.set_deadline_ms(options.drain_deadline_ms());
    if (options.has_drain_quiet_ms())
        drain.set_quiet_ms(options.drain_quiet_ms());
    return drain;
}

} // namespace

void fillWorkerInfos(const WorkerPool& pool, proto::WorkerInfos& infos) {
    for (const Worker* worker : pool.workers()) {
        proto::WorkerInfo& info = *infos.add_vec();
        info.set_id(worker->id());
        info.set_pid(worker->pid());
        info.set_run_state(runState(*worker));
        *info.mutable_detail() = worker->detail();
    }
}

void answerListWorkers(AgentParts& parts, const ReplyPtr& reply) {
    proto::ResponseContent content;
    fillWorkerInfos(parts.pool, *content.mutable_workers());
    reply->ok("Successfully listed workers", std::move(content));
}

void answerStatus(AgentParts& parts, const ReplyPtr& reply) {
    proto::Request request;
    request.mutable_status();
    askWorkers(parts.pool.living(), request, [&parts, reply](const WorkerAnswers& answers) {
        proto::ResponseContent content;
        fillWorkerInfos(parts.pool, *content.mutable_workers());
        for (proto::WorkerInfo& info : *content.mutable_workers()->mutable_vec()) {
            const auto answer = answers.find(info.id());
            if (info.run_state() == proto::RUNNING && answer != answers.end()
                && (!answer->second || answer->second->status() != proto::OK))
                info.set_run_state(proto::NOT_ANSWERING);
        }
        reply->ok("Successfully collected the status of workers", std::move(content));
    });
}

void answerUpgradeWorker(AgentParts& parts, std::uint32_t id, const ReplyPtr& reply) {
    // Sozu's own request: words only, no message that its clients do not know.
    auto job = std::make_unique<UpgradeJob>(
        parts.jobContext(), id, UpgradeJob::Options{0, parts.standardDrain()}, reply->actor());
    Job* followed = job.get();
    QObject::connect(
        followed, &Job::said, followed, [reply](const std::string& message) { reply->processing(message); });
    QObject::connect(followed, &Job::finished, followed, [followed, reply, id] {
        const proto::JobProgress& progress = followed->progress();
        if (progress.state() == proto::JOB_DONE)
            reply->ok("Upgrade successful: worker " + std::to_string(id) + " was replaced by worker "
                + std::to_string(progress.new_worker_id()));
        else
            reply->fail("Upgrade failed: " + progress.error());
    });
    parts.jobs.start(std::move(job));
}

void answerUpgradeWithOptions(
    AgentParts& parts, const proto::UpgradeOptions& options, const ReplyPtr& reply) {
    UpgradeJob::Options jobOptions{options.ready_deadline_ms(), drainOptions(parts, options)};
    if (options.has_id())
        startFollowed(parts,
            std::make_unique<UpgradeJob>(
                parts.jobContext(), options.id(), std::move(jobOptions), reply->actor()),
            reply);
    else
        startFollowed(parts,
            std::make_unique<UpgradeJob>(parts.jobContext(), std::move(jobOptions), reply->actor()), reply);
}

void answerSpawnWorker(AgentParts& parts, const proto::SpawnWorker& request, const ReplyPtr& reply) {
    startFollowed(parts,
        std::make_unique<SpawnJob>(parts.jobContext(), request.ready_deadline_ms(), reply->actor()), reply);
}

void answerStopWorker(AgentParts& parts, const proto::StopWorker& request, const ReplyPtr& reply) {
    if (!request.has_id()) {
        reply->fail("stop_worker names no worker");
        return;
    }
    proto::DrainOptions drain = parts.standardDrain();
    if (request.has_drain_deadline_ms())
        drain.set_deadline_ms(request.drain_deadline_ms());
    startFollowed(parts,
        std::make_unique<StopJob>(
            parts.jobContext(), request.id(), std::move(drain), request.hard(), reply->actor()),
        reply);
}

void answerCancelJob(AgentParts& parts, const proto::CancelJob& request, const ReplyPtr& reply) {
    if (auto cancelled = parts.jobs.cancel(request.job_id(), reply->actor()); !cancelled)
        reply->fail(cancelled.error());
    else
        reply->ok("job " + std::to_string(request.job_id()) + " is being cancelled");
}

void answerListJobs(AgentParts& parts, const ReplyPtr& reply) {
    proto::ResponseContent content;
    auto& list = *content.mutable_jobs();
    for (const Job* job : parts.jobs.jobs())
        *list.add_jobs() = job->progress();
    reply->ok({}, std::move(content));
}

void answerShutDown(AgentParts& parts, bool hard, const proto::DrainOptions* drain, const ReplyPtr& reply) {
    proto::DrainOptions options = parts.standardDrain();
    if (drain)
        options.MergeFrom(*drain);
    reply->processing(hard ? "Ending all workers" : "Draining all workers");
    parts.shutDown(hard, options, reply->actor(), [reply](Expected<void> result) {
        if (result)
            reply->ok("All workers have ended; the agent ends");
        else
            reply->fail(result.error());
    });
}

} // namespace yardmaster::agent

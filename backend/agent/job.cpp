// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/job.h"

#include "backend/base/monotonic_clock.h"

namespace yardmaster::agent {

namespace {

std::string counted(std::uint64_t number, const char* noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

} // namespace

std::string describeDrain(const proto::DrainReport& report) {
    std::string text = counted(report.open_connections(), "connection") + " open, "
        + counted(report.requests_in_flight(), "request") + " in flight";
    if (report.moved() > 0)
        text += ", " + std::to_string(report.moved()) + " moved";
    if (report.cut() > 0)
        text += ", " + std::to_string(report.cut()) + " cut at the deadline";
    return text;
}

Job::Job(Context context, std::string kind, std::string title, std::string actor)
    : m_context(context) {
    m_progress.set_kind(std::move(kind));
    m_progress.set_title(std::move(title));
    m_progress.set_actor(std::move(actor));
    m_progress.set_state(proto::JOB_RUNNING);
    m_progress.set_done(0);
    m_progress.set_total(1);
}

void Job::begin(std::uint64_t id) {
    m_progress.set_job_id(id);
    m_progress.set_started_unix_ns(unixNowNs());
    start();
    emit changed();
}

int Job::addStep(std::string name) {
    proto::JobStep& step = *m_progress.add_steps();
    step.set_name(std::move(name));
    step.set_state(proto::STEP_WAITING);
    return m_progress.steps_size() - 1;
}

void Job::stepRunning(int index, std::string detail) {
    proto::JobStep& step = *m_progress.mutable_steps(index);
    step.set_state(proto::STEP_RUNNING);
    step.set_started_unix_ns(unixNowNs());
    step.set_detail(std::move(detail));
    emit changed();
}

void Job::stepDone(int index, std::string detail, std::int64_t durationNs) {
    proto::JobStep& step = *m_progress.mutable_steps(index);
    step.set_state(proto::STEP_DONE);
    if (!step.has_started_unix_ns())
        step.set_started_unix_ns(unixNowNs() - (durationNs > 0 ? durationNs : 0));
    step.set_duration_ns(durationNs >= 0 ? durationNs : unixNowNs() - step.started_unix_ns());
    if (!detail.empty())
        step.set_detail(std::move(detail));
    emit changed();
}

void Job::stepFailed(int index, std::string detail) {
    proto::JobStep& step = *m_progress.mutable_steps(index);
    step.set_state(proto::STEP_FAILED);
    if (step.has_started_unix_ns())
        step.set_duration_ns(unixNowNs() - step.started_unix_ns());
    step.set_detail(std::move(detail));
    emit changed();
}

void Job::stepSkipped(int index, std::string detail) {
    proto::JobStep& step = *m_progress.mutable_steps(index);
    step.set_state(proto::STEP_SKIPPED);
    step.set_detail(std::move(detail));
    emit changed();
}

void Job::stepDetail(int index, std::string detail) {
    m_progress.mutable_steps(index)->set_detail(std::move(detail));
    emit changed();
}

void Job::finish(proto::JobState state, std::string error) {
    if (!isRunning())
        return;
    for (proto::JobStep& step : *m_progress.mutable_steps()) {
        if (step.state() == proto::STEP_RUNNING) {
            step.set_state(state == proto::JOB_DONE ? proto::STEP_DONE
                    : state == proto::JOB_FAILED    ? proto::STEP_FAILED
                                                    : proto::STEP_SKIPPED);
            step.set_duration_ns(unixNowNs() - step.started_unix_ns());
        } else if (step.state() == proto::STEP_WAITING) {
            step.set_state(proto::STEP_SKIPPED);
        }
    }
    m_progress.set_state(state);
    m_progress.set_ended_unix_ns(unixNowNs());
    if (!error.empty())
        m_progress.set_error(std::move(error));

    EventLog::Entry entry;
    entry.actor = m_progress.actor();
    if (m_progress.worker_id() != 0)
        entry.workerId = m_progress.worker_id();
    if (state == proto::JOB_DONE) {
        entry.severity = proto::SEVERITY_OK;
        entry.kind = m_progress.kind() + "_done";
        entry.text = m_progress.title() + ": done";
    } else if (state == proto::JOB_CANCELLED) {
        entry.severity = proto::SEVERITY_WARNING;
        entry.kind = m_progress.kind() + "_cancelled";
        entry.text = m_progress.title() + ": cancelled";
    } else {
        entry.severity = proto::SEVERITY_ERROR;
        entry.kind = m_progress.kind() + "_failed";
        entry.text = m_progress.title() + ": " + m_progress.error();
    }
    if (state == proto::JOB_DONE && m_progress.kind().starts_with("upgrade")) {
        entry.sozu.emplace();
        entry.sozu->set_kind(proto::WORKER_UPGRADED);
    }
    m_context.events.add(std::move(entry));
    emit changed();
    emit finished();
}

Expected<void> Job::claim(Worker& worker) {
    if (worker.busyWith() != 0 && worker.busyWith() != id())
        return failure(Error::Code::AlreadyExists,
            "worker " + std::to_string(worker.id()) + " is busy with job "
                + std::to_string(worker.busyWith()),
            {}, "wait for that job, or cancel it");
    worker.setBusyWith(id());
    return {};
}

void Job::release(Worker& worker) {
    if (worker.busyWith() == id())
        worker.setBusyWith(0);
}

} // namespace yardmaster::agent

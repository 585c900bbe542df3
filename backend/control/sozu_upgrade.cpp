// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/sozu_upgrade.h"

#include "backend/base/monotonic_clock.h"

#include <QRegularExpression>

namespace yardmaster::control {

namespace {
constexpr int firstAnswerMs = 15'000; ///< Sozu itself waits up to 10 s for its worker
constexpr int slackMs = 10'000;
} // namespace

SozuUpgrade::SozuUpgrade(
    TargetMemory& memory, const Action& action, std::vector<std::uint32_t> workers, QObject* parent)
    : QObject(parent)
    , m_memory(memory)
    , m_connection(memory.endpoint, this)
    , m_request(action.upgrade)
    , m_workers(std::move(workers))
    , m_job(newJob(action)) {
    m_job.total = static_cast<std::uint32_t>(m_workers.size());
}

void SozuUpgrade::begin() {
    m_memory.addEvent(EventSeverity::Info, QStringLiteral("upgrade_started"),
        m_job.title + QStringLiteral(" started"), m_job.workerId);
    if (m_workers.empty()) {
        finish(JobState::Failed, Error{Error::Code::NotFound, "no worker is running", "Sozu", {}});
        return;
    }
    next();
}

void SozuUpgrade::next() {
    if (m_current == m_workers.size()) {
        finish(JobState::Done, std::nullopt);
        return;
    }
    if (m_isCancelled) {
        finish(JobState::Cancelled,
            Error{Error::Code::Cancelled,
                "cancelled after " + std::to_string(m_current) + " of " + std::to_string(m_workers.size())
                    + " workers",
                {}, {}});
        return;
    }
    const std::uint32_t worker = m_workers[m_current];
    m_job.workerId = worker;
    m_job.newWorkerId.reset();
    addStep(QStringLiteral("Ask for the upgrade of worker %1").arg(worker));
    m_memory.jobs.put(m_job);
    proto::Request request;
    request.set_upgrade_worker(worker);
    // Sozu waits for the old worker without a limit, also for one that died meanwhile: the limit is ours.
    const std::int64_t totalMs =
        std::int64_t{m_request.readyDeadlineMs} + m_request.drainDeadlineMs + slackMs;
    m_connection.start(
        std::move(request),
        {firstAnswerMs, 0, static_cast<int>(std::min<std::int64_t>(totalMs, 1'000'000'000))},
        [this](const proto::Response& response) { onProgress(response); },
        [this](const Expected<proto::Response>& result) { onEnd(result); });
}

void SozuUpgrade::onProgress(const proto::Response& response) {
    const QString said = QString::fromStdString(response.message());
    static const QRegularExpression launched(QStringLiteral("new worker with id (\\d+)"));
    if (const auto match = launched.match(said); match.hasMatch())
        m_job.newWorkerId = match.captured(1).toUInt();
    endStep(StepState::Done);
    addStep(said);
    m_memory.jobs.put(m_job);
}

void SozuUpgrade::onEnd(const Expected<proto::Response>& result) {
    if (!result) {
        // Once asked, Sozu goes on whether we listen or not.
        finish(m_connection.wasSent() ? JobState::Unknown : JobState::Failed, result.error());
        return;
    }
    if (result->status() != proto::OK) {
        endStep(StepState::Failed);
        finish(JobState::Failed,
            Error{Error::Code::Internal, result->message(), "Sozu",
                "look at the list of workers: the old one may have given up its listeners already"});
        return;
    }
    endStep(StepState::Done);
    ++m_current;
    m_job.done = static_cast<std::uint32_t>(m_current);
    next();
}

void SozuUpgrade::cancel() {
    if (m_current + 1 < m_workers.size()) {
        m_isCancelled = true;
        return;
    }
    m_memory.addEvent(EventSeverity::Warning, QStringLiteral("cancel_refused"),
        QStringLiteral("Not cancelled: Sozu cannot take back an upgrade that it has begun"), m_job.workerId);
}

void SozuUpgrade::addStep(const QString& name) {
    JobStep step;
    step.name = name;
    step.state = StepState::Running;
    step.startedUnixNs = unixNowNs();
    m_job.steps.push_back(std::move(step));
}

void SozuUpgrade::endStep(StepState state) {
    if (m_job.steps.empty() || m_job.steps.back().state != StepState::Running)
        return;
    JobStep& step = m_job.steps.back();
    step.state = state;
    step.durationNs = unixNowNs() - *step.startedUnixNs;
}

void SozuUpgrade::finish(JobState state, std::optional<Error> error) {
    m_memory.jobs.put(m_job);
    m_memory.jobs.end(m_job.id, state, error);
    const QString title = m_job.title;
    if (state == JobState::Done)
        m_memory.addEvent(
            EventSeverity::Ok, QStringLiteral("upgrade_done"), title + QStringLiteral(": done"));
    else if (state == JobState::Cancelled)
        m_memory.addEvent(EventSeverity::Warning, QStringLiteral("upgrade_cancelled"),
            title + QStringLiteral(": cancelled"));
    else
        m_memory.addEvent(state == JobState::Unknown ? EventSeverity::Warning : EventSeverity::Error,
            state == JobState::Unknown ? QStringLiteral("upgrade_unknown") : QStringLiteral("upgrade_failed"),
            title + QStringLiteral(": ") + QString::fromStdString(error ? error->toString() : std::string()));
    emit finished();
}

} // namespace yardmaster::control

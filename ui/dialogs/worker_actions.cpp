// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/worker_actions.h"

#include "models/job_model.h"
#include "ui/commands/command_registry.h"
#include "ui/dialogs/action_dialog.h"
#include "ui/dialogs/worker_texts.h"
#include "ui/theme/format.h"

#include <QPushButton>
#include <QSpinBox>
#include <QWidget>

#include <algorithm>

namespace yardmaster::ui {

using control::Job;
using control::JobState;
using control::UpgradeRequest;
using control::WorkerInfo;
using control::WorkerState;

namespace {

constexpr int longestReadySeconds = 600;
constexpr int longestDrainSeconds = 24 * 3600;

const QString spawnId = QStringLiteral("worker.spawn");
const QString stopId = QStringLiteral("worker.stop");
const QString upgradeId = QStringLiteral("worker.upgrade");
const QString upgradeAllId = QStringLiteral("worker.upgrade_all");
const QString cancelId = QStringLiteral("job.cancel");

QString count(std::size_t value) {
    return format::number(static_cast<double>(value));
}

UpgradeRequest requestOf(const QSpinBox& ready, const QSpinBox& drain) {
    UpgradeRequest request;
    request.readyDeadlineMs = static_cast<std::uint32_t>(ready.value()) * 1000;
    request.drainDeadlineMs = static_cast<std::uint32_t>(drain.value()) * 1000;
    return request;
}

} // namespace

WorkerActions::WorkerActions(control::WorkerControl* control, models::JobModel* jobs,
    CommandRegistry* commands, QWidget* window, bool readOnly)
    : QObject(window)
    , m_control(control)
    , m_jobs(jobs)
    , m_commands(commands)
    , m_window(window)
    , m_readOnly(readOnly) {
    const QString group = tr("Worker");
    commands->add({spawnId, tr("Spawn worker…"), group, {}, Danger::Disruptive, tr("Start one more worker")},
        [this] { openSpawn(); });
    commands->add({upgradeId, tr("Upgrade worker…"), group, QKeySequence(tr("Ctrl+U")), Danger::Disruptive,
                      tr("Replace the selected worker by a new one without losing a request")},
        [this] {
            if (m_selected)
                openUpgrade(*m_selected);
        });
    commands->add({upgradeAllId, tr("Upgrade all workers…"), group, QKeySequence(tr("Ctrl+Shift+U")),
                      Danger::Disruptive, tr("Replace all workers, one after another")},
        [this] { openUpgradeAll(); });
    commands->add({stopId, tr("Stop worker…"), group, {}, Danger::Destructive,
                      tr("Drain the selected worker and end it")},
        [this] {
            if (m_selected)
                openStop(*m_selected);
        });
    commands->add(
        {cancelId, tr("Abort the running job…"), group, {}, Danger::Disruptive, tr("Stop what runs now")},
        [this] {
            const auto job = m_jobs->newest();
            if (job)
                openCancel(job->id);
        });
    update();
}

void WorkerActions::setSelectedWorker(std::optional<std::uint32_t> workerId) {
    if (m_selected == workerId)
        return;
    m_selected = workerId;
    update();
    emit selectedWorkerChanged();
}

std::optional<WorkerInfo> WorkerActions::worker(std::uint32_t workerId) const {
    const control::SnapshotPtr snapshot = m_control->latest();
    if (snapshot == nullptr)
        return {};
    const auto found = std::find_if(snapshot->workers.begin(), snapshot->workers.end(),
        [workerId](const WorkerInfo& info) { return info.id == workerId; });
    return found == snapshot->workers.end() ? std::nullopt : std::optional(*found);
}

std::optional<Job> WorkerActions::jobFor(std::optional<std::uint32_t> workerId) const {
    if (!workerId)
        return m_jobs->newest();
    for (int row = 0; row < m_jobs->rowCount(); ++row) {
        const auto id = m_jobs->index(row).data(models::JobModel::JobIdRole).toULongLong();
        const auto job = m_jobs->job(id);
        if (!job)
            continue;
        const bool aboutAll = !job->workerId && !job->newWorkerId;
        if (aboutAll || job->workerId == workerId || job->newWorkerId == workerId)
            return job;
    }
    return {};
}

QString WorkerActions::targetName() const {
    const control::SnapshotPtr snapshot = m_control->latest();
    return snapshot == nullptr ? QString() : snapshot->target.name;
}

bool WorkerActions::isProduction() const {
    const control::SnapshotPtr snapshot = m_control->latest();
    return snapshot != nullptr && snapshot->target.production;
}

bool WorkerActions::isUpgradeRunning() const {
    for (int row = 0; row < m_jobs->rowCount(); ++row) {
        const auto job = m_jobs->job(m_jobs->index(row).data(models::JobModel::JobIdRole).toULongLong());
        if (job && job->state == JobState::Running && job->kind.startsWith(u"upgrade"))
            return true;
    }
    return false;
}

QString WorkerActions::commonReason() const {
    if (m_readOnly)
        return tr("This session is read-only");
    switch (m_control->link().state) {
    case control::LinkState::Connecting:
        return tr("Not connected yet");
    case control::LinkState::Lost:
        return tr("The link is lost; actions are off until it is back");
    case control::LinkState::Connected:
        break;
    }
    if (m_control->latest() == nullptr)
        return tr("No data from the target yet");
    return {};
}

QString WorkerActions::reasonAgainst(const QString& commandId) const {
    if (const QString reason = commonReason(); !reason.isEmpty())
        return reason;
    const control::Capabilities& can = m_control->latest()->capabilities;
    const QString missing =
        can.reasonForMissing.isEmpty() ? tr("This target cannot do that") : can.reasonForMissing;
    if (commandId == spawnId)
        return can.spawnWorker ? QString() : missing;
    if (commandId == cancelId) {
        if (!can.cancelJob)
            return missing;
        return m_jobs->runningCount() > 0 ? QString() : tr("No job is running");
    }
    if (commandId == upgradeAllId) {
        if (!can.upgradeAll)
            return missing;
        if (isUpgradeRunning())
            return tr("An upgrade is running");
        return countServing(m_control->latest()->workers) > 0 ? QString() : tr("No worker is serving");
    }
    if (commandId == stopId ? !can.stopWorker : !can.upgradeWorker)
        return missing;
    if (!m_selected)
        return tr("Select a worker first");
    const auto info = worker(*m_selected);
    if (!info)
        return tr("The selected worker is gone");
    if (commandId == upgradeId && isUpgradeRunning())
        return tr("An upgrade is running");
    if (info->state == WorkerState::Draining)
        return tr("This worker is draining already");
    if (!isLiving(*info))
        return tr("This worker has ended");
    return {};
}

void WorkerActions::update() {
    for (const QString& id : {spawnId, stopId, upgradeId, upgradeAllId, cancelId})
        m_commands->setUnavailable(id, reasonAgainst(id));
}

void WorkerActions::addHitsOf(
    ActionDialog& dialog, const std::vector<WorkerInfo>& workers, int quietSeconds) const {
    std::optional<std::uint64_t> connections, inFlight;
    for (const WorkerInfo& info : workers) {
        if (info.connections)
            connections = connections.value_or(0) + *info.connections;
        if (info.requestsInFlight)
            inFlight = inFlight.value_or(0) + *info.requestsInFlight;
    }
    if (!connections) {
        dialog.addHits(tr("This target does not tell how many connections are open"), {});
        return;
    }
    const std::uint64_t busy = std::min(inFlight.value_or(0), *connections);
    std::vector<ActionDialog::HitRow> rows;
    if (inFlight)
        rows.push_back(
            {count(busy), tr("in a request"), tr("answered first, then closed with that response")});
    rows.push_back({count(*connections - busy), inFlight ? tr("idle keep-alive") : tr("open"),
        tr("closed with the next response, or after %1 s of quiet").arg(quietSeconds)});
    const QString heading = inFlight ? tr("%1 live connections are hit, %2")
                                           .arg(count(*connections),
                                               format::counted(static_cast<std::int64_t>(*inFlight),
                                                   tr("1 request in flight"), tr("%1 requests in flight")))
                                     : tr("%1 live connections are hit").arg(count(*connections));
    dialog.addHits(heading, rows);
}

void WorkerActions::start(control::JobId job) {
    update();
    emit jobStarted(job);
}

void WorkerActions::openUpgrade(std::uint32_t workerId) {
    const auto info = worker(workerId);
    setSelectedWorker(workerId);
    if (!info || !reasonAgainst(upgradeId).isEmpty())
        return;
    const control::SnapshotPtr snapshot = m_control->latest();
    const QString number = QString::number(workerNumber(*info));
    auto* dialog = new ActionDialog(m_window, tr("Upgrade worker %1 on %2?").arg(number, targetName()),
        tr("No request is lost. The old worker keeps serving until the new one is ready."), isProduction());
    if (!snapshot->capabilities.upgradeWarning.isEmpty())
        dialog->addWarning(snapshot->capabilities.upgradeWarning);
    dialog->addFromTo(versionText(info->version), tr("pid %1").arg(info->pid), tr("Installed version"),
        tr("new process, revision %1").arg(count(snapshot->revision)));
    const UpgradeRequest defaults;
    addHitsOf(*dialog, {*info}, static_cast<int>(defaults.drainQuietMs / 1000));
    const auto* ready =
        dialog->addDeadline(tr("Ready deadline"), static_cast<int>(defaults.readyDeadlineMs / 1000),
            longestReadySeconds, tr("then it is killed and the old worker stays"));
    const auto* drain =
        dialog->addDeadline(tr("Drain deadline"), static_cast<int>(defaults.drainDeadlineMs / 1000),
            longestDrainSeconds, tr("then what is still open is closed and listed"));
    dialog->setUndo(tr("To undo, install %1 again and upgrade back.").arg(versionText(info->version)));
    dialog->setVerb(tr("Upgrade worker %1").arg(number), ButtonKind::Primary);
    connect(dialog, &QDialog::accepted, this, [this, workerId, ready, drain] {
        if (commonReason().isEmpty())
            start(m_control->upgradeWorker(workerId, requestOf(*ready, *drain)));
    });
    dialog->open();
}

void WorkerActions::openUpgradeAll() {
    if (!reasonAgainst(upgradeAllId).isEmpty())
        return;
    const control::SnapshotPtr snapshot = m_control->latest();
    std::vector<WorkerInfo> serving;
    std::copy_if(snapshot->workers.begin(), snapshot->workers.end(), std::back_inserter(serving),
        [](const WorkerInfo& info) { return info.state == WorkerState::Serving; });
    QStringList versions;
    for (const WorkerInfo& info : serving)
        versions << versionText(info.version);
    versions.removeDuplicates();
    auto* dialog =
        new ActionDialog(m_window, tr("Upgrade all %1 on %2?").arg(workersText(serving.size()), targetName()),
            tr("One after another: no worker drains before its successor is ready. It stops at the first "
               "failure."),
            isProduction());
    if (!snapshot->capabilities.upgradeWarning.isEmpty())
        dialog->addWarning(snapshot->capabilities.upgradeWarning);
    dialog->addFromTo(versions.join(u", "), workersText(serving.size()), tr("Installed version"),
        tr("new processes, revision %1").arg(count(snapshot->revision)));
    const UpgradeRequest defaults;
    addHitsOf(*dialog, serving, static_cast<int>(defaults.drainQuietMs / 1000));
    const auto* ready =
        dialog->addDeadline(tr("Ready deadline"), static_cast<int>(defaults.readyDeadlineMs / 1000),
            longestReadySeconds, tr("for each; then it is killed and the upgrade stops"));
    const auto* drain =
        dialog->addDeadline(tr("Drain deadline"), static_cast<int>(defaults.drainDeadlineMs / 1000),
            longestDrainSeconds, tr("for each; then what is open is closed and listed"));
    dialog->setUndo(tr("Abort stops before the next worker."));
    dialog->setVerb(tr("Upgrade %1").arg(workersText(serving.size())), ButtonKind::Primary);
    connect(dialog, &QDialog::accepted, this, [this, ready, drain] {
        if (commonReason().isEmpty())
            start(m_control->upgradeAll(requestOf(*ready, *drain)));
    });
    dialog->open();
}

void WorkerActions::openStop(std::uint32_t workerId) {
    const auto info = worker(workerId);
    setSelectedWorker(workerId);
    if (!info || !reasonAgainst(stopId).isEmpty())
        return;
    const std::size_t serving = countServing(m_control->latest()->workers);
    const bool isLast = info->state == WorkerState::Serving && serving <= 1;
    const QString number = QString::number(workerNumber(*info));
    const std::size_t remaining = serving - (info->state == WorkerState::Serving ? 1 : 0);
    const QString others = format::counted(static_cast<std::int64_t>(remaining),
        tr("1 other worker serves on"), tr("%1 other workers serve on"));
    auto* dialog = new ActionDialog(m_window, tr("Stop worker %1 on %2?").arg(number, targetName()),
        isLast ? tr("It is the last worker that serves. New connections will wait or be refused.")
               : tr("It takes no new connection, finishes its requests and ends. %1.").arg(others),
        isProduction());
    dialog->addFromTo(stateText(*info), tr("%1, pid %2").arg(versionText(info->version)).arg(info->pid),
        tr("Stopped"), tr("no successor is started"));
    const UpgradeRequest defaults;
    addHitsOf(*dialog, {*info}, static_cast<int>(defaults.drainQuietMs / 1000));
    const auto* drain =
        dialog->addDeadline(tr("Drain deadline"), static_cast<int>(defaults.drainDeadlineMs / 1000),
            longestDrainSeconds, tr("then what is still open is closed and listed"));
    if (isLast)
        dialog->setTypedConfirmation(targetName(), tr("to stop its last serving worker"));
    dialog->setUndo(tr("To undo, spawn a worker."));
    dialog->setVerb(tr("Stop worker %1").arg(number), ButtonKind::DangerFilled);
    connect(dialog, &QDialog::accepted, this, [this, workerId, drain] {
        if (commonReason().isEmpty())
            start(m_control->stopWorker(workerId, static_cast<std::uint32_t>(drain->value()) * 1000));
    });
    dialog->open();
}

void WorkerActions::openSpawn() {
    if (!reasonAgainst(spawnId).isEmpty())
        return;
    const control::SnapshotPtr snapshot = m_control->latest();
    const std::size_t serving = countServing(snapshot->workers);
    auto* dialog = new ActionDialog(m_window, tr("Spawn a worker on %1?").arg(targetName()),
        tr("It shares the listeners of the others and takes connections as soon as it is ready."),
        isProduction());
    dialog->addFromTo(workersText(serving), tr("serving now"), workersText(serving + 1),
        tr("revision %1").arg(count(snapshot->revision)));
    dialog->setUndo(tr("To undo, stop that worker."));
    dialog->setVerb(tr("Spawn worker"), ButtonKind::Primary);
    connect(dialog, &QDialog::accepted, this, [this] {
        if (commonReason().isEmpty())
            start(m_control->spawnWorker());
    });
    dialog->open();
}

void WorkerActions::openCancel(control::JobId jobId) {
    const auto job = m_jobs->job(jobId);
    if (!job || job->state != JobState::Running || !reasonAgainst(cancelId).isEmpty())
        return;
    const int step = currentStep(*job);
    auto* dialog = new ActionDialog(m_window, tr("Abort “%1”?").arg(job->title),
        tr("A new worker that is not ready yet is killed and the old one stays. What has begun to drain "
           "drains on."),
        isProduction());
    dialog->addFromTo(step < 0 ? tr("Running") : job->steps[static_cast<std::size_t>(step)].name,
        tr("step %1 of %2").arg(step + 1).arg(job->steps.size()), tr("Aborted"),
        tr("no further worker is touched"));
    dialog->setVerb(tr("Abort"), ButtonKind::DangerFilled);
    dialog->cancelButton()->setText(tr("Go on"));
    connect(dialog, &QDialog::accepted, this, [this, jobId] {
        if (commonReason().isEmpty())
            m_control->cancelJob(jobId);
    });
    dialog->open();
}

} // namespace yardmaster::ui

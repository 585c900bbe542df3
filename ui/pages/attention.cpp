// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/attention.h"

#include "ui/dialogs/worker_texts.h"
#include "ui/theme/format.h"

#include <algorithm>

namespace yardmaster::ui {

using control::JobState;
using control::LinkState;
using control::WorkerInfo;
using control::WorkerState;

namespace {

int gravity(Glyph glyph) {
    switch (glyph) {
    case Glyph::Unknown:
        return 0;
    case Glyph::Crashed:
        return 1;
    case Glyph::NotAnswering:
        return 2;
    default:
        return 3;
    }
}

/// Null when the newest job did not fail: then an older failure is history.
const control::Job* newestFailedJob(const control::Snapshot& snapshot) {
    const auto newest = std::max_element(snapshot.jobs.begin(), snapshot.jobs.end(),
        [](const control::Job& a, const control::Job& b) { return a.startedUnixNs < b.startedUnixNs; });
    return newest != snapshot.jobs.end() && newest->state == JobState::Failed ? &*newest : nullptr;
}

} // namespace

void AttentionList::noteDrains(const control::Snapshot& snapshot) {
    std::map<std::uint32_t, std::int64_t> draining, bad;
    for (const WorkerInfo& worker : snapshot.workers) {
        const auto since = [&snapshot, &worker](const std::map<std::uint32_t, std::int64_t>& known) {
            const auto found = known.find(worker.id);
            return found == known.end() ? snapshot.unixNs : found->second;
        };
        if (worker.state == WorkerState::Draining)
            draining[worker.id] = since(m_drainingSinceNs);
        else if (worker.state != WorkerState::Serving && worker.state != WorkerState::Starting)
            bad[worker.id] = since(m_badSinceNs);
    }
    m_drainingSinceNs = std::move(draining);
    m_badSinceNs = std::move(bad);
}

void AttentionList::update(const control::SnapshotPtr& snapshot, const control::Link& link) {
    std::vector<AttentionItem> items;
    if (link.state == LinkState::Lost) {
        const QString reason = link.reason.isEmpty() ? QString() : QStringLiteral(": ") + link.reason;
        items.push_back({Glyph::Unknown, tr("Link lost, state unknown") + reason, link.sinceUnixNs, {}});
    }
    if (snapshot != nullptr) {
        noteDrains(*snapshot);
        const control::Job* failedJob = newestFailedJob(*snapshot);
        const std::uint32_t failedJobWorker =
            failedJob != nullptr && failedJob->newWorkerId ? *failedJob->newWorkerId : 0;
        for (const WorkerInfo& worker : snapshot->workers) {
            const QString name = tr("Worker %1").arg(workerName(worker));
            const QString exit =
                worker.lastExit.isEmpty() ? QString() : QStringLiteral(": ") + worker.lastExit;
            const auto found = m_badSinceNs.find(worker.id);
            const std::int64_t since = found == m_badSinceNs.end() ? 0 : found->second;
            // An ended worker whose successor serves is history, and the event list has it.
            const bool isReplaced = worker.replacedBy.has_value();
            if (worker.restarts >= crashLoopRestarts && isLiving(worker))
                items.push_back({Glyph::Warning,
                    tr("%1 was restarted %2 times").arg(name).arg(worker.restarts) + exit, 0, worker.id});
            if (worker.state == WorkerState::Crashed && !isReplaced)
                items.push_back({Glyph::Crashed, tr("%1 crashed").arg(name) + exit, since, worker.id});
            else if (worker.state == WorkerState::Failed && !isReplaced && worker.id != failedJobWorker)
                items.push_back({Glyph::Crashed, tr("%1 did not start").arg(name) + exit, since, worker.id});
            else if (worker.state == WorkerState::NotAnswering)
                items.push_back({Glyph::NotAnswering, tr("%1 does not answer").arg(name), since, worker.id});
            else if (worker.state == WorkerState::Draining) {
                const std::int64_t drainSince = m_drainingSinceNs[worker.id];
                if (snapshot->unixNs - drainSince >= longDrainNs)
                    items.push_back({Glyph::Draining, tr("%1 still drains: %2").arg(name, stateText(worker)),
                        drainSince, worker.id});
            }
        }
        if (failedJob != nullptr) {
            const QString why = failedJob->error
                ? QStringLiteral(": ") + QString::fromStdString(failedJob->error->what)
                : QString();
            items.push_back({Glyph::Crashed, tr("%1 failed").arg(failedJob->title) + why,
                failedJob->endedUnixNs.value_or(failedJob->startedUnixNs), failedJob->workerId});
        }
        if (!snapshot->capabilities.upgradeWarning.isEmpty())
            items.push_back({Glyph::Warning, snapshot->capabilities.upgradeWarning, 0, {}});
    }
    std::stable_sort(items.begin(), items.end(),
        [](const AttentionItem& a, const AttentionItem& b) { return gravity(a.glyph) < gravity(b.glyph); });
    if (items == m_items)
        return;
    m_items = std::move(items);
    emit changed();
}

} // namespace yardmaster::ui

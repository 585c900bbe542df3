// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/session.h"

#include "backend/base/monotonic_clock.h"

#include <utility>

namespace yardmaster::control {

Job newJob(const Action& action) {
    Job job;
    job.id = action.job;
    job.startedUnixNs = unixNowNs();
    const QString number = QString::number(action.workerId);
    switch (action.kind) {
    case Action::Kind::SpawnWorker:
        job.kind = QStringLiteral("spawn_worker");
        job.title = QStringLiteral("Spawn a worker");
        break;
    case Action::Kind::StopWorker:
        job.kind = QStringLiteral("stop_worker");
        job.title = QStringLiteral("Stop worker ") + number;
        job.workerId = action.workerId;
        break;
    case Action::Kind::UpgradeWorker:
        job.kind = QStringLiteral("upgrade_worker");
        job.title = QStringLiteral("Upgrade worker ") + number;
        job.workerId = action.workerId;
        break;
    case Action::Kind::UpgradeAll:
        job.kind = QStringLiteral("upgrade_all");
        job.title = QStringLiteral("Upgrade all workers");
        break;
    }
    return job;
}

void TargetMemory::addEvent(Event event) {
    event.sequence = ++lastEvent;
    events.push_back(std::move(event));
}

void TargetMemory::addEvent(
    EventSeverity severity, QString kind, QString text, std::optional<std::uint32_t> workerId) {
    Event event;
    event.unixNs = unixNowNs();
    event.severity = severity;
    event.kind = std::move(kind);
    event.text = std::move(text);
    event.workerId = workerId;
    addEvent(std::move(event));
}

SnapshotPtr TargetMemory::finish(Snapshot snapshot) {
    snapshot.sequence = ++lastSnapshot;
    snapshot.jobs = jobs.list();
    snapshot.newEvents = std::exchange(events, {});
    return std::make_shared<const Snapshot>(std::move(snapshot));
}

} // namespace yardmaster::control

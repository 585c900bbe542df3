// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/worker_texts.h"

#include "ui/theme/format.h"

#include <QDateTime>

#include <algorithm>

namespace yardmaster::ui {

using control::Job;
using control::JobState;
using control::StepState;
using control::WorkerInfo;
using control::WorkerState;

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("WorkerTexts", text);
}

} // namespace

QString stateText(const WorkerInfo& worker) {
    switch (worker.state) {
    case WorkerState::Unknown:
        return tr("Unknown");
    case WorkerState::Starting:
        return tr("Starting");
    case WorkerState::Serving:
        return tr("Serving");
    case WorkerState::Draining:
        if (worker.drain)
            return tr("Draining, %1 left")
                .arg(format::number(static_cast<double>(worker.drain->openConnections)));
        return tr("Draining");
    case WorkerState::Stopped:
        return tr("Stopped");
    case WorkerState::Crashed:
        return tr("Crashed");
    case WorkerState::Failed:
        return tr("Failed");
    case WorkerState::NotAnswering:
        return tr("Not answering");
    }
    return tr("Unknown");
}

Glyph stateGlyph(WorkerState state) {
    switch (state) {
    case WorkerState::Unknown:
        return Glyph::Unknown;
    case WorkerState::Starting:
        return Glyph::Running;
    case WorkerState::Serving:
        return Glyph::Serving;
    case WorkerState::Draining:
        return Glyph::Draining;
    case WorkerState::Stopped:
        return Glyph::Stopped;
    case WorkerState::Crashed:
    case WorkerState::Failed:
        return Glyph::Crashed;
    case WorkerState::NotAnswering:
        return Glyph::NotAnswering;
    }
    return Glyph::Unknown;
}

std::uint32_t workerNumber(const WorkerInfo& worker) {
    return worker.slot != 0 ? worker.slot : worker.id;
}

QString workerName(const WorkerInfo& worker) {
    const QString number = QString::number(workerNumber(worker));
    if (worker.replacedBy)
        return tr("%1 old").arg(number);
    const bool isNotReady = worker.state == WorkerState::Starting || worker.state == WorkerState::Failed;
    return worker.replaces && isNotReady ? tr("%1 new").arg(number) : number;
}

bool isLiving(const WorkerInfo& worker) {
    return worker.state != WorkerState::Stopped && worker.state != WorkerState::Crashed
        && worker.state != WorkerState::Failed;
}

std::size_t countServing(const std::vector<WorkerInfo>& workers) {
    return static_cast<std::size_t>(std::count_if(workers.begin(), workers.end(),
        [](const WorkerInfo& worker) { return worker.state == WorkerState::Serving; }));
}

std::size_t countDraining(const std::vector<WorkerInfo>& workers) {
    return static_cast<std::size_t>(std::count_if(workers.begin(), workers.end(),
        [](const WorkerInfo& worker) { return worker.state == WorkerState::Draining; }));
}

QString workersText(std::size_t count) {
    return format::counted(static_cast<std::int64_t>(count), tr("1 worker"), tr("%1 workers"));
}

Glyph stepGlyph(StepState state) {
    switch (state) {
    case StepState::Waiting:
        return Glyph::Waiting;
    case StepState::Running:
        return Glyph::Running;
    case StepState::Done:
        return Glyph::Done;
    case StepState::Failed:
        return Glyph::Crashed;
    case StepState::Skipped:
        return Glyph::Gone;
    }
    return Glyph::Waiting;
}

Glyph jobGlyph(JobState state) {
    switch (state) {
    case JobState::Running:
        return Glyph::Running;
    case JobState::Done:
        return Glyph::Done;
    case JobState::Failed:
        return Glyph::Crashed;
    case JobState::Cancelled:
        return Glyph::Gone;
    case JobState::Unknown:
        return Glyph::Unknown;
    }
    return Glyph::Unknown;
}

QString jobResult(const Job& job) {
    const QString at = job.endedUnixNs ? u' ' + format::clock(*job.endedUnixNs) : QString();
    switch (job.state) {
    case JobState::Running:
        return tr("running");
    case JobState::Done:
        return tr("finished") + at;
    case JobState::Failed:
        return tr("failed") + at;
    case JobState::Cancelled:
        return tr("cancelled") + at;
    case JobState::Unknown:
        return tr("state unknown");
    }
    return {};
}

int currentStep(const Job& job) {
    int reached = job.steps.empty() ? -1 : 0;
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        const StepState state = job.steps[i].state;
        if (state == StepState::Running)
            return static_cast<int>(i);
        if (state != StepState::Waiting)
            reached = static_cast<int>(i);
    }
    return reached;
}

double elapsedSeconds(const Job& job, std::int64_t nowNs) {
    return static_cast<double>(job.endedUnixNs.value_or(nowNs) - job.startedUnixNs) / 1e9;
}

std::int64_t nowUnixNs() {
    return QDateTime::currentMSecsSinceEpoch() * 1'000'000;
}

Glyph eventGlyph(const control::Event& event) {
    // What an event is about says more than how grave it is, where there is a sign for it.
    if (event.kind == u"link_lost")
        return Glyph::Unknown;
    if (event.kind == u"worker_draining")
        return Glyph::Draining;
    if (event.kind == u"upgrade_started")
        return Glyph::Running;
    if (event.kind == u"worker_ready")
        return Glyph::Serving;
    switch (event.severity) {
    case control::EventSeverity::Info:
        return Glyph::Info;
    case control::EventSeverity::Ok:
        return Glyph::Done;
    case control::EventSeverity::Warning:
        return Glyph::Warning;
    case control::EventSeverity::Error:
        return Glyph::Crashed;
    }
    return Glyph::Info;
}

QString versionText(const QString& version) {
    if (version.isEmpty())
        return format::unknown();
    return version.at(0).isDigit() ? u'v' + version : version;
}

QString targetSystemText(const control::Target& target) {
    const QString system = target.system == u"Yardmaster agent" ? tr("agent") : target.system;
    return target.version.isEmpty() ? system : system + u' ' + target.version;
}

} // namespace yardmaster::ui

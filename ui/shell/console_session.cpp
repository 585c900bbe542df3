// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/console_session.h"

#include "ui/dialogs/worker_texts.h"
#include "ui/theme/format.h"

#include <algorithm>

namespace yardmaster::ui {

using control::Link;
using control::LinkState;

namespace {

constexpr std::int64_t secondNs = 1'000'000'000;
/// Numbers in a table that change more often than this cannot be read.
constexpr std::int64_t tableIntervalNs = 450'000'000;

} // namespace

ConsoleSession::ConsoleSession(control::WorkerControl* control, bool readOnly, QObject* parent)
    : QObject(parent)
    , m_control(control)
    , m_readOnly(readOnly) {
    connect(control, &control::WorkerControl::snapshotReady, this, &ConsoleSession::apply);
    connect(control, &control::WorkerControl::linkChanged, this, &ConsoleSession::applyLink);
    connect(control, &control::WorkerControl::jobChanged, this, [this](const control::Job& job) {
        m_jobs.apply(job);
        emit stateChanged();
    });
    applyLink(control->link());
    if (const control::SnapshotPtr snapshot = control->latest())
        apply(snapshot);
}

bool ConsoleSession::isTableDue(const control::Snapshot& snapshot) {
    std::vector<std::pair<std::uint32_t, control::WorkerState>> states;
    states.reserve(snapshot.workers.size());
    for (const control::WorkerInfo& worker : snapshot.workers)
        states.emplace_back(worker.id, worker.state);
    // By the target's clock: snapshots that came late all at once are one update.
    const std::int64_t sinceNs = snapshot.unixNs - m_tableUpdatedNs;
    const bool isDue = states != m_shownStates || sinceNs < 0 || sinceNs >= tableIntervalNs;
    if (isDue) {
        m_shownStates = std::move(states);
        m_tableUpdatedNs = snapshot.unixNs;
    }
    return isDue;
}

void ConsoleSession::apply(const control::SnapshotPtr& snapshot) {
    if (snapshot == nullptr)
        return;
    m_history.apply(*snapshot);
    m_time.advance(snapshot->unixNs);
    m_events.append(snapshot->newEvents);
    m_jobs.apply(snapshot->jobs);
    if (isTableDue(*snapshot))
        m_workerTable.apply(*snapshot);
    m_attention.update(snapshot, m_link);
    m_sampleTimesNs.push_back(snapshot->unixNs);
    const std::int64_t oldest = snapshot->unixNs - 2 * secondNs;
    std::erase_if(m_sampleTimesNs, [oldest](std::int64_t at) { return at < oldest; });
    emit snapshotApplied(snapshot);
}

void ConsoleSession::applyLink(const Link& link) {
    m_link = link;
    m_sinceLinkChange.start();
    m_history.noteLink(link);
    m_workerTable.setStale(link.state != LinkState::Connected);
    if (link.state == LinkState::Lost) {
        m_jobs.markRunningUnknown();
        m_sampleTimesNs.clear();
    }
    m_attention.update(m_control->latest(), link);
    emit stateChanged();
}

QString ConsoleSession::linkText() const {
    switch (m_link.state) {
    case LinkState::Connecting: {
        const control::SnapshotPtr snapshot = m_control->latest();
        return snapshot == nullptr ? tr("Connecting…") : tr("Connecting to %1…").arg(snapshot->target.name);
    }
    case LinkState::Connected:
        return tr("Connected");
    case LinkState::Lost:
        break;
    }
    const std::int64_t lostNs = m_link.sinceUnixNs > 0 ? nowUnixNs() - m_link.sinceUnixNs : 0;
    const auto lostSeconds = std::max<std::int64_t>(0, lostNs / secondNs);
    const QString lost =
        lostSeconds < 60 ? tr("%1 s").arg(lostSeconds) : format::duration(static_cast<double>(lostSeconds));
    const qint64 leftMs = m_link.retryInMs - m_sinceLinkChange.elapsed();
    if (leftMs <= 0)
        return tr("Lost %1, trying now").arg(lost);
    return tr("Lost %1, retry in %2 s").arg(lost).arg((leftMs + 999) / 1000);
}

int ConsoleSession::samplesPerSecond() const {
    if (m_sampleTimesNs.empty())
        return 0;
    const std::int64_t from = m_sampleTimesNs.back() - secondNs;
    return static_cast<int>(std::count_if(
        m_sampleTimesNs.begin(), m_sampleTimesNs.end(), [from](std::int64_t at) { return at > from; }));
}

void ConsoleSession::refresh() {

    m_time.setLive(true);
    if (const control::SnapshotPtr snapshot = m_control->latest())
        m_workerTable.apply(*snapshot);
    emit stateChanged();
}

} // namespace yardmaster::ui

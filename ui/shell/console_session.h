// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"
#include "models/event_model.h"
#include "models/job_model.h"
#include "models/metrics_history.h"
#include "models/time_cursor.h"
#include "models/worker_table_model.h"
#include "ui/commands/command_registry.h"
#include "ui/pages/attention.h"

#include <QElapsedTimer>
#include <QObject>

namespace yardmaster::ui {

/// The one place where what a target says goes into the models. Everything else reads the models.
class ConsoleSession final : public QObject {
    Q_OBJECT
public:
    /// `control` is started by its owner and outlives the session.
    explicit ConsoleSession(control::WorkerControl* control, bool readOnly, QObject* parent = nullptr);

    [[nodiscard]] control::WorkerControl* control() const { return m_control; }
    [[nodiscard]] bool isReadOnly() const { return m_readOnly; }
    [[nodiscard]] models::WorkerTableModel* workerTable() { return &m_workerTable; }
    [[nodiscard]] models::EventModel* events() { return &m_events; }
    [[nodiscard]] models::JobModel* jobs() { return &m_jobs; }
    [[nodiscard]] models::MetricsHistory* history() { return &m_history; }
    [[nodiscard]] models::TimeCursor* time() { return &m_time; }
    [[nodiscard]] CommandRegistry* commands() { return &m_commands; }
    [[nodiscard]] AttentionList* attention() { return &m_attention; }

    [[nodiscard]] control::SnapshotPtr latest() const { return m_control->latest(); }
    [[nodiscard]] control::Link link() const { return m_link; }
    /// "Lost 4 s, retry in 2 s", "Connected", "Connecting to /run/…".
    [[nodiscard]] QString linkText() const;
    /// Snapshots in the last second, 0 while nothing comes.
    [[nodiscard]] int samplesPerSecond() const;
    /// Brings texts up to date at once (F5).
    void refresh();

signals:
    /// After each snapshot, the models being up to date.
    void snapshotApplied(const yardmaster::control::SnapshotPtr& snapshot);
    /// After the link or a job changed, the models being up to date.
    void stateChanged();

private:
    void apply(const control::SnapshotPtr& snapshot);
    void applyLink(const control::Link& link);
    [[nodiscard]] bool isTableDue(const control::Snapshot& snapshot);

    control::WorkerControl* m_control;
    bool m_readOnly;
    control::Link m_link;
    QElapsedTimer m_sinceLinkChange;
    std::int64_t m_tableUpdatedNs = 0;
    std::vector<std::pair<std::uint32_t, control::WorkerState>> m_shownStates;
    std::vector<std::int64_t> m_sampleTimesNs; ///< of the last seconds
    models::WorkerTableModel m_workerTable;
    models::EventModel m_events;
    models::JobModel m_jobs;
    models::MetricsHistory m_history;
    models::TimeCursor m_time;
    CommandRegistry m_commands;
    AttentionList m_attention;
};

} // namespace yardmaster::ui

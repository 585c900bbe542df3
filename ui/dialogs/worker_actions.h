// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"

#include <QObject>
#include <QPointer>

#include <optional>

namespace yardmaster::models {
class JobModel;
}

namespace yardmaster::ui {

class ActionDialog;
class CommandRegistry;

/// What can be done to workers: registers the commands "worker.*" and "job.cancel", asks before it acts, and
/// turns them off with the reason (read-only, no link, the target cannot, a job runs, nothing selected).
class WorkerActions final : public QObject {
    Q_OBJECT
public:
    /// `window`: where dialogs open; all others outlive this.
    WorkerActions(control::WorkerControl* control, models::JobModel* jobs, CommandRegistry* commands,
        QWidget* window, bool readOnly);

    [[nodiscard]] bool isReadOnly() const { return m_readOnly; }
    [[nodiscard]] std::optional<std::uint32_t> selectedWorker() const { return m_selected; }
    void setSelectedWorker(std::optional<std::uint32_t> workerId);
    /// The worker of the newest snapshot.
    [[nodiscard]] std::optional<control::WorkerInfo> worker(std::uint32_t workerId) const;
    /// The newest job about this worker, or about all workers.
    [[nodiscard]] std::optional<control::Job> jobFor(std::optional<std::uint32_t> workerId) const;

    void openUpgrade(std::uint32_t workerId);
    void openUpgradeAll();
    void openStop(std::uint32_t workerId);
    void openSpawn();
    void openCancel(control::JobId job);

    /// After each snapshot and change of link or jobs.
    void update();

    /// Empty when a worker can be upgraded now.
    [[nodiscard]] QString reasonAgainst(const QString& commandId) const;

signals:
    void selectedWorkerChanged();
    void jobStarted(quint64 job);

private:
    [[nodiscard]] QString commonReason() const;
    [[nodiscard]] QString targetName() const;
    [[nodiscard]] bool isProduction() const;
    [[nodiscard]] bool isUpgradeRunning() const;
    void addHitsOf(
        ActionDialog& dialog, const std::vector<control::WorkerInfo>& workers, int quietSeconds) const;
    void start(control::JobId job);

    control::WorkerControl* m_control;
    models::JobModel* m_jobs;
    CommandRegistry* m_commands;
    QPointer<QWidget> m_window;
    bool m_readOnly;
    std::optional<std::uint32_t> m_selected;
};

} // namespace yardmaster::ui

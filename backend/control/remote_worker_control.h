// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/job_book.h"
#include "backend/control/worker_control.h"

#include <QThread>

namespace yardmaster::control {

class LinkKeeper;

/// The workers behind a command socket (connect.h). This object lives on the GUI thread and only passes
/// values; sockets, decoding and the building of snapshots are on a thread that it owns.
class RemoteWorkerControl : public WorkerControl {
    Q_OBJECT
public:
    explicit RemoteWorkerControl(const QString& socketPath, QObject* parent = nullptr);
    ~RemoteWorkerControl() override;

    void start() override;
    [[nodiscard]] Link link() const override { return m_link; }
    [[nodiscard]] SnapshotPtr latest() const override { return m_latest; }
    [[nodiscard]] JobId spawnWorker() override;
    [[nodiscard]] JobId stopWorker(std::uint32_t workerId, std::uint32_t drainDeadlineMs) override;
    [[nodiscard]] JobId upgradeWorker(std::uint32_t workerId, const UpgradeRequest& request) override;
    [[nodiscard]] JobId upgradeAll(const UpgradeRequest& request) override;
    void cancelJob(JobId job) override;

private:
    struct Call;
    [[nodiscard]] JobId send(Call call);

    QThread m_thread;
    JobIds m_ids;
    LinkKeeper* m_keeper; ///< lives on m_thread, which deletes it at its end
    Link m_link;
    SnapshotPtr m_latest;
};

} // namespace yardmaster::control

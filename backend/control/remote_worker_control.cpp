// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/remote_worker_control.h"

#include "backend/control/connect.h"
#include "backend/control/link_keeper.h"

namespace yardmaster::control {

struct RemoteWorkerControl::Call : Action { };

RemoteWorkerControl::RemoteWorkerControl(const QString& socketPath, QObject* parent)
    : WorkerControl(parent)
    , m_ids(std::make_shared<std::atomic<JobId>>(0))
    , m_keeper(new LinkKeeper(socketPath, m_ids)) {
    m_thread.setObjectName(QStringLiteral("worker-control"));
    m_keeper->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_keeper, &QObject::deleteLater);
    connect(
        m_keeper, &LinkKeeper::snapshotReady, this,
        [this](const SnapshotPtr& snapshot) {
            m_latest = snapshot;
            emit snapshotReady(snapshot);
        },
        Qt::QueuedConnection);
    connect(
        m_keeper, &LinkKeeper::linkChanged, this,
        [this](const Link& link) {
            m_link = link;
            emit linkChanged(link);
        },
        Qt::QueuedConnection);
    connect(m_keeper, &LinkKeeper::jobChanged, this, &WorkerControl::jobChanged, Qt::QueuedConnection);
    m_thread.start();
}

RemoteWorkerControl::~RemoteWorkerControl() {
    m_thread.quit();
    m_thread.wait();
}

void RemoteWorkerControl::start() {
    QMetaObject::invokeMethod(
        m_keeper, [keeper = m_keeper] { keeper->start(); }, Qt::QueuedConnection);
}

JobId RemoteWorkerControl::send(Call call) {
    call.job = m_ids->fetch_add(1) + 1;
    QMetaObject::invokeMethod(
        m_keeper, [keeper = m_keeper, call] { keeper->act(call); }, Qt::QueuedConnection);
    return call.job;
}

JobId RemoteWorkerControl::spawnWorker() {
    Call call;
    call.kind = Action::Kind::SpawnWorker;
    return send(std::move(call));
}

JobId RemoteWorkerControl::stopWorker(std::uint32_t workerId, std::uint32_t drainDeadlineMs) {
    Call call;
    call.kind = Action::Kind::StopWorker;
    call.workerId = workerId;
    call.stopDeadlineMs = drainDeadlineMs;
    return send(std::move(call));
}

JobId RemoteWorkerControl::upgradeWorker(std::uint32_t workerId, const UpgradeRequest& request) {
    Call call;
    call.kind = Action::Kind::UpgradeWorker;
    call.workerId = workerId;
    call.upgrade = request;
    return send(std::move(call));
}

JobId RemoteWorkerControl::upgradeAll(const UpgradeRequest& request) {
    Call call;
    call.kind = Action::Kind::UpgradeAll;
    call.upgrade = request;
    return send(std::move(call));
}

void RemoteWorkerControl::cancelJob(JobId job) {
    QMetaObject::invokeMethod(
        m_keeper, [keeper = m_keeper, job] { keeper->cancel(job); }, Qt::QueuedConnection);
}

std::unique_ptr<WorkerControl> connectWorkerControl(const QString& socketPath) {
    return std::make_unique<RemoteWorkerControl>(socketPath);
}

} // namespace yardmaster::control

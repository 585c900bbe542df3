// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/connection.h"
#include "backend/control/session.h"

#include <QTimer>

namespace yardmaster::control {

/// Connects, finds out who is there, and after a loss connects again: 0.25 s, doubling to 5 s, with up to a
/// fifth more or less so that many consoles do not come at once. Lives on the backend thread.
class LinkKeeper : public QObject {
    Q_OBJECT
public:
    LinkKeeper(QString socketPath, JobIds ids);

    void start();
    void act(const yardmaster::control::Action& action);
    void cancel(yardmaster::control::JobId job);

signals:
    void snapshotReady(const yardmaster::control::SnapshotPtr& snapshot);
    void linkChanged(const yardmaster::control::Link& link);
    void jobChanged(const yardmaster::control::Job& job);

private:
    void probe();
    void onProbed(const Expected<proto::Response>& result);
    void onSnapshot(const SnapshotPtr& snapshot);
    void onLost(const Error& error);
    void setLink(LinkState state, int retryInMs, const QString& reason);

    TargetMemory m_memory;
    Connection* m_probe = nullptr; ///< until a session takes it
    Session* m_session = nullptr;
    QTimer m_retryTimer;
    int m_backoffMs;
    Link m_link;
};

} // namespace yardmaster::control

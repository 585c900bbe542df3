// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/connection.h"
#include "backend/control/process_files.h"
#include "backend/control/session.h"

namespace yardmaster::control {

/// How many listening sockets of one address nobody accepts on.
struct DeadListener {
    QString endpoint;
    std::size_t sockets = 0, workers = 0;
    std::uint64_t waiting = 0; ///< connections that hang in the accept queues
};
/// Sozu's workers have one socket of an address each: what is more than the workers is dead, and the kernel
/// gives it its share of new connections (SO_REUSEPORT), which hang.
[[nodiscard]] std::vector<DeadListener> findDeadListeners(
    const std::vector<ListenSocket>& sockets, const QStringList& endpoints, std::size_t workers);

/// Looks for dead listeners after an upgrade: asks Sozu for its workers and listeners, reads the socket
/// tables of a worker's network namespace, and adds a warning event. Deletes itself.
class ListenerCheck : public QObject {
    Q_OBJECT
public:
    ListenerCheck(TargetMemory& memory, QObject* parent);

private:
    void askWorkers();
    void askListeners();
    void look(const proto::ListenersList& listeners);
    void giveUp(const QString& why);

    TargetMemory& m_memory;
    Connection m_connection;
    std::size_t m_workers = 0;
    std::int32_t m_workerPid = 0;
};

} // namespace yardmaster::control

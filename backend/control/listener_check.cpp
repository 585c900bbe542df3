// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/listener_check.h"

#include <QTimer>

#include <set>

namespace yardmaster::control {

namespace {
constexpr int settleMs = 500; ///< for the old worker's process to be gone
constexpr Deadlines answerDeadlines{5'000, 5'000, 10'000};
} // namespace

std::vector<DeadListener> findDeadListeners(
    const std::vector<ListenSocket>& sockets, const QStringList& endpoints, std::size_t workers) {
    std::vector<DeadListener> dead;
    for (const QString& text : endpoints) {
        const auto endpoint = parseEndpoint(text);
        if (!endpoint)
            continue;
        DeadListener found;
        found.endpoint = text;
        found.workers = workers;
        std::set<std::uint64_t> inodes;
        for (const ListenSocket& socket : sockets) {
            if (socket.address != endpoint->address || socket.port != endpoint->port
                || !inodes.insert(socket.inode).second)
                continue;
            ++found.sockets;
            found.waiting += socket.waiting;
        }
        if (found.sockets > workers)
            dead.push_back(std::move(found));
    }
    return dead;
}

ListenerCheck::ListenerCheck(TargetMemory& memory, QObject* parent)
    : QObject(parent)
    , m_memory(memory)
    , m_connection(memory.endpoint, this) {
    QTimer::singleShot(settleMs, this, &ListenerCheck::askWorkers);
}

void ListenerCheck::askWorkers() {
    proto::Request request;
    request.mutable_list_workers();
    m_connection.start(
        std::move(request), answerDeadlines, {}, [this](const Expected<proto::Response>& result) {
            if (!result || result->status() != proto::OK) {
                giveUp(QString::fromStdString(result ? result->message() : result.error().toString()));
                return;
            }
            for (const proto::WorkerInfo& worker : result->content().workers().vec()) {
                if (worker.run_state() == proto::STOPPED)
                    continue;
                ++m_workers;
                m_workerPid = worker.pid();
            }
            askListeners();
        });
}

void ListenerCheck::askListeners() {
    proto::Request request;
    request.mutable_list_listeners();
    m_connection.start(
        std::move(request), answerDeadlines, {}, [this](const Expected<proto::Response>& result) {
            if (!result || result->status() != proto::OK)
                giveUp(QString::fromStdString(result ? result->message() : result.error().toString()));
            else
                look(result->content().listeners_list());
        });
}

void ListenerCheck::look(const proto::ListenersList& listeners) {
    QStringList endpoints;
    const auto add = [&endpoints](const auto& map) {
        for (const auto& [address, config] : map)
            if (config.active())
                endpoints.append(QString::fromStdString(address));
    };
    add(listeners.http_listeners());
    add(listeners.https_listeners());
    add(listeners.tcp_listeners());
    endpoints.sort();
    const std::vector<ListenSocket> sockets = readListenSockets(m_workerPid);
    if (sockets.empty() && !endpoints.isEmpty()) {
        giveUp(QStringLiteral("the socket table of process %1 cannot be read").arg(m_workerPid));
        return;
    }
    for (const DeadListener& dead : findDeadListeners(sockets, endpoints, m_workers))
        m_memory.addEvent(EventSeverity::Error, QStringLiteral("dead_listener"),
            QStringLiteral("%1 has %2 listening sockets for %3 workers: about %4 of 100 new connections hang "
                           "(%5 wait now). Restart this Sozu; it does not heal")
                .arg(dead.endpoint)
                .arg(dead.sockets)
                .arg(dead.workers)
                .arg(100 * (dead.sockets - dead.workers) / dead.sockets)
                .arg(dead.waiting));
    deleteLater();
}

void ListenerCheck::giveUp(const QString& why) {
    m_memory.addEvent(EventSeverity::Warning, QStringLiteral("listeners_unchecked"),
        QStringLiteral("Could not look for dead listeners after the upgrade: ") + why);
    deleteLater();
}

} // namespace yardmaster::control

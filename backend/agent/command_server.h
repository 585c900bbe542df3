// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/client_session.h"

#include <QObject>
#include <QSocketNotifier>
#include <QTimer>

#include <memory>
#include <string>
#include <sys/types.h>

namespace yardmaster::agent {

/// The command socket: accepts clients of our own user (or root), mode 0600. The file is removed when the
/// server is.
class CommandServer : public QObject {
    Q_OBJECT
public:
    CommandServer(std::size_t maxFrameBytes, ClientSession::Identify identify, QObject* parent = nullptr);
    ~CommandServer() override;

    [[nodiscard]] Expected<void> listen(const std::string& path);
    /// Closes the socket, removes its file, and drops all clients after what was sent to them.
    void close();

signals:
    void requestReceived(const yardmaster::proto::Request& request, const yardmaster::agent::ReplyPtr& reply);

private:
    void acceptClients();
    void addClient(UniqueFd fd);

    std::size_t m_maxFrameBytes;
    ClientSession::Identify m_identify;
    std::string m_path;
    UniqueFd m_fd;
    std::unique_ptr<QSocketNotifier> m_notifier;
    QTimer m_acceptPause;
    int m_clients = 0;
};

} // namespace yardmaster::agent

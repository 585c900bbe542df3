// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/command_server.h"

#include <spdlog/spdlog.h>

#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>

namespace yardmaster::agent {

namespace {
constexpr int maxClients = 512;
constexpr int acceptPauseMs = 100;
} // namespace

CommandServer::CommandServer(std::size_t maxFrameBytes, ClientSession::Identify identify, QObject* parent)
    : QObject(parent)
    , m_maxFrameBytes(maxFrameBytes)
    , m_identify(std::move(identify)) {
    m_acceptPause.setSingleShot(true);
    connect(&m_acceptPause, &QTimer::timeout, this, [this] {
        if (m_notifier)
            m_notifier->setEnabled(true);
    });
}

CommandServer::~CommandServer() {
    close();
}

Expected<void> CommandServer::listen(const std::string& path) {
    auto fd = listenUnix(path);
    if (!fd)
        return failure(fd.error());
    m_fd = std::move(*fd);
    m_path = path;
    m_notifier = std::make_unique<QSocketNotifier>(m_fd.get(), QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &CommandServer::acceptClients);
    return {};
}

void CommandServer::close() {
    if (!m_fd)
        return;
    m_notifier->setEnabled(false);
    m_notifier.release()->deleteLater();
    ::unlink(m_path.c_str());
    m_fd.reset();
    const auto sessions = findChildren<ClientSession*>();
    for (ClientSession* session : sessions)
        session->close();
}

void CommandServer::acceptClients() {
    while (true) {
        UniqueFd fd(::accept4(m_fd.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (fd) {
            addClient(std::move(fd));
            continue;
        }
        if (errno == EINTR || errno == ECONNABORTED)
            continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK) {
            // Out of descriptors: the level-triggered notifier would spin.
            spdlog::error("command socket: {}", Error::fromErrno(errno, "accept4", m_path).toString());
            m_notifier->setEnabled(false);
            m_acceptPause.start(acceptPauseMs);
        }
        return;
    }
}

void CommandServer::addClient(UniqueFd fd) {
    const auto peer = peerCredentials(fd.get());
    if (!peer) {
        spdlog::error("{}", peer.error().toString());
        return;
    }
    auto* session = new ClientSession(std::move(fd), *peer, m_maxFrameBytes, m_identify, this);
    ++m_clients;
    connect(session, &ClientSession::closed, this, [this, session] {
        --m_clients;
        session->deleteLater();
    });
    std::string refusal;
    if (!mayCommand(*peer, ::geteuid()))
        refusal = "unauthorized: " + peer->describe() + " may not command this agent";
    else if (m_clients > maxClients)
        refusal = "the agent serves " + std::to_string(maxClients) + " clients already";
    if (!refusal.empty()) {
        spdlog::warn("command socket: {}", refusal);
        proto::Response response;
        response.set_status(proto::FAILURE);
        response.set_message(refusal);
        session->send(std::move(response));
        session->close();
        return;
    }
    connect(session, &ClientSession::requestReceived, this, &CommandServer::requestReceived);
}

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/upstream_connection.h"

#include "backend/worker/session.h"

#include <algorithm>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

namespace yardmaster::worker {

namespace {
constexpr std::size_t upstreamBufferBytes = 16 * 1024;
constexpr std::int64_t longestIdleNs = 60'000'000'000;
constexpr std::int64_t keepsBufferNs = 1'000'000'000;
} // namespace

UpstreamConnection::UpstreamConnection(
    UpstreamPool& pool, std::shared_ptr<Backend> owner, io::StreamSocket&& stream)
    : socket(std::move(stream))
    , input(upstreamBufferBytes)
    , backend(std::move(owner))
    , m_pool(pool) { }

void UpstreamConnection::onEvents(std::uint32_t events) {
    if (!socket.isOpen())
        return; // ended earlier in this batch
    socket.noteEvents(events);
    if (session)
        session->onUpstreamEvents(events);
    else if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        m_pool.close(*this);
}

UpstreamPool::~UpstreamPool() {
    for (const auto& connection : m_connections)
        connection->backend->idle.clear();
}

Expected<UpstreamConnection*> UpstreamPool::acquire(
    const std::shared_ptr<Backend>& backend, Session& session) {
    while (!backend->idle.empty()) {
        UpstreamConnection* connection = backend->idle.back();
        // Its event may stand behind us in this batch, or in no batch yet.
        if (connection->socket.hasInput()) {
            close(*connection);
            continue;
        }
        backend->idle.pop_back();
        m_metrics.adjust(metrics::Gauge::UpstreamIdle, -1);
        m_metrics.add(metrics::Counter::UpstreamReuses);
        connection->session = &session;
        connection->isReused = true;
        return connection;
    }

    UniqueFd fd(::socket(backend->socketAddress.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd)
        return failure(Error::fromErrno(errno, "socket", backend->address.toString()));
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const bool connected = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&backend->socketAddress),
                               backend->socketAddressBytes)
        == 0;
    if (!connected && errno != EINPROGRESS)
        return failure(Error::fromErrno(errno, "connect", backend->address.toString()));
    auto owned =
        std::make_unique<UpstreamConnection>(*this, backend, io::StreamSocket(std::move(fd), connected));
    owned->isConnected = connected;
    owned->session = &session;
    if (auto watched = m_loop.watch(owned->socket.fd(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *owned);
        !watched)
        return failure(watched.error());
    m_metrics.add(metrics::Counter::UpstreamConnects);
    m_metrics.adjust(metrics::Gauge::UpstreamConnections, 1);
    owned->m_index = m_connections.size();
    m_connections.push_back(std::move(owned));
    return m_connections.back().get();
}

void UpstreamPool::release(UpstreamConnection& connection) {
    connection.session = nullptr;
    Backend& backend = *connection.backend;
    if (backend.isRemoved || backend.idle.size() >= m_idleLimit || connection.socket.peerClosed()
        || !connection.input.empty() || (connection.socket.canRead() && connection.socket.hasInput())) {
        close(connection);
        return;
    }
    connection.idleSinceNs = m_loop.nowNs();
    backend.idle.push_back(&connection);
    m_metrics.adjust(metrics::Gauge::UpstreamIdle, 1);
}

void UpstreamPool::removeFromIdle(UpstreamConnection& connection) {
    auto& idle = connection.backend->idle;
    const auto at = std::find(idle.begin(), idle.end(), &connection);
    if (at == idle.end())
        return;
    idle.erase(at);
    m_metrics.adjust(metrics::Gauge::UpstreamIdle, -1);
}

void UpstreamPool::close(UpstreamConnection& connection) {
    removeFromIdle(connection);
    connection.session = nullptr;
    connection.socket.close(); // leaves the epoll set with its last descriptor
    m_metrics.adjust(metrics::Gauge::UpstreamConnections, -1);
    const std::size_t index = connection.m_index;
    m_ended.push_back(std::move(m_connections[index]));
    if (index + 1 < m_connections.size()) {
        m_connections[index] = std::move(m_connections.back());
        m_connections[index]->m_index = index;
    }
    m_connections.pop_back();
}

void UpstreamPool::closeIdle(Backend& backend) {
    while (!backend.idle.empty())
        close(*backend.idle.back());
}

void UpstreamPool::onTick(std::int64_t nowNs) {
    // A slice a tick: with many kept connections a full round takes seconds, which is soon enough for a limit
    // of a minute.
    for (std::size_t looked = 0; looked < 64 && !m_connections.empty(); ++looked) {
        m_tickAt = (m_tickAt + 1) % m_connections.size();
        UpstreamConnection& connection = *m_connections[m_tickAt];
        if (connection.session)
            continue;
        if (nowNs - connection.idleSinceNs > longestIdleNs)
            close(connection);
        else if (nowNs - connection.idleSinceNs > keepsBufferNs)
            connection.input.release();
    }
}

} // namespace yardmaster::worker

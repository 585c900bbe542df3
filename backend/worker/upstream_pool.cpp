// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/upstream_pool.h"

#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>

namespace yardmaster::worker {

namespace {
constexpr std::int64_t longestIdleNs = 60'000'000'000;
/// Backends close kept connections after seconds of silence, so one that was used just now need not be looked at again.
constexpr std::int64_t trustedIdleNs = 200'000'000;
constexpr std::size_t keptObjects = 1024;
} // namespace

UpstreamConnection::UpstreamConnection(UpstreamPool& pool)
    : input(pool.m_blocks)
    , m_pool(pool) { }

void UpstreamConnection::onEvents(std::uint32_t events) {
    if (!socket.isOpen())
        return; // ended earlier in this batch
    socket.noteEvents(events);
    if (m_user)
        m_user->onUpstreamEvents();
    else if (socket.canRead())
        m_pool.close(*this);
}

void UpstreamConnection::onTimer(std::int64_t nowNs) {
    if (m_user || !socket.isOpen())
        return;
    if (nowNs - m_idleSinceNs >= longestIdleNs)
        m_pool.close(*this);
    else
        m_pool.m_loop.timers().set(*this, m_idleSinceNs + longestIdleNs);
}

UpstreamPool::UpstreamPool(EventLoop& loop, BlockPool& blocks, metrics::MetricsBlock& metrics)
    : m_loop(loop)
    , m_blocks(blocks)
    , m_metrics(metrics) { }

UpstreamPool::~UpstreamPool() {
    for (const auto& connection : m_connections)
        connection->backend->idleTop = nullptr;
}

UpstreamConnection* UpstreamPool::acquire(Backend& backend, UpstreamUser& user) {
    UpstreamConnection* connection = takeIdle(backend);
    if (connection)
        m_metrics.add(metrics::Counter::UpstreamReuses);
    else
        connection = connect(backend);
    if (connection)
        connection->m_user = &user;
    return connection;
}

UpstreamConnection* UpstreamPool::takeIdle(Backend& backend) {
    while (UpstreamConnection* connection = backend.idleTop) {
        const bool isTrusted = m_loop.nowNs() - connection->m_idleSinceNs < trustedIdleNs;
        if (connection->socket.canRead() || (!isTrusted && connection->socket.hasInput())) {
            close(*connection);
            continue;
        }
        removeIdle(*connection);
        connection->isReused = true;
        return connection;
    }
    return nullptr;
}

UpstreamConnection* UpstreamPool::connect(Backend& backend) {
    m_metrics.add(metrics::Counter::UpstreamConnects);
    UniqueFd fd(::socket(backend.socketAddress.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd)
        return nullptr;
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const bool connected = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&backend.socketAddress),
                               backend.socketAddressBytes)
        == 0;
    if (!connected && errno != EINPROGRESS)
        return nullptr;

    if (m_free.empty())
        m_free.push_back(std::make_unique<UpstreamConnection>(*this));
    std::unique_ptr<UpstreamConnection> owned = std::move(m_free.back());
    m_free.pop_back();
    owned->socket = StreamSocket(std::move(fd), connected);
    owned->backend = Ref<Backend>(&backend);
    owned->isConnected = connected;
    owned->isReused = false;
    if (!m_loop.watch(owned->socket.fd(), StreamSocket::watchedEvents, *owned)) {
        const int error = errno;
        owned->socket.close();
        owned->backend.reset();
        m_free.push_back(std::move(owned));
        errno = error;
        return nullptr;
    }
    m_metrics.adjust(metrics::Gauge::UpstreamConnections, 1);
    owned->m_index = m_connections.size();
    m_connections.push_back(std::move(owned));
    return m_connections.back().get();
}

void UpstreamPool::release(UpstreamConnection& connection) {
    connection.m_user = nullptr;
    Backend& backend = *connection.backend;
    const bool isClean = connection.input.empty() && !connection.socket.peerClosed()
        && (!connection.socket.canRead() || !connection.socket.hasInput());
    if (!isClean || backend.isRemoved || backend.idleCount >= m_idleLimit) {
        close(connection);
        return;
    }
    connection.m_idleSinceNs = m_loop.nowNs();
    m_loop.timers().set(connection, connection.m_idleSinceNs + longestIdleNs);
    pushIdle(connection);
}

void UpstreamPool::pushIdle(UpstreamConnection& connection) {
    Backend& backend = *connection.backend;
    connection.m_idleBelow = backend.idleTop;
    connection.m_idleAbove = nullptr;
    if (backend.idleTop)
        backend.idleTop->m_idleAbove = &connection;
    backend.idleTop = &connection;
    ++backend.idleCount;
    m_metrics.adjust(metrics::Gauge::UpstreamIdle, 1);
}

void UpstreamPool::removeIdle(UpstreamConnection& connection) {
    Backend& backend = *connection.backend;
    if (backend.idleTop == &connection)
        backend.idleTop = connection.m_idleBelow;
    else if (connection.m_idleAbove)
        connection.m_idleAbove->m_idleBelow = connection.m_idleBelow;
    else
        return; // in use
    if (connection.m_idleBelow)
        connection.m_idleBelow->m_idleAbove = connection.m_idleAbove;
    connection.m_idleBelow = connection.m_idleAbove = nullptr;
    --backend.idleCount;
    m_metrics.adjust(metrics::Gauge::UpstreamIdle, -1);
}

void UpstreamPool::close(UpstreamConnection& connection) {
    if (!connection.m_user)
        removeIdle(connection);
    connection.m_user = nullptr;
    connection.socket.close(); // which takes it out of the epoll set
    connection.input.clear();
    connection.backend.reset();
    m_loop.timers().turnOff(connection);
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
    while (backend.idleTop)
        close(*backend.idleTop);
}

void UpstreamPool::closeAllIdle() {
    for (std::size_t index = m_connections.size(); index-- > 0;) {
        if (index < m_connections.size() && !m_connections[index]->m_user)
            close(*m_connections[index]);
    }
}

void UpstreamPool::onBatchEnd() {
    for (auto& connection : m_ended) {
        if (m_free.size() < keptObjects)
            m_free.push_back(std::move(connection));
    }
    m_ended.clear();
}

} // namespace yardmaster::worker

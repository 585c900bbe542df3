// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/metrics/metrics_page.h"
#include "backend/worker/byte_buffer.h"
#include "backend/worker/cluster.h"
#include "backend/worker/event_loop.h"
#include "backend/worker/recycler.h"
#include "backend/worker/stream_socket.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace yardmaster::worker {

class UpstreamPool;

/// Who uses a connection to a backend; one request at a time.
class UpstreamUser {
public:
    virtual void onUpstreamEvents() = 0;

protected:
    UpstreamUser() = default;
    UpstreamUser(const UpstreamUser&) = default;
    UpstreamUser& operator=(const UpstreamUser&) = default;
    ~UpstreamUser() = default;
};

/// One connection to a backend: used, or kept idle. An idle one that says or hears anything is closed: what a backend sends
/// unasked must never become somebody's response.
class UpstreamConnection final : public EventHandler, public Timer {
public:
    explicit UpstreamConnection(UpstreamPool& pool);

    void onEvents(std::uint32_t events) override;
    void onTimer(std::int64_t nowNs) override;

    StreamSocket socket;
    ByteBuffer input;
    Ref<Backend> backend;
    bool isConnected = false;
    bool isReused = false; ///< it has served a request before

private:
    friend class UpstreamPool;
    UpstreamPool& m_pool;
    UpstreamUser* m_user = nullptr; ///< null: idle
    UpstreamConnection* m_idleBelow = nullptr;
    UpstreamConnection* m_idleAbove = nullptr;
    std::int64_t m_idleSinceNs = 0;
    std::size_t m_index = 0; ///< in the pool's list
};

/// All connections to backends. Objects of ended connections are used anew from the end of the loop's batch on.
class UpstreamPool {
public:
    UpstreamPool(EventLoop& loop, BlockPool& blocks, metrics::MetricsBlock& metrics);
    UpstreamPool(const UpstreamPool&) = delete;
    UpstreamPool& operator=(const UpstreamPool&) = delete;
    ~UpstreamPool();

    /// An idle connection, or a new one whose connect was started. Null: it failed at once (errno).
    [[nodiscard]] UpstreamConnection* acquire(Backend& backend, UpstreamUser& user);
    /// After a complete exchange: kept for the next request, up to the limit per backend.
    void release(UpstreamConnection& connection);
    void close(UpstreamConnection& connection);

    void closeIdle(Backend& backend);
    void closeAllIdle();
    void onBatchEnd();
    void setIdleLimit(std::uint32_t limit) { m_idleLimit = limit; }

private:
    friend class UpstreamConnection;
    [[nodiscard]] UpstreamConnection* takeIdle(Backend& backend);
    [[nodiscard]] UpstreamConnection* connect(Backend& backend);
    void pushIdle(UpstreamConnection& connection);
    void removeIdle(UpstreamConnection& connection);

    EventLoop& m_loop;
    BlockPool& m_blocks;
    metrics::MetricsBlock& m_metrics;
    std::vector<std::unique_ptr<UpstreamConnection>> m_connections;
    std::vector<std::unique_ptr<UpstreamConnection>> m_ended;
    std::vector<std::unique_ptr<UpstreamConnection>> m_free;
    std::uint32_t m_idleLimit = 256;
};

} // namespace yardmaster::worker

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/io/byte_buffer.h"
#include "backend/io/event_loop.h"
#include "backend/io/stream_socket.h"
#include "backend/metrics/metrics_page.h"
#include "backend/worker/cluster.h"

#include <memory>
#include <vector>

namespace yardmaster::worker {

class Session;
class UpstreamPool;

/// One connection to a backend: used by one session at a time, or idle. An idle one that says or hears
/// anything is closed: what a backend sends unasked must never become somebody's response.
class UpstreamConnection final : public io::EventHandler {
public:
    UpstreamConnection(UpstreamPool& pool, std::shared_ptr<Backend> owner, io::StreamSocket&& stream);

    void onEvents(std::uint32_t events) override;

    io::StreamSocket socket;
    io::ByteBuffer input;
    std::shared_ptr<Backend> backend;
    Session* session = nullptr; ///< null: idle
    bool isConnected = false;
    bool isReused = false; ///< it has served a request before
    std::int64_t idleSinceNs = 0;

private:
    friend class UpstreamPool;
    UpstreamPool& m_pool;
    std::size_t m_index = 0; ///< of the pool's list
};

/// All connections to backends. Those that ended are freed at the end of the loop's batch.
class UpstreamPool {
public:
    UpstreamPool(io::EventLoop& loop, metrics::MetricsBlock& metrics)
        : m_loop(loop)
        , m_metrics(metrics) { }
    ~UpstreamPool();

    /// An idle connection, or a new one whose connect was started; errno's text on failure.
    [[nodiscard]] Expected<UpstreamConnection*> acquire(
        const std::shared_ptr<Backend>& backend, Session& session);
    /// After a complete exchange: kept for the next request, up to the limit per backend.
    void release(UpstreamConnection& connection);
    void close(UpstreamConnection& connection);

    void closeIdle(Backend& backend);
    void onTick(std::int64_t nowNs);
    void onBatchEnd() { m_ended.clear(); }
    void setIdleLimit(std::uint32_t limit) { m_idleLimit = limit; }

private:
    void removeFromIdle(UpstreamConnection& connection);

    io::EventLoop& m_loop;
    metrics::MetricsBlock& m_metrics;
    std::vector<std::unique_ptr<UpstreamConnection>> m_connections;
    std::vector<std::unique_ptr<UpstreamConnection>> m_ended;
    std::uint32_t m_idleLimit = 256;
    std::size_t m_tickAt = 0;
};

} // namespace yardmaster::worker

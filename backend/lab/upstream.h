// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/io/event_loop.h"
#include "backend/lab/socket_address.h"
#include "backend/lab/wake_timer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace yardmaster::lab {

class UpstreamConnection;

/// How long a server waits before it answers: at least `fixedUs`, and up to `jitterUs` more.
struct Latency {
    std::uint32_t fixedUs = 0;
    std::uint32_t jitterUs = 0;

    /// "3", "0.5", "3+2" in milliseconds: three, and up to two more at random. InvalidArgument.
    [[nodiscard]] static Expected<Latency> parse(const std::string& text);
};

struct UpstreamOptions {
    std::vector<SocketAddress> listen; ///< one server each; with one address and more servers the ports
                                       ///< count up from it, port 0 takes free ones
    std::vector<Latency> latencies{Latency{}}; ///< of each server; the last one also of those behind it
    std::size_t servers = 0; ///< 0: as many as addresses or latencies
    std::size_t bodyBytes = 1024; ///< of the answer to a GET
};

/// HTTP/1.1 servers to stand behind a proxy. A GET answers a body of a fixed size, a POST, PUT or PATCH its
/// own body, after the server's latency. "/slow?ms=N", "/bytes?n=N", "/chunked?n=N", "/status?code=N" do what
/// they say and combine ("/chunked?n=10&ms=5"); "/echo-headers" answers the request's head. Every answer
/// names its server in X-Backend. Pipelined requests are answered in turn; a request that is no HTTP gets 400
/// and the connection closed.
class Upstream {
public:
    Upstream(io::EventLoop& loop, UpstreamOptions options);
    ~Upstream();
    Upstream(const Upstream&) = delete;
    Upstream& operator=(const Upstream&) = delete;

    [[nodiscard]] Expected<void> start();
    [[nodiscard]] const std::vector<SocketAddress>& addresses() const { return m_addresses; }
    void onBatchEnd(); ///< after each batch of the loop

private:
    class Server;
    friend class UpstreamConnection;

    [[nodiscard]] Expected<void> listenOn(SocketAddress address, std::size_t index);
    void accepted(UniqueFd fd, std::size_t server);
    void onWake();
    // For the connections.
    [[nodiscard]] std::int64_t drawLatencyNs(std::size_t server);
    void callLater(UpstreamConnection& connection, std::int64_t atNs);
    void ended(UpstreamConnection& connection);

    io::EventLoop& m_loop;
    UpstreamOptions m_options;
    WakeTimer m_timer;
    std::vector<SocketAddress> m_addresses;
    std::vector<std::unique_ptr<Server>> m_servers;
    std::unordered_map<UpstreamConnection*, std::unique_ptr<UpstreamConnection>> m_connections;
    std::vector<std::unique_ptr<UpstreamConnection>> m_ended; ///< kept until the batch is over
    std::multimap<std::int64_t, UpstreamConnection*> m_due; ///< by the time its answer leaves
    std::minstd_rand m_random;
};

} // namespace yardmaster::lab

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/io/event_loop.h"
#include "backend/io/stream_socket.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace yardmaster::lab {

struct UpstreamOptions {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0; ///< of the first; 0: free ones
    std::vector<std::uint32_t> latenciesMs = {0}; ///< one server for each
    std::size_t bodyBytes = 1024; ///< of a GET
};

/// HTTP/1.1 servers to stand behind a proxy: a GET answers a body of a fixed size, a POST its own body, after
/// the server's latency.
/// "/slow?ms=N", "/bytes?n=N", "/chunked?n=N", "/status?code=N" and "/echo-headers" do what they say. Every
/// answer names its server in X-Backend.
class Upstream {
public:
    Upstream(io::EventLoop& loop, UpstreamOptions options);
    ~Upstream();

    [[nodiscard]] Expected<void> start();
    [[nodiscard]] const std::vector<std::uint16_t>& ports() const { return m_ports; }
    void onBatchEnd();
    void onTimer(); ///< at least once a millisecond, for the latencies

private:
    class Server;
    class Connection;

    void ended(Connection& connection);

    io::EventLoop& m_loop;
    UpstreamOptions m_options;
    std::vector<std::uint16_t> m_ports;
    std::vector<std::unique_ptr<Server>> m_servers;
    std::map<Connection*, std::unique_ptr<Connection>> m_connections;
    std::vector<std::unique_ptr<Connection>> m_ended;
    std::multimap<std::int64_t, Connection*> m_due; ///< by the time its answer leaves
};

} // namespace yardmaster::lab

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/unique_fd.h"
#include "backend/metrics/metrics_page.h"
#include "backend/protocol/command.pb.h"
#include "backend/protocol/frame.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::test {

/// A listening TCP socket on 127.0.0.1 with a free port.
struct TestListener {
    TestListener();
    UniqueFd fd;
    std::uint16_t port = 0;
    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port); }
};

/// A blocking client or backend socket with deadlines.
class TestConnection {
public:
    TestConnection() = default;
    explicit TestConnection(UniqueFd fd)
        : m_fd(std::move(fd)) { }
    static TestConnection to(std::uint16_t port);
    /// The next connection a backend gets; invalid after five seconds.
    static TestConnection acceptFrom(const TestListener& listener);

    [[nodiscard]] bool isValid() const { return m_fd.isValid(); }
    void send(std::string_view bytes);
    /// Reads until `enough` says so, the peer closes or five seconds pass; what was read so far in all since
    /// the last take.
    std::string readUntil(const std::function<bool(std::string_view)>& enough);
    std::string readMessage(); ///< a head and its Content-Length body
    std::string readHead(); ///< up to and with the empty line
    std::string read(std::size_t bytes);
    std::string readToEnd();
    [[nodiscard]] bool isClosedByPeer(); ///< waits for the end up to five seconds
    void shutdownWrite();
    void reset(); ///< closes with a reset
    /// The peer's end was a reset, not a plain end; waits up to five seconds.
    [[nodiscard]] bool wasReset();
    [[nodiscard]] bool isSilent(int ms); ///< nothing comes, no end either
    void close() { m_fd.reset(); }
    [[nodiscard]] int fd() const { return m_fd.get(); }

private:
    UniqueFd m_fd;
    std::string m_rest;
};

/// Plays the agent for one real worker process.
class WorkerHarness {
public:
    WorkerHarness();
    ~WorkerHarness();

    proto::HttpListenerConfig listenerConfig; ///< change before start()
    proto::Cluster clusterConfig;
    void addBackend(std::uint16_t port, const std::string& id);
    void addFrontend(const std::string& hostname, const std::string& prefix, const std::string& clusterId);
    std::vector<proto::Request> moreState;
    std::uint32_t maxConnections = 1000;
    std::string accessLog; ///< path; empty: none

    /// True once the worker said ready.
    [[nodiscard]] bool start(bool passListener = true);
    [[nodiscard]] std::uint16_t port() const { return m_listener.port; }
    [[nodiscard]] TestConnection connect() const { return TestConnection::to(m_listener.port); }

    void send(const proto::Request& request, const std::string& id);
    /// Waits for the answer (OK or FAILURE) with this id; PROCESSING ones are collected in `reports`.
    [[nodiscard]] std::unique_ptr<proto::WorkerResponse> waitFor(
        const std::string& id, int timeoutMs = 10'000);
    /// Sends the socket, then activate_listener (on the channel itself after an adoption).
    [[nodiscard]] bool activate(const TestListener& listener, const std::string& id);
    [[nodiscard]] std::uint64_t counter(metrics::Counter which) const;
    [[nodiscard]] std::uint64_t gauge(metrics::Gauge which) const;
    void startDrain(std::uint32_t deadlineMs, std::uint32_t quietMs);
    [[nodiscard]] bool waitForExit(int& exitCode);
    void closeChannel(); ///< the agent dies
    void sendRaw(std::string_view bytes); ///< on the channel
    [[nodiscard]] bool waitForChannelEnd();
    /// A new agent; the number of listeners received, -1 on failure.
    [[nodiscard]] int adopt();
    [[nodiscard]] pid_t pid() const { return m_pid; }
    [[nodiscard]] metrics::MetricsPageLayout& page() { return m_page->layout(); }
    std::vector<proto::WorkerResponse> reports;
    proto::StartupStamps stamps;
    std::string fatalError;

private:
    [[nodiscard]] bool readResponse(proto::WorkerResponse& response, int timeoutMs);

    TestListener m_listener;
    std::unique_ptr<metrics::MetricsPage> m_page;
    std::vector<proto::Request> m_frontends;
    UniqueFd m_channel, m_scm;
    std::string m_adoptionPath;
    protocol::FrameReader m_reader{64 * 1024 * 1024};
    pid_t m_pid = -1;
};

} // namespace yardmaster::test

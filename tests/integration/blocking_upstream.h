// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace yardmaster::tests {

/// An HTTP backend on a thread of its own that answers every GET with a few bytes and keeps the connection.
class BlockingUpstream {
public:
    BlockingUpstream();
    ~BlockingUpstream();
    BlockingUpstream(const BlockingUpstream&) = delete;
    BlockingUpstream& operator=(const BlockingUpstream&) = delete;
    [[nodiscard]] std::uint16_t port() const { return m_port; }

private:
    void run();

    int m_listener = -1;
    std::uint16_t m_port = 0;
    std::atomic<bool> m_stop{false};
    std::thread m_thread;
};

/// A client that asks one request after the other and never asks one again: what is not answered with 200 and
/// the whole body is lost. With keep-alive it opens a new connection only after the proxy said it closes.
class RequestLoop {
public:
    RequestLoop(std::uint16_t port, bool keepAlive);
    ~RequestLoop();
    RequestLoop(const RequestLoop&) = delete;
    RequestLoop& operator=(const RequestLoop&) = delete;
    void stop();
    [[nodiscard]] int answered() const { return m_answered; }
    [[nodiscard]] int lost() const { return m_lost; }

private:
    void run();

    std::uint16_t m_port;
    bool m_keepAlive;
    std::atomic<bool> m_stop{false};
    std::atomic<int> m_answered{0}, m_lost{0};
    std::thread m_thread;
};

} // namespace yardmaster::tests

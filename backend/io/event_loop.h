// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/base/unique_fd.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace yardmaster::io {

/// Gets the epoll bits of one descriptor, or 0 when its turn comes that it asked for.
class EventHandler {
public:
    virtual void onEvents(std::uint32_t events) = 0;

protected:
    EventHandler() = default;
    EventHandler(const EventHandler&) = default;
    EventHandler& operator=(const EventHandler&) = default;
    ~EventHandler() = default;
};

/// One thread's epoll loop. Descriptors are registered once, edge-triggered: a request costs no epoll_ctl and
/// no read that only finds EAGAIN, which a portable reactor needs (one or the other per wait). A handler may
/// be forgotten at any time, but an object that is a handler must live until the end of the batch: free it in
/// onBatchEnd.
class EventLoop {
public:
    [[nodiscard]] static Expected<EventLoop> create();

    /// `events` as for epoll_ctl; add EPOLLET, or EPOLLEXCLUSIVE for a listener shared with other processes.
    [[nodiscard]] Expected<void> watch(int fd, std::uint32_t events, EventHandler& handler);
    void forget(int fd);
    /// onEvents(0) at the end of the next batch: for work that was cut off so that others get their turn.
    void continueLater(EventHandler& handler) { m_later.push_back(&handler); }
    /// Before a handler is destroyed that may have asked for a turn.
    void dropTurns(const EventHandler& handler);

    /// Runs until stop(). onTick about every 100 ms; onBatchEnd after each batch of events and ticks.
    void run(const std::function<void()>& onTick, const std::function<void()>& onBatchEnd);
    void stop() { m_running = false; }

    /// CLOCK_MONOTONIC when the present batch began.
    [[nodiscard]] std::int64_t nowNs() const { return m_nowNs; }

private:
    explicit EventLoop(UniqueFd epoll);

    UniqueFd m_epoll;
    bool m_running = false;
    std::int64_t m_nowNs;
    std::vector<EventHandler*> m_later;
    std::vector<EventHandler*> m_turn; ///< those being called; null: dropped
};

} // namespace yardmaster::io

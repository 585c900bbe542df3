// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/base/unique_fd.h"
#include "backend/worker/timer_wheel.h"

#include <cstdint>
#include <memory>
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

/// What else happens in a loop.
class LoopObserver {
public:
    virtual void onTick(std::int64_t nowNs) = 0; ///< about every 100 ms
    virtual void
    onBatchEnd() = 0; ///< no event of the batch is left: what ended in it may be freed or used anew

protected:
    LoopObserver() = default;
    LoopObserver(const LoopObserver&) = default;
    LoopObserver& operator=(const LoopObserver&) = default;
    ~LoopObserver() = default;
};

/// One thread's epoll loop. Descriptors are registered once, edge-triggered: a request costs no epoll_ctl and
/// no read that only finds EAGAIN, which a portable reactor needs (one or the other per wait), and a listener
/// can be registered EPOLLEXCLUSIVE, which only works on the epoll descriptor the thread sleeps on. A handler
/// must live until onBatchEnd after its descriptor was forgotten or closed.
class EventLoop {
public:
    [[nodiscard]] static Expected<EventLoop> create();

    /// `events` as for epoll_ctl; add EPOLLET, or EPOLLEXCLUSIVE for a listener shared with other processes.
    [[nodiscard]] Expected<void> watch(int fd, std::uint32_t events, EventHandler& handler);
    void forget(int fd);
    /// onEvents(0) in the next batch: for work that was cut off so that others get their turn.
    void continueLater(EventHandler& handler) { m_later.push_back(&handler); }

    void run(LoopObserver& observer);
    void stop() { m_running = false; }

    /// CLOCK_MONOTONIC when the present batch began.
    [[nodiscard]] std::int64_t nowNs() const { return m_nowNs; }
    [[nodiscard]] TimerWheel& timers() { return *m_timers; }

private:
    EventLoop(UniqueFd epoll, std::int64_t nowNs);

    UniqueFd m_epoll;
    bool m_running = false;
    std::int64_t m_nowNs;
    std::unique_ptr<TimerWheel> m_timers;
    std::vector<EventHandler*> m_later;
    std::vector<EventHandler*> m_turn;
};

} // namespace yardmaster::io

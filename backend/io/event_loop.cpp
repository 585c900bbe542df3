// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/io/event_loop.h"

#include "backend/base/monotonic_clock.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/epoll.h>

namespace yardmaster::io {

namespace {
constexpr std::int64_t tickNs = 100'000'000;
constexpr std::size_t batchSize = 128;
} // namespace

Expected<EventLoop> EventLoop::create() {
    UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll)
        return failure(Error::fromErrno(errno, "epoll_create1", "event loop"));
    return EventLoop(std::move(epoll));
}

EventLoop::EventLoop(UniqueFd epoll)
    : m_epoll(std::move(epoll))
    , m_nowNs(monotonicNowNs()) { }

Expected<void> EventLoop::watch(int fd, std::uint32_t events, EventHandler& handler) {
    epoll_event event{};
    event.events = events;
    event.data.ptr = &handler;
    if (::epoll_ctl(m_epoll.get(), EPOLL_CTL_ADD, fd, &event) != 0)
        return failure(Error::fromErrno(errno, "epoll_ctl", "descriptor " + std::to_string(fd)));
    return {};
}

void EventLoop::forget(int fd) {
    ::epoll_ctl(m_epoll.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void EventLoop::dropTurns(const EventHandler& handler) {
    std::replace_if(
        m_turn.begin(), m_turn.end(), [&handler](const EventHandler* one) { return one == &handler; },
        nullptr);
    std::erase(m_later, &handler);
}

void EventLoop::run(const std::function<void()>& onTick, const std::function<void()>& onBatchEnd) {
    std::array<epoll_event, batchSize> events{};
    m_running = true;
    std::int64_t nextTickNs = monotonicNowNs() + tickNs;
    while (m_running) {
        const std::int64_t waitMs =
            m_later.empty() ? std::clamp<std::int64_t>((nextTickNs - m_nowNs) / 1'000'000 + 1, 0, 100) : 0;
        const int count = ::epoll_wait(m_epoll.get(), events.data(), batchSize, static_cast<int>(waitMs));
        m_nowNs = monotonicNowNs();
        for (int index = 0; index < count; ++index) {
            const epoll_event& event = events[static_cast<std::size_t>(index)];
            static_cast<EventHandler*>(event.data.ptr)->onEvents(event.events);
        }
        if (!m_later.empty()) {
            m_turn.swap(m_later);
            for (std::size_t at = 0; at < m_turn.size(); ++at) {
                if (m_turn[at])
                    m_turn[at]->onEvents(0);
            }
            m_turn.clear();
        }
        if (m_nowNs >= nextTickNs) {
            nextTickNs = m_nowNs + tickNs;
            onTick();
        }
        onBatchEnd();
    }
}

} // namespace yardmaster::io

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/wake_timer.h"

#include <algorithm>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace yardmaster::lab {

WakeTimer::WakeTimer(std::function<void()> onExpire)
    : m_onExpire(std::move(onExpire)) { }

Expected<void> WakeTimer::start(io::EventLoop& loop) {
    m_fd.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    if (!m_fd)
        return failure(Error::fromErrno(errno, "timerfd_create", "timer"));
    return loop.watch(m_fd.get(), EPOLLIN, *this);
}

void WakeTimer::wakeAt(std::int64_t monotonicNs) {
    if (m_atNs != 0 && m_atNs <= monotonicNs)
        return;
    m_atNs = std::max<std::int64_t>(monotonicNs, 1);
    itimerspec spec{};
    spec.it_value.tv_sec = m_atNs / 1'000'000'000;
    spec.it_value.tv_nsec = m_atNs % 1'000'000'000;
    ::timerfd_settime(m_fd.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

void WakeTimer::onEvents(std::uint32_t) {
    std::uint64_t expirations = 0;
    if (::read(m_fd.get(), &expirations, sizeof expirations) != sizeof expirations)
        return;
    m_atNs = 0;
    m_onExpire();
}

} // namespace yardmaster::lab

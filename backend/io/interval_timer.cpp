// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/io/interval_timer.h"

#include <cerrno>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace yardmaster::io {

IntervalTimer::IntervalTimer(std::function<void()> onExpire)
    : m_onExpire(std::move(onExpire)) { }

Expected<void> IntervalTimer::start(EventLoop& loop, std::int64_t periodNs) {
    m_fd.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    itimerspec spec{};
    spec.it_interval.tv_sec = periodNs / 1'000'000'000;
    spec.it_interval.tv_nsec = periodNs % 1'000'000'000;
    spec.it_value = spec.it_interval;
    if (!m_fd || ::timerfd_settime(m_fd.get(), 0, &spec, nullptr) != 0)
        return failure(Error::fromErrno(errno, "timerfd", "interval timer"));
    return loop.watch(m_fd.get(), EPOLLIN, *this);
}

void IntervalTimer::onEvents(std::uint32_t) {
    std::uint64_t expirations = 0;
    if (::read(m_fd.get(), &expirations, sizeof expirations) == sizeof expirations)
        m_onExpire();
}

} // namespace yardmaster::io

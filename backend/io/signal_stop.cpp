// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/io/signal_stop.h"

#include <cerrno>
#include <csignal>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace yardmaster::io {

SignalStop::SignalStop(std::function<void()> onSignal)
    : m_onSignal(std::move(onSignal)) { }

Expected<void> SignalStop::start(EventLoop& loop) {
    sigset_t mask;
    ::sigemptyset(&mask);
    ::sigaddset(&mask, SIGINT);
    ::sigaddset(&mask, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &mask, nullptr);
    m_fd.reset(::signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!m_fd)
        return failure(Error::fromErrno(errno, "signalfd", "SIGINT, SIGTERM"));
    return loop.watch(m_fd.get(), EPOLLIN, *this);
}

void SignalStop::onEvents(std::uint32_t) {
    signalfd_siginfo info{};
    if (::read(m_fd.get(), &info, sizeof info) == sizeof info)
        m_onSignal();
}

} // namespace yardmaster::io

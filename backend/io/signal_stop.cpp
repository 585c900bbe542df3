// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/io/signal_stop.h"

#include <cerrno>
#include <csignal>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace yardmaster::io {

SignalStop::SignalStop(std::function<void()> onSignal, std::vector<int> signalNumbers)
    : m_onSignal(std::move(onSignal))
    , m_signalNumbers(std::move(signalNumbers)) { }

Expected<void> SignalStop::start(EventLoop& loop) {
    sigset_t mask;
    ::sigemptyset(&mask);
    for (const int number : m_signalNumbers)
        ::sigaddset(&mask, number);
    ::sigprocmask(SIG_BLOCK, &mask, nullptr);
    m_fd.reset(::signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!m_fd)
        return failure(Error::fromErrno(errno, "signalfd", "termination signals"));
    return loop.watch(m_fd.get(), EPOLLIN, *this);
}

void SignalStop::onEvents(std::uint32_t) {
    signalfd_siginfo info{};
    if (::read(m_fd.get(), &info, sizeof info) == sizeof info)
        m_onSignal();
}

} // namespace yardmaster::io

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/listener.h"

#include "backend/state/socket_address.h"

#include <cerrno>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace yardmaster::worker {

namespace {

// Few a wake-up, and then to the end of the line (see onEvents): the rest of a burst is left to the other
// workers.
constexpr int acceptsPerWakeUp = 2;

std::int64_t nsFrom(std::uint32_t ms, std::uint32_t fallbackSeconds) {
    return ms > 0 ? static_cast<std::int64_t>(ms) * 1'000'000
                  : static_cast<std::int64_t>(fallbackSeconds) * 1'000'000'000;
}

} // namespace

std::shared_ptr<ListenerSettings> ListenerSettings::fromConfig(
    const proto::HttpListenerConfig& config, const std::string& address) {
    auto settings = std::make_shared<ListenerSettings>();
    settings->address = address;
    const auto& shown = config.has_public_address() ? config.public_address() : config.address();
    settings->port = std::to_string(shown.port());
    const auto& limits = config.limits();
    if (limits.max_line_bytes() > 0)
        settings->limits.maxLineBytes = limits.max_line_bytes();
    if (limits.max_header_count() > 0)
        settings->limits.maxHeaderCount = limits.max_header_count();
    if (limits.max_header_bytes() > 0)
        settings->limits.maxHeadBytes = limits.max_header_bytes();
    if (limits.max_body_bytes() > 0)
        settings->limits.maxBodyBytes = limits.max_body_bytes();
    settings->replaceForwardedFor = limits.forwarded_for() == proto::REPLACE;
    if (!config.request_id_header().empty())
        settings->requestIdHeader = config.request_id_header();
    settings->idleTimeoutNs = nsFrom(limits.idle_timeout_ms(), config.front_timeout());
    settings->headerTimeoutNs = nsFrom(limits.header_timeout_ms(), config.request_timeout());
    settings->responseTimeoutNs = nsFrom(limits.response_timeout_ms(), config.back_timeout());
    settings->connectTimeoutNs = nsFrom(limits.connect_timeout_ms(), config.connect_timeout());
    return settings;
}

Listener::Listener(io::EventLoop& loop, UniqueFd fd, std::string address, Accept accept)
    : m_loop(loop)
    , m_fd(std::move(fd))
    , m_address(std::move(address))
    , m_accept(std::move(accept)) {
    // The flag belongs to the socket that all workers share: one that blocks would stop every connection of a
    // worker that loses the race for a new one. Accepted sockets inherit TCP_NODELAY.
    ::fcntl(m_fd.get(), F_SETFL, ::fcntl(m_fd.get(), F_GETFL) | O_NONBLOCK);
    const int on = 1;
    ::setsockopt(m_fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Listener::~Listener() {
    stopAccepting();
}

Expected<void> Listener::startAccepting() {
    if (m_isAccepting)
        return {};
    // Level-triggered and exclusive: one of the workers wakes for a new connection, and wakes again while the
    // queue is not empty.
    auto watched = m_loop.watch(m_fd.get(), EPOLLIN | EPOLLEXCLUSIVE, *this);
    m_isAccepting = watched.has_value();
    return watched;
}

void Listener::retryAccepting() {
    if (std::exchange(m_isExhausted, false))
        (void)startAccepting();
}

void Listener::stopAccepting() {
    if (std::exchange(m_isAccepting, false))
        m_loop.forget(m_fd.get());
}

void Listener::onEvents(std::uint32_t) {
    for (int accepted = 0; accepted < acceptsPerWakeUp && m_isAccepting; ++accepted) {
        UniqueFd fd(::accept4(m_fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!fd) {
            // Without a free descriptor the queue stays readable: looking again at once would only burn time.
            const int error = errno;
            if (error == ECONNABORTED || error == EINTR)
                continue;
            m_isExhausted = error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
            if (m_isExhausted)
                stopAccepting();
            return;
        }
        m_accept(std::move(fd), *this);
    }
    // The kernel wakes the first idle one of those who wait exclusively, and leaves it first: without this
    // step one worker would get every connection of a quiet host. Registering anew puts us last.
    if (m_isAccepting) {
        stopAccepting();
        (void)startAccepting();
    }
}

} // namespace yardmaster::worker

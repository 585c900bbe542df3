// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/upstream.h"

#include "backend/base/monotonic_clock.h"
#include "backend/lab/upstream_connection.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

namespace yardmaster::lab {

namespace {

constexpr int backlog = 4096;
constexpr double maxLatencyMs = 3'600'000;

bool readMs(std::string_view text, std::uint32_t& us) {
    double ms = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), ms);
    if (error != std::errc{} || stop != text.data() + text.size() || !(ms >= 0 && ms <= maxLatencyMs))
        return false;
    us = static_cast<std::uint32_t>(ms * 1000 + 0.5);
    return true;
}

} // namespace

Expected<Latency> Latency::parse(const std::string& text) {
    Latency latency;
    const std::size_t plus = text.find('+');
    const std::string_view view(text);
    if (!readMs(view.substr(0, plus), latency.fixedUs)
        || (plus != std::string::npos && !readMs(view.substr(plus + 1), latency.jitterUs)))
        return failure(Error::Code::InvalidArgument, "is no latency in milliseconds", text,
            "write it as 3 or 0.5, or 3+2 for up to 2 ms more");
    return latency;
}

class Upstream::Server final : public io::EventHandler {
public:
    Server(Upstream& owner, UniqueFd fd, std::size_t index)
        : m_owner(owner)
        , m_fd(std::move(fd))
        , m_index(index) { }

    void onEvents(std::uint32_t) override {
        // Level-triggered: what is not taken now is told of again.
        for (int taken = 0; taken < 64; ++taken) {
            UniqueFd fd(::accept4(m_fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
            if (!fd)
                return;
            m_owner.accepted(std::move(fd), m_index);
        }
    }
    [[nodiscard]] int fd() const { return m_fd.get(); }

private:
    Upstream& m_owner;
    UniqueFd m_fd;
    std::size_t m_index;
};

Upstream::Upstream(io::EventLoop& loop, UpstreamOptions options)
    : m_loop(loop)
    , m_options(std::move(options))
    , m_timer([this] { onWake(); }) { }

Upstream::~Upstream() = default;

Expected<void> Upstream::start() {
    if (m_options.listen.empty() || m_options.latencies.empty())
        return failure(
            Error::Code::InvalidArgument, "an upstream needs an address and a latency", "upstream options");
    if (auto started = m_timer.start(m_loop); !started)
        return started;
    std::size_t count = m_options.servers;
    if (count == 0)
        count = std::max(m_options.listen.size(), m_options.latencies.size());
    if (m_options.listen.size() > 1 && count != m_options.listen.size())
        return failure(Error::Code::InvalidArgument,
            std::to_string(m_options.listen.size()) + " addresses for " + std::to_string(count) + " servers",
            "upstream options", "give one address, or one for each server");
    for (std::size_t index = 0; index < count; ++index) {
        SocketAddress address = m_options.listen[std::min(index, m_options.listen.size() - 1)];
        if (m_options.listen.size() == 1 && address.port() != 0)
            address.setPort(static_cast<std::uint16_t>(address.port() + index));
        if (auto listening = listenOn(address, index); !listening)
            return listening;
    }
    return {};
}

Expected<void> Upstream::listenOn(SocketAddress address, std::size_t index) {
    UniqueFd fd(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int on = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (!fd || ::bind(fd.get(), address.get(), address.size()) != 0 || ::listen(fd.get(), backlog) != 0)
        return failure(Error::fromErrno(errno, "listen", address.toString()));
    auto bound = SocketAddress::ofSocket(fd.get());
    if (!bound)
        return failure(bound.error());
    m_addresses.push_back(*bound);
    m_servers.push_back(std::make_unique<Server>(*this, std::move(fd), index));
    return m_loop.watch(m_servers.back()->fd(), EPOLLIN, *m_servers.back());
}

void Upstream::accepted(UniqueFd fd, std::size_t server) {
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    auto connection = std::make_unique<UpstreamConnection>(*this, std::move(fd), server);
    if (m_loop.watch(connection->fd(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *connection)) {
        UpstreamConnection* key = connection.get();
        m_connections.emplace(key, std::move(connection));
    }
}

std::int64_t Upstream::drawLatencyNs(std::size_t server) {
    const Latency& latency = m_options.latencies[std::min(server, m_options.latencies.size() - 1)];
    std::uint64_t us = latency.fixedUs;
    if (latency.jitterUs > 0)
        us += std::uniform_int_distribution<std::uint32_t>(0, latency.jitterUs)(m_random);
    return static_cast<std::int64_t>(us) * 1000;
}

void Upstream::callLater(UpstreamConnection& connection, std::int64_t atNs) {
    m_due.emplace(atNs, &connection);
    m_timer.wakeAt(atNs);
}

void Upstream::onWake() {
    const std::int64_t nowNs = monotonicNowNs();
    while (!m_due.empty() && m_due.begin()->first <= nowNs) {
        UpstreamConnection* connection = m_due.begin()->second;
        m_due.erase(m_due.begin());
        connection->onLatencyOver();
    }
    if (!m_due.empty())
        m_timer.wakeAt(m_due.begin()->first);
}

void Upstream::onBatchEnd() {
    m_ended.clear();
}

void Upstream::ended(UpstreamConnection& connection) {
    if (connection.isWaiting())
        std::erase_if(m_due, [&](const auto& entry) { return entry.second == &connection; });
    const auto at = m_connections.find(&connection);
    if (at == m_connections.end())
        return;
    m_ended.push_back(std::move(at->second));
    m_connections.erase(at);
}

} // namespace yardmaster::lab

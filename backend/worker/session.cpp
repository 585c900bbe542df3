// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/session.h"

#include "backend/base/monotonic_clock.h"
#include "backend/worker/access_log.h"
#include "backend/worker/proxy.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdio>
#include <netinet/in.h>
#include <sys/epoll.h>

namespace yardmaster::worker {

namespace {

constexpr std::size_t clientBufferBytes = 16 * 1024;
constexpr std::int64_t lingerNs = 2'000'000'000;
/// A connection that has been idle for so long needs no buffers; thousands of them would hold much.
constexpr std::int64_t keepsBuffersNs = 1'000'000'000;
// About half a megabyte: then the other connections get their turn.
constexpr int roundsPerTurn = 16;

/// Address without port, port, and a hash of the address.
void readPeer(int fd, std::string& address, std::uint16_t& port, std::uint64_t& hash) {
    sockaddr_storage peer{};
    socklen_t bytes = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &bytes) != 0)
        return;
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (peer.ss_family == AF_INET6) {
        const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&peer);
        ::inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
        port = ntohs(v6->sin6_port);
    } else if (peer.ss_family == AF_INET) {
        const auto* v4 = reinterpret_cast<const sockaddr_in*>(&peer);
        ::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
        port = ntohs(v4->sin_port);
    }
    address = text.data();
    hash = 0xCBF2'9CE4'8422'2325ULL;
    for (const char c : address)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01B3ULL;
}

} // namespace

Session::Session(SessionContext& context, UniqueFd fd, std::shared_ptr<const ListenerSlot> slot)
    : m_context(context)
    , m_client(std::move(fd), true)
    , m_slot(std::move(slot))
    , m_settings(m_slot->settings)
    , m_openedNs(context.loop.nowNs())
    , m_input(clientBufferBytes)
    , m_requestParser(m_settings->limits)
    , m_requestChunks(m_settings->limits.maxBodyBytes) {
    readPeer(m_client.fd(), m_clientAddress, m_clientPort, m_affinityHash);
    m_context.metrics.add(metrics::Counter::ConnectionsAccepted);
    m_context.metrics.adjust(metrics::Gauge::Connections, 1);
}

Session::~Session() {
    end();
}

Expected<void> Session::start() {
    startRequestWait();
    return m_context.loop.watch(m_client.fd(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *this);
}

void Session::onEvents(std::uint32_t events) {
    if (isEnded())
        return;
    if (events == 0)
        m_wantsTurn = false;
    m_client.noteEvents(events);
    run();
}

void Session::onUpstreamEvents(std::uint32_t events) {
    if (isEnded())
        return;
    if (m_state == State::Connecting) {
        if (events & (EPOLLERR | EPOLLHUP)) {
            connectFailed("connect failed");
        } else if (events & EPOLLOUT) {
            upstreamConnected();
        }
    }
    run();
}

void Session::run() {
    if (m_isRunning)
        return;
    m_isRunning = true;
    Progress progress = Progress::Again;
    for (int round = 0; progress == Progress::Again; ++round) {
        if (round == roundsPerTurn) {
            if (!std::exchange(m_wantsTurn, true))
                m_context.loop.continueLater(*this);
            break;
        }
        switch (m_state) {
        case State::ReadingHead:
            progress = readHead();
            break;
        case State::Exchange:
            progress = exchange();
            break;
        case State::Tunnel:
            progress = tunnel();
            break;
        case State::Finishing:
            progress = finish();
            break;
        case State::Lingering:
            progress = linger();
            break;
        case State::Connecting: {
            // Only the upstream moves this on; but a client that is gone needs no connection.
            const bool gone = m_client.peerClosed() && m_clientAtEnd;
            progress = Progress::Wait;
            if (gone)
                abortExchange();
            break;
        }
        case State::Ended:
            progress = Progress::Wait;
            break;
        }
    }
    m_isRunning = false;
}

void Session::startRequestWait() {
    m_state = State::ReadingHead;
    setInFlight(false);
    setIdle(m_input.empty());
    m_idleSinceNs = m_context.loop.nowNs();
    // A drain is patient with a connection that has said nothing yet: its first request may be on the way.
    if (m_isDraining)
        setDeadline(m_requestsServed > 0 ? m_quietNs : std::max(m_quietNs, m_settings->headerTimeoutNs));
    else
        setDeadline(m_input.empty() ? m_settings->idleTimeoutNs : m_settings->headerTimeoutNs);
}

Session::Progress Session::finish() {
    flushToClient();
    if (isEnded())
        return Progress::Wait;
    if (m_toClientSent < m_toClient.size())
        return Progress::Wait;
    // Bytes of the client that were not read would make the kernel answer our close with a reset, which can
    // overtake the response (RFC 9112 9.6): close one half, read what comes, then close.
    m_client.shutdownWrite();
    m_state = State::Lingering;
    setDeadline(lingerNs);
    return Progress::Again;
}

Session::Progress Session::linger() {
    if (!m_client.canRead())
        return Progress::Wait;
    m_input.clear();
    std::size_t count = 0;
    switch (m_client.read(m_input.space(), count)) {
    case io::IoResult::Done:
        return Progress::Again;
    case io::IoResult::WouldBlock:
        return Progress::Wait;
    case io::IoResult::EndOfStream:
    case io::IoResult::Failed:
        break;
    }
    end();
    return Progress::Wait;
}

void Session::onTick(std::int64_t nowNs) {
    if (isEnded())
        return;
    if (m_isIdle && m_input.holdsMemory() && nowNs - m_idleSinceNs > keepsBuffersNs)
        releaseBuffers();
    if (m_deadlineNs == 0 || nowNs < m_deadlineNs)
        return;
    switch (m_state) {
    case State::ReadingHead:
        if (!m_input.empty()) {
            setInFlight(true);
            forgetRequest();
            (void)answer(408, "the request head did not come in time");
        } else {
            m_closedIdle = true;
            m_keepAlive = false;
            m_state = State::Finishing;
        }
        break;
    case State::Connecting:
        m_connectTimedOut = true;
        connectFailed("connect timed out");
        break;
    case State::Exchange:
        if (m_responseComplete || m_toClientSent < m_toClient.size()) {
            abortExchange(); // the client does not read
        } else if (!m_responseStarted && isWaitingForBody()) {
            (void)answer(408, "the request body did not come in time");
        } else {
            if (m_upstream && !m_responseStarted)
                m_connectTimedOut = true;
            upstreamFailed("the backend did not answer in time");
        }
        break;
    case State::Finishing:
    case State::Lingering:
    case State::Tunnel:
        end();
        break;
    case State::Ended:
        break;
    }
    run();
}

void Session::releaseBuffers() {
    m_input.release();
    m_toClient = std::string();
    m_toUpstream = std::string();
    m_toClientSent = m_toUpstreamSent = 0;
}

void Session::beginDrain(std::int64_t quietNs) {
    m_isDraining = true;
    m_quietNs = quietNs;
    if (m_state == State::ReadingHead && m_input.empty())
        startRequestWait();
}

void Session::cut() {
    end();
}

std::string Session::describe(std::int64_t nowNs) const {
    std::array<char, 32> age{};
    const std::int64_t sinceNs = hasRequest() ? m_requestStartNs : m_openedNs;
    std::snprintf(age.data(), age.size(), " %.1f s", static_cast<double>(nowNs - sinceNs) / 1e9);
    std::string text = m_clientAddress + ":" + std::to_string(m_clientPort) + " ";
    text += hasRequest() ? m_methodText + " " + m_path.substr(0, m_path.find('?')) : "idle";
    return text + age.data();
}

void Session::recordRequest() {
    const std::int64_t nowNs = monotonicNowNs();
    const auto latencyUs =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, nowNs - m_requestStartNs) / 1000);
    const auto outcome = m_status >= 500 ? metrics::Counter::Responses5xx : metrics::Counter::ResponsesOk;
    const auto note = [&](metrics::MetricsBlock& block) {
        block.add(outcome);
        block.recordLatency(latencyUs);
        if (m_ownError && m_status >= 400)
            block.add(metrics::Counter::ProxyErrors);
    };
    note(m_context.metrics);
    if (m_cluster)
        note(*m_cluster->metrics);
    if (m_context.accessLog) {
        AccessLog::Entry entry;
        entry.requestId = m_requestId;
        entry.client = m_clientAddress;
        entry.method = m_methodText;
        entry.host = m_host;
        entry.path = m_path;
        entry.cluster = m_cluster ? std::string_view(m_cluster->id) : std::string_view();
        entry.backend = m_upstream ? std::string_view(m_upstream->backend->id) : std::string_view();
        entry.status = m_status;
        entry.bytes = m_bytesToClient;
        entry.latencyUs = latencyUs;
        m_context.accessLog->write(entry);
    }
}

void Session::setDeadline(std::int64_t afterNs) {
    m_deadlineNs = afterNs > 0 ? m_context.loop.nowNs() + afterNs : 0;
}

bool Session::isWaitingForBody() const {
    return !m_requestComplete && m_toUpstreamSent == m_toUpstream.size() && !m_expectsContinue;
}

void Session::renewDeadline() {
    // Whoever has to move next gets its own time.
    const bool forClient = m_toClientSent < m_toClient.size() || isWaitingForBody();
    setDeadline(forClient ? m_settings->idleTimeoutNs : m_settings->responseTimeoutNs);
    m_moved = false;
}

void Session::setIdle(bool idle) {
    if (idle == m_isIdle)
        return;
    m_isIdle = idle;
    m_context.metrics.adjust(metrics::Gauge::IdleConnections, idle ? 1 : -1);
}

void Session::setInFlight(bool inFlight) {
    if (inFlight == m_inFlight)
        return;
    m_inFlight = inFlight;
    m_context.metrics.adjust(metrics::Gauge::RequestsInFlight, inFlight ? 1 : -1);
}

void Session::end() {
    if (m_state == State::Ended)
        return;
    if (m_state == State::Tunnel)
        m_context.metrics.adjust(metrics::Gauge::OpenTunnels, -1);
    if (m_inFlight && !m_responseComplete)
        m_context.metrics.add(metrics::Counter::ClientAborts);
    dropUpstream();
    setIdle(false);
    setInFlight(false);
    m_state = State::Ended;
    if (std::exchange(m_wantsTurn, false))
        m_context.loop.dropTurns(*this);
    if (m_resetsOnEnd)
        m_client.closeWithReset();
    else
        m_client.close();
    m_cluster.reset();
    m_context.metrics.adjust(metrics::Gauge::Connections, -1);
    m_context.metrics.add(metrics::Counter::ConnectionsClosed);
    m_context.proxy.sessionEnded(*this);
}

} // namespace yardmaster::worker

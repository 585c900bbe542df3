// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/proxy/session.h"

namespace yardmaster::worker {

namespace {
constexpr std::size_t mostPendingBytes = 64 * 1024;
} // namespace

void Session::startTunnel() {
    recordRequest();
    setInFlight(false);
    m_context.metrics.add(metrics::Counter::Tunnels);
    m_context.metrics.adjust(metrics::Gauge::OpenTunnels, 1);
    m_responseComplete = true;
    m_state = State::Tunnel;
    setDeadline(0); // as long as both ends keep it
    m_toUpstream.erase(0, m_toUpstreamSent);
    m_toUpstreamSent = 0;
    m_toUpstream.append(m_input.view()); // what the client sent ahead belongs to the new protocol
    m_input.clear();
}

Session::Progress Session::tunnel() {
    bool moved = false;
    // Client to backend.
    if (m_toUpstream.size() - m_toUpstreamSent < mostPendingBytes && m_client.canRead()) {
        if (readClient()) {
            m_toUpstream.append(m_input.view());
            m_input.clear();
            moved = true;
        } else if (m_state != State::Tunnel) {
            return Progress::Wait;
        }
    }
    if (m_toUpstreamSent < m_toUpstream.size() && m_upstream->socket.canWrite()) {
        std::size_t count = 0;
        if (m_upstream->socket.write(std::string_view(m_toUpstream).substr(m_toUpstreamSent), {}, count)
            == io::IoResult::Failed) {
            end();
            return Progress::Wait;
        }
        m_toUpstreamSent += count;
        moved = moved || count > 0;
        if (m_toUpstreamSent == m_toUpstream.size()) {
            m_toUpstream.clear();
            m_toUpstreamSent = 0;
        }
    }
    // Backend to client.
    io::ByteBuffer& input = m_upstream->input;
    bool upstreamAtEnd = false;
    if (m_toClient.size() - m_toClientSent < mostPendingBytes) {
        if (input.empty() && m_upstream->socket.canRead()) {
            std::size_t count = 0;
            const io::IoResult result = m_upstream->socket.read(input.space(), count);
            input.produced(count);
            upstreamAtEnd = result == io::IoResult::EndOfStream || result == io::IoResult::Failed;
        }
        if (!input.empty()) {
            m_toClient.append(input.view());
            input.clear();
            moved = true;
        }
    }
    moved = flushToClient() || moved;
    if (isEnded())
        return Progress::Wait;
    // Either end closing ends the tunnel once what it said was passed on.
    if (upstreamAtEnd || (m_clientAtEnd && m_toUpstream.empty())) {
        m_context.metrics.adjust(metrics::Gauge::OpenTunnels, -1);
        dropUpstream();
        m_keepAlive = false;
        m_state = State::Finishing;
        setDeadline(m_settings->responseTimeoutNs);
        return Progress::Again;
    }
    return moved ? Progress::Again : Progress::Wait;
}

} // namespace yardmaster::worker

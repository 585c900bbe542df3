// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/session.h"

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
    m_upstreamAtEnd = m_upstreamShut = m_clientShut = false;
    setDeadline(0); // as long as both ends keep it
    m_toUpstream.erase(0, m_toUpstreamSent);
    m_toUpstreamSent = 0;
    m_toUpstream.append(m_input.view()); // what the client sent ahead belongs to the new protocol
    m_input.clear();
}

bool Session::tunnelToUpstream() {
    bool moved = false;
    if (!m_clientAtEnd && m_client.canRead() && m_toUpstream.size() - m_toUpstreamSent < mostPendingBytes) {
        if (readClient()) {
            m_toUpstream.append(m_input.view());
            m_input.clear();
            moved = true;
        } else if (m_state != State::Tunnel) {
            return false;
        }
    }
    if (m_toUpstreamSent < m_toUpstream.size() && m_upstream->socket.canWrite()) {
        std::size_t count = 0;
        const auto rest = std::string_view(m_toUpstream).substr(m_toUpstreamSent);
        if (m_upstream->socket.write(rest, {}, count) == io::IoResult::Failed) {
            end();
            return false;
        }
        m_toUpstreamSent += count;
        moved = moved || count > 0;
        if (m_toUpstreamSent == m_toUpstream.size()) {
            m_toUpstream.clear();
            m_toUpstreamSent = 0;
        }
    }
    if (m_clientAtEnd && m_toUpstream.empty() && !m_upstreamShut) {
        m_upstream->socket.shutdownWrite();
        m_upstreamShut = true;
    }
    return moved;
}

bool Session::tunnelToClient() {
    io::ByteBuffer& input = m_upstream->input;
    bool moved = false;
    if (m_toClient.size() - m_toClientSent < mostPendingBytes) {
        if (input.empty() && !m_upstreamAtEnd && m_upstream->socket.canRead()) {
            std::size_t count = 0;
            const io::IoResult result = m_upstream->socket.read(input.space(), count);
            input.produced(count);
            if (result == io::IoResult::Failed) {
                end();
                return false;
            }
            m_upstreamAtEnd = result == io::IoResult::EndOfStream;
        }
        if (!input.empty()) {
            m_toClient.append(input.view());
            input.clear();
            moved = true;
        }
    }
    moved = flushToClient() || moved;
    if (isEnded())
        return false;
    if (m_upstreamAtEnd && m_toClient.empty() && !m_clientShut) {
        m_client.shutdownWrite();
        m_clientShut = true;
    }
    return moved;
}

Session::Progress Session::tunnel() {
    const bool up = tunnelToUpstream();
    if (isEnded())
        return Progress::Wait;
    const bool down = tunnelToClient();
    if (isEnded())
        return Progress::Wait;
    if (m_upstreamShut && m_clientShut) {
        end(); // each end has said all it wanted, and all of it was passed on
        return Progress::Wait;
    }
    // One half may stay open alone, but not for ever: the other end may be gone without a word.
    if ((m_upstreamShut || m_clientShut) && (m_deadlineNs == 0 || up || down))
        setDeadline(m_settings->idleTimeoutNs);
    return up || down ? Progress::Again : Progress::Wait;
}

} // namespace yardmaster::worker

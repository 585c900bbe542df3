// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/session.h"

#include "backend/http/head_writer.h"
#include "backend/worker/proxy.h"

#include <array>
#include <charconv>
#include <sys/epoll.h>

namespace yardmaster::worker {

namespace {

constexpr int mostInformationalResponses = 32;
constexpr int roundsPerCall = 4; ///< then the other direction moves
constexpr std::size_t mostPendingBytes =
    64 * 1024; ///< for a peer that reads slowly; then the other side is not read

void appendChunk(std::string& out, std::string_view data) {
    std::array<char, 20> size{};
    const auto end = std::to_chars(size.data(), size.data() + size.size(), data.size(), 16).ptr;
    out.append(size.data(), end);
    out.append("\r\n").append(data).append("\r\n");
}

void appendLastChunk(std::string& out, std::string_view trailers) {
    out.append("0\r\n").append(trailers).append("\r\n");
}

} // namespace

Session::Progress Session::exchange() {
    bool moved = false;
    if (m_upstream && m_upstream->isConnected)
        moved = sendRequest();
    if (m_state == State::Exchange && !m_responseComplete && m_upstream)
        moved = takeResponse() || moved;
    if (m_state != State::Exchange)
        return Progress::Again;
    moved = flushToClient() || moved; // room again: no edge tells that the backend's bytes are still there
    if (m_state != State::Exchange)
        return Progress::Again;
    if (m_responseComplete && m_toClientSent == m_toClient.size()) {
        finishResponse();
        return Progress::Again;
    }
    // A client that reset its connection while we wait for its response is owed nothing more; one that only
    // closed its half still gets the response.
    if (m_client.peerClosed() && !m_clientAtEnd && m_requestComplete && m_client.canRead()
        && m_input.empty()) {
        (void)readClient();
        if (m_state != State::Exchange)
            return Progress::Wait;
    }
    if (moved)
        return Progress::Again;
    if (m_moved)
        renewDeadline();
    return Progress::Wait;
}

bool Session::readClient() {
    std::size_t count = 0;
    switch (m_client.read(m_input.space(), count)) {
    case io::IoResult::Done:
        m_input.produced(count);
        m_context.metrics.add(metrics::Counter::BytesIn, count);
        return true;
    case io::IoResult::WouldBlock:
        return false;
    case io::IoResult::EndOfStream:
        m_clientAtEnd = true;
        return false;
    case io::IoResult::Failed:
        m_clientAtEnd = true;
        if (hasRequest())
            abortExchange();
        return false;
    }
    return false;
}

bool Session::readUpstream() {
    std::size_t count = 0;
    switch (m_upstream->socket.read(m_upstream->input.space(), count)) {
    case io::IoResult::Done:
        m_upstream->input.produced(count);
        return true;
    case io::IoResult::WouldBlock:
        return false;
    case io::IoResult::EndOfStream:
        if (m_responseStarted && m_responseFraming == http::BodyFraming::UntilClose) {
            if (m_rechunk)
                appendLastChunk(m_toClient, {});
            m_upstreamKeepAlive = false;
            m_responseComplete = true;
            return true;
        }
        upstreamFailed("the backend closed the connection");
        return false;
    case io::IoResult::Failed:
        upstreamFailed("the connection to the backend broke");
        return false;
    }
    return false;
}

bool Session::sendRequest() {
    bool moved = false;
    int rounds = 0;
    for (;;) {
        if (m_toUpstreamSent < m_toUpstream.size()) {
            if (!m_upstream->socket.canWrite())
                return moved;
            std::size_t count = 0;
            const auto rest = std::string_view(m_toUpstream).substr(m_toUpstreamSent);
            const io::IoResult result = m_upstream->socket.write(rest, {}, count);
            if (result == io::IoResult::Failed) {
                // Nothing of the request was taken, so this backend cannot have seen it.
                if (m_toUpstreamSent == 0 && m_upstream->isReused && !m_responseStarted) {
                    dropUpstream();
                    --m_triedCount;
                    m_context.metrics.add(metrics::Counter::Retries);
                    (void)connectUpstream();
                    return true;
                }
                // It may have answered before it closed: that answer is read first.
                m_toUpstreamSent = m_toUpstream.size();
                m_upstream->socket.noteEvents(EPOLLIN | EPOLLHUP);
                return true;
            }
            if (result == io::IoResult::WouldBlock)
                return moved;
            m_toUpstreamSent += count;
            moved = true;
            touch();
            if (m_toUpstreamSent < m_toUpstream.size())
                return moved;
        }
        if (m_requestComplete)
            return moved;
        m_toUpstream.clear();
        m_toUpstreamSent = 0;
        if (++rounds > roundsPerCall || !takeRequestBody())
            return moved;
        moved = true;
        if (m_state != State::Exchange || !m_upstream)
            return moved;
    }
}

bool Session::takeRequestBody() {
    if (m_input.empty()) {
        if (!m_client.canRead())
            return false;
        if (!readClient()) {
            if (m_clientAtEnd && m_state == State::Exchange)
                abortExchange(); // the body will never be complete
            return false;
        }
    }
    if (m_requestFraming == http::BodyFraming::ContentLength) {
        const std::string_view body = m_input.view().substr(0, m_requestRemaining);
        m_toUpstream.append(body);
        m_input.consume(body.size());
        m_requestRemaining -= body.size();
        m_requestComplete = m_requestRemaining == 0;
        return true;
    }
    while (!m_input.empty() && !m_requestComplete) {
        const auto step = m_requestChunks.next(m_input.view());
        if (step.kind == http::ChunkedDecoder::Kind::Data)
            appendChunk(m_toUpstream, step.data);
        else if (step.kind == http::ChunkedDecoder::Kind::End) {
            appendLastChunk(m_toUpstream, step.data);
            m_requestComplete = true;
        } else if (step.kind == http::ChunkedDecoder::Kind::Error) {
            const http::ParseError error = m_requestChunks.error();
            if (m_responseStarted)
                abortExchange();
            else
                (void)answer(error.status, error.reason);
            return false;
        }
        m_input.consume(step.consumed);
        if (step.kind == http::ChunkedDecoder::Kind::NeedMore)
            break;
    }
    return true;
}

bool Session::takeResponse() {
    bool moved = false;
    for (int round = 0; round < roundsPerCall; ++round) {
        if (m_state != State::Exchange || m_responseComplete || !m_upstream)
            return moved;
        if (m_toClient.size() - m_toClientSent > mostPendingBytes)
            return moved;
        if (m_upstream->input.empty() && !m_upstream->socket.canRead())
            return moved;
        if (!(m_responseStarted ? takeResponseBody() : takeResponseHead()))
            return moved;
        moved = true;
    }
    return moved;
}

bool Session::takeResponseHead() {
    io::ByteBuffer& input = m_upstream->input;
    if (input.empty() && !readUpstream())
        return false;
    for (;;) {
        const http::ParseStatus status = m_responseParser.parse(input.view(), m_method);
        if (status == http::ParseStatus::Complete)
            break;
        if (status == http::ParseStatus::Error) {
            upstreamFailed(m_responseParser.error().reason);
            return false;
        }
        if (!m_upstream->socket.canRead())
            return false;
        if (input.space().empty()) {
            if (input.size() > m_settings->limits.maxHeadBytes) {
                upstreamFailed("the response head is too long");
                return false;
            }
            input.grow(input.capacity() * 2);
        }
        if (!readUpstream())
            return false;
    }

    const http::ResponseHead& head = m_responseParser.head();
    touch();
    if (head.isUpgrade && !m_wantsUpgrade) {
        upstreamFailed("101 to a request that asked for no upgrade");
        return false;
    }
    if (head.status < 200 && !head.isUpgrade) {
        if (++m_informational > mostInformationalResponses) {
            upstreamFailed("too many informational responses");
            return false;
        }
        if (m_clientMinorVersion >= 1) {
            http::ResponseOptions options;
            options.clientMinorVersion = m_clientMinorVersion;
            http::writeClientResponse(m_toClient, head, options);
        }
        input.consume(head.headBytes);
        m_responseParser.reset();
        m_expectsContinue = false;
        return true;
    }
    m_responseStarted = true;
    m_status = head.status;
    m_responseFraming = head.framing;
    m_responseRemaining = head.framing == http::BodyFraming::ContentLength ? head.contentLength : 0;
    m_responseComplete = head.framing == http::BodyFraming::None
        || (head.framing == http::BodyFraming::ContentLength && m_responseRemaining == 0);
    m_upstreamKeepAlive = head.keepAlive && head.framing != http::BodyFraming::UntilClose;
    writeResponseHead(head);
    input.consume(head.headBytes);
    if (head.isUpgrade) {
        startTunnel();
        return true;
    }
    if (!m_responseComplete && !input.empty())
        (void)takeResponseBody();
    return true;
}

void Session::writeResponseHead(const http::ResponseHead& head) {
    // An answer before the whole request was sent ends both connections: where the rest of the body goes is
    // open.
    if (!m_requestComplete || m_toUpstreamSent < m_toUpstream.size()) {
        m_keepAlive = false;
        m_upstreamKeepAlive = false;
    }
    if (m_isDraining)
        m_keepAlive = false;
    http::ResponseOptions options;
    options.clientMinorVersion = m_clientMinorVersion;
    if (head.framing == http::BodyFraming::Chunked || head.framing == http::BodyFraming::UntilClose) {
        m_rechunk = m_clientMinorVersion >= 1;
        options.chunked = m_rechunk;
        if (!m_rechunk)
            m_keepAlive = false; // to 1.0 only the end of the connection ends such a body
    }
    options.keepAlive = m_keepAlive;
    http::writeClientResponse(m_toClient, head, options);
}

bool Session::takeResponseBody() {
    io::ByteBuffer& input = m_upstream->input;
    if (input.empty()) {
        const bool read = readUpstream();
        if (!read || input.empty())
            return read;
    }
    touch();
    switch (m_responseFraming) {
    case http::BodyFraming::ContentLength: {
        const std::string_view body = input.view().substr(0, m_responseRemaining);
        std::size_t taken = 0;
        flushToClient(body, &taken);
        if (isEnded() || !m_upstream)
            return false;
        if (taken < body.size())
            m_toClient.append(body.substr(taken));
        input.consume(body.size());
        m_responseRemaining -= body.size();
        m_responseComplete = m_responseRemaining == 0;
        return true;
    }
    case http::BodyFraming::UntilClose:
        if (m_rechunk)
            appendChunk(m_toClient, input.view());
        else
            m_toClient.append(input.view());
        input.clear();
        return true;
    case http::BodyFraming::Chunked:
        break;
    case http::BodyFraming::None:
        return true;
    }
    while (!input.empty() && !m_responseComplete) {
        const auto step = m_responseChunks.next(input.view());
        if (step.kind == http::ChunkedDecoder::Kind::Data) {
            if (m_rechunk)
                appendChunk(m_toClient, step.data);
            else
                m_toClient.append(step.data);
        } else if (step.kind == http::ChunkedDecoder::Kind::End) {
            if (m_rechunk)
                appendLastChunk(m_toClient, step.data);
            m_responseComplete = true;
        } else if (step.kind == http::ChunkedDecoder::Kind::Error) {
            upstreamFailed(m_responseChunks.error().reason);
            return false;
        }
        input.consume(step.consumed);
        if (step.kind == http::ChunkedDecoder::Kind::NeedMore)
            break;
    }
    return true;
}

bool Session::flushToClient(std::string_view body, std::size_t* bodyTaken) {
    const auto pending = std::string_view(m_toClient).substr(m_toClientSent);
    if ((pending.empty() && body.empty()) || !m_client.canWrite())
        return false;
    std::size_t count = 0;
    const io::IoResult result = m_client.write(pending, body, count);
    if (result == io::IoResult::Failed) {
        m_clientAtEnd = true;
        abortExchange();
        return false;
    }
    if (result == io::IoResult::WouldBlock)
        return false;
    m_context.metrics.add(metrics::Counter::BytesOut, count);
    m_bytesToClient += count;
    touch();
    if (count >= pending.size()) {
        m_toClient.clear();
        m_toClientSent = 0;
        if (bodyTaken)
            *bodyTaken = count - pending.size();
    } else {
        m_toClientSent += count;
    }
    return count > 0;
}

void Session::finishResponse() {
    recordRequest();
    if (m_upstream) {
        --m_upstream->backend->activeRequests;
        m_upstream->session = nullptr;
        // release() closes one with bytes left over: they answer no request of ours.
        if (m_upstreamKeepAlive && m_requestComplete && m_toUpstreamSent == m_toUpstream.size())
            m_context.pool.release(*m_upstream);
        else
            m_context.pool.close(*m_upstream);
        m_upstream = nullptr;
    }
    m_cluster.reset();
    m_toUpstream.clear();
    m_toUpstreamSent = 0;
    m_requestParser.reset();
    m_requestStartNs = 0;
    ++m_requestsServed;
    setInFlight(false);
    if (!m_keepAlive || (m_clientAtEnd && m_input.empty()))
        m_state = State::Finishing;
    else
        startRequestWait();
}

void Session::upstreamFailed(const char* reason) {
    m_context.metrics.add(metrics::Counter::UpstreamErrors);
    if (m_cluster)
        m_cluster->metrics->add(metrics::Counter::UpstreamErrors);
    if (m_responseStarted) {
        // Half a response was sent: only the broken connection can say so. Where nothing but the end of the
        // connection ends the body, that has to be a reset.
        m_resetsOnEnd = !m_rechunk && m_responseFraming != http::BodyFraming::ContentLength;
        abortExchange();
    } else {
        (void)answer(m_connectTimedOut ? 504 : 502, reason);
    }
}

void Session::abortExchange() {
    dropUpstream();
    end();
}

void Session::dropUpstream() {
    if (!m_upstream)
        return;
    --m_upstream->backend->activeRequests;
    m_context.pool.close(*m_upstream);
    m_upstream = nullptr;
}

} // namespace yardmaster::worker

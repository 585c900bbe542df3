// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/session.h"

#include "backend/base/monotonic_clock.h"
#include "backend/http/head_writer.h"
#include "backend/http/path.h"
#include "backend/worker/proxy.h"

#include <algorithm>
#include <sys/socket.h>

namespace yardmaster::worker {

namespace {
// What is copied behind the head so that head and body leave in one call.
constexpr std::size_t bodyBesideHeadBytes = 16 * 1024;
} // namespace

void Session::beginRequest(std::int64_t firstByteNs) {
    setIdle(false);
    m_requestStartNs = firstByteNs;
    if (m_settings != m_slot->settings) {
        m_settings = m_slot->settings; // a change of configuration holds from the next request on
        m_requestParser.setLimits(m_settings->limits);
        m_requestChunks = http::ChunkedDecoder(m_settings->limits.maxBodyBytes);
    }
    setDeadline(m_settings->headerTimeoutNs);
}

Session::Progress Session::readHead() {
    if (m_input.empty()) {
        if (!m_client.canRead())
            return Progress::Wait;
        if (!readClient()) {
            if (m_clientAtEnd)
                end();
            return Progress::Wait;
        }
        beginRequest(m_context.loop.nowNs());
    } else if (m_isIdle || m_requestStartNs == 0) {
        beginRequest(monotonicNowNs()); // pipelined: it has waited for its predecessor, not for us
    }

    switch (m_requestParser.parse(m_input.view())) {
    case http::ParseStatus::Complete:
        return handleHead();
    case http::ParseStatus::Error: {
        setInFlight(true);
        m_context.metrics.add(metrics::Counter::Requests);
        forgetRequest();
        const http::ParseError error = m_requestParser.error();
        return answer(error.status, error.reason);
    }
    case http::ParseStatus::NeedMore:
        break;
    }
    if (!m_client.canRead())
        return Progress::Wait;
    if (m_input.space().empty())
        m_input.grow(std::max(m_input.capacity() * 2, m_settings->limits.maxHeadBytes + 1024));
    if (readClient())
        return Progress::Again;
    if (m_clientAtEnd)
        end(); // a head cut off: nobody waits for an answer
    return Progress::Wait;
}

void Session::forgetRequest() {
    m_method = http::Method::Other;
    m_methodText.clear();
    m_host.clear();
    m_path.clear();
    m_requestId.clear();
    m_cluster.reset();
    m_requestFraming = http::BodyFraming::None;
    m_requestComplete = false; // where this one ends is unknown, so nothing behind it can be read
    m_responseStarted = m_responseComplete = false;
    m_bytesToClient = 0;
    m_triedCount = 0;
}

void Session::rememberRequest(const http::RequestHead& head, std::string_view path) {
    m_method = head.method;
    m_methodText.assign(head.methodText);
    m_host.assign(head.host);
    m_path.assign(path);
    if (head.hasQuery)
        m_path.append("?").append(head.query);
    m_requestFraming = head.framing;
    m_requestRemaining = head.framing == http::BodyFraming::ContentLength ? head.contentLength : 0;
    m_requestComplete = head.framing == http::BodyFraming::None
        || (head.framing == http::BodyFraming::ContentLength && head.contentLength == 0);
    m_clientMinorVersion = head.minorVersion;
    m_keepAlive = head.keepAlive && !m_isDraining;
    m_wantsUpgrade = head.wantsUpgrade;
    m_expectsContinue = head.expectContinue;
    m_connectTimedOut = false;
    m_status = 0;
    m_informational = 0;
    m_responseStarted = m_responseComplete = m_ownError = m_rechunk = false;
    m_bytesToClient = 0;
    m_triedCount = 0;
}

const Route* Session::findRoute(const http::RequestHead& head, std::string_view& path, int& status) {
    if (head.method == http::Method::Connect || head.method == http::Method::Trace) {
        status = 405;
        return nullptr;
    }
    const auto host = http::normaliseHost(head.host, m_hostStorage);
    if (head.path == "*")
        path = "*";
    else if (const auto normal = http::normalisePath(head.path, m_pathStorage))
        path = *normal;
    else
        status = 400;
    if (!host)
        status = 400;
    if (status != 0)
        return nullptr;
    const Route* route =
        m_settings->routes ? m_settings->routes->find(*host, path, head.methodText) : nullptr;
    if (!route)
        status = 404;
    else if (!route->cluster || route->redirect == proto::UNAUTHORIZED || route->requiresAuth)
        status = 401;
    return route;
}

Session::Progress Session::redirectToHttps(const http::RequestHead& head, std::string_view path) {
    const bool permanent = m_method == http::Method::Get || m_method == http::Method::Head;
    std::string location = "Location: https://" + std::string(head.host);
    if (m_cluster->httpsRedirectPort != 443)
        location += ":" + std::to_string(m_cluster->httpsRedirectPort);
    location.append(path);
    if (head.hasQuery)
        location.append("?").append(head.query);
    return answer(permanent ? 301 : 308, "redirected to https", location + "\r\n");
}

Session::Progress Session::handleHead() {
    const http::RequestHead& head = m_requestParser.head();
    m_resetsOnEnd = false;
    m_input.consume(head.headBytes); // the bytes stay where they are until the next read
    setInFlight(true);
    m_context.metrics.add(metrics::Counter::Requests);
    m_context.proxy.noteFirstRequest();

    std::string_view path = head.path;
    int status = 0;
    const Route* route = findRoute(head, path, status);
    rememberRequest(head, path);
    m_cluster = route ? route->cluster : nullptr;
    if (m_cluster)
        m_context.proxy.metricsOf(*m_cluster).add(metrics::Counter::Requests);
    if (status != 0)
        return answer(status,
            status == 404       ? "no frontend matches"
                : status == 401 ? "denied by its frontend"
                                : "request refused");
    if (m_cluster->httpsRedirect || route->redirect == proto::PERMANENT
        || route->redirect == proto::PERMANENT_REDIRECT || route->redirect == proto::FOUND)
        return redirectToHttps(head, path);

    http::ForwardedInfo info;
    info.clientAddress = m_clientAddress;
    info.port = m_settings->port;
    info.requestIdHeader = m_settings->requestIdHeader;
    info.replaceForwardedFor = m_settings->replaceForwardedFor;
    m_context.proxy.nextRequestId(m_requestId);
    info.requestId = m_requestId;
    m_toUpstream.clear();
    m_toUpstreamSent = 0;
    http::writeUpstreamRequest(m_toUpstream, head, path, info);
    m_requestChunks.reset();
    m_responseChunks.reset();
    m_responseParser.reset();

    if (m_requestFraming == http::BodyFraming::ContentLength && m_requestRemaining > 0) {
        const std::string_view body =
            m_input.view().substr(0, std::min<std::uint64_t>(m_requestRemaining, bodyBesideHeadBytes));
        m_toUpstream.append(body);
        m_input.consume(body.size());
        m_requestRemaining -= body.size();
        m_requestComplete = m_requestRemaining == 0;
    }
    return connectUpstream();
}

Session::Progress Session::connectUpstream() {
    const int failedStatus = m_connectTimedOut ? 504 : 502;
    for (;;) {
        if (m_triedCount == m_tried.size())
            return answer(failedStatus, "no backend accepted the connection");
        Backend* backend = m_context.balancer.pick(m_cluster->backends, m_cluster->algorithm,
            std::span(m_tried.data(), m_triedCount), m_affinityHash, m_context.loop.nowNs());
        if (!backend)
            return m_triedCount == 0 ? answer(503, "the cluster has no backend", {}, m_cluster->answer503)
                                     : answer(failedStatus, "no backend accepted the connection");
        m_tried[m_triedCount++] = backend;
        if (m_triedCount > 1)
            m_context.metrics.add(metrics::Counter::Retries);
        const auto owner = std::find_if(m_cluster->backends.begin(), m_cluster->backends.end(),
            [backend](const auto& candidate) { return candidate.get() == backend; });
        auto connection = m_context.pool.acquire(*owner, *this);
        if (!connection) {
            m_context.metrics.add(metrics::Counter::UpstreamErrors);
            noteConnectFailure(*backend, m_context.loop.nowNs());
            continue;
        }
        m_upstream = *connection;
        ++m_upstream->backend->activeRequests;
        if (m_upstream->isConnected) {
            m_state = State::Exchange;
            touch();
            return Progress::Again;
        }
        m_state = State::Connecting;
        setDeadline(m_settings->connectTimeoutNs);
        return Progress::Wait;
    }
}

void Session::upstreamConnected() {
    int error = 0;
    socklen_t bytes = sizeof error;
    ::getsockopt(m_upstream->socket.fd(), SOL_SOCKET, SO_ERROR, &error, &bytes);
    if (error != 0) {
        connectFailed("connect failed");
        return;
    }
    // What a backend says before it was asked is no answer (and nothing was asked of it yet).
    if (m_upstream->socket.canRead() && m_upstream->socket.hasInput()) {
        connectFailed("spoke before it was asked");
        return;
    }
    m_upstream->isConnected = true;
    noteConnectSuccess(*m_upstream->backend);
    m_state = State::Exchange;
    touch();
}

void Session::connectFailed(const char*) {
    // Not a byte was sent, so the next backend may have the request.
    m_context.metrics.add(metrics::Counter::UpstreamErrors);
    noteConnectFailure(*m_upstream->backend, m_context.loop.nowNs());
    dropUpstream();
    (void)connectUpstream();
}

Session::Progress Session::answer(
    int status, const char*, std::string_view extraFields, std::string_view body) {
    dropUpstream();
    // What is left of a request's body cannot be told from the next request: only a complete one keeps the
    // connection.
    if (m_requestFraming == http::BodyFraming::ContentLength && m_state == State::ReadingHead
        && m_input.size() >= m_requestRemaining) {
        m_input.consume(m_requestRemaining);
        m_requestRemaining = 0;
        m_requestComplete = true;
    }
    m_keepAlive = m_keepAlive && m_requestComplete && !m_isDraining && status != 400 && status != 408;
    m_status = status;
    m_ownError = true;
    m_responseComplete = true;
    // Behind what is still on its way: an interim response.
    http::writeOwnAnswer(m_toClient, status, m_keepAlive, m_method == http::Method::Head, body, extraFields);
    m_state = State::Exchange; // flushes, then finishResponse()
    touch();
    return Progress::Again;
}

} // namespace yardmaster::worker

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/load_client.h"

#include "backend/base/monotonic_clock.h"

#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

namespace yardmaster::lab {

namespace {
constexpr std::size_t bufferBytes = 64 * 1024; // more than the longest head that the parser takes
} // namespace

LoadClient::LoadClient(Run& run)
    : m_run(run)
    , m_input(bufferBytes) { }

void LoadClient::begin(std::int64_t dueNs) {
    m_isBusy = true;
    m_run.stats.noteSent();
    const RequestFactory::Request request = m_run.requests.next(m_request);
    AnswerReader::Expectation expectation;
    expectation.method = request.method;
    if (request.method == http::Method::Post)
        expectation.body = std::string_view(m_request).substr(request.headBytes);
    else
        expectation.bodyBytes = m_run.options.expectedBytes;
    m_reader.begin(expectation);
    m_input.clear();
    m_sentBytes = 0;
    m_startNs = monotonicNowNs();
    m_dueNs = dueNs == 0 ? m_startNs : dueNs;
    if (!m_socket.isOpen())
        connect();
    else
        pump();
}

void LoadClient::connect() {
    const SocketAddress& target = m_run.options.target;
    UniqueFd fd(::socket(target.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd) {
        lost(Loss::ConnectFailed, false);
        return;
    }
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(fd.get(), target.get(), target.size()) != 0 && errno != EINPROGRESS) {
        lostByErrno(errno);
        return;
    }
    m_isConnected = false;
    m_socket = io::StreamSocket(std::move(fd), false);
    if (!m_run.loop.watch(m_socket.fd(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *this))
        lost(Loss::ConnectFailed, false);
}

void LoadClient::onEvents(std::uint32_t events) {
    if (!m_socket.isOpen())
        return;
    m_socket.noteEvents(events);
    if (!m_isConnected)
        finishConnect(events);
    if (!m_socket.isOpen() || !m_isConnected)
        return;
    if (m_isBusy)
        pump();
    else
        noticeEnd();
}

void LoadClient::noticeEnd() {
    if (m_isBusy || !m_socket.isOpen() || !m_socket.canRead() || !m_socket.hasInput())
        return;
    m_run.stats.noteIdleClosed();
    closeSocket();
}

void LoadClient::finishConnect(std::uint32_t events) {
    int error = 0;
    socklen_t bytes = sizeof error;
    ::getsockopt(m_socket.fd(), SOL_SOCKET, SO_ERROR, &error, &bytes);
    if (error != 0) {
        lostByErrno(error);
    } else if (events & EPOLLOUT) {
        m_isConnected = true;
        m_run.stats.noteConnected();
    }
}

void LoadClient::lostByErrno(int error) {
    if (error == ECONNREFUSED)
        lost(Loss::Refused, false);
    else if (error == ECONNRESET || error == EPIPE)
        lost(Loss::Reset);
    else if (error == ETIMEDOUT)
        lost(Loss::Timeout);
    else
        lost(Loss::ConnectFailed, false);
}

void LoadClient::pump() {
    while (m_sentBytes < m_request.size() && m_socket.canWrite()) {
        std::size_t count = 0;
        const auto result = m_socket.write(std::string_view(m_request).substr(m_sentBytes), {}, count);
        if (result == io::IoResult::Failed) {
            receiveLastBytes();
            return;
        }
        m_sentBytes += count;
    }
    receive();
}

void LoadClient::receiveLastBytes() {
    // The connection broke, but an answer may have come before. How it broke was told by the write: now the
    // read says "end of stream" even where it was a reset.
    std::size_t count = 0;
    while (
        m_isBusy && !m_input.space().empty() && m_socket.read(m_input.space(), count) == io::IoResult::Done) {
        m_input.produced(count);
        takeVerdict(m_reader.read(m_input));
    }
    if (m_isBusy)
        lost(Loss::Reset);
}

void LoadClient::receive() {
    while (m_isBusy && m_socket.isOpen() && m_socket.canRead()) {
        const auto space = m_input.space();
        if (space.empty()) {
            lost(Loss::ProtocolError); // a head without end
            return;
        }
        std::size_t count = 0;
        switch (m_socket.read(space, count)) {
        case io::IoResult::WouldBlock:
            return;
        case io::IoResult::Failed:
            lost(Loss::Reset);
            return;
        case io::IoResult::EndOfStream:
            takeVerdict(m_reader.endOfStream());
            closeSocket();
            return;
        case io::IoResult::Done:
            m_input.produced(count);
            takeVerdict(m_reader.read(m_input));
            break;
        }
    }
}

void LoadClient::takeVerdict(AnswerReader::Verdict verdict) {
    if (verdict == AnswerReader::Verdict::Right)
        answered();
    else if (verdict == AnswerReader::Verdict::Lost)
        lost(m_reader.loss());
}

void LoadClient::answered() {
    const std::int64_t nowNs = monotonicNowNs();
    m_run.stats.noteAnswered(nowNs, static_cast<std::uint64_t>(nowNs - m_startNs) / 1000,
        static_cast<std::uint64_t>(nowNs - m_dueNs) / 1000);
    // An answer that came before the whole request was sent leaves a connection that cannot be used again.
    if (!m_reader.keepAlive() || !m_run.options.keepAlive || m_sentBytes < m_request.size())
        closeSocket();
    m_isBusy = false;
    m_run.onDecided(*this, true);
}

void LoadClient::lost(Loss loss, bool couldConnect) {
    m_run.stats.noteLost(monotonicNowNs(), loss);
    closeSocket();
    m_isBusy = false;
    m_run.onDecided(*this, couldConnect);
}

void LoadClient::closeSocket() {
    m_socket.close(); // leaves the epoll set with its last descriptor
    m_isConnected = false;
}

void LoadClient::loseIfStartedBefore(std::int64_t timeNs) {
    if (m_isBusy && m_startNs < timeNs)
        lost(Loss::Timeout);
}

void LoadClient::abandon() {
    if (m_isBusy)
        lost(Loss::Abandoned);
}

} // namespace yardmaster::lab

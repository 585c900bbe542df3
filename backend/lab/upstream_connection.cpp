// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/upstream_connection.h"

#include "backend/base/monotonic_clock.h"
#include "backend/http/fields.h"
#include "backend/http/head_writer.h"
#include "backend/lab/upstream.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sys/epoll.h>

namespace yardmaster::lab {

namespace {

constexpr std::size_t readBytes = 64 * 1024;
constexpr std::size_t outputBytes = 64 * 1024; // of a large answer at a time
constexpr std::size_t pieceBytes = 1000; // of a chunked answer: not a round number of anything
constexpr std::size_t maxEchoBytes = 64 * 1024 * 1024;

std::string hexSize(std::size_t bytes) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), bytes, 16).ptr;
    return std::string(digits.data(), end);
}

} // namespace

UpstreamConnection::UpstreamConnection(Upstream& owner, UniqueFd fd, std::size_t server)
    : m_owner(owner)
    , m_socket(std::move(fd), true)
    , m_server(server)
    , m_chunks(maxEchoBytes) { }

void UpstreamConnection::onEvents(std::uint32_t events) {
    if (!m_socket.isOpen())
        return;
    m_socket.noteEvents(events);
    // A peer that is gone for both directions waits for nothing.
    if (events & (EPOLLERR | EPOLLHUP)) {
        close();
        return;
    }
    proceed();
}

void UpstreamConnection::onLatencyOver() {
    finishAnswer();
    proceed();
}

void UpstreamConnection::proceed() {
    bool moved = true;
    while (moved && m_socket.isOpen()) {
        switch (m_state) {
        case State::Head:
            moved = readHead();
            break;
        case State::Body:
            moved = readBody();
            break;
        case State::Waiting:
            return;
        case State::Answering:
            moved = writeAnswer();
            break;
        case State::Lingering:
            moved = linger();
            break;
        }
    }
}

bool UpstreamConnection::readMore() {
    if (m_inputEnded || !m_socket.canRead())
        return false;
    std::array<char, readBytes> bytes;
    std::size_t count = 0;
    switch (m_socket.read(bytes, count)) {
    case io::IoResult::Done:
        m_input.append(bytes.data(), count);
        return true;
    case io::IoResult::WouldBlock:
        return false;
    case io::IoResult::EndOfStream:
        m_inputEnded = true;
        return false;
    case io::IoResult::Failed:
        close();
        return false;
    }
    return false;
}

bool UpstreamConnection::readHead() {
    switch (m_parser.parse(m_input)) {
    case http::ParseStatus::NeedMore:
        if (readMore())
            return true;
        if (m_inputEnded)
            close();
        return false;
    case http::ParseStatus::Error:
        refuse(m_parser.error().status);
        return true;
    case http::ParseStatus::Complete:
        break;
    }
    const http::RequestHead& head = m_parser.head();
    m_method = head.method;
    m_answer = planAnswer(head, m_owner.m_options.bodyBytes);
    m_framing = head.framing;
    m_bodyLeft = head.framing == http::BodyFraming::ContentLength ? head.contentLength : 0;
    m_closeAfter = !head.keepAlive;
    m_sendsChunks = m_answer.chunked;
    if (m_answer.body == UpstreamAnswer::Body::Head)
        m_head.assign(m_input, 0, head.headBytes);
    const bool expectsContinue = head.expectContinue && head.framing != http::BodyFraming::None;
    m_input.erase(0, head.headBytes);
    m_parser.reset();
    m_body.clear();
    m_chunks.reset();
    if (m_bodyLeft > maxEchoBytes) {
        refuse(413);
        return true;
    }
    m_state = State::Body;
    if (expectsContinue) {
        m_output += "HTTP/1.1 100 Continue\r\n\r\n";
        flush();
    }
    return true;
}

bool UpstreamConnection::readBody() {
    bool isComplete = m_framing == http::BodyFraming::None;
    if (m_framing == http::BodyFraming::ContentLength) {
        const std::size_t count = std::min<std::uint64_t>(m_bodyLeft, m_input.size());
        m_body.append(m_input, 0, count);
        m_input.erase(0, count);
        m_bodyLeft -= count;
        isComplete = m_bodyLeft == 0;
    } else if (m_framing == http::BodyFraming::Chunked) {
        std::size_t taken = 0;
        for (;;) {
            const auto step = m_chunks.next(std::string_view(m_input).substr(taken));
            if (step.kind == http::ChunkedDecoder::Kind::Data)
                m_body.append(step.data);
            taken += step.consumed;
            if (step.kind == http::ChunkedDecoder::Kind::Error) {
                refuse(m_chunks.error().status);
                return true;
            }
            isComplete = step.kind == http::ChunkedDecoder::Kind::End;
            if (isComplete || step.kind == http::ChunkedDecoder::Kind::NeedMore)
                break;
        }
        m_input.erase(0, taken);
    }
    if (isComplete) {
        startAnswer();
        return true;
    }
    if (readMore())
        return true;
    if (m_inputEnded)
        close(); // a request cut short is no request
    return false;
}

void UpstreamConnection::refuse(int status) {
    http::writeOwnAnswer(m_output, status, false, false);
    m_answer = UpstreamAnswer{};
    m_fillerLeft = 0;
    m_sendsChunks = false;
    m_closeAfter = true;
    m_state = State::Answering;
}

void UpstreamConnection::startAnswer() {
    const std::int64_t waitNs = m_answer.latencyMs
        ? static_cast<std::int64_t>(*m_answer.latencyMs) * 1'000'000
        : m_owner.drawLatencyNs(m_server);
    if (waitNs > 0) {
        m_state = State::Waiting;
        m_owner.callLater(*this, monotonicNowNs() + waitNs);
    } else {
        finishAnswer();
    }
}

void UpstreamConnection::finishAnswer() {
    const bool sendsBody = hasBody(m_method, m_answer.status);
    const std::string& text = m_answer.body == UpstreamAnswer::Body::Head ? m_head : m_body;
    const bool isFiller = m_answer.body == UpstreamAnswer::Body::Filler;
    const std::uint64_t bytes = isFiller ? m_answer.fillerBytes : text.size();
    appendHead(bytes, !m_answer.chunked && m_answer.status != 204);
    m_fillerLeft = sendsBody && isFiller ? bytes : 0;
    m_sendsChunks = sendsBody && m_answer.chunked;
    if (sendsBody && !isFiller) {
        if (m_sendsChunks) {
            if (!text.empty())
                m_output.append(hexSize(text.size())).append("\r\n").append(text).append("\r\n");
        } else {
            m_output += text;
        }
    }
    m_state = State::Answering;
}

void UpstreamConnection::appendHead(std::uint64_t bodyBytes, bool withLength) {
    m_output.append("HTTP/1.1 ").append(std::to_string(m_answer.status)).append(" ");
    m_output.append(http::reasonPhrase(m_answer.status));
    m_output.append("\r\nX-Backend: ").append(std::to_string(m_server)).append("\r\n");
    if (m_closeAfter)
        m_output += "Connection: close\r\n";
    if (m_answer.chunked && m_answer.status != 204)
        m_output += "Transfer-Encoding: chunked\r\n";
    else if (withLength)
        m_output.append("Content-Length: ").append(std::to_string(bodyBytes)).append("\r\n");
    m_output += "\r\n";
}

void UpstreamConnection::refillOutput() {
    while (m_output.size() < outputBytes && (m_fillerLeft > 0 || m_sendsChunks)) {
        const std::size_t count =
            std::min<std::uint64_t>(m_fillerLeft, m_sendsChunks ? pieceBytes : outputBytes);
        m_fillerLeft -= count;
        if (!m_sendsChunks) {
            m_output.append(count, 'x');
            continue;
        }
        m_output.append(hexSize(count)).append("\r\n").append(count, 'x').append("\r\n");
        m_sendsChunks = count > 0; // the one of size 0 was the last
    }
}

bool UpstreamConnection::writeAnswer() {
    refillOutput();
    if (!flush() || !m_socket.isOpen())
        return false;
    if (m_fillerLeft > 0 || m_sendsChunks)
        return true;
    if (m_closeAfter) {
        m_socket.shutdownWrite();
        m_state = State::Lingering;
    } else {
        m_state = State::Head;
    }
    return true;
}

bool UpstreamConnection::linger() {
    m_input.clear();
    if (readMore())
        return true;
    if (m_inputEnded)
        close();
    return false;
}

bool UpstreamConnection::flush() {
    while (m_written < m_output.size() && m_socket.canWrite()) {
        std::size_t count = 0;
        const auto result = m_socket.write(std::string_view(m_output).substr(m_written), {}, count);
        if (result == io::IoResult::Failed) {
            close();
            return false;
        }
        m_written += count;
    }
    if (m_written < m_output.size())
        return false;
    m_output.clear();
    m_written = 0;
    return true;
}

void UpstreamConnection::close() {
    if (!m_socket.isOpen())
        return;
    m_socket.close();
    m_owner.ended(*this);
}

} // namespace yardmaster::lab

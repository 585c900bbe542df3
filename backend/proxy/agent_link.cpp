// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/proxy/agent_link.h"

#include <array>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>

namespace yardmaster::worker {

namespace {
// Trusted peer of our own; a certificate with its chain is the largest thing it sends.
constexpr std::size_t maxFrameBytes = 64 * 1024 * 1024;
} // namespace

AgentLink::AgentLink(
    io::EventLoop& loop, Receive receive, std::function<void()> onBatch, std::function<void()> onDown)
    : m_loop(loop)
    , m_receive(std::move(receive))
    , m_onBatch(std::move(onBatch))
    , m_onDown(std::move(onDown))
    , m_reader(maxFrameBytes) { }

Expected<void> AgentLink::attach(UniqueFd channel) {
    const int flags = ::fcntl(channel.get(), F_GETFL);
    ::fcntl(channel.get(), F_SETFL, flags | O_NONBLOCK);
    m_socket = io::StreamSocket(std::move(channel), true);
    m_reader = protocol::FrameReader(maxFrameBytes);
    m_output.clear();
    return m_loop.watch(m_socket.fd(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *this);
}

void AgentLink::send(const proto::WorkerResponse& response) {
    if (!isUp())
        return;
    auto frame = protocol::encodeFrame(response, maxFrameBytes);
    if (!frame)
        return; // all we send sets its required fields and is small
    m_output += *frame;
    flush();
}

void AgentLink::flush() {
    while (!m_output.empty() && m_socket.canWrite()) {
        std::size_t count = 0;
        const io::IoResult result = m_socket.write(m_output, {}, count);
        if (result == io::IoResult::Failed) {
            goDown();
            return;
        }
        m_output.erase(0, count);
    }
}

void AgentLink::drainOutput() {
    for (int attempt = 0; attempt < 10 && isUp() && !m_output.empty(); ++attempt) {
        pollfd wait{m_socket.fd(), POLLOUT, 0};
        ::poll(&wait, 1, 100);
        m_socket.noteEvents(EPOLLOUT);
        flush();
    }
}

void AgentLink::onEvents(std::uint32_t events) {
    if (!isUp())
        return;
    m_socket.noteEvents(events);
    flush();
    if (isUp())
        receiveFrames();
}

void AgentLink::receiveFrames() {
    std::array<char, 64 * 1024> bytes;
    bool received = false;
    while (isUp() && m_socket.canRead()) {
        std::size_t count = 0;
        const io::IoResult result = m_socket.read(bytes, count);
        if (result == io::IoResult::WouldBlock)
            break;
        if (result != io::IoResult::Done) {
            goDown();
            return;
        }
        m_reader.append(std::string_view(bytes.data(), count));
        std::string_view payload;
        proto::WorkerRequest request;
        for (;;) {
            const auto next = m_reader.next(payload);
            if (next && !*next)
                break;
            request.Clear();
            if (!next || !protocol::decodePayload(payload, request)) {
                goDown(); // an agent that cannot be understood is no agent; traffic goes on
                return;
            }
            m_receive(request);
            received = true;
            if (!isUp())
                return;
        }
    }
    if (received)
        m_onBatch();
}

void AgentLink::goDown() {
    m_socket.close();
    m_output.clear();
    m_onDown();
}

} // namespace yardmaster::worker

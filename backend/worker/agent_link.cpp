// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/agent_link.h"

#include "backend/protocol/frame.h"
#include "backend/protocol/worker_channel.h"

#include <google/protobuf/io/coded_stream.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace yardmaster::worker {

namespace {

// Trusted peer of our own; a certificate with its chain is the largest thing it sends.
constexpr std::size_t maxFrameBytes = 64 * 1024 * 1024;
constexpr std::size_t maxSocketsMessageBytes = 4096;

std::uint64_t frameLength(std::string_view bytes) {
    std::uint64_t length = 0;
    for (std::size_t index = protocol::frameHeaderBytes; index-- > 0;)
        length = length << 8 | static_cast<unsigned char>(bytes[index]);
    return length;
}

} // namespace

AgentLink::AgentLink(io::EventLoop& loop, Callbacks callbacks)
    : m_loop(loop)
    , m_callbacks(std::move(callbacks)) { }

Expected<void> AgentLink::attach(UniqueFd channel, bool carriesSockets) {
    const int flags = ::fcntl(channel.get(), F_GETFL);
    ::fcntl(channel.get(), F_SETFL, flags | O_NONBLOCK);
    ::fcntl(channel.get(), F_SETFD, FD_CLOEXEC);
    m_socket = io::StreamSocket(std::move(channel), true);
    m_carriesSockets = carriesSockets;
    m_input.clear();
    m_sockets.clear();
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
    std::size_t sent = 0;
    while (sent < m_output.size() && m_socket.canWrite()) {
        std::size_t count = 0;
        if (m_socket.write(std::string_view(m_output).substr(sent), {}, count) == io::IoResult::Failed) {
            goDown();
            return;
        }
        sent += count;
    }
    m_output.erase(0, sent);
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
        receive();
}

bool AgentLink::readMore() {
    std::array<char, 64 * 1024> bytes;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * protocol::maxFdsPerMessage)> control;
    iovec piece{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t count = ::recvmsg(m_socket.fd(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR)
        return readMore();
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); count > 0 && header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        for (std::size_t at = 0; at < (header->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++at) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(header) + at * sizeof(int), sizeof fd);
            m_sockets.emplace_back(fd);
        }
    }
    if (count < 0 && errno == EAGAIN)
        return false;
    if (count <= 0 || (message.msg_flags & MSG_CTRUNC) != 0) {
        goDown();
        return false;
    }
    if (!m_carriesSockets)
        m_sockets.clear(); // nobody asked for them
    m_input.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
}

AgentLink::Taken AgentLink::takeSockets(std::string_view& rest) {
    google::protobuf::io::CodedInputStream stream(
        reinterpret_cast<const std::uint8_t*>(rest.data()), static_cast<int>(rest.size()));
    std::uint32_t length = 0;
    if (!stream.ReadVarint32(&length) || length > maxSocketsMessageBytes)
        return Taken::Garbage;
    const auto prefix = static_cast<std::size_t>(stream.CurrentPosition());
    if (rest.size() < prefix + length)
        return Taken::Nothing;
    proto::ListenersCount named;
    if (!named.ParseFromArray(rest.data() + prefix, static_cast<int>(length)))
        return Taken::Garbage;
    rest.remove_prefix(prefix + length);
    const auto give = [this](const auto& addresses, proto::ListenerType type) {
        for (const std::string& address : addresses) {
            if (m_sockets.empty())
                return false;
            m_callbacks.onSocket(address, type, std::move(m_sockets.front()));
            m_sockets.pop_front();
        }
        return true;
    };
    const bool complete = length > 0 && give(named.http(), proto::HTTP) && give(named.tls(), proto::HTTPS)
        && give(named.tcp(), proto::TCP) && give(named.udp(), proto::UDP);
    return complete ? Taken::Message : Taken::Garbage;
}

AgentLink::Taken AgentLink::takeMessage(std::string_view& rest) {
    if (rest.size() < protocol::frameHeaderBytes)
        return Taken::Nothing;
    const std::uint64_t length = frameLength(rest);
    if (length < protocol::frameHeaderBytes || length > maxFrameBytes) {
        // Read as a length, the text of an address is far above the limit: this is no frame.
        return m_carriesSockets ? takeSockets(rest) : Taken::Garbage;
    }
    if (rest.size() < length)
        return Taken::Nothing;
    const auto payload = rest.substr(
        protocol::frameHeaderBytes, static_cast<std::size_t>(length) - protocol::frameHeaderBytes);
    m_request.Clear();
    if (!protocol::decodePayload(payload, m_request))
        return Taken::Garbage;
    rest.remove_prefix(static_cast<std::size_t>(length));
    m_callbacks.onRequest(m_request);
    return isUp() ? Taken::Message : Taken::Garbage; // what `rest` views is gone with the link
}

void AgentLink::receive() {
    bool received = false;
    while (isUp() && readMore()) {
        std::string_view rest = m_input;
        Taken taken = Taken::Message;
        while (taken == Taken::Message)
            taken = takeMessage(rest);
        if (taken == Taken::Garbage) {
            goDown(); // an agent that cannot be understood is no agent; traffic goes on
            return;
        }
        received = received || rest.size() < m_input.size();
        m_input.erase(0, m_input.size() - rest.size());
    }
    if (received && isUp())
        m_callbacks.onBatch();
}

void AgentLink::goDown() {
    if (!isUp())
        return;
    m_socket.close();
    m_input.clear();
    m_sockets.clear();
    m_output.clear();
    m_callbacks.onDown();
}

} // namespace yardmaster::worker

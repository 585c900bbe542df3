// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/client_session.h"

#include <spdlog/spdlog.h>

namespace yardmaster::agent {

namespace {
/// What may wait for a client that reads slowly before its stream is thinned out.
constexpr std::size_t maxUnsentStreamBytes = 4'000'000;
} // namespace

ClientSession::ClientSession(
    UniqueFd fd, PeerCredentials peer, std::size_t maxFrameBytes, Identify identify, QObject* parent)
    : QObject(parent)
    , m_stream(std::move(fd), maxFrameBytes)
    , m_peer(peer)
    , m_maxFrameBytes(maxFrameBytes)
    , m_identify(std::move(identify)) {
    connect(&m_stream, &FrameStream::payloadReceived, this, &ClientSession::onPayload);
    connect(&m_stream, &FrameStream::closed, this, [this](const Error& reason) {
        if (reason.code != Error::Code::Unavailable)
            spdlog::warn("client {}: {}; connection closed", m_peer.describe(), reason.toString());
        emit closed();
    });
}

void ClientSession::onPayload(std::string_view payload) {
    proto::Request request;
    if (auto decoded = protocol::decodePayload(payload, request); !decoded) {
        // Said, so that whoever writes a client learns why; then closed, as its next bytes mean nothing.
        spdlog::warn("client {}: {}; connection closed", m_peer.describe(), decoded.error().toString());
        proto::Response response;
        response.set_status(proto::FAILURE);
        response.set_message(decoded.error().toString());
        send(std::move(response));
        close();
        return;
    }
    m_stream.setPaused(true);
    emit requestReceived(request, std::make_shared<Reply>(*this));
}

void ClientSession::send(proto::Response response) {
    *response.mutable_agent() = m_identify();
    const auto sent = m_stream.send(response);
    if (sent || sent.error().code != Error::Code::ResourceExhausted)
        return;
    proto::Response refusal;
    refusal.set_status(response.status());
    if (response.status() != proto::PROCESSING)
        refusal.set_status(proto::FAILURE);
    refusal.set_message("the answer is larger than max_command_buffer_size ("
        + std::to_string(m_maxFrameBytes) + " bytes): ask for less, or raise it");
    *refusal.mutable_agent() = m_identify();
    if (!m_stream.send(refusal))
        close();
}

bool ClientSession::isBehind() const {
    return m_stream.unsentBytes() > maxUnsentStreamBytes;
}

void ClientSession::answered() {
    m_stream.setPaused(false);
}

void ClientSession::close() {
    if (!m_stream.isOpen())
        return;
    m_stream.close();
    emit closed();
}

Reply::Reply(ClientSession& session)
    : m_session(&session)
    , m_actor(session.peer().describe()) { }

Reply::~Reply() {
    if (!m_done)
        fail("the agent dropped this request; see its log");
}

void Reply::send(proto::ResponseStatus status, std::string message, proto::ResponseContent content) {
    if (!m_session || m_done)
        return;
    proto::Response response;
    response.set_status(status);
    response.set_message(std::move(message));
    if (content.content_type_case() != proto::ResponseContent::CONTENT_TYPE_NOT_SET)
        *response.mutable_content() = std::move(content);
    m_session->send(std::move(response));
}

void Reply::processing(std::string message, proto::ResponseContent content) {
    send(proto::PROCESSING, std::move(message), std::move(content));
}

void Reply::ok(std::string message, proto::ResponseContent content) {
    send(proto::OK, std::move(message), std::move(content));
    becomeStream();
}

void Reply::fail(const Error& error, proto::ResponseContent content) {
    fail(error.toString(), std::move(content));
}

void Reply::fail(std::string message, proto::ResponseContent content) {
    send(proto::FAILURE, std::move(message), std::move(content));
    becomeStream();
}

void Reply::becomeStream() {
    if (m_done)
        return;
    m_done = true;
    if (m_session)
        m_session->answered();
}

} // namespace yardmaster::agent

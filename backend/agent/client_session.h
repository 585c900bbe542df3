// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/frame_stream.h"
#include "backend/agent/unix_socket.h"
#include "backend/protocol/command.pb.h"

#include <QObject>
#include <QPointer>

#include <functional>
#include <memory>
#include <string>

namespace yardmaster::agent {

class Reply;
using ReplyPtr = std::shared_ptr<Reply>;

/// One client of the command socket. Requests are handled one at a time: the next waits until the answer to
/// the one before is complete. A frame that cannot be read ends this connection and no other.
class ClientSession : public QObject {
    Q_OBJECT
public:
    using Identify = std::function<proto::AgentIdentity()>;
    ClientSession(
        UniqueFd fd, PeerCredentials peer, std::size_t maxFrameBytes, Identify identify, QObject* parent);

    /// Sends with the agent's identity filled in. An answer above the frame cap becomes a FAILURE that says
    /// so.
    void send(proto::Response response);
    /// Whether so much is unsent that a stream should skip a turn.
    [[nodiscard]] bool isBehind() const;
    [[nodiscard]] const PeerCredentials& peer() const { return m_peer; }
    void close();

signals:
    void requestReceived(const yardmaster::proto::Request& request, const yardmaster::agent::ReplyPtr& reply);
    void closed();

private:
    friend class Reply;
    void onPayload(std::string_view payload);
    void answered(); ///< the request in flight has its final answer

    FrameStream m_stream;
    PeerCredentials m_peer;
    std::size_t m_maxFrameBytes;
    Identify m_identify;
};

/// The answer to one request: any number of processing(), then exactly one of ok() and fail(). Outlives its
/// connection; what is said then is lost. Dropped without a final answer it says FAILURE itself.
class Reply {
public:
    explicit Reply(ClientSession& session);
    ~Reply();
    Reply(const Reply&) = delete;
    Reply& operator=(const Reply&) = delete;

    void processing(std::string message, proto::ResponseContent content = {});
    void ok(std::string message = {}, proto::ResponseContent content = {});
    void fail(const Error& error, proto::ResponseContent content = {});
    void fail(std::string message, proto::ResponseContent content = {});
    /// No final answer will come: the connection carries a stream from now on, and takes further requests.
    void becomeStream();

    [[nodiscard]] const std::string& actor() const { return m_actor; }
    [[nodiscard]] ClientSession* session() const { return m_session; }

private:
    void send(proto::ResponseStatus status, std::string message, proto::ResponseContent content);

    QPointer<ClientSession> m_session;
    std::string m_actor;
    bool m_done = false;
};

} // namespace yardmaster::agent

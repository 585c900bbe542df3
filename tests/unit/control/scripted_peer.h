// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/protocol/command.pb.h"
#include "backend/protocol/frame.h"

#include <QLocalServer>
#include <QLocalSocket>
#include <QObject>

#include <functional>
#include <map>
#include <vector>

/// A command socket whose answers a test writes: each request is kept and given to `onRequest`.
class ScriptedPeer : public QObject {
    Q_OBJECT
public:
    using Handler = std::function<void(QLocalSocket&, const yardmaster::proto::Request&)>;

    explicit ScriptedPeer(Handler handler);
    ~ScriptedPeer() override { stop(); }
    [[nodiscard]] bool listen(const QString& path);
    /// Ends all connections, and listens no more.
    void stop();
    [[nodiscard]] std::size_t count(yardmaster::proto::Request::RequestTypeCase kind) const;

    Handler onRequest;
    std::vector<yardmaster::proto::Request> requests;

private:
    void onConnection();

    QLocalServer m_server;
    std::map<QLocalSocket*, yardmaster::protocol::FrameReader> m_readers;
};

void sendFrame(QLocalSocket& socket, const google::protobuf::MessageLite& message);
[[nodiscard]] yardmaster::proto::Response sozuResponse(
    yardmaster::proto::ResponseStatus status, const std::string& message);
/// The same from an agent, whose process id is `pid`.
[[nodiscard]] yardmaster::proto::Response agentResponse(
    yardmaster::proto::ResponseStatus status, const std::string& message, int pid = 4711);

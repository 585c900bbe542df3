// SPDX-License-Identifier: GPL-3.0-or-later
#include "scripted_peer.h"

using namespace yardmaster;

ScriptedPeer::ScriptedPeer(Handler handler)
    : onRequest(std::move(handler)) {
    connect(&m_server, &QLocalServer::newConnection, this, &ScriptedPeer::onConnection);
}

bool ScriptedPeer::listen(const QString& path) {
    QLocalServer::removeServer(path);
    return m_server.listen(path);
}

void ScriptedPeer::stop() {
    m_server.close();
    for (auto& [socket, reader] : m_readers) {
        socket->disconnect(this);
        socket->abort();
        socket->deleteLater();
    }
    m_readers.clear();
}

void ScriptedPeer::onConnection() {
    while (QLocalSocket* socket = m_server.nextPendingConnection()) {
        m_readers.try_emplace(socket);
        connect(socket, &QLocalSocket::disconnected, this, [this, socket] {
            m_readers.erase(socket);
            socket->deleteLater();
        });
        const auto read = [this, socket] {
            const QByteArray bytes = socket->readAll();
            protocol::FrameReader& reader = m_readers.at(socket);
            reader.append({bytes.constData(), static_cast<std::size_t>(bytes.size())});
            std::string_view payload;
            while (m_readers.contains(socket) && reader.next(payload).value_or(false)) {
                proto::Request request;
                if (!protocol::decodePayload(payload, request))
                    qFatal("the client sent what is no request");
                requests.push_back(request);
                onRequest(*socket, request);
            }
        };
        connect(socket, &QLocalSocket::readyRead, this, read);
        if (socket->bytesAvailable() > 0)
            read();
    }
}

std::size_t ScriptedPeer::count(proto::Request::RequestTypeCase kind) const {
    std::size_t found = 0;
    for (const proto::Request& request : requests)
        found += request.request_type_case() == kind ? 1 : 0;
    return found;
}

void sendFrame(QLocalSocket& socket, const google::protobuf::MessageLite& message) {
    const auto frame = protocol::encodeFrame(message);
    if (!frame)
        qFatal("%s", frame.error().toString().c_str());
    socket.write(frame->data(), static_cast<qint64>(frame->size()));
    socket.flush();
}

proto::Response sozuResponse(proto::ResponseStatus status, const std::string& message) {
    proto::Response response;
    response.set_status(status);
    response.set_message(message);
    return response;
}

proto::Response agentResponse(proto::ResponseStatus status, const std::string& message, int pid) {
    proto::Response response = sozuResponse(status, message);
    response.mutable_agent()->set_name("edge");
    response.mutable_agent()->set_version("0.1.0");
    response.mutable_agent()->set_pid(pid);
    response.mutable_agent()->set_started_unix_ns(pid);
    return response;
}

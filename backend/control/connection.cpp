// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/connection.h"

#include <sys/socket.h>

#include <utility>

namespace yardmaster::control {

bool isExtension(const proto::Request& request) {
    if (request.request_type_case() >= 1000)
        return true;
    return request.request_type_case() == proto::Request::kSoftStop && request.soft_stop().has_drain();
}

Connection::Connection(QString path, QObject* parent, std::size_t maxFrameBytes)
    : QObject(parent)
    , m_path(std::move(path))
    , m_maxFrameBytes(maxFrameBytes)
    , m_socket(this)
    , m_reader(maxFrameBytes)
    , m_messageTimer(this)
    , m_totalTimer(this) {
    m_messageTimer.setSingleShot(true);
    m_totalTimer.setSingleShot(true);
    connect(&m_socket, &QLocalSocket::connected, this, &Connection::onConnected);
    connect(&m_socket, &QLocalSocket::readyRead, this, &Connection::onReadyRead);
    connect(&m_socket, &QLocalSocket::errorOccurred, this, &Connection::onError);
    connect(&m_messageTimer, &QTimer::timeout, this, [this] {
        fail({Error::Code::DeadlineExceeded,
            "no message within " + std::to_string(m_messageTimer.interval()) + " ms", m_path.toStdString(),
            "the target may be busy or stopped"});
    });
    connect(&m_totalTimer, &QTimer::timeout, this, [this] {
        fail({Error::Code::DeadlineExceeded,
            "no final answer within " + std::to_string(m_deadlines.totalMs) + " ms", m_path.toStdString(),
            {}});
    });
}

void Connection::start(proto::Request request, const Deadlines& deadlines, Progress onProgress, End onEnd) {
    Q_ASSERT(!isBusy() && onEnd);
    m_request = std::move(request);
    m_deadlines = deadlines;
    m_onProgress = std::move(onProgress);
    m_onEnd = std::move(onEnd);
    ++m_requests;
    m_sent = false;
    m_isAsked = false;
    m_asksIdentity = false;
    armTimer(deadlines.firstMs);
    if (deadlines.totalMs > 0)
        m_totalTimer.start(deadlines.totalMs);
    // From the event loop also when the result is known at once: a caller never sees its handler run in
    // start().
    QTimer::singleShot(0, this, [this] {
        if (!isBusy())
            return;
        if (m_socket.state() == QLocalSocket::ConnectedState)
            onConnected();
        else
            dial();
    });
}

void Connection::dial() {
    m_socket.abort();
    m_reader = protocol::FrameReader(m_maxFrameBytes);
    m_announced = false;
    m_socket.connectToServer(m_path);
}

void Connection::onConnected() {
    if (!isBusy())
        return;
    if (isExtension(m_request) && !m_announced) {
        m_asksIdentity = true;
        proto::Request identify;
        identify.mutable_list_workers();
        write(identify);
        return;
    }
    m_sent = true;
    write(m_request);
}

void Connection::write(const proto::Request& request) {
    const auto frame = protocol::encodeFrame(request);
    if (!frame) {
        m_sent = false;
        fail(frame.error());
        return;
    }
    m_isAsked = true;
    m_socket.write(frame->data(), static_cast<qint64>(frame->size()));
    m_socket.flush();
}

void Connection::onReadyRead() {
    const QByteArray bytes = m_socket.readAll();
    m_reader.append({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    std::string_view payload;
    while (true) {
        const auto found = m_reader.next(payload);
        if (!found) {
            fail(found.error());
            return;
        }
        if (!*found)
            return;
        if (!isBusy() || !m_isAsked) {
            // Nobody asked: the stream is out of step, and the next answer could not be told from this one.
            hangUp();
            return;
        }
        proto::Response response;
        if (const auto decoded = protocol::decodePayload(payload, response); !decoded) {
            fail(decoded.error());
            return;
        }
        handle(response);
    }
}

void Connection::onError(QLocalSocket::LocalSocketError error) {
    const std::uint64_t failed = m_requests;
    if (m_socket.bytesAvailable() > 0)
        onReadyRead(); // what came before the end is still an answer
    if (m_requests != failed)
        hangUp(); // the answer led to another request, not written yet: it gets a socket of its own
    else
        fail(socketError(error));
}

Error Connection::socketError(QLocalSocket::LocalSocketError error) const {
    Error result{Error::Code::Unavailable, {}, m_path.toStdString(), {}};
    switch (error) {
    case QLocalSocket::ServerNotFoundError:
        result.what = "there is no such socket";
        result.hint = "start the agent, or correct the socket path";
        break;
    case QLocalSocket::ConnectionRefusedError:
        result.what = "nobody listens on the socket";
        result.hint = "start the agent, or correct the socket path";
        break;
    case QLocalSocket::SocketAccessError:
        result.code = Error::Code::PermissionDenied;
        result.what = "the socket may not be opened";
        result.hint = "it belongs to the user who runs the target: run the console as that user";
        break;
    case QLocalSocket::PeerClosedError:
        result.what = m_reader.pendingBytes() > 0 ? "the peer closed the connection within a message"
                                                  : "the peer closed the connection";
        break;
    default:
        result.what = m_socket.errorString().toStdString();
        break;
    }
    return result;
}

void Connection::handle(const proto::Response& response) {
    m_announced = m_announced || response.has_agent();
    if (m_asksIdentity) {
        if (response.status() == proto::PROCESSING)
            return;
        if (!m_announced) {
            fail({Error::Code::Unsupported, "the peer is no Yardmaster agent any more", m_path.toStdString(),
                "the connection is made anew"});
            return;
        }
        m_asksIdentity = false;
        onConnected();
        return;
    }
    if (response.status() != proto::PROCESSING) {
        finish(response);
        return;
    }
    armTimer(m_deadlines.silenceMs);
    if (m_onProgress) {
        // A copy: the handler may end this request.
        const Progress onProgress = m_onProgress;
        onProgress(response);
    }
}

void Connection::armTimer(int ms) {
    if (ms > 0)
        m_messageTimer.start(ms);
    else
        m_messageTimer.stop();
}

void Connection::finish(Expected<proto::Response> result) {
    m_messageTimer.stop();
    m_totalTimer.stop();
    m_onProgress = nullptr;
    if (const End onEnd = std::exchange(m_onEnd, nullptr))
        onEnd(std::move(result));
}

void Connection::fail(Error error) {
    if (error.where.empty())
        error.where = m_path.toStdString();
    // Not this socket again: an answer that comes late would be taken for that of the next request.
    hangUp();
    finish(failure(std::move(error)));
}

void Connection::hangUp() {
    const QSignalBlocker quiet(m_socket);
    m_socket.abort();
    m_reader = protocol::FrameReader(m_maxFrameBytes);
    m_announced = false;
}

std::optional<std::int32_t> Connection::peerPid() const {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (m_socket.state() != QLocalSocket::ConnectedState
        || ::getsockopt(static_cast<int>(m_socket.socketDescriptor()), SOL_SOCKET, SO_PEERCRED, &peer, &size)
            != 0)
        return std::nullopt;
    return peer.pid;
}

} // namespace yardmaster::control

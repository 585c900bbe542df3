// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/protocol/command.pb.h"
#include "backend/protocol/frame.h"

#include <QLocalSocket>
#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <optional>

namespace yardmaster::control {

/// Milliseconds; 0 is no limit.
struct Deadlines {
    int firstMs = 5'000; ///< from start() to the first message, connecting included
    int silenceMs = 0; ///< between two messages afterwards
    int totalMs = 0; ///< from start() to the last message
};

/// One client connection to a command socket, with at most one request in flight (responses carry no request
/// id): PROCESSING*, then OK or FAILURE. It dials when a request needs it and dials anew after an error.
///
/// An extension (a field from 1000 up) is never written to a peer that did not announce itself on this very
/// socket: such a request is preceded by ListWorkers, whose answer tells. Lives on one thread.
class Connection : public QObject {
    Q_OBJECT
public:
    /// An agent and a Sozu may be configured for large frames; what they send is read up to this.
    static constexpr std::size_t maxReadFrameBytes = 64'000'000;

    using Progress = std::function<void(const proto::Response&)>;
    /// The OK or FAILURE message, or why none came: Unavailable (refused, closed), DeadlineExceeded,
    /// DataLoss, ResourceExhausted (oversize frame), Unsupported (the peer did not announce itself).
    using End = std::function<void(Expected<proto::Response>)>;

    explicit Connection(
        QString path, QObject* parent = nullptr, std::size_t maxFrameBytes = maxReadFrameBytes);

    /// `onEnd` is called once, from the event loop, unless the connection is destroyed before. Both may
    /// destroy the connection only by deleteLater(). Only when not busy().
    void start(proto::Request request, const Deadlines& deadlines, Progress onProgress, End onEnd);
    [[nodiscard]] bool isBusy() const { return static_cast<bool>(m_onEnd); }
    /// Whether bytes of the present or last request were written: after an error, whether it may have an
    /// effect.
    [[nodiscard]] bool wasSent() const { return m_sent; }
    /// Process id of the listener by SO_PEERCRED, nullopt when not connected.
    [[nodiscard]] std::optional<std::int32_t> peerPid() const;

private:
    void dial();
    void onConnected();
    void onReadyRead();
    void onError(QLocalSocket::LocalSocketError error);
    [[nodiscard]] Error socketError(QLocalSocket::LocalSocketError error) const;
    void handle(const proto::Response& response);
    void write(const proto::Request& request);
    void finish(Expected<proto::Response> result);
    void fail(Error error);
    void hangUp();
    void armTimer(int ms);

    QString m_path;
    std::size_t m_maxFrameBytes;
    QLocalSocket m_socket;
    protocol::FrameReader m_reader;
    QTimer m_messageTimer;
    QTimer m_totalTimer;
    proto::Request m_request;
    Deadlines m_deadlines;
    Progress m_onProgress;
    End m_onEnd;
    std::uint64_t m_requests = 0; ///< started so far
    bool m_sent = false;
    bool m_isAsked = false; ///< something was written for the present request: what arrives can answer it
    bool m_asksIdentity = false;
    bool m_announced = false; ///< by the peer of the present socket
};

/// Whether a request holds anything that a plain Sozu does not know.
[[nodiscard]] bool isExtension(const proto::Request& request);

} // namespace yardmaster::control

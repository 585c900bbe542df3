// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/base/unique_fd.h"
#include "backend/protocol/frame.h"

#include <QObject>
#include <QSocketNotifier>

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace yardmaster::agent {

/// Frames over a non-blocking unix stream socket on the Qt event loop, both ways: the agent's side of a
/// client and of a worker. What cannot be written at once waits in a queue.
class FrameStream : public QObject {
    Q_OBJECT
public:
    FrameStream(UniqueFd fd, std::size_t maxFrameBytes, QObject* parent = nullptr);
    ~FrameStream() override;

    /// Queues one message; ResourceExhausted when it is larger than the cap (nothing is sent then).
    [[nodiscard]] Expected<void> send(const google::protobuf::MessageLite& message);
    [[nodiscard]] std::size_t unsentBytes() const { return m_unsentBytes; }
    [[nodiscard]] bool isOpen() const { return m_fd.isValid(); }
    /// For a hand-over of descriptors between two frames; only while nothing is unsent.
    [[nodiscard]] int socket() const { return m_fd.get(); }

    /// While paused no payload is delivered; what arrives waits, and beyond one full frame stays with the
    /// kernel, so that a client cannot fill our memory. The end of the stream is still noticed.
    void setPaused(bool paused);

    /// Reads what has arrived without waiting for the event loop (a peer that just ended).
    void readRemaining() { readAvailable(); }

    /// Writes what is queued as far as the socket takes it, then closes; emits nothing.
    void close();

signals:
    /// One payload; the view is valid during the call.
    void payloadReceived(std::string_view payload);
    /// The stream is at its end or broken (bad length, truncated frame, reset); emitted once, the socket is
    /// closed already. Unavailable is an orderly end.
    void closed(const yardmaster::Error& reason);

private:
    void readAvailable();
    void deliver();
    void flush();
    void fail(Error reason);
    void release();

    UniqueFd m_fd;
    std::size_t m_maxFrameBytes;
    protocol::FrameReader m_reader;
    std::unique_ptr<QSocketNotifier> m_readNotifier;
    std::unique_ptr<QSocketNotifier> m_writeNotifier;
    std::deque<std::string> m_queue;
    std::size_t m_sentOfFirst = 0;
    std::size_t m_unsentBytes = 0;
    bool m_paused = false;
    bool m_delivering = false;
};

} // namespace yardmaster::agent

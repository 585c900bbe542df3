// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/frame_stream.h"

#include <QPointer>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>

namespace yardmaster::agent {

FrameStream::FrameStream(UniqueFd fd, std::size_t maxFrameBytes, QObject* parent)
    : QObject(parent)
    , m_fd(std::move(fd))
    , m_maxFrameBytes(maxFrameBytes)
    , m_reader(maxFrameBytes) {
    ::fcntl(m_fd.get(), F_SETFL, ::fcntl(m_fd.get(), F_GETFL) | O_NONBLOCK);
    m_readNotifier = std::make_unique<QSocketNotifier>(m_fd.get(), QSocketNotifier::Read);
    m_writeNotifier = std::make_unique<QSocketNotifier>(m_fd.get(), QSocketNotifier::Write);
    m_writeNotifier->setEnabled(false);
    connect(m_readNotifier.get(), &QSocketNotifier::activated, this, [this] { readAvailable(); });
    connect(m_writeNotifier.get(), &QSocketNotifier::activated, this, [this] { flush(); });
}

FrameStream::~FrameStream() {
    close();
}

Expected<void> FrameStream::send(const google::protobuf::MessageLite& message) {
    if (!isOpen())
        return failure(Error::Code::Unavailable, "the connection is closed");
    auto frame = protocol::encodeFrame(message, m_maxFrameBytes);
    if (!frame)
        return failure(frame.error());
    m_unsentBytes += frame->size();
    m_queue.push_back(std::move(*frame));
    flush();
    return {};
}

void FrameStream::setPaused(bool paused) {
    if (m_paused == paused)
        return;
    m_paused = paused;
    if (!paused && !m_delivering)
        QMetaObject::invokeMethod(
            this, [this] { deliver(); }, Qt::QueuedConnection);
}

void FrameStream::close() {
    if (!isOpen())
        return;
    if (!m_queue.empty())
        flush();
    release();
}

void FrameStream::release() {
    // A notifier must not be deleted in its own signal, and must be off before its descriptor closes.
    for (auto* notifier : {&m_readNotifier, &m_writeNotifier}) {
        (*notifier)->setEnabled(false);
        notifier->release()->deleteLater();
    }
    m_queue.clear();
    m_sentOfFirst = 0;
    m_unsentBytes = 0;
    m_fd.reset();
}

void FrameStream::fail(Error reason) {
    if (!isOpen())
        return;
    release();
    emit closed(reason);
}

void FrameStream::readAvailable() {
    std::array<char, 65536> buffer;
    const QPointer<FrameStream> self(this);
    while (isOpen()) {
        const ssize_t count = ::recv(m_fd.get(), buffer.data(), buffer.size(), 0);
        if (count < 0) {
            if (errno == EINTR)
                continue;
            if (errno == EAGAIN || errno == EWOULDBLOCK)
                return;
            fail(Error::fromErrno(errno, "recv"));
            return;
        }
        if (count == 0) {
            deliver();
            if (self && isOpen()) {
                const bool truncated = m_reader.pendingBytes() != 0 && !m_paused;
                fail(truncated ? Error{Error::Code::DataLoss, "the stream ended within a frame", {}, {}}
                               : Error{Error::Code::Unavailable, "the peer closed the connection", {}, {}});
            }
            return;
        }
        m_reader.append(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
        deliver();
        if (!self || !isOpen())
            return;
        if (m_paused && m_reader.pendingBytes() > m_maxFrameBytes) {
            m_readNotifier->setEnabled(false);
            return;
        }
        if (static_cast<std::size_t>(count) < buffer.size())
            return; // the notifier is level-triggered
    }
}

void FrameStream::deliver() {
    if (m_delivering)
        return;
    m_delivering = true;
    const QPointer<FrameStream> self(this);
    while (isOpen() && !m_paused) {
        std::string_view payload;
        const auto next = m_reader.next(payload);
        if (!next) {
            m_delivering = false;
            fail(next.error());
            return;
        }
        if (!*next)
            break;
        emit payloadReceived(payload);
        if (!self)
            return;
    }
    m_delivering = false;
    if (isOpen() && !m_paused)
        m_readNotifier->setEnabled(true);
}

void FrameStream::flush() {
    while (isOpen() && !m_queue.empty()) {
        const std::string_view rest = std::string_view(m_queue.front()).substr(m_sentOfFirst);
        const ssize_t count = ::send(m_fd.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (count < 0) {
            if (errno == EINTR)
                continue;
            if (errno == EAGAIN || errno == EWOULDBLOCK) {
                m_writeNotifier->setEnabled(true);
                return;
            }
            // Said from the event loop: a caller of send() does not expect to be deleted in it.
            const Error reason = Error::fromErrno(errno, "send");
            QMetaObject::invokeMethod(
                this, [this, reason] { fail(reason); }, Qt::QueuedConnection);
            m_queue.clear();
            m_sentOfFirst = 0;
            m_unsentBytes = 0;
            break;
        }
        m_sentOfFirst += static_cast<std::size_t>(count);
        m_unsentBytes -= static_cast<std::size_t>(count);
        if (m_sentOfFirst == m_queue.front().size()) {
            m_queue.pop_front();
            m_sentOfFirst = 0;
        }
    }
    if (isOpen())
        m_writeNotifier->setEnabled(false);
}

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/blocking_client.h"

#include "backend/agent/unix_socket.h"

#include <array>
#include <cerrno>
#include <sys/socket.h>

namespace yardmaster::agent {

Expected<BlockingClient> BlockingClient::connect(
    const std::string& path, int timeoutMs, std::size_t maxFrameBytes) {
    auto fd = connectUnix(path);
    if (!fd)
        return failure(fd.error());
    setSocketTimeouts(fd->get(), timeoutMs);
    return BlockingClient(std::move(*fd), maxFrameBytes);
}

Expected<void> BlockingClient::sendBytes(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::send(m_fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return failure(Error::fromErrno(errno, "send", "command socket"));
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
}

Expected<void> BlockingClient::send(const proto::Request& request) {
    auto frame = protocol::encodeFrame(request, m_maxFrameBytes);
    if (!frame)
        return failure(frame.error());
    return sendBytes(*frame);
}

Expected<proto::Response> BlockingClient::receive() {
    std::array<char, 65536> buffer;
    while (true) {
        std::string_view payload;
        const auto next = m_reader.next(payload);
        if (!next)
            return failure(next.error());
        if (*next) {
            proto::Response response;
            if (auto decoded = protocol::decodePayload(payload, response); !decoded)
                return failure(decoded.error());
            return response;
        }
        const ssize_t count = ::recv(m_fd.get(), buffer.data(), buffer.size(), 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return failure(Error::Code::DeadlineExceeded, "no answer in time", "command socket");
        if (count < 0)
            return failure(Error::fromErrno(errno, "recv", "command socket"));
        if (count == 0)
            return failure(Error::Code::Unavailable, "the peer closed the connection", "command socket");
        m_reader.append(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    }
}

Expected<proto::Response> BlockingClient::call(
    const proto::Request& request, const std::function<bool(const proto::Response&)>& progress) {
    if (auto sent = send(request); !sent)
        return failure(sent.error());
    while (true) {
        auto response = receive();
        if (!response || response->status() != proto::PROCESSING)
            return response;
        if (progress && !progress(*response))
            return failure(Error::Code::Cancelled, "no longer waited for");
    }
}

} // namespace yardmaster::agent

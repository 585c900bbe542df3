// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/base/unique_fd.h"
#include "backend/protocol/command.pb.h"
#include "backend/protocol/frame.h"

#include <functional>
#include <string>

namespace yardmaster::agent {

/// A command socket used synchronously: for command line tools and tests. One request at a time.
class BlockingClient {
public:
    /// Unavailable when nobody listens. `timeoutMs` bounds each wait for a message, 0 waits for ever.
    [[nodiscard]] static Expected<BlockingClient> connect(
        const std::string& path, int timeoutMs, std::size_t maxFrameBytes = protocol::defaultMaxFrameBytes);

    /// Sends and returns the final answer, OK or FAILURE alike; each PROCESSING goes to `progress`, which
    /// returns false to stop waiting (Cancelled; the connection is of no more use then).
    [[nodiscard]] Expected<proto::Response> call(
        const proto::Request& request, const std::function<bool(const proto::Response&)>& progress = {});

    [[nodiscard]] Expected<void> send(const proto::Request& request);
    [[nodiscard]] Expected<void> sendBytes(std::string_view bytes);
    /// The next message. Unavailable: the peer closed. DeadlineExceeded: nothing came in time.
    [[nodiscard]] Expected<proto::Response> receive();

private:
    BlockingClient(UniqueFd fd, std::size_t maxFrameBytes)
        : m_fd(std::move(fd))
        , m_reader(maxFrameBytes)
        , m_maxFrameBytes(maxFrameBytes) { }

    UniqueFd m_fd;
    protocol::FrameReader m_reader;
    std::size_t m_maxFrameBytes;
};

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/unique_fd.h"
#include "backend/io/event_loop.h"
#include "backend/io/stream_socket.h"
#include "backend/protocol/command.pb.h"

#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace yardmaster::worker {

/// The worker's end of the channel to its agent: frames in, frames out, never blocking the loop. When the
/// agent goes, the link is down and the worker serves on until another agent adopts it.
class AgentLink final : public io::EventHandler {
public:
    struct Callbacks {
        std::function<void(const proto::WorkerRequest&)> onRequest;
        /// A listening socket that came on the channel itself (only where it carries sockets).
        std::function<void(const std::string& address, proto::ListenerType type, UniqueFd fd)> onSocket;
        std::function<void()> onBatch; ///< after the requests that came together
        std::function<void()> onDown;
    };

    AgentLink(io::EventLoop& loop, Callbacks callbacks);

    /// Takes the connection over; replaces one that is down. After an adoption the channel carries listening
    /// sockets between the frames, as worker_channel.h says; before, they come on a socket of their own.
    [[nodiscard]] Expected<void> attach(UniqueFd channel, bool carriesSockets);
    [[nodiscard]] bool isUp() const { return m_socket.isOpen(); }

    void send(const proto::WorkerResponse& response);
    /// Waits up to a second for what is queued: before the process exits.
    void drainOutput();

    void onEvents(std::uint32_t events) override;

private:
    enum class Taken { Nothing, Message, Garbage };

    void receive();
    [[nodiscard]] bool readMore();
    [[nodiscard]] Taken takeMessage(std::string_view& rest);
    [[nodiscard]] Taken takeSockets(std::string_view& rest);
    void flush();
    void goDown();

    io::EventLoop& m_loop;
    Callbacks m_callbacks;
    io::StreamSocket m_socket;
    bool m_carriesSockets = false;
    std::string m_input;
    std::deque<UniqueFd> m_sockets; ///< arrived, not yet named
    std::string m_output;
    proto::WorkerRequest m_request;
};

} // namespace yardmaster::worker

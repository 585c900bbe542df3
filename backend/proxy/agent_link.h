// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/io/event_loop.h"
#include "backend/io/stream_socket.h"
#include "backend/protocol/command.pb.h"
#include "backend/protocol/frame.h"

#include <functional>
#include <string>

namespace yardmaster::worker {

/// The worker's end of the channel to its agent: frames in, frames out, never blocking the loop. When the
/// agent goes, the link is down and the worker serves on until another agent adopts it.
class AgentLink final : public io::EventHandler {
public:
    using Receive = std::function<void(const proto::WorkerRequest&)>;

    AgentLink(
        io::EventLoop& loop, Receive receive, std::function<void()> onBatch, std::function<void()> onDown);

    /// Takes the connection over; replaces one that is down.
    [[nodiscard]] Expected<void> attach(UniqueFd channel);
    [[nodiscard]] bool isUp() const { return m_socket.isOpen(); }
    [[nodiscard]] int fd() const { return m_socket.fd(); }

    void send(const proto::WorkerResponse& response);
    /// Waits up to a second for what is queued: before the process exits.
    void drainOutput();

    void onEvents(std::uint32_t events) override;

private:
    void receiveFrames();
    void flush();
    void goDown();

    io::EventLoop& m_loop;
    Receive m_receive;
    std::function<void()> m_onBatch;
    std::function<void()> m_onDown;
    io::StreamSocket m_socket;
    protocol::FrameReader m_reader;
    std::string m_output;
};

} // namespace yardmaster::worker

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/parser.h"
#include "backend/io/event_loop.h"
#include "backend/io/stream_socket.h"
#include "backend/lab/upstream_answer.h"

#include <cstdint>
#include <string>

namespace yardmaster::lab {

class Upstream;

/// One connection of an upstream: requests in turn, each answered before the next is looked at.
class UpstreamConnection final : public io::EventHandler {
public:
    UpstreamConnection(Upstream& owner, UniqueFd fd, std::size_t server);
    UpstreamConnection(const UpstreamConnection&) = delete;
    UpstreamConnection& operator=(const UpstreamConnection&) = delete;

    void onEvents(std::uint32_t events) override;
    void onLatencyOver();
    [[nodiscard]] int fd() const { return m_socket.fd(); }
    [[nodiscard]] bool isWaiting() const { return m_state == State::Waiting; }

private:
    enum class State : std::uint8_t {
        Head, ///< reading a request's head
        Body, ///< reading its body
        Waiting, ///< for the latency
        Answering, ///< writing
        Lingering, ///< said all; reads what still comes, so that no reset destroys the answer
    };

    void proceed();
    bool readHead(); ///< these say whether something moved on
    bool readBody();
    bool writeAnswer();
    bool linger();
    bool readMore();
    void refuse(int status);
    void startAnswer();
    void finishAnswer();
    void appendHead(std::uint64_t bodyBytes, bool withLength);
    void refillOutput();
    bool flush();
    void close();

    Upstream& m_owner;
    io::StreamSocket m_socket;
    std::size_t m_server;
    State m_state = State::Head;
    std::string m_input, m_output, m_body, m_head;
    std::size_t m_written = 0; ///< of m_output
    http::RequestParser m_parser;
    http::ChunkedDecoder m_chunks;
    http::Method m_method = http::Method::Other;
    http::BodyFraming m_framing = http::BodyFraming::None;
    std::uint64_t m_bodyLeft = 0; ///< of the request
    std::uint64_t m_fillerLeft = 0; ///< of the answer
    UpstreamAnswer m_answer;
    bool m_sendsChunks = false;
    bool m_closeAfter = false;
    bool m_inputEnded = false;
};

} // namespace yardmaster::lab

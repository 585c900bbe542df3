// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/io/byte_buffer.h"
#include "backend/io/event_loop.h"
#include "backend/io/stream_socket.h"
#include "backend/lab/answer_reader.h"
#include "backend/lab/load_options.h"
#include "backend/lab/load_stats.h"
#include "backend/lab/request_factory.h"

#include <cstdint>
#include <functional>
#include <string>

namespace yardmaster::lab {

/// One connection of a load run with at most one request on it. A request that was begun ends answered or
/// lost, once. A kept connection that the server closed counts against the request that was written on it,
/// even if the server's FIN had come in before: a client cannot know, and ours does not look.
class LoadClient final : public io::EventHandler {
public:
    /// What the clients of a run share; outlives them.
    struct Run {
        io::EventLoop& loop;
        const LoadOptions& options;
        LoadStats& stats;
        RequestFactory& requests;
        /// The request was decided; the client can be given another, but not from within this call.
        std::function<void(LoadClient&, bool couldConnect)> onDecided;
    };

    explicit LoadClient(Run& run);
    LoadClient(const LoadClient&) = delete;
    LoadClient& operator=(const LoadClient&) = delete;

    /// `dueNs`: when the request should have left; 0: now.
    void begin(std::int64_t dueNs);
    void onEvents(std::uint32_t events) override;
    void loseIfStartedBefore(std::int64_t timeNs);
    void abandon();
    /// Between two requests: closes if the server has ended the connection. That costs no request.
    void noticeEnd();

private:
    void connect();
    void finishConnect(std::uint32_t events);
    void pump();
    void receive();
    void receiveLastBytes();
    void takeVerdict(AnswerReader::Verdict verdict);
    void answered();
    void lost(Loss loss, bool couldConnect = true);
    void lostByErrno(int error);
    void closeSocket();

    Run& m_run;
    io::StreamSocket m_socket;
    io::ByteBuffer m_input;
    AnswerReader m_reader;
    std::string m_request;
    std::size_t m_sentBytes = 0;
    bool m_isBusy = false;
    bool m_isConnected = false;
    std::int64_t m_dueNs = 0;
    std::int64_t m_startNs = 0;
};

} // namespace yardmaster::lab

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/parser.h"
#include "backend/io/byte_buffer.h"
#include "backend/io/event_loop.h"
#include "backend/io/stream_socket.h"
#include "backend/metrics/metrics_page.h"
#include "backend/worker/cluster.h"
#include "backend/worker/listener.h"
#include "backend/worker/upstream_connection.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace yardmaster::worker {

class AccessLog;
class Proxy;

/// What sessions share; owned by the proxy.
struct SessionContext {
    io::EventLoop& loop;
    Proxy& proxy;
    UpstreamPool& pool;
    Balancer& balancer;
    metrics::MetricsBlock& metrics;
    AccessLog* accessLog = nullptr;
};

/// One client connection: reads a request head, finds its backend, relays both bodies with bounded buffers,
/// and goes on to the next request. Split over session.cpp (life, deadlines, drain, records),
/// session_request.cpp (head to backend), session_exchange.cpp (bodies and response) and session_tunnel.cpp
/// (after 101).
class Session final : public io::EventHandler {
public:
    Session(SessionContext& context, UniqueFd fd, std::shared_ptr<const ListenerSlot> slot);
    ~Session();

    [[nodiscard]] Expected<void> start();
    void onEvents(std::uint32_t events) override; ///< of the client
    void onUpstreamEvents(std::uint32_t events);
    void onTick(std::int64_t nowNs);

    /// No further request after the one that runs; an idle connection is closed after `quietNs` without a
    /// byte.
    void beginDrain(std::int64_t quietNs);
    /// At the drain's deadline.
    void cut();

    [[nodiscard]] bool isEnded() const { return m_state == State::Ended; }
    [[nodiscard]] bool hasRequest() const { return m_inFlight || m_state == State::Tunnel; }
    [[nodiscard]] bool wasClosedIdle() const { return m_closedIdle; }
    [[nodiscard]] std::string describe(std::int64_t nowNs) const; ///< "10.0.0.7:51000 GET /slow 12.1 s"

    std::size_t index = 0; ///< of the proxy's list

private:
    enum class State : std::uint8_t {
        ReadingHead,
        Connecting,
        Exchange,
        Tunnel,
        Finishing,
        Lingering,
        Ended
    };
    enum class Progress : std::uint8_t { Wait, Again };

    void run();
    void end();

    // session_request.cpp
    [[nodiscard]] Progress readHead();
    [[nodiscard]] Progress handleHead();
    void beginRequest(std::int64_t firstByteNs);
    void rememberRequest(const http::RequestHead& head, std::string_view path);
    void forgetRequest(); ///< none that could be understood
    [[nodiscard]] const Route* findRoute(const http::RequestHead& head, std::string_view& path, int& status);
    [[nodiscard]] Progress redirectToHttps(const http::RequestHead& head, std::string_view path);
    [[nodiscard]] Progress connectUpstream();
    void upstreamConnected();
    void connectFailed(const char* reason);
    [[nodiscard]] Progress answer(
        int status, const char* reason, std::string_view extraFields = {}, std::string_view body = {});

    // session_exchange.cpp
    [[nodiscard]] Progress exchange();
    [[nodiscard]] bool sendRequest();
    [[nodiscard]] bool takeRequestBody();
    [[nodiscard]] bool takeResponse();
    [[nodiscard]] bool takeResponseHead();
    [[nodiscard]] bool takeResponseBody();
    [[nodiscard]] bool readUpstream();
    [[nodiscard]] bool readClient();
    bool flushToClient(std::string_view body = {}, std::size_t* bodyTaken = nullptr);
    void writeResponseHead(const http::ResponseHead& head);
    void finishResponse();
    void upstreamFailed(const char* reason);
    void abortExchange();
    void dropUpstream();

    // session_tunnel.cpp
    void startTunnel();
    [[nodiscard]] Progress tunnel();
    [[nodiscard]] bool tunnelToUpstream();
    [[nodiscard]] bool tunnelToClient();

    [[nodiscard]] Progress finish();
    [[nodiscard]] Progress linger();
    void recordRequest();
    void startRequestWait();
    void releaseBuffers();
    void setDeadline(std::int64_t afterNs);
    void setIdle(bool idle);
    void setInFlight(bool inFlight);
    void touch() { m_moved = true; } ///< bytes moved: the deadline starts anew
    void renewDeadline();
    [[nodiscard]] bool isWaitingForBody() const;

    SessionContext& m_context;
    io::StreamSocket m_client;
    std::shared_ptr<const ListenerSlot> m_slot;
    std::shared_ptr<const ListenerSettings> m_settings; ///< for the request that runs
    std::string m_clientAddress; ///< without port
    std::uint16_t m_clientPort = 0;
    std::uint64_t m_affinityHash = 0;

    State m_state = State::ReadingHead;
    bool m_isRunning = false;
    bool m_wantsTurn = false; ///< of the loop
    bool m_moved = false;
    bool m_resetsOnEnd = false; ///< a plain end would make what was sent look complete
    bool m_isDraining = false;
    bool m_isIdle = false;
    bool m_inFlight = false;
    bool m_closedIdle = false;
    bool m_clientAtEnd = false; ///< its FIN was read
    std::int64_t m_deadlineNs = 0; ///< 0: none
    std::int64_t m_quietNs = 0;
    std::int64_t m_openedNs = 0;
    std::int64_t m_idleSinceNs = 0;
    std::uint64_t m_requestsServed = 0;

    io::ByteBuffer m_input; ///< from the client
    std::string m_toClient; ///< not yet taken by the kernel, from m_toClientSent on
    std::size_t m_toClientSent = 0;
    std::string m_toUpstream;
    std::size_t m_toUpstreamSent = 0;

    // The request that runs.
    http::RequestParser m_requestParser;
    http::ResponseParser m_responseParser;
    http::ChunkedDecoder m_requestChunks;
    http::ChunkedDecoder m_responseChunks;
    std::shared_ptr<Cluster> m_cluster;
    UpstreamConnection* m_upstream = nullptr;
    std::array<Backend*, 3> m_tried{};
    std::uint8_t m_triedCount = 0;
    http::Method m_method = http::Method::Other;
    std::string m_methodText, m_host, m_path; ///< for the log and the list of stragglers
    std::string m_pathStorage, m_hostStorage, m_requestId;
    http::BodyFraming m_requestFraming = http::BodyFraming::None;
    http::BodyFraming m_responseFraming = http::BodyFraming::None;
    std::uint64_t m_requestRemaining = 0;
    std::uint64_t m_responseRemaining = 0;
    int m_clientMinorVersion = 1;
    int m_status = 0;
    int m_informational = 0;
    bool m_keepAlive = true;
    bool m_upstreamKeepAlive = true;
    bool m_wantsUpgrade = false;
    bool m_expectsContinue = false; ///< the client may wait for a 100
    bool m_connectTimedOut = false;
    bool m_upstreamAtEnd = false; ///< of a tunnel
    bool m_upstreamShut = false, m_clientShut = false; ///< our half of a tunnel's connections
    bool m_requestComplete = false; ///< all of its body was taken from the client
    bool m_responseStarted = false;
    bool m_responseComplete = false;
    bool m_rechunk = false; ///< the response goes out chunked though it did not come so, or as it came
    bool m_ownError = false;
    std::int64_t m_requestStartNs = 0;
    std::uint64_t m_bytesToClient = 0;
};

} // namespace yardmaster::worker

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/unique_fd.h"
#include "backend/io/event_loop.h"
#include "backend/lab/load_generator.h"
#include "backend/lab/upstream.h"

#include <QByteArray>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace yardmaster::lab::test {

/// Upstreams on a thread of their own, until it is destroyed.
class UpstreamThread {
public:
    explicit UpstreamThread(UpstreamOptions options);
    ~UpstreamThread();
    UpstreamThread(const UpstreamThread&) = delete;
    UpstreamThread& operator=(const UpstreamThread&) = delete;

    [[nodiscard]] const std::vector<SocketAddress>& addresses() const { return m_addresses; }

private:
    std::vector<SocketAddress> m_addresses;
    UniqueFd m_stop;
    std::thread m_thread;
};

/// One answer of a response as a client sees it.
struct Answer {
    int status = 0;
    QByteArray head; ///< with the empty line
    QByteArray body; ///< decoded when chunked

    [[nodiscard]] QByteArray field(const char* name) const; ///< value, empty when missing
};

/// A blocking client that writes what it is told and reads answers.
class RawClient {
public:
    explicit RawClient(const SocketAddress& address);

    void send(const QByteArray& bytes);
    void shutdownWrite();
    /// Nothing: the connection ended, or no answer came in time.
    [[nodiscard]] std::optional<Answer> readAnswer(bool headRequest = false);
    [[nodiscard]] bool readEnd(); ///< whether the server ends the connection with nothing more said

private:
    bool readMore();
    QByteArray m_input;
    UniqueFd m_fd;
};

/// A server that does with each request what a script says, and remembers the requests.
class ScriptedServer {
public:
    struct Action {
        QByteArray bytes;
        enum class End {
            Keep,
            Close, ///< in order
            CloseAtOnce, ///< the end of stream in the same segment as the bytes
            Reset,
            Hang, ///< says no more until the client gives up
        };
        End end = End::Keep;
        int waitMs = 0; ///< before the bytes
    };
    struct Request {
        QByteArray head, body;
        int number = 0; ///< over all connections, from 1
    };
    using Script = std::function<Action(const Request&)>;

    explicit ScriptedServer(Script script);
    ~ScriptedServer();
    ScriptedServer(const ScriptedServer&) = delete;
    ScriptedServer& operator=(const ScriptedServer&) = delete;

    [[nodiscard]] SocketAddress address() const { return m_address; }
    [[nodiscard]] std::vector<Request> requests();
    [[nodiscard]] int connections() const { return m_accepted; }

    /// The answer that a load takes for right.
    [[nodiscard]] static QByteArray rightAnswer(const Request& request, const char* fields = "");

private:
    void acceptAll();
    void serve(int fd);
    bool act(int fd, const Action& action);

    Script m_script;
    SocketAddress m_address;
    UniqueFd m_listener;
    std::atomic<bool> m_isStopping = false;
    std::atomic<int> m_accepted = 0;
    std::mutex m_mutex;
    std::vector<Request> m_requests;
    std::vector<std::thread> m_threads;
    std::thread m_acceptor;
};

/// Runs a load in this thread until it is done; `onBatch` is called after each batch of events. Fails the
/// process when it takes longer than a minute.
void run(io::EventLoop& loop, LoadGenerator& load, const std::function<void()>& onBatch = {});

[[nodiscard]] SocketAddress localAddress(std::uint16_t port = 0);

} // namespace yardmaster::lab::test

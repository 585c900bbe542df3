// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/io/event_loop.h"
#include "backend/lab/load_client.h"
#include "backend/lab/load_options.h"
#include "backend/lab/load_stats.h"
#include "backend/lab/wake_timer.h"

#include <deque>
#include <memory>
#include <vector>

namespace yardmaster::lab {

/// Sends requests and judges the answers. It never retries: a request that was begun is answered right or
/// counted lost by its kind.
/// Closed loop: each connection sends its next request when the last was decided. Open loop: request n is due
/// at start + n / rate, whatever happened to those before; it leaves on the connection idle for longest, or
/// late when none is idle.
class LoadGenerator {
public:
    LoadGenerator(io::EventLoop& loop, LoadOptions options);
    LoadGenerator(const LoadGenerator&) = delete;
    LoadGenerator& operator=(const LoadGenerator&) = delete;

    [[nodiscard]] Expected<void> start();
    /// After each batch of the loop: begins what is to begin.
    void onBatchEnd();
    /// Begins no further request; isDone() once those under way are decided.
    void stop();
    /// Counts those under way as abandoned.
    void abandon();
    [[nodiscard]] bool isDone() const { return m_isStarted && m_isStopping && m_inFlight == 0; }

    [[nodiscard]] LoadStats& stats() { return m_stats; }
    [[nodiscard]] double seconds() const; ///< since the start, until done
    [[nodiscard]] const LoadOptions& options() const { return m_options; }

private:
    struct Resting {
        std::int64_t untilNs;
        LoadClient* client;
    };

    void onWake();
    void decided(LoadClient& client, bool couldConnect);
    void beginOn(LoadClient& client, std::int64_t dueNs);
    void beginClosed();
    void beginOpen(std::int64_t nowNs);
    [[nodiscard]] bool mayBegin() const;
    [[nodiscard]] std::int64_t dueNs(std::uint64_t number) const;
    [[nodiscard]] std::uint64_t dueUntil(std::int64_t timeNs) const;

    io::EventLoop& m_loop;
    LoadOptions m_options;
    std::int64_t m_startNs;
    LoadStats m_stats;
    RequestFactory m_requests;
    LoadClient::Run m_run;
    WakeTimer m_timer;
    std::vector<std::unique_ptr<LoadClient>> m_clients;
    std::deque<LoadClient*> m_idle; ///< those without a request, idle for longest first
    std::vector<LoadClient*> m_justDecided; ///< open loop: in this batch
    std::deque<Resting> m_resting; ///< could not connect; by time
    std::int64_t m_endNs = 0; ///< 0: until told
    std::int64_t m_doneNs = 0;
    std::int64_t m_nextTimeoutCheckNs = 0;
    std::uint64_t m_begun = 0;
    std::size_t m_inFlight = 0;
    bool m_isStarted = false;
    bool m_isStopping = false;
};

} // namespace yardmaster::lab

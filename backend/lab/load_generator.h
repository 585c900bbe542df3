// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/io/event_loop.h"
#include "backend/lab/load_options.h"
#include "backend/lab/load_stats.h"

#include <deque>
#include <memory>
#include <vector>

namespace yardmaster::lab {

/// Sends requests and judges the answers. It never retries: a request that was begun is answered right or
/// counted lost by its kind. A kept connection that the server closed while a request was being sent on it
/// counts as lost too: a real client has nothing better to go by.
class LoadGenerator {
public:
    LoadGenerator(io::EventLoop& loop, LoadOptions options);
    ~LoadGenerator();

    [[nodiscard]] Expected<void> start();
    void onTimer(); ///< about once a millisecond
    void onBatchEnd();
    /// Begins no further request; isDone() once those under way are decided.
    void stop() { m_isStopping = true; }
    [[nodiscard]] bool isDone() const;
    [[nodiscard]] LoadStats& stats() { return m_stats; }
    [[nodiscard]] double seconds() const;
    [[nodiscard]] const LoadOptions& options() const { return m_options; }

private:
    class Client;
    friend class Client;

    [[nodiscard]] bool mayBegin() const;
    void becameIdle(Client& client);

    io::EventLoop& m_loop;
    LoadOptions m_options;
    LoadStats m_stats;
    std::vector<std::unique_ptr<Client>> m_clients;
    std::vector<Client*> m_idle; ///< open loop: those without a request
    std::deque<std::int64_t> m_due; ///< open loop: when each waiting request should have left
    std::int64_t m_startNs = 0;
    std::int64_t m_endNs = 0;
    std::uint64_t m_scheduled = 0;
    std::uint64_t m_sequence = 0;
    bool m_isStopping = false;
    std::size_t m_inFlight = 0;
};

} // namespace yardmaster::lab

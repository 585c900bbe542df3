// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/listener_set.h"
#include "backend/agent/state_store.h"
#include "backend/agent/worker_pool.h"
#include "backend/base/error.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace yardmaster::agent {

using WorkerAnswers = std::map<std::uint32_t, Expected<proto::WorkerResponse>>; ///< by worker id
/// Asks each of `workers`; `done` gets all answers once the last is there (at once when there is nobody).
void askWorkers(const std::vector<Worker*>& workers, const proto::Request& request,
    std::function<void(const WorkerAnswers&)> done);

/// Changes of the state: first the agent's own, which decides, then every worker's. Sockets are bound before
/// a listener is activated and closed after the workers have let go of it.
class StateChanges {
public:
    StateChanges(StateStore& store, ListenerSet& listeners, WorkerPool& pool)
        : m_store(store)
        , m_listeners(listeners)
        , m_pool(pool) { }

    /// `done` is called once, when all serving workers have answered. An error of the agent's own state
    /// changed nothing; one that names workers means that those differ now.
    void apply(const proto::Request& request, std::function<void(Expected<void>)> done);

    /// Only the agent's own state and sockets (at start, before there are workers).
    [[nodiscard]] Expected<void> applyLocally(const proto::Request& request);
    /// Binds the sockets of all active listeners that are not there yet.
    [[nodiscard]] Expected<void> bindActiveListeners();

private:
    [[nodiscard]] Expected<void> applyToOwn(const proto::Request& request);
    void scatter(const proto::Request& request, std::function<void(Expected<void>)> done);

    StateStore& m_store;
    ListenerSet& m_listeners;
    WorkerPool& m_pool;
};

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/agent_config.h"
#include "backend/agent/event_log.h"
#include "backend/agent/job_list.h"
#include "backend/agent/listener_set.h"
#include "backend/agent/state_changes.h"
#include "backend/agent/state_store.h"
#include "backend/agent/worker_pool.h"

#include <functional>
#include <string>

namespace yardmaster::agent {

/// What the handlers of requests work with; owned by Agent.
struct AgentParts {
    const AgentConfig& config;
    StateStore& store;
    ListenerSet& listeners;
    WorkerPool& pool;
    StateChanges& changes;
    JobList& jobs;
    EventLog& events;
    /// Ends all workers, then `done`, then the agent.
    std::function<void(bool hard, const proto::DrainOptions& drain, const std::string& actor,
        std::function<void(Expected<void>)> done)>
        shutDown;
    std::function<proto::AgentIdentity()> identity;
    std::string configFile;
    std::string programDirectory;

    [[nodiscard]] Job::Context jobContext() const { return {pool, events}; }
    [[nodiscard]] proto::DrainOptions standardDrain() const {
        proto::DrainOptions drain;
        drain.set_deadline_ms(config.drainDeadlineMs);
        drain.set_quiet_ms(config.drainQuietMs);
        return drain;
    }
};

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/session.h"
#include "backend/control/worker_history.h"
#include "backend/protocol/command.pb.h"

#include <map>

namespace yardmaster::control {

/// Turns the samples of one subscription, in their order, into workers and deltas. The first sample is where
/// the deltas of the workers alive then start: what happened while nobody listened is in none.
class SampleReader {
public:
    /// Living workers by id, then the last 20 ended ones. Jobs and events are not its business.
    [[nodiscard]] Snapshot read(const proto::Sample& sample);

private:
    struct Known {
        WorkerHistory history;
        std::uint64_t requests = 0, errors = 0;
    };
    void addDelta(const proto::WorkerSample& worker, std::int64_t atNs, Snapshot& snapshot);

    bool m_isFirst = true;
    std::map<std::uint32_t, Known> m_known; ///< the living, by id
    std::map<std::uint32_t, WorkerInfo> m_ended;
};

} // namespace yardmaster::control

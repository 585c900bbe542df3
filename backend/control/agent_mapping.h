// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"
#include "backend/protocol/command.pb.h"

#include <memory>
#include <string>

/// The agent's messages (extensions.proto) as the values of worker_control.h.
namespace yardmaster::control {

[[nodiscard]] QString text(const std::string& utf8);
[[nodiscard]] Target targetOf(const proto::AgentIdentity& agent, const QString& endpoint);
[[nodiscard]] Capabilities agentCapabilities();
[[nodiscard]] WorkerInfo workerInfoOf(const proto::WorkerSample& sample);
/// Null when it holds no count.
[[nodiscard]] std::shared_ptr<const metrics::Histogram> histogramOf(const proto::SparseHistogram& sparse);
[[nodiscard]] DrainStatus drainOf(const proto::DrainReport& report);
[[nodiscard]] Event eventOf(const proto::AgentEvent& event);
[[nodiscard]] Job jobOf(const proto::JobProgress& progress, JobId id);
/// Cumulative counters of a sample; 0 for one that an older agent does not send.
[[nodiscard]] std::uint64_t requestsOf(const proto::WorkerSample& sample);
[[nodiscard]] std::uint64_t errorsOf(const proto::WorkerSample& sample);

} // namespace yardmaster::control

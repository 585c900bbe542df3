// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/agent_parts.h"
#include "backend/agent/runtime_directory.h"

#include <cstddef>

namespace yardmaster::agent {

/// Takes over the workers an earlier agent left behind (worker_channel.h, "Adoption"): their listeners, their
/// metrics pages, their state. The newest revision's state becomes the agent's; workers that differ from it
/// are told the difference. Sockets nobody answers on are removed. Blocks for at most a few seconds a worker;
/// called before the event loop runs. Returns how many workers serve.
[[nodiscard]] std::size_t adoptWorkers(AgentParts& parts, const RuntimeDirectory& directory);

} // namespace yardmaster::agent

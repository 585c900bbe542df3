// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace yardmaster::agent {

struct ProcessUsage {
    std::uint64_t rssBytes = 0;
    std::uint64_t cpuNs = 0; ///< user + system since the start of the process
};
/// From /proc/<pid>/statm and stat (proc(5)); nullopt when the process is gone.
[[nodiscard]] std::optional<ProcessUsage> readProcessUsage(pid_t pid);

} // namespace yardmaster::agent

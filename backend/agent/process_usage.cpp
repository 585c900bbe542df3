// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/process_usage.h"

#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace yardmaster::agent {

std::optional<ProcessUsage> readProcessUsage(pid_t pid) {
    const std::string directory = "/proc/" + std::to_string(pid);
    std::ifstream statm(directory + "/statm");
    std::uint64_t totalPages = 0;
    std::uint64_t residentPages = 0;
    if (!(statm >> totalPages >> residentPages))
        return std::nullopt;

    std::ifstream stat(directory + "/stat");
    std::string line;
    std::getline(stat, line);
    // The second field is the program's name in parentheses and may hold spaces and parentheses itself.
    const std::size_t nameEnd = line.rfind(')');
    if (nameEnd == std::string::npos)
        return std::nullopt;
    std::istringstream fields(line.substr(nameEnd + 1));
    std::string skipped;
    for (int field = 3; field < 14; ++field)
        fields >> skipped;
    std::uint64_t userTicks = 0;
    std::uint64_t systemTicks = 0;
    if (!(fields >> userTicks >> systemTicks))
        return std::nullopt;

    const auto ticksPerSecond = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    ProcessUsage usage;
    usage.rssBytes = residentPages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    usage.cpuNs = (userTicks + systemTicks) * (1'000'000'000 / ticksPerSecond);
    return usage;
}

} // namespace yardmaster::agent

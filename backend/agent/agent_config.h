// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/config_reader.h"
#include "backend/protocol/command.pb.h"

#include <cstdint>
#include <string>
#include <vector>

namespace yardmaster::agent {

/// What yardmasterd is told by its configuration file. Keys that Sozu's config.toml has mean the same here;
/// the rest is ours. Paths are absolute after reading: relative ones start at the file's directory.
struct AgentConfig {
    std::string baseDirectory; ///< of the file

    // Sozu's keys
    std::string commandSocket; ///< required
    std::uint64_t commandBufferBytes = 1'000'000; ///< command_buffer_size
    std::uint64_t maxCommandBufferBytes = 2'000'000; ///< max_command_buffer_size: cap of a frame
    std::uint32_t workerCount = 2;
    bool workerAutomaticRestart = true;
    std::uint32_t workerTimeoutS = 10; ///< worker_timeout: how long an answer of a worker is waited for
    std::uint32_t ctlCommandTimeoutMs = 10'000; ///< read by yardmasterctl
    std::uint64_t maxConnections = 10'000; ///< per worker
    std::string logLevel = "info"; ///< trace, debug, info, warn, error, off
    std::string logTarget = "stderr"; ///< "stdout", "stderr" or "file:///path"
    bool activateListeners = true;
    std::string savedState; ///< a state file to load at start, empty: none
    std::uint32_t frontTimeoutS = 60, backTimeoutS = 30, connectTimeoutS = 3, requestTimeoutS = 10;

    // Ours
    std::string name = "yardmaster";
    bool production = false;
    std::string runtimeDirectory; ///< lock and adoption sockets; default: beside the command socket
    std::string workerBinary; ///< default: yardmaster-worker beside yardmasterd
    std::string accessLog; ///< empty: none
    std::uint32_t readyDeadlineMs = 5'000;
    std::uint32_t drainDeadlineMs = 60'000;
    std::uint32_t drainQuietMs = 5'000;
    std::uint32_t upstreamIdleConnections = 32; ///< per backend and worker

    /// The [[listeners]] and [clusters] of the file as requests, in an order that applies to an empty state.
    std::vector<proto::Request> requests;
};

struct ConfigResult {
    AgentConfig config;
    std::vector<ConfigMistake> mistakes; ///< config is to be used only when empty
};

/// Never throws. `file` is for resolving relative paths and may be relative itself; `programDirectory` is
/// where yardmasterd is.
[[nodiscard]] ConfigResult parseAgentConfig(
    std::string_view text, const std::string& file, const std::string& programDirectory);
/// A file that cannot be read is one mistake.
[[nodiscard]] ConfigResult readAgentConfig(const std::string& file, const std::string& programDirectory);

/// [[listeners]] and [clusters.*] (config_objects.cpp).
void readListeners(ConfigReader& reader, AgentConfig& config, std::vector<ConfigMistake>& mistakes);
void readClusters(ConfigReader& reader, AgentConfig& config, std::vector<ConfigMistake>& mistakes);

} // namespace yardmaster::agent

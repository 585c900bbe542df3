// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/agent_config.h"

#include "backend/state/config_state.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <sys/un.h>

namespace yardmaster::agent {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t maxSeconds = 86'400;
constexpr std::int64_t maxMilliseconds = 3'600'000;

std::string absolutePath(const std::string& path, const fs::path& base) {
    if (path.empty())
        return path;
    return (base / path).lexically_normal().string();
}

void readLogging(ConfigReader& reader, AgentConfig& config, const fs::path& base) {
    const auto level = reader.readChoice("log_level", {"trace", "debug", "info", "warn", "error", "off"});
    if (level)
        reader.readString("log_level", config.logLevel);
    const std::size_t filePrefix = std::string_view("file://").size();
    reader.readString("log_target", config.logTarget);
    if (config.logTarget.starts_with("file://")) {
        config.logTarget = "file://" + absolutePath(config.logTarget.substr(filePrefix), base);
    } else if (config.logTarget != "stdout" && config.logTarget != "stderr") {
        reader.mistake("log_target", "'" + config.logTarget + "' is no log target",
            "\"stdout\", \"stderr\" or \"file:///var/log/yardmaster.log\"");
    }
    reader.readString("access_log", config.accessLog);
    config.accessLog = absolutePath(config.accessLog, base);
}

void readSizesAndTimes(ConfigReader& reader, AgentConfig& config) {
    constexpr std::int64_t maxBytes = 2'000'000'000; // protobuf's own limit for one message
    reader.readInteger("command_buffer_size", config.commandBufferBytes, 4096, maxBytes);
    reader.readInteger("max_command_buffer_size", config.maxCommandBufferBytes, 4096, maxBytes);
    if (config.commandBufferBytes > config.maxCommandBufferBytes && reader.has("command_buffer_size"))
        reader.mistake("command_buffer_size", "is above max_command_buffer_size");
    reader.readInteger("worker_timeout", config.workerTimeoutS, 1, maxSeconds);
    reader.readInteger("ctl_command_timeout", config.ctlCommandTimeoutMs, 1, maxMilliseconds);
    reader.readInteger("max_connections", config.maxConnections, 1, 10'000'000);
    reader.readInteger("front_timeout", config.frontTimeoutS, 1, maxSeconds);
    reader.readInteger("back_timeout", config.backTimeoutS, 1, maxSeconds);
    reader.readInteger("connect_timeout", config.connectTimeoutS, 1, maxSeconds);
    reader.readInteger("request_timeout", config.requestTimeoutS, 1, maxSeconds);
    reader.readInteger("ready_deadline_ms", config.readyDeadlineMs, 1, maxMilliseconds);
    reader.readInteger("drain_deadline_ms", config.drainDeadlineMs, 0, maxMilliseconds);
    reader.readInteger("drain_quiet_ms", config.drainQuietMs, 0, maxMilliseconds);
    reader.readInteger("upstream_idle_connections", config.upstreamIdleConnections, 0, 10'000);
}

void readPaths(
    ConfigReader& reader, AgentConfig& config, const fs::path& base, const std::string& programDirectory) {
    reader.readString("command_socket", config.commandSocket, true);
    config.commandSocket = absolutePath(config.commandSocket, base);
    reader.readString("runtime_directory", config.runtimeDirectory);
    config.runtimeDirectory = absolutePath(config.runtimeDirectory, base);
    if (config.runtimeDirectory.empty() && !config.commandSocket.empty())
        config.runtimeDirectory = config.commandSocket + ".run";
    reader.readString("worker_binary", config.workerBinary);
    config.workerBinary = config.workerBinary.empty() ? absolutePath("yardmaster-worker", programDirectory)
                                                      : absolutePath(config.workerBinary, base);
    reader.readString("saved_state", config.savedState);
    config.savedState = absolutePath(config.savedState, base);

    constexpr std::size_t longestSocketPath = sizeof(sockaddr_un::sun_path) - 1;
    if (config.commandSocket.size() > longestSocketPath)
        reader.mistake("command_socket",
            "the path is longer than the " + std::to_string(longestSocketPath) + " bytes of a socket's name");
    const std::size_t longestWorkerSocket =
        config.runtimeDirectory.size() + std::string_view("/worker-4294967295.sock").size();
    if (longestWorkerSocket > longestSocketPath)
        reader.mistake(reader.has("runtime_directory") ? "runtime_directory" : "command_socket",
            "the runtime directory " + config.runtimeDirectory
                + " is too long for the names of the workers' sockets in it",
            "at most " + std::to_string(longestSocketPath - 23) + " bytes");
}

/// What each request alone cannot tell: twice the same listener, a frontend on an address nobody listens on.
void checkTogether(const AgentConfig& config, std::vector<ConfigMistake>& mistakes) {
    state::ConfigState state;
    for (const proto::Request& request : config.requests) {
        if (auto applied = state.apply(request); !applied)
            mistakes.push_back({0, 0, {}, applied.error().toString(), {}});
    }
}

} // namespace

ConfigResult parseAgentConfig(
    std::string_view text, const std::string& file, const std::string& programDirectory) {
    ConfigResult result;
    toml::table root;
    try {
        root = toml::parse(text, file);
    } catch (const toml::parse_error& error) {
        const toml::source_position position = error.source().begin;
        result.mistakes.push_back(
            {position.line, position.column, {}, std::string(error.description()), "TOML syntax"});
        return result;
    }
    AgentConfig& config = result.config;
    const fs::path base = fs::absolute(file).parent_path();
    config.baseDirectory = base.string();
    ConfigReader reader(root, {}, result.mistakes);
    readPaths(reader, config, base, programDirectory);
    readSizesAndTimes(reader, config);
    readLogging(reader, config, base);
    reader.readInteger("worker_count", config.workerCount, 1, 1024);
    reader.readBool("worker_automatic_restart", config.workerAutomaticRestart);
    reader.readBool("activate_listeners", config.activateListeners);
    reader.readString("name", config.name);
    reader.readBool("production", config.production);
    readListeners(reader, config, result.mistakes);
    readClusters(reader, config, result.mistakes);
    reader.finish();
    if (result.mistakes.empty())
        checkTogether(config, result.mistakes);
    return result;
}

ConfigResult readAgentConfig(const std::string& file, const std::string& programDirectory) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    if (stream)
        text << stream.rdbuf();
    if (!stream) {
        ConfigResult result;
        result.mistakes.push_back({0, 0, {}, "cannot be read", "does it exist, and may this user read it?"});
        return result;
    }
    return parseAgentConfig(text.str(), file, programDirectory);
}

} // namespace yardmaster::agent

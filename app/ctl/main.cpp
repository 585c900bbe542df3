// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "backend/agent/agent_config.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <functional>

namespace {

using namespace yardmaster;

/// The socket of the configuration file, when none is named.
int readSocket(const std::string& file, ctl::Options& options) {
    const agent::ConfigResult result = agent::readAgentConfig(file, ".");
    if (result.config.commandSocket.empty()) {
        for (const agent::ConfigMistake& mistake : result.mistakes)
            std::fprintf(stderr, "%s\n", mistake.toString(file).c_str());
        std::fprintf(stderr, "yardmasterctl: no command_socket in %s\n", file.c_str());
        return 2;
    }
    options.socket = result.config.commandSocket;
    options.maxFrameBytes = result.config.maxCommandBufferBytes;
    if (options.timeoutMs < 0)
        options.timeoutMs = static_cast<int>(result.config.ctlCommandTimeoutMs);
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("Asks and commands a yardmasterd (or a Sozu) through its command socket.", "yardmasterctl");
    ctl::Options options;
    std::string config;
    auto* socket = app.add_option("--socket,-s", options.socket, "The command socket");
    app.add_option("--config,-c", config, "Take the socket from this configuration file")->excludes(socket);
    app.add_option("--timeout,-t", options.timeoutMs, "Wait this long for a message, ms; 0: for ever")
        ->check(CLI::NonNegativeNumber);
    app.add_flag("--json,-j", options.json, "JSON, one object a line");
    app.set_version_flag("--version", "yardmasterctl " YARDMASTER_VERSION);
    app.require_subcommand(1);

    std::function<int()> run;
    const auto verb = [&](CLI::App& parent, const char* name, const char* text, std::function<int()> action) {
        auto* command = parent.add_subcommand(name, text);
        command->callback([&run, action = std::move(action)] { run = action; });
        return command;
    };

    verb(app, "status", "The workers", [&] { return ctl::status(options); });
    verb(app, "jobs", "Running and ended jobs", [&] { return ctl::listJobs(options); });
    verb(app, "events", "Follow what happens", [&] { return ctl::followEvents(options); });

    ctl::UpgradeArguments upgrade;
    auto* upgradeCommand = verb(app, "upgrade", "Replace one worker, or all one after the other",
        [&] { return ctl::upgrade(options, upgrade); });
    upgradeCommand->add_option("--worker,-w", upgrade.worker, "Id of the worker; absent: all");
    upgradeCommand->add_option("--ready-deadline", upgrade.readyDeadlineMs, "For the new worker, ms");
    upgradeCommand->add_option("--drain-deadline", upgrade.drainDeadlineMs, "For the old worker, ms");
    upgradeCommand->add_option(
        "--drain-quiet", upgrade.drainQuietMs, "Close a connection after this much silence, ms");

    std::optional<std::uint32_t> spawnDeadlineMs;
    verb(app, "spawn", "Start one more worker", [&] {
        return ctl::spawn(options, spawnDeadlineMs);
    })->add_option("--ready-deadline", spawnDeadlineMs, "For the new worker, ms");

    ctl::StopArguments stop;
    auto* stopCommand = verb(app, "stop", "End one worker", [&] { return ctl::stop(options, stop); });
    stopCommand->add_option("--worker,-w", stop.worker, "Id of the worker")->required();
    stopCommand->add_option("--drain-deadline", stop.drainDeadlineMs, "ms");
    stopCommand->add_flag("--hard", stop.hard, "At once, without a drain");

    std::uint64_t job = 0;
    verb(app, "cancel", "Cancel a job", [&] { return ctl::cancel(options, job); })
        ->add_option("job", job, "Number of the job")
        ->required();

    bool hard = false;
    verb(app, "shutdown", "End all workers and the agent", [&] {
        return ctl::shutDown(options, hard);
    })->add_flag("--hard", hard, "At once, without a drain");

    std::string reloadFile;
    verb(app, "reload", "Add what the configuration file has", [&] {
        return ctl::reload(options, reloadFile);
    })->add_option("--file,-f", reloadFile, "Another file than the agent's own");

    const auto group = [&](const char* name, const char* text) {
        auto* command = app.add_subcommand(name, text);
        command->require_subcommand(1);
        return command;
    };
    verb(*group("listener", "Listeners"), "list", "All listeners",
        [&] { return ctl::listListeners(options); });
    std::string domain;
    verb(*group("frontend", "Frontends"), "list", "All frontends", [&] {
        return ctl::listFrontends(options, domain);
    })->add_option("--domain,-d", domain, "Only hosts that contain this");
    std::string clusterId;
    verb(*group("cluster", "Clusters"), "list", "All clusters, or one", [&] {
        return ctl::listClusters(options, clusterId);
    })->add_option("--id,-i", clusterId, "Only this one, with all it has");
    std::string stateFile;
    auto* state = group("state", "The whole state");
    verb(*state, "save", "Write the state to a file (with private keys)",
        [&] { return ctl::saveState(options, std::filesystem::absolute(stateFile).string()); })
        ->add_option("--file,-f", stateFile, "Sozu's JSON records")
        ->required();
    verb(*state, "load", "Add the records of a file to the state",
        [&] { return ctl::loadState(options, std::filesystem::absolute(stateFile).string()); })
        ->add_option("--file,-f", stateFile, "Sozu's JSON records")
        ->required();

    CLI11_PARSE(app, argc, argv);
    if (!config.empty()) {
        if (const int status = readSocket(config, options); status != 0)
            return status;
    }
    if (options.socket.empty()) {
        std::fputs("yardmasterctl: give --socket PATH or --config FILE\n", stderr);
        return 2;
    }
    return run();
}

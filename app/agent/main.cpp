// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/agent.h"
#include "logging.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <QSocketNotifier>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace {

using namespace yardmaster;

/// Every connection of every worker is a descriptor, and workers inherit the limit.
void raiseFileLimit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/// SIGTERM and SIGINT as a descriptor; blocked from here on, also in threads made later.
UniqueFd terminationSignals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    return UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

std::string programDirectory() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string();
}

int check(const agent::ConfigResult& result, const std::string& file) {
    for (const agent::ConfigMistake& mistake : result.mistakes)
        std::fprintf(stderr, "%s\n", mistake.toString(file).c_str());
    return result.mistakes.empty() ? 0 : 1;
}

int run(int argc, char** argv, agent::AgentConfig config, const std::string& file, UniqueFd signalFd) {
    if (auto opened = openLog(config.logTarget, config.logLevel); !opened) {
        std::fprintf(stderr, "yardmasterd: %s\n", opened.error().toString().c_str());
        return 1;
    }
    QCoreApplication application(argc, argv);
    agent::Agent agent(std::move(config), file, programDirectory());
    QObject::connect(
        &agent, &agent::Agent::finished, &application, &QCoreApplication::quit, Qt::QueuedConnection);
    QSocketNotifier notifier(signalFd.get(), QSocketNotifier::Read);
    QObject::connect(&notifier, &QSocketNotifier::activated, &agent, [&] {
        signalfd_siginfo info{};
        while (::read(signalFd.get(), &info, sizeof info) == sizeof info)
            agent.onTerminationSignal(static_cast<int>(info.ssi_signo));
    });
    if (auto started = agent.start(); !started) {
        spdlog::error("{}", started.error().toString());
        std::fprintf(stderr, "yardmasterd: %s\n", started.error().toString().c_str());
        return 1;
    }
    const int status = QCoreApplication::exec();
    spdlog::info("the agent has ended");
    spdlog::shutdown();
    return status;
}

} // namespace

int main(int argc, char** argv) {
    UniqueFd signalFd = terminationSignals();
    CLI::App options("Owns the listeners, the state and the workers of one host.", "yardmasterd");
    std::string file;
    bool onlyCheck = false;
    options.add_option("--config,-c", file, "The configuration, TOML")->required();
    options.add_flag("--check", onlyCheck, "Say every mistake in the configuration, and end");
    options.set_version_flag("--version", "yardmasterd " YARDMASTER_VERSION);
    CLI11_PARSE(options, argc, argv);

    agent::ConfigResult result = agent::readAgentConfig(file, programDirectory());
    const int status = check(result, file);
    if (onlyCheck && status == 0)
        std::puts("ok");
    if (onlyCheck || status != 0)
        return status;
    raiseFileLimit();
    return run(
        argc, argv, std::move(result.config), std::filesystem::absolute(file).string(), std::move(signalFd));
}

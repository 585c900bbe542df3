// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// The verbs of yardmasterctl. Each returns the exit status: 0 done, 1 the agent said FAILURE, 2 it could not
/// be asked.
namespace yardmaster::ctl {

struct Options {
    std::string socket;
    int timeoutMs = -1; ///< -1: 10 s, 0: for ever
    std::size_t maxFrameBytes = 64'000'000;
    bool json = false;
};

struct UpgradeArguments {
    std::optional<std::uint32_t> worker, readyDeadlineMs, drainDeadlineMs, drainQuietMs;
};
struct StopArguments {
    std::uint32_t worker = 0;
    std::optional<std::uint32_t> drainDeadlineMs;
    bool hard = false;
};

[[nodiscard]] int status(const Options& options);
[[nodiscard]] int upgrade(const Options& options, const UpgradeArguments& arguments);
[[nodiscard]] int spawn(const Options& options, std::optional<std::uint32_t> readyDeadlineMs);
[[nodiscard]] int stop(const Options& options, const StopArguments& arguments);
[[nodiscard]] int cancel(const Options& options, std::uint64_t job);
[[nodiscard]] int listJobs(const Options& options);
[[nodiscard]] int followEvents(const Options& options);
[[nodiscard]] int shutDown(const Options& options, bool hard);
[[nodiscard]] int reload(const Options& options, const std::string& file);
[[nodiscard]] int saveState(const Options& options, const std::string& file);
[[nodiscard]] int loadState(const Options& options, const std::string& file);
[[nodiscard]] int listListeners(const Options& options);
[[nodiscard]] int listFrontends(const Options& options, const std::string& domain);
[[nodiscard]] int listClusters(const Options& options, const std::string& id);

} // namespace yardmaster::ctl

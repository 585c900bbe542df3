// SPDX-License-Identifier: GPL-3.0-or-later
#include "logging.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>

namespace yardmaster {

Expected<void> openLog(const std::string& target, const std::string& level) {
    constexpr std::string_view filePrefix = "file://";
    try {
        std::shared_ptr<spdlog::logger> logger;
        if (target.starts_with(filePrefix))
            logger = spdlog::basic_logger_mt("agent", target.substr(filePrefix.size()));
        else
            logger =
                target == "stdout" ? spdlog::stdout_logger_mt("agent") : spdlog::stderr_logger_mt("agent");
        spdlog::set_default_logger(std::move(logger));
    } catch (const spdlog::spdlog_ex& error) {
        return failure(Error::Code::PermissionDenied, error.what(), target, "set log_target");
    }
    spdlog::set_level(spdlog::level::from_str(level));
    spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %^%l%$ %v");
    spdlog::flush_on(spdlog::level::warn);
    spdlog::flush_every(std::chrono::seconds(1));
    return {};
}

} // namespace yardmaster

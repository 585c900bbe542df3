// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/access_log.h"

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/sinks/basic_file_sink.h>

namespace yardmaster::worker {

namespace {
constexpr std::size_t queuedLines = 8192;
} // namespace

struct AccessLog::Private {
    std::shared_ptr<spdlog::details::thread_pool> pool;
    std::shared_ptr<spdlog::async_logger> logger;
};

AccessLog::AccessLog(std::unique_ptr<Private> parts)
    : d(std::move(parts)) { }

AccessLog::~AccessLog() {
    d->logger->flush();
}

Expected<std::unique_ptr<AccessLog>> AccessLog::open(const std::string& path) {
    auto parts = std::make_unique<Private>();
    try {
        auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
        parts->pool = std::make_shared<spdlog::details::thread_pool>(queuedLines, 1);
        parts->logger = std::make_shared<spdlog::async_logger>(
            "access", sink, parts->pool, spdlog::async_overflow_policy::overrun_oldest);
        parts->logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %v");
        parts->logger->flush_on(spdlog::level::warn);
    } catch (const spdlog::spdlog_ex& error) {
        return failure(
            Error::Code::Unavailable, error.what(), path, "check access_log in the agent's configuration");
    }
    return std::unique_ptr<AccessLog>(new AccessLog(std::move(parts)));
}

void AccessLog::write(const Entry& entry) {
    d->logger->info("{} {} {} {}{} {} {} B {} us cluster={} backend={}", entry.requestId, entry.client,
        entry.method, entry.host, entry.path, entry.status, entry.bytes, entry.latencyUs,
        entry.cluster.empty() ? "-" : entry.cluster, entry.backend.empty() ? "-" : entry.backend);
}

} // namespace yardmaster::worker

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/request_router.h"

#include "backend/agent/sampler.h"

#include <spdlog/spdlog.h>

namespace yardmaster::agent {

namespace {

void answerLogging(AgentParts& parts, const std::string& filter, const ReplyPtr& reply) {
    // Sozu's filter may name modules ("info,sozu_lib=debug"); ours has one level for all, its first word.
    const std::string word = filter.substr(0, filter.find(','));
    const auto level = spdlog::level::from_str(word);
    if (level == spdlog::level::off && word != "off") {
        reply->fail("'" + word + "' is no log level: trace, debug, info, warn, error or off");
        return;
    }
    spdlog::set_level(level);
    EventLog::Entry entry{proto::SEVERITY_INFO, "log_level_changed", "The log level is " + word, {}, {},
        reply->actor(), proto::Event()};
    entry.sozu->set_kind(proto::LOGGING_LEVEL_CHANGED);
    parts.events.add(std::move(entry));
    proto::Request request;
    request.set_logging(filter);
    askWorkers(
        parts.pool.serving(), request, [reply](const WorkerAnswers&) { reply->ok("log level changed"); });
}

void answerConfigureMetrics(proto::MetricsConfiguration configuration, const ReplyPtr& reply) {
    if (configuration == proto::ENABLED)
        reply->ok("metrics are always on");
    else
        reply->fail("metrics live in memory that the workers write: they are always on and count from each "
                    "worker's start");
}

} // namespace

void RequestRouter::handle(const proto::Request& request, const ReplyPtr& reply) {
    switch (request.request_type_case()) {
    case proto::Request::kListWorkers:
        answerListWorkers(m_parts, reply);
        return;
    case proto::Request::kStatus:
        answerStatus(m_parts, reply);
        return;
    case proto::Request::kUpgradeWorker:
        answerUpgradeWorker(m_parts, request.upgrade_worker(), reply);
        return;
    case proto::Request::kUpgradeWithOptions:
        answerUpgradeWithOptions(m_parts, request.upgrade_with_options(), reply);
        return;
    case proto::Request::kSpawnWorker:
        answerSpawnWorker(m_parts, request.spawn_worker(), reply);
        return;
    case proto::Request::kStopWorker:
        answerStopWorker(m_parts, request.stop_worker(), reply);
        return;
    case proto::Request::kCancelJob:
        answerCancelJob(m_parts, request.cancel_job(), reply);
        return;
    case proto::Request::kListJobs:
        answerListJobs(m_parts, reply);
        return;
    case proto::Request::kSoftStop:
        answerShutDown(
            m_parts, false, request.soft_stop().has_drain() ? &request.soft_stop().drain() : nullptr, reply);
        return;
    case proto::Request::kHardStop:
        answerShutDown(m_parts, true, nullptr, reply);
        return;

    case proto::Request::kSubscribeEvents:
        answerSubscribeEvents(m_parts, reply);
        return;
    case proto::Request::kSubscribeSamples:
        answerSubscribeSamples(m_parts, request.subscribe_samples(), reply);
        return;

    case proto::Request::kListListeners:
        answerListListeners(m_parts, reply);
        return;
    case proto::Request::kListFrontends:
        answerListFrontends(m_parts, request.list_frontends(), reply);
        return;
    case proto::Request::kQueryClusterById:
    case proto::Request::kQueryClustersByDomain:
    case proto::Request::kQueryClustersHashes:
    case proto::Request::kQueryCertificatesFromWorkers:
        answerFromAll(m_parts, request, reply);
        return;
    case proto::Request::kQueryCertificatesFromTheState:
        answerCertificatesFromState(m_parts, request.query_certificates_from_the_state(), reply);
        return;
    case proto::Request::kCountRequests:
        answerCountRequests(m_parts, reply);
        return;
    case proto::Request::kQueryHealthChecks:
        answerHealthChecks(m_parts, request.query_health_checks(), reply);
        return;
    case proto::Request::kQueryMetrics:
        answerQueryMetrics(m_parts, request.query_metrics(), reply);
        return;

    case proto::Request::kSaveState:
        answerSaveState(m_parts, request.save_state(), reply);
        return;
    case proto::Request::kLoadState:
        answerLoadState(m_parts, request.load_state(), reply);
        return;
    case proto::Request::kReloadConfiguration:
        answerReload(m_parts, request.reload_configuration(), reply);
        return;
    case proto::Request::kLogging:
        answerLogging(m_parts, request.logging(), reply);
        return;
    case proto::Request::kConfigureMetrics:
        answerConfigureMetrics(request.configure_metrics(), reply);
        return;

    case proto::Request::kUpgradeMain:
        reply->fail("this agent does not replace itself: stop it with SIGKILL and start the new one, which "
                    "adopts the "
                    "running workers without losing a request");
        return;
    case proto::Request::kLaunchWorker:
        reply->fail("launch_worker is not served: send spawn_worker");
        return;
    case proto::Request::kReturnListenSockets:
        reply->fail("listening sockets are handed to the agent's own workers only");
        return;
    case proto::Request::kSetMaxConnectionsPerIp:
    case proto::Request::kQueryMaxConnectionsPerIp:
        reply->fail("limits per client address are not served");
        return;
    case proto::Request::kSetMetricDetail:
        reply->fail("metric detail is fixed: per worker and per cluster");
        return;
    case proto::Request::REQUEST_TYPE_NOT_SET:
        reply->fail("the request is empty, or of a kind this agent does not know");
        return;
    default:
        answerStateRequest(m_parts, request, reply);
        return;
    }
}

} // namespace yardmaster::agent

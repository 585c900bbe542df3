// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/agent_parts.h"
#include "backend/agent/client_session.h"

namespace yardmaster::agent {

/// Every request of the command socket to the handler that answers it. A request no handler knows is answered
/// with FAILURE: silence would leave the client waiting for ever.
class RequestRouter {
public:
    explicit RequestRouter(AgentParts& parts)
        : m_parts(parts) { }

    void handle(const proto::Request& request, const ReplyPtr& reply);

private:
    AgentParts& m_parts;
};

// The groups of handlers; each answers one kind of request, now or later.

// worker_requests.cpp
void answerListWorkers(AgentParts& parts, const ReplyPtr& reply);
void answerStatus(AgentParts& parts, const ReplyPtr& reply);
void answerUpgradeWorker(AgentParts& parts, std::uint32_t id, const ReplyPtr& reply);
void answerUpgradeWithOptions(AgentParts& parts, const proto::UpgradeOptions& options, const ReplyPtr& reply);
void answerSpawnWorker(AgentParts& parts, const proto::SpawnWorker& request, const ReplyPtr& reply);
void answerStopWorker(AgentParts& parts, const proto::StopWorker& request, const ReplyPtr& reply);
void answerCancelJob(AgentParts& parts, const proto::CancelJob& request, const ReplyPtr& reply);
void answerListJobs(AgentParts& parts, const ReplyPtr& reply);
void answerShutDown(AgentParts& parts, bool hard, const proto::DrainOptions* drain, const ReplyPtr& reply);
/// Ids, pids, run states and details of all workers, ended ones included.
void fillWorkerInfos(const WorkerPool& pool, proto::WorkerInfos& infos);

// state_requests.cpp
void answerStateRequest(AgentParts& parts, const proto::Request& request, const ReplyPtr& reply);
void answerReload(AgentParts& parts, const std::string& path, const ReplyPtr& reply);
void answerSaveState(AgentParts& parts, const std::string& path, const ReplyPtr& reply);
void answerLoadState(AgentParts& parts, const std::string& path, const ReplyPtr& reply);

// query_requests.cpp: from the agent's own state
void answerListListeners(AgentParts& parts, const ReplyPtr& reply);
void answerListFrontends(AgentParts& parts, const proto::FrontendFilters& filters, const ReplyPtr& reply);
void answerCertificatesFromState(
    AgentParts& parts, const proto::QueryCertificatesFilters& filters, const ReplyPtr& reply);
void answerCountRequests(AgentParts& parts, const ReplyPtr& reply);
void answerHealthChecks(AgentParts& parts, const proto::QueryHealthChecks& query, const ReplyPtr& reply);
/// Answered by the agent ("main") and by every serving worker that knows the question.
void answerFromAll(AgentParts& parts, const proto::Request& request, const ReplyPtr& reply);

// metrics_requests.cpp
void answerQueryMetrics(AgentParts& parts, const proto::QueryMetricsOptions& options, const ReplyPtr& reply);

// subscriptions.cpp
void answerSubscribeEvents(AgentParts& parts, const ReplyPtr& reply);

} // namespace yardmaster::agent

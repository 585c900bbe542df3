// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/request_names.h"

#include <algorithm>

namespace yardmaster::protocol {

using Request = proto::Request;

std::string_view requestName(Request::RequestTypeCase kind) {
    switch (kind) {
    case Request::kSaveState:
        return "SAVE_STATE";
    case Request::kLoadState:
        return "LOAD_STATE";
    case Request::kListWorkers:
        return "LIST_WORKERS";
    case Request::kListFrontends:
        return "LIST_FRONTENDS";
    case Request::kListListeners:
        return "LIST_LISTENERS";
    case Request::kLaunchWorker:
        return "LAUNCH_WORKER";
    case Request::kUpgradeMain:
        return "UPGRADE_MAIN";
    case Request::kUpgradeWorker:
        return "UPGRADE_WORKER";
    case Request::kSubscribeEvents:
        return "SUBSCRIBE_EVENTS";
    case Request::kReloadConfiguration:
        return "RELOAD_CONFIGURATION";
    case Request::kStatus:
        return "STATUS";
    case Request::kAddCluster:
        return "ADD_CLUSTER";
    case Request::kRemoveCluster:
        return "REMOVE_CLUSTER";
    case Request::kAddHttpFrontend:
        return "ADD_HTTP_FRONTEND";
    case Request::kRemoveHttpFrontend:
        return "REMOVE_HTTP_FRONTEND";
    case Request::kAddHttpsFrontend:
        return "ADD_HTTPS_FRONTEND";
    case Request::kRemoveHttpsFrontend:
        return "REMOVE_HTTPS_FRONTEND";
    case Request::kAddCertificate:
        return "ADD_CERTIFICATE";
    case Request::kReplaceCertificate:
        return "REPLACE_CERTIFICATE";
    case Request::kRemoveCertificate:
        return "REMOVE_CERTIFICATE";
    case Request::kAddTcpFrontend:
        return "ADD_TCP_FRONTEND";
    case Request::kRemoveTcpFrontend:
        return "REMOVE_TCP_FRONTEND";
    case Request::kAddBackend:
        return "ADD_BACKEND";
    case Request::kRemoveBackend:
        return "REMOVE_BACKEND";
    case Request::kAddHttpListener:
        return "ADD_HTTP_LISTENER";
    case Request::kAddHttpsListener:
        return "ADD_HTTPS_LISTENER";
    case Request::kAddTcpListener:
        return "ADD_TCP_LISTENER";
    case Request::kRemoveListener:
        return "REMOVE_LISTENER";
    case Request::kActivateListener:
        return "ACTIVATE_LISTENER";
    case Request::kDeactivateListener:
        return "DEACTIVATE_LISTENER";
    case Request::kQueryClusterById:
        return "QUERY_CLUSTER_BY_ID";
    case Request::kQueryClustersByDomain:
        return "QUERY_CLUSTERS_BY_DOMAIN";
    case Request::kQueryClustersHashes:
        return "QUERY_CLUSTERS_HASHES";
    case Request::kQueryMetrics:
        return "QUERY_METRICS";
    case Request::kSoftStop:
        return "SOFT_STOP";
    case Request::kHardStop:
        return "HARD_STOP";
    case Request::kConfigureMetrics:
        return "CONFIGURE_METRICS";
    case Request::kLogging:
        return "LOGGING";
    case Request::kReturnListenSockets:
        return "RETURN_LISTEN_SOCKETS";
    case Request::kQueryCertificatesFromTheState:
        return "QUERY_CERTIFICATES_FROM_THE_STATE";
    case Request::kQueryCertificatesFromWorkers:
        return "QUERY_CERTIFICATES_FROM_WORKERS";
    case Request::kCountRequests:
        return "COUNT_REQUESTS";
    case Request::kUpdateHttpListener:
        return "UPDATE_HTTP_LISTENER";
    case Request::kUpdateHttpsListener:
        return "UPDATE_HTTPS_LISTENER";
    case Request::kUpdateTcpListener:
        return "UPDATE_TCP_LISTENER";
    case Request::kSetMaxConnectionsPerIp:
        return "SET_MAX_CONNECTIONS_PER_IP";
    case Request::kQueryMaxConnectionsPerIp:
        return "QUERY_MAX_CONNECTIONS_PER_IP";
    case Request::kSetHealthCheck:
        return "SET_HEALTH_CHECK";
    case Request::kRemoveHealthCheck:
        return "REMOVE_HEALTH_CHECK";
    case Request::kQueryHealthChecks:
        return "QUERY_HEALTH_CHECKS";
    case Request::kSetMetricDetail:
        return "SET_METRIC_DETAIL";
    case Request::kAddUdpListener:
        return "ADD_UDP_LISTENER";
    case Request::kUpdateUdpListener:
        return "UPDATE_UDP_LISTENER";
    case Request::kAddUdpFrontend:
        return "ADD_UDP_FRONTEND";
    case Request::kRemoveUdpFrontend:
        return "REMOVE_UDP_FRONTEND";
    case Request::kSubscribeSamples:
        return "SUBSCRIBE_SAMPLES";
    case Request::kSpawnWorker:
        return "SPAWN_WORKER";
    case Request::kStopWorker:
        return "STOP_WORKER";
    case Request::kUpgradeWithOptions:
        return "UPGRADE_WITH_OPTIONS";
    case Request::kCancelJob:
        return "CANCEL_JOB";
    case Request::kListJobs:
        return "LIST_JOBS";
    case Request::REQUEST_TYPE_NOT_SET:
        break;
    }
    return "NONE";
}

std::string_view requestName(const Request& request) {
    return requestName(request.request_type_case());
}

} // namespace yardmaster::protocol

// SPDX-License-Identifier: GPL-3.0-or-later
//
// Questions about the state: listeners, frontends, clusters, certificates. Private keys never leave the
// agent.
#include "backend/agent/request_router.h"

#include <algorithm>

namespace yardmaster::agent {

namespace {

/// Frontends whose host contains `domain`, as Sozu's list filters.
bool matchesDomain(const proto::FrontendFilters& filters, const std::string& hostname) {
    return !filters.has_domain() || filters.domain().empty()
        || hostname.find(filters.domain()) != std::string::npos;
}

proto::ClusterInformation clusterInformation(const state::ConfigState& state, const std::string& id) {
    proto::ClusterInformation information;
    if (const auto cluster = state.clusters().find(id); cluster != state.clusters().end())
        *information.mutable_configuration() = cluster->second;
    for (const auto& [key, frontend] : state.httpFrontends()) {
        if (frontend.cluster_id() == id)
            *information.add_http_frontends() = frontend;
    }
    for (const auto& [key, frontend] : state.httpsFrontends()) {
        if (frontend.cluster_id() == id)
            *information.add_https_frontends() = frontend;
    }
    if (const auto frontends = state.tcpFrontends().find(id); frontends != state.tcpFrontends().end()) {
        for (const auto& frontend : frontends->second)
            *information.add_tcp_frontends() = frontend;
    }
    if (const auto frontends = state.udpFrontends().find(id); frontends != state.udpFrontends().end()) {
        for (const auto& frontend : frontends->second)
            *information.add_udp_frontends() = frontend;
    }
    if (const auto backends = state.backends().find(id); backends != state.backends().end()) {
        for (const auto& backend : backends->second)
            *information.add_backends() = backend;
    }
    return information;
}

bool knowsCluster(const state::ConfigState& state, const std::string& id) {
    return state.clusters().contains(id) || state.backends().contains(id);
}

/// Ids of clusters with a frontend of exactly this host and, when given, exactly this path.
std::vector<std::string> clustersByDomain(
    const state::ConfigState& state, const proto::QueryClusterByDomain& query) {
    std::vector<std::string> ids;
    const auto collect = [&](const state::ConfigState::FrontendMap& frontends) {
        for (const auto& [key, frontend] : frontends) {
            if (frontend.has_cluster_id() && frontend.hostname() == query.hostname()
                && (!query.has_path() || query.path().empty() || frontend.path().value() == query.path()))
                ids.push_back(frontend.cluster_id());
        }
    };
    collect(state.httpFrontends());
    collect(state.httpsFrontends());
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

bool matchesCertificate(const proto::QueryCertificatesFilters& filters, const std::string& fingerprint,
    const proto::CertificateAndKey& certificate) {
    if (filters.has_fingerprint() && !filters.fingerprint().empty())
        return fingerprint == filters.fingerprint();
    if (!filters.has_domain() || filters.domain().empty())
        return true;
    return std::any_of(certificate.names().begin(), certificate.names().end(),
        [&](const std::string& name) { return name.find(filters.domain()) != std::string::npos; });
}

proto::ListOfCertificatesByAddress certificateSummaries(
    const state::ConfigState& state, const proto::QueryCertificatesFilters& filters) {
    proto::ListOfCertificatesByAddress list;
    for (const auto& [address, certificates] : state.certificates()) {
        proto::CertificatesByAddress byAddress;
        address.toProto(*byAddress.mutable_address());
        for (const auto& [fingerprint, added] : certificates) {
            if (!matchesCertificate(filters, fingerprint, added.certificate()))
                continue;
            for (const std::string& name : added.certificate().names()) {
                auto& summary = *byAddress.add_certificate_summaries();
                summary.set_domain(name);
                summary.set_fingerprint(fingerprint);
            }
        }
        if (byAddress.certificate_summaries_size() > 0)
            *list.add_certificates() = std::move(byAddress);
    }
    return list;
}

proto::ResponseContent answerOfMain(const state::ConfigState& state, const proto::Request& request) {
    proto::ResponseContent content;
    switch (request.request_type_case()) {
    case proto::Request::kQueryClusterById:
        content.mutable_clusters();
        if (knowsCluster(state, request.query_cluster_by_id()))
            *content.mutable_clusters()->add_vec() = clusterInformation(state, request.query_cluster_by_id());
        break;
    case proto::Request::kQueryClustersByDomain:
        content.mutable_clusters();
        for (const std::string& id : clustersByDomain(state, request.query_clusters_by_domain()))
            *content.mutable_clusters()->add_vec() = clusterInformation(state, id);
        break;
    case proto::Request::kQueryClustersHashes:
        content.mutable_cluster_hashes();
        for (const auto& [id, hash] : state.clusterHashes())
            (*content.mutable_cluster_hashes()->mutable_map())[id] = hash;
        break;
    case proto::Request::kQueryCertificatesFromWorkers:
        *content.mutable_certificates_by_address() =
            certificateSummaries(state, request.query_certificates_from_workers());
        break;
    default:
        break;
    }
    return content;
}

} // namespace

void answerListListeners(AgentParts& parts, const ReplyPtr& reply) {
    proto::ResponseContent content;
    auto& list = *content.mutable_listeners_list();
    const state::ConfigState& state = parts.store.state();
    for (const auto& [address, listener] : state.httpListeners())
        (*list.mutable_http_listeners())[address.toString()] = listener;
    for (const auto& [address, listener] : state.httpsListeners()) {
        auto& listed = (*list.mutable_https_listeners())[address.toString()];
        listed = listener;
        listed.clear_key();
    }
    for (const auto& [address, listener] : state.tcpListeners())
        (*list.mutable_tcp_listeners())[address.toString()] = listener;
    for (const auto& [address, listener] : state.udpListeners())
        (*list.mutable_udp_listeners())[address.toString()] = listener;
    reply->ok("Successfully listed all listeners", std::move(content));
}

void answerListFrontends(AgentParts& parts, const proto::FrontendFilters& filters, const ReplyPtr& reply) {
    proto::ResponseContent content;
    auto& list = *content.mutable_frontend_list();
    const state::ConfigState& state = parts.store.state();
    // No filter set means all, as in Sozu.
    const bool all = !filters.http() && !filters.https() && !filters.tcp();
    if (filters.http() || all) {
        for (const auto& [key, frontend] : state.httpFrontends()) {
            if (matchesDomain(filters, frontend.hostname()))
                *list.add_http_frontends() = frontend;
        }
    }
    if (filters.https() || all) {
        for (const auto& [key, frontend] : state.httpsFrontends()) {
            if (matchesDomain(filters, frontend.hostname()))
                *list.add_https_frontends() = frontend;
        }
    }
    // A TCP or UDP frontend has no host name to filter by.
    if ((filters.tcp() || all) && (!filters.has_domain() || filters.domain().empty())) {
        for (const auto& [id, frontends] : state.tcpFrontends()) {
            for (const auto& frontend : frontends)
                *list.add_tcp_frontends() = frontend;
        }
        for (const auto& [id, frontends] : state.udpFrontends()) {
            for (const auto& frontend : frontends)
                *list.add_udp_frontends() = frontend;
        }
    }
    reply->ok("Successfully listed frontends", std::move(content));
}

void answerCertificatesFromState(
    AgentParts& parts, const proto::QueryCertificatesFilters& filters, const ReplyPtr& reply) {
    proto::ResponseContent content;
    auto& map = *content.mutable_certificates_with_fingerprints()->mutable_certs();
    for (const auto& [address, certificates] : parts.store.state().certificates()) {
        for (const auto& [fingerprint, added] : certificates) {
            if (!matchesCertificate(filters, fingerprint, added.certificate()))
                continue;
            map[fingerprint] = added.certificate();
            map[fingerprint].set_key(std::string()); // required by the message, never told
        }
    }
    reply->ok("Successfully queried certificates from the state", std::move(content));
}

void answerCountRequests(AgentParts& parts, const ReplyPtr& reply) {
    proto::ResponseContent content;
    auto& counts = *content.mutable_request_counts()->mutable_map();
    for (const auto& [kind, count] : parts.store.state().requestCounts())
        counts[kind] = count;
    reply->ok("Successfully counted requests received by the state", std::move(content));
}

void answerHealthChecks(AgentParts& parts, const proto::QueryHealthChecks& query, const ReplyPtr& reply) {
    proto::ResponseContent content;
    auto& checks = *content.mutable_health_checks_list()->mutable_map();
    for (const auto& [id, cluster] : parts.store.state().clusters()) {
        if (cluster.has_health_check() && (!query.has_cluster_id() || query.cluster_id() == id))
            checks[id] = cluster.health_check();
    }
    reply->ok({}, std::move(content));
}

void answerFromAll(AgentParts& parts, const proto::Request& request, const ReplyPtr& reply) {
    askWorkers(parts.pool.serving(), request, [&parts, request, reply](const WorkerAnswers& answers) {
        proto::ResponseContent content;
        auto& map = *content.mutable_worker_responses()->mutable_map();
        map["main"] = answerOfMain(parts.store.state(), request);
        for (const auto& [id, answer] : answers) {
            if (answer && answer->status() == proto::OK && answer->has_content())
                map[std::to_string(id)] = answer->content();
        }
        reply->ok({}, std::move(content));
    });
}

} // namespace yardmaster::agent

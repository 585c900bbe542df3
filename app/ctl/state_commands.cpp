// SPDX-License-Identifier: GPL-3.0-or-later
//
// Verbs about the state: listeners, frontends, clusters, files.
#include "session.h"

#include "backend/protocol/request_names.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>

namespace yardmaster::ctl {

namespace {

using Rows = std::vector<std::vector<std::string>>;

void show(const Options& options, const Rows& rows) {
    if (!options.json) {
        printTable(rows);
        return;
    }
    Json list = Json::array();
    for (std::size_t row = 1; row < rows.size(); ++row) {
        Json object;
        for (std::size_t column = 0; column < rows[row].size(); ++column) {
            std::string key = rows[0][column];
            for (char& character : key)
                character = static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
            object[key] = rows[row][column];
        }
        list.push_back(std::move(object));
    }
    printJson(list);
}

std::string pathText(const proto::PathRule& path) {
    switch (path.kind()) {
    case proto::REGEX:
        return "regex " + path.value();
    case proto::EQUALS:
        return "= " + path.value();
    default:
        return path.value().empty() ? "/" : path.value();
    }
}

void addHttpFrontend(Rows& rows, const char* protocol, const proto::RequestHttpFrontend& frontend) {
    rows.push_back({protocol, protocol::addressText(frontend.address()), frontend.hostname(),
        pathText(frontend.path()), frontend.method().empty() ? "*" : frontend.method(),
        frontend.has_cluster_id() ? frontend.cluster_id() : "(deny)"});
}

void addClusters(Rows& rows, const proto::ClusterInformations& clusters) {
    for (const proto::ClusterInformation& cluster : clusters.vec()) {
        std::string backends;
        for (const proto::AddBackend& backend : cluster.backends())
            backends += (backends.empty() ? "" : ", ") + backend.backend_id() + " "
                + protocol::addressText(backend.address());
        const int frontends =
            cluster.http_frontends_size() + cluster.https_frontends_size() + cluster.tcp_frontends_size();
        rows.push_back({cluster.configuration().cluster_id(),
            proto::LoadBalancingAlgorithms_Name(cluster.configuration().load_balancing()),
            std::to_string(frontends), backends});
    }
}

/// The ids, from the hashes: the protocol has no list of clusters.
int listIds(const Options& options, std::vector<std::string>& ids) {
    proto::Request request;
    request.mutable_query_clusters_hashes();
    return ask(options, request, [&](const proto::Response& response) {
        const auto& map = response.content().worker_responses().map();
        const auto main = map.find("main");
        if (main == map.end())
            return;
        for (const auto& [id, hash] : main->second.cluster_hashes().map())
            ids.push_back(id);
        std::sort(ids.begin(), ids.end());
    });
}

} // namespace

int listListeners(const Options& options) {
    proto::Request request;
    request.mutable_list_listeners();
    return ask(options, request, [&](const proto::Response& response) {
        Rows rows{{"PROTOCOL", "ADDRESS", "ACTIVE"}};
        const proto::ListenersList& list = response.content().listeners_list();
        const auto add = [&](const char* protocol, const auto& listeners) {
            std::map<std::string, bool> ordered;
            for (const auto& [address, listener] : listeners)
                ordered[address] = listener.active();
            for (const auto& [address, active] : ordered)
                rows.push_back({protocol, address, active ? "yes" : "no"});
        };
        add("http", list.http_listeners());
        add("https", list.https_listeners());
        add("tcp", list.tcp_listeners());
        add("udp", list.udp_listeners());
        show(options, rows);
    });
}

int listFrontends(const Options& options, const std::string& domain) {
    proto::Request request;
    proto::FrontendFilters& filters = *request.mutable_list_frontends();
    filters.set_http(true);
    filters.set_https(true);
    filters.set_tcp(true);
    if (!domain.empty())
        filters.set_domain(domain);
    return ask(options, request, [&](const proto::Response& response) {
        Rows rows{{"PROTOCOL", "ADDRESS", "HOST", "PATH", "METHOD", "CLUSTER"}};
        const proto::ListedFrontends& list = response.content().frontend_list();
        for (const auto& frontend : list.http_frontends())
            addHttpFrontend(rows, "http", frontend);
        for (const auto& frontend : list.https_frontends())
            addHttpFrontend(rows, "https", frontend);
        for (const auto& frontend : list.tcp_frontends())
            rows.push_back(
                {"tcp", protocol::addressText(frontend.address()), "", "", "", frontend.cluster_id()});
        show(options, rows);
    });
}

int listClusters(const Options& options, const std::string& id) {
    std::vector<std::string> ids;
    if (!id.empty())
        ids.push_back(id);
    else if (const int status = listIds(options, ids); status != 0)
        return status;
    Rows rows{{"CLUSTER", "BALANCING", "FRONTENDS", "BACKENDS"}};
    for (const std::string& wanted : ids) {
        proto::Request request;
        request.set_query_cluster_by_id(wanted);
        const int status = ask(options, request, [&](const proto::Response& response) {
            const auto& map = response.content().worker_responses().map();
            if (const auto main = map.find("main"); main != map.end())
                addClusters(rows, main->second.clusters());
        });
        if (status != 0)
            return status;
    }
    if (!id.empty() && rows.size() == 1) {
        std::fprintf(stderr, "yardmasterctl: there is no cluster '%s'\n", id.c_str());
        return 1;
    }
    show(options, rows);
    return 0;
}

int reload(const Options& options, const std::string& file) {
    proto::Request request;
    request.set_reload_configuration(file);
    return tell(options, request);
}

int saveState(const Options& options, const std::string& file) {
    proto::Request request;
    request.set_save_state(file);
    return tell(options, request);
}

int loadState(const Options& options, const std::string& file) {
    proto::Request request;
    request.set_load_state(file);
    return tell(options, request);
}

} // namespace yardmaster::ctl

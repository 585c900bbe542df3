// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/state/config_state.h"

namespace yardmaster::state {

namespace {

using Visit = std::function<void(const proto::Request&)>;

// Added inactive, then activated: a worker opens a socket only for the second.
template <typename Map, typename Mutable>
void visitListeners(
    const Map& map, proto::ListenerType type, proto::Request& request, Mutable add, const Visit& visit) {
    for (const auto& [address, listener] : map) {
        auto& added = *(request.*add)();
        added = listener;
        added.set_active(false);
        visit(request);
        if (!listener.active())
            continue;
        auto& activate = *request.mutable_activate_listener();
        *activate.mutable_address() = listener.address();
        activate.set_proxy(type);
        activate.set_from_scm(false);
        visit(request);
    }
}

} // namespace

void ConfigState::forEachRequest(const Visit& visit) const {
    proto::Request request;
    using R = proto::Request;
    visitListeners(m_httpListeners, proto::HTTP, request, &R::mutable_add_http_listener, visit);
    visitListeners(m_httpsListeners, proto::HTTPS, request, &R::mutable_add_https_listener, visit);
    visitListeners(m_tcpListeners, proto::TCP, request, &R::mutable_add_tcp_listener, visit);
    visitListeners(m_udpListeners, proto::UDP, request, &R::mutable_add_udp_listener, visit);
    for (const auto& [id, cluster] : m_clusters) {
        *request.mutable_add_cluster() = cluster;
        visit(request);
    }
    for (const auto& [key, frontend] : m_httpFrontends) {
        *request.mutable_add_http_frontend() = frontend;
        visit(request);
    }
    for (const auto& [address, certificates] : m_certificates)
        for (const auto& [fingerprint, certificate] : certificates) {
            *request.mutable_add_certificate() = certificate;
            visit(request);
        }
    for (const auto& [key, frontend] : m_httpsFrontends) {
        *request.mutable_add_https_frontend() = frontend;
        visit(request);
    }
    for (const auto& [id, frontends] : m_tcpFrontends)
        for (const auto& frontend : frontends) {
            *request.mutable_add_tcp_frontend() = frontend;
            visit(request);
        }
    for (const auto& [id, frontends] : m_udpFrontends)
        for (const auto& frontend : frontends) {
            *request.mutable_add_udp_frontend() = frontend;
            visit(request);
        }
    for (const auto& [id, backends] : m_backends)
        for (const auto& backend : backends) {
            *request.mutable_add_backend() = backend;
            visit(request);
        }
    if (m_maxConnectionsPerIp != 0) {
        request.set_set_max_connections_per_ip(m_maxConnectionsPerIp);
        visit(request);
    }
}

std::vector<proto::Request> ConfigState::requests() const {
    std::vector<proto::Request> all;
    all.reserve(objectCount());
    forEachRequest([&](const proto::Request& request) { all.push_back(request); });
    return all;
}

} // namespace yardmaster::state

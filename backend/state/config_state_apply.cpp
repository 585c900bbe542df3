// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/state/config_state_apply.h"

#include "backend/protocol/request_names.h"
#include "backend/state/certificate.h"
#include "backend/state/listener_update.h"
#include "backend/state/validation.h"

#include <algorithm>
#include <tuple>

namespace yardmaster::state {

namespace {

tl::unexpected<Error> notFound(std::string what, std::string where) {
    return failure(Error::Code::NotFound, std::move(what), std::move(where));
}
tl::unexpected<Error> exists(std::string what, std::string where, std::string hint = "remove it first") {
    return failure(Error::Code::AlreadyExists, std::move(what), std::move(where), std::move(hint));
}

std::string listenerName(proto::ListenerType type, const SocketAddress& address) {
    static constexpr const char* names[] = {"http", "https", "tcp", "udp"};
    return std::string(names[type]) + " listener " + address.toString();
}

bool sameAddress(const proto::SocketAddress& left, const proto::SocketAddress& right) {
    const auto a = SocketAddress::fromProto(left);
    const auto b = SocketAddress::fromProto(right);
    return a && b && *a == *b;
}

// By backend id, then address: the order in which backends are listed and balanced over.
bool backendBefore(const proto::AddBackend& left, const proto::AddBackend& right) {
    if (const int order = left.backend_id().compare(right.backend_id()); order != 0)
        return order < 0;
    return *SocketAddress::fromProto(left.address()) < *SocketAddress::fromProto(right.address());
}

std::string lowerCase(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

} // namespace

// ---- clusters and backends ----

Expected<void> ConfigState::Applier::addCluster(const proto::Cluster& cluster) {
    if (auto valid = validate(cluster); !valid)
        return valid;
    state.m_clusters[cluster.cluster_id()] = cluster;
    return {};
}

Expected<void> ConfigState::Applier::removeCluster(const std::string& clusterId) {
    if (state.m_clusters.erase(clusterId) == 0)
        return notFound("no such cluster", clusterId);
    return {};
}

Expected<void> ConfigState::Applier::setHealthCheck(const proto::SetHealthCheck& request) {
    const auto cluster = state.m_clusters.find(request.cluster_id());
    if (cluster == state.m_clusters.end())
        return notFound("no such cluster", request.cluster_id());
    if (auto valid = validate(request.config()); !valid)
        return valid;
    *cluster->second.mutable_health_check() = request.config();
    return {};
}

Expected<void> ConfigState::Applier::removeHealthCheck(const std::string& clusterId) {
    const auto cluster = state.m_clusters.find(clusterId);
    if (cluster == state.m_clusters.end())
        return notFound("no such cluster", clusterId);
    if (!cluster->second.has_health_check())
        return notFound("the cluster has no health check", clusterId);
    cluster->second.clear_health_check();
    return {};
}

Expected<void> ConfigState::Applier::addBackend(const proto::AddBackend& backend) {
    if (auto valid = validate(backend); !valid)
        return valid;
    auto& backends = state.m_backends[backend.cluster_id()];
    const auto at = std::lower_bound(backends.begin(), backends.end(), backend, backendBefore);
    if (at != backends.end() && !backendBefore(backend, *at))
        *at = backend;
    else
        backends.insert(at, backend);
    return {};
}

Expected<void> ConfigState::Applier::removeBackend(const proto::RemoveBackend& backend) {
    const auto address = SocketAddress::fromProto(backend.address());
    if (!address)
        return failure(address.error());
    const auto cluster = state.m_backends.find(backend.cluster_id());
    if (cluster != state.m_backends.end()) {
        auto& backends = cluster->second;
        const auto at = std::find_if(backends.begin(), backends.end(), [&](const proto::AddBackend& other) {
            return other.backend_id() == backend.backend_id()
                && sameAddress(other.address(), backend.address());
        });
        if (at != backends.end()) {
            backends.erase(at);
            if (backends.empty())
                state.m_backends.erase(cluster);
            return {};
        }
    }
    return notFound("no such backend in cluster " + backend.cluster_id(),
        backend.backend_id() + " " + address->toString());
}

// ---- frontends ----

Expected<void> ConfigState::Applier::addFrontend(
    FrontendMap& map, const proto::RequestHttpFrontend& frontend) {
    if (auto valid = validate(frontend, checks == Checks::Full); !valid)
        return valid;
    const auto [at, inserted] = map.try_emplace(frontendKey(frontend), frontend);
    if (!inserted)
        return exists("the frontend exists already", at->first);
    return {};
}

Expected<void> ConfigState::Applier::removeFrontend(
    FrontendMap& map, const proto::RequestHttpFrontend& frontend) {
    if (const auto address = SocketAddress::fromProto(frontend.address()); !address)
        return failure(address.error());
    const std::string key = frontendKey(frontend);
    if (map.erase(key) == 0)
        return notFound("no such frontend", key);
    return {};
}

template <typename Map, typename Frontend>
Expected<void> ConfigState::Applier::addPlainFrontend(Map& map, const Frontend& frontend) {
    if (auto valid = validate(frontend); !valid)
        return valid;
    auto& frontends = map[frontend.cluster_id()];
    const auto address = *SocketAddress::fromProto(frontend.address());
    const auto at = std::lower_bound(
        frontends.begin(), frontends.end(), address, [](const Frontend& other, const SocketAddress& value) {
            return *SocketAddress::fromProto(other.address()) < value;
        });
    if (at != frontends.end() && sameAddress(at->address(), frontend.address()))
        return exists("the frontend exists already", frontend.cluster_id() + " " + address.toString());
    frontends.insert(at, frontend);
    return {};
}

template <typename Map, typename Frontend>
Expected<void> ConfigState::Applier::removePlainFrontend(Map& map, const Frontend& frontend) {
    const auto address = SocketAddress::fromProto(frontend.address());
    if (!address)
        return failure(address.error());
    const auto cluster = map.find(frontend.cluster_id());
    if (cluster != map.end()) {
        const auto removed = std::erase_if(cluster->second,
            [&](const Frontend& other) { return sameAddress(other.address(), frontend.address()); });
        if (cluster->second.empty())
            map.erase(cluster);
        if (removed > 0)
            return {};
    }
    return notFound("no such frontend", frontend.cluster_id() + " " + address->toString());
}

// ---- listeners ----

template <typename Map, typename Listener>
Expected<void> ConfigState::Applier::addListener(Map& map, const Listener& listener) {
    if (auto valid = validate(listener, checks == Checks::Full); !valid)
        return valid;
    const auto address = *SocketAddress::fromProto(listener.address());
    constexpr bool isUdp = std::is_same_v<Listener, proto::UdpListenerConfig>;
    const auto taken = [&](proto::ListenerType type) {
        return exists("the address is taken by another listener", listenerName(type, address));
    };
    if (!isUdp && state.m_httpListeners.contains(address))
        return taken(proto::HTTP);
    if (!isUdp && state.m_httpsListeners.contains(address))
        return taken(proto::HTTPS);
    if (!isUdp && state.m_tcpListeners.contains(address))
        return taken(proto::TCP);
    if (isUdp && state.m_udpListeners.contains(address))
        return taken(proto::UDP);
    map.emplace(address, listener);
    return {};
}

template <typename Map, typename Update>
Expected<void> ConfigState::Applier::updateListener(Map& map, const Update& update) {
    const auto address = SocketAddress::fromProto(update.address());
    if (!address)
        return failure(address.error());
    const auto at = map.find(*address);
    if (at == map.end())
        return notFound("no such listener", address->toString());
    auto changed = at->second;
    if (auto merged = merge(update, changed); !merged)
        return merged;
    if (auto valid = validate(changed, checks == Checks::Full); !valid)
        return valid;
    at->second = std::move(changed);
    return {};
}

Expected<void> ConfigState::Applier::removeListener(const proto::RemoveListener& request) {
    const auto address = SocketAddress::fromProto(request.address());
    if (!address)
        return failure(address.error());
    std::size_t removed = 0;
    switch (request.proxy()) {
    case proto::HTTP:
        removed = state.m_httpListeners.erase(*address);
        break;
    case proto::HTTPS:
        removed = state.m_httpsListeners.erase(*address);
        break;
    case proto::TCP:
        removed = state.m_tcpListeners.erase(*address);
        break;
    case proto::UDP:
        removed = state.m_udpListeners.erase(*address);
        break;
    }
    if (removed == 0)
        return notFound("no such listener", listenerName(request.proxy(), *address));
    return {};
}

Expected<void> ConfigState::Applier::setActive(
    const proto::SocketAddress& wire, proto::ListenerType type, bool active) {
    const auto address = SocketAddress::fromProto(wire);
    if (!address)
        return failure(address.error());
    const auto set = [&](auto& map) {
        const auto at = map.find(*address);
        if (at != map.end())
            at->second.set_active(active);
        return at != map.end();
    };
    bool found = false;
    switch (type) {
    case proto::HTTP:
        found = set(state.m_httpListeners);
        break;
    case proto::HTTPS:
        found = set(state.m_httpsListeners);
        break;
    case proto::TCP:
        found = set(state.m_tcpListeners);
        break;
    case proto::UDP:
        found = set(state.m_udpListeners);
        break;
    }
    if (!found)
        return notFound("no such listener", listenerName(type, *address));
    return {};
}

// ---- certificates ----

Expected<void> ConfigState::Applier::addCertificate(const proto::AddCertificate& request) {
    const auto address = SocketAddress::fromProto(request.address());
    if (!address)
        return failure(address.error());
    proto::AddCertificate stored = request;
    std::string fingerprint;
    if (checks == Checks::Full) {
        auto facts = inspectCertificate(request.certificate());
        if (!facts)
            return failure(facts.error());
        fingerprint = std::move(facts->fingerprint);
        if (stored.certificate().names().empty())
            for (auto& name : facts->names)
                stored.mutable_certificate()->add_names(lowerCase(std::move(name)));
    } else {
        auto digest = certificateFingerprint(request.certificate().certificate());
        if (!digest)
            return failure(digest.error());
        fingerprint = std::move(*digest);
    }
    state.m_certificates[*address][fingerprint] = std::move(stored);
    return {};
}

Expected<void> ConfigState::Applier::replaceCertificate(const proto::ReplaceCertificate& request) {
    const auto address = SocketAddress::fromProto(request.address());
    if (!address)
        return failure(address.error());
    const std::string oldFingerprint = lowerCase(request.old_fingerprint());
    const auto listener = state.m_certificates.find(*address);
    if (listener == state.m_certificates.end() || !listener->second.contains(oldFingerprint))
        return notFound("no such certificate on " + address->toString(), oldFingerprint);

    proto::AddCertificate add;
    *add.mutable_address() = request.address();
    *add.mutable_certificate() = request.new_certificate();
    if (request.has_new_expired_at())
        add.set_expired_at(request.new_expired_at());
    // A certificate may be replaced by itself with another key or chain: the old one goes first, and comes
    // back when the new one is refused.
    auto old = listener->second.extract(oldFingerprint);
    if (auto added = addCertificate(add); !added) {
        listener->second.insert(std::move(old));
        return added;
    }
    return {};
}

Expected<void> ConfigState::Applier::removeCertificate(const proto::RemoveCertificate& request) {
    const auto address = SocketAddress::fromProto(request.address());
    if (!address)
        return failure(address.error());
    const std::string fingerprint = lowerCase(request.fingerprint());
    const auto listener = state.m_certificates.find(*address);
    if (listener == state.m_certificates.end() || listener->second.erase(fingerprint) == 0)
        return notFound("no such certificate on " + address->toString(), fingerprint);
    if (listener->second.empty())
        state.m_certificates.erase(listener);
    return {};
}

// ---- the request ----

Expected<void> ConfigState::Applier::dispatch(const proto::Request& request) {
    using Request = proto::Request;
    switch (request.request_type_case()) {
    case Request::kAddCluster:
        return addCluster(request.add_cluster());
    case Request::kRemoveCluster:
        return removeCluster(request.remove_cluster());
    case Request::kSetHealthCheck:
        return setHealthCheck(request.set_health_check());
    case Request::kRemoveHealthCheck:
        return removeHealthCheck(request.remove_health_check());
    case Request::kAddBackend:
        return addBackend(request.add_backend());
    case Request::kRemoveBackend:
        return removeBackend(request.remove_backend());
    case Request::kAddHttpFrontend:
        return addFrontend(state.m_httpFrontends, request.add_http_frontend());
    case Request::kAddHttpsFrontend:
        return addFrontend(state.m_httpsFrontends, request.add_https_frontend());
    case Request::kRemoveHttpFrontend:
        return removeFrontend(state.m_httpFrontends, request.remove_http_frontend());
    case Request::kRemoveHttpsFrontend:
        return removeFrontend(state.m_httpsFrontends, request.remove_https_frontend());
    case Request::kAddTcpFrontend:
        return addPlainFrontend(state.m_tcpFrontends, request.add_tcp_frontend());
    case Request::kAddUdpFrontend:
        return addPlainFrontend(state.m_udpFrontends, request.add_udp_frontend());
    case Request::kRemoveTcpFrontend:
        return removePlainFrontend(state.m_tcpFrontends, request.remove_tcp_frontend());
    case Request::kRemoveUdpFrontend:
        return removePlainFrontend(state.m_udpFrontends, request.remove_udp_frontend());
    case Request::kAddHttpListener:
        return addListener(state.m_httpListeners, request.add_http_listener());
    case Request::kAddHttpsListener:
        return addListener(state.m_httpsListeners, request.add_https_listener());
    case Request::kAddTcpListener:
        return addListener(state.m_tcpListeners, request.add_tcp_listener());
    case Request::kAddUdpListener:
        return addListener(state.m_udpListeners, request.add_udp_listener());
    case Request::kUpdateHttpListener:
        return updateListener(state.m_httpListeners, request.update_http_listener());
    case Request::kUpdateHttpsListener:
        return updateListener(state.m_httpsListeners, request.update_https_listener());
    case Request::kUpdateTcpListener:
        return updateListener(state.m_tcpListeners, request.update_tcp_listener());
    case Request::kUpdateUdpListener:
        return updateListener(state.m_udpListeners, request.update_udp_listener());
    case Request::kRemoveListener:
        return removeListener(request.remove_listener());
    case Request::kActivateListener:
        return setActive(request.activate_listener().address(), request.activate_listener().proxy(), true);
    case Request::kDeactivateListener:
        return setActive(
            request.deactivate_listener().address(), request.deactivate_listener().proxy(), false);
    case Request::kAddCertificate:
        return addCertificate(request.add_certificate());
    case Request::kReplaceCertificate:
        return replaceCertificate(request.replace_certificate());
    case Request::kRemoveCertificate:
        return removeCertificate(request.remove_certificate());
    case Request::kSetMaxConnectionsPerIp:
        state.m_maxConnectionsPerIp = request.set_max_connections_per_ip();
        return {};
    default:
        return failure(Error::Code::Unsupported, "not a request that changes the state",
            std::string(protocol::requestName(request)));
    }
}

} // namespace yardmaster::state

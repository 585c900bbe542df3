// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/canonical.h"
#include "backend/state/config_state.h"
#include "backend/state/listener_update.h"

#include <algorithm>

namespace yardmaster::state {

namespace {

using Requests = std::vector<proto::Request>;

proto::Request& append(Requests& requests) {
    return requests.emplace_back();
}

/// Walks two sorted maps side by side: gone(key, old), added(key, new), both(key, old, new).
template <typename Map, typename Gone, typename Added, typename Both>
void walk(const Map& from, const Map& to, Gone gone, Added added, Both both) {
    auto a = from.begin();
    auto b = to.begin();
    while (a != from.end() || b != to.end()) {
        if (b == to.end() || (a != from.end() && a->first < b->first)) {
            gone(a->first, a->second);
            ++a;
        } else if (a == from.end() || b->first < a->first) {
            added(b->first, b->second);
            ++b;
        } else {
            both(a->first, a->second, b->second);
            ++a;
            ++b;
        }
    }
}

void setActive(
    Requests& requests, const proto::SocketAddress& address, proto::ListenerType type, bool active) {
    if (active) {
        auto& activate = *append(requests).mutable_activate_listener();
        *activate.mutable_address() = address;
        activate.set_proxy(type);
        activate.set_from_scm(false);
    } else {
        auto& deactivate = *append(requests).mutable_deactivate_listener();
        *deactivate.mutable_address() = address;
        deactivate.set_proxy(type);
        deactivate.set_to_scm(false);
    }
}

template <typename Listener, typename Mutable>
void addListener(Requests& requests, const Listener& listener, proto::ListenerType type, Mutable add) {
    auto& added = *(append(requests).*add)();
    added = listener;
    added.set_active(false);
    if (listener.active())
        setActive(requests, listener.address(), type, true);
}

void removeListener(Requests& requests, const proto::SocketAddress& address, proto::ListenerType type) {
    auto& remove = *append(requests).mutable_remove_listener();
    *remove.mutable_address() = address;
    remove.set_proxy(type);
}

// `removals` come ahead of all additions: an address may go from one kind of listener to another.
template <typename Map, typename Mutable>
void diffListeners(const Map& from, const Map& to, proto::ListenerType type, Mutable add, Requests& removals,
    Requests& changes) {
    walk(
        from, to, [&](const auto&, const auto& old) { removeListener(removals, old.address(), type); },
        [&](const auto&, const auto& fresh) { addListener(changes, fresh, type, add); },
        [&](const auto&, const auto& old, const auto& fresh) {
            if (protocol::sameMessage(old, fresh))
                return;
            auto sameButActive = old;
            sameButActive.set_active(fresh.active());
            if (!protocol::sameMessage(sameButActive, fresh)) {
                auto update = updateBetween(old, fresh);
                if (!update) {
                    removeListener(removals, old.address(), type);
                    addListener(changes, fresh, type, add);
                    return;
                }
                changes.push_back(std::move(*update));
            }
            if (old.active() != fresh.active())
                setActive(changes, fresh.address(), type, fresh.active());
        });
}

template <typename Map, typename Add, typename Remove>
void diffHttpFrontends(
    const Map& from, const Map& to, Add add, Remove remove, Requests& changes, Requests& removals) {
    walk(
        from, to, [&](const auto&, const auto& old) { *(append(removals).*remove)() = old; },
        [&](const auto&, const auto& fresh) { *(append(changes).*add)() = fresh; },
        [&](const auto&, const auto& old, const auto& fresh) {
            if (protocol::sameMessage(old, fresh))
                return;
            *(append(changes).*remove)() = old;
            *(append(changes).*add)() = fresh;
        });
}

// A tcp or udp listener leads to one cluster: the old frontend has to go before the new one comes.
template <typename Map, typename Add, typename Remove>
void diffPlainFrontends(
    const Map& from, const Map& to, Add add, Remove remove, Requests& removals, Requests& additions) {
    const auto contains = [](const Map& map, const auto& frontend) {
        const auto at = map.find(frontend.cluster_id());
        return at != map.end() && std::any_of(at->second.begin(), at->second.end(), [&](const auto& other) {
            return protocol::sameMessage(other, frontend);
        });
    };
    for (const auto& [id, frontends] : from)
        for (const auto& frontend : frontends)
            if (!contains(to, frontend))
                *(append(removals).*remove)() = frontend;
    for (const auto& [id, frontends] : to)
        for (const auto& frontend : frontends)
            if (!contains(from, frontend))
                *(append(additions).*add)() = frontend;
}

bool isBackend(const proto::AddBackend& left, const proto::AddBackend& right) {
    return left.backend_id() == right.backend_id()
        && *SocketAddress::fromProto(left.address()) == *SocketAddress::fromProto(right.address());
}

template <typename Map>
void diffBackends(const Map& from, const Map& to, Requests& additions, Requests& removals) {
    const std::vector<proto::AddBackend> none;
    const auto in = [&](const Map& map, const std::string& id) -> const auto& {
        const auto at = map.find(id);
        return at == map.end() ? none : at->second;
    };
    for (const auto& [id, backends] : to) {
        const auto& old = in(from, id);
        for (const auto& backend : backends)
            if (std::none_of(old.begin(), old.end(),
                    [&](const auto& other) { return protocol::sameMessage(other, backend); }))
                *append(additions).mutable_add_backend() = backend;
    }
    for (const auto& [id, backends] : from) {
        const auto& fresh = in(to, id);
        for (const auto& backend : backends) {
            if (std::any_of(
                    fresh.begin(), fresh.end(), [&](const auto& other) { return isBackend(other, backend); }))
                continue;
            auto& remove = *append(removals).mutable_remove_backend();
            remove.set_cluster_id(backend.cluster_id());
            remove.set_backend_id(backend.backend_id());
            *remove.mutable_address() = backend.address();
        }
    }
}

template <typename Map>
void diffCertificates(const Map& from, const Map& to, Requests& changes, Requests& removals) {
    const typename Map::mapped_type none;
    const auto remove = [](Requests& requests, const proto::AddCertificate& old,
                            const std::string& fingerprint) {
        auto& removed = *append(requests).mutable_remove_certificate();
        *removed.mutable_address() = old.address();
        removed.set_fingerprint(fingerprint);
    };
    const auto of = [&](const auto& old, const auto& fresh) {
        walk(
            old, fresh,
            [&](const auto& fingerprint, const auto& certificate) {
                remove(removals, certificate, fingerprint);
            },
            [&](const auto&, const auto& certificate) {
                *append(changes).mutable_add_certificate() = certificate;
            },
            [&](const auto& fingerprint, const auto& before, const auto& after) {
                if (protocol::sameMessage(before, after))
                    return;
                remove(changes, before, fingerprint);
                *append(changes).mutable_add_certificate() = after;
            });
    };
    walk(
        from, to, [&](const auto&, const auto& old) { of(old, none); },
        [&](const auto&, const auto& fresh) { of(none, fresh); },
        [&](const auto&, const auto& old, const auto& fresh) { of(old, fresh); });
}

} // namespace

std::vector<proto::Request> ConfigState::diff(const ConfigState& target) const {
    using R = proto::Request;
    Requests first; // what has to go before anything comes
    Requests changes;
    Requests last; // what goes when its successor is there

    diffListeners(
        m_httpListeners, target.m_httpListeners, proto::HTTP, &R::mutable_add_http_listener, first, changes);
    diffListeners(m_httpsListeners, target.m_httpsListeners, proto::HTTPS, &R::mutable_add_https_listener,
        first, changes);
    diffListeners(
        m_tcpListeners, target.m_tcpListeners, proto::TCP, &R::mutable_add_tcp_listener, first, changes);
    diffListeners(
        m_udpListeners, target.m_udpListeners, proto::UDP, &R::mutable_add_udp_listener, first, changes);

    Requests clusterRemovals;
    walk(
        m_clusters, target.m_clusters,
        [&](const auto& id, const auto&) { append(clusterRemovals).set_remove_cluster(id); },
        [&](const auto&, const auto& fresh) { *append(changes).mutable_add_cluster() = fresh; },
        [&](const auto&, const auto& old, const auto& fresh) {
            if (!protocol::sameMessage(old, fresh))
                *append(changes).mutable_add_cluster() = fresh;
        });
    Requests backendRemovals;
    diffBackends(m_backends, target.m_backends, changes, backendRemovals);
    diffCertificates(m_certificates, target.m_certificates, changes, last);
    diffHttpFrontends(m_httpFrontends, target.m_httpFrontends, &R::mutable_add_http_frontend,
        &R::mutable_remove_http_frontend, changes, last);
    diffHttpFrontends(m_httpsFrontends, target.m_httpsFrontends, &R::mutable_add_https_frontend,
        &R::mutable_remove_https_frontend, changes, last);
    diffPlainFrontends(m_tcpFrontends, target.m_tcpFrontends, &R::mutable_add_tcp_frontend,
        &R::mutable_remove_tcp_frontend, first, changes);
    diffPlainFrontends(m_udpFrontends, target.m_udpFrontends, &R::mutable_add_udp_frontend,
        &R::mutable_remove_udp_frontend, first, changes);
    if (m_maxConnectionsPerIp != target.m_maxConnectionsPerIp)
        append(changes).set_set_max_connections_per_ip(target.m_maxConnectionsPerIp);

    Requests all = std::move(first);
    for (Requests* part : {&changes, &last, &backendRemovals, &clusterRemovals})
        all.insert(all.end(), std::make_move_iterator(part->begin()), std::make_move_iterator(part->end()));
    return all;
}

} // namespace yardmaster::state

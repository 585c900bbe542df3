// SPDX-License-Identifier: GPL-3.0-or-later
#include "request_generator.h"

#include "requests.h"

namespace yardmaster::test {

using proto::Request;

std::string RequestGenerator::clusterId() {
    static const char* const ids[] = {"api", "db", "web", "web-2"};
    return ids[number(4)];
}

std::string RequestGenerator::addressText(bool listener) {
    static const char* const listeners[] = {"127.0.0.1:80", "127.0.0.1:443", "[::1]:80"};
    static const char* const backends[] = {"10.0.0.1:9000", "10.0.0.2:9000", "[fd00::1]:9000"};
    return (listener ? listeners : backends)[number(3)];
}

Request RequestGenerator::cluster() {
    switch (number(6)) {
    case 0:
        return removeCluster(clusterId());
    case 1: {
        Request request;
        request.mutable_set_health_check()->set_cluster_id(clusterId());
        *request.mutable_set_health_check()->mutable_config() = healthCheck(chance(20) ? "no-slash" : "/up");
        return request;
    }
    case 2: {
        Request request;
        request.set_remove_health_check(clusterId());
        return request;
    }
    default:
        break;
    }
    Request request = addCluster(chance(10) ? "" : clusterId());
    auto& cluster = *request.mutable_add_cluster();
    cluster.set_sticky_session(chance(50));
    cluster.set_load_balancing(static_cast<proto::LoadBalancingAlgorithms>(number(6)));
    for (std::uint64_t i = number(4); i > 0; --i)
        (*cluster.mutable_answers())[std::to_string(500 + number(5))] = "answer";
    if (chance(30))
        *cluster.mutable_health_check() = healthCheck("/health");
    if (chance(10))
        cluster.set_https_redirect_port(chance(50) ? 443 : 70'000);
    return request;
}

Request RequestGenerator::backend() {
    const std::string id = std::to_string(number(3));
    if (chance(35))
        return removeBackend(clusterId(), id, addressText(false));
    Request request =
        addBackend(clusterId(), id, addressText(false), chance(10) ? -1 : static_cast<int>(number(3)));
    if (chance(20))
        request.mutable_add_backend()->set_backup(true);
    return request;
}

Request RequestGenerator::httpFrontend() {
    static const char* const hosts[] = {"a.example", "A.example", "*.a.example", "b.example"};
    static const char* const paths[] = {"/", "/api", "/api/v2", "/[0-9]+"};
    Request request = addHttpFrontend(clusterId(), addressText(true), chance(5) ? "" : hosts[number(4)],
        chance(5) ? "(" : paths[number(4)], static_cast<proto::PathRuleKind>(number(3)));
    auto& frontend = *request.mutable_add_http_frontend();
    if (chance(20))
        frontend.clear_cluster_id();
    if (chance(30))
        frontend.set_method(chance(90) ? "GET" : "no method");
    for (std::uint64_t i = number(3); i > 0; --i)
        (*frontend.mutable_tags())["tag" + std::to_string(number(4))] = "value";
    const bool https = chance(50);
    const bool remove = chance(35);
    if (!https && !remove)
        return request;
    Request other;
    *(https ? remove ? other.mutable_remove_https_frontend() : other.mutable_add_https_frontend()
            : other.mutable_remove_http_frontend()) = frontend;
    return other;
}

Request RequestGenerator::plainFrontend() {
    Request request;
    const auto fill = [&](auto& frontend) {
        frontend.set_cluster_id(chance(5) ? "" : clusterId());
        *frontend.mutable_address() = address(addressText(true));
        if (chance(30))
            (*frontend.mutable_tags())["owner"] = std::to_string(number(2));
    };
    switch (number(4)) {
    case 0:
        fill(*request.mutable_add_tcp_frontend());
        break;
    case 1:
        fill(*request.mutable_remove_tcp_frontend());
        break;
    case 2:
        fill(*request.mutable_add_udp_frontend());
        break;
    default:
        fill(*request.mutable_remove_udp_frontend());
        break;
    }
    return request;
}

Request RequestGenerator::listener() {
    const auto type = listenerType();
    const std::string at = addressText(true);
    switch (number(5)) {
    case 0:
        return removeListener(type, at);
    case 1:
        return activate(type, at);
    case 2:
        return deactivate(type, at);
    default:
        break;
    }
    Request request = addListener(type, at);
    const auto vary = [&](auto& listener) {
        listener.set_front_timeout(static_cast<std::uint32_t>(60 + number(2)));
        listener.set_active(chance(30));
        if (chance(20))
            *listener.mutable_public_address() = address("1.2.3.4:80");
        if constexpr (requires { listener.mutable_answers(); }) {
            if (chance(30))
                (*listener.mutable_answers())[std::to_string(500 + number(3))] = "answer";
            if (chance(10))
                listener.set_sticky_name("");
        }
    };
    switch (type) {
    case proto::HTTP:
        vary(*request.mutable_add_http_listener());
        break;
    case proto::HTTPS:
        vary(*request.mutable_add_https_listener());
        break;
    case proto::TCP:
        vary(*request.mutable_add_tcp_listener());
        break;
    case proto::UDP:
        vary(*request.mutable_add_udp_listener());
        break;
    }
    return request;
}

Request RequestGenerator::listenerUpdate() {
    Request request;
    const auto fill = [&](auto& update) {
        *update.mutable_address() = address(addressText(true));
        if (chance(50))
            update.set_front_timeout(static_cast<std::uint32_t>(60 + number(3)));
        if (chance(30))
            update.set_back_timeout(static_cast<std::uint32_t>(30 + number(3)));
        if constexpr (requires { update.mutable_answers(); }) {
            if (chance(30))
                (*update.mutable_answers())[std::to_string(500 + number(3))] = "updated";
            if (chance(10))
                update.set_sticky_name(chance(50) ? "OTHER" : "two words");
        }
    };
    switch (listenerType()) {
    case proto::HTTP:
        fill(*request.mutable_update_http_listener());
        break;
    case proto::HTTPS:
        fill(*request.mutable_update_https_listener());
        break;
    case proto::TCP:
        fill(*request.mutable_update_tcp_listener());
        break;
    case proto::UDP:
        fill(*request.mutable_update_udp_listener());
        break;
    }
    return request;
}

Request RequestGenerator::certificate() {
    auto pair = m_certificates[number(m_certificates.size())].first;
    const auto& otherFingerprint = m_certificates[number(m_certificates.size())].second;
    if (chance(30))
        pair.add_names("named.example");
    if (chance(10))
        pair.set_certificate("no certificate");
    switch (number(4)) {
    case 0:
        return removeCertificate(addressText(true), otherFingerprint);
    case 1:
        return replaceCertificate(addressText(true), otherFingerprint, pair);
    default:
        return addCertificate(addressText(true), pair);
    }
}

Request RequestGenerator::next() {
    const auto kind = number(26);
    if (kind < 5)
        return cluster();
    if (kind < 9)
        return backend();
    if (kind < 15)
        return httpFrontend();
    if (kind < 17)
        return plainFrontend();
    if (kind < 21)
        return listener();
    if (kind < 23)
        return listenerUpdate();
    if (kind < 24)
        return certificate();
    Request request;
    if (chance(50))
        request.set_set_max_connections_per_ip(number(3));
    else if (chance(50))
        request.mutable_status(); // not a state request
    return request;
}

} // namespace yardmaster::test

// SPDX-License-Identifier: GPL-3.0-or-later
#include "requests.h"

#include "backend/state/socket_address.h"

namespace yardmaster::test {

using proto::Request;

proto::SocketAddress address(const std::string& text) {
    proto::SocketAddress wire;
    state::SocketAddress::parse(text).value().toProto(wire);
    return wire;
}

Request addCluster(const std::string& id) {
    Request request;
    auto& cluster = *request.mutable_add_cluster();
    cluster.set_cluster_id(id);
    cluster.set_sticky_session(false);
    cluster.set_https_redirect(false);
    cluster.set_load_balancing(proto::ROUND_ROBIN);
    return request;
}

Request removeCluster(const std::string& id) {
    Request request;
    request.set_remove_cluster(id);
    return request;
}

Request addBackend(const std::string& cluster, const std::string& id, const std::string& at, int weight) {
    Request request;
    auto& backend = *request.mutable_add_backend();
    backend.set_cluster_id(cluster);
    backend.set_backend_id(id);
    *backend.mutable_address() = address(at);
    backend.mutable_load_balancing_parameters()->set_weight(weight);
    return request;
}

Request removeBackend(const std::string& cluster, const std::string& id, const std::string& at) {
    Request request;
    auto& backend = *request.mutable_remove_backend();
    backend.set_cluster_id(cluster);
    backend.set_backend_id(id);
    *backend.mutable_address() = address(at);
    return request;
}

Request addHttpFrontend(const std::string& cluster, const std::string& at, const std::string& host,
    const std::string& path, proto::PathRuleKind kind) {
    Request request;
    auto& frontend = *request.mutable_add_http_frontend();
    frontend.set_cluster_id(cluster);
    *frontend.mutable_address() = address(at);
    frontend.set_hostname(host);
    frontend.mutable_path()->set_kind(kind);
    frontend.mutable_path()->set_value(path);
    frontend.set_position(proto::TREE);
    return request;
}

Request removeHttpFrontend(const Request& added) {
    Request request;
    *request.mutable_remove_http_frontend() = added.add_http_frontend();
    return request;
}

Request addTcpFrontend(const std::string& cluster, const std::string& at) {
    Request request;
    request.mutable_add_tcp_frontend()->set_cluster_id(cluster);
    *request.mutable_add_tcp_frontend()->mutable_address() = address(at);
    return request;
}

Request addUdpFrontend(const std::string& cluster, const std::string& at) {
    Request request;
    request.mutable_add_udp_frontend()->set_cluster_id(cluster);
    *request.mutable_add_udp_frontend()->mutable_address() = address(at);
    return request;
}

Request addListener(proto::ListenerType type, const std::string& at) {
    Request request;
    const auto stream = [&](auto& listener) {
        *listener.mutable_address() = address(at);
        listener.set_front_timeout(60);
        listener.set_back_timeout(30);
        listener.set_active(false);
    };
    const auto http = [&](auto& listener) {
        stream(listener);
        listener.set_expect_proxy(false);
        listener.set_sticky_name("SERVERID");
        listener.set_connect_timeout(3);
        listener.set_request_timeout(10);
    };
    switch (type) {
    case proto::HTTP:
        http(*request.mutable_add_http_listener());
        break;
    case proto::HTTPS:
        http(*request.mutable_add_https_listener());
        request.mutable_add_https_listener()->set_send_tls13_tickets(4);
        break;
    case proto::TCP:
        stream(*request.mutable_add_tcp_listener());
        request.mutable_add_tcp_listener()->set_expect_proxy(false);
        request.mutable_add_tcp_listener()->set_connect_timeout(3);
        break;
    case proto::UDP:
        stream(*request.mutable_add_udp_listener());
        request.mutable_add_udp_listener()->set_max_rx_datagram_size(1500);
        request.mutable_add_udp_listener()->set_max_flows(0);
        break;
    }
    return request;
}

Request removeListener(proto::ListenerType type, const std::string& at) {
    Request request;
    *request.mutable_remove_listener()->mutable_address() = address(at);
    request.mutable_remove_listener()->set_proxy(type);
    return request;
}

Request activate(proto::ListenerType type, const std::string& at) {
    Request request;
    *request.mutable_activate_listener()->mutable_address() = address(at);
    request.mutable_activate_listener()->set_proxy(type);
    request.mutable_activate_listener()->set_from_scm(false);
    return request;
}

Request deactivate(proto::ListenerType type, const std::string& at) {
    Request request;
    *request.mutable_deactivate_listener()->mutable_address() = address(at);
    request.mutable_deactivate_listener()->set_proxy(type);
    request.mutable_deactivate_listener()->set_to_scm(false);
    return request;
}

Request addCertificate(const std::string& at, const proto::CertificateAndKey& certificate) {
    Request request;
    *request.mutable_add_certificate()->mutable_address() = address(at);
    *request.mutable_add_certificate()->mutable_certificate() = certificate;
    return request;
}

Request removeCertificate(const std::string& at, const std::string& fingerprint) {
    Request request;
    *request.mutable_remove_certificate()->mutable_address() = address(at);
    request.mutable_remove_certificate()->set_fingerprint(fingerprint);
    return request;
}

Request replaceCertificate(
    const std::string& at, const std::string& oldFingerprint, const proto::CertificateAndKey& certificate) {
    Request request;
    *request.mutable_replace_certificate()->mutable_address() = address(at);
    request.mutable_replace_certificate()->set_old_fingerprint(oldFingerprint);
    *request.mutable_replace_certificate()->mutable_new_certificate() = certificate;
    return request;
}

proto::HealthCheckConfig healthCheck(const std::string& uri) {
    proto::HealthCheckConfig check;
    check.set_uri(uri);
    check.set_interval(10);
    check.set_timeout(5);
    check.set_healthy_threshold(3);
    check.set_unhealthy_threshold(3);
    check.set_expected_status(0);
    return check;
}

} // namespace yardmaster::test

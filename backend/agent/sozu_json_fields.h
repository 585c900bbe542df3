// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/protocol/command.pb.h"

/// The fields of each message that a saved state is made of, named once for both directions: a visitor writes
/// them to JSON or reads them from it. (The lite runtime has no reflection.) Private to sozu_json.cpp.
namespace yardmaster::agent::json_fields {

// clang-format off
#define YM_SCALAR(name) \
    visitor.scalar(#name, message.has_##name(), message.name(), [&](auto value) { message.set_##name(value); })
#define YM_ENUM(name, Type) \
    visitor.enumeration(#name, message.has_##name(), message.name(), &proto::Type##_IsValid, \
        [&](int value) { message.set_##name(static_cast<proto::Type>(value)); })
#define YM_MESSAGE(name) \
    visitor.message(#name, message.has_##name(), [&]() -> auto& { return *message.mutable_##name(); })
#define YM_OWN_MESSAGE(name) \
    visitor.ownMessage(#name, message.has_##name(), [&]() -> auto& { return *message.mutable_##name(); })
#define YM_REPEATED(name) visitor.repeated(#name, *message.mutable_##name())
#define YM_REPEATED_ENUM(name, Type) visitor.repeatedEnum(#name, *message.mutable_##name(), &proto::Type##_IsValid)
#define YM_MAP(name) visitor.map(#name, *message.mutable_##name())
// clang-format on

template <typename V>
void fields(V& visitor, proto::Uint128& message) {
    YM_SCALAR(low);
    YM_SCALAR(high);
}
template <typename V>
void fields(V& visitor, proto::SocketAddress& message) {
    visitor.ip("ip", *message.mutable_ip());
    YM_SCALAR(port);
}
template <typename V>
void fields(V& visitor, proto::CustomHttpAnswers& message) {
    YM_SCALAR(answer_301);
    YM_SCALAR(answer_400);
    YM_SCALAR(answer_401);
    YM_SCALAR(answer_404);
    YM_SCALAR(answer_408);
    YM_SCALAR(answer_413);
    YM_SCALAR(answer_502);
    YM_SCALAR(answer_503);
    YM_SCALAR(answer_504);
    YM_SCALAR(answer_507);
    YM_SCALAR(answer_421);
    YM_SCALAR(answer_429);
}
template <typename V>
void fields(V& visitor, proto::HstsConfig& message) {
    YM_SCALAR(enabled);
    YM_SCALAR(max_age);
    YM_SCALAR(include_subdomains);
    YM_SCALAR(preload);
    YM_SCALAR(force_replace_backend);
}
template <typename V>
void fields(V& visitor, proto::ListenerLimits& message) {
    YM_ENUM(forwarded_for, ForwardedForMode);
    YM_SCALAR(max_line_bytes);
    YM_SCALAR(max_header_count);
    YM_SCALAR(max_header_bytes);
    YM_SCALAR(max_body_bytes);
    YM_SCALAR(idle_timeout_ms);
    YM_SCALAR(header_timeout_ms);
    YM_SCALAR(response_timeout_ms);
    YM_SCALAR(connect_timeout_ms);
}
template <typename V>
void fields(V& visitor, proto::HttpListenerConfig& message) {
    YM_MESSAGE(address);
    YM_MESSAGE(public_address);
    YM_SCALAR(expect_proxy);
    YM_SCALAR(sticky_name);
    YM_SCALAR(front_timeout);
    YM_SCALAR(back_timeout);
    YM_SCALAR(connect_timeout);
    YM_SCALAR(request_timeout);
    YM_SCALAR(active);
    YM_MESSAGE(http_answers);
    YM_SCALAR(request_id_header);
    YM_MAP(answers);
    YM_SCALAR(elide_x_real_ip);
    YM_SCALAR(send_x_real_ip);
    YM_OWN_MESSAGE(limits);
}
template <typename V>
void fields(V& visitor, proto::HttpsListenerConfig& message) {
    YM_MESSAGE(address);
    YM_MESSAGE(public_address);
    YM_SCALAR(expect_proxy);
    YM_SCALAR(sticky_name);
    YM_SCALAR(front_timeout);
    YM_SCALAR(back_timeout);
    YM_SCALAR(connect_timeout);
    YM_SCALAR(request_timeout);
    YM_SCALAR(active);
    YM_REPEATED_ENUM(versions, TlsVersion);
    YM_REPEATED(cipher_list);
    YM_REPEATED(cipher_suites);
    YM_REPEATED(signature_algorithms);
    YM_REPEATED(groups_list);
    YM_SCALAR(certificate);
    YM_REPEATED(certificate_chain);
    YM_SCALAR(key);
    YM_SCALAR(send_tls13_tickets);
    YM_MESSAGE(http_answers);
    YM_REPEATED(alpn_protocols);
    YM_SCALAR(strict_sni_binding);
    YM_SCALAR(disable_http11);
    YM_SCALAR(request_id_header);
    YM_MAP(answers);
    YM_SCALAR(elide_x_real_ip);
    YM_SCALAR(send_x_real_ip);
    YM_MESSAGE(hsts);
    YM_OWN_MESSAGE(limits);
}
template <typename V>
void fields(V& visitor, proto::TcpListenerConfig& message) {
    YM_MESSAGE(address);
    YM_MESSAGE(public_address);
    YM_SCALAR(expect_proxy);
    YM_SCALAR(front_timeout);
    YM_SCALAR(back_timeout);
    YM_SCALAR(connect_timeout);
    YM_SCALAR(active);
}
template <typename V>
void fields(V& visitor, proto::UdpListenerConfig& message) {
    YM_MESSAGE(address);
    YM_MESSAGE(public_address);
    YM_SCALAR(front_timeout);
    YM_SCALAR(back_timeout);
    YM_SCALAR(max_rx_datagram_size);
    YM_SCALAR(max_flows);
    YM_SCALAR(active);
}
template <typename V>
void fields(V& visitor, proto::ActivateListener& message) {
    YM_MESSAGE(address);
    YM_ENUM(proxy, ListenerType);
    YM_SCALAR(from_scm);
}
template <typename V>
void fields(V& visitor, proto::HealthCheckConfig& message) {
    YM_SCALAR(uri);
    YM_SCALAR(interval);
    YM_SCALAR(timeout);
    YM_SCALAR(healthy_threshold);
    YM_SCALAR(unhealthy_threshold);
    YM_SCALAR(expected_status);
}
template <typename V>
void fields(V& visitor, proto::UdpHealthConfig& message) {
    YM_ENUM(mode, UdpHealthMode);
    YM_SCALAR(tcp_port);
    YM_SCALAR(rise);
    YM_SCALAR(fall);
    YM_SCALAR(fail_open);
    visitor.bytes("udp_probe_payload", message.has_udp_probe_payload(), message.udp_probe_payload(),
        [&](const std::string& value) { message.set_udp_probe_payload(value); });
    YM_SCALAR(probe_interval_seconds);
    YM_SCALAR(probe_timeout_seconds);
}
template <typename V>
void fields(V& visitor, proto::UdpClusterConfig& message) {
    YM_ENUM(affinity_key, UdpAffinityKey);
    YM_SCALAR(responses);
    YM_SCALAR(requests);
    YM_SCALAR(send_proxy_protocol);
    YM_SCALAR(proxy_protocol_every_datagram);
    YM_MESSAGE(health);
}
template <typename V>
void fields(V& visitor, proto::Cluster& message) {
    YM_SCALAR(cluster_id);
    YM_SCALAR(sticky_session);
    YM_SCALAR(https_redirect);
    YM_ENUM(proxy_protocol, ProxyProtocolConfig);
    YM_ENUM(load_balancing, LoadBalancingAlgorithms);
    YM_SCALAR(answer_503);
    YM_ENUM(load_metric, LoadMetric);
    YM_SCALAR(http2);
    YM_MAP(answers);
    YM_SCALAR(https_redirect_port);
    YM_REPEATED(authorized_hashes);
    YM_SCALAR(www_authenticate);
    YM_SCALAR(max_connections_per_ip);
    YM_SCALAR(retry_after);
    YM_MESSAGE(health_check);
    YM_MESSAGE(udp);
}
template <typename V>
void fields(V& visitor, proto::LoadBalancingParams& message) {
    YM_SCALAR(weight);
}
template <typename V>
void fields(V& visitor, proto::AddBackend& message) {
    YM_SCALAR(cluster_id);
    YM_SCALAR(backend_id);
    YM_MESSAGE(address);
    YM_SCALAR(sticky_id);
    YM_MESSAGE(load_balancing_parameters);
    YM_SCALAR(backup);
}
template <typename V>
void fields(V& visitor, proto::PathRule& message) {
    YM_ENUM(kind, PathRuleKind);
    YM_SCALAR(value);
}
template <typename V>
void fields(V& visitor, proto::Header& message) {
    YM_ENUM(position, HeaderPosition);
    YM_SCALAR(key);
    YM_SCALAR(val);
}
template <typename V>
void fields(V& visitor, proto::RequestHttpFrontend& message) {
    YM_SCALAR(cluster_id);
    YM_MESSAGE(address);
    YM_SCALAR(hostname);
    YM_MESSAGE(path);
    YM_SCALAR(method);
    YM_ENUM(position, RulePosition);
    YM_MAP(tags);
    YM_ENUM(redirect, RedirectPolicy);
    YM_SCALAR(required_auth);
    YM_ENUM(redirect_scheme, RedirectScheme);
    YM_SCALAR(redirect_template);
    YM_SCALAR(rewrite_host);
    YM_SCALAR(rewrite_path);
    YM_SCALAR(rewrite_port);
    YM_REPEATED(headers);
    YM_MESSAGE(hsts);
}
template <typename V>
void fields(V& visitor, proto::RequestTcpFrontend& message) {
    YM_SCALAR(cluster_id);
    YM_MESSAGE(address);
    YM_MAP(tags);
}
template <typename V>
void fields(V& visitor, proto::RequestUdpFrontend& message) {
    YM_SCALAR(cluster_id);
    YM_MESSAGE(address);
    YM_MAP(tags);
}
template <typename V>
void fields(V& visitor, proto::CertificateAndKey& message) {
    YM_SCALAR(certificate);
    YM_REPEATED(certificate_chain);
    YM_SCALAR(key);
    YM_REPEATED_ENUM(versions, TlsVersion);
    YM_REPEATED(names);
}
template <typename V>
void fields(V& visitor, proto::AddCertificate& message) {
    YM_MESSAGE(address);
    YM_MESSAGE(certificate);
    YM_SCALAR(expired_at);
}

#undef YM_SCALAR
#undef YM_ENUM
#undef YM_MESSAGE
#undef YM_OWN_MESSAGE
#undef YM_REPEATED
#undef YM_REPEATED_ENUM
#undef YM_MAP

} // namespace yardmaster::agent::json_fields

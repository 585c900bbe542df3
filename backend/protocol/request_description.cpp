// SPDX-License-Identifier: GPL-3.0-or-later
//
// describeRequest(): what is said is picked field by field, so that a new secret field is not shown by
// accident.
#include "backend/protocol/request_names.h"

#include <algorithm>

namespace yardmaster::protocol {

namespace {

constexpr std::size_t maxTextBytes = 120;

// Text from outside: one line, of bounded length, cut at a character.
std::string clean(std::string_view text) {
    std::string result;
    for (const char c : text.substr(0, maxTextBytes)) {
        const auto byte = static_cast<unsigned char>(c);
        result += byte < 0x20 || byte == 0x7f ? '?' : c;
    }
    if (text.size() > maxTextBytes) {
        while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0xc0) == 0x80)
            result.pop_back();
        if (!result.empty() && static_cast<unsigned char>(result.back()) >= 0xc0)
            result.pop_back();
        result += "...";
    }
    return result;
}

std::string_view listenerTypeName(proto::ListenerType type) {
    switch (type) {
    case proto::HTTP:
        return "http";
    case proto::HTTPS:
        return "https";
    case proto::TCP:
        return "tcp";
    case proto::UDP:
        return "udp";
    }
    return "?";
}

std::string listener(std::string_view verb, std::string_view type, const proto::SocketAddress& address) {
    return std::string(verb) + " " + std::string(type) + " listener " + addressText(address);
}

std::string httpFrontend(std::string_view verb, const proto::RequestHttpFrontend& frontend) {
    std::string text = std::string(verb) + " frontend " + clean(frontend.hostname());
    switch (frontend.path().kind()) {
    case proto::PREFIX:
        text += frontend.path().value().empty() ? "/" : "";
        break;
    case proto::REGEX:
        text += " ~ ";
        break;
    case proto::EQUALS:
        text += " = ";
        break;
    }
    text += clean(frontend.path().value());
    if (frontend.has_method())
        text += " " + clean(frontend.method());
    text += " on " + addressText(frontend.address());
    return text + (frontend.has_cluster_id() ? " to cluster " + clean(frontend.cluster_id()) : ", denied");
}

template <typename Frontend>
std::string plainFrontend(std::string_view verb, const Frontend& frontend) {
    return std::string(verb) + " frontend " + addressText(frontend.address()) + " of cluster "
        + clean(frontend.cluster_id());
}

template <typename Backend>
std::string backend(std::string_view verb, const Backend& value) {
    return std::string(verb) + " backend " + clean(value.backend_id()) + " (" + addressText(value.address())
        + ") of cluster " + clean(value.cluster_id());
}

std::string names(const proto::CertificateAndKey& certificate) {
    if (certificate.names().empty())
        return {};
    std::string text = " (";
    constexpr int shown = 3;
    for (int i = 0; i < std::min(certificate.names_size(), shown); ++i)
        text += (i > 0 ? ", " : "") + clean(certificate.names(i));
    if (certificate.names_size() > shown)
        text += " and " + std::to_string(certificate.names_size() - shown) + " more";
    return text + ")";
}

std::string workerOrAll(std::string_view verb, bool has, std::uint32_t id) {
    return std::string(verb) + (has ? " worker " + std::to_string(id) : " all workers");
}

// "LIST_WORKERS" -> "list workers"
std::string nameInWords(const proto::Request& request) {
    std::string text(requestName(request));
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

} // namespace

std::string describeRequest(const proto::Request& request) {
    using Request = proto::Request;
    switch (request.request_type_case()) {
    case Request::kSaveState:
        return "save state to " + clean(request.save_state());
    case Request::kLoadState:
        return "load state from " + clean(request.load_state());
    case Request::kUpgradeWorker:
        return workerOrAll("upgrade", true, request.upgrade_worker());
    case Request::kReloadConfiguration:
        return request.reload_configuration().empty()
            ? "reload configuration"
            : "reload configuration from " + clean(request.reload_configuration());
    case Request::kAddCluster:
        return "add cluster " + clean(request.add_cluster().cluster_id());
    case Request::kRemoveCluster:
        return "remove cluster " + clean(request.remove_cluster());
    case Request::kAddHttpFrontend:
        return httpFrontend("add http", request.add_http_frontend());
    case Request::kRemoveHttpFrontend:
        return httpFrontend("remove http", request.remove_http_frontend());
    case Request::kAddHttpsFrontend:
        return httpFrontend("add https", request.add_https_frontend());
    case Request::kRemoveHttpsFrontend:
        return httpFrontend("remove https", request.remove_https_frontend());
    case Request::kAddCertificate:
        return "add certificate for " + addressText(request.add_certificate().address())
            + names(request.add_certificate().certificate());
    case Request::kReplaceCertificate:
        return "replace certificate " + clean(request.replace_certificate().old_fingerprint()) + " for "
            + addressText(request.replace_certificate().address())
            + names(request.replace_certificate().new_certificate());
    case Request::kRemoveCertificate:
        return "remove certificate " + clean(request.remove_certificate().fingerprint()) + " from "
            + addressText(request.remove_certificate().address());
    case Request::kAddTcpFrontend:
        return plainFrontend("add tcp", request.add_tcp_frontend());
    case Request::kRemoveTcpFrontend:
        return plainFrontend("remove tcp", request.remove_tcp_frontend());
    case Request::kAddUdpFrontend:
        return plainFrontend("add udp", request.add_udp_frontend());
    case Request::kRemoveUdpFrontend:
        return plainFrontend("remove udp", request.remove_udp_frontend());
    case Request::kAddBackend:
        return backend("add", request.add_backend());
    case Request::kRemoveBackend:
        return backend("remove", request.remove_backend());
    case Request::kAddHttpListener:
        return listener("add", "http", request.add_http_listener().address());
    case Request::kAddHttpsListener:
        return listener("add", "https", request.add_https_listener().address());
    case Request::kAddTcpListener:
        return listener("add", "tcp", request.add_tcp_listener().address());
    case Request::kAddUdpListener:
        return listener("add", "udp", request.add_udp_listener().address());
    case Request::kUpdateHttpListener:
        return listener("update", "http", request.update_http_listener().address());
    case Request::kUpdateHttpsListener:
        return listener("update", "https", request.update_https_listener().address());
    case Request::kUpdateTcpListener:
        return listener("update", "tcp", request.update_tcp_listener().address());
    case Request::kUpdateUdpListener:
        return listener("update", "udp", request.update_udp_listener().address());
    case Request::kRemoveListener:
        return listener("remove", listenerTypeName(request.remove_listener().proxy()),
            request.remove_listener().address());
    case Request::kActivateListener:
        return listener("activate", listenerTypeName(request.activate_listener().proxy()),
            request.activate_listener().address());
    case Request::kDeactivateListener:
        return listener("deactivate", listenerTypeName(request.deactivate_listener().proxy()),
            request.deactivate_listener().address());
    case Request::kQueryClusterById:
        return "query cluster " + clean(request.query_cluster_by_id());
    case Request::kQueryClustersByDomain:
        return "query clusters of " + clean(request.query_clusters_by_domain().hostname())
            + clean(request.query_clusters_by_domain().path());
    case Request::kLogging:
        return "set log filter " + clean(request.logging());
    case Request::kSetMaxConnectionsPerIp:
        return "set connections per address to " + std::to_string(request.set_max_connections_per_ip());
    case Request::kSetHealthCheck:
        return "set health check of cluster " + clean(request.set_health_check().cluster_id());
    case Request::kRemoveHealthCheck:
        return "remove health check of cluster " + clean(request.remove_health_check());
    case Request::kStopWorker:
        return (request.stop_worker().hard() ? "stop worker " : "drain and stop worker ")
            + std::to_string(request.stop_worker().id());
    case Request::kUpgradeWithOptions:
        return workerOrAll(
            "upgrade", request.upgrade_with_options().has_id(), request.upgrade_with_options().id());
    case Request::kCancelJob:
        return "cancel job " + std::to_string(request.cancel_job().job_id());
    case Request::REQUEST_TYPE_NOT_SET:
        return "empty request";
    default:
        return nameInWords(request);
    }
}

} // namespace yardmaster::protocol

// SPDX-License-Identifier: GPL-3.0-or-later
#include "state_model.h"

#include "backend/protocol/address_text.h"
#include "backend/protocol/canonical.h"
#include "certificates.h"

#include <array>
#include <cctype>

namespace yardmaster::test {

using protocol::addressText;
using protocol::canonicalBytes;
using Outcome = std::optional<Error::Code>;

namespace {

constexpr std::array<const char*, 4> kinds{"http", "https", "tcp", "udp"};

std::string frontendName(const char* kind, const proto::RequestHttpFrontend& frontend) {
    std::string host;
    for (const char c : frontend.hostname())
        host += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return std::string("frontend ") + kind + " " + addressText(frontend.address()) + " " + host + " "
        + std::to_string(frontend.path().kind()) + frontend.path().value() + " " + frontend.method();
}

template <typename Frontend>
std::string plainName(const char* kind, const Frontend& frontend) {
    return std::string("frontend ") + kind + " " + frontend.cluster_id() + " "
        + addressText(frontend.address());
}

template <typename Backend>
std::string backendName(const Backend& backend) {
    return "backend " + backend.cluster_id() + " " + backend.backend_id() + " "
        + addressText(backend.address());
}

std::string listenerName(int type, const proto::SocketAddress& address) {
    return std::string("listener ") + kinds[static_cast<std::size_t>(type)] + " " + addressText(address);
}

proto::AddCertificate normalised(proto::AddCertificate certificate, const std::string& name) {
    if (certificate.certificate().names().empty())
        certificate.mutable_certificate()->add_names(name);
    return certificate;
}

} // namespace

Outcome StateModel::apply(const proto::Request& request) {
    using R = proto::Request;
    const auto put = [&](const std::string& name, const auto& message) {
        m_objects[name] = canonicalBytes(message);
        return Outcome();
    };
    const auto addNew = [&](const std::string& name, const auto& message) {
        return m_objects.contains(name) ? Outcome(Error::Code::AlreadyExists) : put(name, message);
    };
    const auto remove = [&](const std::string& name) {
        return m_objects.erase(name) == 0 ? Outcome(Error::Code::NotFound) : Outcome();
    };
    // Reads an object, lets it be changed, writes it back.
    const auto edit = [&](const std::string& name, auto message, auto change) {
        const auto at = m_objects.find(name);
        if (at == m_objects.end())
            return Outcome(Error::Code::NotFound);
        message.ParsePartialFromString(at->second);
        const Outcome outcome = change(message);
        if (!outcome)
            at->second = canonicalBytes(message);
        return outcome;
    };
    const auto addListener = [&](int type, const auto& listener) {
        for (int other = 0; other < 4; ++other)
            if ((other == proto::UDP) == (type == proto::UDP)
                && m_objects.contains(listenerName(other, listener.address())))
                return Outcome(Error::Code::AlreadyExists);
        return put(listenerName(type, listener.address()), listener);
    };
    const auto update = [&](int type, const auto& message, auto listener) {
        return edit(listenerName(type, message.address()), listener, [&](auto& old) {
            if (message.has_front_timeout())
                old.set_front_timeout(message.front_timeout());
            if (message.has_back_timeout())
                old.set_back_timeout(message.back_timeout());
            if constexpr (requires { message.answers(); }) {
                for (const auto& [status, answer] : message.answers())
                    (*old.mutable_answers())[status] = answer;
                if (message.has_sticky_name())
                    old.set_sticky_name(message.sticky_name());
            }
            return Outcome();
        });
    };
    const auto setActive = [&](const auto& message, bool active) {
        const auto change = [&](auto& listener) {
            listener.set_active(active);
            return Outcome();
        };
        const std::string name = listenerName(message.proxy(), message.address());
        switch (message.proxy()) {
        case proto::HTTP:
            return edit(name, proto::HttpListenerConfig(), change);
        case proto::HTTPS:
            return edit(name, proto::HttpsListenerConfig(), change);
        case proto::TCP:
            return edit(name, proto::TcpListenerConfig(), change);
        case proto::UDP:
            break;
        }
        return edit(name, proto::UdpListenerConfig(), change);
    };
    const auto certificateName = [](const proto::SocketAddress& address, const std::string& fingerprint) {
        return "certificate " + addressText(address) + " " + fingerprint;
    };

    switch (request.request_type_case()) {
    case R::kAddCluster:
        return put("cluster " + request.add_cluster().cluster_id(), request.add_cluster());
    case R::kRemoveCluster:
        return remove("cluster " + request.remove_cluster());
    case R::kSetHealthCheck:
        return edit(
            "cluster " + request.set_health_check().cluster_id(), proto::Cluster(), [&](auto& cluster) {
                *cluster.mutable_health_check() = request.set_health_check().config();
                return Outcome();
            });
    case R::kRemoveHealthCheck:
        return edit("cluster " + request.remove_health_check(), proto::Cluster(), [&](auto& cluster) {
            const bool had = cluster.has_health_check();
            cluster.clear_health_check();
            return had ? Outcome() : Outcome(Error::Code::NotFound);
        });
    case R::kAddBackend:
        return put(backendName(request.add_backend()), request.add_backend());
    case R::kRemoveBackend:
        return remove(backendName(request.remove_backend()));
    case R::kAddHttpFrontend:
        return addNew(frontendName("http", request.add_http_frontend()), request.add_http_frontend());
    case R::kAddHttpsFrontend:
        return addNew(frontendName("https", request.add_https_frontend()), request.add_https_frontend());
    case R::kRemoveHttpFrontend:
        return remove(frontendName("http", request.remove_http_frontend()));
    case R::kRemoveHttpsFrontend:
        return remove(frontendName("https", request.remove_https_frontend()));
    case R::kAddTcpFrontend:
        return addNew(plainName("tcp", request.add_tcp_frontend()), request.add_tcp_frontend());
    case R::kAddUdpFrontend:
        return addNew(plainName("udp", request.add_udp_frontend()), request.add_udp_frontend());
    case R::kRemoveTcpFrontend:
        return remove(plainName("tcp", request.remove_tcp_frontend()));
    case R::kRemoveUdpFrontend:
        return remove(plainName("udp", request.remove_udp_frontend()));
    case R::kAddHttpListener:
        return addListener(proto::HTTP, request.add_http_listener());
    case R::kAddHttpsListener:
        return addListener(proto::HTTPS, request.add_https_listener());
    case R::kAddTcpListener:
        return addListener(proto::TCP, request.add_tcp_listener());
    case R::kAddUdpListener:
        return addListener(proto::UDP, request.add_udp_listener());
    case R::kRemoveListener:
        return remove(listenerName(request.remove_listener().proxy(), request.remove_listener().address()));
    case R::kActivateListener:
        return setActive(request.activate_listener(), true);
    case R::kDeactivateListener:
        return setActive(request.deactivate_listener(), false);
    case R::kUpdateHttpListener:
        return update(proto::HTTP, request.update_http_listener(), proto::HttpListenerConfig());
    case R::kUpdateHttpsListener:
        return update(proto::HTTPS, request.update_https_listener(), proto::HttpsListenerConfig());
    case R::kUpdateTcpListener:
        return update(proto::TCP, request.update_tcp_listener(), proto::TcpListenerConfig());
    case R::kUpdateUdpListener:
        return update(proto::UDP, request.update_udp_listener(), proto::UdpListenerConfig());
    case R::kAddCertificate: {
        const auto& add = request.add_certificate();
        return put(certificateName(add.address(), fingerprintOf(add.certificate())),
            normalised(add, "generated.example"));
    }
    case R::kReplaceCertificate: {
        const auto& replace = request.replace_certificate();
        if (remove(certificateName(replace.address(), replace.old_fingerprint())))
            return Error::Code::NotFound;
        proto::AddCertificate add;
        *add.mutable_address() = replace.address();
        *add.mutable_certificate() = replace.new_certificate();
        return put(certificateName(add.address(), fingerprintOf(add.certificate())),
            normalised(add, "generated.example"));
    }
    case R::kRemoveCertificate:
        return remove(certificateName(
            request.remove_certificate().address(), request.remove_certificate().fingerprint()));
    case R::kSetMaxConnectionsPerIp:
        m_objects.erase("connections per address");
        if (request.set_max_connections_per_ip() != 0)
            m_objects["connections per address"] = std::to_string(request.set_max_connections_per_ip());
        return {};
    default:
        return Error::Code::Unsupported;
    }
}

} // namespace yardmaster::test

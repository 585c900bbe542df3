// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/state/config_state.h"

#include "backend/protocol/address_text.h"
#include "backend/protocol/canonical.h"
#include "backend/protocol/request_names.h"
#include "backend/state/config_state_apply.h"

#include <algorithm>

namespace yardmaster::state {

namespace {

template <typename Left, typename Right>
bool same(const Left& left, const Right& right) {
    if constexpr (std::is_base_of_v<google::protobuf::MessageLite, Left>)
        return protocol::sameMessage(left, right);
    else if constexpr (requires { left.first; })
        return same(left.first, right.first) && same(left.second, right.second);
    else if constexpr (
        requires { left.begin(), left.size(), left.front(); } && !requires { left.c_str(); })
        return std::equal(left.begin(), left.end(), right.begin(), right.end(),
            [](const auto& a, const auto& b) { return same(a, b); });
    else if constexpr (requires { typename Left::mapped_type; })
        return std::equal(left.begin(), left.end(), right.begin(), right.end(),
            [](const auto& a, const auto& b) { return same(a, b); });
    else
        return left == right;
}

template <typename Map>
std::size_t sizeOfAll(const Map& map) {
    std::size_t count = 0;
    for (const auto& entry : map)
        count += entry.second.size();
    return count;
}

} // namespace

Expected<void> ConfigState::apply(const proto::Request& request, Checks checks) {
    if (!request.IsInitialized())
        return failure(Error::Code::InvalidArgument, "a required field is missing",
            std::string(protocol::requestName(request)));
    Applier applier{*this, checks};
    if (auto applied = applier.dispatch(request); !applied)
        return applied;
    ++m_requestCounts[std::string(protocol::requestName(request))];
    return {};
}

bool ConfigState::isStateRequest(const proto::Request& request) {
    using Request = proto::Request;
    switch (request.request_type_case()) {
    case Request::kAddCluster:
    case Request::kRemoveCluster:
    case Request::kSetHealthCheck:
    case Request::kRemoveHealthCheck:
    case Request::kAddBackend:
    case Request::kRemoveBackend:
    case Request::kAddHttpFrontend:
    case Request::kRemoveHttpFrontend:
    case Request::kAddHttpsFrontend:
    case Request::kRemoveHttpsFrontend:
    case Request::kAddTcpFrontend:
    case Request::kRemoveTcpFrontend:
    case Request::kAddUdpFrontend:
    case Request::kRemoveUdpFrontend:
    case Request::kAddHttpListener:
    case Request::kAddHttpsListener:
    case Request::kAddTcpListener:
    case Request::kAddUdpListener:
    case Request::kUpdateHttpListener:
    case Request::kUpdateHttpsListener:
    case Request::kUpdateTcpListener:
    case Request::kUpdateUdpListener:
    case Request::kRemoveListener:
    case Request::kActivateListener:
    case Request::kDeactivateListener:
    case Request::kAddCertificate:
    case Request::kReplaceCertificate:
    case Request::kRemoveCertificate:
    case Request::kSetMaxConnectionsPerIp:
        return true;
    default:
        return false;
    }
}

std::string ConfigState::frontendKey(const proto::RequestHttpFrontend& frontend) {
    std::string key = protocol::addressText(frontend.address()) + ";";
    for (const char c : frontend.hostname())
        key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    switch (frontend.path().kind()) {
    case proto::PREFIX:
        key += ";P";
        break;
    case proto::REGEX:
        key += ";R";
        break;
    case proto::EQUALS:
        key += ";=";
        break;
    }
    key += frontend.path().value();
    if (frontend.has_method())
        key += ";" + frontend.method();
    return key;
}

std::size_t ConfigState::objectCount() const {
    return m_httpListeners.size() + m_httpsListeners.size() + m_tcpListeners.size() + m_udpListeners.size()
        + m_clusters.size() + m_httpFrontends.size() + m_httpsFrontends.size() + sizeOfAll(m_tcpFrontends)
        + sizeOfAll(m_udpFrontends) + sizeOfAll(m_backends) + sizeOfAll(m_certificates);
}

bool ConfigState::operator==(const ConfigState& other) const {
    return m_maxConnectionsPerIp == other.m_maxConnectionsPerIp && same(m_clusters, other.m_clusters)
        && same(m_backends, other.m_backends) && same(m_httpListeners, other.m_httpListeners)
        && same(m_httpsListeners, other.m_httpsListeners) && same(m_tcpListeners, other.m_tcpListeners)
        && same(m_udpListeners, other.m_udpListeners) && same(m_httpFrontends, other.m_httpFrontends)
        && same(m_httpsFrontends, other.m_httpsFrontends) && same(m_tcpFrontends, other.m_tcpFrontends)
        && same(m_udpFrontends, other.m_udpFrontends) && same(m_certificates, other.m_certificates);
}

} // namespace yardmaster::state

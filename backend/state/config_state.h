// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/protocol/command.pb.h"
#include "backend/state/socket_address.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace yardmaster::state {

/// Everything a proxy is configured with, as a value: listeners, clusters, frontends, backends, certificates.
/// It changes only by apply(); requests, differences, hashes and counts are derived from it.
/// Rules as a client of Sozu 2.1 observes them: adding a cluster or backend that exists replaces it; adding a
/// frontend or listener that exists is an error; removing what is not there is an error; removing a cluster
/// leaves its frontends and backends; a certificate without names gets those it is for.
/// Beyond Sozu: one address cannot be an http, https and tcp listener at once; a listener's update with
/// fields we do not know is refused instead of being lost.
class ConfigState {
public:
    using FrontendMap = std::map<std::string, proto::RequestHttpFrontend>; ///< key: frontendKey()

    /// Full: everything is looked at. Trusted: for what a ConfigState has accepted before (a worker's initial
    /// state, the replay of our own log): certificates, keys and regular expressions are not parsed again.
    enum class Checks { Full, Trusted };

    /// Applies one state request. On error nothing was changed.
    ///  - InvalidArgument: a field is wrong, `where` names it   - Unsupported: not a state request
    ///  - AlreadyExists, NotFound: `where` names the object
    [[nodiscard]] Expected<void> apply(const proto::Request& request, Checks checks = Checks::Full);
    /// Whether apply() knows this kind of request.
    [[nodiscard]] static bool isStateRequest(const proto::Request& request);

    /// The requests that make an empty state equal to this one, listeners first (added inactive, then
    /// activated), then clusters, http frontends, certificates, https, tcp and udp frontends, backends:
    /// Sozu's order. Deterministic. The request given to `visit` is reused for the next.
    void forEachRequest(const std::function<void(const proto::Request&)>& visit) const;
    [[nodiscard]] std::vector<proto::Request> requests() const;

    /// The requests that turn this state into `target`, in an order that suits a running proxy: what is new
    /// comes before what goes, so that no cluster is without a backend on the way. A listener is updated in
    /// place where an update can express the change, else removed and added (which closes its socket).
    [[nodiscard]] std::vector<proto::Request> diff(const ConfigState& target) const;

    /// FNV-1a over the deterministic form of a cluster with its frontends and backends, by cluster id;
    /// compare main's with a worker's to see drift. (Sozu's own values cannot be reproduced outside Rust.)
    [[nodiscard]] std::map<std::string, std::uint64_t> clusterHashes() const;
    [[nodiscard]] std::uint64_t hash() const;

    /// How many requests of each kind were applied, by SCREAMING_SNAKE name.
    [[nodiscard]] const std::map<std::string, std::int32_t>& requestCounts() const { return m_requestCounts; }
    /// Listeners, clusters, frontends, backends and certificates together.
    [[nodiscard]] std::size_t objectCount() const;

    /// "addr;hostname;{P|R|=}path[;method]", the host name in lower case: what makes a frontend unique.
    [[nodiscard]] static std::string frontendKey(const proto::RequestHttpFrontend& frontend);

    [[nodiscard]] const auto& clusters() const { return m_clusters; }
    [[nodiscard]] const auto& backends() const { return m_backends; }
    [[nodiscard]] const auto& httpListeners() const { return m_httpListeners; }
    [[nodiscard]] const auto& httpsListeners() const { return m_httpsListeners; }
    [[nodiscard]] const auto& tcpListeners() const { return m_tcpListeners; }
    [[nodiscard]] const auto& udpListeners() const { return m_udpListeners; }
    [[nodiscard]] const FrontendMap& httpFrontends() const { return m_httpFrontends; }
    [[nodiscard]] const FrontendMap& httpsFrontends() const { return m_httpsFrontends; }
    [[nodiscard]] const auto& tcpFrontends() const { return m_tcpFrontends; }
    [[nodiscard]] const auto& udpFrontends() const { return m_udpFrontends; }
    [[nodiscard]] const auto& certificates() const { return m_certificates; }
    /// 0: no limit.
    [[nodiscard]] std::uint64_t maxConnectionsPerIp() const { return m_maxConnectionsPerIp; }

    /// Equal content (request counts aside).
    [[nodiscard]] bool operator==(const ConfigState& other) const;

private:
    struct Applier; // config_state_apply.h

    std::map<std::string, proto::Cluster> m_clusters;
    std::map<std::string, std::vector<proto::AddBackend>>
        m_backends; ///< sorted, unique on (backend id, address)
    std::map<SocketAddress, proto::HttpListenerConfig> m_httpListeners;
    std::map<SocketAddress, proto::HttpsListenerConfig> m_httpsListeners;
    std::map<SocketAddress, proto::TcpListenerConfig> m_tcpListeners;
    std::map<SocketAddress, proto::UdpListenerConfig> m_udpListeners;
    FrontendMap m_httpFrontends;
    FrontendMap m_httpsFrontends;
    std::map<std::string, std::vector<proto::RequestTcpFrontend>> m_tcpFrontends;
    std::map<std::string, std::vector<proto::RequestUdpFrontend>> m_udpFrontends;
    /// by listener, then fingerprint (hex SHA-256 of the DER)
    std::map<SocketAddress, std::map<std::string, proto::AddCertificate>> m_certificates;
    std::uint64_t m_maxConnectionsPerIp = 0;
    std::map<std::string, std::int32_t> m_requestCounts;
};

} // namespace yardmaster::state

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/metrics/metrics_page.h"
#include "backend/protocol/objects.pb.h"
#include "backend/state/socket_address.h"
#include "backend/worker/ref_counted.h"

#include <cstdint>
#include <span>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace yardmaster::worker {

class UpstreamConnection;

/// One backend as the data plane sees it. Lives as long as the configuration names it or a connection to it is open.
class Backend final : public RefCounted {
public:
    Backend(std::string backendId, const state::SocketAddress& where);

    std::string id;
    state::SocketAddress address;
    std::string addressText;
    sockaddr_storage socketAddress{};
    socklen_t socketAddressBytes = 0;
    std::uint32_t weight = defaultWeight;
    bool isBackup = false;
    bool isRemoved = false; ///< no connection to it is kept any more

    std::uint32_t activeRequests = 0;
    std::int64_t balance = 0; ///< of smooth weighted round robin
    UpstreamConnection* idleTop = nullptr; ///< kept connections, the one used last first
    std::uint32_t idleCount = 0;

    /// Passive health: a backend whose connects failed three times in a row is left alone for half a second, then twice as
    /// long each time, 30 s at most.
    void noteConnectFailure(std::int64_t nowNs);
    void noteConnectSuccess() { m_failures = 0; }
    [[nodiscard]] bool isDown(std::int64_t nowNs) const { return m_failures > 0 && m_downUntilNs > nowNs; }

    static constexpr std::uint32_t defaultWeight = 100;

private:
    std::uint32_t m_failures = 0;
    std::int64_t m_downUntilNs = 0;
};

/// A cluster of the configuration with its backends; updated in place, so that what a backend has learnt stays.
class Cluster final : public RefCounted {
public:
    explicit Cluster(std::string clusterId)
        : id(std::move(clusterId)) { }

    std::string id;
    bool isConfigured = false; ///< an add_cluster was seen: backends and frontends may exist without
    proto::LoadBalancingAlgorithms algorithm = proto::ROUND_ROBIN;
    bool httpsRedirect = false;
    std::uint32_t httpsRedirectPort = 443;
    std::string answer503;
    std::vector<Ref<Backend>> backends;
    metrics::MetricsBlock* metrics = nullptr; ///< taken at the first request

    /// Null: back to the defaults.
    void setConfiguration(const proto::Cluster* configuration);
    /// Backends are matched by id and address. Returns those that are gone.
    std::vector<Ref<Backend>> setBackends(std::span<const proto::AddBackend> wanted);
};

} // namespace yardmaster::worker

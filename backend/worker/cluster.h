// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/metrics/metrics_page.h"
#include "backend/protocol/objects.pb.h"
#include "backend/state/socket_address.h"

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace yardmaster::worker {

class UpstreamConnection;

/// One backend as the data plane sees it. Lives as long as the configuration names it or a connection to it
/// is open.
struct Backend {
    std::string id;
    state::SocketAddress address;
    sockaddr_storage socketAddress{};
    socklen_t socketAddressBytes = 0;
    std::uint32_t weight = 100;
    bool isBackup = false;

    std::uint32_t activeRequests = 0;
    std::vector<UpstreamConnection*> idle; ///< most recently used last
    std::uint32_t consecutiveFailures = 0;
    std::int64_t downUntilNs = 0;
    std::int64_t balance = 0; ///< of smooth weighted round robin
    bool isRemoved = false; ///< no connection is kept any more
};

/// Picks among the backends of a cluster. A backend whose connects failed is left alone for a while (0.5 s
/// doubling to 30 s), unless no other is left; backups serve only when no other backend can.
class Balancer {
public:
    explicit Balancer(std::uint64_t seed)
        : m_random(seed) { }

    /// Null when there is none besides those in `excluded`. `affinityHash`: of the client, for HRW and
    /// Maglev.
    [[nodiscard]] Backend* pick(std::span<const std::shared_ptr<Backend>> backends,
        proto::LoadBalancingAlgorithms algorithm, std::span<Backend* const> excluded,
        std::uint64_t affinityHash, std::int64_t nowNs);

private:
    [[nodiscard]] Backend* choose(proto::LoadBalancingAlgorithms algorithm, std::uint64_t affinityHash);

    std::minstd_rand m_random;
    std::vector<Backend*> m_candidates;
};

void noteConnectFailure(Backend& backend, std::int64_t nowNs);
void noteConnectSuccess(Backend& backend);

/// A cluster of the configuration with its backends; kept and updated in place, so that what a backend has
/// learnt stays.
struct Cluster {
    std::string id;
    proto::LoadBalancingAlgorithms algorithm = proto::ROUND_ROBIN;
    bool httpsRedirect = false;
    std::uint32_t httpsRedirectPort = 443;
    std::string answer503;
    std::vector<std::shared_ptr<Backend>> backends;
    metrics::MetricsBlock* metrics = nullptr;

    /// Takes over configuration; backends are matched by id and address.
    void update(const proto::Cluster* configuration, std::span<const proto::AddBackend> wanted);
};

} // namespace yardmaster::worker

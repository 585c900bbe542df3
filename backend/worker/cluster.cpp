// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/cluster.h"

#include <algorithm>
#include <cstring>
#include <netinet/in.h>

namespace yardmaster::worker {

namespace {
constexpr std::int64_t firstRetryNs = 500'000'000;
constexpr std::int64_t longestRetryNs = 30'000'000'000;
constexpr std::uint32_t failuresUntilDown = 3;
constexpr std::uint32_t defaultHttpsPort = 443;
} // namespace

Backend::Backend(std::string backendId, const state::SocketAddress& where)
    : id(std::move(backendId))
    , address(where)
    , addressText(where.toString()) {
    if (where.isV6) {
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(where.port);
        std::memcpy(&v6.sin6_addr, where.bytes.data(), sizeof v6.sin6_addr);
        std::memcpy(&socketAddress, &v6, sizeof v6);
        socketAddressBytes = sizeof v6;
    } else {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_port = htons(where.port);
        std::memcpy(&v4.sin_addr, where.bytes.data(), sizeof v4.sin_addr);
        std::memcpy(&socketAddress, &v4, sizeof v4);
        socketAddressBytes = sizeof v4;
    }
}

void Backend::noteConnectFailure(std::int64_t nowNs) {
    if (++m_failures < failuresUntilDown)
        return;
    const std::uint32_t doublings = std::min(m_failures - failuresUntilDown, 6U);
    m_downUntilNs = nowNs + std::min(firstRetryNs << doublings, longestRetryNs);
}

void Cluster::setConfiguration(const proto::Cluster* configuration) {
    isConfigured = configuration != nullptr;
    const proto::Cluster& source = configuration ? *configuration : proto::Cluster::default_instance();
    algorithm = source.load_balancing();
    httpsRedirect = source.https_redirect();
    httpsRedirectPort = source.has_https_redirect_port() ? source.https_redirect_port() : defaultHttpsPort;
    answer503 = source.answer_503();
}

std::vector<Ref<Backend>> Cluster::setBackends(std::span<const proto::AddBackend> wanted) {
    std::vector<Ref<Backend>> next;
    for (const proto::AddBackend& want : wanted) {
        const auto address = state::SocketAddress::fromProto(want.address());
        if (!address)
            continue; // ConfigState accepts none of these
        const auto known = std::find_if(backends.begin(), backends.end(),
            [&](const auto& backend) { return backend->id == want.backend_id() && backend->address == *address; });
        Ref<Backend> backend = known != backends.end() ? *known : makeRef<Backend>(want.backend_id(), *address);
        const int weight = want.has_load_balancing_parameters() ? want.load_balancing_parameters().weight() : 0;
        backend->weight = weight > 0 ? static_cast<std::uint32_t>(weight) : Backend::defaultWeight;
        backend->isBackup = want.backup();
        next.push_back(std::move(backend));
    }
    std::vector<Ref<Backend>> gone;
    for (const auto& old : backends) {
        if (std::find(next.begin(), next.end(), old) != next.end())
            continue;
        old->isRemoved = true;
        gone.push_back(old);
    }
    backends = std::move(next);
    return gone;
}

} // namespace yardmaster::worker

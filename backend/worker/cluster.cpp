// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/cluster.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <netinet/in.h>

namespace yardmaster::worker {

namespace {

constexpr std::int64_t firstRetryNs = 500'000'000;
constexpr std::int64_t longestRetryNs = 30'000'000'000;
constexpr std::uint32_t failuresUntilDown = 3;
constexpr std::uint32_t defaultWeight = 100;

void fillSocketAddress(Backend& backend) {
    if (backend.address.isV6) {
        auto* v6 = reinterpret_cast<sockaddr_in6*>(&backend.socketAddress);
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(backend.address.port);
        std::memcpy(&v6->sin6_addr, backend.address.bytes.data(), 16);
        backend.socketAddressBytes = sizeof(sockaddr_in6);
    } else {
        auto* v4 = reinterpret_cast<sockaddr_in*>(&backend.socketAddress);
        v4->sin_family = AF_INET;
        v4->sin_port = htons(backend.address.port);
        std::memcpy(&v4->sin_addr, backend.address.bytes.data(), 4);
        backend.socketAddressBytes = sizeof(sockaddr_in);
    }
}

std::uint64_t rendezvousScore(const Backend& backend, std::uint64_t affinityHash) {
    std::uint64_t score = affinityHash ^ 0x9E37'79B9'7F4A'7C15ULL;
    for (const char c : backend.id)
        score = (score ^ static_cast<unsigned char>(c)) * 0x100'0000'01B3ULL;
    score ^= backend.address.port;
    score ^= score >> 31;
    score *= 0xBF58'476D'1CE4'E5B9ULL;
    return score ^ (score >> 29);
}

/// a/wa < b/wb without division
bool isLessLoaded(const Backend& a, const Backend& b) {
    return static_cast<std::uint64_t>(a.activeRequests) * b.weight
        < static_cast<std::uint64_t>(b.activeRequests) * a.weight;
}

} // namespace

Backend* Balancer::pick(std::span<const std::shared_ptr<Backend>> backends,
    proto::LoadBalancingAlgorithms algorithm, std::span<Backend* const> excluded, std::uint64_t affinityHash,
    std::int64_t nowNs) {
    const auto collect = [&](bool backups, bool down) {
        m_candidates.clear();
        for (const auto& backend : backends) {
            if (backend->isBackup != backups || (backend->downUntilNs > nowNs) != down)
                continue;
            if (std::find(excluded.begin(), excluded.end(), backend.get()) == excluded.end())
                m_candidates.push_back(backend.get());
        }
        return !m_candidates.empty();
    };
    if (collect(false, false) || collect(true, false) || collect(false, true) || collect(true, true))
        return choose(algorithm, affinityHash);
    return nullptr;
}

Backend* Balancer::choose(proto::LoadBalancingAlgorithms algorithm, std::uint64_t affinityHash) {
    if (m_candidates.size() == 1)
        return m_candidates.front();
    const auto any = [this] {
        std::uint64_t total = 0;
        for (const Backend* backend : m_candidates)
            total += backend->weight;
        std::uint64_t point = std::uniform_int_distribution<std::uint64_t>(0, total - 1)(m_random);
        for (Backend* backend : m_candidates) {
            if (point < backend->weight)
                return backend;
            point -= backend->weight;
        }
        return m_candidates.back();
    };
    switch (algorithm) {
    case proto::RANDOM:
        return any();
    case proto::LEAST_LOADED: {
        // From a random start, so that of those who are equal not always the first has the request.
        const auto start = std::uniform_int_distribution<std::ptrdiff_t>(
            0, static_cast<std::ptrdiff_t>(m_candidates.size()) - 1)(m_random);
        std::rotate(m_candidates.begin(), m_candidates.begin() + start, m_candidates.end());
        return *std::min_element(m_candidates.begin(), m_candidates.end(),
            [](const Backend* a, const Backend* b) { return isLessLoaded(*a, *b); });
    }
    case proto::POWER_OF_TWO: {
        Backend* first = any();
        std::erase(m_candidates, first); // two different ones
        Backend* second = any();
        return isLessLoaded(*second, *first) ? second : first;
    }
    case proto::HRW:
    case proto::MAGLEV: // both promise the same: one client stays with one backend, whoever comes or goes
        return *std::max_element(
            m_candidates.begin(), m_candidates.end(), [&](const Backend* a, const Backend* b) {
                return rendezvousScore(*a, affinityHash) < rendezvousScore(*b, affinityHash);
            });
    case proto::ROUND_ROBIN:
        break;
    }
    // Smooth weighted round robin: everyone gains its weight, the richest is chosen and pays the sum.
    std::int64_t total = 0;
    Backend* richest = nullptr;
    for (Backend* backend : m_candidates) {
        backend->balance += backend->weight;
        total += backend->weight;
        if (!richest || backend->balance > richest->balance)
            richest = backend;
    }
    richest->balance -= total;
    return richest;
}

void noteConnectFailure(Backend& backend, std::int64_t nowNs) {
    ++backend.consecutiveFailures;
    if (backend.consecutiveFailures < failuresUntilDown)
        return;
    const std::uint32_t doublings = std::min(backend.consecutiveFailures - failuresUntilDown, 6U);
    backend.downUntilNs = nowNs + std::min(firstRetryNs << doublings, longestRetryNs);
}

void noteConnectSuccess(Backend& backend) {
    backend.consecutiveFailures = 0;
    backend.downUntilNs = 0;
}

void Cluster::update(const proto::Cluster* configuration, std::span<const proto::AddBackend> wanted) {
    if (configuration) {
        algorithm = configuration->load_balancing();
        httpsRedirect = configuration->https_redirect();
        httpsRedirectPort =
            configuration->has_https_redirect_port() ? configuration->https_redirect_port() : 443;
        answer503 = configuration->answer_503();
    }
    std::vector<std::shared_ptr<Backend>> next;
    for (const proto::AddBackend& want : wanted) {
        const auto address = state::SocketAddress::fromProto(want.address());
        if (!address)
            continue; // ConfigState accepts none of these
        auto known = std::find_if(backends.begin(), backends.end(), [&](const auto& backend) {
            return backend && backend->id == want.backend_id() && backend->address == *address;
        });
        std::shared_ptr<Backend> backend = known != backends.end() ? *known : std::make_shared<Backend>();
        backend->id = want.backend_id();
        backend->address = *address;
        fillSocketAddress(*backend);
        const int weight =
            want.has_load_balancing_parameters() ? want.load_balancing_parameters().weight() : 0;
        backend->weight = weight > 0 ? static_cast<std::uint32_t>(weight) : defaultWeight;
        backend->isBackup = want.backup();
        next.push_back(std::move(backend));
    }
    for (const auto& old : backends)
        old->isRemoved = std::find(next.begin(), next.end(), old) == next.end();
    backends = std::move(next);
}

} // namespace yardmaster::worker

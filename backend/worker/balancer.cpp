// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/balancer.h"

#include "backend/base/monotonic_clock.h"

#include <algorithm>
#include <bit>
#include <sys/random.h>

namespace yardmaster::worker {

namespace {

std::uint64_t splitMix(std::uint64_t& state) {
    state += 0x9E37'79B9'7F4A'7C15ULL;
    std::uint64_t value = state;
    value = (value ^ (value >> 30)) * 0xBF58'476D'1CE4'E5B9ULL;
    value = (value ^ (value >> 27)) * 0x94D0'49BB'1331'11EBULL;
    return value ^ (value >> 31);
}

/// Highest random weight of a pair of client and backend.
std::uint64_t rendezvousScore(const Backend& backend, std::uint64_t affinityHash) {
    std::uint64_t state = affinityHash;
    for (const char c : backend.id)
        state = (state ^ static_cast<unsigned char>(c)) * 0x100'0000'01B3ULL;
    state ^= backend.address.port;
    return splitMix(state);
}

/// By requests per weight, without division.
bool isLessLoaded(const Backend& a, const Backend& b) {
    return std::uint64_t{a.activeRequests} * b.weight < std::uint64_t{b.activeRequests} * a.weight;
}

} // namespace

Random::Random(std::uint64_t seed) {
    for (std::uint64_t& word : m_state)
        word = splitMix(seed);
}

Random Random::seededBySystem() {
    std::uint64_t seed = 0;
    if (::getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = static_cast<std::uint64_t>(unixNowNs() ^ (monotonicNowNs() << 20));
    return Random(seed);
}

std::uint64_t Random::next() {
    const std::uint64_t result = std::rotl(m_state[1] * 5, 7) * 9;
    const std::uint64_t shifted = m_state[1] << 17;
    m_state[2] ^= m_state[0];
    m_state[3] ^= m_state[1];
    m_state[1] ^= m_state[2];
    m_state[0] ^= m_state[3];
    m_state[2] ^= shifted;
    m_state[3] = std::rotl(m_state[3], 45);
    return result;
}

std::uint64_t Random::below(std::uint64_t bound) {
    return bound == 0 ? 0 : next() % bound; // the bias for bounds far below 2^64 does not matter here
}

bool Balancer::collect(const Cluster& cluster, std::span<const Backend* const> excluded, bool backups, bool down,
    std::int64_t nowNs) {
    m_candidates.clear();
    for (const auto& backend : cluster.backends) {
        if (backend->isBackup != backups || backend->isDown(nowNs) != down)
            continue;
        if (std::find(excluded.begin(), excluded.end(), backend.get()) == excluded.end())
            m_candidates.push_back(backend.get());
    }
    return !m_candidates.empty();
}

Backend* Balancer::pick(const Cluster& cluster, std::span<const Backend* const> excluded, std::uint64_t affinityHash,
    std::int64_t nowNs) {
    for (const bool down : {false, true}) {
        for (const bool backups : {false, true}) {
            if (collect(cluster, excluded, backups, down, nowNs))
                return choose(cluster.algorithm, affinityHash);
        }
    }
    return nullptr;
}

Backend* Balancer::choose(proto::LoadBalancingAlgorithms algorithm, std::uint64_t affinityHash) {
    if (m_candidates.size() == 1)
        return m_candidates.front();
    switch (algorithm) {
    case proto::RANDOM:
        return anyByWeight();
    case proto::LEAST_LOADED: {
        // From a random start, so that those who are equal get equally much.
        const auto start = m_candidates.begin()
            + static_cast<std::ptrdiff_t>(m_random.below(m_candidates.size()));
        std::rotate(m_candidates.begin(), start, m_candidates.end());
        return *std::min_element(m_candidates.begin(), m_candidates.end(),
            [](const Backend* a, const Backend* b) { return isLessLoaded(*a, *b); });
    }
    case proto::POWER_OF_TWO: {
        Backend* first = anyByWeight();
        std::erase(m_candidates, first);
        Backend* second = anyByWeight();
        return isLessLoaded(*second, *first) ? second : first;
    }
    case proto::HRW:
    case proto::MAGLEV: // both promise the same: a client stays with its backend, whoever else comes or goes
        return *std::max_element(m_candidates.begin(), m_candidates.end(), [&](const Backend* a, const Backend* b) {
            return rendezvousScore(*a, affinityHash) < rendezvousScore(*b, affinityHash);
        });
    case proto::ROUND_ROBIN:
        break;
    }
    return nextInTurn();
}

Backend* Balancer::anyByWeight() {
    std::uint64_t total = 0;
    for (const Backend* backend : m_candidates)
        total += backend->weight;
    std::uint64_t point = m_random.below(total);
    for (Backend* backend : m_candidates) {
        if (point < backend->weight)
            return backend;
        point -= backend->weight;
    }
    return m_candidates.back();
}

Backend* Balancer::nextInTurn() {
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

} // namespace yardmaster::worker

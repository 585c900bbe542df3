// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/worker/cluster.h"

#include <cstdint>
#include <span>
#include <vector>

namespace yardmaster::worker {

/// xoshiro256** (Blackman, Vigna): for choices and request ids, not for secrets.
class Random {
public:
    explicit Random(std::uint64_t seed);
    [[nodiscard]] static Random seededBySystem();
    [[nodiscard]] std::uint64_t next();
    /// 0 <= result < bound
    [[nodiscard]] std::uint64_t below(std::uint64_t bound);

private:
    std::uint64_t m_state[4];
};

/// Picks among the backends of a cluster. One that is down is passed over unless no other is left; backups serve only when no
/// other backend can.
class Balancer {
public:
    explicit Balancer(Random random)
        : m_random(random) { }

    /// Null when there is none besides those in `excluded`. `affinityHash`: of the client's address, for HRW and Maglev.
    [[nodiscard]] Backend* pick(const Cluster& cluster, std::span<const Backend* const> excluded,
        std::uint64_t affinityHash, std::int64_t nowNs);

private:
    [[nodiscard]] bool collect(const Cluster& cluster, std::span<const Backend* const> excluded, bool backups, bool down,
        std::int64_t nowNs);
    [[nodiscard]] Backend* choose(proto::LoadBalancingAlgorithms algorithm, std::uint64_t affinityHash);
    [[nodiscard]] Backend* anyByWeight();
    [[nodiscard]] Backend* nextInTurn();

    Random m_random;
    std::vector<Backend*> m_candidates;
};

} // namespace yardmaster::worker

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/canonical.h"
#include "backend/state/config_state.h"

namespace yardmaster::state {

namespace {

/// FNV-1a, 64 bits. Each message goes in with its length, so that two different sequences do not look alike.
class Hasher {
public:
    void add(const google::protobuf::MessageLite& message) {
        m_buffer.clear();
        protocol::appendCanonical(message, m_buffer);
        addNumber(m_buffer.size());
        for (const char c : m_buffer)
            addByte(static_cast<std::uint8_t>(c));
    }
    void addNumber(std::uint64_t number) {
        for (int i = 0; i < 8; ++i, number >>= 8)
            addByte(static_cast<std::uint8_t>(number));
    }
    void restart() { m_hash = offsetBasis; }
    [[nodiscard]] std::uint64_t value() const { return m_hash; }

private:
    static constexpr std::uint64_t offsetBasis = 0xcbf29ce484222325;
    static constexpr std::uint64_t prime = 0x100000001b3;

    void addByte(std::uint8_t byte) { m_hash = (m_hash ^ byte) * prime; }

    std::uint64_t m_hash = offsetBasis;
    std::string m_buffer;
};

} // namespace

std::map<std::string, std::uint64_t> ConfigState::clusterHashes() const {
    using Frontends = std::map<std::string_view, std::vector<const proto::RequestHttpFrontend*>>;
    const auto byCluster = [](const FrontendMap& map) {
        Frontends frontends;
        for (const auto& [key, frontend] : map)
            if (frontend.has_cluster_id())
                frontends[frontend.cluster_id()].push_back(&frontend);
        return frontends;
    };
    const Frontends http = byCluster(m_httpFrontends);
    const Frontends https = byCluster(m_httpsFrontends);

    std::map<std::string, std::uint64_t> hashes;
    Hasher hasher;
    // A number ahead of each group: the same frontend on http and on https must not give the same hash.
    const auto addGroup = [&](std::uint64_t number, const auto& map, const std::string& id, auto deref) {
        hasher.addNumber(number);
        if (const auto at = map.find(id); at != map.end())
            for (const auto& item : at->second)
                hasher.add(deref(item));
    };
    const auto pointee = [](const auto* item) -> const auto& {
        return *item;
    };
    const auto itself = [](const auto& item) -> const auto& {
        return item;
    };
    for (const auto& [id, cluster] : m_clusters) {
        hasher.restart();
        hasher.add(cluster);
        addGroup(1, m_backends, id, itself);
        addGroup(2, http, id, pointee);
        addGroup(3, https, id, pointee);
        addGroup(4, m_tcpFrontends, id, itself);
        addGroup(5, m_udpFrontends, id, itself);
        hashes.emplace_hint(hashes.end(), id, hasher.value());
    }
    return hashes;
}

std::uint64_t ConfigState::hash() const {
    Hasher hasher;
    forEachRequest([&](const proto::Request& request) { hasher.add(request); });
    return hasher.value();
}

} // namespace yardmaster::state

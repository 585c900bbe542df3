// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/protocol/objects.pb.h"
#include "backend/worker/cluster.h"
#include "backend/worker/ref_counted.h"

#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace yardmaster::worker {

/// Where a request goes. No cluster: denied (401), or redirected.
struct Route {
    Ref<Cluster> cluster;
    proto::RedirectPolicy redirect = proto::FORWARD;
    proto::RedirectScheme redirectScheme = proto::USE_SAME;
    bool requiresAuth = false;
};

/// The frontends of one listener. Order of precedence, as Sozu's: frontends at position PRE in the order they were added, then
/// those at TREE, then POST. Within TREE the exact host name comes before "*." (one label), and that before "*": only the rules
/// of the host that was found count. Among them: an equal path, then a regular expression, then the longest prefix; with one
/// method named before any method. Paths are matched in their normal form (backend/http/path.h), and so are the rules, so that
/// no other spelling of a path reaches another frontend.
class RouteTable final : public RefCounted {
public:
    /// `key` is what makes the frontend unique (ConfigState::frontendKey()).
    void add(const std::string& key, const proto::RequestHttpFrontend& frontend, Ref<Cluster> cluster);
    void remove(const std::string& key, const proto::RequestHttpFrontend& frontend);

    /// `host` normalised (lower case, no port), `path` normalised. Null: no frontend (404). Valid until the table changes.
    [[nodiscard]] const Route* find(std::string_view host, std::string_view path, std::string_view method) const;

private:
    struct Rule {
        std::string key;
        proto::PathRuleKind kind = proto::PREFIX;
        std::string path;
        std::optional<std::regex> pattern;
        std::string method; ///< empty: any
        std::string host; ///< lower case
        Route route;

        [[nodiscard]] bool matches(std::string_view candidate, std::string_view requestMethod) const;
        [[nodiscard]] bool matchesHost(std::string_view candidate) const;
    };
    using Rules = std::vector<Rule>;
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };

    [[nodiscard]] static Rule makeRule(
        const std::string& key, const proto::RequestHttpFrontend& frontend, Ref<Cluster> cluster);
    [[nodiscard]] static bool goesBefore(const Rule& a, const Rule& b);
    [[nodiscard]] const Rules* rulesOf(std::string_view host) const;
    [[nodiscard]] static const Route* findInOrder(
        const Rules& rules, std::string_view host, std::string_view path, std::string_view method);

    std::unordered_map<std::string, Rules, Hash, std::equal_to<>> m_hosts; ///< "*.example.com" for a wildcard
    Rules m_before;
    Rules m_after;
};

} // namespace yardmaster::worker

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/message.h"
#include "backend/protocol/objects.pb.h"
#include "backend/worker/cluster.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace yardmaster::worker {

/// Where a request goes. No cluster: denied (401), or redirected.
struct Route {
    std::shared_ptr<Cluster> cluster;
    proto::RedirectPolicy redirect = proto::FORWARD;
    /// Credentials are asked for. Checking them is not built yet, so nobody has the right ones.
    bool requiresAuth = false;
};

/// The frontends of one listener. Order of precedence, as Sozu's: frontends at position PRE in the order of
/// their keys, then those at TREE, then POST. Within TREE the exact host name comes before "*.": when a host
/// is known, only its rules count. Among the rules of a host: an equal path, then a regular expression, then
/// the longest prefix; with one method named before any method. A wildcard stands for one label. Paths are
/// matched in their normal form (backend/http/path.h), and so are the rules, so that no other spelling of a
/// path reaches another frontend.
class RouteTable {
public:
    void add(const proto::RequestHttpFrontend& frontend, std::shared_ptr<Cluster> cluster);
    /// After the last add(), before the first find().
    void finish();

    /// `host` normalised (lower case, no port), `path` normalised. Null: no frontend (404).
    [[nodiscard]] const Route* find(
        std::string_view host, std::string_view path, std::string_view method) const;

private:
    struct Rule {
        proto::PathRuleKind kind = proto::PREFIX;
        std::string path;
        std::shared_ptr<const re2::RE2> pattern; ///< linear in the path, whatever the pattern
        std::string method; ///< empty: any
        Route route;
        std::string host; ///< for PRE and POST; lower case

        [[nodiscard]] bool matchesPath(std::string_view candidate) const;
        [[nodiscard]] bool matchesHost(std::string_view candidate) const;
    };
    using Rules = std::vector<Rule>;

    [[nodiscard]] static const Route* findAmong(
        const Rules& rules, std::string_view path, std::string_view method);
    [[nodiscard]] static const Route* findInOrder(
        const Rules& rules, std::string_view host, std::string_view path, std::string_view method);

    std::map<std::string, Rules, std::less<>> m_hosts; ///< "*.example.com" for a wildcard
    Rules m_before;
    Rules m_after;
};

} // namespace yardmaster::worker

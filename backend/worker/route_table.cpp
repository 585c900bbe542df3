// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/route_table.h"

#include "backend/http/path.h"

#include <re2/re2.h>

#include <algorithm>

namespace yardmaster::worker {

namespace {

std::string lowerCase(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

/// Equal paths first, then regular expressions, then prefixes from long to short; rules for one method before
/// those for any.
int kindRank(proto::PathRuleKind kind) {
    return kind == proto::EQUALS ? 0 : kind == proto::REGEX ? 1 : 2;
}

} // namespace

bool RouteTable::Rule::matchesPath(std::string_view candidate) const {
    switch (kind) {
    case proto::EQUALS:
        return candidate == path;
    case proto::REGEX:
        return pattern
            && re2::RE2::PartialMatch(re2::StringPiece(candidate.data(), candidate.size()), *pattern);
    case proto::PREFIX:
        break;
    }
    return candidate.starts_with(path);
}

bool RouteTable::Rule::matchesHost(std::string_view candidate) const {
    if (host == "*" || host == candidate)
        return true;
    if (!host.starts_with("*."))
        return false;
    const std::size_t dot = candidate.find('.');
    return dot != std::string_view::npos && dot > 0
        && candidate.substr(dot) == std::string_view(host).substr(1);
}

void RouteTable::add(const proto::RequestHttpFrontend& frontend, std::shared_ptr<Cluster> cluster) {
    Rule rule;
    rule.kind = frontend.path().kind();
    rule.path = frontend.path().value();
    rule.method = frontend.method();
    rule.host = lowerCase(frontend.hostname());
    rule.route.redirect = frontend.redirect();
    rule.route.requiresAuth = frontend.required_auth();
    if (frontend.has_cluster_id())
        rule.route.cluster = std::move(cluster);
    if (rule.kind == proto::REGEX) {
        auto pattern = std::make_shared<re2::RE2>(rule.path, re2::RE2::Quiet);
        if (!pattern->ok())
            return; // ConfigState accepts no such pattern
        rule.pattern = std::move(pattern);
    } else {
        // A rule that has no normal form (a prefix that ends within an escape, say) stays as it is and can
        // match nothing.
        std::string storage;
        if (const auto normal = http::normalisePath(rule.path, storage))
            rule.path = std::string(*normal);
    }
    switch (frontend.position()) {
    case proto::PRE:
        m_before.push_back(std::move(rule));
        break;
    case proto::POST:
        m_after.push_back(std::move(rule));
        break;
    case proto::TREE:
        m_hosts[rule.host].push_back(std::move(rule));
        break;
    }
}

void RouteTable::finish() {
    for (auto& [host, rules] : m_hosts) {
        std::stable_sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) {
            if (kindRank(a.kind) != kindRank(b.kind))
                return kindRank(a.kind) < kindRank(b.kind);
            if (a.kind == proto::PREFIX && a.path.size() != b.path.size())
                return a.path.size() > b.path.size();
            return !a.method.empty() && b.method.empty();
        });
    }
}

const Route* RouteTable::findAmong(const Rules& rules, std::string_view path, std::string_view method) {
    for (const Rule& rule : rules) {
        if ((rule.method.empty() || rule.method == method) && rule.matchesPath(path))
            return &rule.route;
    }
    return nullptr;
}

const Route* RouteTable::findInOrder(
    const Rules& rules, std::string_view host, std::string_view path, std::string_view method) {
    for (const Rule& rule : rules) {
        if ((rule.method.empty() || rule.method == method) && rule.matchesHost(host)
            && rule.matchesPath(path))
            return &rule.route;
    }
    return nullptr;
}

const Route* RouteTable::find(std::string_view host, std::string_view path, std::string_view method) const {
    if (const Route* route = findInOrder(m_before, host, path, method))
        return route;
    auto rules = m_hosts.find(host);
    if (rules == m_hosts.end()) {
        if (const std::size_t dot = host.find('.'); dot != std::string_view::npos && dot > 0) {
            std::string wildcard = "*";
            wildcard += host.substr(dot);
            rules = m_hosts.find(wildcard);
        }
        if (rules == m_hosts.end())
            rules = m_hosts.find(std::string_view("*"));
    }
    if (rules != m_hosts.end()) {
        if (const Route* route = findAmong(rules->second, path, method))
            return route;
    }
    return findInOrder(m_after, host, path, method);
}

} // namespace yardmaster::worker

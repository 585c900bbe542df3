// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/route_table.h"

#include "backend/http/path.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace yardmaster::worker {

namespace {

std::string lowerCase(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

int rankOf(proto::PathRuleKind kind) {
    return kind == proto::EQUALS ? 0 : kind == proto::REGEX ? 1 : 2;
}

/// The matcher that simulates the automaton: no path makes it run for long or deep, which the backtracking one (libstdc++'s
/// default) does. It knows no back references, so a pattern with those gets the other.
std::optional<std::regex> compile(const std::string& pattern) {
    constexpr auto common = std::regex::ECMAScript | std::regex::nosubs;
    try {
        return std::regex(pattern, common | std::regex_constants::__polynomial);
    } catch (const std::regex_error&) {
    }
    try {
        return std::regex(pattern, common);
    } catch (const std::regex_error&) {
        return std::nullopt; // ConfigState accepts no such pattern
    }
}

std::string normalised(const std::string& path) {
    // What has no normal form (a prefix that ends within an escape, say) stays as it is and can match nothing.
    std::string storage;
    const auto normal = http::normalisePath(path, storage);
    return normal ? std::string(*normal) : path;
}

} // namespace

bool RouteTable::Rule::matches(std::string_view candidate, std::string_view requestMethod) const {
    if (!method.empty() && method != requestMethod)
        return false;
    switch (kind) {
    case proto::EQUALS:
        return candidate == path;
    case proto::REGEX:
        return pattern && std::regex_search(candidate.begin(), candidate.end(), *pattern);
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
    return dot != std::string_view::npos && dot > 0 && candidate.substr(dot) == std::string_view(host).substr(1);
}

RouteTable::Rule RouteTable::makeRule(
    const std::string& key, const proto::RequestHttpFrontend& frontend, Ref<Cluster> cluster) {
    Rule rule;
    rule.key = key;
    rule.kind = frontend.path().kind();
    rule.path = rule.kind == proto::REGEX ? frontend.path().value() : normalised(frontend.path().value());
    if (rule.kind == proto::REGEX)
        rule.pattern = compile(rule.path);
    rule.method = frontend.method();
    rule.host = lowerCase(frontend.hostname());
    rule.route.cluster = std::move(cluster);
    rule.route.redirect = frontend.redirect();
    rule.route.redirectScheme = frontend.redirect_scheme();
    rule.route.requiresAuth = frontend.required_auth();
    return rule;
}

bool RouteTable::goesBefore(const Rule& a, const Rule& b) {
    if (rankOf(a.kind) != rankOf(b.kind))
        return rankOf(a.kind) < rankOf(b.kind);
    if (a.kind == proto::PREFIX && a.path.size() != b.path.size())
        return a.path.size() > b.path.size();
    return !a.method.empty() && b.method.empty();
}

void RouteTable::add(const std::string& key, const proto::RequestHttpFrontend& frontend, Ref<Cluster> cluster) {
    Rule rule = makeRule(key, frontend, std::move(cluster));
    switch (frontend.position()) {
    case proto::PRE:
        m_before.push_back(std::move(rule));
        break;
    case proto::POST:
        m_after.push_back(std::move(rule));
        break;
    case proto::TREE: {
        Rules& rules = m_hosts[rule.host];
        const auto at = std::upper_bound(rules.begin(), rules.end(), rule, goesBefore);
        rules.insert(at, std::move(rule));
        break;
    }
    }
}

void RouteTable::remove(const std::string& key, const proto::RequestHttpFrontend& frontend) {
    const auto isIt = [&key](const Rule& rule) { return rule.key == key; };
    // The position is not a part of the key: the rule may stand elsewhere than the request says.
    if (std::erase_if(m_before, isIt) + std::erase_if(m_after, isIt) > 0)
        return;
    const auto host = m_hosts.find(lowerCase(frontend.hostname()));
    if (host == m_hosts.end())
        return;
    std::erase_if(host->second, isIt);
    if (host->second.empty())
        m_hosts.erase(host);
}

const RouteTable::Rules* RouteTable::rulesOf(std::string_view host) const {
    if (const auto exact = m_hosts.find(host); exact != m_hosts.end())
        return &exact->second;
    constexpr std::size_t longestHost = 256;
    const std::size_t dot = host.find('.');
    if (dot != std::string_view::npos && dot > 0 && host.size() - dot < longestHost) {
        std::array<char, longestHost> wildcard;
        wildcard[0] = '*';
        std::memcpy(wildcard.data() + 1, host.data() + dot, host.size() - dot);
        const auto found = m_hosts.find(std::string_view(wildcard.data(), 1 + host.size() - dot));
        if (found != m_hosts.end())
            return &found->second;
    }
    const auto any = m_hosts.find(std::string_view("*"));
    return any != m_hosts.end() ? &any->second : nullptr;
}

const Route* RouteTable::findInOrder(
    const Rules& rules, std::string_view host, std::string_view path, std::string_view method) {
    for (const Rule& rule : rules) {
        if (rule.matchesHost(host) && rule.matches(path, method))
            return &rule.route;
    }
    return nullptr;
}

const Route* RouteTable::find(std::string_view host, std::string_view path, std::string_view method) const {
    if (const Route* route = findInOrder(m_before, host, path, method))
        return route;
    if (const Rules* rules = rulesOf(host)) {
        for (const Rule& rule : *rules) {
            if (rule.matches(path, method))
                return &rule.route;
        }
    }
    return findInOrder(m_after, host, path, method);
}

} // namespace yardmaster::worker

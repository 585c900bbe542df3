// SPDX-License-Identifier: GPL-3.0-or-later
//
// The listeners and clusters of the configuration file, as state requests.
#include "backend/agent/agent_config.h"
#include "backend/state/socket_address.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace yardmaster::agent {

namespace {

constexpr std::int64_t maxSeconds = 86'400;
constexpr std::int64_t maxMilliseconds = 3'600'000;
constexpr std::int64_t maxCount = std::numeric_limits<std::uint32_t>::max();

/// Reads `key` as "ip:port"; false and a mistake when it is not one.
bool readAddress(
    ConfigReader& reader, std::string_view key, proto::SocketAddress& into, bool required = true) {
    std::string text;
    reader.readString(key, text, required);
    if (text.empty())
        return false;
    const auto address = state::SocketAddress::parse(text);
    if (!address) {
        reader.mistake(key, "'" + text + "' is no address",
            "as in 127.0.0.1:8080 or [::1]:8080; names are not looked up");
        return false;
    }
    if (address->port == 0) {
        reader.mistake(key, "port 0 names no place to connect to");
        return false;
    }
    address->toProto(into);
    return true;
}

void readLimits(ConfigReader& reader, proto::ListenerLimits& limits) {
    if (const auto mode = reader.readChoice("forwarded_for", {"append", "replace"}))
        limits.set_forwarded_for(*mode == 0 ? proto::APPEND : proto::REPLACE);
    const auto number = [&](std::string_view key, std::int64_t highest, const auto& set) {
        std::int64_t value = -1;
        reader.readInteger(key, value, 1, highest);
        if (value > 0)
            set(static_cast<std::uint32_t>(value));
    };
    number("max_line_bytes", 1'048'576, [&](auto value) { limits.set_max_line_bytes(value); });
    number("max_header_count", 10'000, [&](auto value) { limits.set_max_header_count(value); });
    number("max_header_bytes", 16'777'216, [&](auto value) { limits.set_max_header_bytes(value); });
    number("idle_timeout_ms", maxMilliseconds, [&](auto value) { limits.set_idle_timeout_ms(value); });
    number("header_timeout_ms", maxMilliseconds, [&](auto value) { limits.set_header_timeout_ms(value); });
    number(
        "response_timeout_ms", maxMilliseconds, [&](auto value) { limits.set_response_timeout_ms(value); });
    number("connect_timeout_ms", maxMilliseconds, [&](auto value) { limits.set_connect_timeout_ms(value); });
    std::int64_t bodyBytes = 0;
    reader.readInteger("max_body_bytes", bodyBytes, 1, std::numeric_limits<std::int64_t>::max());
    if (bodyBytes > 0)
        limits.set_max_body_bytes(static_cast<std::uint64_t>(bodyBytes));
}

template <typename Listener>
void readTimeouts(ConfigReader& reader, const AgentConfig& config, Listener& listener) {
    const auto seconds = [&](std::string_view key, std::uint32_t standard) {
        std::uint32_t value = standard;
        reader.readInteger(key, value, 1, maxSeconds);
        return value;
    };
    listener.set_front_timeout(seconds("front_timeout", config.frontTimeoutS));
    listener.set_back_timeout(seconds("back_timeout", config.backTimeoutS));
    listener.set_connect_timeout(seconds("connect_timeout", config.connectTimeoutS));
    if constexpr (requires { listener.set_request_timeout(1U); })
        listener.set_request_timeout(seconds("request_timeout", config.requestTimeoutS));
}

/// A PEM file named in the configuration; its text is never part of a mistake.
std::string readPem(ConfigReader& reader, std::string_view key, const std::string& baseDirectory) {
    std::string path;
    reader.readString(key, path, true);
    if (path.empty())
        return {};
    std::ifstream stream(std::filesystem::path(baseDirectory) / path, std::ios::binary);
    std::ostringstream text;
    if (stream)
        text << stream.rdbuf();
    if (!stream || text.str().empty())
        reader.mistake(key, "the file '" + path + "' cannot be read");
    return text.str();
}

void readListener(
    const toml::table& table, std::string path, AgentConfig& config, std::vector<ConfigMistake>& mistakes) {
    ConfigReader reader(table, std::move(path), mistakes);
    const std::size_t before = mistakes.size();
    const auto protocol = reader.readChoice("protocol", {"http", "https", "tcp"});
    if (!protocol && mistakes.size() == before)
        reader.mistake("protocol", "is missing", "http, https or tcp");

    proto::Request add;
    proto::SocketAddress address;
    proto::SocketAddress publicAddress;
    const bool addressOk = readAddress(reader, "address", address);
    const bool hasPublicAddress = readAddress(reader, "public_address", publicAddress, false);
    bool expectProxy = false;
    reader.readBool("expect_proxy", expectProxy);
    const auto fill = [&](auto& listener) {
        *listener.mutable_address() = address;
        if (hasPublicAddress)
            *listener.mutable_public_address() = publicAddress;
        listener.set_expect_proxy(expectProxy);
        listener.set_active(false);
        readTimeouts(reader, config, listener);
    };
    const auto fillHttp = [&](auto& listener) {
        std::string sticky = "YARDMASTERID";
        std::string requestId;
        reader.readString("sticky_name", sticky);
        reader.readString("request_id_header", requestId);
        listener.set_sticky_name(sticky);
        if (!requestId.empty())
            listener.set_request_id_header(requestId);
        readLimits(reader, *listener.mutable_limits());
    };
    proto::ListenerType type = proto::HTTP;
    if (protocol == 0U) {
        fill(*add.mutable_add_http_listener());
        fillHttp(*add.mutable_add_http_listener());
    } else if (protocol == 1U) {
        type = proto::HTTPS;
        auto& listener = *add.mutable_add_https_listener();
        fill(listener);
        fillHttp(listener);
        listener.set_send_tls13_tickets(4);
    } else if (protocol == 2U) {
        type = proto::TCP;
        fill(*add.mutable_add_tcp_listener());
    }
    if (protocol && type != proto::HTTP && config.activateListeners)
        reader.mistake("protocol", "listeners of this protocol are not served", "http");
    if (protocol)
        reader.finish();
    if (!protocol || !addressOk || mistakes.size() != before)
        return;
    config.requests.push_back(std::move(add));
    if (config.activateListeners) {
        proto::Request activate;
        *activate.mutable_activate_listener()->mutable_address() = address;
        activate.mutable_activate_listener()->set_proxy(type);
        activate.mutable_activate_listener()->set_from_scm(false);
        config.requests.push_back(std::move(activate));
    }
}

/// One entry of `frontends`: HTTP or HTTPS by whether it names a certificate or says `https = true`.
void readFrontend(const toml::table& table, std::string path, const std::string& clusterId, bool isTcp,
    AgentConfig& config, std::vector<ConfigMistake>& mistakes) {
    ConfigReader reader(table, std::move(path), mistakes);
    const std::size_t before = mistakes.size();
    proto::Request request;
    if (isTcp) {
        auto& frontend = *request.mutable_add_tcp_frontend();
        frontend.set_cluster_id(clusterId);
        readAddress(reader, "address", *frontend.mutable_address());
        reader.finish();
        if (mistakes.size() == before)
            config.requests.push_back(std::move(request));
        return;
    }
    proto::RequestHttpFrontend frontend;
    frontend.set_cluster_id(clusterId);
    readAddress(reader, "address", *frontend.mutable_address());
    std::string hostname;
    reader.readString("hostname", hostname, true);
    frontend.set_hostname(hostname);
    std::string pathValue;
    reader.readString("path", pathValue);
    frontend.mutable_path()->set_value(pathValue);
    const auto kind = reader.readChoice("path_type", {"PREFIX", "REGEX", "EQUALS"});
    frontend.mutable_path()->set_kind(static_cast<proto::PathRuleKind>(kind.value_or(0)));
    const auto position = reader.readChoice("position", {"PRE", "POST", "TREE"});
    frontend.set_position(static_cast<proto::RulePosition>(position.value_or(2)));
    std::string method;
    reader.readString("method", method);
    if (!method.empty())
        frontend.set_method(method);

    bool isHttps = false;
    reader.readBool("https", isHttps);
    if (reader.has("certificate") || reader.has("key")) {
        isHttps = true;
        proto::Request addCertificate;
        auto& certificate = *addCertificate.mutable_add_certificate();
        *certificate.mutable_address() = frontend.address();
        certificate.mutable_certificate()->set_certificate(
            readPem(reader, "certificate", config.baseDirectory));
        certificate.mutable_certificate()->set_key(readPem(reader, "key", config.baseDirectory));
        if (reader.has("certificate_chain"))
            certificate.mutable_certificate()->add_certificate_chain(
                readPem(reader, "certificate_chain", config.baseDirectory));
        if (mistakes.size() == before)
            config.requests.push_back(std::move(addCertificate));
    }
    reader.finish();
    if (mistakes.size() != before)
        return;
    (isHttps ? *request.mutable_add_https_frontend() : *request.mutable_add_http_frontend()) =
        std::move(frontend);
    config.requests.push_back(std::move(request));
}

void readBackend(const toml::table& table, std::string path, const std::string& clusterId, std::size_t index,
    AgentConfig& config, std::vector<ConfigMistake>& mistakes) {
    ConfigReader reader(table, std::move(path), mistakes);
    const std::size_t before = mistakes.size();
    proto::Request request;
    auto& backend = *request.mutable_add_backend();
    std::string id = clusterId + "-" + std::to_string(index);
    reader.readString("backend_id", id);
    backend.set_cluster_id(clusterId);
    backend.set_backend_id(id);
    readAddress(reader, "address", *backend.mutable_address());
    std::string sticky;
    reader.readString("sticky_id", sticky);
    if (!sticky.empty())
        backend.set_sticky_id(sticky);
    std::int64_t weight = -1;
    reader.readInteger("weight", weight, 0, 1'000'000);
    if (weight >= 0)
        backend.mutable_load_balancing_parameters()->set_weight(static_cast<std::int32_t>(weight));
    bool backup = false;
    reader.readBool("backup", backup);
    if (backup)
        backend.set_backup(true);
    reader.finish();
    if (mistakes.size() == before)
        config.requests.push_back(std::move(request));
}

void readHealthCheck(const toml::table& table, std::string path, proto::Cluster& cluster,
    std::vector<ConfigMistake>& mistakes) {
    ConfigReader reader(table, std::move(path), mistakes);
    auto& check = *cluster.mutable_health_check();
    std::string uri = "/";
    reader.readString("uri", uri, true);
    check.set_uri(uri);
    const auto number = [&](std::string_view key, std::uint32_t standard, std::int64_t highest) {
        std::uint32_t value = standard;
        reader.readInteger(key, value, key == "expected_status" ? 0 : 1, highest);
        return value;
    };
    check.set_interval(number("interval", 10, maxSeconds));
    check.set_timeout(number("timeout", 5, maxSeconds));
    check.set_healthy_threshold(number("healthy_threshold", 3, maxCount));
    check.set_unhealthy_threshold(number("unhealthy_threshold", 3, maxCount));
    check.set_expected_status(number("expected_status", 0, 599));
    reader.finish();
}

void readCluster(const toml::table& table, const std::string& path, const std::string& clusterId,
    AgentConfig& config, std::vector<ConfigMistake>& mistakes) {
    ConfigReader reader(table, path, mistakes);
    const std::size_t before = mistakes.size();
    const bool isTcp = reader.readChoice("protocol", {"http", "tcp"}) == 1U;
    proto::Request request;
    auto& cluster = *request.mutable_add_cluster();
    cluster.set_cluster_id(clusterId);
    const auto algorithm = reader.readChoice(
        "load_balancing", {"ROUND_ROBIN", "RANDOM", "LEAST_LOADED", "POWER_OF_TWO", "HRW", "MAGLEV"});
    cluster.set_load_balancing(static_cast<proto::LoadBalancingAlgorithms>(algorithm.value_or(0)));
    const auto metric = reader.readChoice("load_metric", {"connections", "requests", "connection_time"});
    if (metric)
        cluster.set_load_metric(static_cast<proto::LoadMetric>(*metric));
    bool sticky = false;
    bool redirect = false;
    reader.readBool("sticky_session", sticky);
    reader.readBool("https_redirect", redirect);
    cluster.set_sticky_session(sticky);
    cluster.set_https_redirect(redirect);
    std::string answer503;
    reader.readString("answer_503", answer503);
    if (!answer503.empty())
        cluster.set_answer_503(answer503);
    if (const toml::table* check = reader.readTable("health_check"))
        readHealthCheck(*check, path + ".health_check", cluster, mistakes);
    const auto frontends = reader.readTables("frontends");
    const auto backends = reader.readTables("backends");
    reader.finish();
    if (mistakes.size() == before)
        config.requests.push_back(std::move(request));
    for (std::size_t index = 0; index < frontends.size(); ++index)
        readFrontend(*frontends[index], path + ".frontends[" + std::to_string(index) + "]", clusterId, isTcp,
            config, mistakes);
    for (std::size_t index = 0; index < backends.size(); ++index)
        readBackend(*backends[index], path + ".backends[" + std::to_string(index) + "]", clusterId, index,
            config, mistakes);
}

} // namespace

void readListeners(ConfigReader& reader, AgentConfig& config, std::vector<ConfigMistake>& mistakes) {
    const auto tables = reader.readTables("listeners");
    for (std::size_t index = 0; index < tables.size(); ++index)
        readListener(*tables[index], "listeners[" + std::to_string(index) + "]", config, mistakes);
}

void readClusters(ConfigReader& reader, AgentConfig& config, std::vector<ConfigMistake>& mistakes) {
    const toml::table* clusters = reader.readTable("clusters");
    if (!clusters)
        return;
    for (const auto& [id, node] : *clusters) {
        const std::string name(id.str());
        if (const auto* table = node.as_table()) {
            readCluster(*table, "clusters." + name, name, config, mistakes);
        } else {
            ConfigReader inner(*clusters, "clusters", mistakes);
            inner.mistake(name, "must be a table", "[clusters." + name + "]");
        }
    }
}

} // namespace yardmaster::agent

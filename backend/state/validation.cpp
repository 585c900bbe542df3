// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/state/validation.h"

#include "backend/state/certificate.h"
#include "backend/state/socket_address.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace yardmaster::state {

namespace {

constexpr std::size_t maxHostnameBytes = 253; // RFC 1035 2.3.4, without the final dot
constexpr std::size_t maxLabelBytes = 63;
// The regular expression compiler recurses with the nesting of the pattern: bounded, so that no request can
// exhaust the stack.
constexpr std::size_t maxRegexBytes = 1024;
constexpr int maxRegexNesting = 32;

tl::unexpected<Error> invalid(std::string what, std::string where, std::string hint = {}) {
    return failure(Error::Code::InvalidArgument, std::move(what), std::move(where), std::move(hint));
}

bool isControl(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}
bool hasControl(std::string_view text) {
    return std::any_of(text.begin(), text.end(), isControl);
}

// RFC 9110 5.6.2
bool isToken(std::string_view text) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || marks.find(c) != std::string_view::npos;
    });
}

Expected<void> requireText(std::string_view text, const char* field) {
    if (text.empty())
        return invalid(std::string(field) + " is empty", field);
    if (hasControl(text))
        return invalid(std::string(field) + " contains a control character", field);
    return {};
}

Expected<void> requireNoControl(std::string_view text, const char* field) {
    if (hasControl(text))
        return invalid(std::string(field) + " contains a control character", field);
    return {};
}

Expected<void> requireAddress(const proto::SocketAddress& wire, const char* field) {
    const auto address = SocketAddress::fromProto(wire);
    if (!address) {
        Error error = address.error();
        error.where = field;
        return failure(std::move(error));
    }
    if (address->port == 0)
        return invalid("port 0 is not a port", field);
    return {};
}

Expected<void> requirePort(std::uint32_t port, const char* field) {
    if (port == 0 || port > 65535)
        return invalid("port " + std::to_string(port) + " is not between 1 and 65535", field);
    return {};
}

Expected<void> requireHostname(std::string_view host) {
    const char* const field = "hostname";
    const auto wrong = [&](const char* why) {
        return invalid("hostname " + std::string(why), field, "write a.example or *.a.example");
    };
    if (host.empty())
        return wrong("is empty");
    if (hasControl(host) || std::any_of(host.begin(), host.end(), [](char c) { return (c & 0x80) != 0; }))
        return invalid("hostname contains a character that is not ASCII", field,
            "write an international name in its xn-- form");
    if (host.size() > maxHostnameBytes)
        return wrong("is longer than 253 bytes");
    if (host == "*")
        return {};
    if (host.front() == '[') { // an IPv6 literal as in the Host field
        if (SocketAddress::parse(std::string(host) + ":0"))
            return {};
        return wrong("is not an IPv6 address");
    }
    if (host.starts_with("*."))
        host.remove_prefix(2);
    while (true) {
        const std::size_t dot = host.find('.');
        const std::string_view label = host.substr(0, dot);
        if (label.empty())
            return wrong("has an empty label");
        if (label.size() > maxLabelBytes)
            return wrong("has a label longer than 63 bytes");
        for (const char c : label) {
            if (c == '*')
                return wrong("has a * that is not its whole first label");
            if (c == ':')
                return wrong("names a port: the port is the listener's");
            if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_')
                return wrong("contains a character that no host name has");
        }
        if (dot == std::string_view::npos)
            return {};
        host.remove_prefix(dot + 1);
    }
}

Expected<void> requireRegex(const std::string& pattern) {
    const char* const field = "path";
    if (pattern.size() > maxRegexBytes)
        return invalid("regular expression is longer than 1024 bytes", field);
    int nesting = 0;
    int deepest = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '\\')
            ++i;
        else if (pattern[i] == '(')
            deepest = std::max(deepest, ++nesting);
        else if (pattern[i] == ')')
            --nesting;
    }
    if (deepest > maxRegexNesting)
        return invalid("regular expression is nested deeper than 32", field);
    // The worker's engine: what is accepted here can be matched there. Linear, without back references and
    // look-around.
    const re2::RE2 compiled(pattern, re2::RE2::Quiet);
    if (!compiled.ok())
        return invalid("regular expression does not compile: " + compiled.error(), field, "use RE2's syntax");
    return {};
}

Expected<void> requirePath(const proto::PathRule& path, bool full) {
    const char* const field = "path";
    if (hasControl(path.value()))
        return invalid("path contains a control character", field);
    switch (path.kind()) {
    case proto::REGEX:
        if (path.value().empty())
            return invalid("regular expression is empty", field, "use a prefix rule for every path");
        return full ? requireRegex(path.value()) : Expected<void>();
    case proto::PREFIX:
        if (!path.value().empty() && path.value().front() != '/')
            return invalid("path prefix does not begin with /", field);
        return {};
    case proto::EQUALS:
        if (path.value().empty() || (path.value().front() != '/' && path.value() != "*"))
            return invalid("path does not begin with /", field);
        return {};
    }
    return invalid("unknown kind of path rule", field);
}

template <typename Listener>
Expected<void> validateAddresses(const Listener& listener) {
    auto result = requireAddress(listener.address(), "address");
    if (result && listener.has_public_address())
        result = requireAddress(listener.public_address(), "public_address");
    return result;
}

template <typename Listener>
Expected<void> validateHttpCommon(const Listener& listener) {
    if (auto result = validateAddresses(listener); !result)
        return result;
    if (!isToken(listener.sticky_name()))
        return invalid("sticky_name is not a cookie name", "sticky_name");
    if (listener.has_request_id_header() && !isToken(listener.request_id_header()))
        return invalid("request_id_header is not a field name", "request_id_header");
    return {};
}

template <typename Frontend>
Expected<void> validatePlainFrontend(const Frontend& frontend) {
    if (auto result = requireText(frontend.cluster_id(), "cluster_id"); !result)
        return result;
    return requireAddress(frontend.address(), "address");
}

} // namespace

Expected<void> validate(const proto::HealthCheckConfig& check) {
    if (check.uri().empty() || check.uri().front() != '/')
        return invalid("health check does not begin with /", "health_check.uri");
    if (hasControl(check.uri()) || check.uri().find(' ') != std::string::npos)
        return invalid("health check contains a space or control character", "health_check.uri");
    if (check.interval() == 0)
        return invalid("interval is 0", "health_check.interval");
    if (check.timeout() == 0)
        return invalid("timeout is 0", "health_check.timeout");
    if (check.healthy_threshold() == 0)
        return invalid("threshold is 0", "health_check.healthy_threshold");
    if (check.unhealthy_threshold() == 0)
        return invalid("threshold is 0", "health_check.unhealthy_threshold");
    if (check.expected_status() != 0 && (check.expected_status() < 100 || check.expected_status() > 599))
        return invalid("status " + std::to_string(check.expected_status()) + " is not between 100 and 599",
            "health_check.expected_status", "0 accepts any 2xx");
    return {};
}

Expected<void> validate(const proto::Cluster& cluster) {
    if (auto result = requireText(cluster.cluster_id(), "cluster_id"); !result)
        return result;
    if (cluster.has_https_redirect_port())
        if (auto result = requirePort(cluster.https_redirect_port(), "https_redirect_port"); !result)
            return result;
    if (auto result = requireNoControl(cluster.www_authenticate(), "www_authenticate"); !result)
        return result;
    if (cluster.has_health_check())
        return validate(cluster.health_check());
    return {};
}

Expected<void> validate(const proto::RequestHttpFrontend& frontend, bool full) {
    if (frontend.has_cluster_id())
        if (auto result = requireText(frontend.cluster_id(), "cluster_id"); !result)
            return result;
    if (auto result = requireAddress(frontend.address(), "address"); !result)
        return result;
    if (auto result = requireHostname(frontend.hostname()); !result)
        return result;
    if (auto result = requirePath(frontend.path(), full); !result)
        return result;
    if (frontend.has_method() && !isToken(frontend.method()))
        return invalid("method is not a token", "method", "write GET, POST, ...");
    if (frontend.has_rewrite_port())
        if (auto result = requirePort(frontend.rewrite_port(), "rewrite_port"); !result)
            return result;
    if (auto result = requireNoControl(frontend.rewrite_host(), "rewrite_host"); !result)
        return result;
    if (auto result = requireNoControl(frontend.rewrite_path(), "rewrite_path"); !result)
        return result;
    for (const auto& header : frontend.headers()) {
        if (!isToken(header.key()))
            return invalid("field name is not a token", "headers");
        // A tab is allowed within a field value (RFC 9110 5.5).
        if (std::any_of(
                header.val().begin(), header.val().end(), [](char c) { return isControl(c) && c != '\t'; }))
            return invalid("field value contains a control character", "headers");
    }
    return {};
}

Expected<void> validate(const proto::RequestTcpFrontend& frontend) {
    return validatePlainFrontend(frontend);
}
Expected<void> validate(const proto::RequestUdpFrontend& frontend) {
    return validatePlainFrontend(frontend);
}

Expected<void> validate(const proto::AddBackend& backend) {
    if (auto result = requireText(backend.cluster_id(), "cluster_id"); !result)
        return result;
    if (auto result = requireText(backend.backend_id(), "backend_id"); !result)
        return result;
    if (auto result = requireAddress(backend.address(), "address"); !result)
        return result;
    if (backend.has_load_balancing_parameters() && backend.load_balancing_parameters().weight() < 0)
        return invalid(
            "weight " + std::to_string(backend.load_balancing_parameters().weight()) + " is negative",
            "load_balancing_parameters.weight");
    return {};
}

Expected<void> validate(const proto::HttpListenerConfig& listener, bool /*full*/) {
    return validateHttpCommon(listener);
}

Expected<void> validate(const proto::HttpsListenerConfig& listener, bool full) {
    if (auto result = validateHttpCommon(listener); !result)
        return result;
    if (listener.has_certificate() != listener.has_key())
        return invalid("a certificate and its key must be given together", "certificate");
    if (full && listener.has_certificate()) {
        proto::CertificateAndKey pair;
        pair.set_certificate(listener.certificate());
        *pair.mutable_certificate_chain() = listener.certificate_chain();
        pair.set_key(listener.key());
        if (const auto facts = inspectCertificate(pair); !facts)
            return failure(facts.error());
    }
    for (const auto& protocol : listener.alpn_protocols())
        if (protocol.empty() || protocol.size() > 255)
            return invalid("a protocol name has 1 to 255 bytes", "alpn_protocols");
    return {};
}

Expected<void> validate(const proto::TcpListenerConfig& listener, bool /*full*/) {
    return validateAddresses(listener);
}

Expected<void> validate(const proto::UdpListenerConfig& listener, bool /*full*/) {
    if (auto result = validateAddresses(listener); !result)
        return result;
    if (listener.max_rx_datagram_size() == 0 || listener.max_rx_datagram_size() > 65535)
        return invalid("datagram size is not between 1 and 65535", "max_rx_datagram_size");
    return {};
}

} // namespace yardmaster::state

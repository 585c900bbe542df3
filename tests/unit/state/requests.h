// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/protocol/command.pb.h"

#include <string>

/// Complete, valid requests to start a test from.
namespace yardmaster::test {

[[nodiscard]] proto::SocketAddress address(const std::string& text);

[[nodiscard]] proto::Request addCluster(const std::string& id);
[[nodiscard]] proto::Request removeCluster(const std::string& id);
[[nodiscard]] proto::Request addBackend(
    const std::string& cluster, const std::string& id, const std::string& at, int weight = 100);
[[nodiscard]] proto::Request removeBackend(
    const std::string& cluster, const std::string& id, const std::string& at);

[[nodiscard]] proto::Request addHttpFrontend(const std::string& cluster, const std::string& at,
    const std::string& host, const std::string& path = "/", proto::PathRuleKind kind = proto::PREFIX);
[[nodiscard]] proto::Request removeHttpFrontend(const proto::Request& added);
[[nodiscard]] proto::Request addTcpFrontend(const std::string& cluster, const std::string& at);
[[nodiscard]] proto::Request addUdpFrontend(const std::string& cluster, const std::string& at);

[[nodiscard]] proto::Request addListener(proto::ListenerType type, const std::string& at);
[[nodiscard]] proto::Request removeListener(proto::ListenerType type, const std::string& at);
[[nodiscard]] proto::Request activate(proto::ListenerType type, const std::string& at);
[[nodiscard]] proto::Request deactivate(proto::ListenerType type, const std::string& at);

[[nodiscard]] proto::Request addCertificate(
    const std::string& at, const proto::CertificateAndKey& certificate);
[[nodiscard]] proto::Request removeCertificate(const std::string& at, const std::string& fingerprint);
[[nodiscard]] proto::Request replaceCertificate(
    const std::string& at, const std::string& oldFingerprint, const proto::CertificateAndKey& certificate);

[[nodiscard]] proto::HealthCheckConfig healthCheck(const std::string& uri);

} // namespace yardmaster::test

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/protocol/command.pb.h"

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace yardmaster::test {

/// Random state requests of every kind over a small world of names and addresses, so that they meet:
/// additions of what exists, removals of what does not, and one in ten with a wrong field.
class RequestGenerator {
public:
    /// A certificate with its fingerprint.
    using Certificates = std::vector<std::pair<proto::CertificateAndKey, std::string>>;

    RequestGenerator(std::uint64_t seed, const Certificates& certificates)
        : m_random(seed)
        , m_certificates(certificates) { }

    [[nodiscard]] proto::Request next();
    [[nodiscard]] std::uint64_t number(std::uint64_t bound) { return m_random() % bound; }

private:
    bool chance(int percent) { return number(100) < static_cast<std::uint64_t>(percent); }
    std::string clusterId();
    std::string addressText(bool listener);
    proto::ListenerType listenerType() { return static_cast<proto::ListenerType>(number(4)); }

    proto::Request cluster();
    proto::Request backend();
    proto::Request httpFrontend();
    proto::Request plainFrontend();
    proto::Request listener();
    proto::Request listenerUpdate();
    proto::Request certificate();

    std::mt19937_64 m_random;
    const Certificates& m_certificates;
};

} // namespace yardmaster::test

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/protocol/objects.pb.h"

#include <string>
#include <vector>

namespace yardmaster::test {

/// A new self-signed certificate with an EC key; `dnsNames` become its subjectAltName, when there are any.
[[nodiscard]] proto::CertificateAndKey makeCertificate(
    const std::string& commonName, const std::vector<std::string>& dnsNames = {});

/// Hex SHA-256 of the DER, computed from OpenSSL's own digest of a certificate.
[[nodiscard]] std::string fingerprintOf(const proto::CertificateAndKey& certificate);

} // namespace yardmaster::test

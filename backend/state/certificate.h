// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/protocol/objects.pb.h"

#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::state {

/// Hex SHA-256 over the DER of the first certificate in `pem`; it is decoded from base64 but not parsed (a
/// few microseconds). InvalidArgument when there is no certificate in the text. Errors never contain the
/// text.
[[nodiscard]] Expected<std::string> certificateFingerprint(std::string_view pem);

struct CertificateFacts {
    std::string fingerprint;
    std::vector<std::string> names; ///< DNS names of the subjectAltName; the common name when there is none
    std::int64_t notAfterUnixS = 0;
};

/// The full check of a certificate before it is accepted: the leaf and the chain parse, the key parses and
/// belongs to the leaf. Costs about a millisecond.
[[nodiscard]] Expected<CertificateFacts> inspectCertificate(const proto::CertificateAndKey& certificate);

} // namespace yardmaster::state

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace yardmaster::http {

/// Appends "Date: Sun, 06 Nov 1994 08:49:37 GMT" and CRLF (IMF-fixdate, RFC 9110 5.6.7): the form that
/// writeOwnAnswer takes as extra field. Years 1 to 9999; the time is clamped to them.
void appendDateField(std::string& out, std::int64_t secondsSinceEpoch);

} // namespace yardmaster::http

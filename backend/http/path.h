// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"

#include <string>
#include <string_view>

namespace yardmaster::http {

/// The one form of a path that is both matched and forwarded (RFC 3986 6.2.2): unreserved characters decoded,
/// hex digits of what stays encoded in upper case, dot segments removed (encoded ones too), "//" collapsed
/// (before dot segments are resolved, as file systems do). Refused (InvalidArgument): a backslash, %5C, %2F,
/// %00, control bytes, a bad escape, a path that climbs above the root or does not begin with "/", a dot
/// segment with a parameter ("..;x"). "*" is returned as it is. A path that is normal already is returned
/// without a copy: `result` views `path` then, else `storage`.
[[nodiscard]] Expected<std::string_view> normalisePath(std::string_view path, std::string& storage);

/// Lower case, one trailing dot removed; InvalidArgument when empty or not a reg-name / IP literal.
[[nodiscard]] Expected<std::string_view> normaliseHost(std::string_view host, std::string& storage);

} // namespace yardmaster::http

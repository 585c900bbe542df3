// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"

#include <string>

namespace yardmaster::lab {

/// "60", "60s", "1.5m", "500ms", "2h" in seconds, more than 0. InvalidArgument.
[[nodiscard]] Expected<double> parseSeconds(const std::string& text);

/// Whole or not at all: a reader never sees half of it.
[[nodiscard]] Expected<void> writeFileAtomically(const std::string& path, const std::string& text);

} // namespace yardmaster::lab

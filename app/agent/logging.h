// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"

#include <string>

namespace yardmaster {

/// Makes the default logger: `target` is "stdout", "stderr" or "file:///path", `level` one of spdlog's names.
[[nodiscard]] Expected<void> openLog(const std::string& target, const std::string& level);

} // namespace yardmaster

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/state/config_state.h"

#include <cstddef>
#include <string>
#include <vector>

namespace yardmaster::agent {

/// Writes the whole state as Sozu 2.1's state file: records of JSON, each followed by a newline and a zero
/// byte. The file is written beside and moved into place when it is complete and on disk, and only its owner
/// may read it: it holds private keys. Returns the number of records.
[[nodiscard]] Expected<std::size_t> saveStateFile(const state::ConfigState& state, const std::string& path);

/// All requests of a state file, of Sozu's or our own. InvalidArgument names the first record that cannot be
/// read; nothing of the file is used then. Records may have any size.
[[nodiscard]] Expected<std::vector<proto::Request>> loadStateFile(const std::string& path);

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands.h"

#include "backend/agent/blocking_client.h"
#include "backend/protocol/command.pb.h"

#include <functional>
#include <nlohmann/json.hpp>

namespace yardmaster::ctl {

using Json = nlohmann::ordered_json;

/// Connects, asks, and hands an OK to `show`; says a FAILURE or a broken connection on stderr. The exit
/// status.
[[nodiscard]] int ask(const Options& options, const proto::Request& request,
    const std::function<void(const proto::Response&)>& show,
    const std::function<bool(const proto::Response&)>& progress = {});
/// As ask(), and a FAILURE is shown as well before it is said.
[[nodiscard]] int askJob(const Options& options, const proto::Request& request,
    const std::function<void(const proto::Response&)>& show);
/// Shows the final message only.
[[nodiscard]] int tell(const Options& options, const proto::Request& request);

void printJson(const Json& json);
/// A table with its columns aligned; the first row is the heading.
void printTable(const std::vector<std::vector<std::string>>& rows);

} // namespace yardmaster::ctl

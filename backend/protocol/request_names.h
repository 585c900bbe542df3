// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/protocol/address_text.h"
#include "backend/protocol/command.pb.h"

#include <string>
#include <string_view>

namespace yardmaster::protocol {

/// The name of a request's kind as Sozu writes it: "ADD_CLUSTER", "LIST_WORKERS"; "NONE" for an empty one.
[[nodiscard]] std::string_view requestName(proto::Request::RequestTypeCase kind);
[[nodiscard]] std::string_view requestName(const proto::Request& request);

/// One line for people, never with a secret (no key, no password hash): "add cluster web",
/// "add certificate for 127.0.0.1:443 (a.example)". Text that came from outside is cut to a sane length and
/// freed of control characters, so that a line in a log stays one line.
[[nodiscard]] std::string describeRequest(const proto::Request& request);

} // namespace yardmaster::protocol

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/protocol/command.pb.h"

namespace yardmaster::state {

/// What a request must look like before it may change a state, apart from what the state already holds. All
/// return InvalidArgument with the field in `where`. Nothing that could be smuggled into an HTTP head (CR,
/// LF, control characters) is let through. `full` false leaves out what is expensive (regular expressions,
/// certificates).
[[nodiscard]] Expected<void> validate(const proto::Cluster& cluster);
[[nodiscard]] Expected<void> validate(const proto::HealthCheckConfig& check);
[[nodiscard]] Expected<void> validate(const proto::RequestHttpFrontend& frontend, bool full);
[[nodiscard]] Expected<void> validate(const proto::RequestTcpFrontend& frontend);
[[nodiscard]] Expected<void> validate(const proto::RequestUdpFrontend& frontend);
[[nodiscard]] Expected<void> validate(const proto::AddBackend& backend);
[[nodiscard]] Expected<void> validate(const proto::HttpListenerConfig& listener, bool full);
[[nodiscard]] Expected<void> validate(const proto::HttpsListenerConfig& listener, bool full);
[[nodiscard]] Expected<void> validate(const proto::TcpListenerConfig& listener, bool full);
[[nodiscard]] Expected<void> validate(const proto::UdpListenerConfig& listener, bool full);

} // namespace yardmaster::state

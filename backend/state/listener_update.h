// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/protocol/command.pb.h"

#include <optional>

namespace yardmaster::state {

/// Puts what is present in an update into a listener; what is absent stays. Settings messages (answers,
/// limits, hsts) are merged field by field, lists and addresses are replaced. Unsupported when the update has
/// fields that we do not know (Sozu's HTTP/2 settings): nothing was changed then.
[[nodiscard]] Expected<void> merge(
    const proto::UpdateHttpListenerConfig& update, proto::HttpListenerConfig& listener);
[[nodiscard]] Expected<void> merge(
    const proto::UpdateHttpsListenerConfig& update, proto::HttpsListenerConfig& listener);
[[nodiscard]] Expected<void> merge(
    const proto::UpdateTcpListenerConfig& update, proto::TcpListenerConfig& listener);
[[nodiscard]] Expected<void> merge(
    const proto::UpdateUdpListenerConfig& update, proto::UdpListenerConfig& listener);

/// The update request that turns `from` into `to` (`active` aside), or nothing when an update cannot express
/// the difference: a field that was taken away, or one that updates do not have.
[[nodiscard]] std::optional<proto::Request> updateBetween(
    const proto::HttpListenerConfig& from, const proto::HttpListenerConfig& to);
[[nodiscard]] std::optional<proto::Request> updateBetween(
    const proto::HttpsListenerConfig& from, const proto::HttpsListenerConfig& to);
[[nodiscard]] std::optional<proto::Request> updateBetween(
    const proto::TcpListenerConfig& from, const proto::TcpListenerConfig& to);
[[nodiscard]] std::optional<proto::Request> updateBetween(
    const proto::UdpListenerConfig& from, const proto::UdpListenerConfig& to);

} // namespace yardmaster::state

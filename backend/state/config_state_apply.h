// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/state/config_state.h"

namespace yardmaster::state {

/// One call per kind of state request. Each first finds out whether the change is possible and only then
/// changes anything.
struct ConfigState::Applier {
    ConfigState& state;
    Checks checks;

    Expected<void> addCluster(const proto::Cluster& cluster);
    Expected<void> removeCluster(const std::string& clusterId);
    Expected<void> setHealthCheck(const proto::SetHealthCheck& request);
    Expected<void> removeHealthCheck(const std::string& clusterId);

    Expected<void> addBackend(const proto::AddBackend& backend);
    Expected<void> removeBackend(const proto::RemoveBackend& backend);

    Expected<void> addFrontend(FrontendMap& map, const proto::RequestHttpFrontend& frontend);
    static Expected<void> removeFrontend(FrontendMap& map, const proto::RequestHttpFrontend& frontend);
    template <typename Map, typename Frontend>
    static Expected<void> addPlainFrontend(Map& map, const Frontend& frontend);
    template <typename Map, typename Frontend>
    static Expected<void> removePlainFrontend(Map& map, const Frontend& frontend);

    template <typename Map, typename Listener>
    Expected<void> addListener(Map& map, const Listener& listener);
    template <typename Map, typename Update>
    Expected<void> updateListener(Map& map, const Update& update);
    Expected<void> removeListener(const proto::RemoveListener& request);
    Expected<void> setActive(const proto::SocketAddress& address, proto::ListenerType type, bool active);

    Expected<void> addCertificate(const proto::AddCertificate& request);
    Expected<void> replaceCertificate(const proto::ReplaceCertificate& request);
    Expected<void> removeCertificate(const proto::RemoveCertificate& request);

    Expected<void> dispatch(const proto::Request& request);
};

} // namespace yardmaster::state

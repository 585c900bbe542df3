// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/io/event_loop.h"
#include "backend/metrics/metrics_page.h"
#include "backend/protocol/command.pb.h"
#include "backend/worker/cluster.h"
#include "backend/worker/listener.h"
#include "backend/worker/session.h"
#include "backend/worker/upstream_connection.h"
#include "backend/state/config_state.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace yardmaster::worker {

class AccessLog;

/// The data plane of one worker: listeners, routes, sessions, connections to backends, and the drain that
/// ends them.
class Proxy {
public:
    Proxy(io::EventLoop& loop, metrics::MetricsPage& page);
    ~Proxy();

    /// Changes the configuration; routes follow at the end of the batch.
    [[nodiscard]] Expected<void> apply(const proto::Request& request, state::ConfigState::Checks checks);
    [[nodiscard]] const state::ConfigState& state() const { return m_state; }
    void setRevision(std::uint64_t revision);
    [[nodiscard]] std::uint64_t revision() const { return m_revision; }

    /// A listening socket for an address of the configuration; kept until that listener is deactivated or
    /// removed.
    void addListeningSocket(const std::string& address, proto::ListenerType type, UniqueFd fd);
    /// Builds routes and accepts on each active listener. NotFound when one has no socket.
    [[nodiscard]] Expected<void> refresh();
    [[nodiscard]] std::vector<const Listener*> listeners() const;

    void setAccessLog(AccessLog* log) { m_context.accessLog = log; }
    void setLimits(std::uint32_t maxConnections, std::uint32_t idlePerBackend);
    void onFirstRequest(std::function<void()> notify) { m_notifyFirstRequest = std::move(notify); }

    void startDrain(std::int64_t deadlineNs, std::int64_t quietNs);
    [[nodiscard]] bool isDraining() const { return m_drainDeadlineNs.has_value(); }
    [[nodiscard]] bool isDrained() const { return isDraining() && m_sessions.empty(); }
    [[nodiscard]] proto::DrainReport drainReport() const;

    void onTick();
    void onBatchEnd();

    // For sessions.
    void sessionEnded(Session& session);
    void noteFirstRequest();
    void nextRequestId(std::string& out);
    [[nodiscard]] metrics::MetricsBlock& metricsOf(Cluster& cluster);

private:
    void accept(UniqueFd fd, Listener& listener);
    void updateClusters();
    [[nodiscard]] const std::shared_ptr<Cluster>& clusterFor(const std::string& id);
    [[nodiscard]] std::shared_ptr<const RouteTable> buildRoutes(const state::SocketAddress& address);
    void limitAccepting();
    void retire(std::unique_ptr<Listener>& listener);

    io::EventLoop& m_loop;
    metrics::MetricsPage& m_page;
    metrics::MetricsBlock& m_metrics;
    state::ConfigState m_state;
    std::uint64_t m_revision = 0;
    bool m_stateChanged = true;
    bool m_listenersChanged = true;
    std::set<std::string> m_changedClusters; ///< ids
    std::set<std::string> m_changedRoutes; ///< listener addresses

    UpstreamPool m_pool;
    Balancer m_balancer;
    SessionContext m_context;
    std::map<std::string, std::shared_ptr<Cluster>> m_clusters;
    std::map<std::string, std::unique_ptr<Listener>> m_listeners;
    std::vector<std::unique_ptr<Listener>> m_endedListeners; ///< events of this batch may still name them
    std::vector<std::unique_ptr<Session>> m_sessions;
    std::vector<std::unique_ptr<Session>> m_ended;
    std::uint32_t m_maxConnections = 10'000;
    bool m_isAtLimit = false;

    std::optional<std::int64_t> m_drainDeadlineNs;
    std::uint64_t m_drained = 0, m_closedIdle = 0, m_cut = 0;
    std::vector<std::string> m_stragglers;

    std::function<void()> m_notifyFirstRequest;
    std::uint64_t m_requestIdState[2];
};

} // namespace yardmaster::worker

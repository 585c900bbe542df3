// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/proxy.h"

#include "backend/state/socket_address.h"

#include <algorithm>
#include <random>
#include <span>

namespace yardmaster::worker {

namespace {

constexpr std::size_t mostStragglersListed = 20;

std::string textOf(const proto::SocketAddress& wire) {
    const auto address = state::SocketAddress::fromProto(wire);
    return address ? address->toString() : std::string();
}

} // namespace

Proxy::Proxy(io::EventLoop& loop, metrics::MetricsPage& page)
    : m_loop(loop)
    , m_page(page)
    , m_metrics(page.layout().worker)
    , m_pool(loop, m_metrics)
    , m_balancer(std::random_device{}())
    , m_context{loop, *this, m_pool, m_balancer, m_metrics} {
    std::random_device random;
    for (std::uint64_t& half : m_requestIdState)
        half = (static_cast<std::uint64_t>(random()) << 32) | random() | 1;
}

Proxy::~Proxy() {
    m_listeners.clear();
    m_endedListeners.clear();
    // Ending, a session takes itself out of the list: it must not find the one that is being destroyed.
    auto sessions = std::move(m_sessions);
    m_sessions.clear();
    sessions.clear();
    m_ended.clear();
}

Expected<void> Proxy::apply(const proto::Request& request, state::ConfigState::Checks checks) {
    auto applied = m_state.apply(request, checks);
    if (!applied)
        return applied;
    m_stateChanged = true;
    switch (request.request_type_case()) {
    case proto::Request::kAddCluster:
        m_changedClusters.insert(request.add_cluster().cluster_id());
        break;
    case proto::Request::kRemoveCluster:
        m_changedClusters.insert(request.remove_cluster());
        break;
    case proto::Request::kAddBackend:
        m_changedClusters.insert(request.add_backend().cluster_id());
        break;
    case proto::Request::kRemoveBackend:
        m_changedClusters.insert(request.remove_backend().cluster_id());
        break;
    case proto::Request::kAddHttpFrontend:
        m_changedRoutes.insert(textOf(request.add_http_frontend().address()));
        break;
    case proto::Request::kRemoveHttpFrontend:
        m_changedRoutes.insert(textOf(request.remove_http_frontend().address()));
        break;
    default:
        m_listenersChanged = true;
        break;
    }
    return applied;
}

void Proxy::setRevision(std::uint64_t revision) {
    m_revision = revision;
    m_metrics.set(metrics::Gauge::Revision, revision);
}

void Proxy::addListeningSocket(const std::string& address, proto::ListenerType type, UniqueFd fd) {
    // No change of the state by itself: the activation that follows is. A refresh between the two would take
    // the socket for one whose listener was deactivated, and close it.
    auto listener = std::make_unique<Listener>(m_loop, std::move(fd), address,
        [this](UniqueFd client, Listener& from) { accept(std::move(client), from); });
    listener->type = type;
    auto& place = m_listeners[address];
    if (place)
        listener->slot = place->slot;
    retire(place);
    place = std::move(listener);
}

void Proxy::retire(std::unique_ptr<Listener>& listener) {
    if (!listener)
        return;
    listener->stopAccepting();
    m_endedListeners.push_back(std::move(listener));
}

const std::shared_ptr<Cluster>& Proxy::clusterFor(const std::string& id) {
    auto& cluster = m_clusters[id];
    if (!cluster) {
        cluster = std::make_shared<Cluster>();
        cluster->id = id;
    }
    return cluster;
}

void Proxy::updateClusters() {
    for (const std::string& id : m_changedClusters) {
        const auto configuration = m_state.clusters().find(id);
        const auto backends = m_state.backends().find(id);
        const bool isConfigured = configuration != m_state.clusters().end();
        std::span<const proto::AddBackend> wanted;
        if (isConfigured && backends != m_state.backends().end())
            wanted = backends->second;
        // A frontend may name a cluster that is not there (yet): it stays, as one without a backend.
        const std::shared_ptr<Cluster>& cluster = clusterFor(id);
        const auto before = cluster->backends;
        cluster->update(isConfigured ? &configuration->second : nullptr, wanted);
        for (const auto& backend : before) {
            if (backend->isRemoved)
                m_pool.closeIdle(*backend);
        }
        if (!isConfigured && cluster.use_count() == 1)
            m_clusters.erase(id);
    }
    m_changedClusters.clear();
}

std::shared_ptr<const RouteTable> Proxy::buildRoutes(const state::SocketAddress& address) {
    auto routes = std::make_shared<RouteTable>();
    for (const auto& [key, frontend] : m_state.httpFrontends()) {
        const auto own = state::SocketAddress::fromProto(frontend.address());
        if (own && *own == address)
            routes->add(frontend, frontend.has_cluster_id() ? clusterFor(frontend.cluster_id()) : nullptr);
    }
    routes->finish();
    return routes;
}

Expected<void> Proxy::refresh() {
    if (!std::exchange(m_stateChanged, false))
        return {};
    // What has not changed is not built anew: a state may hold a hundred thousand objects.
    updateClusters();
    const bool listenersChanged = std::exchange(m_listenersChanged, false);
    const auto changedRoutes = std::exchange(m_changedRoutes, {});
    Expected<void> result;
    for (const auto& [address, config] : m_state.httpListeners()) {
        const std::string text = address.toString();
        const auto found = m_listeners.find(text);
        if (!config.active()) {
            if (found != m_listeners.end()) {
                retire(found->second);
                m_listeners.erase(found);
            }
            continue;
        }
        if (isDraining())
            continue;
        if (found == m_listeners.end()) {
            result = failure(Error::Code::NotFound, "no listening socket was handed over", text);
            continue;
        }
        Listener& listener = *found->second;
        auto& current = listener.slot->settings;
        const bool routesChanged = changedRoutes.contains(text) || !current;
        if (listenersChanged || routesChanged) {
            auto settings = ListenerSettings::fromConfig(config, text);
            settings->routes = routesChanged ? buildRoutes(address) : current->routes;
            current = std::move(settings);
        }
        if (auto started = m_isAtLimit ? Expected<void>() : listener.startAccepting(); !started)
            result = started;
    }
    for (auto entry = m_listeners.begin(); entry != m_listeners.end();) {
        const auto address = state::SocketAddress::parse(entry->first);
        const bool isGone =
            entry->second->type == proto::HTTP && (!address || !m_state.httpListeners().contains(*address));
        if (isGone)
            retire(entry->second);
        entry = isGone ? m_listeners.erase(entry) : std::next(entry);
    }
    return result;
}

std::vector<const Listener*> Proxy::listeners() const {
    std::vector<const Listener*> all;
    for (const auto& [address, listener] : m_listeners)
        all.push_back(listener.get());
    return all;
}

void Proxy::setLimits(std::uint32_t maxConnections, std::uint32_t idlePerBackend) {
    if (maxConnections > 0)
        m_maxConnections = maxConnections;
    if (idlePerBackend > 0)
        m_pool.setIdleLimit(idlePerBackend);
}

void Proxy::accept(UniqueFd fd, Listener& listener) {
    auto session = std::make_unique<Session>(m_context, std::move(fd), listener.slot);
    session->index = m_sessions.size();
    m_sessions.push_back(std::move(session));
    if (auto started = m_sessions.back()->start(); !started)
        m_sessions.back()->cut();
    limitAccepting();
}

void Proxy::limitAccepting() {
    // Beyond the limit new connections wait in the shared queue, where another worker may take them.
    const bool atLimit = m_sessions.size() >= m_maxConnections;
    if (atLimit == m_isAtLimit || isDraining())
        return;
    m_isAtLimit = atLimit;
    for (const auto& [address, listener] : m_listeners) {
        if (atLimit)
            listener->stopAccepting();
        else if (listener->slot->settings)
            (void)listener->startAccepting();
    }
}

void Proxy::sessionEnded(Session& session) {
    if (session.index >= m_sessions.size() || m_sessions[session.index].get() != &session)
        return; // while the proxy itself goes
    if (isDraining())
        ++(session.wasClosedIdle() ? m_closedIdle : m_drained);
    m_ended.push_back(std::move(m_sessions[session.index]));
    if (session.index + 1 < m_sessions.size()) {
        m_sessions[session.index] = std::move(m_sessions.back());
        m_sessions[session.index]->index = session.index;
    }
    m_sessions.pop_back();
}

void Proxy::startDrain(std::int64_t deadlineNs, std::int64_t quietNs) {
    if (isDraining())
        return;
    m_drainDeadlineNs = m_loop.nowNs() + deadlineNs;
    m_metrics.set(metrics::Gauge::Draining, 1);
    for (auto& [address, listener] : m_listeners)
        retire(listener);
    m_listeners.clear();
    for (const auto& session : m_sessions)
        session->beginDrain(quietNs);
}

proto::DrainReport Proxy::drainReport() const {
    proto::DrainReport report;
    report.set_open_connections(m_sessions.size());
    report.set_requests_in_flight(static_cast<std::uint64_t>(
        std::count_if(m_sessions.begin(), m_sessions.end(), [](const auto& s) { return s->hasRequest(); })));
    report.set_drained(m_drained);
    report.set_closed_idle(m_closedIdle);
    report.set_cut(m_cut);
    report.set_deadline_ns(m_drainDeadlineNs.value_or(0));
    if (m_cut > 0) {
        for (const std::string& straggler : m_stragglers)
            report.add_stragglers(straggler);
    } else {
        for (std::size_t at = 0; at < std::min(m_sessions.size(), mostStragglersListed); ++at)
            report.add_stragglers(m_sessions[at]->describe(m_loop.nowNs()));
    }
    return report;
}

void Proxy::onTick() {
    const std::int64_t nowNs = m_loop.nowNs();
    // Backwards: a session that ends is replaced by the last one, which was looked at already.
    for (std::size_t at = m_sessions.size(); at-- > 0;) {
        if (at < m_sessions.size())
            m_sessions[at]->onTick(nowNs);
    }
    m_pool.onTick(nowNs);
    for (const auto& [address, listener] : m_listeners)
        listener->retryAccepting();
    if (m_drainDeadlineNs && nowNs >= *m_drainDeadlineNs && !m_sessions.empty()) {
        for (std::size_t at = 0; at < std::min(m_sessions.size(), mostStragglersListed); ++at)
            m_stragglers.push_back(m_sessions[at]->describe(nowNs));
        m_cut = m_sessions.size();
        const std::uint64_t drained = m_drained, closedIdle = m_closedIdle;
        while (!m_sessions.empty())
            m_sessions.back()->cut();
        m_drained = drained;
        m_closedIdle = closedIdle;
    }
}

void Proxy::onBatchEnd() {
    m_ended.clear();
    m_endedListeners.clear();
    m_pool.onBatchEnd();
    if (m_isAtLimit)
        limitAccepting();
}

metrics::MetricsBlock& Proxy::metricsOf(Cluster& cluster) {
    // Taken at the first request: the page has room for 256 clusters, the state may name many more.
    if (!cluster.metrics)
        cluster.metrics = &m_page.clusterBlock(cluster.id);
    return *cluster.metrics;
}

void Proxy::noteFirstRequest() {
    if (m_notifyFirstRequest)
        std::exchange(m_notifyFirstRequest, nullptr)();
}

void Proxy::nextRequestId(std::string& out) {
    // xorshift128+: unique enough across workers and restarts to find one request in logs; no secret.
    std::uint64_t a = m_requestIdState[0];
    const std::uint64_t b = m_requestIdState[1];
    m_requestIdState[0] = b;
    a ^= a << 23;
    m_requestIdState[1] = a ^ b ^ (a >> 18) ^ (b >> 5);
    std::uint64_t value = m_requestIdState[1] + b;
    static constexpr char digits[] = "0123456789abcdef";
    out.resize(16);
    for (char& digit : out) {
        digit = digits[value & 15];
        value >>= 4;
    }
}

} // namespace yardmaster::worker

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/sozu_session.h"

#include "backend/base/monotonic_clock.h"
#include "backend/protocol/address_text.h"

namespace yardmaster::control {

namespace {

struct KindText {
    proto::EventKind kind;
    EventSeverity severity;
    const char* name;
    const char* text;
};
constexpr KindText kinds[] = {
    {proto::BACKEND_DOWN, EventSeverity::Warning, "backend_down", "A backend is down"},
    {proto::BACKEND_UP, EventSeverity::Ok, "backend_up", "A backend is up"},
    {proto::NO_AVAILABLE_BACKENDS, EventSeverity::Error, "no_available_backends", "No backend is available"},
    {proto::REMOVED_BACKEND_HAS_NO_CONNECTIONS, EventSeverity::Info, "backend_drained",
        "A removed backend has no connection left"},
    {proto::CLUSTER_ADDED, EventSeverity::Info, "cluster_added", "A cluster was added"},
    {proto::CLUSTER_REMOVED, EventSeverity::Info, "cluster_removed", "A cluster was removed"},
    {proto::FRONTEND_ADDED, EventSeverity::Info, "frontend_added", "A frontend was added"},
    {proto::FRONTEND_REMOVED, EventSeverity::Info, "frontend_removed", "A frontend was removed"},
    {proto::CERTIFICATE_ADDED, EventSeverity::Info, "certificate_added", "A certificate was added"},
    {proto::CERTIFICATE_REMOVED, EventSeverity::Info, "certificate_removed", "A certificate was removed"},
    {proto::CERTIFICATE_REPLACED, EventSeverity::Info, "certificate_replaced", "A certificate was replaced"},
    {proto::LISTENER_ACTIVATED, EventSeverity::Info, "listener_activated", "A listener was activated"},
    {proto::LISTENER_DEACTIVATED, EventSeverity::Info, "listener_deactivated", "A listener was deactivated"},
    {proto::CONFIGURATION_RELOADED, EventSeverity::Info, "configuration_reloaded",
        "The configuration was reloaded"},
    {proto::WORKER_KILLED, EventSeverity::Error, "worker_killed", "A worker was killed"},
    {proto::WORKER_RELAUNCHED, EventSeverity::Info, "worker_relaunched", "A worker was launched again"},
    {proto::LOGGING_LEVEL_CHANGED, EventSeverity::Info, "log_level_changed", "The log level was changed"},
    {proto::METRICS_CONFIGURED, EventSeverity::Info, "metrics_configured", "The metrics were configured"},
    {proto::LISTENER_UPDATED, EventSeverity::Info, "listener_updated", "A listener was updated"},
    {proto::STATE_LOADED, EventSeverity::Info, "state_loaded", "A state was loaded"},
    {proto::STATE_SAVED, EventSeverity::Info, "state_saved", "The state was saved"},
    {proto::LISTENER_ADDED, EventSeverity::Info, "listener_added", "A listener was added"},
    {proto::LISTENER_REMOVED, EventSeverity::Info, "listener_removed", "A listener was removed"},
    {proto::STOP_REQUESTED, EventSeverity::Warning, "stop_requested", "A stop was requested"},
    {proto::MAIN_UPGRADED, EventSeverity::Info, "main_upgraded", "The main process was asked to upgrade"},
    {proto::WORKER_UPGRADED, EventSeverity::Info, "worker_upgraded", "A worker was asked to upgrade"},
    {proto::EVENTS_SUBSCRIBED, EventSeverity::Info, "events_subscribed", "A client follows the events"},
    {proto::HEALTH_CHECK_HEALTHY, EventSeverity::Ok, "health_check_healthy",
        "A backend passes its health check"},
    {proto::HEALTH_CHECK_UNHEALTHY, EventSeverity::Warning, "health_check_unhealthy",
        "A backend fails its health check"},
    {proto::CLUSTER_RECOVERED, EventSeverity::Ok, "cluster_recovered", "A cluster has recovered"},
    {proto::METRIC_DETAIL_CHANGED, EventSeverity::Info, "metric_detail_changed",
        "The detail of metrics was changed"},
};

} // namespace

Event sozuEventOf(const proto::Event& event, const std::string& from) {
    Event result;
    result.unixNs = unixNowNs(); // Sozu's events have no time of their own
    result.kind = QStringLiteral("sozu_event");
    result.text = QStringLiteral("Event %1").arg(static_cast<int>(event.kind()));
    for (const KindText& known : kinds) {
        if (known.kind != event.kind())
            continue;
        result.severity = known.severity;
        result.kind = QString::fromLatin1(known.name);
        result.text = QString::fromLatin1(known.text);
    }
    QStringList details;
    if (event.has_cluster_id())
        details.append(QStringLiteral("cluster ") + QString::fromStdString(event.cluster_id()));
    if (event.has_backend_id())
        details.append(QStringLiteral("backend ") + QString::fromStdString(event.backend_id()));
    if (event.has_address())
        details.append(QString::fromStdString(protocol::addressText(event.address())));
    if (!details.isEmpty())
        result.text += QStringLiteral(": ") + details.join(QStringLiteral(", "));
    bool isNumber = false;
    const std::uint32_t worker = QString::fromStdString(from).toUInt(&isNumber);
    if (isNumber)
        result.workerId = worker;
    return result;
}

} // namespace yardmaster::control

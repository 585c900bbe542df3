// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sozu's event stream: PROCESSING after PROCESSING, never an end; the message names the worker or "main".
#include "backend/agent/request_router.h"

namespace yardmaster::agent {

namespace {

/// Marks a session that has a subscription already, and carries its connection to the log.
class EventSubscription : public QObject {
public:
    using QObject::QObject;
};

void sendEvent(ClientSession& session, const proto::Event& event) {
    if (session.isBehind()) {
        // Events must not be left out silently.
        session.close();
        return;
    }
    proto::Response response;
    response.set_status(proto::PROCESSING);
    response.set_message(
        event.agent_event().has_worker_id() ? std::to_string(event.agent_event().worker_id()) : "main");
    *response.mutable_content()->mutable_event() = event;
    session.send(std::move(response));
}

} // namespace

void answerSubscribeEvents(AgentParts& parts, const ReplyPtr& reply) {
    ClientSession* session = reply->session();
    if (!session)
        return;
    reply->becomeStream();
    const QString name = QStringLiteral("event-subscription");
    if (!session->findChild<QObject*>(name)) {
        auto* subscription = new EventSubscription(session);
        subscription->setObjectName(name);
        QObject::connect(&parts.events, &EventLog::addedForSozu, subscription,
            [session](const proto::Event& event) { sendEvent(*session, event); });
    }
    EventLog::Entry entry{proto::SEVERITY_INFO, "events_subscribed", "A client follows the events", {}, {},
        reply->actor(), proto::Event()};
    entry.sozu->set_kind(proto::EVENTS_SUBSCRIBED);
    parts.events.add(std::move(entry));
}

} // namespace yardmaster::agent

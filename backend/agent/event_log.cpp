// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/event_log.h"

#include "backend/base/monotonic_clock.h"

#include <spdlog/spdlog.h>

namespace yardmaster::agent {

namespace {

constexpr std::size_t keptEvents = 1000;

spdlog::level::level_enum logLevel(proto::Severity severity) {
    switch (severity) {
    case proto::SEVERITY_ERROR:
        return spdlog::level::err;
    case proto::SEVERITY_WARNING:
        return spdlog::level::warn;
    default:
        return spdlog::level::info;
    }
}

} // namespace

void EventLog::add(Entry entry) {
    if (entry.actor.empty())
        spdlog::log(logLevel(entry.severity), "{}: {}", entry.kind, entry.text);
    else
        spdlog::log(logLevel(entry.severity), "{}: {} [{}]", entry.kind, entry.text, entry.actor);

    proto::AgentEvent event;
    event.set_sequence(++m_lastSequence);
    event.set_unix_ns(unixNowNs());
    event.set_monotonic_ns(monotonicNowNs());
    event.set_severity(entry.severity);
    event.set_kind(std::move(entry.kind));
    event.set_text(std::move(entry.text));
    if (entry.workerId)
        event.set_worker_id(*entry.workerId);
    if (entry.pid)
        event.set_pid(*entry.pid);
    if (!entry.actor.empty())
        event.set_actor(std::move(entry.actor));
    m_events.push_back(event);
    if (m_events.size() > keptEvents)
        m_events.pop_front();
    emit added(event);
    if (entry.sozu) {
        *entry.sozu->mutable_agent_event() = event;
        emit addedForSozu(*entry.sozu);
    }
}

std::vector<proto::AgentEvent> EventLog::since(std::uint64_t after, std::size_t count) const {
    std::vector<proto::AgentEvent> events;
    for (auto event = m_events.rbegin(); event != m_events.rend() && events.size() < count; ++event) {
        if (event->sequence() <= after)
            break;
        events.push_back(*event);
    }
    return {events.rbegin(), events.rend()};
}

} // namespace yardmaster::agent

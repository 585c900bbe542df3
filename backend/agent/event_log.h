// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/protocol/command.pb.h"

#include <QObject>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace yardmaster::agent {

/// What happened, for people: the last thousand events, numbered from 1. Each is also written to the log.
class EventLog : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// An event as it is being reported; `sozu` is set when Sozu's protocol has a kind for it.
    struct Entry {
        proto::Severity severity = proto::SEVERITY_INFO;
        std::string kind; ///< "worker_ready", "upgrade_started", ...
        std::string text;
        std::optional<std::uint32_t> workerId;
        std::optional<std::int32_t> pid;
        std::string actor; ///< who asked, PeerCredentials::describe()
        std::optional<proto::Event> sozu;
    };
    void add(Entry entry);

    /// At most `count` of those with a sequence above `after`, oldest first.
    [[nodiscard]] std::vector<proto::AgentEvent> since(std::uint64_t after, std::size_t count) const;
    [[nodiscard]] std::uint64_t lastSequence() const { return m_lastSequence; }

signals:
    void added(const yardmaster::proto::AgentEvent& event);
    /// Only for events that Sozu's protocol has; `agent_event` (field 1000) is set.
    void addedForSozu(const yardmaster::proto::Event& event);

private:
    std::deque<proto::AgentEvent> m_events;
    std::uint64_t m_lastSequence = 0;
};

} // namespace yardmaster::agent

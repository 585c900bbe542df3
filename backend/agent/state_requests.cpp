// SPDX-License-Identifier: GPL-3.0-or-later
//
// Requests that change the state: single ones, and the configuration file read again.
#include "backend/agent/request_router.h"
#include "backend/agent/state_file.h"
#include "backend/protocol/request_names.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace yardmaster::agent {

namespace {

std::optional<proto::EventKind> eventKind(const proto::Request& request) {
    switch (request.request_type_case()) {
    case proto::Request::kAddCluster:
        return proto::CLUSTER_ADDED;
    case proto::Request::kRemoveCluster:
        return proto::CLUSTER_REMOVED;
    case proto::Request::kAddHttpFrontend:
    case proto::Request::kAddHttpsFrontend:
    case proto::Request::kAddTcpFrontend:
    case proto::Request::kAddUdpFrontend:
        return proto::FRONTEND_ADDED;
    case proto::Request::kRemoveHttpFrontend:
    case proto::Request::kRemoveHttpsFrontend:
    case proto::Request::kRemoveTcpFrontend:
    case proto::Request::kRemoveUdpFrontend:
        return proto::FRONTEND_REMOVED;
    case proto::Request::kAddCertificate:
        return proto::CERTIFICATE_ADDED;
    case proto::Request::kRemoveCertificate:
        return proto::CERTIFICATE_REMOVED;
    case proto::Request::kReplaceCertificate:
        return proto::CERTIFICATE_REPLACED;
    case proto::Request::kAddHttpListener:
    case proto::Request::kAddHttpsListener:
    case proto::Request::kAddTcpListener:
    case proto::Request::kAddUdpListener:
        return proto::LISTENER_ADDED;
    case proto::Request::kRemoveListener:
        return proto::LISTENER_REMOVED;
    case proto::Request::kActivateListener:
        return proto::LISTENER_ACTIVATED;
    case proto::Request::kDeactivateListener:
        return proto::LISTENER_DEACTIVATED;
    case proto::Request::kUpdateHttpListener:
    case proto::Request::kUpdateHttpsListener:
    case proto::Request::kUpdateTcpListener:
    case proto::Request::kUpdateUdpListener:
        return proto::LISTENER_UPDATED;
    default:
        return std::nullopt;
    }
}

void noteChange(AgentParts& parts, const proto::Request& request, const std::string& actor,
    const Expected<void>& result) {
    EventLog::Entry entry{
        proto::SEVERITY_INFO, "state_changed", protocol::describeRequest(request), {}, {}, actor, {}};
    if (!result) {
        entry.severity = proto::SEVERITY_WARNING;
        entry.kind = "state_change_failed";
        entry.text += ": " + result.error().toString();
    } else if (const auto kind = eventKind(request)) {
        entry.sozu.emplace();
        entry.sozu->set_kind(*kind);
        if (request.has_add_cluster())
            entry.sozu->set_cluster_id(request.add_cluster().cluster_id());
        else if (request.has_remove_cluster())
            entry.sozu->set_cluster_id(request.remove_cluster());
    }
    parts.events.add(std::move(entry));
}

/// Applies requests in order; some thousand are under way at once, so that a large file does not cost a round
/// trip to the workers for each.
class Sequence : public std::enable_shared_from_this<Sequence> {
public:
    using Done = std::function<void(std::size_t applied, const std::vector<std::string>& errors)>;
    Sequence(AgentParts& parts, std::vector<proto::Request> requests, Done done)
        : m_parts(parts)
        , m_requests(std::move(requests))
        , m_done(std::move(done)) { }

    void run() {
        while (m_next < m_requests.size() && m_next - m_answered < underWay) {
            const proto::Request& request = m_requests[m_next++];
            m_parts.changes.apply(request, [self = shared_from_this(), &request](Expected<void> result) {
                if (!result)
                    self->m_errors.push_back(
                        protocol::describeRequest(request) + ": " + result.error().toString());
                ++self->m_answered;
                self->runSoon();
            });
        }
        if (m_answered == m_requests.size() && !m_isDone) {
            m_isDone = true;
            m_done(m_requests.size() - m_errors.size(), m_errors);
        }
    }

private:
    /// A worker rebuilds its routes once for all it finds waiting: fewer, larger batches are much cheaper.
    static constexpr std::size_t underWay = 4096;

    /// From the event loop, once for all answers that came meanwhile.
    void runSoon() {
        if (std::exchange(m_isScheduled, true))
            return;
        QMetaObject::invokeMethod(
            &m_parts.events,
            [self = shared_from_this()] {
                self->m_isScheduled = false;
                self->run();
            },
            Qt::QueuedConnection);
    }

    AgentParts& m_parts;
    std::vector<proto::Request> m_requests;
    Done m_done;
    std::size_t m_next = 0;
    std::size_t m_answered = 0;
    bool m_isScheduled = false;
    bool m_isDone = false;
    std::vector<std::string> m_errors;
};

std::string join(const std::vector<std::string>& lines) {
    constexpr std::size_t shown = 20;
    std::string text;
    for (std::size_t index = 0; index < std::min(lines.size(), shown); ++index)
        text += "\n" + lines[index];
    if (lines.size() > shown)
        text += "\nand " + std::to_string(lines.size() - shown) + " more";
    return text;
}

} // namespace

void answerStateRequest(AgentParts& parts, const proto::Request& request, const ReplyPtr& reply) {
    if (!state::ConfigState::isStateRequest(request)) {
        reply->fail(std::string(protocol::requestName(request)) + " is not served by this agent");
        return;
    }
    parts.changes.apply(request, [&parts, request, reply](Expected<void> result) {
        noteChange(parts, request, reply->actor(), result);
        if (result)
            reply->ok("Successfully applied request to all workers");
        else
            reply->fail(result.error());
    });
}

void answerReload(AgentParts& parts, const std::string& path, const ReplyPtr& reply) {
    const std::string file = path.empty() ? parts.configFile : path;
    const ConfigResult result = readAgentConfig(file, parts.programDirectory);
    if (!result.mistakes.empty()) {
        std::vector<std::string> lines;
        for (const ConfigMistake& mistake : result.mistakes)
            lines.push_back(mistake.toString(file));
        reply->fail("the configuration has mistakes; nothing was changed:" + join(lines));
        return;
    }
    // As Sozu: what the file has is added or replaced, and nothing is removed.
    state::ConfigState target = parts.store.state();
    for (const proto::Request& request : result.config.requests) {
        if (auto applied = target.apply(request);
            !applied && applied.error().code != Error::Code::AlreadyExists) {
            reply->fail("the configuration does not fit the state; nothing was changed: "
                + applied.error().toString());
            return;
        }
    }
    auto sequence = std::make_shared<Sequence>(parts, parts.store.state().diff(target),
        [&parts, reply, file](std::size_t applied, const auto& errors) {
            EventLog::Entry entry{errors.empty() ? proto::SEVERITY_OK : proto::SEVERITY_ERROR,
                "configuration_reloaded",
                file + ": " + std::to_string(applied) + " changes, " + std::to_string(errors.size())
                    + " errors",
                {}, {}, reply->actor(), proto::Event()};
            entry.sozu->set_kind(proto::CONFIGURATION_RELOADED);
            parts.events.add(std::move(entry));
            if (errors.empty())
                reply->ok("Reloaded " + file + ": " + std::to_string(applied) + " changes");
            else
                reply->fail(std::to_string(applied) + " changes, " + std::to_string(errors.size())
                    + " errors:" + join(errors));
        });
    sequence->run();
}

void answerSaveState(AgentParts& parts, const std::string& path, const ReplyPtr& reply) {
    const auto saved = saveStateFile(parts.store.state(), path);
    EventLog::Entry entry{saved ? proto::SEVERITY_OK : proto::SEVERITY_ERROR, "state_saved", {}, {}, {},
        reply->actor(), proto::Event()};
    entry.text = saved ? std::to_string(*saved) + " records to " + path : saved.error().toString();
    entry.sozu->set_kind(proto::STATE_SAVED);
    parts.events.add(std::move(entry));
    if (saved)
        reply->ok("Saved " + std::to_string(*saved) + " config messages to " + path);
    else
        reply->fail(saved.error());
}

void answerLoadState(AgentParts& parts, const std::string& path, const ReplyPtr& reply) {
    auto requests = loadStateFile(path);
    if (!requests) {
        reply->fail(requests.error());
        return;
    }
    // As Sozu: what the file has is added, and what is there already is counted as an error.
    const std::size_t count = requests->size();
    auto sequence = std::make_shared<Sequence>(
        parts, std::move(*requests), [&parts, reply, path](std::size_t applied, const auto& errors) {
            const std::string counts =
                std::to_string(applied) + " ok messages, " + std::to_string(errors.size()) + " errors";
            EventLog::Entry entry{errors.empty() ? proto::SEVERITY_OK : proto::SEVERITY_WARNING,
                "state_loaded", path + ": " + counts, {}, {}, reply->actor(), proto::Event()};
            entry.sozu->set_kind(proto::STATE_LOADED);
            parts.events.add(std::move(entry));
            if (errors.empty())
                reply->ok("Loaded " + path + ": " + counts);
            else
                reply->fail("Loaded " + path + ": " + counts + join(errors));
        });
    reply->processing("Applying " + std::to_string(count) + " records");
    sequence->run();
}

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/state_changes.h"

#include <memory>
#include <optional>

namespace yardmaster::agent {

namespace {

/// Counts the workers that still owe an answer.
struct Gathering {
    WorkerAnswers answers;
    std::size_t owed = 0;
    std::function<void(const WorkerAnswers&)> done;

    void add(std::uint32_t id, const Expected<proto::WorkerResponse>& answer) {
        answers.emplace(id, answer);
        if (--owed == 0)
            done(answers);
    }
};

/// An "add listener" that asks for an active one is an add and then an activation: only an activation hands
/// a socket over.
std::optional<proto::Request> splitActivation(proto::Request& request) {
    proto::Request activation;
    auto& activate = *activation.mutable_activate_listener();
    activate.set_from_scm(false);
    const auto take = [&](auto& listener, proto::ListenerType type) {
        if (!listener.active())
            return false;
        listener.set_active(false);
        *activate.mutable_address() = listener.address();
        activate.set_proxy(type);
        return true;
    };
    bool active = false;
    switch (request.request_type_case()) {
    case proto::Request::kAddHttpListener:
        active = take(*request.mutable_add_http_listener(), proto::HTTP);
        break;
    case proto::Request::kAddHttpsListener:
        active = take(*request.mutable_add_https_listener(), proto::HTTPS);
        break;
    case proto::Request::kAddTcpListener:
        active = take(*request.mutable_add_tcp_listener(), proto::TCP);
        break;
    case proto::Request::kAddUdpListener:
        active = take(*request.mutable_add_udp_listener(), proto::UDP);
        break;
    default:
        break;
    }
    return active ? std::optional(std::move(activation)) : std::nullopt;
}

/// The address whose socket is to be closed once the workers have applied the request.
std::optional<state::SocketAddress> closedAddress(const proto::Request& request) {
    Expected<state::SocketAddress> address = failure(Error::Code::NotFound, "none");
    if (request.has_deactivate_listener())
        address = state::SocketAddress::fromProto(request.deactivate_listener().address());
    else if (request.has_remove_listener())
        address = state::SocketAddress::fromProto(request.remove_listener().address());
    return address ? std::optional(*address) : std::nullopt;
}

Expected<void> judge(const WorkerAnswers& answers) {
    std::string failed;
    for (const auto& [id, answer] : answers) {
        if (answer && answer->status() == proto::OK)
            continue;
        failed += (failed.empty() ? "" : "; ") + std::string("worker ") + std::to_string(id) + ": "
            + (answer ? answer->message() : answer.error().toString());
    }
    if (failed.empty())
        return {};
    return failure(Error::Code::Unavailable,
        "the agent's state has changed, but not all workers followed: " + failed, {},
        "upgrade these workers: a new one starts from the agent's state");
}

} // namespace

void askWorkers(const std::vector<Worker*>& workers, const proto::Request& request,
    std::function<void(const WorkerAnswers&)> done) {
    auto gathering = std::make_shared<Gathering>();
    gathering->owed = workers.size();
    gathering->done = std::move(done);
    if (workers.empty()) {
        gathering->done({});
        return;
    }
    for (Worker* worker : workers)
        worker->request(
            request, [gathering, id = worker->id()](const auto& answer) { gathering->add(id, answer); });
}

Expected<void> StateChanges::applyToOwn(const proto::Request& request) {
    if (!request.has_activate_listener())
        return m_store.apply(request);
    const auto& activate = request.activate_listener();
    const auto address = state::SocketAddress::fromProto(activate.address());
    if (!address)
        return failure(address.error());
    const bool bindsNow = !m_listeners.contains(*address);
    if (bindsNow) {
        if (auto bound = m_listeners.bind(*address, activate.proxy()); !bound)
            return bound;
    }
    auto applied = m_store.apply(request);
    if (!applied && bindsNow)
        m_listeners.close(*address);
    return applied;
}

Expected<void> StateChanges::applyLocally(const proto::Request& request) {
    proto::Request first = request;
    const auto activation = splitActivation(first);
    if (auto applied = applyToOwn(first); !applied || !activation)
        return applied;
    return applyToOwn(*activation);
}

void StateChanges::apply(const proto::Request& request, std::function<void(Expected<void>)> done) {
    proto::Request first = request;
    const auto activation = splitActivation(first);
    if (auto applied = applyToOwn(first); !applied) {
        done(std::move(applied));
        return;
    }
    if (!activation) {
        scatter(first, std::move(done));
        return;
    }
    scatter(first, [this, activation = *activation, done = std::move(done)](Expected<void> added) {
        if (!added) {
            done(std::move(added));
            return;
        }
        if (auto applied = applyToOwn(activation); !applied)
            done(std::move(applied));
        else
            scatter(activation, done);
    });
}

void StateChanges::scatter(const proto::Request& request, std::function<void(Expected<void>)> done) {
    auto gathering = std::make_shared<Gathering>();
    gathering->done = [this, closed = closedAddress(request), done = std::move(done)](
                          const WorkerAnswers& answers) {
        if (closed)
            m_listeners.close(*closed);
        done(judge(answers));
    };
    // A worker that starts now has begun from the state before this request, and one that drains still
    // routes: both are told, but only those that serve are waited for.
    const std::vector<Worker*> serving = m_pool.serving();
    gathering->owed = serving.size();
    const ListenerSet::Listener* handedOver = nullptr;
    if (request.has_activate_listener())
        handedOver =
            m_listeners.find(*state::SocketAddress::fromProto(request.activate_listener().address()));
    for (Worker* worker : m_pool.living()) {
        if (worker->phase() == proto::PHASE_DRAINING && handedOver)
            continue;
        Worker::Answer answer = [](const auto&) {};
        if (worker->isServing())
            answer = [gathering, worker, id = worker->id(), revision = m_store.revision()](
                         const auto& response) {
                if (response && response->status() == proto::OK)
                    worker->setRevision(revision);
                gathering->add(id, response);
            };
        else
            answer = [worker, revision = m_store.revision()](const auto& response) {
                if (response && response->status() == proto::OK)
                    worker->setRevision(revision);
                else if (worker->phase() == proto::PHASE_STARTING)
                    worker->failStart({Error::Code::Unavailable, "did not follow a change of the state",
                        worker->name(), {}});
            };
        if (handedOver)
            worker->requestWithListener(request, *handedOver, std::move(answer));
        else
            worker->request(request, std::move(answer));
    }
    if (serving.empty())
        gathering->done({});
}

Expected<void> StateChanges::bindActiveListeners() {
    const auto bindAll = [&](const auto& listeners, proto::ListenerType type) -> Expected<void> {
        for (const auto& [address, listener] : listeners) {
            if (!listener.active() || m_listeners.contains(address))
                continue;
            if (auto bound = m_listeners.bind(address, type); !bound)
                return bound;
        }
        return {};
    };
    const state::ConfigState& state = m_store.state();
    if (auto bound = bindAll(state.httpListeners(), proto::HTTP); !bound)
        return bound;
    if (auto bound = bindAll(state.httpsListeners(), proto::HTTPS); !bound)
        return bound;
    return bindAll(state.tcpListeners(), proto::TCP);
}

} // namespace yardmaster::agent

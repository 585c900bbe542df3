// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/adoption.h"

#include "backend/agent/unix_socket.h"
#include "backend/protocol/frame.h"
#include "backend/protocol/initial_state.h"
#include "backend/protocol/listener_passing.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace yardmaster::agent {

namespace {

constexpr int adoptionTimeoutMs = 3'000;

struct Candidate {
    proto::WorkerReport report;
    UniqueFd pidFd;
    UniqueFd channel;
    metrics::MetricsPage page;
    std::vector<protocol::ReceivedListener> listeners;
    state::ConfigState state;
    Worker* worker = nullptr;
};

Expected<void> receiveExactly(int fd, char* into, std::size_t bytes) {
    for (std::size_t got = 0; got < bytes;) {
        const ssize_t count = ::recv(fd, into + got, bytes - got, 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return failure(Error::fromErrno(errno, "recv the worker's report"));
        if (count == 0)
            return failure(Error::Code::DataLoss, "the worker closed the connection before its report");
        got += static_cast<std::size_t>(count);
    }
    return {};
}

/// One frame and not a byte more: what follows belongs to the channel.
Expected<proto::WorkerReport> receiveReport(int fd, std::size_t maxFrameBytes) {
    std::string bytes(protocol::frameHeaderBytes, '\0');
    if (auto received = receiveExactly(fd, bytes.data(), bytes.size()); !received)
        return failure(received.error());
    std::uint64_t length = 0;
    for (std::size_t index = protocol::frameHeaderBytes; index-- > 0;)
        length = length << 8 | static_cast<unsigned char>(bytes[index]);
    if (length < protocol::frameHeaderBytes || length > maxFrameBytes)
        return failure(Error::Code::DataLoss, "a frame of " + std::to_string(length) + " bytes as report");
    bytes.resize(length - protocol::frameHeaderBytes);
    if (auto received = receiveExactly(fd, bytes.data(), bytes.size()); !received)
        return failure(received.error());
    proto::WorkerResponse response;
    if (auto decoded = protocol::decodePayload(bytes, response); !decoded)
        return failure(decoded.error());
    if (!response.has_report() || response.report().kind() != proto::REPORT_ADOPTION)
        return failure(Error::Code::DataLoss, "the worker's first message is no adoption report");
    return response.report();
}

Expected<state::ConfigState> readState(int fd) {
    state::ConfigState state;
    auto read = protocol::forEachInitialRequest(fd, [&state](const proto::WorkerRequest& record) {
        return state.apply(record.content(), state::ConfigState::Checks::Trusted);
    });
    if (!read)
        return failure(read.error());
    return state;
}

Expected<Candidate> contact(const std::string& path, std::uint32_t workerId, std::size_t maxFrameBytes) {
    auto channel = connectUnix(path);
    if (!channel)
        return failure(channel.error());
    setSocketTimeouts(channel->get(), adoptionTimeoutMs);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(adoptionTimeoutMs);
    auto received = protocol::receiveListeners(channel->get(), deadline, 2);
    if (!received)
        return failure(received.error());
    auto report = receiveReport(channel->get(), maxFrameBytes);
    if (!report)
        return failure(report.error());
    if (report->id() != workerId || report->pid() <= 0 || report->slot() == 0)
        return failure(
            Error::Code::DataLoss, "the report is of worker " + std::to_string(report->id()), path);
    auto pidFd = openPidFd(report->pid());
    if (!pidFd)
        return failure(pidFd.error());
    auto page = metrics::MetricsPage::open(received->leading[0].get());
    if (!page)
        return failure(page.error());
    auto state = readState(received->leading[1].get());
    if (!state)
        return failure(state.error());
    return Candidate{std::move(*report), std::move(*pidFd), std::move(*channel), std::move(*page),
        std::move(received->listeners), std::move(*state), nullptr};
}

std::vector<Candidate> contactAll(AgentParts& parts, const RuntimeDirectory& directory) {
    std::vector<Candidate> candidates;
    for (const RuntimeDirectory::WorkerSocket& socket : directory.workerSockets()) {
        parts.pool.reserveIdsUpTo(socket.workerId);
        auto candidate = contact(socket.path, socket.workerId, parts.config.maxCommandBufferBytes);
        if (candidate) {
            candidates.push_back(std::move(*candidate));
            continue;
        }
        if (candidate.error().code == Error::Code::Unavailable
            || candidate.error().code == Error::Code::NotFound) {
            // Nobody behind it any more: the worker ended while there was no agent.
            directory.removeWorkerSocket(socket.workerId);
            parts.events.add({proto::SEVERITY_WARNING, "worker_gone",
                "Worker " + std::to_string(socket.workerId) + " of an earlier agent has ended",
                socket.workerId, {}, {}, {}});
        } else {
            parts.events.add({proto::SEVERITY_ERROR, "adoption_failed",
                "Worker " + std::to_string(socket.workerId)
                    + " of an earlier agent could not be adopted and is left alone: "
                    + candidate.error().toString(),
                socket.workerId, {}, {}, {}});
        }
    }
    return candidates;
}

/// The state to go on from: of those that serve, the newest revision's.
const Candidate& newest(const std::vector<Candidate>& candidates) {
    return *std::max_element(
        candidates.begin(), candidates.end(), [](const Candidate& left, const Candidate& right) {
            const auto rank = [](const Candidate& candidate) {
                return std::pair(
                    candidate.report.phase() != proto::PHASE_DRAINING, candidate.report.revision());
            };
            return rank(left) < rank(right);
        });
}

void takeListeners(AgentParts& parts, Candidate& candidate) {
    for (protocol::ReceivedListener& listener : candidate.listeners) {
        const auto address = state::SocketAddress::parse(listener.address);
        const auto adopted = address ? parts.listeners.adopt(*address, listener.type, std::move(listener.fd))
                                     : Expected<void>(failure(address.error()));
        if (!adopted)
            parts.events.add({proto::SEVERITY_ERROR, "adoption_failed", adopted.error().toString(),
                candidate.report.id(), {}, {}, {}});
    }
}

/// Tells a worker that lags behind what it misses; one that cannot follow keeps serving and is reported.
void bringUpToDate(AgentParts& parts, Candidate& candidate) {
    const std::vector<proto::Request> missing = candidate.state.diff(parts.store.state());
    if (missing.empty()) {
        candidate.worker->setRevision(parts.store.revision());
        return;
    }
    parts.events.add({proto::SEVERITY_WARNING, "worker_drift",
        candidate.worker->name() + " lags behind by " + std::to_string(missing.size())
            + " changes, which are sent to it",
        candidate.worker->id(), candidate.worker->pid(), {}, {}});
    for (const proto::Request& request : missing) {
        Worker::Answer answer = [&parts, worker = candidate.worker, revision = parts.store.revision()](
                                    const auto& response) {
            if (response && response->status() == proto::OK) {
                worker->setRevision(revision);
                return;
            }
            parts.events.add({proto::SEVERITY_ERROR, "worker_drift",
                worker->name() + " did not follow: "
                    + (response ? response->message() : response.error().toString()) + ". Upgrade it.",
                worker->id(), worker->pid(), {}, {}});
        };
        const ListenerSet::Listener* listener = nullptr;
        if (request.has_activate_listener()) {
            const auto address = state::SocketAddress::fromProto(request.activate_listener().address());
            listener = address ? parts.listeners.find(*address) : nullptr;
        }
        if (listener)
            candidate.worker->requestWithListener(request, *listener, std::move(answer));
        else
            candidate.worker->request(request, std::move(answer));
    }
}

} // namespace

std::size_t adoptWorkers(AgentParts& parts, const RuntimeDirectory& directory) {
    std::vector<Candidate> candidates = contactAll(parts, directory);
    if (candidates.empty())
        return 0;
    const Candidate& source = newest(candidates);
    parts.store.replace(source.state, source.report.revision());
    for (Candidate& candidate : candidates)
        takeListeners(parts, candidate);
    std::size_t serving = 0;
    for (Candidate& candidate : candidates) {
        candidate.worker = parts.pool.adopt(candidate.report, std::move(candidate.pidFd),
            std::move(candidate.channel), std::move(candidate.page));
        parts.events.add({proto::SEVERITY_OK, "worker_adopted",
            candidate.worker->name() + " of an earlier agent goes on in slot "
                + std::to_string(candidate.worker->slot())
                + (candidate.worker->isServing() ? "" : ", draining"),
            candidate.worker->id(), candidate.worker->pid(), {}, {}});
        if (!candidate.worker->isServing())
            continue;
        ++serving;
        bringUpToDate(parts, candidate);
    }
    return serving;
}

} // namespace yardmaster::agent

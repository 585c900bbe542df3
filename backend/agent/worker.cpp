// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/worker.h"

#include "backend/base/monotonic_clock.h"
#include "backend/protocol/listener_passing.h"
#include "backend/protocol/worker_channel.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>

namespace yardmaster::agent {

namespace {

constexpr int drainGraceMs = 2'000; ///< beyond the drain's own deadline, which the worker itself keeps
constexpr int hardStopGraceMs = 1'000;
constexpr int channelLossGraceMs = 1'000;
/// The descriptors of a thousand listeners fit into the socket's buffer: nobody waits here for a worker.
constexpr std::chrono::milliseconds handOverTimeout{500};

protocol::ListenerToSend toSend(const ListenerSet::Listener& listener) {
    return {listener.address.toString(), listener.type, listener.fd.get()};
}

std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text.empty() ? "none" : text;
}

} // namespace

Worker::Worker(Identity identity, metrics::MetricsPage page, Limits limits, QObject* parent)
    : QObject(parent)
    , m_identity(identity)
    , m_page(std::move(page))
    , m_limits(limits) {
    m_detail.set_phase(proto::PHASE_STARTING);
    m_detail.set_slot(identity.slot);
    m_detail.set_restarts(identity.restarts);
    m_detail.set_adopted(identity.adopted);
    if (identity.replaces != 0)
        m_detail.set_replaces(identity.replaces);
    m_deadline.setSingleShot(true);
    m_pendingTimer.setSingleShot(true);
    connect(&m_pendingTimer, &QTimer::timeout, this, &Worker::expirePending);
}

std::string Worker::name() const {
    return "Worker " + std::to_string(id()) + " (pid " + std::to_string(m_pid) + ")";
}

void Worker::watch(pid_t pid, UniqueFd pidFd, bool isChild) {
    m_pid = pid;
    m_process = std::make_unique<ProcessWatch>(pid, std::move(pidFd), isChild);
    connect(m_process.get(), &ProcessWatch::ended, this, &Worker::onEnded);
}

void Worker::listen(UniqueFd channel) {
    m_channel = std::make_unique<FrameStream>(std::move(channel), m_limits.maxFrameBytes);
    connect(m_channel.get(), &FrameStream::payloadReceived, this, &Worker::onPayload);
    connect(m_channel.get(), &FrameStream::closed, this, &Worker::onChannelClosed);
}

void Worker::start(SpawnedProcess process, const proto::ServerConfig& config,
    const std::vector<const ListenerSet::Listener*>& listeners, std::uint64_t revision, int readyDeadlineMs) {
    m_detail.set_started_unix_ns(unixNowNs());
    m_detail.mutable_stamps()->set_spawn_ns(process.spawnNs);
    m_detail.set_revision(revision);
    watch(process.pid, std::move(process.pidFd), true);
    listen(std::move(process.channel));
    m_scm = std::move(process.scm);

    connect(&m_deadline, &QTimer::timeout, this, [this, readyDeadlineMs] {
        failStart({Error::Code::DeadlineExceeded,
            "not ready after " + std::to_string(readyDeadlineMs) + " ms", name(), {}});
    });
    m_deadline.start(readyDeadlineMs);

    if (auto sent = m_channel->send(config); !sent) {
        failStart(sent.error());
        return;
    }
    std::vector<protocol::ListenerToSend> handedOver;
    for (const ListenerSet::Listener* listener : listeners) {
        handedOver.push_back(toSend(*listener));
        m_listenersGiven.push_back(handedOver.back().address);
    }
    if (auto sent = protocol::sendListeners(
            m_scm.get(), handedOver, std::chrono::steady_clock::now() + handOverTimeout);
        !sent)
        failStart(sent.error());
}

void Worker::adopt(pid_t pid, UniqueFd pidFd, UniqueFd channel, const proto::WorkerReport& report) {
    watch(pid, std::move(pidFd), false);
    listen(std::move(channel));
    m_detail.set_started_unix_ns(report.started_unix_ns());
    *m_detail.mutable_stamps() = report.stamps();
    m_detail.set_version(report.version());
    m_detail.set_revision(report.revision());
    m_detail.set_phase(
        report.phase() == proto::PHASE_DRAINING ? proto::PHASE_DRAINING : proto::PHASE_SERVING);
    m_stopAsked = report.phase() == proto::PHASE_DRAINING;
}

void Worker::request(const proto::Request& request, Answer answer) {
    if (m_deferred.empty()) {
        sendNow(request, std::move(answer));
        return;
    }
    m_deferred.push_back({false, [this, request, answer = std::move(answer)] { sendNow(request, answer); }});
}

void Worker::requestWithListener(
    const proto::Request& request, const ListenerSet::Listener& listener, Answer answer) {
    m_listenersGivenLater.push_back(listener.address.toString());
    // The listener may be closed before its turn comes; the copy keeps it.
    auto copy = std::make_shared<UniqueFd>(listener.fd.duplicate());
    auto send = [this, request, copy, listenerToSend = toSend(listener),
                    answer = std::move(answer)]() mutable {
        listenerToSend.fd = copy->get();
        const int socket = m_scm ? m_scm.get() : m_channel->socket();
        if (auto sent = protocol::sendListeners(
                socket, {&listenerToSend, 1}, std::chrono::steady_clock::now() + handOverTimeout);
            sent)
            sendNow(request, answer);
        else
            answer(failure(sent.error()));
    };
    m_deferred.push_back({!m_scm, std::move(send)});
    runDeferred();
}

void Worker::runDeferred() {
    while (!m_deferred.empty()
        && (!m_deferred.front().needsQuiet || (m_pending.empty() && m_channel->unsentBytes() == 0))) {
        Deferred next = std::move(m_deferred.front());
        m_deferred.pop_front();
        next.send();
    }
}

void Worker::sendNow(const proto::Request& request, Answer answer) {
    proto::WorkerRequest message;
    message.set_id(std::to_string(id()) + "-" + std::to_string(m_nextRequest++));
    *message.mutable_content() = request;
    const auto sent = m_channel ? m_channel->send(message)
                                : Expected<void>(failure(Error::Code::Unavailable, "has ended", name()));
    if (!sent) {
        QMetaObject::invokeMethod(
            this, [answer, error = sent.error()] { answer(failure(error)); }, Qt::QueuedConnection);
        return;
    }
    const std::int64_t timeoutNs = std::int64_t{m_limits.answerTimeoutMs} * 1'000'000;
    m_pending.push_back({message.id(), monotonicNowNs() + timeoutNs, std::move(answer)});
    if (!m_pendingTimer.isActive())
        m_pendingTimer.start(m_limits.answerTimeoutMs);
}

void Worker::expirePending() {
    while (!m_pending.empty()) {
        const std::int64_t leftNs = m_pending.front().deadlineNs - monotonicNowNs();
        if (leftNs > 0) {
            m_pendingTimer.start(static_cast<int>(leftNs / 1'000'000) + 1);
            return;
        }
        const Pending expired = std::move(m_pending.front());
        m_pending.pop_front();
        expired.answer(failure(Error::Code::DeadlineExceeded,
            "no answer within " + std::to_string(m_limits.answerTimeoutMs) + " ms", name()));
    }
    runDeferred();
}

void Worker::onPayload(std::string_view payload) {
    proto::WorkerResponse response;
    if (auto decoded = protocol::decodePayload(payload, response); !decoded) {
        spdlog::error("{}: {}", name(), decoded.error().toString());
        m_channel->close();
        onChannelClosed(decoded.error());
        return;
    }
    if (response.has_report())
        onReport(response);
    if (response.status() != proto::PROCESSING)
        onAnswer(response);
}

void Worker::onAnswer(const proto::WorkerResponse& response) {
    // The worker answers in order; one whose deadline is over is gone from here already.
    const auto found = std::find_if(m_pending.begin(), m_pending.end(),
        [&](const Pending& pending) { return pending.id == response.id(); });
    if (found == m_pending.end())
        return;
    const Pending answered = std::move(*found);
    m_pending.erase(found);
    answered.answer(response);
    runDeferred();
}

void Worker::onReport(const proto::WorkerResponse& response) {
    const proto::WorkerReport& report = response.report();
    switch (report.kind()) {
    case proto::REPORT_PHASE:
        onStamps(report);
        break;
    case proto::REPORT_DRAIN:
        onDrainReport(report.drain());
        break;
    case proto::REPORT_FATAL:
        failStart({Error::Code::Unavailable, report.error().empty() ? response.message() : report.error(),
            name(), {}});
        break;
    default:
        break;
    }
}

void Worker::onStamps(const proto::WorkerReport& report) {
    if (report.has_pid() && report.pid() != m_pid) {
        failStart({Error::Code::Internal,
            "the report names pid " + std::to_string(report.pid()) + ", not its own", name(), {}});
        return;
    }
    const std::int64_t spawnNs = m_detail.stamps().spawn_ns();
    m_detail.mutable_stamps()->MergeFrom(report.stamps());
    if (spawnNs != 0)
        m_detail.mutable_stamps()->set_spawn_ns(spawnNs);
    if (report.has_version())
        m_detail.set_version(report.version());
    if (report.stamps().has_listeners_ns() || report.listeners_size() > 0)
        m_listenersReported.emplace(report.listeners().begin(), report.listeners().end());
    if (phase() == proto::PHASE_STARTING && m_detail.stamps().has_ready_ns())
        checkReady();
    else
        emit changed();
}

void Worker::checkReady() {
    // In any order; none of the first hand-over may be missing and none may be foreign. Those handed over
    // since (a listener activated meanwhile) may be held already or not yet.
    const std::vector<std::string> held = m_listenersReported.value_or(std::vector<std::string>{});
    const auto contains = [](const std::vector<std::string>& list, const std::string& address) {
        return std::find(list.begin(), list.end(), address) != list.end();
    };
    const bool allHeld = std::all_of(m_listenersGiven.begin(), m_listenersGiven.end(),
        [&](const std::string& address) { return contains(held, address); });
    const bool noneForeign = std::all_of(held.begin(), held.end(), [&](const std::string& address) {
        return contains(m_listenersGiven, address) || contains(m_listenersGivenLater, address);
    });
    if (!allHeld || !noneForeign) {
        failStart({Error::Code::DataLoss,
            "the hand-over of listeners is not complete: given " + join(m_listenersGiven) + "; held "
                + join(held),
            name(), {}});
        return;
    }
    m_deadline.stop();
    setPhase(proto::PHASE_SERVING);
    emit ready();
}

void Worker::onDrainReport(const proto::DrainReport& report) {
    *m_detail.mutable_drain() = report;
    emit changed();
}

void Worker::drain(const proto::DrainOptions& options) {
    if (!isAlive() || m_stopAsked)
        return;
    m_stopAsked = true;
    setPhase(proto::PHASE_DRAINING);
    proto::WorkerRequest message;
    message.set_id("DRAIN");
    *message.mutable_content()->mutable_soft_stop()->mutable_drain() = options;
    if (!m_channel || !m_channel->send(message)) {
        stopHard();
        return;
    }
    m_deadline.disconnect(this);
    connect(&m_deadline, &QTimer::timeout, this, [this] {
        spdlog::warn("{} did not end by its drain deadline: killed", name());
        m_process->signalProcess(SIGKILL);
    });
    m_deadline.start(static_cast<int>(options.deadline_ms()) + drainGraceMs);
}

void Worker::stopHard() {
    if (!isAlive())
        return;
    m_stopAsked = true;
    m_hardStopAsked = true;
    setPhase(proto::PHASE_DRAINING);
    proto::WorkerRequest message;
    message.set_id("STOP");
    message.mutable_content()->mutable_hard_stop();
    const bool sent = m_channel && m_channel->send(message).has_value();
    m_deadline.disconnect(this);
    connect(&m_deadline, &QTimer::timeout, this, [this] { m_process->signalProcess(SIGKILL); });
    m_deadline.start(sent ? hardStopGraceMs : 0);
}

void Worker::failStart(Error reason) {
    if (phase() != proto::PHASE_STARTING)
        return;
    m_failure = std::move(reason);
    m_deadline.stop();
    setPhase(proto::PHASE_FAILED);
    if (m_process)
        m_process->signalProcess(SIGKILL);
}

void Worker::onChannelClosed(const Error& reason) {
    failPending({Error::Code::Unavailable, "the worker's channel is closed", name(), {}});
    if (!isAlive())
        return;
    // A process that ends closes its channel a moment before its pidfd says so. One that lives on without a
    // channel can be neither asked nor stopped, and is ended.
    spdlog::debug("{}: channel closed: {}", name(), reason.toString());
    QTimer::singleShot(channelLossGraceMs, this, [this] {
        if (!isAlive())
            return;
        spdlog::error("{} lost its channel: killed", name());
        m_process->signalProcess(SIGKILL);
    });
}

void Worker::onEnded(const proto::ExitReport& report) {
    m_deadline.stop();
    *m_detail.mutable_last_exit() = report;
    // What the worker said last may still wait in its channel.
    if (m_channel && m_channel->isOpen())
        m_channel->readRemaining();
    failPending({Error::Code::Unavailable, "the worker has ended: " + report.text(), name(), {}});
    const bool clean = !report.has_signal() && report.code() == 0;
    switch (phase()) {
    case proto::PHASE_STARTING:
        m_failure = {Error::Code::Unavailable, "ended before it was ready: " + report.text(), name(), {}};
        setPhase(proto::PHASE_FAILED);
        break;
    case proto::PHASE_FAILED:
        break;
    case proto::PHASE_DRAINING:
        setPhase(clean || m_hardStopAsked ? proto::PHASE_STOPPED : proto::PHASE_CRASHED);
        break;
    default:
        setPhase(proto::PHASE_CRASHED);
        break;
    }
    if (m_channel)
        m_channel->close();
    m_scm.reset();
    emit ended();
}

void Worker::failPending(const Error& reason) {
    m_deferred.clear();
    auto pending = std::move(m_pending);
    m_pending.clear();
    for (const Pending& entry : pending)
        entry.answer(failure(reason));
}

void Worker::setPhase(proto::WorkerPhase phase) {
    if (m_detail.phase() == phase)
        return;
    m_detail.set_phase(phase);
    emit changed();
}

void Worker::setUsage(std::uint64_t rssBytes, std::uint64_t cpuNs) {
    m_detail.set_rss_bytes(rssBytes);
    m_detail.set_cpu_ns(cpuNs);
}

void Worker::setRevision(std::uint64_t revision) {
    m_detail.set_revision(revision);
}

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/frame_stream.h"
#include "backend/agent/listener_set.h"
#include "backend/agent/worker_process.h"
#include "backend/metrics/metrics_page.h"
#include "backend/protocol/command.pb.h"

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yardmaster::agent {

/// One worker process, from its start to its end and a while beyond (its metrics page stays readable).
/// Readiness is believed only when this process says so on its own channel, with its own pid, and holds every
/// listener it was given; whatever else happens before its deadline is a failed start, and it is killed.
class Worker : public QObject {
    Q_OBJECT
public:
    struct Identity {
        std::uint32_t id = 0;
        std::uint32_t slot = 0;
        std::uint32_t replaces = 0; ///< worker id, 0: none
        std::uint32_t restarts = 0; ///< crashes of the slot before this one
        bool adopted = false;
    };
    struct Limits {
        std::size_t maxFrameBytes = 2'000'000;
        int answerTimeoutMs = 10'000;
    };

    Worker(Identity identity, metrics::MetricsPage page, Limits limits, QObject* parent = nullptr);

    /// A process just made: sends `config` and hands over the listeners, then waits for ready.
    void start(SpawnedProcess process, const proto::ServerConfig& config,
        const std::vector<const ListenerSet::Listener*>& listeners, std::uint64_t revision,
        int readyDeadlineMs);
    /// A process that an earlier agent started: `channel` is the connection it reported itself on.
    void adopt(pid_t pid, UniqueFd pidFd, UniqueFd channel, const proto::WorkerReport& report);

    using Answer = std::function<void(const Expected<proto::WorkerResponse>&)>;
    /// Sends one request; `answer` is called once, later, also when the worker ends or the time is over.
    void request(const proto::Request& request, Answer answer);
    /// Hands over one more socket and then the request that says to use it.
    void requestWithListener(
        const proto::Request& request, const ListenerSet::Listener& listener, Answer answer);

    /// Soft stop. A drain that outlives its deadline by more than a grace time ends with SIGKILL.
    void drain(const proto::DrainOptions& options);
    /// Hard stop; SIGKILL when it does not end within a second.
    void stopHard();
    /// A start that is no longer wanted, or has failed.
    void failStart(Error reason);

    [[nodiscard]] std::uint32_t id() const { return m_identity.id; }
    [[nodiscard]] std::uint32_t slot() const { return m_identity.slot; }
    [[nodiscard]] pid_t pid() const { return m_pid; }
    [[nodiscard]] proto::WorkerPhase phase() const { return m_detail.phase(); }
    [[nodiscard]] bool isAlive() const { return m_process && m_process->isRunning(); }
    [[nodiscard]] bool isServing() const { return phase() == proto::PHASE_SERVING; }
    [[nodiscard]] const proto::WorkerDetail& detail() const { return m_detail; }
    [[nodiscard]] const proto::DrainReport& lastDrain() const { return m_detail.drain(); }
    [[nodiscard]] const Error& failureReason() const { return m_failure; } ///< when PHASE_FAILED
    [[nodiscard]] metrics::MetricsPage& page() { return m_page; }
    /// "Worker 3 (pid 4711)"
    [[nodiscard]] std::string name() const;

    void setReplacedBy(std::uint32_t id) { m_detail.set_replaced_by(id); }
    void setUsage(std::uint64_t rssBytes, std::uint64_t cpuNs);
    void setRevision(std::uint64_t revision);
    /// The job that acts on this worker now, 0: none. One at a time.
    void setBusyWith(std::uint64_t jobId) { m_busyWith = jobId; }
    [[nodiscard]] std::uint64_t busyWith() const { return m_busyWith; }

signals:
    void changed(); ///< stamps, phase, drain
    void ready();
    void ended(); ///< the process is gone; phase() and detail().last_exit() say how

private:
    void watch(pid_t pid, UniqueFd pidFd, bool isChild);
    void listen(UniqueFd channel);
    void onPayload(std::string_view payload);
    void onReport(const proto::WorkerResponse& response);
    void onStamps(const proto::WorkerReport& report);
    void onDrainReport(const proto::DrainReport& report);
    void onChannelClosed(const Error& reason);
    void onEnded(const proto::ExitReport& report);
    void setPhase(proto::WorkerPhase phase);
    void checkReady();
    void failPending(const Error& reason);
    void sendNow(const proto::Request& request, Answer answer);
    void runDeferred();
    void onAnswer(const proto::WorkerResponse& response);

    struct Pending {
        std::string id;
        std::int64_t deadlineNs;
        Answer answer;
    };
    void expirePending();

    Identity m_identity;
    metrics::MetricsPage m_page;
    Limits m_limits;
    proto::WorkerDetail m_detail;
    pid_t m_pid = 0;
    std::unique_ptr<ProcessWatch> m_process;
    std::unique_ptr<FrameStream> m_channel;
    UniqueFd m_scm; ///< none for an adopted worker: the channel carries both
    std::vector<std::string> m_listenersGiven, m_listenersGivenLater;
    std::optional<std::vector<std::string>> m_listenersReported;
    std::deque<Pending> m_pending; ///< in the order sent, which is the order of the answers and deadlines
    QTimer m_pendingTimer; ///< one for all: thousands may be under way
    /// On an adopted worker's one connection descriptors are sent only while no answer is owed, so that
    /// their bytes cannot be read together with those of a frame before them; what comes later waits here.
    struct Deferred {
        bool needsQuiet; ///< no answer owed, nothing unsent
        std::function<void()> send;
    };
    std::deque<Deferred> m_deferred;
    std::uint64_t m_nextRequest = 1;
    std::uint64_t m_busyWith = 0;
    QTimer m_deadline; ///< of the start, then of the drain, then of a hard stop
    Error m_failure;
    bool m_stopAsked = false;
    bool m_hardStopAsked = false;
};

} // namespace yardmaster::agent

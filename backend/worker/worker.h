// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/io/event_loop.h"
#include "backend/io/signal_stop.h"
#include "backend/metrics/metrics_page.h"
#include "backend/worker/access_log.h"
#include "backend/worker/agent_link.h"
#include "backend/worker/proxy.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yardmaster::worker {

struct WorkerArguments {
    std::uint32_t id = 0;
    std::uint32_t slot = 0;
    std::int64_t spawnedNs = 0; ///< first line of main
};

/// One worker process, as backend/protocol/worker_channel.h describes it: takes configuration, listeners and
/// state from the agent, says ready, serves, drains, and survives its agent. Returns the exit code.
[[nodiscard]] int runWorker(const WorkerArguments& arguments);

/// What runs between "listeners received" and the exit.
class Worker {
public:
    Worker(WorkerArguments arguments, io::EventLoop& loop, metrics::MetricsPage& page,
        const proto::ServerConfig& config);

    /// Listeners, state, ready; the error is what the agent is told before the process exits.
    [[nodiscard]] Expected<void> start();
    void run();
    void reportFatal(const Error& error);

private:
    /// Accepts a new agent while there is none.
    class AdoptionServer final : public io::EventHandler {
    public:
        AdoptionServer(Worker& worker, int fd)
            : m_worker(worker)
            , m_fd(fd) { }
        void onEvents(std::uint32_t events) override;
        [[nodiscard]] int fd() const { return m_fd.get(); }

    private:
        Worker& m_worker;
        UniqueFd m_fd;
    };

    void handle(const proto::WorkerRequest& request);
    [[nodiscard]] Expected<void> applyStateRequest(const proto::Request& request);
    [[nodiscard]] Expected<void> receiveActivatedListener();
    void answer(const std::string& id, const Expected<void>& result);
    void afterRequests();
    void beginDrain(std::uint32_t deadlineMs, std::uint32_t quietMs);
    void onTick();
    void onBatchEnd();
    void reportPhase();
    void fillReport(proto::WorkerReport& report, proto::ReportKind kind) const;
    void agentLost();
    [[nodiscard]] Expected<void> adopt(UniqueFd connection);

    WorkerArguments m_arguments;
    io::EventLoop& m_loop;
    metrics::MetricsPage& m_page;
    proto::ServerConfig m_config;
    proto::StartupStamps m_stamps;
    std::int64_t m_startedUnixNs;
    std::unique_ptr<AccessLog> m_accessLog;
    Proxy m_proxy;
    AgentLink m_link;
    AdoptionServer m_adoption;
    io::SignalStop m_termination;
    UniqueFd m_scm; ///< none after an adoption: then sockets come on the channel
    bool m_isWatchingAdoption = false;
    std::vector<proto::WorkerResponse> m_answers; ///< sent once the routes follow
    std::optional<std::string> m_softStopId;
    std::string m_lastDrainReport;
    bool m_isStopping = false;
};

} // namespace yardmaster::worker

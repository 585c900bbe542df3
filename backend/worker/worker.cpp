// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/worker.h"

#include "backend/base/monotonic_clock.h"
#include "backend/protocol/frame.h"
#include "backend/protocol/initial_state.h"
#include "backend/protocol/listener_passing.h"
#include "backend/protocol/worker_channel.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace yardmaster::worker {

namespace {

using namespace std::chrono_literals;

constexpr auto startDeadline = 10s;
constexpr auto handOverDeadline = 2s;
constexpr std::uint32_t defaultDrainDeadlineMs = 60'000;
constexpr std::uint32_t defaultDrainQuietMs = 5'000;

protocol::Deadline in(std::chrono::milliseconds span) {
    return std::chrono::steady_clock::now() + span;
}

/// The agent's first frame, read blocking: nothing else is there to be done before it.
Expected<proto::ServerConfig> readConfig() {
    std::string head(protocol::frameHeaderBytes, '\0');
    const auto readAll = [](char* into, std::size_t bytes) -> Expected<void> {
        for (std::size_t got = 0; got < bytes;) {
            pollfd wait{protocol::channelFd, POLLIN, 0};
            if (::poll(&wait, 1, static_cast<int>(std::chrono::milliseconds(startDeadline).count())) == 0)
                return failure(Error::Code::DeadlineExceeded, "the agent sent no configuration", "channel");
            const ssize_t count = ::read(protocol::channelFd, into + got, bytes - got);
            if (count < 0 && (errno == EAGAIN || errno == EINTR))
                continue;
            if (count <= 0)
                return failure(Error::Code::Unavailable,
                    "the agent closed the channel before the configuration", "channel");
            got += static_cast<std::size_t>(count);
        }
        return {};
    };
    if (auto read = readAll(head.data(), head.size()); !read)
        return failure(read.error());
    std::uint64_t length = 0;
    head.copy(reinterpret_cast<char*>(&length), sizeof length);
    if (length < protocol::frameHeaderBytes || length > protocol::defaultMaxFrameBytes)
        return failure(Error::Code::DataLoss,
            "frame of " + std::to_string(length) + " bytes as configuration", "channel");
    std::string payload(length - protocol::frameHeaderBytes, '\0');
    if (auto read = readAll(payload.data(), payload.size()); !read)
        return failure(read.error());
    proto::ServerConfig config;
    if (auto decoded = protocol::decodePayload(payload, config); !decoded)
        return failure(decoded.error());
    return config;
}

/// Two descriptors a request: the soft limit is for programs that use select().
void raiseFileLimit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

bool isOwnUser(int socket) {
    ucred peer{};
    socklen_t bytes = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0
        && (peer.uid == ::geteuid() || peer.uid == 0);
}

} // namespace

Worker::Worker(WorkerArguments arguments, io::EventLoop& loop, metrics::MetricsPage& page,
    const proto::ServerConfig& config)
    : m_arguments(arguments)
    , m_loop(loop)
    , m_page(page)
    , m_config(config)
    , m_startedUnixNs(unixNowNs())
    , m_proxy(loop, page)
    , m_link(loop,
          {[this](const proto::WorkerRequest& request) { handle(request); },
              [this](const std::string& address, proto::ListenerType type, UniqueFd fd) {
                  m_proxy.addListeningSocket(address, type, std::move(fd));
              },
              [this] { afterRequests(); }, [this] { agentLost(); }})
    , m_adoption(*this, protocol::adoptionFd)
    , m_termination([this] { beginDrain(defaultDrainDeadlineMs, defaultDrainQuietMs); }, {SIGTERM})
    , m_scm(protocol::scmFd) {
    m_stamps.set_spawned_ns(arguments.spawnedNs);
}

Expected<void> Worker::start() {
    if (auto attached = m_link.attach(UniqueFd(protocol::channelFd), false); !attached)
        return attached;
    if (auto watched = m_termination.start(m_loop); !watched)
        return watched;
    auto received = protocol::receiveListeners(m_scm.get(), in(startDeadline));
    if (!received)
        return failure(received.error());
    for (auto& listener : received->listeners)
        m_proxy.addListeningSocket(listener.address, listener.type, std::move(listener.fd));
    m_stamps.set_listeners_ns(monotonicNowNs());
    reportPhase();

    const proto::WorkerOptions& options = m_config.options();
    if (!options.access_log().empty()) {
        auto log = AccessLog::open(options.access_log());
        if (!log)
            return failure(log.error());
        m_accessLog = std::move(*log);
        m_proxy.setAccessLog(m_accessLog.get());
    }
    m_proxy.setLimits(options.max_connections() > 0 ? options.max_connections()
                                                    : static_cast<std::uint32_t>(m_config.max_connections()),
        options.upstream_idle_connections());
    auto loaded =
        protocol::forEachInitialRequest(protocol::stateFd, [this](const proto::WorkerRequest& record) {
            return m_proxy.apply(record.content(), state::ConfigState::Checks::Trusted);
        });
    if (!loaded)
        return failure(loaded.error());
    ::close(protocol::stateFd);
    m_proxy.setRevision(options.revision());
    m_stamps.set_state_ns(monotonicNowNs());
    reportPhase();

    m_proxy.onFirstRequest([this] {
        m_stamps.set_first_request_ns(monotonicNowNs());
        reportPhase();
    });
    if (auto accepting = m_proxy.refresh(); !accepting)
        return accepting;
    m_stamps.set_ready_ns(monotonicNowNs());
    reportPhase();
    return {};
}

void Worker::run() {
    m_loop.run([this] { onTick(); }, [this] { onBatchEnd(); });
    m_link.drainOutput();
}

void Worker::fillReport(proto::WorkerReport& report, proto::ReportKind kind) const {
    report.set_kind(kind);
    report.set_id(m_arguments.id);
    report.set_pid(::getpid());
    report.set_slot(m_arguments.slot);
    report.set_version(YARDMASTER_VERSION);
    report.set_revision(m_proxy.revision());
    report.set_started_unix_ns(m_startedUnixNs);
    *report.mutable_stamps() = m_stamps;
    report.set_phase(m_proxy.isDraining() ? proto::PHASE_DRAINING
            : m_stamps.has_ready_ns()     ? proto::PHASE_SERVING
                                          : proto::PHASE_STARTING);
    for (const Listener* listener : m_proxy.listeners())
        report.add_listeners(listener->address());
}

void Worker::reportPhase() {
    proto::WorkerResponse response;
    response.set_id(protocol::phaseMessageId);
    response.set_status(proto::PROCESSING);
    response.set_message("");
    fillReport(*response.mutable_report(), proto::REPORT_PHASE);
    m_link.send(response);
}

void Worker::reportFatal(const Error& error) {
    proto::WorkerResponse response;
    response.set_id(protocol::fatalMessageId);
    response.set_status(proto::FAILURE);
    response.set_message(error.toString());
    fillReport(*response.mutable_report(), proto::REPORT_FATAL);
    response.mutable_report()->set_error(error.toString());
    m_link.send(response);
    m_link.drainOutput();
}

void Worker::handle(const proto::WorkerRequest& request) {
    const proto::Request& content = request.content();
    switch (content.request_type_case()) {
    case proto::Request::kSoftStop: {
        const proto::DrainOptions& drain = content.soft_stop().drain();
        m_softStopId = request.id();
        beginDrain(drain.has_deadline_ms() ? drain.deadline_ms() : defaultDrainDeadlineMs,
            drain.has_quiet_ms() ? drain.quiet_ms() : defaultDrainQuietMs);
        return;
    }
    case proto::Request::kHardStop:
        answer(request.id(), {});
        m_isStopping = true;
        return;
    case proto::Request::kStatus:
        answer(request.id(), {});
        return;
    default:
        answer(request.id(), applyStateRequest(content));
        return;
    }
}

Expected<void> Worker::receiveActivatedListener() {
    if (!m_scm)
        return {}; // it came on the channel, ahead of the request
    auto received = protocol::receiveListeners(m_scm.get(), in(handOverDeadline));
    if (!received)
        return failure(received.error());
    for (auto& listener : received->listeners)
        m_proxy.addListeningSocket(listener.address, listener.type, std::move(listener.fd));
    return {};
}

Expected<void> Worker::applyStateRequest(const proto::Request& request) {
    if (request.has_activate_listener()) {
        if (auto received = receiveActivatedListener(); !received)
            return received;
    }
    auto applied = m_proxy.apply(request, state::ConfigState::Checks::Trusted);
    if (applied)
        m_proxy.setRevision(m_proxy.revision() + 1);
    return applied;
}

void Worker::answer(const std::string& id, const Expected<void>& result) {
    proto::WorkerResponse response;
    response.set_id(id);
    response.set_status(result ? proto::OK : proto::FAILURE);
    response.set_message(result ? "" : result.error().toString());
    m_answers.push_back(std::move(response));
}

void Worker::afterRequests() {
    // Many requests in one batch cost one rebuilding of the routes; each is answered when it takes effect.
    const auto refreshed = m_proxy.refresh();
    for (proto::WorkerResponse& response : m_answers) {
        if (!refreshed && &response == &m_answers.back() && response.status() == proto::OK) {
            response.set_status(proto::FAILURE);
            response.set_message(refreshed.error().toString());
        }
        m_link.send(response);
    }
    m_answers.clear();
}

void Worker::beginDrain(std::uint32_t deadlineMs, std::uint32_t quietMs) {
    m_proxy.startDrain(
        static_cast<std::int64_t>(deadlineMs) * 1'000'000, static_cast<std::int64_t>(quietMs) * 1'000'000);
}

void Worker::onTick() {
    m_proxy.onTick();
    if (!m_proxy.isDraining() || !m_softStopId || m_proxy.isDrained())
        return;
    proto::WorkerResponse response;
    response.set_id(*m_softStopId);
    response.set_status(proto::PROCESSING);
    response.set_message("draining");
    fillReport(*response.mutable_report(), proto::REPORT_DRAIN);
    *response.mutable_report()->mutable_drain() = m_proxy.drainReport();
    m_link.send(response);
}

void Worker::onBatchEnd() {
    m_proxy.onBatchEnd();
    if (m_proxy.isDrained()) {
        if (m_softStopId) {
            proto::WorkerResponse response;
            response.set_id(*m_softStopId);
            response.set_status(proto::OK);
            response.set_message("drained");
            fillReport(*response.mutable_report(), proto::REPORT_DRAIN);
            *response.mutable_report()->mutable_drain() = m_proxy.drainReport();
            m_link.send(response);
        }
        m_isStopping = true;
    }
    if (m_isStopping)
        m_loop.stop();
}

void Worker::agentLost() {
    m_scm.reset();
    m_answers.clear();
    if (!m_isWatchingAdoption)
        m_isWatchingAdoption = m_loop.watch(m_adoption.fd(), EPOLLIN, m_adoption).has_value();
}

void Worker::AdoptionServer::onEvents(std::uint32_t) {
    UniqueFd connection(::accept4(m_fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection || m_worker.m_link.isUp() || !isOwnUser(connection.get()))
        return;
    (void)m_worker.adopt(
        std::move(connection)); // on failure the peer sees its connection close, and tries again
}

Expected<void> Worker::adopt(UniqueFd connection) {
    auto image = protocol::writeInitialState(
        [this](const protocol::RequestSink& sink) { m_proxy.state().forEachRequest(sink); });
    if (!image)
        return failure(image.error());
    std::vector<protocol::ListenerToSend> listeners;
    for (const Listener* listener : m_proxy.listeners())
        listeners.push_back({listener->address(), listener->type, listener->fd()});
    const std::array leading{m_page.fd(), image->fd.get()};
    if (auto sent = protocol::sendListeners(connection.get(), listeners, in(handOverDeadline), leading);
        !sent)
        return sent;
    if (auto attached = m_link.attach(std::move(connection), true); !attached)
        return attached;
    m_loop.forget(m_adoption.fd());
    m_isWatchingAdoption = false;

    proto::WorkerResponse response;
    response.set_id(protocol::adoptMessageId);
    response.set_status(proto::PROCESSING);
    response.set_message("");
    fillReport(*response.mutable_report(), proto::REPORT_ADOPTION);
    m_link.send(response);
    return {};
}

int runWorker(const WorkerArguments& arguments) {
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGINT, SIG_IGN); // a Ctrl-C in the terminal is the agent's to act on
    ::signal(SIGHUP, SIG_IGN);
    raiseFileLimit();
    auto loop = io::EventLoop::create();
    auto config = readConfig();
    auto page = metrics::MetricsPage::open(protocol::metricsFd);
    if (!loop || !config || !page) {
        const Error& error = !loop ? loop.error() : !config ? config.error() : page.error();
        ::dprintf(STDERR_FILENO, "yardmaster-worker %u: %s\n", arguments.id, error.toString().c_str());
        return 1;
    }
    page->layout().workerPid.store(static_cast<std::uint64_t>(::getpid()), std::memory_order_relaxed);
    Worker worker(arguments, *loop, *page, *config);
    if (auto started = worker.start(); !started) {
        worker.reportFatal(started.error());
        return 1;
    }
    worker.run();
    return 0;
}

} // namespace yardmaster::worker

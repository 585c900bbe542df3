// SPDX-License-Identifier: GPL-3.0-or-later
//
// A worker that serves nobody: it speaks backend/protocol/worker_channel.h and misbehaves as told, for the
// agent's fault-injection tests. What to do is the first word of the file named by YARDMASTER_FAKE_PLAN, read
// at the start of each process, with a number of milliseconds behind it where that makes sense:
//   ok                        as it should be
//   never_ready               reports everything but ready
//   exit_early MS             exits with status 3 instead of becoming ready
//   killed_at_start MS        kills itself before it is ready
//   refuse_listeners          FATAL
//   fewer_listeners           ready, but holds one listener less than it was given
//   foreign_listener          ready, and holds one it was not given
//   wrong_pid                 ready, in the name of another process
//   slow_start MS             ready after that time
//   crash_after MS            ready, then killed by a signal
//   slow_drain MS             drains for that long, with reports
//   hang_in_drain             never ends when told to drain
//   crash_in_drain            killed by a signal when told to drain
//   refuse_state              FAILURE to every change of the state
//   silent                    answers no request but stops
//   garbage                   ready, then bytes that are no frame
#include "backend/base/monotonic_clock.h"
#include "backend/metrics/metrics_page.h"
#include "backend/protocol/frame.h"
#include "backend/protocol/initial_state.h"
#include "backend/protocol/listener_passing.h"
#include "backend/protocol/worker_channel.h"
#include "backend/state/config_state.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace yardmaster;
using namespace std::chrono_literals;

protocol::Deadline soon() {
    return std::chrono::steady_clock::now() + 5s;
}

class FakeWorker {
public:
    FakeWorker(std::uint32_t id, std::uint32_t slot)
        : m_id(id)
        , m_slot(slot)
        , m_channel(protocol::channelFd)
        , m_scm(protocol::scmFd) {
        m_stamps.set_spawned_ns(monotonicNowNs());
        if (const char* path = std::getenv("YARDMASTER_FAKE_PLAN")) {
            std::ifstream plan(path);
            plan >> m_plan >> m_planMs;
        }
    }

    int run() {
        if (!readConfig())
            return 2;
        if (const int status = start(); status >= 0)
            return status;
        while (!m_ending)
            step();
        return 0;
    }

private:
    bool plans(const char* word) const { return m_plan == word; }

    bool readConfig() {
        while (true) {
            std::string_view payload;
            const auto next = m_reader.next(payload);
            if (!next)
                return false;
            if (*next) {
                proto::ServerConfig config;
                if (!protocol::decodePayload(payload, config))
                    return false;
                m_revision = config.options().revision();
                return true;
            }
            if (!readMore())
                return false;
        }
    }

    bool readMore() {
        std::array<char, 65536> buffer;
        const ssize_t count = ::recv(m_channel.get(), buffer.data(), buffer.size(), 0);
        if (count <= 0)
            return false;
        m_reader.append(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
        return true;
    }

    /// -1: go on.
    int start() {
        auto received = protocol::receiveListeners(m_scm.get(), soon());
        if (!received)
            return 2;
        m_listeners = std::move(received->listeners);
        if (plans("refuse_listeners")) {
            proto::WorkerResponse response = report(proto::REPORT_FATAL, protocol::fatalMessageId);
            response.set_status(proto::FAILURE);
            response.mutable_report()->set_error("the fake refuses its listeners");
            send(response);
            return 1;
        }
        m_stamps.set_listeners_ns(monotonicNowNs());
        sendPhase();
        if (plans("exit_early")) {
            pause();
            return 3;
        }
        if (plans("killed_at_start")) {
            pause();
            ::raise(SIGKILL);
        }
        auto read =
            protocol::forEachInitialRequest(protocol::stateFd, [this](const proto::WorkerRequest& record) {
                return m_state.apply(record.content(), state::ConfigState::Checks::Trusted);
            });
        if (!read)
            return 2;
        m_stamps.set_state_ns(monotonicNowNs());
        sendPhase();
        if (plans("slow_start"))
            pause();
        if (!plans("never_ready")) {
            m_stamps.set_ready_ns(monotonicNowNs());
            sendPhase();
        }
        if (plans("garbage")) {
            const std::string bytes("\x03\0\0\0\0\0\0\0", 8);
            (void)!::send(m_channel.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        }
        if (plans("crash_after")) {
            pause();
            ::raise(SIGSEGV);
        }
        return -1;
    }

    void pause() const { ::usleep(static_cast<useconds_t>(m_planMs) * 1000); }

    void step() {
        std::array<pollfd, 2> fds{
            {{m_channel.get(), POLLIN, 0}, {m_channel ? -1 : protocol::adoptionFd, POLLIN, 0}}};
        ::poll(fds.data(), fds.size(), 20);
        if (m_drainUntil)
            stepDrain();
        if (m_channel && fds[0].revents != 0)
            readChannel();
        if (fds[1].revents & POLLIN)
            adopt();
    }

    void readChannel() {
        // One frame is looked at before the next is read, so that the bytes of a hand-over are left for it.
        if (m_isCombined) {
            readCombined();
            return;
        }
        if (!readMore()) {
            loseAgent();
            return;
        }
        handleFrames();
    }

    /// The one connection of an adopted worker: a hand-over begins with a short varint and carries
    /// descriptors, a frame begins with eight bytes of length. Descriptors tell them apart.
    void readCombined() {
        std::array<char, 1> probe;
        std::array<char, CMSG_SPACE(sizeof(int) * 253)> control;
        iovec part{probe.data(), probe.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        if (::recvmsg(m_channel.get(), &message, MSG_PEEK | MSG_CMSG_CLOEXEC) <= 0) {
            loseAgent();
            return;
        }
        bool carriesDescriptors = false;
        for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
            carriesDescriptors = true;
            // A peek makes copies of them.
            const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (std::size_t index = 0; index < count; ++index)
                ::close(reinterpret_cast<const int*>(CMSG_DATA(header))[index]);
        }
        if (carriesDescriptors) {
            takeListeners(m_channel.get());
            return;
        }
        if (!readMore()) {
            loseAgent();
            return;
        }
        handleFrames();
    }

    void takeListeners(int fd) {
        auto received = protocol::receiveListeners(fd, soon());
        if (!received)
            return;
        for (auto& listener : received->listeners)
            m_listeners.push_back(std::move(listener));
    }

    void loseAgent() {
        m_channel.reset();
        m_scm.reset();
        m_reader = protocol::FrameReader();
    }

    void handleFrames() {
        while (true) {
            std::string_view payload;
            const auto next = m_reader.next(payload);
            if (!next || !*next)
                return;
            proto::WorkerRequest request;
            if (protocol::decodePayload(payload, request))
                handle(request);
        }
    }

    void handle(const proto::WorkerRequest& request) {
        if (request.content().has_soft_stop()) {
            if (plans("crash_in_drain"))
                ::raise(SIGKILL);
            m_drainId = request.id();
            m_draining = true;
            const std::int64_t now = monotonicNowNs();
            m_drainUntil = plans("hang_in_drain") ? now + 3'600'000'000'000
                : plans("slow_drain")             ? now + static_cast<std::int64_t>(m_planMs) * 1'000'000
                                                  : now;
            return;
        }
        if (request.content().has_hard_stop()) {
            answer(request.id(), true, {});
            m_ending = true;
            return;
        }
        if (plans("silent"))
            return;
        if (request.content().has_status()) {
            answer(request.id(), true, {});
            return;
        }
        if (plans("refuse_state")) {
            answer(request.id(), false, "the fake refuses");
            return;
        }
        if (request.content().has_activate_listener() && m_scm)
            takeListeners(m_scm.get());
        const auto applied = m_state.apply(request.content());
        if (applied)
            ++m_revision;
        answer(request.id(), applied.has_value(), applied ? "" : applied.error().toString());
    }

    void stepDrain() {
        const bool over = monotonicNowNs() >= *m_drainUntil;
        proto::WorkerResponse response = report(proto::REPORT_DRAIN, m_drainId.c_str());
        response.mutable_report()->mutable_drain()->set_open_connections(over ? 0 : 2);
        response.mutable_report()->mutable_drain()->set_drained(over ? 2 : 0);
        if (over) {
            response.set_status(proto::OK);
            m_ending = true;
        }
        send(response);
    }

    void answer(const std::string& id, bool ok, const std::string& message) {
        proto::WorkerResponse response;
        response.set_id(id);
        response.set_status(ok ? proto::OK : proto::FAILURE);
        response.set_message(message);
        send(response);
    }

    proto::WorkerResponse report(proto::ReportKind kind, const char* id) const {
        proto::WorkerResponse response;
        response.set_id(id);
        response.set_status(proto::PROCESSING);
        response.set_message("");
        proto::WorkerReport& report = *response.mutable_report();
        report.set_kind(kind);
        report.set_id(m_id);
        report.set_slot(m_slot);
        report.set_pid(plans("wrong_pid") ? 1 : ::getpid());
        report.set_version("fake");
        report.set_revision(m_revision);
        report.set_started_unix_ns(unixNowNs());
        *report.mutable_stamps() = m_stamps;
        report.set_phase(m_draining       ? proto::PHASE_DRAINING
                : m_stamps.has_ready_ns() ? proto::PHASE_SERVING
                                          : proto::PHASE_STARTING);
        for (std::size_t index = plans("fewer_listeners") ? 1 : 0; index < m_listeners.size(); ++index)
            report.add_listeners(m_listeners[index].address);
        if (plans("foreign_listener"))
            report.add_listeners("127.0.0.1:1");
        return response;
    }

    void sendPhase() { send(report(proto::REPORT_PHASE, protocol::phaseMessageId)); }

    void send(const proto::WorkerResponse& response) {
        const auto frame = protocol::encodeFrame(response);
        if (frame && m_channel)
            (void)!::send(m_channel.get(), frame->data(), frame->size(), MSG_NOSIGNAL);
    }

    void adopt() {
        UniqueFd connection(::accept4(protocol::adoptionFd, nullptr, nullptr, SOCK_CLOEXEC));
        if (!connection)
            return;
        auto image = protocol::writeInitialState(
            [this](const protocol::RequestSink& sink) { m_state.forEachRequest(sink); });
        if (!image)
            return;
        std::vector<protocol::ListenerToSend> listeners;
        for (const auto& listener : m_listeners)
            listeners.push_back({listener.address, listener.type, listener.fd.get()});
        const std::array leading{static_cast<int>(protocol::metricsFd), image->fd.get()};
        if (!protocol::sendListeners(connection.get(), listeners, soon(), leading))
            return;
        m_channel = std::move(connection);
        m_isCombined = true;
        send(report(proto::REPORT_ADOPTION, protocol::adoptMessageId));
    }

    std::uint32_t m_id, m_slot;
    std::string m_plan = "ok";
    unsigned m_planMs = 0;
    UniqueFd m_channel, m_scm;
    bool m_isCombined = false;
    protocol::FrameReader m_reader;
    proto::StartupStamps m_stamps;
    std::vector<protocol::ReceivedListener> m_listeners;
    state::ConfigState m_state;
    std::uint64_t m_revision = 0;
    std::string m_drainId;
    std::optional<std::int64_t> m_drainUntil;
    bool m_draining = false;
    bool m_ending = false;
};

} // namespace

int main(int argc, char** argv) {
    if (argc != 5)
        return 2;
    ::signal(SIGPIPE, SIG_IGN);
    FakeWorker worker(
        static_cast<std::uint32_t>(std::atoi(argv[2])), static_cast<std::uint32_t>(std::atoi(argv[4])));
    return worker.run();
}

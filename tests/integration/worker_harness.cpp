// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/integration/worker_harness.h"

#include "backend/protocol/initial_state.h"
#include "backend/protocol/listener_passing.h"
#include "backend/protocol/worker_channel.h"
#include "backend/state/socket_address.h"

#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yardmaster::test {

namespace {

using namespace std::chrono_literals;
constexpr int patienceMs = 5'000;

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

bool waitReadable(int fd, int timeoutMs) {
    pollfd wait{fd, POLLIN, 0};
    return ::poll(&wait, 1, timeoutMs) > 0;
}

void setAddress(proto::SocketAddress& wire, std::uint16_t port) {
    wire.mutable_ip()->set_v4(INADDR_LOOPBACK);
    wire.set_port(port);
}

protocol::Deadline soon() {
    return std::chrono::steady_clock::now() + 5s;
}

} // namespace

TestListener::TestListener()
    : fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    auto address = loopback(0);
    ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(fd.get(), 1024);
    socklen_t bytes = sizeof address;
    ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &bytes);
    port = ntohs(address.sin_port);
}

TestConnection TestConnection::to(std::uint16_t port) {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = loopback(port);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        fd.reset();
    return TestConnection(std::move(fd));
}

TestConnection TestConnection::acceptFrom(const TestListener& listener) {
    if (!waitReadable(listener.fd.get(), patienceMs))
        return {};
    return TestConnection(UniqueFd(::accept4(listener.fd.get(), nullptr, nullptr, SOCK_CLOEXEC)));
}

void TestConnection::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(m_fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
}

std::string TestConnection::readUntil(const std::function<bool(std::string_view)>& enough) {
    std::array<char, 65536> buffer;
    while (!enough(m_rest) && waitReadable(m_fd.get(), patienceMs)) {
        const ssize_t count = ::recv(m_fd.get(), buffer.data(), buffer.size(), 0);
        if (count <= 0)
            break;
        m_rest.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return m_rest;
}

std::string TestConnection::readMessage() {
    std::size_t wanted = 0;
    readUntil([&wanted](std::string_view bytes) {
        const std::size_t end = bytes.find("\r\n\r\n");
        if (end == std::string_view::npos)
            return false;
        wanted = end + 4;
        const std::size_t length = bytes.substr(0, end).find("ontent-Length: ");
        if (length != std::string_view::npos)
            wanted += std::strtoull(bytes.data() + length + 15, nullptr, 10);
        return bytes.size() >= wanted;
    });
    std::string message = m_rest.substr(0, wanted);
    m_rest.erase(0, message.size());
    return message;
}

std::string TestConnection::readHead() {
    readUntil([](std::string_view bytes) { return bytes.find("\r\n\r\n") != std::string_view::npos; });
    const std::size_t end = m_rest.find("\r\n\r\n");
    std::string head = m_rest.substr(0, end == std::string::npos ? end : end + 4);
    m_rest.erase(0, head.size());
    return head;
}

std::string TestConnection::read(std::size_t bytes) {
    readUntil([bytes](std::string_view got) { return got.size() >= bytes; });
    std::string piece = m_rest.substr(0, bytes);
    m_rest.erase(0, piece.size());
    return piece;
}

std::string TestConnection::readToEnd() {
    return readUntil([](std::string_view) { return false; });
}

bool TestConnection::isClosedByPeer() {
    std::array<char, 4096> buffer;
    while (waitReadable(m_fd.get(), patienceMs)) {
        if (::recv(m_fd.get(), buffer.data(), buffer.size(), 0) <= 0)
            return true;
    }
    return false;
}

void TestConnection::reset() {
    const linger now{1, 0};
    ::setsockopt(m_fd.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    m_fd.reset();
}

bool TestConnection::wasReset() {
    std::array<char, 65536> buffer;
    while (waitReadable(m_fd.get(), patienceMs)) {
        const ssize_t count = ::recv(m_fd.get(), buffer.data(), buffer.size(), 0);
        if (count <= 0)
            return count < 0 && errno == ECONNRESET;
    }
    return false;
}

bool TestConnection::isSilent(int ms) {
    return m_rest.empty() && !waitReadable(m_fd.get(), ms);
}

void TestConnection::shutdownWrite() {
    ::shutdown(m_fd.get(), SHUT_WR);
}

WorkerHarness::WorkerHarness() {
    setAddress(*listenerConfig.mutable_address(), m_listener.port);
    listenerConfig.set_expect_proxy(false);
    listenerConfig.set_sticky_name("SERVERID");
    listenerConfig.set_front_timeout(60);
    listenerConfig.set_back_timeout(30);
    listenerConfig.set_connect_timeout(3);
    listenerConfig.set_request_timeout(10);
    listenerConfig.set_active(true);
    clusterConfig.set_cluster_id("web");
    clusterConfig.set_sticky_session(false);
    clusterConfig.set_https_redirect(false);
    clusterConfig.set_load_balancing(proto::ROUND_ROBIN);
}

WorkerHarness::~WorkerHarness() {
    if (m_pid > 0) {
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }
    if (!m_adoptionPath.empty())
        ::unlink(m_adoptionPath.c_str());
}

void WorkerHarness::addBackend(std::uint16_t port, const std::string& id) {
    proto::Request request;
    auto* backend = request.mutable_add_backend();
    backend->set_cluster_id("web");
    backend->set_backend_id(id);
    setAddress(*backend->mutable_address(), port);
    moreState.push_back(request);
}

void WorkerHarness::addFrontend(
    const std::string& hostname, const std::string& prefix, const std::string& clusterId) {
    proto::Request request;
    auto* frontend = request.mutable_add_http_frontend();
    if (!clusterId.empty())
        frontend->set_cluster_id(clusterId);
    setAddress(*frontend->mutable_address(), m_listener.port);
    frontend->set_hostname(hostname);
    frontend->mutable_path()->set_kind(proto::PREFIX);
    frontend->mutable_path()->set_value(prefix);
    frontend->set_position(proto::TREE);
    m_frontends.push_back(request);
}

bool WorkerHarness::start(bool passListener) {
    auto page = metrics::MetricsPage::create(7);
    if (!page)
        return false;
    m_page = std::make_unique<metrics::MetricsPage>(std::move(*page));
    if (m_frontends.empty())
        addFrontend("localhost", "/", "web");
    auto image = protocol::writeInitialState([this](const protocol::RequestSink& sink) {
        proto::Request request;
        *request.mutable_add_http_listener() = listenerConfig;
        sink(request);
        *request.mutable_add_cluster() = clusterConfig;
        sink(request);
        for (const auto& frontend : m_frontends)
            sink(frontend);
        for (const auto& more : moreState)
            sink(more);
    });
    std::array<int, 2> channel{}, scm{};
    ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel.data());
    ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, scm.data());
    m_channel.reset(channel[0]);
    m_scm.reset(scm[0]);

    m_adoptionPath =
        "/tmp/ym-test-" + std::to_string(::getpid()) + "-" + std::to_string(m_listener.port) + ".sock";
    UniqueFd adoption(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    m_adoptionPath.copy(address.sun_path, sizeof address.sun_path - 1);
    ::unlink(m_adoptionPath.c_str());
    ::bind(adoption.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(adoption.get(), 4);

    const std::string binary = std::string(std::getenv("YARDMASTER_BIN")) + "/yardmaster-worker";
    const std::array<std::pair<int, int>, 5> descriptors{
        std::pair{::fcntl(channel[1], F_DUPFD_CLOEXEC, 200), protocol::channelFd},
        std::pair{::fcntl(scm[1], F_DUPFD_CLOEXEC, 200), protocol::scmFd},
        std::pair{::fcntl(image->fd.get(), F_DUPFD_CLOEXEC, 200), protocol::stateFd},
        std::pair{::fcntl(m_page->fd(), F_DUPFD_CLOEXEC, 200), protocol::metricsFd},
        std::pair{::fcntl(adoption.get(), F_DUPFD_CLOEXEC, 200), protocol::adoptionFd}};
    m_pid = ::fork();
    if (m_pid == 0) {
        for (const auto& [from, to] : descriptors)
            ::dup2(from, to);
        ::execl(binary.c_str(), "yardmaster-worker", "--id", "7", "--slot", "3", nullptr);
        ::_exit(127);
    }
    for (const auto& descriptor : descriptors)
        ::close(descriptor.first);
    ::close(channel[1]);
    ::close(scm[1]);

    proto::ServerConfig config;
    config.set_max_connections(1000);
    config.set_front_timeout(60);
    config.set_back_timeout(30);
    config.set_connect_timeout(3);
    config.set_zombie_check_interval(1800);
    config.set_accept_queue_timeout(60);
    config.set_min_buffers(1);
    config.set_max_buffers(1000);
    config.set_buffer_size(16393);
    config.set_log_level("info");
    config.set_log_target("stdout");
    config.set_command_buffer_size(1'000'000);
    config.set_max_command_buffer_size(2'000'000);
    config.set_access_log_format(proto::Ascii);
    config.set_log_colored(false);
    config.mutable_options()->set_revision(5);
    config.mutable_options()->set_max_connections(maxConnections);
    if (!accessLog.empty())
        config.mutable_options()->set_access_log(accessLog);
    const auto frame = protocol::encodeFrame(config);
    if (::write(m_channel.get(), frame->data(), frame->size()) < 0)
        return false;
    std::vector<protocol::ListenerToSend> listeners;
    if (passListener)
        listeners.push_back({m_listener.address(), proto::HTTP, m_listener.fd.get()});
    if (!protocol::sendListeners(m_scm.get(), listeners, soon()))
        return false;

    proto::WorkerResponse response;
    while (readResponse(response, patienceMs)) {
        if (response.id() == protocol::fatalMessageId) {
            fatalError = response.report().error();
            return false;
        }
        stamps = response.report().stamps();
        if (stamps.has_ready_ns())
            return true;
    }
    return false;
}

bool WorkerHarness::readResponse(proto::WorkerResponse& response, int timeoutMs) {
    std::string_view payload;
    for (;;) {
        const auto next = m_reader.next(payload);
        if (!next)
            return false;
        if (*next)
            return protocol::decodePayload(payload, response).has_value();
        if (!waitReadable(m_channel.get(), timeoutMs))
            return false;
        std::array<char, 65536> buffer;
        const ssize_t count = ::read(m_channel.get(), buffer.data(), buffer.size());
        if (count <= 0)
            return false;
        m_reader.append(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
    }
}

void WorkerHarness::send(const proto::Request& request, const std::string& id) {
    proto::WorkerRequest message;
    message.set_id(id);
    *message.mutable_content() = request;
    const auto frame = protocol::encodeFrame(message);
    if (::write(m_channel.get(), frame->data(), frame->size()) < 0)
        return;
}

std::unique_ptr<proto::WorkerResponse> WorkerHarness::waitFor(const std::string& id, int timeoutMs) {
    auto response = std::make_unique<proto::WorkerResponse>();
    while (readResponse(*response, timeoutMs)) {
        if (response->id() == id && response->status() != proto::PROCESSING)
            return response;
        reports.push_back(*response);
    }
    return nullptr;
}

bool WorkerHarness::activate(const TestListener& listener, const std::string& id) {
    const protocol::ListenerToSend toSend{listener.address(), proto::HTTP, listener.fd.get()};
    const int socket = m_scm ? m_scm.get() : m_channel.get();
    if (!protocol::sendListeners(socket, {&toSend, 1}, soon()))
        return false;
    proto::Request request;
    auto* activate = request.mutable_activate_listener();
    setAddress(*activate->mutable_address(), listener.port);
    activate->set_proxy(proto::HTTP);
    activate->set_from_scm(true);
    send(request, id);
    return true;
}

std::uint64_t WorkerHarness::counter(metrics::Counter which) const {
    return m_page->layout().worker.get(which);
}

std::uint64_t WorkerHarness::gauge(metrics::Gauge which) const {
    return m_page->layout().worker.get(which);
}

void WorkerHarness::startDrain(std::uint32_t deadlineMs, std::uint32_t quietMs) {
    proto::Request request;
    auto* drain = request.mutable_soft_stop()->mutable_drain();
    drain->set_deadline_ms(deadlineMs);
    drain->set_quiet_ms(quietMs);
    send(request, "drain");
}

bool WorkerHarness::waitForExit(int& exitCode) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
        int status = 0;
        if (::waitpid(m_pid, &status, WNOHANG) == m_pid) {
            m_pid = -1;
            exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            return true;
        }
        ::poll(nullptr, 0, 10);
    }
    return false;
}

void WorkerHarness::sendRaw(std::string_view bytes) {
    (void)::send(m_channel.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

bool WorkerHarness::waitForChannelEnd() {
    std::array<char, 4096> buffer;
    while (waitReadable(m_channel.get(), patienceMs)) {
        if (::recv(m_channel.get(), buffer.data(), buffer.size(), 0) <= 0)
            return true;
    }
    return false;
}

void WorkerHarness::closeChannel() {
    m_channel.reset();
    m_scm.reset();
}

int WorkerHarness::adopt() {
    UniqueFd connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    m_adoptionPath.copy(address.sun_path, sizeof address.sun_path - 1);
    if (::connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        return -1;
    auto received = protocol::receiveListeners(connection.get(), soon(), 2);
    if (!received || received->leading.size() != 2)
        return -1;
    m_reader = protocol::FrameReader(64 * 1024 * 1024);
    m_scm.reset();
    m_channel = std::move(connection);
    proto::WorkerResponse response;
    if (!readResponse(response, patienceMs) || response.id() != protocol::adoptMessageId)
        return -1;
    reports.push_back(response);
    return static_cast<int>(received->listeners.size());
}

} // namespace yardmaster::test

// SPDX-License-Identifier: GPL-3.0-or-later
#include "lab_harness.h"

#include "backend/base/monotonic_clock.h"

#include <QList>

#include <array>
#include <future>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace yardmaster::lab::test {

namespace {

constexpr int patienceMs = 20'000;

class Stopper final : public io::EventHandler {
public:
    explicit Stopper(io::EventLoop& loop)
        : m_loop(loop) { }
    void onEvents(std::uint32_t) override { m_loop.stop(); }

private:
    io::EventLoop& m_loop;
};

bool waitReadable(int fd, int timeoutMs) {
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, timeoutMs) == 1;
}

void sendAll(int fd, QByteArray bytes, int flags = 0) {
    while (!bytes.isEmpty()) {
        const ssize_t count =
            ::send(fd, bytes.constData(), static_cast<std::size_t>(bytes.size()), MSG_NOSIGNAL | flags);
        if (count <= 0)
            return;
        bytes.remove(0, static_cast<qsizetype>(count));
    }
}

QByteArray fieldOf(const QByteArray& head, const char* name) {
    for (const QByteArray& line : head.split('\n')) {
        const qsizetype colon = line.indexOf(':');
        if (colon > 0 && line.first(colon).compare(name, Qt::CaseInsensitive) == 0)
            return line.mid(colon + 1).trimmed();
    }
    return {};
}

} // namespace

SocketAddress localAddress(std::uint16_t port) {
    return *SocketAddress::parse("127.0.0.1:" + std::to_string(port));
}

UpstreamThread::UpstreamThread(UpstreamOptions options)
    : m_stop(::eventfd(0, EFD_CLOEXEC)) {
    std::promise<std::vector<SocketAddress>> started;
    auto addresses = started.get_future();
    m_thread = std::thread([this, options = std::move(options), started = std::move(started)]() mutable {
        auto loop = io::EventLoop::create();
        Stopper stopper(*loop);
        Upstream upstream(*loop, std::move(options));
        const auto ready = upstream.start();
        if (!ready || !loop->watch(m_stop.get(), EPOLLIN, stopper))
            qFatal("the upstream did not start: %s", ready ? "" : ready.error().toString().c_str());
        started.set_value(upstream.addresses());
        loop->run([] {}, [&upstream] { upstream.onBatchEnd(); });
    });
    m_addresses = addresses.get();
}

UpstreamThread::~UpstreamThread() {
    const std::uint64_t one = 1;
    if (::write(m_stop.get(), &one, sizeof one) != sizeof one)
        qFatal("eventfd");
    m_thread.join();
}

QByteArray Answer::field(const char* name) const {
    return fieldOf(head, name);
}

RawClient::RawClient(const SocketAddress& address)
    : m_fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (::connect(m_fd.get(), address.get(), address.size()) != 0)
        qFatal("cannot connect to %s", address.toString().c_str());
}

void RawClient::send(const QByteArray& bytes) {
    sendAll(m_fd.get(), bytes);
}

void RawClient::shutdownWrite() {
    ::shutdown(m_fd.get(), SHUT_WR);
}

bool RawClient::readMore() {
    std::array<char, 65536> bytes;
    if (!waitReadable(m_fd.get(), patienceMs))
        return false;
    const ssize_t count = ::recv(m_fd.get(), bytes.data(), bytes.size(), 0);
    if (count > 0)
        m_input.append(bytes.data(), static_cast<qsizetype>(count));
    return count > 0;
}

std::optional<Answer> RawClient::readAnswer(bool headRequest) {
    Answer answer;
    qsizetype end = -1;
    while ((end = m_input.indexOf("\r\n\r\n")) < 0) {
        if (!readMore())
            return std::nullopt;
    }
    answer.head = m_input.first(end + 4);
    m_input.remove(0, end + 4);
    answer.status = answer.head.mid(9, 3).toInt();
    if (headRequest || answer.status < 200 || answer.status == 204 || answer.status == 304)
        return answer;
    if (answer.field("Transfer-Encoding") != "chunked") {
        const qsizetype size = answer.field("Content-Length").toLongLong();
        while (m_input.size() < size) {
            if (!readMore())
                return std::nullopt;
        }
        answer.body = m_input.first(size);
        m_input.remove(0, size);
        return answer;
    }
    for (;;) {
        qsizetype line = -1;
        while ((line = m_input.indexOf("\r\n")) < 0) {
            if (!readMore())
                return std::nullopt;
        }
        const qsizetype size = m_input.first(line).toLongLong(nullptr, 16);
        while (m_input.size() < line + 2 + size + 2) {
            if (!readMore())
                return std::nullopt;
        }
        answer.body += m_input.mid(line + 2, size);
        m_input.remove(0, line + 2 + size + 2);
        if (size == 0)
            return answer;
    }
}

bool RawClient::readEnd() {
    char byte = 0;
    return m_input.isEmpty() && waitReadable(m_fd.get(), patienceMs) && ::recv(m_fd.get(), &byte, 1, 0) == 0;
}

ScriptedServer::ScriptedServer(Script script)
    : m_script(std::move(script))
    , m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const SocketAddress any = localAddress();
    if (::bind(m_listener.get(), any.get(), any.size()) != 0 || ::listen(m_listener.get(), 1000) != 0)
        qFatal("cannot listen");
    m_address = *SocketAddress::ofSocket(m_listener.get());
    m_acceptor = std::thread([this] { acceptAll(); });
}

ScriptedServer::~ScriptedServer() {
    m_isStopping = true;
    m_acceptor.join();
    for (std::thread& thread : m_threads)
        thread.join();
}

void ScriptedServer::acceptAll() {
    while (!m_isStopping) {
        if (!waitReadable(m_listener.get(), 5))
            continue;
        const int fd = ::accept4(m_listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0)
            continue;
        ++m_accepted;
        m_threads.emplace_back([this, fd] { serve(fd); });
    }
}

void ScriptedServer::serve(int number) {
    UniqueFd fd(number);
    QByteArray input;
    const auto readMore = [&] {
        std::array<char, 65536> bytes;
        while (!waitReadable(fd.get(), 5)) {
            if (m_isStopping)
                return false;
        }
        const ssize_t count = ::recv(fd.get(), bytes.data(), bytes.size(), 0);
        if (count > 0)
            input.append(bytes.data(), static_cast<qsizetype>(count));
        return count > 0;
    };
    for (;;) {
        Request request;
        qsizetype end = -1;
        while ((end = input.indexOf("\r\n\r\n")) < 0) {
            if (!readMore())
                return;
        }
        request.head = input.first(end + 4);
        const qsizetype size = fieldOf(request.head, "Content-Length").toLongLong();
        while (input.size() < end + 4 + size) {
            if (!readMore())
                return;
        }
        request.body = input.mid(end + 4, size);
        input.remove(0, end + 4 + size);
        {
            const std::lock_guard lock(m_mutex);
            request.number = static_cast<int>(m_requests.size()) + 1;
            m_requests.push_back(request);
        }
        const Action action = m_script(request);
        if (act(fd.get(), action))
            continue;
        if (action.end == Action::End::Hang) {
            while (readMore()) { }
        } else if (action.end == Action::End::Reset) {
            const linger now{1, 0};
            ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
        }
        return;
    }
}

bool ScriptedServer::act(int fd, const Action& action) {
    if (action.waitMs > 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(action.waitMs));
    // With MSG_MORE the kernel holds the last segment back, so that the FIN goes out in it.
    sendAll(fd, action.bytes, action.end == Action::End::CloseAtOnce ? MSG_MORE : 0);
    return action.end == Action::End::Keep;
}

std::vector<ScriptedServer::Request> ScriptedServer::requests() {
    const std::lock_guard lock(m_mutex);
    return m_requests;
}

QByteArray ScriptedServer::rightAnswer(const Request& request, const char* fields) {
    const QByteArray body = request.head.startsWith("POST") ? request.body : QByteArray("0123456789");
    return QByteArray("HTTP/1.1 200 OK\r\n") + QByteArray(fields)
        + "Content-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body;
}

void run(io::EventLoop& loop, LoadGenerator& load, const std::function<void()>& onBatch) {
    const std::int64_t deadlineNs = monotonicNowNs() + 60'000'000'000;
    loop.run(
        [&] {
            if (monotonicNowNs() > deadlineNs)
                qFatal("the load does not end");
        },
        [&] {
            if (onBatch)
                onBatch();
            load.onBatchEnd();
            if (load.isDone())
                loop.stop();
        });
    load.stats().finish(monotonicNowNs());
}

} // namespace yardmaster::lab::test

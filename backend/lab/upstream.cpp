// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/upstream.h"

#include "backend/base/monotonic_clock.h"
#include "backend/http/fields.h"
#include "backend/http/head_writer.h"
#include "backend/http/parser.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <netinet/tcp.h>
#include <sys/epoll.h>

namespace yardmaster::lab {

namespace {

std::uint64_t queryNumber(std::string_view query, std::string_view name, std::uint64_t fallback) {
    const std::size_t at = query.find(std::string(name) + "=");
    if (at == std::string_view::npos)
        return fallback;
    std::uint64_t value = fallback;
    const char* begin = query.data() + at + name.size() + 1;
    std::from_chars(begin, query.data() + query.size(), value);
    return value;
}

} // namespace

class Upstream::Server final : public io::EventHandler {
public:
    Server(Upstream& owner, UniqueFd fd, std::size_t index)
        : m_owner(owner)
        , m_fd(std::move(fd))
        , m_index(index) { }
    void onEvents(std::uint32_t events) override;
    [[nodiscard]] int fd() const { return m_fd.get(); }

private:
    Upstream& m_owner;
    UniqueFd m_fd;
    std::size_t m_index;
};

class Upstream::Connection final : public io::EventHandler {
public:
    Connection(Upstream& owner, UniqueFd fd, std::size_t server)
        : m_owner(owner)
        , m_socket(std::move(fd), true)
        , m_server(server) { }

    void onEvents(std::uint32_t events) override {
        if (!m_socket.isOpen())
            return;
        m_socket.noteEvents(events);
        flush();
        serve();
    }
    void answerNow() {
        m_isWaiting = false;
        flush();
        serve();
    }
    [[nodiscard]] int fd() const { return m_socket.fd(); }

private:
    void serve();
    bool readMore();
    bool takeBody();
    void prepareAnswer();
    void flush();
    void close();

    Upstream& m_owner;
    io::StreamSocket m_socket;
    std::size_t m_server;
    std::string m_input, m_output, m_body;
    http::RequestParser m_parser;
    http::ChunkedDecoder m_chunks;
    bool m_hasHead = false;
    bool m_isWaiting = false; ///< for the latency
    bool m_closeAfter = false;
    std::uint64_t m_remaining = 0;
    http::BodyFraming m_framing = http::BodyFraming::None;
    // Of the head, copied because the input moves.
    std::string m_path, m_query, m_head;
    http::Method m_method = http::Method::Other;
};

void Upstream::Server::onEvents(std::uint32_t) {
    for (int accepted = 0; accepted < 64; ++accepted) {
        UniqueFd fd(::accept4(m_fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!fd)
            return;
        const int on = 1;
        ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        auto connection = std::make_unique<Connection>(m_owner, std::move(fd), m_index);
        if (m_owner.m_loop.watch(connection->fd(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *connection))
            m_owner.m_connections.emplace(connection.get(), std::move(connection));
    }
}

bool Upstream::Connection::readMore() {
    std::array<char, 65536> bytes;
    std::size_t count = 0;
    switch (m_socket.canRead() ? m_socket.read(bytes, count) : io::IoResult::WouldBlock) {
    case io::IoResult::Done:
        m_input.append(bytes.data(), count);
        return true;
    case io::IoResult::WouldBlock:
        return false;
    case io::IoResult::EndOfStream:
    case io::IoResult::Failed:
        close();
        return false;
    }
    return false;
}

void Upstream::Connection::serve() {
    while (m_socket.isOpen() && !m_isWaiting && m_output.empty()) {
        if (!m_hasHead) {
            const http::ParseStatus status = m_parser.parse(m_input);
            if (status == http::ParseStatus::NeedMore) {
                if (!readMore())
                    return;
                continue;
            }
            if (status == http::ParseStatus::Error) {
                http::writeOwnAnswer(m_output, m_parser.error().status, false, false);
                m_closeAfter = true;
                flush();
                return;
            }
            const http::RequestHead& head = m_parser.head();
            m_method = head.method;
            m_path.assign(head.path);
            m_query.assign(head.query);
            m_head.assign(m_input, 0, head.headBytes);
            m_closeAfter = !head.keepAlive;
            m_framing = head.framing;
            m_remaining = head.framing == http::BodyFraming::ContentLength ? head.contentLength : 0;
            if (head.expectContinue && head.framing != http::BodyFraming::None)
                m_output = "HTTP/1.1 100 Continue\r\n\r\n";
            m_input.erase(0, head.headBytes);
            m_body.clear();
            m_chunks.reset();
            m_hasHead = true;
            flush();
        }
        if (!takeBody()) {
            if (!readMore())
                return;
            continue;
        }
        m_hasHead = false;
        m_parser.reset();
        prepareAnswer();
    }
}

bool Upstream::Connection::takeBody() {
    if (m_framing == http::BodyFraming::ContentLength) {
        const std::size_t count = std::min<std::uint64_t>(m_remaining, m_input.size());
        m_body.append(m_input, 0, count);
        m_input.erase(0, count);
        m_remaining -= count;
        return m_remaining == 0;
    }
    if (m_framing == http::BodyFraming::None)
        return true;
    for (;;) {
        const auto step = m_chunks.next(m_input);
        if (step.kind == http::ChunkedDecoder::Kind::Data)
            m_body.append(step.data);
        m_input.erase(0, step.consumed);
        if (step.kind == http::ChunkedDecoder::Kind::End)
            return true;
        if (step.kind == http::ChunkedDecoder::Kind::Error) {
            m_closeAfter = true;
            return true;
        }
        if (step.kind == http::ChunkedDecoder::Kind::NeedMore)
            return false;
    }
}

void Upstream::Connection::prepareAnswer() {
    int status = 200;
    bool chunked = false;
    std::string body;
    std::uint64_t latencyMs = m_owner.m_options.latenciesMs[m_server];
    if (m_path == "/slow")
        latencyMs = queryNumber(m_query, "ms", 1000);
    if (m_path == "/status")
        status = static_cast<int>(queryNumber(m_query, "code", 200));
    if (m_path == "/echo-headers")
        body = m_head;
    else if (m_method == http::Method::Post || m_method == http::Method::Put
        || m_method == http::Method::Patch)
        body = m_body;
    else if (m_path == "/bytes" || m_path == "/chunked")
        body.assign(queryNumber(m_query, "n", 1024), 'x');
    else
        body.assign(m_owner.m_options.bodyBytes, 'x');
    chunked = m_path == "/chunked";

    m_output = "HTTP/1.1 " + std::to_string(status) + " ";
    m_output.append(http::reasonPhrase(status))
        .append("\r\nX-Backend: ")
        .append(std::to_string(m_server))
        .append("\r\n");
    if (m_closeAfter)
        m_output += "Connection: close\r\n";
    const bool hasBody = m_method != http::Method::Head && status != 204 && status != 304 && status >= 200;
    if (chunked) {
        m_output += "Transfer-Encoding: chunked\r\n\r\n";
        for (std::size_t at = 0; hasBody && at < body.size(); at += 1000) {
            const std::string_view piece = std::string_view(body).substr(at, 1000);
            std::array<char, 20> size{};
            m_output.append(
                size.data(), std::to_chars(size.data(), size.data() + size.size(), piece.size(), 16).ptr);
            m_output.append("\r\n").append(piece).append("\r\n");
        }
        if (hasBody)
            m_output += "0\r\n\r\n";
    } else {
        if (status != 204)
            m_output.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
        m_output += "\r\n";
        if (hasBody)
            m_output += body;
    }
    if (latencyMs > 0) {
        m_isWaiting = true;
        m_owner.m_due.emplace(monotonicNowNs() + static_cast<std::int64_t>(latencyMs) * 1'000'000, this);
        return;
    }
    flush();
}

void Upstream::Connection::flush() {
    while (m_socket.isOpen() && !m_isWaiting && !m_output.empty() && m_socket.canWrite()) {
        std::size_t count = 0;
        const io::IoResult result = m_socket.write(m_output, {}, count);
        if (result == io::IoResult::Failed) {
            close();
            return;
        }
        m_output.erase(0, count);
    }
    if (m_socket.isOpen() && m_output.empty() && m_closeAfter && !m_hasHead && !m_isWaiting
        && m_input.empty())
        close();
}

void Upstream::Connection::close() {
    if (!m_socket.isOpen())
        return;
    m_socket.close();
    m_owner.ended(*this);
}

Upstream::Upstream(io::EventLoop& loop, UpstreamOptions options)
    : m_loop(loop)
    , m_options(std::move(options)) { }

Upstream::~Upstream() = default;

Expected<void> Upstream::start() {
    for (std::size_t index = 0; index < m_options.latenciesMs.size(); ++index) {
        UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        const int on = 1;
        ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port =
            htons(m_options.port == 0 ? 0 : static_cast<std::uint16_t>(m_options.port + index));
        const std::string where = m_options.address + ":" + std::to_string(ntohs(address.sin_port));
        if (::inet_pton(AF_INET, m_options.address.c_str(), &address.sin_addr) != 1)
            return failure(Error::Code::InvalidArgument, "not an IPv4 address", where);
        if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0
            || ::listen(fd.get(), 4096) != 0)
            return failure(Error::fromErrno(errno, "listen", where));
        socklen_t bytes = sizeof address;
        ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &bytes);
        m_ports.push_back(ntohs(address.sin_port));
        m_servers.push_back(std::make_unique<Server>(*this, std::move(fd), index));
        if (auto watched = m_loop.watch(m_servers.back()->fd(), EPOLLIN, *m_servers.back()); !watched)
            return watched;
    }
    return {};
}

void Upstream::onTimer() {
    const std::int64_t nowNs = monotonicNowNs();
    while (!m_due.empty() && m_due.begin()->first <= nowNs) {
        Connection* connection = m_due.begin()->second;
        m_due.erase(m_due.begin());
        connection->answerNow();
    }
}

void Upstream::onBatchEnd() {
    m_ended.clear();
}

void Upstream::ended(Connection& connection) {
    std::erase_if(m_due, [&](const auto& entry) { return entry.second == &connection; });
    const auto at = m_connections.find(&connection);
    if (at == m_connections.end())
        return;
    m_ended.push_back(std::move(at->second));
    m_connections.erase(at);
}

} // namespace yardmaster::lab

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/load_generator.h"

#include "backend/base/monotonic_clock.h"
#include "backend/http/parser.h"
#include "backend/io/byte_buffer.h"
#include "backend/io/stream_socket.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <netinet/tcp.h>
#include <sys/epoll.h>

namespace yardmaster::lab {

namespace {
constexpr std::size_t bufferBytes = 32 * 1024;
} // namespace

class LoadGenerator::Client final : public io::EventHandler {
public:
    explicit Client(LoadGenerator& owner)
        : m_owner(owner)
        , m_input(bufferBytes) { }

    void begin(std::int64_t dueNs);
    void onEvents(std::uint32_t events) override;
    void checkTimeout(std::int64_t nowNs);
    [[nodiscard]] bool isBusy() const { return m_isBusy; }
    void onBatchEnd() { m_closing.close(); }

private:
    void connect();
    void buildRequest();
    void pump();
    void receive();
    void judgeBody(std::string_view bytes);
    void answered();
    void lost(Loss loss);
    void closeSocket();
    void next();

    LoadGenerator& m_owner;
    io::StreamSocket m_socket;
    io::StreamSocket m_closing; ///< its number must not be given out again within this batch
    io::ByteBuffer m_input;
    http::ResponseParser m_parser;
    http::ChunkedDecoder m_chunks;
    std::string m_request;
    std::string m_body; ///< that was sent, for comparison
    std::size_t m_sentBytes = 0;
    bool m_isBusy = false;
    bool m_isConnected = false;
    bool m_isPost = false;
    bool m_hasHead = false;
    bool m_sawBytes = false;
    bool m_bodyDiffers = false;
    bool m_keepAlive = true;
    int m_status = 0;
    http::BodyFraming m_framing = http::BodyFraming::None;
    std::uint64_t m_received = 0;
    std::uint64_t m_expected = 0;
    std::int64_t m_dueNs = 0;
    std::int64_t m_startNs = 0;
};

void LoadGenerator::Client::buildRequest() {
    const std::uint64_t sequence = m_owner.m_sequence++;
    const LoadOptions& options = m_owner.m_options;
    m_isPost = options.method == LoadMethod::Post || (options.method == LoadMethod::Mix && sequence % 2 == 1);
    m_request = m_isPost ? "POST " : "GET ";
    m_request.append(options.paths[sequence % options.paths.size()])
        .append(" HTTP/1.1\r\nHost: ")
        .append(options.host);
    m_request.append("\r\nUser-Agent: yardmaster-lab\r\n");
    if (!options.keepAlive)
        m_request.append("Connection: close\r\n");
    m_body.clear();
    if (m_isPost) {
        // Different for each request, so that an answer to somebody else's is noticed.
        m_body = std::to_string(sequence) + ":";
        while (m_body.size() < options.bodyBytes)
            m_body.push_back(static_cast<char>('a' + (m_body.size() + sequence) % 26));
        m_body.resize(std::max<std::size_t>(options.bodyBytes, 1));
        m_request.append("Content-Length: ").append(std::to_string(m_body.size())).append("\r\n");
    }
    m_request.append("\r\n").append(m_body);
}

void LoadGenerator::Client::begin(std::int64_t dueNs) {
    m_isBusy = true;
    ++m_owner.m_inFlight;
    m_owner.m_stats.noteSent();
    buildRequest();
    m_sentBytes = 0;
    m_hasHead = m_sawBytes = m_bodyDiffers = false;
    m_received = m_expected = 0;
    m_input.clear();
    m_parser.reset();
    m_chunks.reset();
    m_startNs = monotonicNowNs();
    m_dueNs = dueNs == 0 ? m_startNs : dueNs;
    if (!m_socket.isOpen())
        connect();
    else
        pump();
}

void LoadGenerator::Client::connect() {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(m_owner.m_options.port);
    ::inet_pton(AF_INET, m_owner.m_options.address.c_str(), &address.sin_addr);
    const bool connected = ::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    if (!connected && errno != EINPROGRESS) {
        lost(Loss::Refused);
        return;
    }
    m_isConnected = false;
    m_socket = io::StreamSocket(std::move(fd), false);
    if (!m_owner.m_loop.watch(m_socket.fd(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *this))
        lost(Loss::Refused);
}

void LoadGenerator::Client::onEvents(std::uint32_t events) {
    if (!m_socket.isOpen())
        return;
    m_socket.noteEvents(events);
    if (!m_isConnected) {
        int error = 0;
        socklen_t bytes = sizeof error;
        ::getsockopt(m_socket.fd(), SOL_SOCKET, SO_ERROR, &error, &bytes);
        if (error != 0) {
            lost(Loss::Refused);
            return;
        }
        if (!(events & EPOLLOUT))
            return;
        m_isConnected = true;
    }
    if (!m_isBusy) {
        // An idle connection that the server ends costs no request.
        if (m_socket.canRead())
            closeSocket();
        return;
    }
    pump();
}

void LoadGenerator::Client::pump() {
    while (m_isBusy && m_sentBytes < m_request.size() && m_socket.canWrite()) {
        std::size_t count = 0;
        const auto result = m_socket.write(std::string_view(m_request).substr(m_sentBytes), {}, count);
        if (result == io::IoResult::Failed) {
            if (m_socket.canRead())
                break; // an early answer may be there
            lost(Loss::Reset);
            return;
        }
        m_sentBytes += count;
    }
    if (m_isBusy)
        receive();
}

void LoadGenerator::Client::receive() {
    while (m_isBusy && m_socket.isOpen() && m_socket.canRead()) {
        std::size_t count = 0;
        const auto result = m_socket.read(m_input.space(), count);
        if (result == io::IoResult::WouldBlock)
            return;
        if (result == io::IoResult::Failed) {
            lost(m_sawBytes || m_sentBytes > 0 ? Loss::Reset : Loss::Refused);
            return;
        }
        if (result == io::IoResult::EndOfStream) {
            if (m_hasHead && m_framing == http::BodyFraming::UntilClose)
                answered();
            else
                lost(m_sawBytes ? Loss::ShortBody : Loss::ClosedBeforeResponse);
            return;
        }
        m_sawBytes = true;
        m_input.produced(count);
        while (m_isBusy && !m_hasHead) {
            const auto status =
                m_parser.parse(m_input.view(), m_isPost ? http::Method::Post : http::Method::Get);
            if (status == http::ParseStatus::NeedMore)
                break;
            if (status == http::ParseStatus::Error) {
                lost(Loss::ProtocolError);
                return;
            }
            const http::ResponseHead& head = m_parser.head();
            m_input.consume(head.headBytes);
            if (head.status < 200) {
                m_parser.reset();
                continue;
            }
            m_hasHead = true;
            m_status = head.status;
            m_framing = head.framing;
            m_expected = head.contentLength;
            m_keepAlive = head.keepAlive && head.framing != http::BodyFraming::UntilClose;
            if (head.framing == http::BodyFraming::None
                || (head.framing == http::BodyFraming::ContentLength && m_expected == 0))
                answered();
        }
        if (!m_isBusy || !m_hasHead)
            continue;
        if (m_framing == http::BodyFraming::ContentLength) {
            const std::string_view body = m_input.view().substr(0, m_expected - m_received);
            judgeBody(body);
            m_input.consume(body.size());
            if (m_received == m_expected)
                answered();
        } else if (m_framing == http::BodyFraming::UntilClose) {
            judgeBody(m_input.view());
            m_input.clear();
        } else {
            while (m_isBusy && !m_input.empty()) {
                const auto step = m_chunks.next(m_input.view());
                if (step.kind == http::ChunkedDecoder::Kind::Data)
                    judgeBody(step.data);
                m_input.consume(step.consumed);
                if (step.kind == http::ChunkedDecoder::Kind::End)
                    answered();
                else if (step.kind == http::ChunkedDecoder::Kind::Error)
                    lost(Loss::ProtocolError);
                else if (step.kind == http::ChunkedDecoder::Kind::NeedMore)
                    break;
            }
        }
    }
}

void LoadGenerator::Client::judgeBody(std::string_view bytes) {
    if (m_isPost && m_status / 100 == 2
        && (m_received + bytes.size() > m_body.size()
            || std::string_view(m_body).substr(m_received, bytes.size()) != bytes))
        m_bodyDiffers = true;
    m_received += bytes.size();
}

void LoadGenerator::Client::answered() {
    if (m_status / 100 != 2) {
        lost(Loss::BadStatus);
        return;
    }
    if (m_isPost && (m_bodyDiffers || m_received != m_body.size())) {
        lost(Loss::WrongBody);
        return;
    }
    const std::int64_t nowNs = monotonicNowNs();
    m_owner.m_stats.noteAnswered(nowNs, static_cast<std::uint64_t>(nowNs - m_startNs) / 1000,
        static_cast<std::uint64_t>(nowNs - m_dueNs) / 1000);
    if (!m_keepAlive || !m_owner.m_options.keepAlive)
        closeSocket();
    next();
}

void LoadGenerator::Client::lost(Loss loss) {
    m_owner.m_stats.noteLost(monotonicNowNs(), loss);
    closeSocket();
    next();
}

void LoadGenerator::Client::closeSocket() {
    m_closing = std::move(m_socket);
    m_socket = io::StreamSocket();
    m_isConnected = false;
    m_owner.m_loop.forget(m_closing.fd());
}

void LoadGenerator::Client::next() {
    m_isBusy = false;
    --m_owner.m_inFlight;
    m_owner.becameIdle(*this);
}

void LoadGenerator::Client::checkTimeout(std::int64_t nowNs) {
    if (m_isBusy && nowNs - m_startNs > static_cast<std::int64_t>(m_owner.m_options.timeoutMs) * 1'000'000)
        lost(Loss::Timeout);
}

LoadGenerator::LoadGenerator(io::EventLoop& loop, LoadOptions options)
    : m_loop(loop)
    , m_options(std::move(options))
    , m_stats(m_options.seriesMs) { }

LoadGenerator::~LoadGenerator() = default;

Expected<void> LoadGenerator::start() {
    in_addr unused{};
    if (::inet_pton(AF_INET, m_options.address.c_str(), &unused) != 1 || m_options.port == 0)
        return failure(Error::Code::InvalidArgument, "not an IPv4 address with a port",
            m_options.address + ":" + std::to_string(m_options.port), "give --target 127.0.0.1:8080");
    m_startNs = monotonicNowNs();
    if (m_options.seconds > 0)
        m_endNs = m_startNs + static_cast<std::int64_t>(m_options.seconds * 1e9);
    for (std::uint32_t index = 0; index < m_options.connections; ++index) {
        m_clients.push_back(std::make_unique<Client>(*this));
        m_idle.push_back(m_clients.back().get());
    }
    return {};
}

bool LoadGenerator::mayBegin() const {
    return !m_isStopping && (m_endNs == 0 || monotonicNowNs() < m_endNs);
}

void LoadGenerator::becameIdle(Client& client) {
    // Begun from onTimer or onBatchEnd, not from here: a chain of instant failures must not recurse.
    m_idle.push_back(&client);
}

void LoadGenerator::onTimer() {
    const std::int64_t nowNs = monotonicNowNs();
    for (const auto& client : m_clients)
        client->checkTimeout(nowNs);
    if (m_options.requestsPerSecond > 0 && mayBegin()) {
        const auto wanted = static_cast<std::uint64_t>(
            static_cast<double>(nowNs - m_startNs) / 1e9 * m_options.requestsPerSecond);
        for (; m_scheduled < wanted; ++m_scheduled)
            m_due.push_back(m_startNs
                + static_cast<std::int64_t>(
                    static_cast<double>(m_scheduled) / m_options.requestsPerSecond * 1e9));
    }
}

void LoadGenerator::onBatchEnd() {
    for (const auto& client : m_clients)
        client->onBatchEnd();
    if (!mayBegin())
        return;
    std::vector<Client*> ready;
    ready.swap(m_idle);
    for (Client* client : ready) {
        if (m_options.requestsPerSecond <= 0) {
            client->begin(0);
        } else if (!m_due.empty()) {
            const std::int64_t dueNs = m_due.front();
            m_due.pop_front();
            client->begin(dueNs);
        } else {
            m_idle.push_back(client);
        }
    }
}

bool LoadGenerator::isDone() const {
    return !mayBegin() && m_inFlight == 0;
}

double LoadGenerator::seconds() const {
    return static_cast<double>(monotonicNowNs() - m_startNs) / 1e9;
}

} // namespace yardmaster::lab

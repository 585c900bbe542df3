// SPDX-License-Identifier: GPL-3.0-or-later
#include "blocking_upstream.h"

#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace yardmaster::tests {

namespace {

constexpr const char* body = "hello from behind";

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int connectTo(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(fd);
        return -1;
    }
    const timeval timeout{5, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    return fd;
}

bool sendAll(int fd, const std::string& text) {
    return ::send(fd, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

/// Reads one response with the known body; empty when it did not come whole.
std::string receiveResponse(int fd) {
    std::string text;
    std::array<char, 4096> buffer;
    while (text.find(body) == std::string::npos) {
        const ssize_t count = ::recv(fd, buffer.data(), buffer.size(), 0);
        if (count <= 0)
            return {};
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
}

} // namespace

BlockingUpstream::BlockingUpstream()
    : m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t length = sizeof address;
    ::bind(m_listener, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(m_listener, 256);
    ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &length);
    m_port = ntohs(address.sin_port);
    m_thread = std::thread([this] { run(); });
}

BlockingUpstream::~BlockingUpstream() {
    m_stop = true;
    m_thread.join();
    ::close(m_listener);
}

void BlockingUpstream::run() {
    const std::string response =
        "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(std::string(body).size()) + "\r\n\r\n" + body;
    std::vector<pollfd> fds{{m_listener, POLLIN, 0}};
    std::vector<std::string> inputs(1);
    while (!m_stop) {
        ::poll(fds.data(), fds.size(), 50);
        for (std::size_t index = fds.size(); index-- > 1;) {
            if (fds[index].revents == 0)
                continue;
            std::array<char, 4096> buffer;
            const ssize_t count = ::recv(fds[index].fd, buffer.data(), buffer.size(), 0);
            if (count <= 0) {
                ::close(fds[index].fd);
                fds.erase(fds.begin() + static_cast<std::ptrdiff_t>(index));
                inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(index));
                continue;
            }
            inputs[index].append(buffer.data(), static_cast<std::size_t>(count));
            for (std::size_t end; (end = inputs[index].find("\r\n\r\n")) != std::string::npos;) {
                inputs[index].erase(0, end + 4);
                (void)sendAll(fds[index].fd, response);
            }
        }
        if (fds[0].revents != 0) {
            const int fd = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
            if (fd >= 0) {
                fds.push_back({fd, POLLIN, 0});
                inputs.emplace_back();
            }
        }
    }
    for (std::size_t index = 1; index < fds.size(); ++index)
        ::close(fds[index].fd);
}

RequestLoop::RequestLoop(std::uint16_t port, bool keepAlive)
    : m_port(port)
    , m_keepAlive(keepAlive)
    , m_thread([this] { run(); }) { }

RequestLoop::~RequestLoop() {
    stop();
}

void RequestLoop::stop() {
    m_stop = true;
    if (m_thread.joinable())
        m_thread.join();
}

void RequestLoop::run() {
    const std::string request = std::string("GET / HTTP/1.1\r\nHost: localhost\r\n")
        + (m_keepAlive ? "" : "Connection: close\r\n") + "\r\n";
    int fd = -1;
    while (!m_stop) {
        if (fd < 0)
            fd = connectTo(m_port);
        const std::string response = fd >= 0 && sendAll(fd, request) ? receiveResponse(fd) : std::string();
        if (response.compare(0, 12, "HTTP/1.1 200") == 0)
            ++m_answered;
        else
            ++m_lost;
        const bool closes = response.empty() || response.find("Connection: close") != std::string::npos;
        if (closes && fd >= 0) {
            ::close(fd);
            fd = -1;
        }
    }
    if (fd >= 0)
        ::close(fd);
}

} // namespace yardmaster::tests

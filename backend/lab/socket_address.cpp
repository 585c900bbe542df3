// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/socket_address.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>

namespace yardmaster::lab {

Expected<SocketAddress> SocketAddress::parse(const std::string& text) {
    const auto refuse = [&text](const char* what) {
        return failure(Error::Code::InvalidArgument, what, text, "write it as 127.0.0.1:8080 or [::1]:8080");
    };
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos)
        return refuse("an address needs a port");
    std::string host = text.substr(0, colon);
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != std::string::npos)
        return refuse("an IPv6 address needs brackets");
    std::uint16_t port = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, port);
    if (error != std::errc{} || stop != end)
        return refuse("the port is no number from 0 to 65535");
    if (host.empty())
        return refuse("the address is empty");

    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int failed = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); failed != 0)
        return refuse(::gai_strerror(failed));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, &::freeaddrinfo);
    SocketAddress address;
    std::memcpy(&address.m_storage, found->ai_addr, found->ai_addrlen);
    address.m_size = found->ai_addrlen;
    address.setPort(port);
    return address;
}

Expected<SocketAddress> SocketAddress::ofSocket(int fd) {
    SocketAddress address;
    address.m_size = sizeof address.m_storage;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address.m_storage), &address.m_size) != 0)
        return failure(Error::fromErrno(errno, "getsockname"));
    return address;
}

std::uint16_t SocketAddress::port() const {
    if (family() == AF_INET6)
        return ntohs(reinterpret_cast<const sockaddr_in6*>(&m_storage)->sin6_port);
    return ntohs(reinterpret_cast<const sockaddr_in*>(&m_storage)->sin_port);
}

void SocketAddress::setPort(std::uint16_t port) {
    if (family() == AF_INET6)
        reinterpret_cast<sockaddr_in6*>(&m_storage)->sin6_port = htons(port);
    else
        reinterpret_cast<sockaddr_in*>(&m_storage)->sin_port = htons(port);
}

std::string SocketAddress::toString() const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (family() == AF_INET6) {
        ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&m_storage)->sin6_addr, text.data(),
            text.size());
        return "[" + std::string(text.data()) + "]:" + std::to_string(port());
    }
    ::inet_ntop(
        AF_INET, &reinterpret_cast<const sockaddr_in*>(&m_storage)->sin_addr, text.data(), text.size());
    return std::string(text.data()) + ":" + std::to_string(port());
}

} // namespace yardmaster::lab

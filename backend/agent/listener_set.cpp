// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/listener_set.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace yardmaster::agent {

namespace {

constexpr int listenBacklog = 4096;

socklen_t toSystem(const state::SocketAddress& address, sockaddr_storage& storage) {
    if (address.isV6) {
        auto& v6 = reinterpret_cast<sockaddr_in6&>(storage);
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(address.port);
        std::memcpy(&v6.sin6_addr, address.bytes.data(), 16);
        return sizeof v6;
    }
    auto& v4 = reinterpret_cast<sockaddr_in&>(storage);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    std::memcpy(&v4.sin_addr, address.bytes.data(), 4);
    return sizeof v4;
}

bool sameAddress(const sockaddr_storage& actual, const state::SocketAddress& wanted) {
    sockaddr_storage expected{};
    const socklen_t length = toSystem(wanted, expected);
    return actual.ss_family == expected.ss_family && std::memcmp(&actual, &expected, length) == 0;
}

Error systemError(const char* call, const state::SocketAddress& address) {
    const int number = errno;
    Error error = Error::fromErrno(number, call, address.toString());
    if (number == EADDRINUSE)
        error.hint = "another process listens there; stop it or choose another address";
    else if (number == EACCES)
        error.hint = "ports below 1024 need CAP_NET_BIND_SERVICE";
    else if (number == EADDRNOTAVAIL)
        error.hint = "no interface of this host has that address";
    return error;
}

} // namespace

Expected<void> ListenerSet::bind(const state::SocketAddress& address, proto::ListenerType type) {
    if (type != proto::HTTP)
        return failure(Error::Code::Unsupported, proto::ListenerType_Name(type) + " listeners are not served",
            address.toString(), "only http listeners can be activated");
    if (contains(address))
        return failure(Error::Code::AlreadyExists, "already listening", address.toString());
    UniqueFd fd(::socket(address.isV6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd)
        return failure(systemError("socket", address));
    const int on = 1;
    if (::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
        return failure(systemError("setsockopt SO_REUSEADDR", address));
    // [::]:80 and 0.0.0.0:80 are two listeners, whatever the system's default for dual stack is.
    if (address.isV6 && ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) != 0)
        return failure(systemError("setsockopt IPV6_V6ONLY", address));
    sockaddr_storage name{};
    const socklen_t length = toSystem(address, name);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&name), length) != 0)
        return failure(systemError("bind", address));
    if (::listen(fd.get(), listenBacklog) != 0)
        return failure(systemError("listen", address));
    m_listeners.emplace(address, Listener{address, type, std::move(fd)});
    return {};
}

Expected<void> ListenerSet::adopt(
    const state::SocketAddress& address, proto::ListenerType type, UniqueFd fd) {
    sockaddr_storage name{};
    socklen_t length = sizeof name;
    int listening = 0;
    socklen_t optionLength = sizeof listening;
    if (::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&name), &length) != 0
        || ::getsockopt(fd.get(), SOL_SOCKET, SO_ACCEPTCONN, &listening, &optionLength) != 0)
        return failure(systemError("inspect a handed over listener", address));
    if (listening == 0 || !sameAddress(name, address))
        return failure(
            Error::Code::InvalidArgument, "the handed over socket does not listen there", address.toString());
    ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
    if (!contains(address))
        m_listeners.emplace(address, Listener{address, type, std::move(fd)});
    return {};
}

void ListenerSet::close(const state::SocketAddress& address) {
    m_listeners.erase(address);
}

const ListenerSet::Listener* ListenerSet::find(const state::SocketAddress& address) const {
    const auto found = m_listeners.find(address);
    return found == m_listeners.end() ? nullptr : &found->second;
}

std::vector<const ListenerSet::Listener*> ListenerSet::inOrder() const {
    std::vector<const Listener*> ordered;
    for (const proto::ListenerType type : {proto::HTTP, proto::HTTPS, proto::TCP}) {
        for (const auto& [address, listener] : m_listeners) {
            if (listener.type == type)
                ordered.push_back(&listener);
        }
    }
    return ordered;
}

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/base/unique_fd.h"
#include "backend/protocol/command.pb.h"
#include "backend/state/socket_address.h"

#include <map>
#include <string>
#include <vector>

namespace yardmaster::agent {

/// The listening TCP sockets of the agent. It alone binds; all workers accept on the same open file
/// descriptions, so one accept queue outlives any worker. SO_REUSEPORT is never set: each of its sockets has
/// a queue of its own, and what is queued dies with the worker that held it.
class ListenerSet {
public:
    struct Listener {
        state::SocketAddress address;
        proto::ListenerType type = proto::HTTP;
        UniqueFd fd;
    };

    /// Binds and listens; AlreadyExists when the set has that address. Unsupported for all but HTTP: no
    /// worker would accept on it, and what connects would hang.
    [[nodiscard]] Expected<void> bind(const state::SocketAddress& address, proto::ListenerType type);
    /// Takes a socket that listens already (handed over by a worker an earlier agent started). A second one
    /// for the same address is closed. InvalidArgument when it does not listen on that address.
    [[nodiscard]] Expected<void> adopt(
        const state::SocketAddress& address, proto::ListenerType type, UniqueFd fd);
    void close(const state::SocketAddress& address);

    [[nodiscard]] bool contains(const state::SocketAddress& address) const {
        return m_listeners.contains(address);
    }
    [[nodiscard]] const Listener* find(const state::SocketAddress& address) const; ///< null: none
    [[nodiscard]] std::size_t size() const { return m_listeners.size(); }
    /// In the order in which they are handed to a worker: HTTP, HTTPS, TCP, each by address.
    [[nodiscard]] std::vector<const Listener*> inOrder() const;

private:
    std::map<state::SocketAddress, Listener> m_listeners;
};

} // namespace yardmaster::agent

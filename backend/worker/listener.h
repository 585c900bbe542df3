// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/message.h"
#include "backend/io/event_loop.h"
#include "backend/protocol/objects.pb.h"
#include "backend/worker/route_table.h"

#include <functional>
#include <memory>
#include <string>

namespace yardmaster::worker {

/// What a session needs to know of the listener it came through. Sessions share it, so that it outlives a
/// change of configuration.
struct ListenerSettings {
    std::string address; ///< "127.0.0.1:80"
    std::string port; ///< of public_address where there is one
    http::ParserLimits limits;
    bool replaceForwardedFor = false;
    std::string requestIdHeader = "X-Request-Id";
    std::int64_t idleTimeoutNs = 0, headerTimeoutNs = 0, responseTimeoutNs = 0, connectTimeoutNs = 0;
    std::shared_ptr<const RouteTable> routes;

    static std::shared_ptr<ListenerSettings> fromConfig(
        const proto::HttpListenerConfig& config, const std::string& address);
};

/// Where sessions find the settings that are in force: they take them over between two requests.
struct ListenerSlot {
    std::shared_ptr<const ListenerSettings> settings;
};

/// A listening socket shared with the other workers. The descriptor is never closed before the last accept
/// that may be due: closing our copy loses nothing, the queue belongs to all holders.
class Listener final : public io::EventHandler {
public:
    using Accept = std::function<void(UniqueFd fd, Listener& listener)>;

    Listener(io::EventLoop& loop, UniqueFd fd, std::string address, Accept accept);
    ~Listener();

    void onEvents(std::uint32_t events) override;

    [[nodiscard]] Expected<void> startAccepting();
    void stopAccepting();
    /// Accepts again after the process had no descriptor left.
    void retryAccepting();
    [[nodiscard]] bool isAccepting() const { return m_isAccepting; }
    [[nodiscard]] int fd() const { return m_fd.get(); }
    [[nodiscard]] const std::string& address() const { return m_address; }

    std::shared_ptr<ListenerSlot> slot = std::make_shared<ListenerSlot>(); ///< filled before accepting
    proto::ListenerType type = proto::HTTP;

private:
    io::EventLoop& m_loop;
    UniqueFd m_fd;
    std::string m_address;
    Accept m_accept;
    bool m_isAccepting = false;
    bool m_isExhausted = false;
};

} // namespace yardmaster::worker

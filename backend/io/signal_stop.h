// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/io/event_loop.h"

#include <functional>

namespace yardmaster::io {

/// Calls back on the loop when SIGINT or SIGTERM arrives (signalfd), instead of ending the process.
class SignalStop final : public EventHandler {
public:
    explicit SignalStop(std::function<void()> onSignal);
    [[nodiscard]] Expected<void> start(EventLoop& loop);
    void onEvents(std::uint32_t events) override;

private:
    std::function<void()> m_onSignal;
    UniqueFd m_fd;
};

} // namespace yardmaster::io

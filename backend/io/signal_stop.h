// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/io/event_loop.h"

#include <csignal>
#include <functional>
#include <vector>

namespace yardmaster::io {

/// Calls back on the loop when one of the signals arrives (signalfd), instead of ending the process.
class SignalStop final : public EventHandler {
public:
    explicit SignalStop(std::function<void()> onSignal, std::vector<int> signalNumbers = {SIGINT, SIGTERM});
    [[nodiscard]] Expected<void> start(EventLoop& loop);
    void onEvents(std::uint32_t events) override;

private:
    std::function<void()> m_onSignal;
    std::vector<int> m_signalNumbers;
    UniqueFd m_fd;
};

} // namespace yardmaster::io

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/io/event_loop.h"

#include <functional>

namespace yardmaster::io {

/// Calls back every `periodNs` on the loop (timerfd), for what the loop's own tick is too coarse for. Missed
/// periods are not made up for.
class IntervalTimer final : public EventHandler {
public:
    explicit IntervalTimer(std::function<void()> onExpire);
    [[nodiscard]] Expected<void> start(EventLoop& loop, std::int64_t periodNs);
    void onEvents(std::uint32_t events) override;

private:
    std::function<void()> m_onExpire;
    UniqueFd m_fd;
};

} // namespace yardmaster::io

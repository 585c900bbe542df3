// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/io/event_loop.h"

#include <cstdint>
#include <functional>

namespace yardmaster::lab {

/// Calls back once, at the earliest instant asked for (CLOCK_MONOTONIC ns). The callback may ask again.
class WakeTimer final : public io::EventHandler {
public:
    explicit WakeTimer(std::function<void()> onExpire);
    WakeTimer(const WakeTimer&) = delete;
    WakeTimer& operator=(const WakeTimer&) = delete;

    [[nodiscard]] Expected<void> start(io::EventLoop& loop);
    /// A later instant than one asked for already is covered by the earlier one: the callback asks again.
    void wakeAt(std::int64_t monotonicNs);
    void onEvents(std::uint32_t events) override;

private:
    std::function<void()> m_onExpire;
    UniqueFd m_fd;
    std::int64_t m_atNs = 0; ///< 0: not armed
};

} // namespace yardmaster::lab

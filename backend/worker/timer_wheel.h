// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace yardmaster::worker {

/// One deadline of one object; a part of the object, so that setting it allocates nothing.
class Timer {
public:
    /// The deadline has passed; the timer is off until it is set again.
    virtual void onTimer(std::int64_t nowNs) = 0;

    [[nodiscard]] std::int64_t deadlineNs() const { return m_deadlineNs; } ///< 0: off

protected:
    Timer() = default;
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer();

private:
    friend class TimerWheel;
    Timer* m_next = nullptr;
    Timer* m_previous = nullptr;
    std::int64_t m_deadlineNs = 0;
    std::int64_t m_visitTick = 0; ///< when the wheel looks at it next; never behind the deadline's tick
};

/// Coarse timers (100 ms). A deadline moves with every request, so moving one must cost a store: a timer is
/// looked at when its turn comes, every two seconds at least, and put back if its deadline has moved
/// meanwhile; only a deadline that comes earlier than the next look re-links it.
class TimerWheel {
public:
    static constexpr std::int64_t tickNs = 100'000'000;

    explicit TimerWheel(std::int64_t nowNs);
    TimerWheel(const TimerWheel&) = delete;
    TimerWheel& operator=(const TimerWheel&) = delete;
    ~TimerWheel() = default; // timers must be gone by now

    /// Times are CLOCK_MONOTONIC; a deadline is kept within one tick, and never missed to the early side.
    void set(Timer& timer, std::int64_t deadlineNs);
    void turnOff(Timer& timer) { timer.m_deadlineNs = 0; }

    /// Calls what is due. onTimer() may set, turn off and destroy any timer.
    void advance(std::int64_t nowNs);

private:
    static constexpr std::size_t slotCount = 32;
    static constexpr std::int64_t longestSleepTicks = 20;

    struct Slot final : Timer {
        Slot();
        void onTimer(std::int64_t) override { }
    };
    static void link(Timer& head, Timer& timer);
    static void unlink(Timer& timer);
    friend class Timer;
    void schedule(Timer& timer, std::int64_t dueTick);

    std::int64_t m_tick; ///< the last one that was handled
    std::array<Slot, slotCount> m_slots;
};

} // namespace yardmaster::worker

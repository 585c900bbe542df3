// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/timer_wheel.h"

#include <algorithm>

namespace yardmaster::worker {

Timer::~Timer() {
    if (m_next)
        TimerWheel::unlink(*this);
}

TimerWheel::Slot::Slot() {
    m_next = m_previous = this;
}

TimerWheel::TimerWheel(std::int64_t nowNs)
    : m_tick(nowNs / tickNs) { }

void TimerWheel::link(Timer& head, Timer& timer) {
    timer.m_next = &head;
    timer.m_previous = head.m_previous;
    head.m_previous->m_next = &timer;
    head.m_previous = &timer;
}

void TimerWheel::unlink(Timer& timer) {
    timer.m_previous->m_next = timer.m_next;
    timer.m_next->m_previous = timer.m_previous;
    timer.m_next = timer.m_previous = nullptr;
}

void TimerWheel::schedule(Timer& timer, std::int64_t dueTick) {
    timer.m_visitTick = std::clamp(dueTick, m_tick + 1, m_tick + longestSleepTicks);
    link(m_slots[static_cast<std::size_t>(timer.m_visitTick) % slotCount], timer);
}

void TimerWheel::set(Timer& timer, std::int64_t deadlineNs) {
    timer.m_deadlineNs = deadlineNs;
    const std::int64_t dueTick = (deadlineNs + tickNs - 1) / tickNs;
    if (timer.m_next) {
        if (timer.m_visitTick <= dueTick)
            return;
        unlink(timer);
    }
    schedule(timer, dueTick);
}

void TimerWheel::advance(std::int64_t nowNs) {
    const std::int64_t nowTick = nowNs / tickNs;
    while (m_tick < nowTick) {
        ++m_tick;
        Slot& slot = m_slots[static_cast<std::size_t>(m_tick) % slotCount];
        // The list is taken off first: what is scheduled from now on lies in later slots.
        Slot due;
        if (slot.m_next != &slot) {
            due.m_next = slot.m_next;
            due.m_previous = slot.m_previous;
            due.m_next->m_previous = &due;
            due.m_previous->m_next = &due;
            slot.m_next = slot.m_previous = &slot;
        }
        while (due.m_next != &due) {
            Timer& timer = *due.m_next;
            unlink(timer);
            if (timer.m_deadlineNs == 0)
                continue;
            if (timer.m_deadlineNs > nowNs) {
                schedule(timer, (timer.m_deadlineNs + tickNs - 1) / tickNs);
                continue;
            }
            timer.m_deadlineNs = 0;
            timer.onTimer(nowNs);
        }
        due.m_next = due.m_previous = nullptr;
    }
}

} // namespace yardmaster::worker

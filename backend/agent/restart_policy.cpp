// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/restart_policy.h"

namespace yardmaster::agent {

std::optional<std::int64_t> RestartPolicy::onCrash(std::int64_t nowNs) {
    m_crashes.push_back(nowNs);
    while (nowNs - m_crashes.front() > windowNs)
        m_crashes.pop_front();
    if (m_givenUp || m_crashes.size() >= maxCrashes) {
        m_givenUp = true;
        return std::nullopt;
    }
    if (m_crashes.size() == 1)
        return 0;
    return firstDelayNs << (m_crashes.size() - 2);
}

void RestartPolicy::reset() {
    m_crashes.clear();
    m_givenUp = false;
}

} // namespace yardmaster::agent

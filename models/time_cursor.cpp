// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/time_cursor.h"

namespace yardmaster::models {

TimeCursor::TimeCursor(QObject* parent)
    : QObject(parent) { }

TimeSpan TimeCursor::span() const {
    return m_pausedSpan ? *m_pausedSpan : TimeSpan{m_nowNs - m_lengthNs, m_nowNs};
}

void TimeCursor::setLengthNs(std::int64_t lengthNs) {
    m_lengthNs = lengthNs;
    const bool wasLive = isLive();
    m_pausedSpan.reset();
    m_missedSamples = 0;
    if (!wasLive)
        emit liveChanged(true);
    emit spanChanged();
}

void TimeCursor::setLive(bool live) {
    if (live == isLive())
        return;
    if (live) {
        m_pausedSpan.reset();
    } else {
        m_pausedSpan = span();
    }
    m_missedSamples = 0;
    emit liveChanged(live);
    emit spanChanged();
}

void TimeCursor::setSpan(TimeSpan span) {
    if (span.toNs <= span.fromNs)
        return;
    const bool wasLive = isLive();
    m_pausedSpan = span;
    if (wasLive) {
        m_missedSamples = 0;
        emit liveChanged(false);
    }
    emit spanChanged();
}

void TimeCursor::setCrosshair(std::optional<std::int64_t> atNs) {
    if (atNs == m_crosshairNs)
        return;
    m_crosshairNs = atNs;
    emit crosshairChanged();
}

void TimeCursor::advance(std::int64_t nowUnixNs) {
    m_nowNs = nowUnixNs;
    if (m_pausedSpan)
        ++m_missedSamples;
    else
        emit spanChanged();
}

} // namespace yardmaster::models

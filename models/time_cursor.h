// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/metrics_history.h"

#include <QObject>

#include <optional>

namespace yardmaster::models {

/// The one time range, Live/Paused and crosshair that all charts share. Live: the span ends now and moves
/// with each sample. Paused: it stands still, recording goes on, and missedSamples() counts what a Resume
/// will bring.
class TimeCursor : public QObject {
    Q_OBJECT
public:
    explicit TimeCursor(QObject* parent = nullptr);

    [[nodiscard]] TimeSpan span() const;
    [[nodiscard]] std::int64_t lengthNs() const { return m_lengthNs; }
    [[nodiscard]] bool isLive() const { return !m_pausedSpan; }
    [[nodiscard]] std::uint64_t missedSamples() const { return m_missedSamples; }
    [[nodiscard]] std::optional<std::int64_t> crosshairNs() const { return m_crosshairNs; }

    void setLengthNs(std::int64_t lengthNs); ///< and live again
    void setLive(bool live);
    void setSpan(TimeSpan span); ///< a zoom or a custom range: paused
    void setCrosshair(std::optional<std::int64_t> atNs);
    void advance(std::int64_t nowUnixNs); ///< with each snapshot

signals:
    void spanChanged(); ///< also with each advance() while live
    void liveChanged(bool live);
    void crosshairChanged();

private:
    std::int64_t m_lengthNs = 5LL * 60 * 1'000'000'000;
    std::int64_t m_nowNs = 0;
    std::optional<TimeSpan> m_pausedSpan;
    std::uint64_t m_missedSamples = 0;
    std::optional<std::int64_t> m_crosshairNs;
};

} // namespace yardmaster::models

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/job.h"

#include <QPointer>

namespace yardmaster::agent {

/// Starts one more worker in the lowest free slot.
class SpawnJob : public Job {
    Q_OBJECT
public:
    SpawnJob(Context context, std::uint32_t readyDeadlineMs, std::string actor);
    [[nodiscard]] Expected<void> cancel(const std::string& actor) override;

protected:
    void start() override;

private:
    std::uint32_t m_readyDeadlineMs;
    QPointer<Worker> m_worker;
    bool m_cancelled = false;
};

/// Ends one worker and leaves its slot empty: by draining, or at once when `hard`.
class StopJob : public Job {
    Q_OBJECT
public:
    StopJob(Context context, std::uint32_t workerId, proto::DrainOptions drain, bool hard, std::string actor);
    /// A drain cannot be taken back.
    [[nodiscard]] Expected<void> cancel(const std::string& actor) override;

protected:
    void start() override;

private:
    proto::DrainOptions m_drain;
    bool m_hard;
    QPointer<Worker> m_worker;
};

} // namespace yardmaster::agent

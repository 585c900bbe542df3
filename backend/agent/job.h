// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/event_log.h"
#include "backend/agent/worker_pool.h"
#include "backend/base/error.h"
#include "backend/protocol/command.pb.h"

#include <QObject>

#include <cstdint>
#include <string>

namespace yardmaster::agent {

/// Something an operator asked for that takes a while: steps with their times, one end. Subclasses act when
/// started, and say how it went by finish().
class Job : public QObject {
    Q_OBJECT
public:
    struct Context {
        WorkerPool& pool;
        EventLog& events;
    };
    Job(Context context, std::string kind, std::string title, std::string actor);

    /// Gives the number and begins. The job may have ended when this returns.
    void begin(std::uint64_t id);
    /// Asks it to end early; an error says why that is not possible (any more).
    [[nodiscard]] virtual Expected<void> cancel(const std::string& actor) = 0;

    [[nodiscard]] std::uint64_t id() const { return m_progress.job_id(); }
    [[nodiscard]] const proto::JobProgress& progress() const { return m_progress; }
    [[nodiscard]] bool isRunning() const { return m_progress.state() == proto::JOB_RUNNING; }

signals:
    void changed();
    /// A line for those who follow it in words (Sozu's clients).
    void said(const std::string& message);
    void finished();

protected:
    virtual void start() = 0;

    int addStep(std::string name); ///< its index
    void stepRunning(int step, std::string detail = {});
    void stepDone(int step, std::string detail = {}, std::int64_t durationNs = -1);
    void stepFailed(int step, std::string detail);
    void stepSkipped(int step, std::string detail);
    void stepDetail(int step, std::string detail);
    /// Ends the job; steps still running take the same fate, waiting ones are skipped.
    void finish(proto::JobState state, std::string error = {});

    /// No two jobs act on one worker.
    [[nodiscard]] Expected<void> claim(Worker& worker);
    void release(Worker& worker);

    Context m_context;
    proto::JobProgress m_progress;
};

/// "3 connections, 1 request in flight"
[[nodiscard]] std::string describeDrain(const proto::DrainReport& report);

} // namespace yardmaster::agent

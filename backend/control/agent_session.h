// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/connection.h"
#include "backend/control/sample_reader.h"
#include "backend/control/session.h"

#include <map>
#include <set>

namespace yardmaster::control {

/// A Yardmaster agent: one connection carries the stream of samples, each action has one of its own.
class AgentSession : public Session {
    Q_OBJECT
public:
    /// `stream` is the connection on which the agent announced itself, idle now; the session takes it.
    AgentSession(TargetMemory& memory, Connection* stream, QObject* parent);
    ~AgentSession() override;

    void begin() override;
    void act(const Action& action) override;
    void cancel(JobId job) override;

private:
    void onStream(const proto::Response& response);
    void meet(const proto::AgentIdentity& agent);
    void takeJob(const proto::JobProgress& progress);
    void bind(std::uint64_t agentJob, JobId job);
    [[nodiscard]] JobId orphanOf(const proto::JobProgress& progress) const;
    void settleUnclaimed();
    void onActionEnd(Connection& connection, JobId job, const Expected<proto::Response>& result);
    void sendCancel(std::uint64_t agentJob);

    TargetMemory& m_memory;
    Connection* m_stream;
    SampleReader m_reader;
    /// Actions whose job number the agent has not told yet: a job in a sample may be one of these.
    std::set<JobId> m_unbound;
    std::map<std::uint64_t, proto::JobProgress> m_unclaimed; ///< jobs of samples that wait for that
    std::set<JobId> m_cancelWhenBound;
};

} // namespace yardmaster::control

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/agent_parts.h"
#include "backend/agent/client_session.h"
#include "backend/agent/cluster_totals.h"
#include "backend/agent/histogram_window.h"

#include <QObject>
#include <QTimer>

#include <cstdint>
#include <map>
#include <set>

namespace yardmaster::agent {

/// One subscription of one client: a Sample every interval, read from the workers' metrics pages without
/// asking the workers. Deltas are against the previous sample of this same subscription.
class SampleStream : public QObject {
    Q_OBJECT
public:
    SampleStream(AgentParts& parts, const proto::SubscribeSamples& options, ClientSession& session);

private:
    void sample();
    void addWorkers(proto::Sample& sample);
    void addWorker(Worker& worker, proto::Sample& sample);

    AgentParts& m_parts;
    ClientSession& m_session;
    QTimer m_timer;
    std::uint64_t m_sequence = 0;
    std::uint64_t m_lastEvent = 0;
    std::map<std::uint64_t, proto::JobProgress> m_changedJobs;
    std::map<std::uint32_t, HistogramWindow> m_windows; ///< by worker id
    std::set<std::uint32_t> m_endedSent;
    ClusterTotals m_clusters;
};

/// Starts the stream; a second subscription on one connection replaces the first.
void answerSubscribeSamples(AgentParts& parts, const proto::SubscribeSamples& options, const ReplyPtr& reply);

} // namespace yardmaster::agent

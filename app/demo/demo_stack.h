// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"

#include <QProcess>
#include <QString>
#include <QTemporaryDir>

#include <functional>
#include <memory>
#include <vector>

namespace yardmaster::demo {

struct DemoOptions {
    QString binaryDirectory; ///< where yardmasterd, yardmaster-worker and yardmaster-lab are
    int workers = 4;
    int requestsPerSecond = 1500;
    int connections = 60;
};

/// What the load generator counted; read from its report.
struct LoadReport {
    qint64 sent = 0, answered = 0, lost = 0;
    double p50Ms = 0, p99Ms = 0, p999Ms = 0, maxMs = 0;
    QString lostByKind; ///< "reset 2, timeout 1", empty when none
};

/// Everything a newcomer needs to see the console at work: three upstreams with different latencies, an agent
/// with its workers, and a steady load of real requests, in a temporary directory. The destructor ends every
/// process and removes the directory; should this process be killed, the kernel tells the others to end.
class DemoStack {
public:
    explicit DemoStack(DemoOptions options);
    ~DemoStack();

    /// Starts all and waits until the agent answers with all workers serving.
    [[nodiscard]] Expected<void> start();
    /// Ends the load and reads its report; the other processes go on.
    [[nodiscard]] Expected<LoadReport> stopLoad();
    /// Ends everything in order: load, agent (drains its workers), upstreams.
    void stop();

    [[nodiscard]] QString socketPath() const;
    [[nodiscard]] quint16 port() const { return m_port; }
    [[nodiscard]] QString directory() const { return m_directory.path(); }

private:
    [[nodiscard]] Expected<void> launch(
        const QString& program, const QStringList& arguments, std::unique_ptr<QProcess>& into);
    [[nodiscard]] Expected<void> writeAgentConfig(const std::vector<quint16>& upstreamPorts);
    [[nodiscard]] Expected<void> waitFor(
        const std::function<bool()>& condition, int timeoutMs, const QString& what);

    DemoOptions m_options;
    QTemporaryDir m_directory;
    quint16 m_port = 0;
    std::unique_ptr<QProcess> m_upstream, m_agent, m_load;
};

} // namespace yardmaster::demo

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/agent/job.h"

#include <QPointer>

#include <memory>
#include <vector>

namespace yardmaster::agent {

/// Replaces workers by new ones, one after the other: a successor on the same listeners is started, and only
/// when it has said that it is ready is the old one told to drain. A successor that does not become ready is
/// killed, the old one never notices, and the job has failed.
class UpgradeJob : public Job {
    Q_OBJECT
public:
    struct Options {
        std::uint32_t readyDeadlineMs = 0;
        proto::DrainOptions drain;
    };
    /// One worker.
    UpgradeJob(Context context, std::uint32_t workerId, Options options, std::string actor);
    /// All that serve when it starts.
    UpgradeJob(Context context, Options options, std::string actor);

    /// Before ready: the new worker is killed and the old one stays. While the old one drains: the drain goes
    /// on (it cannot be taken back), and no further worker is touched.
    [[nodiscard]] Expected<void> cancel(const std::string& actor) override;

protected:
    void start() override;

private:
    struct Replacement {
        std::uint32_t oldId = 0;
        int spawnStep = -1, listenersStep = -1, stateStep = -1, readyStep = -1, drainStep = -1;
    };
    void addReplacement(std::uint32_t workerId);
    void next();
    void startReplacement(Worker& old);
    void onNewChanged();
    void onNewReady();
    void onNewEnded();
    void onOldChanged();
    void onOldEnded();
    void failReplacement(const std::string& error);
    void finishReplacement();
    [[nodiscard]] Replacement& current() { return m_replacements[m_current]; }
    void disconnectWorkers();

    bool m_all;
    Options m_options;
    std::shared_ptr<const WorkerBinary> m_binary;
    std::vector<Replacement> m_replacements;
    std::size_t m_current = 0;
    QPointer<Worker> m_old, m_new;
    bool m_newIsReady = false;
    bool m_cancelled = false;
};

} // namespace yardmaster::agent

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/load_generator.h"

#include "backend/base/monotonic_clock.h"

#include <algorithm>

namespace yardmaster::lab {

namespace {

// A connection that was refused tries again only after a pause, in the closed loop: without it the count of
// losses would say how fast this machine can be refused, and nothing else.
constexpr std::int64_t restNs = 10'000'000;
// How exactly a request leaves when it is due. Finer costs a system call a request at high rates.
constexpr std::int64_t openLoopGrainNs = 50'000;

} // namespace

LoadGenerator::LoadGenerator(io::EventLoop& loop, LoadOptions options)
    : m_loop(loop)
    , m_options(std::move(options))
    , m_startNs(monotonicNowNs())
    , m_stats(m_startNs, m_options.seriesMs, m_options.seriesHistograms)
    , m_requests(m_options, static_cast<std::uint64_t>(m_startNs))
    , m_run{m_loop, m_options, m_stats, m_requests,
          [this](LoadClient& client, bool couldConnect) { decided(client, couldConnect); }}
    , m_timer([this] { onWake(); }) { }

Expected<void> LoadGenerator::start() {
    if (m_options.target.port() == 0)
        return failure(Error::Code::InvalidArgument, "a load needs a port", m_options.target.toString());
    if (m_options.paths.empty() || m_options.connections == 0 || m_options.timeoutMs == 0
        || m_options.seriesMs == 0)
        return failure(Error::Code::InvalidArgument,
            "paths, connections, time-out and series window must not be empty", "load options");
    if (auto started = m_timer.start(m_loop); !started)
        return started;
    for (std::uint32_t index = 0; index < m_options.connections; ++index) {
        m_clients.push_back(std::make_unique<LoadClient>(m_run));
        m_idle.push_back(m_clients.back().get());
    }
    if (m_options.seconds > 0)
        m_endNs = m_startNs + static_cast<std::int64_t>(m_options.seconds * 1e9);
    m_isStarted = true;
    m_timer.wakeAt(m_startNs);
    return {};
}

void LoadGenerator::onWake() {
    const std::int64_t nowNs = monotonicNowNs();
    if (nowNs >= m_nextTimeoutCheckNs) {
        const std::int64_t timeoutNs = static_cast<std::int64_t>(m_options.timeoutMs) * 1'000'000;
        for (const auto& client : m_clients)
            client->loseIfStartedBefore(nowNs - timeoutNs);
        m_nextTimeoutCheckNs = nowNs + std::clamp<std::int64_t>(timeoutNs / 20, 1'000'000, 100'000'000);
    }
    while (!m_resting.empty() && m_resting.front().untilNs <= nowNs) {
        m_idle.push_back(m_resting.front().client);
        m_resting.pop_front();
    }
    // What is to begin begins in onBatchEnd.
    m_timer.wakeAt(m_nextTimeoutCheckNs);
    if (!m_resting.empty())
        m_timer.wakeAt(m_resting.front().untilNs);
}

void LoadGenerator::onBatchEnd() {
    if (!m_isStarted || m_isStopping)
        return;
    const std::int64_t nowNs = monotonicNowNs();
    if (m_endNs != 0 && nowNs >= m_endNs) {
        stop();
        return;
    }
    if (m_endNs != 0)
        m_timer.wakeAt(m_endNs);
    if (m_options.requestsPerSecond > 0)
        beginOpen(nowNs);
    else
        beginClosed();
    if (!mayBegin())
        stop();
}

bool LoadGenerator::mayBegin() const {
    return m_options.requests == 0 || m_begun < m_options.requests;
}

void LoadGenerator::beginClosed() {
    // Those that are decided at once (refused) come back to rest or to the end of the line: once around.
    for (std::size_t left = m_idle.size(); left > 0 && mayBegin(); --left) {
        LoadClient* client = m_idle.front();
        m_idle.pop_front();
        beginOn(*client, 0);
    }
}

void LoadGenerator::beginOpen(std::int64_t nowNs) {
    const std::uint64_t due = dueUntil(nowNs);
    while (m_begun < due && !m_idle.empty() && mayBegin()) {
        LoadClient* client = m_idle.front();
        m_idle.pop_front();
        beginOn(*client, dueNs(m_begun));
    }
    // An end of stream that came together with the answer is told of only once; who stays idle has to look.
    for (LoadClient* client : m_justDecided)
        client->noticeEnd();
    m_justDecided.clear();
    if (m_begun >= due)
        m_timer.wakeAt(std::max(dueNs(m_begun), nowNs + openLoopGrainNs));
}

void LoadGenerator::beginOn(LoadClient& client, std::int64_t dueAtNs) {
    ++m_begun;
    ++m_inFlight;
    client.begin(dueAtNs);
}

void LoadGenerator::decided(LoadClient& client, bool couldConnect) {
    --m_inFlight;
    if (!couldConnect && m_options.requestsPerSecond <= 0) {
        m_resting.push_back({monotonicNowNs() + restNs, &client});
        m_timer.wakeAt(m_resting.front().untilNs);
    } else {
        m_idle.push_back(&client);
        if (m_options.requestsPerSecond > 0)
            m_justDecided.push_back(&client);
    }
    if (m_isStopping && m_inFlight == 0)
        m_doneNs = monotonicNowNs();
}

std::int64_t LoadGenerator::dueNs(std::uint64_t number) const {
    return m_startNs
        + static_cast<std::int64_t>(static_cast<double>(number) / m_options.requestsPerSecond * 1e9);
}

std::uint64_t LoadGenerator::dueUntil(std::int64_t timeNs) const {
    return static_cast<std::uint64_t>(
               static_cast<double>(timeNs - m_startNs) / 1e9 * m_options.requestsPerSecond)
        + 1;
}

void LoadGenerator::stop() {
    if (m_isStopping)
        return;
    m_isStopping = true;
    const std::int64_t nowNs = monotonicNowNs();
    if (m_options.requestsPerSecond > 0) {
        std::uint64_t due = dueUntil(m_endNs != 0 ? std::min(nowNs, m_endNs - 1) : nowNs);
        if (m_options.requests != 0)
            due = std::min(due, m_options.requests);
        m_stats.noteNotSent(due > m_begun ? due - m_begun : 0);
    }
    if (m_inFlight == 0)
        m_doneNs = nowNs;
}

void LoadGenerator::abandon() {
    stop();
    for (const auto& client : m_clients)
        client->abandon();
}

double LoadGenerator::seconds() const {
    return static_cast<double>((m_doneNs != 0 ? m_doneNs : monotonicNowNs()) - m_startNs) / 1e9;
}

} // namespace yardmaster::lab

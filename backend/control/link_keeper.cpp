// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/link_keeper.h"

#include "backend/base/monotonic_clock.h"
#include "backend/control/agent_session.h"
#include "backend/control/sozu_session.h"

#include <QRandomGenerator>

#include <algorithm>

namespace yardmaster::control {

namespace {
constexpr int firstBackoffMs = 250;
constexpr int longestBackoffMs = 5'000;
constexpr Deadlines probeDeadlines{5'000, 5'000, 10'000};
} // namespace

LinkKeeper::LinkKeeper(QString socketPath, JobIds ids)
    : m_memory(
        std::move(socketPath), JobBook(std::move(ids), [this](const Job& job) { emit jobChanged(job); }))
    , m_retryTimer(this)
    , m_backoffMs(firstBackoffMs) {
    m_retryTimer.setSingleShot(true);
    connect(&m_retryTimer, &QTimer::timeout, this, &LinkKeeper::probe);
}

void LinkKeeper::start() {
    if (m_probe || m_session || m_retryTimer.isActive())
        return;
    setLink(LinkState::Connecting, 0, {});
    probe();
}

void LinkKeeper::probe() {
    m_probe = new Connection(m_memory.endpoint, this);
    proto::Request request;
    request.mutable_list_workers();
    m_probe->start(std::move(request), probeDeadlines, {},
        [this](const Expected<proto::Response>& result) { onProbed(result); });
}

void LinkKeeper::onProbed(const Expected<proto::Response>& result) {
    if (!result) {
        Error error = result.error();
        if (error.code == Error::Code::DataLoss || error.code == Error::Code::ResourceExhausted) {
            error.what = "neither a Yardmaster agent nor a Sozu answers: " + error.what;
            error.where = m_memory.endpoint.toStdString();
            error.hint = "correct the socket path: what listens there speaks another protocol";
        }
        onLost(error);
        return;
    }
    if (result->status() != proto::OK) {
        onLost({Error::Code::PermissionDenied, result->message(), m_memory.endpoint.toStdString(),
            "see which users the target allows on its command socket"});
        return;
    }
    Connection* connection = std::exchange(m_probe, nullptr);
    if (result->has_agent())
        m_session = new AgentSession(m_memory, connection, this);
    else
        m_session = new SozuSession(m_memory, connection, result->content().workers(), this);
    connect(m_session, &Session::snapshot, this, &LinkKeeper::onSnapshot);
    // Queued: a session tells of its end from within a handler of its connection.
    connect(m_session, &Session::lost, this, &LinkKeeper::onLost, Qt::QueuedConnection);
    m_session->begin();
}

void LinkKeeper::onSnapshot(const SnapshotPtr& snapshot) {
    m_backoffMs = firstBackoffMs;
    if (m_link.state != LinkState::Connected) {
        if (m_link.state == LinkState::Lost)
            m_memory.addEvent(EventSeverity::Ok, QStringLiteral("link_restored"),
                QStringLiteral("Connected again to ") + m_memory.endpoint);
        setLink(LinkState::Connected, 0, {});
    }
    emit snapshotReady(snapshot);
}

void LinkKeeper::onLost(const Error& error) {
    if (m_session) {
        // Another session must not begin before this one's connections are gone.
        m_session->disconnect(this);
        std::exchange(m_session, nullptr)->deleteLater();
    } else if (m_probe) {
        std::exchange(m_probe, nullptr)->deleteLater();
    } else {
        return; // a second word on the same loss
    }
    m_memory.jobs.markRunningUnknown(error);
    if (m_link.state == LinkState::Connected)
        m_memory.addEvent(EventSeverity::Error, QStringLiteral("link_lost"),
            QStringLiteral("The link was lost: ") + QString::fromStdString(error.toString()));
    const int jitterMs = m_backoffMs / 5;
    const int delayMs = m_backoffMs + QRandomGenerator::global()->bounded(-jitterMs, jitterMs + 1);
    m_backoffMs = std::min(2 * m_backoffMs, longestBackoffMs);
    m_retryTimer.start(delayMs);
    setLink(LinkState::Lost, delayMs, QString::fromStdString(error.toString()));
}

void LinkKeeper::setLink(LinkState state, int retryInMs, const QString& reason) {
    if (m_link.state != state || m_link.sinceUnixNs == 0)
        m_link.sinceUnixNs = unixNowNs();
    m_link.state = state;
    m_link.retryInMs = retryInMs;
    m_link.reason = reason;
    emit linkChanged(m_link);
}

void LinkKeeper::act(const Action& action) {
    if (m_session) {
        m_session->act(action);
        return;
    }
    m_memory.jobs.put(newJob(action));
    m_memory.jobs.end(action.job, JobState::Failed,
        Error{Error::Code::Unavailable, "not connected; nothing was sent", m_memory.endpoint.toStdString(),
            "wait for the link"});
}

void LinkKeeper::cancel(JobId job) {
    if (m_session)
        m_session->cancel(job);
}

} // namespace yardmaster::control

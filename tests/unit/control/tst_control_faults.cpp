// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a control says and does when its peer is not there, is somebody else, or answers out of turn.
#include "backend/control/connect.h"
#include "backend/control/connection.h"
#include "scripted_peer.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace yardmaster;
using namespace yardmaster::control;

namespace {

proto::Request listRequest() {
    proto::Request request;
    request.mutable_list_workers();
    return request;
}

/// A socket file that its process left behind.
bool leaveSocket(const QString& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const QByteArray name = QFile::encodeName(path);
    if (name.size() >= static_cast<qsizetype>(sizeof address.sun_path))
        return false;
    std::copy(name.begin(), name.end(), address.sun_path);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool isBound = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    return isBound;
}

/// A Sozu whose list of workers a test writes. It takes an upgrade on and never says how it ended.
struct Sozu {
    Sozu()
        : peer([this](QLocalSocket& socket, const proto::Request& request) { answer(socket, request); }) { }

    void answer(QLocalSocket& socket, const proto::Request& request) {
        proto::Response response = sozuResponse(proto::OK, "");
        if (request.has_list_workers() || request.has_status()) {
            for (const auto& [id, state] : request.has_status() ? status : list) {
                proto::WorkerInfo& worker = *response.mutable_content()->mutable_workers()->add_vec();
                worker.set_id(id);
                worker.set_pid(static_cast<int>(QCoreApplication::applicationPid()));
                worker.set_run_state(state);
            }
        } else if (request.has_upgrade_worker()) {
            response = sozuResponse(proto::PROCESSING, "Launched a new worker with id 7");
        } else if (request.has_subscribe_events()) {
            return;
        }
        sendFrame(socket, response);
    }

    ScriptedPeer peer;
    std::map<std::uint32_t, proto::RunState> list{{0, proto::RUNNING}}, status{{0, proto::RUNNING}};
};

std::optional<WorkerState> stateOf(const WorkerControl& control, std::uint32_t id) {
    if (control.latest()) {
        for (const WorkerInfo& worker : control.latest()->workers)
            if (worker.id == id)
                return worker.state;
    }
    return std::nullopt;
}

} // namespace

class TestControlFaults : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_directory = std::make_unique<QTemporaryDir>();
        m_path = m_directory->filePath(QStringLiteral("command.sock"));
    }

    void lostLinkSaysWhatWhereAndWhatToDo_data() {
        QTest::addColumn<QString>("peer");
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("hint");
        QTest::newRow("no socket") << QStringLiteral("none") << QStringLiteral("no such socket")
                                   << QStringLiteral("start the agent");
        QTest::newRow("left behind") << QStringLiteral("left") << QStringLiteral("nobody listens")
                                     << QStringLiteral("start the agent");
        QTest::newRow("another protocol")
            << QStringLiteral("http") << QStringLiteral("neither a Yardmaster agent nor a Sozu")
            << QStringLiteral("correct the socket path");
        QTest::newRow("not for this user")
            << QStringLiteral("refuses") << QStringLiteral("UID 1000") << QStringLiteral("which users");
    }
    void lostLinkSaysWhatWhereAndWhatToDo() {
        QFETCH(QString, peer);
        QFETCH(QString, what);
        QFETCH(QString, hint);
        ScriptedPeer server([&peer](QLocalSocket& socket, const proto::Request&) {
            if (peer == QLatin1String("http"))
                socket.write("HTTP/1.1 400 Bad Request\r\n\r\n");
            else
                sendFrame(socket, sozuResponse(proto::FAILURE, "unauthorized: actor UID 1000"));
        });
        if (peer == QLatin1String("left"))
            QVERIFY(leaveSocket(m_path));
        else if (peer != QLatin1String("none"))
            QVERIFY(server.listen(m_path));
        const auto control = connectWorkerControl(m_path);
        control->start();
        QTRY_COMPARE(control->link().state, LinkState::Lost);
        const QString reason = control->link().reason;
        QVERIFY2(reason.contains(what), qPrintable(reason));
        QVERIFY2(reason.contains(m_path), qPrintable(reason));
        QVERIFY2(reason.contains(hint), qPrintable(reason));
        QVERIFY(control->link().retryInMs >= 200);
        QVERIFY(control->link().retryInMs <= 6'000);
    }

    void retriesGetRarerUpToALimit() {
        const auto control = connectWorkerControl(m_path);
        std::vector<int> delays;
        connect(control.get(), &WorkerControl::linkChanged, this, [&delays](const Link& link) {
            if (link.state == LinkState::Lost)
                delays.push_back(link.retryInMs);
        });
        control->start();
        QTRY_VERIFY_WITH_TIMEOUT(delays.size() >= 4, 10'000);
        for (std::size_t at = 0; at < 4; ++at) {
            const int middle = 250 << at;
            QVERIFY2(delays[at] >= middle - middle / 5 && delays[at] <= middle + middle / 5,
                qPrintable(QString::number(delays[at])));
        }
    }

    void answersNobodyAskedForAreNotTaken() {
        int dialled = 0;
        ScriptedPeer peer([&dialled](QLocalSocket& socket, const proto::Request&) {
            // The first one answers twice, in one write: the second answer is no answer to what comes next.
            if (++dialled == 1)
                sendFrame(socket, sozuResponse(proto::OK, "first"));
            sendFrame(socket, sozuResponse(proto::OK, dialled == 1 ? "stray" : "second"));
        });
        QVERIFY(peer.listen(m_path));
        const std::vector<std::string> answers = askTwice();
        QCOMPARE(answers, (std::vector<std::string>{"first", "second"}));
        QCOMPARE(dialled, 2);
    }

    void connectionThatThePeerClosedIsDialledAnew() {
        int asked = 0;
        ScriptedPeer peer([&asked](QLocalSocket& socket, const proto::Request&) {
            sendFrame(socket, sozuResponse(proto::OK, ++asked == 1 ? "first" : "second"));
            socket.disconnectFromServer();
        });
        QVERIFY(peer.listen(m_path));
        Connection connection(m_path);
        std::vector<std::string> answers;
        const Connection::End take = [&answers](const Expected<proto::Response>& result) {
            answers.push_back(result ? result->message() : result.error().toString());
        };
        connection.start(listRequest(), {5'000, 0, 0}, {}, take);
        QTRY_COMPARE(answers.size(), 1U);
        // Only then: a request that was written to a peer which goes away may have had its effect.
        QTRY_VERIFY(!connection.peerPid());
        connection.start(listRequest(), {5'000, 0, 0}, {}, take);
        QTRY_COMPARE(answers, (std::vector<std::string>{"first", "second"}));
    }

    void hungWorkerIsShownThoughTheListSaysItRuns() {
        Sozu sozu;
        sozu.status[0] = proto::NOT_ANSWERING;
        QVERIFY(sozu.peer.listen(m_path));
        const auto control = connectWorkerControl(m_path);
        bool isTold = false;
        connect(control.get(), &WorkerControl::snapshotReady, this, [&isTold](const SnapshotPtr& snapshot) {
            for (const Event& event : snapshot->newEvents)
                isTold = isTold || event.kind == QLatin1String("worker_not_answering");
        });
        control->start();
        QTRY_COMPARE(stateOf(*control, 0), std::optional(WorkerState::NotAnswering));
        QTRY_VERIFY(isTold);
        sozu.status[0] = proto::RUNNING;
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(*control, 0), std::optional(WorkerState::Serving), 15'000);
    }

    void lostUpgradeIsSettledByTheList() {
        Sozu sozu;
        QVERIFY(sozu.peer.listen(m_path));
        const auto control = connectWorkerControl(m_path);
        std::map<JobId, Job> jobs;
        connect(
            control.get(), &WorkerControl::jobChanged, this, [&jobs](const Job& job) { jobs[job.id] = job; });
        control->start();
        QTRY_VERIFY(control->latest());
        const JobId job = control->upgradeWorker(0, {});
        QTRY_COMPARE(jobs[job].newWorkerId, std::optional<std::uint32_t>(7));
        sozu.peer.stop();
        QTRY_COMPARE(jobs[job].state, JobState::Unknown);

        // Back, and the old worker still drains: that tells nothing yet.
        sozu.list = {{0, proto::STOPPING}, {7, proto::RUNNING}};
        QVERIFY(sozu.peer.listen(m_path));
        QTRY_COMPARE(stateOf(*control, 0), std::optional(WorkerState::Draining));
        QCOMPARE(jobs[job].state, JobState::Unknown);
        sozu.list[0] = proto::STOPPED;
        QTRY_COMPARE(jobs[job].state, JobState::Done);
        QVERIFY(!jobs[job].error);
        QCOMPARE(jobs[job].done, 1U);
    }

private:
    /// Asks, and asks again from within the handler of the answer, on one connection.
    std::vector<std::string> askTwice() {
        Connection connection(m_path);
        std::vector<std::string> answers;
        const Connection::End take = [&](const Expected<proto::Response>& result) {
            answers.push_back(result ? result->message() : result.error().toString());
            if (answers.size() == 1)
                connection.start(
                    listRequest(), {5'000, 0, 0}, {}, [&answers](const Expected<proto::Response>& second) {
                        answers.push_back(second ? second->message() : second.error().toString());
                    });
        };
        connection.start(listRequest(), {5'000, 0, 0}, {}, take);
        (void)QTest::qWaitFor([&answers] { return answers.size() == 2; });
        return answers;
    }

    std::unique_ptr<QTemporaryDir> m_directory;
    QString m_path;
};

QTEST_GUILESS_MAIN(TestControlFaults)
#include "tst_control_faults.moc"

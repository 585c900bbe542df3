// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/connect.h"
#include "backend/control/connection.h"
#include "scripted_peer.h"

#include <QPointer>
#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace yardmaster;
using namespace yardmaster::control;

namespace {

/// What a window sees of a control.
struct Watcher {
    explicit Watcher(WorkerControl& control) {
        QObject::connect(
            &control, &WorkerControl::snapshotReady, &context, [this](const SnapshotPtr& snapshot) {
                snapshots.push_back(snapshot);
                events.insert(events.end(), snapshot->newEvents.begin(), snapshot->newEvents.end());
            });
        QObject::connect(&control, &WorkerControl::linkChanged, &context,
            [this](const Link& link) { links.push_back(link); });
        QObject::connect(
            &control, &WorkerControl::jobChanged, &context, [this](const Job& job) { jobs[job.id] = job; });
    }
    [[nodiscard]] bool hasEvent(const char* kind) const {
        for (const Event& event : events)
            if (event.kind == QLatin1String(kind))
                return true;
        return false;
    }
    std::vector<SnapshotPtr> snapshots;
    std::vector<Link> links;
    std::map<JobId, Job> jobs;
    std::vector<Event> events;
    QObject context; ///< last: nothing arrives in the lists once they go
};

/// An agent with one worker; its stream is sent by hand.
struct Agent {
    Agent()
        : peer([this](QLocalSocket& socket, const proto::Request& request) { answer(socket, request); }) { }

    void answer(QLocalSocket& socket, const proto::Request& request) {
        if (request.has_list_workers()) {
            sendFrame(socket, agentResponse(proto::OK, "", pid));
        } else if (request.has_subscribe_samples()) {
            stream = &socket;
            sample();
        } else if (onAction) {
            onAction(socket, request);
        }
    }
    proto::Response nextSample() {
        proto::Response response = agentResponse(proto::PROCESSING, "sample", pid);
        proto::Sample& sample = *response.mutable_content()->mutable_sample();
        sample.set_sequence(++sequence);
        sample.set_monotonic_ns(static_cast<std::int64_t>(sequence) * 500'000'000);
        sample.set_unix_ns(1);
        proto::WorkerSample& worker = *sample.add_workers();
        worker.set_id(3);
        worker.set_pid(1234);
        worker.mutable_detail()->set_phase(proto::PHASE_SERVING);
        worker.mutable_detail()->set_slot(1);
        worker.add_counters(requests);
        worker.add_gauges(17);
        return response;
    }
    void sample() {
        if (stream)
            sendFrame(*stream, nextSample());
    }
    static proto::JobProgress job(std::uint64_t id, proto::JobState state) {
        proto::JobProgress progress;
        progress.set_job_id(id);
        progress.set_kind("upgrade_worker");
        progress.set_title("Upgrade worker 3");
        progress.set_state(state);
        progress.set_worker_id(3);
        progress.set_started_unix_ns(4'000'000'000'000'000'000);
        return progress;
    }

    ScriptedPeer peer;
    ScriptedPeer::Handler onAction;
    QPointer<QLocalSocket> stream;
    int pid = 4711;
    std::uint64_t sequence = 0;
    std::uint64_t requests = 1'000;
};

struct Sozu {
    Sozu()
        : peer([this](QLocalSocket& socket, const proto::Request& request) { answer(socket, request); }) { }

    void answer(QLocalSocket& socket, const proto::Request& request) {
        proto::Response response = sozuResponse(proto::OK, "");
        if (request.has_list_workers()) {
            proto::WorkerInfo& worker = *response.mutable_content()->mutable_workers()->add_vec();
            worker.set_id(workerId);
            worker.set_pid(static_cast<int>(QCoreApplication::applicationPid()));
            worker.set_run_state(proto::RUNNING);
        } else if (request.has_query_metrics()) {
            auto& metrics =
                *(*response.mutable_content()->mutable_metrics()->mutable_workers())["0"].mutable_proxy();
            metrics["http.requests"].set_count(requests);
            metrics["client.connections"].set_gauge(5);
            proto::FilteredHistogram& histogram = *metrics["request_time_histogram"].mutable_histogram();
            histogram.set_sum(1);
            histogram.set_count(static_cast<std::uint64_t>(requests));
            for (const std::uint64_t le : {1U, 3U, 7U}) {
                proto::Bucket& bucket = *histogram.add_buckets();
                bucket.set_le(le);
                bucket.set_count(le < 3 ? 0 : static_cast<std::uint64_t>(requests));
            }
            requests = requests == 900 ? 10 : requests + 400; // 100, 500, 900, then a reset
        } else if (request.has_subscribe_events()) {
            response.set_status(proto::PROCESSING);
            response.mutable_content()->mutable_event()->set_kind(proto::BACKEND_DOWN);
            response.mutable_content()->mutable_event()->set_cluster_id("web");
        } else if (request.request_type_case() == proto::Request::kUpgradeWorker) {
            sendFrame(socket, sozuResponse(proto::PROCESSING, "Requesting listen sockets from worker 0"));
            sendFrame(socket, sozuResponse(proto::PROCESSING, "Launched a new worker with id 1"));
            workerId = 1;
        } else if (request.has_list_listeners()) {
            response.mutable_content()->mutable_listeners_list();
        }
        sendFrame(socket, response);
    }

    ScriptedPeer peer;
    std::uint32_t workerId = 0;
    std::int64_t requests = 100;
};

} // namespace

class TestRemoteControl : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_directory = std::make_unique<QTemporaryDir>();
        m_path = m_directory->filePath(QStringLiteral("command.sock"));
    }

    void agentSamplesBecomeSnapshots() {
        Agent agent;
        QVERIFY(agent.peer.listen(m_path));
        const auto control = connectWorkerControl(m_path);
        Watcher seen(*control);
        control->start();
        QTRY_VERIFY(control->latest());
        QCOMPARE(control->link().state, LinkState::Connected);
        QCOMPARE(control->latest()->target.name, QStringLiteral("edge"));
        QVERIFY(control->latest()->capabilities.spawnWorker);
        const WorkerInfo first = control->latest()->workers.at(0);
        QCOMPARE(first.id, 3U);
        QCOMPARE(first.state, WorkerState::Serving);
        QCOMPARE(first.connections, std::optional<std::uint64_t>(17));
        QVERIFY2(!first.requestsPerSecond, "one reading makes no rate");
        QCOMPARE(control->latest()->deltas.at(0).requests, 0U);

        agent.requests += 50;
        proto::Response response = agent.nextSample();
        proto::Sample& sample = *response.mutable_content()->mutable_sample();
        proto::SparseHistogram& latency = *sample.mutable_workers(0)->mutable_latency_delta();
        latency.add_index(100);
        latency.add_count(49);
        latency.add_index(200);
        latency.add_count(1);
        latency.set_max_us(200);
        proto::AgentEvent& event = *sample.add_events();
        event.set_sequence(9);
        event.set_kind("worker_ready");
        event.set_text("ready");
        sendFrame(*agent.stream, response);
        QTRY_COMPARE(seen.snapshots.size(), 2U);
        const Snapshot& second = *seen.snapshots.back();
        QCOMPARE(second.deltas.at(0).requests, 50U);
        QCOMPARE(second.deltas.at(0).latency->count(), 50U);
        QCOMPARE(second.workers.at(0).requestsPerSecond, std::optional(100.0)); // 50 in half a second
        QCOMPARE(second.workers.at(0).p50Us, std::optional(100.0));
        QCOMPARE(second.workers.at(0).p99Us, std::optional(200.0)); // the 50th of 50
        QVERIFY(seen.hasEvent("worker_ready"));
    }

    void endedWorkersStayListedOnce() {
        Agent agent;
        QVERIFY(agent.peer.listen(m_path));
        const auto control = connectWorkerControl(m_path);
        Watcher seen(*control);
        control->start();
        QTRY_VERIFY(control->latest());
        proto::Response response = agent.nextSample();
        auto& worker = *response.mutable_content()->mutable_sample()->mutable_workers(0);
        worker.mutable_detail()->set_phase(proto::PHASE_CRASHED);
        worker.set_last_of_dead(true);
        worker.set_counters(0, agent.requests + 7);
        sendFrame(*agent.stream, response);
        response.mutable_content()->mutable_sample()->clear_workers();
        sendFrame(*agent.stream, response);
        QTRY_COMPARE(seen.snapshots.size(), 3U);
        QCOMPARE(seen.snapshots[1]->deltas.at(0).requests, 7U);
        QCOMPARE(seen.snapshots[2]->workers.size(), 1U);
        QCOMPARE(seen.snapshots[2]->workers[0].state, WorkerState::Crashed);
        QVERIFY(!seen.snapshots[2]->workers[0].connections);
        QVERIFY(seen.snapshots[2]->deltas.empty());
    }

    void actionIsFollowedUnderOneId() {
        Agent agent;
        agent.onAction = [&agent](QLocalSocket& socket, const proto::Request& request) {
            if (!request.has_upgrade_with_options())
                return;
            // The stream tells of the job before the one who asked hears of it.
            proto::Response sample = agent.nextSample();
            *sample.mutable_content()->mutable_sample()->add_jobs() = Agent::job(77, proto::JOB_RUNNING);
            sendFrame(*agent.stream, sample);
            proto::Response response = agentResponse(proto::PROCESSING, "Upgrade worker 3");
            *response.mutable_content()->mutable_job() = Agent::job(77, proto::JOB_RUNNING);
            sendFrame(socket, response);
            response.set_status(proto::OK);
            *response.mutable_content()->mutable_job() = Agent::job(77, proto::JOB_DONE);
            sendFrame(socket, response);
        };
        QVERIFY(agent.peer.listen(m_path));
        const auto control = connectWorkerControl(m_path);
        Watcher seen(*control);
        control->start();
        QTRY_VERIFY(control->latest());
        const JobId job = control->upgradeWorker(3, {});
        QVERIFY(job != 0);
        QTRY_COMPARE(seen.jobs[job].state, JobState::Done);
        agent.sample();
        QTRY_VERIFY(seen.snapshots.size() >= 3);
        QTRY_COMPARE(control->latest()->jobs.size(), 1U);
        QCOMPARE(control->latest()->jobs[0].id, job);
    }

    void refusedActionFails() {
        Agent agent;
        agent.onAction = [](QLocalSocket& socket, const proto::Request&) {
            sendFrame(socket, agentResponse(proto::FAILURE, "no such worker"));
        };
        QVERIFY(agent.peer.listen(m_path));
        const auto control = connectWorkerControl(m_path);
        Watcher seen(*control);
        control->start();
        QTRY_VERIFY(control->latest());
        const JobId job = control->stopWorker(99, 1000);
        QTRY_COMPARE(seen.jobs[job].state, JobState::Failed);
        QCOMPARE(seen.jobs[job].error->what, std::string("no such worker"));
    }

    void lostActionIsUnknownUntilTheStreamTells_data() {
        QTest::addColumn<bool>("bound");
        QTest::newRow("its number was told") << true;
        QTest::newRow("its number was not told") << false;
    }
    void lostActionIsUnknownUntilTheStreamTells() {
        QFETCH(bool, bound);
        Agent agent;
        bool asked = false;
        agent.onAction = [&](QLocalSocket& socket, const proto::Request&) {
            asked = true;
            if (!bound)
                return;
            proto::Response response = agentResponse(proto::PROCESSING, "");
            *response.mutable_content()->mutable_job() = Agent::job(5, proto::JOB_RUNNING);
            sendFrame(socket, response);
        };
        QVERIFY(agent.peer.listen(m_path));
        const auto control = connectWorkerControl(m_path);
        Watcher seen(*control);
        control->start();
        QTRY_VERIFY(control->latest());
        const JobId job = control->upgradeWorker(3, {});
        QTRY_VERIFY(asked);
        if (bound)
            QTRY_COMPARE(seen.jobs[job].startedUnixNs, 4'000'000'000'000'000'000);
        agent.peer.stop();
        QTRY_COMPARE(seen.jobs[job].state, JobState::Unknown);
        QTRY_COMPARE(control->link().state, LinkState::Lost);
        QVERIFY(!control->link().reason.isEmpty());

        QVERIFY(agent.peer.listen(m_path));
        QTRY_COMPARE(control->link().state, LinkState::Connected);
        QTRY_VERIFY(agent.stream);
        proto::Response sample = agent.nextSample();
        *sample.mutable_content()->mutable_sample()->add_jobs() = Agent::job(5, proto::JOB_DONE);
        sendFrame(*agent.stream, sample);
        QTRY_COMPARE(seen.jobs[job].state, JobState::Done);
        QCOMPARE(seen.jobs.size(), 1U);
        QTRY_VERIFY(seen.hasEvent("link_lost") && seen.hasEvent("link_restored"));
    }

    void nothingIsSentWithoutALink() {
        const auto control = connectWorkerControl(m_path);
        Watcher seen(*control);
        control->start();
        QTRY_COMPARE(control->link().state, LinkState::Lost);
        QVERIFY(control->link().reason.contains(m_path));
        const JobId job = control->spawnWorker();
        QTRY_COMPARE(seen.jobs[job].state, JobState::Failed);
        QVERIFY(seen.jobs[job].error->code == Error::Code::Unavailable);
    }

    void sozuIsPolledAndNeverSentAnExtension() {
        Sozu sozu;
        QVERIFY(sozu.peer.listen(m_path));
        const auto control = connectWorkerControl(m_path);
        Watcher seen(*control);
        control->start();
        QTRY_VERIFY(control->latest());
        QCOMPARE(control->latest()->target.system, QStringLiteral("Sozu"));
        QVERIFY(!control->latest()->capabilities.spawnWorker);
        QVERIFY(!control->latest()->capabilities.reasonForMissing.isEmpty());
        QVERIFY(!control->latest()->capabilities.upgradeWarning.isEmpty());
        const JobId spawn = control->spawnWorker();
        QTRY_COMPARE(seen.jobs[spawn].state, JobState::Failed);
        QTRY_VERIFY(seen.hasEvent("backend_down"));

        // 100 at first, then twice 400 more, then a reset to 10.
        std::uint64_t requests = 0;
        std::uint64_t latencies = 0;
        const auto total = [&] {
            requests = latencies = 0;
            for (const SnapshotPtr& snapshot : seen.snapshots)
                for (const WorkerDelta& delta : snapshot->deltas) {
                    requests += delta.requests;
                    latencies += delta.latency ? delta.latency->count() : 0;
                }
            return requests;
        };
        QTRY_VERIFY_WITH_TIMEOUT(total() >= 810, 10'000);
        QCOMPARE(latencies, requests);
        const WorkerInfo worker = control->latest()->workers.at(0);
        QCOMPARE(worker.connections, std::optional<std::uint64_t>(5));
        QVERIFY(worker.p99Us && *worker.p99Us >= 2'000 && *worker.p99Us <= 4'000);
        QVERIFY(worker.rssBytes);

        const JobId upgrade = control->upgradeWorker(0, {});
        QTRY_COMPARE(seen.jobs[upgrade].state, JobState::Done);
        QCOMPARE(seen.jobs[upgrade].newWorkerId, std::optional<std::uint32_t>(1));
        QCOMPARE(seen.jobs[upgrade].steps.size(), 3U);
        QTRY_VERIFY(sozu.peer.count(proto::Request::kListListeners) > 0);
        control->cancelJob(upgrade);
        for (const proto::Request& request : sozu.peer.requests) {
            QVERIFY2(!isExtension(request), "an extension was sent to a Sozu");
            QVERIFY2(request.unknown_fields().empty(), "an unknown field was sent to a Sozu");
        }
    }

    void agentReplacedBySozuGetsNoExtension() {
        Agent agent;
        QVERIFY(agent.peer.listen(m_path));
        const auto control = connectWorkerControl(m_path);
        Watcher seen(*control);
        control->start();
        QTRY_VERIFY(control->latest());
        // The stream lives on while another process took over the path: the action must look before it
        // speaks.
        Sozu sozu;
        QVERIFY(sozu.peer.listen(m_path));
        const JobId job = control->upgradeAll({});
        QTRY_COMPARE(seen.jobs[job].state, JobState::Failed);
        QVERIFY(seen.jobs[job].error->code == Error::Code::Unsupported);
        QTRY_COMPARE(control->latest()->target.system, QStringLiteral("Sozu"));
        for (const proto::Request& request : sozu.peer.requests)
            QVERIFY(!isExtension(request));
    }

    void brokenPeersAreLeft_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("reason");
        QTest::newRow("length below 8") << QByteArray("\x07\0\0\0\0\0\0\0", 8) << QString();
        QTest::newRow("oversize") << QByteArray("\0\0\0\xff\0\0\0\0", 8) << QString();
        QTest::newRow("no protobuf") << QByteArray("\x0a\0\0\0\0\0\0\0\xff\xff", 10) << QString();
        QTest::newRow("required field missing") << QByteArray("\x08\0\0\0\0\0\0\0", 8) << QString();
    }
    void brokenPeersAreLeft() {
        QFETCH(QByteArray, bytes);
        bool broken = true;
        Agent agent;
        ScriptedPeer peer([&](QLocalSocket& socket, const proto::Request& request) {
            if (!broken) {
                agent.answer(socket, request);
                return;
            }
            socket.write(bytes);
            socket.flush();
        });
        QVERIFY(peer.listen(m_path));
        const auto control = connectWorkerControl(m_path);
        Watcher seen(*control);
        control->start();
        QTRY_COMPARE(control->link().state, LinkState::Lost);
        QVERIFY(!control->link().reason.isEmpty());
        broken = false;
        QTRY_COMPARE(control->link().state, LinkState::Connected);
    }

    void slowPeerMeetsTheDeadline() {
        ScriptedPeer peer([](QLocalSocket&, const proto::Request&) {});
        QVERIFY(peer.listen(m_path));
        Connection connection(m_path);
        std::optional<Expected<proto::Response>> end;
        proto::Request request;
        request.mutable_list_workers();
        connection.start(
            request, {50, 0, 0}, {}, [&end](Expected<proto::Response> result) { end = std::move(result); });
        QTRY_VERIFY(end);
        QVERIFY(end->error().code == Error::Code::DeadlineExceeded);
        QVERIFY(connection.wasSent());
        // A late answer of the old socket can not be taken for that of the next request: it dials anew.
        end.reset();
        peer.onRequest = [](QLocalSocket& socket, const proto::Request&) {
            sendFrame(socket, sozuResponse(proto::OK, "now"));
        };
        connection.start(request, {5'000, 0, 0}, {},
            [&end](Expected<proto::Response> result) { end = std::move(result); });
        QTRY_VERIFY(end);
        QCOMPARE((*end)->message(), std::string("now"));
    }

    void silenceAndTotalAreLimited_data() {
        QTest::addColumn<int>("silenceMs");
        QTest::addColumn<int>("totalMs");
        QTest::newRow("silence") << 50 << 0;
        QTest::newRow("total") << 0 << 200;
    }
    void silenceAndTotalAreLimited() {
        QFETCH(int, silenceMs);
        QFETCH(int, totalMs);
        ScriptedPeer peer([](QLocalSocket& socket, const proto::Request&) {
            sendFrame(socket, sozuResponse(proto::PROCESSING, "a moment"));
        });
        QVERIFY(peer.listen(m_path));
        Connection connection(m_path);
        int said = 0;
        std::optional<Expected<proto::Response>> end;
        proto::Request request;
        request.mutable_list_workers();
        connection.start(
            request, {5'000, silenceMs, totalMs}, [&said](const proto::Response&) { ++said; },
            [&end](Expected<proto::Response> result) { end = std::move(result); });
        QTRY_VERIFY(end);
        QCOMPARE(said, 1);
        QVERIFY(end->error().code == Error::Code::DeadlineExceeded);
    }

private:
    std::unique_ptr<QTemporaryDir> m_directory;
    QString m_path;
};

QTEST_GUILESS_MAIN(TestRemoteControl)
#include "tst_remote_control.moc"

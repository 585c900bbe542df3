// SPDX-License-Identifier: GPL-3.0-or-later
//
// The parts of the agent that can be looked at alone.
#include "backend/agent/frame_stream.h"
#include "backend/agent/histogram_window.h"
#include "backend/agent/listener_set.h"
#include "backend/agent/process_usage.h"
#include "backend/agent/restart_policy.h"
#include "backend/agent/runtime_directory.h"
#include "backend/agent/unix_socket.h"
#include "backend/agent/worker_process.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace yardmaster;
using namespace yardmaster::agent;

namespace {

std::pair<UniqueFd, UniqueFd> socketPair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        qFatal("socketpair");
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

proto::Request addCluster(const std::string& id) {
    proto::Request request;
    request.mutable_add_cluster()->set_cluster_id(id);
    request.mutable_add_cluster()->set_sticky_session(false);
    request.mutable_add_cluster()->set_https_redirect(false);
    request.mutable_add_cluster()->set_load_balancing(proto::RANDOM);
    return request;
}

} // namespace

class TestAgentParts : public QObject {
    Q_OBJECT

private slots:
    void restartsAtOnceThenSlowerThenNoMore() {
        constexpr std::int64_t second = 1'000'000'000;
        RestartPolicy policy;
        QCOMPARE(policy.onCrash(0), std::optional<std::int64_t>(0));
        const auto secondDelay = policy.onCrash(1 * second);
        const auto thirdDelay = policy.onCrash(2 * second);
        const auto fourthDelay = policy.onCrash(3 * second);
        QVERIFY(secondDelay && thirdDelay && fourthDelay);
        QVERIFY(*secondDelay > 0);
        QCOMPARE(*thirdDelay, 2 * *secondDelay);
        QCOMPARE(*fourthDelay, 4 * *secondDelay);
        QVERIFY(!policy.hasGivenUp());
        QVERIFY(!policy.onCrash(4 * second).has_value());
        QVERIFY(policy.hasGivenUp());
        QVERIFY(!policy.onCrash(100 * second).has_value());
        policy.reset();
        QCOMPARE(policy.onCrash(101 * second), std::optional<std::int64_t>(0));
    }
    void forgivesCrashesLongAgo() {
        RestartPolicy policy;
        for (int crash = 0; crash < 20; ++crash)
            QCOMPARE(policy.onCrash(crash * (RestartPolicy::windowNs + 1)), std::optional<std::int64_t>(0));
    }

    void onlyTheSameUserOrRootMayCommand() {
        QVERIFY(mayCommand({1, 1000, 1000}, 1000));
        QVERIFY(mayCommand({1, 0, 0}, 1000));
        QVERIFY(!mayCommand({1, 1001, 1000}, 1000));
        QVERIFY(!mayCommand({1, 1000, 0}, 0));
    }
    void knowsItsPeer() {
        const auto [left, right] = socketPair();
        const auto peer = peerCredentials(left.get());
        QVERIFY(peer.has_value());
        QCOMPARE(peer->pid, ::getpid());
        QCOMPARE(peer->uid, ::geteuid());
        QVERIFY(peer->describe().find(std::to_string(::getpid())) != std::string::npos);
    }

    void socketIsPrivateFromTheStart() {
        QTemporaryDir directory;
        const std::string path = directory.path().toStdString() + "/s";
        const mode_t before = ::umask(0);
        const auto listening = listenUnix(path);
        QCOMPARE(::umask(before), mode_t{0}); // as it was
        QVERIFY(listening.has_value());
        struct stat info { };
        QCOMPARE(::stat(path.c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777U, 0600U);
        QVERIFY(::fcntl(listening->get(), F_GETFD) & FD_CLOEXEC);
    }
    void replacesOnlyAStaleSocket() {
        QTemporaryDir directory;
        const std::string path = directory.path().toStdString() + "/s";
        auto first = listenUnix(path);
        QVERIFY(first.has_value());
        const auto second = listenUnix(path);
        QVERIFY(!second.has_value());
        QCOMPARE(second.error().code, Error::Code::AlreadyExists);
        first->reset();
        QVERIFY(listenUnix(path).has_value());
        QVERIFY(QFile::remove(QString::fromStdString(path)));
        std::ofstream(path) << "a file";
        const auto third = listenUnix(path);
        QVERIFY(!third.has_value());
        QVERIFY(QFile::exists(QString::fromStdString(path)));
        QVERIFY(!listenUnix(directory.path().toStdString() + "/" + std::string(200, 'a')).has_value());
    }

    void runtimeDirectoryHasOneHolder() {
        QTemporaryDir directory;
        const std::string path = directory.path().toStdString() + "/run";
        auto first = RuntimeDirectory::open(path);
        QVERIFY(first.has_value());
        const auto second = RuntimeDirectory::open(path);
        QVERIFY(!second.has_value());
        QCOMPARE(second.error().code, Error::Code::AlreadyExists);
        const auto socket = listenUnix(first->workerSocketPath(12));
        QVERIFY(socket.has_value());
        std::ofstream(path + "/worker-x.sock") << "";
        std::ofstream(path + "/worker-3.sock.bak") << "";
        const auto sockets = first->workerSockets();
        QCOMPARE(sockets.size(), 1U);
        QCOMPARE(sockets.front().workerId, 12U);
        first->removeWorkerSocket(12);
        QVERIFY(first->workerSockets().empty());
        ::unlink((path + "/worker-x.sock").c_str());
        ::unlink((path + "/worker-3.sock.bak").c_str());
        first->remove();
        QVERIFY(!QFile::exists(QString::fromStdString(path)));
        QVERIFY(RuntimeDirectory::open(path).has_value());
    }
    void refusesADirectoryOthersMayWrite() {
        QTemporaryDir directory;
        const std::string path = directory.path().toStdString() + "/run";
        QCOMPARE(::mkdir(path.c_str(), 0700), 0);
        QCOMPARE(::chmod(path.c_str(), 0777), 0);
        const auto opened = RuntimeDirectory::open(path);
        QVERIFY(!opened.has_value());
        QCOMPARE(opened.error().code, Error::Code::PermissionDenied);
    }

    void bindsEachAddressOnce() {
        ListenerSet set;
        const auto address = *state::SocketAddress::parse("127.0.0.1:0");
        QVERIFY(set.bind(address, proto::HTTP).has_value());
        QVERIFY(!set.bind(address, proto::HTTP).has_value());
        const int fd = set.find(address)->fd.get();
        int listening = 0;
        int reusePort = 1;
        socklen_t length = sizeof listening;
        QCOMPARE(::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &length), 0);
        QCOMPARE(listening, 1);
        QCOMPARE(::getsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &reusePort, &length), 0);
        QCOMPARE(reusePort, 0);
        QVERIFY(::fcntl(fd, F_GETFL) & O_NONBLOCK);
        QVERIFY(::fcntl(fd, F_GETFD) & FD_CLOEXEC);
        set.close(address);
        QVERIFY(!set.contains(address));
        QVERIFY(!set.bind(address, proto::TCP).has_value());
    }
    void adoptsOnlyWhatListensThere() {
        ListenerSet set;
        const auto address = *state::SocketAddress::parse("127.0.0.1:1");
        auto [left, right] = socketPair();
        QVERIFY(!set.adopt(address, proto::HTTP, std::move(left)).has_value());
        QVERIFY(!set.contains(address));
    }

    void framesArriveWholeAndInOrder() {
        auto [ours, theirs] = socketPair();
        FrameStream stream(std::move(ours), 10'000);
        std::vector<std::string> received;
        connect(&stream, &FrameStream::payloadReceived, this, [&](std::string_view payload) {
            proto::Request request;
            QVERIFY(protocol::decodePayload(payload, request).has_value());
            received.push_back(request.add_cluster().cluster_id());
            stream.setPaused(received.size() == 1);
        });
        const std::string bytes =
            *protocol::encodeFrame(addCluster("a")) + *protocol::encodeFrame(addCluster("b"));
        for (const char byte : bytes)
            QCOMPARE(::send(theirs.get(), &byte, 1, 0), ssize_t{1});
        QTRY_COMPARE(received.size(), 1U); // paused within
        QCoreApplication::processEvents();
        QCOMPARE(received.size(), 1U);
        stream.setPaused(false);
        QTRY_COMPARE(received, (std::vector<std::string>{"a", "b"}));
    }
    void streamSaysWhyItEnded_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("code");
        QTest::newRow("orderly") << QByteArray() << static_cast<int>(Error::Code::Unavailable);
        QTest::newRow("truncated") << QByteArray("\x20\0\0\0", 4) << static_cast<int>(Error::Code::DataLoss);
        QTest::newRow("bad length") << QByteArray("\x01\0\0\0\0\0\0\0", 8)
                                    << static_cast<int>(Error::Code::DataLoss);
        QTest::newRow("oversize") << QByteArray("\0\0\0\x10\0\0\0\0", 8)
                                  << static_cast<int>(Error::Code::ResourceExhausted);
    }
    void streamSaysWhyItEnded() {
        QFETCH(QByteArray, bytes);
        QFETCH(int, code);
        auto [ours, theirs] = socketPair();
        FrameStream stream(std::move(ours), 10'000);
        int ends = 0;
        int endCode = -1;
        connect(&stream, &FrameStream::closed, this, [&](const Error& reason) {
            ++ends;
            endCode = static_cast<int>(reason.code);
        });
        QCOMPARE(::send(theirs.get(), bytes.constData(), static_cast<std::size_t>(bytes.size()), 0),
            ssize_t{bytes.size()});
        theirs.reset();
        QTRY_COMPARE(ends, 1);
        QCOMPARE(endCode, code);
        QVERIFY(!stream.isOpen());
        QVERIFY(!stream.send(addCluster("late")).has_value());
    }
    void writesMoreThanASocketTakes() {
        auto [ours, theirs] = socketPair();
        FrameStream stream(std::move(ours), 10'000'000);
        const std::string id(2'000'000, 'x');
        QVERIFY(stream.send(addCluster(id)).has_value());
        QVERIFY(stream.unsentBytes() > 0);
        FrameStream reader(std::move(theirs), 10'000'000);
        std::size_t receivedBytes = 0;
        connect(&reader, &FrameStream::payloadReceived, this,
            [&](std::string_view payload) { receivedBytes = payload.size(); });
        QTRY_VERIFY(receivedBytes > id.size());
        QCOMPARE(stream.unsentBytes(), 0U);
        QVERIFY(!stream.send(addCluster(std::string(11'000'000, 'x'))).has_value());
    }

    void noticesTheEndOfAProcess_data() {
        QTest::addColumn<int>("signal");
        QTest::addColumn<QString>("text");
        QTest::newRow("killed") << SIGKILL << "killed by signal 9 (Killed)";
        QTest::newRow("exited") << 0 << "exited with status 7";
    }
    void noticesTheEndOfAProcess() {
        QFETCH(int, signal);
        QFETCH(QString, text);
        const pid_t pid = ::fork();
        if (pid == 0) {
            if (signal == 0)
                ::_exit(7);
            ::pause();
            ::_exit(0);
        }
        auto pidFd = openPidFd(pid);
        QVERIFY(pidFd.has_value());
        ProcessWatch watch(pid, std::move(*pidFd), true);
        QString said;
        connect(&watch, &ProcessWatch::ended, this,
            [&](const proto::ExitReport& report) { said = QString::fromStdString(report.text()); });
        if (signal != 0)
            watch.signalProcess(signal);
        QTRY_COMPARE(said, text);
        QVERIFY(!watch.isRunning());
        QCOMPARE(::waitpid(pid, nullptr, 0), -1); // reaped already
    }
    void binaryMustBeAProgram() {
        QVERIFY(WorkerBinary::open("/bin/sh").has_value());
        QVERIFY(!WorkerBinary::open("/etc/passwd").has_value());
        QVERIFY(!WorkerBinary::open("/tmp").has_value());
        QVERIFY(!WorkerBinary::open("/no/such/program").has_value());
    }
    void readsItsOwnUsage() {
        const auto usage = readProcessUsage(::getpid());
        QVERIFY(usage.has_value());
        QVERIFY(usage->rssBytes > 1'000'000);
        QVERIFY(!readProcessUsage(-5).has_value());
    }

    void windowHoldsOnlyWhatIsNew() {
        auto page = metrics::MetricsPage::create(1);
        QVERIFY(page.has_value());
        metrics::MetricsBlock& block = page->layout().worker;
        HistogramWindow window;
        proto::SparseHistogram delta;
        QVERIFY(!window.take(block, delta));
        block.recordLatency(100);
        block.recordLatency(100);
        block.recordLatency(5000);
        block.add(metrics::Counter::ResponsesOk, 3);
        QVERIFY(window.take(block, delta));
        QCOMPARE(delta.index_size(), 2);
        QCOMPARE(delta.count(0), 2U);
        QCOMPARE(delta.max_us(), 5000U);
        QCOMPARE(delta.sum_us(), 5200U);
        delta.Clear();
        QVERIFY(!window.take(block, delta));
        block.recordLatency(100);
        block.add(metrics::Counter::ResponsesOk);
        QVERIFY(window.take(block, delta));
        QCOMPARE(delta.index_size(), 1);
        QCOMPARE(delta.count(0), 1U);
        QCOMPARE(delta.max_us(), 100U); // not the maximum since the start
    }
};

QTEST_GUILESS_MAIN(TestAgentParts)
#include "tst_agent_parts.moc"

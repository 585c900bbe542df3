// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/fd_passing.h"

#include <QtTest>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

using namespace yardmaster;
using namespace std::chrono_literals;

namespace {

protocol::Deadline in(std::chrono::milliseconds time) {
    return std::chrono::steady_clock::now() + time;
}

struct Pair {
    UniqueFd a;
    UniqueFd b;
    explicit Pair(int flags = 0) {
        int fds[2] = {-1, -1};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0, fds) == 0) {
            a.reset(fds[0]);
            b.reset(fds[1]);
        }
    }
};

UniqueFd someFile() {
    return UniqueFd(::memfd_create("test", MFD_CLOEXEC));
}

ino_t inodeOf(int fd) {
    struct stat status { };
    return ::fstat(fd, &status) == 0 ? status.st_ino : 0;
}

std::size_t openFds() {
    std::size_t count = 0;
    for (int fd = 0; fd < 4096; ++fd)
        count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    return count;
}

} // namespace

class TestFdPassing : public QObject {
    Q_OBJECT

private slots:
    void dataAndDescriptorsArrive_data() {
        QTest::addColumn<int>("flags");
        QTest::addColumn<int>("count");
        for (const int count : {0, 1, 200, 253}) {
            QTest::addRow("%d, blocking", count) << 0 << count;
            QTest::addRow("%d, non-blocking", count) << int(SOCK_NONBLOCK) << count;
        }
    }
    void dataAndDescriptorsArrive() {
        QFETCH(int, flags);
        QFETCH(int, count);
        const Pair pair(flags);
        std::vector<UniqueFd> files;
        std::vector<int> numbers;
        for (int i = 0; i < count; ++i)
            numbers.push_back(files.emplace_back(someFile()).get());
        QVERIFY(protocol::sendWithFds(pair.a.get(), "hello", numbers, in(2s)));

        std::string data(5, '\0');
        std::vector<UniqueFd> received;
        const auto read = protocol::receiveWithFds(pair.b.get(), data, received, in(2s));
        QVERIFY2(read, read ? "" : read.error().toString().c_str());
        QCOMPARE(data, std::string("hello"));
        QCOMPARE(received.size(), files.size());
        for (std::size_t i = 0; i < files.size(); ++i) {
            QCOMPARE(inodeOf(received[i].get()), inodeOf(files[i].get()));
            QVERIFY((::fcntl(received[i].get(), F_GETFD) & FD_CLOEXEC) != 0);
        }
    }

    void nothingBeyondTheAskedBytesIsRead() {
        const Pair pair;
        const UniqueFd first = someFile();
        const UniqueFd second = someFile();
        QVERIFY(protocol::sendWithFds(pair.a.get(), "one", std::vector{first.get()}, in(2s)));
        QVERIFY(protocol::sendWithFds(pair.a.get(), "two", std::vector{second.get()}, in(2s)));
        for (const auto* expected : {"one", "two"}) {
            std::string data(3, '\0');
            std::vector<UniqueFd> received;
            QVERIFY(protocol::receiveWithFds(pair.b.get(), data, received, in(2s)));
            QCOMPARE(data, std::string(expected));
            QCOMPARE(received.size(), std::size_t{1});
            QCOMPARE(inodeOf(received[0].get()),
                inodeOf(std::string_view(expected) == "one" ? first.get() : second.get()));
        }
    }

    void aMessageLargerThanTheSocketBufferGoesThrough() {
        const Pair pair;
        const UniqueFd file = someFile();
        std::string big(4 << 20, 'x');
        big.back() = 'y';
        std::thread writer([&] {
            const auto sent = protocol::sendWithFds(pair.a.get(), big, std::vector{file.get()}, in(20s));
            QVERIFY(sent);
        });
        std::string data(big.size(), '\0');
        std::vector<UniqueFd> received;
        const auto read = protocol::receiveWithFds(pair.b.get(), data, received, in(20s));
        writer.join();
        QVERIFY(read);
        QVERIFY(data == big);
        QCOMPARE(received.size(), std::size_t{1});
    }

    void wrongArguments() {
        const Pair pair;
        const std::vector<int> tooMany(254, pair.a.get());
        const auto code = [&](std::string_view data, const std::vector<int>& fds) {
            const auto sent = protocol::sendWithFds(pair.a.get(), data, fds, in(1s));
            return sent ? Error::Code::Internal : sent.error().code;
        };
        QCOMPARE(code("", {pair.a.get()}), Error::Code::InvalidArgument);
        QCOMPARE(code("x", {-1}), Error::Code::InvalidArgument);
        QCOMPARE(code("x", tooMany), Error::Code::InvalidArgument);
    }

    void aPeerThatIsGone() {
        Pair pair;
        pair.b.reset();
        const auto sent = protocol::sendWithFds(pair.a.get(), "x", {}, in(2s)); // and no SIGPIPE
        QVERIFY(!sent);
        QCOMPARE(sent.error().code, Error::Code::Unavailable);

        Pair other;
        other.a.reset();
        std::string data(3, '\0');
        std::vector<UniqueFd> received;
        const auto read = protocol::receiveWithFds(other.b.get(), data, received, in(2s));
        QVERIFY(!read);
        QCOMPARE(read.error().code, Error::Code::Unavailable);
    }

    void aMessageCutShort() {
        Pair pair;
        const UniqueFd file = someFile();
        QVERIFY(protocol::sendWithFds(pair.a.get(), "ab", std::vector{file.get()}, in(2s)));
        pair.a.reset();
        std::string data(3, '\0');
        std::vector<UniqueFd> received;
        const auto read = protocol::receiveWithFds(pair.b.get(), data, received, in(2s));
        QVERIFY(!read);
        QCOMPARE(read.error().code, Error::Code::DataLoss);
    }

    void deadlinesHold() {
        const Pair pair;
        std::string data(1, '\0');
        std::vector<UniqueFd> received;
        const auto read = protocol::receiveWithFds(pair.b.get(), data, received, in(30ms));
        QVERIFY(!read);
        QCOMPARE(read.error().code, Error::Code::DeadlineExceeded);
        const auto sent = protocol::sendWithFds(pair.a.get(), std::string(8 << 20, 'x'), {}, in(30ms));
        QVERIFY(!sent);
        QCOMPARE(sent.error().code, Error::Code::DeadlineExceeded);
    }

    void signalsDoNotDisturb() {
        struct sigaction action { };
        action.sa_handler = [](int) {};
        struct sigaction before { };
        QCOMPARE(::sigaction(SIGUSR1, &action, &before), 0); // without SA_RESTART
        const Pair pair;
        std::string data(1, '\0');
        std::vector<UniqueFd> received;
        std::atomic<bool> done = false;
        Expected<void> read;
        std::thread reader([&] {
            read = protocol::receiveWithFds(pair.b.get(), data, received, in(20s));
            done = true;
        });
        for (int i = 0; i < 20; ++i) {
            ::pthread_kill(reader.native_handle(), SIGUSR1);
            std::this_thread::sleep_for(1ms);
        }
        QVERIFY(!done);
        QVERIFY(protocol::sendWithFds(pair.a.get(), "x", {}, in(2s)));
        reader.join();
        ::sigaction(SIGUSR1, &before, nullptr);
        QVERIFY(read);
    }

    void tooManyDescriptorsAreClosedNotLeaked() {
        const Pair pair;
        const UniqueFd file = someFile();
        QVERIFY(protocol::sendWithFds(pair.a.get(), "x", std::vector<int>(5, file.get()), in(2s)));
        const std::size_t before = openFds();
        {
            std::string data(1, '\0');
            std::vector<UniqueFd> received;
            const auto read = protocol::receiveWithFds(pair.b.get(), data, received, in(2s), 4);
            QVERIFY(!read);
            QCOMPARE(read.error().code, Error::Code::ResourceExhausted);
        }
        QCOMPARE(openFds(), before);
    }

    // The kernel passes what fits under RLIMIT_NOFILE and drops the rest with MSG_CTRUNC.
    void droppedDescriptorsAreNoticed() {
        const Pair pair;
        const UniqueFd file = someFile();
        QVERIFY(protocol::sendWithFds(pair.a.get(), "x", std::vector<int>(20, file.get()), in(2s)));
        rlimit limit{};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &limit), 0);
        rlimit low = limit; // five numbers are left, wherever the holes are
        low.rlim_cur = 0;
        for (int free = 0; free < 5; ++low.rlim_cur)
            free += ::fcntl(static_cast<int>(low.rlim_cur), F_GETFD) < 0 ? 1 : 0;
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &low), 0);
        std::string data(1, '\0');
        std::vector<UniqueFd> received;
        const auto read = protocol::receiveWithFds(pair.b.get(), data, received, in(2s));
        ::setrlimit(RLIMIT_NOFILE, &limit);
        QVERIFY(!read);
        QCOMPARE(read.error().code, Error::Code::ResourceExhausted);
        QCOMPARE(received.size(), std::size_t{5});
    }
};

QTEST_GUILESS_MAIN(TestFdPassing)
#include "tst_fd_passing.moc"

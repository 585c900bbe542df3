// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/listener_passing.h"
#include "backend/protocol/worker_channel.h"

#include <QtTest>

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

using namespace yardmaster;
using namespace std::chrono_literals;
using protocol::ListenerToSend;

namespace {

protocol::Deadline in(std::chrono::milliseconds time) {
    return std::chrono::steady_clock::now() + time;
}

struct Pair {
    UniqueFd a;
    UniqueFd b;
    Pair() {
        int fds[2] = {-1, -1};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0) {
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

std::string rawMessage(const proto::ListenersCount& count) {
    const std::string message = count.SerializeAsString();
    return std::string(1, static_cast<char>(message.size())) + message; // below 128 bytes
}

Error::Code receiveError(int fd, std::chrono::milliseconds time = 2s) {
    const auto received = protocol::receiveListeners(fd, in(time));
    return received ? Error::Code::Internal : received.error().code;
}

} // namespace

class TestListenerPassing : public QObject {
    Q_OBJECT

private slots:
    void anEmptyListIsOneZeroByte() {
        const Pair pair;
        QVERIFY(protocol::sendListeners(pair.a.get(), {}, in(2s)));
        char bytes[16];
        QCOMPARE(::recv(pair.b.get(), bytes, sizeof bytes, MSG_DONTWAIT), ssize_t{1});
        QCOMPARE(bytes[0], '\0');

        QVERIFY(protocol::sendListeners(pair.a.get(), {}, in(2s)));
        const auto received = protocol::receiveListeners(pair.b.get(), in(2s));
        QVERIFY(received);
        QVERIFY(received->listeners.empty());
    }

    // As Sozu writes it: http = field 1, tls = field 2, in this order whatever the order given.
    void bytesOnTheWire() {
        const Pair pair;
        const UniqueFd file = someFile();
        const std::vector<ListenerToSend> listeners{
            {"[::1]:443", proto::HTTPS, file.get()}, {"1.2.3.4:80", proto::HTTP, file.get()}};
        QVERIFY(protocol::sendListeners(pair.a.get(), listeners, in(2s)));
        char bytes[64];
        const ssize_t count = ::recv(pair.b.get(), bytes, sizeof bytes, MSG_DONTWAIT);
        QCOMPARE(QByteArray(bytes, static_cast<int>(count)).toHex(),
            QByteArray("17"
                       "0a0a"
                       "312e322e332e343a3830"
                       "1209"
                       "5b3a3a315d3a343433"));
    }

    void everyDescriptorKeepsItsAddress_data() {
        QTest::addColumn<int>("count");
        QTest::addColumn<bool>("longAddresses");
        for (const int count : {1, 4, 199, 200, 201, 450}) {
            QTest::addRow("%d", count) << count << false;
            QTest::addRow("%d long", count)
                << count << true; // 4096 data bytes are met before 200 descriptors
        }
    }
    void everyDescriptorKeepsItsAddress() {
        QFETCH(int, count);
        QFETCH(bool, longAddresses);
        const Pair pair;
        std::vector<UniqueFd> files;
        std::vector<ListenerToSend> listeners;
        std::map<std::pair<int, std::string>, ino_t> expected;
        for (int i = 0; i < count; ++i) {
            const auto type = static_cast<proto::ListenerType>((i * 7) % 4);
            std::string address = (longAddresses ? "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:" : "10.0.0.1:")
                + std::to_string(1000 + i);
            files.push_back(someFile());
            expected[{type, address}] = inodeOf(files.back().get());
            listeners.push_back({std::move(address), type, files.back().get()});
        }
        Expected<void> sent;
        std::thread sender([&] { sent = protocol::sendListeners(pair.a.get(), listeners, in(10s)); });
        auto received = protocol::receiveListeners(pair.b.get(), in(10s));
        sender.join();
        QVERIFY(sent);
        QVERIFY2(received, received ? "" : received.error().toString().c_str());
        QCOMPARE(received->listeners.size(), listeners.size());
        for (const auto& listener : received->listeners)
            QCOMPARE(inodeOf(listener.fd.get()), (expected[{listener.type, listener.address}]));
        QVERIFY(std::is_sorted(received->listeners.begin(), received->listeners.end(),
            [](const auto& a, const auto& b) { return a.type < b.type; }));
    }

    // An adopted worker sends two descriptors ahead, and frames follow on the same socket.
    void leadingDescriptorsAndWhatFollows() {
        const Pair pair;
        const UniqueFd page = someFile();
        const UniqueFd state = someFile();
        std::vector<ListenerToSend> listeners;
        const UniqueFd file = someFile();
        for (int i = 0; i < 230; ++i)
            listeners.push_back({"10.0.0.1:" + std::to_string(1000 + i), proto::TCP, file.get()});
        QVERIFY(
            protocol::sendListeners(pair.a.get(), listeners, in(2s), std::vector{page.get(), state.get()}));
        QVERIFY(protocol::sendWithFds(pair.a.get(), "frame", {}, in(2s)));

        const auto received = protocol::receiveListeners(pair.b.get(), in(2s), 2);
        QVERIFY2(received, received ? "" : received.error().toString().c_str());
        QCOMPARE(received->leading.size(), std::size_t{2});
        QCOMPARE(inodeOf(received->leading[0].get()), inodeOf(page.get()));
        QCOMPARE(inodeOf(received->leading[1].get()), inodeOf(state.get()));
        QCOMPARE(received->listeners.size(), std::size_t{230});
        char bytes[16];
        QCOMPARE(::recv(pair.b.get(), bytes, sizeof bytes, MSG_DONTWAIT), ssize_t{5});

        // Without listeners it is still one message.
        QVERIFY(protocol::sendListeners(pair.a.get(), {}, in(2s), std::vector{page.get(), state.get()}));
        const auto none = protocol::receiveListeners(pair.b.get(), in(2s), 2);
        QVERIFY(none);
        QCOMPARE(none->leading.size(), std::size_t{2});
    }

    void aCountThatDiffersIsDataLoss_data() {
        QTest::addColumn<int>("addresses");
        QTest::addColumn<int>("descriptors");
        QTest::newRow("fewer") << 3 << 2;
        QTest::newRow("none") << 1 << 0;
        QTest::newRow("more") << 1 << 2;
        QTest::newRow("unnamed") << 0 << 1;
    }
    void aCountThatDiffersIsDataLoss() {
        QFETCH(int, addresses);
        QFETCH(int, descriptors);
        const Pair pair;
        const UniqueFd file = someFile();
        proto::ListenersCount count;
        for (int i = 0; i < addresses; ++i)
            count.add_http("127.0.0.1:" + std::to_string(80 + i));
        QVERIFY(protocol::sendWithFds(pair.a.get(), rawMessage(count),
            std::vector<int>(static_cast<std::size_t>(descriptors), file.get()), in(2s)));
        QCOMPARE(receiveError(pair.b.get()), Error::Code::DataLoss);
    }

    void damagedMessages_data() {
        QTest::addColumn<QByteArray>("data");
        QTest::newRow("does not decode") << QByteArray("\x03\xff\xff\xff");
        QTest::newRow("truncated") << QByteArray("\x0c\x0a\x0a"
                                                 "127");
        QTest::newRow("cut in the length") << QByteArray("\x80");
        QTest::newRow("a length without end") << QByteArray("\xff\xff\xff\xff\xff\xff");
        QTest::newRow("longer than 4096") << QByteArray("\x81\x20");
        QTest::newRow("announces more than it has") << QByteArray::fromHex("03c03e01");
    }
    void damagedMessages() {
        QFETCH(QByteArray, data);
        Pair pair;
        QVERIFY(protocol::sendWithFds(
            pair.a.get(), {data.constData(), static_cast<std::size_t>(data.size())}, {}, in(2s)));
        pair.a.reset();
        QCOMPARE(receiveError(pair.b.get()), Error::Code::DataLoss);
    }

    void anAddressNamedTwiceIsDataLoss() {
        const Pair pair;
        const UniqueFd file = someFile();
        const std::vector<ListenerToSend> listeners(2, {"127.0.0.1:80", proto::HTTP, file.get()});
        QVERIFY(protocol::sendListeners(pair.a.get(), listeners, in(2s)));
        QCOMPARE(receiveError(pair.b.get()), Error::Code::DataLoss);
    }

    void closedAndSilentPeers() {
        Pair closed;
        closed.a.reset();
        QCOMPARE(receiveError(closed.b.get()), Error::Code::Unavailable);

        const Pair silent;
        QCOMPARE(receiveError(silent.b.get(), 30ms), Error::Code::DeadlineExceeded);

        // Closed between two messages: what came is not the whole.
        Pair half;
        const UniqueFd file = someFile();
        proto::ListenersCount count;
        count.add_http("127.0.0.1:80");
        count.set_more(true);
        QVERIFY(protocol::sendWithFds(half.a.get(), rawMessage(count), std::vector{file.get()}, in(2s)));
        half.a.reset();
        QCOMPARE(receiveError(half.b.get()), Error::Code::DataLoss);
    }

    void wrongArguments() {
        const Pair pair;
        const auto code = [&](const ListenerToSend& listener, std::size_t leading = 0) {
            const std::vector<int> fds(leading, pair.a.get());
            const auto sent = protocol::sendListeners(pair.a.get(), std::span(&listener, 1), in(1s), fds);
            return sent ? Error::Code::Internal : sent.error().code;
        };
        QCOMPARE(code({"", proto::HTTP, pair.a.get()}), Error::Code::InvalidArgument);
        QCOMPARE(code({"1.2.3.4:80", proto::HTTP, -1}), Error::Code::InvalidArgument);
        QCOMPARE(code({std::string(128, 'x'), proto::HTTP, pair.a.get()}), Error::Code::InvalidArgument);
        QCOMPARE(code({"1.2.3.4:80", proto::HTTP, pair.a.get()}, 54), Error::Code::InvalidArgument);
    }
};

QTEST_GUILESS_MAIN(TestListenerPassing)
#include "tst_listener_passing.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/initial_state.h"

#include <QTemporaryFile>
#include <QtTest>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace yardmaster;

namespace {

proto::Request removeCluster(const std::string& id) {
    proto::Request request;
    request.set_remove_cluster(id);
    return request;
}

Expected<protocol::InitialStateFile> write(const std::vector<proto::Request>& requests) {
    return protocol::writeInitialState([&](const protocol::RequestSink& sink) {
        for (const auto& request : requests)
            sink(request);
    });
}

std::string contentOf(int fd) {
    std::string bytes(1 << 16, '\0');
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(::pread(fd, bytes.data(), bytes.size(), 0), 0)));
    return bytes;
}

const protocol::InitialStateVisitor ignore = [](const proto::WorkerRequest&) -> Expected<void> { return {}; };

} // namespace

class TestInitialState : public QObject {
    Q_OBJECT

private slots:
    // Sozu's worker parses the file as one message.
    void theFileIsAnInitialStateMessage() {
        const auto file =
            write({removeCluster("a"), removeCluster(std::string(500, 'b')), removeCluster("")});
        QVERIFY(file);
        QCOMPARE(file->records, std::uint64_t{3});
        const std::string bytes = contentOf(file->fd.get());
        QCOMPARE(file->bytes, std::uint64_t{bytes.size()});
        proto::InitialState state;
        QVERIFY(state.ParseFromString(bytes));
        QCOMPARE(state.requests_size(), 3);
        QCOMPARE(state.requests(0).id(), std::string("SAVE-0"));
        QCOMPARE(state.requests(2).id(), std::string("SAVE-2"));
        QCOMPARE(state.requests(1).content().remove_cluster(), std::string(500, 'b'));
        QCOMPARE(state.SerializeAsString(), bytes);
        QCOMPARE(QByteArray::fromStdString(bytes.substr(0, 15)).toHex(),
            QByteArray("0a0d"
                       "0a06534156452d30"
                       "1203"
                       "720161"));
    }

    void readsBackWithoutTheFileOffset() {
        std::vector<proto::Request> requests;
        for (int i = 0; i < 50'000; ++i) // several flushes of the writer
            requests.push_back(removeCluster("cluster-with-a-name-" + std::to_string(i)));
        const auto file = write(requests);
        QVERIFY(file);
        QCOMPARE(::lseek(file->fd.get(), 7, SEEK_SET), off_t{7}); // another process moved it
        std::size_t at = 0;
        bool same = true;
        const auto count = protocol::forEachInitialRequest(
            file->fd.get(), [&](const proto::WorkerRequest& record) -> Expected<void> {
                same = same && record.id() == "SAVE-" + std::to_string(at)
                    && record.content().remove_cluster() == requests[at].remove_cluster();
                ++at;
                return {};
            });
        QVERIFY(count);
        QCOMPARE(*count, std::uint64_t{50'000});
        QVERIFY(same);
        QCOMPARE(::lseek(file->fd.get(), 0, SEEK_CUR), off_t{7});
    }

    void theFileIsSealed() {
        const auto file = write({removeCluster("a")});
        QVERIFY(file);
        QCOMPARE(
            ::fcntl(file->fd.get(), F_GET_SEALS), F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
        QCOMPARE(::pwrite(file->fd.get(), "x", 1, 0), ssize_t{-1});
        QCOMPARE(::ftruncate(file->fd.get(), 0), -1);
        QVERIFY((::fcntl(file->fd.get(), F_GETFD) & FD_CLOEXEC) != 0);
        QCOMPARE(::lseek(file->fd.get(), 0, SEEK_CUR), off_t{0}); // a Sozu worker reads from here
    }

    void anEmptyState() {
        const auto file = write({});
        QVERIFY(file);
        const auto count = protocol::forEachInitialRequest(file->fd.get(), ignore);
        QVERIFY(count);
        QCOMPARE(*count, std::uint64_t{0});
    }

    void anOrdinaryFileIsReadToo() {
        QTemporaryFile disk;
        QVERIFY(disk.open());
        const auto file = write({removeCluster("a"), removeCluster("b")});
        QVERIFY(file);
        const std::string bytes = contentOf(file->fd.get());
        QCOMPARE(
            disk.write(bytes.data(), static_cast<qint64>(bytes.size())), static_cast<qint64>(bytes.size()));
        QVERIFY(disk.flush());
        const auto count = protocol::forEachInitialRequest(disk.handle(), ignore);
        QVERIFY(count);
        QCOMPARE(*count, std::uint64_t{2});

        int ends[2] = {-1, -1};
        QCOMPARE(::pipe(ends), 0);
        const UniqueFd read(ends[0]);
        const UniqueFd write(ends[1]);
        const auto none = protocol::forEachInitialRequest(read.get(), ignore);
        QVERIFY(!none);
        QCOMPARE(none.error().code, Error::Code::InvalidArgument);
    }

    void aMissingFieldIsRefusedWithItsNumber() {
        proto::Request incomplete;
        incomplete.mutable_add_cluster()->set_cluster_id("web");
        const auto file = write({removeCluster("a"), incomplete});
        QVERIFY(!file);
        QCOMPARE(file.error().code, Error::Code::InvalidArgument);
        QCOMPARE(file.error().where, std::string("record 1"));
    }

    void damageIsReportedWithPlace_data() {
        QTest::addColumn<QByteArray>("tail"); // behind one good record of 15 bytes
        QTest::addColumn<QString>("what");
        QTest::newRow("another field") << QByteArray::fromHex("120161") << QStringLiteral("not a record");
        QTest::newRow("no length") << QByteArray::fromHex("0a") << QStringLiteral("malformed");
        QTest::newRow("length cut") << QByteArray::fromHex("0a80") << QStringLiteral("malformed");
        QTest::newRow("length beyond 32 bits")
            << QByteArray::fromHex("0affffffff7f") << QStringLiteral("malformed");
        QTest::newRow("length of eleven bytes")
            << QByteArray::fromHex("0affffffffffffffffffff01") << QStringLiteral("malformed");
        QTest::newRow("absurd length") << QByteArray::fromHex("0affffffff0f") << QStringLiteral("64 MiB");
        QTest::newRow("truncated") << QByteArray::fromHex("0a0d0a06534156")
                                   << QStringLiteral("truncated: 5 of 13");
        QTest::newRow("undecodable") << QByteArray::fromHex("0a03ffffff")
                                     << QStringLiteral("does not decode");
        QTest::newRow("no content") << QByteArray::fromHex("0a030a0161") << QStringLiteral("required field");
    }
    void damageIsReportedWithPlace() {
        QFETCH(QByteArray, tail);
        QFETCH(QString, what);
        const auto file = write({removeCluster("a")});
        QVERIFY(file);
        QCOMPARE(file->bytes, std::uint64_t{15});
        const std::string bytes = contentOf(file->fd.get()) + tail.toStdString();
        std::uint64_t visited = 0;
        const auto count =
            protocol::forEachInitialRequest(bytes, [&](const proto::WorkerRequest&) -> Expected<void> {
                ++visited;
                return {};
            });
        QVERIFY(!count);
        QCOMPARE(count.error().code, Error::Code::DataLoss);
        QCOMPARE(visited, std::uint64_t{1});
        QCOMPARE(count.error().where, std::string("record 1 at byte 15"));
        QVERIFY2(QString::fromStdString(count.error().what).contains(what), count.error().what.c_str());
    }

    void theVisitorStopsTheReading() {
        const auto file = write({removeCluster("a"), removeCluster("b"), removeCluster("c")});
        QVERIFY(file);
        int visited = 0;
        const auto count = protocol::forEachInitialRequest(
            file->fd.get(), [&](const proto::WorkerRequest& r) -> Expected<void> {
                ++visited;
                if (r.content().remove_cluster() == "b")
                    return failure(Error::Code::NotFound, "no such cluster", "b");
                return {};
            });
        QVERIFY(!count);
        QCOMPARE(visited, 2);
        QCOMPARE(count.error().code, Error::Code::NotFound);
        QCOMPARE(count.error().where, std::string("b, record 1 at byte 15"));
    }
};

QTEST_GUILESS_MAIN(TestInitialState)
#include "tst_initial_state.moc"

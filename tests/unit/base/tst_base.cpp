// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/base/error.h"
#include "backend/base/monotonic_clock.h"
#include "backend/base/unique_fd.h"

#include <QTest>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace yardmaster;

namespace {
bool isOpen(int fd) {
    return ::fcntl(fd, F_GETFD) != -1;
}
} // namespace

class TestBase : public QObject {
    Q_OBJECT
private slots:
    void anErrorSaysWhatWhereAndWhatToDo() {
        const Error error{Error::Code::NotFound, "no worker 7", "worker list", "list the workers first"};
        QCOMPARE(error.toString(), std::string("no worker 7 (worker list): list the workers first"));
        QCOMPARE(
            (Error{Error::Code::NotFound, "no worker 7", {}, {}}).toString(), std::string("no worker 7"));
    }

    void errnoBecomesAKind_data() {
        QTest::addColumn<int>("number");
        QTest::addColumn<int>("code");
        QTest::newRow("missing file") << ENOENT << static_cast<int>(Error::Code::NotFound);
        QTest::newRow("address in use") << EADDRINUSE << static_cast<int>(Error::Code::AlreadyExists);
        QTest::newRow("no permission") << EACCES << static_cast<int>(Error::Code::PermissionDenied);
        QTest::newRow("refused") << ECONNREFUSED << static_cast<int>(Error::Code::Unavailable);
        QTest::newRow("disk full") << ENOSPC << static_cast<int>(Error::Code::ResourceExhausted);
        QTest::newRow("anything else") << EDOM << static_cast<int>(Error::Code::Internal);
    }
    void errnoBecomesAKind() {
        QFETCH(int, number);
        QFETCH(int, code);
        const Error error = Error::fromErrno(number, "open", "a.toml");
        QCOMPARE(static_cast<int>(error.code), code);
        QVERIFY(error.what.starts_with("open: "));
        QCOMPARE(error.where, std::string("a.toml"));
    }

    void aDescriptorIsClosedOnceAndMoves() {
        int pipe[2];
        QCOMPARE(::pipe2(pipe, O_CLOEXEC), 0);
        const int read = pipe[0], write = pipe[1];
        UniqueFd writer(write);
        {
            UniqueFd first(read);
            UniqueFd second = std::move(first);
            QVERIFY(!first.isValid()); // NOLINT: moved from on purpose
            QCOMPARE(second.get(), read);
            QVERIFY(isOpen(read));
        }
        QVERIFY(!isOpen(read));
        UniqueFd copy = writer.duplicateAbove(150);
        QVERIFY(copy.get() >= 150);
        QVERIFY(::fcntl(copy.get(), F_GETFD) & FD_CLOEXEC);
        writer.reset();
        QVERIFY(!isOpen(write));
        QVERIFY(isOpen(copy.get()));
    }

    void theClockOnlyGoesForward() {
        std::int64_t last = monotonicNowNs();
        for (int round = 0; round < 1000; ++round) {
            const std::int64_t now = monotonicNowNs();
            QVERIFY(now >= last);
            last = now;
        }
        QVERIFY(unixNowNs() > 1'600'000'000LL * 1'000'000'000);
    }
};

QTEST_GUILESS_MAIN(TestBase)
#include "tst_base.moc"

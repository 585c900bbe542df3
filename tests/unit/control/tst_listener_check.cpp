// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/control/listener_check.h"

#include <QTest>

using namespace yardmaster::control;

class TestListenerCheck : public QObject {
    Q_OBJECT
private slots:
    void tableIsRead() {
        const QByteArray table =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
            "inode\n"
            "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000003 00:00000000 00000000     0        0 11 1 "
            "0\n"
            "   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 12 1 "
            "0\n"
            "   2: nonsense\n"
            "   3: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A "
            "00000000:00000000 00:00000000 00000000     0        0 13 1 0\n";
        const auto sockets = parseListenSockets(table);
        QCOMPARE(sockets.size(), 2U);
        QCOMPARE(sockets[0].address, QHostAddress(QStringLiteral("127.0.0.1")));
        QCOMPARE(sockets[0].port, std::uint16_t{8080});
        QCOMPARE(sockets[0].waiting, 3U);
        QCOMPARE(sockets[0].inode, 11U);
        QCOMPARE(sockets[1].address, QHostAddress(QStringLiteral("::1")));
        QCOMPARE(sockets[1].port, std::uint16_t{80});
    }

    void moreSocketsThanWorkersAreDead() {
        const auto at = [](const char* address, std::uint64_t inode, std::uint64_t waiting) {
            return ListenSocket{QHostAddress(QString::fromLatin1(address)), 8080, waiting, inode};
        };
        const std::vector<ListenSocket> sockets{
            at("127.0.0.1", 1, 0), at("127.0.0.1", 2, 0), at("127.0.0.1", 3, 9), at("127.0.0.2", 4, 0)};
        const QStringList endpoints{
            QStringLiteral("127.0.0.1:8080"), QStringLiteral("127.0.0.2:8080"), QStringLiteral("rubbish")};
        QCOMPARE(findDeadListeners(sockets, endpoints, 3).size(), 0U);
        const auto dead = findDeadListeners(sockets, endpoints, 2);
        QCOMPARE(dead.size(), 1U);
        QCOMPARE(dead[0].endpoint, endpoints[0]);
        QCOMPARE(dead[0].sockets, 3U);
        QCOMPARE(dead[0].waiting, 9U);
    }

    void endpointsAreRead() {
        QCOMPARE(parseEndpoint(QStringLiteral("[::1]:80"))->address, QHostAddress(QStringLiteral("::1")));
        QCOMPARE(parseEndpoint(QStringLiteral("10.0.0.1:443"))->port, std::uint16_t{443});
        QVERIFY(!parseEndpoint(QStringLiteral("10.0.0.1")));
        QVERIFY(!parseEndpoint(QStringLiteral("10.0.0.1:x")));
    }

    void ownProcessIsRead() {
        const auto process = readProcess(static_cast<std::int32_t>(QCoreApplication::applicationPid()));
        QVERIFY(process);
        QVERIFY(process->rssBytes > 0);
        QVERIFY(process->startedUnixNs > 0);
        QVERIFY(!readProcess(0));
    }
};

QTEST_GUILESS_MAIN(TestListenerCheck)
#include "tst_listener_check.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/protocol/objects.pb.h"
#include "backend/state/socket_address.h"

#include <QtTest>

using namespace yardmaster;
using state::SocketAddress;

class TestSocketAddress : public QObject {
    Q_OBJECT

private slots:
    void textAndBack_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("canonical");
        const auto row = [](const char* text, const char* canonical) {
            QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(canonical);
        };
        row("127.0.0.1:80", "127.0.0.1:80");
        row("0.0.0.0:65535", "0.0.0.0:65535");
        row("1.2.3.4:0", "1.2.3.4:0");
        row("[::1]:443", "[::1]:443");
        row("[::]:1", "[::]:1");
        row("[2001:DB8:0:0:0:0:0:1]:8080", "[2001:db8::1]:8080");
        row("[::ffff:10.0.0.1]:80", "[::ffff:10.0.0.1]:80");
    }
    void textAndBack() {
        QFETCH(QString, text);
        QFETCH(QString, canonical);
        const auto address = SocketAddress::parse(text.toStdString());
        QVERIFY(address);
        QCOMPARE(QString::fromStdString(address->toString()), canonical);
        proto::SocketAddress wire;
        address->toProto(wire);
        const auto back = SocketAddress::fromProto(wire);
        QVERIFY(back);
        QVERIFY(*back == *address);
    }

    void whatIsNoAddress_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"", ":", "127.0.0.1", "127.0.0.1:", ":80", "127.0.0.1:65536", "127.0.0.1:-1",
                 "127.0.0.1:+1", "127.0.0.1: 80", "127.0.0.1:80 ", "127.0.0.1:8x", "127.0.0.256:80",
                 "127.1:80", "::1:80", "[::1]", "[::1:80", "::1]:80", "[127.0.0.1]:80", "[fe80::1%eth0]:80",
                 "localhost:80", "[]:80"})
            QTest::newRow(text) << QByteArray(text);
        QTest::newRow("a zero byte") << QByteArray("127.0.0.1\0x:80", 14);
    }
    void whatIsNoAddress() {
        QFETCH(QByteArray, text);
        const auto address = SocketAddress::parse(text.toStdString());
        QVERIFY(!address);
        QCOMPARE(address.error().code, Error::Code::InvalidArgument);
    }

    void wireForm() {
        proto::SocketAddress wire;
        wire.mutable_ip()->set_v4(0x7F000001); // host order, see the facts on Sozu's protocol
        wire.set_port(80);
        QCOMPARE(SocketAddress::fromProto(wire)->toString(), std::string("127.0.0.1:80"));
        wire.mutable_ip()->mutable_v6()->set_high(0x20010db800000000);
        wire.mutable_ip()->mutable_v6()->set_low(1); // the low 64 bits
        QCOMPARE(SocketAddress::fromProto(wire)->toString(), std::string("[2001:db8::1]:80"));
        wire.set_port(65536);
        QVERIFY(!SocketAddress::fromProto(wire));
        wire.set_port(80);
        wire.mutable_ip()->clear_inner();
        QVERIFY(!SocketAddress::fromProto(wire));
    }

    void order() {
        const auto at = [](const char* text) { return SocketAddress::parse(text).value(); };
        QVERIFY(at("1.2.3.4:80") < at("1.2.3.4:81"));
        QVERIFY(at("1.2.3.4:81") < at("1.2.3.5:80"));
        QVERIFY(at("255.0.0.1:80") < at("[::]:80"));
        QVERIFY(at("1.2.3.4:80") != at("[::ffff:1.2.3.4]:80"));
    }
};

QTEST_GUILESS_MAIN(TestSocketAddress)
#include "tst_socket_address.moc"

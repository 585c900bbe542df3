// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/state/certificate.h"
#include "certificates.h"

#include <QtTest>

#include <openssl/err.h>

#include <ctime>

using namespace yardmaster;

class TestCertificate : public QObject {
    Q_OBJECT

private slots:
    void fingerprintIsTheDigestOfTheDer() {
        const auto pair = test::makeCertificate("a.example");
        QCOMPARE(state::certificateFingerprint(pair.certificate()).value(), test::fingerprintOf(pair));
        // What stands ahead of the first certificate or behind it does not matter.
        const auto other = test::makeCertificate("b.example");
        QCOMPARE(
            state::certificateFingerprint("text\n" + pair.key() + pair.certificate() + other.certificate())
                .value(),
            test::fingerprintOf(pair));
    }

    void facts() {
        const auto pair = test::makeCertificate("ignored.example", {"a.example", "*.b.example"});
        const auto facts = state::inspectCertificate(pair);
        QVERIFY(facts);
        QCOMPARE(facts->names, (std::vector<std::string>{"a.example", "*.b.example"}));
        QCOMPARE(facts->fingerprint, test::fingerprintOf(pair));
        QVERIFY(std::abs(facts->notAfterUnixS - (std::time(nullptr) + 30L * 24 * 3600)) < 120);
        QCOMPARE(state::inspectCertificate(test::makeCertificate("cn.example"))->names,
            std::vector<std::string>{"cn.example"});
    }

    void whatIsRefused_data() {
        QTest::addColumn<QByteArray>("certificate");
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("chain");
        QTest::addColumn<QString>("where");
        const auto pair = test::makeCertificate("a.example");
        const QByteArray good = QByteArray::fromStdString(pair.certificate());
        const QByteArray key = QByteArray::fromStdString(pair.key());
        const QByteArray otherKey = QByteArray::fromStdString(test::makeCertificate("b.example").key());
        const QByteArray noDer = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        const QString certificate = QStringLiteral("certificate");
        QTest::newRow("empty") << QByteArray() << key << QByteArray() << certificate;
        QTest::newRow("no PEM") << QByteArray("hello") << key << QByteArray() << certificate;
        QTest::newRow("a key instead") << key << key << QByteArray() << certificate;
        QTest::newRow("cut off") << good.left(good.size() / 2) << key << QByteArray() << certificate;
        QTest::newRow("PEM without DER") << noDer << key << QByteArray() << certificate;
        QTest::newRow("too long") << QByteArray(2 << 20, 'x') << key << QByteArray() << certificate;
        QTest::newRow("no key") << good << QByteArray() << QByteArray() << QStringLiteral("key");
        QTest::newRow("key cut off") << good << key.left(60) << QByteArray() << QStringLiteral("key");
        QTest::newRow("another key") << good << otherKey << QByteArray() << QStringLiteral("key");
        QTest::newRow("bad chain") << good << key << noDer << QStringLiteral("certificate_chain");
    }
    void whatIsRefused() {
        QFETCH(QByteArray, certificate);
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, chain);
        QFETCH(QString, where);
        proto::CertificateAndKey pair;
        pair.set_certificate(certificate.toStdString());
        pair.set_key(key.toStdString());
        if (!chain.isEmpty())
            pair.add_certificate_chain(chain.toStdString());
        const auto facts = state::inspectCertificate(pair);
        QVERIFY(!facts);
        QCOMPARE(facts.error().code, Error::Code::InvalidArgument);
        QCOMPARE(QString::fromStdString(facts.error().where), where);
        const std::string text = facts.error().toString();
        if (!key.isEmpty()) // not a line of the key is in the error
            QVERIFY(text.find(key.mid(30, 20).toStdString()) == std::string::npos);
        // Nothing stays in OpenSSL's queue for an unrelated TLS connection to trip over.
        QCOMPARE(ERR_peek_error(), 0UL);
    }
};

QTEST_GUILESS_MAIN(TestCertificate)
#include "tst_certificate.moc"

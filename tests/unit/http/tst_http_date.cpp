// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/http_date.h"

#include "string_compare.h"

#include <QDateTime>
#include <QLocale>
#include <QTimeZone>

#include <limits>
#include <random>

using namespace std::string_literals;

class TestHttpDate : public QObject {
    Q_OBJECT

private slots:
    void known_times();
    void agrees_with_qt();
};

namespace {

std::string dateOf(std::int64_t seconds) {
    std::string out;
    yardmaster::http::appendDateField(out, seconds);
    return out;
}

} // namespace

void TestHttpDate::known_times() {
    QCOMPARE(dateOf(784111777), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"s); // the example of RFC 9110 5.6.7
    QCOMPARE(dateOf(0), "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"s);
    QCOMPARE(dateOf(-1), "Date: Wed, 31 Dec 1969 23:59:59 GMT\r\n"s);
    QCOMPARE(dateOf(951782400), "Date: Tue, 29 Feb 2000 00:00:00 GMT\r\n"s);
    QCOMPARE(dateOf(std::numeric_limits<std::int64_t>::max()), "Date: Fri, 31 Dec 9999 23:59:59 GMT\r\n"s);
    QCOMPARE(dateOf(std::numeric_limits<std::int64_t>::min()), "Date: Mon, 01 Jan 0001 00:00:00 GMT\r\n"s);
}

void TestHttpDate::agrees_with_qt() {
    std::mt19937_64 random(7);
    for (int round = 0; round < 2000; ++round) {
        const auto seconds = static_cast<std::int64_t>(random() % 8'000'000'000);
        const QDateTime time = QDateTime::fromSecsSinceEpoch(seconds, Qt::UTC);
        const QString expected =
            QLocale::c().toString(time, QStringLiteral("'Date: 'ddd, dd MMM yyyy HH:mm:ss 'GMT'")) + u"\r\n";
        QCOMPARE(dateOf(seconds), expected.toStdString());
    }
}

QTEST_APPLESS_MAIN(TestHttpDate)
#include "tst_http_date.moc"

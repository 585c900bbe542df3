// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/format.h"

#include <QLocale>
#include <QTest>

#include <cmath>
#include <functional>
#include <limits>

using namespace yardmaster::ui;

using Formatter = std::function<QString(std::optional<double>)>;
Q_DECLARE_METATYPE(Formatter)
Q_DECLARE_METATYPE(std::optional<double>)

class TestFormat : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void texts_data() {
        QTest::addColumn<Formatter>("formatter");
        QTest::addColumn<std::optional<double>>("value");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const Formatter& formatter, std::optional<double> value,
                             const QString& expected) {
            QTest::newRow(name) << formatter << value << expected;
        };
        const double nan = std::numeric_limits<double>::quiet_NaN();

        row("latency unknown", format::latency, {}, QStringLiteral("–"));
        row("latency not a number", format::latency, nan, QStringLiteral("–"));
        row("latency zero", format::latency, 0, QStringLiteral("0 µs"));
        row("latency below 10 us", format::latency, 5.1, QStringLiteral("5.1 µs"));
        row("latency us", format::latency, 850, QStringLiteral("850 µs"));
        row("latency rounds up to ms", format::latency, 999.7, QStringLiteral("1.00 ms"));
        row("latency ms two decimals", format::latency, 1'850, QStringLiteral("1.85 ms"));
        row("latency ms one decimal", format::latency, 13'340, QStringLiteral("13.3 ms"));
        row("latency ms no decimal", format::latency, 118'200, QStringLiteral("118 ms"));
        row("latency rounds to 10.0", format::latency, 9'999, QStringLiteral("10.0 ms"));
        row("latency s", format::latency, 2'100'000, QStringLiteral("2.10 s"));

        row("ms alone", format::latencyMs, 14'060, QStringLiteral("14.1"));
        row("ms alone below one", format::latencyMs, 850, QStringLiteral("0.85"));
        row("ms alone thousands", format::latencyMs, 1'234'000, QStringLiteral("1,234"));
        row("ms alone unknown", format::latencyMs, {}, QStringLiteral("–"));

        row("duration unknown", format::duration, {}, QStringLiteral("–"));
        row("duration zero", format::duration, 0, QStringLiteral("0 s"));
        row("duration 0.2 us", format::duration, 0.2e-6, QStringLiteral("0.2 µs"));
        row("duration 61 us", format::duration, 61e-6, QStringLiteral("61 µs"));
        row("duration ms", format::duration, 5.1e-3, QStringLiteral("5.1 ms"));
        row("duration 640 ms", format::duration, 0.64, QStringLiteral("640 ms"));
        row("duration seconds", format::duration, 1.6, QStringLiteral("1.6 s"));
        row("duration whole seconds", format::duration, 39.2, QStringLiteral("39 s"));
        row("duration rounds to a minute", format::duration, 59.7, QStringLiteral("1 min 00 s"));
        row("duration minutes", format::duration, 318, QStringLiteral("5 min 18 s"));
        row("duration hours", format::duration, 3'600 * 3 + 60 * 7, QStringLiteral("3 h 07 min"));
        row("duration days", format::duration, 86'400 * 6 + 3'600 * 4, QStringLiteral("6 d 04 h"));
        row("duration negative is a skewed clock", format::duration, -3, QStringLiteral("0 s"));

        row("rate groups", format::rate, 2'480, QStringLiteral("2,480"));
        row("rate small", format::rate, 0.4, QStringLiteral("0.4"));
        row("rate zero", format::rate, 0, QStringLiteral("0"));
        row("rate unknown", format::rate, {}, QStringLiteral("–"));

        row("percent", format::percent, 0.02, QStringLiteral("0.02"));
        row("percent tiny is not zero", format::percent, 0.0004, QStringLiteral("<0.01"));
        row("percent zero", format::percent, 0, QStringLiteral("0.00"));
        row("percent unknown", format::percent, {}, QStringLiteral("–"));

        row("mebibytes", format::mebibytes, 38.2 * 1024 * 1024, QStringLiteral("38.2"));
        row("change down", format::change, -4.0, QStringLiteral("−4.0 %"));
        row("change up", format::change, 1.24, QStringLiteral("+1.2 %"));
        row("change none has no sign", format::change, -0.01, QStringLiteral("0.0 %"));
        row("change unknown", format::change, {}, QStringLiteral("–"));
    }

    void texts() {
        QFETCH(Formatter, formatter);
        QFETCH(std::optional<double>, value);
        QFETCH(QString, expected);
        QCOMPARE(formatter(value), expected);
    }

    void numberSigns() {
        QCOMPARE(format::number(-1'234.5, 1), QStringLiteral("−1,234.5"));
        QCOMPARE(format::number(-0.001, 1), QStringLiteral("0.0"));
        QCOMPARE(format::number(std::numeric_limits<double>::infinity()), QStringLiteral("–"));
    }

    void numbersFollowTheLocale() {
        QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
        QCOMPARE(format::number(2'480.5, 1), QStringLiteral("2.480,5"));
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    }

    void clocks() {
        qputenv("TZ", "UTC");
        QCOMPARE(format::clock(1'700'000'000'123'000'000), QStringLiteral("22:13:20"));
        QCOMPARE(format::clockMs(1'700'000'000'123'000'000), QStringLiteral("22:13:20.123"));
    }
};

QTEST_GUILESS_MAIN(TestFormat)
#include "tst_format.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/format.h"

#include <QDateTime>
#include <QLocale>

#include <array>
#include <cmath>

namespace yardmaster::ui::format {

namespace {

constexpr QChar minusSign(u'\u2212');
constexpr QChar thinUnitSpace(u' ');

/// Three significant figures, no more than two decimals: 1.85, 13.3, 118.
int decimalsForThreeFigures(double value) {
    const double magnitude = std::abs(value);
    if (magnitude >= 99.95)
        return 0;
    return magnitude >= 9.995 ? 1 : 2;
}

QString withUnit(const QString& value, const char16_t* unit) {
    return value + thinUnitSpace + QString::fromUtf16(unit);
}

QString two(qint64 value) {
    return QStringLiteral("%1").arg(value, 2, 10, QLatin1Char('0'));
}

bool isKnown(const std::optional<double>& value) {
    return value && std::isfinite(*value);
}

} // namespace

QString number(double value, int decimals) {
    if (!std::isfinite(value))
        return unknown();
    const QLocale locale;
    QString text = locale.toString(std::abs(value), 'f', decimals);
    // A value that rounds to nothing has no sign.
    if (value < 0 && std::abs(value) >= 0.5 * std::pow(10.0, -decimals))
        text.prepend(minusSign);
    return text;
}

QString latency(std::optional<double> us) {
    if (!isKnown(us))
        return unknown();
    if (*us < 999.5)
        return withUnit(number(*us, *us < 9.995 && *us != std::floor(*us) ? 1 : 0), u"µs");
    if (*us < 999'500)
        return withUnit(number(*us / 1e3, decimalsForThreeFigures(*us / 1e3)), u"ms");
    return withUnit(number(*us / 1e6, decimalsForThreeFigures(*us / 1e6)), u"s");
}

QString latencyMs(std::optional<double> us) {
    if (!isKnown(us))
        return unknown();
    return number(*us / 1e3, decimalsForThreeFigures(*us / 1e3));
}

QString duration(std::optional<double> seconds) {
    if (!isKnown(seconds))
        return unknown();
    const double value = std::max(0.0, *seconds);
    if (value == 0)
        return withUnit(number(0), u"s");
    if (value < 0.9995e-3) {
        const double us = value * 1e6;
        return withUnit(number(us, us < 9.95 ? 1 : 0), u"µs");
    }
    if (value < 0.9995) {
        const double ms = value * 1e3;
        return withUnit(number(ms, ms < 99.95 ? 1 : 0), u"ms");
    }
    if (value < 9.95)
        return withUnit(number(value, 1), u"s");
    const auto whole = static_cast<qint64>(std::llround(value));
    if (whole < 60)
        return withUnit(number(static_cast<double>(whole)), u"s");
    const qint64 minutes = whole / 60;
    if (minutes < 60)
        return QStringLiteral("%1 min %2 s").arg(minutes).arg(two(whole % 60));
    const qint64 hours = minutes / 60;
    if (hours < 24)
        return QStringLiteral("%1 h %2 min").arg(hours).arg(two(minutes % 60));
    return QStringLiteral("%1 d %2 h").arg(hours / 24).arg(two(hours % 24));
}

QString rate(std::optional<double> perSecond) {
    if (!isKnown(perSecond))
        return unknown();
    return number(*perSecond, *perSecond > 0 && *perSecond < 9.95 ? 1 : 0);
}

QString percent(std::optional<double> percent) {
    if (!isKnown(percent))
        return unknown();
    if (*percent > 0 && *percent < 0.01)
        return QStringLiteral("<%1").arg(number(0.01, 2));
    return number(*percent, 2);
}

QString mebibytes(std::optional<double> bytes) {
    if (!isKnown(bytes))
        return unknown();
    return number(*bytes / (1024.0 * 1024.0), 1);
}

QString change(std::optional<double> percent) {
    if (!isKnown(percent))
        return unknown();
    const QString value = number(std::abs(*percent), 1);
    if (std::abs(*percent) < 0.05)
        return withUnit(value, u"%");
    return withUnit((*percent < 0 ? minusSign : QChar(u'+')) + value, u"%");
}

QString counted(std::int64_t count, const QString& one, const QString& many) {
    return count == 1 ? one : many.arg(number(static_cast<double>(count)));
}

QString clock(std::int64_t unixNs) {
    return QDateTime::fromMSecsSinceEpoch(unixNs / 1'000'000).toString(u"HH:mm:ss");
}

QString clockMs(std::int64_t unixNs) {
    return QDateTime::fromMSecsSinceEpoch(unixNs / 1'000'000).toString(u"HH:mm:ss.zzz");
}

} // namespace yardmaster::ui::format

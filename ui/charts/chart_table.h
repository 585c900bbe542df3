// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVariant>

#include <vector>

namespace yardmaster::ui {

/// One column of a chart's data. Cells: a time is qlonglong nanoseconds of the Unix epoch, a number is
/// double or qulonglong, a text is QString; an invalid QVariant is "unknown".
struct ChartColumn {
    enum class Kind { Time, Integer, Real, Text };

    QString key; ///< for machines, without the unit: "p99"
    QString title; ///< for people: "p99"
    QString unit; ///< "ms", empty when there is none
    Kind kind = Kind::Real;
    bool identifies = false; ///< part of what tells one row from another (time, bucket, worker id)
    int decimals = 3; ///< for people; files get full precision

    bool operator==(const ChartColumn&) const = default;
    [[nodiscard]] QString keyWithUnit() const { return unit.isEmpty() ? key : key + u'_' + unit; }
};

/// The numbers behind a chart, as recorded and not thinned for the screen. "Show as table", CSV and JSON are
/// made of it.
struct ChartTable {
    std::vector<ChartColumn> columns;
    std::vector<std::vector<QVariant>> rows;
};

/// What a file says about itself, in the order it is written: key ("range_from") and text.
using ChartMetadata = std::vector<std::pair<QString, QString>>;

/// RFC 4180: CRLF, quoted where needed, one header line, no comments, "." as decimal point whatever the
/// locale. A time column becomes two: ISO 8601 in UTC, and milliseconds of the Unix epoch.
[[nodiscard]] QByteArray toCsv(const ChartTable& table);

/// {"metadata": {...}, "columns": [{"key", "unit"}...], "rows": [{...}...]}; unknown is null.
[[nodiscard]] QByteArray toJson(const ChartTable& table, const ChartMetadata& metadata);

} // namespace yardmaster::ui

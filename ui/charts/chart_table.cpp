// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_table.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimeZone>

#include <cmath>

namespace yardmaster::ui {

namespace {

constexpr qint64 nsPerMs = 1'000'000;

QString isoTime(qint64 unixNs) {
    return QDateTime::fromMSecsSinceEpoch(unixNs / nsPerMs, Qt::UTC).toString(Qt::ISODateWithMs);
}

QString epochKey(const ChartColumn& column) {
    return column.key + QStringLiteral("_epoch_ms");
}

QString quoted(const QString& text) {
    if (!text.contains(u',') && !text.contains(u'"') && !text.contains(u'\n') && !text.contains(u'\r'))
        return text;
    QString inner = text;
    return u'"' + inner.replace(u'"', QStringLiteral("\"\"")) + u'"';
}

QString csvCell(const ChartColumn& column, const QVariant& cell) {
    if (!cell.isValid())
        return {};
    switch (column.kind) {
    case ChartColumn::Kind::Time: {
        const qint64 ns = cell.toLongLong();
        return isoTime(ns) + u',' + QString::number(ns / nsPerMs);
    }
    case ChartColumn::Kind::Integer:
        return cell.toString();
    case ChartColumn::Kind::Real: {
        const double value = cell.toDouble();
        return std::isfinite(value) ? QString::number(value, 'g', QLocale::FloatingPointShortest) : QString();
    }
    case ChartColumn::Kind::Text:
        return quoted(cell.toString());
    }
    return {};
}

void insertCell(QJsonObject& row, const ChartColumn& column, const QVariant& cell) {
    const QString key = column.keyWithUnit();
    if (column.kind == ChartColumn::Kind::Time) {
        row.insert(key, cell.isValid() ? QJsonValue(isoTime(cell.toLongLong())) : QJsonValue());
        row.insert(epochKey(column), cell.isValid() ? QJsonValue(cell.toLongLong() / nsPerMs) : QJsonValue());
        return;
    }
    if (!cell.isValid()) {
        row.insert(key, QJsonValue());
        return;
    }
    switch (column.kind) {
    case ChartColumn::Kind::Integer:
        row.insert(key, cell.toLongLong());
        break;
    case ChartColumn::Kind::Real:
        // JSON has no NaN.
        row.insert(key, std::isfinite(cell.toDouble()) ? QJsonValue(cell.toDouble()) : QJsonValue());
        break;
    case ChartColumn::Kind::Text:
    case ChartColumn::Kind::Time:
        row.insert(key, cell.toString());
        break;
    }
}

} // namespace

QByteArray toCsv(const ChartTable& table) {
    QString text;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const ChartColumn& column = table.columns[i];
        if (i > 0)
            text += u',';
        text += quoted(column.keyWithUnit());
        if (column.kind == ChartColumn::Kind::Time)
            text += u',' + epochKey(column);
    }
    text += QStringLiteral("\r\n");
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            if (i > 0)
                text += u',';
            const bool isUnknownTime = table.columns[i].kind == ChartColumn::Kind::Time && !row[i].isValid();
            text += isUnknownTime ? QStringLiteral(",") : csvCell(table.columns[i], row[i]);
        }
        text += QStringLiteral("\r\n");
    }
    return text.toUtf8();
}

QByteArray toJson(const ChartTable& table, const ChartMetadata& metadata) {
    QJsonObject about;
    for (const auto& [key, value] : metadata)
        about.insert(key, value);
    QJsonArray columns;
    for (const ChartColumn& column : table.columns) {
        QJsonObject described{{QStringLiteral("key"), column.keyWithUnit()},
            {QStringLiteral("title"), column.title}, {QStringLiteral("unit"), column.unit}};
        columns.append(described);
    }
    const QByteArray head =
        QJsonDocument(QJsonObject{{QStringLiteral("metadata"), about}, {QStringLiteral("columns"), columns}})
            .toJson(QJsonDocument::Indented)
            .trimmed();
    // A row a line: a tenth of the size of the indented form, and tools for lines can read it.
    QByteArray text = head.chopped(1).trimmed() + ",\n    \"rows\": [";
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        QJsonObject object;
        for (std::size_t k = 0; k < table.columns.size(); ++k)
            insertCell(object, table.columns[k], table.rows[i][k]);
        text += i == 0 ? "\n" : ",\n";
        text += "        " + QJsonDocument(object).toJson(QJsonDocument::Compact);
    }
    return text + "\n    ]\n}\n";
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_table_model.h"

#include "ui/theme/format.h"

#include <QLocale>
#include <QSet>

#include <algorithm>
#include <cmath>

namespace yardmaster::ui {

namespace {

/// Keys in files are ASCII, heads of tables are not.
QString unitForPeople(const QString& unit) {
    return unit == u"us" ? QStringLiteral("µs") : unit;
}

} // namespace

ChartTableModel::ChartTableModel(QObject* parent)
    : QAbstractTableModel(parent) { }

QString ChartTableModel::keyOf(const Row& row) const {
    QString key;
    for (std::size_t i = 0; i < m_table.columns.size(); ++i) {
        if (m_table.columns[i].identifies)
            key += row[i].toString() + u'\x1f';
    }
    return key;
}

void ChartTableModel::apply(ChartTable table) {
    if (table.columns == m_table.columns && merge(table.rows))
        return;
    beginResetModel();
    m_table = std::move(table);
    endResetModel();
}

// Both lists are in the same order (by time, by bucket), so one walk finds what went and what came. False
// when they are not: then nothing is left half done that a reset would not repair.
bool ChartTableModel::merge(const std::vector<Row>& rows) {
    QSet<QString> wanted;
    std::vector<QString> newKeys;
    newKeys.reserve(rows.size());
    for (const Row& row : rows) {
        newKeys.push_back(keyOf(row));
        wanted.insert(newKeys.back());
    }
    if (static_cast<std::size_t>(wanted.size()) != rows.size())
        return false;

    auto& old = m_table.rows;
    for (std::size_t end = old.size(); end > 0;) {
        if (wanted.contains(keyOf(old[end - 1]))) {
            --end;
            continue;
        }
        std::size_t begin = end - 1;
        while (begin > 0 && !wanted.contains(keyOf(old[begin - 1])))
            --begin;
        beginRemoveRows({}, static_cast<int>(begin), static_cast<int>(end) - 1);
        old.erase(
            old.begin() + static_cast<std::ptrdiff_t>(begin), old.begin() + static_cast<std::ptrdiff_t>(end));
        endRemoveRows();
        end = begin;
    }

    std::vector<QString> keptKeys;
    keptKeys.reserve(old.size());
    for (const Row& row : old)
        keptKeys.push_back(keyOf(row));
    std::size_t kept = 0;
    for (const QString& key : newKeys)
        kept += kept < keptKeys.size() && keptKeys[kept] == key ? 1 : 0;
    if (kept != keptKeys.size())
        return false;

    int firstChanged = -1, lastChanged = -1;
    std::size_t keptAt = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (keptAt < keptKeys.size() && keptKeys[keptAt] == newKeys[i]) {
            ++keptAt;
            if (old[i] != rows[i]) {
                old[i] = rows[i];
                firstChanged = firstChanged < 0 ? static_cast<int>(i) : firstChanged;
                lastChanged = static_cast<int>(i);
            }
            continue;
        }
        std::size_t end = i + 1;
        while (end < rows.size() && (keptAt >= keptKeys.size() || keptKeys[keptAt] != newKeys[end]))
            ++end;
        beginInsertRows({}, static_cast<int>(i), static_cast<int>(end) - 1);
        old.insert(old.begin() + static_cast<std::ptrdiff_t>(i),
            rows.begin() + static_cast<std::ptrdiff_t>(i), rows.begin() + static_cast<std::ptrdiff_t>(end));
        endInsertRows();
        i = end - 1;
    }
    if (firstChanged >= 0)
        emit dataChanged(index(firstChanged, 0), index(lastChanged, columnCount() - 1));
    return true;
}

int ChartTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int ChartTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

QString ChartTableModel::cellText(const ChartColumn& column, const QVariant& cell) const {
    if (!cell.isValid())
        return format::unknown();
    switch (column.kind) {
    case ChartColumn::Kind::Time:
        return format::clockMs(cell.toLongLong());
    case ChartColumn::Kind::Integer:
        return QLocale().toString(cell.toLongLong());
    case ChartColumn::Kind::Real:
        return std::isfinite(cell.toDouble()) ? format::number(cell.toDouble(), column.decimals)
                                              : format::unknown();
    case ChartColumn::Kind::Text:
        return cell.toString();
    }
    return {};
}

QVariant ChartTableModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const ChartColumn& column = m_table.columns[static_cast<std::size_t>(index.column())];
    const QVariant& cell =
        m_table.rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    if (role == Qt::DisplayRole)
        return cellText(column, cell);
    if (role == Qt::TextAlignmentRole) {
        const bool isText = column.kind == ChartColumn::Kind::Text || column.kind == ChartColumn::Kind::Time;
        return QVariant::fromValue(
            Qt::Alignment((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    }
    return {};
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const ChartColumn& column = m_table.columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole)
        return column.unit.isEmpty() ? column.title : column.title + u' ' + unitForPeople(column.unit);
    if (role == Qt::TextAlignmentRole) {
        const bool isText = column.kind == ChartColumn::Kind::Text || column.kind == ChartColumn::Kind::Time;
        return QVariant::fromValue(
            Qt::Alignment((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    }
    return {};
}

} // namespace yardmaster::ui

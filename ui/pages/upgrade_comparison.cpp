// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/upgrade_comparison.h"

#include "ui/dialogs/worker_texts.h"
#include "ui/pages/worker_delegate.h"
#include "ui/theme/format.h"
#include "ui/theme/panel.h"
#include "ui/theme/theme.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace yardmaster::ui {

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t sideNs = 60 * second;
constexpr std::array quantiles{0.5, 0.9, 0.99, 0.999};

/// The newest worker of the span that took over from another one in its slot.
std::optional<UpgradeComparisonModel::Upgrade> lastUpgrade(const std::vector<models::StartupRecord>& startups,
    models::TimeSpan span, std::optional<std::uint32_t> slot) {
    for (std::size_t i = 0; i < startups.size(); ++i) { // newest first
        const models::StartupRecord& record = startups[i];
        if ((slot && record.slot != *slot) || !record.readyMs)
            continue;
        const auto readyAt = record.startedUnixNs + std::llround(*record.readyMs * 1e6);
        if (readyAt < span.fromNs || readyAt >= span.toNs)
            continue;
        const auto before =
            std::find_if(startups.begin() + static_cast<std::ptrdiff_t>(i) + 1, startups.end(),
                [&record](const models::StartupRecord& other) { return other.slot == record.slot; });
        if (before != startups.end())
            return UpgradeComparisonModel::Upgrade{readyAt, before->version, record.version, record.slot};
    }
    return std::nullopt;
}

/// Names get the lead that their line has in the chart.
class ComparisonDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        const QFontMetrics metrics(numberFontFor(TextStyle::Body));
        const int lead = index.column() == UpgradeComparisonModel::Name ? scaled(12 + 16) : scaled(12);
        return {metrics.horizontalAdvance(index.data().toString()) + lead + scaled(4), scaled(28)};
    }

    void paint(
        QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        static constexpr std::array roles{ColorRole::SeriesP50, ColorRole::SeriesP90, ColorRole::SeriesP99,
            ColorRole::SeriesP999, ColorRole::SeriesMax};
        const Theme& theme = themeOf(option.widget);
        painter->save();
        QStyleOptionViewItem plain = option;
        plain.state.setFlag(QStyle::State_Selected, false);
        paintRowBackground(*painter, plain, false, theme);
        QRect cell = option.rect.adjusted(index.column() == UpgradeComparisonModel::Name ? scaled(12) : 0, 0,
            index.column() == UpgradeComparisonModel::Change ? -scaled(12) : -scaled(6), -1);
        const bool isCount = index.row() == UpgradeComparisonModel::Count;
        if (index.column() == UpgradeComparisonModel::Name && !isCount) {
            painter->fillRect(QRectF(cell.left(), cell.center().y(), scaled(8), 2),
                theme.color(roles[static_cast<std::size_t>(index.row())]));
            cell.setLeft(cell.left() + scaled(16));
        }
        painter->setFont(numberFontFor(TextStyle::Body));
        painter->setPen(theme.color(isCount && index.column() == 0 ? ColorRole::Muted : ColorRole::Text));
        const auto alignment = index.column() == 0 ? Qt::AlignLeft : Qt::AlignRight;
        painter->drawText(cell, static_cast<int>(alignment | Qt::AlignVCenter), index.data().toString());
        painter->restore();
    }
};

/// Columns as wide as their texts, and what is left of the width shared among those of numbers.
class ComparisonView final : public QTableView {
public:
    using QTableView::QTableView;

    void fitColumns() {
        const int columns = UpgradeComparisonModel::ColumnCount;
        std::array<int, UpgradeComparisonModel::ColumnCount> widths{};
        int rest = viewport()->width();
        for (int i = 0; i < columns; ++i) {
            widths[static_cast<std::size_t>(i)] =
                std::max(sizeHintForColumn(i), horizontalHeader()->sectionSizeHint(i));
            rest -= widths[static_cast<std::size_t>(i)];
        }
        for (int i = 0; i < columns; ++i) {
            const int extra = i == 0 ? 0 : std::max(0, rest) / (columns - 1);
            horizontalHeader()->resizeSection(i, widths[static_cast<std::size_t>(i)] + extra);
        }
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QTableView::resizeEvent(event);
        fitColumns();
    }
};

} // namespace

UpgradeComparisonModel::UpgradeComparisonModel(QObject* parent)
    : QAbstractTableModel(parent) { }

UpgradeComparisonModel::Figures UpgradeComparisonModel::figuresOf(const metrics::Histogram& merged) {
    Figures figures{};
    if (merged.count() == 0)
        return figures;
    for (std::size_t i = 0; i < quantiles.size(); ++i)
        figures[i] = static_cast<double>(merged.quantileUs(quantiles[i]));
    figures[Max] = static_cast<double>(merged.maxUs());
    figures[Count] = static_cast<double>(merged.count());
    return figures;
}

void UpgradeComparisonModel::update(
    const models::MetricsHistory& history, models::TimeSpan span, std::optional<std::uint32_t> slot) {
    const models::TimeSpan recorded = history.recorded().value_or(models::TimeSpan{});
    m_range = figuresOf(history.merged(span, slot));
    const std::optional<Upgrade> upgrade = lastUpgrade(history.startups(), span, slot);
    const bool isHeadChanged = upgrade.has_value() != m_upgrade.has_value()
        || (upgrade
            && (upgrade->fromVersion != m_upgrade->fromVersion
                || upgrade->toVersion != m_upgrade->toVersion));
    m_upgrade = upgrade;
    m_before = m_after = {};
    m_secondsBefore = m_secondsAfter = 0;
    if (m_upgrade) {
        const models::TimeSpan before{std::max(m_upgrade->atNs - sideNs, recorded.fromNs), m_upgrade->atNs};
        const models::TimeSpan after{m_upgrade->atNs, std::min(m_upgrade->atNs + sideNs, recorded.toNs)};
        m_before = figuresOf(history.merged(before, slot));
        m_after = figuresOf(history.merged(after, slot));
        m_secondsBefore = std::max(0.0, static_cast<double>(before.toNs - before.fromNs) / second);
        m_secondsAfter = std::max(0.0, static_cast<double>(after.toNs - after.fromNs) / second);
    }
    emit dataChanged(index(0, 0), index(RowCount - 1, ColumnCount - 1));
    if (isHeadChanged)
        emit headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
}

int UpgradeComparisonModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : RowCount;
}

int UpgradeComparisonModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString UpgradeComparisonModel::cellText(int row, int column) const {
    static const std::array<QString, RowCount> names{QStringLiteral("p50"), QStringLiteral("p90"),
        QStringLiteral("p99"), QStringLiteral("p99.9"), QStringLiteral("max"), tr("count")};
    const auto at = static_cast<std::size_t>(row);
    const auto value = [row](const std::optional<double>& figure) {
        if (row == Count)
            return figure ? format::number(*figure) : format::unknown();
        return format::latencyMs(figure);
    };
    switch (static_cast<Column>(column)) {
    case Name:
        return names[at];
    case Range:
        return value(m_range[at]);
    case Before:
        return value(m_before[at]);
    case After:
        return value(m_after[at]);
    case Change:
        // A maximum is one request, and the count is of the traffic: their changes say nothing.
        if (row == Count)
            return {};
        if (row == Max || !m_before[at] || !m_after[at] || *m_before[at] <= 0)
            return format::unknown();
        return format::change(100 * (*m_after[at] - *m_before[at]) / *m_before[at]);
    case ColumnCount:
        break;
    }
    return {};
}

QVariant UpgradeComparisonModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    if (role == Qt::DisplayRole)
        return cellText(index.row(), index.column());
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((index.column() == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    return {};
}

QVariant UpgradeComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    if (role == Qt::ToolTipRole && m_upgrade && (section == Before || section == After))
        return section == Before
            ? tr("%1 s before worker %2 was ready").arg(format::number(m_secondsBefore)).arg(m_upgrade->slot)
            : tr("%1 s after worker %2 was ready").arg(format::number(m_secondsAfter)).arg(m_upgrade->slot);
    if (role != Qt::DisplayRole)
        return {};
    const bool differ =
        m_upgrade && !m_upgrade->toVersion.isEmpty() && m_upgrade->fromVersion != m_upgrade->toVersion;
    switch (static_cast<Column>(section)) {
    case Name:
        return tr("ms");
    case Range:
        return tr("Range");
    case Before:
        return differ ? versionText(m_upgrade->fromVersion) : tr("Before");
    case After:
        return differ ? versionText(m_upgrade->toVersion) : tr("After");
    case Change:
        return tr("Change");
    case ColumnCount:
        break;
    }
    return {};
}

UpgradeComparison::UpgradeComparison(QWidget* parent)
    : QWidget(parent)
    , m_panel(new Panel(tr("Before and after the upgrade"), this))
    , m_model(new UpgradeComparisonModel(this)) {
    auto* view = new ComparisonView(m_panel);
    connect(m_model, &QAbstractItemModel::dataChanged, view, [view] { view->fitColumns(); });
    view->setObjectName(QStringLiteral("upgrade-comparison"));
    view->setAccessibleName(tr("Latencies before and after the last upgrade, in milliseconds"));
    view->setModel(m_model);
    view->setItemDelegate(new ComparisonDelegate(view));
    view->setFrameShape(QFrame::NoFrame);
    view->setShowGrid(false);
    view->setSelectionMode(QAbstractItemView::NoSelection);
    view->setTabKeyNavigation(false);
    view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view->verticalHeader()->hide();
    view->verticalHeader()->setMinimumSectionSize(scaled(20)); // the style's own is higher than a row
    view->verticalHeader()->setDefaultSectionSize(scaled(28));
    view->horizontalHeader()->setMinimumSectionSize(scaled(20));
    view->horizontalHeader()->setStretchLastSection(true);
    view->horizontalHeader()->setHighlightSections(false);
    view->horizontalHeader()->setFixedHeight(scaled(28));
    view->setFixedHeight(scaled(28) * (UpgradeComparisonModel::RowCount + 1));
    m_panel->setHeadLine(true);
    m_panel->bodyLayout()->setContentsMargins(1, 0, 1, scaled(6));
    m_panel->bodyLayout()->addWidget(view);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_panel);
}

void UpgradeComparison::update(
    const models::MetricsHistory& history, models::TimeSpan span, std::optional<std::uint32_t> slot) {
    m_model->update(history, span, slot);
    if (!m_model->upgrade()) {
        m_panel->setSubTitle(tr("no upgrade in range"));
        return;
    }
    const auto before = format::number(m_model->secondsBefore());
    const auto after = format::number(m_model->secondsAfter());
    m_panel->setSubTitle(before == after ? tr("%1 s each side").arg(before)
                                         : tr("%1 s before, %2 s after").arg(before, after));
}

} // namespace yardmaster::ui

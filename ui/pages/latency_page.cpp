// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/latency_page.h"

#include "models/event_model.h"
#include "models/time_cursor.h"
#include "models/worker_table_model.h"
#include "ui/charts/chart_panel.h"
#include "ui/charts/connections_chart.h"
#include "ui/charts/export_dialog.h"
#include "ui/charts/heatmap_chart.h"
#include "ui/charts/histogram_chart.h"
#include "ui/charts/percentile_chart.h"
#include "ui/commands/command_button.h"
#include "ui/commands/command_registry.h"
#include "ui/dialogs/worker_texts.h"
#include "ui/pages/event_list_view.h"
#include "ui/pages/event_span_model.h"
#include "ui/pages/page_header.h"
#include "ui/pages/upgrade_comparison.h"
#include "ui/theme/controls.h"
#include "ui/theme/icons.h"
#include "ui/theme/panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <set>

namespace yardmaster::ui {

namespace {

// Merging histograms for the table is dear, and numbers that change more often cannot be read.
constexpr int textIntervalMs = 1000;

} // namespace

LatencyPage::LatencyPage(const PageContext& context, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_header(new PageHeader(tr("Latency"), this))
    , m_workers(new QComboBox(m_header))
    , m_percentiles(new PercentileChart(context.history, context.time))
    , m_heatmap(new HeatmapChart(context.history, context.time))
    , m_connections(new ConnectionsChart(context.history, context.time))
    , m_histogram(new HistogramChart(context.history, context.time))
    , m_timePanel(new ChartPanel({m_percentiles, m_heatmap, m_connections}, {32, 22, 19}, this))
    , m_charts{m_percentiles, m_heatmap, m_connections, m_histogram}
    , m_timer(new QTimer(this)) {
    // The charts stand under each other: the names above the first are enough.
    m_heatmap->setMarkerNames(false);
    m_connections->setMarkerNames(false);
    addActions();

    auto* columns = new QHBoxLayout;
    columns->setSpacing(scaled(12));
    columns->addWidget(m_timePanel, 68);
    columns->addWidget(makeRightColumn(), 32);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(scaled(16), 0, scaled(16), scaled(16));
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addLayout(columns, 1);

    m_timer->setInterval(textIntervalMs);
    connect(m_timer, &QTimer::timeout, this, &LatencyPage::updateTexts);
    connect(context.time, &models::TimeCursor::spanChanged, this, [this] {
        // A zoom is answered at once; what live samples bring waits for the timer.
        if (m_timer->isActive() && !m_context.time->isLive())
            updateTexts();
    });
    connect(context.workerTable, &QAbstractItemModel::rowsInserted, this, &LatencyPage::updateWorkers);
    connect(context.workerTable, &QAbstractItemModel::rowsRemoved, this, &LatencyPage::updateWorkers);
    updateWorkers();
    setActive(false);
}

void LatencyPage::addActions() {
    m_workers->setObjectName(QStringLiteral("latency-workers"));
    m_workers->setAccessibleName(tr("Workers whose latency is shown"));
    m_workers->setMinimumWidth(scaled(120));
    setControlSize(*m_workers, ControlSize::Page);
    connect(m_workers, &QComboBox::currentIndexChanged, this, &LatencyPage::chooseSlot);

    const QString id = QStringLiteral("latency.export");
    m_context.commands->add(
        {id, tr("Export latency charts…"), tr("Chart"), QKeySequence(Qt::CTRL | Qt::Key_E), Danger::Safe,
            tr("Write a chart of the Latency page to a file")},
        [this] {
            m_context.openPage(QStringLiteral("latency"));
            openExportDialog();
        });
    auto* exportButton = new QPushButton(tr("Export…"), m_header);
    exportButton->setIcon(themedIcon(QStringLiteral("export")));
    exportButton->setObjectName(QStringLiteral("latency-export"));
    setControlSize(*exportButton, ControlSize::Page);
    bindButton(*exportButton, *m_context.commands, id);

    // Before the buttons, which are the last part of the header.
    if (auto* row = qobject_cast<QBoxLayout*>(m_header->layout()))
        row->insertWidget(row->count() - 1, m_workers);
    m_header->addAction(exportButton);
}

QWidget* LatencyPage::makeRightColumn() {
    auto* column = new QWidget(this);
    m_histogramPanel = new ChartPanel(m_histogram, column);
    m_comparison = new UpgradeComparison(column);
    m_eventsPanel = new Panel(tr("Events in range"), column);
    m_eventsInRange = new EventSpanModel(this);
    m_eventsInRange->setSourceModel(m_context.events);
    auto* events = new EventListView(m_context.events, m_eventsPanel);
    events->setModel(m_eventsInRange);
    events->setFrameShape(QFrame::NoFrame);
    events->setObjectName(QStringLiteral("events-in-range"));
    m_eventsPanel->setHeadLine(true);
    m_eventsPanel->bodyLayout()->setContentsMargins(1, 0, 1, 1);
    m_eventsPanel->bodyLayout()->addWidget(events);

    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(scaled(12));
    layout->addWidget(m_histogramPanel, 5);
    layout->addWidget(m_comparison);
    layout->addWidget(m_eventsPanel, 2);
    return column;
}

void LatencyPage::setActive(bool active) {
    m_timePanel->setActive(active);
    m_histogramPanel->setActive(active);
    if (active) {
        updateTexts();
        m_timer->start();
    } else {
        m_timer->stop();
    }
}

std::optional<std::uint32_t> LatencyPage::slot() const {
    const int index = m_workers->currentIndex();
    return index > 0 ? std::optional(m_slots[static_cast<std::size_t>(index) - 1]) : std::nullopt;
}

void LatencyPage::setSlot(std::optional<std::uint32_t> slot) {
    const auto found = slot ? std::find(m_slots.begin(), m_slots.end(), *slot) : m_slots.end();
    m_workers->setCurrentIndex(found == m_slots.end() ? 0 : static_cast<int>(found - m_slots.begin()) + 1);
}

void LatencyPage::updateWorkers() {
    std::set<std::uint32_t> present;
    for (int row = 0; row < m_context.workerTable->rowCount(); ++row)
        present.insert(workerNumber(m_context.workerTable->worker(row)));
    // A worker that is gone keeps its place while it is looked at.
    const std::optional<std::uint32_t> chosen = slot();
    if (chosen)
        present.insert(*chosen);
    const std::vector<std::uint32_t> wanted(present.begin(), present.end());
    if (wanted == m_slots && m_workers->count() > 0)
        return;
    {
        const QSignalBlocker blocker(m_workers);
        m_slots = wanted;
        m_workers->clear();
        m_workers->addItem(tr("All workers"));
        for (const std::uint32_t number : m_slots)
            m_workers->addItem(tr("Worker %1").arg(number));
        setSlot(chosen);
    }
    chooseSlot();
}

void LatencyPage::chooseSlot() {
    for (ChartView* chart : m_charts)
        chart->setSlot(slot());
    updateTexts();
}

void LatencyPage::updateTexts() {
    const control::SnapshotPtr snapshot = m_context.workers->latest();
    const QString target = snapshot ? snapshot->target.name : QString();
    for (ChartView* chart : m_charts)
        chart->setTarget(target);
    const QString workers = slot() ? tr("worker %1").arg(*slot()) : tr("all workers");
    m_header->setSummary(target.isEmpty() ? workers : tr("%1, %2").arg(target, workers));
    if (!m_comparison)
        return;
    const models::TimeSpan span = m_context.time->span();
    m_comparison->update(*m_context.history, span, slot());
    m_eventsInRange->setSpan(span);
    const int count = m_eventsInRange->rowCount();
    m_eventsPanel->setSubTitle(count == 0 ? tr("none") : QString());
}

void LatencyPage::openExportDialog() {
    auto* dialog = new ExportDialog(m_charts, this);
    dialog->open();
}

} // namespace yardmaster::ui

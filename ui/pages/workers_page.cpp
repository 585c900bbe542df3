// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/workers_page.h"

#include "models/job_model.h"
#include "models/worker_table_model.h"
#include "ui/charts/chart_panel.h"
#include "ui/charts/connections_chart.h"
#include "ui/charts/startup_chart.h"
#include "ui/commands/command_button.h"
#include "ui/dialogs/worker_actions.h"
#include "ui/dialogs/worker_texts.h"
#include "ui/pages/job_steps_view.h"
#include "ui/pages/page_header.h"
#include "ui/pages/worker_details.h"
#include "ui/pages/worker_table.h"
#include "ui/pages/worker_table_panel.h"
#include "ui/theme/controls.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/panel.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace yardmaster::ui {

namespace {

constexpr int textIntervalMs = 500; // numbers that change more often cannot be read

QPushButton* actionButton(const PageContext& context, const QString& id, const QString& text, ButtonKind kind,
    const QString& icon, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    setButtonKind(*button, kind);
    setControlSize(*button, ControlSize::Page);
    if (!icon.isEmpty())
        button->setIcon(themedIcon(icon, textRole(kind)));
    button->setIconSize(QSize(scaled(14), scaled(14)));
    bindButton(*button, *context.commands, id);
    return button;
}

} // namespace

WorkersPage::WorkersPage(const PageContext& context, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_header(new PageHeader(tr("Workers"), this))
    , m_tablePanel(new WorkerTablePanel(context, this))
    , m_startup(new StartupChart(context.history, context.time))
    , m_connections(new ConnectionsChart(context.history, context.time))
    , m_startupPanel(new ChartPanel(m_startup, this))
    , m_connectionsPanel(new ChartPanel(m_connections, this))
    , m_timer(new QTimer(this)) {
    m_header->addAction(actionButton(context, QStringLiteral("worker.spawn"), tr("Spawn…"),
        ButtonKind::Secondary, QStringLiteral("plus"), m_header));
    m_header->addAction(actionButton(context, QStringLiteral("worker.stop"), tr("Stop…"), ButtonKind::Danger,
        QStringLiteral("stop"), m_header));
    m_header->addAction(actionButton(context, QStringLiteral("worker.upgrade_all"), tr("Upgrade all…"),
        ButtonKind::Secondary, {}, m_header));
    m_header->addAction(actionButton(context, QStringLiteral("worker.upgrade"), tr("Upgrade…"),
        ButtonKind::Primary, QStringLiteral("arrow-up"), m_header));
    makeMiddlePanel();

    auto* lower = new QHBoxLayout;
    lower->setSpacing(scaled(12));
    lower->addWidget(m_startupPanel, 38);
    lower->addWidget(m_middle, 31);
    lower->addWidget(m_connectionsPanel, 31);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(scaled(16), 0, scaled(16), scaled(16));
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(m_tablePanel, 0);
    layout->addSpacing(scaled(12));
    layout->addLayout(lower, 1);

    connect(context.workerTable, &QAbstractItemModel::rowsInserted, this, &WorkersPage::fitTable);
    connect(context.workerTable, &QAbstractItemModel::rowsRemoved, this, &WorkersPage::fitTable);
    m_timer->setInterval(textIntervalMs);
    connect(m_timer, &QTimer::timeout, this, &WorkersPage::refresh);
    connect(m_tablePanel->table(), &WorkerTable::selectedWorkerChanged, this,
        [this] { m_context.actions->setSelectedWorker(m_tablePanel->table()->selectedWorker()); });
    connect(context.actions, &WorkerActions::selectedWorkerChanged, this, &WorkersPage::takeSelection);
    connect(context.actions, &WorkerActions::jobStarted, this, [this](quint64 job) {
        m_shownJob = job;
        setStepsShown(true);
        updateMiddle();
    });
    connect(context.workers, &control::WorkerControl::jobChanged, this, &WorkersPage::updateMiddle);
    connect(context.workers, &control::WorkerControl::linkChanged, this, &WorkersPage::refresh);
    takeSelection();
    setActive(false);
}

void WorkersPage::makeMiddlePanel() {
    m_middle = new Panel({}, this);
    m_steps = new JobStepsView(false, m_middle);
    m_details = new WorkerDetails(m_middle);
    m_middleStack = new QStackedWidget(m_middle);
    m_middleStack->addWidget(m_steps);
    m_middleStack->addWidget(m_details);
    m_middle->bodyLayout()->addWidget(m_middleStack, 1);
    m_swap = new QPushButton(m_middle);
    m_swap->setObjectName(QStringLiteral("swap-details"));
    m_abort = new QPushButton(tr("Abort…"), m_middle);
    setButtonKind(*m_abort, ButtonKind::Danger);
    bindButton(*m_abort, *m_context.commands, QStringLiteral("job.cancel"));
    for (QPushButton* button : {m_swap, m_abort}) {
        setControlSize(*button, ControlSize::Panel);
        m_middle->addHeadWidget(button);
    }
    connect(m_swap, &QPushButton::clicked, this, [this] { setStepsShown(!areStepsShown()); });
    connect(m_steps, &JobStepsView::retryWanted, this, [this] {
        const auto& job = m_steps->job();
        if (!job)
            return;
        if (job->kind == u"upgrade_all")
            m_context.actions->openUpgradeAll();
        else if (job->kind == u"spawn_worker")
            m_context.actions->openSpawn();
        else if (job->workerId && job->kind == u"stop_worker")
            m_context.actions->openStop(*job->workerId);
        else if (job->workerId)
            m_context.actions->openUpgrade(*job->workerId);
    });
    m_middleStack->setCurrentWidget(m_details);
}

QWidget* WorkersPage::filterField() {
    return m_tablePanel->filter();
}

void WorkersPage::setActive(bool active) {
    m_active = active;
    m_startupPanel->setActive(active);
    m_connectionsPanel->setActive(active);
    if (active) {
        refresh();
        m_timer->start();
    } else {
        m_timer->stop();
    }
}

void WorkersPage::setStepsShown(bool steps) {
    m_middleStack->setCurrentWidget(steps ? static_cast<QWidget*>(m_steps) : m_details);
    updateMiddle();
}

bool WorkersPage::areStepsShown() const {
    return m_middleStack->currentWidget() == m_steps;
}

void WorkersPage::takeSelection() {
    const auto selected = m_context.actions->selectedWorker();
    m_tablePanel->table()->selectWorker(selected);
    const auto worker = selected ? m_context.actions->worker(*selected) : std::nullopt;
    const std::optional<std::uint32_t> slot =
        worker && worker->slot != 0 ? std::optional(worker->slot) : std::nullopt;
    m_startup->setSlot(slot);
    m_connections->setSlot(slot);
    const auto job = selected ? m_context.actions->jobFor(selected) : std::nullopt;
    m_shownJob = job ? job->id : 0;
    setStepsShown(m_shownJob != 0);
}

void WorkersPage::updateMiddle() {
    // What runs is shown without being asked for, once: who goes to another worker meanwhile is left there.
    const auto newest = m_context.jobs->newest();
    if (newest && newest->state == control::JobState::Running && newest->id != m_announcedJob) {
        m_announcedJob = newest->id;
        m_shownJob = newest->id;
        m_middleStack->setCurrentWidget(m_steps);
    }
    const auto job = m_shownJob != 0 ? m_context.jobs->job(m_shownJob) : std::nullopt;
    const auto selected = m_context.actions->selectedWorker();
    const auto worker = selected ? m_context.actions->worker(*selected) : std::nullopt;
    m_steps->setJob(job);
    m_details->setWorker(worker);
    m_swap->setVisible(job.has_value());
    m_swap->setText(areStepsShown() ? tr("Details") : tr("Steps"));
    const bool isRunning = job && job->state == control::JobState::Running;
    m_abort->setVisible(isRunning && areStepsShown());
    if (areStepsShown() && job) {
        m_middle->setTitle(job->title);
        m_middle->setSubTitle(isRunning ? QString() : jobResult(*job));
    } else {
        m_middle->setTitle(worker ? tr("Worker %1").arg(workerName(*worker)) : tr("Details"));
        m_middle->setSubTitle(worker ? stateText(*worker) : QString());
    }
}

void WorkersPage::fitTable() {
    // All rows when there is room, but the panels below keep enough height to be read.
    constexpr int leastLower = 290;
    const int head = scaled(40) + 4;
    const int room = height() - m_header->height() - head - scaled(12 + 16 + leastLower);
    const int most = std::max(3, room / scaled(28) - 1);
    // The rows of all workers, filtered or not: the panels below must not jump while one types.
    const int rows = std::clamp(m_context.workerTable->rowCount(), 1, most);
    m_tablePanel->table()->setFixedHeight(WorkerTable::heightOf(rows));
}

void WorkersPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    fitTable();
}

void WorkersPage::refresh() {
    if (!m_active)
        return;
    const control::SnapshotPtr snapshot = m_context.workers->latest();
    if (snapshot != nullptr) {
        std::optional<double> rate;
        for (const control::WorkerInfo& worker : snapshot->workers) {
            if (worker.requestsPerSecond)
                rate = rate.value_or(0) + *worker.requestsPerSecond;
        }
        m_header->setSummary(tr("%1, %2 requests/s over %3")
                                 .arg(snapshot->target.name, format::rate(rate),
                                     workersText(countServing(snapshot->workers))));
        m_startup->setTarget(snapshot->target.name);
        m_connections->setTarget(snapshot->target.name);
    }
    // The first worker is selected at once, so that the panels below have something to say.
    if (!m_context.actions->selectedWorker() && m_context.workerTable->rowCount() > 0 && m_active)
        m_context.actions->setSelectedWorker(m_context.workerTable->worker(0).id);
    m_tablePanel->refresh();
    updateMiddle();
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/overview_page.h"

#include "models/job_model.h"
#include "models/time_cursor.h"
#include "models/worker_table_model.h"
#include "ui/charts/chart_panel.h"
#include "ui/charts/rate_chart.h"
#include "ui/dialogs/worker_actions.h"
#include "ui/dialogs/worker_texts.h"
#include "ui/pages/attention_panel.h"
#include "ui/pages/event_list_view.h"
#include "ui/pages/job_steps_view.h"
#include "ui/pages/overview_data.h"
#include "ui/pages/page_header.h"
#include "ui/pages/stat_tile.h"
#include "ui/pages/target_table.h"
#include "ui/theme/controls.h"
#include "ui/theme/format.h"
#include "ui/theme/panel.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

namespace yardmaster::ui {

using control::WorkerInfo;

namespace {

constexpr int textIntervalMs = 500;

QString count(std::uint64_t value) {
    return format::number(static_cast<double>(value));
}

template <typename Member>
std::optional<double> sumOf(const std::vector<WorkerInfo>& workers, Member member) {
    std::optional<double> sum;
    for (const WorkerInfo& worker : workers) {
        if (const auto& value = worker.*member)
            sum = sum.value_or(0) + static_cast<double>(*value);
    }
    return sum;
}

} // namespace

OverviewPage::OverviewPage(const PageContext& context, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_header(new PageHeader(tr("Overview"), this))
    , m_rate(new StatTile(tr("Requests/s"), {}, this))
    , m_errors(new StatTile(tr("Errors"), QStringLiteral("%"), this))
    , m_latency(new StatTile(tr("Latency p50 / p99"), tr("ms"), this))
    , m_connections(new StatTile(tr("Connections"), {}, this))
    , m_attention(new AttentionPanel(context, this))
    , m_targetsPanel(new Panel(tr("Targets"), this))
    , m_targets(new TargetTable(m_targetsPanel))
    , m_chart(new RateChart(context.history, context.time))
    , m_chartPanel(new ChartPanel(m_chart, this))
    , m_eventsPanel(new Panel(tr("Events"), this))
    , m_events(new EventListView(context.events, m_eventsPanel))
    , m_timer(new QTimer(this)) {
    makeJobPanel();
    m_targetsPanel->setHeadLine(true);
    m_targetsPanel->bodyLayout()->addWidget(m_targets);
    m_targetsPanel->bodyLayout()->addSpacing(2);
    m_targetsPanel->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_attention->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    m_eventsPanel->setSubTitle(tr("newest first"));
    m_eventsPanel->setHeadLine(true);
    m_eventsPanel->bodyLayout()->addWidget(m_events);
    m_eventsPanel->bodyLayout()->addSpacing(2);

    auto* tiles = new QHBoxLayout;
    tiles->setSpacing(scaled(12));
    for (StatTile* tile : {m_rate, m_errors, m_latency, m_connections}) {
        tile->setFixedHeight(scaled(128));
        tile->setMinimumWidth(0);
        tile->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
        tiles->addWidget(tile, 1);
    }
    auto* left = new QVBoxLayout;
    left->setSpacing(scaled(12));
    left->addWidget(m_attention);
    left->addWidget(m_targetsPanel);
    left->addWidget(m_chartPanel, 1);
    auto* right = new QVBoxLayout;
    right->setSpacing(scaled(12));
    right->addWidget(m_jobPanel);
    right->addWidget(m_eventsPanel, 1);
    auto* columns = new QHBoxLayout;
    columns->setSpacing(scaled(12));
    columns->addLayout(left, 61);
    columns->addLayout(right, 39);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(scaled(16), 0, scaled(16), scaled(16));
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addLayout(tiles);
    layout->addSpacing(scaled(12));
    layout->addLayout(columns, 1);

    m_timer->setInterval(textIntervalMs);
    connect(m_timer, &QTimer::timeout, this, &OverviewPage::refresh);
    connect(context.workers, &control::WorkerControl::linkChanged, this, &OverviewPage::refresh);
    connect(context.workers, &control::WorkerControl::jobChanged, this, &OverviewPage::updateJob);
    setActive(false);
}

void OverviewPage::makeJobPanel() {
    m_jobPanel = new Panel({}, this);
    m_steps = new JobStepsView(true, m_jobPanel);
    m_jobPanel->bodyLayout()->addWidget(m_steps);
    m_jobPanel->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    auto* show = new QPushButton(tr("Show"), m_jobPanel);
    show->setAccessibleName(tr("Show the job on the Workers page"));
    setControlSize(*show, ControlSize::Panel);
    connect(show, &QPushButton::clicked, this, [this] { m_context.openPage(QStringLiteral("workers")); });
    m_jobPanel->addHeadWidget(show);
    m_jobPanel->hide();
    const auto retry = [this] { m_context.openPage(QStringLiteral("workers")); };
    connect(m_steps, &JobStepsView::retryWanted, this, retry);
}

void OverviewPage::setActive(bool active) {
    m_active = active;
    m_chartPanel->setActive(active);
    if (active) {
        refresh();
        m_timer->start();
    } else {
        m_timer->stop();
    }
}

void OverviewPage::updateTiles(const OverviewData& data, bool stale) {
    const control::SnapshotPtr snapshot = m_context.workers->latest();
    if (snapshot == nullptr) {
        for (StatTile* tile : {m_rate, m_errors, m_latency, m_connections})
            tile->setValue(format::unknown(), tr("no data yet"));
        return;
    }
    const auto last = [](const std::vector<double>& values) -> std::optional<double> {
        return values.empty() ? std::nullopt : std::optional(values.back());
    };
    const auto rate = sumOf(snapshot->workers, &WorkerInfo::requestsPerSecond);
    m_rate->setValue(format::rate(rate ? rate : last(data.rates)),
        data.peakRate ? tr("peak %1").arg(format::rate(data.peakRate)) : QString());
    m_rate->setSeries({{data.rates, ColorRole::SeriesP50, true, {}}});

    std::optional<double> errors;
    if (data.recentRequests > 0)
        errors = 100.0 * static_cast<double>(data.recentErrors) / static_cast<double>(data.recentRequests);
    m_errors->setValue(format::percent(errors),
        tr("%1 of %2 in 10 s").arg(count(data.recentErrors), count(data.recentRequests)));
    m_errors->setSeries({{data.errorPercents, ColorRole::Bad, true, {}}});

    m_latency->setValue(
        format::latencyMs(data.recentP50Us) + QStringLiteral(" / ") + format::latencyMs(data.recentP99Us),
        tr("n %1 in 10 s").arg(count(data.recentRequests)));
    m_latency->setSeries({{data.p99Ms, ColorRole::SeriesP99, false, QStringLiteral("p99")},
        {data.p50Ms, ColorRole::SeriesP50, false, QStringLiteral("p50")}});

    const auto connections = sumOf(snapshot->workers, &WorkerInfo::connections);
    m_connections->setValue(connections ? format::number(*connections) : format::unknown(),
        tr("over %1").arg(workersText(countServing(snapshot->workers))));
    m_connections->setSeries({{data.connections, ColorRole::SeriesP50, true, {}}});
    for (StatTile* tile : {m_rate, m_errors, m_latency, m_connections})
        tile->setStale(stale);
}

void OverviewPage::updateTargets(const OverviewData& data, bool stale) {
    const control::SnapshotPtr snapshot = m_context.workers->latest();
    if (snapshot == nullptr) {
        m_targetsPanel->setSubTitle(tr("connecting…"));
        m_targets->setRows({});
        return;
    }
    const std::size_t draining = countDraining(snapshot->workers);
    const std::size_t serving = countServing(snapshot->workers);
    TargetTable::Row row;
    row.target = snapshot->target;
    row.workers = static_cast<int>(serving);
    row.state = stale  ? tr("State unknown")
        : draining > 0 ? tr("%1 draining").arg(draining)
        : serving > 0  ? tr("Serving")
                       : tr("No worker serves");
    const Glyph glyph = stale ? Glyph::Unknown
        : draining > 0        ? Glyph::Draining
        : serving > 0         ? Glyph::Serving
                              : Glyph::Crashed;
    row.glyph = static_cast<int>(glyph);
    row.requestsPerSecond = sumOf(snapshot->workers, &WorkerInfo::requestsPerSecond);
    row.connections = sumOf(snapshot->workers, &WorkerInfo::connections);
    if (data.recentRequests > 0)
        row.errorPercent =
            100.0 * static_cast<double>(data.recentErrors) / static_cast<double>(data.recentRequests);
    row.p50Us = data.recentP50Us;
    row.p99Us = data.recentP99Us;
    row.rates = data.rates;
    row.stale = stale;
    m_targets->setRows({row});
    m_targetsPanel->setSubTitle(stale ? tr("link lost") : tr("1 connected"));
}

void OverviewPage::updateJob() {
    const auto job = m_context.jobs->newest();
    m_jobPanel->setVisible(job.has_value());
    m_steps->setJob(job);
    if (!job)
        return;
    m_jobPanel->setTitle(job->title);
    m_jobPanel->setSubTitle(jobResult(*job));
    m_steps->setFixedHeight(m_steps->compactHeight());
}

void OverviewPage::refresh() {
    if (!m_active)
        return;
    const bool stale = m_context.workers->link().state != control::LinkState::Connected;
    const control::SnapshotPtr snapshot = m_context.workers->latest();
    const OverviewData data = overviewOf(*m_context.history, m_context.time->span());
    if (snapshot != nullptr) {
        const int running = m_context.jobs->runningCount();
        m_header->setSummary(running > 0
                ? tr("%1, %2").arg(snapshot->target.name,
                    format::counted(running, tr("1 job running"), tr("%1 jobs running")))
                : tr("%1, %2").arg(snapshot->target.name, targetSystemText(snapshot->target)));
        m_chart->setTarget(snapshot->target.name);
    }
    updateTiles(data, stale);
    updateTargets(data, stale);
    updateJob();
    if (m_attention->isWaiting())
        m_attention->refresh();
}

} // namespace yardmaster::ui

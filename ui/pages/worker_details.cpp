// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/worker_details.h"

#include "ui/dialogs/worker_texts.h"
#include "ui/theme/format.h"
#include "ui/theme/text_label.h"

#include <QDateTime>
#include <QGridLayout>

namespace yardmaster::ui {

using control::WorkerInfo;

namespace {

QString count(std::uint64_t value) {
    return format::number(static_cast<double>(value));
}

QString count(const std::optional<std::uint64_t>& value) {
    return value ? count(*value) : format::unknown();
}

QString phase(const control::StartupPhases& phases, const std::optional<std::int64_t>& at) {
    if (!phases.spawnNs || !at)
        return format::unknown();
    return format::duration(static_cast<double>(*at - *phases.spawnNs) / 1e9);
}

} // namespace

WorkerDetails::WorkerDetails(QWidget* parent)
    : QScrollArea(parent)
    , m_content(new QWidget)
    , m_grid(new QGridLayout(m_content)) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWidget(m_content);
    setAccessibleName(tr("Details of the worker"));
    m_content->setAutoFillBackground(false);
    viewport()->setAutoFillBackground(false);
    m_grid->setContentsMargins(scaled(12), 0, scaled(12), scaled(8));
    m_grid->setHorizontalSpacing(scaled(16));
    m_grid->setVerticalSpacing(scaled(6));
    m_grid->setColumnStretch(1, 1);
}

void WorkerDetails::setRows(const std::vector<std::pair<QString, QString>>& rows) {
    while (m_labels.size() < rows.size()) {
        const int line = static_cast<int>(m_labels.size());
        auto* name = new TextLabel({}, TextStyle::Body, ColorRole::Muted, m_content);
        auto* value = new TextLabel({}, TextStyle::Body, ColorRole::Text, m_content);
        value->setWordWrap(true);
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_grid->addWidget(name, line, 0, Qt::AlignTop | Qt::AlignLeft);
        m_grid->addWidget(value, line, 1);
        m_labels.emplace_back(name, value);
        m_grid->setRowStretch(line, 0);
        m_grid->setRowStretch(line + 1, 1);
    }
    for (std::size_t i = 0; i < m_labels.size(); ++i) {
        const bool used = i < rows.size();
        m_labels[i].first->setVisible(used);
        m_labels[i].second->setVisible(used);
        if (used) {
            m_labels[i].first->setText(rows[i].first);
            m_labels[i].second->setText(rows[i].second);
        }
    }
}

QString WorkerDetails::valueOf(const QString& name) const {
    for (const auto& [label, value] : m_labels) {
        if (label->isVisibleTo(this) && label->text() == name)
            return value->text();
    }
    return {};
}

void WorkerDetails::setWorker(const std::optional<WorkerInfo>& worker) {
    std::vector<std::pair<QString, QString>> rows;
    if (!worker) {
        setRows({{tr("No worker selected"), QString()}});
        return;
    }
    rows.emplace_back(tr("State"), stateText(*worker));
    if (!worker->lastExit.isEmpty())
        rows.emplace_back(tr("Last exit"), worker->lastExit);
    rows.emplace_back(tr("Process"), tr("pid %1, worker id %2").arg(worker->pid).arg(worker->id));
    rows.emplace_back(tr("Version"), versionText(worker->version));
    if (worker->startedUnixNs) {
        const QDateTime started = QDateTime::fromMSecsSinceEpoch(*worker->startedUnixNs / 1'000'000);
        rows.emplace_back(tr("Started"), started.toString(u"yyyy-MM-dd HH:mm:ss"));
    }
    rows.emplace_back(tr("Ready after"), phase(worker->phases, worker->phases.readyNs));
    rows.emplace_back(tr("In flight"), count(worker->requestsInFlight));
    rows.emplace_back(tr("p50 / p99"),
        tr("%1 / %2, last 10 s").arg(format::latency(worker->p50Us), format::latency(worker->p99Us)));
    rows.emplace_back(tr("Restarts"), count(std::uint64_t{worker->restarts}));
    if (worker->drain) {
        const control::DrainStatus& drain = *worker->drain;
        rows.emplace_back(tr("Drain"),
            tr("%1 left, %2 drained, %3 closed idle, %4 cut")
                .arg(count(drain.openConnections), count(drain.drained), count(drain.closedIdle),
                    count(drain.cut)));
        if (!drain.stragglers.isEmpty())
            rows.emplace_back(tr("Stragglers"), drain.stragglers.join(u'\n'));
    }
    setRows(rows);
}

} // namespace yardmaster::ui

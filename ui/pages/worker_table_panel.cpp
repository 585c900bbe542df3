// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/worker_table_panel.h"

#include "models/worker_table_model.h"
#include "ui/commands/command_registry.h"
#include "ui/dialogs/worker_actions.h"
#include "ui/dialogs/worker_texts.h"
#include "ui/pages/worker_table.h"
#include "ui/theme/controls.h"
#include "ui/theme/format.h"
#include "ui/theme/glyphs.h"
#include "ui/theme/icons.h"
#include "ui/theme/panel.h"
#include "ui/theme/search_field.h"
#include "ui/theme/text_label.h"

#include <QClipboard>
#include <QEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSaveFile>
#include <QToolButton>
#include <QVBoxLayout>

namespace yardmaster::ui {

using models::WorkerTableModel;

WorkerTablePanel::WorkerTablePanel(const PageContext& context, QWidget* parent)
    : QWidget(parent)
    , m_context(context)
    , m_panel(new Panel({}, this))
    , m_table(new WorkerTable(context.workerTable, context.history, m_panel)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_panel);
    makeHead();
    m_panel->setHeadLine(true);
    m_panel->bodyLayout()->addWidget(m_table);
    // The last row's line must not touch the panel's round corners.
    m_panel->bodyLayout()->addSpacing(2);
    makeEmptyState();
    connect(m_table, &WorkerTable::menuWanted, this, &WorkerTablePanel::openWorkerMenu);
    connect(m_filter, &QLineEdit::textChanged, this, &WorkerTablePanel::applyFilter);
    m_table->viewport()->installEventFilter(this);
    refresh();
}

void WorkerTablePanel::makeHead() {
    auto* head = new QWidget(m_panel);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(scaled(8));
    m_filter = new SearchField(tr("Filter workers"), QStringLiteral("/"), head);
    m_filter->setObjectName(QStringLiteral("worker-filter"));
    setControlSize(*m_filter, ControlSize::Panel);
    m_filter->setFixedWidth(scaled(260));
    row->addWidget(m_filter);
    m_counts = new TextLabel({}, TextStyle::SubTitle, ColorRole::Muted, head);
    m_counts->setElided(true);
    m_counts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(m_counts, 1);
    m_servingGlyph = new GlyphLabel(Glyph::Serving, head);
    m_serving = new TextLabel({}, TextStyle::SubTitle, ColorRole::Text, head);
    m_drainingGlyph = new GlyphLabel(Glyph::Draining, head);
    m_draining = new TextLabel({}, TextStyle::SubTitle, ColorRole::Text, head);
    for (QWidget* widget :
        std::initializer_list<QWidget*>{m_servingGlyph, m_serving, m_drainingGlyph, m_draining})
        row->addWidget(widget);
    m_panel->setHeadWidget(head);

    QToolButton* columns = makeIconButton(QStringLiteral("columns"), tr("Columns"), m_panel);
    connect(columns, &QToolButton::clicked, this, [this, columns] { openColumnMenu(columns); });
    m_panel->addHeadWidget(columns);
    QToolButton* save = makeIconButton(QStringLiteral("export"), tr("Export the table as CSV"), m_panel);
    connect(save, &QToolButton::clicked, this, &WorkerTablePanel::openExport);
    m_panel->addHeadWidget(save);
}

void WorkerTablePanel::makeEmptyState() {
    m_empty = new QWidget(m_table->viewport());
    auto* layout = new QHBoxLayout(m_empty);
    layout->setContentsMargins(scaled(10), 0, scaled(10), 0);
    layout->setSpacing(scaled(8));
    m_emptyText = new TextLabel({}, TextStyle::Body, ColorRole::Muted, m_empty);
    layout->addWidget(m_emptyText);
    m_emptyAction = new QPushButton(tr("Clear"), m_empty);
    setButtonKind(*m_emptyAction, ButtonKind::Link);
    setControlSize(*m_emptyAction, ControlSize::Panel);
    layout->addWidget(m_emptyAction);
    layout->addStretch(1);
    connect(m_emptyAction, &QPushButton::clicked, this, [this] {
        if (m_context.workerTable->rowCount() > 0)
            m_filter->clear();
        else
            m_context.actions->openSpawn();
    });
}

QString WorkerTablePanel::emptyText() const {
    return m_empty->isVisibleTo(m_table->viewport()) ? m_emptyText->text() : QString();
}

void WorkerTablePanel::placeEmptyState() {
    const int all = m_context.workerTable->rowCount();
    const bool connected = m_context.workers->link().state == control::LinkState::Connected;
    m_empty->setVisible(m_table->shownRows() == 0);
    if (m_table->shownRows() > 0)
        return;
    if (all > 0) {
        m_emptyText->setText(tr("0 of %1 match").arg(all));
        m_emptyAction->setText(tr("Clear"));
    } else if (!connected || m_context.workers->latest() == nullptr) {
        m_emptyText->setText(connected ? tr("Loading workers…") : tr("Not connected. Workers appear here."));
    } else {
        m_emptyText->setText(tr("No workers."));
        m_emptyAction->setText(tr("Spawn one"));
    }
    const bool canSpawn = m_context.actions->reasonAgainst(QStringLiteral("worker.spawn")).isEmpty();
    m_emptyAction->setVisible(all > 0 || (connected && canSpawn));
    m_empty->setGeometry(0, 0, m_table->viewport()->width(), scaled(28));
}

bool WorkerTablePanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize)
        placeEmptyState();
    return QWidget::eventFilter(watched, event);
}

void WorkerTablePanel::applyFilter() {
    m_table->setFilterText(m_filter->text());
    refresh();
}

void WorkerTablePanel::refresh() {
    const control::SnapshotPtr snapshot = m_context.workers->latest();
    const std::size_t serving = snapshot == nullptr ? 0 : countServing(snapshot->workers);
    const std::size_t draining = snapshot == nullptr ? 0 : countDraining(snapshot->workers);
    const int all = m_context.workerTable->rowCount();
    const int shown = m_table->shownRows();
    QString counts = workersText(serving);
    if (draining > 0)
        counts = tr("%1 processes, %2").arg(serving + draining).arg(counts);
    if (shown != all)
        counts = tr("%1 of %2 match").arg(shown).arg(all);
    m_counts->setText(counts);
    m_serving->setText(tr("%1 serving").arg(serving));
    m_draining->setText(tr("%1 draining").arg(draining));
    m_draining->setVisible(draining > 0);
    m_drainingGlyph->setVisible(draining > 0);
    m_table->refreshRates();
    placeEmptyState();
}

void WorkerTablePanel::openColumnMenu(QWidget* button) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (int column = WorkerTableModel::Pid; column < WorkerTableModel::ColumnCount; ++column) {
        QAction* action = menu->addAction(
            m_context.workerTable->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        action->setCheckable(true);
        action->setChecked(m_table->isColumnWanted(column));
        connect(action, &QAction::toggled, m_table,
            [this, column](bool wanted) { m_table->setColumnWanted(column, wanted); });
    }
    menu->popup(button->mapToGlobal(QPoint(0, button->height() + 2)));
}

void WorkerTablePanel::openExport() {
    auto* dialog =
        new QFileDialog(this, tr("Export workers"), QStringLiteral("workers.csv"), tr("CSV (*.csv)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("csv"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        QSaveFile file(path);
        const bool written =
            file.open(QIODevice::WriteOnly) && file.write(m_table->toCsv()) >= 0 && file.commit();
        m_counts->setText(written ? tr("Written: %1").arg(path) : tr("%1: %2").arg(path, file.errorString()));
    });
    dialog->open();
}

void WorkerTablePanel::openWorkerMenu(const QPoint& at) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const QString& id : {QStringLiteral("worker.upgrade"), QStringLiteral("worker.stop")})
        menu->addAction(m_context.commands->action(id));
    menu->addSeparator();
    const auto worker = m_context.actions->worker(m_table->selectedWorker().value_or(0));
    if (worker) {
        connect(menu->addAction(tr("Copy PID %1").arg(worker->pid)), &QAction::triggered, this,
            [pid = worker->pid] { QGuiApplication::clipboard()->setText(QString::number(pid)); });
    }
    menu->popup(at);
}

} // namespace yardmaster::ui

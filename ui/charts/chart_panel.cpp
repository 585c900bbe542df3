// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_panel.h"

#include "ui/charts/chart_table_model.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/export_dialog.h"
#include "ui/theme/controls.h"
#include "ui/theme/panel.h"
#include "ui/theme/text_label.h"

#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QStackedLayout>
#include <QTableView>
#include <QTimer>
#include <QToolButton>

namespace yardmaster::ui {

namespace {

constexpr int tableEveryMs = 1000;

/// The 1 px between charts of one panel.
class Divider final : public QWidget {
public:
    explicit Divider(QWidget* parent)
        : QWidget(parent) {
        setFixedHeight(1);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.fillRect(rect(), themeOf(this).color(ColorRole::Border));
    }
};

} // namespace

ChartSection::ChartSection(ChartView* view, QWidget* parent)
    : QWidget(parent)
    , m_view(view)
    , m_title(new TextLabel(view->title(), TextStyle::PanelTitle, ColorRole::Text, this))
    , m_subTitle(new TextLabel(view->subTitle(), TextStyle::SubTitle, ColorRole::Muted, this))
    , m_tableButton(makeIconButton(QStringLiteral("table"), tr("Show as table"), this))
    , m_exportButton(makeIconButton(QStringLiteral("export"), tr("Export %1…").arg(view->title()), this))
    , m_stack(new QStackedLayout) {
    setObjectName(view->id() + QStringLiteral("_section"));
    m_subTitle->setElided(true);
    m_subTitle->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_subTitle->installEventFilter(this);
    m_tableButton->setCheckable(true);
    m_tableButton->setObjectName(QStringLiteral("showAsTable"));
    m_exportButton->setObjectName(QStringLiteral("export"));

    auto* head = new QHBoxLayout;
    head->setContentsMargins(scaled(12), 0, scaled(8), 0);
    head->setSpacing(scaled(8));
    head->addWidget(m_title);
    head->addWidget(m_subTitle, 1);
    if (QWidget* choice = view->createHeadWidget(this))
        head->addWidget(choice);
    head->addWidget(m_tableButton);
    head->addWidget(m_exportButton);
    auto* headBox = new QWidget(this);
    headBox->setFixedHeight(scaled(36));
    headBox->setLayout(head);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 0, 1, scaled(4));
    layout->setSpacing(0);
    layout->addWidget(headBox);
    m_stack->addWidget(view);
    layout->addLayout(m_stack, 1);

    connect(view, &ChartView::subTitleChanged, this, &ChartSection::updateHead);
    connect(view, &ChartView::summaryChanged, this, &ChartSection::updateHead);
    connect(m_tableButton, &QToolButton::toggled, this, &ChartSection::setTableShown);
    connect(m_exportButton, &QToolButton::clicked, this, &ChartSection::openExportDialog);
}

void ChartSection::updateHead() {
    // The title follows the slot.
    if (m_title->text() != m_view->title())
        m_title->setText(m_view->title());
    const QString whole = m_view->subTitle();
    const bool fits = m_subTitle->fontMetrics().horizontalAdvance(whole) <= m_subTitle->width();
    const QString text = fits ? whole : m_view->shortSubTitle();
    if (m_subTitle->text() != text)
        m_subTitle->setText(text);
    m_subTitle->setToolTip(fits ? QString() : whole);
}

bool ChartSection::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_subTitle && event->type() == QEvent::Resize)
        updateHead();
    return QWidget::eventFilter(watched, event);
}

void ChartSection::makeTable() {
    m_model = new ChartTableModel(this);
    m_table = new QTableView(this);
    m_table->setModel(m_model);
    m_table->setObjectName(m_view->id() + QStringLiteral("_table"));
    m_table->setAccessibleName(tr("%1 as a table").arg(m_view->title()));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setFont(numberFontFor(TextStyle::Body));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setMinimumSectionSize(scaled(20)); // the style's own is higher than a row
    m_table->verticalHeader()->setDefaultSectionSize(scaled(26));
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_stack->addWidget(m_table);
    m_tableTimer = new QTimer(this);
    m_tableTimer->setInterval(tableEveryMs);
    connect(m_tableTimer, &QTimer::timeout, this, &ChartSection::updateTable);
}

void ChartSection::setTableShown(bool shown) {
    if (shown && !m_table)
        makeTable();
    m_tableButton->setChecked(shown);
    m_tableButton->setToolTip(shown ? tr("Show as chart") : tr("Show as table"));
    if (!m_table)
        return;
    m_stack->setCurrentIndex(shown ? 1 : 0);
    if (shown) {
        updateTable();
        m_table->resizeColumnsToContents();
        m_tableTimer->start();
    } else {
        m_tableTimer->stop();
    }
}

bool ChartSection::isTableShown() const {
    return m_table && m_stack->currentIndex() == 1;
}

void ChartSection::updateTable() {
    // The first fill may come before the table is on screen; after that a hidden one does nothing.
    if (m_model->rowCount() > 0 && !m_table->isVisible())
        return;
    m_model->apply(m_view->table(m_view->shownSpan()));
}

void ChartSection::openExportDialog() {
    auto* dialog = new ExportDialog({m_view}, this);
    dialog->open();
}

ChartPanel::ChartPanel(ChartView* view, QWidget* parent)
    : ChartPanel(std::vector<ChartView*>{view}, {1}, parent) { }

ChartPanel::ChartPanel(
    const std::vector<ChartView*>& views, const std::vector<int>& stretches, QWidget* parent)
    : QWidget(parent) {
    Q_ASSERT(!views.empty() && views.size() == stretches.size());
    auto* panel = new Panel({}, this);
    panel->setHeadVisible(false);
    panel->bodyLayout()->setContentsMargins(0, 1, 0, 1);
    for (std::size_t i = 0; i < views.size(); ++i) {
        if (i > 0)
            panel->bodyLayout()->addWidget(new Divider(panel));
        m_sections.push_back(new ChartSection(views[i], panel));
        panel->bodyLayout()->addWidget(m_sections.back(), stretches[i]);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(panel);
}

ChartView* ChartPanel::view() const {
    return m_sections.front()->view();
}

void ChartPanel::setActive(bool active) {
    for (ChartSection* section : m_sections)
        section->view()->setActive(active);
}

} // namespace yardmaster::ui

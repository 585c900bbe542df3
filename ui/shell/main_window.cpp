// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/main_window.h"

#include "ui/dialogs/overlay_dialog.h"
#include "ui/dialogs/worker_actions.h"
#include "ui/dialogs/worker_texts.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/console_session.h"
#include "ui/shell/header_bar.h"
#include "ui/shell/job_strip.h"
#include "ui/shell/palette_entries.h"
#include "ui/shell/rail.h"
#include "ui/shell/range_dialog.h"
#include "ui/shell/shortcuts_dialog.h"

#include <QAbstractButton>
#include <QActionGroup>
#include <QApplication>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace yardmaster::ui {

namespace {

constexpr int textIntervalMs = 500;
constexpr int narrowWindow = 1120; // below, the rail shows icons only
constexpr std::int64_t minuteNs = 60LL * 1'000'000'000;

class ProductionBar final : public QWidget {
public:
    explicit ProductionBar(QWidget* parent)
        : QWidget(parent) {
        setFixedHeight(3);
        hide();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter(this).fillRect(rect(), themeOf(this).color(ColorRole::Prod));
    }
};

} // namespace

MainWindow::MainWindow(control::WorkerControl* control, bool readOnly, QWidget* parent)
    : QWidget(parent)
    , m_session(std::make_unique<ConsoleSession>(control, readOnly))
    , m_menu(new QMenu(this))
    , m_rail(new Rail(this))
    , m_productionBar(new ProductionBar(this))
    , m_stack(new QStackedWidget(this))
    , m_textTimer(new QTimer(this)) {
    setObjectName(QStringLiteral("main-window"));
    setMinimumSize(scaled(800), scaled(560));
    resize(scaled(1440), scaled(900));

    addViewCommands();
    addRangeCommands();
    auto* actions = new WorkerActions(control, m_session->jobs(), commands(), this, readOnly);
    addThemeCommands();
    m_context = {control, m_session->workerTable(), m_session->events(), m_session->jobs(),
        m_session->history(), m_session->time(), commands(), actions, m_session->attention(),
        [this](const QString& id) { openPage(id); }};
    for (const Command& command : commands()->commands())
        addAction(commands()->action(command.id));
    buildMenu();
    layOut();

    connect(m_session.get(), &ConsoleSession::snapshotApplied, actions, &WorkerActions::update);
    connect(m_session.get(), &ConsoleSession::stateChanged, this, [this, actions] {
        actions->update();
        refresh();
    });
    connect(m_session->attention(), &AttentionList::changed, this, &MainWindow::updateRail);
    connect(m_textTimer, &QTimer::timeout, this, &MainWindow::refresh);
    m_textTimer->start(textIntervalMs);
    qApp->installEventFilter(this);
    openPage(pageFactories().front().id);
    refresh();
}

MainWindow::~MainWindow() {
    // Pages look at the session's models until they are gone.
    delete m_stack;
}

CommandRegistry* MainWindow::commands() const {
    return m_session->commands();
}

YardmasterStyle* MainWindow::appStyle() const {
    return qobject_cast<YardmasterStyle*>(QApplication::style());
}

void MainWindow::addViewCommands() {
    CommandRegistry& registry = *commands();
    const QString group = tr("View");
    int number = 0;
    for (const PageFactory& factory : pageFactories()) {
        ++number;
        registry.add({QStringLiteral("view.page.") + factory.id, tr("Go to %1").arg(factory.title), group,
                         number <= 9 ? QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_0 + number)) : QKeySequence(),
                         Danger::Safe, {}},
            [this, id = factory.id] { openPage(id); });
    }
    registry.add(
        {QStringLiteral("view.palette"), tr("Search or run…"), group, QKeySequence(Qt::CTRL | Qt::Key_K),
            Danger::Safe, tr("Find any command, page or worker")},
        [this] { openPalette(); });
    registry
        .add({QStringLiteral("view.find"), tr("Filter the page"), group, QKeySequence(Qt::CTRL | Qt::Key_F),
                 Danger::Safe, tr("Go to the filter of the page")},
            [this] { focusFilter(); })
        ->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_F), QKeySequence(Qt::Key_Slash)});
    registry.add({QStringLiteral("view.refresh"), tr("Show the newest data"), group, QKeySequence(Qt::Key_F5),
                     Danger::Safe, tr("Resume the charts and bring everything up to date")},
        [this] { m_session->refresh(); });
    registry.add({QStringLiteral("view.rail"), tr("Narrow page list"), group,
                     QKeySequence(Qt::CTRL | Qt::Key_B), Danger::Safe, {}},
        [this] {
            m_compactWanted = !m_rail->isCompact();
            m_rail->setCompact(*m_compactWanted);
        });
    registry.add({QStringLiteral("view.menu"), tr("Open the menu"), group, QKeySequence(Qt::Key_F10),
                     Danger::Safe, {}},
        [this] { m_header->openMenu(); });
}

void MainWindow::addRangeCommands() {
    CommandRegistry& registry = *commands();
    const QString group = tr("Charts");
    registry.add(
        {QStringLiteral("view.pause"), tr("Pause or resume the charts"), group, QKeySequence(Qt::Key_Space),
            Danger::Safe, tr("Pause or resume the charts; recording goes on")},
        [this] { m_session->time()->setLive(!m_session->time()->isLive()); });
    struct Range {
        QString id, text;
        int minutes;
        Qt::Key key;
    };
    for (const Range& range : std::initializer_list<Range>{
             {QStringLiteral("view.range.1m"), tr("Show the last minute"), 1, Qt::Key_1},
             {QStringLiteral("view.range.5m"), tr("Show the last 5 minutes"), 5, Qt::Key_2},
             {QStringLiteral("view.range.15m"), tr("Show the last 15 minutes"), 15, Qt::Key_3},
             {QStringLiteral("view.range.1h"), tr("Show the last hour"), 60, Qt::Key_4}}) {
        registry.add({range.id, range.text, group, QKeySequence(Qt::ALT | range.key), Danger::Safe, {}},
            [this, minutes = range.minutes] { m_session->time()->setLengthNs(minutes * minuteNs); });
    }
    registry.add({QStringLiteral("view.range.custom"), tr("Show another time…"), group,
                     QKeySequence(Qt::ALT | Qt::Key_5), Danger::Safe, {}},
        [this] { openRangeDialog(); });
}

void MainWindow::addThemeCommands() {
    CommandRegistry& registry = *commands();
    const QString group = tr("Window");
    auto* modes = new QActionGroup(this);
    const std::initializer_list<std::tuple<QString, QString, ThemeMode>> themes{
        {QStringLiteral("window.theme.system"), tr("Theme of the system"), ThemeMode::System},
        {QStringLiteral("window.theme.light"), tr("Light theme"), ThemeMode::Light},
        {QStringLiteral("window.theme.dark"), tr("Dark theme"), ThemeMode::Dark}};
    for (const auto& [id, text, mode] : themes) {
        QAction* action = registry.add({id, text, group, {}, Danger::Safe, {}}, [this, mode = mode] {
            if (YardmasterStyle* style = appStyle())
                style->setMode(mode);
        });
        action->setCheckable(true);
        action->setChecked(appStyle() != nullptr && appStyle()->mode() == mode);
        modes->addAction(action);
    }
    registry.add({QStringLiteral("window.shortcuts"), tr("Keyboard shortcuts…"), group, QKeySequence(tr("?")),
                     Danger::Safe, {}},
        [this] { openShortcuts(); });
    registry.add(
        {QStringLiteral("window.close"), tr("Close the console"), group, QKeySequence(Qt::CTRL | Qt::Key_Q),
            Danger::Safe, tr("Close the window; agent and workers go on")},
        [this] { close(); });
}

void MainWindow::buildMenu() {
    m_menu->setAccessibleName(tr("Menu"));
    std::map<QString, QMenu*> groups;
    for (const Command& command : commands()->commands()) {
        if (command.id == u"view.menu")
            continue; // who reads this has done it
        QMenu*& group = groups[command.group];
        if (group == nullptr)
            group = m_menu->addMenu(command.group);
        group->addAction(commands()->action(command.id));
    }
}

void MainWindow::layOut() {
    m_header = new HeaderBar(m_session.get(), m_menu, this);
    m_strip = new JobStrip(m_session.get(), this);
    connect(m_strip, &JobStrip::showWanted, this, [this] { openPage(QStringLiteral("workers")); });
    for (const PageFactory& factory : pageFactories()) {
        m_rail->addPage(factory.id, factory.title, factory.iconName,
            commands()->action(QStringLiteral("view.page.") + factory.id)->toolTip());
    }
    connect(m_rail, &Rail::pageWanted, this, &MainWindow::openPage);

    auto* right = new QVBoxLayout;
    right->setSpacing(0);
    right->addWidget(m_header);
    right->addWidget(m_stack, 1);
    auto* middle = new QHBoxLayout;
    middle->setSpacing(0);
    middle->addWidget(m_rail);
    middle->addLayout(right, 1);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    whole->addWidget(m_productionBar);
    whole->addLayout(middle, 1);
    whole->addWidget(m_strip);
}

Page* MainWindow::page(const QString& id) const {
    const auto found = m_pages.find(id);
    return found == m_pages.end() ? nullptr : found->second;
}

void MainWindow::openPage(const QString& id) {
    Page*& wanted = m_pages[id];
    if (wanted == nullptr) {
        for (const PageFactory& factory : pageFactories()) {
            if (factory.id == id)
                wanted = factory.create(m_context, m_stack);
        }
        if (wanted == nullptr) {
            m_pages.erase(id);
            return;
        }
        wanted->setObjectName(QStringLiteral("page.") + id);
        m_stack->addWidget(wanted);
    }
    if (Page* before = page(m_currentPage); before != nullptr && before != wanted)
        before->setActive(false);
    m_currentPage = id;
    m_stack->setCurrentWidget(wanted);
    wanted->setActive(true);
    m_rail->setCurrent(id);
    updateTitle();
}

void MainWindow::focusFilter() {
    Page* current = page(m_currentPage);
    QWidget* field = current != nullptr ? current->filterField() : nullptr;
    if (field == nullptr) {
        openPage(QStringLiteral("workers"));
        field = page(m_currentPage)->filterField();
    }
    if (field != nullptr)
        field->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::openPalette() {
    if (OverlayDialog::openOver(this) == nullptr)
        (new CommandPalette(paletteEntries(m_context, *m_session), this))->open();
}

void MainWindow::openRangeDialog() {
    if (OverlayDialog::openOver(this) == nullptr)
        (new RangeDialog(m_session->time(), m_session->history()->recorded(), this))->open();
}

void MainWindow::openShortcuts() {
    if (OverlayDialog::openOver(this) == nullptr)
        (new ShortcutsDialog(*commands(), this))->open();
}

void MainWindow::refresh() {
    const control::SnapshotPtr snapshot = m_session->latest();
    m_productionBar->setVisible(snapshot != nullptr && snapshot->target.production);
    m_header->refresh();
    m_strip->refresh();
    updateRail();
    updateTitle();
}

void MainWindow::updateRail() {
    const auto& attention = m_session->attention()->items();
    if (RailItem* overview = m_rail->item(QStringLiteral("overview")))
        overview->setBadge(Glyph::Warning, static_cast<int>(attention.size()));
    const control::SnapshotPtr snapshot = m_session->latest();
    if (RailItem* workers = m_rail->item(QStringLiteral("workers"));
        workers != nullptr && snapshot != nullptr)
        workers->setBadge(Glyph::Draining, static_cast<int>(countDraining(snapshot->workers)));
}

void MainWindow::updateTitle() {
    QStringList parts;
    for (const PageFactory& factory : pageFactories()) {
        if (factory.id == m_currentPage)
            parts << factory.title;
    }
    if (const control::SnapshotPtr snapshot = m_session->latest())
        parts << snapshot->target.name + (snapshot->target.production ? tr(" (PROD)") : QString());
    if (m_session->isReadOnly())
        parts << tr("read-only");
    parts << QStringLiteral("Yardmaster");
    setWindowTitle(parts.join(QStringLiteral(" – ")));
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_rail->setCompact(m_compactWanted.value_or(width() < scaled(narrowWindow)));
}

void MainWindow::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), themeOf(this).color(ColorRole::Window));
}

void MainWindow::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::WindowStateChange) {
        if (Page* current = page(m_currentPage))
            current->setActive(!isMinimized());
    }
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::ShortcutOverride: {
        // Space presses the button that has the focus; only elsewhere it pauses the charts.
        auto* key = static_cast<QKeyEvent*>(event);
        const bool takesSpace = qobject_cast<QAbstractButton*>(watched) != nullptr
            || qobject_cast<QComboBox*>(watched) != nullptr;
        if (key->key() == Qt::Key_Space && key->modifiers() == Qt::NoModifier && takesSpace) {
            event->accept();
            return true;
        }
        break;
    }
    case QEvent::KeyPress:
        m_altAlone = static_cast<QKeyEvent*>(event)->key() == Qt::Key_Alt;
        break;
    case QEvent::MouseButtonPress:
        m_altAlone = false;
        break;
    case QEvent::KeyRelease:
        if (m_altAlone && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Alt && isActiveWindow()
            && OverlayDialog::openOver(this) == nullptr) {
            m_altAlone = false;
            m_header->openMenu();
        }
        break;
    default:
        break;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace yardmaster::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_feed.h"
#include "models/event_model.h"
#include "models/worker_table_model.h"
#include "ui/charts/export_dialog.h"
#include "ui/charts/percentile_chart.h"
#include "ui/commands/command_registry.h"
#include "ui/pages/latency_page.h"
#include "ui/pages/upgrade_comparison.h"
#include "ui/theme/format.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QHeaderView>
#include <QListView>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QVBoxLayout>

using namespace yardmaster;
using namespace yardmaster::ui;
using tests::ChartFeed;

namespace {

/// A target that only has a name; the page asks for nothing else.
class NamedTarget final : public control::WorkerControl {
public:
    NamedTarget() {
        auto snapshot = std::make_shared<control::Snapshot>();
        snapshot->target.name = QStringLiteral("edge-fra-1");
        m_latest = std::move(snapshot);
    }
    void start() override { }
    control::Link link() const override { return {}; }
    control::SnapshotPtr latest() const override { return m_latest; }
    control::JobId spawnWorker() override { return 0; }
    control::JobId stopWorker(std::uint32_t, std::uint32_t) override { return 0; }
    control::JobId upgradeWorker(std::uint32_t, const control::UpgradeRequest&) override { return 0; }
    control::JobId upgradeAll(const control::UpgradeRequest&) override { return 0; }
    void cancelJob(control::JobId) override { }

private:
    control::SnapshotPtr m_latest;
};

control::Snapshot fourWorkers() {
    control::Snapshot snapshot;
    for (std::uint32_t slot = 1; slot <= 4; ++slot) {
        control::WorkerInfo worker;
        worker.id = slot;
        worker.slot = slot;
        worker.state = control::WorkerState::Serving;
        snapshot.workers.push_back(worker);
    }
    return snapshot;
}

control::Event eventAt(std::uint64_t sequence, std::int64_t atNs, const QString& text) {
    control::Event event;
    event.sequence = sequence;
    event.unixNs = atNs;
    event.text = text;
    return event;
}

} // namespace

class TestLatencyPage : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void comparesBeforeAndAfter();
    void hasNothingToCompare();
    void filtersByWorker();
    void listsEventsOfTheRange();
    void opensTheExportDialog();
    void doesNothingWhileInactive();

private:
    std::unique_ptr<ChartFeed> m_feed;
    std::unique_ptr<NamedTarget> m_target;
    std::unique_ptr<models::EventModel> m_events;
    std::unique_ptr<models::WorkerTableModel> m_workers;
    std::unique_ptr<CommandRegistry> m_commands;
    std::unique_ptr<QWidget> m_window;
    LatencyPage* m_page = nullptr;
    QString m_opened;
};

void TestLatencyPage::init() {
    m_feed = std::make_unique<ChartFeed>();
    m_target = std::make_unique<NamedTarget>();
    m_events = std::make_unique<models::EventModel>();
    m_workers = std::make_unique<models::WorkerTableModel>();
    m_commands = std::make_unique<CommandRegistry>();
    m_workers->apply(fourWorkers());
    m_feed->run(90);
    PageContext context;
    context.workers = m_target.get();
    context.workerTable = m_workers.get();
    context.events = m_events.get();
    context.history = &m_feed->history;
    context.time = &m_feed->time;
    context.commands = m_commands.get();
    context.openPage = [this](const QString& id) { m_opened = id; };
    m_window = std::make_unique<QWidget>();
    auto* layout = new QVBoxLayout(m_window.get());
    m_page = new LatencyPage(context, m_window.get());
    layout->addWidget(m_page);
    m_window->resize(1280, 800);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void TestLatencyPage::cleanup() {
    m_window.reset();
    m_commands.reset();
}

void TestLatencyPage::comparesBeforeAndAfter() {
    const std::int64_t startedAt = m_feed->nowNs();
    m_feed->upgrade(3);
    m_feed->run(30);
    m_page->setActive(true);
    auto* view = m_page->findChild<QTableView*>(QStringLiteral("upgrade-comparison"));
    QVERIFY(view);
    QAbstractItemModelTester tester(view->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
    const UpgradeComparisonModel& model = m_page->comparison()->model();
    QVERIFY(model.upgrade());
    QCOMPARE(model.upgrade()->slot, 3U);
    QVERIFY(model.upgrade()->atNs > startedAt && model.upgrade()->atNs < startedAt + 100'000'000);
    QCOMPARE(qRound(model.secondsBefore()), 60);
    QCOMPARE(qRound(model.secondsAfter()), 30);

    using Model = UpgradeComparisonModel;
    QCOMPARE(model.headerData(Model::Before, Qt::Horizontal).toString(), QStringLiteral("v1.4.1"));
    QCOMPARE(model.headerData(Model::After, Qt::Horizontal).toString(), QStringLiteral("v1.5.0"));
    const metrics::Histogram after =
        m_feed->history.merged({model.upgrade()->atNs, model.upgrade()->atNs + 60 * ChartFeed::second});
    const auto text = [&model](int row, int column) { return model.index(row, column).data().toString(); };
    QCOMPARE(text(Model::P99, Model::After), format::latencyMs(static_cast<double>(after.quantileUs(0.99))));
    QCOMPARE(text(Model::Count, Model::After), format::number(static_cast<double>(after.count())));
    QVERIFY(text(Model::P99, Model::Change).contains(u'%'));
    QCOMPARE(text(Model::Max, Model::Change), format::unknown());
    // All rows are to be seen.
    QVERIFY(view->height() >= view->verticalHeader()->length());
}

void TestLatencyPage::hasNothingToCompare() {
    m_page->setActive(true);
    using Model = UpgradeComparisonModel;
    const Model& model = m_page->comparison()->model();
    QVERIFY(!model.upgrade());
    for (int row = Model::P50; row <= Model::Max; ++row) {
        QCOMPARE(model.index(row, Model::Before).data().toString(), format::unknown());
        QCOMPARE(model.index(row, Model::After).data().toString(), format::unknown());
        QCOMPARE(model.index(row, Model::Change).data().toString(), format::unknown());
        QVERIFY(model.index(row, Model::Range).data().toString() != format::unknown());
    }
}

void TestLatencyPage::filtersByWorker() {
    m_page->setActive(true);
    auto* choice = m_page->findChild<QComboBox*>(QStringLiteral("latency-workers"));
    QVERIFY(choice);
    QCOMPARE(choice->count(), 5);
    choice->setFocus();
    QTest::keyClick(choice, Qt::Key_Down);
    QTest::keyClick(choice, Qt::Key_Down);
    QCOMPARE(m_page->slot(), std::optional<std::uint32_t>(2));
    for (const ChartView* chart : m_page->charts())
        QCOMPARE(chart->slot(), std::optional<std::uint32_t>(2));

    // The choice stays when workers come and go.
    control::Snapshot fewer = fourWorkers();
    fewer.workers.erase(fewer.workers.begin());
    m_workers->apply(fewer);
    QCOMPARE(m_page->slot(), std::optional<std::uint32_t>(2));
    m_page->setSlot(std::nullopt);
    QVERIFY(!m_page->charts().front()->slot());
}

void TestLatencyPage::listsEventsOfTheRange() {
    m_events->append({eventAt(1, m_feed->nowNs() - 80 * ChartFeed::second, QStringLiteral("early")),
        eventAt(2, m_feed->nowNs() - 20 * ChartFeed::second, QStringLiteral("late"))});
    m_page->setActive(true);
    auto* list = m_page->findChild<QListView*>(QStringLiteral("events-in-range"));
    QVERIFY(list);
    QCOMPARE(list->model()->rowCount(), 2);
    m_feed->time.setSpan({m_feed->nowNs() - 40 * ChartFeed::second, m_feed->nowNs()});
    QTRY_COMPARE(list->model()->rowCount(), 1);
    QVERIFY(
        list->model()->index(0, models::EventModel::Text).data().toString().contains(QStringLiteral("late")));
}

void TestLatencyPage::opensTheExportDialog() {
    m_page->setActive(true);
    auto* button = m_page->findChild<QPushButton*>(QStringLiteral("latency-export"));
    QVERIFY(button && button->isEnabled());
    QTest::mouseClick(button, Qt::LeftButton);
    auto* dialog = m_window->findChild<ExportDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QCOMPARE(dialog->findChild<QComboBox*>(QStringLiteral("chart"))->count(), 4);
    QCOMPARE(m_opened, QStringLiteral("latency"));
    QTest::keyClick(dialog, Qt::Key_Escape);
    QTRY_VERIFY(!m_window->findChild<ExportDialog*>());
    QVERIFY(m_commands->action(QStringLiteral("latency.export")));
}

void TestLatencyPage::doesNothingWhileInactive() {
    QCoreApplication::processEvents();
    m_feed->run(1);
    QCoreApplication::processEvents();
    for (const ChartView* chart : m_page->charts())
        QCOMPARE(chart->replotCount(), 0ULL);
    m_page->setActive(true);
    for (const ChartView* chart : m_page->charts())
        QTRY_VERIFY(chart->replotCount() > 0);
    QCOMPARE(m_page->charts().front()->target(), QStringLiteral("edge-fra-1"));
}

QTEST_MAIN(TestLatencyPage)
#include "tst_chart_latency_page.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/metrics/metrics_page.h"

#include <QTest>

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace yardmaster;
using namespace yardmaster::metrics;

class TestMetricsPage : public QObject {
    Q_OBJECT

private slots:
    void createThenOpenSeeTheSame();
    void openRefuses_data();
    void openRefuses();
    void sizeIsSealed();
    void countersAndGauges();
    void histogramOfABlock();
    void clusterNames_data();
    void clusterNames();
    void sameClusterSameBlock();
    void lastSlotCollectsTheRest();
    void overlongLengthIsNotRead();
    void readableAfterTheWriterIsKilled();
    void readerAndWriterAtOnce();
    void moveKeepsTheMapping();
    void untouchedSlotsCostNoMemory();
};

namespace {

MetricsPage makePage() {
    auto page = MetricsPage::create(7);
    if (!page)
        qFatal("%s", page.error().toString().c_str());
    return std::move(*page);
}

UniqueFd memfd(std::size_t bytes, int seals) {
    UniqueFd fd(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0
        || (seals != 0 && ::fcntl(fd.get(), F_ADD_SEALS, seals) != 0))
        qFatal("memfd");
    return fd;
}

} // namespace

void TestMetricsPage::createThenOpenSeeTheSame() {
    MetricsPage page = makePage();
    auto other = MetricsPage::open(page.fd());
    QVERIFY(other.has_value());
    QVERIFY(other->fd() != page.fd());
    QVERIFY(&other->layout() != &page.layout());
    QCOMPARE(other->layout().workerId.load(), std::uint64_t{7});
    page.layout().worker.add(Counter::Requests, 3);
    QCOMPARE(other->layout().worker.get(Counter::Requests), std::uint64_t{3});
}

void TestMetricsPage::openRefuses_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("code");
    QTest::newRow("closed descriptor") << "closed" << static_cast<int>(Error::Code::InvalidArgument);
    QTest::newRow("pipe") << "pipe" << static_cast<int>(Error::Code::DataLoss);
    QTest::newRow("too short") << "short" << static_cast<int>(Error::Code::DataLoss);
    QTest::newRow("too long") << "long" << static_cast<int>(Error::Code::DataLoss);
    QTest::newRow("not sealed") << "unsealed" << static_cast<int>(Error::Code::InvalidArgument);
    QTest::newRow("all zero") << "zero" << static_cast<int>(Error::Code::DataLoss);
    QTest::newRow("other magic") << "magic" << static_cast<int>(Error::Code::DataLoss);
    QTest::newRow("other size said") << "size" << static_cast<int>(Error::Code::DataLoss);
}

void TestMetricsPage::openRefuses() {
    QFETCH(QString, kind);
    QFETCH(int, code);
    constexpr std::size_t whole = sizeof(MetricsPageLayout);
    UniqueFd fd;
    MetricsPage page = makePage();
    int number = page.fd();
    if (kind == QLatin1String("closed")) {
        number = -1;
    } else if (kind == QLatin1String("pipe")) {
        int ends[2];
        QCOMPARE(::pipe2(ends, O_CLOEXEC), 0);
        fd.reset(ends[0]);
        ::close(ends[1]);
        number = fd.get();
    } else if (kind == QLatin1String("magic")) {
        page.layout().magic.store(1);
    } else if (kind == QLatin1String("size")) {
        page.layout().sizeBytes.store(whole - 8);
    } else {
        fd = memfd(kind == QLatin1String("short") ? whole - 1
                : kind == QLatin1String("long")   ? whole + 4096
                                                  : whole,
            kind == QLatin1String("unsealed") ? 0 : F_SEAL_SHRINK | F_SEAL_GROW);
        number = fd.get();
    }
    const auto opened = MetricsPage::open(number);
    QVERIFY(!opened.has_value());
    if (kind != QLatin1String("closed")) // there it is the error of the system
        QCOMPARE(static_cast<int>(opened.error().code), code);
    QVERIFY(!opened.error().what.empty());
    QCOMPARE(opened.error().where, std::string("metrics page"));
}

void TestMetricsPage::sizeIsSealed() {
    const MetricsPage page = makePage();
    QVERIFY(::ftruncate(page.fd(), 0) != 0);
    QCOMPARE(errno, EPERM);
    QVERIFY(::ftruncate(page.fd(), sizeof(MetricsPageLayout) + 1) != 0);
    QCOMPARE(errno, EPERM);
}

void TestMetricsPage::countersAndGauges() {
    MetricsPage page = makePage();
    MetricsBlock& block = page.layout().worker;
    for (std::uint32_t i = 0; i < counterCount; ++i)
        block.add(static_cast<Counter>(i), i + 1);
    block.add(Counter::Requests);
    block.set(Gauge::Revision, 12);
    block.adjust(Gauge::Connections, 5);
    block.adjust(Gauge::Connections, -2);
    QCOMPARE(block.get(Counter::Requests), std::uint64_t{2});
    QCOMPARE(block.get(Counter::Tunnels), std::uint64_t{counterCount});
    QCOMPARE(block.get(Gauge::Revision), std::uint64_t{12});
    QCOMPARE(block.get(Gauge::Connections), std::uint64_t{3});
    QCOMPARE(block.get(Gauge::Draining), std::uint64_t{0});
}

void TestMetricsPage::histogramOfABlock() {
    MetricsPage page = makePage();
    Histogram expected;
    for (std::uint64_t value : {1ULL, 300ULL, 300ULL, 77'777ULL, 400'000'000ULL}) {
        page.layout().worker.recordLatency(value);
        expected.record(value);
    }
    Histogram read;
    readHistogram(page.layout().worker, read);
    QVERIFY(read == expected);
}

void TestMetricsPage::clusterNames_data() {
    QTest::addColumn<QByteArray>("given");
    QTest::addColumn<QByteArray>("kept");
    const QByteArray full(maxClusterNameBytes, 'a');
    QTest::newRow("plain") << QByteArray("web") << QByteArray("web");
    QTest::newRow("empty") << QByteArray() << QByteArray("(unnamed)");
    QTest::newRow("just fits") << full << full;
    QTest::newRow("one too long") << full + "b" << full;
    const QByteArray umlaut("\xC3\xA4"), face("\xF0\x9F\x98\x80");
    QTest::newRow("two bytes at the border") << full.first(127) + umlaut << full.first(127);
    QTest::newRow("two bytes that fit") << full.first(126) + umlaut + "x" << full.first(126) + umlaut;
    QTest::newRow("four bytes, three inside") << full.first(125) + face << full.first(125);
    QTest::newRow("four bytes that fit") << full.first(124) + face + face << full.first(124) + face;
}

void TestMetricsPage::clusterNames() {
    QFETCH(QByteArray, given);
    MetricsPage page = makePage();
    page.clusterBlock(given.toStdString()).add(Counter::Requests);
    const std::string_view name = page.layout().clusters[0].clusterName();
    QTEST(QByteArray(name.data(), static_cast<qsizetype>(name.size())), "kept");
    QCOMPARE(page.layout().clusters[0].block.get(Counter::Requests), std::uint64_t{1});
    page.clusterBlock("next").add(Counter::Requests);
    QCOMPARE(page.layout().clusters[1].clusterName(), std::string_view("next"));
}

void TestMetricsPage::sameClusterSameBlock() {
    MetricsPage page = makePage();
    MetricsBlock& web = page.clusterBlock("web");
    MetricsBlock& shop = page.clusterBlock("shop");
    QVERIFY(&web != &shop);
    QVERIFY(&page.clusterBlock("web") == &web);
    const std::string longName(500, 'x');
    QVERIFY(&page.clusterBlock(longName) == &page.clusterBlock(longName));
}

void TestMetricsPage::lastSlotCollectsTheRest() {
    MetricsPage page = makePage();
    for (std::uint32_t i = 0; i < maxClusterSlots + 50; ++i)
        page.clusterBlock("cluster-" + std::to_string(i)).add(Counter::Requests);
    const auto& last = page.layout().clusters[maxClusterSlots - 1];
    QCOMPARE(last.clusterName(), std::string_view("(other)"));
    QCOMPARE(last.block.get(Counter::Requests), std::uint64_t{51});
    QCOMPARE(page.layout().clusters[maxClusterSlots - 2].clusterName(), std::string_view("cluster-254"));
    QCOMPARE(page.layout().clusters[0].block.get(Counter::Requests), std::uint64_t{1});
}

void TestMetricsPage::overlongLengthIsNotRead() {
    MetricsPage page = makePage();
    page.layout().clusters[0].nameBytes.store(1'000'000'000);
    QCOMPARE(page.layout().clusters[0].clusterName().size(), std::size_t{maxClusterNameBytes});
}

void TestMetricsPage::readableAfterTheWriterIsKilled() {
    MetricsPage page = makePage();
    const pid_t child = ::fork();
    QVERIFY(child >= 0);
    if (child == 0) {
        auto own = MetricsPage::open(page.fd());
        if (!own)
            ::_exit(1);
        own->layout().workerPid.store(static_cast<std::uint64_t>(::getpid()));
        MetricsBlock& web = own->clusterBlock("web");
        for (;;) {
            own->layout().worker.add(Counter::Requests);
            own->layout().worker.recordLatency(500);
            web.add(Counter::Requests);
        }
    }
    const MetricsBlock& worker = page.layout().worker;
    QTRY_VERIFY(worker.get(Counter::Requests) > 1000);
    ::kill(child, SIGKILL);
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status));

    const std::uint64_t requests = worker.get(Counter::Requests);
    QCOMPARE(page.layout().workerPid.load(), static_cast<std::uint64_t>(child));
    QCOMPARE(page.layout().clusters[0].clusterName(), std::string_view("web"));
    const std::uint64_t clusterRequests = page.layout().clusters[0].block.get(Counter::Requests);
    QVERIFY(requests - clusterRequests <= 1);
    Histogram latency;
    readHistogram(worker, latency);
    QVERIFY(requests - latency.count() <= 1);
    QCOMPARE(worker.get(Counter::Requests), requests); // nobody moves it any more
}

void TestMetricsPage::readerAndWriterAtOnce() {
    MetricsPage page = makePage();
    auto view = MetricsPage::open(page.fd());
    QVERIFY(view.has_value());
    constexpr std::uint64_t total = 200'000;
    std::atomic<bool> done = false;
    std::thread writer([&] {
        for (std::uint64_t i = 0; i < total; ++i) {
            page.layout().worker.add(Counter::Requests);
            page.layout().worker.recordLatency(i % 5000);
            if (i % 1000 == 0)
                page.clusterBlock("cluster-" + std::to_string(i / 1000)).add(Counter::Requests);
        }
        done = true;
    });
    std::uint64_t lastRequests = 0, lastCount = 0;
    bool ordered = true;
    while (!done) {
        const std::uint64_t requests = view->layout().worker.get(Counter::Requests);
        Histogram latency;
        readHistogram(view->layout().worker, latency);
        ordered = ordered && requests >= lastRequests && latency.count() >= lastCount
            && latency.maxUs() < 5000 && latency.count() <= total;
        for (const ClusterSlot& slot : view->layout().clusters) {
            const std::string_view name = slot.clusterName();
            ordered = ordered && (name.empty() || name.substr(0, 8) == "cluster-");
        }
        lastRequests = requests;
        lastCount = latency.count();
    }
    writer.join();
    QVERIFY(ordered);
    Histogram latency;
    readHistogram(view->layout().worker, latency);
    QCOMPARE(latency.count(), total);
    QCOMPARE(view->layout().worker.get(Counter::Requests), total);
}

void TestMetricsPage::moveKeepsTheMapping() {
    MetricsPage first = makePage();
    MetricsBlock* block = &first.clusterBlock("web");
    MetricsPage second(std::move(first));
    QVERIFY(&second.clusterBlock("web") == block);
    MetricsPage third = makePage();
    third = std::move(second);
    QVERIFY(&third.clusterBlock("web") == block);
    block->add(Counter::Requests);
    QCOMPARE(third.layout().clusters[0].block.get(Counter::Requests), std::uint64_t{1});
}

void TestMetricsPage::untouchedSlotsCostNoMemory() {
    MetricsPage page = makePage();
    page.clusterBlock("web").add(Counter::Requests);
    struct stat info { };
    QCOMPARE(::fstat(page.fd(), &info), 0);
    QVERIFY(info.st_blocks * 512 < 256 * 1024);
    QVERIFY(info.st_size > 5'000'000);
}

QTEST_GUILESS_MAIN(TestMetricsPage)
#include "tst_metrics_page.moc"

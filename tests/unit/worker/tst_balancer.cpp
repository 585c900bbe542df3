// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/worker/cluster.h"

#include <QTest>

#include <map>

using namespace yardmaster;
using namespace yardmaster::worker;

namespace {

constexpr std::int64_t second = 1'000'000'000;

using Backends = std::vector<std::shared_ptr<Backend>>;

Backends make(const std::vector<std::uint32_t>& weights) {
    Backends backends;
    for (std::size_t at = 0; at < weights.size(); ++at) {
        auto backend = std::make_shared<Backend>();
        backend->id = "b" + std::to_string(at);
        backend->address.port = static_cast<std::uint16_t>(9000 + at);
        backend->weight = weights[at];
        backends.push_back(std::move(backend));
    }
    return backends;
}

std::map<Backend*, int> pickMany(Balancer& balancer, const Backends& backends,
    proto::LoadBalancingAlgorithms algorithm, int times, std::int64_t nowNs = second) {
    std::map<Backend*, int> counts;
    for (int round = 0; round < times; ++round)
        ++counts[balancer.pick(
            backends, algorithm, {}, static_cast<std::uint64_t>(round) * 0x9E3779B97F4A7C15ULL, nowNs)];
    return counts;
}

} // namespace

class TestBalancer : public QObject {
    Q_OBJECT
private slots:
    void roundRobinTakesTurnsByWeight() {
        Balancer balancer(1);
        const auto backends = make({1, 2, 3});
        for (int turn = 0; turn < 3; ++turn) {
            auto counts = pickMany(balancer, backends, proto::ROUND_ROBIN, 6);
            QCOMPARE(counts[backends[0].get()], 1);
            QCOMPARE(counts[backends[1].get()], 2);
            QCOMPARE(counts[backends[2].get()], 3);
        }
        // Smooth: the heavy one does not get its turns in a row.
        const auto even = make({1, 1});
        Backend* first = balancer.pick(even, proto::ROUND_ROBIN, {}, 0, second);
        QVERIFY(balancer.pick(even, proto::ROUND_ROBIN, {}, 0, second) != first);
    }

    void spreadsByWeight_data() {
        QTest::addColumn<int>("algorithm");
        QTest::newRow("random") << static_cast<int>(proto::RANDOM);
        QTest::newRow("round robin") << static_cast<int>(proto::ROUND_ROBIN);
    }
    void spreadsByWeight() {
        QFETCH(int, algorithm);
        Balancer balancer(2);
        const auto backends = make({100, 300});
        auto counts =
            pickMany(balancer, backends, static_cast<proto::LoadBalancingAlgorithms>(algorithm), 40'000);
        QVERIFY(std::abs(counts[backends[0].get()] - 10'000) < 600);
    }

    void prefersTheLessLoaded_data() {
        QTest::addColumn<int>("algorithm");
        QTest::newRow("least loaded") << static_cast<int>(proto::LEAST_LOADED);
        QTest::newRow("power of two") << static_cast<int>(proto::POWER_OF_TWO);
    }
    void prefersTheLessLoaded() {
        QFETCH(int, algorithm);
        Balancer balancer(3);
        const auto backends = make({100, 100});
        backends[0]->activeRequests = 5;
        auto counts =
            pickMany(balancer, backends, static_cast<proto::LoadBalancingAlgorithms>(algorithm), 1'000);
        QCOMPARE(counts[backends[1].get()], 1'000); // of two, both are looked at
        // Six requests are less than five for one with twice the weight.
        backends[1]->activeRequests = 6;
        backends[1]->weight = 200;
        counts = pickMany(balancer, backends, proto::LEAST_LOADED, 100);
        QCOMPARE(counts[backends[1].get()], 100);
    }

    void equalsGetEquallyMuch() {
        Balancer balancer(4);
        const auto backends = make({100, 100, 100});
        auto counts = pickMany(balancer, backends, proto::LEAST_LOADED, 3'000);
        for (const auto& backend : backends)
            QVERIFY(std::abs(counts[backend.get()] - 1'000) < 200);
    }

    void clientsStayWithTheirBackend() {
        Balancer balancer(5);
        auto backends = make({100, 100, 100});
        std::map<std::uint64_t, Backend*> home;
        std::map<Backend*, int> counts;
        for (std::uint64_t client = 1; client <= 300; ++client) {
            const std::uint64_t hash = client * 0x9E3779B97F4A7C15ULL;
            home[hash] = balancer.pick(backends, proto::HRW, {}, hash, second);
            QCOMPARE(balancer.pick(backends, proto::HRW, {}, hash, second), home[hash]);
            ++counts[home[hash]];
        }
        for (const auto& backend : backends)
            QVERIFY(counts[backend.get()] > 50);
        const auto removed = backends[1];
        backends.erase(backends.begin() + 1);
        for (const auto& [hash, backend] : home)
            if (backend != removed.get())
                QCOMPARE(balancer.pick(backends, proto::HRW, {}, hash, second), backend);
    }

    void passesOverThoseThatAreDown() {
        Balancer balancer(6);
        const auto backends = make({100, 100});
        std::int64_t nowNs = second;
        noteConnectFailure(*backends[0], nowNs);
        noteConnectFailure(*backends[0], nowNs);
        QCOMPARE(
            pickMany(balancer, backends, proto::ROUND_ROBIN, 100, nowNs)[backends[0].get()], 50); // not yet
        noteConnectFailure(*backends[0], nowNs);
        QCOMPARE(pickMany(balancer, backends, proto::ROUND_ROBIN, 100, nowNs)[backends[0].get()], 0);
        nowNs += second; // after the first back-off of half a second
        QVERIFY(pickMany(balancer, backends, proto::ROUND_ROBIN, 100, nowNs)[backends[0].get()] > 0);
        noteConnectFailure(*backends[0], nowNs); // and longer each time
        QCOMPARE(
            pickMany(balancer, backends, proto::ROUND_ROBIN, 100, nowNs + second / 2 + 1)[backends[0].get()],
            0);
        noteConnectSuccess(*backends[0]);
        QVERIFY(pickMany(balancer, backends, proto::ROUND_ROBIN, 100, nowNs)[backends[0].get()] > 0);
        // When nobody else is left, one that is down is better than nobody.
        for (int failures = 0; failures < 20; ++failures)
            for (const auto& backend : backends)
                noteConnectFailure(*backend, nowNs);
        QVERIFY(balancer.pick(backends, proto::ROUND_ROBIN, {}, 0, nowNs));
        QVERIFY(backends[0]->downUntilNs <= nowNs + 30 * second);
    }

    void backupsServeOnlyWhenTheOthersCannot() {
        Balancer balancer(7);
        const auto backends = make({100, 100});
        backends[1]->isBackup = true;
        QCOMPARE(pickMany(balancer, backends, proto::ROUND_ROBIN, 10)[backends[1].get()], 0);
        for (int failures = 0; failures < 3; ++failures)
            noteConnectFailure(*backends[0], second);
        QCOMPARE(pickMany(balancer, backends, proto::ROUND_ROBIN, 10)[backends[1].get()], 10);
    }

    void excludesThoseTried() {
        Balancer balancer(8);
        const auto backends = make({100, 100});
        Backend* const tried[]{backends[0].get()};
        for (int round = 0; round < 10; ++round)
            QCOMPARE(balancer.pick(backends, proto::ROUND_ROBIN, tried, 0, second), backends[1].get());
        Backend* const all[]{backends[0].get(), backends[1].get()};
        QCOMPARE(balancer.pick(backends, proto::ROUND_ROBIN, all, 0, second), nullptr);
        QCOMPARE(balancer.pick({}, proto::ROUND_ROBIN, {}, 0, second), nullptr);
    }
};

QTEST_APPLESS_MAIN(TestBalancer)
#include "tst_balancer.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
//
// Random sequences of requests. A failure names its seed; to run it alone:
//     YARDMASTER_SEED=17 tst_state_properties
#include "backend/protocol/canonical.h"
#include "backend/protocol/initial_state.h"
#include "backend/protocol/request_names.h"
#include "backend/state/config_state.h"
#include "certificates.h"
#include "request_generator.h"
#include "state_model.h"

#include <QtTest>

using namespace yardmaster;
using state::ConfigState;
using test::RequestGenerator;
using test::StateModel;

namespace {

constexpr quint64 seeds = 300;
constexpr int requestsPerState = 150;

/// The state as the model sees it: built from its replay, which has only additions and activations.
std::map<std::string, std::string> objectsOf(const ConfigState& state) {
    StateModel model;
    state.forEachRequest([&](const proto::Request& request) { model.apply(request); });
    return model.objects();
}

} // namespace

class TestStateProperties : public QObject {
    Q_OBJECT

private:
    RequestGenerator::Certificates m_certificates;

    ConfigState randomState(quint64 seed) {
        RequestGenerator generator(seed, m_certificates);
        ConfigState state;
        for (auto count = generator.number(requestsPerState); count > 0; --count)
            (void)state.apply(generator.next());
        return state;
    }

    static void everySeed() {
        QTest::addColumn<quint64>("seed");
        bool given = false;
        const quint64 only = qEnvironmentVariable("YARDMASTER_SEED").toULongLong(&given);
        for (quint64 seed = given ? only : 1; seed <= (given ? only : seeds); ++seed)
            QTest::addRow("seed %llu", static_cast<unsigned long long>(seed)) << seed;
    }

private slots:
    void initTestCase() {
        for (int i = 0; i < 4; ++i) {
            auto pair = test::makeCertificate("generated.example");
            auto fingerprint = test::fingerprintOf(pair);
            m_certificates.emplace_back(std::move(pair), std::move(fingerprint));
        }
    }

    void theModelAgrees_data() { everySeed(); }
    void theModelAgrees() {
        QFETCH(quint64, seed);
        RequestGenerator generator(seed, m_certificates);
        ConfigState state;
        StateModel model;
        int applied = 0;
        for (int i = 0; i < requestsPerState; ++i) {
            const auto request = generator.next();
            const std::string description =
                "request " + std::to_string(i) + ": " + protocol::describeRequest(request);
            const ConfigState before = state;
            const auto result = state.apply(request);
            if (!result) {
                QVERIFY2(state == before, description.c_str());
                QVERIFY2(!result.error().what.empty() && !result.error().where.empty(), description.c_str());
                if (result.error().code == Error::Code::InvalidArgument)
                    continue; // what is a valid field the model does not know
            }
            const auto expected = model.apply(request);
            QVERIFY2(result.has_value() == !expected.has_value(), description.c_str());
            if (expected)
                QVERIFY2(result.error().code == *expected, description.c_str());
            else
                ++applied;
        }
        QVERIFY(applied > requestsPerState / 10);
        QVERIFY(objectsOf(state) == model.objects());
    }

    void replayGivesTheSameState_data() { everySeed(); }
    void replayGivesTheSameState() {
        QFETCH(quint64, seed);
        const ConfigState state = randomState(seed);
        const auto file = protocol::writeInitialState(
            [&](const protocol::RequestSink& sink) { state.forEachRequest(sink); });
        QVERIFY(file);
        ConfigState replayed;
        const auto count =
            protocol::forEachInitialRequest(file->fd.get(), [&](const proto::WorkerRequest& record) {
                return replayed.apply(record.content(), ConfigState::Checks::Trusted);
            });
        QVERIFY2(count, count ? "" : count.error().toString().c_str());
        QCOMPARE(*count, std::uint64_t{state.requests().size()});
        QVERIFY(replayed == state);
        QCOMPARE(replayed.hash(), state.hash());
        QCOMPARE(replayed.clusterHashes(), state.clusterHashes());
        QCOMPARE(replayed.objectCount(), state.objectCount());
        QVERIFY(state.diff(replayed).empty());
    }

    void aDifferenceLeadsToItsTarget_data() { everySeed(); }
    void aDifferenceLeadsToItsTarget() {
        QFETCH(quint64, seed);
        // Two states with nothing in common, and one grown out of the other.
        using Direction = std::pair<const ConfigState*, const ConfigState*>;
        const ConfigState a = randomState(seed);
        const ConfigState b = randomState(seed + 1'000'000);
        ConfigState c = a;
        RequestGenerator generator(seed + 2'000'000, m_certificates);
        for (int i = 0; i < 20; ++i)
            (void)c.apply(generator.next());
        for (const auto& [from, to] :
            {Direction(&a, &b), Direction(&b, &a), Direction(&a, &c), Direction(&c, &a)}) {
            ConfigState state = *from;
            const auto difference = from->diff(*to);
            for (const auto& request : difference) {
                const auto applied = state.apply(request);
                QVERIFY2(applied,
                    applied
                        ? ""
                        : (protocol::describeRequest(request) + ": " + applied.error().toString()).c_str());
            }
            QVERIFY(state == *to);
            QCOMPARE(state.hash(), to->hash());
            QCOMPARE(difference.empty(), *from == *to);
        }
    }

    // Equality, hash and replay say the same about two states.
    void equalityAndHashAgree() {
        std::map<std::uint64_t, ConfigState> byHash;
        for (quint64 seed = 1; seed <= 100; ++seed) {
            const ConfigState state = randomState(seed);
            const auto [at, inserted] = byHash.emplace(state.hash(), state);
            if (!inserted)
                QVERIFY(at->second == state);
        }
        QVERIFY(byHash.size() > 90);
    }
};

QTEST_GUILESS_MAIN(TestStateProperties)
#include "tst_state_properties.moc"

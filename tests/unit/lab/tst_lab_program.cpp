// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

/// The executable itself: options, exit statuses, files, signals.
/// Never to process 0, which is our own group and the test runner's: that is what a process that ended
/// already reports.
static void sendSignal(const QProcess* process, int number) {
    if (process->processId() > 0)
        ::kill(static_cast<pid_t>(process->processId()), number);
}

class TestLabProgram : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void loadAgainstUpstream();
    void upstreamPrintsItsAddresses();
    void lossSetsTheStatusWhenAsked_data();
    void lossSetsTheStatusWhenAsked();
    void runsUntilSignalled_data();
    void runsUntilSignalled();
    void secondSignalDoesNotWait();
    void liveFileIsRewritten();
    void usageErrors_data();
    void usageErrors();

private:
    static constexpr int patienceMs = 20'000;

    QProcess* start(const QStringList& arguments);
    int finish(QProcess* process);
    QStringList startUpstream(const QStringList& arguments = {});
    QString file(const char* name) const { return m_directory->filePath(QString::fromLatin1(name)); }
    static QJsonObject read(const QString& path);

    std::unique_ptr<QTemporaryDir> m_directory;
    std::vector<std::unique_ptr<QProcess>> m_processes;
};

void TestLabProgram::init() {
    m_directory = std::make_unique<QTemporaryDir>();
    QVERIFY(m_directory->isValid());
}

void TestLabProgram::cleanup() {
    for (const auto& process : m_processes) {
        process->kill();
        process->waitForFinished(patienceMs);
    }
    m_processes.clear();
}

QProcess* TestLabProgram::start(const QStringList& arguments) {
    auto process = std::make_unique<QProcess>();
    process->setProgram(qEnvironmentVariable("YARDMASTER_BIN") + QStringLiteral("/yardmaster-lab"));
    process->setArguments(arguments);
    process->start();
    if (!process->waitForStarted(patienceMs))
        qFatal("%s did not start", qPrintable(process->program()));
    m_processes.push_back(std::move(process));
    return m_processes.back().get();
}

int TestLabProgram::finish(QProcess* process) {
    if (!process->waitForFinished(patienceMs) || process->exitStatus() != QProcess::NormalExit)
        return -1;
    return process->exitCode();
}

QStringList TestLabProgram::startUpstream(const QStringList& arguments) {
    const QString ports = file("ports");
    start(QStringList{QStringLiteral("upstream"), QStringLiteral("--port-file"), ports} + arguments);
    // Written by renaming: once it is there it is whole.
    if (!QTest::qWaitFor([&ports] { return QFile::exists(ports); }, patienceMs))
        return {};
    QFile list(ports);
    return list.open(QIODevice::ReadOnly) ? QString::fromUtf8(list.readAll()).split(u'\n', Qt::SkipEmptyParts)
                                          : QStringList();
}

QJsonObject TestLabProgram::read(const QString& path) {
    QFile json(path);
    return json.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(json.readAll()).object() : QJsonObject();
}

void TestLabProgram::loadAgainstUpstream() {
    const QStringList addresses = startUpstream({QStringLiteral("--backends"), QStringLiteral("3"),
        QStringLiteral("--latency-ms"), QStringLiteral("0,1+1,2")});
    QCOMPARE(addresses.size(), 3);
    for (const char* mode : {"--keep-alive", "--one-per-request"}) {
        QProcess* load = start({QStringLiteral("load"), QStringLiteral("--target"), addresses[1],
            QStringLiteral("--requests"), QStringLiteral("100"), QStringLiteral("--method"),
            QStringLiteral("mix"), QString::fromLatin1(mode), QStringLiteral("--report"), file("load.json"),
            QStringLiteral("--fail-on-loss")});
        QCOMPARE(finish(load), 0);
        const QJsonObject report = read(file("load.json"));
        QCOMPARE(report[u"sent"].toInt(), 100);
        QCOMPARE(report[u"answered"].toInt(), 100);
        QCOMPARE(report[u"lost"].toInt(-1), 0);
    }
}

void TestLabProgram::upstreamPrintsItsAddresses() {
    QProcess* upstream = start(
        {QStringLiteral("upstream"), QStringLiteral("--listen"), QStringLiteral("127.0.0.1:0,[::1]:0")});
    QTRY_VERIFY_WITH_TIMEOUT(upstream->waitForReadyRead(10) || upstream->bytesAvailable() > 0, patienceMs);
    const QByteArray first = upstream->readLine();
    QVERIFY(first.startsWith("127.0.0.1:"));
    sendSignal(upstream, SIGTERM);
    QCOMPARE(finish(upstream), 0);
    const QByteArray printed = first + upstream->readAll();
    QVERIFY(printed.contains("\n[::1]:"));
}

void TestLabProgram::lossSetsTheStatusWhenAsked_data() {
    QTest::addColumn<bool>("failOnLoss");
    QTest::addColumn<int>("status");
    QTest::newRow("asked") << true << 3;
    QTest::newRow("not asked") << false << 0;
}

void TestLabProgram::lossSetsTheStatusWhenAsked() {
    QFETCH(bool, failOnLoss);
    const QStringList addresses = startUpstream();
    QCOMPARE(addresses.size(), 1);
    QStringList arguments{QStringLiteral("load"), QStringLiteral("--target"), addresses[0],
        QStringLiteral("--requests"), QStringLiteral("4"), QStringLiteral("--paths"),
        QStringLiteral("/,/status?code=503")};
    if (failOnLoss)
        arguments << QStringLiteral("--fail-on-loss");
    QProcess* load = start(arguments);
    QTEST(finish(load), "status");
    const QJsonObject report = QJsonDocument::fromJson(load->readAllStandardOutput()).object();
    QCOMPARE(report[u"lost_by_kind"][u"bad_status"].toInt(), 2);
    QCOMPARE(report[u"answered"].toInt(), 2);
}

void TestLabProgram::runsUntilSignalled_data() {
    QTest::addColumn<int>("number");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
}

void TestLabProgram::runsUntilSignalled() {
    QFETCH(int, number);
    const QStringList addresses = startUpstream();
    QCOMPARE(addresses.size(), 1);
    QProcess* load = start({QStringLiteral("load"), QStringLiteral("--target"), addresses[0],
        QStringLiteral("--rate"), QStringLiteral("200"), QStringLiteral("--live-file"), file("live.json"),
        QStringLiteral("--report"), file("load.json")});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file("live.json")), patienceMs);
    sendSignal(load, number);
    QCOMPARE(finish(load), 0);
    const QJsonObject report = read(file("load.json"));
    QVERIFY(report[u"answered"].toInt() > 0);
    QCOMPARE(report[u"answered"].toInt(), report[u"sent"].toInt());
}

void TestLabProgram::secondSignalDoesNotWait() {
    QTcpServer silent; // takes connections and says nothing
    QVERIFY(silent.listen(QHostAddress(QHostAddress::LocalHost), 0));
    QProcess* load = start({QStringLiteral("load"), QStringLiteral("--target"),
        QStringLiteral("127.0.0.1:%1").arg(silent.serverPort()), QStringLiteral("--connections"),
        QStringLiteral("2"), QStringLiteral("--timeout-ms"), QStringLiteral("600000"),
        QStringLiteral("--report"), file("load.json")});
    QList<QTcpSocket*> taken;
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
            while (silent.hasPendingConnections())
                taken << silent.nextPendingConnection();
            return taken.size() == 2 && taken[0]->bytesAvailable() > 0 && taken[1]->bytesAvailable() > 0;
        }(),
        patienceMs);
    // Signals of a kind that are pending at once count as one: two kinds.
    sendSignal(load, SIGINT);
    sendSignal(load, SIGTERM);
    QCOMPARE(finish(load), 0);
    const QJsonObject report = read(file("load.json"));
    QCOMPARE(report[u"lost_by_kind"][u"abandoned"].toInt(), 2);
    QCOMPARE(report[u"sent"].toInt(), 2);
}

void TestLabProgram::liveFileIsRewritten() {
    const QStringList addresses = startUpstream();
    QCOMPARE(addresses.size(), 1);
    start({QStringLiteral("load"), QStringLiteral("--target"), addresses[0], QStringLiteral("--rate"),
        QStringLiteral("100"), QStringLiteral("--live-file"), file("live.json")});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(file("live.json")), patienceMs);
    const QJsonObject first = read(file("live.json"));
    QVERIFY(first[u"answered"].toInt() > 0);
    QJsonObject second;
    QTRY_VERIFY_WITH_TIMEOUT(
        (second = read(file("live.json")))[u"answered"].toInt() > first[u"answered"].toInt(), patienceMs);
    QVERIFY(second[u"monotonic_ns"].toInteger() > first[u"monotonic_ns"].toInteger());
    QCOMPARE(
        second[u"answered"].toInt() - first[u"answered"].toInt(), second[u"window"][u"answered"].toInt());
}

void TestLabProgram::usageErrors_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("said");
    QTest::newRow("nothing") << ""
                             << "subcommand";
    QTest::newRow("no target") << "load"
                               << "--target";
    QTest::newRow("target without port") << "load --target 127.0.0.1"
                                         << "port";
    QTest::newRow("target with port 0") << "load --target 127.0.0.1:0"
                                        << "port";
    QTest::newRow("method") << "load --target 127.0.0.1:9 --method PUT"
                            << "--method";
    QTest::newRow("duration") << "load --target 127.0.0.1:9 --duration 5d"
                              << "duration";
    QTest::newRow("no connections") << "load --target 127.0.0.1:9 --connections 0"
                                    << "--connections";
    QTest::newRow("both modes") << "load --target 127.0.0.1:9 --keep-alive --one-per-request"
                                << "--one-per-request";
    QTest::newRow("latency") << "upstream --latency-ms 1,x"
                             << "latency";
    QTest::newRow("listen") << "upstream --listen nowhere"
                            << "nowhere";
    QTest::newRow("addresses and servers") << "upstream --listen 127.0.0.1:0,127.0.0.1:0 --backends 3"
                                           << "2 addresses";
    QTest::newRow("port file") << "upstream --port-file /proc/none/ports"
                               << "/proc/none";
}

void TestLabProgram::usageErrors() {
    QFETCH(QString, arguments);
    QFETCH(QString, said);
    QProcess* process = start(arguments.split(u' ', Qt::SkipEmptyParts));
    QVERIFY(finish(process) > 0);
    const QByteArray text = process->readAllStandardError() + process->readAllStandardOutput();
    QVERIFY2(text.contains(said.toUtf8()), text.constData());
}

QTEST_GUILESS_MAIN(TestLabProgram)
#include "tst_lab_program.moc"

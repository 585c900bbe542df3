// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/demo/demo_stack.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTextStream>
#include <QThread>

#include <csignal>
#include <sys/prctl.h>

namespace yardmaster::demo {

namespace {

constexpr int startDeadlineMs = 15'000;
constexpr int stopDeadlineMs = 10'000;

// An agent's listeners are named by their address, so the port must be known before it starts.
quint16 pickFreePort() {
    QTcpServer probe;
    probe.listen(QHostAddress::LocalHost, 0);
    return probe.serverPort();
}

std::vector<quint16> readPorts(const QString& path) {
    std::vector<quint16> ports;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return ports;
    for (const QByteArray& word : file.readAll().simplified().split(' ')) {
        const quint16 port = word.mid(word.lastIndexOf(':') + 1).toUShort();
        if (port != 0)
            ports.push_back(port);
    }
    return ports;
}

bool answers(quint16 port) {
    QTcpSocket socket;
    socket.connectToHost(QHostAddress::LocalHost, port);
    if (!socket.waitForConnected(200))
        return false;
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    return socket.waitForReadyRead(1000) && socket.readAll().startsWith("HTTP/1.1 200");
}

LoadReport parseLoadReport(const QJsonObject& json) {
    LoadReport report;
    report.sent = json[QLatin1String("sent")].toInteger();
    report.answered = json[QLatin1String("answered")].toInteger();
    report.lost = json[QLatin1String("lost")].toInteger();
    QStringList kinds;
    const QJsonObject byKind = json[QLatin1String("lost_by_kind")].toObject();
    for (auto kind = byKind.begin(); kind != byKind.end(); ++kind) {
        if (kind.value().toInteger() > 0)
            kinds << QStringLiteral("%1 %2").arg(kind.key()).arg(kind.value().toInteger());
    }
    report.lostByKind = kinds.join(QStringLiteral(", "));
    const QJsonObject latency = json[QLatin1String("latency_us")].toObject();
    report.p50Ms = latency[QLatin1String("p50")].toDouble() / 1000;
    report.p99Ms = latency[QLatin1String("p99")].toDouble() / 1000;
    report.p999Ms = latency[QLatin1String("p99.9")].toDouble() / 1000;
    report.maxMs = latency[QLatin1String("max")].toDouble() / 1000;
    return report;
}

QString tail(const QByteArray& text) {
    return QString::fromUtf8(text.right(600)).trimmed();
}

} // namespace

DemoStack::DemoStack(DemoOptions options)
    : m_options(std::move(options))
    , m_directory(QDir::tempPath() + QStringLiteral("/yardmaster-demo-XXXXXX")) { }

DemoStack::~DemoStack() {
    stop();
}

QString DemoStack::socketPath() const {
    return m_directory.filePath(QStringLiteral("yardmaster.sock"));
}

Expected<void> DemoStack::launch(
    const QString& program, const QStringList& arguments, std::unique_ptr<QProcess>& into) {
    const QString path = m_options.binaryDirectory + QLatin1Char('/') + program;
    if (!QFileInfo(path).isExecutable())
        return failure(
            Error::Code::NotFound, "no executable", path.toStdString(), "build it first: ./dev build");
    into = std::make_unique<QProcess>();
    into->setProgram(path);
    into->setArguments(arguments);
    into->setWorkingDirectory(m_directory.path());
    into->setProcessChannelMode(QProcess::MergedChannels);
    into->setChildProcessModifier([] {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        // A Ctrl-C in the terminal is ours to act on, in order; the children hear of it from stop().
        ::setpgid(0, 0);
    });
    into->start();
    if (!into->waitForStarted(startDeadlineMs))
        return failure(Error::Code::Unavailable, "did not start: " + into->errorString().toStdString(),
            path.toStdString());
    return {};
}

Expected<void> DemoStack::waitFor(
    const std::function<bool()>& condition, int timeoutMs, const QString& what) {
    QElapsedTimer clock;
    clock.start();
    while (!condition()) {
        for (const auto* process : {&m_upstream, &m_agent, &m_load}) {
            if (*process && !(*process)->waitForFinished(0) && (*process)->state() != QProcess::NotRunning)
                continue;
            if (*process)
                return failure(Error::Code::Unavailable,
                    "ended while waiting for " + what.toStdString() + ": "
                        + tail((*process)->readAll()).toStdString(),
                    (*process)->program().toStdString());
        }
        if (clock.hasExpired(timeoutMs))
            return failure(Error::Code::DeadlineExceeded,
                "waited " + std::to_string(timeoutMs) + " ms for " + what.toStdString());
        QThread::msleep(10);
    }
    return {};
}

Expected<void> DemoStack::writeAgentConfig(const std::vector<quint16>& upstreamPorts) {
    QString text;
    QTextStream out(&text);
    out << "name = \"demo\"\n"
        << "command_socket = \"" << socketPath() << "\"\n"
        << "runtime_directory = \"" << m_directory.path() << "/run\"\n"
        << "worker_binary = \"" << m_options.binaryDirectory << "/yardmaster-worker\"\n"
        << "worker_count = " << m_options.workers << "\n"
        << "worker_automatic_restart = true\n"
        << "drain_quiet_ms = 1000\n"
        << "activate_listeners = true\n"
        << "[[listeners]]\nprotocol = \"http\"\naddress = \"127.0.0.1:" << m_port << "\"\n"
        << "[clusters.shop]\nprotocol = \"http\"\nload_balancing = \"ROUND_ROBIN\"\n"
        << "frontends = [ { address = \"127.0.0.1:" << m_port << "\", hostname = \"localhost\" } ]\n"
        << "backends = [\n";
    for (std::size_t index = 0; index < upstreamPorts.size(); ++index)
        out << "  { address = \"127.0.0.1:" << upstreamPorts[index] << "\", backend_id = \"shop-" << index
            << "\" },\n";
    out << "]\n";
    out.flush();

    QFile file(m_directory.filePath(QStringLiteral("yardmasterd.toml")));
    if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0)
        return failure(
            Error::Code::Internal, file.errorString().toStdString(), file.fileName().toStdString());
    return {};
}

Expected<void> DemoStack::start() {
    if (!m_directory.isValid())
        return failure(Error::Code::Internal, m_directory.errorString().toStdString(), "temporary directory");
    m_port = pickFreePort();

    const QString portFile = m_directory.filePath(QStringLiteral("upstream.ports"));
    if (auto started = launch(QStringLiteral("yardmaster-lab"),
            {QStringLiteral("upstream"), QStringLiteral("--listen"), QStringLiteral("127.0.0.1:0"),
                QStringLiteral("--backends"), QStringLiteral("3"), QStringLiteral("--latency-ms"),
                QStringLiteral("1,3,8"), QStringLiteral("--port-file"), portFile},
            m_upstream);
        !started)
        return started;
    std::vector<quint16> ports;
    if (auto ready = waitFor([&] { return (ports = readPorts(portFile)).size() == 3; }, startDeadlineMs,
            QStringLiteral("the upstreams' ports"));
        !ready)
        return ready;

    if (auto written = writeAgentConfig(ports); !written)
        return written;
    if (auto started = launch(QStringLiteral("yardmasterd"),
            {QStringLiteral("--config"), m_directory.filePath(QStringLiteral("yardmasterd.toml"))}, m_agent);
        !started)
        return started;
    if (auto ready = waitFor([&] { return answers(m_port); }, startDeadlineMs,
            QStringLiteral("the first answer through the workers"));
        !ready)
        return ready;

    return launch(QStringLiteral("yardmaster-lab"),
        {QStringLiteral("load"), QStringLiteral("--target"), QStringLiteral("127.0.0.1:%1").arg(m_port),
            QStringLiteral("--host"), QStringLiteral("localhost"), QStringLiteral("--connections"),
            QString::number(m_options.connections), QStringLiteral("--rate"),
            QString::number(m_options.requestsPerSecond), QStringLiteral("--method"), QStringLiteral("mix"),
            QStringLiteral("--body-bytes"), QStringLiteral("512"), QStringLiteral("--report"),
            m_directory.filePath(QStringLiteral("load.json"))},
        m_load);
}

Expected<LoadReport> DemoStack::stopLoad() {
    if (!m_load)
        return failure(Error::Code::Unavailable, "the load is not running");
    // An ended process has the id 0, and a signal to 0 would be one to ourselves.
    if (m_load->processId() > 0)
        ::kill(static_cast<pid_t>(m_load->processId()), SIGINT);
    if (!m_load->waitForFinished(stopDeadlineMs))
        return failure(Error::Code::DeadlineExceeded, "the load generator did not end");
    m_load.reset();

    QFile file(m_directory.filePath(QStringLiteral("load.json")));
    if (!file.open(QIODevice::ReadOnly))
        return failure(
            Error::Code::NotFound, file.errorString().toStdString(), file.fileName().toStdString());
    const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
    return parseLoadReport(json);
}

void DemoStack::stop() {
    for (auto* process : {&m_load, &m_agent, &m_upstream}) {
        if (!*process)
            continue;
        (*process)->terminate();
        if (!(*process)->waitForFinished(stopDeadlineMs)) {
            (*process)->kill();
            (*process)->waitForFinished(stopDeadlineMs);
        }
        process->reset();
    }
}

} // namespace yardmaster::demo

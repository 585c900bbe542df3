// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent_harness.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTcpServer>
#include <QThread>

#include <csignal>
#include <fstream>

namespace yardmaster::tests {

namespace {
constexpr const char* markVariable = "YARDMASTER_TEST_DIRECTORY";
}

AgentHarness::AgentHarness(Workers workers, int workerCount)
    : m_workers(workers)
    , m_workerCount(workerCount)
    , m_port(freePort()) {
    plan("ok");
}

AgentHarness::~AgentHarness() {
    if (m_process) {
        m_process->kill();
        m_process->waitForFinished();
    }
    for (const pid_t pid : livingWorkers())
        ::kill(pid, SIGKILL);
    waitFor([this] { return livingWorkers().empty(); }, 5'000);
}

QString AgentHarness::program(const char* name) {
    return qEnvironmentVariable("YARDMASTER_BIN") + QLatin1Char('/') + QString::fromLatin1(name);
}

bool AgentHarness::isAlive(pid_t pid) {
    return pid > 0 && ::kill(pid, 0) == 0;
}

std::uint16_t AgentHarness::freePort() {
    QTcpServer probe;
    probe.listen(QHostAddress(QHostAddress::LocalHost), 0);
    return probe.serverPort();
}

bool AgentHarness::waitFor(const std::function<bool()>& condition, int timeoutMs) {
    QElapsedTimer clock;
    clock.start();
    while (!condition()) {
        if (clock.hasExpired(timeoutMs))
            return false;
        QThread::msleep(10);
    }
    return true;
}

void AgentHarness::plan(const std::string& words) {
    // Renamed into place: a fake that starts now reads the old or the new one, never half of it.
    const std::string path = directory() + "/plan";
    {
        std::ofstream file(path + ".new");
        file << words << "\n";
    }
    std::rename((path + ".new").c_str(), path.c_str());
}

void AgentHarness::writeConfig() {
    std::ofstream file(configFile());
    const std::string address = "127.0.0.1:" + std::to_string(m_port);
    for (const std::string& line : m_settings)
        file << line << "\n";
    file << "name = \"test\"\n"
         << "command_socket = \"" << socketPath() << "\"\n"
         << "runtime_directory = \"" << runtimeDirectory() << "\"\n"
         << "worker_count = " << m_workerCount << "\n"
         << "worker_binary = \""
         << program(m_workers == Workers::Fake ? "fake_worker" : "yardmaster-worker").toStdString() << "\"\n"
         << "[[listeners]]\nprotocol = \"http\"\naddress = \"" << address << "\"\n"
         << "[clusters.web]\nprotocol = \"http\"\n"
         << "frontends = [ { address = \"" << address << "\", hostname = \"localhost\" } ]\n"
         << "backends = [ { address = \"127.0.0.1:" << m_backendPort << "\", backend_id = \"web-0\" } ]\n";
}

bool AgentHarness::start(int serving) {
    if (!QFile::exists(QString::fromStdString(configFile())))
        writeConfig();
    m_process = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("YARDMASTER_FAKE_PLAN"), m_directory.filePath(QStringLiteral("plan")));
    environment.insert(QString::fromLatin1(markVariable), m_directory.path());
    m_process->setProcessEnvironment(environment);
    // To a file: the workers inherit it, and a pipe of ours would end with us.
    m_process->setProcessChannelMode(QProcess::MergedChannels);
    m_process->setStandardOutputFile(m_directory.filePath(QStringLiteral("log")), QIODevice::Append);
    m_process->start(
        program("yardmasterd"), {QStringLiteral("--config"), QString::fromStdString(configFile())});
    if (!m_process->waitForStarted())
        return false;
    const auto wanted = static_cast<std::size_t>(serving < 0 ? m_workerCount : serving);
    return waitFor([&] {
        m_process->waitForFinished(0);
        return !agentIsRunning() || (client() && this->serving().size() >= wanted);
    }) && agentIsRunning();
}

void AgentHarness::signalAgent(int signal) {
    ::kill(static_cast<pid_t>(agentPid()), signal);
}

void AgentHarness::killAgent() {
    m_process->kill();
    m_process->waitForFinished();
}

bool AgentHarness::waitForEnd(int timeoutMs) {
    return m_process->state() == QProcess::NotRunning || m_process->waitForFinished(timeoutMs);
}

Expected<agent::BlockingClient> AgentHarness::client(int timeoutMs) const {
    return agent::BlockingClient::connect(socketPath(), timeoutMs);
}

proto::Response AgentHarness::call(
    const proto::Request& request, const std::function<bool(const proto::Response&)>& progress) const {
    proto::Response broken;
    broken.set_status(proto::FAILURE);
    auto connected = client();
    if (!connected) {
        broken.set_message("harness: " + connected.error().toString());
        return broken;
    }
    auto response = connected->call(request, progress);
    if (!response) {
        broken.set_message("harness: " + response.error().toString());
        return broken;
    }
    return *response;
}

std::vector<proto::WorkerInfo> AgentHarness::workers() const {
    proto::Request request;
    request.mutable_list_workers();
    const proto::Response response = call(request);
    const auto& infos = response.content().workers().vec();
    return {infos.begin(), infos.end()};
}

std::vector<proto::WorkerInfo> AgentHarness::serving() const {
    std::vector<proto::WorkerInfo> infos = workers();
    std::erase_if(
        infos, [](const proto::WorkerInfo& info) { return info.detail().phase() != proto::PHASE_SERVING; });
    return infos;
}

std::optional<proto::WorkerInfo> AgentHarness::worker(std::uint32_t id) const {
    for (const proto::WorkerInfo& info : workers()) {
        if (info.id() == id)
            return info;
    }
    return std::nullopt;
}

std::vector<proto::AgentEvent> AgentHarness::events() const {
    auto connected = client();
    proto::Request request;
    request.mutable_subscribe_samples()->set_history_events(1000);
    if (!connected || !connected->send(request))
        return {};
    const auto response = connected->receive();
    if (!response)
        return {};
    const auto& events = response->content().sample().events();
    return {events.begin(), events.end()};
}

bool AgentHarness::hasEvent(const std::string& kind) const {
    for (const proto::AgentEvent& event : events()) {
        if (event.kind() == kind)
            return true;
    }
    return false;
}

QString AgentHarness::log() const {
    QFile file(m_directory.filePath(QStringLiteral("log")));
    (void)file.open(QIODevice::ReadOnly);
    return QString::fromUtf8(file.readAll());
}

QStringList AgentHarness::leftovers() const {
    QStringList names =
        QDir(m_directory.path()).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot);
    for (const char* expected : {"agent.toml", "log", "plan"})
        names.removeAll(QString::fromLatin1(expected));
    return names;
}

std::vector<pid_t> AgentHarness::livingWorkers() const {
    std::vector<pid_t> found;
    const QByteArray mark = QByteArray(markVariable) + '=' + m_directory.path().toUtf8();
    const QStringList entries = QDir(QStringLiteral("/proc")).entryList(QDir::Dirs);
    for (const QString& entry : entries) {
        bool isPid = false;
        const int pid = entry.toInt(&isPid);
        if (!isPid || pid == agentPid())
            continue;
        QFile environment(QStringLiteral("/proc/%1/environ").arg(pid));
        if (environment.open(QIODevice::ReadOnly) && environment.readAll().split('\0').contains(mark))
            found.push_back(pid);
    }
    return found;
}

proto::Request upgradeRequest(std::optional<std::uint32_t> id, std::optional<std::uint32_t> readyDeadlineMs,
    std::optional<std::uint32_t> drainDeadlineMs) {
    proto::Request request;
    proto::UpgradeOptions& options = *request.mutable_upgrade_with_options();
    if (id)
        options.set_id(*id);
    if (readyDeadlineMs)
        options.set_ready_deadline_ms(*readyDeadlineMs);
    if (drainDeadlineMs)
        options.set_drain_deadline_ms(*drainDeadlineMs);
    return request;
}

} // namespace yardmaster::tests

// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/agent_config.h"
#include "backend/state/config_state.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace yardmaster;
using namespace yardmaster::agent;

namespace {

ConfigResult parse(const std::string& text) {
    return parseAgentConfig(text, "/etc/yardmaster/agent.toml", "/usr/bin");
}

const std::string minimal = "command_socket = \"agent.sock\"\n";

QByteArray firstMistake(const ConfigResult& result) {
    return result.mistakes.empty()
        ? QByteArray()
        : QByteArray::fromStdString(result.mistakes.front().toString("agent.toml"));
}

} // namespace

class TestAgentConfig : public QObject {
    Q_OBJECT

private slots:
    void readsDefaults() {
        const ConfigResult result = parse(minimal);
        QVERIFY2(result.mistakes.empty(), firstMistake(result));
        const AgentConfig& config = result.config;
        QCOMPARE(config.commandSocket, std::string("/etc/yardmaster/agent.sock"));
        QCOMPARE(config.runtimeDirectory, std::string("/etc/yardmaster/agent.sock.run"));
        QCOMPARE(config.workerBinary, std::string("/usr/bin/yardmaster-worker"));
        QCOMPARE(config.workerCount, 2U);
        QCOMPARE(config.readyDeadlineMs, 5000U);
        QVERIFY(config.workerAutomaticRestart);
        QVERIFY(!config.production);
        QVERIFY(config.requests.empty());
    }

    void readsEveryKey() {
        const ConfigResult result = parse(R"(
name = "edge"
production = true
command_socket = "/run/a.sock"
runtime_directory = "/run/yardmaster"
worker_binary = "bin/worker"
command_buffer_size = 10_000
max_command_buffer_size = 500_000_000
worker_count = 7
worker_automatic_restart = false
worker_timeout = 3
ctl_command_timeout = 60_000
max_connections = 500
upstream_idle_connections = 5
log_level = "debug"
log_target = "file://./agent.log"
access_log = "access.log"
activate_listeners = false
saved_state = "state.json"
front_timeout = 1
back_timeout = 2
connect_timeout = 3
request_timeout = 4
ready_deadline_ms = 100
drain_deadline_ms = 200
drain_quiet_ms = 300
)");
        QVERIFY2(result.mistakes.empty(), firstMistake(result));
        const AgentConfig& config = result.config;
        QCOMPARE(config.name, std::string("edge"));
        QVERIFY(config.production);
        QCOMPARE(config.commandSocket, std::string("/run/a.sock"));
        QCOMPARE(config.runtimeDirectory, std::string("/run/yardmaster"));
        QCOMPARE(config.workerBinary, std::string("/etc/yardmaster/bin/worker"));
        QCOMPARE(config.commandBufferBytes, 10'000U);
        QCOMPARE(config.maxCommandBufferBytes, 500'000'000U);
        QCOMPARE(config.workerCount, 7U);
        QVERIFY(!config.workerAutomaticRestart);
        QCOMPARE(config.workerTimeoutS, 3U);
        QCOMPARE(config.ctlCommandTimeoutMs, 60'000U);
        QCOMPARE(config.maxConnections, 500U);
        QCOMPARE(config.upstreamIdleConnections, 5U);
        QCOMPARE(config.logLevel, std::string("debug"));
        QCOMPARE(config.logTarget, std::string("file:///etc/yardmaster/agent.log"));
        QCOMPARE(config.accessLog, std::string("/etc/yardmaster/access.log"));
        QVERIFY(!config.activateListeners);
        QCOMPARE(config.savedState, std::string("/etc/yardmaster/state.json"));
        QCOMPARE(config.frontTimeoutS, 1U);
        QCOMPARE(config.backTimeoutS, 2U);
        QCOMPARE(config.connectTimeoutS, 3U);
        QCOMPARE(config.requestTimeoutS, 4U);
        QCOMPARE(config.readyDeadlineMs, 100U);
        QCOMPARE(config.drainDeadlineMs, 200U);
        QCOMPARE(config.drainQuietMs, 300U);
    }

    void makesRequestsThatApply() {
        const ConfigResult result = parse(minimal + R"(
front_timeout = 11
[[listeners]]
protocol = "http"
address = "127.0.0.1:8080"
back_timeout = 12
forwarded_for = "replace"
max_header_count = 50
[clusters.web]
protocol = "http"
load_balancing = "LEAST_LOADED"
sticky_session = true
frontends = [
  { address = "127.0.0.1:8080", hostname = "a.example", path = "/api", path_type = "EQUALS", method = "GET" },
  { address = "127.0.0.1:8080", hostname = "*.example" },
]
backends = [ { address = "127.0.0.1:9001", weight = 3, backup = true }, { address = "[::1]:9002", backend_id = "b" } ]
health_check = { uri = "/health", interval = 4 }
)");
        QVERIFY2(result.mistakes.empty(), firstMistake(result));
        state::ConfigState state;
        for (const proto::Request& request : result.config.requests)
            QVERIFY(state.apply(request).has_value());
        QCOMPARE(state.httpListeners().size(), 1U);
        const proto::HttpListenerConfig& listener = state.httpListeners().begin()->second;
        QVERIFY(listener.active());
        QCOMPARE(listener.front_timeout(), 11U);
        QCOMPARE(listener.back_timeout(), 12U);
        QCOMPARE(listener.limits().forwarded_for(), proto::REPLACE);
        QCOMPARE(listener.limits().max_header_count(), 50U);
        QCOMPARE(state.httpFrontends().size(), 2U);
        int exact = 0;
        for (const auto& [key, frontend] : state.httpFrontends())
            exact += frontend.path().kind() == proto::EQUALS && frontend.path().value() == "/api"
                    && frontend.method() == "GET"
                ? 1
                : 0;
        QCOMPARE(exact, 1);
        const proto::Cluster& cluster = state.clusters().at("web");
        QCOMPARE(cluster.load_balancing(), proto::LEAST_LOADED);
        QVERIFY(cluster.sticky_session());
        QCOMPARE(cluster.health_check().uri(), std::string("/health"));
        QCOMPARE(cluster.health_check().interval(), 4U);
        QCOMPARE(state.backends().at("web").size(), 2U);
    }

    void namesEachMistake_data() {
        QTest::addColumn<QString>("text"); // after the line with command_socket
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("said"); // a part of the sentence
        const auto row = [](const char* name, const char* text, int line, int column, const char* key,
                             const char* said) {
            QTest::newRow(name) << text << line << column << key << said;
        };
        const char* listener = "[[listeners]]\nprotocol = \"http\"\naddress = \"127.0.0.1:80\"\n";
        row("unknown key, nearly known", "worker_cuont = 3", 2, 1, "worker_cuont",
            "did you mean worker_count?");
        row("unknown key, case", "Worker_Count = 3", 2, 1, "Worker_Count", "did you mean worker_count?");
        row("unknown key, like nothing", "zzzzzzzzzzzzzz = 3", 2, 1, "zzzzzzzzzzzzzz", "unknown key");
        row("number as text", "worker_count = \"3\"", 2, 1, "worker_count",
            "must be a whole number, not a string");
        row("text as number", "name = 3", 2, 1, "name", "must be a string, not a whole number");
        row("truth as text", "production = \"yes\"", 2, 1, "production", "must be true or false");
        row("fraction", "worker_timeout = 1.5", 2, 1, "worker_timeout", "not a number with a fraction");
        row("out of range", "worker_count = 0", 2, 1, "worker_count", "from 1 to 1024");
        row("no log level", "log_level = \"inof\"", 2, 1, "log_level", "did you mean info?");
        row("no log target", "log_target = \"syslog\"", 2, 1, "log_target", "no log target");
        row("listeners no array", "listeners = 3", 2, 1, "listeners", "an array of tables");
        row("listener without protocol", "[[listeners]]\naddress = \"127.0.0.1:80\"", 2, 1,
            "listeners[0].protocol", "is missing");
        row("listener without address", "[[listeners]]\nprotocol = \"http\"", 2, 1, "listeners[0].address",
            "is missing");
        row("bad protocol", "[[listeners]]\nprotocol = \"htp\"\naddress = \"127.0.0.1:80\"", 3, 1,
            "listeners[0].protocol", "did you mean http?");
        row("protocol nobody serves", "[[listeners]]\nprotocol = \"tcp\"\naddress = \"127.0.0.1:80\"", 3, 1,
            "listeners[0].protocol", "not served");
        row("bad address", "[[listeners]]\nprotocol = \"http\"\naddress = \"localhost:80\"", 4, 1,
            "listeners[0].address", "is no address");
        row("port 0", "[[listeners]]\nprotocol = \"http\"\naddress = \"127.0.0.1:0\"", 4, 1,
            "listeners[0].address", "port 0");
        row("limit of a listener", (std::string(listener) + "max_line_bytes = -1").c_str(), 5, 1,
            "listeners[0].max_line_bytes", "out of range");
        row("unknown key of a listener", (std::string(listener) + "  stiky_name = \"a\"").c_str(), 5, 3,
            "listeners[0].stiky_name", "did you mean sticky_name?");
        row("cluster is no table", "[clusters]\nweb = 3", 3, 1, "clusters.web", "must be a table");
        row("bad balancing", "[clusters.web]\nload_balancing = \"ROUND_ROBBIN\"", 3, 1,
            "clusters.web.load_balancing", "did you mean ROUND_ROBIN?");
        row("backend without address", "[clusters.web]\nbackends = [ { backend_id = \"a\" } ]", 3, 14,
            "clusters.web.backends[0].address", "is missing");
        row("unknown key of a backend",
            "[clusters.web]\nbackends = [ { adress = \"127.0.0.1:1\", address = \"127.0.0.1:1\" } ]", 3, 16,
            "clusters.web.backends[0].adress", "did you mean address?");
        row("frontend without host", "[clusters.web]\nfrontends = [ { address = \"127.0.0.1:1\" } ]", 3, 15,
            "clusters.web.frontends[0].hostname", "is missing");
        row("bad path type",
            "[clusters.web]\nfrontends = [ { address = \"127.0.0.1:1\", hostname = \"a\", path_type = "
            "\"prefix\" } ]",
            3, 58, "clusters.web.frontends[0].path_type", "did you mean PREFIX?");
        row("syntax", "name = ", 2, 8, "", "TOML syntax");
        row("key twice", "name = \"a\"\nname = \"b\"", 3, 8, "", "TOML syntax");
        row("runtime directory too long",
            "runtime_directory = "
            "\"/1234567890/1234567890/1234567890/1234567890/1234567890/1234567890/1234567890/1234567890\"",
            2, 1, "runtime_directory", "too long");
    }
    void namesEachMistake() {
        QFETCH(QString, text);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(QString, key);
        QFETCH(QString, said);
        const ConfigResult result = parse(minimal + text.toStdString() + "\n");
        QVERIFY(!result.mistakes.empty());
        const ConfigMistake& mistake = result.mistakes.front();
        const QString sentence = QString::fromUtf8(firstMistake(result));
        QVERIFY2(sentence.contains(said), qPrintable(sentence));
        QCOMPARE(QString::fromStdString(mistake.key), key);
        QCOMPARE(static_cast<int>(mistake.line), line);
        QCOMPARE(static_cast<int>(mistake.column), column);
        QCOMPARE(result.mistakes.size(), 1U);
        QVERIFY(sentence.startsWith(QStringLiteral("agent.toml:%1:%2: ").arg(line).arg(column)));
    }

    void saysThatTheSocketIsMissing() {
        const ConfigResult result = parse("name = \"a\"\n");
        QCOMPARE(result.mistakes.size(), 1U);
        QCOMPARE(result.mistakes.front().key, std::string("command_socket"));
    }

    void collectsAllMistakes() {
        const ConfigResult result = parse(
            "worker_cuont = 1\nproduction = 3\nlog_level = \"x\"\n[[listeners]]\nprotocol = \"http\"\n");
        QCOMPARE(result.mistakes.size(), 5U); // and no command_socket
    }

    void findsListenersThatClash() {
        const std::string listener = "[[listeners]]\nprotocol = \"http\"\naddress = \"127.0.0.1:80\"\n";
        const ConfigResult result = parse(minimal + listener + listener);
        QVERIFY(!result.mistakes.empty());
        QVERIFY2(firstMistake(result).contains("127.0.0.1:80"), firstMistake(result));
    }

    void neverTellsAKey() {
        QTemporaryDir directory;
        const std::string path = directory.path().toStdString();
        std::ofstream(path + "/cert.pem") << "not a certificate";
        std::ofstream(path + "/key.pem") << "TOP-SECRET";
        const ConfigResult result = parse(minimal
            + "activate_listeners = false\n[[listeners]]\nprotocol = \"https\"\naddress = \"127.0.0.1:443\"\n"
            + "[clusters.web]\nfrontends = [ { address = \"127.0.0.1:443\", hostname = \"a\", certificate = "
              "\""
            + path + "/cert.pem\", key = \"" + path + "/key.pem\" } ]\n");
        QVERIFY(!result.mistakes.empty());
        for (const ConfigMistake& mistake : result.mistakes)
            QVERIFY(mistake.toString("f").find("TOP-SECRET") == std::string::npos);
    }

    void sampleHasNoMistake() {
        const std::string sample =
            qEnvironmentVariable("YARDMASTER_SOURCE").toStdString() + "/resources/yardmasterd.toml";
        const ConfigResult result = readAgentConfig(sample, "/usr/bin");
        QVERIFY2(result.mistakes.empty(), firstMistake(result));
        QVERIFY(!result.config.requests.empty());
    }

    void saysThatAFileCannotBeRead() {
        QCOMPARE(readAgentConfig("/no/such/file.toml", "/usr/bin").mistakes.size(), 1U);
    }

    void nearestNameIsNoGuess() {
        const std::set<std::string, std::less<>> names{"address", "hostname"};
        QCOMPARE(nearestName("adress", names), std::string("address"));
        QCOMPARE(nearestName("hostnmae", names), std::string("hostname"));
        QCOMPARE(nearestName("port", names), std::string());
    }
};

QTEST_GUILESS_MAIN(TestAgentConfig)
#include "tst_agent_config.moc"

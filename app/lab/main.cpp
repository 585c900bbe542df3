// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/io/interval_timer.h"
#include "backend/io/signal_stop.h"
#include "backend/lab/load_generator.h"
#include "backend/lab/upstream.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <fstream>

using namespace yardmaster;

namespace {

constexpr std::int64_t timerNs = 1'000'000;

bool splitAddress(const std::string& text, std::string& address, std::uint16_t& port) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos)
        return false;
    address = text.substr(0, colon);
    unsigned long number = 0;
    try {
        number = std::stoul(text.substr(colon + 1));
    } catch (const std::exception&) {
        return false;
    }
    port = static_cast<std::uint16_t>(number);
    return number <= 65535;
}

int complain(const Error& error) {
    std::fprintf(stderr, "yardmaster-lab: %s\n", error.toString().c_str());
    return 1;
}

/// Whole or not at all: a reader never sees half of it.
bool writeFile(const std::string& path, const std::string& text) {
    const std::string temporary = path + ".new";
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    return file.good() && std::rename(temporary.c_str(), path.c_str()) == 0;
}

int runUpstream(io::EventLoop& loop, const lab::UpstreamOptions& options, const std::string& portFile) {
    lab::Upstream upstream(loop, options);
    if (auto started = upstream.start(); !started)
        return complain(started.error());
    std::string ports;
    for (const std::uint16_t port : upstream.ports())
        ports += options.address + ":" + std::to_string(port) + "\n";
    if (portFile.empty())
        std::fputs(ports.c_str(), stdout);
    else if (!writeFile(portFile, ports))
        return complain({Error::Code::Internal, "cannot write", portFile, {}});
    std::fflush(stdout);
    io::SignalStop stop([&] { loop.stop(); });
    io::IntervalTimer timer([&] { upstream.onTimer(); });
    if (auto watched = stop.start(loop); !watched)
        return complain(watched.error());
    if (auto watched = timer.start(loop, timerNs); !watched)
        return complain(watched.error());
    loop.run([] {}, [&] { upstream.onBatchEnd(); });
    return 0;
}

int runLoad(
    io::EventLoop& loop, const lab::LoadOptions& options, const std::string& report, bool failOnLoss) {
    lab::LoadGenerator load(loop, options);
    if (auto started = load.start(); !started)
        return complain(started.error());
    io::SignalStop stop([&] { load.stop(); });
    io::IntervalTimer timer([&] { load.onTimer(); });
    if (auto watched = stop.start(loop); !watched)
        return complain(watched.error());
    if (auto watched = timer.start(loop, timerNs); !watched)
        return complain(watched.error());
    double seconds = 0;
    loop.run([] {},
        [&] {
            load.onBatchEnd();
            if (load.isDone())
                loop.stop();
        });
    seconds = load.seconds();
    load.stats().finish();
    const std::string json = load.stats().toJson(options, seconds);
    if (report.empty())
        std::puts(json.c_str());
    else if (!writeFile(report, json))
        return complain({Error::Code::Internal, "cannot write", report, {}});
    return failOnLoss && load.stats().lost() > 0 ? 3 : 0;
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app{"Upstream servers and a load generator that never retries"};
    app.require_subcommand(1);
    app.set_version_flag("--version", "yardmaster-lab " YARDMASTER_VERSION);

    std::string listen = "127.0.0.1:0", portFile;
    std::size_t backends = 0;
    lab::UpstreamOptions upstream;
    CLI::App* upstreamCommand = app.add_subcommand("upstream", "HTTP servers to stand behind a proxy");
    upstreamCommand->add_option("--listen", listen, "address:port of the first, port 0 for free ones");
    upstreamCommand->add_option(
        "--backends", backends, "number of servers (as many as latencies by default)");
    upstreamCommand->add_option("--latency-ms", upstream.latenciesMs, "latency of each server, ms")
        ->delimiter(',');
    upstreamCommand->add_option("--body-bytes", upstream.bodyBytes, "size of the answer to a GET");
    upstreamCommand->add_option(
        "--port-file", portFile, "write the addresses there instead of printing them");

    lab::LoadOptions load;
    std::string target, method = "GET", report;
    bool onePerRequest = false, keepAlive = false, failOnLoss = false;
    CLI::App* loadCommand = app.add_subcommand("load", "send requests, count every one that is lost");
    loadCommand->add_option("--target", target, "address:port")->required();
    loadCommand->add_option("--host", load.host, "Host field");
    loadCommand->add_option("--connections", load.connections, "connections")->check(CLI::Range(1, 100'000));
    loadCommand->add_option(
        "--rate", load.requestsPerSecond, "requests per second (open loop); closed loop without it");
    loadCommand->add_option("--duration", load.seconds, "seconds; until SIGINT without it");
    loadCommand->add_option("--method", method, "GET, POST or mix")
        ->check(CLI::IsMember({"GET", "POST", "mix"}));
    loadCommand->add_option("--body-bytes", load.bodyBytes, "size of a POST's body");
    loadCommand->add_flag("--one-per-request", onePerRequest, "a new connection for each request");
    loadCommand->add_flag("--keep-alive", keepAlive, "keep connections (the default)")
        ->excludes("--one-per-request");
    loadCommand->add_option("--timeout-ms", load.timeoutMs, "a request is lost after");
    loadCommand->add_option("--series-ms", load.seriesMs, "window of the series in the report")
        ->check(CLI::Range(10, 3'600'000));
    loadCommand->add_option("--paths", load.paths, "paths, in turn")->delimiter(',');
    loadCommand->add_option("--report", report, "write the JSON report there instead of printing it");
    loadCommand->add_flag("--fail-on-loss", failOnLoss, "exit with 3 when a request was lost");
    CLI11_PARSE(app, argc, argv);

    ::signal(SIGPIPE, SIG_IGN);
    auto loop = io::EventLoop::create();
    if (!loop)
        return complain(loop.error());
    if (upstreamCommand->parsed()) {
        if (!splitAddress(listen, upstream.address, upstream.port))
            return complain({Error::Code::InvalidArgument, "not address:port", listen, {}});
        if (backends > 0)
            upstream.latenciesMs.resize(backends, upstream.latenciesMs.back());
        return runUpstream(*loop, upstream, portFile);
    }
    if (!splitAddress(target, load.address, load.port))
        return complain({Error::Code::InvalidArgument, "not address:port", target, {}});
    load.keepAlive = !onePerRequest;
    load.method = method == "POST" ? lab::LoadMethod::Post
        : method == "mix"          ? lab::LoadMethod::Mix
                                   : lab::LoadMethod::Get;
    return runLoad(*loop, load, report, failOnLoss);
}

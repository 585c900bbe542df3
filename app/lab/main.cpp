// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/base/monotonic_clock.h"
#include "backend/io/signal_stop.h"
#include "backend/lab/load_generator.h"
#include "backend/lab/load_report.h"
#include "backend/lab/option_text.h"
#include "backend/lab/upstream.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <sys/resource.h>

using namespace yardmaster;

namespace {

constexpr int failedStatus = 1;
constexpr int lossStatus = 3;
constexpr std::int64_t livePeriodNs = 1'000'000'000;

int complain(const Error& error) {
    std::fprintf(stderr, "yardmaster-lab: %s\n", error.toString().c_str());
    return failedStatus;
}

/// Each connection is a descriptor; the usual soft limit is 1024.
void raiseDescriptorLimit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int runUpstream(io::EventLoop& loop, const lab::UpstreamOptions& options, const std::string& portFile) {
    io::SignalStop stop([&loop] { loop.stop(); });
    if (auto watched = stop.start(loop); !watched)
        return complain(watched.error());
    lab::Upstream upstream(loop, options);
    if (auto started = upstream.start(); !started)
        return complain(started.error());
    std::string addresses;
    for (const lab::SocketAddress& address : upstream.addresses())
        addresses += address.toString() + "\n";
    if (portFile.empty()) {
        std::fputs(addresses.c_str(), stdout);
        std::fflush(stdout);
    } else if (auto written = lab::writeFileAtomically(portFile, addresses); !written) {
        return complain(written.error());
    }
    loop.run([] {}, [&upstream] { upstream.onBatchEnd(); });
    return 0;
}

struct LoadFiles {
    std::string report; ///< empty: standard output
    std::string live; ///< empty: none
};

int runLoad(io::EventLoop& loop, const lab::LoadOptions& options, const LoadFiles& files, bool failOnLoss) {
    lab::LoadGenerator load(loop, options);
    // The first signal lets the requests under way end, a second one does not wait for them.
    bool wasSignalled = false;
    io::SignalStop stop([&load, &wasSignalled] {
        if (std::exchange(wasSignalled, true))
            load.abandon();
        else
            load.stop();
    });
    if (auto watched = stop.start(loop); !watched)
        return complain(watched.error());
    if (auto started = load.start(); !started)
        return complain(started.error());

    lab::LiveReport live;
    std::int64_t nextLiveNs = monotonicNowNs() + livePeriodNs;
    Expected<void> liveWritten;
    const auto writeLive = [&](std::int64_t nowNs) {
        nextLiveNs += livePeriodNs;
        liveWritten = lab::writeFileAtomically(files.live, live.next(load.stats(), nowNs));
    };
    loop.run(
        [&] {
            if (!files.live.empty() && loop.nowNs() >= nextLiveNs)
                writeLive(loop.nowNs());
        },
        [&] {
            load.onBatchEnd();
            if (load.isDone())
                loop.stop();
        });
    const std::int64_t endNs = monotonicNowNs();
    load.stats().finish(endNs);
    if (!files.live.empty())
        writeLive(endNs);
    if (!liveWritten)
        return complain(liveWritten.error());
    const std::string json = lab::loadReport(options, load.stats(), load.seconds());
    if (files.report.empty())
        std::puts(json.c_str());
    else if (auto written = lab::writeFileAtomically(files.report, json + "\n"); !written)
        return complain(written.error());
    return failOnLoss && load.stats().lost() > 0 ? lossStatus : 0;
}

template <typename Value, typename Parse>
Expected<std::vector<Value>> parseAll(const std::vector<std::string>& texts, Parse parse) {
    std::vector<Value> values;
    for (const std::string& text : texts) {
        auto value = parse(text);
        if (!value)
            return failure(value.error());
        values.push_back(*value);
    }
    return values;
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app{"Upstream servers, and a load generator that never retries and counts every lost request"};
    app.require_subcommand(1);
    app.set_version_flag("--version", "yardmaster-lab " YARDMASTER_VERSION);

    std::vector<std::string> listen{"127.0.0.1:0"}, latencies{"0"};
    std::string portFile;
    lab::UpstreamOptions upstream;
    CLI::App* upstreamCommand = app.add_subcommand("upstream", "HTTP servers to stand behind a proxy");
    upstreamCommand
        ->add_option("--listen", listen,
            "address:port of each server; of the first if only one is given "
            "(the ports count up from it, port 0 takes free ones)")
        ->delimiter(',');
    upstreamCommand->add_option(
        "--backends", upstream.servers, "number of servers (default: as many as addresses or latencies)");
    upstreamCommand
        ->add_option("--latency-ms", latencies, "latency of each server in ms; 3+2 is 3 and up to 2 more")
        ->delimiter(',');
    upstreamCommand->add_option("--body-bytes", upstream.bodyBytes, "size of the answer to a GET");
    upstreamCommand->add_option(
        "--port-file", portFile, "write the addresses there, one a line, instead of printing them");

    lab::LoadOptions load;
    LoadFiles files;
    std::string target, method = "GET", duration;
    bool onePerRequest = false, keepAlive = false, failOnLoss = false;
    std::uint64_t expectedBytes = 0;
    CLI::App* loadCommand = app.add_subcommand("load", "send requests, count every one that is lost");
    loadCommand->add_option("--target", target, "address:port")->required();
    loadCommand->add_option("--host", load.host, "Host field");
    loadCommand->add_option("--connections", load.connections, "connections")->check(CLI::Range(1, 100'000));
    loadCommand
        ->add_option("--rate", load.requestsPerSecond,
            "requests per second, due whatever happened before (open loop); closed loop without it")
        ->check(CLI::Range(0.001, 10'000'000.0));
    loadCommand->add_option("--duration", duration, "60, 60s, 500ms, 5m; until SIGINT or SIGTERM without it");
    loadCommand->add_option("--requests", load.requests, "end after so many requests");
    loadCommand->add_option("--method", method, "GET, POST (its echo is compared) or mix")
        ->check(CLI::IsMember({"GET", "POST", "mix"}));
    loadCommand->add_option("--body-bytes", load.bodyBytes, "size of a POST's body")
        ->check(CLI::Range(0, 16 * 1024 * 1024));
    CLI::Option* expected = loadCommand->add_option(
        "--expect-bytes", expectedBytes, "size that the answer to a GET must have (not checked without)");
    CLI::Option* one =
        loadCommand->add_flag("--one-per-request", onePerRequest, "a new connection for each request");
    loadCommand->add_flag("--keep-alive", keepAlive, "keep connections (the default)")->excludes(one);
    loadCommand->add_option("--timeout-ms", load.timeoutMs, "a request without an answer is lost after")
        ->check(CLI::Range(1, 3'600'000));
    loadCommand->add_option("--series-ms", load.seriesMs, "window of the series in the report")
        ->check(CLI::Range(10, 3'600'000));
    loadCommand->add_flag(
        "--series-histograms", load.seriesHistograms, "with the latencies of each window, to merge windows");
    loadCommand->add_option("--paths", load.paths, "paths, in turn")->delimiter(',');
    loadCommand->add_option("--report", files.report, "write the JSON report there instead of printing it");
    loadCommand->add_option("--live-file", files.live, "JSON snapshot, rewritten once a second");
    loadCommand->add_flag("--fail-on-loss", failOnLoss, "exit with 3 when a request was lost");
    CLI11_PARSE(app, argc, argv);

    ::signal(SIGPIPE, SIG_IGN);
    raiseDescriptorLimit();
    auto loop = io::EventLoop::create();
    if (!loop)
        return complain(loop.error());
    if (upstreamCommand->parsed()) {
        auto addresses = parseAll<lab::SocketAddress>(listen, &lab::SocketAddress::parse);
        auto parsed = parseAll<lab::Latency>(latencies, &lab::Latency::parse);
        if (!addresses || !parsed)
            return complain(!addresses ? addresses.error() : parsed.error());
        upstream.listen = *addresses;
        upstream.latencies = *parsed;
        return runUpstream(*loop, upstream, portFile);
    }
    auto address = lab::SocketAddress::parse(target);
    if (!address)
        return complain(address.error());
    load.target = *address;
    if (!duration.empty()) {
        auto seconds = lab::parseSeconds(duration);
        if (!seconds)
            return complain(seconds.error());
        load.seconds = *seconds;
    }
    load.keepAlive = !onePerRequest;
    load.method = method == "POST" ? lab::LoadMethod::Post
        : method == "mix"          ? lab::LoadMethod::Mix
                                   : lab::LoadMethod::Get;
    if (*expected)
        load.expectedBytes = expectedBytes;
    return runLoad(*loop, load, files, failOnLoss);
}

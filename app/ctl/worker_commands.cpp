// SPDX-License-Identifier: GPL-3.0-or-later
//
// Verbs about workers and jobs.
#include "session.h"

#include "backend/base/monotonic_clock.h"

#include <cstdio>
#include <ctime>
#include <set>

namespace yardmaster::ctl {

namespace {

std::string lowerName(const std::string& name, const char* prefix) {
    std::string text = name.substr(name.rfind(prefix, 0) == 0 ? std::string_view(prefix).size() : 0);
    for (char& character : text)
        character = static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
    return text;
}

std::string milliseconds(std::int64_t nanoseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f ms", static_cast<double>(nanoseconds) / 1e6);
    return text;
}

std::string uptime(std::int64_t startedUnixNs) {
    const std::int64_t seconds = (unixNowNs() - startedUnixNs) / 1'000'000'000;
    if (startedUnixNs == 0)
        return "-";
    if (seconds < 120)
        return std::to_string(seconds) + " s";
    return seconds < 7200 ? std::to_string(seconds / 60) + " min" : std::to_string(seconds / 3600) + " h";
}

std::string timeOfDay(std::int64_t unixNs) {
    const std::time_t seconds = static_cast<std::time_t>(unixNs / 1'000'000'000);
    std::tm local{};
    ::localtime_r(&seconds, &local);
    char text[32];
    const std::size_t length = std::strftime(text, sizeof text, "%H:%M:%S", &local);
    std::snprintf(text + length, sizeof text - length, ".%03d", static_cast<int>(unixNs / 1'000'000 % 1000));
    return text;
}

Json workerJson(const proto::WorkerInfo& info) {
    const proto::WorkerDetail& detail = info.detail();
    Json json{{"id", info.id()}, {"pid", info.pid()},
        {"run_state", lowerName(proto::RunState_Name(info.run_state()), "")}};
    if (!info.has_detail())
        return json;
    json["slot"] = detail.slot();
    json["phase"] = lowerName(proto::WorkerPhase_Name(detail.phase()), "PHASE_");
    json["version"] = detail.version();
    json["revision"] = detail.revision();
    json["restarts"] = detail.restarts();
    json["rss_bytes"] = detail.rss_bytes();
    json["cpu_ns"] = detail.cpu_ns();
    json["adopted"] = detail.adopted();
    const auto sinceSpawn = [&](bool has, std::int64_t stamp) {
        return has && detail.stamps().has_spawn_ns() ? Json(stamp - detail.stamps().spawn_ns()) : Json();
    };
    json["startup_ns"] = {
        {"spawned", sinceSpawn(detail.stamps().has_spawned_ns(), detail.stamps().spawned_ns())},
        {"listeners", sinceSpawn(detail.stamps().has_listeners_ns(), detail.stamps().listeners_ns())},
        {"state", sinceSpawn(detail.stamps().has_state_ns(), detail.stamps().state_ns())},
        {"ready", sinceSpawn(detail.stamps().has_ready_ns(), detail.stamps().ready_ns())},
        {"first_request",
            sinceSpawn(detail.stamps().has_first_request_ns(), detail.stamps().first_request_ns())}};
    if (detail.has_last_exit())
        json["last_exit"] = detail.last_exit().text();
    return json;
}

Json jobJson(const proto::JobProgress& job) {
    Json json{{"job", job.job_id()}, {"kind", job.kind()}, {"title", job.title()},
        {"state", lowerName(proto::JobState_Name(job.state()), "JOB_")}, {"worker", job.worker_id()},
        {"new_worker", job.new_worker_id()}, {"done", job.done()}, {"total", job.total()}};
    json["steps"] = Json::array();
    for (const proto::JobStep& step : job.steps())
        json["steps"].push_back({{"name", step.name()}, {"detail", step.detail()},
            {"state", lowerName(proto::StepState_Name(step.state()), "STEP_")},
            {"duration_ns", step.duration_ns()}});
    if (job.has_drain())
        json["drain"] = {{"drained", job.drain().drained()}, {"closed_idle", job.drain().closed_idle()},
            {"cut", job.drain().cut()}, {"moved", job.drain().moved()}};
    if (!job.error().empty())
        json["error"] = job.error();
    return json;
}

/// Prints each step once, when it has ended.
class StepPrinter {
public:
    void print(const proto::JobProgress& job) {
        for (int index = 0; index < job.steps_size(); ++index) {
            const proto::JobStep& step = job.steps(index);
            const bool untold = step.state() == proto::STEP_WAITING || step.state() == proto::STEP_RUNNING
                || (step.state() == proto::STEP_SKIPPED && step.detail().empty());
            if (untold || !m_printed.insert(index).second)
                continue;
            const char* mark = step.state() == proto::STEP_DONE ? "done"
                : step.state() == proto::STEP_FAILED            ? "FAILED"
                                                                : "skipped";
            std::printf("%-8s %10s  %s%s%s\n", mark,
                step.has_duration_ns() ? milliseconds(step.duration_ns()).c_str() : "", step.name().c_str(),
                step.detail().empty() ? "" : ": ", step.detail().c_str());
            std::fflush(stdout);
        }
    }

private:
    std::set<int> m_printed;
};

/// A job may take longer than any single answer: each message restarts the wait, and a drain is silent only
/// as long as nothing changes.
int follow(Options options, const proto::Request& request) {
    if (options.timeoutMs < 0)
        options.timeoutMs = 0;
    StepPrinter printer;
    return askJob(options, request, [&](const proto::Response& response) {
        const bool failed = response.status() == proto::FAILURE; // its message goes to stderr
        if (response.content().has_job() && options.json)
            printJson(jobJson(response.content().job()));
        else if (response.content().has_job())
            printer.print(response.content().job());
        if (!options.json && !failed && (response.status() == proto::OK || !response.content().has_job()))
            std::printf("%s\n", response.message().c_str());
        std::fflush(stdout);
    });
}

} // namespace

int status(const Options& options) {
    proto::Request request;
    request.mutable_status();
    return ask(options, request, [&](const proto::Response& response) {
        const proto::AgentIdentity& agent = response.agent();
        if (options.json) {
            Json json{{"agent", agent.name()}, {"version", agent.version()}, {"revision", agent.revision()},
                {"pid", agent.pid()}, {"production", agent.production()}, {"workers", Json::array()}};
            for (const proto::WorkerInfo& info : response.content().workers().vec())
                json["workers"].push_back(workerJson(info));
            printJson(json);
            return;
        }
        if (response.has_agent())
            std::printf("%s%s, version %s, pid %d, revision %llu, up %s\n", agent.name().c_str(),
                agent.production() ? " (production)" : "", agent.version().c_str(), agent.pid(),
                static_cast<unsigned long long>(agent.revision()), uptime(agent.started_unix_ns()).c_str());
        std::vector<std::vector<std::string>> rows{{"ID", "SLOT", "PID", "STATE", "VERSION", "REVISION", "UP",
            "READY IN", "RSS", "RESTARTS", "LAST EXIT"}};
        for (const proto::WorkerInfo& info : response.content().workers().vec()) {
            const proto::WorkerDetail& detail = info.detail();
            const std::string state = info.has_detail() && info.run_state() != proto::NOT_ANSWERING
                ? lowerName(proto::WorkerPhase_Name(detail.phase()), "PHASE_")
                : lowerName(proto::RunState_Name(info.run_state()), "");
            const bool timed = detail.stamps().has_ready_ns() && detail.stamps().has_spawn_ns();
            rows.push_back({std::to_string(info.id()), std::to_string(detail.slot()),
                std::to_string(info.pid()), state, detail.version(), std::to_string(detail.revision()),
                detail.has_last_exit() ? "-" : uptime(detail.started_unix_ns()),
                timed ? milliseconds(detail.stamps().ready_ns() - detail.stamps().spawn_ns()) : "-",
                std::to_string(detail.rss_bytes() / 1'048'576) + " MiB", std::to_string(detail.restarts()),
                detail.last_exit().text()});
        }
        printTable(rows);
    });
}

int upgrade(const Options& options, const UpgradeArguments& arguments) {
    proto::Request request;
    proto::UpgradeOptions& upgradeOptions = *request.mutable_upgrade_with_options();
    if (arguments.worker)
        upgradeOptions.set_id(*arguments.worker);
    if (arguments.readyDeadlineMs)
        upgradeOptions.set_ready_deadline_ms(*arguments.readyDeadlineMs);
    if (arguments.drainDeadlineMs)
        upgradeOptions.set_drain_deadline_ms(*arguments.drainDeadlineMs);
    if (arguments.drainQuietMs)
        upgradeOptions.set_drain_quiet_ms(*arguments.drainQuietMs);
    return follow(options, request);
}

int spawn(const Options& options, std::optional<std::uint32_t> readyDeadlineMs) {
    proto::Request request;
    request.mutable_spawn_worker();
    if (readyDeadlineMs)
        request.mutable_spawn_worker()->set_ready_deadline_ms(*readyDeadlineMs);
    return follow(options, request);
}

int stop(const Options& options, const StopArguments& arguments) {
    proto::Request request;
    request.mutable_stop_worker()->set_id(arguments.worker);
    request.mutable_stop_worker()->set_hard(arguments.hard);
    if (arguments.drainDeadlineMs)
        request.mutable_stop_worker()->set_drain_deadline_ms(*arguments.drainDeadlineMs);
    return follow(options, request);
}

int cancel(const Options& options, std::uint64_t job) {
    proto::Request request;
    request.mutable_cancel_job()->set_job_id(job);
    return tell(options, request);
}

int listJobs(const Options& options) {
    proto::Request request;
    request.mutable_list_jobs();
    return ask(options, request, [&](const proto::Response& response) {
        std::vector<std::vector<std::string>> rows{{"JOB", "STATE", "STARTED", "TOOK", "TITLE", "ERROR"}};
        for (const proto::JobProgress& job : response.content().jobs().jobs()) {
            if (options.json)
                printJson(jobJson(job));
            rows.push_back({std::to_string(job.job_id()),
                lowerName(proto::JobState_Name(job.state()), "JOB_"), timeOfDay(job.started_unix_ns()),
                job.has_ended_unix_ns() ? milliseconds(job.ended_unix_ns() - job.started_unix_ns()) : "-",
                job.title(), job.error()});
        }
        if (!options.json)
            printTable(rows);
    });
}

int shutDown(const Options& options, bool hard) {
    proto::Request request;
    if (hard)
        request.mutable_hard_stop();
    else
        request.mutable_soft_stop();
    return follow(options, request);
}

int followEvents(const Options& options) {
    proto::Request request;
    request.mutable_subscribe_samples()->set_interval_ms(200);
    request.mutable_subscribe_samples()->set_history_events(50);
    Options patient = options;
    patient.timeoutMs = 0;
    return ask(
        patient, request, [](const proto::Response&) {},
        [&](const proto::Response& response) {
            for (const proto::AgentEvent& event : response.content().sample().events()) {
                if (options.json) {
                    printJson({{"sequence", event.sequence()}, {"unix_ns", event.unix_ns()},
                        {"severity", lowerName(proto::Severity_Name(event.severity()), "SEVERITY_")},
                        {"kind", event.kind()}, {"text", event.text()}, {"worker", event.worker_id()},
                        {"actor", event.actor()}});
                    continue;
                }
                std::printf("%s  %-8s %-18s %s%s%s\n", timeOfDay(event.unix_ns()).c_str(),
                    lowerName(proto::Severity_Name(event.severity()), "SEVERITY_").c_str(),
                    event.kind().c_str(), event.text().c_str(), event.actor().empty() ? "" : "  by ",
                    event.actor().c_str());
            }
            std::fflush(stdout);
            return true;
        });
}

} // namespace yardmaster::ctl

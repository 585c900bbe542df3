# SPDX-License-Identifier: GPL-3.0-or-later
"""1 KB answers through one upstream: requests per second and CPU per request, beside nginx and HAProxy, in interleaved rounds."""
import argparse
import re
import shutil
import subprocess

import bench_report


def run_round(port, pid, seconds, connections):
    pids = bench_report.children_of(pid)
    before = {one: bench_report.cpu_seconds([one]) for one in pids}
    output = subprocess.run(
        ["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", "--latency", "-H", "Host: localhost", f"http://127.0.0.1:{port}/"],
        capture_output=True, text=True, check=True).stdout
    if bench_report.children_of(pid) != pids:
        raise RuntimeError("a process of the proxy ended or began within a round")
    cpu = {one: bench_report.cpu_seconds([one]) - before[one] for one in pids}
    requests = int(re.search(r"(\d+) requests in", output)[1])
    errors = sum(int(number) for number in re.findall(r"(?:connect|read|write|timeout) (\d+)", output))
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    latency = re.search(r"99%\s+([\d.]+)(us|ms|s)", output)
    return {"rps": float(re.search(r"Requests/sec:\s+([\d.]+)", output)[1]),
            # All processes: of ours the agent too, which reads the metrics.
            "cpu_us": sum(cpu.values()) / requests * 1e6,
            "cpu_us_of_first_process": cpu[pid] / requests * 1e6,
            "p99_ms": float(latency[1]) * {"us": 0.001, "ms": 1, "s": 1000}[latency[2]] if latency else None,
            "errors": errors + (int(bad[1]) if bad else 0)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--connections", type=int, default=100)
    options = parser.parse_args()

    names = ["yardmaster", "nginx", "haproxy"]
    rounds = {name: [] for name in names}
    if not shutil.which("wrk") or not shutil.which("nginx"):
        print("wrk or nginx is not installed: nothing can be measured")
    else:
        with bench_report.Stage(options.bin) as stage:
            origin = [stage.nginx_origin(1024)]
            targets = {}
            agent, port, _ = stage.agent(origin, workers=2, extra="upstream_idle_connections = 256\n")
            targets["yardmaster"] = (port, agent.pid)
            nginx, port = stage.nginx(origin, workers=2)
            targets["nginx"] = (port, nginx.pid)
            if shutil.which("haproxy"):
                haproxy, port = stage.haproxy(origin, threads=2)
                targets["haproxy"] = (port, haproxy.pid)
            for name, (port, pid) in targets.items():
                run_round(port, pid, 1, options.connections)  # connections and caches warm
            for number in range(options.rounds):
                print(f"round {number + 1} of {options.rounds}", flush=True)
                # Each begins a round in turn: the first may find the machine cooler than the last.
                order = list(targets)[number % len(targets):] + list(targets)[:number % len(targets)]
                for name in order:
                    port, pid = targets[name]
                    rounds[name].append(run_round(port, pid, options.seconds, options.connections))

    figures = {name: {"rps": bench_report.median([one["rps"] for one in rounds[name]]),
                      "cpu_us_per_request": bench_report.median([one["cpu_us"] for one in rounds[name]]),
                      "p99_ms": bench_report.median([one["p99_ms"] for one in rounds[name] if one["p99_ms"]]),
                      "errors": sum(one["errors"] for one in rounds[name]) if rounds[name] else None,
                      "rounds": rounds[name]} for name in names}
    bench_report.table(["", "req/s", "CPU us/req", "p99 ms", "errors"],
                       [[name, row["rps"], row["cpu_us_per_request"], row["p99_ms"], row["errors"]] for name, row in figures.items()])
    if not shutil.which("haproxy"):
        print("haproxy is not installed: not measured")
    for name, row in figures.items():
        if row["errors"]:
            print(f'{name}: {row["errors"]} requests failed; its numbers do not count')

    def ratio(field, other):
        ours, theirs = figures["yardmaster"], figures[other]
        if ours["errors"] != 0 or theirs["errors"] != 0:  # None: not measured
            return None
        return ours[field] / theirs[field]

    ratios = {"cpu_to_nginx": ratio("cpu_us_per_request", "nginx"), "rps_to_nginx": ratio("rps", "nginx"),
              "cpu_to_haproxy": ratio("cpu_us_per_request", "haproxy"), "rps_to_haproxy": ratio("rps", "haproxy")}
    bench_report.write(options.out, "proxy", figures, ratios, [
        bench_report.goal("CPU per request to nginx's", ratios["cpu_to_nginx"], "x", 0.8, "<="),
        bench_report.goal("requests/s to nginx's", ratios["rps_to_nginx"], "x", 1.1, ">=")])


if __name__ == "__main__":
    main()

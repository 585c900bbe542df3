# SPDX-License-Identifier: GPL-3.0-or-later
"""Upgrades of workers under load, against reloads of nginx under the same load in the same run. Nothing may be lost."""
import argparse
import contextlib
import json
import shutil
import subprocess
import threading
import time

import bench_report
from command_socket import CommandSocket

PERIOD_SECONDS = 0.4
SERIES_MS = 50
POOL = 256  # idle upstream connections, here and in nginx
# nginx answers a reload before it has begun; so long after the signal counts as "during".
RELOAD_SPAN_NS = 200_000_000


class Upgrader(threading.Thread):
    """One worker after the other, one begun every 400 ms; each upgrade is waited for on its own connection."""

    def __init__(self, command):
        super().__init__(daemon=True)
        self.command, self.stop = command, threading.Event()
        self.spans, self.failures, self.running, self.skipped = [], [], [], 0

    def run(self):
        try:
            self.upgrade_until_stopped()
        except OSError as error:
            self.failures.append(f"the command socket: {error}")
        for _, thread in self.running:
            thread.join(30)

    def upgrade_until_stopped(self):
        with contextlib.closing(CommandSocket(self.command)) as link:
            while not self.stop.is_set():
                begun = time.monotonic()
                busy = {worker for worker, thread in self.running if thread.is_alive()}
                ids = [worker for worker in link.running_workers() if worker not in busy]
                if ids:
                    thread = threading.Thread(target=self.upgrade, args=(ids[0],), daemon=True)
                    self.running.append((ids[0], thread))
                    thread.start()
                else:
                    self.skipped += 1  # all of them are being upgraded
                self.stop.wait(max(0, PERIOD_SECONDS - (time.monotonic() - begun)))

    def upgrade(self, worker):
        begun = time.monotonic_ns()
        try:
            with contextlib.closing(CommandSocket(self.command)) as link:
                worked, message = link.upgrade(worker)
        except OSError as error:
            worked, message = False, str(error)
        if worked:
            self.spans.append((begun, time.monotonic_ns()))
        else:
            self.failures.append(f"worker {worker}: {message}")


class NginxReloader(threading.Thread):
    def __init__(self, folder):
        super().__init__(daemon=True)
        self.folder, self.stop, self.spans, self.failures, self.skipped = folder, threading.Event(), [], [], 0

    def run(self):
        while not self.stop.is_set():
            begun = time.monotonic_ns()
            done = subprocess.run(["nginx", "-p", self.folder, "-c", self.folder / "nginx.conf", "-s", "reload"],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 0:
                self.spans.append((begun, begun + RELOAD_SPAN_NS))
            else:
                self.failures.append(done.stderr.strip())
            self.stop.wait(max(0, PERIOD_SECONDS - (time.monotonic_ns() - begun) / 1e9))


def run_load(stage, port, seconds, connections, keep_alive, changer):
    report = stage.directory / "load.json"
    load = stage.start(
        stage.binaries / "yardmaster-lab", "load", "--target", f"127.0.0.1:{port}", "--connections", connections, "--method", "POST",
        "--duration", seconds, "--series-ms", SERIES_MS, "--series-histograms", "--report", report,
        "--keep-alive" if keep_alive else "--one-per-request", log="load.log")
    time.sleep(0.5)  # the load is at its pace
    changer.start()
    status = load.wait(seconds + 60)
    changer.stop.set()
    changer.join(90)
    if status != 0:
        raise RuntimeError(f"the load ended with {status}\n{stage.tail_of_logs()}")
    result = json.loads(report.read_text())
    during, between = bench_report.Latencies(), bench_report.Latencies()
    for point in result["series"]:
        begin, end = point["monotonic_ns"], point["monotonic_ns"] + SERIES_MS * 1_000_000
        hit = any(first < end and last > begin for first, last in changer.spans)
        (during if hit else between).add(point["buckets"])
    lengths = [(last - first) / 1e6 for first, last in changer.spans]
    return {"requests": result["sent"], "answered": result["answered"], "lost": result["lost"],
            "lost_by_kind": {kind: count for kind, count in result["lost_by_kind"].items() if count},
            "upgrades": len(changer.spans), "failed_upgrades": len(changer.failures), "skipped_upgrades": changer.skipped,
            "first_failure": changer.failures[0] if changer.failures else None,
            "upgrade_ms_median": bench_report.median(lengths), "upgrade_ms_max": max(lengths, default=None),
            "connections_opened": result["connections_opened"],
            "requests_per_second": result["answered_per_second"],
            "p99_ms_during": during.percentile_ms(0.99), "p99_ms_between": between.percentile_ms(0.99),
            "p99_ms": result["latency_us"]["p99"] / 1000, "p999_ms": result["latency_us"]["p99.9"] / 1000,
            "max_ms": result["latency_us"]["max"] / 1000}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=int, default=60, help="of each of the four runs")
    parser.add_argument("--connections", type=int, default=200)
    options = parser.parse_args()

    has_nginx = shutil.which("nginx") is not None
    if not has_nginx:
        print("nginx is not installed: no comparison")
    figures = {}
    for keep_alive in (True, False):
        mode = "keep_alive" if keep_alive else "one_per_request"
        print(f"yardmaster, {mode.replace('_', ' ')}, {options.seconds} s ...", flush=True)
        with bench_report.Stage(options.bin) as stage:
            ports = stage.upstream("--backends", "2")
            _, port, command = stage.agent(ports, workers=4, extra=f"drain_quiet_ms = 1000\nupstream_idle_connections = {POOL}\n")
            figures[f"yardmaster_{mode}"] = run_load(
                stage, port, options.seconds, options.connections, keep_alive, Upgrader(command))
        figures[f"nginx_{mode}"] = None
        if not has_nginx:
            continue
        print(f"nginx, {mode.replace('_', ' ')}, {options.seconds} s ...", flush=True)
        with bench_report.Stage(options.bin) as stage:
            ports = stage.upstream("--backends", "2")
            _, port = stage.nginx(ports, workers=4)
            figures[f"nginx_{mode}"] = run_load(
                stage, port, options.seconds, options.connections, keep_alive, NginxReloader(stage.directory / "nginx"))

    print()
    bench_report.table(
        ["", "requests", "upgrades", "failed", "lost", "req/s", "p99 ms during", "p99 ms between", "max ms", "upgrade ms"],
        [[name.replace("_", " "), row["requests"], row["upgrades"], row["failed_upgrades"], row["lost"],
          row["requests_per_second"], row["p99_ms_during"], row["p99_ms_between"], row["max_ms"],
          row["upgrade_ms_median"] if name.startswith("yardmaster") else None]
         for name, row in figures.items() if row])
    for name, row in figures.items():
        if row and (row["lost"] or row["failed_upgrades"]):
            print(f'{name}: lost {row["lost_by_kind"]}, first failed upgrade: {row["first_failure"]}')

    # Without upgrades nothing was shown, whatever was not lost.
    wanted = options.seconds / PERIOD_SECONDS
    goals = []
    for mode in ("keep_alive", "one_per_request"):
        row = figures[f"yardmaster_{mode}"]
        shown = row["upgrades"] >= wanted / 2 and row["failed_upgrades"] == 0
        if not shown:
            print(f'{mode}: {row["upgrades"]} upgrades of {wanted:.0f}, {row["failed_upgrades"]} failed: not a measurement')
        goals.append(bench_report.goal(
            f"requests lost, {mode.replace('_', ' ')}", row["lost"] if shown else None, "requests", 0, "<="))

    def ratio(field, mode):
        ours, theirs = figures[f"yardmaster_{mode}"], figures[f"nginx_{mode}"]
        return ours[field] / theirs[field] if theirs and ours[field] and theirs[field] else None

    ratios = {f"{field}_to_nginx_{mode}": ratio(field, mode)
              for field in ("requests_per_second", "p99_ms_during") for mode in ("keep_alive", "one_per_request")}
    bench_report.write(options.out, "handover", figures, ratios, goals)


if __name__ == "__main__":
    main()

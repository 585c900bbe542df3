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


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


class Upgrader(threading.Thread):
    """One worker after the other, one begun every 400 ms; each upgrade is waited for on its own connection."""

    def __init__(self, command):
        super().__init__(daemon=True)
        self.command, self.stop = command, threading.Event()
        self.spans, self.failures, self.running = [], [], []

    def run(self):
        with contextlib.closing(CommandSocket(self.command)) as link:
            while not self.stop.is_set():
                begun = time.monotonic()
                busy = {worker for worker, thread in self.running if thread.is_alive()}
                ids = [worker for worker in link.running_workers() if worker not in busy]
                if ids:
                    thread = threading.Thread(target=self.upgrade, args=(ids[0],), daemon=True)
                    self.running.append((ids[0], thread))
                    thread.start()
                self.stop.wait(max(0, PERIOD_SECONDS - (time.monotonic() - begun)))
        for _, thread in self.running:
            thread.join(30)

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
        self.folder, self.stop, self.spans, self.failures = folder, threading.Event(), [], []

    def run(self):
        while not self.stop.is_set():
            begun = time.monotonic()
            done = subprocess.run(["nginx", "-p", self.folder, "-c", self.folder / "nginx.conf", "-s", "reload"],
                                  capture_output=True, check=False)
            (self.spans if done.returncode == 0 else self.failures).append((int(begun * 1e9), time.monotonic_ns()))
            self.stop.wait(max(0, PERIOD_SECONDS - (time.monotonic() - begun)))


def run_load(stage, port, seconds, keep_alive, changer):
    report = stage.directory / "load.json"
    load = subprocess.Popen(
        [stage.binaries / "yardmaster-lab", "load", "--target", f"127.0.0.1:{port}", "--connections", "200", "--method", "POST",
         "--duration", str(seconds), "--series-ms", str(SERIES_MS), "--report", report,
         "--keep-alive" if keep_alive else "--one-per-request"])
    time.sleep(0.5)
    changer.start()
    load.wait(seconds + 60)
    changer.stop.set()
    changer.join(60)
    result = json.loads(report.read_text())
    during, between = [], []
    for point in result["series"]:
        if point["answered"] == 0:
            continue
        begin, end = point["monotonic_ns"], point["monotonic_ns"] + SERIES_MS * 1_000_000
        hit = any(first < end and last > begin for first, last in changer.spans)
        (during if hit else between).append(point["p99_us"] / 1000)
    return {"requests": result["sent"], "answered": result["answered"], "lost": result["lost"],
            "lost_by_kind": {kind: count for kind, count in result["lost_by_kind"].items() if count},
            "upgrades": len(changer.spans), "failed_upgrades": len(changer.failures),
            "first_failure": str(changer.failures[0]) if changer.failures else None,
            "requests_per_second": result["answered_per_second"],
            "p99_ms_during": percentile(during, 0.5), "p99_ms_between": percentile(between, 0.5),
            "p99_ms": result["latency_us"]["p99"] / 1000, "p999_ms": result["latency_us"]["p99.9"] / 1000,
            "max_ms": result["latency_us"]["max"] / 1000}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()

    figures = {}
    for keep_alive in (True, False):
        mode = "keep_alive" if keep_alive else "one_per_request"
        print(f"yardmaster, {mode.replace('_', ' ')}, {options.seconds} s ...", flush=True)
        with bench_report.Stage(options.bin) as stage:
            ports = stage.upstream("--backends", "2")
            _, port, command = stage.agent(ports, workers=4, extra="drain_quiet_ms = 1000\n")
            figures[f"yardmaster_{mode}"] = run_load(stage, port, options.seconds, keep_alive, Upgrader(command))
        if not shutil.which("nginx"):
            print("nginx is not installed: no comparison")
            figures[f"nginx_{mode}"] = None
            continue
        print(f"nginx, {mode.replace('_', ' ')}, {options.seconds} s ...", flush=True)
        with bench_report.Stage(options.bin) as stage:
            ports = stage.upstream("--backends", "2")
            _, port = stage.nginx(ports, workers=4)
            figures[f"nginx_{mode}"] = run_load(
                stage, port, options.seconds, keep_alive, NginxReloader(stage.directory / "nginx"))

    print()
    bench_report.table(
        ["", "requests", "upgrades", "failed", "lost", "req/s", "p99 ms during", "p99 ms between", "max ms"],
        [[name.replace("_", " "), row["requests"], row["upgrades"], row["failed_upgrades"], row["lost"],
          row["requests_per_second"], row["p99_ms_during"], row["p99_ms_between"], row["max_ms"]]
         for name, row in figures.items() if row])
    for name, row in figures.items():
        if row and (row["lost"] or row["failed_upgrades"]):
            print(f'{name}: lost {row["lost_by_kind"]}, first failed upgrade: {row["first_failure"]}')
    goals = [bench_report.goal(f"requests lost, {mode.replace('_', ' ')}", figures[f"yardmaster_{mode}"]["lost"], "requests", 0, "<=")
             for mode in ("keep_alive", "one_per_request")]
    ratios = {}
    bench_report.write(options.out, "handover", figures, ratios, goals)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""What every bench shares: processes that are always ended, the machine's description, the table and the JSON file."""
import contextlib
import ctypes
import json
import os
import pathlib
import platform
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, what, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    raise RuntimeError(f"waited {seconds} s for {what}")


def answers(port, host="localhost"):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as link:
            link.settimeout(2)
            link.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            return link.recv(64).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def machine():
    model = ""
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"cpu": model, "cores": os.cpu_count(), "kernel": platform.release(), "system": platform.system()}


def children_of(pid):
    """All descendants of a process, itself included."""
    found, queue = [], [pid]
    while queue:
        one = queue.pop()
        found.append(one)
        with contextlib.suppress(OSError):
            for task in pathlib.Path(f"/proc/{one}/task").iterdir():
                queue += [int(child) for child in (task / "children").read_text().split()]
    return found


def cpu_seconds(pids):
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


class Stage:
    """A temporary directory and the processes started in it; leaving it ends them all."""

    def __init__(self, binaries):
        self.binaries = pathlib.Path(binaries).resolve()
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="yardmaster-bench-"))
        self.processes = []
        # Workers outlive an agent that crashed: they come to us then, and are ended with the rest.
        pr_set_child_subreaper = 36
        ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            self.end(process)
        for pid in children_of(os.getpid())[1:]:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        shutil.rmtree(self.directory, ignore_errors=True)

    def tail_of_logs(self):
        """What the programs said last: for the message of a bench that could not run."""
        return "\n".join(f"--- {log.name}\n{log.read_text(errors='replace')[-800:]}" for log in self.directory.glob("*.log"))

    def end(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                for pid in children_of(process.pid):
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                process.wait()

    def start(self, *command, log=None):
        output = open(self.directory / (log or "output.log"), "ab")
        process = subprocess.Popen([str(part) for part in command], cwd=self.directory, stdout=output, stderr=output)
        self.processes.append(process)
        return process

    def upstream(self, *arguments):
        ports = self.directory / f"upstream-{len(self.processes)}.ports"
        self.start(self.binaries / "yardmaster-lab", "upstream", "--port-file", ports, *arguments)
        wait_until(ports.exists, "the upstream's ports")
        return [int(line.rsplit(":", 1)[1]) for line in ports.read_text().split()]

    def agent(self, upstream_ports, workers=4, extra=""):
        """Starts yardmasterd; returns (process, http port, command socket)."""
        port, command = free_port(), self.directory / "command.sock"
        backends = ",\n".join(
            f'  {{ address = "127.0.0.1:{one}", backend_id = "b{index}" }}' for index, one in enumerate(upstream_ports))
        config = self.directory / "yardmasterd.toml"
        config.write_text(f'''name = "bench"
command_socket = "{command}"
runtime_directory = "{self.directory}/run"
worker_binary = "{self.binaries}/yardmaster-worker"
worker_count = {workers}
activate_listeners = true
log_level = "warn"
{extra}
[[listeners]]
protocol = "http"
address = "127.0.0.1:{port}"
[clusters.web]
protocol = "http"
load_balancing = "ROUND_ROBIN"
frontends = [ {{ address = "127.0.0.1:{port}", hostname = "localhost" }} ]
backends = [
{backends}
]
''')
        process = self.start(self.binaries / "yardmasterd", "--config", config, log="agent.log")
        try:
            wait_until(lambda: answers(port), "the agent's workers")
        except RuntimeError as error:
            raise RuntimeError(f"{error}\n{self.tail_of_logs()}") from None
        return process, port, command

    def nginx(self, upstream_ports, workers):
        port, folder = free_port(), self.directory / "nginx"
        folder.mkdir()
        servers = "\n".join(f"server 127.0.0.1:{one};" for one in upstream_ports)
        config = folder / "nginx.conf"
        config.write_text(f'''daemon off; worker_processes {workers}; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 8192; }}
http {{
  access_log off; keepalive_requests 100000000; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  upstream web {{ {servers} keepalive 256; keepalive_requests 100000000; }}
  server {{ listen 127.0.0.1:{port} backlog=4096;
    location / {{ proxy_pass http://web; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }} }}
}}
''')
        process = self.start("nginx", "-p", folder, "-c", config, log="nginx.log")
        wait_until(lambda: answers(port), "nginx")
        return process, port

    def nginx_origin(self, body_bytes):
        """A static server for the proxies to stand in front of."""
        port, folder = free_port(), self.directory / "origin"
        folder.mkdir()
        config = folder / "nginx.conf"
        config.write_text(f'''daemon off; worker_processes 2; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 8192; }}
http {{
  access_log off; keepalive_requests 100000000; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port} backlog=4096; location / {{ return 200 "{'x' * body_bytes}"; }} }}
}}
''')
        self.start("nginx", "-p", folder, "-c", config, log="origin.log")
        wait_until(lambda: answers(port), "the origin")
        return port

    def haproxy(self, upstream_ports, threads):
        port, config = free_port(), self.directory / "haproxy.cfg"
        servers = "\n".join(f"  server s{index} 127.0.0.1:{one}" for index, one in enumerate(upstream_ports))
        config.write_text(f'''global
  nbthread {threads}
  maxconn 8192
defaults
  mode http
  timeout connect 3s
  timeout client 60s
  timeout server 30s
  timeout http-request 10s
  option forwardfor
  http-reuse always
frontend front
  bind 127.0.0.1:{port} backlog 4096
  default_backend web
backend web
{servers}
''')
        process = self.start("haproxy", "-db", "-f", config, log="haproxy.log")
        wait_until(lambda: answers(port), "HAProxy")
        return process, port


def goal(name, value, unit, bound, sense):
    met = value is not None and (value <= bound if sense == "<=" else value >= bound)
    return {"name": name, "value": value, "unit": unit, "bound": bound, "sense": sense, "met": met}


class Latencies:
    """Counts of latencies in us; windows of a load's report are merged into it, so that a percentile is one of all."""

    def __init__(self):
        self.counts = {}

    def add(self, buckets):
        for value, count in buckets:
            self.counts[value] = self.counts.get(value, 0) + count

    def percentile_ms(self, share):
        total = sum(self.counts.values())
        seen = 0
        for value in sorted(self.counts):
            seen += self.counts[value]
            if seen >= share * total - 1e-6:
                return value / 1000
        return None


def median(values):
    return statistics.median(values) if values else None


def table(head, rows):
    texts = [head] + [["-" if cell is None else f"{cell:,.2f}" if isinstance(cell, float) else f"{cell:,}"
                       if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in texts) for column in range(len(head))]
    for row in texts:
        print("  ".join(cell.ljust(width) if index == 0 else cell.rjust(width)
                        for index, (cell, width) in enumerate(zip(row, widths))))


def write(path, name, figures, ratios, goals):
    document = {"name": name, "machine": machine(), "figures": figures, "ratios": ratios, "goals": goals}
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_text(json.dumps(document, indent=1) + "\n")
    print()
    for one in goals:
        value = "not measured" if one["value"] is None else f'{one["value"]:.3g} {one["unit"]}'
        print(f'{"met   " if one["met"] else "MISSED"}  {one["name"]}: {value} (goal {one["sense"]} {one["bound"]} {one["unit"]})')
    print(f"written: {path}")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a gateway in front of a model costs a request, beside its peers:

    gateway.py BUILD [--quick] [--write PAGE]

The model is `surety mock`, the client h2load (HTTP/1.1, kept alive); all are on
this machine. A request is a small one of Chat Completions.

- CPU: the processor time of the gateway's processes, from the scheduler,
  divided by the requests of a round of full load. The gateways take turns; a
  figure is the least of the rounds.
- added: how much later than from the model itself an answer comes, at 200
  requests a second, at the median and at the 99th percentile.
- waiting: memory (PSS) for each stream that waits for a slow model.
- growth: memory after all the requests of the rounds, less that after the
  first round.

HAProxy and nginx pass bytes through; Portkey's gateway passes through, or
checks the reply with its JSON Schema guard; Surety passes through, or checks
the reply against the request's schema, without and with a ledger. A peer that
is not installed is named as missing."""

import argparse
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
MARKS = "<!-- gateway -->", "<!-- end of gateway -->"
RATE = 200  # requests a second
SCHEMA = {"type": "object", "required": ["title", "hours"],
          "additionalProperties": False,
          "properties": {"title": {"type": "string"},
                         "hours": {"type": "integer"}}}
PLAIN = {"model": "small", "messages": [
    {"role": "user", "content": "A ticket for the lamp, please."}]}
CHECKED = {**PLAIN, "response_format": {
    "type": "json_schema",
    "json_schema": {"name": "ticket", "schema": SCHEMA}}}
REPLY = '{"title": "Lamp", "hours": 4}'

HAPROXY = """global
    nbthread 1
    maxconn 4000
defaults
    mode http
    timeout connect 5s
    timeout client 120s
    timeout server 120s
    option http-no-delay
frontend front
    bind 127.0.0.1:{port}
    default_backend back
backend back
    server model 127.0.0.1:{model}
"""
NGINX = """worker_processes 1;
daemon off;
error_log stderr error;
pid {folder}/nginx.pid;
events {{ worker_connections 4000; }}
http {{
    access_log off;
    client_body_temp_path {folder};
    proxy_temp_path {folder};
    fastcgi_temp_path {folder};
    uwsgi_temp_path {folder};
    scgi_temp_path {folder};
    keepalive_requests 10000000;
    upstream model {{ server 127.0.0.1:{model}; keepalive 256; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://model;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_buffering off;
        }}
    }}
}}
"""


class Missing(Exception):
    """A peer is not there, or does not start."""


# ---- processes ---------------------------------------------------------------

def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def family(pid):
    """A process and all its descendants."""
    found = [pid]
    for task in found:
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{task}/task"):
                with open(f"/proc/{task}/task/{thread}/children",
                          encoding="ascii") as file:
                    found += map(int, file.read().split())
    return found


def used_ns(pid):
    """Processor time of a process and its descendants."""
    total = 0
    for member in family(pid):
        for thread in os.listdir(f"/proc/{member}/task"):
            with open(f"/proc/{member}/task/{thread}/schedstat",
                      encoding="ascii") as file:
                total += int(file.read().split()[0])
    return total


def memory(pid):
    """Bytes of a process and its descendants, shared ones in parts."""
    total = 0
    for member in family(pid):
        with open(f"/proc/{member}/smaps_rollup", encoding="ascii") as file:
            total += int(re.search(r"Pss:\s+(\d+)", file.read())[1]) * 1024
    return total


def answers(port):
    with contextlib.suppress(OSError):
        with socket.create_connection(("127.0.0.1", port), 0.2):
            return True
    return False


class Server:
    """A process that listens on a port."""

    def __init__(self, command, port, **options):
        self.port = port
        self.process = subprocess.Popen(  # ended by close
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True, **options)
        end = time.monotonic() + 30
        while not answers(port):
            if self.process.poll() is not None or time.monotonic() > end:
                self.close()
                raise Missing(f"{command[0]} does not start")
            time.sleep(0.05)

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Contestant:
    """A gateway, the body that it gets, and what was measured of it."""

    def __init__(self, name, server, body, headers=()):
        self.name, self.server = name, server
        self.body, self.headers = body, headers
        self.cpu, self.first, self.added, self.waiting = [], None, None, None

    @property
    def pid(self):
        return self.server.process.pid


# ---- the gateways ------------------------------------------------------------

class World:
    """The model, and all gateways in front of it."""

    def __init__(self, build, folder):
        build = os.path.abspath(build)
        self.tool = os.path.join(build, "surety")
        self.folder, self.build = folder, build
        self.servers, self.missing = [], []
        port = free_port()
        self.model = self.open(
            [self.tool, "mock", "--quiet", "--reply", REPLY, "--port",
             str(port)], port)
        self.bodies = {}
        for name, body in (("plain", PLAIN), ("checked", CHECKED)):
            self.bodies[name] = self.write(name + ".json", json.dumps(body))
        self.model_only = Contestant("the model itself", self.model,
                                     self.bodies["plain"])
        self.contestants = []
        for make in (self.haproxy, self.nginx, self.portkey, self.surety):
            try:
                self.contestants += make()
            except Missing as error:
                self.missing.append(str(error))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def open(self, command, port, **options):
        self.servers.append(Server(command, port, **options))
        return self.servers[-1]

    def close(self):
        for server in reversed(self.servers):
            server.close()

    def haproxy(self):
        if not shutil.which("haproxy", path=os.environ["PATH"] + ":/usr/sbin"):
            raise Missing("haproxy is not installed")
        port = free_port()
        config = self.write("haproxy.cfg", HAPROXY.format(
            port=port, model=self.model.port))
        server = self.open(["/usr/sbin/haproxy", "-f", config], port)
        return [Contestant("HAProxy", server, self.bodies["plain"])]

    def nginx(self):
        if not shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin"):
            raise Missing("nginx is not installed")
        port = free_port()
        config = self.write("nginx.conf", NGINX.format(
            port=port, model=self.model.port, folder=self.folder))
        server = self.open(["/usr/sbin/nginx", "-c", config, "-e", "stderr"],
                           port)
        return [Contestant("nginx", server, self.bodies["plain"])]

    def portkey(self):
        program = os.path.join(
            self.build, "bench", "peers", "node_modules", "@portkey-ai",
            "gateway", "build", "start-server.js")
        if not os.path.exists(program) or not shutil.which("node"):
            raise Missing("Portkey's gateway is not installed")
        port = free_port()
        server = self.open(["node", program, f"--port={port}", "--headless"],
                           port, cwd=os.path.dirname(program))
        target = {"provider": "openai", "api_key": "none",
                  "custom_host": f"http://127.0.0.1:{self.model.port}/v1"}
        guard = {**target, "output_guardrails": [
            {"default.jsonSchema": {"schema": SCHEMA}, "deny": True}]}
        return [Contestant(name, server, body,
                           [f"x-portkey-config: {json.dumps(config)}"])
                for name, body, config in (
                    ("Portkey", self.bodies["plain"], target),
                    ("Portkey, with its guard", self.bodies["checked"],
                     guard))]

    def serve(self, ledger, base_url):
        port = free_port()
        config = self.write(f"surety-{port}.json", json.dumps({
            "providers": {"local": {"base_url": base_url}},
            "models": {"small": {"provider": "local", "model": "m"}}}))
        return self.open(
            [self.tool, "serve", "--listen", f"127.0.0.1:{port}", "--config",
             config, "--ledger", ledger, "--max-requests", "20000",
             "--threads", "1"], port)

    def surety(self):
        base_url = f"http://127.0.0.1:{self.model.port}/v1"
        ledger = "sqlite:" + os.path.join(self.folder, "ledger.db")
        return [Contestant(name, self.serve(url, base_url), self.bodies[body])
                for name, url, body in (
                    ("Surety", "none", "plain"),
                    ("Surety, schema", "none", "checked"),
                    ("Surety, schema and ledger", ledger, "checked"))]


# ---- measurements ------------------------------------------------------------

def load(contestant, requests, clients, rate=None, log=None):
    """Sends requests with h2load; fails unless all are answered by 200."""
    command = ["h2load", "--h1", "-t1", f"-n{requests}", f"-c{clients}",
               "-d", contestant.body, "-H", "content-type: application/json",
               "-H", "authorization: Bearer none"]
    for header in contestant.headers:
        command += ["-H", header]
    if rate:
        command += [f"--rps={rate}"]
    if log:
        command += [f"--log-file={log}"]
    done = subprocess.run(
        command + [f"http://127.0.0.1:{contestant.server.port}"
                   "/v1/chat/completions"],
        stdout=subprocess.PIPE, text=True, check=True)
    counts = re.search(r"status codes: (\d+) 2xx", done.stdout)
    if not counts or int(counts[1]) != requests:
        raise Missing(f"{contestant.name}: not all requests are answered")


def latencies(contestant, requests, folder):
    """Sorted times of requests at RATE a second, in µs."""
    log = os.path.join(folder, "times.log")
    load(contestant, requests, 1, RATE, log)
    with open(log, encoding="ascii") as file:
        times = sorted(int(line.split()[2]) for line in file)
    os.remove(log)
    return times


def percentile(times, part):
    return times[min(len(times) - 1, int(len(times) * part))]


def measure_cpu(contestants, rounds, requests):
    for contestant in contestants:
        load(contestant, requests // 4, 16)  # warm
        contestant.first = memory(contestant.pid)
    for _ in range(rounds):
        for contestant in contestants:
            before = used_ns(contestant.pid)
            load(contestant, requests, 16)
            contestant.cpu.append(
                (used_ns(contestant.pid) - before) / requests / 1000)


def measure_added(world, requests):
    """Each is compared with the model right before it."""
    for contestant in world.contestants:
        direct = latencies(world.model_only, requests, world.folder)
        own = latencies(contestant, requests, world.folder)
        contestant.added = [percentile(own, part) - percentile(direct, part)
                            for part in (0.5, 0.99)]


def waiting_bytes(world, count):
    """Memory of a gateway for each of count streams whose model is silent."""
    script = world.write("slow.json", json.dumps({"replies": [
        {"text": REPLY, "delay_ms": 600000}]}))
    port = free_port()
    world.open([world.tool, "mock", "--quiet", "--script", script, "--port",
                str(port)], port)
    server = world.serve("none", f"http://127.0.0.1:{port}/v1")
    body = json.dumps({**CHECKED, "stream": True}).encode()
    request = (b"POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n"
               b"content-type: application/json\r\ncontent-length: "
               + str(len(body)).encode() + b"\r\n\r\n" + body)
    before = memory(server.process.pid)
    clients = []
    try:
        for _ in range(count):
            client = socket.create_connection(("127.0.0.1", server.port), 30)
            client.sendall(request)
            clients.append(client)
        wait_for_memory(server.process.pid)
        return (memory(server.process.pid) - before) / count
    finally:
        for client in clients:
            client.close()


def wait_for_memory(pid):
    """Until the memory of a process has not changed for a second."""
    last, since = memory(pid), time.monotonic()
    while time.monotonic() < since + 1:
        time.sleep(0.1)
        now = memory(pid)
        if now != last:
            last, since = now, time.monotonic()


# ---- the table ---------------------------------------------------------------

def table(world, rounds, requests, waiting, streams):
    least = {each.name: min(each.cpu) for each in world.contestants}
    base = least.get("HAProxy")
    lines = [f"{'a request through':<26} {'CPU µs':>7} {'/HAProxy':>8} "
             f"{'spread':>6} {'added µs: p50':>13} {'p99':>6} "
             f"{'growth KB':>10}"]
    for each in world.contestants:
        grown = memory(each.pid) - each.first
        spread = statistics.median(each.cpu) / least[each.name] - 1
        ratio = f"{least[each.name] / base:>8.2f}" if base else f"{'':>8}"
        lines.append(
            f"{each.name:<26} {least[each.name]:>7.1f} {ratio} "
            f"{100 * spread:>5.0f}% {each.added[0]:>13} {each.added[1]:>6} "
            f"{grown / 1024:>10.0f}")
    lines += ["", f"goals of Surety: with a schema at most 2 times HAProxy's "
              "CPU, with the ledger",
              "4 times; 100 µs added at the median, 1,000 at p99; no growth "
              f"({rounds} rounds of",
              f"{requests:,} requests). A waiting stream takes "
              f"{waiting / 1024:.1f} KiB ({streams:,} at once; goal 32)."]
    if world.missing:
        lines += ["left out: " + "; ".join(world.missing)]
    return lines


def write_page(path, lines):
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(MARKS[0])
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + MARKS[0] + "\n```text\n" + "\n".join(lines) +
                   "\n```\n" + MARKS[1] + rest.split(MARKS[1])[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build")
    parser.add_argument("--quick", action="store_true",
                        help="fewer requests: a minute")
    parser.add_argument("--write", metavar="PAGE",
                        help="put the table into the page")
    options = parser.parse_args()
    if not shutil.which("h2load"):
        sys.exit("gateway.py: h2load is not installed, so nothing is measured")
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    rounds, requests = (3, 2000) if options.quick else (7, 10000)
    streams = 1000 if options.quick else 10000
    streams = min(streams, (most - 1000) // 2)
    with tempfile.TemporaryDirectory() as folder:
        world = World(options.build, folder)
        try:
            measure_cpu(world.contestants, rounds, requests)
            measure_added(world, 400 if options.quick else 2000)
            lines = table(world, rounds, requests,
                          waiting_bytes(world, streams), streams)
        finally:
            world.close()
    print("\n".join(lines))
    if options.write:
        write_page(options.write, lines)


main()

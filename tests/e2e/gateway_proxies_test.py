#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HAProxy and nginx, with the files that docs/deploy.md shows, in front of
three gateways with one PostgreSQL: gateway_proxies_test.py [SURETY]. Under load
each gateway is restarted, one is killed, and then the database. The law: what
is answered with 200 is valid and has its row; a restart costs no request."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from cli_run import ENV, FOLDER, SURETY, check, finish, same, skip
from gateway_run import (BAD_TEXT, GOOD, GOOD_TEXT, end_process, said,
                         schema_members, streamed)
from mock_run import WAIT, Mock, Response, request
from postgres_server import Server, find_programs
from process import lasting_port
from tap import skip_all

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                     "examples", "gateway")
PORTS = ("4141", "4142", "4143")
CLIENTS = 4


class Replica:
    """A gateway on a port that it keeps over restarts."""

    def __init__(self, config, ledger):
        self.port = lasting_port()
        self.arguments = [SURETY, "serve", "--listen",
                          f"127.0.0.1:{self.port}", "--config", config,
                          "--ledger", ledger, "--notice", "4"]
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            self.arguments, env={**ENV, "OUR_KEY": "sk-ours"},
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return self.process.stdout.readline()

    def end(self, how):
        return end_process(self.process, how)


class Proxy:
    """A proxy with the file of the documents, on ports of the test's."""

    def __init__(self, name, program, replicas):
        self.port = lasting_port()
        folder = tempfile.mkdtemp(dir=FOLDER)
        with open(os.path.join(FILES, name), encoding="utf-8") as file:
            text = file.read().replace("127.0.0.1:8080",
                                       f"127.0.0.1:{self.port}")
        for port, replica in zip(PORTS, replicas):
            text = text.replace(f"127.0.0.1:{port}",
                                f"127.0.0.1:{replica.port}")
        path = os.path.join(folder, name)
        if "nginx" in name:
            text = "daemon off;\nmaster_process off;\npid nginx.pid;\n" + text
            line = [program, "-p", folder, "-c", path, "-e", "stderr"]
        else:
            line = [program, "-db", "-f", path]
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.log = tempfile.TemporaryFile(dir=FOLDER)
        self.process = subprocess.Popen(line, cwd=folder, stdout=self.log,
                                        stderr=self.log)

    def dial(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT)

    def call(self, stream):
        try:
            link = self.dial()
            link.sendall(request("openai", stream, model="openai:m",
                                 **schema_members("openai")))
            return Response(link, WAIT)
        except OSError:
            return None

    def wait(self):
        """Until a request is answered through it."""
        until = time.monotonic() + WAIT
        while time.monotonic() < until:
            got = self.call(False)
            if got and got.status == 200:
                return True
            time.sleep(0.05)
        return False

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=WAIT)


class Load:
    """Clients that call until they are told to stop."""

    def __init__(self, proxy):
        self.proxy, self.stops = proxy, threading.Event()
        self.runs, self.wrong, self.failed = set(), [], []
        self.threads = [threading.Thread(target=self.work, args=(i,))
                        for i in range(CLIENTS)]

    def work(self, i):
        while not self.stops.is_set():
            i += 1
            got = self.proxy.call(i % 2 == 0)
            if not got or got.status != 200 or (i % 2 == 0 and not got.whole):
                self.failed.append(got)
                continue
            text = (streamed if i % 2 == 0 else said)("openai", got)
            if json.loads(text) != GOOD:
                self.wrong.append(got)
            self.runs.add(got.header("surety-run"))

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def more(self, count=20):
        """Waits for so many more answers."""
        until, wanted = time.monotonic() + WAIT, len(self.runs) + count
        while len(self.runs) < wanted and time.monotonic() < until:
            time.sleep(0.01)
        return len(self.runs) >= wanted

    def __exit__(self, *_):
        self.stops.set()
        for thread in self.threads:
            thread.join()


def rows(server):
    return set(re.findall(r"[0-9a-f-]{36}", server.sql(
        "SELECT DISTINCT run FROM surety.attempts")))


def law(name, load, server):
    same(f"{name}: no answer is wrong", load.wrong, [])
    same(f"{name}: every answer has its row", load.runs - rows(server), set())


def restarts(name, proxy, replicas, server):
    with Load(proxy) as load:
        check(f"{name}: it answers", load.more())
        for replica in replicas:
            same(f"{name}: a gateway leaves", replica.end(signal.SIGTERM), 0)
            check(f"{name}: others answer", load.more())
            replica.start()
            check(f"{name}: it is back", load.more())
    same(f"{name}: restarts cost no request", load.failed, [])
    law(f"{name}: restarts", load, server)


def kills(name, proxy, replicas, server):
    with Load(proxy) as load:
        load.more()
        replicas[1].end(signal.SIGKILL)
        check(f"{name}: without one that was killed", load.more(100))
    check(f"{name}: at most what it had under way is lost",
          len(load.failed) <= 2 * CLIENTS, load.failed)
    law(f"{name}: a killed gateway", load, server)
    replicas[1].start()


def database(name, proxy, server):
    with Load(proxy) as load:
        load.more()
        server.kill()
        count = len(load.failed)
        until = time.monotonic() + WAIT
        while len(load.failed) < count + 5 and time.monotonic() < until:
            time.sleep(0.01)
        check(f"{name}: without its database it refuses",
              len(load.failed) >= count + 5, load.failed)
        server.start()
        check(f"{name}: and goes on with it", load.more())
    law(f"{name}: a killed database", load, server)


def through(name, program, replicas, server):
    proxy = Proxy(name, program, replicas)
    try:
        check(f"{name}: it serves", proxy.wait())
        restarts(name, proxy, replicas, server)
        kills(name, proxy, replicas, server)
        database(name, proxy, server)
    finally:
        proxy.end()


def main():
    programs = find_programs()
    if not programs:
        skip_all("PostgreSQL's server is not installed")
    server = Server(programs)
    replicas, mock = [], None
    try:
        server.make()
        server.start()
        mock = Mock({"replies": [{"text": BAD_TEXT},
                                 {"text": GOOD_TEXT, "repeat": True}]})
        config = os.path.join(FOLDER, "surety.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"providers": {"openai": {
                "base_url": f"http://127.0.0.1:{mock.port}/v1",
                "key_env": "OUR_KEY"}}}, file)
        replicas = [Replica(config, server.url()) for _ in range(3)]
        path = os.environ["PATH"] + ":/usr/sbin"
        for name, tool in (("haproxy.cfg", "haproxy"),
                           ("nginx.conf", "nginx")):
            program = shutil.which(tool, path=path)
            if program:
                through(name, program, replicas, server)
            else:
                skip(f"{tool} in front", f"{tool} is not installed")
    except RuntimeError as error:
        skip("a server of its own", str(error).replace("\n", " ")[:200])
    finally:
        for replica in replicas:
            if replica.process.poll() is None:
                replica.end(signal.SIGKILL)
        if mock:
            mock.end()
        server.stop("immediate")
        shutil.rmtree(server.folder, ignore_errors=True)
        shutil.rmtree(FOLDER, ignore_errors=True)
    finish()


main()

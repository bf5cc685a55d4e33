# SPDX-License-Identifier: Apache-2.0
"""The world of a soak: gateways with one database, their provider, and what
happens to them. Faults are drawn from the seed; each kind comes once before
any comes again."""

import json
import os
import random
import resource
import signal
import sqlite3
import struct
import subprocess
import tempfile
import time

from cli_run import ENV, FOLDER, SURETY
from gateway_run import end_process
from hostile_run import SANITIZED
from mock_run import WAIT, Mock
from process import lasting_port
from soak_plan import configuration, script

PROVIDER_KEY = "sk-provider-7d1f02c4"
# Less than the time after which a reservation lapses, so that budgets hold.
SHIFT_MS = 400 * 1000


class Replica:
    """A gateway with a port and a clock of its own."""

    def __init__(self, world, number, clock):
        self.world, self.port = world, lasting_port()
        self.log = os.path.join(FOLDER, f"access-{number}.jsonl")
        self.heard = os.path.join(FOLDER, f"errors-{number}")
        self.shift = os.path.join(FOLDER, f"clock-{number}")
        self.jump(0)
        self.env = {**ENV, "OUR_KEY": PROVIDER_KEY, "SOAK_CLOCK": self.shift,
                    "OTEL_EXPORTER_OTLP_ENDPOINT": world.collector}
        if clock and not SANITIZED:
            self.env["LD_PRELOAD"] = clock
        self.arguments = [
            SURETY, "serve", "--listen", f"127.0.0.1:{self.port}", "--config",
            world.config, "--ledger", world.ledger, "--keys", "--log", self.log,
            "--threads", "2" if number == 0 else "1", "--model-pause", "1",
            "--model-failures", "20"]
        self.start()

    def start(self):
        with open(self.heard, "ab") as errors:
            self.process = subprocess.Popen(
                self.arguments, cwd=FOLDER, env=self.env,
                stdout=subprocess.PIPE, stderr=errors)
        return self.process.stdout.readline()

    def end(self, how):
        return end_process(self.process, how)

    def again(self, how):
        """Ends it, and starts it until it is back: its database may be away."""
        code = self.end(how)
        until = time.monotonic() + WAIT
        while not self.start():
            self.process.wait()
            self.process.stdout.close()
            if time.monotonic() > until:
                raise RuntimeError("a gateway does not come back: " +
                                   self.said())
            time.sleep(0.1)
        return code

    def said(self, start=0):
        """What it wrote to standard error from this byte on."""
        with open(self.heard, "rb") as file:
            file.seek(start)
            return file.read().decode(errors="replace")[-2000:]

    def jump(self, milliseconds):
        with open(self.shift, "r+b" if os.path.exists(self.shift)
                  else "wb") as file:
            file.write(struct.pack("=q", milliseconds))

    def memory(self):
        """What it holds of the memory, in KiB."""
        with open(f"/proc/{self.process.pid}/status",
                  encoding="ascii") as file:
            for line in file:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1])
        return 0

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


class World:
    """The provider, the gateways and their database: a PostgreSQL server, or
    None for a file of SQLite's."""

    def __init__(self, seed, server, keys, collector, clock):
        self.chance = random.Random(f"{seed} faults")
        self.server, self.collector = server, collector
        self.config = os.path.join(FOLDER, "surety.json")
        self.file = os.path.join(FOLDER, "soak.db")
        self.ledger = server.url() if server else "sqlite:" + self.file
        self.script = script()
        self.port = lasting_port()
        self.mocks = [Mock(self.script, "--quiet", "--port", str(self.port))]
        self.good = json.dumps(configuration(
            f"http://127.0.0.1:{self.port}", list(keys)))
        self.configure(self.good)
        self.secrets = {name: self.add(name, limits)
                        for name, limits in keys.items()}
        self.replicas = [Replica(self, i, clock)
                         for i in range(3 if server else 1)]
        self.clock = clock
        self.ended, self.done, self.bag = [], [], []

    def configure(self, text):
        with open(self.config + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(self.config + ".new", self.config)

    def add(self, name, limits):
        return subprocess.run(
            [SURETY, "keys", "add", name, *limits, "--ledger", self.ledger],
            cwd=FOLDER, env=ENV, stdout=subprocess.PIPE, check=True,
            stderr=subprocess.DEVNULL).stdout.decode().strip()

    # -- what happens ------------------------------------------------------

    def fault(self):
        """Lets one fault happen, and mends it; its name."""
        if not self.bag:
            self.bag = [self.kill_gateway, self.restart_gateway,
                        self.kill_provider, self.reload_wrong, self.reload]
            self.bag += [self.kill_database] if self.server else [
                self.fill_disk]
            if self.clock and not SANITIZED:
                self.bag.append(self.jump)
            self.chance.shuffle(self.bag)
        fault = self.bag.pop()
        fault()
        self.done.append(fault.__name__)
        return fault.__name__

    def victim(self):
        """A gateway that may die: the first is the one whose memory is
        watched, so it lives where there are others."""
        return self.replicas[self.chance.randrange(1, 3) if self.server else 0]

    def kill_gateway(self):
        self.victim().again(signal.SIGKILL)

    def restart_gateway(self):
        self.ended.append(self.victim().again(signal.SIGTERM))

    def kill_provider(self):
        self.mocks[-1].end(signal.SIGKILL)
        until = time.monotonic() + WAIT
        while time.monotonic() < until:
            self.mocks.append(Mock(self.script, "--quiet", "--port",
                                   str(self.port)))
            if self.mocks[-1].port:
                return
            self.mocks.pop().end()
            time.sleep(0.05)
        raise RuntimeError("the provider does not come back")

    def kill_database(self):
        self.server.kill()
        time.sleep(self.chance.random() / 2)
        self.server.start()

    def fill_disk(self):
        """No file of the gateway's may grow. To SQLite this is an error of the
        disk, from which its ledger recovers by itself."""
        pid = self.replicas[0].process.pid
        _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, most))
        time.sleep(self.chance.random() / 2)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))

    def reload_wrong(self):
        self.configure(self.chance.choice((
            "{", '{"models": {"a": {"provider": "none-such", "model": "m"}}}',
            '{"retry": {"max": "many"}}', self.good[:-20])))
        self.hang_up("stays as it was")
        self.configure(self.good)

    def reload(self):
        self.hang_up("was read again")

    def hang_up(self, text):
        """Lets each gateway read its file again, and waits until it has said
        what became of it."""
        for replica in self.replicas:
            start = os.path.getsize(replica.heard)
            replica.process.send_signal(signal.SIGHUP)
            until = time.monotonic() + WAIT
            while text not in replica.said(start):
                if time.monotonic() > until:
                    raise RuntimeError(f"a gateway does not say it {text}: " +
                                       replica.said())
                time.sleep(0.02)

    def jump(self):
        self.chance.choice(self.replicas).jump(
            self.chance.randint(-SHIFT_MS, SHIFT_MS))

    # -- rows and calls ----------------------------------------------------

    def end(self):
        """Ends all that runs; the exit codes of the gateways."""
        codes = [replica.end(signal.SIGTERM) for replica in self.replicas]
        self.mocks[-1].end()
        return codes

    def rows(self, statement):
        """The rows of a SELECT, with @ before each table, as texts."""
        if not self.server:
            with sqlite3.connect(self.file) as ledger:
                return [[str(cell) for cell in row] for row in
                        ledger.execute(statement.replace("@", ""))]
        text = self.server.sql(statement.replace("@", "surety."))
        return [line.split("|") for line in text.splitlines()]

    def calls(self):
        """How many calls of each model the provider carried out."""
        found = {}
        for mock in self.mocks:
            with open(mock.log, encoding="utf-8") as file:
                for line in file:
                    call = json.loads(line) if line.endswith("\n") else {}
                    if call.get("status") == 200:
                        model = call["model"]
                        found[model] = found.get(model, 0) + 1
        return found

    def texts(self):
        """All that was written anywhere: (name, bytes)."""
        folders = [FOLDER] + ([self.server.folder] if self.server else [])
        for folder in folders:
            for place, _, names in os.walk(folder):
                for name in names:
                    path = os.path.join(place, name)
                    if os.path.isfile(path):
                        with open(path, "rb") as file:
                            yield path, file.read()
        for mock in self.mocks:
            yield "the provider's errors", mock.heard().encode()

# SPDX-License-Identifier: Apache-2.0
"""What the tests of ledgers share: the probe as a process that is spoken to."""

import os
import queue
import subprocess
import sys
import tempfile
import threading
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import check, finish, same, skip  # noqa: E402, F401

PROBE = os.path.abspath(sys.argv[1])
FOLDER = tempfile.mkdtemp(prefix="surety-ledger-")
WAIT = 300  # seconds; more than any probe waits for its ledger


class Probe:
    """A process that has a ledger open."""

    def __init__(self, url, timeout_ms=10000, before=None, env=None):
        self.process = subprocess.Popen(
            [PROBE, url, str(timeout_ms)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, cwd=FOLDER, text=True, preexec_fn=before,
            env=os.environ | (env or {}))
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.opened = self.line()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def line(self):
        """The next answer; "" where the process has ended."""
        try:
            return self.lines.get(timeout=WAIT) or ""
        except queue.Empty:
            self.process.kill()
            return "silence"

    def send(self, *words):
        try:
            self.process.stdin.write(" ".join(map(str, words)) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def ask(self, *words):
        self.send(*words)
        return self.line()

    def rows(self):
        """{id: state} of all entries, and how many there were."""
        self.send("each", 0)
        states, count = {}, 0
        while True:
            line = self.line()
            if not line or line.startswith(("ok each", "error", "silence")):
                return states, count
            words = line.split()
            states[words[0]] = words[1]
            count += 1

    def close(self):
        self.send("close")
        last = self.line()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait(timeout=WAIT)
        self.reader.join()
        self.process.stdout.close()
        return last

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.stdout.close()
        got = []
        while not self.lines.empty():
            got.append(self.lines.get())
        return [line for line in got if line]


def new_id():
    return str(uuid.uuid4())


def told(name, line, status, *parts):
    """An error of that status with those words and with a hint."""
    check(name, line.startswith(f"error {status} ")
          and all(part in line for part in parts)
          and not line.endswith("| "), line)


def refused(name, url, status, *parts, **options):
    """A ledger that cannot be opened."""
    probe = Probe(url, **options)
    told(name, probe.opened, status, *parts)
    probe.kill()

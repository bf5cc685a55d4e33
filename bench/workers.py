# SPDX-License-Identifier: Apache-2.0
"""The processes that bench.py lets take turns, and what a command took."""

import glob
import json
import math
import os
import platform
import re
import signal
import statistics
import subprocess
import threading

# A tool that is silent for so long is ended.
PATIENCE_S = 60
# How often Blaze goes round the documents; the first time does not count.
BLAZE_ROUNDS = 6
# As REPEAT in bench.c.
REPEAT = 20


class Worker:
    """A process that holds a set and does one work at a time; bench.c says how
    it is spoken to. works is empty where it cannot, for the reason in
    problem."""

    def __init__(self, command, env):
        self.works, self.verdicts, self.problem = [], "", None
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True, env=env,
                start_new_session=True)
        except OSError as error:
            self.process, self.problem = None, error.strerror
            return
        try:
            hello = json.loads(self._line())
            self.problem = hello.get("error")
            self.works = hello.get("works", [])
            self.verdicts = hello.get("verdicts", "")
        except ValueError:
            self.problem = "it crashed, or took too long"

    def _line(self):
        timer = threading.Timer(PATIENCE_S, os.killpg,
                                (self.process.pid, signal.SIGKILL))
        timer.start()
        try:
            return self.process.stdout.readline()
        finally:
            timer.cancel()

    def time(self, work, ms):
        """Nanoseconds of one pass; None where it crashed or took too long."""
        try:
            self.process.stdin.write(f"{work} {ms}\n")
            self.process.stdin.flush()
            spent = float(self._line())
        except (OSError, ValueError):
            return None
        return spent if spent > 0 else None

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()


class Blaze:
    """The same face over Blaze's own tool, which is all of it that a package
    registry has. It prints what each document took by the wall clock, less what
    reading the clock takes. It gets the documents several times over, and the
    first time, when all is cold, does not count; of the others the median
    does."""
    LINE = re.compile(r"(?:\[(\d+)\])?: (PASS|FAIL) ([\d.]+) ")

    def __init__(self, modules, schema, lines, folder):
        machine = {"aarch64": "arm64", "amd64": "x86_64"}.get(
            platform.machine().lower(), platform.machine())
        found = glob.glob(os.path.join(
            modules, "@sourcemeta/jsonschema/build/github-releases",
            f"jsonschema-{platform.system().lower()}-{machine}"))
        self.works, self.verdicts, self.problem = [], "", None
        if not found:
            self.problem = "npm has no binary of it for this machine"
            return
        with open(lines, encoding="utf-8") as file:
            self.documents = file.read().splitlines()
        self.rounds = os.path.join(folder, "blaze.jsonl")
        with open(self.rounds, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in self.documents) *
                       BLAZE_ROUNDS)
        self.command = [found[0], "validate", "--fast", "--continue",
                        "--benchmark", schema, self.rounds, "--loop"]
        self.verdicts = "".join("1" if word == "PASS" else "0" for _, word, _ in
                                self._lines(1)[:len(self.documents)])
        if self.verdicts:
            self.works = ["Blaze check", "Blaze again"]
        else:
            self.problem = "it does not take this schema"

    def _lines(self, loop):
        try:
            done = subprocess.run(
                self.command + [str(loop)], text=True, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, timeout=PATIENCE_S, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return []
        return sorted(self.LINE.findall(done.stdout),
                      key=lambda line: int(line[0] or 0))

    def time(self, work, _):
        us = [float(us) for _, _, us in
              self._lines(REPEAT if work == "Blaze again" else 1)]
        count = len(self.documents)
        if len(us) != count * BLAZE_ROUNDS:
            return None
        return 1000 * sum(statistics.median(us[document + count::count])
                          for document in range(count))

    def close(self):
        if self.works:
            os.remove(self.rounds)


def taken(launcher, command, env, folder):
    """(processor s, peak bytes) of a command; not a number where it failed."""
    path = os.path.join(folder, "usage.txt")
    subprocess.run([launcher, path, *command], env=env, check=False,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    try:
        with open(path, encoding="utf-8") as file:
            used_us, peak_kib, status = map(int, file.read().split())
        os.remove(path)
    except (OSError, ValueError):
        return math.nan, math.nan
    if status >> 8 not in (0, 1):
        return math.nan, math.nan
    return used_us / 1e6, peak_kib * 1024

# SPDX-License-Identifier: Apache-2.0
"""The tools that bench.py lets take turns, and how each is had and driven."""

import glob
import json
import math
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
# Blaze's own loop over a document, and the work "again" of bench.c.
REPEAT = 20
# A tool that says nothing for so long is ended.
PATIENCE_S = 60

# -- having them ---------------------------------------------------------------


def quiet(command, **options):
    """What command prints; None where it cannot be run or fails."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, check=True,
                              stdin=subprocess.DEVNULL, **options).stdout
    except (OSError, subprocess.SubprocessError):
        return None


def install_peers(folder):
    """npm's packages, in folder; they are fetched once. Says what is wrong,
    or gives None."""
    wanted = os.path.join(HERE, "package.json")
    have = os.path.join(folder, "package.json")
    done = os.path.join(folder, "node_modules", ".package-lock.json")
    if not shutil.which("node"):
        return "node is not installed"
    if os.path.exists(done) and quiet(["cmp", wanted, have]) is not None:
        return None
    if not shutil.which("npm"):
        return "npm is not installed"
    os.makedirs(folder, exist_ok=True)
    shutil.copy(wanted, have)
    print("bench: installing the peers from npm, once", file=sys.stderr)
    if quiet(["npm", "install", "--no-audit", "--no-fund",
              "--ignore-scripts", "--legacy-peer-deps", "--loglevel=error"],
             cwd=folder, timeout=300) is None:
        os.path.exists(have) and os.remove(have)
        return "npm could not install it (is there a network?)"
    return None


def blaze_binary(modules):
    """The tool itself, without the script that starts it."""
    machine = {"aarch64": "arm64", "amd64": "x86_64"}.get(
        platform.machine().lower(), platform.machine())
    found = glob.glob(os.path.join(
        modules, "@sourcemeta/jsonschema/build/github-releases",
        f"jsonschema-{platform.system().lower()}-{machine}"))
    return found[0] if found else None


def python_with_fastjsonschema():
    for python in (sys.executable, "/usr/bin/python3"):
        if quiet([python, "-c", "import fastjsonschema"]) is not None:
            return python
    return None


# -- driving them --------------------------------------------------------------


class Usage:
    """What a command took, by launch.c."""

    def __init__(self, folder, name):
        self.path = os.path.join(folder, f"usage.{name.replace(' ', '-')}.txt")
        self.launcher = [os.path.join(folder, "bench-launch"), self.path]

    def read(self):
        """(wall s, user s, peak bytes, whether it could be run)."""
        try:
            with open(self.path, encoding="utf-8") as file:
                wall, user, peak, status = map(int, file.read().split())
            os.remove(self.path)
        except (OSError, ValueError):
            return math.nan, math.nan, 0, False
        return wall / 1e9, user / 1e6, peak * 1024, status >> 8 in (0, 1)


class Worker:
    """A process that holds a data set and does one work at a time; see
    bench.c for what is said. `problem` is set where it cannot."""

    def __init__(self, name, command, env, usage):
        self.name = name
        self.usage = usage
        self.times = {}
        self.problem = None
        self.verdicts = ""
        self.rss = 0
        try:
            self.process = subprocess.Popen(
                [*usage.launcher, *command], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                env=env, start_new_session=True)
        except OSError as error:
            self.process = None
            self.problem = error.strerror
            return
        try:
            hello = json.loads(self._line())
            self.verdicts = hello.get("verdicts", "")
            self.problem = hello.get("error")
        except ValueError:
            self.problem = "it crashed, or took too long"

    def _line(self):
        # The group, for the launcher is not all of it.
        timer = threading.Timer(PATIENCE_S, os.killpg,
                                (self.process.pid, signal.SIGKILL))
        timer.start()
        try:
            return self.process.stdout.readline()
        finally:
            timer.cancel()

    def work(self, name, ms):
        """Nanoseconds of one pass; None where it does not do this."""
        try:
            self.process.stdin.write(f"{name} {ms}\n")
            self.process.stdin.flush()
            spent = float(self._line())
        except (OSError, ValueError):
            self.problem = self.problem or f"{name}: it crashed, or took " \
                                           "too long"
            return None
        return spent if spent > 0 else None

    def add(self, work, spent):
        self.times.setdefault(work, []).append(spent)

    def close(self):
        if not self.process:
            return
        try:
            self.process.stdin.close()
        except OSError:
            pass
        self.process.wait()
        self.process.stdout.close()
        self.rss = self.usage.read()[2]


class Blaze:
    """The same face over a tool that runs its own loop: `validate --benchmark`
    gives each document's mean, the clock's own time taken off."""
    LINE = re.compile(r"(?:\[(\d+)\])?: (PASS|FAIL) ([\d.]+) ")
    name = "Blaze"
    rss = 0

    def __init__(self, binary, one):
        self.command = [binary, "validate", "--fast", "--continue",
                        "--benchmark", "--loop"]
        self.files = [one.schema, one.lines]
        self.problem, self.times = None, {}
        self.documents = {}  # of each the means, for it only has a wall clock
        lines = self._run(1)
        self.verdicts = "".join(
            "1" if word == "PASS" else "0"
            for _, word, _ in sorted(lines, key=lambda line: int(line[0] or 0)))
        if not lines:
            self.problem = "it does not take this schema"

    def _run(self, loop):
        try:
            done = subprocess.run(
                self.command + [str(loop)] + self.files, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                timeout=PATIENCE_S)
        except (OSError, subprocess.TimeoutExpired):
            return []
        return self.LINE.findall(done.stdout)

    def work(self, name, ms):
        if name != "again":
            return None
        for number, _, us in self._run(REPEAT):
            self.documents.setdefault(number, []).append(float(us))
        return sum(map(statistics.median, self.documents.values())) * 1000

    def add(self, work, spent):
        self.times[work] = [spent]  # each has all turns in it

    def close(self):
        pass

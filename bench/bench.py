#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make bench: Surety and its peers side by side; docs/performance.md says
what each row means.

    bench.py BUILD [--only WORD] [--rounds N] [--ms N] [--replies N]

Nobody's figure is worth anything alone: the tools take turns, every figure is
the median of its turns, and a row is the ratio of two such medians. A peer
that is not there, or that judges documents otherwise than Surety does, is
named under the table and left out of the row."""

import argparse
import glob
import hashlib
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
import time

sys.dont_write_bytecode = True
import data  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
PARSERS = ("jansson", "rapidjson", "simdjson")
DAMAGED = ("events", "trend", "openapi-3.0", "pulumi", "code-climate",
           "npm-manifest")
BLAZE_LOOP = 20
PATIENCE_S = 60
WARM_MS = 60
# Turns of one work of one tool end here, so that a slow peer does not make
# everybody wait; they were two at least.
TURNS_S = 0.6

# -- the tools -----------------------------------------------------------------


def quiet(command, **options):
    """What command prints; None where it cannot be run or fails."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, check=True,
                              stdin=subprocess.DEVNULL, **options).stdout
    except (OSError, subprocess.CalledProcessError):
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


class Usage:
    """What a command took, by launch.c."""

    def __init__(self, folder, name):
        self.path = os.path.join(folder, f"usage.{name}.txt")
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
    LINE = re.compile(r"\[(\d+)\]: (PASS|FAIL) ([\d.]+) ")
    name = "Blaze"
    rss = 0

    def __init__(self, binary, one):
        self.command = [binary, "validate", "--fast", "--continue",
                        "--benchmark", "--loop"]
        self.files = [one.schema, one.instances]
        self.problem, self.times = None, {}
        self.documents = {}  # of each the means, for it only has a wall clock
        lines = self._run(1)
        self.verdicts = "".join(
            "1" if word == "PASS" else "0"
            for _, word, _ in sorted(lines, key=lambda line: int(line[0])))
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
        if name != "check":
            return None
        for number, _, us in self._run(BLAZE_LOOP):
            self.documents.setdefault(number, []).append(float(us))
        return sum(map(statistics.median, self.documents.values())) * 1000

    def add(self, work, spent):
        self.times[work] = [spent]  # each has all turns in it

    def close(self):
        pass


# -- one data set --------------------------------------------------------------


class Bench:
    def __init__(self, options):
        self.options = options
        self.build = os.path.abspath(options.build)
        self.folder = os.path.join(self.build, "bench")
        with open(os.path.join(HERE, "data.py"), "rb") as file:
            stamp = hashlib.sha256(file.read()).hexdigest()[:8]
        self.data = data.Folder(os.path.join(self.folder, "data-" + stamp))
        peers = os.path.join(self.folder, "peers")
        self.npm_problem = install_peers(peers)
        self.modules = os.path.join(peers, "node_modules")
        self.env = {**os.environ, "NODE_PATH": self.modules, "LC_ALL":
                    "C.UTF-8", "SURETY_CONTRACTS": "",
                    "PYTHONDONTWRITEBYTECODE": "1"}
        self.blaze = blaze_binary(self.modules)
        self.python = python_with_fastjsonschema()
        self.rows = []   # (set, bytes, documents, {tool: {work: ns}})
        self.notes = {}  # what somebody could not do: [sets]
        self.memory = {}

    def note(self, text, name):
        self.notes.setdefault(text, []).append(name)

    def sets(self):
        shared = os.path.join(SOURCE, "..", "shared", "data", "schemas")
        sets = list(data.shared_sets(shared))
        if not sets:
            self.note("../shared/data/schemas is not there", "its data sets")
        if not self.npm_problem:
            sets += data.npm_sets(self.data, self.modules, SOURCE)
        sets += data.made_sets(self.data, SOURCE)
        sets += data.census_text(self.data)
        sets += data.damaged_sets(self.data, sets, DAMAGED)
        return [one for one in sets
                if re.search(self.options.only, "set " + one.name)]

    def workers(self, one):
        schema = one.schema or "-"
        # A set without documents is only compiled; the schema is then its
        # own document, so that the tools have something to hold.
        files = [schema, one.instances or schema]
        built = os.path.join(self.folder, "bench-")
        yield self.worker("Surety", built + "surety", *files)
        if one.kind in ("real", "made", "text"):
            for name in PARSERS:
                yield self.worker(name, built + "parsers", name, files[1])
        if not self.npm_problem:
            for name in (("json",) if one.kind == "text" else
                         ("ajv", "schemasafe")):
                yield self.worker(name, "node", os.path.join(HERE, "peers.js"),
                                  "set", name, *files)
        if one.instances and one.schema:
            if self.blaze:
                yield Blaze(self.blaze, one)
            if self.python:
                yield self.worker("fastjsonschema", self.python, os.path.join(
                    HERE, "peer_python.py"), *files)

    def worker(self, name, *command):
        return Worker(name, command, self.env, Usage(self.folder, name))

    def works(self, one):
        if one.kind == "text":
            return ("parse",)
        if one.kind == "compile":
            return ("compile",)
        if one.kind == "damaged":
            return ("check", "bytes")
        return ("parse", "check", "bytes", "compile")

    def measure(self, one):
        workers = list(self.workers(one))
        surety = workers[0]
        works = self.works(one)
        for worker in workers:
            if worker.problem:
                self.note(f"{worker.name}: {worker.problem}", one.name)
            elif one.instances and worker.name not in PARSERS and (
                    worker.verdicts != surety.verdicts):
                differ = sum(a != b for a, b in zip(worker.verdicts,
                                                    surety.verdicts))
                self.note(f"{worker.name} judges otherwise than Surety",
                          f"{one.name} ({differ} of "
                          f"{len(surety.verdicts)})")
                worker.problem = "judges otherwise"
        able = [(worker, work) for work in works for worker in workers
                if not worker.problem
                and worker.work(work, WARM_MS) is not None]
        used = dict.fromkeys(able, 0.0)
        for turn in range(self.options.rounds):
            for worker, work in able:
                if turn > 1 and used[worker, work] > TURNS_S:
                    continue
                start = time.monotonic()
                spent = worker.work(work, self.options.ms)
                used[worker, work] += time.monotonic() - start
                if spent is not None:
                    worker.add(work, spent)
        for worker in workers:
            worker.close()
        self.keep(one, workers)

    def keep(self, one, workers):
        count = len(workers[0].verdicts) or 1
        times = {worker.name: {work: statistics.median(spent)
                               for work, spent in worker.times.items()}
                 for worker in workers}
        if "ajv" in times or "json" in times:
            node = times.setdefault("ajv", {})
            parse = node.pop("parse", times.get("json", {}).get("parse"))
            if parse:
                times["JSON.parse"] = {"parse": parse}
        times.pop("json", None)
        size = sum(os.path.getsize(path) for path in (one.instances,) if path)
        schema = os.path.getsize(one.schema) if one.schema else 0
        self.rows.append((one, size, schema, count, times))
        if one.name == "census-text":
            self.memory = {{"json": "JSON.parse"}.get(
                worker.name, worker.name): worker.rss for worker in workers}

    # -- whole processes -------------------------------------------------------

    def process(self, command):
        """What Usage.read gives, of one command."""
        usage = Usage(self.folder, "process")
        subprocess.run([*usage.launcher, *command], env=self.env, check=False,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return usage.read()

    def contest(self, tools, rounds):
        """Medians of {name: [command, ...]}, the commands of a tool summed,
        the tools taking turns."""
        turns = {name: [] for name in tools}
        for _ in range(rounds):
            for name, commands in tools.items():
                runs = [self.process(command) for command in commands]
                turns[name].append((sum(run[0] for run in runs),
                                    sum(run[1] for run in runs),
                                    max(run[2] for run in runs)))
        return {name: [statistics.median(column) for column in zip(*runs)]
                for name, runs in turns.items()}

    def jobs(self):
        """(title, bytes, replies, rounds, {tool: commands})."""
        def contract(name):
            return os.path.join(SOURCE, "contracts", name + ".json")

        def node(*arguments):
            return ["node", os.path.join(HERE, "peers.js"), *arguments]

        tool = os.path.join(self.build, "surety")
        peers = () if self.npm_problem else ("ajv", "jsonrepair")
        name = "census/agent-output"
        for mark, path in data.census_replies(self.data, 5_000_000).items():
            yield (f"one reply of 5 MB, {mark}", os.path.getsize(path), 1,
                   self.options.rounds, {
                       "Surety": [[tool, "check", "-c", name, path]],
                       **{peer: [node("reply", peer, contract(name), path)]
                          for peer in peers}})
        files = data.small_replies(self.data, self.options.replies, SOURCE)
        ruled = [("trend/iteration-response", next(iter(files.values())))]
        for title, work in (
                (f"{self.options.replies:,} small replies", files.items()),
                ("a third of them, with a jq rule", ruled)):
            yield (title, sum(os.path.getsize(path) for _, path in work),
                   self.options.replies // (1 if work is not ruled else 3), 3,
                   {**{f"Surety, {jobs} job" + "s" * (jobs > 1): [
                       [tool, "check", "-c", name, "--jsonl", "--jobs",
                        str(jobs), path] for name, path in work]
                       for jobs in (1, 2)},
                    **{peer: [node("replies", peer, name, path)
                              for name, path in work]
                       for peer in peers if work is not ruled}})
        path = data.one_reply(self.data)
        name = "user-story/iteration-output"
        yield ("start to verdict, one small reply", os.path.getsize(path), 1,
               4 * self.options.rounds, {
                   "Surety": [[tool, "check", "-c", name, path]],
                   **({} if self.npm_problem else {
                       "node -e ''": [["node", "-e", ""]]}),
                   **{peer: [node("reply", peer, contract(name), path)]
                      for peer in peers}})

    # -- the table -------------------------------------------------------------

    def ratios(self, work, kinds, peer):
        """[(set, Surety ns, peer ns, units, bytes)] where both did it."""
        for one, size, schema, count, times in self.rows:
            ours = times["Surety"].get(work)
            theirs = times.get(peer, {}).get(work)
            if ours and theirs and one.kind in kinds:
                if work == "compile":
                    yield one.name, ours, theirs, 1, schema
                else:
                    yield one.name, ours, theirs, count, size

    def print_sets(self):
        whole = ("real", "made")
        print(f"{'what':<16} {'peer':<15} {'sets':>4} {'Surety':>9} "
              f"{'peer':>9} {'Surety':>7} {'peer':>7} {'ratio':>6} "
              f"{'worst':>6}  on")
        print(f"{'':<37} {'ns each':>9} {'ns each':>9} {'MB/s':>7} "
              f"{'MB/s':>7}")
        for title, work, kinds, peers in (
                ("parse", "parse", whole + ("text",),
                 PARSERS + ("JSON.parse",)),
                ("check", "check", whole,
                 ("Blaze", "ajv", "schemasafe", "fastjsonschema")),
                ("check, damaged", "check", ("damaged",),
                 ("Blaze", "ajv", "schemasafe", "fastjsonschema")),
                ("bytes to verdict", "bytes", whole + ("damaged",),
                 ("ajv", "schemasafe", "fastjsonschema")),
                ("schema compile", "compile", whole + ("compile",),
                 ("ajv", "schemasafe", "fastjsonschema"))):
            for peer in peers:
                print_row(title, peer, list(self.ratios(work, kinds, peer)))
                title = ""
        if self.memory:
            print("peak memory of a process that reads one 5 MB text: " +
                  ", ".join(f"{name} {rss / 1e6:.0f} MB"
                            for name, rss in self.memory.items() if rss))

    def print_jobs(self):
        print(f"\n{'whole process':<36} {'tool':<15} {'wall ms':>8} "
              f"{'user ms':>8} {'MB/s':>6} {'each µs':>8} {'peak MB':>8} "
              f"{'ratio':>6}")
        for title, size, count, rounds, tools in self.jobs():
            if not re.search(self.options.only, "process " + title):
                continue
            results = self.contest(tools, rounds)
            first = next(iter(results.values()))[0]
            for name, (wall, user, peak) in results.items():
                ratio = ("" if name.startswith("Surety") else
                         f"{first / wall:.2f}")
                print(f"{title:<36} {name:<15} {wall * 1e3:>8.1f} "
                      f"{user * 1e3:>8.1f} {size / wall / 1e6:>6.0f} "
                      f"{wall / count * 1e6:>8.1f} {peak / 1e6:>8.1f} "
                      f"{ratio:>6}", flush=True)
                title = ""

    def write_details(self):
        path = os.path.join(self.folder, "sets.tsv")
        with open(path, "w", encoding="utf-8") as file:
            print("set", "kind", "documents", "bytes", "work", "tool",
                  "ns_each", "mb_s", "surety_ratio", sep="\t", file=file)
            for one, size, schema, count, times in self.rows:
                for work in self.works(one):
                    units, length = ((1, schema) if work == "compile" else
                                     (count, size))
                    ours = times["Surety"].get(work)
                    for tool, works in times.items():
                        if work in works:
                            spent = works[work]
                            print(one.name, one.kind, units, length, work,
                                  tool, f"{spent / units:.1f}",
                                  f"{length / spent * 1e3:.1f}",
                                  f"{ours / spent:.3f}" if ours else "",
                                  sep="\t", file=file)
        print(f"\neach set: {os.path.relpath(path)}")

    def run(self):
        print(machine(self.build))
        if self.npm_problem:
            self.note(self.npm_problem,
                      "ajv, schemasafe, Blaze, jsonrepair and JSON.parse")
        elif not self.blaze:
            self.note("it has no binary for this machine", "Blaze")
        if not self.python:
            self.note("not installed", "fastjsonschema")
        for one in self.sets():
            if sys.stderr.isatty():
                print(f"\r\033[K{one.name}", end="", file=sys.stderr)
            self.measure(one)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        if self.rows:
            self.print_sets()
        self.print_jobs()
        if self.notes:
            print("\nnot counted:")
            for text, names in self.notes.items():
                print(f"  {text}: {', '.join(names)}")
        self.write_details()


def print_row(title, peer, found):
    if not found:
        print(f"{title:<16} {peer:<15}    0  (not there: see below)")
        return

    def mean(values):
        return math.exp(statistics.fmean(math.log(v) for v in values))
    worst = max(found, key=lambda row: row[1] / row[2])
    print(f"{title:<16} {peer:<15} {len(found):>4} "
          f"{mean(row[1] / row[3] for row in found):>9.0f} "
          f"{mean(row[2] / row[3] for row in found):>9.0f} "
          f"{mean(row[4] / row[1] * 1e3 for row in found):>7.0f} "
          f"{mean(row[4] / row[2] * 1e3 for row in found):>7.0f} "
          f"{mean(row[1] / row[2] for row in found):>6.2f} "
          f"{worst[1] / worst[2]:>6.2f}  {worst[0]}")


def machine(build):
    """The line that says where this was measured."""
    model = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = re.search(r"model name\s*: (.*)", file.read())[1]
    except (OSError, TypeError):
        pass
    compiler = "compiler?"
    try:
        with open(os.path.join(build, "compile_commands.json"),
                  encoding="utf-8") as file:
            program = json.load(file)[0]["command"].split()[0]
        compiler = quiet([program, "--version"]).split("\n")[0]
    except (OSError, ValueError, AttributeError):
        pass
    node = (quiet(["node", "--version"]) or "no node").strip()
    return (f"{model}, {os.cpu_count()} cores; {compiler}; "
            f"node {node}; load {os.getloadavg()[0]:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="",
                        help="a pattern: 'set NAME' or 'process TITLE'")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ms", type=int, default=15,
                        help="of each work in each round, at least")
    parser.add_argument("--replies", type=int, default=100_000)
    Bench(parser.parse_args()).run()


main()

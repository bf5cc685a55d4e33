#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make bench: Surety and its peers side by side; docs/performance.md says
what each row means.

    bench.py BUILD [--only PATTERN] [--rounds N] [--ms N] [--minutes N]

Nobody's figure is worth anything alone: the tools take turns, every figure is
the median of its turns, and a row is the ratio of two such medians. A peer
that is not there, or that judges documents otherwise than Surety does, is
named under the table and left out of the row."""

import argparse
import hashlib
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import data  # noqa: E402
import workers  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
DAMAGED = ("events", "trend", "openapi-3.0", "pulumi", "code-climate",
           "manifest", "rows-200B", "rows-10K", "log-10K")
# A work is done for so long before its turns; a tool has two turns at least,
# and no more once they took so long together.
WARM_MS = 60
TURNS_S = 0.6
# The share of --minutes that the data sets may take.
SETS_SHARE = 0.7
# fastjsonschema takes seconds a pass above this.
SLOW_BYTES_MAX = 2_000_000

# Sets that are named of those that somebody could not do.
NAMES_MAX = 10

PARSERS = ("simdjson", "yyjson", "rapidjson", "jansson")
NODE = ("ajv", "standalone", "schemasafe")
# What is done with a set, by its kind.
WORKS = {
    "real": ("parse", "check", "again", "bytes", "compile",
             "recall"),
    "made": ("parse", "check", "written", "again", "bytes",
             "compile", "recall"),
    "sized": ("parse", "check", "written", "again", "bytes"),
    "spaced": ("parse", "bytes"),
    "damaged": ("check", "written", "again", "bytes"),
    "compile": ("compile", "recall"),
    "text": ("parse",),
    "reply": ("extract", "judge"),
    "dirty": ("judge",),
    "loose": ("judge",),
    "stream": ("stream",),
}
REPLIES = ("reply", "dirty", "loose")
OF_SCHEMAS = ("compile", "recall")
# And by whom, where not all of it: what a tool does no differently from
# another, or cannot be asked.
ONLY = {**dict.fromkeys(PARSERS, ("parse",)), "standalone": ("check",),
        "Blaze": ("again",)}

WHOLE = ("real", "made", "sized")
CHECKERS = ("ajv", "standalone", "schemasafe", "fastjsonschema")
# Peers that are none: the fastest of PARSERS, Surety without its cache, and C
# written for one schema (written.c).
FASTEST = "fastest parser"
UNCACHED = "no cache"
WRITTEN = "written out"
# (title, work, kinds, peers)
ROWS = (
    ("parse", "parse", WHOLE + ("spaced", "text"), PARSERS + ("JSON.parse",)),
    ("check", "check", WHOLE, CHECKERS + (WRITTEN,)),
    ("check, again", "again", WHOLE, ("Blaze",)),
    ("damaged", "check", ("damaged",), CHECKERS + (WRITTEN,)),
    ("damaged, again", "again", ("damaged",), ("Blaze",)),
    ("bytes", "bytes", WHOLE + ("spaced", "damaged"),
     ("ajv", "schemasafe", "fastjsonschema", FASTEST)),
    ("compile", "compile", ("real", "made", "compile"),
     ("ajv", "schemasafe", "fastjsonschema")),
    ("compile, cached", "recall", ("real", "made", "compile"), (UNCACHED,)),
)
# Of replies each set is a row: (work, kind, peers). A peer of dirty replies
# reads them as it can, and ajv judges; coerce is ajv with coerceTypes.
READERS = ("jsonrepair", "best-effort", "partial-json", "ai")
REPLY_ROWS = (("extract", "reply", ("JSON.parse",)),
              ("judge", "reply", ("ajv",)), ("judge", "dirty", READERS),
              ("judge", "loose", ("coerce",)), ("stream", "stream", READERS))
# Above this, readers that begin anew for every piece take minutes.
STREAM_BYTES_MAX = 20_000


class Bench:
    def __init__(self, options):
        self.options = options
        self.build = os.path.abspath(options.build)
        self.folder = os.path.join(self.build, "bench")
        self.data = data.Folder(os.path.join(self.folder, "data-" + stamp(
            "data.py", "schemas.py", "package.json")))
        peers = os.path.join(self.folder, "peers")
        self.npm_problem = workers.install_peers(peers)
        self.modules = os.path.join(peers, "node_modules")
        self.env = {**os.environ, "NODE_PATH": self.modules, "LC_ALL":
                    "C.UTF-8", "SURETY_CONTRACTS": "",
                    "PYTHONDONTWRITEBYTECODE": "1"}
        self.blaze = workers.blaze_binary(self.modules)
        self.python = workers.python_with_fastjsonschema()
        self.ends = time.monotonic() + 60 * options.minutes * SETS_SHARE
        self.rows = []   # (set, bytes, schema's bytes, documents,
        #                   {tool: {work: ns}})
        self.notes = {}  # what somebody could not do: [sets]
        self.memory = {}

    def note(self, text, name):
        names = self.notes.setdefault(text, [])
        if name not in names:
            names.append(name)

    # -- data sets -------------------------------------------------------------

    def sets(self):
        shared = os.path.join(SOURCE, "..", "shared", "data", "schemas")
        sets = list(data.shared_sets(shared))
        if not sets:
            self.note("../shared/data/schemas is not there", "its data sets")
        if not self.npm_problem:
            sets += data.npm_sets(self.data, self.modules, SOURCE)
        sets += data.made_sets(self.data, SOURCE)
        sets += data.sized_sets(self.data)
        sets += data.census_text(self.data)
        sets += data.damaged_sets(self.data, sets, DAMAGED)
        sets += data.reply_sets(self.data)
        sets += data.stream_sets(self.data)
        return [one for one in sets
                if re.search(self.options.only, "set " + one.name)]

    def workers(self, one):
        """Those that are asked to do one; Surety first."""
        mode = ("reply" if one.kind in REPLIES else
                "stream" if one.kind == "stream" else "set")
        schema = one.schema or "-"
        # A set without documents is only compiled; the schema is then its
        # own document, so that the tools have something to hold.
        files = [schema, one.instances or schema]
        yield self.worker("Surety", self.program("surety"), mode, *files)
        if "parse" in WORKS[one.kind]:
            for name in PARSERS:
                yield self.worker(name, self.program("parsers"), name,
                                  files[1])
        if not self.npm_problem:
            for name in self.node_peers(one):
                yield self.worker(name, "node", os.path.join(HERE, "peers.js"),
                                  {"reply": "texts"}.get(mode, mode),
                                  {"JSON.parse": "json"}.get(name, name),
                                  *files)
        if mode != "set" or not one.instances or not one.schema:
            return
        if self.blaze and "again" in WORKS[one.kind]:
            yield workers.Blaze(self.blaze, one)
        if self.python and os.path.getsize(one.instances) < SLOW_BYTES_MAX:
            yield self.worker("fastjsonschema", self.python, os.path.join(
                HERE, "peer_python.py"), *files)
        elif self.python:
            self.note("fastjsonschema is slow, and left out above "
                      f"{SLOW_BYTES_MAX / 1e6:.0f} MB", one.name)

    def node_peers(self, one):
        if (one.kind == "stream" and
                os.path.getsize(one.instances) > STREAM_BYTES_MAX):
            self.note("they begin anew for every piece, and are left out above "
                      f"{STREAM_BYTES_MAX / 1e3:.0f} KB: " +
                      ", ".join(READERS), one.name)
            return ()
        of_kind = {"text": ("JSON.parse",), "reply": ("ajv",),
                   "dirty": READERS, "loose": ("coerce",), "stream": READERS}
        if one.kind in of_kind:
            return of_kind[one.kind]
        return [name for name in NODE
                if any(work in WORKS[one.kind]
                       for work in ONLY.get(name, WORKS[one.kind]))]

    def program(self, name):
        return os.path.join(self.folder, "bench-" + name)

    def worker(self, name, *command):
        return workers.Worker(name, command, self.env,
                              workers.Usage(self.folder, name))

    def compare_verdicts(self, one, tools):
        ours = tools[0].verdicts
        for worker in tools:
            if worker.problem:
                self.note(f"{worker.name}: {worker.problem}", one.name)
            elif (one.instances and worker.name not in PARSERS and ours
                  and worker.verdicts != ours):
                differ = sum(a != b for a, b in zip(worker.verdicts, ours))
                self.note(f"{worker.name} judges otherwise than Surety",
                          f"{one.name} ({differ} of {len(ours)})")
                worker.problem = "judges otherwise"

    def measure(self, one, allowed_s):
        """Lets all who can do their works on one, in turn. Past allowed_s
        nobody gets more than two turns."""
        begun = time.monotonic()
        tools = list(self.workers(one))
        self.compare_verdicts(one, tools)
        used = {}
        for work in WORKS[one.kind]:
            for worker in tools:
                if worker.problem or work not in ONLY.get(worker.name, (work,)):
                    continue
                start = time.monotonic()
                spent = worker.work(work, WARM_MS)
                if spent is None:
                    continue
                used[worker, work] = 0.0
                if time.monotonic() - start > 2 * TURNS_S:
                    worker.add(work, spent)  # so slow that this was a turn
                    used[worker, work] = TURNS_S
        for turn in range(self.options.rounds):
            late = time.monotonic() - begun > allowed_s
            for worker, work in used:
                if turn > 1 and (late or used[worker, work] > TURNS_S):
                    continue
                start = time.monotonic()
                spent = worker.work(work, self.options.ms)
                used[worker, work] += time.monotonic() - start
                if spent is not None:
                    worker.add(work, spent)
        for worker in tools:
            worker.close()
            if worker.problem and any(
                    worker is other for other, _ in used):
                self.note(f"{worker.name}: {worker.problem}", one.name)
        self.keep(one, tools)

    def keep(self, one, tools):
        times = {worker.name: {work: statistics.median(spent)
                               for work, spent in worker.times.items()}
                 for worker in tools}
        node = times.get("ajv", {})
        for work in ("parse", "extract"):
            if work in node:  # it is not ajv that does it
                times.setdefault("JSON.parse", {})[work] = node.pop(work)
        parsed = [times[name]["parse"] for name in PARSERS
                  if "parse" in times.get(name, {})]
        if parsed and one.schema:
            times[FASTEST] = {"bytes": min(parsed)}
        if "compile" in times["Surety"]:
            times[UNCACHED] = {"recall": times["Surety"]["compile"]}
        if "written" in times["Surety"]:
            times[WRITTEN] = {"check": times["Surety"].pop("written")}
        size = os.path.getsize(one.instances) if one.instances else 0
        schema = os.path.getsize(one.schema) if one.schema else 0
        self.rows.append((one, size, schema, len(tools[0].verdicts) or 1,
                          times))
        if one.name == "census-text":
            self.memory = {worker.name: worker.rss for worker in tools
                           if not worker.problem}
            contract = os.path.join(SOURCE, "contracts/census/agent-output"
                                    ".json")
            taken = self.process([self.program("surety"), "set", contract,
                                  one.instances, "bytes"])
            if taken[3]:
                self.memory["Surety, read and check"] = taken[2]

    # -- whole processes -------------------------------------------------------

    def process(self, command):
        """What Usage.read gives, of one command; not run: where it failed."""
        usage = workers.Usage(self.folder, "process")
        done = subprocess.run(
            [*usage.launcher, *command], env=self.env, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        taken = usage.read()
        return taken if done.returncode == 0 else (*taken[:3], False)

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
        code = os.path.join(self.folder, "standalone.js")
        if peers:
            self.process(node("build", contract(name), code))
        yield ("start to verdict, one small reply", os.path.getsize(path), 1,
               4 * self.options.rounds, {
                   "Surety": [[tool, "check", "-c", name, path]],
                   **({"node -e ''": [["node", "-e", ""]],
                       "standalone": [node("reply", "standalone", code, path)]}
                      if peers else {}),
                   **{peer: [node("reply", peer, contract(name), path)]
                      for peer in peers}})

    # -- the tables ------------------------------------------------------------

    def print_fastest(self):
        """Who the fastest parser was."""
        best = [min((times[name]["parse"], name) for name in PARSERS
                    if "parse" in times.get(name, {}))[1]
                for *_, times in self.rows if FASTEST in times]
        if best:
            print("\nthe fastest parser: " + ", ".join(
                f"{name} on {best.count(name)}" for name in PARSERS
                if name in best))

    def ratios(self, work, kinds, peer):
        """[(set, Surety ns, peer ns, units, bytes)] where both did it."""
        for one, size, schema, count, times in self.rows:
            ours = times.get("Surety", {}).get(work)
            theirs = times.get(peer, {}).get(work)
            if ours and theirs and one.kind in kinds:
                if work in OF_SCHEMAS:
                    yield one.name, ours, theirs, 1, schema
                else:
                    yield one.name, ours, theirs, count, size

    def print_sets(self):
        print(f"\n{'':<34} {'ns each':^13} {'MB/s':>5}")
        print(f"{'what':<15} {'peer':<14} {'set':>3} {'Surety':>6} "
              f"{'peer':>6} {'':>5} {'ratio':>5} {'worst':>6} {'on':<12} "
              f"{'best':>5} on")
        for title, work, kinds, peers in ROWS:
            for peer in peers:
                print_row(title, peer, list(self.ratios(work, kinds, peer)))
        self.print_fastest()
        if self.memory:
            print("peak memory of a process, one text of 5 MB, in MB:")
            print_wrapped("; ".join(f"{name} {rss / 1e6:.0f}" for name, rss
                                    in self.memory.items()))

    def print_replies(self):
        head = "reply, by library calls"
        for one, size, _, count, times in self.rows:
            for work, kind, peers in REPLY_ROWS:
                if one.kind != kind:
                    continue
                if head:
                    print(f"\n{head:<27} {'Surety µs':>10} {'MB/s':>6}  "
                          f"{'peer':<12} {'µs each':>10} {'MB/s':>6} "
                          f"{'ratio':>6}")
                    head = None
                ours = times.get("Surety", {}).get(work, math.nan)
                name = (f"{one.name:<18} {work:<8} {ours / count / 1e3:>10.1f} "
                        f"{size / ours * 1e3:>6.0f}")
                there = [peer for peer in peers
                         if work in times.get(peer, {})]
                for peer in there or peers[:1]:
                    theirs = times.get(peer, {}).get(work, math.nan)
                    print(f"{name:<44}  {peer:<12} "
                          f"{theirs / count / 1e3:>10.1f} "
                          f"{size / theirs * 1e3:>6.{small(size / theirs)}f} "
                          f"{ratio_text(ours / theirs):>6}"
                          .replace("nan", "  -"))
                    name = ""

    def print_chunks(self):
        """How long one piece of a stream takes."""
        head = "a stream, piece by piece"
        for one, size, *_ in self.rows:
            if one.kind != "stream" or size < STREAM_BYTES_MAX:
                continue
            if head:
                print(f"\n{head:<27} {'pieces':>9} {'all ms':>8} "
                      f"{'MB/s':>5} {'median ns':>9} {'p99 ns':>7} "
                      f"{'most µs':>8}")
                head = None
            found = json.loads(subprocess.check_output(
                [self.program("chunks"), data.stream_contract(self.data),
                 one.instances], env=self.env))
            name = one.name
            for work in ("reader", "stream"):
                spent, median, late, most = found[work]
                print(f"{name:<18} {work:<8} {found['chunks']:>9} "
                      f"{spent / 1e6:>8.1f} {size / spent * 1e3:>5.0f} "
                      f"{median:>9.0f} {late:>7.0f} {most / 1e3:>8.1f}",
                      flush=True)
                name = ""

    def print_jobs(self):
        head = True
        for title, size, count, rounds, tools in self.jobs():
            if not re.search(self.options.only, "process " + title):
                continue
            if head:
                print(f"\n{'whole process':<34} {'tool':<14} {'wall ms':>8} "
                      f"{'user ms':>8} {'MB/s':>5} {'each µs':>8} "
                      f"{'peak MB':>7} {'ratio':>5}")
                head = False
            results = self.contest(tools, rounds)
            first = next(iter(results.values()))[0]
            for name, (wall, user, peak) in results.items():
                ratio = ("" if name.startswith("Surety") else
                         ratio_text(first / wall))
                print(f"{title:<34} {name:<14} {wall * 1e3:>8.1f} "
                      f"{user * 1e3:>8.1f} {size / wall / 1e6:>5.0f} "
                      f"{wall / count * 1e6:>8.1f} {peak / 1e6:>7.1f} "
                      f"{ratio:>5}".rstrip(), flush=True)
                title = ""

    def write_details(self):
        path = os.path.join(self.folder, "sets.tsv")
        with open(path, "w", encoding="utf-8") as file:
            print("set", "kind", "documents", "bytes", "work", "tool",
                  "ns_each", "mb_s", "surety_ratio", sep="\t", file=file)
            for one, size, schema, count, times in self.rows:
                for work in WORKS[one.kind]:
                    units, length = ((1, schema) if work in OF_SCHEMAS else
                                     (count, size))
                    ours = times.get("Surety", {}).get(work)
                    for tool in times:
                        spent = times.get(tool, {}).get(work)
                        if spent:
                            print(one.name, one.kind, units, length, work,
                                  tool, f"{spent / units:.1f}",
                                  f"{length / spent * 1e3:.1f}",
                                  f"{ours / spent:.3f}" if ours else "",
                                  sep="\t", file=file)
        print(f"\neach set: {os.path.relpath(path)}")

    def run(self):
        print(machine(self.build))
        if self.npm_problem:
            self.note(self.npm_problem, "Blaze, jsonrepair, JSON.parse, " +
                      ", ".join(NODE))
        elif not self.blaze:
            self.note("it has no binary for this machine", "Blaze")
        if not self.python:
            self.note("not installed", "fastjsonschema")
        sets = self.sets()
        for number, one in enumerate(sets):
            if sys.stderr.isatty():
                print(f"\r\033[K{one.name}", end="", file=sys.stderr)
            left_s = max(0, self.ends - time.monotonic())
            self.measure(one, 2 * left_s / (len(sets) - number))
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        if self.rows:
            self.print_sets()
            self.print_replies()
            self.print_chunks()
        self.print_jobs()
        if self.notes:
            print("\nnot counted:")
            for text, names in self.notes.items():
                more = len(names) - NAMES_MAX
                print_wrapped(f"{text}: {', '.join(names[:NAMES_MAX])}" +
                              (f" and {more} more" if more > 0 else ""))
        if self.rows:
            self.write_details()


def stamp(*names):
    """Of what the generated data follow from."""
    mark = hashlib.sha256()
    for name in names:
        with open(os.path.join(HERE, name), "rb") as file:
            mark.update(file.read())
    return mark.hexdigest()[:8]


def ratio_text(ratio):
    if ratio < 0.00095:
        return f"{ratio:.0e}".replace("e-0", "e-")
    return f"{ratio:.{2 if ratio > 0.0995 else 3}f}"


def small(bytes_ns):
    """How many places a rate has behind the point."""
    return 0 if not bytes_ns < 0.01 else 2


def short(number):
    """In six places: 412, 9876, 41.2k, 223k, 11.4M."""
    if number < 9999.5:
        return f"{number:.0f}"
    for unit in ("k", "M"):
        number /= 1000
        if number < 999.5:
            return f"{number:.{0 if number >= 99.95 else 1}f}{unit}"
    return f"{number / 1000:.1f}G"


def print_row(title, peer, found):
    if not found:
        print(f"{title:<15} {peer:<14}   0  (not there: see below)")
        return

    def mean(values):
        return math.exp(statistics.fmean(math.log(v) for v in values))

    def set_name(row):
        return row[0] if len(row[0]) < 13 else row[0][:11] + "…"
    worst = max(found, key=lambda row: row[1] / row[2])
    best = min(found, key=lambda row: row[1] / row[2])
    print(f"{title:<15} {peer:<14} {len(found):>3} "
          f"{short(mean(row[1] / row[3] for row in found)):>6} "
          f"{short(mean(row[2] / row[3] for row in found)):>6} "
          f"{mean(row[4] / row[1] * 1e3 for row in found):>5.0f} "
          f"{ratio_text(mean(row[1] / row[2] for row in found)):>5} "
          f"{ratio_text(worst[1] / worst[2]):>6} {set_name(worst):<12} "
          f"{ratio_text(best[1] / best[2]):>5} {set_name(best)}")


def print_wrapped(text):
    line = " "
    for word in text.split(" "):
        if len(line) + len(word) > 98:
            print(line)
            line = "   "
        line += " " + word
    print(line)


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
        compiler = workers.quiet([program, "--version"]).split("\n")[0]
    except (OSError, ValueError, AttributeError):
        pass
    node = (workers.quiet(["node", "--version"]) or "no node").strip()
    return (f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n"
            f"{compiler}; node {node}{kernel(build)}")


def kernel(build):
    """Which of its kernels the reader uses, where the tool says so."""
    said = workers.quiet([os.path.join(build, "surety"), "--version"]) or ""
    found = re.search(r"\b(avx512|avx2|neon|portable)\b", said, re.IGNORECASE)
    return f"; Surety reads with {found[1]}" if found else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="",
                        help="a pattern: 'set NAME' or 'process TITLE'")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ms", type=int, default=15,
                        help="of each work in each round, at least")
    parser.add_argument("--minutes", type=float, default=8,
                        help="what all of it should take at most")
    parser.add_argument("--replies", type=int, default=100_000)
    Bench(parser.parse_args()).run()


main()

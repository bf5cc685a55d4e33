#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make bench: what Surety costs its users, beside its peers.

    bench.py BUILD [--quick] [--rows PATTERN] [--sets PATTERN] [--json FILE]
        [--write PAGE]

How a row is measured:

1. A set is a list of documents and, mostly, a schema. One process holds it for
   Surety, yyjson and simdjson (bench.c), one for Node's tools (peers.js), and
   Blaze is its own tool.
2. A work is done with all documents of the set, again and again for some
   milliseconds of processor time; that divided by the passes is a time. All has
   run before: memory, caches and compiled code are warm.
3. In each round every tool does every work once. A figure is the least of its
   rounds, because whatever else the machine does only adds to it; the spread is
   how far the median is above the least.
4. A row's ratio is Surety's figure divided by the peer's: below 1 Surety is
   faster. Over several sets it is their geometric mean, and `worst` is the
   highest.
5. A third of the sets is chosen by a hash of its name and reported apart, as
   unseen: we do not tune on them.

A peer that is not there, or finds another verdict than Surety, is named under
the tables and left out. Processor time is user and system time together."""

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
import zlib
from collections import namedtuple

sys.dont_write_bytecode = True
import data  # noqa: E402
import workers  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
MARKS = "<!-- bench -->", "<!-- end of bench -->"

CHECKED = ("real", "made", "sized", "damaged")
PARSED = ("real", "made", "sized", "spaced", "text")

# A row: Surety's work on the sets of some kinds, beside a peer's work. The
# goals are of the mean and of the worst set.
Row = namedtuple("Row", "title work kinds peer peer_work goal worst",
                 defaults=(None, None))
ROWS = (
    Row("parse", "parse", PARSED, "yyjson", "parse", 0.85, 1.1),
    Row("parse", "parse", PARSED, "simdjson", "parse"),
    Row("parse", "parse", PARSED, "JSON.parse", "parse"),
    Row("bytes to verdict", "bytes", CHECKED, "yyjson", "parse", 1.0, 2),
    Row("bytes to verdict", "bytes", CHECKED, "ajv", "bytes"),
    Row("check, each once", "check", CHECKED, "Blaze", "check", 0.36, 1),
    Row("check, each once", "check", CHECKED, "ajv", "check"),
    Row("check, 20 times", "again", CHECKED, "Blaze", "again"),
    Row("all errors", "errors", ("damaged",), "ajv", "errors", 0.5, 1),
    Row("all errors, written", "written", ("damaged",), "ajv", "written"),
    Row("compile", "compile", ("real", "made", "compile"), "ajv", "compile"),
)
# Rows of a set each: the kind, and the goal in MB/s of some sets.
REPLIES = (
    Row("extract and check", "judge", ("reply",), "ajv", "judge"),
    Row("repair", "judge", ("dirty",), "jsonrepair", "judge"),
    Row("repair", "judge", ("dirty",), "best-effort", "judge"),
    Row("align", "judge", ("loose",), "coerce", "judge"),
    Row("stream", "stream", ("stream",), "jsonrepair", "stream"),
    Row("stream", "stream", ("stream",), "partial-json", "stream"),
)
RATES = {"prose-46K": 3800, "rows-5M": 900, "loose-5M": 250, "dirty-5M": 258}
# Peers that begin anew for every piece of a stream take minutes above this.
STREAM_BYTES_MAX = 10_000
QUICK_BYTES_MAX = 2_000_000
# A pass that is slower than this has two rounds, not more.
SLOW_NS = 1e9
NAMES_MAX = 10


class Figure:
    """What the rounds of one tool came to."""

    def __init__(self, times):
        self.least, self.median = min(times), statistics.median(times)


def is_unseen(name):
    return zlib.crc32(name.rstrip("*").encode()) % 3 == 0


def mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


class Bench:
    def __init__(self, options):
        self.options = options
        self.build = os.path.abspath(options.build)
        self.folder = os.path.join(self.build, "bench")
        self.modules = os.path.join(self.folder, "peers", "node_modules")
        self.data = data.Folder(os.path.join(self.folder, "data-" + stamp()))
        self.env = {**os.environ, "NODE_PATH": self.modules, "LC_ALL":
                    "C.UTF-8", "SURETY_CONTRACTS": ""}
        self.rounds, self.ms = (3, 4) if options.quick else (9, 10)
        self.has_npm = os.path.exists(os.path.join(self.modules, "ajv"))
        self.lines = []    # the report
        self.notes = {}    # what a tool could not do: [sets]
        self.figures = []  # for --json
        self.measured = []  # (set, bytes, schema bytes, documents,
        #                      {"TOOL WORK": Figure})

    def print(self, line=""):
        self.lines.append(line.rstrip())
        print(line.rstrip(), flush=True)

    def note(self, text, name):
        names = self.notes.setdefault(text, [])
        if name not in names:
            names.append(name)

    def keep(self, row, name, tool, figure, unit):
        self.figures.append({
            "row": row, "set": name, "tool": tool, "unit": unit,
            "least": round(figure.least, 4), "median": round(figure.median, 4)})

    def wants(self, title):
        return re.search(self.options.rows, title) is not None

    def program(self, name):
        return os.path.join(self.folder, "bench-" + name)

    # -- sets ------------------------------------------------------------------

    def sets(self, rows):
        sets = []
        if self.has_npm:
            sets += data.npm_sets(self.data, self.modules, SOURCE)
        else:
            self.note("npm's packages are not there", "real documents")
        sets += data.made_sets(self.data, SOURCE)
        sets += data.sized_sets(self.data)
        sets += data.census_text(self.data)
        sets += data.damaged_sets(self.data, sets)
        sets += data.reply_sets(self.data)
        sets += data.stream_sets(self.data)
        for one in sets:
            if not (re.search(self.options.sets, one.name) and
                    any(one.kind in row.kinds for row in rows)):
                continue
            if (self.options.quick and one.instances and
                    os.path.getsize(one.instances) > QUICK_BYTES_MAX):
                self.note("not measured with --quick", one.name)
            else:
                yield one

    def workers(self, one, peers):
        """The processes for a set; Surety's first."""
        mode = {"reply": "reply", "dirty": "reply", "loose": "reply",
                "stream": "stream"}.get(one.kind, "set")
        schema = one.schema or "-"
        # A schema alone is its own document, so that there is one to hold.
        files = [schema, one.instances or schema]
        yield "Surety", workers.Worker(
            [self.program("native"), mode, *files], self.env)
        node = ["node", os.path.join(HERE, "peers.js")]
        if not self.has_npm:
            self.note("npm's packages are not there", ", ".join(peers))
        elif mode == "set":
            yield "ajv", workers.Worker([*node, mode, *files], self.env)
            if "Blaze" in peers and one.schema and one.lines:
                yield "Blaze", workers.Blaze(self.modules, one.schema,
                                             one.lines, self.folder)
        elif mode == "reply":
            for peer in peers:
                yield peer, workers.Worker([*node, "texts", peer, *files],
                                           self.env)
        elif os.path.getsize(one.instances) <= STREAM_BYTES_MAX:
            for peer in peers:
                yield peer, workers.Worker([*node, mode, peer, files[1]],
                                           self.env)

    def turns(self, tools, wanted):
        """{work: Figure}: all tools do what they can of wanted, in turn."""
        works = [(worker, work) for worker in tools for work in worker.works
                 if work in wanted]
        slow = {work for worker, work in works
                if (worker.time(work, 3 * self.ms) or 0) > SLOW_NS}
        times = {}
        for number in range(self.rounds):
            for worker, work in works:
                if number > 1 and work in slow:
                    continue
                spent = worker.time(work, self.ms)
                if spent:
                    times.setdefault(work, []).append(spent)
        return {work: Figure(spent) for work, spent in times.items()}

    def measure(self, one, rows):
        rows = [row for row in rows if one.kind in row.kinds]
        wanted = {f"surety {row.work}" for row in rows} | {
            f"{row.peer} {row.peer_work}" for row in rows}
        tools = list(self.workers(one, sorted({row.peer for row in rows})))
        ours = tools[0][1].verdicts
        for name, worker in tools:
            if worker.problem:
                self.note(f"{name}: {worker.problem}", one.name)
            elif one.instances and worker.verdicts != ours:
                self.note(f"{name} finds another verdict", one.name)
                worker.works = [work for work in worker.works
                                if work == "JSON.parse parse"]
        native = tools[0][1].works
        for peer in ("yyjson", "simdjson"):
            if (f"{peer} parse" in wanted and "surety parse" in native and
                    f"{peer} parse" not in native):
                self.note("not there when the bench was built", peer)
        found = self.turns([worker for _, worker in tools], wanted)
        for _, worker in tools:
            worker.close()
        for work, figure in found.items():
            tool, what = work.split(" ", 1)
            self.keep(what, one.name, tool, figure, "ns")
        self.measured.append((
            one, os.path.getsize(one.instances) if one.instances else 0,
            os.path.getsize(one.schema) if one.schema else 0,
            len(ours) if one.instances else 1, found))

    def measure_sets(self):
        rows = [row for row in ROWS + REPLIES if self.wants(row.title)]
        for one in self.sets(rows):
            if sys.stderr.isatty():
                print(f"\r\033[K{one.name}", end="", file=sys.stderr)
            self.measure(one, rows)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)

    # -- tables of sets --------------------------------------------------------

    def pairs(self, row):
        """[(set, our ns, the peer's, ours of one, bytes)] where both did it."""
        for one, size, schema, count, found in self.measured:
            ours = found.get(f"surety {row.work}")
            theirs = found.get(f"{row.peer} {row.peer_work}")
            if ours and theirs and one.kind in row.kinds:
                whole = row.work == "compile"
                yield (one.name, ours.least, theirs.least,
                       ours.least / (1 if whole else count),
                       schema if whole else size)

    def print_ratios(self):
        rows = [row for row in ROWS if self.wants(row.title)]
        if not rows:
            return
        self.print(f"\n{'':<28}  {'seen sets':^40}  {'unseen sets':^28}")
        self.print(f"{'work':<17} {'peer':<10}  {'':>3} {'ns each':>7} "
                   f"{'MB/s':>5} {'ratio':>5} {'worst':>6} {'on':<9}  {'':>3} "
                   f"{'ratio':>5} {'worst':>6} {'on':<9} goal, worst")
        for row in rows:
            found = list(self.pairs(row))
            self.print(
                f"{row.title:<17} {row.peer:<10}  "
                f"{self.side(found, False)}  {self.side(found, True)} " +
                (f"{row.goal:.2f}, {row.worst}" if row.goal else ""))

    def side(self, found, unseen):
        part = [one for one in found if is_unseen(one[0]) == unseen]
        if not part:
            return f"{0:>3} {'-':>{5 if unseen else 19}} {'-':>6} {'':<9}"
        worst = max(part, key=lambda one: one[1] / one[2])
        speed = ("" if unseen else
                 f"{short(mean(one[3] for one in part)):>7} "
                 f"{mean(one[4] / one[1] * 1e3 for one in part):>5.0f} ")
        return (f"{len(part):>3} {speed}"
                f"{ratio(mean(one[1] / one[2] for one in part)):>5} "
                f"{ratio(worst[1] / worst[2]):>6} {worst[0][:9]:<9}")

    def print_replies(self):
        head = (f"\n{'library calls':<18} {'set':<12} {'µs each':>9} "
                f"{'MB/s':>6} {'goal':>5}  peers: ratio")
        for one, size, _, count, found in self.measured:
            rows = [row for row in REPLIES
                    if one.kind in row.kinds and self.wants(row.title)]
            ours = found.get(f"surety {rows[0].work}") if rows else None
            if not ours:
                continue
            if head:
                self.print(head)
                head = None
            peers = [(row.peer, found.get(f"{row.peer} {row.peer_work}"))
                     for row in rows]
            self.print(
                f"{rows[0].title:<18} {one.name:<12} "
                f"{ours.least / count / 1e3:>9.1f} "
                f"{size / ours.least * 1e3:>6.0f} "
                f"{RATES.get(one.name, ''):>5}  " + ", ".join(
                    f"{peer} {ratio(ours.least / theirs.least)}"
                    for peer, theirs in peers if theirs))

    def print_spread(self):
        spreads = {True: [], False: []}
        for *_, found in self.measured:
            for work, figure in found.items():
                spreads[work.startswith("surety ")].append(
                    figure.median / figure.least - 1)
        if spreads[True]:
            self.print("\nspread, the median of a set above its least: " +
                       ", ".join(
                           f"{name} {100 * statistics.median(spread):.1f} %"
                           for name, spread in (("Surety", spreads[True]),
                                                ("peers", spreads[False]))
                           if spread))

    # -- growth ----------------------------------------------------------------

    def print_growth(self):
        if not self.wants("growth"):
            return
        self.print(f"\n{'growth':<22} {'work':<8} {'sizes':<24} "
                   f"{'µs at each':<26} exponent (goal: at most 1.1)")
        for title, work, files in data.growth_sets(self.data):
            times = []
            for size, mode, schema, documents in files:
                worker = workers.Worker([self.program("native"), mode, schema,
                                         documents], self.env)
                found = self.turns([worker], {f"surety {work}"})
                worker.close()
                for figure in found.values():
                    self.keep(f"growth: {title}", str(size), "surety", figure,
                              "ns")
                    times.append(figure.least)
                if not found:
                    self.note(worker.problem or f"{title}: not done",
                              str(size))
            self.print_exponent(title, work, [one[0] for one in files], times)
        files = data.message_files(self.data)
        times = []
        for size, path in files:
            found = self.turned("messages", str(-(-10_000 // size)), path)
            if found:
                self.keep("growth: messages", str(size), "surety", found, "ns")
                times.append(found.least)
        self.print_exponent("a conversation", "read",
                            [size for size, _ in files], times)

    def print_exponent(self, title, work, sizes, times):
        if len(times) != len(sizes):
            return
        exponent = (math.log(times[-1] / times[0]) /
                    math.log(sizes[-1] / sizes[0]))
        self.print(f"{title:<22} {work:<8} "
                   f"{' '.join(f'{size:,}' for size in sizes):<24} " +
                   " ".join(f"{spent / 1e3:>8.{1 if spent > 9995 else 3}f}"
                            for spent in times) +
                   f" {exponent:>8.2f}")

    # -- conversations ---------------------------------------------------------

    def turned(self, *arguments):
        """What bench-turns measures; None where it fails."""
        what, *rest = arguments
        done = subprocess.run(
            [self.program("turns"), what, str(self.rounds), *rest],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            check=False, env=self.env)
        if done.returncode != 0:
            self.note(done.stderr.strip() or "bench-turns failed", what)
            return None
        return Figure(json.loads(done.stdout))

    def print_steps(self):
        if not self.wants("step of a tool"):
            return
        found = self.turned("steps", "50" if self.options.quick else "500")
        if found:
            self.keep("step", "", "surety", found, "ns")
            self.print(f"\na step of a tool, without the tool: "
                       f"{found.least / 1e3:.1f} µs, spread "
                       f"{100 * (found.median / found.least - 1):.0f} % "
                       f"(goal: at most 50 µs)")

    # -- streams ---------------------------------------------------------------

    def print_chunks(self):
        if not self.wants("stream"):
            return
        self.print(f"\n{'a stream, 4 bytes a piece':<26} {'pieces':>9} "
                   f"{'median ns':>9} {'p99 ns':>7} {'most µs':>8}  goal: "
                   "median 100, p99 230, the same at both sizes")
        for one in data.stream_sets(self.data):
            if one.name not in ("stream-100K", "stream-10M"):
                continue
            if self.options.quick and one.name == "stream-10M":
                continue
            found = json.loads(subprocess.check_output(
                [self.program("chunks"), data.stream_contract(self.data),
                 one.instances], env=self.env))
            for work in ("reader", "stream"):
                _, median, late, most = found[work]
                self.keep(f"{work}, a piece", one.name, "surety",
                          Figure([median]), "ns")
                self.print(f"{one.name:<19}{work:<7} {found['chunks']:>9} "
                           f"{median:>9.0f} {late:>7.0f} {most / 1e3:>8.1f}")

    # -- processes -------------------------------------------------------------

    def processes(self):
        """(title, goal, bytes, replies, {tool: [command]})."""
        def contract(name):
            return os.path.join(SOURCE, "contracts", name + ".json")

        def node(*arguments):
            return ["node", os.path.join(HERE, "peers.js"), *arguments]

        tool = os.path.join(self.build, "surety")
        peers = ("ajv", "jsonrepair") if self.has_npm else ()
        name, path = "user-story/iteration-output", data.one_reply(self.data)
        yield ("start to verdict", "3 ms, 5 MB", os.path.getsize(path), 1, {
            "Surety": [[tool, "check", "-c", name, path]],
            **{peer: [node("reply", peer, contract(name), path)]
               for peer in peers[:1]}})
        count = 9_000 if self.options.quick else 100_000
        files = data.small_replies(self.data, count, SOURCE)
        yield (f"{count:,} small replies", "200 MB/s",
               sum(map(os.path.getsize, files.values())), count, {
                   "Surety": [[tool, "check", "-c", name, "--jsonl", "--jobs",
                               "1", path] for name, path in files.items()],
                   **{peer: [node("replies", peer, name, path)
                             for name, path in files.items()]
                      for peer in peers}})
        name = "census/agent-output"
        path = data.census_replies(self.data, 5_000_000)["fenced"]
        yield ("one reply of 5 MB", "", os.path.getsize(path), 1, {
            "Surety": [[tool, "check", "-c", name, path]],
            **{peer: [node("reply", peer, contract(name), path)]
               for peer in peers}})

    def print_processes(self):
        if not self.wants("process"):
            return
        self.print(f"\n{'whole process':<23} {'tool':<11} {'ms':>7} "
                   f"{'spread':>6} {'MB/s':>5} {'peak MB':>7} {'ratio':>6}  "
                   "goal")
        for title, goal, size, count, tools in self.processes():
            rounds = self.rounds * (10 if title.startswith("start") else 1)
            if count > 1:
                rounds = min(rounds, 3)
            turns = {name: [] for name in tools}
            for _ in range(rounds):
                for name, commands in tools.items():
                    turns[name].append([workers.taken(
                        self.program("launch"), command, self.env,
                        self.folder) for command in commands])
            first = None
            for name, rows in turns.items():
                used = Figure([sum(run[0] for run in row) for row in rows])
                peak = max(run[1] for row in rows for run in row)
                first = first or used.least
                self.keep("process: " + title, "", name, Figure(
                    [used.least * 1e3]), "ms")
                self.keep("peak: " + title, "", name, Figure([peak / 1e6]),
                          "MB")
                self.print(
                    f"{title:<23} {name:<11} {used.least * 1e3:>7.1f} "
                    f"{100 * (used.median / used.least - 1):>5.0f}% "
                    f"{size / used.least / 1e6:>5.0f} {peak / 1e6:>7.1f} " +
                    (f"{'':>6}  {goal}" if name == "Surety" else
                     f"{ratio(first / used.least):>6}"))
                title = ""

    # -- a run's call ----------------------------------------------------------

    def print_calls(self):
        if not self.wants("call"):
            return
        self.print(f"\n{'a call of a run':<17} {'sent':>8} {'µs':>8} "
                   f"{'libcurl':>8} {'ratio':>6} {'spread':>6}  goal")
        for (name, contract, reply), goal in zip(
                data.call_files(self.data), (1.3, 1.5)):
            with subprocess.Popen(
                    [os.path.join(self.build, "surety"), "mock", "--quiet",
                     "--reply", "@" + reply], stdout=subprocess.PIPE,
                    text=True, env=self.env) as server:
                url = server.stdout.readline().split()[-1]
                done = subprocess.run(
                    [self.program("calls"), url + "/v1", contract,
                     str(self.rounds), "20" if self.options.quick else "100"],
                    stdout=subprocess.PIPE, text=True, check=False,
                    env=self.env)
                server.terminate()
            if done.returncode != 0:
                self.note("calls: the program failed", name)
                continue
            found = json.loads(done.stdout)
            ours, theirs = Figure(found["surety"]), Figure(found["libcurl"])
            self.keep("call", name, "surety", ours, "ns")
            self.keep("call", name, "libcurl", theirs, "ns")
            self.print(f"{name:<17} {found['bytes']:>8} "
                       f"{ours.least / 1e3:>8.1f} {theirs.least / 1e3:>8.1f} "
                       f"{ratio(ours.least / theirs.least):>6} "
                       f"{100 * (ours.median / ours.least - 1):>5.0f}%  "
                       f"{goal}")

    # -- all of it -------------------------------------------------------------

    def run(self):
        where = machine(self.build)
        self.print(where)
        self.measure_sets()
        self.print_ratios()
        self.print_replies()
        self.print_chunks()
        self.print_calls()
        self.print_steps()
        self.print_processes()
        self.print_growth()
        self.print_spread()
        if self.notes:
            self.print("\nleft out:")
            for text, names in self.notes.items():
                more = len(names) - NAMES_MAX
                self.print(f"  {text}: {', '.join(names[:NAMES_MAX])}" +
                           (f" and {more} more" if more > 0 else ""))
        if self.options.json:
            with open(self.options.json, "w", encoding="utf-8") as file:
                json.dump({"where": where, "figures": self.figures}, file,
                          indent=1)
        if self.options.write:
            write_page(self.options.write, "\n".join(self.lines))


def write_page(path, text):
    """Puts text between the marks of a page."""
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{MARKS[0]}\n```text\n{text}\n```\n{MARKS[1]}"
                   f"{after}")


def stamp():
    """Of what the data follow from."""
    mark = hashlib.sha256()
    for name in ("data.py", "schemas.py", "package.json"):
        with open(os.path.join(HERE, name), "rb") as file:
            mark.update(file.read())
    return mark.hexdigest()[:8]


def ratio(value):
    if value < 0.00095:
        return f"{value:.0e}".replace("e-0", "e-")
    return f"{value:.{2 if value > 0.0995 else 3}f}"


def short(number):
    """In six places: 412, 9876, 41.2k, 223k, 11.4M."""
    if number < 9999.5:
        return f"{number:.0f}"
    for unit in ("k", "M"):
        number /= 1000
        if number < 999.5:
            return f"{number:.{0 if number >= 99.95 else 1}f}{unit}"
    return f"{number / 1000:.1f}G"


def printed(command):
    """What a command prints; empty where it cannot be run."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL, check=False,
                              cwd=SOURCE).stdout.strip()
    except OSError:
        return ""


def machine(build):
    """The commit, and where it was measured."""
    model = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = re.search(r"model name\s*: (.*)", file.read())[1]
    except (OSError, TypeError):
        pass
    commit = printed(["git", "log", "-1", "--format=%h"]) or "unknown"
    if printed(["git", "status", "--porcelain", "--", "src", "include", "cli"]):
        commit += " with changes"
    kernel = re.search(r"\b(avx512|avx2|neon|portable)\b", printed(
        [os.path.join(build, "surety"), "--version"]), re.IGNORECASE)
    return (f"commit {commit}, {time.strftime('%Y-%m-%d')}; {model}, "
            f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; node "
            f"{printed(['node', '--version']) or 'missing'}" +
            (f"; Surety reads with {kernel[1]}" if kernel else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build")
    parser.add_argument("--quick", action="store_true",
                        help="fewer rounds, no large sets: two minutes")
    parser.add_argument("--rows", default="", metavar="PATTERN",
                        help="of titles: parse, bytes, check, errors, compile, "
                        "extract, repair, align, stream, call, step, process, "
                        "growth")
    parser.add_argument("--sets", default="", metavar="PATTERN",
                        help="of sets' names, for the rows that have sets")
    parser.add_argument("--json", metavar="FILE",
                        help="every figure, for compare.py")
    parser.add_argument("--write", metavar="PAGE",
                        help="put the tables into the page")
    Bench(parser.parse_args()).run()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes single places of src/ and looks whether a test notices.

    mutate.py [--count N] [--seed N] [--secs N] [--jobs N] [--suites LIST]
              [--sanitize LIST] [--tests REGEX] [FILE...]

N places (200) are drawn by a seed, which is printed: a comparison is turned, a
logical operator exchanged, a statement dropped, a constant made one larger.
All of them are compiled into one build of a copy of the sources, below
build-mutate, and one at a time is switched on (mutant.h, mutant.c). The C tests
of --suites (unit,golden,suite) run once without any, to see which of them reach
which place; then each mutant meets the tests that reach it, quickest first,
until one fails, dies or hangs. The build has the sanitizers that CI runs these
tests with (--sanitize address,undefined; or none), so a leak or a read beyond
the end notices too. Ends after --secs (3,600) with what it has.
FILE... names sources to draw from, such as src/schema/*.c; --tests keeps to the
tests whose names it finds.

Prints the share that was noticed, and every mutant that was not, as a change of
its line: a test is missing, or the change means the same.
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build-mutate")
TREE = os.path.join(WORK, "tree")
BUILD = os.path.join(WORK, "build")
SEEN_BYTES = 1 << 16  # MUTANTS_MAX of mutant.c
TURNED = {"<=": "<", ">=": ">", "<": "<=", ">": ">=", "==": "!=", "!=": "==",
          "&&": "||", "||": "&&"}
OPERATOR = re.compile(r"(?<=\s)(<=|>=|==|!=|&&|\|\||<|>)(?=\s)")
NUMBER = re.compile(r"(?<![\w.\"'])(\d+)(?:u|U|ull|ULL)?(?![\w.])")
STATEMENT = re.compile(
    r"(?:[ \t]+)((?:\(void\))?\*?[a-z_]\w*(?:(?:->|\.)\w+|\[[^\]\n]*\])*"
    r"\s*(?:[-+|&^*/]?=(?!=)|\+\+;|--;|<<=|>>=|\()|goto \w+;)")


class Place:
    """A piece of a file and what stands there in the mutant."""

    def __init__(self, path, kind, start, end, mutant):
        self.path, self.kind = path, kind
        self.start, self.end, self.mutant = start, end, mutant

    def apply(self, text, number):
        """The text with both, chosen by the mutant's number."""
        was = text[self.start:self.end]
        switch = f"surety_mutant_is({number})"
        if self.kind == "statement":
            now = f"do {{ if (!{switch}) {{ {was} }} }} while (0);"
        elif self.kind == "constant":
            now = f"({was} + {switch})"
        else:
            now = f"({switch} ? ({self.mutant}) : ({was}))"
        return text[:self.start] + now + text[self.end:]

    def show(self, text):
        line = text.count("\n", 0, self.start) + 1
        was = " ".join(text[self.start:self.end].split())
        now = {"statement": "(dropped)", "constant": f"{was} + 1"}.get(
            self.kind, " ".join((self.mutant or "").split()))
        return f"{self.path}:{line}: {self.kind}\n    - {was}\n    + {now}"


# ---- where ------------------------------------------------------------------


def blanked(text):
    """The text with comments, literals and preprocessor lines made blank."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                  r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text,
                  flags=re.S | re.M)


def bodies(code):
    """(start, end) of each function's body: clang-format puts its braces into
    the first column."""
    for match in re.finditer(r"^\{\n.*?^\}", code, re.S | re.M):
        if code[:match.start()].rstrip().endswith(")"):
            yield match.span()


def closing(code, at):
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        depth += code[i] in "([{"
        depth -= code[i] in ")]}"
        if depth == 0:
            return i
    return len(code)


def end_of_expression(code, at):
    """Where the statement that holds `at` ends, its semicolon not included."""
    while at < len(code) and code[at] != ";":
        at = closing(code, at) + 1 if code[at] in "([{" else at + 1
    return at


def conditions(code, start, end):
    """(start, end) of expressions whose value decides or is given."""
    part = code[start:end]
    for match in re.finditer(r"\b(?:if|while|switch) \(", part):
        opened = start + match.end() - 1
        yield opened + 1, closing(code, opened)
    for match in re.finditer(r"\breturn\s+(?=[^;])|[^=!<>]=\s+(?=[^{;])", part):
        yield start + match.end(), end_of_expression(code, start + match.end())
    for match in re.finditer(r"\bfor \(", part):
        opened = start + match.end() - 1
        first = end_of_expression(code, opened + 1)
        second = end_of_expression(code, first + 1)
        if second < closing(code, opened):
            yield first + 1, second


def places_of(path, text):
    """Every place of a file at which a mutant may stand."""
    code = blanked(text)
    places = []
    for start, end in bodies(code):
        for first, last in conditions(code, start, end):
            for match in OPERATOR.finditer(code, first, last):
                mutant = (text[first:match.start()] + TURNED[match[0]]
                          + text[match.end():last])
                kind = "logic" if match[0] in ("&&", "||") else "comparison"
                places.append(Place(path, kind, first, last, mutant))
        for match in NUMBER.finditer(code, start, end):
            line = code[code.rfind("\n", 0, match.start()) + 1:match.start()]
            if not re.match(r"\s*(?:case|static|enum)\b", line):
                places.append(Place(path, "constant", *match.span(), None))
        for match in re.finditer(r"(?<=[;{})])\n|\belse\n", code[start:end]):
            found = STATEMENT.match(code, start + match.end())
            if found and not found[1].startswith(("assert", "return", "for (",
                                                  "if (", "while (", "switch",
                                                  "do ", "sizeof")):
                last = end_of_expression(code, found.start(1)) + 1
                places.append(Place(path, "statement", found.start(1), last,
                                    None))
    return places


# ---- the build --------------------------------------------------------------


def run(command, **more):
    return subprocess.run(command, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace",
                          check=False, **more)


def must(command, **more):
    done = run(command, **more)
    if done.returncode:
        sys.exit(f"mutate: {shlex.join(command)}\n{done.stdout[-4000:]}"
                 f"{done.stderr[-4000:]}")
    return done.stdout


def copy_tree(sanitize):
    """The project's files as they are now, with the switch among them."""
    shutil.rmtree(WORK, ignore_errors=True)
    names = must(["git", "ls-files", "-z", "--cached", "--others",
                  "--exclude-standard"], cwd=ROOT).split("\0")
    for name in filter(None, names):
        if os.path.exists(os.path.join(ROOT, name)):
            target = os.path.join(TREE, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), target)
    for name in ("mutant.c", "mutant.h"):
        shutil.copy2(os.path.join(ROOT, "tools", name),
                     os.path.join(TREE, "src", "base", name))
    listing = os.path.join(TREE, "src", "base", "meson.build")
    with open(listing, encoding="utf-8") as file:
        text = file.read()
    with open(listing, "w", encoding="utf-8") as file:
        file.write(text.replace("files(\n", "files(\n  'mutant.c',\n", 1))
    header = os.path.join(TREE, "src", "base", "mutant.h")
    data = os.path.join(os.path.dirname(ROOT), "shared", "data")
    must(["meson", "setup", f"-Dc_args=-include {header}", "-Dhardening=false",
          f"-Db_sanitize={sanitize}", "-Db_lundef=false",
          *([f"-Dsuite={data}"] if os.path.isdir(data) else []), BUILD, TREE])


def compilers():
    """By source: how the build compiles it, without an output."""
    with open(os.path.join(BUILD, "compile_commands.json"),
              encoding="utf-8") as file:
        commands = json.load(file)
    found = {}
    for one in commands:
        path = os.path.relpath(os.path.join(one["directory"], one["file"]),
                               TREE)
        words = shlex.split(one["command"])
        at = words.index("-o")
        found.setdefault(path, words[:at] + words[at + 2:])
    return found


def compiles(place, text, command):
    """Whether the file does with this mutant alone."""
    folder = os.path.dirname(os.path.join(TREE, place.path))
    with tempfile.NamedTemporaryFile("w", suffix=".c", dir=folder,
                                     encoding="utf-8") as file:
        file.write(place.apply(text, 0))
        file.flush()
        words = [word for word in command[:-2] if word != "-c"]
        # That an argument of an instruction is no constant is told late.
        late = "intrin.h" in text
        whole = ["-O0", "-S", "-o", os.devnull] if late else ["-fsyntax-only"]
        return run([*words, "-w", *whole, file.name],
                   cwd=BUILD).returncode == 0


def draw(files, count, chance, jobs):
    """So many places, none within another, of which each compiles."""
    texts, places = {}, []
    for path in files:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            texts[path] = file.read()
        places += places_of(path, texts[path])
    chance.shuffle(places)
    print(f"mutate: {len(places)} places in {len(files)} files", flush=True)
    commands = compilers()
    drawn, taken = [], {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while places and len(drawn) < count:
            batch = []
            while places and len(batch) < count - len(drawn):
                place = places.pop()
                others = taken.setdefault(place.path, [])
                if place.path in commands and all(
                        place.end <= start or end <= place.start
                        for start, end in others):
                    others.append((place.start, place.end))
                    batch.append(place)
            good = pool.map(lambda place: compiles(
                place, texts[place.path], commands[place.path]), batch)
            drawn += [place for place, holds in zip(batch, good) if holds]
    return texts, drawn


def write_mutants(texts, drawn):
    by_path = {}
    for number, place in enumerate(drawn):
        by_path.setdefault(place.path, []).append((place, number))
    for path, rows in by_path.items():
        text = texts[path]
        for place, number in sorted(rows, key=lambda row: -row[0].start):
            text = place.apply(text, number)
        with open(os.path.join(TREE, path), "w", encoding="utf-8") as file:
            file.write(text)


# ---- the tests --------------------------------------------------------------


class Test:
    def __init__(self, entry):
        self.name, self.command = entry["name"], entry["cmd"]
        self.env = os.environ | entry["env"]
        self.seconds, self.reached = 0.0, b""

    def passes(self, env, limit):
        """In a session of its own, so that a hang ends with its children."""
        with subprocess.Popen(
                self.command, cwd=TREE, env=self.env | env,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True) as process:
            try:
                return process.wait(limit) == 0
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                return False

    def look(self):
        """Runs it without a mutant; what it reaches and how long it takes."""
        with tempfile.NamedTemporaryFile(dir=WORK) as file:
            file.truncate(SEEN_BYTES)
            start = time.monotonic()
            passed = self.passes({"SURETY_SEEN": file.name}, 600)
            self.seconds = time.monotonic() - start
            file.seek(0)
            self.reached = file.read()
        if not passed:
            print(f"mutate: {self.name} fails without a mutant: left out")
        return passed


def tests_of_build(suites, name):
    tests = [Test(entry) for entry in json.loads(
        must(["meson", "introspect", BUILD, "--tests"]))
        if {name.split(":")[-1] for name in entry["suite"]} & suites
        and entry["cmd"][0].startswith(BUILD)
        and re.search(name, entry["name"])]
    build(tests)
    return tests


def build(tests):
    must(["ninja", "-C", BUILD, "--quiet", *sorted(
        {os.path.relpath(test.command[0], BUILD) for test in tests})])


def noticed(number, tests, deadline):
    """The test that notices a mutant; "" where none does, None where the time
    is over."""
    for test in tests:
        if not test.reached[number]:
            continue
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        limit = 20 * test.seconds + 20
        if not test.passes({"SURETY_MUTANT": str(number)}, limit):
            return test.name
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int,
                        default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--secs", type=int, default=3600)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--suites", default="unit,golden,suite")
    parser.add_argument("--sanitize", default="address,undefined")
    parser.add_argument("--tests", default="")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    deadline = time.monotonic() + options.secs
    if not 0 < options.count <= SEEN_BYTES:
        parser.error(f"--count is from 1 to {SEEN_BYTES}")

    print(f"mutate: seed {options.seed}", flush=True)
    copy_tree(options.sanitize)
    files = sorted(options.files or must(
        ["git", "ls-files", "src/*.c"], cwd=ROOT).split())
    tests = tests_of_build(set(options.suites.split(",")), options.tests)
    texts, drawn = draw(files, options.count, random.Random(options.seed),
                        options.jobs)
    write_mutants(texts, drawn)
    build(tests)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        passed = list(pool.map(Test.look, tests))
        tests = [test for test, holds in zip(tests, passed) if holds]
        tests.sort(key=lambda test: test.seconds)
        print(f"mutate: {len(drawn)} mutants, {len(tests)} tests, "
              f"{sum(test.seconds for test in tests):.0f} s", flush=True)
        ends = pool.map(lambda number: noticed(number, tests, deadline),
                        range(len(drawn)))
        met = []
        for number, (place, end) in enumerate(zip(drawn, ends)):
            if end == "":
                reached = any(test.reached[number] for test in tests)
                print(place.show(texts[place.path])
                      + ("" if reached else "\n    no test reaches it"),
                      flush=True)
            met += [] if end is None else [end]
    if len(met) < len(drawn):
        print(f"mutate: {len(drawn) - len(met)} mutants were not met in "
              f"{options.secs} s")
    share = sum(map(bool, met)) / len(met) if met else 0
    print(f"mutate: {sum(map(bool, met))} of {len(met)} noticed, "
          f"{share:.1%}, seed {options.seed}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/seeds.md tells for every requirement where it is met and which test
shows it. This holds it to that: seeds_test.py ROOT [SURETY].

A row begins with its number: "| S1.7 |". In backticks, these are looked up:

    tests/e2e/a_test.py          a path, * and ? allowed; it must lead somewhere
    tests/e2e/a_test.py:words    and the words must be in it, on one line
    surety check --derive        a command of the tool, and its options
    surety_run_new               a name of the public headers
    maverick/finding             a contract

Everything else in backticks is free. Gates are functions over the text; those
that need the tool are left out without it. Each is first shown a broken copy
that it must refuse."""

import functools
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import check, finish, skip  # noqa: E402

ROOT = os.path.abspath(sys.argv[1])
TOOL = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
COUNTS = (28, 39, 18, 27, 22)  # S0.1 to S0.28, S1.1 to S1.39, ...
TOPS = tuple(sorted(name for name in os.listdir(ROOT)
                    if not name.startswith((".", "build"))))
SPAN = re.compile(r"`([^`\n]+)`")
CONTRACT = re.compile(r"[a-z0-9-]+(/[a-z0-9-]+)+(@[0-9.]+)?\Z")


def spans(text):
    """(line number, what is in backticks), fenced blocks left out."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield from ((number, one) for one in SPAN.findall(line))


def rows(text):
    """The rows of requirements: (line number, [cells])."""
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\| *S\d", line):
            yield number, [cell.strip() for cell in
                           re.split(r"(?<!\\)\|", line)[1:-1]]


def is_path(span):
    return "/" in span and span.split("/")[0] in TOPS and \
        not span.endswith("()")


# ---- gates -------------------------------------------------------------------


def numbers(text):
    """every requirement has one row, in order"""
    got = [cells[0] for _, cells in rows(text)]
    want = [f"S{seed}.{one}" for seed, count in enumerate(COUNTS)
            for one in range(1, count + 1)]
    for name in want:
        if got.count(name) != 1:
            yield f"{name} has {got.count(name)} rows"
    yield from (f"{name} is no requirement" for name in got
                if name not in want)
    if sorted(got) == sorted(want) and got != want:
        at = next(i for i, name in enumerate(got) if name != want[i])
        yield f"{got[at]} is where {want[at]} should"


def cells_of(text):
    """every row says what is asked for, what is here and what shows it"""
    for number, cells in rows(text):
        if len(cells) != 4 or not all(cells):
            yield (f"{number}: {cells[0]} has {len(cells)} cells, or an "
                   "empty one")
        elif not any(is_path(span) for span in SPAN.findall(cells[3])) and \
                not cells[3].startswith("nothing to test: "):
            yield f"{number}: {cells[0]} names no test"


def paths(text):
    """every path and what is named in it is there"""
    for number, span in spans(text):
        if not is_path(span):
            continue
        path, _, name = span.partition(":")
        found = glob.glob(os.path.join(ROOT, path))
        if not found:
            yield f"{number}: there is no {path}"
        for one in found if name else ():
            with open(one, encoding="utf-8") as file:
                if not any(name in line for line in file):
                    yield f"{number}: {path} has no {name!r}"


def functions(text):
    """every function and type is in a public header"""
    header = "".join(open(path, encoding="utf-8").read() for path in glob.glob(
        os.path.join(ROOT, "include", "**", "*.h"), recursive=True))
    known = set(re.findall(r"\bsurety_\w+", header))
    for number, span in spans(text):
        for name in re.findall(r"\bsurety_[a-z]\w*", span):
            if not is_path(span) and name not in known:
                yield f"{number}: no header has {name}"


@functools.lru_cache(None)
def say(*arguments):
    run = subprocess.run([TOOL, *arguments], capture_output=True, timeout=60,
                         check=False, env={"HOME": "/nonexistent",
                                           "LC_ALL": "C.UTF-8"}, cwd="/")
    return run.stdout.decode()


def commands(text):
    """every command and its options are the tool's"""
    listed = re.findall(r"^  ([a-z]+(?: [a-z]+)?)  ", say("--help"), re.M)
    if "run" not in listed:
        return  # a build without libsurety-run has not all of them
    for number, span in spans(text):
        words = span.split()
        if words[0] != "surety" or len(words) < 2:
            continue
        name = " ".join(words[1:3])
        name = name if name in listed else words[1]
        if name not in listed and not words[1].startswith("-"):
            yield f"{number}: the tool has no command {name}"
            continue
        shown = say("help", *name.split()) if name in listed else say("--help")
        for option in (word for word in words if word.startswith("-")):
            option = option.split("=")[0]
            if not re.search(r"(^|[\s,])" + re.escape(option) + r"\b", shown):
                yield f"{number}: surety {name} has no {option}"


def contracts(text):
    """every contract is built in"""
    listed = {line.split()[0] for line in
              say("contracts", "list").splitlines()[1:]}
    for number, span in spans(text):
        if CONTRACT.match(span) and not is_path(span) and \
                span.partition("@")[0] not in listed:
            yield f"{number}: there is no contract {span}"


# ---- and what each must refuse -----------------------------------------------

# Gate, what is replaced in the document (the first of it), by what, and what
# the fault must say.
BROKEN = (
    (numbers, "| S1.7 |", "| S1.8 |", "S1.7 has 0 rows"),
    (numbers, "| S1.7 |", "| S1.8 |", "S1.8 has 2 rows"),
    (numbers, "| S4.22 |", "| S4.23 |", "S4.23 is no requirement"),
    (numbers, "| S0.1 |", "| S0.2 |\n| S0.1 |", "S0.2 has 2 rows"),
    (cells_of, "| S2.5 |", "| S2.5 | x |", "S2.5 has 5 cells"),
    (cells_of, "| S2.5 |", "| S2.5 | x | y | z |\n|", "S2.5 names no test"),
    (paths, "`docs/schema.md`", "`docs/schemas.md`", "there is no docs/sch"),
    (paths, "tests/e2e/seeds_test.py:S0.1 ", "tests/e2e/seeds_test.py:S0.99 ",
     "has no 'S0.99"),
    (paths, "-S0.10-", "-S0.100-", "S0.100-*"),
    (functions, "`surety_contract_judge`", "`surety_reply_jury`",
     "no header has surety_reply_jury"),
    (commands, "`surety check ", "`surety chekc ", "no command chekc"),
    (commands, "`surety check ", "`surety check --dervie ", "no --dervie"),
    (contracts, "`maverick/finding`", "`maverick/findings`",
     "no contract maverick/findings"),
)
GATES = (numbers, cells_of, paths, functions, commands, contracts)
NEEDS_TOOL = (commands, contracts)


def main():
    with open(os.path.join(ROOT, "tests", "seeds.md"),
              encoding="utf-8") as file:
        text = file.read()
    for gate in GATES:
        if gate in NEEDS_TOOL and not TOOL:
            skip(gate.__doc__, "no tool is named")
            continue
        faults = list(gate(text))
        check(gate.__doc__, not faults, "\n".join(
            "tests/seeds.md:" + fault for fault in faults))
    has_run = bool(TOOL) and "\n  run " in say("--help")
    for gate, old, new, says in BROKEN:
        if gate in NEEDS_TOOL and (not TOOL or gate is commands and
                                   not has_run):
            continue
        broken = text.replace(old, new, 1)
        faults = list(gate(broken))
        check(f"{gate.__name__} refuses {new!r}", broken != text and
              any(says in fault for fault in faults), "\n".join(faults[:5]))
    swapped = re.sub(r"(\| S3\.4 \|.*\n)(\| S3\.5 \|.*\n)", r"\2\1", text)
    check("numbers refuses rows in another order", swapped != text and any(
        "S3.5 is where S3.4" in fault for fault in numbers(swapped)))
    finish()


main()

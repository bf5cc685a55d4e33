#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surety run --items and --values: what is printed while replies come, over
real HTTP in each protocol, over re-asks, and to a reader that goes away."""

import json
import os
import select
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from cli_run import (ENV, FOLDER, SURETY, check, complains,  # noqa: E402
                     gives, run_tests, same, surety, write)
from run_mock import KEYS, Mock, PROTOCOLS  # noqa: E402

WAIT = 100  # seconds for what must come
ROW = {"type": "object", "required": ["id"], "additionalProperties": False,
       "properties": {"id": {"type": "integer"}}}
SCHEMA = {"type": "object", "required": ["rows", "total"],
          "additionalProperties": False,
          "properties": {"rows": {"type": "array", "items": ROW},
                         "total": {"type": "integer", "maximum": 10}}}
SLOW = {"chunks": 12, "chunk_delay_ms": 5}
STAY = "were taken from a reply before this one"


def contract(name="rows.json", **policy):
    write(name, SCHEMA | ({"x-surety": policy} if policy else {}))
    return name


def rows(*ids, total=6):
    return {"rows": [{"id": one} for one in ids], "total": total}


def lines(*ids):
    return "".join(f'{{"id":{one}}}\n' for one in ids)


def run(*arguments, model="m-openai:small", name="rows.json",
        items=("--items", "/rows")):
    return surety("run", "-c", name, "-m", model, "--ledger", "none",
                  *items, *arguments, "Hi", env=KEYS)


def test_protocols():
    contract()
    for protocol in PROTOCOLS:
        for mode in ("native", "tool", "prompt"):
            with Mock({"json": rows(1, 2, 3)} | SLOW):
                gives(f"{protocol} in mode {mode}",
                      run("--mode", mode, model=f"m-{protocol}:small"), 0,
                      lines(1, 2, 3))
    with Mock({"json": rows(1, 2)}):
        gives("in one piece", run("--no-stream"), 0, lines(1, 2))
    with Mock({"json": rows()}):
        gives("none", run(), 0, "")


def test_reasks():
    contract(retry={"max": 2})
    with Mock({"json": rows(1, 2, total=11)} | SLOW,
              {"when": {"contains": STAY}, "json": rows(1, 2, 3)} | SLOW):
        gives("after a re-ask, which says what was given, only new ones come",
              run("-v"), 0, lines(1, 2, 3), ("re-ask 1 of 2",))
    with Mock({"json": rows(1, 2, total=11)} | SLOW, {"json": rows(1, 5)},
              {"when": {"contains": "element 1 was given out as"},
               "json": rows(1, 2)}):
        gives("one that contradicts is refused, and asked for again",
              run("-v"), 0, lines(1, 2), ("validator at /rows/1",))
    with Mock({"json": rows(1, 2, total=11)} | SLOW,
              {"json": rows(5), "repeat": True}):
        result = run("--report", "json")
        same("none that agrees", (result.code, result.out), (1, lines(1, 2)))
        report = json.loads(result.err.splitlines()[-1])
        last = report["attempts"][-1]["report"]["errors"]
        same("the report says which", [(one["keyword"], one["instanceLocation"])
                                       for one in last],
             [("validator", "/rows/0")])
        check("and both of it", '{"id":1}' in last[0]["error"]
              and '{"id":5}' in last[0]["error"], last)
    contract("patch.json", retry={"max": 2, "feedback": "patch"})
    with Mock({"json": rows(1, 2, total=11)} | SLOW,
              {"json": [{"op": "replace", "path": "/total", "value": 7}]}):
        gives("a patch keeps them", run("--mode", "prompt", name="patch.json"),
              0, lines(1, 2))


def test_ends():
    contract("fall.json", retry={"max": 0},
             fallback={"kind": "value", "value": rows(1)})
    with Mock({"json": {"total": 3}}):
        gives("a fallback's elements come too", run(name="fall.json"), 0,
              lines(1))
    with Mock({"json": rows(1, total=11)} | SLOW):
        gives("where they agree", run(name="fall.json"), 0, lines(1))
    with Mock({"json": rows(2, total=11)} | SLOW):
        gives("not where they do not", run(name="fall.json"), 1, lines(2),
              "would not begin with the elements that were given")
    contract("part.json", retry={"max": 0}, partial=True)
    with Mock({"text": json.dumps(rows(1, 2))[:-20], "finish": "length"}
              | SLOW):
        gives("of a part of a reply the whole ones come",
              run("--mode", "prompt", name="part.json"), 0, lines(1))


def test_values():
    contract()
    with Mock({"json": rows(1, total=11)} | SLOW, {"json": rows(1)} | SLOW):
        result = run(items=("--values",))
        printed = result.out.splitlines()
        same("the last line is the value", (result.code, printed[-1]),
             (0, '{"rows":[{"id":1}],"total":6}'))
        check("the others lead to it", len(printed) > 3 and all(
            a != b for a, b in zip(printed, printed[1:])), printed)


def test_as_they_come():
    contract()
    optional = ROW | {"properties": ROW["properties"] |
                      {"note": {"type": "string"}}}
    write("null.json", SCHEMA | {"properties": SCHEMA["properties"] | {
        "rows": {"type": "array", "items": optional}}})
    value = rows(*range(1, 30000))
    slow = {"chunks": 8, "chunk_delay_ms": 40}  # half an hour to its end
    nulls = {"rows": [one | {"note": None} for one in value["rows"]],
             "total": 6}
    for name, file, reply, closes in (
            ("a signal", "rows.json", value, False),
            ("a signal, nulls left out", "null.json", nulls, False),
            ("a reader that goes away", "rows.json", value, True)):
        with Mock({"json": reply} | slow):
            process = subprocess.Popen(
                [SURETY, "run", "-c", file, "-m", "m-openai:small",
                 "--ledger", "none", "--items", "/rows", "Hi"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=FOLDER,
                env=ENV | KEYS)
            ready = select.select([process.stdout], [], [], WAIT)[0]
            first = process.stdout.readline() if ready else b""
            same(f"{name}: the first comes before the end", first,
                 b'{"id":1}\n')
            if closes:
                process.stdout.close()
            else:
                process.send_signal(signal.SIGINT)
            try:
                code = process.wait(WAIT)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
            same(f"{name} ends it", -code,
                 signal.SIGPIPE if closes else signal.SIGINT)
            if closes:
                same("silently", process.stderr.read(), b"")
            else:
                process.stdout.close()
            process.stderr.close()


def test_refusals():
    contract()
    for arguments, says in (
            (("--values",), "--items does not go with --values"),
            (("--derive",), "--items does not go with --derive"),
            (("--pretty",), "--items does not go with --pretty"),
            (("--not-strict",), "--items does not go with --not-strict"),
            (("--consensus", "vote"), "--items does not go with --consensus")):
        complains(says, run(*arguments), 2, says)
    complains("a location without an array",
              run(items=("--items", "/total")), 2, "has no array at",
              "name the location of an array")
    complains("--items is for a contract",
              surety("run", "-m", "exec:cat", "--items", "", "Hi"), 2,
              "--items")


run_tests(test_protocols, test_reasks, test_ends, test_values,
          test_as_they_come, test_refusals)

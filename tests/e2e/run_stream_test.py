#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surety run checks a reply while it comes: calls that are stopped, over real
HTTP and by a command, what is told of them, and what is never stopped. Also
what a run does with repairs and with parts of replies."""

import json
import os
import sqlite3
import subprocess
import sys
import time
import unittest.mock

sys.path.insert(0, os.path.dirname(__file__))
from cli_run import (FOLDER, check, complains, gives, run_tests,  # noqa: E402
                     same, surety, write)
from run_mock import KEYS, Mock, PROTOCOLS, configure  # noqa: E402

TEXT = " ".join(str(number) for number in range(30000))  # nothing repeats
WRONG = {"id": 11, "text": TEXT}
RIGHT = {"id": 7, "text": "ok"}
PRINTED = '{"id":7,"text":"ok"}\n'
SCHEMA = {
    "type": "object", "required": ["id", "text"], "additionalProperties": False,
    "properties": {"id": {"type": "integer", "maximum": 10},
                   "text": {"type": "string"},
                   "note": {"type": "string"}}}
SLOW = {"chunks": 8, "chunk_delay_ms": 40}  # 14 minutes to its end


def contract(name="c.json", **policy):
    write(name, SCHEMA | ({"x-surety": policy} if policy else {}))
    return name


def run(*arguments, model="m-openai:small", ledger="none", name="c.json",
        stop="always"):
    return surety("run", "-c", name, "-m", model, "--ledger", ledger,
                  *(("--stop", stop) if stop else ()), *arguments, "Hi",
                  env=KEYS)


def report_of(result):
    return json.loads(result.err.splitlines()[-1])


def log_of(count):
    """What the mock logged, once it has logged so many requests."""
    lines = []
    deadline = time.monotonic() + 100
    while len(lines) < count and time.monotonic() < deadline:
        time.sleep(0.02)
        with open(os.path.join(FOLDER, "mock.log"), "rb") as file:
            lines = file.read().splitlines()
    return [json.loads(line) for line in lines]


class Logged(Mock):
    """The same mock, with a log."""

    def __enter__(self):
        path = os.path.join(FOLDER, "mock.log")
        if os.path.exists(path):
            os.remove(path)
        popen = subprocess.Popen
        with unittest.mock.patch.object(
                subprocess, "Popen", lambda command, **more: popen(
                    [*command, "--log", path], **more)):
            return super().__enter__()


# ---- what is stopped ---------------------------------------------------------


def test_protocols():
    contract(extract={"from": ["native", "whole"]})
    for protocol in PROTOCOLS:
        for mode in ("native", "tool", "prompt"):
            # Gemini brings the arguments of a tool in one piece.
            if protocol == "gemini" and mode == "tool":
                continue
            name = f"{protocol} in mode {mode}"
            with Logged({"json": WRONG} | SLOW, {"json": RIGHT}):
                result = run("--mode", mode, "--report", "json", "-v",
                                      model=f"m-{protocol}:small")
                gives(f"{name}: the second reply is taken", result, 0, PRINTED,
                      ("stopped after ", "maximum at /id"))
                requests = log_of(2)
                same(f"{name}: which saw its connection closed",
                     [one["ended"] for one in requests], ["broken", "whole"])
                first = report_of(result)["attempts"][0]
                same(f"{name}: the report says that it was stopped",
                     (first.get("stopped"), first.get("stopped_for"),
                      first["failure"], first["report"]["stage"],
                      first["report"]["errors"][0]["keyword"],
                      first["report"]["errors"][0]["instanceLocation"]),
                     (True, "no", None, "validation", "maximum", "/id"))
                check(f"{name}: after few bytes",
                      0 < first["stopped_after"] < 200, first)


def test_report():
    contract(extract={"from": ["native", "whole"]})
    with Mock({"json": WRONG} | SLOW, {"json": RIGHT}):
        result = run("--report", "json", "--max-output-tokens", "500",
                        ledger="stopped.db")
    report = report_of(result)
    first = report["attempts"][0]
    same("what was saved is the rest of what there might have been",
         first["output_tokens"] + first["tokens_saved"], 500)
    same("and the tokens are an estimate", first["estimated"], True)
    check("the run's are, too", not report["usage"]["known"]
          and report["usage"]["output_tokens"] > 0, report["usage"])
    same("a warning tells of it",
         [one["keyword"] for one in first["report"]["warnings"]], ["stopped"])
    write("report.json", report)
    gives("the report keeps its contract",
          surety("check", "-c", "surety/report", "report.json"), 0)
    base = sqlite3.connect(os.path.join(FOLDER, "stopped.db"))
    rows = base.execute(
        "select state, stage, ok, stopped, stopped_bytes, saved_tokens,"
        " error_count from attempts order by number").fetchall()
    errors = base.execute("select keyword, path from errors").fetchall()
    base.close()
    same("the ledger has it", rows,
         [("done", "validation", 0, "no", first["stopped_after"],
           first["tokens_saved"], 1), ("done", "done", 1, None, None, None, 0)])
    same("and what was wrong", errors, [("maximum", "/id")])
    with Mock({"json": WRONG, "repeat": True} | SLOW):
        for mode in ("native", "prompt"):
            result = run("--retries", "1", "--mode", mode)
            complains(f"{mode}: none that is valid", result, 1,
                      "error[maximum]", "stopped after ", "about ")
            check(f"{mode}: and nothing of a cut", "cut off" not in result.err,
                  result.err)
        result = run("--retries", "0", "--no-stream", "--report", "json")
        check("in one piece nothing is stopped",
              "stopped" not in report_of(result)["attempts"][0], result)


def test_prompt_again():
    contract(extract={"from": ["native", "whole"]})
    for mode in ("native", "prompt"):
        with Mock({"json": {"note": 3, "id": 1, "text": TEXT}} | SLOW,
                  {"json": RIGHT, "when": {"contains": "/note"}}):
            result = run("--mode", mode, "--show-prompt")
            gives(f"mode {mode}: the finding is in the prompt that asks again",
                  result, 0, PRINTED)
            check("and nothing of a reply that was cut off",
                  "more briefly" not in result.err, result.err)


def test_stop():
    """A model that corrects what it is told, and its three errors."""
    write("three.json", {
        "type": "object", "required": ["a", "b", "c"],
        "properties": {name: {"type": "integer", "maximum": 10}
                       for name in "abc"},
        "x-surety": {"extract": {"from": ["native", "whole"]}}})
    wrong = {"json": {"a": 99, "b": 99, "c": 99}, "chunks": 9,
             "chunk_delay_ms": 5}
    right = {"json": {"a": 1, "b": 1, "c": 1}, "when": {"contains": "at /c:"}}
    for mode in ("native", "prompt"):
        for option in ((), ("--no-stream",), ("--stop", "never")):
            with Mock(wrong, right):
                result = run("--mode", mode, "-v", *option, name="three.json",
                             stop=None)
                gives(f"{mode} {option}: all errors come at once", result,
                      0, '{"a":1,"b":1,"c":1}\n', "maximum at /c")
                check("and the reply is read on", "stopped" not in result.err
                      and (option or "read on from byte" in result.err),
                      result.err)
    with Mock(wrong, right | {"when": {"contains": "at /a:"}}) as mock:
        result = run("-v", name="three.json")
        gives("--stop always tells the first", result, 0,
              '{"a":1,"b":1,"c":1}\n', "(maximum at /a): re-ask 1")
    with Mock(wrong | {"repeat": True}) as mock:
        configure(mock.url, stop="always")
        complains("so does the configuration",
                  run("-v", name="three.json", stop=None), 1, "stopped after ",
                  "re-ask 2 of 2")
        configure(mock.url, stop="soon")
        complains("which knows three ways", run(name="three.json", stop=None),
                  2, "weigh")
        configure(mock.url)
    complains("--stop is for a contract",
              surety("run", "-m", "exec:cat", "--stop", "never", "Hi"), 2,
              "--stop")


def test_nulls_stand_for_nothing():
    contract()
    with Mock({"json": {"note": None, "id": 7, "text": "ok"}, "chunks": 3,
               "chunk_delay_ms": 5}):
        gives("a null that the provider wanted is no mistake",
              run("--mode", "native"), 0, PRINTED)


def test_commit():
    contract()
    wrong = 'An example: {"id": 99, "text": ""}. '
    right = 'Now mine: {"id": 7, "text": "ok"}'
    with Mock({"text": wrong + right, "chunks": 8, "chunk_delay_ms": 5}):
        gives("another value is waited for", run("--mode", "prompt"), 0,
              PRINTED)
    with Logged({"text": wrong + TEXT} | SLOW, {"json": RIGHT}):
        result = run("--mode", "prompt", "--commit", "-v")
        gives("not with --commit", result, 0, PRINTED, "stopped after ")
        same("the call is closed", log_of(2)[0]["ended"], "broken")
    complains("--commit is for a contract",
              surety("run", "-m", "exec:cat", "--commit", "Hi"), 2, "--commit")


def test_runaways():
    contract()
    # The limit is at a tenth: a slow machine reaches it before the end, too.
    for name, text in (("white space", '{"id": 7,' + " " * 400000),
                       ("a text over and over",
                        '{"id": 7, "text": "' + "and again " * 40000)):
        with Logged({"text": text, "chunks": 64, "chunk_delay_ms": 1},
                    {"json": RIGHT, "when": {"contains": "ran on"}}):
            result = run("--mode", "prompt", "-v", "--report", "json")
            gives(f"{name} is stopped, and asked for again", result, 0,
                  PRINTED, ("ran away", "for a reply that ends"))
            same("and told as such",
                 report_of(result)["attempts"][0]["stopped_for"], "runaway")
            same("the call is closed", log_of(2)[0]["ended"], "broken")
    with Mock({"text": json.dumps(RIGHT) + " " * 40000, "chunks": 64,
               "chunk_delay_ms": 1}):
        gives("a value before endless white space is taken",
              run("--mode", "prompt"), 0, PRINTED)


def test_rows_alike():
    write("table.json", {
        "type": "object", "properties": {"rows": {
            "type": "array", "items": {"type": "object", "properties": {
                "state": {"type": "string"}, "n": {"type": "integer"}}}}}})
    rows = {"rows": [{"state": "Texas", "n": 0}] * 3900}
    with Mock({"text": json.dumps(rows), "chunks": 64, "chunk_delay_ms": 1}):
        result = run("--mode", "prompt", name="table.json")
        check("104 KB of rows alike are data", result.code == 0 and
              json.loads(result.out) == rows, (result.code, result.err[:500]))


def test_commands():
    name = contract("whole.json", extract={"from": ["whole"]})
    write("slow.sh", f"""cat > /dev/null
if [ -e asked ]; then
    echo '{{"id": 7, "text": "ok"}}'
else
    : > asked
    printf '{{"id": 11, "text": "'
    sleep 1
    printf 'something'
    sleep 600
fi
""")
    result = run("-v", model="exec:sh slow.sh", name=name)
    gives("a command is stopped, too", result, 0, PRINTED,
          ("stopped after ", "maximum at /id"))


def test_what_is_wanted_whole():
    contract("patch.json", retry={"feedback": "patch"},
             extract={"from": ["native", "whole"]})
    with Mock({"json": {"id": 11, "text": "ok"}, "chunks": 3,
               "chunk_delay_ms": 5},
              {"json": [{"op": "replace", "path": "/id", "value": 7}]}):
        result = run("--mode", "prompt", "-v", name="patch.json")
        gives("a value that a patch will correct", result, 0, PRINTED)
        check("is not stopped", "stopped after" not in result.err, result.err)
    contract("text.json", retry={"max": 0}, extract={"from": ["whole"]},
             fallback={"kind": "text", "value": {"text": ""}, "field": "/text"})
    with Mock({"text": '{"id": 11, "text": "all of it"}', "chunks": 3,
               "chunk_delay_ms": 5}):
        gives("nor a text that is the fallback",
              run("--mode", "prompt", name="text.json"), 0,
              '{"text":"{\\"id\\": 11, \\"text\\": \\"all of it\\"}"}\n')


def test_recordings():
    contract(extract={"from": ["native", "whole"]})
    with Mock({"json": WRONG} | SLOW, {"json": RIGHT}):
        result = run("--record", "stop.jsonl", "--report", "json")
        gives("a run with a call that was stopped is recorded", result, 0,
              PRINTED)
        first = report_of(result)["attempts"][0]
    result = run("--replay", "stop.jsonl", "--report", "json")
    gives("and played again", result, 0, PRINTED)
    again = report_of(result)["attempts"][0]
    same("it is stopped in the same place",
         (again.get("stopped_for"), again.get("stopped_after")),
         ("no", first["stopped_after"]))


# ---- parts, and repairs ------------------------------------------------------


def test_parts():
    contract()
    contract("part.json", partial=True, retry={"max": 1},
             fallback={"kind": "null"})
    cut = {"text": '{"id": 7, "text": "so f', "finish": "length"}
    part = '{"id":7,"text":"so f"}\n'
    for mode in ("native", "prompt"):
        with Mock(cut | {"repeat": True}):
            complains(f"{mode}: without --partial it is none",
                      run("--mode", mode, "--retries", "0"), 1,
                      "cut off")
            result = run("--mode", mode, "--retries", "0", "--partial",
                            "--report", "json")
            gives(f"{mode}: a part, where nothing better came", result, 0, part)
            report = report_of(result)
            same(f"{mode}: is told to be one",
                 (report["verdict"], report["ok"], report.get("partial"),
                  report.get("open")), ("partial", True, True, "/text"))
            write("report.json", report)
            gives(f"{mode}: the report keeps its contract",
                  surety("check", "-c", "surety/report", "report.json"), 0)
            gives(f"{mode}: it comes before the contract's fallback",
                  run("--mode", mode, name="part.json"), 0, part,
                  "cut off")
    with Mock(cut, {"json": RIGHT}):
        gives("a whole reply is better", run("--partial"), 0, PRINTED)
    with Mock({"text": '{"id": 7, "te', "finish": "stop"},
              {"json": RIGHT, "when": {"contains": "ended before its JSON"}}):
        gives("one that ended by itself is asked for again",
              run("--partial", "--mode", "prompt"), 0, PRINTED)
    with Mock({"text": '{"id": 7, "te', "finish": "stop"},
              {"json": RIGHT, "when": {"contains": "cut off"}}):
        gives("without --partial, too, as broken JSON",
              run("--mode", "prompt"), 0, PRINTED)
    with Mock({"text": '{"id": 77, "text": "so f', "finish": "length",
               "repeat": True}):
        complains("a part that breaks the contract is none",
                  run("--retries", "0", "--partial"), 1)


def test_repairs():
    contract()
    contract("repairs.json", repair="align")
    almost = {"text": "{id: '7', text: 'ok',}", "repeat": True}
    with Mock(almost):
        complains("almost JSON is none",
                  run("--mode", "prompt", "--retries", "0"), 1)
        complains("--repair syntax repairs its form",
                  run("--mode", "prompt", "--retries", "0", "--repair",
                      "syntax"), 1, "/id")
        result = run("--mode", "prompt", "--repair", "align", "--report",
                        "json", ledger="repairs.db")
        gives("--repair align its values", result, 0, PRINTED)
        kinds = [one["kind"] for one in report_of(result)["repairs"]]
        check("the report lists them", "trailing-comma" in kinds
              and "unquoted-key" in kinds, kinds)
        gives("so does a contract",
              run("--mode", "prompt", "-v", name="repairs.json"), 0, PRINTED,
              "valid after ")
        complains("which --repair none overrides",
                  run("--mode", "prompt", "--retries", "0", "--repair", "none",
                      name="repairs.json"), 1)
    base = sqlite3.connect(os.path.join(FOLDER, "repairs.db"))
    rows = base.execute("select kind from repairs order by number").fetchall()
    base.close()
    same("and the ledger", [kind for kind, in rows], kinds)
    with Mock({"text": '{"id": 7, "text": "ok"', "repeat": True}):
        complains("--certain takes no guess",
                  run("--mode", "prompt", "--retries", "0", "--repair",
                      "syntax", "--certain"), 1)
        gives("without it one is taken",
              run("--mode", "prompt", "--retries", "0", "--repair",
                  "syntax"), 0, PRINTED)
    for option in (("--repair", "align"), ("--certain",), ("--partial",)):
        complains(f"{option[0]} is for a contract",
                  surety("run", "-m", "exec:cat", *option, "Hi"), 2, option[0])


run_tests(test_protocols, test_report, test_prompt_again, test_stop,
          test_nulls_stand_for_nothing, test_commit, test_runaways,
          test_rows_alike, test_commands, test_what_is_wanted_whole,
          test_recordings, test_parts, test_repairs)

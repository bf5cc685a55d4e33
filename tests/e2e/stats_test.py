#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surety stats over ledgers that surety run wrote, and over some that were
written by hand: every option, every refusal, hostile texts, and size."""

import csv
import hashlib
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
import uuid
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(__file__))
from cli_run import (ENV, FOLDER, POINT, SURETY, check,  # noqa: E402
                     complains, gives, on_terminal, run_tests, same, skip,
                     surety, write)
from run_mock import KEYS, Mock  # noqa: E402

NOON = 1795262400000  # 2026-11-21T12:00:00Z
GOOD = {"json": {"x": 1}}
BAD = {"json": {"x": 99}}
TREND = {"iteration_number": 1, "phase": "exploration",
         "plan": "Look at regions.",
         "actions": [{"tool_name": "get_trend_data_tool",
                      "arguments": {"group_by_dimensions": "region, age"}},
                     {"tool_name": "save_query_to_csv_tool", "arguments": {}}],
         "reflect": "It went well enough.",
         "saved_csv": [{"description": "By region",
                        "corresponding_action_index": 1}]}
PRICES = {"small": {"model": "small", "provider": "m-openai",
                    "price": {"input": 1, "output": 2}}}


def place(name):
    return os.path.join(FOLDER, name)


def stats(*arguments, **more):
    return surety("stats", *arguments, **more)


def told(*arguments):
    """The JSON of stats, once it was checked against its contract."""
    result = stats("--format", "json", *arguments)
    checked = surety("check", "-c", "surety/stats", "-q", stdin=result.out)
    if result.code or checked.code:
        raise RuntimeError(f"{result!r} {checked!r}")
    return json.loads(result.out)


def rows_of(*arguments):
    result = stats("--format", "csv", *arguments)
    if result.code:
        raise RuntimeError(repr(result))
    return list(csv.DictReader(io.StringIO(result.out, newline="")))


def part(group, *names):
    return [group[name] for name in names]


def digest(name):
    with open(place(name), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


# ---- ledgers by hand ---------------------------------------------------------

COLUMNS = ("id", "run", "number", "purpose", "contract", "contract_version",
           "provider", "model", "mode", "started_ms", "state", "ended_ms",
           "failure", "ok", "fallback", "stage", "error_count", "repair_count",
           "input_tokens", "cached_input_tokens", "output_tokens",
           "reasoning_tokens", "cost_picousd", "reply", "writer",
           "recorded_ms")
INSERT = (f"INSERT INTO attempts ({', '.join(COLUMNS)})"
          f" VALUES ({', '.join('?' * len(COLUMNS))})")


def attempt(number=1, run=None, **more):
    """A valid attempt with what is given changed, as a row."""
    row = {"id": str(uuid.uuid4()), "run": run or str(uuid.uuid4()),
           "number": number, "purpose": "ask" if number == 1 else "re-ask",
           "contract": "point", "contract_version": "1.0.0", "provider": "p",
           "model": "m", "mode": "prompt", "started_ms": NOON + number,
           "state": "done", "ended_ms": NOON + number + 100, "failure": None,
           "ok": 1, "fallback": 0, "stage": "done", "error_count": 0,
           "repair_count": 0, "input_tokens": 10, "cached_input_tokens": 0,
           "output_tokens": 20, "reasoning_tokens": 0, "cost_picousd": 1000,
           "reply": None, "writer": 1, "recorded_ms": NOON}
    row.update(more)
    return [row[name] for name in COLUMNS]


def make(name, rows=(), errors=()):
    """A ledger with these attempts and nothing else."""
    if not os.path.exists(place("blank.db")):
        result = surety("run", "--ledger", "blank.db", "-m", "exec:cat", "x")
        if result.code:
            raise RuntimeError(repr(result))
        db = sqlite3.connect(place("blank.db"))
        db.execute("DELETE FROM attempts")
        db.commit()
        db.close()
    shutil.copy(place("blank.db"), place(name))
    db = sqlite3.connect(place(name))
    db.executemany(INSERT, rows)
    db.executemany("INSERT INTO errors VALUES (?, ?, ?, ?, ?)", errors)
    db.commit()
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    return name


# ---- ledgers of surety run ---------------------------------------------------


def run(model, *more, ledger="real.db", contract="point.json"):
    return surety("run", "--ledger", ledger, "--ledger-raw", "-c", contract,
                  "-m", model, "--no-stream", *more, "Hi", env=KEYS)


def with_prices():
    """Adds a model with prices to the mock's configuration."""
    with open(place("surety.json"), encoding="utf-8") as file:
        config = json.load(file)
    config["models"] = PRICES
    write("surety.json", config)


def fill(ledger="real.db"):
    """Nine runs, with what they are to come to; false: one went astray."""
    write("point.json", POINT | {"x-surety": {"name": "point",
                                              "derive": {"x": ".x"}}})
    codes = []
    for model, mode, replies, more in (
            ("small", "native", [GOOD], ()),
            ("small", "native", [BAD, GOOD], ()),
            ("small", "prompt", [BAD, BAD, {"json": {"x": 98}}],
             ("--retries", "2")),
            ("small", "prompt", [{"status": 429}, GOOD], ()),
            ("m-openai:big", "tool", [{"refusal": "No."}], ()),
            ("m-openai:big", "prompt", [BAD, BAD, GOOD], ("--retries", "2")),
            ("m-openai:big", "prompt", [{"text": '{"x": 2,}'}],
             ("--repair", "syntax"))):
        with Mock(*replies):
            with_prices()
            codes.append(run(model, "--mode", mode, *more,
                             ledger=ledger).code)
    for mode in ("native", "prompt"):
        with Mock({"json": TREND}):
            with_prices()
            codes.append(run("small", "--mode", mode, ledger=ledger,
                             contract="trend/iteration-response").code)
    return codes


def test_real():
    same("the runs go as they should", fill(), [0, 0, 1, 0, 1, 0, 0, 0, 0])
    data = told("--ledger", "real.db", "--contract", "point.json")
    total = data["total"]
    same("valid at the first try, the second, the third",
         part(total, "runs", "valid", "first_try", "second_try", "third_try"),
         [7, 5, 3, 1, 1])
    same("rejected and refused", part(total, "rejected", "refused"), [1, 1])
    same("calls, retries, re-asks",
         part(total, "calls", "retries", "reasks", "failed_calls"),
         [13, 1, 5, 1])
    groups = {group["key"]["model"]: group for group in data["groups"]}
    same("by model", sorted(groups), ["big", "small"])
    same("of each", [part(groups[name], "runs", "valid", "first_try")
                     for name in ("big", "small")], [[3, 2, 1], [4, 3, 2]])
    check("what it cost, where there is a price",
          groups["small"]["cost_picousd"] > 0
          and groups["small"]["value_cost_picousd"]
          == groups["small"]["cost_picousd"] // 3
          and groups["small"]["cost_unknown_calls"] == 0, groups)
    check("and that it is not known where there is none",
          groups["big"]["cost_picousd"] == 0
          and groups["big"]["cost_unknown_calls"] == 5
          and groups["big"]["value_cost_picousd"] is None, groups)
    same("what fails", data["errors"]["listed"],
         [{"contract": "point", "keyword": "maximum", "path": "/x",
           "replies": 6, "runs": 3, "corrected": 2, "models": [
               {"model": "small", "replies": 4},
               {"model": "big", "replies": 2}]}])
    same("what was repaired", data["repairs"]["listed"],
         [{"contract": "point", "kind": "trailing-comma", "path": "",
           "replies": 1, "runs": 1, "valid": 1, "models": [
               {"model": "big", "replies": 1}]}])
    same("what replies cover", [
        (one["member"], one["replies"], one["numbers"]["sum"])
        for one in data["coverage"]["members"]], [("x", 5, 6)])
    same("every valid reply was looked at", part(
        data["coverage"]["replies"], "valid", "covered"), [5, 5])


def test_trend():
    members = told("--ledger", "real.db", "--show", "coverage", "--expect",
                   "dimensions_explored=region,age,plan", "--contract",
                   "trend/iteration-response")["coverage"]["members"]
    members = {one["member"]: one for one in members}
    same("dimensions, from structured values and from text", [
        (one["value"], one["replies"])
        for one in members["dimensions_explored"]["values"]],
        [("age", 2), ("region", 2)])
    same("of those that were expected",
         members["dimensions_explored"]["expected"],
         {"count": 3, "reached": 2, "missing": ["plan"]})
    same("exports", part(members["csv_exports"]["numbers"], "count", "sum"),
         [2, 2])
    same("phases", members["phase"]["values"],
         [{"value": "exploration", "replies": 2, "expected": False}])
    write("expected.txt", "region\r\n\n  \nthe plan\n")
    result = stats("--ledger", "real.db", "--show", "coverage", "--expect",
                   "dimensions_explored=@expected.txt", "--expect",
                   "nothing=1")
    gives("from a file, as a table", result, 0, None,
          ("no reply has the derived member nothing",))
    check("with what was not reached",
          "50.0% of 2 expected" in result.out
          and "not reached: the plan" in result.out, result)
    make("bare.db", [attempt()])
    result = stats("--ledger", "bare.db", "-c", "point.json")
    check("replies that were not kept are reported, and how to keep them",
          "1 valid reply not kept" in result.out
          and "--ledger-raw" in result.out, result)


def test_partial():
    write("part.json", POINT | {"x-surety": {"name": "part", "partial": True}})
    with Mock({"text": '{"x": 1, "y": "so far', "finish": "length"}):
        result = surety("run", "--ledger", "part.db", "-c", "part.json", "-m",
                        "m-openai:small", "--mode", "prompt", "--retries", "0",
                        "Hi", env=KEYS)
    same("a part of a reply was taken", result.code, 0)
    total = told("--ledger", "part.db")["total"]
    same("and is reported", part(total, "runs", "valid", "partial", "rejected"),
         [1, 0, 1, 0])
    write("falls.json", POINT | {"x-surety": {"name": "falls",
                                              "fallback": {"kind": "null"}}})
    with Mock(BAD):
        result = surety("run", "--ledger", "falls.db", "-c", "falls.json",
                        "-m", "m-openai:small", "--retries", "0", "Hi",
                        env=KEYS)
    same("a fallback was taken", result.code, 0)
    total = told("--ledger", "falls.db")["total"]
    same("and is reported, too", part(total, "valid", "fallback"), [0, 1])


def test_several_models():
    with Mock(BAD, GOOD):
        surety("run", "--ledger", "two.db", "-c", "point.json", "-m",
               "m-openai:one", "-m", "m-anthropic:two", "--retries", "0",
               "--mode", "prompt", "Hi", env=KEYS)
    data = told("--ledger", "two.db", "--by", "provider,model")
    same("a run of two models counts in the group of each", [
        (group["key"]["model"], *part(group, "runs", "valid", "rejected"))
        for group in data["groups"]],
        [("two", 1, 1, 0), ("one", 1, 0, 1)])
    same("and once in the total", part(data["total"], "runs", "valid",
                                       "second_try"), [1, 1, 1])


# ---- options -----------------------------------------------------------------


def test_choice():
    make("hand.db", [
        attempt(), attempt(model="n", provider="q", mode="native"),
        attempt(contract="story", contract_version="2.1.0",
                started_ms=NOON + 86400000),
        attempt(number=1, run="018f2d3c-0000-7000-8000-00000000abcd", ok=0,
                stage="validation", started_ms=NOON - 86400000 * 40),
        attempt(number=2, run="018f2d3c-0000-7000-8000-00000000abcd",
                started_ms=NOON - 86400000 * 40 + 1000)])
    base = ("--ledger", "hand.db")
    for name, arguments, want in (
            ("all", (), [4, 5]),
            ("--model", ("--model", "n"), [1, 1]),
            ("--provider", ("--provider", "q"), [1, 1]),
            ("--contract", ("-c", "story"), [1, 1]),
            ("--contract with a version", ("-c", "story@2"), [1, 1]),
            ("--contract with another", ("-c", "story@1"), [0, 0]),
            ("--run", ("--run", "018F2D3C-0000-7000-8000-00000000ABCD"),
             [1, 2]),
            ("--since", ("--since", "2026-11-21"), [3, 3]),
            ("--since with a time", ("--since", "2026-11-21T12:00:01"),
             [1, 1]),
            ("--since within a run", ("--since", "2026-10-12T12:00:01"),
             [3, 3]),
            ("--until", ("--until", "2026-11-22T12:00Z"), [3, 4]),
            ("both", ("--since", "2026-11-21", "--until",
                      "2026-11-22T00:00:00Z"), [2, 2]),
            ("long ago", ("--since", "5000w"), [4, 5]),
            ("longer ago than 1970", ("--since", "0001-01-01"), [4, 5]),
            ("from 1970 on", ("--since", "1970-01-01"), [4, 5]),
            ("until 1970", ("--until", "1970-01-01"), [0, 0]),
            ("before all", ("--since", "0001-01-01", "--until", "1969-12-31"),
             [0, 0])):
        same(name, part(told(*base, *arguments)["total"], "runs", "calls"),
             want)
    for by, want in (("model", ["m", "n"]), ("provider", ["p", "q"]),
                     ("contract", ["point", "story"]),
                     ("version", ["1.0.0", "2.1.0"]),
                     ("mode", ["native", "prompt"]),
                     ("month", ["2026-10", "2026-11"]),
                     ("day", ["2026-10-12", "2026-11-21", "2026-11-22"])):
        same(f"--by {by}", [group["key"][by] for group in
                            told(*base, "--by", by)["groups"]], want)
    same("--by none is one group", len(told(*base, "--by",
                                            "none")["groups"]), 1)
    data = told(*base, "--by", "mode, version", "--show", "runs")
    same("--by two", data["by"], ["mode", "version"])
    same("--show leaves the rest out", sorted(data),
         ["by", "from", "groups", "to", "total"])
    result = stats(*base, "--model", "none such")
    gives("nothing that is asked for", result, 0, "", "no such runs")
    gives("which -q does not say", stats(*base, "--model", "x", "-q"), 0, "")


def test_refusals():
    make("hand.db", [attempt()])
    base = ("--ledger", "hand.db")
    for name, arguments, parts in (
            ("an unknown --by", ("--by", "modle"), ("modle", "model")),
            ("--by twice", ("--by", "model,model"), ("model twice",)),
            ("an empty --by", ("--by", "model,"), ("knows no",)),
            ("an unknown --show", ("--show", "error"), ("errors",)),
            ("a date that is none", ("--since", "2026-02-30"),
             ("2026-02-30", "2026-11-21")),
            ("a year that is none", ("--since", "0000-01-01"), ("no time",)),
            ("a time that is none", ("--until", "2026-02-03T25:00"),
             ("no time",)),
            ("words for a time", ("--since", "yesterday"), ("30m, 24h",)),
            ("a number without a unit", ("--since", "7"), ("no time",)),
            ("a time that ends before it begins",
             ("--since", "2026-11-21", "--until", "2026-11-21"),
             ("not later",)),
            ("--top 0", ("--top", "0"), ("from 1",)),
            ("an unknown format", ("--format", "xml"), ("table",)),
            ("csv of two sections", ("--format", "csv", "--show",
                                     "runs,errors"), ("one section",)),
            ("--expect without a value", ("--expect", "x"), ("MEMBER=",)),
            ("--expect of nothing", ("--expect", "x=,"), ("no values",)),
            ("--expect of too much",
             ("--expect", "x=" + ",".join(map(str, range(1001)))),
             ("more than 1000",)),
            ("a chart of another kind", ("--chart", "x.pdf"), (".svg",)),
            ("a chart without a name", ("--chart", ".svg"), (".svg",)),
            ("an operand", ("hand.db",), ("--ledger",)),
            ("an empty ledger's name", ("--ledger", ""), ("needs a place",)),
            ("an empty contract", ("-c", ""), ("a name or a file",))):
        complains(name, stats(*base, *arguments), 2, *parts)
    complains("--expect of a file that is not there",
              stats(*base, "--expect", "x=@none"), 4, "none")
    write("broken.json", "{")
    complains("a contract's file that is none",
              stats(*base, "-c", "broken.json"), 2, "broken.json")
    complains("a chart in a folder that is not there",
              stats(*base, "--show", "repairs", "--chart", "none/x.svg"), 4,
              "none")
    complains("a scheme nobody knows", stats("--ledger", "mysql://x/y"), 4,
              "mysql")


def test_no_ledger():
    complains("no ledger", stats("--ledger", "none.db"), 4, "no ledger at",
              "none.db yet", "surety run makes it")
    check("and none is made", not os.path.exists(place("none.db")))
    complains("none in a folder that is not there",
              stats("--ledger", "none/none.db"), 4, "no ledger at")
    home = {"HOME": place("home"), "XDG_STATE_HOME": ""}
    complains("none where run would write it", stats(env=home), 4,
              "home/.local/state/surety/ledger.db")
    check("and no folder is made", not os.path.exists(place("home")))
    surety("run", "-m", "exec:cat", "x", env=home)
    gives("the one that run wrote", stats(env=home), 0, None)
    write("mine.json", {"ledger": {"url": "mine.db"}})
    complains("the configuration's", stats("--config", "mine.json"), 4,
              "mine.db")
    write("mine.json", {"ledger": {"url": "none"}})
    complains("none at all", stats("--config", "mine.json"), 2, "keeps no")
    open(place("empty.db"), "wb").close()
    complains("an empty file", stats("--ledger", "empty.db"), 4,
              "no ledger at")
    same("which stays so", os.path.getsize(place("empty.db")), 0)
    gives("a ledger without runs", stats("--ledger", make("blank2.db")), 0, "",
          "no runs yet")
    data = told("--ledger", "blank2.db")
    same("as JSON", (data["from"], data["total"]["runs"], data["groups"],
                     data["total"]["median_ms"]), (None, 0, [], None))
    same("as CSV", rows_of("--ledger", "blank2.db"), [])
    gives("a chart of nothing", stats("--ledger", "blank2.db", "--chart",
                                      "no.svg"), 1, "", "no runs to draw")
    complains("a folder", stats("--ledger", "."), 4, "is a folder")
    write("text.db", "This is no database, and long enough for one." * 100)
    complains("a text", stats("--ledger", "text.db"), 4, "no database")
    db = sqlite3.connect(place("theirs.db"))
    db.execute("CREATE TABLE x (y)")
    db.close()
    complains("a database of others", stats("--ledger", "theirs.db"), 4,
              "another program")


def test_old_and_broken():
    make("old.db", [attempt()])
    for version, said in ((7, "version 7"), (9, "newer surety")):
        db = sqlite3.connect(place("old.db"))
        db.execute(f"PRAGMA user_version = {version}")
        db.close()
        before = digest("old.db")
        complains(f"version {version}", stats("--ledger", "old.db"), 4, said)
        same("is not touched", digest("old.db"), before)
    make("cut.db", [attempt() for _ in range(2000)])
    with open(place("cut.db"), "r+b") as file:
        file.seek(20 * 4096)
        file.write(b"\xA5" * 30 * 4096)
    complains("a damaged file", stats("--ledger", "cut.db"), 4, "damaged")
    os.truncate(place("cut.db"), 50000)
    complains("a file that was cut", stats("--ledger", "cut.db"), 4,
              "cut.db")


# ---- reading only ------------------------------------------------------------


def test_reads_only():
    run_id = str(uuid.uuid4())
    make("open.db", [attempt(run=run_id, state="open", ok=0, stage=None,
                             ended_ms=None)])
    before = digest("open.db")
    same("a call under way is reported",
         told("--ledger", "open.db")["total"]["open"], 1)
    same("and stays under way, in a file that is not changed",
         digest("open.db"), before)
    same("nothing stands beside it", [
        name for name in os.listdir(FOLDER)
        if name.startswith("open.db") and name != "open.db"], [])
    folder = place("locked")
    os.mkdir(folder)
    shutil.copy(place("open.db"), os.path.join(folder, "a?b#c%d.db"))
    os.chmod(os.path.join(folder, "a?b#c%d.db"), 0o444)
    os.chmod(folder, 0o555)
    os.chmod(FOLDER, 0o755)
    try:
        done = subprocess.run(
            [SURETY, "stats", "--ledger", os.path.join(folder, "a?b#c%d.db"),
             "--show", "runs", "--format", "json"], cwd="/",
            env=ENV, capture_output=True, text=True, timeout=60, check=False,
            preexec_fn=None if os.getuid() else lambda: os.setuid(65534))
    except PermissionError:
        done = None
    os.chmod(folder, 0o755)
    if not done or ("Permission denied" in done.stderr and not done.stdout):
        skip("a ledger that may only be read, in a folder likewise",
             "the tool itself cannot be run by another user")
    else:
        check("a ledger that may only be read, in a folder likewise",
              done.returncode == 0
              and json.loads(done.stdout)["total"]["runs"] == 1, done)
    # What others write meanwhile, into the log of a database in use.
    make("live.db", [attempt() for _ in range(3000)])
    db = sqlite3.connect(place("live.db"), check_same_thread=False)
    ended = threading.Event()

    def keep_writing():
        while not ended.is_set():
            db.execute(INSERT, attempt())
            db.commit()
            time.sleep(0.002)

    writer = threading.Thread(target=keep_writing)
    writer.start()
    counts = []
    try:
        end = time.monotonic() + 100
        while len(counts) < 5 or (counts[-1] == counts[0] and
                                  time.monotonic() < end):
            counts.append(told("--ledger", "live.db",
                               "--show", "runs")["total"]["runs"])
    finally:
        ended.set()
        writer.join()
    check("one that is being written", counts[0] >= 3000
          and counts == sorted(counts) and counts[-1] > counts[0], counts)
    db.execute("BEGIN IMMEDIATE")
    db.execute(INSERT, attempt())
    result = stats("--ledger", "live.db", "-q")
    check("also while a writer holds it", result.code == 0, result)
    db.rollback()
    db.close()


# ---- forms -------------------------------------------------------------------

NAMES = ['comma, "quoted"', "line\nfeed\r\n", "=1+1", "@SUM(A1)", "-x", " sp ",
         "\u4e2d\u6587 \U0001F600", "N/A", "null", "\x1b[31mred\x07", "", "-",
         "turned\u202e", "zero\u200bwide", "\u0645\u06cc\u200c\u0634",
         "tag\U000E0041"]


def hostile():
    rows, errors = [], []
    for i, name in enumerate(NAMES):
        row = attempt(model=name, contract=name, ok=0, stage="validation",
                      error_count=1)
        errors.append((row[0], 1, name or "type", "/" + name + "/3", "m"))
        rows.append(row)
        rows.append(attempt(2, run=row[1], model=name, contract=name))
    return make("hostile.db", rows, errors)


def unguarded(text):
    """What a cell says without the ' that stops formulas."""
    return text[1:] if re.match(r"' *[=+\-@\t\r]", text) else text


def test_csv():
    hostile()
    base = ("--ledger", "hostile.db")
    for formulas in ((), ("--formulas",)):
        rows = rows_of(*base, *formulas)
        names = [row["model"] for row in rows]
        if not formulas:
            check("formulas are stopped", "'=1+1" in names
                  and "'@SUM(A1)" in names and "'-x" in names, names)
            names = [unguarded(name) for name in names]
        same(f"every name comes back {formulas}", sorted(names), sorted(NAMES))
        same("with its figures", {tuple(part(row, "runs", "second_try",
                                             "cost_usd", "value_cost_usd",
                                             "median_ms")) for row in rows},
             {("1", "1", "0.000000002", "0.000000002", "100")})
    rows = rows_of(*base, "--show", "errors", "--formulas")
    same("errors", sorted((row["keyword"], row["path"], row["corrected"])
                          for row in rows),
         sorted((name or "type", f"/{name}/*", "1") for name in NAMES))
    same("--top", len(rows_of(*base, "--show", "errors", "--top", "3")), 3)
    same("repairs", rows_of(*base, "--show", "repairs"), [])
    rows = rows_of("--ledger", "real.db", "--show", "coverage", "--expect",
                   "phase=exploration,final")
    same("coverage", [(row["member"], row["kind"], row["value"], row["count"],
                       row["expected"]) for row in rows
                      if row["member"] in ("phase", "csv_exports")],
         [("phase", "text", "exploration", "2", "true"),
          ("phase", "text", "final", "0", "true"),
          ("csv_exports", "number", "", "2", "")])
    same("JSON holds them too", sorted(
        group["key"]["model"] for group in told(*base)["groups"]),
        sorted(NAMES))


def test_terminal():
    hostile()
    result = stats("--ledger", "hostile.db", env={"COLUMNS": "100"})
    check("no control character is passed on", not re.search(
        r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", result.out)
        and "\\x1B[31mred\\x07" in result.out, repr(result.out))
    check("nor what turns a line around, or shows nothing", not re.search(
        "[\u200b\u202e\U000E0041]", result.out) and all(
            escape in result.out for escape in (
                "turned\\u{202E}", "zero\\u{200B}wide", "tag\\u{E0041}",
                "\u0645\u06cc\u200c\u0634")), repr(result.out))
    check("the width is kept", max(map(len, result.out.splitlines())) <= 100,
          result.out)
    for color, want in (("always", True), ("never", False), ("auto", False)):
        result = stats("--ledger", "hostile.db", "--color", color)
        same(f"--color {color}", "\x1b[1m" in result.out, want)
    code, shown = on_terminal("stats", "--ledger", "hostile.db", stdout=True)
    check("on a terminal there is colour", code == 0 and "\x1b[1m" in shown,
          shown)
    code, shown = on_terminal("stats", "--ledger", "hostile.db", stdout=True,
                              env={"NO_COLOR": "1"})
    check("but not with NO_COLOR", code == 0 and "\x1b" not in shown, shown)
    plain = stats("--ledger", "hostile.db", env={"COLUMNS": "100"}).out
    code, shown = on_terminal("stats", "--ledger", "hostile.db", stdout=True,
                              env={"NO_COLOR": "1", "COLUMNS": "100"})
    if "\r\n" in shown:
        same("and a pipe gets the same", shown.replace("\r\n", "\n"), plain)
    for columns in ("1", "40", "79", "200", "99999", "x", "-5", ""):
        result = stats("--ledger", "real.db", env={"COLUMNS": columns})
        check(f"COLUMNS={columns!r}", result.code == 0
              and "all" in result.out, result)


def test_charts():
    make("many.db", [attempt(model=f"model-{i:03} " + "long " * (i % 30),
                             ok=i % 3 > 0, stage="done" if i % 3 else
                             "validation") for i in range(60)])
    for ledger, arguments, remark in (
            ("hostile.db", (), ""),
            ("many.db", (), "20 groups with fewer runs are not drawn"),
            ("many.db", ("--by", "none"), ""),
            ("many.db", ("--by", "day"), ""),
            ("hand.db", ("--by", "month", "--width", "500"), "")):
        for ending in ("svg", "png"):
            name = f"{ledger[:-3]}{len(arguments)}{len(remark)}.{ending}"
            result = stats("--ledger", ledger, *arguments, "--chart", name,
                           "--force", "--show", "runs")
            if "without cairo" in result.err:
                skip(f"chart {name}", "a build without cairo")
                continue
            gives(f"chart {name} {arguments}", result, 0, None,
                  (f"wrote {name}", remark))
            with open(place(name), "rb") as file:
                data = file.read()
            if ending == "png":
                check("is a PNG", data.startswith(b"\x89PNG\r\n\x1a\n")
                      and data.endswith(b"IEND\xaeB`\x82"), data[:20])
            else:
                same("is an SVG", xml.etree.ElementTree.fromstring(data).tag,
                     "{http://www.w3.org/2000/svg}svg")
    make("shares.db", [attempt(run=run, number=number, ok=ok, stage="done" if
                               ok else "validation") for run, number, ok in (
        ("a", 1, 1), ("b", 1, 1), ("c", 1, 1), ("d", 1, 0), ("d", 2, 1),
        ("e", 1, 0))])
    result = stats("--ledger", "shares.db", "--chart", "shares.svg")
    if "without cairo" not in result.err:
        with open(place("shares.svg"), encoding="utf-8") as file:
            boxes = re.findall(r'fill:rgb\(([0-9]+)[^"]*" d="M [-0-9.]+ '
                               r"([-0-9.]+) L [-0-9.]+ [-0-9.]+ L [-0-9.]+ "
                               r'([-0-9.]+) ', file.read())
        heights = [(int(red), abs(float(top) - float(bottom)))
                   for red, top, bottom in boxes]
        heights = [(red, high) for red, high in heights if 13 < high < 500]
        whole = sum(high for red, high in heights)
        # Blue, light blue, red: 0, 33 and 83 percent of red.
        same("shares are stacked, in colours that say what they are",
             [(red, round(high / whole * 100)) for red, high in heights],
             [(0, 60), (33, 20), (83, 20)])
    with open(place("there.svg"), "w", encoding="ascii") as file:
        file.write("mine")
    result = stats("--ledger", "hand.db", "--chart", "there.svg", "--show",
                   "runs")
    check("a file that is there stays, and the table is reported",
          result.code == 4 and "--force" in result.err and "model" in
          result.out and open(place("there.svg"),
                              encoding="ascii").read() == "mine", result)


# ---- size --------------------------------------------------------------------


MEASURE = """
import resource, subprocess, sys, time
began = time.monotonic()
code = subprocess.call(sys.argv[1:])
print(time.monotonic() - began, resource.getrusage(
    resource.RUSAGE_CHILDREN).ru_maxrss / 1024, file=sys.stderr)
sys.exit(code)
"""


def test_size():
    """200,000 attempts of 100,000 runs, half of them with an error."""
    rows, errors = [], []
    for i in range(100000):
        first = attempt(run=str(uuid.UUID(int=i)), model=f"model-{i % 7}",
                        contract=f"contract-{i % 5}", ok=0,
                        stage="validation", error_count=1,
                        started_ms=NOON + i * 1000)
        first[0] = str(uuid.UUID(int=(1 << 100) + i))
        second = attempt(2, run=first[1], model=f"model-{i % 7}",
                         contract=f"contract-{i % 5}",
                         started_ms=NOON + i * 1000 + 500)
        second[0] = str(uuid.UUID(int=(2 << 100) + i))
        errors.append((first[0], 1, "type", f"/rows/{i % 1000}/x", "m"))
        rows += [first, second]
    make("large.db", rows, errors)
    # By a process of its own, for a child begins as large as its parent.
    result = subprocess.run(
        [sys.executable, "-c", MEASURE, SURETY, "stats", "--ledger",
         "large.db", "--format", "json", "--by", "model,contract,day"],
        cwd=FOLDER, env=ENV, capture_output=True, check=True, timeout=300)
    data = json.loads(result.stdout)
    took, memory = map(float, result.stderr.split())
    print(f"# 200,000 attempts: {took:.1f} s, at most {memory:.0f} MiB",
          file=sys.stderr)
    same("all of them", part(data["total"], "runs", "calls", "second_try"),
         [100000, 200000, 100000])
    same("one error a contract", [(one["replies"], one["path"])
                                  for one in data["errors"]["listed"]],
         [(20000, "/rows/*/x")] * 5)
    sanitized = "ASAN_OPTIONS" in os.environ
    check("in bounded memory", memory < 100 or sanitized, memory)


# ---- PostgreSQL --------------------------------------------------------------


def test_postgres():
    import ledger_postgres_test as postgres
    shutil.rmtree(postgres.FOLDER, ignore_errors=True)
    programs = postgres.find_programs()
    if not programs:
        skip("PostgreSQL", "no server is installed")
        return
    try:
        server = postgres.Server(programs)
    except KeyError:
        skip("PostgreSQL", "root needs a user postgres to run a server")
        return
    try:
        server.make()
        server.start()
        result = stats("--ledger", server.url())
        if "knows no ledgers" in result.err:
            skip("PostgreSQL", "a build without libpq")
            return
        complains("PostgreSQL without a ledger", result, 4, "no ledger at")
        check("and without its password",
              postgres.SECRET_URL not in result.err, result)
        same("nothing was made", server.sql(
            "SELECT count(*) FROM pg_namespace WHERE nspname = 'surety'"),
            "0")
        same("the runs go as they should", fill(server.url()),
             [0, 0, 1, 0, 1, 0, 0, 0, 0])
        want = told("--ledger", "real.db")
        have = told("--ledger", server.url())
        for data in (want, have):
            del data["from"], data["to"]
            for group in [data["total"], *data["groups"]]:
                for name in list(group):
                    if name.endswith("_ms") or "tokens" in name:
                        del group[name]
        same("they come to what they do in a file", have, want)
        server.sql("CREATE USER reader PASSWORD 'reader'; GRANT USAGE ON"
                   " SCHEMA surety TO reader; GRANT SELECT ON ALL TABLES IN"
                   " SCHEMA surety TO reader")
        gives("for one who may only read", stats(
            "--ledger", server.url(user="reader", password="reader"),
            "--show", "runs"), 0)
        same("no writer was entered for that", server.sql(
            "SELECT count(*) FROM surety.writers"), "9")
        server.sql("UPDATE surety.ledger_version SET version = 4")
        complains("an older version", stats("--ledger", server.url()), 4,
                  "version 4", "surety run")
    finally:
        server.stop("immediate")
        shutil.rmtree(server.folder, ignore_errors=True)


run_tests(test_real, test_trend, test_partial, test_several_models,
          test_choice, test_refusals, test_no_ledger, test_old_and_broken,
          test_reads_only, test_csv, test_terminal, test_charts, test_size,
          test_postgres)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/systems/trend against surety mock and from its recording: its tools,
phases, what is carried from one iteration to the next, why it ends, what it
covers, and what is wrong with a call: systems_trend_test.py [SURETY]."""

import csv
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from cli_run import (FOLDER, check, gives, run_tests, same,  # noqa: E402
                     surety, write)
from run_mock import Mock, configure  # noqa: E402
from systems_run import (EXAMPLES, given, is_careful,  # noqa: E402
                         is_small, recording, system)

QUESTION = "Why did costs rise?"
GET, LIST, SAVE = ("get_trend_data_tool", "list_available_dimensions_tool",
                   "save_query_to_csv_tool")
VALUES = "get_dimension_values_tool"
PROGRAMS = os.path.join(EXAMPLES, "systems")
TOOLS = os.path.join(PROGRAMS, "trend-tools.json")
# Tools for the tests of the loop, which take any arguments.
STUBS = write("stubs.json", {"tools": [
    {"name": name, "parameters": {"type": "object"}, "shell": work}
    for name, work in ((GET, "cat"), (LIST, "cat"), (VALUES, "cat"),
                       (SAVE, "echo \'{\"file\": \"a.csv\", \"rows\": 1}\'"))]})
DIMENSIONS = ["year", "claim_type", "service_category", "region",
              "provider_group", "age_group"]
FEW = "CSV files saved so far: 0; at least 3 are wanted: save what matters most"
PHASES = ("exploration", "pre_final", "synthesis", "final")
ROUND = "the same two calls again and again: the analysis goes round in circles"


def call(tool=GET, **arguments):
    return {"tool_name": tool, "arguments": arguments}


def reply(number, phase="exploration", actions=None, **more):
    """A reply that keeps the contract; each asks for a dimension of its own."""
    return {"iteration_number": number, "phase": phase,
            "plan": f"Plan of {number}.",
            "actions": [call(group_by_dimensions=f"d{number}")]
            if actions is None else actions,
            "reflect": f"Learned in iteration {number}.", **more}


def saved(count):
    """Actions and their saved files."""
    return {"actions": [call(SAVE, group_by_dimensions=f"s{i}")
                        for i in range(count)],
            "saved_csv": [{"description": f"File {i}",
                           "corresponding_action_index": i}
                          for i in range(count)]}


def trend(*arguments, model="m-openai:trend-1", tools=STUBS, **more):
    model = ("-m", model) if model else ()
    return system("trend", *model, "--tools", tools, *arguments, **more)


def mocked(*replies, **more):
    """A model that makes the calls that a reply names as its actions, and then
    gives the reply."""
    steps = []
    for one in replies:
        calls = [{"tool": action["tool_name"], "json": action["arguments"]}
                 for action in one.get("actions", ())]
        steps += [{"calls": calls}] if calls else []
        steps += [{"json": one} if "plan" in one or "phase" in one else one]
    return Mock(*steps, **more)


def world(name):
    """An environment for the real tools: the claims, and a new folder."""
    data = os.path.join(FOLDER, "claims.db")
    if not os.path.exists(data):
        made = program("claims-data.py", data)
        same("the claims are made", (made.returncode, made.stderr), (0, b""))
    folder = os.path.join(FOLDER, name)
    os.mkdir(folder)
    return {"CLAIMS_DB": data, "CSV_FOLDER": folder}


def program(name, *arguments, stdin=b"", env=None, before=()):
    return subprocess.run(
        [*before, sys.executable, os.path.join(PROGRAMS, name), *arguments],
        input=stdin, capture_output=True, timeout=60, check=False,
        env={**os.environ, **(env or {})})


def tool(name, env, **arguments):
    """What a tool gives the model: the result, or None and the sentence."""
    run = surety("tools", TOOLS, name, json.dumps(arguments), env=env)
    return (json.loads(run.out), "") if run.code == 0 else (None, run.err)


def result_of(run):
    """What it covers; nothing where it printed no object."""
    try:
        return json.loads(run.out)
    except ValueError:
        return {}


def carried(run):
    """What each iteration was told to put right, and at the end what is
    left."""
    return [json.loads(line.partition(": ")[2])
            for line in run.err.splitlines()
            if line.startswith("Put this right: ")]


def prompts_of(ledger):
    with sqlite3.connect(os.path.join(FOLDER, ledger)) as database:
        return [row[0].decode() if isinstance(row[0], bytes) else row[0]
                for row in database.execute(
                    "SELECT prompt FROM attempts WHERE purpose = 'ask' "
                    "ORDER BY seq")]


def derived_of(iterations, most=10):
    """What trend/analysis derives, without any model."""
    write("history.json", {"question": QUESTION, "iterations_max": most,
                           "iterations": iterations})
    run = surety("check", "-c", "trend/analysis", "--derive", "history.json")
    return json.loads(run.out)["derived"] if run.code == 0 else repr(run)


def iteration(value, **asked):
    """One iteration of a trend/analysis, as if its reply had been this, after
    the calls that it names."""
    tools = [{"name": one["tool_name"], "made": True,
              "arguments": json.dumps(one["arguments"]),
              "result": '{"file": "a.csv"}'} for one in value["actions"]]
    return {"asked": {"iteration_number": value["iteration_number"],
                      "phase": value["phase"], **asked},
            "report": {"ok": True, "verdict": "valid", "value": value,
                       "errors": [], "attempts": [{"tools": tools}, {}]}}


# ---- what works --------------------------------------------------------------


def test_example():
    """The script, the input and the recording that the guide shows, with the
    real tools."""
    mock = Mock()
    mock.script = os.path.join(EXAMPLES, "scripts", "trend.json")
    question = given("trend.txt").rstrip("\n")
    env = world("live")
    with mock:
        live = trend(question, tools=TOOLS, env=env)
        gives("S0.22 a question becomes an analysis", live, 0)
        for protocol in ("responses", "anthropic", "gemini"):
            gives(f"the same through the protocol {protocol}",
                  trend(question, model=f"m-{protocol}:trend-1", tools=TOOLS,
                        env=world(protocol)), 0, live.out)
    found = result_of(live)
    same("S0.6 coverage: the dimensions explored",
         found.get("dimensions_explored"), sorted(DIMENSIONS))
    same("S0.6 coverage: the tools used", found.get("tools_used"),
         sorted((GET, LIST, SAVE, VALUES)))
    same("S0.6 coverage: the CSV exports are files that are there",
         (found.get("csv_exports"), sorted(found.get("csv_files", ()))),
         (4, sorted(os.listdir(env["CSV_FOLDER"]))))
    same("S0.6 coverage: the phases", found.get("phases"),
         {"exploration": 4, "pre_final": 1, "synthesis": 1, "final": 1})
    same("S0.3 the reflections are members, not text to search",
         [one["iteration_number"] for one in found.get("reflections", ())],
         [1, 2, 4, 6, 7, 8, 9])
    same("S0.7 a reply that is rejected counts for nothing",
         (found.get("iterations"), found.get("valid")), (9, 7))
    errors = carried(live)[3]
    same("S0.21 every error of it is told, with its path", errors, [
        'the required property "reflect" is missing (path: )',
        'the property "reflection" is not allowed (path: reflection)',
        '"explore" must be "exploration" (path: phase)',
        '"more" has 4 characters, fewer than the minimum of 5 (path: plan)',
        '"region" is a string, but must be an object (path: '
        'actions/0/arguments)'])
    same("a saved file that no call saved is told too", carried(live)[5], [
        "no such call was made in this iteration (path: actions/2)",
        "the action that it names saved no file (path: saved_csv/0)"])
    check("the model read what was wrong with a call, and made it right",
          'there is no dimension \\"type\\"; there are: year' in live.err,
          live.err)
    with open(mock.script, encoding="utf-8") as file:
        lines = [one for one in file if not one.startswith("//")]
    write("bad.json", next(
        one["json"] for one in json.loads("".join(lines))["replies"]
        if "reflection" in one.get("json", ())))
    plain = surety("check", "-c", "trend/iteration-response", "--report",
                   "plain", "bad.json")
    same("S0.20 they are the list that surety check --report plain gives, but "
         "for the phase, of which one was asked for", [
             errors[2] if "(path: phase)" in one else one
             for one in plain.err.splitlines()], errors)
    replayed = trend(question, model=recording("trend"), tools=TOOLS,
                     env=world("replayed"))
    gives("from the recording, without a server", replayed, 0, live.out)
    same("with the same log", replayed.err, live.err)
    is_careful("trend", "-m", recording("trend"), "--tools", STUBS,
               given("trend.txt"))
    for name in ("trend.c", "trend-iteration.c", "claims.py",
                 "claims-data.py"):
        is_small("trend", name)


def sums(rows, column):
    return round(sum(row[column] for row in rows), 2)


def test_queries():
    env = world("queries")
    same("the dimensions", tool(LIST, env)[0], {"dimensions": DIMENSIONS})
    same("the values of one", tool(VALUES, env, dimension_name="year")[0],
         {"dimension_name": "year", "values": [2022, 2023]})
    total = tool(GET, env)[0]
    one = {"dimension_name": "region", "operator": "in",
           "value": ["north-east"] * 100}
    same("20 filters, of 100 values",
         tool(GET, env, group_by_dimensions="region",
              filters=json.dumps([one | {"operator": "is not null",
                                         "value": None}] * 19
                                 + [one]))[0]["rows_in_all"], 1)
    values = {name: tool(VALUES, env, dimension_name=name)[0]["values"]
              for name in DIMENSIONS}
    for name in DIMENSIONS[1:]:
        got = tool(GET, env, group_by_dimensions=name)[0]
        same(f"the claims of every {name} add up to all",
             [sums(got["rows"], got["columns"].index(one))
              for one in ("claims_2022", "claims_2023")],
             [total["rows"][0][0], total["rows"][0][2]])
        same(f"a row for each {name}, the largest rise first",
             ({row[0] for row in got["rows"]},
              [row[-1] for row in got["rows"]]),
             (set(values[name]),
              sorted((row[-1] for row in got["rows"]), reverse=True)))
    for operator, value, count in (
            ("=", "north-east", 1), ("!=", "north-east", 3),
            ("like", "north%", 2), ("like", "NORTH%", 0),
            ("ilike", "NORTH%", 2), ("IN", ["north-east", "nowhere"], 1),
            ("between", ["north-east", "north-west"], 2), (">", "s", 2),
            ("is null", None, 0), ("is  NOT null", None, 4),
            ("=", "' OR 1=1 --", 0)):
        got, wrong = tool(GET, env, group_by_dimensions="region",
                          filters=json.dumps([{
                              "dimension_name": "region", "operator": operator,
                              "value": value}]))
        same(f"regions {operator} {json.dumps(value)}",
             (got or {}).get("rows_in_all", wrong), count)
    for most in (1, 2, 999):
        got = tool(GET, env, group_by_dimensions="provider_group,age_group,"
                   "service_category", top_n=most)[0]
        same(f"top_n {most}", (len(got["rows"]), got["rows_in_all"]),
             (most, 31 * 4 * 9))
    same("without one", len(tool(GET, env, group_by_dimensions=(
        "provider_group,age_group,service_category"))[0]["rows"]), 999)


def test_wrong_queries():
    env = world("wrong")
    one = {"dimension_name": "region", "operator": "=", "value": "x"}
    for name, arguments, wanted in (
            ("an unknown dimension", {"group_by_dimensions": "colour"},
             'there is no dimension "colour"; there are: year, claim_type'),
            ("SQL", {"group_by_dimensions": "region) FROM claims; --"},
             "there is no dimension"),
            ("a dimension twice", {"group_by_dimensions": "year, year"},
             "stands twice"),
            ("filters that are no JSON", {"filters": "[{"}, "is no JSON"),
            ("no list", {"filters": "{}"}, "a JSON list"),
            ("too many", {"filters": json.dumps([one] * 21)}, "at most 20"),
            ("no object", {"filters": "[1]"}, "a filter is an object"),
            ("no operator", {"filters": '[{"dimension_name": "region"}]'},
             "a filter is an object"),
            ("a filter on what is none",
             {"filters": json.dumps([one | {"dimension_name": "cost"}])},
             'no dimension "cost"'),
            ("an unknown operator",
             {"filters": json.dumps([one | {"operator": "; DROP"}])},
             'there is no operator "; drop"'),
            ("a list for one value",
             {"filters": json.dumps([one | {"value": ["a", "b"]}])},
             "does not take the value"),
            ("one value for two",
             {"filters": json.dumps([one | {"operator": "between"}])},
             "does not take the value"),
            ("an object", {"filters": json.dumps([one | {"value": {}}])},
             "does not take the value"),
            ("no value in a list",
             {"filters": json.dumps([one | {"operator": "in", "value": []}])},
             "does not take the value"),
            ("101 values", {"filters": json.dumps([one | {
                "operator": "in", "value": ["a"] * 101}])},
             "does not take the value"),
            ("top_n 0", {"top_n": 0}, "less than the minimum of 1"),
            ("top_n 1000", {"top_n": 1000}, "greater than the maximum of 999"),
            ("an unknown argument", {"where": "1"}, "is not allowed")):
        got, told = tool(GET, env, **arguments)
        check(f"{name}: told to the model", got is None and wanted in told,
              (got, told))
    for data in ("", os.path.join(FOLDER, "nowhere.db"), STUBS):
        told = tool(GET, env | {"CLAIMS_DB": data})[1]
        check(f"no database {data}: told", "CLAIMS_DB" in told
              and "cannot be read" in told, told)
    check("and none was made",
          not os.path.exists(os.path.join(FOLDER, "nowhere.db")))
    run = program("claims-data.py", env["CLAIMS_DB"])
    check("a database that is there stays", run.returncode == 1
          and b"File exists" in run.stderr, run)
    same("no tool, no arguments: usage",
         [program(*one).returncode for one in (
             ("claims.py",), ("claims.py", "main"), ("claims-data.py",))],
         [2, 2, 2])


def save(env, **arguments):
    return tool(SAVE, env, **{"group_by_dimensions": "region",
                              "description": "By region", **arguments})


def test_files():
    env = world("files")
    folder = env["CSV_FOLDER"]
    got = save(env, group_by_dimensions=" year,region ")[0]
    path = os.path.join(folder, got["file"])
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    rows = list(csv.reader(text.splitlines(True)))
    want = tool(GET, env, group_by_dimensions="year,region")[0]
    same("a file has the rows that the query has", (got["rows"], rows),
         (8, [want["columns"]] + [[str(one) for one in row]
                                  for row in want["rows"]]))
    check("RFC 4180: lines end in CRLF", text.count("\r\n") == 9
          and text.count("\n") == 9, text)
    check("the same again is refused, with the file that has it",
          got["file"] in save(env, group_by_dimensions=" year,region ")[1])
    with open(path, encoding="utf-8", newline="") as file:
        same("and the file stays as it is", file.read(), text)
    none = json.dumps([{"dimension_name": "region", "operator": "=",
                        "value": "nowhere"}])
    check("no rows are no file", "no rows" in save(env, filters=none)[1])
    same("one file in all", os.listdir(folder), [got["file"]])
    odd = 'say "a, b"\r\nand\n= 1'
    data = os.path.join(FOLDER, "odd.db")
    shutil.copy(env["CLAIMS_DB"], data)
    with sqlite3.connect(data) as database:
        database.execute("UPDATE claims SET region = ? WHERE region = "
                         "'north-east'", (odd,))
    got = save(env | {"CLAIMS_DB": data})[0]
    with open(os.path.join(folder, got["file"]), encoding="utf-8",
              newline="") as file:
        same("RFC 4180: quotes, commas and lines in a value",
             odd in [row[0] for row in csv.reader(file)], True)
    for name, more in (("that is not there", FOLDER + "/none"),
                       ("that is not named", ""), ("that is a file", path)):
        told = save(env | {"CSV_FOLDER": more})[1]
        check(f"a folder {name}: told", "takes no file" in told, told)
    full = world("full")
    for number in range(99):
        with open(os.path.join(full["CSV_FOLDER"], f"{number}.csv"), "wb"):
            pass
    check("the 100th file is made", save(full)[0])
    told = save(full, group_by_dimensions="year")[1]
    check("the 101st is not", "the folder has 100 CSV files" in told, told)
    small = world("small")
    run = program("claims.py", SAVE, env=small,
                  stdin=b'{"group_by_dimensions": "provider_group,age_group,'
                  b'service_category", "description": "All"}',
                  before=("sh", "-c", 'ulimit -f 1; exec "$@"', "sh"))
    same("a disk that is full leaves no half of a file",
         (run.returncode, os.listdir(small["CSV_FOLDER"])), (1, []))
    if os.getuid():
        os.chmod(small["CSV_FOLDER"], 0o500)
        told = save(small)[1]
        os.chmod(small["CSV_FOLDER"], 0o700)
        check("a folder that takes no files: told",
              "Permission denied" in told, told)


def test_claims():
    """What a reply says of its calls is held against the calls."""
    first, second = call(group_by_dimensions="a"), call(SAVE, description="b")
    third = call(group_by_dimensions="c")
    file = [{"description": "File", "corresponding_action_index": 1}]
    for name, made, claimed, files, wrong in (
            ("all", [first, second], [first, second], file, []),
            ("some", [first, second, first], [second], [], []),
            ("none", [first], [], [], []),
            ("a call that was not made", [first], [first, second], file,
             ["actions/1", "saved_csv/0"]),
            ("other arguments", [first], [call(group_by_dimensions="b")], [],
             ["actions/0"]),
            ("another order", [first, second], [second, first], [],
             ["actions/1"]),
            ("a call twice", [first], [first, first], [], ["actions/1"]),
            ("an equal call, which is made once", [first, first],
             [first, first], [], ["actions/1"]),
            ("a file of a call that saves none", [first, third],
             [first, third], file, ["saved_csv/0"]),
            ("a call of no tool", [], [first], [], ["actions/0"])):
        calls = [{"tool": one["tool_name"], "json": one["arguments"]}
                 for one in made]
        steps = [{"calls": calls}] if calls else []
        with Mock(*steps, {"json": reply(1, "final", claimed,
                                         saved_csv=files)}):
            run = trend("--iterations", "1", QUESTION)
        errors = [one for one in carried(run)[1] if "(path: " in one]
        same(f"claimed: {name}", [one.rpartition("(path: ")[2][:-1]
                                  for one in errors], wrong)
        found = result_of(run)
        same(f"claimed: {name}: counted are the calls that were made",
             (found.get("csv_exports"), found.get("tools_used")),
             (made.count(second), sorted({one["tool_name"] for one in made})))
    failing = write("failing.json", {"tools": [
        {"name": SAVE, "parameters": {"type": "object"},
         "shell": "echo full >&2; exit 1"}]})
    with Mock({"calls": [{"tool": SAVE, "json": {}}]},
              {"json": reply(1, "final", [call(SAVE)], saved_csv=[
                  {"description": "File", "corresponding_action_index": 0}])}):
        run = trend("--iterations", "1", QUESTION, tools=failing)
        same("a file that could not be saved is none",
             (result_of(run).get("csv_exports"),
              "saved no file" in str(carried(run)[1])), (0, True))
    many = [{"calls": [{"tool": GET, "json": {"n": n}}]} for n in range(9)]
    with Mock(*many, {"json": reply(1, "final", [])}):
        run = trend("--iterations", "1", QUESTION)
        same("after five replies with calls it may only answer",
             run.err.count("Call: "), 5)
    with Mock({"calls": [{"tool": GET, "json": {"n": n}} for n in range(9)]},
              {"json": reply(1, "final", [])}):
        run = trend("--iterations", "1", QUESTION)
        same("and six calls are made at most",
             result_of(run).get("last_calls"), [call(n=n) for n in range(6)])


def test_phases():
    for most in (1, 2, 3, 4, 5, 10):
        got = []
        for number in range(1, most + 1):
            before = [iteration(reply(i)) for i in range(1, number)]
            got.append(derived_of(before, most)["next"]["phase"])
        left = [most - number for number in range(1, most + 1)]
        same(f"S0.11 the phases of {most} iterations", got,
             ["exploration" if one > 3 else "pre_final" if one == 3 else
              "synthesis" if one == 2 else "final" for one in left])
    with mocked(*(reply(i, phase, **saved(1)) for i, phase in enumerate(
            ("pre_final", "synthesis", "final", "final"), 1))):
        run = trend("--iterations", "4", QUESTION)
        found = result_of(run)
        same("they are those that the model is asked for",
             (found.get("phases"), found.get("ended"), found.get("next")),
             ({"exploration": 0, "pre_final": 1, "synthesis": 1, "final": 2},
              "iterations", None))
    with mocked(*(reply(i, "exploration" if i < 7 else "pre_final" if i == 7
                        else "synthesis" if i == 8 else "final",
                        **(saved(3) if i == 1 else {}))
                  for i in range(1, 11))):
        found = result_of(trend(QUESTION))
        same("ten iterations unless told otherwise",
             (found.get("iterations"), found.get("valid")), (10, 10))


def test_prompt():
    replies = [reply(1, actions=[call(LIST), call(), call(region="x")]),
               reply(2, actions=[call(a=i) for i in range(3)]),
               reply(3, actions=[call(b=i) for i in range(2)]),
               {"phase": 7}, reply(5, "pre_final")]
    with mocked(*replies):
        trend("--iterations", "8", "--ledger", "prompts.db", QUESTION)
    prompts = prompts_of("prompts.db")
    lines = prompts[3].splitlines()
    check("the prompt has the question", QUESTION in prompts[0], prompts[0])
    check("the iteration and the phase", lines[0] ==
          'Next: {"iteration_number":4,"phase":"exploration"}', lines[0])
    calls = replies[0]["actions"] + replies[1]["actions"] \
        + replies[2]["actions"]
    same("and the last 6 calls, not to be repeated",
         json.loads(lines[2].partition(": ")[2]), calls[-6:])
    check("S0.2 what was wrong is in the next prompt",
          "is missing (path: )" in prompts[4]
          and "7 must be a string" in prompts[4]
          and "(path: phase)" in prompts[4], prompts[4])
    check("and no longer in the one after that",
          "Put this right: []" in prompts[5], prompts[5])


def test_corrections():
    with mocked(reply(1, actions=[]), reply(2), reply(2, "pre_final"),
                reply(4, "final", **saved(3)), reply(5, "final")):
        run = trend("--iterations", "6", QUESTION)
        got = carried(run)
        same("no action in exploration is corrected", got[1],
             ["an exploration needs at least one call of a tool"])
        same("and that is said once", got[2], [])
        same("so is another number than was asked for", got[3],
             ["iteration_number must be 3 and phase pre_final"])
        same("and another phase, before too few exports", got[4],
             ['"final" must be "synthesis" (path: phase)'])
    with mocked(*(reply(i, "exploration" if i < 3 else
                        ("pre_final", "synthesis", "final", "final")[i - 3])
                  for i in range(1, 7))):
        run = trend("--iterations", "6", QUESTION)
        same("S0.6 fewer than 3 exports are corrected in the last iterations",
             carried(run), [[]] * 4 + [[FEW]] * 3)
        same("no correction ends the analysis", result_of(run).get("valid"), 6)
        same("what is not corrected at the end stays in the result",
             (run.code, result_of(run).get("corrections")), (0, [FEW]))
    with mocked(reply(1, meta={"done": True}), reply(2),
                reply(3, "pre_final", meta={"done": True}, **saved(3))):
        run = trend("--iterations", "6", QUESTION)
        same("S0.18 done during exploration is refused", carried(run)[1],
             ["it is too early to be done: go on exploring"])
        same("outside of it, it ends the analysis",
             (result_of(run).get("ended"), result_of(run).get("iterations")),
             ("done", 3))
    for meta in ({}, {"done": False}, {"done": "true"}, {"done": None}):
        same(f"{json.dumps(meta)} is not done", derived_of(
            [iteration(reply(1, "final", meta=meta, **saved(3)))])["ended"],
             None)


def test_loop():
    def ended(*names, most=10):
        calls = [call(group_by_dimensions=one) for one in names]
        steps = [calls[i:i + 3] for i in range(0, len(calls), 3)]
        return derived_of([iteration(reply(i, actions=step))
                           for i, step in enumerate(steps, 1)], most)["ended"]

    for names, want in (("ababab", "loop"), ("aaaaaa", "loop"),
                        ("xabaaab", None), ("xyzababab", "loop"),
                        ("abcabc", None), ("ab" * 2, None), ("babab", None),
                        ("abxyab", None), ("abcdef", None),
                        ("aaabaa", "loop"), ("bababa", "loop"),
                        ("abababc", None)):
        same(f"the calls {names}: {want}", ended(*names), want)
    same("the order of members is no difference", derived_of(
        [iteration(reply(1, actions=[call(a=1, b=2), call(c=1),
                                     call(b=2, a=1)])),
         iteration(reply(2, actions=[call(c=1), call(a=1, b=2),
                                     call(c=1)]))])["ended"], "loop")
    pair = [call(group_by_dimensions="a"), call(group_by_dimensions="b")]
    with mocked(*(reply(i, actions=pair) for i in range(1, 9))):
        run = trend(QUESTION)
        found = result_of(run)
        same("a loop ends the analysis",
             (run.code, found.get("ended"), found.get("iterations")),
             (0, "loop", 3))
        same("with a warning", carried(run)[-1], [ROUND])


# ---- what goes wrong ---------------------------------------------------------


def test_bad_replies():
    texts = {
        "S0.7 prose": ("I looked at the regions.", "nothing that looks like"),
        "no JSON": ('```json\n{"iteration_number": 1,\n```', "(path: )"),
        "S0.10 a list": ("[1, 2]", "the value is an array"),
        "an empty object": ("{}", '"plan" is missing'),
        "10,000 characters": ("x" * 10000, "(path: )"),
        "S0.13 four actions": (json.dumps(reply(1, actions=[call()] * 4)),
                               "(path: actions)"),
        "S0.17 an action that is not there": (json.dumps(reply(
            1, "final", saved_csv=[{"description": "abc",
                                    "corresponding_action_index": 1}])),
            "must name only actions that exist"),
    }
    for name, (text, wanted) in texts.items():
        write("one.jsonl", json.dumps({"reply": text}))
        run = trend("--iterations", "1", QUESTION, model="replay:one.jsonl")
        told = result_of(run).get("corrections", [])
        check(f"{name}: told, exit code 1",
              run.code == 1 and any(wanted in one for one in told), run)
        check(f"{name}: nothing of it in the coverage",
              result_of(run).get("reflections") == [], run.out)
    block = "```python\nprint(1)\n```\n\n```json\n" + json.dumps(
        reply(1, "final", [])) + "\n```\n"
    write("one.jsonl", json.dumps({"reply": block}))
    gives("S0.22 the object is found behind a block of Python",
          trend("--iterations", "1", QUESTION, model="replay:one.jsonl"), 0)
    with mocked({"json": {}}, reply(2, "final", **saved(3))):
        run = trend("--iterations", "2", QUESTION)
        same("one valid iteration is enough for the exit code 0",
             (run.code, result_of(run).get("valid")), (0, 1))


def test_provider():
    good = reply(1, "final", **saved(3))
    with mocked({"status": 429}, {"status": 503}, good):
        run = trend("--iterations", "1", QUESTION)
        same("a rate limit and an overload are waited out",
             (run.code, result_of(run).get("valid")), (0, 1))
    with mocked(reply(1), {"status": 500, "repeat": True}):
        run = trend("--iterations", "6", QUESTION)
        found = result_of(run)
        same("a server that fails ends it, with what there is",
             (run.code, found.get("ended"), found.get("dimensions_explored")),
             (3, "provider", ["d1"]))
        check("and says why", "HTTP 500" in str(found.get("corrections")), run)
    with mocked({"status": 401}):
        run = trend("--iterations", "2", QUESTION)
        same("a wrong key", (run.code, result_of(run).get("valid")), (3, 0))
    with mocked({"refusal": "I cannot help with that."},
                reply(2, "final", **saved(3))):
        run = trend("--iterations", "2", QUESTION)
        check("a refusal is told to the next iteration", run.code == 0
              and "I cannot help with that" in str(carried(run)[1]), run)
    cut = {"text": json.dumps(good)[:40], "finish": "length"}
    with mocked(cut, reply(2, "final", **saved(3))):
        run = trend("--iterations", "2", QUESTION)
        check("so is a reply that was cut off", run.code == 0
              and "(path: )" in str(carried(run)[1]), run)
    with mocked({"json": good, "cut_at": 60, "repeat": True}):
        run = trend("--iterations", "1", QUESTION)
        same("a connection that breaks off",
             (run.code, result_of(run).get("ended")), (3, "provider"))
    configure("http://127.0.0.1:1")
    run = trend("--iterations", "2", QUESTION)
    same("nobody listens", (run.code, result_of(run).get("ended"),
                            result_of(run).get("iterations")),
         (3, "provider", 1))


def counted(covered, member):
    """How often each value of a derived member was covered."""
    for one in covered["coverage"]["members"]:
        if one["member"] == member:
            return {value["value"]: value["replies"]
                    for value in one["values"]}
    return {}


def test_ledger():
    with mocked(*(reply(i, phase, **saved(1)) for i, phase in enumerate(
            ("pre_final", "synthesis", "final", "final"), 1))):
        gives("with a ledger", trend("--iterations", "4", "--ledger",
                                     "trend.db", QUESTION), 0)
    with sqlite3.connect(os.path.join(FOLDER, "trend.db")) as database:
        rows = database.execute(
            "SELECT contract, contract_version, ok, reply FROM attempts WHERE "
            "stage = 'done' AND contract IS NOT NULL ORDER BY seq").fetchall()
    same("S0.5 each attempt with the version of its contract",
         [row[:3] for row in rows],
         [("trend/iteration-response", "1.0.0", 1)] * 4)
    check("and its reply", all("Plan of" in str(row[3]) for row in rows), rows)
    seed = random.randrange(1 << 32)
    choose = random.Random(seed)
    with mocked(*(reply(i, choose.choice(PHASES)) for i in range(1, 17))):
        found = result_of(trend("--iterations", "16", "--ledger", "phases.db",
                                QUESTION))
    covered = json.loads(surety("stats", "--ledger", "phases.db", "--format",
                                "json", "--show", "coverage").out)
    same(f"S0.6 the ledger counts the phases that the analysis counts (seed "
         f"{seed})", counted(covered, "phase"), {
             phase: count for phase, count in found["phases"].items() if count})
    same(f"S0.6 and those are phases that were asked for (seed {seed})",
         sum(found["phases"].values()), found["valid"])
    run = surety("stats", "--ledger", "trend.db", "--format", "json")
    check("S0.6 surety stats tells the coverage from it", run.code == 0
          and '"dimensions_explored"' in run.out and '"s0"' in run.out, run)
    gives("a ledger that cannot be opened",
          trend("--ledger", "surety.json/l.db", QUESTION), 4, "", "trend: ")


def test_calls():
    configure("http://127.0.0.1:1")
    for name, arguments in (
            ("no question", ()), ("an unknown option", ("--model", "x", "q")),
            ("no iterations", ("--iterations", "0", "q")),
            ("less", ("--iterations", "-1", "q")),
            ("a number that is none", ("--iterations", "many", "q")),
            ("a part of one", ("--iterations", "1.5", "q")),
            ("two questions", ("q", "q"))):
        gives(f"usage: {name}", system("trend", "--tools", STUBS, *arguments),
              2, "", "usage:")
    gives("usage: no tools", system("trend", "-m", "x:y", "q"), 2, "", "usage:")
    gives("tools that are not there", trend(QUESTION, tools="nowhere.json"), 4,
          "", "nowhere.json: No such file")
    gives("tools that are none",
          trend(QUESTION, tools=write("no.json", {"tools": [{}]})), 2, "",
          "trend: ")
    gives("no model at all", trend(QUESTION, model=None), 2, "", "no model")
    gives("an unknown model", trend(QUESTION, model="nobody:x"), 2, "",
          "nobody")
    gives("a recording that is not there",
          trend(QUESTION, model="replay:nowhere.jsonl"), 4, "", "nowhere.jsonl")
    write("surety.json", '{"providers": 7}')
    gives("a wrong configuration", trend(QUESTION), 2, "", "trend: ")
    write("surety.json", {"default": ["replay:default.jsonl"]})
    write("default.jsonl",
          json.dumps({"reply": reply(1, "final", [])}))
    gives("the default model", trend("--iterations", "1", QUESTION, model=None),
          0)
    odd = 'What\'s "this" \\ \n and \x01?'
    same("a question is text, whatever is in it", result_of(trend(
        "--iterations", "1", odd, model="replay:default.jsonl")).get(
            "question"), odd)


run_tests(test_example, test_queries, test_wrong_queries, test_files,
          test_claims, test_phases, test_prompt, test_corrections, test_loop,
          test_bad_replies, test_provider, test_ledger, test_calls)

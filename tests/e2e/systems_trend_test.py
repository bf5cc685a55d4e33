#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/systems/trend against surety mock and from its recording: phases,
what is carried from one iteration to the next, why it ends, what it covers, and
what is wrong with a call: systems_trend_test.py [SURETY]."""

import json
import os
import random
import sqlite3
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


def trend(*arguments, model="m-openai:trend-1", **more):
    model = ("-m", model) if model else ()
    return system("trend", *model, *arguments, **more)


def mocked(*replies, **more):
    return Mock(*({"json": one} if "plan" in one or "phase" in one else one
                  for one in replies), **more)


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
                    "SELECT prompt FROM attempts ORDER BY seq")]


def derived_of(iterations, most=10):
    """What trend/analysis derives, without any model."""
    write("history.json", {"question": QUESTION, "iterations_max": most,
                           "iterations": iterations})
    run = surety("check", "-c", "trend/analysis", "--derive", "history.json")
    return json.loads(run.out)["derived"] if run.code == 0 else repr(run)


def iteration(value, **asked):
    """One iteration of a trend/analysis, as if its reply had been this."""
    derived = {"csv_exports": len(value.get("saved_csv", ()))}
    return {"asked": {"iteration_number": value["iteration_number"],
                      "phase": value["phase"], **asked},
            "report": {"ok": True, "verdict": "valid", "value": value,
                       "errors": [], "derived": derived}}


# ---- what works --------------------------------------------------------------


def test_example():
    """The script, the input and the recording that the guide shows."""
    mock = Mock()
    mock.script = os.path.join(EXAMPLES, "scripts", "trend.json")
    question = given("trend.txt").rstrip("\n")
    with mock:
        live = trend(question)
        gives("S0.22 a question becomes an analysis", live, 0)
        for protocol in ("responses", "anthropic", "gemini"):
            gives(f"the same through the protocol {protocol}",
                  trend(question, model=f"m-{protocol}:trend-1"), 0, live.out)
    found = result_of(live)
    same("S0.6 coverage: the dimensions explored",
         found.get("dimensions_explored"),
         ["age_group", "claim_type", "provider_group", "region",
          "service_category", "year"])
    same("S0.6 coverage: the CSV exports", found.get("csv_exports"), 4)
    same("S0.6 coverage: the phases", found.get("phases"),
         {"exploration": 5, "pre_final": 1, "synthesis": 1, "final": 1})
    same("S0.3 the reflections are members, not text to search",
         [one["iteration_number"] for one in found.get("reflections", ())],
         [1, 2, 4, 5, 6, 7, 8, 9])
    same("S0.7 a reply that is rejected counts for nothing",
         (found.get("iterations"), found.get("valid")), (9, 8))
    errors = carried(live)[3]
    same("S0.21 every error of it is told, with its path", errors, [
        'the required property "reflect" is missing (path: )',
        'the property "reflection" is not allowed (path: reflection)',
        '"explore" must be "exploration" (path: phase)',
        '"more" has 4 characters, fewer than the minimum of 5 (path: plan)',
        '"region" is a string, but must be an object (path: '
        'actions/0/arguments)'])
    with open(mock.script, encoding="utf-8") as file:
        lines = [one for one in file if not one.startswith("//")]
    write("bad.json", json.loads("".join(lines))["replies"][2]["json"])
    plain = surety("check", "-c", "trend/iteration-response", "--report",
                   "plain", "bad.json")
    same("S0.20 they are the list that surety check --report plain gives, but "
         "for the phase, of which one was asked for", [
             errors[2] if "(path: phase)" in one else one
             for one in plain.err.splitlines()], errors)
    replayed = trend(question, model=recording("trend"))
    gives("from the recording, without a server", replayed, 0, live.out)
    same("with the same log", replayed.err, live.err)
    is_careful("trend", "-m", recording("trend"), given("trend.txt"))
    is_small("trend")


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
             ["an exploration needs at least one action"])
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
        reply(1, "final", **saved(3))) + "\n```\n"
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
        rows = database.execute("SELECT contract, contract_version, ok, reply "
                                "FROM attempts ORDER BY seq").fetchall()
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
        gives(f"usage: {name}", system("trend", *arguments), 2, "", "usage:")
    gives("no model at all", trend(QUESTION, model=None), 2, "", "no model")
    gives("an unknown model", trend(QUESTION, model="nobody:x"), 2, "",
          "nobody")
    gives("a recording that is not there",
          trend(QUESTION, model="replay:nowhere.jsonl"), 4, "", "nowhere.jsonl")
    write("surety.json", '{"providers": 7}')
    gives("a wrong configuration", trend(QUESTION), 2, "", "trend: ")
    write("surety.json", {"default": ["replay:default.jsonl"]})
    write("default.jsonl",
          json.dumps({"reply": reply(1, "final", **saved(3))}))
    gives("the default model", trend("--iterations", "1", QUESTION, model=None),
          0)
    odd = 'What\'s "this" \\ \n and \x01?'
    same("a question is text, whatever is in it", result_of(trend(
        "--iterations", "1", odd, model="replay:default.jsonl")).get(
            "question"), odd)


run_tests(test_example, test_phases, test_prompt, test_corrections, test_loop,
          test_bad_replies, test_provider, test_ledger, test_calls)

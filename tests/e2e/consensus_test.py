#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surety run --consensus against surety mock: three models of which one is slow
and one fails, from a recording too."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from cli_run import (FOLDER, check, complains, gives,  # noqa: E402
                     run_tests, same, surety, write)
from run_mock import KEYS, Mock  # noqa: E402

SCHEMA = {"type": "object", "required": ["n", "s"],
          "properties": {"n": {"type": "integer", "maximum": 10},
                         "s": {"type": "string"}},
          "x-surety": {"name": "pool", "version": "1.0.0",
                       "retry": {"max": 1}}}
THREE = ("-m", "m-openai:a", "-m", "m-anthropic:b", "-m", "m-gemini:c")


def says(model, value, **more):
    return {"when": {"model": model}, "json": value, "repeat": True} | more


def ask(kind, *arguments, models=THREE):
    write("pool.json", SCHEMA)
    return surety("run", "-c", "pool.json", "--ledger", "none", "--consensus",
                  kind, *models, *arguments, "How many?", env=KEYS)


def report_of(result):
    return json.loads(result.err.splitlines()[-1])


def keeps_its_contract(name, report):
    write("report.json", report)
    gives(name, surety("check", "-c", "surety/consensus", "report.json"), 0)


def script(delay_ms):
    """Replies of which that of the first model comes so late."""
    return (says("a", {"n": 3, "s": "x"}, delay_ms=delay_ms),
            says("b", {"n": 4, "s": "x"}), says("c", {"n": 99, "s": "y"}))


SCRIPT = script(100)


def test_kinds():
    for delay_ms in (500, 5000, 50000):  # until it is the last
        with Mock(*script(delay_ms)):
            result = ask("first")
        if "m-anthropic:b: valid" in result.err:
            break
    gives("first: the slow one, which is named first", result, 0,
          '{"n":3,"s":"x"}\n', ("by m-openai:a", "m-anthropic:b: valid"))
    with Mock(*script(600000)):
        result = ask("fastest")
        gives("fastest: the quick one", result, 0, '{"n":4,"s":"x"}\n',
              ("by m-anthropic:b", "m-openai:a: cancelled"))
    with Mock(*SCRIPT):
        result = ask("vote", "--report", "json")
        gives("vote: of those that are valid", result, 0, '{"n":3,"s":"x"}\n')
        report = report_of(result)
        same("who answered", [one["verdict"] for one in report["members"]],
             ["valid", "valid", "rejected"])
        same("who voted", report["vote"]["voters"], [0, 1])
        same("and who gave what", report["vote"]["ballots"][0],
             {"path": "/n", "how": "median", "votes": 1, "voters": 2,
              "value": 3, "minority": [{"member": 1, "value": 4}]})
        keeps_its_contract("the report keeps its contract", report)
        result = ask("vote", "--quorum", "3")
        gives("a quorum that is not there", result, 1, "",
              ("3 valid answers are needed and cannot come any more: "
               "m-gemini:c: no reply satisfies the contract",))


def test_aggregate():
    with Mock(says("judge", {"n": 5, "s": "z"},
                   when={"model": "judge",
                         "contains": ["How many?", 'answer 2: {"n":4']}),
              *SCRIPT):
        result = ask("aggregate", "--aggregator", "m-openai:judge", "--report",
                     "json")
        gives("aggregate: by a model that sees the answers", result, 0,
              '{"n":5,"s":"z"}\n')
        report = report_of(result)
        same("nobody's own", report["winner"], None)
        same("the aggregator's run", report["aggregator"]["verdict"], "valid")
        keeps_its_contract("its report keeps its contract", report)
    with Mock({"when": {"model": "judge"}, "status": 400, "repeat": True},
              *SCRIPT):
        result = ask("aggregate", "--aggregator", "m-openai:judge")
        gives("an aggregator that fails loses no answer", result, 0,
              '{"n":3,"s":"x"}\n', ("the aggregator m-openai:judge gave no",
                                    "the answer of m-openai:a is taken"))


def test_all_fail():
    with Mock({"when": {"model": "a"}, "status": 401, "repeat": True},
              {"when": {"model": "b"}, "refusal": "No.", "repeat": True},
              says("c", {"n": 99, "s": "y"})):
        for kind in ("first", "fastest", "vote", "aggregate"):
            gives(f"{kind}: all fail", ask(kind), 1, "",
                  ("no model gave a valid answer: m-openai:a: ",
                   "; m-anthropic:b: ", "; m-gemini:c: "))
        gives("without strictness", ask("vote", "--not-strict"), 0, "null\n")
        gives("quietly", ask("vote", "--quiet"), 1, "")


def test_replay():
    with Mock(says("a", {"n": 3, "s": "x"}), *SCRIPT[1:]):
        live = ask("vote", "--record", "pool.jsonl")
        gives("recorded", live, 0, '{"n":3,"s":"x"}\n')
    gives("the recording gives the same without a server",
          ask("vote", "--replay", "pool.jsonl"), 0, live.out,
          ("m-gemini:c: rejected",))


def test_budget_and_ledger():
    with Mock(*(says(one, {"n": 99, "s": "x"}) for one in "abc")):
        result = ask("vote", "--max-calls", "3", "--report", "json")
        same("three calls for three", [len(one["report"]["attempts"]) for one in
                                       report_of(result)["members"]], [1, 1, 1])
        complains("two calls for three", ask("vote", "--max-calls", "2"), 2,
                  "a budget of 2 calls is too small for 3 models")
    with Mock(*SCRIPT):
        gives("recorded in a ledger",
              ask("vote", "--ledger", "ledger.db", "-v"), 0, None,
              ("surety run: m-anthropic:b: attempt 1: ",))
        check("which is there",
              os.path.getsize(os.path.join(FOLDER, "ledger.db")) > 0)


def test_refused():
    with Mock(*SCRIPT):
        for name, arguments, part in (
                ("a quorum for first", ("--quorum", "2"), "--quorum is for"),
                ("an aggregator for first", ("--aggregator", "m-openai:a"),
                 "--aggregator is for"),
                ("another form", ("--report", "plain"), "text or json"),
                ("derived members", ("--derive",), "--derive is not for"),
                ("a reply of several", ("--show-reply",), "--show-reply is")):
            complains(name, ask("first", *arguments), 2, part)
        complains("a quorum of more than there are",
                  ask("vote", "--quorum", "4"), 2,
                  "4 valid answers are needed, of 3 models")
        complains("a quorum of none", ask("vote", "--quorum", "0"), 2,
                  "--quorum goes from 1 to 64")
        complains("an unknown kind", ask("all"), 2, "all")
        gives("a dry run shows one request", ask("vote", "--dry-run"), 0)


run_tests(test_kinds, test_aggregate, test_all_fail, test_replay,
          test_budget_and_ledger, test_refused)

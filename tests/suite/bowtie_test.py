#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Bowtie harness, spoken to as Bowtie does: bowtie_test.py PROGRAM."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import check, finish, same  # noqa: E402

PROGRAM = sys.argv[1]
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def talk(*lines):
    """Exit code and the answers to lines (objects, or raw text)."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n"
                   for line in lines)
    run = subprocess.run([PROGRAM], input=text, capture_output=True, text=True,
                         timeout=20, check=False)
    return run, [json.loads(line) for line in run.stdout.splitlines()]


def run_case(seq, schema, *instances, **more):
    tests = [{"description": "one", "instance": item} for item in instances]
    return {"cmd": "run", "seq": seq, "case":
            {"description": "a case", "schema": schema, "tests": tests, **more}}


START = {"cmd": "start", "version": 1}
STOP = {"cmd": "stop"}

run, answers = talk(START, STOP)
same("stop ends it with code 0", run.returncode, 0)
known = answers[0].get("implementation", {})
same("start names the protocol", answers[0].get("version"), 1)
same("start names us", (known.get("name"), known.get("language")),
     ("surety", "c"))
check("every required member is there", {"homepage", "issues", "source",
      "dialects", "version"} <= known.keys(), known)
same("six dialects", len(known.get("dialects", [])), 6)

run, answers = talk(START, *({"cmd": "dialect", "dialect": uri}
                             for uri in known["dialects"]), STOP)
same("every listed dialect is taken", answers[1:], [{"ok": True}] * 6)
run, answers = talk(START, {"cmd": "dialect", "dialect": "urn:none"}, STOP)
same("an unknown dialect is refused", answers[1:], [{"ok": False}])

run, answers = talk(START, {"cmd": "dialect", "dialect": DRAFT_7},
                    run_case(7, {"type": "integer"}, 1, 1.0, 1.5, "1"), STOP)
same("a case is judged, in order", answers[-1], {"seq": 7, "results": [
    {"valid": True}, {"valid": True}, {"valid": False}, {"valid": False}]})

run, answers = talk(START, {"cmd": "dialect", "dialect": DRAFT_7},
                    run_case("s", {"$ref": "urn:example:a#/definitions/b"},
                             "x", 1, registry={"urn:example:a": {
                                 "definitions": {"b": {"type": "string"}}}}),
                    STOP)
same("references go to the registry, and seq comes back as it was",
     answers[-1], {"seq": "s", "results": [{"valid": True}, {"valid": False}]})

run, answers = talk(START, {"cmd": "dialect", "dialect": DRAFT_7},
                    run_case(1, {"$ref": "http://example.com/none"}, 1),
                    run_case(2, {"type": "null"}, None), STOP)
check("a case that does not compile is an answer with a message",
      answers[2].get("errored") is True and answers[2].get("seq") == 1
      and answers[2].get("context", {}).get("message"), answers[2])
same("and the next one runs", answers[3],
     {"seq": 2, "results": [{"valid": True}]})

run, answers = talk(START, "{not json")
same("what is no JSON ends it with code 1", run.returncode, 1)
check("and a word on stderr", run.stderr.startswith("surety-bowtie: error: "),
      run.stderr)
run, answers = talk({"cmd": "start", "version": 99})
same("another version of the protocol too", run.returncode, 1)
finish()

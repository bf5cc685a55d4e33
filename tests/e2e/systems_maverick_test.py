#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/systems/maverick against surety mock and from its recordings: each
agent, structured output and text, what a reply may do wrong and how that is
told, strict and not: systems_maverick_test.py [SURETY]."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from cli_run import check, gives, run_tests, same, write  # noqa: E402
from run_mock import Mock, PROTOCOLS, configure  # noqa: E402
from systems_run import (EXAMPLES, given, is_careful,  # noqa: E402
                         is_small, recording, system)

FIXED = {"success": True, "summary": "Bounded the loop",
         "files_mentioned": ["a.py", "b.py"]}
FINDING = {"id": "F001", "file": "a.py", "line": "45-50", "issue": "Unbounded",
           "severity": "major", "category": "bug"}
GROUPED = {"groups": [{"description": "Loops", "findings": [FINDING, FINDING]},
                      {"description": "Nothing", "findings": []}]}
AGENTS = {
    "Fixer": (FIXED, "Fixed: Bounded the loop (files: 2)",
              {"summary_line": "Fixed: Bounded the loop"}),
    "IssueFixer": (
        {"success": True, "issue_number": 7, "issue_title": "It hangs",
         "files_changed": [{"file_path": "a.py", "lines_added": 3,
                            "lines_removed": 1}]},
        "Fixed issue #7: 1 file, 4 lines changed",
        {"total_lines_changed": 4, "is_minimal_fix": True}),
    "Implementer": (
        {"success": False, "tasks_completed": 1, "tasks_failed": 1,
         "tasks_skipped": 0}, "Failed: 1 of 2 tasks", {"total_tasks": 2}),
    "CodeReviewer": (
        {"success": True, "files_reviewed": 2, "summary": "One bug.",
         "findings": [{"severity": "critical", "file": "a.py",
                       "message": "The loop never ends."}]},
        "One bug.", {"has_critical_findings": True}),
    "UnifiedReviewer": (GROUPED, "groups: 2, findings: 2", {"total_count": 2}),
    "SimpleFixer": (
        {"outcomes": [{"id": "F001", "outcome": "fixed", "explanation": "x"},
                      {"id": "F002", "outcome": "blocked",
                       "explanation": "y"}]},
        "1 of 2 fixed", {"fixed_count": 1}),
}


def fenced(value, before="Done.\n\n"):
    text = value if isinstance(value, str) else json.dumps(value)
    return f"{before}```json\n{text}\n```\n"


def maverick(*arguments, model="m-openai:small", **more):
    model = ("-m", model) if model else ()
    return system("maverick", *model, *arguments, **more)


def says(text, *arguments, agent="Fixer"):
    """What becomes of a text, the model's only one."""
    write("says.jsonl", json.dumps({"model": "small", "reply": text}))
    return maverick(*arguments, agent, "Do it.", model="replay:says.jsonl")


def printed(run):
    try:
        return json.loads(run.out)
    except ValueError:
        return {}


def report_of(run):
    found = [json.loads(line) for line in run.err.splitlines()
             if line.startswith('{"ok":')]
    return found[-1] if found else {}


def holds(value, part):
    """Whether part is all in value, members of members too."""
    if isinstance(part, dict):
        return isinstance(value, dict) and all(
            key in value and holds(value[key], want)
            for key, want in part.items())
    if isinstance(part, list):
        return len(part) == len(value) and all(map(holds, value, part))
    return part == value


# ---- what works --------------------------------------------------------------


def test_example():
    """The script, the inputs and the recordings that the guide shows."""
    mock = Mock()
    mock.script = os.path.join(EXAMPLES, "scripts", "maverick.json")
    with mock:
        fixer = maverick("Fixer", given("fixer.txt"))
        gives("S1.6 the agent Fixer", fixer, 0, None,
              "Fixed: The retry loop gives up after its retries and raises "
              "SendError. (files: 1)")
        review = maverick("UnifiedReviewer", given("review.txt"))
        gives("S1.24 the agent UnifiedReviewer", review, 0, None,
              "groups: 2, findings: 3")
        gives("S1.25 the agent SimpleFixer, with what that found",
              maverick("SimpleFixer", "Fix these: " + review.out), 0, None,
              "2 of 3 fixed")
    gives("Fixer from the recording of structured output",
          maverick("Fixer", given("fixer.txt"), model=recording("maverick")),
          0, fixer.out)
    gives("S1.30 UnifiedReviewer from the recording of a text",
          maverick("UnifiedReviewer", given("review.txt"),
                   model=recording("maverick-review")), 0, review.out)
    is_careful("maverick", "-m", recording("maverick"), "Fixer", "Fix it.")
    is_small("maverick")


def test_agents():
    for agent, (value, line, derived) in AGENTS.items():
        with Mock({"json": value, "repeat": True, "when": {"mode": "native"}}):
            run = maverick(agent, "Do it.")
            gives(f"S1.39 {agent} as structured output", run, 0, None, line)
            check(f"S1.39 {agent}: the value", holds(
                printed(run).get("value", {}), value), run)
            check(f"S1.39 {agent}: its derived members", holds(
                printed(run).get("derived", {}), derived), run)
        run = says(fenced(value), agent=agent)
        gives(f"S1.39 {agent} as text", run, 0, None, line)
        check(f"S1.39 {agent}: the same value", holds(
            printed(run).get("value", {}), value), run)
    gives("a contract by its name",
          says(fenced(FIXED), agent="maverick/fixer-result@1"), 0)
    gives("S1.23 by the name it once had",
          says(fenced(GROUPED), agent="maverick/review-models/review-result"),
          0)
    same("S1.9 what is absent is filled in", printed(
        says(fenced({"success": True, "summary": "x"}))).get("value"),
         {"success": True, "summary": "x", "files_mentioned": [],
          "error_details": None})
    check("S1.29 unknown members are dropped", "more" not in printed(
        says(fenced(FIXED | {"more": 1}))).get("value", {"more": 1}))
    run = says(fenced({"success": False, "output": "Oops", "errors": ["e"],
                       "usage": {"input_tokens": 1, "output_tokens": 2,
                                 "duration_ms": 3}}),
               agent="maverick/agent-result")
    gives("S1.28 a deprecated contract warns, and works", run, 0, None,
          ("warning: ", "use maverick/fixer-result", "Oops"))
    gives("nothing of a reply acts on the terminal",
          says(fenced(FIXED | {"summary": "a\x1b[31mb\nc"})), 0, None,
          "Fixed: a [31mb c (files")


def test_structured():
    for protocol in PROTOCOLS:
        with Mock({"json": FIXED, "when": {"protocol": protocol,
                                           "mode": "native"}}):
            run = maverick("Fixer", "Do it.", model=f"m-{protocol}:small")
            gives(f"S1.38 structured output by {protocol}", run, 0, None,
                  "Fixed: Bounded")
        for mode in ("native", "tool", "prompt"):
            with Mock({"text": fenced(FIXED), "when": {"mode": "prompt"}},
                      {"json": FIXED, "when": {"mode": mode}}) as mock:
                config = json.loads(configure(mock.url))
                config["models"] = {"one": {"provider": "m-" + protocol,
                                            "model": "small", "mode": mode}}
                write("surety.json", config)
                gives(f"{protocol} in the mode {mode}",
                      maverick("Fixer", "Do it.", model="one"), 0)
    bad = {"success": False, "summary": "x", "error_details": ""}
    for protocol in PROTOCOLS:
        with Mock({"text": fenced(FIXED), "when": {"mode": "prompt"}},
                  {"json": bad, "repeat": True}):
            run = maverick("Fixer", "Do it.", model=f"m-{protocol}:small")
            gives(f"S1.38 {protocol}: a structured value is checked, and where "
                  "none is valid the text is asked for", run, 0, None,
                  "Fixed: Bounded")
    with Mock({"json": bad}, {"json": FIXED,
                              "when": {"contains": "error_details"}}):
        gives("S1.11 what was wrong is reported when it is asked again",
              maverick("Fixer", "Do it."), 0)
    with Mock({"json": bad, "repeat": True}):
        run = maverick("Fixer", "Do it.")
        gives("no valid value in any mode", run, 1, "",
              ("maverick: no reply", "(4 calls)"))
        same("S1.38 it is one run, whose report has each call", [
            call["mode"] for call in report_of(run).get("attempts", [])],
             ["native", "native", "tool", "prompt"])


# ---- what a text may do wrong ------------------------------------------------


def test_stages():
    cases = (
        ("S1.35 no block", "I fixed it.", "extraction"),
        ("S1.33 JSON in prose", f"Here: {json.dumps(FIXED)} ok?", "extraction"),
        ("S1.34 bare JSON", json.dumps(FIXED), "extraction"),
        ("S1.32 a block of another language",
         f"```python\n{json.dumps(FIXED)}\n```\n", "extraction"),
        ("S1.32 a block without a tag", f"```\n{json.dumps(FIXED)}\n```\n",
         "extraction"),
        ("S1.35 an empty reply but for spaces", " \n", "extraction"),
        ("S1.35 a block that is cut off", '```json\n{"success": true, "su',
         "extraction"),
        ("S1.36 an empty block", "```json\n```\n", "json_parse"),
        ("S1.36 a trailing comma", fenced('{"success": true,}'), "json_parse"),
        ("S1.36 a comment", fenced('{"success": true // yes\n}'),
         "json_parse"),
        ("S1.36 NaN", fenced('{"success": NaN}'), "json_parse"),
        ("S1.36 a nesting of 100,000", fenced("[" * 100000), "json_parse"),
        ("S1.37 a list", fenced("[]"), "validation"),
        ("S1.37 null", fenced("null"), "validation"),
        ("S1.7 no success", fenced({"summary": "x"}), "validation"),
        ("S1.8 a summary that is a number",
         fenced({"success": True, "summary": 1}), "validation"),
        ("S1.11 no error_details when success is false",
         fenced({"success": False, "summary": "x"}), "validation"),
        ("S1.11 error_details that are empty", fenced(
            {"success": False, "summary": "x", "error_details": ""}),
         "validation"),
    )
    for name, text, stage in cases:
        run = says(text)
        report = report_of(run)
        check(f"{name}: {stage}, exit code 1", run.code == 1 and run.out == ""
              and report.get("stage") == stage, run)
        check(f"{name}: S1.13 the contract, S1.15 the problem",
              report.get("contract") == "maverick/fixer-result@1.1.0"
              and report.get("errors", [{}])[0].get("error"), report)
        run = says(text, "--not-strict")
        check(f"{name}: S1.31 not strict gives null and says why",
              (run.code, run.out) == (0, "null\n")
              and report_of(run).get("stage") == stage, run)
    check("a reply that is cut off is told as such", "cut off" in str(
        report_of(says('```json\n{"success": true, "su')).get("errors")))
    check("S1.11 with the place", report_of(says(cases[-1][1]))["errors"][0][
        "instanceLocation"] == "/error_details")
    gives("S1.31 --strict is how it is without", says("x", "--strict"), 1, "")


def test_texts():
    python = "```python\nfor i in range(3):\n    send()\n```\n\n"
    good = (
        ("S1.32 a block of Python before it", fenced(FIXED, python)),
        ("S1.32 the tag in capitals",
         f"```JSON\n{json.dumps(FIXED)}\n```\n"),
        ("a broken block before it", fenced("{", "") + fenced(FIXED)),
        ("in a list item", "- it:\n\n  ```json\n  "
         + json.dumps(FIXED) + "\n  ```\n"),
        ("a fence in a string", fenced(FIXED | {"error_details": "```x\n"})),
        ("S1.11 error_details that are a space", fenced(
            {"success": False, "summary": "x", "error_details": " "})),
        ("S1.10 error_details though it succeeded",
         fenced(FIXED | {"error_details": "none"})),
        ("a reply of 10,000 characters", fenced(
            FIXED, "Long. " * 1700 + "\n\n")),
        ("what a model thinks before it",
         "<think>```json\n{}\n```</think>\n" + fenced(FIXED)),
    )
    for name, text in good:
        gives(name, says(text), 0)
    for count in (499, 500, 501, 10000):
        raw = report_of(says("é" * count)).get("raw", "")
        check(f"S1.14 of {count} characters, the first {min(count, 500)}",
              raw == "é" * min(count, 500), (len(raw), raw[-9:]))
    gives("S1.14 of the whole reply, not of its block",
          says(fenced({}, "Before it. ")), 1, "", '"raw":"Before it. ```json')
    gives("a number of 5,000 digits is an error, no crash",
          says(fenced('{"success": ' + "9" * 5000 + "}")), 1, "",
          '"stage":"json_parse"')


# ---- what goes wrong below ---------------------------------------------------


def test_provider():
    with Mock({"status": 429, "headers": {"retry-after": "0"}},
              {"status": 503}, {"json": FIXED}):
        gives("a rate limit and an overload are waited out",
              maverick("Fixer", "Do it."), 0)
    with Mock({"status": 500, "repeat": True}):
        gives("a server that fails", maverick("Fixer", "Do it."), 3, "",
              "HTTP 500")
        gives("is not null", maverick("--not-strict", "Fixer", "Do it."), 3, "")
    with Mock({"status": 401}):
        gives("a wrong key", maverick("Fixer", "Do it."), 3, "", "HTTP 401")
    with Mock({"refusal": "I cannot help with that.", "repeat": True}):
        run = maverick("Fixer", "Do it.")
        gives("a refusal", run, 1, "", "I cannot help with that")
        same("has a report with its stage and its calls", (
            report_of(run).get("stage"), len(report_of(run)["attempts"])),
             ("refusal", 1))
        run = maverick("--not-strict", "Fixer", "Do it.")
        gives("S1.31 and is null where that is wanted", run, 0, "null\n",
              "I cannot help with that")
        same("with the same report", report_of(run).get("stage"), "refusal")
    with Mock({"json": FIXED, "finish": "length"}, {"json": FIXED}):
        gives("a reply that was cut off is asked for once more",
              maverick("Fixer", "Do it."), 0)
    with Mock({"json": FIXED, "finish": "length", "repeat": True}):
        run = maverick("Fixer", "Do it.")
        gives("and is never taken", run, 1, "", "cut off")
        report = report_of(run)
        check("its report has the stage, the contract, the calls and the reply",
              report.get("stage") and len(report["attempts"]) == 2
              and report.get("contract") == "maverick/fixer-result@1.1.0"
              and json.dumps(FIXED, separators=(",", ":")) in report["raw"],
              run)
        gives("S1.31 but null where that is wanted",
              maverick("--not-strict", "Fixer", "Do it."), 0, "null\n",
              "cut off")
    with Mock({"json": FIXED, "cut_at": 50}, {"json": FIXED}):
        gives("a connection that breaks off", maverick("Fixer", "Do it."), 0)
    with Mock({"status": 400, "error": {
            "message": "Invalid schema for response_format",
            "param": "response_format"}, "when": {"mode": "native"}},
              {"json": FIXED, "when": {"mode": "tool"}}):
        gives("a schema that is not taken: the tool instead",
              maverick("Fixer", "Do it."), 0)
    configure("http://127.0.0.1:1")
    gives("nobody listens", maverick("Fixer", "Do it."), 3, "",
          "refused the connection")


def test_calls():
    configure("http://127.0.0.1:1")
    for name, arguments in (
            ("nothing", ()), ("no prompt", ("Fixer",)),
            ("too much", ("Fixer", "a", "b")), ("half an option", ("-m",)),
            ("an unknown option", ("--loose", "Fixer", "a"))):
        gives(f"usage: {name}", system("maverick", *arguments), 2, "", "usage:")
    gives("no model", maverick("Fixer", "x", model=None), 2, "", "no model")
    gives("an unknown agent", maverick("Mender", "x"), 2, "", "Mender")
    gives("an agent's name is exact", maverick("fixer", "x"), 2, "", "fixer")
    gives("a contract almost named", maverick("maverick/fixer-reslt", "x"), 2,
          "", "maverick/fixer-result")
    write("bad.json", '{"type": "strin"}')
    gives("a contract that is none", maverick("./bad.json", "x"), 2, "",
          "maverick: ")
    gives("a recording that is not there",
          maverick("Fixer", "x", model="replay:nowhere.jsonl"), 4, "",
          "nowhere.jsonl")
    write("own.json", {"type": "object", "required": ["x"]})
    gives("a contract of one's own",
          says('{"x": 1}', agent="./own.json"), 0,
          '{"value":{"x":1},"derived":{}}\n')
    gives("a command as the model", maverick(
        "./own.json", "x", model="exec:echo '{\"x\": 2}'"), 0)


run_tests(test_example, test_agents, test_structured, test_stages, test_texts,
          test_provider, test_calls)

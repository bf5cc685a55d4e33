#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The requirements of the five systems that the tool itself answers, a point or
more for each, named by the numbers of tests/seeds.md: seeds_test.py [SURETY].
Odd replies are in seeds_vectors_test.py, the programs in systems_*_test.py."""

import csv
import io
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(__file__))
from cli_run import (FOLDER, check, gives, run_tests, same,  # noqa: E402
                     surety, write)
from run_mock import KEYS, Mock, PROTOCOLS  # noqa: E402
from tap import skip  # noqa: E402

TREND = "trend/iteration-response"
STORY = "user-story/iteration-output"
CENSUS = "census/agent-output"
CREDIBLE = "credibility/analysis-result"


def judged(contract, reply, *options):
    """The report of one reply."""
    result = surety("check", "-c", contract, "--report", "json", *options,
                    stdin=reply if isinstance(reply, str)
                    else json.dumps(reply))
    return json.loads(result.err.splitlines()[0])


def places(report):
    return [(one["keyword"], one["instanceLocation"])
            for one in report["errors"]]


def shown(contract):
    return json.loads(surety("contracts", "show", contract).out)


def fence(value):
    return ("Here it is:\n```json\n" + (value if isinstance(value, str) else
                                        json.dumps(value)) + "\n```\n")


def ask(contract, *arguments, prompt="Say it", **more):
    """A run against the mock; the model m-openai:small unless another is
    given."""
    model = () if "-m" in arguments else ("-m", "m-openai:small")
    wanted = ("-c", contract) if contract else ()
    return surety("run", *wanted, *model, "--ledger", "none", *arguments,
                  prompt, env=KEYS, **more)


# ---- trend -------------------------------------------------------------------

STEP = {"iteration_number": 1, "phase": "exploration",
        "plan": "Look at claim types.",
        "actions": [{"tool_name": "get_trend_data_tool", "arguments": {
            "group_by_dimensions": "claim_type, region", "top_n": 5}},
            {"tool_name": "save_query_to_csv_tool", "arguments": {}}],
        "reflect": "Inpatient drives it.",
        "saved_csv": [{"description": "By type",
                       "corresponding_action_index": 1}]}


def changed(value, **members):
    """value with some members changed, or without those that are None."""
    value = value | members
    return {name: value[name] for name in value if value[name] is not None}


def test_trend():
    gives("S0.1 a reply with prose around its JSON is a value",
          surety("check", "-c", TREND, stdin=fence(STEP)), 0,
          json.dumps(STEP, separators=(",", ":")) + "\n")
    for member in ("plan", "actions", "reflect"):
        report = judged(TREND, changed(STEP, **{member: None},
                                       saved_csv=None))
        same(f"S0.2 {member} is required", places(report), [("required", "")])
    report = judged(TREND, STEP, "--derive")
    same("S0.3 fields, not text, are what a consumer reads",
         report["value"]["actions"][1]["tool_name"], "save_query_to_csv_tool")
    gives("S0.7 a malformed reply gives no value and exit code 1",
          surety("check", "-c", TREND, stdin="PLAN: look\nACTION: none"), 1,
          "", "error[extraction]")
    schema = shown(TREND)
    same("S0.8 draft, $id and title", [schema["$schema"], schema["$id"],
                                       schema["title"]],
         ["https://json-schema.org/draft/2020-12/schema",
          "https://trend-analyzer.example/schemas/iteration-response.json",
          "IterationResponse"])
    same("S0.9 the members", (schema["required"],
                              sorted(schema["properties"]),
                              schema["additionalProperties"]),
         (["iteration_number", "phase", "plan", "actions", "reflect"],
          ["actions", "iteration_number", "meta", "phase", "plan", "reflect",
           "saved_csv"], False))
    for phase in ("exploration", "pre_final", "synthesis", "final"):
        same(f"S0.11 the phase {phase}",
             judged(TREND, changed(STEP, phase=phase))["ok"], True)
    for tool in ("get_trend_data_tool", "list_available_dimensions_tool",
                 "get_dimension_values_tool", "save_query_to_csv_tool"):
        same(f"S0.15 the tool {tool}", judged(TREND, changed(
            STEP, actions=[{"tool_name": tool, "arguments": {"a": [1]}}],
            saved_csv=None))["ok"], True)
    same("S0.15 a tool that was added later is none", places(judged(
        TREND, changed(STEP, saved_csv=None, actions=[
            {"tool_name": "generate_plot_tool", "arguments": {}}]))),
        [("enum", "/actions/0/tool_name")])
    lines = (json.dumps(STEP) + "\n") * 20000
    result = surety("check", "-c", TREND, "--jsonl", "-q", stdin=lines)
    check("S0.19 one compiled contract judges 20,000 replies in a call",
          result.code == 0)
    gives("S0.20 a valid reply has an empty list of texts", surety(
        "check", "-c", TREND, "--report", "plain", stdin=json.dumps(STEP)), 0)
    same("S0.20 empty", surety("check", "-c", TREND, "--report", "plain",
                               stdin=json.dumps(STEP)).err, "")
    result = surety("check", "-c", TREND, "--report", "plain",
                    stdin=json.dumps(changed(
                        STEP, iteration_number=0, plan=None, saved_csv=None,
                        actions=[{"tool_name": "x", "arguments": {}}])))
    same("S0.21 every error, each with its path", [
        line.split(" (path: ")[1] for line in result.err.splitlines()],
        [")", "iteration_number)", "actions/0/tool_name)"])
    write("step.json", json.dumps(STEP))
    write("schema.json", json.dumps(schema))
    gives("S0.22 text to value to verdict in one call",
          surety("validate", "schema.json", "step.json"), 0, "")


def test_trend_grows():
    schema = shown(TREND)
    schema["x-surety"]["version"] = "1.1.0"
    schema["properties"]["hypothesis"] = {"type": "string"}
    write("contracts/trend/iteration-response.json", schema)
    gives("S0.5 a member that is new breaks no consumer",
          surety("contracts", "diff", TREND + "@1.0.0", TREND + "@1.1.0"), 0,
          None, ())
    schema["properties"]["phase"]["enum"].append("review")
    write("wider.json", schema)
    wider = surety("contracts", "diff", TREND + "@1.0.0", "wider.json")
    check("S0.5 a phase that is new does, and that is reported", wider.code == 1
          and '/phase: breaks consumers: "review"' in wider.out, wider)
    newer = judged(TREND, changed(STEP, hypothesis="It is price."))
    same("S0.5 a newer version takes a new member", newer["ok"], True)
    same("S0.5 it is told by its version", newer["contract"],
         "trend/iteration-response@1.1.0")
    same("S0.5 what the older version took is valid still",
         judged(TREND, STEP)["ok"], True)
    old = judged(TREND + "@1.0.0", changed(STEP, hypothesis="It is price."))
    same("S0.5 the older version is there by its number",
         (old["contract"], places(old)),
         ("trend/iteration-response@1.0.0",
          [("additionalProperties", "/hypothesis")]))
    os.remove(os.path.join(FOLDER, "contracts/trend/iteration-response.json"))
    same("S0.5 metadata may grow without a new version", judged(
        TREND, changed(STEP, meta={"schema_version": "9", "tokens": {}}))[
            "ok"], True)


def test_trend_derives():
    report = judged(TREND, STEP, "--derive")
    if "derived" not in report:
        result = surety("check", "-c", TREND, "--derive",
                        stdin=json.dumps(STEP))
        if result.code == 2 and "libjq" in result.err:
            skip("S0.6 coverage", "built without libjq")
            return
        derived = json.loads(result.out)["derived"]
    else:
        derived = report["derived"]
    same("S0.6 the dimensions that were explored",
         derived["dimensions_explored"], ["claim_type", "region"])
    same("S0.6 the CSV exports", derived["csv_exports"], 1)


# ---- the review agents -------------------------------------------------------

MODELS = {  # contract, a value with what is required, derived members
    "finding": ({"id": "F001", "file": "a.py", "line": "45-50", "issue": "i",
                 "severity": "minor", "category": "style"}, ()),
    "finding-group": ({"description": "d", "findings": []}, ()),
    "grouped-review-result": ({"groups": []},
                              ("all_findings", "total_count")),
    "fix-outcome": ({"id": "F001", "outcome": "blocked", "explanation": "e"},
                    ()),
    "fix-outcomes": ({"outcomes": []}, ("fixed_count", "total_count")),
    "fixer-result": ({"success": True, "summary": "s"}, ()),
    "fix-result": ({"success": True, "issue_number": 1, "issue_title": "t"},
                   ("total_lines_changed", "is_minimal_fix")),
    "review-finding": ({"severity": "suggestion", "file": "a",
                        "message": "0123456789"}, ()),
    "review-result": ({"success": True, "files_reviewed": 0, "summary": ""},
                      ("has_critical_findings", "findings_by_severity",
                       "findings_by_file")),
    "implementation-result": ({"success": True, "tasks_completed": 0,
                               "tasks_failed": 0, "tasks_skipped": 0},
                              ("total_tasks", "total_lines_changed",
                               "tests_added")),
    "agent-result": ({"success": True, "output": "", "usage": {
        "input_tokens": 0, "output_tokens": 0, "duration_ms": 0}}, ()),
}
NUMBER = {"finding": "S1.17", "finding-group": "S1.22",
          "grouped-review-result": "S1.23", "fix-outcome": "S1.25",
          "fix-outcomes": "S1.39", "fixer-result": "S1.6",
          "fix-result": "S1.3", "review-finding": "S1.27",
          "review-result": "S1.27", "implementation-result": "S1.4",
          "agent-result": "S1.5"}


def test_models():
    listed = surety("contracts", "list").out.split()
    for name, (value, derived) in MODELS.items():
        number = NUMBER[name]
        check(f"S1.1 maverick/{name} is listed", "maverick/" + name in listed)
        result = surety("check", "-c", "maverick/" + name, "--derive",
                        stdin=fence(value))
        got = json.loads(result.out) if result.code == 0 else {}
        check(f"{number} {name} takes what is required", result.code == 0
              and all(got["value"][member] == value[member] or
                      got["value"][member].items() >= value[member].items()
                      for member in value), result)
        check(f"{number} {name} has its derived members",
              set(derived) <= set(got.get("derived") or ()), result)
        for member in value:
            report = judged("maverick/" + name,
                            fence(changed(value, **{member: None})))
            same(f"{number} {name} requires {member}", places(report),
                 [("required", "")])
    gives("S1.23 the result's former name is an alias", surety(
        "check", "-c", "maverick/review-models/review-result",
        stdin=fence({"groups": []})), 0, '{"groups":[]}\n')
    gives("S1.28 a deprecated contract warns", surety(
        "check", "-c", "maverick/agent-result",
        stdin=fence(MODELS["agent-result"][0])), 0, None,
        ("warning[deprecated]", "maverick/fixer-result"))
    same("S1.26 output is marked deprecated",
         shown("maverick/fix-result")["properties"]["output"]["deprecated"],
         True)
    fixed = {"success": True, "issue_number": 1, "issue_title": "A leak"}
    gives("S1.26 a reply that has it is warned of", surety(
        "check", "-c", "maverick/fix-result",
        stdin=fence(dict(fixed, output="done"))), 0, None,
        ("warning[deprecated]", "/output", "use fix_description"))
    check("S1.26 one that has it not is not", "warning" not in surety(
        "check", "-c", "maverick/fix-result", stdin=fence(fixed)).err)


def stuffed(value):
    """value with a member more in every object of it."""
    if isinstance(value, list):
        return [stuffed(one) for one in value]
    if isinstance(value, dict):
        return {name: stuffed(one) for name, one in value.items()} | {
            "not_in_the_model": {"a": 1}}
    return value


def test_unknown():
    """The typed models ignore what they do not know, wherever it stands."""
    for name, (value, _) in MODELS.items():
        contract = "maverick/" + name
        for one in (value, shown(contract)["x-surety"].get(
                "prompt", {}).get("example", value)):
            plain = surety("check", "-c", contract, "-q", stdin=fence(one))
            gives(f"S1.29 {name}: unknown members are dropped",
                  surety("check", "-c", contract, "-q",
                         stdin=fence(stuffed(one))), 0, plain.out)


def test_types():
    for name in MODELS:
        made = surety("gen", "-c", "maverick/" + name, "-o", "-", "-q")
        stem = "maverick_" + name.replace("-", "_")
        check(f"S1.21 {name} is read from a value and written back in C",
              made.code == 0 and all(
                  re.search(rf"^(surety_status )?{stem}_{what}\(", made.out,
                            re.M) for what in
                  ("read", "from", "to", "write", "check")), made.err)
        check(f"S1.17 {name} is const once it was read",
              f"const {stem} **ret_value" in made.out, made.err)
    check("S1.26 a compiler warns of output", "surety_str output "
          "SURETY_DEPRECATED;" in surety("gen", "-c", "maverick/fix-result",
                                         "-o", "-", "-q").out)
    made = surety("gen", "-c", STORY, "-o", "-", "-q").out
    check("S2.17 types made from the schema", all(part in made for part in (
        "} user_story_iteration_output;", "surety_str enhanced_story;",
        "double confidence;")), made[:3000])


def test_errors():
    fixed = {"success": False, "summary": "s"}
    long = "It went é wrong. " * 60
    report = judged("maverick/fixer-result", long)
    same("S1.13 the error names the contract", report["contract"],
         "maverick/fixer-result@1.1.0")
    same("S1.14 it has the first 500 characters of the whole reply",
         report["raw"], long[:500])
    same("S1.14 exactly 500 are untouched", judged(
        "maverick/fixer-result", long[:500])["raw"], long[:500])
    check("S1.15 and says what is wrong",
          report["errors"][0]["error"] == "no fenced block was found", report)
    for stage, reply in (("extraction", "none"),
                         ("json_parse", fence('{"success": tru}')),
                         ("validation", fence(fixed))):
        report = judged("maverick/fixer-result", reply)
        same(f"S1.16 the stage {stage}", report["stage"], stage)
        result = surety("check", "-c", "maverick/fixer-result", stdin=reply)
        check(f"S1.12 {stage} is exit code 1 and an error on standard error",
              result.code == 1 and result.out == "" and "error[" in result.err,
              result)
        gives(f"S1.31 {stage}, not strict: null", surety(
            "check", "-c", "maverick/fixer-result", "--not-strict",
            stdin=reply), 0, "null\n")
    same("S1.11 a failure must be explained", places(judged(
        "maverick/fixer-result", fence(fixed))), [("rules", "/error_details")])
    write("native.json", {"success": True, "summary": "s"})
    gives("S1.38 a structured value goes before the text", surety(
        "check", "-c", "maverick/fixer-result", "--native", "native.json",
        stdin=fence({"success": True, "summary": "text"})), 0,
        '{"success":true,"summary":"s","files_mentioned":[],'
        '"error_details":null}\n')
    write("broken.json", {"success": True})
    gives("S1.38 a faulty one falls through to the text", surety(
        "check", "-c", "maverick/fixer-result", "--native", "broken.json",
        write("reply.md", fence({"success": True, "summary": "text"}))), 0,
        '{"success":true,"summary":"text","files_mentioned":[],'
        '"error_details":null}\n')


def test_modes():
    value = {"success": True, "summary": "s"}
    for mode, answer in (("native", {"json": value}), ("tool", {"json": value}),
                         ("prompt", {"text": fence(value)})):
        with Mock(answer):
            gives(f"S1.38 asked over {mode}", ask(
                "maverick/fixer-result", "--mode", mode), 0, None)


# ---- the story agent ---------------------------------------------------------

TOLD = {"enhancedStory": "As a user I want to log in by email.",
        "changesApplied": [{"category": "validation",
                            "description": "Added a format"}],
        "confidence": 0.85}


# The document's "Prompt Modification", word for word.
STORY_WORDS = """\
You MUST respond with a JSON object in the following format:
{
  "enhancedStory": "The complete enhanced user story text...",
  "changesApplied": [
    {"category": "validation", "description": "Added email format validation"},
    {"category": "accessibility", "description": "Added ARIA labels", \
"location": "form fields"}
  ],
  "confidence": 0.85
}
"""


def test_story():
    prompt = surety("prompt", "-c", STORY, "--system").out
    same("S2.8 the system prompt asks for JSON in the document's words",
         prompt, STORY_WORDS)
    example = json.loads(surety("prompt", "-c", STORY, "--example").out)
    same("S2.8 what it shows is the example",
         json.loads(prompt.partition("\n")[2]), example)
    same("S2.8 the example has two changes, one with a location",
         [sorted(change) for change in example["changesApplied"]],
         [["category", "description"], ["category", "description",
                                        "location"]])
    with Mock({"json": TOLD}):
        result = ask(STORY, "--instruct-system", "--mode", "prompt",
                     "--dry-run", prompt="As a user I want to login")
        body = json.loads(result.out)
        check("S2.8 it is sent as the system prompt",
              body["messages"][0]["role"] in ("system", "developer")
              and body["messages"][0]["content"] == STORY_WORDS
              and '"changesApplied"' not in body["messages"][1]["content"],
              body)
        result = ask(STORY, "--report", "json",
                     prompt="As a user I want to login")
        gives("S2.10 a run judges the reply", result, 0)
        same("S2.2 the changes are there to be tracked",
             json.loads(result.out)["changesApplied"], TOLD["changesApplied"])
    with Mock({"text": "As a user I want more."}):
        result = ask(STORY, "--mode", "prompt")
        gives("S2.11 prose becomes the story, with a warning", result, 0,
              '{"enhancedStory":"As a user I want more.",'
              '"changesApplied":[]}\n', "warning[fallback]")
        check("S2.12 confidence is absent", "confidence" not in result.out)
    with Mock({"text": json.dumps({"enhancedStory": "S"})}):
        gives("S2.13 JSON that does not match falls back too",
              ask(STORY, "--mode", "prompt"), 0,
              '{"enhancedStory":"{\\"enhancedStory\\": \\"S\\"}",'
              '"changesApplied":[]}\n', "error[required]")
    for text in ("", "I'm sorry, but I cannot help with that."):
        with Mock({"text": text, "repeat": True}):
            result = ask(STORY, "--mode", "prompt")
            check(f"S2.3 {text or 'nothing'!r} is a failure that is reported",
                  result.code == 1 and result.out == ""
                  and "error" in result.err, result)


# ---- the census agent --------------------------------------------------------

ANSWER = {"census_data": {"success": True,
                          "data": [["NAME", "B01003_001E", "state"],
                                   ["California", "39538223", "06"],
                                   ["Texas", "29145505", "48"]],
                          "variables": {"B01003_001E": "Total Population"}},
          "data_summary": "Retrieved B01003", "reasoning_trace": "Queried",
          "answer_text": "California has 39,538,223 people.",
          "charts_needed": [{"type": "bar", "title": "Population"}],
          "tables_needed": [{"format": "csv", "filename": "people",
                             "title": "People"},
                            {"format": "html", "title": "Page"}],
          "footnotes": ["Source: U.S. Census Bureau.", "Margins not shown."]}
FINAL = "Thought: I now know the final answer\nFinal Answer: "


# The document's "Agent Prompt Format", word for word.
CENSUS_WORDS = """\
The agent must output in this format:

Thought: I now know the final answer
Final Answer: {"census_data": {...}, "data_summary": "...", ...}

**Critical**: The entire JSON object must be on ONE line with NO line breaks \
inside it.
"""


def test_census():
    schema = shown(CENSUS)
    same("S3.2 the seven members", list(schema["properties"]),
         ["census_data", "data_summary", "reasoning_trace", "answer_text",
          "charts_needed", "tables_needed", "footnotes"])
    for member in ("census_data", "data_summary", "reasoning_trace",
                   "answer_text", "footnotes"):
        same(f"S3.26 {member} is required", places(judged(
            CENSUS, FINAL + json.dumps(changed(ANSWER, **{member: None})),
            "--no-fallback")), [("required", "")])
    for member, words in (
            ("data_summary", ("table codes", "geography", "records", "year")),
            ("reasoning_trace", ("geography", "table", "calls", "issues")),
            ("answer_text", ("one to three sentences", "numbers", "commas",
                             "stands alone")),
            ("footnotes", ("source", "disclaimer"))):
        number = {"data_summary": "S3.5", "reasoning_trace": "S3.6",
                  "answer_text": "S3.7", "footnotes": "S3.10"}[member]
        text = schema["properties"][member]["description"]
        check(f"{number} the model is told what {member} holds",
              all(word in text for word in words)
              and text in surety("prompt", "-c", CENSUS, "--system").out, text)
    data = schema["properties"]["census_data"]["properties"]["data"]
    for number, words in (
            ("S3.4", ("the first one holds the column headers",)),
            ("S3.16", ("Only variables that the question needs", "ten or more",
                       "fewer than twenty")),
            ("S3.18", ("several years", "a column Year"))):
        check(f"{number} the model is told which rows data holds",
              all(word in data["description"] for word in words), data)
    asked = surety("prompt", "-c", CENSUS, "Which?").out
    check("S3.22 S3.23 the form is asked for in the document's words",
          "\n\n" + CENSUS_WORDS in asked
          and asked.startswith("Which?"), asked)
    gives("S3.22 the answer behind its thought",
          surety("check", "-c", CENSUS, stdin=FINAL + json.dumps(ANSWER)), 0,
          json.dumps(ANSWER, separators=(",", ":")) + "\n")
    texas = [["NAME", "B01003_001E", "state", "county"]] + [
        [f"{name} County, Texas", str(1000 * name), "48", f"{name:03}"]
        for name in range(1, 509, 2)]
    wide = [["NAME"] + [f"V{i}" for i in range(100)]] + [
        [f"County \"{row}\""] + [f"{row * i:,}" for i in range(100)]
        for row in range(67)]
    many = [["NAME", "v"]] + [[f"Place {i}", i] for i in range(50000)]
    for number, what, rows in (
            ("S3.25", "254 counties of Texas", texas),
            ("S3.15", "67 counties of 100 variables", wide),
            ("S3.13", "50,000 rows", many)):
        answer = json.dumps(ANSWER | {"census_data": {
            "success": True, "data": rows}})
        result = surety("check", "-c", CENSUS, stdin=FINAL + answer)
        check(f"{number} {what}", result.code == 0
              and json.loads(result.out)["census_data"]["data"] == rows,
              result.err[:400])
    quoted = ANSWER | {"answer_text": 'She said "yes {no}" \\ and } left.'}
    same("S3.14 escaped quotes and braces in texts", json.loads(surety(
        "check", "-c", CENSUS, stdin=FINAL + json.dumps(quoted)).out), quoted)
    gives("S3.12 what fails falls back, with the reason",
          surety("check", "-c", CENSUS, "--var", "steps=4",
                 stdin=FINAL + json.dumps(ANSWER)[:-40]), 0,
          '{"census_data":{},"data_summary":"Parsing failed - see logs",'
          '"reasoning_trace":"Steps: 4","answer_text":"Agent execution '
          'completed but output parsing failed","charts_needed":[],'
          '"tables_needed":[],"footnotes":[]}\n', "warning[fallback]")


def render(*arguments):
    return surety("render", "-c", CENSUS, "--format", "svg", "--out",
                  *arguments)


def read(*path):
    with open(os.path.join(FOLDER, *path), encoding="utf-8",
              newline="") as file:
        return file.read()


def test_outputs():
    write("answer.txt", FINAL + json.dumps(ANSWER))
    result = render("made", "answer.txt")
    if "without cairo" in result.err:
        skip("S3.8 charts", "this build is without cairo")
    else:
        gives("S3.8 a bar chart and its tables are made", result, 0)
        check("S3.8 with the title that was asked for",
              "<title>Population</title>" in read("made", "Population.svg"))
        same("S3.9 the csv has codes as they are", list(csv.reader(io.StringIO(
            read("made", "people.csv"))))[1], ["California", "39538223", "06"])
        check("S3.9 the page has title and footnotes", all(
            part in read("made", "Page.html") for part in (
                "Page", "39,538,223", "Source: U.S. Census Bureau.")))
        series = changed(ANSWER, tables_needed=[], charts_needed=[
            {"type": "line", "title": "Income Trends 2015-2017"}])
        series["census_data"] = {"success": True, "data": [
            ["Year", "Median Household Income (USD)"], ["2015", "53,889"],
            ["2016", "55,322"], ["2017", "57,652"]]}
        write("series.json", json.dumps(series))
        gives("S3.20 a series over years is a line",
              render("made", "series.json"), 0)
        check("S3.19 along the column called Year, of the measure's own name",
              "Line chart of Median Household Income (USD) by Year, 3 values "
              "from 53,889 to 57,652"
              in read("made", "Income-Trends-2015-2017.svg"))
        bad = changed(ANSWER, charts_needed=[
            {"type": "line", "title": "No rows"}], tables_needed=[
                {"format": "csv", "title": "Table"}])
        bad["census_data"] = {"success": True, "data": [["NAME"], ["CA"]]}
        write("bad.json", json.dumps(bad))
        result = render("half", "bad.json")
        check("S3.21 one bad chart loses neither table nor answer",
              result.code == 1 and json.loads(result.out) == bad
              and os.path.exists(os.path.join(FOLDER, "half/Table.csv")),
              result)


# ---- the credibility analyzer ------------------------------------------------

RESULT = {"crediScore": 7.5, "overview": {"sampledPosts": 20,
                                          "focusAreas": ["energy"]}}
PRINTED = json.dumps(RESULT, separators=(",", ":")) + "\n"
HIGH = {"crediScore": 11, "overview": RESULT["overview"]}


def test_asks():
    with Mock({"text": "Bonjour {no} JSON"}, {"text": "Bonjour {no} JSON"}):
        plain = ask(None, prompt="Say hello")
        gives("S4.18 without a contract the reply is passed on as it is",
              plain, 0, "Bonjour {no} JSON\n")
        body = json.loads(ask(None, "--dry-run", prompt="Say hello").out)
        same("S4.19 and nothing is added to the prompt",
             [one["content"] for one in body["messages"]], ["Say hello"])
    body = json.loads(ask(CREDIBLE, "--dry-run", "--mode", "prompt",
                          prompt="Judge @ada").out)
    first = body["messages"][-1]["content"]
    check("S4.5 with one, the first prompt has its JSON Schema",
          first.startswith("Judge @ada") and '"crediScore"' in first
          and '"maximum": 10' in first, first)
    for protocol in PROTOCOLS:
        with Mock({"json": HIGH}, {"json": RESULT}):
            gives(f"S4.14 the same over {protocol}", ask(
                CREDIBLE, "-m", f"m-{protocol}:small"), 0, PRINTED)
    with Mock({"json": HIGH}, {"text": "It is credible."}, {"json": RESULT}):
        result = ask(CREDIBLE, "--report", "json", "--mode", "prompt")
        gives("S4.8 the third call may succeed", result, 0, PRINTED)
        same("S4.8 one ask and two re-asks", [
            one["purpose"] for one in json.loads(
                result.err.splitlines()[-1])["attempts"]],
            ["ask", "re-ask", "re-ask"])
    with Mock({"text": "First {no} answer"}, {"json": HIGH, "repeat": True}):
        result = ask(CREDIBLE, "--report", "json", "--mode", "prompt")
        report = json.loads(result.err.splitlines()[-1])
        same("S4.10 after two re-asks it fails",
             (result.code, result.out, len(report["attempts"])), (1, "", 3))
        text = json.dumps(report)
        check("S4.11 with a message, the original reply and the details",
              "First {no} answer" in text and "maximum" in text
              and report["message"], text[:2000])
    with Mock({"status": 503}, {"status": 429, "headers": {"Retry-After": "0"}},
              {"json": HIGH}, {"json": HIGH}, {"json": RESULT}):
        gives("S4.8 a failure of the transport uses up no re-ask", ask(
            CREDIBLE), 0, PRINTED)


def test_again():
    write("first.txt", json.dumps(HIGH))
    again = surety("check", "-c", CREDIBLE, "--retry-prompt", "contract",
                   "--prompt", "Judge @ada", "first.txt").out
    first = surety("prompt", "-c", CREDIBLE, "Judge @ada").out
    check("S4.13 the re-ask is the original prompt with its schema",
          again.startswith(first.rstrip("\n")) and "11" not in
          again[len(first.rstrip("\n")):], again)
    extra = again[len(first.rstrip("\n")):].strip()
    check("S4.9 and a plain request for valid JSON",
          "JSON" in extra and len(extra) < 300 and "crediScore" not in extra,
          extra)
    value = surety("check", "-c", CREDIBLE, stdin=json.dumps(RESULT))
    gives("S4.12 parse and validate alone", value, 0, PRINTED)


def test_consensus():
    low = {"crediScore": 2, "overview": RESULT["overview"]}
    both = ("-m", "m-openai:small", "-m", "m-anthropic:large")
    with Mock({"json": HIGH, "when": {"model": "small"}, "repeat": True},
              {"json": low, "when": {"model": "large"}, "repeat": True}):
        gives("S4.16 several models: the first valid answer in their order",
              ask(CREDIBLE, *both, "--consensus", "first"), 0,
              json.dumps(low, separators=(",", ":")) + "\n")
    with Mock({"json": RESULT, "when": {"model": "small"}, "repeat": True},
              {"json": low, "when": {"model": "large"}, "repeat": True}):
        gives("S4.16 of two valid ones that of the first model",
              ask(CREDIBLE, *both, "--consensus", "first"), 0, PRINTED)
    with Mock({"json": HIGH, "repeat": True}):
        result = ask(CREDIBLE, *both, "--consensus", "first")
        check("S4.16 none is valid: an error", result.code == 1
              and result.out == "", result)


def test_converted():
    for name, contract, value in (
            ("simple/message", {"message": "Hello"}, {"message": 1}),
            ("simple/analysis", {"score": 1, "summary": "s"},
             {"score": "1", "summary": "s"})):
        gives(f"S4.20 {name}", surety("check", "-c", name,
                                      stdin=json.dumps(contract)), 0)
        gives(f"S4.20 {name}, another type", surety(
            "check", "-c", name, stdin=json.dumps(value)), 1, "")
    schema = shown(CREDIBLE)["properties"]
    same("S4.20 the score's limits", (schema["crediScore"]["minimum"],
                                      schema["crediScore"]["maximum"]),
         (0, 10))


run_tests(test_trend, test_trend_grows, test_trend_derives, test_models,
          test_unknown, test_types, test_errors, test_modes, test_story,
          test_census, test_outputs, test_asks, test_again, test_consensus,
          test_converted)

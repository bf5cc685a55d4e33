#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Odd replies of the five systems, in tables: what the system that the
requirements come from makes of each, and what surety does. Where the two
differ, the row says why; where they agree, it says nothing, and the test holds
a row to that. tests/seeds.md names the requirements:
seeds_vectors_test.py [SURETY]."""

import json
import re

from cli_run import check, gives, run_tests, same, surety, write
from tap import skip

# What may come of a reply: "ok", the stage that it failed at, "fallback" (it
# failed, and the contract's fallback stands for it), or "error" (it failed, the
# contract has a fallback, and there is none for this reply).
STAGES = ("extraction", "json_parse", "validation")


def judge(contract, replies, *options):
    """The reports of several replies by one call."""
    result = surety("check", "-c", contract, "--jsonl", "--field", "reply",
                    *options, stdin="".join(
                        json.dumps({"reply": reply}) + "\n"
                        for reply in replies))
    return [json.loads(line) for line in result.out.splitlines()]


def outcome(report, falls):
    if report["ok"]:
        return "ok"
    if falls:
        return "fallback" if report["fallback"] else "error"
    return report["stage"]


def table(number, contract, rows, *options, falls=False):
    """Judges rows of (what, reply, there, here, why, value): what the system
    behind the requirement gives, what surety gives, why they differ (an empty
    text where they do not), and the value where it matters."""
    reports = judge(contract, [row[1] for row in rows], *options)
    same(f"{number} a report a reply", len(reports), len(rows))
    for row, report in zip(rows, reports):
        what, _, there, here, why, *value = row
        name = f"{number} {what}: {here}"
        if there != here:
            name += f" (there {there}; {why})"
        got = outcome(report, falls)
        check(name, got == here and (there != here) == bool(why)
              and (not value or report["value"] == value[0]),
              f"got {got}: {report['value']!r} {report['errors']!r}")


def fence(body, tag="json", mark="```"):
    return f"{mark}{tag}\n{body}\n{mark}\n"


# ---- where JSON is looked for: the review agents -----------------------------

BOX = '{"name":"a","value":1}'
BOX_CONTRACT = {"type": "object", "required": ["name", "value"],
                "x-surety": {"extract": {"from": ["native", "fence"]}},
                "properties": {"name": {"type": "string"},
                               "value": {"type": "integer"}}}
MARKDOWN = "CommonMark says what a block is"
BLOCKS = (
    ("a json block", fence(BOX), "ok", "ok", ""),
    ("blanks behind the tag", fence(BOX, "json  "), "ok", "ok", ""),
    ("CRLF", fence(BOX).replace("\n", "\r\n"), "ok", "ok", ""),
    ("an indented block", "   " + fence(BOX), "ok", "ok", ""),
    ("a block indented by four",
     "    ```json\n    " + BOX + "\n    ```", "ok", "extraction",
     "by CommonMark that is indented code; --repair syntax reads it"),
    ("a block in a list", "- done:\n\n    ```json\n    " + BOX + "\n    ```",
     "ok", "ok", ""),
    ("opened in the middle of a line", "Here: " + fence(BOX), "ok",
     "extraction", "a block opens a line; --repair syntax reads it"),
    ("four backticks", fence(BOX, mark="````"), "ok", "ok", ""),
    ("four backticks closed by three", "`" + fence(BOX), "ok", "extraction",
     "the closing fence is shorter; --repair syntax reads it"),
    ("an untagged block", fence(BOX, ""), "ok", "extraction",
     "its document says json blocks only"),
    ("JSON", fence(BOX, "JSON"), "extraction", "ok", "any case of the tag"),
    ("Json", fence(BOX, "Json"), "extraction", "ok", "any case of the tag"),
    ("a blank before the tag", fence(BOX, " json"), "extraction", "ok",
     MARKDOWN),
    ("json5", fence(BOX, "json5"), "extraction", "extraction", ""),
    ("jsonc", fence(BOX, "jsonc"), "extraction", "extraction", ""),
    ("words behind the tag", fence(BOX, "json title=x"), "extraction", "ok",
     MARKDOWN),
    ("tildes", fence(BOX, mark="~~~"), "extraction", "ok", MARKDOWN),
    ("lone CR", fence(BOX).replace("\n", "\r"), "extraction", "ok", MARKDOWN),
    ("no line end behind the tag", "```json " + BOX + "\n```", "extraction",
     "json_parse", "the block is there and empty; --repair syntax reads it"),
    ("no line end before the closing fence", "```json\n" + BOX + "```",
     "extraction", "extraction", ""),
    ("no closing fence", "```json\n" + BOX, "extraction", "extraction", ""),
    ("a block that is cut off", "```json\n" + BOX[:9], "extraction",
     "extraction", ""),
    ("an empty block", "```json\n```", "extraction", "json_parse",
     "the block is there and empty"),
    ("a block of an empty line", "```json\n\n```", "json_parse", "json_parse",
     ""),
    ("a block of blanks", "```json\n   \n```", "json_parse", "json_parse", ""),
    ("an empty reply", "", "extraction", "extraction", ""),
    ("prose", "I did it.", "extraction", "extraction", ""),
    ("bare JSON", BOX, "extraction", "extraction", ""),
    ("code in a line", "so ```" + BOX + "``` it is", "extraction",
     "extraction", ""),
    ("a python block first", fence("x = 1", "python") + fence(BOX),
     "json_parse", "ok", "another language's block is skipped with its end"),
    ("a faulty JSON block first", fence('{"name": 1}', "JSON") + fence(BOX),
     "json_parse", "ok", "the first valid block"),
    ("an untagged log first", fence("12:00 begun", "") + fence(BOX),
     "json_parse", "ok", "an untagged block is skipped"),
    ("a broken block first", fence('{"name":') + fence(BOX), "json_parse",
     "ok", "the first valid block"),
    ("a trailing comma", fence(BOX[:-1] + ",}"), "json_parse", "json_parse",
     ""),
    ("a comment", fence(BOX.replace(",", ", // b\n")), "json_parse",
     "json_parse", ""),
    ("two objects in a block", fence(BOX + BOX), "json_parse", "json_parse",
     ""),
    ("a control character", fence(BOX.replace("a\"", "\x01\"", 1)),
     "json_parse", "json_parse", ""),
    ("a byte order mark in the block", fence("\ufeff" + BOX), "json_parse",
     "ok", "it is no part of the text: RFC 8259, section 8.1"),
    ("an array", fence("[1]"), "validation", "validation", ""),
    ("a number", fence("1"), "validation", "validation", ""),
    ("null", fence("null"), "validation", "validation", ""),
    ("a key twice", fence('{"name":"a","value":1,"value":2}'), "ok", "ok", "",
     {"name": "a", "value": 2}),
    ("NaN", fence('{"name":"a","value":NaN}'), "validation", "json_parse",
     "it is no JSON"),
    ("Infinity", fence('{"name":"a","value":Infinity}'), "validation",
     "json_parse", "it is no JSON"),
    ("half a surrogate pair", fence(r'{"name":"\ud800","value":1}'), "ok",
     "json_parse", "it stands for no character"),
    ("backticks in a text", fence(r'{"name":"\n```\n","value":1}'), "ok", "ok",
     ""),
    ("a number of 5,000 digits",
     fence('{"name":"a","value":' + "9" * 5000 + "}"), "an exception",
     "json_parse", "a limit, told as any other error"),
    ("100,000 arrays in each other", fence("[" * 100000 + "]" * 100000),
     "an exception", "json_parse", "a limit, told as any other error"),
)


def test_blocks():
    write("box.json", BOX_CONTRACT)
    table("S1.30", "box.json", BLOCKS)
    repaired = [row for row in BLOCKS if "--repair syntax" in row[4]]
    for row, report in zip(repaired, judge(
            "box.json", [row[1] for row in repaired], "--repair", "syntax")):
        check(f"S1.30 with --repair syntax, {row[0]}: ok", report["ok"]
              and report["value"] == json.loads(BOX), report)
    twice = judge("box.json", [fence('{"name":"a","value":1,"value":2}')])[0]
    same("S1.30 a key twice is warned of",
         [one["keyword"] for one in twice["warnings"]], ["duplicate_key"])
    replies = [row[1] for row in BLOCKS if row[3] != "ok"]
    for stage in STAGES:
        reply = next(row[1] for row in BLOCKS if row[3] == stage)
        gives(f"S1.31 not strict, {stage}: null",
              surety("check", "-c", "box.json", "--not-strict", stdin=reply),
              0, "null\n", "error")
    same("S1.31 not strict, all of them: null",
         {report["value"] for report in judge("box.json", replies,
                                              "--not-strict")}, {None})


# ---- types that are nearly right: the review agents --------------------------

FIXED = {"success": True, "summary": "s", "error_details": "d"}
DONE = {"success": True, "tasks_completed": 1, "tasks_failed": 0,
        "tasks_skipped": 0}
FOUND = {"id": "F001", "file": "a", "line": "1", "issue": "i",
         "severity": "major", "category": "c"}
GONE = object()
# (contract, base, member, value, there, as it is, with --repair align); what is
# given is "" for refused, else the value in JSON.
TYPES = tuple(
    ("fixer-result", FIXED, "success", value, "true" if yes else "false", "",
     ("true" if yes else "false") if aligned else "")
    for value, yes, aligned in (
        (1, True, True), (0, False, True), (1.0, True, True),
        ("true", True, True), ("True", True, True), ("FALSE", False, True),
        ("yes", True, True), ("no", False, True), ("on", True, False),
        ("off", False, False), ("t", True, False), ("f", False, False),
        ("y", True, False), ("n", False, False), ("1", True, False),
        ("0", False, False))) + (
    ("fixer-result", FIXED, "success", True, "true", "true", "true"),
    ("fixer-result", FIXED, "success", 2, "", "", ""),
    ("fixer-result", FIXED, "success", 0.5, "", "", ""),
    ("fixer-result", FIXED, "success", None, "", "", ""),
    ("fixer-result", FIXED, "success", "maybe", "", "", ""),
    ("implementation-result", DONE, "tasks_completed", "42", "42", "", "42"),
    ("implementation-result", DONE, "tasks_completed", 42.0, "42", "42.0",
     "42.0"),
    ("implementation-result", DONE, "tasks_completed", True, "1", "", ""),
    ("implementation-result", DONE, "tasks_completed", 42.5, "", "", ""),
    ("implementation-result", DONE, "tasks_completed", -1, "", "", ""),
    ("fixer-result", FIXED, "summary", 5, "", "", '"5"'),
    ("fixer-result", FIXED, "summary", None, "", "", ""),
    ("fixer-result", FIXED, "files_mentioned", None, "", "", "[]"),
    ("fixer-result", FIXED, "files_mentioned", "a.py", "", "", '["a.py"]'),
    ("fixer-result", FIXED, "files_mentioned", ["a", 1], "", "", '["a", "1"]'),
    ("finding", FOUND, "severity", "Major", "", "", '"major"'),
    ("finding", FOUND, "severity", "blocker", "", "", ""),
    ("finding", FOUND, "line", 45, '"45"', "", '"45"'),
    ("finding", FOUND, "line", None, '"None"', "", ""),
    ("finding", FOUND, "line", True, '"True"', "", '"true"'),
    ("finding", FOUND, "line", [1, 2], '"[1, 2]"', "", ""),
    ("finding", FOUND, "line", GONE, "", "", ""))


def test_types():
    for options, column in (((), 5), (("--repair", "align"), 6)):
        for contract, base, member, value, *given in TYPES:
            reply = dict(base, **{member: value})
            if value is GONE:
                del reply[member]
            report = judge("maverick/" + contract,
                           [fence(json.dumps(reply))], *options)[0]
            got = (json.dumps(report["value"][member]) if report["ok"] else "")
            want = given[column - 4]
            shown = "absent" if value is GONE else json.dumps(value)
            check(f"S1.29 {' '.join(options) or 'as it is'}, {member} {shown}:"
                  f" {want or 'refused'} (there {given[0] or 'refused'})",
                  got == want, f"got {got!r} {report['errors']!r}")
    report = judge("maverick/fixer-result", [fence(json.dumps(
        {"success": False, "summary": 1, "files_mentioned": ["a", 2]}))])[0]
    same("S1.37 every error of the fields is reported, and the rule waits",
         [one["instanceLocation"] for one in report["errors"]],
         ["/summary", "/files_mentioned/1"])
    same("S1.29 a pattern may match anywhere in a text", outcome(judge(
        write("task.json", {"pattern": r"T\d{3,}"}), ['"see T001."'])[0],
        False), "ok")


# ---- finding JSON, and what is no JSON: the story agent ----------------------

STORY = {"enhancedStory": "S", "changesApplied": []}
TOLD = json.dumps(STORY)
FIRST = "the first valid value, not one span from the first brace to the last"


def fallen(text):
    return {"enhancedStory": text, "changesApplied": []}


def story(**members):
    return json.dumps(STORY | members)


STORIES = (
    ("an empty reply", "", "error", "error", ""),
    ("a blank reply", " \n ", "error", "error", ""),
    ("the whole reply", f"\n {TOLD} \n", "ok", "ok", "", STORY),
    ("a bare number", "7", "fallback", "fallback", "", fallen("7")),
    ("zero", "0", "fallback", "fallback", "", fallen("0")),
    ("false", "false", "fallback", "fallback", "", fallen("false")),
    ("an empty string", '""', "fallback", "fallback", "", fallen('""')),
    ("null", "null", "fallback", "fallback", "", fallen("null")),
    ("a json block", fence(TOLD), "ok", "ok", "", STORY),
    ("an untagged block", fence(TOLD, ""), "ok", "ok", "", STORY),
    ("a block in one line", f"```json {TOLD} ```", "ok", "ok", "", STORY),
    ("an untagged block in one line", f"```{TOLD}```", "ok", "ok", "", STORY),
    ("a broken block, then a good one", fence("{oops") + fence(TOLD), "ok",
     "ok", "", STORY),
    ("a JSON block", fence(TOLD, "JSON"), "ok", "ok", "", STORY),
    ("a js block", fence(TOLD, "js"), "ok", "ok", "", STORY),
    ("a block that is not closed", "```json\n" + TOLD, "ok", "ok", "", STORY),
    ("prose around it", f"Sure: {TOLD} Bye.", "ok", "ok", "", STORY),
    ("two objects in prose", f"First {TOLD} then {story(enhancedStory='T')}",
     "fallback", "ok", FIRST, STORY),
    ("braces in prose before it", f"Use {{x}} here: {TOLD}", "fallback", "ok",
     FIRST, STORY),
    ("an array of objects in prose", f"Here: [{TOLD}, {TOLD}] ok", "fallback",
     "fallback", ""),
    ("an array of one object in prose", f"Here: [{TOLD}] ok", "ok",
     "fallback", "the value is the array; --repair align takes it out"),
    ("backticks in a text of a block",
     fence(story(enhancedStory="a ```b``` c")), "ok", "ok", "",
     dict(STORY, enhancedStory="a ```b``` c")),
    ("a byte order mark", "\ufeff" + TOLD, "ok", "ok", "", STORY),
    ("NaN", TOLD[:-1] + ',"confidence":NaN}', "fallback", "fallback", ""),
    ("a line end in a text", '{"enhancedStory":"a\nb","changesApplied":[]}',
     "fallback", "fallback", ""),
    ("a key twice", '{"enhancedStory":"R",' + TOLD[1:], "ok", "ok", "", STORY),
    ("confidence null", story(confidence=None), "fallback", "fallback", ""),
    ("location null", story(changesApplied=[
        {"category": "a", "description": "b", "location": None}]), "fallback",
     "fallback", ""),
    ('confidence "0.5"', story(confidence="0.5"), "fallback", "fallback", ""),
    ("confidence 0", story(confidence=0), "ok", "ok", "",
     dict(STORY, confidence=0)),
    ("confidence 1", story(confidence=1), "ok", "ok", "",
     dict(STORY, confidence=1)),
    ("confidence 1.01", story(confidence=1.01), "fallback", "fallback", ""),
    ("a story of blanks", story(enhancedStory="   "), "ok", "ok", ""),
    ("a story of nothing", story(enhancedStory=""), "fallback", "fallback",
     ""),
    ("an empty category", story(changesApplied=[
        {"category": "", "description": "b"}]), "fallback", "fallback", ""),
    ("an unknown member", story(more=1), "ok", "ok", "", STORY),
    ("patches", '{"patches": []}', "fallback", "fallback", ""),
    ("prose", " As a user I want to log in.\n", "fallback", "fallback", "",
     fallen("As a user I want to log in.")),
    ("an error", "Error: overloaded", "error", "error", ""),
    ("an apology", "I apologize, but no.", "error", "error", ""),
    ("a refusal", "I cannot do that.", "error", "error", ""),
    ("another", "Sorry, that is not possible.", "error", "error", ""),
    ("a failure", "Request failed: 500", "error", "error", ""),
    ("a refusal of 199 characters", "I cannot " + "x" * 190, "error", "error",
     ""),
    ("a refusal of 200 characters", "I cannot " + "x" * 191, "fallback",
     "fallback", ""),
    ("such a word in a short story", "As a user I see error: text.", "error",
     "error", ""),
)


def test_stories():
    table("S2.11", "user-story/iteration-output", STORIES, falls=True)
    replies = [row[1] for row in STORIES if row[3] == "fallback"]
    same("S2.11 with --repair align, an array of one object in prose: ok",
         judge("user-story/iteration-output", [f"Here: [{TOLD}] ok"],
               "--repair", "align")[0]["value"], STORY)
    check("S2.3 no fallback is silent", all(
        report["errors"] and "fallback" in
        [one["keyword"] for one in report["warnings"]]
        for report in judge("user-story/iteration-output", replies)))


# ---- the marker and the machine behind it: the census agent ------------------

ANSWER = {"census_data": {"success": True,
                          "data": [["NAME", "B01003_001E"], ["CA", "39"]],
                          "variables": {"B01003_001E": "Total"}},
          "data_summary": "s", "reasoning_trace": "r", "answer_text": "a",
          "charts_needed": [], "tables_needed": [],
          "footnotes": ["Source: x", "Disclaimer: y"]}
SAID = json.dumps(ANSWER)
FINAL = "Final Answer: "


def answer(data=None, without=(), **members):
    value = ANSWER | members
    value["census_data"] = ANSWER["census_data"] | (data or {})
    return json.dumps({name: value[name] for name in value
                       if name not in without})


def charts(*values):
    return answer(charts_needed=list(values))


def tables(*values):
    return answer(tables_needed=list(values))


STRICT = "types are what they are; --repair align repairs it"
ENUMS = "its document names the kinds"
MARKERS = (
    ("the whole reply", SAID, "ok", "ok", "", ANSWER),
    ("behind the marker",
     "Thought: I now know the final answer\n" + FINAL + SAID, "ok", "ok", "",
     ANSWER),
    ("a fence behind the marker", FINAL + fence(SAID), "ok", "ok", "", ANSWER),
    ("a fence alone", fence(SAID), "fallback", "ok",
     "asked for JSON, many models fence it", ANSWER),
    ("an untagged fence in prose", "Here it is:\n\n" + fence(SAID, "") + "Ok?",
     "fallback", "ok", "asked for JSON, many models fence it", ANSWER),
    ("braces between", FINAL + "{x} " + SAID, "fallback", "ok",
     "a value that is none is passed over", ANSWER),
    ("text behind", FINAL + SAID + "\nObservation: {y}", "ok", "ok", ""),
    ("cut off", FINAL + SAID[:-9], "fallback", "fallback", ""),
    ("line breaks", FINAL + json.dumps(ANSWER, indent=1), "ok", "ok", ""),
    ("an ellipsis", FINAL + SAID.replace('"39"]', '"39"], ...'), "fallback",
     "fallback", ""),
    ("a bracket of the wrong kind", FINAL + SAID.replace("]]", "]}"),
     "fallback", "fallback", ""),
    ("the marker in prose first", "A Final Answer: is due. " + FINAL + SAID,
     "ok", "ok", ""),
    ("two answers", FINAL + SAID + "\n" + FINAL + answer(answer_text="b"),
     "ok", "ok", "", ANSWER),
    ("quotes and braces in a text",
     FINAL + answer(answer_text='He said "{no}" \\ [yes'), "ok", "ok", ""),
    ("JSON of another kind", '{"x": 1}', "fallback", "fallback", ""),
    ("no census_data", answer(without=["census_data"]), "fallback", "fallback",
     ""),
    ("the marker in lower case", FINAL.lower() + SAID, "fallback", "fallback",
     ""),
    ("no JSON", "I do not know.", "fallback", "fallback", ""),
    ("an end by the limit", "Agent stopped due to iteration limit or time "
     "limit.", "fallback", "fallback", ""),
    ("an empty reply", "", "fallback", "error",
     "nothing was said, so nothing stands for it"),
    ("an unknown member", answer(more=1), "ok", "ok", "", ANSWER),
    ("an unknown member in census_data", answer({"url": "u"}), "ok", "ok", "",
     ANSWER),
    ('success "true"', answer({"success": "true"}), "ok", "fallback", STRICT),
    ("success 1", answer({"success": 1}), "ok", "fallback", STRICT),
    ("no rows", answer({"data": []}), "ok", "ok", ""),
    ("rows of several lengths", answer({"data": [["a"], [1, 2]]}), "ok", "ok",
     ""),
    ("a row that is text", answer({"data": ["a"]}), "fallback", "fallback",
     ""),
    ("cells that are null", answer({"data": [["a"], [None]]}), "ok", "ok", ""),
    ("variables null", answer({"variables": None}), "ok", "ok", ""),
    ("a label null", answer({"variables": {"a": None}}), "fallback",
     "fallback", ""),
    ("a pie", charts({"type": "pie", "title": "t"}), "ok", "fallback", ENUMS),
    ("a chart without a title", charts({"type": "bar"}), "ok", "fallback",
     ENUMS),
    ("a chart with more", charts({"type": "bar", "title": "t", "x": "y"}),
     "ok", "ok", "", ANSWER | {"charts_needed": [
         {"type": "bar", "title": "t"}]}),
    ("a chart title that is a number", charts({"type": "bar", "title": 1}),
     "fallback", "fallback", ""),
    ("a table as pdf", tables({"format": "pdf", "title": "t"}), "ok",
     "fallback", ENUMS),
    ("a table as html", tables({"format": "html", "title": "t"}), "ok", "ok",
     ""),
    ("filename null", tables({"format": "csv", "title": "t",
                              "filename": None}), "fallback", "ok",
     "that is how a model leaves it out"),
    ("charts_needed null", answer(charts_needed=None), "fallback", "fallback",
     ""),
    ("no charts_needed, no tables_needed",
     answer(without=["charts_needed", "tables_needed"]), "ok", "ok", "",
     ANSWER),
    ("no footnotes", answer(without=["footnotes"]), "ok", "fallback",
     "two are the minimum"),
    ("one footnote", answer(footnotes=["a"]), "ok", "fallback",
     "two are the minimum"),
    ("two footnotes", answer(footnotes=["a", "b"]), "ok", "ok", ""),
    ("a footnote that is a number", answer(footnotes=["a", "b", 1]),
     "fallback", "fallback", ""),
    ("empty texts", answer(data_summary="", reasoning_trace="",
                           answer_text=""), "ok", "ok", ""),
)


def test_markers():
    table("S3.13", "census/agent-output", MARKERS, "--var", "steps=3",
          falls=True)
    fallback = judge("census/agent-output", ["none"], "--var", "steps=3")[0]
    same("S3.12 the fallback object", fallback["value"], {
        "census_data": {}, "data_summary": "Parsing failed - see logs",
        "reasoning_trace": "Steps: 3",
        "answer_text": "Agent execution completed but output parsing failed",
        "charts_needed": [], "tables_needed": [], "footnotes": []})
    for what in ("success \"true\"", "success 1"):
        reply = next(row[1] for row in MARKERS if row[0] == what)
        same(f"S3.13 {what} with --repair align", judge(
            "census/agent-output", [reply], "--repair", "align")[0]["value"],
            ANSWER)


# ---- which columns a chart shows: the census agent ---------------------------

NAMES = ("CA", "TX")
EMPTY = "a chart of nothing"


def columns(header, cell):
    return [["NAME", header], [NAMES[0], cell], [NAMES[1], cell]]


CHARTS = (  # kind, rows, there (y by x, or ""), here, why
    ("a code last", "bar", [["NAME", "pop", "state"], ["CA", "39", "06"],
                            ["TX", "29", "48"]],
     "pop by NAME", "pop by NAME", ""),
    ("a code first", "bar", [["NAME", "state", "pop"], ["CA", "06", "39"],
                             ["TX", "48", "29"]],
     "state by NAME", "pop by NAME", "a code is no measure"),
    ("years", "line", [["Year", "Income"], ["2015", "53,889"],
                       ["2016", "55,322"]],
     "Income by Year", "Income by Year", ""),
    ("years last", "line", [["NAME", "Income", "Year"], ["CA", "1", "2015"],
                            ["CA", "2", "2016"]],
     "Income by Year", "Income by Year", ""),
    ("a number", "bar", columns("pop", "39538223"), "pop by NAME",
     "pop by NAME", ""),
    ("thousands commas", "bar", columns("pop", "53,889"), "pop by NAME",
     "pop by NAME", ""),
    ("a negative number", "bar", columns("pop", "-5"), "pop by NAME",
     "pop by NAME", ""),
    ("a leading zero", "bar", columns("pop", "06"), "pop by NAME", "",
     "it is a code"),
    ("dates", "bar", columns("pop", "2023-01-01"), "pop by NAME", "",
     "a date is no number"),
    ("percent", "bar", columns("pop", "12.5%"), EMPTY, "pop by NAME",
     "it is a number with a unit"),
    ("money", "bar", columns("pop", "$5"), EMPTY, "pop by NAME",
     "it is a number with a unit"),
    ("an exponent", "bar", columns("pop", "1e5"), "pop by NAME",
     "pop by NAME", ""),
    ("text", "bar", columns("pop", "many"), EMPTY, "",
     "there is nothing to draw, and that is said"),
    ("empty cells", "bar", columns("pop", ""), EMPTY, "",
     "there is nothing to draw, and that is said"),
    ("nulls", "bar", columns("pop", None), EMPTY, "",
     "there is nothing to draw, and that is said"),
    ("one column", "bar", [["NAME"], ["CA"]], "", "", ""),
    ("no rows", "bar", [["NAME", "pop"]], "", "", ""),
    ("nothing", "bar", [], "", "", ""),
    ("a number in the second row only", "bar",
     [["NAME", "pop"], ["a", None]] + [[c, 5] for c in "bcdefg"],
     "pop by NAME", "pop by NAME", ""),
    ("a number that the first row has not", "bar",
     [["NAME", "pop", "Area"], ["a", None, 1]] + [[c, 5, 1] for c in "bcdefg"],
     "Area by NAME", "pop by NAME", "all rows decide, not the first"),
    ("a pie", "pie", columns("pop", "1"), "", "", ""),
)


def drawn(kind, rows, *options):
    # What fontconfig keeps is looked at by render_test.py.
    return surety("render", "--data", "-", "--chart", kind, "--format", "svg",
                  "--out", "-", *options, stdin=json.dumps(rows),
                  env={"ASAN_OPTIONS": "detect_leaks=0"})


def test_charts():
    if "without cairo" in drawn("bar", columns("pop", 1)).err:
        skip("S3.21 charts", "this build is without cairo")
        return
    for what, kind, rows, there, here, why in CHARTS:
        result = drawn(kind, rows)
        shown = re.search(r"<desc>\w+ chart of (.*), \d+ values", result.out)
        got = shown[1] if shown else ""
        check(f"S3.21 {what}: {here or 'refused'}" + (
            f" (there {there or 'no such chart'}; {why})"
            if there != here else ""),
            got == here and (there != here) == bool(why)
            and (result.code == 0) == bool(here), f"got {got!r} {result!r}")
    check("S3.8 the title that was asked for is drawn", "<title>Mine</title>"
          in drawn("bar", columns("pop", 1), "--title", "Mine").out)
    labelled = drawn("bar", columns("pop", 1), "--label", "pop=People")
    check("S3.3 a variable's label names its axis",
          "People" in labelled.out, labelled)


# ---- schemas of TypeScript programs: the credibility analyzer ----------------

MADE = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "properties": {
            "crediScore": {"type": "number", "minimum": 0, "maximum": 10},
            "overview": {"type": "object", "properties": {
                "sampledPosts": {"type": "number"},
                "focusAreas": {"type": "array", "items": {"type": "string"}}},
                "required": ["sampledPosts", "focusAreas"],
                "additionalProperties": False}},
        "required": ["crediScore", "overview"], "additionalProperties": False}
OVERVIEW = {"sampledPosts": 1, "focusAreas": ["a"]}
RESULT = {"crediScore": 7, "overview": OVERVIEW}
CONVERTED = (
    ("a result", json.dumps(RESULT), "ok", "ok", "", RESULT),
    ("an unknown member", json.dumps(RESULT | {"x": 1}), "ok", "validation",
     "the schema that the model was sent forbids it"),
    ("an unknown member further in", json.dumps(
        RESULT | {"overview": OVERVIEW | {"x": 1}}), "ok", "validation",
     "the schema that the model was sent forbids it"),
    ("a score of 0", json.dumps(RESULT | {"crediScore": 0}), "ok", "ok", ""),
    ("a score of 10", json.dumps(RESULT | {"crediScore": 10}), "ok", "ok", ""),
    ("a score below", json.dumps(RESULT | {"crediScore": -0.1}), "validation",
     "validation", ""),
    ("a score above", json.dumps(RESULT | {"crediScore": 10.1}), "validation",
     "validation", ""),
    ("a score as text", json.dumps(RESULT | {"crediScore": "7"}),
     "validation", "validation", ""),
    ("no overview", '{"crediScore": 7}', "validation", "validation", ""),
    ("a block", fence(json.dumps(RESULT)), "ok", "ok", "", RESULT),
    ("no JSON", "It is credible.", "json_parse", "extraction",
     "there is nothing to parse"),
)


def test_converted():
    write("made.json", MADE)
    table("S4.15", "made.json", CONVERTED)
    report = judge("made.json", [json.dumps({"crediScore": 11, "overview": {
        "sampledPosts": "1", "focusAreas": [1]}})])[0]
    same("S4.11 every problem, each with its place", [
        (one["keyword"], one["instanceLocation"]) for one in report["errors"]],
        [("maximum", "/crediScore"), ("type", "/overview/sampledPosts"),
         ("type", "/overview/focusAreas/0")])
    same("S4.15 unknown members are stripped by a contract that says so",
         judge("credibility/analysis-result",
               [json.dumps(RESULT | {"x": 1})])[0]["value"], RESULT)


# ---- a validator's odd cases: the trend agent --------------------------------

STEP = {"iteration_number": 1, "phase": "final", "plan": "Look.",
        "actions": [], "reflect": "It is so.."}
STEPS = (
    ("the least", json.dumps(STEP), "ok", "ok", ""),
    ("1.0", json.dumps(STEP | {"iteration_number": 1.0}), "ok", "ok", ""),
    ("1.5", json.dumps(STEP | {"iteration_number": 1.5}), "validation",
     "validation", ""),
    ('"1"', json.dumps(STEP | {"iteration_number": "1"}), "validation",
     "validation", ""),
    ("true", json.dumps(STEP | {"iteration_number": True}), "validation",
     "validation", ""),
    ("0", json.dumps(STEP | {"iteration_number": 0}), "validation",
     "validation", ""),
    ("a plan of 4", json.dumps(STEP | {"plan": "Look"}), "validation",
     "validation", ""),
    ("a plan of 5 emoji", json.dumps(STEP | {"plan": "\U0001f600" * 5},
                                     ensure_ascii=False), "ok", "ok", ""),
    ("a plan of 4 emoji", json.dumps(STEP | {"plan": "\U0001f600" * 4}),
     "validation", "validation", ""),
    ("a plan of blanks", json.dumps(STEP | {"plan": "     "}), "ok", "ok", ""),
    ("reflections of 9", json.dumps(STEP | {"reflect": "x" * 9}),
     "validation", "validation", ""),
    ("reflections of 10", json.dumps(STEP | {"reflect": "x" * 10}), "ok", "ok",
     ""),
    ("meta null", json.dumps(STEP | {"meta": None}), "validation",
     "validation", ""),
    ("meta empty", json.dumps(STEP | {"meta": {}}), "ok", "ok", ""),
    ("meta with anything", json.dumps(STEP | {"meta": {"a": [1]}}), "ok", "ok",
     ""),
    ("a description of 2", json.dumps(STEP | {
        "actions": [{"tool_name": "get_trend_data_tool", "arguments": {}}],
        "saved_csv": [{"description": "ab",
                       "corresponding_action_index": 0}]}), "validation",
     "validation", ""),
    ("a description of 3", json.dumps(STEP | {
        "actions": [{"tool_name": "get_trend_data_tool", "arguments": {}}],
        "saved_csv": [{"description": "abc",
                       "corresponding_action_index": 0}]}), "ok", "ok", ""),
    ("an index past the actions", json.dumps(STEP | {"saved_csv": [
        {"description": "abc", "corresponding_action_index": 0}]}), "ok",
     "validation", "a rule of ours: it must name an action"),
    ("an index below 0", json.dumps(STEP | {"saved_csv": [
        {"description": "abc", "corresponding_action_index": -1}]}),
     "validation", "validation", ""),
    ("no object", "[1]", "validation", "validation", ""),
)
MESSAGES = (  # what is changed, the texts that follow
    ({"phase": None}, ["null must be a string (path: phase)",
                       "null is not one of \"exploration\", \"pre_final\", "
                       "\"synthesis\", \"final\" (path: phase)"]),
    ({"plan": GONE}, ['the required property "plan" is missing (path: )']),
    ({"actions": [{"tool_name": "get_trend_data_tool"}]},
     ['the required property "arguments" is missing (path: actions/0)']),
    ({"b": 1, "a": 2}, ['the property "b" is not allowed (path: b)',
                        'the property "a" is not allowed (path: a)']),
    ({"iteration_number": "1"},
     ['"1" is a string, but must be an integer (path: iteration_number)']),
    ({"iteration_number": 0},
     ["0 is less than the minimum of 1 (path: iteration_number)"]),
    ({"plan": "abcd"}, ['"abcd" has 4 characters, fewer than the minimum of 5 '
                        "(path: plan)"]),
    ({"actions": [{"tool_name": "get_trend_data_tool", "arguments": {}}] * 4},
     ["the array has 4 items, more than the maximum of 3 (path: actions)"]),
)


def test_steps():
    table("S0.9", "trend/iteration-response", STEPS)
    for changed, texts in MESSAGES:
        value = {name: one for name, one in (STEP | changed).items()
                 if one is not GONE}
        result = surety("check", "-c", "trend/iteration-response", "--report",
                        "plain", stdin=json.dumps(value))
        same(f"S0.21 {texts[0]}", result.err.splitlines(), texts)


run_tests(test_blocks, test_types, test_stories, test_markers, test_charts,
          test_converted, test_steps)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Repair with the real tool: levels, reports, exit codes, records, cut replies,
hostile text; and that docs/repair.md lists every kind of repair as it is:
repair_test.py [SURETY]."""

import json
import os
import re

from cli_run import check, gives, reports_of, run_tests, same, surety, write

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
GUIDE = os.path.join(ROOT, "docs", "repair.md")
TABLES = {"src/json/repairs.def": "Repairs of the text",
          "src/align/edits.def": "Repairs of the value"}

TICKET = {"type": "object", "required": ["id", "title"],
          "properties": {"id": {"type": "integer"},
                         "title": {"type": "string"},
                         "state": {"enum": ["open", "closed"]},
                         "labels": {"type": "array",
                                    "items": {"type": "string"}}},
          "additionalProperties": False}
FORM = "{'id': 7, \"title\": \"Lamp\",}"
SHAPE = '{"id": "7", "title": "Lamp"}'
CUT = '{"id": 7, "title": "Printer on flo'


def report_of(result):
    return json.loads(result.err.splitlines()[-1])


def kinds_of(report):
    return [(item["kind"], item["confidence"]) for item in report["repairs"]]


# -- levels and reports --------------------------------------------------------


def test_levels():
    write("ticket.json", TICKET)
    base = ("check", "-c", "ticket.json")
    value = '{"id":7,"title":"Lamp"}\n'
    gives("no repair unless asked for", surety(*base, stdin=FORM), 1, "",
          "error[json_parse]")
    gives("--repair none", surety(*base, "--repair", "none", stdin=FORM), 1)
    gives("--repair syntax repairs the form",
          surety(*base, "--repair", "syntax", stdin=FORM), 0, value,
          ("trailing-comma", "single-quote"))
    gives("--repair syntax leaves values alone",
          surety(*base, "--repair", "syntax", stdin=SHAPE), 1, "",
          "error[type]")
    gives("--repair align brings them to the schema",
          surety(*base, "--repair", "align", stdin=SHAPE), 0, value, "/id")
    gives("--repair align repairs the form too",
          surety(*base, "--repair", "align", stdin=FORM), 0, value)
    gives("--certain allows what is certain",
          surety(*base, "--repair", "align", "--certain", stdin=FORM), 0,
          value)
    gives("--certain refuses what is likely only",
          surety(*base, "--repair", "syntax", "--certain",
                 stdin='{"id": 7, "title" "Lamp"}'), 1, "",
          "error[json_parse]")
    gives("which is repaired without it",
          surety(*base, "--repair", "syntax",
                 stdin='{"id": 7, "title" "Lamp"}'), 0, value,
          "missing-colon")
    gives("a good reply is silent at any level",
          surety(*base, "--repair", "align", stdin=value), 0, value)
    same("nothing at all",
         surety(*base, "--repair", "align", stdin=value).err, "")
    gives("--quiet says nothing of repairs",
          surety(*base, "--repair", "syntax", "-q", stdin=FORM), 0, value)
    same("nothing either",
         surety(*base, "--repair", "syntax", "-q", stdin=FORM).err, "")
    write("level.json", TICKET | {"x-surety": {"repair": "syntax"}})
    gives("the contract's level",
          surety("check", "-c", "level.json", stdin=FORM), 0, value)
    gives("is overruled",
          surety("check", "-c", "level.json", "--repair", "none", stdin=FORM),
          1)
    gives("upwards too",
          surety("check", "-c", "level.json", "--repair", "align",
                 stdin=SHAPE), 0, value)
    gives("several replies",
          surety(*base, "--repair", "align", write("form.md", FORM),
                 write("bad.md", "none"), write("shape.md", SHAPE)), 1,
          value * 2, ("form.md:1:2", "bad.md"))
    gives("extract repairs nothing by itself",
          surety("extract", stdin=FORM), 1)
    gives("extract --repair syntax",
          surety("extract", "--repair", "syntax", stdin=FORM), 0, value)
    gives("extract --repair align has nothing to align to",
          surety("extract", "--repair", "align", stdin=SHAPE), 0,
          '{"id":"7","title":"Lamp"}\n')
    gives("extract --repair syntax --certain",
          surety("extract", "--repair", "syntax", "--certain",
                 stdin='{"a" 1}'), 1)


def test_reports():
    write("ticket.json", TICKET)
    write("report.json", surety("contracts", "show", "surety/report").out)
    base = ("check", "-c", "ticket.json", "--repair", "align", "--report")
    reply = "Well:\n{'id': 7,\n \"title\": \"a\", \"state\": \"Open\",}\n"
    result = surety(*base, "json", stdin=reply)
    report = report_of(result)
    same("a report of repairs", (report["ok"], report["stage"]), (True, None))
    same("has each of them", sorted({kind for kind, _ in kinds_of(report)}),
         sorted({"single-quote", "trailing-comma",
                 *(kind for kind, _ in kinds_of(report) if "-" in kind)}))
    comma = [item for item in report["repairs"]
             if item["kind"] == "trailing-comma"]
    same("with its place in the reply",
         [(item["line"], item["column"], item["original"], item["confidence"])
          for item in comma],
         [(3, reply.split("\n")[2].index(",}") + 1, ",", "certain")])
    same("and at the byte it tells",
         [reply[item["offset"]:item["offset"] + item["length"]]
          for item in comma], [","])
    change = [item for item in report["repairs"]
              if item.get("instanceLocation") == "/state"]
    check("a change has its pointer, its cost and both values",
          len(change) == 1 and change[0]["original"] == '"Open"' and
          change[0]["read"] == '"open"' and change[0]["cost"] > 0, change)
    gives("it satisfies surety/report",
          surety("validate", "report.json", "-", stdin=result.err), 0)
    for form in ("text", "plain", "github"):
        result = surety(*base, form, stdin=reply)
        check(f"--report {form}", result.code == 0 and
              "\x1b" not in result.err, result)
    sarif = surety(*base, "sarif", stdin=reply)
    check("--report sarif is a document", sarif.code == 0 and
          json.loads(sarif.err)["version"] == "2.1.0", sarif)
    escaped = surety(*base, "text", stdin="{'id': 7, 'title': '\x1b[31m\x00'}")
    check("control characters do not reach the terminal",
          "\x1b" not in escaped.err and "\x00" not in escaped.err, escaped)


def test_records():
    write("ticket.json", TICKET)
    base = ("check", "-c", "ticket.json", "--jsonl", "--repair", "align")
    lines = [json.dumps(FORM), json.dumps(SHAPE), json.dumps(CUT),
             json.dumps("nothing"), '{"id": "7", "title": "x"}',
             '{"id": 7, "title": "x"}']
    result = surety(*base, stdin="\n".join(lines) + "\n")
    gives("records", result, 1, None, "6 replies: 4 valid, 2 invalid")
    same("each with its repairs",
         [(report["ok"], bool(report["repairs"]))
          for report in reports_of(result)],
         [(True, True), (True, True), (False, False), (False, False),
          (True, True), (True, False)])
    write("report.json", surety("contracts", "show", "surety/report").out)
    partial = surety(*base, "--partial", "--jobs", "2",
                     stdin="\n".join(lines) + "\n")
    same("--partial", [report["value"] is not None
                       for report in reports_of(partial)],
         [True, True, True, False, True, True])
    gives("they satisfy surety/report",
          surety("validate", "--jsonl", "report.json", "-",
                 stdin=result.out + partial.out), 0)
    same("--field", [report["ok"] for report in reports_of(surety(
        *base, "--field", "reply",
        stdin=json.dumps({"reply": FORM}) + "\n"))], [True])
    certain = surety(*base, "--certain", stdin="\n".join(lines) + "\n")
    same("--certain",
         [all(item["confidence"] == "certain" for item in report["repairs"])
          for report in reports_of(certain)], [True] * 6)


# -- cut replies ---------------------------------------------------------------


def test_cut():
    write("ticket.json", TICKET)
    base = ("check", "-c", "ticket.json")
    for level in ("none", "syntax", "align"):
        gives(f"a cut reply is none, --repair {level}",
              surety(*base, "--repair", level, stdin=CUT), 1, "", "cut off")
        gives(f"--partial takes what is there, --repair {level}",
              surety(*base, "--repair", level, "--partial", stdin=CUT), 0,
              '{"id":7,"title":"Printer on flo"}\n', ("warning", "/title"))
    report = report_of(surety(*base, "--partial", "--report", "json",
                              stdin=CUT))
    same("and says so", (report.get("partial"), report.get("open")),
         (True, "/title"))
    gives("what has come must be right",
          surety(*base, "--partial", stdin='{"id": "x", "title": "Pri'), 1)
    whole = report_of(surety(*base, "--partial", "--report", "json",
                             stdin='{"id": 7, "title": ""}'))
    check("a whole reply is not partial", not whole.get("partial") and
          not whole["warnings"], whole)
    gives("a missing bracket is a repair",
          surety(*base, "--repair", "syntax",
                 stdin='{"id": 7, "title": "a"'), 0,
          '{"id":7,"title":"a"}\n', "missing-close")
    gives("extract --partial", surety("extract", "--partial",
                                      stdin='[1, {"a": "b'), 0,
          '[1,{"a":"b"}]\n', "/1/a")
    gives("extract without it", surety("extract", stdin='[1, {"a": "b'), 1)
    write("partial.json", TICKET | {"x-surety": {"partial": True}})
    gives("the contract may allow it",
          surety("check", "-c", "partial.json", stdin=CUT), 0,
          '{"id":7,"title":"Printer on flo"}\n', "warning")


# -- what is refused -----------------------------------------------------------


def test_refused():
    """The guide's table of refusals, and more of the kind."""
    number = {"type": "number"}
    state = {"enum": ["done", "open"]}
    for wanted, found in (
            (number, '"2,5"'), (number, '"1.204,5"'), (number, '"45%"'),
            (number, '"12 kg"'), (number, '"about 40"'), (number, '""'),
            ({"type": "integer"}, "3.7"), ({"type": "integer"}, '"3.7"'),
            (state, '"not done"'), (state, '"done or open"'), (state, '"do"'),
            (state, "null"), ({"type": "boolean"}, '"maybe"'),
            ({"type": "boolean"}, "2"), ({"type": "string"}, "null"),
            ({"type": "object"}, "[]"), ({"type": "array"}, "null")):
        write("refuse.json", {"type": "object", "required": ["v"],
                              "properties": {"v": wanted}})
        gives(f"{found} for {json.dumps(wanted)}",
              surety("check", "-c", "refuse.json", "--repair", "align",
                     stdin='{"v": ' + found + "}"), 1, "", "/v")
    write("ticket.json", TICKET)
    for reply in ("I can't help with {that}.", '{"a": 1}', "{}", "[]", "null",
                  '{"id": 7}', '{"id": 7, "title": "cut h', '{"id": 7,',
                  '{"id":', "{", "Sure! Here is the JSON:",
                  '<think>{"id": 7, "title": "x"}</think>',
                  "Error: rate limit {429}", '{"id": 7, "title": null}'):
        gives(f"refused: {reply}",
              surety("check", "-c", "ticket.json", "--repair", "align",
                     stdin=reply), 1, "", "error")


# -- hostile text --------------------------------------------------------------


def test_hostile():
    write("ticket.json", TICKET)
    for name, text in (
            ("open brackets", "[" * 1000000), ("open objects", "{" * 1000000),
            ("nested members", '{"a":' * 1000000),
            ("quotes", '"' * 1000000), ("single quotes", "{'" * 500000),
            ("backslashes", '{"a":"' + "\\" * 1000000),
            ("commas", "[" + "," * 1000000), ("colons", "{" + ":" * 1000000),
            ("braces in prose", "x}x{" * 250000),
            ("balanced pairs", "[]" * 500000), ("comments", "[/*" * 300000),
            ("words", "{" + "word " * 200000), ("NUL", b"{\x00" * 500000),
            ("no UTF-8", b'{"a": "' + b"\xff\xc0" * 500000 + b'"}'),
            ("fences", "```json\n{" * 100000)):
        for options in ((), ("--partial",), ("--stream", "--partial")):
            result = surety("check", "-c", "ticket.json", "--repair", "align",
                            "-q", *options, stdin=text)
            check(f"1 MB of {name} {' '.join(options)}",
                  result.code in (0, 1), result)


def test_settled():
    """Repairing what was repaired changes nothing, and takes no repair."""
    write("any.json", True)
    for reply in (FORM, SHAPE, "{a: [1, 2,, 3,], // so\n b: None}",
                  '{"t": "he said "no", then"}', "[1 2 3]", '{"a": .5}',
                  '{"a": "C:\\users"}', "{'a': 'it\\'s'}", '{"a": 007}'):
        once = surety("check", "-c", "any.json", "--repair", "align",
                      stdin=reply)
        twice = surety("check", "-c", "any.json", "--repair", "align",
                       stdin=once.out)
        check(f"once is enough: {reply}", once.code == 0 and
              twice.out == once.out and twice.err == "",
              f"{once}\n{twice}")


# -- the guide -----------------------------------------------------------------


def rows_of(text, heading):
    """The first table behind a heading: its cells, row by row."""
    part = text.split(f"\n## {heading}\n", 1)[1]
    rows = []
    for line in part.split("\n"):
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            break
    return rows[2:]


def test_kinds():
    with open(GUIDE, encoding="utf-8") as file:
        text = file.read()
    for path, heading in TABLES.items():
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            table = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        rows = re.findall(r'^\w+\(\s*\w+,\s*"([\w-]+)",\s*(?:(\d+),\s*)?(\w+),',
                          table, re.MULTILINE)
        check(f"{path} is read", len(rows) > 10, rows)
        want = [(name, {"false": "certain", "true": "likely"}[likely]) +
                ((cost,) if cost else ()) for name, cost, likely in rows]
        same(f"docs/repair.md lists {path}, each kind as it is",
             sorted((cells[0].strip("`"), *cells[1:len(want[0])])
                    for cells in rows_of(text, heading)), sorted(want))


run_tests(test_levels, test_reports, test_records, test_cut, test_refused,
          test_hostile, test_settled, test_kinds)

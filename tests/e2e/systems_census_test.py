#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/systems/census against surety mock and from its recordings: answers
with charts and tables, of one county and of 254; that figures which no call has
given are never an answer; what the Census API may answer; what is wrong with
replies, data, names and folders, and that none of it loses the answer. The API
is examples/systems/census-api.py, or the mock with any rows. The workbook is
opened in LibreOffice and the page in a browser where there is one:
systems_census_test.py [SURETY]."""

import csv
import io
import json
import os
import re
import select
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from cli_run import (FOLDER, check, gives, run_tests, same,  # noqa: E402
                     surety, write)
from others_run import browser_page, office_rows  # noqa: E402
from run_mock import Mock  # noqa: E402
from systems_run import (EXAMPLES, is_careful, is_small,  # noqa: E402
                         recording, script, system)
from tap import skip  # noqa: E402

os.chdir(FOLDER)
ANSWER = "California is more populous than Texas."
NOTES = ["Source: U.S. Census Bureau.", "Margins of error not shown."]
ROWS = [["NAME", "B01003_001E", "state"], ["California", "39538223", "06"],
        ["Texas", "29145505", "48"]]
BAR = {"type": "bar", "title": "Population"}
TABLE = {"format": "csv", "title": "States"}
TOOLS = os.path.join(EXAMPLES, "systems", "census-tools.json")
FAILED = "Agent execution completed but output parsing failed"
SHOWN = f"{ANSWER}\n" + "".join(f"- {note}\n" for note in NOTES)
DRAWS = "without cairo" not in surety("render", "--data", write(
    "probe.json", ROWS), "--chart", "bar", "--out", "probe").err


def value(rows=None, charts=(), tables=(), **more):
    return {"census_data": {"success": True,
                            "data": ROWS if rows is None else rows},
            "data_summary": "Retrieved B01003 for 2 states, 2023 ACS 5-Year",
            "reasoning_trace": "Resolved CA to FIPS 06, queried ACS5",
            "answer_text": ANSWER, "charts_needed": list(charts),
            "tables_needed": list(tables), "footnotes": NOTES} | more


def final(answer):
    return ("Thought: I now know the final answer\nFinal Answer: "
            + (answer if isinstance(answer, str) else json.dumps(answer)))


def ask(*arguments, question="How many?", model="m-openai:census-1",
        api="http://127.0.0.1:1", key=None):
    env = {"CENSUS_API": api} | ({"CENSUS_API_KEY": key} if key else {})
    return system("census", "-m", model, "--tools", TOOLS, *arguments, question,
                  env=env)


def call(tool="get_data", **arguments):
    return {"tool": tool, "json": {"year": 2023, "dataset": "acs/acs5"} | (
        {"variables": ["NAME"], "for": "state:*"} if tool == "get_data"
        else {}) | arguments}


def as_text(text):
    """The model's reply again and again, also where a tool must be called."""
    return {"text": text, "deliver": "text", "repeat": True}


def has_rows(rows, year=2023):
    """The mock as the API, with these rows in a year."""
    return {"when": {"path": f"/data/{year}/acs/acs5"}, "body": rows,
            "repeat": True}


def answers(reply, folder, *arguments, given=None):
    """The answer to one reply, after a call that gave its rows, or others; a
    value is behind Final Answer:."""
    text = final(reply) if isinstance(reply, dict) else reply
    rows = given or (reply["census_data"].get("data", ROWS)
                     if isinstance(reply, dict) else ROWS)
    with Mock(has_rows(rows), {"calls": [call()]},
              as_text(text)) as mock:
        return ask("--folder", folder, *arguments, api=mock.url)


class Api:
    """census-api.py as a context; `url` where it listens."""

    def __init__(self, *arguments):
        self.arguments = [sys.executable,
                          os.path.join(EXAMPLES, "systems", "census-api.py"),
                          os.path.join(EXAMPLES, "inputs", "census.csv"),
                          *arguments]

    def __enter__(self):
        self.process = subprocess.Popen(self.arguments, stdout=subprocess.PIPE)
        ready = select.select([self.process.stdout], [], [], 100)[0]
        line = self.process.stdout.readline().decode() if ready else ""
        self.url = line.split(" on ")[-1].strip()
        return self

    def __exit__(self, *unused):
        self.process.terminate()
        self.process.wait(100)
        self.process.stdout.close()


def files(folder):
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def rows_of(path):
    return list(csv.reader(io.StringIO(read(path))))


def png_size(path):
    with open(path, "rb") as file:
        head = file.read(24)
    return head[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", head[16:])


def keeps(name, result, code, folder, made, *parts):
    """The answer is there whatever became of the rest."""
    gives(name, result, code, SHOWN, parts)
    same(f"{name}: what was made", files(folder), sorted(made))


def asked_for(number):
    """Question and value of the script's reply of that number."""
    questions = {}
    for reply in script("census")["replies"]:
        questions[reply["when"]["contains"]] = reply
    question = list(questions)[number]
    text = questions[question]["text"].split("Final Answer: ")
    return question, json.loads(text[1]) if len(text) > 1 else None


def example(name, number, made):
    """A question of the script: over HTTP, and from its recording."""
    question, wanted = asked_for(number)
    if not DRAWS:
        skip(name, "this build is without cairo")
        return
    shown = wanted["answer_text"] + "\n" + "".join(
        f"- {note}\n" for note in wanted["footnotes"])
    with Mock(*script("census")["replies"]), Api() as api:
        live = ask("--folder", name, question=question, api=api.url)
    gives(f"{name}: the answer and its footnotes", live, 0, shown,
          ["census: reasoning: " + wanted["reasoning_trace"]])
    same(f"{name}: charts and tables are made", files(name), made)
    with Api() as api:
        replayed = ask("--folder", name + "-again", question=question,
                       model=recording(name), api=api.url)
    gives(f"{name}: the same by calls in its text", replayed, 0, live.out,
          [line for line in live.err.splitlines() if "made" in line])
    for one in made:
        if not one.endswith(".xlsx"):  # which holds the time
            with open(f"{name}/{one}", "rb") as first:
                with open(f"{name}-again/{one}", "rb") as second:
                    check(f"{name}: {one} to the byte",
                          first.read() == second.read())


def test_counties():
    example("census", 0, ["Counties-of-California-2023.html",
                          "The-ten-most-populous-counties-of-California.png",
                          "california_counties_2023.csv",
                          "california_counties_2023.xlsx"])
    if not DRAWS:
        return
    width, height = png_size(
        "census/The-ten-most-populous-counties-of-California.png")
    # Its height is that of ten lines in the machine's font.
    check("S3.8 a bar chart compares", width == 1920 and 900 < height < 1100,
          (width, height))
    rows = asked_for(0)[1]["census_data"]["data"]
    same("S3.4 the first row is the header, the others are values",
         rows_of("census/california_counties_2023.csv"), rows)
    page = read("census/Counties-of-California-2023.html")
    check("S3.9 a table as a page, with labels and footnotes",
          page.count("<tr>") == len(rows) and "9,848,000" in page
          and "Total Population" in page and "not for citation" in page, page)


def test_years():
    example("census-years", 1, ["Median-household-income-2015-2023.csv",
                                "Median-household-income-2015-2023.png"])
    question = asked_for(1)[0]
    if not DRAWS:
        return
    with Mock(*script("census")["replies"]), Api() as api:
        ask("--folder", "svg", "--format", "svg", question=question,
            api=api.url)
    picture = read("svg/Median-household-income-2015-2023.svg")
    check("S3.21 the chart takes the custom columns Year and measure",
          "<title>Median household income 2015-2023</title>" in picture
          and "Median Household Income (USD)" in picture and "Year" in picture,
          picture[:600])
    check("S3.20 as a line, with a point a year", files("svg") ==
          ["Median-household-income-2015-2023.csv",
           "Median-household-income-2015-2023.svg"])


def test_texas():
    example("census-texas", 2, ["Population-of-the-counties-of-Texas.png",
                                "texas_counties.html", "texas_counties.xlsx"])
    if not DRAWS:
        return
    rows = asked_for(2)[1]["census_data"]["data"]
    same("S3.25 254 counties", len(rows), 255)
    size = png_size("census-texas/Population-of-the-counties-of-Texas.png")
    check("as bars that all have room for their names",
          size and size[1] > 254 * 30, size)
    check("and as a page", read("census-texas/texas_counties.html")
          .count("<tr>") == 255)
    opened = office_rows("census-texas/texas_counties.xlsx")
    if opened:
        same("a spreadsheet program reads the same", opened[1:], rows[1:])


def test_browser():
    nasty = [["NAME", "people"], ["<b>A</b> & <script>alert(1)</script>", "5"],
             ["=1+1", "6"]]
    result = answers(value(nasty, tables=[
        {"format": "html", "title": "<i>T</i>", "filename": "page"}]), "html")
    keeps("a page of hostile cells", result, 0, "html", ["page.html"])
    page = read("html/page.html")
    check("is escaped", "<script" not in page and "<b>" not in page
          and "<i>" not in page and "&lt;script&gt;" in page, page)
    shown = browser_page("html/page.html")
    if shown:
        check("a browser shows the page", shown.count("<tr>") == 3
              and "&lt;b&gt;A&lt;/b&gt;" in shown and "<script" not in shown,
              shown)


def test_invented():
    """What no call has given is never an answer."""
    late = [["Year", "NAME", "B01003_001E"], ["2022", "California", "39538223"]]
    named = {"B01003_001E": "people"}
    for name, rows, where, more in (
            ("a changed figure", [ROWS[0], ["California", "39538224", "06"]],
             "/census_data/data/1/1", {}),
            ("a figure of another row", [ROWS[0], ["Texas", "39538223", "48"]],
             "/census_data/data/1/1", {}),
            ("a row more", ROWS + [["Utah", "3", "49"]],
             "/census_data/data/3", {}),
            ("a name of no row", [ROWS[0], ["Kalifornien", "39538223", "06"]],
             "/census_data/data/1", {}),
            ("a column more", [["NAME", "growth"], ["California", "5"]],
             "/census_data/data/0/1", {}),
            ("a label of another code", [["NAME", "people"],
                                         ["California", "06"]],
             "/census_data/data/1/1", {"variables": named}),
            ("a label of no code", [["NAME", "people"], ["California", "06"]],
             "/census_data/data/0/1", {"variables": {"B7": "people"}}),
            ("another year", late, "/census_data/data/1", {}),
            ("a row that is too long", [ROWS[0], ROWS[1] + ["7"]],
             "/census_data/data/1", {}),
            ("a row that is too short", [ROWS[0], ROWS[1][:2]],
             "/census_data/data/1", {}),
            ("a value of another kind", [ROWS[0], ["California", True, "06"]],
             "/census_data/data/1/1", {})):
        reply = value(census_data={"success": True, "data": rows} | more)
        result = answers(reply, "invented", given=ROWS)
        gives(f"{name} is refused", result, 0, f"{FAILED}\n",
              [f"validator at {where})", "fallback"])
    for name, reply, where in (
            ("a figure in the text", value(
                answer_text="It has 39,538,224 people."), "/answer_text"),
            ("a sum in the text", value(answer_text="Both: 68,683,728.0."),
             "/answer_text")):
        gives(f"{name} is refused", answers(reply, "invented"), 0,
              f"{FAILED}\n", [f"validator at {where})"])
    gives("a figure of the rows in the text is none", answers(
        value(answer_text="It has 39,538,223."), "invented"), 0)
    with Mock(as_text(final(value()))):
        gives("rows without a call", ask("--folder", "invented"), 0,
              f"{FAILED}\n", ["validator at /census_data/success)"])
    with Mock(as_text(final(value(census_data={"success": False,
                                               "data": ROWS})))):
        gives("rows without a call, of no success", ask(
            "--folder", "invented"), 0, f"{FAILED}\n",
              ["validator at /census_data/data/0/0, "])
    result = answers(value([ROWS[0], ["California", "1", "06"]],
                           [{"type": "pie", "title": "P"}]), "invented",
                     given=ROWS)
    gives("a wrong chart type hides no figure", result, 0, f"{FAILED}\n",
          ["pie"])
    same("nothing is drawn of it", files("invented"), [])
    with Mock(has_rows(ROWS), {"calls": [call()]},
              {"text": final(value([ROWS[0], ["Texas", "3", "48"]]))},
              {"when": {"contains": "get_data gave here \"29145505\""},
               "text": final(value([ROWS[0], ROWS[2]]))}) as mock:
        gives("the model reads what it should be, and says so",
              ask("--folder", "told", api=mock.url), 0, SHOWN)


def test_chosen():
    """What may be done with rows."""
    income = [["NAME", "B19013_001E", "state"], ["Texas", "73035", "48"],
              ["California", None, "06"]]
    older = [["NAME", "B01003_001E", "state"], ["Texas", "28000000", "48"]]
    calls = [call(), call(year=2022), call(year=2021)]
    for name, rows, labels in (
            ("sorted, and columns chosen",
             [["B01003_001E", "NAME"], ["29145505", "Texas"],
              ["39538223", "California"]], None),
            ("numbers, and thousands commas",
             [["NAME", "B01003_001E"], ["Texas", 29145505],
              ["California", "39,538,223"]], None),
            ("a column named in words", [["NAME", "people"],
                                         ["Texas", "29145505"]],
             {"B01003_001E": "people"}),
            ("two results joined", [
                ["NAME", "B01003_001E", "B19013_001E"],
                ["Texas", "29145505", "73035"],
                ["California", "39538223", None]], None),
            ("years below each other", [
                ["Year", "people"], ["2021", "28,000,000"],
                [2023, "29,145,505"]], {"B01003_001E": "people"}),
            ("no rows", [], None)):
        reply = value(rows)
        reply["census_data"]["variables"] = labels
        with Mock(has_rows(ROWS), has_rows(income, 2022), has_rows(older, 2021),
                  {"calls": calls}, {"text": final(reply)}) as mock:
            gives(name, ask("--folder", "chosen", api=mock.url), 0, SHOWN)


def reads(name, told, *arguments, ask_for=None, key=None, shown=None):
    """The model reads this as the result of a call, and answers that there are
    no rows."""
    none = value(census_data={"success": False, "data": []})
    one = ask_for or call(variables=["NAME", "B01003_001E"])
    with Mock({"calls": [one]}, {"when": {"last": "tool", "contains": told},
                                 "text": final(none)}), \
            Api(*arguments) as api:
        result = ask("--folder", "api", api=api.url, key=key)
    gives(name, result, 0, SHOWN, shown if shown is not None else [told])
    check(f"{name}: the key is not shown", not key or key not in result.err)


def test_api():
    reads("an unknown variable", "unknown variable 'B99999_001E'",
          ask_for=call(variables=["B99999_001E"]))
    reads("an unknown level", "unknown/unsupported geography",
          ask_for=call(**{"for": "tract:*"}))
    reads("no rows", "nothing where it has no rows",
          ask_for=call(**{"for": "state:99"}))
    reads("a year without data", "HTTP status 404", ask_for=call(year=2014))
    reads("a missing key", "redirect to /data/missing_key.html", "--key",
          "k-4f1c9a7be2")
    reads("a wrong key", "a page where it refuses the key", "--key",
          "k-4f1c9a7be2", key="k-of-another")
    reads("the key", "39000000", "--key", "k-4f1c9a7be2", key="k-4f1c9a7be2",
          shown=[])
    reads("a busy API is asked again", "39000000", "--fail", "503", "--times",
          "2", shown=[])
    reads("a rate limit that stays", "HTTP status 429", "--fail", "429",
          "--times", "99")
    for tool, arguments, told in (
            ("find_area", {"level": "county", "in": "state:06",
                           "words": "los ANGELES"}, '"06","037"'),
            ("find_area", {"level": "county", "words": "county"},
             "312 have all words; give more words"),
            ("find_area", {"level": "state", "words": "Atlantis"},
             "0 have all words"),
            ("find_level", {"words": "county"}, '"requires":["state"]'),
            ("find_table", {"words": "income median"}, '"B19013"'),
            ("find_variable", {"table": "B19013", "words": ""},
             "B19013_001E: "),
            ("find_variable", {"table": "B7", "words": ""}, "HTTP status 404"),
            ("find_table", {"words": 5}, "/words")):
        if tool == "find_area":
            one = {"tool": tool, "json": {"year": 2023} | arguments}
        else:
            one = call(tool, **arguments)
        reads(f"{tool} {arguments}", told, ask_for=one, shown=[])
    with Mock({"calls": [call()]}, {"when": {
            "last": "tool", "contains": "refused the connection"},
            "text": final(value(census_data={"success": False, "data": []}))}):
        gives("no API", ask("--folder", "api"), 0, SHOWN,
              ["refused the connection"])
    lines = [["NAME", "B19013_001E", "state", "county"],
             ["Loving County, Texas", "-666666666", "48", "301"],
             ["Harris County, Texas", "45100", "48", "201"],
             ["King County, Texas", None, "48", "269"]]
    texas = call(variables=lines[0][:2],
                 **{"for": "county:*", "in": "state:48"})
    with Mock({"calls": [texas]}, as_text(final(value(
            lines, [BAR] * DRAWS, [TABLE])))), Api() as api:
        result = ask("--folder", "annotations", api=api.url)
    keeps("values that stand for none", result, 0,
          "annotations", ["Population.png"] * DRAWS + ["States.csv"])
    same("and are empty in the table", [row[1] for row in rows_of(
        "annotations/States.csv")[1:]], ["", lines[2][1], ""])


def test_reading():
    """Where the JSON stands, and what is in it."""
    plain = value()
    quoted = value([["NAME", "x"], ['The "Big" \\ O\'Brien\n', "1"]])
    for name, text in (
            ("S3.24 JSON alone", json.dumps(plain)),
            ("S3.22 behind Final Answer:", final(plain)),
            ("in a fence", f"```json\n{json.dumps(plain)}\n```\n"),
            ("in a fence without a tag, in prose",
             f"Here it is:\n\n```\n{json.dumps(plain)}\n```\nAnything more?"),
            ("on several lines", final(json.dumps(plain, indent=1))),
            ("S3.24 several thoughts before it", "Thought: x\nAction: y\n"
             "Observation: {\"a\": 1}\n" + final(plain)),
            ("S3.9 the filename null", final(value(tables=[
                dict(TABLE, filename=None)])))):
        gives(name, answers(text, "reading"), 0, SHOWN)
        shutil.rmtree("reading", ignore_errors=True)
    gives("S3.14 escaped quotes", answers(quoted, "reading"), 0, SHOWN)
    absent = value()
    del absent["charts_needed"], absent["tables_needed"]
    keeps("S3.8 no charts and tables are none", answers(absent, "none"), 0,
          "none", [])


def seed_example(name, rows, answer, charts, tables, notes, variables=None):
    """An example of the format's specification, over HTTP."""
    data = {"success": True, "data": rows}
    if variables:
        data["variables"] = variables
    result = answers(value() | {
        "census_data": data, "answer_text": answer, "charts_needed": charts,
        "tables_needed": tables, "footnotes": notes}, "seed-" + name)
    gives(f"S3.27 the {name} example is an answer", result, 0 if DRAWS else 1,
          answer + "\n" + "".join(f"- {note}\n" for note in notes))
    if DRAWS:
        same(f"S3.27 with {len(charts)} chart and {len(tables)} tables",
             len(files("seed-" + name)), len(charts) + len(tables))


def test_seed_examples():
    source = ("Source: U.S. Census Bureau, 2023 American Community Survey "
              "5-Year Estimates.")
    notes = [source, "Margins of error not shown. For statistical "
             "significance, refer to Census Bureau documentation."]
    seed_example("single-state", ROWS[:2], "California has a population of "
                 "39,538,223 people (2023 ACS 5-Year estimates).",
                 [{"type": "bar", "title": "California Population"}], [],
                 notes + ["Census table(s) used: B01003."],
                 {"B01003_001E": "Total Population"})
    seed_example("multi-county", [
        ["NAME", "B01003_001E", "state", "county"],
        ["Los Angeles County, California", "9848406", "06", "037"],
        ["Cook County, Illinois", "5265605", "17", "031"],
        ["Harris County, Texas", "4731145", "48", "201"]],
        "The three most populous counties are Los Angeles County (9.8M), Cook "
        "County (5.3M), and Harris County (4.7M) according to 2023 ACS "
        "estimates.", [{"type": "bar", "title":
                        "Top 3 Counties by Population"}],
        [{"format": "csv", "title": "County Population Data"}],
        notes + ["Census table(s) used: B01003 (Total Population).",
                 "This tool is for informational purposes only. Verify "
                 "critical data at census.gov."])
    result = answers(value() | {"census_data": {
        "success": True, "data": ROWS, "variables": None}}, "labels")
    gives("S3.3 labels may be null", result, 0, SHOWN)


def test_large():
    head = ["NAME"] + [f"CP03_{i:03d}E" for i in range(1, 101)]
    table = [head]
    for i in range(67):
        table.append([f"County {i}, Florida"]
                     + [str(i * j) for j in range(100)])
    result = answers(value(table, tables=[TABLE]), "large")
    keeps("S3.15 67 counties by 101 columns", result, 0, "large",
          ["States.csv"])
    same("all of it is in the table", rows_of("large/States.csv"), table)
    rows = [["NAME", "x"]] + [[f"Place {i}", str(i)] for i in range(1500)]
    result = answers(value(rows, [BAR], [TABLE]), "larger")
    keeps("S3.13 1,500 rows: a table, and a word on the chart", result,
          0 if DRAWS else 1, "larger",
          ["Population.png", "States.csv"] if DRAWS else ["States.csv"],
          "of 1500 bars a chart shows 500" if DRAWS else "without cairo")


def test_fallback():
    """What comes of a reply that is no answer."""
    stands = f"{FAILED}\n"
    for name, reply in (("S3.12 prose", "I do not know."),
                        ("an answer that is cut off", final('{"census_data": '
                                                            '{"succ')),
                        ("an ellipsis in the rows", final(
                            '{"census_data": {"success": true, "data": '
                            '[["a"], ...]}}'))):
        result = answers(reply, "fallback")
        gives(f"{name}: the fallback, with the steps", result, 0, stands,
              ["fallback", "census: reasoning: Steps: 1"])
    for path in ("census_data/success", "census_data/data", "data_summary",
                 "reasoning_trace", "answer_text", "footnotes"):
        broken = value()
        inner = broken
        *ways, last = path.split("/")
        for way in ways:
            inner = inner[way]
        del inner[last]
        result = answers(broken, "fallback")
        gives(f"S3.26 without {path}: the fallback, and why", result, 0,
              stands, [f'"{last}"', "Steps: 1"])
    gives("S3.10 one footnote is too few", answers(
        value(footnotes=NOTES[:1]), "fallback"), 0, stands, ["footnotes"])
    same("nothing is drawn of a fallback", files("fallback"), [])
    with Mock(*script("census")["replies"]), Api() as api:
        gives("an agent that gave up", ask(
            "--folder", "fallback", question=asked_for(3)[0], api=api.url), 0,
              stands, ["Steps: 1"])
    gives("an empty reply has no fallback", answers("", "fallback"), 1, "",
          ["empty"])


def test_one_bad_output():
    if not DRAWS:
        skip("charts", "this build is without cairo")
        return
    result = answers(value(charts=[{"type": "pie", "title": "P"}, BAR],
                           tables=[TABLE, {"format": "pdf", "title": "X"}]),
                     "bad")
    keeps("an unknown chart type and table format lose nothing else", result,
          1, "bad", ["Population.png", "States.csv"],
          'there are no charts of the type "pie"', 'format "pdf"',
          "the answer stands")
    check("and no fallback is said to stand in", "fallback" not in result.err,
          result)
    for name, rows, says in (
            ("no rows", [["a", "b"]], "a header and no rows"),
            ("nothing", [], "no rows and no header"),
            ("one column", [["a"], ["x"]], "two columns"),
            ("no numbers", [["a", "b"], ["x", "y"]], "no column of numbers"),
            ("no data at all", [["a", "b"], ["x", "-666666666"]],
             "b is empty")):
        result = answers(value(rows, [BAR]), "bad-" + name,
                         given=rows or ROWS)
        keeps(name, result, 1, "bad-" + name, [], says)
    result = answers(value([["a", "b"], ["x", 1], ["y", "much"], ["z", 3],
                            ["u", 4], ["v", 5]], [BAR]), "mixed")
    keeps("a text among numbers is reported", result, 0, "mixed",
          ["Population.png"], "much")
    result = answers(value([["a", "b"], ["long " * 60, 1], ["y", 2]], [BAR]),
                     "long")
    keeps("a name too long for its place is reported", result, 0, "long",
          ["Population.png"], "1 name is shortened in the picture")
    check("on a line of its own", re.search(
        r"^  1 name is shortened in the picture$", result.err, re.M), result)
    keeps("a single bar", answers(value(ROWS[:2], [BAR]), "single"), 0,
          "single", ["Population.png"])


def test_names():
    long = "Population of " + "many " * 2000
    result = answers(value(tables=[TABLE]), "names/deep")
    gives("a folder in none", result, 1, SHOWN, ["names/deep"])
    os.mkdir("names")
    result = answers(value(charts=[{"type": "bar", "title": long}] * DRAWS,
                           tables=[dict(TABLE, filename="../../etc/passwd"),
                                   dict(TABLE, filename="a/b\\c:d\0e"),
                                   dict(TABLE, filename="CON"),
                                   TABLE, TABLE]), "names/deep")
    gives("hostile names", result, 0, SHOWN,
          ['the file name "../../etc/passwd" is made safe'])
    same("nothing is written elsewhere", files("names"), ["deep"])
    made = files("names/deep")
    check("each has a safe name of its own", len(made) == 5 + DRAWS
          and all(len(one) <= 100 and "/" not in one and not one.startswith(".")
                  for one in made), made)
    if DRAWS:
        check("a title of 10,000 characters is cut in the picture, and told",
              "is cut" in result.err, result)


def test_folders():
    first = answers(value(tables=[TABLE]), "kept")
    keeps("a first answer", first, 0, "kept", ["States.csv"])
    with open("kept/States.csv", "w", encoding="utf-8") as file:
        file.write("mine\n")
    result = answers(value(tables=[TABLE, dict(TABLE, format="html")]), "kept")
    keeps("a file that is there", result, 1, "kept",
          ["States.csv", "States.html"], "kept/States.csv is there already")
    same("is kept", read("kept/States.csv"), "mine\n")
    write("in-the-way", "x")
    result = answers(value(tables=[TABLE]), "in-the-way")
    keeps("a file in place of the folder", result, 1, "in-the-way", [],
          "cannot be written")
    os.mkdir("locked", 0o555)
    result = answers(value(tables=[TABLE]), "locked")
    if os.geteuid() == 0:
        skip("a read-only folder", "root writes everywhere")
    else:
        keeps("a read-only folder", result, 1, "locked", [],
              "Permission denied")


def test_calls():
    none = value([], census_data={"success": False, "data": []})
    with Mock({"status": 503}, {"status": 429, "headers": {"retry-after": "0"}},
              {"text": final(none)}):
        gives("broken calls are repeated", ask("--folder", "calls"), 0, SHOWN)
    with Mock({"status": 500, "repeat": True}):
        gives("a provider that is down", ask("--folder", "calls"), 3, "",
              ["HTTP 500"])
    with Mock({"refusal": "I will not."}):
        gives("a refusal", ask("--folder", "calls"), 1, "", ["I will not."])
    result = answers(value(answer_text="\x1b[2Jboo"), "calls")
    gives("an answer that a terminal would act on", result, 0, None, ())
    check("is made harmless", "boo" in result.out and "\x1b" not in result.out)
    write("surety.json", {})
    for name, arguments, parts in (
            ("no question", (), ("usage", "QUESTION")),
            ("an option without a value", ("-m", "a"), ("usage",)),
            ("no tools", ("-m", "a", "q"), ("usage", "--tools")),
            ("an unknown format", ("--tools", TOOLS, "--format", "gif", "q"),
             ("png|svg",)),
            ("an unknown option", ("--fromat", "svg", "q"), ("usage",)),
            ("no model", ("--tools", TOOLS, "q"), ("model",)),
            ("an unknown model", ("--tools", TOOLS, "-m", "nobody", "q"),
             ('"nobody"',))):
        gives(name, system("census", *arguments), 2, "", parts)
    gives("a recording that is not there",
          ask("--folder", "calls", model="replay:nowhere.jsonl"), 4, "",
          ["nowhere.jsonl"])
    gives("tools that are not there",
          system("census", "--tools", "none.json", "q"), 4, "", ["none.json"])


def test_program():
    none = value([], census_data={"success": False, "data": []})
    write("careful.jsonl", json.dumps({"reply": none}))
    is_careful("census", "-m", "replay:careful.jsonl", "--tools", TOOLS,
               "--folder", "careful", "How many?")
    for part in ("census.c", "census-results.c", "census-rows.c",
                 "census-show.c", "census-tools.c", "census.h"):
        is_small("census", part)


run_tests(test_counties, test_years, test_texas, test_browser, test_invented,
          test_chosen, test_api, test_reading,
          test_seed_examples, test_large, test_fallback, test_one_bad_output,
          test_names, test_folders, test_calls, test_program)

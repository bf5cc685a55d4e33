#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Charts and tables with the command-line tool: render_test.py [SURETY]. The
workbook is opened in LibreOffice and the page in a browser where there is
one."""

import json
import os
import re
import resource
import struct
import subprocess
import zipfile

from cli_run import (ENV, FOLDER, SURETY, Result, check, complains, gives,
                     run_tests, same, skip, surety, write)
from others_run import browser_page, office_rows

SOURCE = "Source: U.S. Census Bureau, 2023 ACS 5-Year Estimates."
ANSWER = {
    "census_data": {
        "success": True,
        "data": [["NAME", "B01003_001E", "state", "county"],
                 ["Los Angeles County, California", "9848406", "06", "037"],
                 ["Cook County, Illinois", "5265605", "17", "031"],
                 ["=Harris & <b>County</b>, Texas", "-666666666", "48", "201"]],
        "variables": {"B01003_001E": "Estimate!!Total Population"}},
    "data_summary": "Retrieved B01003", "reasoning_trace": "Queried ACS5",
    "answer_text": "The three most populous counties are ...",
    "charts_needed": [{"type": "bar", "title": "Top 3 Counties"},
                      {"type": "line", "title": "Top 3 Counties"}],
    "tables_needed": [{"format": "csv", "title": "Counties"},
                      {"format": "excel", "title": "Counties"},
                      {"format": "html", "title": "Counties <i>",
                       "filename": "counties"}],
    "footnotes": [SOURCE, "Margins of error not shown."]}
os.chdir(FOLDER)
ROWS = [["NAME", "pop"], ["a", "1,000"], ["b", 2000]]
BUILD_DRAWS = True


def png_size(path):
    with open(path, "rb") as file:
        head = file.read(24)
    return head[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", head[16:])


def overlaps(path):
    """Letters of an SVG that stand upon those of another line of text."""
    at = [tuple(map(float, place)) for place in
          re.findall(r'<use [^>]*x="([^"]+)" y="([^"]+)"', read(path))]
    return [(a, b) for a in at for b in at
            if 0 < b[1] - a[1] < 8 and abs(b[0] - a[0]) < 4]


def fails(name, result, code, *parts):
    """A failure beside a value that is printed all the same."""
    gives(name, result, code, None, ("error",) + parts)


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def test_answer():
    global BUILD_DRAWS
    write("reply.txt", "Thought: I now know\nFinal Answer: "
          + json.dumps(ANSWER))
    call = surety("render", "-c", "census/agent-output", "reply.txt", "--out",
                  "made")
    BUILD_DRAWS = "without cairo" not in call.err
    if not BUILD_DRAWS:
        skip("charts and workbooks", "this build is without cairo")
        return
    gives("an answer with everything", call, 0)
    same("the value is printed", json.loads(call.out), ANSWER)
    same("the files", sorted(os.listdir("made")),
         ["Counties.csv", "Counties.xlsx", "Top-3-Counties-2.png",
          "Top-3-Counties.png", "counties.html"])
    same("each is reported", sorted(line for line in call.err.splitlines()
                                if line.startswith("wrote")),
         sorted("wrote made/" + name for name in os.listdir("made")))
    check("a missing value is reported",
          "1 of 3 values are missing" in call.err)
    same("a picture", png_size("made/Top-3-Counties.png"), (1920, 1120))
    same("the csv", read("made/Counties.csv"),
         "NAME,B01003_001E,state,county\r\n"
         '"Los Angeles County, California",9848406,06,037\r\n'
         '"Cook County, Illinois",5265605,17,031\r\n'
         '"\'=Harris & <b>County</b>, Texas",,48,201\r\n')
    page = read("made/counties.html")
    check("the page is text", "<b>" not in page and "<i>" not in page
          and "&lt;b&gt;" in page and SOURCE in page and "9,848,406" in page)
    check("the page has labels", "Total Population<small>B01003_001E" in page)
    again = surety("render", "-c", "census/agent-output", "reply.txt", "--out",
                   "made")
    fails("files that are there", again, 4, "is there already", "--force")
    same("and the answer is not lost", json.loads(again.out), ANSWER)
    gives("unless forced", surety("render", "-c", "census/agent-output",
                                  "reply.txt", "--out", "made", "--force"), 0)


def test_workbook():
    if not BUILD_DRAWS:
        return
    with zipfile.ZipFile("made/Counties.xlsx") as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    check("numbers are numbers", "<v>9848406</v>" in sheet)
    check("the header is frozen", 'state="frozen"' in sheet)
    check("no formula", "<f>" not in sheet)
    opened = office_rows("made/Counties.xlsx")
    if opened:
        same("a spreadsheet program reads the same", opened[1:],
             [["Los Angeles County, California", "9848406", "06", "037"],
              ["Cook County, Illinois", "5265605", "17", "031"],
              ["=Harris & <b>County</b>, Texas", "", "48", "201"]])


def test_browser():
    if not BUILD_DRAWS:
        return
    shown = browser_page("made/counties.html")
    if shown:
        check("a browser shows the page", shown.count("<tr>") == 4
              and "&lt;b&gt;County&lt;/b&gt;" in shown
              and "<script" not in shown, shown)


def test_one_bad_output():
    value = dict(ANSWER, charts_needed=[{"type": "pie", "title": "P"}, 5],
                 tables_needed=[{"format": "pdf"},
                                {"format": "csv", "filename": "../../up"},
                                {"format": "csv", "filename": "a/b\0c"},
                                {"format": "csv", "filename": ""},
                                {"format": "html", "title": "x" * 10000}])
    write("value.json", json.dumps(value))
    call = surety("render", "value.json", "--out", "bad")
    same("others are made", sorted(os.listdir("bad")),
         ["a-b-c.csv", "table-4.csv", "up.csv", "x" * 82 + ".html"])
    fails("and what is wrong is reported", call, 1, 'type "pie"',
          "/charts_needed/0", "type number, not object", 'format "pdf"',
          'the file name "../../up" is made safe: up.csv')
    same("the answer is there", json.loads(call.out), value)
    call = surety("render", "value.json", "--out", "bad", "--force", "--report",
                  "json")
    report = json.loads(call.err)
    same("the report", (report["ok"], [item["error"] is None
                                       for item in report["outputs"]]),
         (False, [False, False, False, True, True, True, True]))
    check("it names files", report["outputs"][3]["file"] == "bad/up.csv")
    complains("a contract refuses more",
              surety("render", "-c", "census/agent-output", "value.json",
                     "--no-fallback", "--out", "none"), 1, "enum",
              "without -c")
    check("and nothing is made", not os.path.exists("none"))


def test_bad_data():
    for name, rows, says in (
            ("no rows", [["a", "b"]], "a header and no rows"),
            ("nothing", [], "no rows and no header"),
            ("ragged", [["a", "b"], ["x", 1], ["y"]],
             "row 2 of the data has 1 value, the header 2"),
            ("one column", [["a"], ["x"]], "two columns"),
            ("no numbers", [["a", "b"], ["x", "y"]], "no column of numbers"),
            ("NaN", [["a", "b"], ["x", "NaN"]], "b is empty"),
            ("bars", [["year", "b"]] + [[1000 + i, i] for i in range(501)],
             "501 bars along a time, and a chart shows at most 500"),
            ("rows", [["a", "b"]] + [[i, i] for i in range(100001)],
             "at most 100000"),
            ("no rows at all", "text", "of type string")):
        write("rows.json", json.dumps(rows))
        complains(name, surety("render", "--data", "rows.json", "--chart",
                               "bar", "--out", "bad"), 1, says)
    write("rows.json", '[["a","b"],["x",1e400]]')
    complains("beyond numbers", surety("render", "--data", "rows.json",
                                       "--chart", "bar"), 1, "1e400")
    write("rows.json", "[[1,")
    complains("no JSON", surety("render", "--data", "rows.json", "--chart",
                                "bar"), 1, "rows.json:1:")


def test_plain_rows():
    write("rows.json", json.dumps({"r": ROWS}))
    base = ("render", "--data", "rows.json", "--at", "/r")
    call = surety(*base, "--table", "csv", "--out", "-", "--headers", "both",
                  "--label", "pop=People")
    gives("a table to standard output", call, 0,
          "NAME,People (pop)\r\na,1000\r\nb,2000\r\n")
    if BUILD_DRAWS:
        gives("a chart", surety(*base, "--chart", "bar", "--x", "NAME", "--y",
                                "pop", "--format", "svg", "--title", "T & U",
                                "--name", "tu", "--out", "plain"), 0)
        check("as SVG with a title",
              "<title>T &amp; U</title>" in read("plain/tu.svg"))
        write("low.json", '[["n","v"],["first",2.5],["second",-4]]')
        gives("bars below zero", surety("render", "--data", "low.json",
                                        "--chart", "bar", "--format", "svg",
                                        "--name", "low", "--out", "plain"), 0)
        same("no value stands upon a name", overlaps("plain/low.svg"), [])
        gives("of a size", surety(*base, "--chart", "line", "--width", "400",
                                  "--height", "300", "--scale", "1", "--name",
                                  "small", "--out", "plain"), 0)
        same("that size", png_size("plain/small.png"), (400, 300))
        call = surety(*base, "--chart", "bar", "--width", "9000", "--height",
                      "300", "--scale", "4", "--name", "large", "--out",
                      "plain")
        gives("a scale that makes it too large is reported", call, 0, None,
              ["= the picture is drawn at a scale of 3.5, not 4"])
        same("and lowered", png_size("plain/large.png"), (31500, 1050))
        check("one that does not, or is not asked for, is not",
              "scale" not in surety(*base, "--chart", "bar", "--scale", "4",
                                    "--name", "four", "--out", "plain").err
              and "scale" not in surety(*base, "--chart", "bar", "--format",
                                        "svg", "--width", "9000", "--height",
                                        "300", "--scale", "4", "--out",
                                        "plain").err)
        complains("too small", surety(*base, "--chart", "bar", "--width", "170",
                                      "--height", "170"), 1, "no room")
    complains("no such column", surety(*base, "--chart", "bar", "--x", "z"), 1,
              'no column "z"', "NAME, pop")
    complains("nowhere", surety("render", "--data", "rows.json", "--at", "/q",
                                "--table", "csv"), 2, "leads nowhere")


def line_span(path):
    """How far the first coloured line of an SVG goes, and of how many points
    it is."""
    found = re.findall(r'<path style="fill:none;[^"]*stroke:rgb\(0%,44[^"]*" '
                       r'd="([^"]*)"', read(path))
    points = [float(x) for x in re.findall(r"[ML] ([-0-9.]+) ", found[0])]
    return max(points) - min(points), len(points)


# Rows, options, the remarks, and how the SVG calls what it shows.
SHOWN = (
    ("quarter-hours", [["time", "v"]] + [
        [f"2026-03-28T{i // 4:02}:{i % 4 * 15:02}Z", i * i % 97]
        for i in range(96)],
     ("line",), (), "Line chart of v by time (UTC), 96 values from 0 to 96"),
    ("an offset", [["time", "v"], ["2026-03-28T00:00-05:00", 1],
                   ["2026-03-28T00:15-05:00", 2]],
     ("line",), (), "by time (UTC\u221205:00)"),
    ("summer ends", [["time", "v"], ["2026-10-25T02:30+02:00", 1],
                     ["2026-10-25T02:30+01:00", 2]],
     ("line",), ("times of different offsets are shown in UTC",),
     "by time (UTC)"),
    ("years as columns", [["NAME", "2015", "2016", "2017"],
                          ["California", 3, 4, 5], ["Texas", 2, 3, 4]],
     ("line",), (), "Line chart of 2 series by year, 6 values"),
    ("a measure left out", [["day", "calls", "errors"],
                            ["2026-03-01", 9, 1], ["2026-03-02", 8, 2]],
     ("line", "--title", "Calls"), ('not drawn: "errors"',), "of calls by day"),
    ("two scales", [["day", "calls", "errors"], ["2026-03-01", 9000, 1],
                    ["2026-03-02", 8000, 2]],
     ("line", "--y", "calls", "--y", "errors"), ("2 scales",),
     "from 8,000 to 9,000; from 1 to 2"),
    ("shares", [["m", "good", "bad"], ["a", "90%", "10%"], ["b", "80%", "20%"]],
     ("bar", "--y", "good", "--y", "bad"), (), "Stacked bar chart"),
    ("a unit once", [["year", "ms"], [2015, 1], [2016, 2]],
     ("line", "--label", "ms=Latency (ms)"), (), "of Latency (ms) by year"),
    ("501 bars", [["a", "b"]] + [[f"x{i}", i + 1] for i in range(501)],
     ("bar",), ("of 501 bars a chart shows 500: the largest, and 2 others, "
                "their sum",), "500 values from 3 to 501"),
)


def test_nothing_is_hidden():
    if not BUILD_DRAWS:
        skip("what pictures show", "a build without cairo")
        return
    for name, rows, options, remarks, shown in SHOWN:
        write("shown.json", json.dumps(rows))
        call = surety("render", "--data", "shown.json", "--format", "svg",
                      "--name", "shown", "--out", "plain", "--force",
                      "--chart", *options)
        gives(name, call, 0, "", ("wrote",) + remarks)
        same(f"{name}: no other remark", call.err.count("      = "),
             len(remarks))
        about = re.search("<desc>(.*)</desc>", read("plain/shown.svg"))[1]
        check(f"{name}: what it shows", shown in about, about)
        if name == "quarter-hours":
            width, points = line_span("plain/shown.svg")
            check("each has its place", width > 700 and points == 96,
                  (width, points))
    call = surety("render", "--data", "shown.json", "--chart", "pie")
    complains("a pie has a hint", call, 2, "stacked")


def test_long_names():
    """Names that begin alike still differ where they are shortened."""
    if not BUILD_DRAWS:
        return
    long = "Population of the county in the year of the census, " * 3
    pictures = {}
    for kind in (("--chart", "bar"), ("--chart", "line", "--series", "n")):
        for last in ("one", "six"):
            write("rows.json", json.dumps(
                [["n", "year", "v"], [long + last, 2020, 1],
                 [long + "two", 2021, 2], [long + "other", 2021, 3]]))
            call = surety("render", "--data", "rows.json", *kind, "--y", "v",
                          "--format", "svg", "--name", "long", "--out",
                          "plain", "--force")
            gives(f"{kind[1]}: long names are shortened", call, 0, None,
                  ["shortened in the picture"])
            pictures[last] = read("plain/long.svg")
        check(f"{kind[1]}: and not all to the same",
              pictures["one"] != pictures["six"])


def confined(limit, most, *arguments):
    """Runs the tool with a limit of the system's."""
    def confine():
        resource.setrlimit(limit, (most, most))
    run = subprocess.run([SURETY, *arguments], capture_output=True, cwd=FOLDER,
                         env=ENV, timeout=120, check=False, preexec_fn=confine,
                         restore_signals=False) # SIGXFSZ stays ignored
    return Result(run.returncode, run.stdout.decode(), run.stderr.decode())


def test_workbook_without_room():
    """libxlsxwriter writes no word of its own, and no half of a workbook."""
    if not BUILD_DRAWS:
        return
    few = [["n", "v"]] + [[f"a name, the {i}th", i] for i in range(3000)]
    many = [["n", "v"]] + [[f"the {i}th", i] for i in range(100000)]
    for name, rows, limit, most, says in (
            ("no room for the parts", few, resource.RLIMIT_FSIZE, 60000,
             "File too large"),
            ("no room for a sheet", few, resource.RLIMIT_FSIZE, 300000,
             "File too large"),
            ("no room for rows as they come", many, resource.RLIMIT_FSIZE,
             2000000, "File too large"),
            ("no room for a sheet of such", many, resource.RLIMIT_FSIZE,
             14000000, "File too large"),
            ("no further files", few, resource.RLIMIT_NOFILE, 5,
             "Too many open files")):
        write("rows.json", json.dumps(rows))
        call = confined(limit, most, "render", "--data", "rows.json",
                        "--table", "xlsx", "--name", "room", "--out", "room")
        fails(name, call, 4, says)
        check(f"{name}: only the tool speaks",
              re.fullmatch(r"room\.xlsx: error: no temporary file can be made "
                           r"in \S+: [^\n]*\n(      = hint: the workbook needs "
                           r"up to \d+ MB there\n)?", call.err), call)
        same(f"{name}: nothing is left", os.listdir("room"), [])
    gives("with room", confined(resource.RLIMIT_FSIZE, 100000000, "render",
                                "--data", "rows.json", "--table", "xlsx",
                                "--name", "room", "--out", "room"), 0)


def test_usage():
    write("rows.json", json.dumps(ROWS))
    for name, arguments, says in (
            ("no request", ("--data", "rows.json"), "needs --chart"),
            ("a pie", ("--data", "rows.json", "--chart", "pie"), '"pie"'),
            ("a pdf", ("--data", "rows.json", "--table", "pdf"), '"pdf"'),
            ("a value beside data", ("--data", "rows.json", "--table", "csv",
                                     "x"), "no VALUE"),
            ("columns of a value", ("--x", "a", "value.json"), "--data"),
            ("a word for a number", ("--chart", "bar", "value.json"),
             "--data FILE"),
            ("two values", ("a", "b"), "one VALUE")):
        complains(name, surety("render", *arguments), 2, says)
    fails("a number that is not there",
          surety("render", "value.json", "--chart", "9"), 2,
              "asks for 2 charts")
    fails("several to standard output",
              surety("render", "value.json", "--out", "-"), 2, "one output")
    complains("a file that is not there", surety("render", "none.json"), 4,
              "none.json")


def test_folders():
    write("rows.json", json.dumps(ROWS))
    write("file", "x")
    base = ("render", "--data", "rows.json", "--table", "csv", "--name", "r",
            "--out")
    complains("a file for a folder", surety(*base, "file"), 4, "it is a file")
    complains("a folder in none", surety(*base, "no/where"), 4,
              "cannot be made")
    os.mkdir("locked")
    os.chmod("locked", 0o555)
    if os.geteuid() == 0:
        skip("a read-only folder", "root writes everywhere")
    else:
        complains("a read-only folder", surety(*base, "locked"), 4,
                  "Permission denied")
    os.chmod("locked", 0o755)
    same("nothing is left behind", os.listdir("locked"), [])
    if not os.path.exists("/dev/full"):
        skip("a full disk", "no /dev/full")
        return
    os.symlink("/dev/full", "made-full")
    complains("a device for a folder", surety(*base, "made-full"), 4,
              "cannot be made")


run_tests(test_answer, test_workbook, test_browser, test_one_bad_output,
          test_nothing_is_hidden,
          test_bad_data, test_plain_rows, test_long_names,
          test_workbook_without_room, test_usage, test_folders)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judging replies with the command-line tool: check and extract, one by one and
as a filter, and everything that can go wrong with files: cli_check_test.py
[SURETY]."""

import json
import os
import select
import signal
import subprocess
import time

from cli_run import (BAD, ENV, FOLDER, GOOD, POINT, SURETY, check, complains,
                     gives, on_terminal, reports_of, run_tests, same, skip,
                     surety, write)


def test_check():
    write("point.json", POINT)
    write("good.md", GOOD)
    write("bad.md", BAD)
    write("prose.md", "There is nothing here.\n")
    write("broken.md", '```json\n{"x": 1,}\n```\n')
    base = ("check", "-c", "point.json")
    gives("a good reply", surety(*base, "good.md"), 0, '{"x":1}\n')
    same("a good reply is silent", surety(*base, "good.md").err, "")
    gives("a good reply from stdin", surety(*base, stdin=GOOD), 0,
          '{"x":1}\n')
    gives("- is stdin", surety(*base, "-", stdin=GOOD), 0, '{"x":1}\n')
    gives("an invalid reply", surety(*base, "bad.md"), 1, "",
          ("bad.md:3:7: error[maximum]", "99", "point"))
    gives("an invalid reply of stdin", surety(*base, stdin=BAD), 1, "",
          "stdin:3:7: error[maximum]")
    gives("a reply without JSON", surety(*base, "prose.md"), 1, "",
          "prose.md")
    gives("a reply with broken JSON", surety(*base, "broken.md"), 1, "",
          "broken.md:2:9: error[json_parse]")
    gives("an empty reply", surety(*base, stdin=""), 1, "", "error")
    gives("several replies, in order",
          surety(*base, "good.md", "bad.md", write("two.md", '{"x":2}')), 1,
          '{"x":1}\n{"x":2}\n', "bad.md:3:7")
    gives("--first stops at the first invalid one",
          surety(*base, "--first", "good.md", "bad.md", "two.md"), 1,
          '{"x":1}\n')
    gives("--not-strict forgives",
          surety(*base, "--not-strict", "bad.md", "good.md"), 0,
          'null\n{"x":1}\n', "error[maximum]")
    gives("--quiet says nothing", surety(*base, "-q", "bad.md"), 1, "")
    same("nothing at all", surety(*base, "-q", "bad.md").err, "")
    gives("--pretty indents", surety(*base, "--pretty", "good.md"), 0,
          '{\n  "x": 1\n}\n')
    gives("the last of --pretty and --compact counts",
          surety(*base, "--pretty", "--compact", "good.md"), 0, '{"x":1}\n')
    two = write("several.md", '```json\n{"x":1}\n```\n```json\n{"x":2}\n```\n')
    gives("--pick last", surety(*base, "--pick", "last", two), 0,
          '{"x":2}\n')
    gives("--pick first", surety(*base, "--pick", "first", two), 0,
          '{"x":1}\n')
    gives("--extract keeps to its list",
          surety(*base, "--extract", "whole", "good.md"), 1, "")
    gives("--extract in several places",
          surety(*base, "--extract", "whole,fence", "good.md"), 0,
          '{"x":1}\n')
    gives("--marker", surety(*base, "--extract", "marker", "--marker",
                             "Answer:", stdin='{"x":5} Answer: {"x":6}'), 0,
          '{"x":6}\n')
    thought = '<think>{"x":3}</think> none'
    gives("reasoning is no place to look", surety(*base, stdin=thought), 1, "")
    gives("--keep-reasoning", surety(*base, "--keep-reasoning",
                                     stdin=thought), 0, '{"x":3}\n')
    gives("a reply of bytes that are no text",
          surety(*base, stdin=b"\x00\xff\x89PNG\r\n\x1a\n\x00\x00"), 1, "",
          "error")
    gives("control characters do not reach the terminal",
          surety(*base, stdin='{"x": "\x1b[31m"}'), 1, "")
    check("none of them", "\x1b" not in surety(
        *base, stdin='{"x": "\x1b[31m"}').err)


def test_native():
    write("point.json", POINT)
    fence = dict(POINT)
    fence["x-surety"] = {"extract": {"from": ["fence"]}}
    write("fence.json", fence)
    value = write("native.json", '{"x": 4}')
    gives("--native without a reply",
          surety("check", "-c", "point.json", "--native", value), 0,
          '{"x":4}\n')
    gives("--native where the contract lists only fence",
          surety("check", "-c", "fence.json", "--native", value), 0,
          '{"x":4}\n')
    gives("--native of stdin",
          surety("check", "-c", "point.json", "--native", "-",
                 stdin='{"x": 5}'), 0, '{"x":5}\n')
    gives("an invalid native value names its file",
          surety("check", "-c", "point.json", "--native",
                 write("high.json", '{"x": 11}')), 1, "", "high.json:1:7")
    complains("--native of a missing file",
              surety("check", "-c", "point.json", "--native", "none.json"), 4,
              "none.json", "No such file")


def test_reports():
    write("point.json", POINT)
    write("good.md", GOOD)
    write("bad.md", BAD)
    base = ("check", "-c", "point.json", "--report")
    both = surety(*base, "json", "good.md", "bad.md")
    gives("--report json", both, 1, '{"x":1}\n')
    lines = both.err.splitlines()
    reports = [json.loads(line) for line in lines]
    same("one object a line for every reply", [r["ok"] for r in reports],
         [True, False])
    same("with its value", [r["value"] for r in reports], [{"x": 1}, None])
    error = reports[1]["errors"][0]
    same("and its errors", (error["keyword"], error["line"], error["column"]),
         ("maximum", 3, 7))
    schema = surety("contracts", "show", "surety/report")
    write("report.json", schema.out)
    for line in lines:
        gives("a report satisfies surety/report",
              surety("validate", "report.json", "-", stdin=line), 0)
    plain = surety(*base, "plain", "bad.md")
    check("--report plain", plain.code == 1 and
          plain.err.endswith("(path: x)\n"), plain)
    github = surety(*base, "github", "bad.md")
    check("--report github", github.code == 1 and
          github.err.startswith("::error file=bad.md,line=3,col"), github)
    write("slip.json", '{"type": "object", "minProperites": 1}')
    slip = surety("check", "-c", "slip.json", "--report", "github", "-",
                  stdin='{"a": 1, "a": 2}')
    same("warnings of the schema are commands, too", slip.err, (
        "::warning file=slip.json,line=1,col=20,title=unknown::"
        '"minProperites" is no keyword of JSON Schema (2020-12), so it says '
        'nothing; did you mean "minProperties"? (path: minProperites)\n'
        "::warning file=stdin,line=1,col=10,title=duplicate_key::the key "
        '"a" appears in its object again, as at line 1, column 2; the last one '
        "counts\n"))
    sarif = surety(*base, "sarif", "good.md", "bad.md", "bad.md", "gone.md")
    gives("--report sarif", sarif, 4, '{"x":1}\n')
    log = json.loads(sarif.err)
    run = log["runs"][0]
    same("is one document", log["version"], "2.1.0")
    same("with all results", len(run["results"]), 2)
    same("and what could not be read",
         "gone.md" in run["invocations"][0]["toolExecutionNotifications"][0]
         ["message"]["text"], True)
    empty = json.loads(surety(*base, "sarif", "good.md").err)
    same("sarif without results", empty["runs"][0]["results"], [])


def test_color():
    write("point.json", POINT)
    write("bad.md", BAD)
    base = ("check", "-c", "point.json", "bad.md")
    check("no colour off a terminal", "\x1b[" not in surety(*base).err)
    check("--color always", "\x1b[" in surety(*base, "--color", "always").err)
    code, text = on_terminal(*base)
    check("colour on a terminal", code == 1 and "\x1b[" in text, text)
    check("NO_COLOR", "\x1b[" not in on_terminal(
        *base, env={"NO_COLOR": "1"})[1])
    check("an empty NO_COLOR is none", "\x1b[" in on_terminal(
        *base, env={"NO_COLOR": ""})[1])
    check("TERM=dumb", "\x1b[" not in on_terminal(
        *base, env={"TERM": "dumb"})[1])
    check("--color never", "\x1b[" not in on_terminal(
        *base, "--color", "never")[1])
    check("--color always beats NO_COLOR", "\x1b[" in surety(
        *base, "--color", "always", env={"NO_COLOR": "1"}).err)
    code, text = on_terminal("check", "-c", "point.json", "good.md",
                             stdout=True)
    check("a value on a terminal is indented", '{\r\n  "x": 1' in text, text)
    write("any.json", "true")
    acts = ["\u001b", "\u009b31m", "\u202e", "tag \U000E0041", "\u200c"]
    write("acts.md", '["\\u001b", ' + json.dumps(
        acts[1:], ensure_ascii=False)[1:])
    for form in (), ("--stream",):
        code, text = on_terminal("check", "-c", "any.json", *form, "acts.md",
                                 stdout=True)
        check("nothing of a value is acted on by a terminal",
              "u009b31m" in text and "\u009b" not in text and
              "\u202e" not in text and "\U000E0041" not in text
              and "\u200c" in text, text)
        same("and it is the same value", json.loads(
            text[text.rindex("["):].partition("]")[0] + "]"), acts)
    code, text = on_terminal("check", "-c", "point.json", typed=b'{"x":1}\n')
    check("a terminal is told what is awaited", code == 0 and
          "end with Ctrl-D" in text, text)


def test_fallback():
    contract = dict(POINT)
    contract["x-surety"] = {"fallback": {
        "kind": "value", "value": {"x": 0, "why": "${reason}"}}}
    write("fallback.json", contract)
    write("bad.md", BAD)
    base = ("check", "-c", "fallback.json", "bad.md")
    gives("a fallback is the value, code 0",
          surety(*base, "--var", "reason=a=b"), 0, '{"x":0,"why":"a=b"}\n')
    gives("--no-fallback", surety(*base, "--no-fallback"), 1, "",
          "error[maximum]")
    contract["x-surety"] = {"fallback": {"kind": "null"}}
    write("null.json", contract)
    gives("a fallback of null",
          surety("check", "-c", "null.json", "bad.md"), 0, "null\n")


def test_derive():
    contract = dict(POINT)
    contract["x-surety"] = {"derive": {"double": ".x * 2"},
                            "rules": [{"id": "odd", "at": "/x",
                                       "expr": ".x % 2 == 1",
                                       "message": "must be odd"}]}
    write("derive.json", contract)
    write("point.json", POINT)
    probe = surety("check", "-c", "derive.json", stdin='{"x":3}')
    if probe.code == 2 and "libjq" in probe.err:
        skip("--derive", "built without libjq")
        return
    gives("rules hold", probe, 0, '{"x":3}\n')
    gives("rules fail", surety("check", "-c", "derive.json",
                               stdin='{"x":4}'), 1, "", "must be odd")
    gives("--derive", surety("check", "-c", "derive.json", "--derive",
                             stdin='{"x":3}'), 0,
          '{"value":{"x":3},"derived":{"double":6}}\n')
    result = surety("check", "-c", "point.json", "--derive", stdin='{"x":3}')
    same("--derive keeps its shape without derived members",
         json.loads(result.out)["value"], {"x": 3})


def test_files():
    write("point.json", POINT)
    write("good.md", GOOD)
    base = ("check", "-c", "point.json")
    complains("a missing file", surety(*base, "gone.md"), 4, "gone.md",
              "No such file or directory")
    gives("the others are still judged",
          surety(*base, "gone.md", "good.md"), 4, '{"x":1}\n', "gone.md")
    gives("the gravest code counts",
          surety(*base, "gone.md", write("bad.md", BAD)), 4, "", "maximum")
    os.makedirs(os.path.join(FOLDER, "folder"), exist_ok=True)
    complains("a folder", surety(*base, "folder"), 4, "folder",
              "Is a directory", "hint")
    complains("a folder as records", surety(*base, "--jsonl", "folder"), 4,
              "Is a directory")
    # Root may read everything; a path through a file fails for anyone.
    complains("a path that cannot be", surety(*base, "good.md/x"), 4,
              "Not a directory")
    if os.geteuid() == 0:
        skip("an unreadable file", "root reads everything")
    else:
        os.chmod(os.path.join(FOLDER, write("secret.md", GOOD)), 0)
        complains("an unreadable file", surety(*base, "secret.md"), 4,
                  "Permission denied")
    with open(os.path.join(FOLDER, "large.md"), "wb") as file:
        file.truncate((32 << 20) + 1)
    complains("a reply beyond the limit", surety(*base, "large.md"), 1,
              "large.md", "33554432")
    complains("an endless reply", surety(*base, "/dev/zero"), 1, "33554432")
    with open("/dev/full", "wb") as full:
        gives("a full disk", surety(*base, "good.md", stdout=full), 4, None,
              "No space left on device")
        gives("a full disk, filtering",
              surety(*base, "--jsonl", stdin='{"x":1}\n', stdout=full), 4,
              None, "No space left on device")
        gives("a full disk, help", surety("--help", stdout=full), 4, None,
              "No space left on device")
        gives("a full disk, completion",
              surety("--completion", "bash", stdout=full), 4, None,
              "No space left")
    for arguments in (("good.md",), ("--jsonl", "--jobs", "2")):
        reading, writing = os.pipe()
        os.close(reading)
        result = surety(*base, *arguments, stdin='{"x":1}\n' * 50000,
                        stdout=writing)
        os.close(writing)
        gives(f"a closed pipe ends it, as any filter {arguments}", result,
              -signal.SIGPIPE)
        check("with no message", "error" not in result.err and
              "replies" not in result.err, result)
        reading, writing = os.pipe()
        os.close(reading)
        deaf = subprocess.run(
            ["sh", "-c", "trap '' PIPE; exec \"$@\"", "sh", SURETY, *base,
             *arguments], input=b'{"x":1}\n', stdout=writing, cwd=FOLDER,
            env=ENV, stderr=subprocess.PIPE, timeout=60, check=False)
        os.close(writing)
        check(f"where the signal is ignored, by the code {arguments}",
              deaf.returncode == 4 and not deaf.stderr, deaf)
    closed = subprocess.run(
        ["/bin/sh", "-c", '"$0" check -c point.json good.md >&-', SURETY],
        cwd=FOLDER, env=ENV, stderr=subprocess.PIPE, check=False)
    same("no standard output at all", closed.returncode, 4)
    slow = subprocess.Popen([SURETY, *base], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, cwd=FOLDER, env=ENV)
    for byte in GOOD.encode():
        slow.stdin.write(bytes([byte]))
        slow.stdin.flush()
        time.sleep(0.001)
    out, _ = slow.communicate(timeout=120)
    same("a slow reply", (slow.returncode, out), (0, b'{"x":1}\n'))


def test_jsonl():
    write("point.json", POINT)
    base = ("check", "-c", "point.json", "--jsonl")
    lines = [json.dumps(GOOD), json.dumps(BAD), '{"x":3}', '{"x":"no"}',
             json.dumps("no JSON"), "", '{"x":', json.dumps({"x": 5})]
    result = surety(*base, stdin="\n".join(lines) + "\n")
    gives("records of all kinds", result, 1, None,
          "7 replies: 3 valid, 4 invalid (")
    same("one report a record, in order",
         [report["ok"] for report in reports_of(result)],
         [True, False, True, False, False, False, True])
    same("their values", [report["value"] for report in reports_of(result)],
         [{"x": 1}, None, {"x": 3}, None, None, None, {"x": 5}])
    for report in reports_of(result):
        for member in ("stage", "contract", "errors", "warnings", "repairs"):
            if member not in report:
                check("every report has its members", False, report)
    same("the last line may lack its end",
         len(reports_of(surety(*base, stdin='{"x":1}\n{"x":2}'))), 2)
    same("lines may end in CRLF",
         [r["ok"] for r in reports_of(surety(
             *base, stdin='{"x":1}\r\n{"x":2}\r\n'))], [True, True])
    same("a byte order mark is passed over",
         [r["ok"] for r in reports_of(surety(
             *base, stdin=b'\xef\xbb\xbf{"x":1}\n'))], [True])
    gives("nothing in, nothing out", surety(*base, stdin=""), 0, "",
          "0 replies")
    gives("--quiet has no summary", surety(*base, "-q", stdin='{"x":1}\n'), 0)
    same("no word", surety(*base, "-q", stdin='{"x":1}\n').err, "")
    gives("--not-strict ends with 0",
          surety(*base, "--not-strict", stdin='{"x":99}\n'), 0)
    first = surety(*base, "--first", stdin='{"x":1}\n{"x":99}\n{"x":1}\n')
    same("--first stops", (first.code, len(reports_of(first))), (1, 2))
    record = surety(*base, "--field", "reply", stdin="\n".join([
        json.dumps({"id": 1, "reply": GOOD}), json.dumps({"reply": {"x": 2}}),
        json.dumps({"reply": "none"}), json.dumps({"id": 4}), "7", "{oops"]))
    same("--field", [r["ok"] for r in reports_of(record)],
         [True, True, False, False, False, False])
    write("schema.json", surety("contracts", "show", "surety/report").out)
    gives("every report satisfies surety/report",
          surety("validate", "--jsonl", "schema.json", "-", stdin=record.out),
          0)
    for count in (99, 100):  # LACKING_MAX
        lacking = surety(*base, "--field", "reply", stdin=count * '{"x":1}\n' +
                         json.dumps({"reply": GOOD}))
        gives(f"{count} records without the member before one with it",
              lacking, 1 if count < 100 else 2, None,
              "100 replies: 1 valid" if count < 100 else
              "--field reply: none of the first 100 records has it")
    same("--field as a JSON Pointer",
         [r["ok"] for r in reports_of(surety(
             *base, "--field", "/a/0/b",
             stdin=json.dumps({"a": [{"b": GOOD}]})))], [True])
    write("one.jsonl", '{"x":1}')
    write("two.jsonl", '{"x":2}\n')
    gives("several files", surety(*base, "one.jsonl", "two.jsonl"), 0, None,
          "2 replies: 2 valid, 0 invalid, 0 fallback")
    gives("a missing file among them",
          surety(*base, "one.jsonl", "gone.jsonl", "two.jsonl"), 4, None,
          ("gone.jsonl", "2 replies"))
    contract = dict(POINT, **{"x-surety": {"fallback": {"kind": "null"}}})
    write("fall.json", contract)
    gives("fallbacks are counted apart",
          surety("check", "-c", "fall.json", "--jsonl", stdin='{"x":99}\n'), 0,
          None, "0 valid, 0 invalid, 1 fallback")


def test_jobs():
    write("point.json", POINT)
    base = ("check", "-c", "point.json", "--jsonl")
    lines = []
    for i in range(20000):
        kind = i % 7
        lines.append(json.dumps(f'text {i} ```json\n{{"x": {i % 13}}}\n```')
                     if kind == 0 else json.dumps({"x": i % 13, "i": i})
                     if kind < 5 else json.dumps(f"none {i} " + "y" * (i % 99)))
    lines[777] = json.dumps("z" * 600000)
    text = "\n".join(lines) + "\n"
    one = surety(*base, stdin=text)
    for jobs in ("2", "5"):
        more = surety(*base, "--jobs", jobs, stdin=text)
        check(f"--jobs {jobs} gives the same bytes",
              more.out == one.out and more.code == one.code == 1,
              more.err[:300])
    same("a report for every record", one.out.count("\n"), len(lines))
    same("the summaries count the same", more.err.split(" fallback")[0],
         one.err.split(" fallback")[0])
    stop = lines.index(json.dumps("none 5 " + "y" * 5))
    alone = surety(*base, "--first", stdin=text)
    jobs = surety(*base, "--first", "--jobs", "3", stdin=text)
    same("--first stops at the same record", jobs.out, alone.out)
    check("and early", 0 < alone.out.count("\n") <= stop + 1)
    long = b'"' + b"a" * (33 << 20) + b'"\n{"x":1}\n'
    for jobs in ("1", "2"):
        result = surety(*base, "--jobs", jobs, stdin=long)
        same(f"a line beyond the limit is one report, --jobs {jobs}",
             [(r["ok"], len(r["raw"])) for r in reports_of(result)][0:1] +
             [reports_of(result)[-1]["ok"]], [(False, 500), True])


def test_stream():
    """A record's report comes before the next record is sent."""
    write("point.json", POINT)
    for jobs in ("1", "2"):
        run = subprocess.Popen(
            [SURETY, "check", "-c", "point.json", "--jsonl", "--jobs", jobs],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=FOLDER, env=ENV)
        got = []
        for i in range(3):
            line = json.dumps({"x": i}).encode() + b"\n"
            run.stdin.write(line[:4])
            run.stdin.flush()
            time.sleep(0.02)
            run.stdin.write(line[4:])
            run.stdin.flush()
            ready = select.select([run.stdout], [], [], 120)[0]
            got.append(json.loads(run.stdout.readline())["value"]["x"]
                       if ready else None)
        same(f"a filter answers line by line, --jobs {jobs}", got, [0, 1, 2])
        run.stdin.write(b'{"x":99}\n')
        run.stdin.close()
        run.stdin = None
        run.communicate(timeout=120)
        same("and ends with its input", run.returncode, 1)
    waiting = subprocess.Popen(
        [SURETY, "check", "-c", "point.json", "--jsonl", "--jobs", "2",
         "--first"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, cwd=FOLDER, env=ENV)
    waiting.stdin.write(b'{"x":99}\n')
    waiting.stdin.flush()
    try:
        same("--first does not wait for more input", waiting.wait(timeout=120),
             1)
    except subprocess.TimeoutExpired:
        waiting.kill()
        check("--first does not wait for more input", False)
    waiting.stdin.close()
    waiting.stdin = None
    waiting.communicate()
    records = [b'{"x":1}\n'] * 4
    _, shown = on_terminal("check", "-c", "point.json", "--jsonl",
                           records=records)
    check("progress on a terminal", "\r" in shown and " replies, " in shown and
          "4 replies: 4 valid" in shown, shown)
    _, shown = on_terminal("check", "-c", "point.json", "--jsonl", "--quiet",
                           records=records)
    same("no progress with --quiet", shown, "")
    _, shown = on_terminal("check", "-c", "point.json", "--jsonl", stdout=True,
                           records=records)
    check("no progress among reports on a terminal", "/s, 1 valid" not in
          shown, shown)


def test_extract():
    gives("extract", surety("extract", write("good.md", GOOD)), 0,
          '{"x":1}\n')
    gives("extract from stdin", surety("extract", stdin="so [1, 2.50]"), 0,
          "[1,2.50]\n")
    gives("extract --pretty", surety("extract", "--pretty", stdin="[1]"), 0,
          "[\n  1\n]\n")
    gives("extract --pick last --extract fence",
          surety("extract", "--pick", "last", "--extract", "fence",
                 stdin='```json\n1\n```\n```json\n2\n```\n'), 0, "2\n")
    gives("extract passes over what is no JSON",
          surety("extract", "--extract", "fence",
                 stdin='```json\n{1}\n```\n```json\n2\n```\n'), 0, "2\n")
    gives("extract finds nothing", surety("extract", stdin="nothing"), 1, "",
          "stdin")
    gives("extract of an unclosed block",
          surety("extract", "--extract", "fence", stdin='```json\n{"a":1}'),
          1, "", "cut off")
    complains("extract of a missing file", surety("extract", "gone.md"), 4,
              "gone.md")


run_tests(test_check, test_native, test_reports, test_color, test_fallback,
          test_derive, test_files, test_jsonl, test_jobs, test_stream,
          test_extract)

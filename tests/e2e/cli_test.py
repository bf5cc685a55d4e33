#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command-line tool but for the judging of replies (cli_check_test.py): its
commands and options, help, pages and completions, contracts and schemas, and
every mistake in them: cli_test.py [SURETY]."""

import json
import os
import shutil
import subprocess

from cli_run import (ENV, FOLDER, GOOD, POINT, check, complains, gives,
                     run_tests, same, skip, surety, write)


def test_tool():
    none = surety()
    gives("without a command it shows its help and ends with 2", none, 2, "",
          "usage: surety COMMAND")
    for words in (["--help"], ["-h"], ["help"]):
        gives(f"{words} is help on stdout", surety(*words), 0, None, ())
        check(f"{words} names the commands",
              "contracts lint" in surety(*words).out)
    for words in (["--version"], ["-V"], ["check", "--version"],
                  ["contracts", "list", "-V"]):
        result = surety(*words)
        check(f"{words} prints the version", result.code == 0 and
              result.out.startswith("surety 0."), result)
    for command in ("check", "extract", "validate", "contracts list",
                    "contracts show", "contracts lint",
                    "contracts diff"):
        words = command.split()
        page = surety(*words, "--help")
        check(f"{command} --help", page.code == 0 and not page.err and
              page.out.startswith(f"usage: surety {command} ") and
              "Exit codes:" in page.out and "Examples:" in page.out, page)
        same(f"help {command} is the same", surety("help", *words).out,
             page.out)
        wide = [line for line in page.out.split("Examples:")[0].splitlines()
                if len(line) > 80]
        same(f"{command} --help fits 80 columns", wide, [])
    gives("help of a group lists it", surety("help", "contracts"), 0)
    gives("contracts --help lists it", surety("contracts", "--help"), 0)
    complains("an unknown command, with the nearest", surety("chek"), 2,
              'no command "chek"', 'did you mean "check"?')
    complains("an unknown command with none near", surety("frobnicate"), 2,
              'no command "frobnicate"')
    complains("an unknown command of a group", surety("contracts", "lst"), 2,
              '"contracts lst"', 'did you mean "list"?')
    complains("help of an unknown command", surety("help", "valdate"), 2,
              'did you mean "validate"?')
    complains("help of an unknown command of a group",
              surety("help", "contracts", "lnt"), 2, '"lint"')
    complains("an option before the command", surety("--quiet", "check"), 2,
              "before a command")


def test_options():
    write("point.json", POINT)
    write("good.md", GOOD)
    check_c = ("check", "-c", "point.json")
    complains("an unknown option, with the nearest",
              surety(*check_c, "--extrct=fence"), 2,
              "no option --extrct\n", 'did you mean "--extract"?',
              "surety check --help")
    complains("an unknown letter", surety(*check_c, "-Z"), 2,
              "no option -Z")
    complains("an option without its argument", surety("check", "-c"), 2,
              "--contract needs CONTRACT")
    complains("a flag with an argument", surety(*check_c, "--quiet=1"), 2,
              "--quiet takes no argument")
    complains("an ambiguous option", surety(*check_c, "--no"), 2,
              "several options")
    complains("a wrong choice", surety(*check_c, "--report", "jsn"), 2,
              "--report is one of text|json|plain|github|sarif",
              'did you mean "json"?')
    for jobs in ("0", "-1", "257", "two", "", "99999999999999999999"):
        complains(f"--jobs {jobs!r}",
                  surety(*check_c, "--jsonl", "--jobs", jobs), 2,
                  "--jobs is a whole number from 1 to 256")
    complains("check without a contract", surety("check", "good.md"), 2,
              "-c")
    complains("--field without --jsonl", surety(*check_c, "--field", "a"), 2,
              "--field is for --jsonl")
    complains("--jobs without --jsonl", surety(*check_c, "--jobs", "2"), 2,
              "--jobs is for --jsonl")
    complains("--jsonl with another report",
              surety(*check_c, "--jsonl", "--report", "plain"), 2, "JSON only")
    complains("--jsonl with --native",
              surety(*check_c, "--jsonl", "--native", "x"), 2, "--native")
    complains("--native with two replies",
              surety(*check_c, "--native", "a", "b", "c"), 2, "one reply")
    for option, with_it, what in (
            ("--commit", (), "--commit is for --stream"),
            ("--stream", ("--jsonl",), "not go with --jsonl"),
            ("--stream", ("--pretty",), "not go with --pretty"),
            ("--stream", ("--retry-prompt", "simple"), "--retry-prompt"),
            ("--stream", ("--report", "sarif"), "text or json"),
            ("--stream", ("a", "b"), "one reply, not 2"),
            ("--stream", ("--native", "a", "b"), "one reply, not 2")):
        complains(f"{option} {with_it}", surety(*check_c, option, *with_it),
                  2, what)
    for words in (
            ("check", "-c", "point.json", "--extract", "fence,fence"),
            ("check", "-c", "point.json", "--prompt", "x"),
            ("contracts", "lint"), ("contracts", "diff", "point.json"),
            ("gen", "-c", "point.json", "--check", "-o", "nowhere")) + ((
                ("run", "-m", "exec:true", ""),
                ("run", "-m", "exec:true", "--quorum", "2", "x"),
                ("run", "-m", "exec:true", "--aggregator", "a", "x"),
                ("run", "-m", "exec:true", "--dry-run", "--record", "r", "x"),
                ("run", "-m", "exec:true", "--consensus", "vote", "--report",
                 "sarif", "-c", "point.json", "x"),
                ("run", "-m", "exec:true", "--consensus", "vote",
                 "--show-reply", "x"),
                ("mock", "point.json"), ("stats", "--by", "day,day"),
                ("render", "--data", "x.json"), ("render", "a", "b"),
                ("render", "--data", "x.json", "--chart", "bar", "-c",
                 "point.json"), ("render", "--x", "a", "good.md"))
                if surety("run", "--help").code == 0 else ()):
        complains(f"a hint: {' '.join(words)}", surety(*words),
                  1 if "--check" in words else 2, "= hint: ")
    complains("--repair of an unknown kind",
              surety(*check_c, "--repair", "magic"), 2, "none|syntax|align")
    complains("--var without a value", surety(*check_c, "--var", "a"), 2,
              "--var a")
    complains("--var without a name", surety(*check_c, "--var", "=a"), 2,
              "--var =a")
    complains("an unknown place", surety(*check_c, "--extract", "fense"), 2,
              '"fense"', 'did you mean "fence"?')
    complains("an empty place", surety(*check_c, "--extract", "fence,"), 2,
              'no place ""')
    complains("a place twice",
              surety(*check_c, "--extract", "fence,whole,fence"), 2,
              "lists fence twice")
    complains("the place marker without a marker",
              surety(*check_c, "--extract", "marker"), 2, "--marker")
    gives("options may follow files",
          surety("check", "good.md", "-c", "point.json", "--quiet"), 0,
          '{"x":1}\n')
    gives("-- ends the options",
          surety(*check_c, "--", write("-odd.md", GOOD)), 0, '{"x":1}\n')
    gives("an option may be shortened",
          surety("check", "--contr", "point.json", "good.md"), 0, '{"x":1}\n')
    gives("--repair none is what is done",
          surety(*check_c, "--repair", "none", "good.md"), 0, '{"x":1}\n')


def test_contract_errors():
    write("good.md", GOOD)
    complains("an unknown contract, with the nearest",
              surety("check", "-c", "maverik/fixer-result", "good.md"), 2,
              "maverik/fixer-result", "hint", "maverick/fixer-result")
    write("lamps.json", "true")
    complains("a file named without its ending",
              surety("check", "-c", "lamps", "good.md"), 2,
              "did you mean the file lamps.json?")
    for name in ("./none.json", "none.json", "../none", "ticket/none.json"):
        for command in (("check", "-c", name, "good.md"),
                        ("contracts", "lint", name),
                        ("contracts", "show", name)):
            complains(f"a missing file of a contract: {' '.join(command)}",
                      surety(*command), 2,
                      f"the contract's file {name} does not exist",
                      f"looked for in {os.path.realpath(FOLDER)}")
    missing = surety("check", "-c", "/none.json", "good.md")
    complains("a missing file by its whole path", missing, 2,
              "the contract's file /none.json does not exist")
    check("and no other hint", "hint" not in missing.err, missing.err)
    complains("a folder instead of a contract",
              surety("check", "-c", ".", "good.md"), 2, "is a folder")
    complains("a contract that is no JSON",
              surety("check", "-c", write("nojson.json", '{"type": \n  oops}'),
                     "good.md"), 2, "nojson.json:2:3", "oops")
    complains("an empty contract",
              surety("check", "-c", write("empty.json", ""), "good.md"), 2,
              "empty.json")
    complains("a contract that is no object",
              surety("check", "-c", write("array.json", "[1]"), "good.md"), 2,
              "array.json:1:1")
    complains("a wrong member of x-surety",
              surety("check", "-c", write(
                  "member.json", '{"x-surety": {\n "extract": 5}}'),
                     "good.md"), 2, "member.json:2:13")
    complains("a wrong keyword",
              surety("check", "-c", write("type.json", '{"type": 5}'),
                     "good.md"), 2, "type.json:1:10")
    complains("a reference that leads nowhere",
              surety("check", "-c", write("ref.json", '{"$ref": "#/$defs/a"}'),
                     "good.md"), 2, "ref.json:1:")
    complains("a contract of random bytes",
              surety("check", "-c", write("bytes.json", b"\x00\x01\xff\xfe"),
                     "good.md"), 2, "bytes.json:1:1")
    complains("a contract beyond the limit",
              surety("check", "-c", write("huge.json", '{"description":"' +
                                          "a" * (2 << 20) + '"}'),
                     "good.md"), 2, "huge.json")


def test_registry():
    named = dict(POINT)
    named["x-surety"] = {"name": "geo/point", "version": "1.2.0"}
    write("contracts/geo/point.json", named)
    gives("./contracts is searched",
          surety("check", "-c", "geo/point", stdin=GOOD), 0, '{"x":1}\n')
    other = dict(named, **{"x-surety": {"name": "far/point"}})
    write("elsewhere/far/point.json", other)
    gives("SURETY_CONTRACTS is searched",
          surety("check", "-c", "far/point", stdin=GOOD,
                 env={"SURETY_CONTRACTS":
                      f"/nonexistent:{FOLDER}/elsewhere"}), 0, '{"x":1}\n')
    write("config/surety/contracts/my/point.json",
          dict(named, **{"x-surety": {"name": "my/point"}}))
    gives("XDG_CONFIG_HOME is searched",
          surety("check", "-c", "my/point", stdin=GOOD,
                 env={"XDG_CONFIG_HOME": f"{FOLDER}/config"}), 0,
          '{"x":1}\n')
    write(".config/surety/contracts/home/point.json",
          dict(named, **{"x-surety": {"name": "home/point"}}))
    gives("~/.config is searched",
          surety("check", "-c", "home/point", stdin=GOOD), 0, '{"x":1}\n')
    gives("a version", surety("check", "-c", "geo/point@1.2", stdin=GOOD), 0,
          '{"x":1}\n')
    complains("a version there is not",
              surety("check", "-c", "geo/point@2", stdin=GOOD), 2,
              "geo/point", "version 2", "hint")
    gives("a built-in contract",
          surety("check", "-c", "simple/message",
                 stdin='{"message":"hi","noise":1}'), 0,
          '{"message":"hi"}\n')


def test_validate():
    schema = write("point.json", POINT)
    good = write("good.json", '{"x": 1}')
    bad = write("bad.json", '{\n  "x": "a"\n}')
    gives("validate", surety("validate", schema, good), 0, "")
    same("a valid instance is silent", surety("validate", schema, good).err,
         "")
    result = surety("validate", schema, bad)
    gives("an invalid instance", result, 1, "",
          ("bad.json:2:8: error[type]: ", '    2 |   "x": "a"\n',
           "^^^ at /x\n", "schema point.json: "))
    gives("several instances", surety("validate", schema, good, bad), 1)
    gives("stdin", surety("validate", schema, "-", stdin='{"x":1}'), 0)
    gives("the schema from stdin", surety("validate", "-", good,
                                          stdin="false"), 1)
    gives("--quiet", surety("validate", "-q", schema, bad), 1, "")
    same("is silent", surety("validate", "-q", schema, bad).err, "")
    for form in ("flag", "basic", "detailed"):
        valid = surety("validate", "-o", form, schema, good)
        same(f"--output {form} of a valid instance",
             (valid.code, json.loads(valid.out)["valid"]), (0, True))
        invalid = surety("validate", "--output", form, schema, bad, good)
        same(f"--output {form}", [json.loads(line)["valid"] for line in
                                  invalid.out.splitlines()], [False, True])
        broken = surety("validate", "--output", form, schema, "-", stdin="{")
        same(f"--output {form} of what is no JSON",
             (broken.code, json.loads(broken.out)["valid"]), (1, False))
    same("--output flag says no more",
         json.loads(surety("validate", "-o", "flag", schema, bad).out),
         {"valid": False})
    gives("an instance that is no JSON",
          surety("validate", schema, "-", stdin='{"x": 01}'), 1, "",
          "stdin:1:7: error[json_parse]")
    complains("no operands", surety("validate"), 2, "schema and an instance")
    complains("no instance", surety("validate", schema), 2, "instance")
    complains("a missing instance", surety("validate", schema, "gone.json"),
              4, "gone.json")
    complains("a missing schema", surety("validate", "gone.json", good), 4,
              "gone.json")
    complains("a folder as schema", surety("validate", ".", good), 4,
              "Is a directory")
    complains("a schema that is no JSON",
              surety("validate", write("no.json", "{"), good), 2, "no.json:1:")
    complains("a schema that is none",
              surety("validate", write("five.json", "5"), good), 2,
              "five.json:1:1")
    date = write("date.json", {"format": "date"})
    gives("format says nothing by itself",
          surety("validate", date, "-", stdin='"2024-13-01"'), 0)
    gives("--assert-format",
          surety("validate", "--assert-format", date, "-",
                 stdin='"2024-13-01"'), 1, "", "error[format]")
    gives("validate -v says that it was an annotation",
          surety("validate", "-v", date, "-", stdin='"2024-13-01"'), 0, "",
          'stdin: valid; "format" was an annotation')
    gives("or was asserted",
          surety("validate", "-v", "--assert-format", date, "-",
                 stdin='"2024-13-01"'), 1, "",
          'stdin: invalid; "format" was asserted')
    gives("of each line", surety("validate", "-v", "--jsonl", date, "-",
                                 stdin="1\n2\n"), 0, "",
          ("stdin:1: valid", "stdin:2: valid"))
    gives("check -v says that it is asserted",
          surety("check", "-v", "-c", date, stdin='"2024-12-01"'), 0,
          '"2024-12-01"\n',
          "stdin: valid, contract date, place whole; formats were asserted")
    same("but not with -q", surety("check", "-vq", "-c", date,
                                   stdin='"2024-12-01"').err, "")
    items = write("items.json", {"items": [{"type": "string"}]})
    gives("--dialect 7 knows an array of items",
          surety("validate", "--dialect", "7", items, "-", stdin="[1]"), 1)
    gives("--dialect 4 has exclusiveMaximum as a boolean",
          surety("validate", "--dialect", "4", write("excl.json", {
              "maximum": 1, "exclusiveMaximum": True}), "-", stdin="1"), 1)
    complains("an unknown dialect",
              surety("validate", "--dialect", "5", schema, good), 2,
              "4|6|7|2019-09|2020-12")
    gives("--jsonl", surety("validate", "--jsonl", schema, "-", stdin=(
        '{"x":1}\n\n{"x":"no"}\n{"x"\n')), 1, "",
          ("stdin:3:6: error[type]", "stdin:4:5: error[json_parse]"))
    same("--jsonl --output",
         surety("validate", "--jsonl", "-o", "flag", schema, "-",
                stdin='{"x":1}\n{"x":"no"}\n').out,
         '{"valid":true}\n{"valid":false}\n')
    gives("--first", surety("validate", "--first", "-o", "flag", schema, bad,
                            good), 1, '{"valid":false}\n')


def test_resolve():
    good = write("good.json", '{"x": 1}')
    remote = "https://example.com/defs.json"
    write("defs.json", {"$defs": {"n": {"type": "integer"}}})
    schema = write("remote.json",
                   {"properties": {"x": {"$ref": remote + "#/$defs/n"}}})
    complains("a reference is never fetched",
              surety("validate", schema, good), 2, "remote.json:", remote,
              "--resolve URI=FILE")
    write("relative.json", {"$ref": "defs.json#/$defs/n"})
    gives("a relative reference",
          surety("validate", "-r", "defs.json=defs.json", "relative.json",
                 "-", stdin="1.5"), 1, "", "error[type]")
    write("based.json", {"$id": "https://example.com/a/b.json",
                         "$ref": "defs.json#/$defs/n"})
    gives("a relative reference of a schema with a base",
          surety("validate", "-r", "defs.json=defs.json", "based.json", "-",
                 stdin="1"), 0)
    gives("--resolve",
          surety("validate", "-r", f"{remote}=defs.json", schema, good), 0)
    gives("--resolve and a value that fails",
          surety("validate", "-r", f"{remote}=defs.json", schema, "-",
                 stdin='{"x":"a"}'), 1, "", "error[type]")
    write("named.json", {"$id": remote, "$defs": {"n": {"type": "integer"}}})
    gives("a document is found by its $id",
          surety("validate", "-r", "urn:other=named.json", schema, good), 0)
    complains("--resolve without a file",
              surety("validate", "-r", remote, schema, good), 2, "URI=FILE")
    complains("--resolve of a missing file",
              surety("validate", "-r", f"{remote}=gone.json", schema, good),
              4, "gone.json")
    complains("--resolve of what is no JSON",
              surety("validate", "-r", f"{remote}={write('x.json', '{')}",
                     schema, good), 2, "x.json:1:")


def test_contracts():
    named = dict(POINT)
    named["x-surety"] = {"name": "geo/point", "version": "1.2.0"}
    path = write("contracts/geo/point.json", named)
    listed = surety("contracts", "list")
    rows = [line.split() for line in listed.out.splitlines()]
    same("contracts list has a heading", rows[0],
         ["NAME", "VERSION", "TITLE", "SOURCE"])
    check("and rows", any(row[:3] == ["geo/point", "1.2.0", "Point"]
                          for row in rows) and listed.code == 0, listed)
    check("and the built-in ones", any(
        row[0] == "surety/report" and row[-1] == "built-in" for row in rows),
        listed)
    same("contracts is contracts list", surety("contracts").out, listed.out)
    entries = json.loads(surety("contracts", "list", "--json").out)
    entry = [e for e in entries if e["name"] == "geo/point"][0]
    same("contracts list --json", (entry["version"], entry["title"],
                                   entry["error"]), ("1.2.0", "Point", None))
    check("--json names the source",
          entry["source"].endswith("geo/point.json"), entry)
    names = surety("contracts", "list", "--names").out.splitlines()
    check("contracts list --names", "geo/point" in names and
          len(set(names)) == len(names), names)
    complains("contracts list with an operand",
              surety("contracts", "list", "x"), 2, '"x"')
    write("contracts/geo/broken.json", "{")
    broken = surety("contracts", "list")
    gives("a broken file is warned of", broken, 0, None,
          ("warning", "broken.json"))
    shown = surety("contracts", "show", "geo/point")
    with open(os.path.join(FOLDER, path), encoding="utf-8") as file:
        same("contracts show prints the file", shown.out, file.read() + "\n")
    gives("contracts show of a path", surety("contracts", "show", path), 0,
          shown.out)
    same("contracts show --path",
         surety("contracts", "show", "--path", "geo/point@1").out.strip()
         .endswith("geo/point.json"), True)
    same("contracts show --path of a built-in one",
         surety("contracts", "show", "--path", "surety/report").out,
         "built-in\n")
    complains("contracts show of nothing", surety("contracts", "show"), 2)
    complains("contracts show of an unknown one",
              surety("contracts", "show", "geo/pint"), 2, "geo/pint",
              "geo/point")
    complains("contracts show of a broken one",
              surety("contracts", "show", "geo/broken"), 2, "broken.json:1:")
    os.remove(os.path.join(FOLDER, "contracts/geo/broken.json"))


CLEAN = {"$schema": "https://json-schema.org/draft/2020-12/schema",
         "title": "Clean", "description": "Without a mistake.",
         "type": "object", "required": ["a"],
         "properties": {"a": {"type": "string", "description": "A text."}}}


SLIPS = [("/requird", "unknown", 3), ("/properties/a/minLenght", "unknown", 9)]


def test_unknown_run():
    """run says it as check does, in each form of report."""
    words = ("run", "-c", "slip.json", "-m", "exec:cat slip-1.json", "--ledger",
             "none", "--report")
    result = surety(*words, "text", "x")
    gives("run warns", result, 0, None, "slip.json:3:3: warning[unknown]")
    same("run warns once", result.err.count("warning[unknown]"), 2)
    for form, more in (("json", ()), ("json", ("--consensus", "first"))):
        result = surety(*words, form, *more, "x")
        report = json.loads(result.err)
        same(f"run's report has the warnings {more}", [
            (one["keywordLocation"], one["keyword"], one["line"])
            for one in report["contract_warnings"]], SLIPS)
        gives("and is of its contract", surety(
            "check", "-c", "surety/consensus" if more else "surety/report",
            "-q", stdin=result.err), 0)
    result = surety(*words, "sarif", "x")
    same("run's SARIF, too", len(json.loads(result.err)["runs"][0][
        "invocations"][0]["toolConfigurationNotifications"]), len(SLIPS))
    result = surety(*words, "json", "--no-schema-warnings", "x")
    check("but not with --no-schema-warnings",
          "contract_warnings" not in json.loads(result.err), result)


def test_unknown():
    """A misspelt keyword is reported by whatever loads the schema, once."""
    write("slip.json", {"type": "object", "requird": ["a"], "x-own": 1,
                        "properties": {"a": {"minLenght": 3}}})
    write("slip-1.json", {"b": 1})
    told = ('slip.json:3:3: warning[unknown]: "requird" is no keyword of JSON '
            'Schema (2020-12), so it says nothing', "at /requird",
            'did you mean "required"?', '"minLenght"',
            "at /properties/a/minLenght")
    for name, words, code in (
            ("check", ("check", "-c", "slip.json", "slip-1.json",
                       "slip-1.json"), 0),
            ("validate", ("validate", "slip.json", "slip-1.json",
                          "slip-1.json"), 0),
            ("prompt", ("prompt", "-c", "slip.json", "x"), 0),
            ("gen", ("gen", "-c", "slip.json", "--lang", "c"), 0)):
        result = surety(*words)
        gives(f"{name} warns", result, code, None, told)
        same(f"{name} warns once", result.err.count("warning[unknown]"), 2)
        result = surety(*words, "--no-schema-warnings")
        gives(f"{name} --no-schema-warnings", result, code)
        check(f"{name} is quiet then", "unknown" not in result.err, result)
    write("twice.json", '{"a": 1,\n "a": 2}')
    result = surety("validate", write("any.json", {}), "twice.json")
    gives("validate warns of a key that occurs twice", result, 0, "",
          ("twice.json:2:2: warning[duplicate_key]",
           "as at line 1, column 2; the last one counts"))
    gives("validate of lines, too", surety(
        "validate", "--jsonl", "any.json", write(
            "lines.jsonl", '{}\n{"a":1,"a":2}\n')), 0, "",
          ("lines.jsonl:2:8: warning[duplicate_key]",
           "as at line 2, column 2;"))
    same("but not validate -q", surety("validate", "-q", "any.json",
                                       "twice.json").err, "")
    for draft in ("draft-04", "draft-06", "draft-07"):
        write("old.json", {
            "$schema": f"http://json-schema.org/{draft}/schema#",
            "properties": {name: {"format": name} for name in (
                "date", "uuid", "regex", "iri")}})
        write("old-1.json", {"date": "2020", "uuid": "1", "regex": "(",
                             "iri": "a"})
        result = surety("check", "-c", "old.json", "old-1.json")
        same(f"check asserts formats that {draft} does not list",
             result.err.count("error[format]"), 4)
        gives(f"validate does not, as in {draft}", surety(
            "validate", "old.json", "old-1.json"), 0)
    result = surety("check", "-c", "slip.json", "--report", "json",
                    "slip-1.json")
    report = json.loads(result.err)
    same("the first JSON report has the warnings", [
        (one["keywordLocation"], one["keyword"], one["line"])
        for one in report["contract_warnings"]], SLIPS)
    gives("it is of the contract surety/report", surety(
        "check", "-c", "surety/report", "-q", stdin=result.err), 0)
    result = surety("check", "-c", "slip.json", "--report", "json",
                    "slip-1.json", "slip-1.json")
    same("only the first", ["contract_warnings" in json.loads(line)
                            for line in result.err.splitlines()],
         [True, False])
    result = surety("check", "-c", "slip.json", "--stream", "--report", "json",
                    stdin='{"a": 1')
    same("that of a stream, too", len(json.loads(
        result.err)["contract_warnings"]), len(SLIPS))
    result = surety("check", "-c", "slip.json", "--report", "sarif",
                    "slip-1.json")
    notes = json.loads(result.err)["runs"][0]["invocations"][0]
    same("SARIF has them as notifications", [
        (one["locations"][0]["logicalLocations"][0]["fullyQualifiedName"],
         one["descriptor"]["id"],
         one["locations"][0]["physicalLocation"]["region"]["startLine"])
        for one in notes["toolConfigurationNotifications"]], SLIPS)
    for form in ("json", "sarif"):
        result = surety("check", "-c", "slip.json", "--report", form,
                        "--no-schema-warnings", "slip-1.json")
        check(f"--no-schema-warnings: {form} has none",
              "unknown" not in result.err, result)
    same("check -q is quiet", surety("check", "-c", "slip.json", "-q",
                                     "slip-1.json").err, "")
    same("validate -q is quiet", surety("validate", "-q", "slip.json",
                                        "slip-1.json").err, "")
    quiet = {"markdownDescription": "a", "discriminator": {}, "xml": {},
             "example": 1, "enumNames": [], "x-a": 1, "$comment": "a",
             "properties": {"requird": {"const": {"minLenght": 1}}},
             "default": {"typ": 1}, "examples": [{"typ": 1}],
             "enum": [{"typ": 1}]}
    same("annotations, names and data are quiet", surety(
        "validate", write("quiet.json", quiet), "slip-1.json").err.count(
            "unknown"), 0)
    many = surety("validate", write("many.json", {
        f"keyword{i}": 1 for i in range(40)}), "slip-1.json")
    same("not more than are worth telling",
         many.err.count("is no keyword"), 32)
    check("and how many more", "8 more members say nothing" in many.err, many)
    for name in surety("contracts", "list", "--names").out.split():
        same(f"{name} is quiet", surety("check", "-c", name, "-q",
                                        "slip-1.json").err.count("unknown"), 0)


MANY = json.dumps({
    "title": "t", "type": "object", "required": [f"p{i}" for i in range(5)],
    "additionalProperties": False,
    "properties": {f"p{i}": {"type": "string", "description": "d",
                             "minLength": 1} for i in range(5)}})


def test_lint():
    gives("a clean contract", surety("contracts", "lint",
                                     write("clean.json", CLEAN)), 0, "",
          "clean.json: no mistakes")
    same("--quiet", surety("contracts", "lint", "-q", "clean.json").err, "")
    for name in json.loads(surety("contracts", "list", "--json").out):
        if name["source"] == "built-in":
            result = surety("contracts", "lint", name["name"])
            check(f"{name['name']} has no errors", result.code == 0, result)
    complains("lint of nothing", surety("contracts", "lint"), 2)
    complains("lint of an unknown one", surety("contracts", "lint", "no/no"),
              2, "no/no")
    complains("lint of a folder", surety("contracts", "lint", "."), 4,
              "Is a directory")
    gives("lint of what is no JSON",
          surety("contracts", "lint", write("bad.json", "{,}")), 2, "",
          ("bad.json:1:2: error", "1 error, 0 warnings"))
    many = surety("contracts", "lint", write("many.json", (
        '{"title": "t",\n "type": "strng",\n "minimum": "1",\n'
        ' "required": "a",\n "x-surety": {"repair": "most"}}')))
    gives("all mistakes at once", many, 2, "",
          ("many.json:2:10: error", "many.json:3:13: error",
           "many.json:4:14: error", "many.json:5:25: error"))
    gives("a mistake of meaning", surety(
        "contracts", "lint", write("ref.json",
                                   '{"title":"t","$ref":"#/$defs/no"}')), 2,
          "", ("ref.json:1:", "1 error"))
    warnings = {
        "a misspelt keyword": (
            {"propertes": {}}, ('"propertes"', 'did you mean "properties"?')),
        "bounds": ({"minimum": 5, "maximum": 4},
                   ("impossible", "minimum of 5", "maximum of 4")),
        "exclusive bounds": ({"minimum": 5, "exclusiveMaximum": 5},
                             ("impossible",)),
        "lengths": ({"minLength": 3, "maxLength": 2}, ("impossible",)),
        "an enum of another type": (
            {"type": "string", "enum": ["a", 1]}, ("enum", "type")),
        "a const of another type": (
            {"type": "string", "const": 1}, ("const", "type")),
        "a default of another type": (
            {"type": "integer", "default": "1"}, ("default", "type")),
        "required and not described": (
            {"required": ["nam"], "properties": {"name": {"title": "n"}}},
            ('"nam"', 'did you mean "name"?')),
        "required and forbidden": (
            {"required": ["b"], "additionalProperties": False,
             "properties": {"name": {"title": "n"}}}, ("impossible", '"b"')),
        "required and false": (
            {"required": ["b"], "properties": {"b": False}}, ("impossible",)),
        "an old keyword": ({"definitions": {}}, ("$defs",)),
        "no description": ({"properties": {"a": {}, "b": {}}},
                           ("without a description: a, b",)),
        "beside $ref in draft 7": (
            {"$schema": "http://json-schema.org/draft-07/schema#",
             "properties": {"a": {"$ref": "#", "maximum": 3}}},
            ('"maximum" beside "$ref"',)),
        "a deprecated contract": (
            {"x-surety": {"deprecated": "use another"}}, ("use another",)),
        "deep inside": (
            {"$defs": {"a": {"allOf": [{"not": {"items": {
                "minItems": 2, "maxItems": 1}}}]}}},
            ("at /$defs/a/allOf/0/not/items/minItems",)),
        "instructions without the form": (
            {"required": ["a", "b"], "properties": {
                "a": {"title": "a"}, "b": {"title": "b"}},
             "x-surety": {"prompt": {"instructions": "Give a."}}},
            ('the required property "b"', "at /x-surety/prompt/instructions")),
        "a re-ask without the errors": (
            {"x-surety": {"prompt": {"reask": "${prompt} Again!"}}},
            ("does not say what was wrong", "name ${errors}")),
        "a variable of others": (
            {"x-surety": {"prompt": {"system": "Of {{schema}}, $${"}}},
            ("{schema} is text here", "written ${NAME}")),
        "an example that is not used": (
            {"type": "integer", "x-surety": {"prompt": {"example": "1"}}},
            ("the example does not satisfy", "at /x-surety/prompt/example")),
        "an example that breaks a rule": (
            {"type": "integer", "x-surety": {"prompt": {"example": 1},
             "rules": [{"id": "two", "expr": ". == 2", "message": "2"}]}},
            ("the example does not satisfy",)),
        "a duplicate key": ('{"title":"t","maximum":1,"maximum":2}',
                            ("duplicate_key",))}
    for name, (schema, parts) in warnings.items():
        if isinstance(schema, dict):
            schema = {"title": "t", **schema}
        gives(f"lint warns: {name}", surety(
            "contracts", "lint", write("warn.json", schema)), 0, "",
              ("warn.json:", "warning[") + parts)
    gives("lint --strict fails on warnings", surety(
        "contracts", "lint", "--strict", "warn.json"), 1, "",
          "warn.json: 0 errors, 1 warning\n")
    gives("lint says how to use it in CI", surety(
        "contracts", "lint", "warn.json"), 0, "",
          "0 errors, 1 warning (--strict fails on warnings too, for CI)\n")
    gives("lint --strict of a clean contract", surety(
        "contracts", "lint", "--strict", "clean.json"), 0)
    gives("a keyword of another draft", surety(
        "contracts", "lint", write("warn.json", {
            "title": "t", "dependentRequired": {"a": ["b"]},
            "$schema": "http://json-schema.org/draft-07/schema#"})), 0, "",
          '"dependentRequired" is not known in draft 7')
    gives("a misspelt keyword of what is never referred to", surety(
        "contracts", "lint", write("warn.json", {
            "title": "t", "$defs": {"a": {"minLenght": 1}}})), 0, "",
          'did you mean "minLength"?')
    for name, words in {
            "all of it": {"instructions": "${prompt}: ${schema}", "reask":
                          "${errors}: ${prompt}", "example": {"a": 1}},
            "the form in words": {"instructions": "Give {\"a\": 1}."},
            "the form in the system part": {"instructions": "Now.",
                                            "system": "${example}"},
            "none": {"instructions": "none"}}.items():
        gives(f"lint takes templates: {name}", surety(
            "contracts", "lint", write("words.json", {
                "title": "t", "required": ["a"],
                "properties": {"a": {"type": "integer", "title": "a"}},
                "x-surety": {"prompt": words}})), 0, "", "no mistakes")
    gives("an unknown variable", surety(
        "contracts", "lint", write("words.json", {"title": "t", "x-surety": {
            "prompt": {"instructions": "${shema}"}}})), 2, "",
          ("words.json:", "${shema} is no variable", "1 error"))
    write("many.json", MANY)
    few = surety("contracts", "lint", "--for", "openai", "many.json")
    same("findings with one message are shown three times",
         few.err.count(": warning[minLength]: "), 3)
    gives("the others are counted, and all count", few, 0, "",
          ('many.json: 2 more [minLength]: ', "(--all shows them)",
           "0 errors, 5 warnings"))
    every = surety("contracts", "lint", "--for", "openai", "--all", "many.json")
    same("--all shows each", every.err.count(": warning[minLength]: "), 5)
    check("and counts none", "more [" not in every.err, every)
    kinds = json.loads(MANY)
    for count, shown in ((31, 3), (32, 5)):
        kinds["required"] = [f"q{i}" for i in range(count)]
        result = surety("contracts", "lint", "--for", "openai",
                        write("many.json", json.dumps(kinds)))
        same(f"after {count} other messages", result.err.count(
            ": warning[minLength]: "), shown)
    gives("lint of a contract without a title",
          surety("contracts", "lint", write("plain.json", {})), 0, "",
          "neither title nor description")
    gives("the gravest of several",
          surety("contracts", "lint", "clean.json", "bad.json"), 2, "",
          ("clean.json: no mistakes", "bad.json:1:2"))
    deep = '{"title":"t","not":' * 90 + "true" + "}" * 90
    gives("a deep schema", surety("contracts", "lint",
                                  write("deep.json", deep)), 0)


PERSON = {
    "type": "object", "required": ["name", "age"],
    "properties": {"name": {"type": "string", "minLength": 1},
                   "age": {"type": "integer", "maximum": 130},
                   "role": {"enum": ["admin", "editor", "reader"]}},
    "additionalProperties": False}
CHANGED = {
    "type": "object", "required": ["name"],
    "properties": {"name": {"type": "string", "minLength": 2},
                   "age": {"type": "integer", "maximum": 130},
                   "email": {"type": "string"},
                   "role": {"enum": ["admin", "editor", "reader", "guest"]}},
    "additionalProperties": False}


def test_diff():
    write("person.json", PERSON)
    write("person-2.json", CHANGED)
    pair = ("contracts", "diff", "person.json", "person-2.json")
    result = surety(*pair)
    gives("a diff that breaks consumers", result, 1)
    gives("--quiet: what breaks somebody alone", surety(*pair, "-q"), 1,
          "".join(line for line in result.out.splitlines(True)
                  if ": breaks " in line))
    same("the same contract", surety("contracts", "diff", "person.json",
                                     "person.json").out,
         "person -> person: no difference\n")
    for choice, forth, back in (("consumers", 1, 1), ("producers", 1, 1),
                                ("any", 1, 1), ("version", 0, 0),
                                ("never", 0, 0)):
        gives(f"--fail {choice}", surety(*pair, "--fail", choice), forth)
        gives(f"--fail {choice}, the other way",
              surety("contracts", "diff", "person-2.json", "person.json",
                     "--fail", choice), back)
    wider = dict(CHANGED, required=["name", "age"], properties=dict(
        PERSON["properties"], email={}))
    write("wider.json", wider)
    gives("a new member breaks nobody", surety(
        "contracts", "diff", "person.json", "wider.json", "--fail", "any"), 0,
          None, ())
    write("named.json", dict(PERSON, **{"x-surety": {
        "name": "person", "version": "1.0.0"}}))
    write("named-2.json", dict(CHANGED, **{"x-surety": {
        "name": "person", "version": "1.1.0"}}))
    result = surety("contracts", "diff", "named.json", "named-2.json",
                    "--fail", "version")
    gives("a version that says too little", result, 1)
    check("and it is said", "the new number is too low" in result.out, result)
    report = surety(*pair, "--json")
    write("diff.json", report.out)
    gives("--json keeps surety/diff",
          surety("check", "-c", "surety/diff", "diff.json"), 0)
    for name in surety("contracts", "list", "--names").out.split():
        result = surety("contracts", "diff", name, name)
        check(f"{name} does not differ from itself",
              result.code == 0 and "no difference" in result.out, result)
    complains("one contract", surety("contracts", "diff", "person.json"), 2,
              "two contracts")
    complains("an unknown one", surety("contracts", "diff", "person.json",
                                       "no/no"), 2, "no/no")
    complains("one that is broken", surety(
        "contracts", "diff", write("broken.json", "{"), "person.json"), 2,
              "broken.json:1:2")
    write("hostile.json", {"properties": {"\x1b[31m/~": {"title": "\x1b["}},
                           "required": ["\x1b[31m/~"]})
    result = surety("contracts", "diff", "person.json", "hostile.json")
    check("no control character is printed", "\x1b" not in result.out +
          result.err and "\\x1B[31m~1~0" in result.out, result)


def test_pages():
    pages = ["", "check", "extract", "validate", "contracts-list",
             "contracts-show", "contracts-lint"]
    troff = shutil.which("groff")
    for page in pages:
        result = surety("--man", *([page] if page else []))
        check(f"--man {page}", result.code == 0 and
              result.out.startswith(".TH SURETY") and
              ".SH EXIT STATUS" in result.out, result)
        if not troff:
            skip(f"--man {page} renders", "groff is not installed")
            continue
        run = subprocess.run([troff, "-man", "-Tutf8", "-ww"],
                             input=result.out.encode(), capture_output=True,
                             check=False)
        check(f"--man {page} renders without a warning",
              run.returncode == 0 and not run.stderr and
              b"surety" in run.stdout,
              run.stderr.decode())
    complains("--man of an unknown page", surety("--man", "chek"), 2, "chek")
    complains("completion for an unknown shell",
              surety("--completion", "tcsh"), 2, "bash, zsh or fish")
    complains("completion for no shell", surety("--completion"), 2, "bash")
    for shell in ("bash", "zsh", "fish"):
        script = surety("--completion", shell)
        check(f"--completion {shell} knows the options", script.code == 0 and
              "keep-reasoning" in script.out and "github" in script.out,
              script)
        if not shutil.which(shell):
            skip(f"--completion {shell} parses", f"{shell} is not installed")
            continue
        run = subprocess.run([shell, "-n"], input=script.out.encode(),
                             capture_output=True, check=False)
        check(f"--completion {shell} parses", run.returncode == 0,
              run.stderr.decode())
    if not shutil.which("bash"):
        skip("bash completes", "bash is not installed")
        return
    write("completion", surety("--completion", "bash").out)
    for words, want in ((["surety", "che"], "check"),
                        (["surety", "contracts", "l"], "list lint"),
                        (["surety", "check", "--not"], "--not-strict"),
                        (["surety", "check", "--report", "sa"], "sarif"),
                        (["surety", "contracts", "list", "--na"], "--names")):
        line = " ".join(f"'{word}'" for word in words)
        run = subprocess.run(
            ["bash", "-c", f". ./completion; COMP_WORDS=({line}); "
             f"COMP_CWORD={len(words) - 1}; _surety; "
             'echo "${COMPREPLY[*]}"'], cwd=FOLDER, env=ENV,
            capture_output=True, check=False)
        same(f"bash completes {' '.join(words)}", run.stdout.decode().strip(),
             want)


run_tests(test_tool, test_options, test_contract_errors, test_registry,
          test_validate, test_resolve, test_contracts, test_diff, test_lint,
          test_unknown, test_unknown_run,
          test_pages)

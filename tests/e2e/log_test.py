#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A log of replies as a filter, check --jsonl: log_test.py SURETY. What a
report says of its line, lines that are no record, what --field may have meant,
values alone, the errors that come most often, and progress."""

import json
import os
import random

from cli_run import (FOLDER, NoTerminal, check, complains, gives, on_terminal,
                     run_tests, same, skip, surety, write)

ITEMS = {"type": "object", "required": ["items"], "properties": {"items": {
    "type": "array", "items": {"properties": {"price": {"type": "number"}}}}}}
BASE = ("check", "-c", "items.json", "--jsonl")


def line(number, *prices, **more):
    return json.dumps({"id": number, "reply": json.dumps(
        {"items": [{"price": price} for price in prices]}), **more})


def reports(result):
    return [json.loads(text) for text in result.out.splitlines()]


def prepare():
    write("items.json", ITEMS)
    write("log.jsonl", "\n".join((
        line(1, 1), "", line({"a": [1]}, "x", 2, "y"), "  \r", '{"id":3,"repl',
        '{"id":4}', '{"id":5,"reply":null}', "[6]",
        json.dumps({"reply": {"items": []}}), line("8", True))) + "\n")


def numbers_and_ids():
    for jobs in ("1", "3"):
        result = surety(*BASE, "--field", "reply", "--id", "id", "--jobs", jobs,
                        "log.jsonl")
        same(f"each report has its line's number and id, {jobs} jobs",
             [(one["record"], one["id"], one["stage"])
              for one in reports(result)],
             [(1, 1, None), (3, {"a": [1]}, "validation"), (5, None, "record"),
              (6, 4, "record"), (7, 5, "record"), (8, None, "record"),
              (9, None, None), (10, "8", "validation")])
        gives("and the summary counts them", result, 1, None,
              ("8 replies: 2 valid, 6 invalid (2 validation, 4 record)",
               "most frequent errors:\n         3  type at /items/*/price\n"
               "         3  record\n         1  json_parse\n"))
    write("report.json", surety("contracts", "show", "surety/report").out)
    write("reports.jsonl", result.out)
    gives("the reports satisfy surety/report",
          surety("validate", "--jsonl", "report.json", "reports.jsonl"), 0)
    result = surety(*BASE, "--field", "/reply", "--id", "/id/a/0", "log.jsonl")
    same("an id by JSON Pointer", [one["id"] for one in reports(result)],
         [None, 1] + [None] * 6)
    result = surety(*BASE, "--id", "items",
                    stdin='{"items":[]}\n"{\\"items\\":[]}"\n')
    same("of a record that is itself the value, or text",
         [(one["id"], one["ok"]) for one in reports(result)],
         [([], True), (None, True)])
    result = surety(*BASE, stdin='{"items":[]}\n{"items"\n"{\\"ite"\n"a\n')
    same("lines that are no JSON are the log's fault",
         [one["stage"] for one in reports(result)],
         [None, "record", "json_parse", "record"])
    for name in ("log.jsonl", "log.jsonl"):
        same("each file counts from 1",
             [one["record"] for one in reports(surety(
                 *BASE, "--field", "reply", name, name))],
             [1, 3, 5, 6, 7, 8, 9, 10] * 2)


def numbers_of_many():
    random.seed(7)
    rows, numbers = [], []
    for number in range(1, 60001):
        if random.random() < 0.2:
            rows.append(random.choice(("", "  ", "\r", "\t")))
        else:
            numbers.append(number)
            rows.append('{"items":[%s]}' % (" " * random.randrange(40)))
    for jobs in ("1", "4"):
        result = surety(*BASE, "--jobs", jobs, stdin="\n".join(rows))
        same(f"60,000 lines, blank ones among them, {jobs} jobs",
             [one["record"] for one in reports(result)], numbers)
    result = surety(*BASE, "--limit", "text_bytes_max=1K",
                    stdin='{"items":[]}\n' + "x" * 900000 + "\n\n"
                    '{"items":[]}\n')
    same("a line beyond the limit counts once",
         [(one["record"], one["stage"]) for one in reports(result)],
         [(1, None), (2, "record"), (4, None)])


def raw():
    text = '"' + "é" * 600 + '"\n{"items":[]}\n'
    for option, shown in (((), (500, 0)), (("--raw", "3"), (3, 3)),
                          (("--raw", "none"), (0, 0)),
                          (("--raw", "1000000"), (600, 12))):
        same(f"raw: {option}", [len(one["raw"]) for one in
                                reports(surety(*BASE, *option, stdin=text))],
             list(shown))
    long = json.dumps({"items": [{"price": 1, "pad": "x" * 5000}] * 40}) + "\n"
    result = surety(*BASE, stdin=long * 20)
    check("valid values are not written twice",
          len(result.out) < 20 * (len(long) + 300), len(result.out))
    for value in ("", "0", "-1", "x", "1000001", "1e3", "99999999999999999999"):
        complains(f"--raw {value!r}", surety(*BASE, "--raw", value, stdin=""),
                  2, "--raw does not say how many")


def values():
    want = '{"items":[{"price":1}]}\n{"items":[]}\n'
    for jobs in ("1", "3"):
        gives(f"values alone, {jobs} jobs",
              surety(*BASE, "--field", "reply", "--values", "--jobs", jobs,
                     "log.jsonl"), 1, want, "8 replies: 2 valid")
    result = surety(*BASE, "--field", "reply", "--values", "--not-strict",
                    "log.jsonl")
    same("with null for the others", result.out.splitlines(),
         want.splitlines()[:1] + ["null"] * 5 + want.splitlines()[1:]
         + ["null"])
    write("falls.json", ITEMS | {"x-surety": {
        "name": "a/b", "version": "1.0.0",
        "fallback": {"kind": "value", "value": {"items": []}}}})
    gives("a fallback is a value",
          surety("check", "-c", "falls.json", "--jsonl", "--values",
                 stdin='"nothing"\n'), 0, '{"items":[]}\n')
    for option in (("--id", "id"), ("--raw", "3")):
        complains(f"--values with {option[0]}",
                  surety(*BASE, "--values", *option, "log.jsonl"), 2,
                  "--values writes no reports")
    for option in (("--id", "a"), ("--raw", "3"), ("--values",)):
        complains(f"{option[0]} without --jsonl",
                  surety("check", "-c", "items.json", *option, "log.jsonl"), 2,
                  f"{option[0]} is for --jsonl")


def meant():
    many = "".join(line(i, i) + "\n" for i in range(3000))
    for jobs in ("1", "3"):
        result = surety(*BASE, "--field", "rply", "--jobs", jobs, stdin=many)
        check(f"a field that none of the first has ends it early, {jobs} jobs",
              result.code == 2 and "--field rply: none of the first" in
              result.err and 'hint: did you mean "reply"?' in result.err
              and result.err.count("did you mean") == 1
              and 100 <= len(result.out.splitlines()), result.err)
    gives("a short log says it at its end",
          surety(*BASE, "--field", "rply", "log.jsonl"), 2, None,
          ("--field rply: none of 7 records has it", 'did you mean "reply"?'))
    result = surety(*BASE, "--field", "nothing", stdin='{"a":1,"b":2}\n')
    gives("what there is where no name is near", result, 2, None,
          'hint: its members are "a", "b"')
    same("also in the report", reports(result)[0]["errors"][0]["hint"],
         'its members are "a", "b"')
    gives("one record that has it is enough",
          surety(*BASE, "--field", "reply", stdin='{"a":1}\n' * 500
                 + line(1, 1) + "\n"), 2, None, "none of the first")
    gives("before the hundredth",
          surety(*BASE, "--field", "reply", stdin=line(1, 1) + "\n"
                 + '{"a":1}\n' * 500), 1, None, "501 replies")


def frequent():
    rows = []
    for i in range(40):
        rows += ['{"items":%d}' % i] * (40 - i) if i else []
    deep = {"type": "object", "additionalProperties": {"type": "string"}}
    write("deep.json", deep)
    text = "".join('{"k%d":1}\n' % (i % 7 if i % 3 else i % 2)
                   for i in range(100))
    outs = [surety("check", "-c", "deep.json", "--jsonl", "--jobs", jobs,
                   stdin=text).err.split("most frequent errors:\n")[1]
            for jobs in ("1", "4")]
    same("the same with any number of jobs", outs[0], outs[1])
    same("five at most, the most frequent first", [
        int(one.split()[0]) for one in outs[0].splitlines()],
        sorted((int(one.split()[0]) for one in outs[0].splitlines()),
               reverse=True)[:5])
    result = surety("check", "-c", "deep.json", "--jsonl",
                    stdin="".join('{"\\u009b%d_":1}\n' % i
                                  for i in range(1500)))
    check("kinds without end are counted together, and nothing is acted on",
          "476  of further kinds" in result.err and "\x9b" not in result.err,
          result.err)
    result = surety("check", "-c", "deep.json", "--jsonl", stdin='{"a":"b"}\n')
    check("none is listed where there is none",
          "most frequent" not in result.err, result.err)
    check("and with --quiet nothing is",
          not surety("check", "-c", "deep.json", "--jsonl", "-q",
                     stdin="1\n").err)


def progress():
    write("many.jsonl", '{"items":[]}\n' * 400000)
    out = os.open(os.devnull, os.O_WRONLY)
    os.close(out)
    try:
        code, shown = on_terminal(*BASE, "many.jsonl")
    except NoTerminal as error:
        skip("progress", str(error))
        return
    check("progress on a terminal, with what is done and left",
          code == 0 and "400000 replies: 400000 valid" in shown
          and ("replies/s" in shown or "replies, " in shown or "%" in shown
               or "\r" not in shown), shown[-400:])
    if "\r" in shown.replace("\r\n", ""):
        check("with per cent where the size is known", " %, " in shown,
              shown[:400])
    os.unlink(os.path.join(FOLDER, "many.jsonl"))


run_tests(prepare, numbers_and_ids, numbers_of_many, raw, values, meant,
          frequent, progress)

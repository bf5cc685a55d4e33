#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a terminal would act on: shown_test.py SURETY. A model's text may hold
C1 controls (U+009B begins a command), and characters that turn or hide what
is around them. No report in JSON has one of them raw, whatever prints it,
and its values are the same; a value that goes to a file or a pipe is data and
stays as it is."""

import json

from cli_run import (NoTerminal, check, on_terminal, run_tests, same, skip,
                     surety, write)

ACTED_ON = ([chr(code) for code in range(0x7F, 0xA0)]
            + list("\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c"
                   "\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"))
EVIL = "".join("a" + char for char in ACTED_ON)
HAS_RUN = "  run " in surety("--help").out


def is_shown(text):
    return not any(char in text for char in ACTED_ON)


def prepare():
    write("open.json", {"type": "object"})
    write("strict.json", {"type": "object", "required": ["n"], "properties": {
        EVIL: {"type": "integer"}, "t": {"enum": [EVIL]}}})
    write("good.json", json.dumps({EVIL: EVIL}, ensure_ascii=False))
    write("bad.json", json.dumps({EVIL: EVIL, "t": EVIL + "x"},
                                 ensure_ascii=False))


def reports():
    for name, command, stream in (
            ("check --report json, valid",
             ("check", "-c", "open.json", "--report", "json", "good.json"),
             "err"),
            ("check --report json, invalid",
             ("check", "-c", "strict.json", "--report", "json", "bad.json"),
             "err"),
            ("check --report sarif",
             ("check", "-c", "strict.json", "--report", "sarif", "bad.json"),
             "err"),
            ("check --stream --report json",
             ("check", "-c", "strict.json", "--stream", "--report", "json",
              "bad.json"), "err"),
            ("check --jsonl", ("check", "-c", "strict.json", "--jsonl", "--id",
                               EVIL, "bad.json"), "out"),
            ("validate -o basic", ("validate", "-o", "basic", "strict.json",
                                   "bad.json"), "out"),
            ("validate -o detailed", ("validate", "-o", "detailed",
                                      "strict.json", "bad.json"), "out")):
        text = getattr(surety(*command), stream)
        report = json.loads(text.splitlines()[-1])
        check(f"{name}: nothing is acted on", is_shown(text), ascii(text))
        check(f"{name}: and its text is the same",
              any(EVIL in part for part in texts(report)), ascii(text))
    text = surety("check", "-c", "open.json", "--jsonl",
                  stdin=EVIL + "\n").out
    check("check --jsonl, of a line that is no record", is_shown(text),
          ascii(text))


def texts(value):
    """Every string in a value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def runs():
    if not HAS_RUN:
        return
    result = surety("run", "-c", "strict.json", "--ledger", "shown.db", "-m",
                    "exec:cat >/dev/null; cat bad.json", "--retries", "0",
                    "--report", "json", "Hi")
    check("run --report json", is_shown(result.err) and EVIL in "".join(
        texts(json.loads(result.err))), result)
    result = surety("stats", "--ledger", "shown.db", "--format", "json")
    check("stats --format json", is_shown(result.out)
          and json.loads(result.out), result)


def values():
    same("a value in a pipe is as it was",
         json.loads(surety("check", "-c", "open.json", "good.json").out),
         {EVIL: EVIL})
    check("raw", EVIL in surety("check", "-c", "open.json", "good.json").out)
    try:
        code, shown = on_terminal("check", "-c", "open.json", "good.json",
                                  stdout=True)
    except NoTerminal as error:
        skip("a value on a terminal", str(error))
        return
    check("on a terminal it is escaped", code == 0 and is_shown(shown)
          and json.loads(shown) == {EVIL: EVIL}, ascii(shown))


run_tests(prepare, reports, runs, values)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands that judge a value besides its contract, in check and in run:
validator_test.py [SURETY]."""

import json
import os
import signal
import sqlite3
import subprocess
import time

from cli_run import (ENV, FOLDER, SURETY, check, complains, gives,
                     reports_of, run_tests, same, surety, write)

EVEN = """
import json, sys
value = json.load(sys.stdin)
if value["a"] % 2:
    print(json.dumps([{"path": "/a", "message": "must be even",
                       "hint": "add one"}]))
"""
CONTRACT = {"type": "object", "required": ["a"],
            "properties": {"a": {"type": "integer"},
                           "b": {"type": "string", "default": "x"}}}


def command(name, text):
    """A command that runs a script of Python."""
    return "python3 " + os.path.join(FOLDER, write(name, text))


def judged(validator, reply='{"a": 4}', *more):
    return surety("check", "-c", "c.json", "--validator", validator, *more,
                  stdin=reply)


def test_check():
    write("c.json", CONTRACT)
    even = command("even.py", EVEN)
    gives("nothing against it", judged(even), 0, '{"a":4,"b":"x"}\n', ())
    gives("an issue", judged(even, 'So:\n{"b": "y", "a": 3}'), 1, "",
          ("stdin:2:17: error[validator]: must be even", "at /a",
           "hint: add one"))
    gives("the next candidate is taken",
          judged(even, '```json\n{"a": 3}\n```\n```json\n{"a": 2}\n```\n'), 0,
          '{"a":2,"b":"x"}\n')
    gives("the value comes with defaults, as a line",
          judged("cat >seen; printf ' \\n'"), 0)
    with open(os.path.join(FOLDER, "seen"), encoding="utf-8") as file:
        same("and as JSON", file.read(), '{"a":4,"b":"x"}\n')
    gives("not where the schema is broken", judged("false", '{"a": "x"}'), 1,
          "", "error[type]")
    gives("issues with status 1 are issues", judged(f"{even}; exit 1",
                                                    '{"a": 3}'), 1, "",
          "error[validator]: must be even")
    gives("several commands, in order", judged(
        even, '{"a": 3}', "--validator",
        'echo \'[{"instanceLocation":"","error":"no"}]\''), 1, "",
        ("must be even", "error[validator]: no"))
    gives("a path of names and indexes", judged(
        'echo \'[{"path":["b/c",0],"message":"no"}]\''), 1, "", "at /b~1c/0")
    gives("--stream", judged(even, '{"a": 3}', "--stream"), 1,
          None, "error[validator]: must be even")
    gives("--report json", judged(even, '{"a": 3}', "--report", "json"), 1, "",
          ('"keyword":"validator"', '"stage":"validation"'))
    gives("--retry-prompt", judged(even, '{"a": 3}', "--retry-prompt",
                                   "errors"), 1, None, "must be even")
    check("what is reported has all of it", all(
        part in judged(even, '{"a": 3}', "--retry-prompt", "errors").out
        for part in ("/a", "must be even", "add one")))


def test_failures():
    """No failure of a command is a yes, or the reply's."""
    write("c.json", CONTRACT)
    huge = "python3 -c \"print('[' + ' ' * {} + ']', end='')\""
    for name, validator, *said in (
            ("there is none", "./nosuch", "./nosuch failed", "status 127"),
            ("it ends with 3", "cat >/dev/null; echo why >&2; exit 3",
             "status 3: why"),
            ("it says [] and ends with 1", "echo '[]'; exit 1", "status 1"),
            ("a signal", "kill -9 $$", "signal 9"),
            ("no JSON", "echo hello", "no JSON", "hint"),
            ("broken JSON and status 2", "echo '[{'; exit 2", "status 2"),
            ("no array", "echo '{\"path\":\"/a\"}'", "no JSON array"),
            ("null", "echo null", "no JSON array"),
            ("no object", "echo '[1]'", "no message"),
            ("no message", "echo '[{\"path\":\"/a\"}]'", "no message"),
            ("an empty one", "echo '[{\"message\":\"\"}]'", "no message"),
            ("a path that is none",
             "echo '[{\"path\":\"a\",\"message\":\"m\"}]'", "JSON Pointer"),
            ("a path of objects",
             "echo '[{\"path\":[{}],\"message\":\"m\"}]'", "JSON Pointer"),
            ("a hint that is none",
             "echo '[{\"hint\":1,\"message\":\"m\"}]'", "hint"),
            ("too much", huge.format(1 << 20), "1048576 bytes",
             "--validator-bytes")):
        complains(name, judged(validator), 4, *said)
    gives("what fits is read", judged(huge.format((1 << 20) - 2)), 0)
    gives("--validator-bytes, at its edge", judged(
        "printf '[   ]'", '{"a": 4}', "--validator-bytes", "5"), 0)
    complains("and above it", judged(
        "printf '[    ]'", '{"a": 4}', "--validator-bytes", "5"), 4,
        "limit of 5 bytes")
    begun = time.monotonic()
    complains("--validator-timeout", judged(
        "sleep 100", '{"a": 4}', "--validator-timeout", "0.3"), 4,
        "not done after 300 ms", "--validator-timeout")
    check("is kept", time.monotonic() - begun < 60)
    for text in ("0", "86401", "x", "-1"):
        complains(f"--validator-timeout {text}", judged(
            "true", '{"a": 4}', "--validator-timeout", text), 2,
            "--validator-timeout")
    complains("an empty command", judged(""), 2, "empty")
    complains("limits of nothing", surety(
        "check", "-c", "c.json", "--validator-bytes", "9"), 2, "--validator")
    complains("without a contract", surety(
        "run", "-m", "exec:true", "--validator", "true", "x"), 2, "validator")


def test_environment():
    write("c.json", CONTRACT)
    env = {"OPENAI_API_KEY": "sk-planted", "MINE": "1", "YOURS": "2"}
    seen = os.path.join(FOLDER, "environment")
    gives("a command gets a small environment", surety(
        "check", "-c", "c.json", "--validator", f"env >{seen}", "--env",
        "MINE", stdin='{"a": 4}', env=env), 0)
    with open(seen, encoding="utf-8") as file:
        names = {line.split("=")[0] for line in file}
    check("what is listed, and no key", {"PATH", "HOME", "MINE"} <= names and
          not {"YOURS", "OPENAI_API_KEY"} & names, names)
    gives("what the value holds is no command", judged(
        "cat >/dev/null", json.dumps({"a": 4, "b": "$(touch hurt); `id`"})), 0)
    check("nothing was run", not os.path.exists(os.path.join(FOLDER, "hurt")))


def test_records():
    write("c.json", CONTRACT)
    even = command("even.py", EVEN)
    log = "".join(f'{{"a": {i}}}\n' for i in range(12))
    for jobs in ("1", "3"):
        result = surety("check", "-c", "c.json", "--jsonl", "--jobs", jobs,
                        "--validator", even, stdin=log)
        gives(f"records with {jobs} jobs", result, 1, None, "6 valid, 6")
        same("each in its place", [one["ok"] for one in reports_of(result)],
             [True, False] * 6)
    result = surety("check", "-c", "c.json", "--jsonl", "--validator",
                    "./nosuch", stdin='{"a": 1}\n{"a": "x"}\n')
    gives("one that fails", result, 4, None, "1 not judged")
    same("is no stage of a reply",
         [one["stage"] for one in reports_of(result)],
         ["validator", "validation"])
    for one in reports_of(result):
        gives("a report", surety("check", "-c", "surety/report", "-q",
                                 stdin=json.dumps(one)), 0)


# A model and a validator that count: a file holds how often they were asked.
MODEL = """
import os, sys
asked = os.path.getsize("asked") if os.path.exists("asked") else 0
open("asked", "a").write("x")
open(f"prompt{asked + 1}", "w").write(sys.stdin.read())
print('{"a": %d}' % (STEP * asked))
"""
THIRD = """
import os
open("judged", "a").write("x")
if os.path.getsize("judged") < 3:
    print('[{"path": "/a", "message": "is not it", "hint": "think"}]')
"""


def fresh():
    for name in ("asked", "judged"):
        if os.path.exists(os.path.join(FOLDER, name)):
            os.remove(os.path.join(FOLDER, name))


def size(name):
    path = os.path.join(FOLDER, name)
    return os.path.getsize(path) if os.path.exists(path) else 0


def test_run():
    write("c.json", CONTRACT)
    third = command("third.py", THIRD)
    for step in (0, 1):
        fresh()
        model = command("model.py", f"STEP = {step}\n{MODEL}")
        ledger = f"ledger{step}.db"
        result = surety("run", "-c", "c.json", "-m", f"exec:{model}",
                        "--validator", third, "--ledger", ledger, "Say a.")
        gives("the third reply is taken", result, 0,
              '{"a":%d,"b":"x"}\n' % (2 * step))
        same("after three calls", (size("asked"), size("judged")), (3, 3))
        with open(os.path.join(FOLDER, "prompt2"), encoding="utf-8") as file:
            told = file.read()
        check("the model is told what and where", all(
            part in told for part in ("/a", "is not it", "think")), told)
        with sqlite3.connect(os.path.join(FOLDER, ledger)) as database:
            rows = [str(row) for table in database.execute(
                "select name from sqlite_master where type = 'table'")
                for row in database.execute(f"select * from {table[0]}")]
        same("the ledger has it", sum(
            "'validator'" in row and "'/a'" in row for row in rows), 2)
        told = surety("stats", "--ledger", ledger)
        gives("and so has stats", told, 0)
        check("by its keyword", "validator" in told.out, told)
    fresh()
    result = surety("run", "-c", "c.json", "-m", f"exec:{model}",
                    "--validator", "echo '[{\"message\":\"never\"}]'",
                    "--ledger", "none", "Say a.")
    gives("one that never says yes", result, 1, "", "never")
    same("is asked for as often as the contract says", size("asked"), 3)


def test_run_failures():
    write("c.json", CONTRACT | {"x-surety": {
        "fallback": {"kind": "value", "value": {"a": 0}}}})
    model = command("model.py", f"STEP = 1\n{MODEL}")
    for validator, said in (("./nosuch", "status 127"),
                            ("sleep 100", "not done after 300 ms"),
                            ("echo hello", "no JSON")):
        fresh()
        result = surety("run", "-c", "c.json", "-m", f"exec:{model}", "-m",
                        f"exec:{model}", "--validator", validator,
                        "--validator-timeout", "0.3", "--ledger", "none",
                        "Say a.")
        complains("a validator that fails", result, 4, "error[validator]",
                  said)
        same("costs one call", size("asked"), 1)
    fresh()
    with subprocess.Popen(
            [SURETY, "run", "-c", "c.json", "-m", f"exec:{model}",
             "--validator", "touch begun; sleep 100", "--ledger", "none", "x"],
            cwd=FOLDER, env=ENV, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE) as running:
        while not os.path.exists(os.path.join(FOLDER, "begun")) and \
                running.poll() is None:
            time.sleep(0.02)
        running.send_signal(signal.SIGTERM)
        said = running.communicate(timeout=60)[1].decode()
    check("a signal ends the run at once", running.returncode ==
          -signal.SIGTERM and "cancelled" in said, said)
    fresh()
    third = command("third.py", THIRD)
    result = surety("run", "-c", "c.json", "-m", f"exec:{model}", "-m",
                    f"exec:{model}", "--consensus", "vote", "--retries", "2",
                    "--validator", third, "--ledger", "none", "--report",
                    "json", "Say a.")
    check("a consensus asks, too", result.code == 0 and size("judged") > 3,
          result)


run_tests(test_check, test_failures, test_environment, test_records, test_run,
          test_run_failures)

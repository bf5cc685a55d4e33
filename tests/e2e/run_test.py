#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surety run against surety mock, over real HTTP: every protocol, every class
of failure, the budget, the ledger, recordings, and where keys must not be."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from cli_run import (ENV, FOLDER, SURETY, check, complains, gives,  # noqa: E402
                     on_terminal, run_tests, same, skip, surety, write)
from run_mock import CANARY, KEYS, Mock, PROTOCOLS, configure  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
VALUE = {"message": "Hello"}
PRINTED = '{"message":"Hello"}\n'
BASE = ("run", "-c", "simple/message", "--ledger", "none")


def run(*arguments, env=None, **more):
    return surety(*BASE, *arguments, env=KEYS | (env or {}), **more)


def ask(*arguments, **more):
    """One question to the mock by Chat Completions."""
    return run("-m", "m-openai:small", *arguments, "Say hello", **more)


def report_of(result):
    return json.loads(result.err.splitlines()[-1])


# ---- what works --------------------------------------------------------------


def test_protocols():
    for protocol in PROTOCOLS:
        with Mock({"json": VALUE, "repeat": True}, require_key=CANARY):
            for mode in ("auto", "native", "tool", "prompt"):
                for stream in ((), ("--no-stream",)):
                    gives(f"{protocol} {mode} {' '.join(stream)}",
                          run("-m", f"m-{protocol}:small", "--mode", mode,
                              *stream, "Say hello"), 0, PRINTED)


def test_open_places():
    """What a contract leaves open comes back as it was meant, kinds apart."""
    rows = [["NAME", "state"], ["Texas", "06"], ["null", "[1]", 29145505, 1e3]]
    rest = {"data_summary": "a", "reasoning_trace": "b", "answer_text": "c",
            "charts_needed": [], "tables_needed": [], "footnotes": ["1", "2"]}

    def output(variables):
        return {"census_data": {"success": True, "data": rows,
                                "variables": variables}} | rest

    plain = output({"06": "null"})
    listed = output({"additional_properties": [
        {"key": "06", "value": "null"}]})
    for protocol in PROTOCOLS:
        in_lists = protocol in ("openai", "responses")
        with Mock({"json": listed if in_lists else plain},
                  strict_schemas=True):
            result = surety("run", "-c", "census/agent-output", "--ledger",
                            "none", "-m", f"m-{protocol}:small", "-v", "What?",
                            env=KEYS)
            gives(f"{protocol}: open places", result, 0, None,
                  ("in mode native" if in_lists else "in mode tool, for",))
            same("the same to the letter", json.loads(result.out), plain)
            check("and the text of numbers is kept",
                  '29145505,1000.0]' in result.out)
    twice = output({"additional_properties": [{"key": "06", "value": "a"},
                                              {"key": "06", "value": "b"}]})
    with Mock({"json": twice}, {"json": listed}):
        result = surety("run", "-c", "census/agent-output", "--ledger", "none",
                        "-m", "m-openai:small", "--retries", "1", "--report",
                        "json", "What?", env=KEYS)
        same("a key that is given twice is no value",
             json.loads(result.out), plain)
        same("it is asked again with its place",
             [one["instanceLocation"] for one in
              report_of(result)["attempts"][0]["report"]["errors"]],
             ["/census_data/variables/additional_properties/1/value"])


def test_asks_again():
    with Mock({"json": {"massage": "Hello"}}, {"json": VALUE}):
        result = ask("-v", "--report", "json")
        gives("a faulty reply is asked for again", result, 0, PRINTED,
              ("re-ask", "attempt 2"))
        report = report_of(result)
        same("with the verdict", report["verdict"], "valid")
        same("two attempts", [one["purpose"] for one in report["attempts"]],
             ["ask", "re-ask"])
        write("report.json", report)
        gives("the report keeps its contract",
              surety("check", "-c", "surety/report", "report.json"), 0)
    with Mock({"json": {"massage": "Hello"}},
              {"json": VALUE, "when": {"contains": "is missing"}}):
        gives("the errors are in the re-ask", ask("--feedback", "errors"), 0,
              PRINTED)
    with Mock({"json": {"massage": "Hello"}},
              {"json": [{"op": "add", "path": "/message", "value": "Hello"}],
               "when": {"contains": "is missing"}}):
        gives("a patch corrects the reply",
              ask("--feedback", "patch", "--mode", "prompt"), 0, None)
    with Mock({"json": {}, "repeat": True}):
        gives("--retries 0 asks once", ask("--retries", "0", "-v"), 1, "",
              "attempt 1")
        check("and not twice", "attempt 2" not in ask("--retries", "0").err)
        gives("--not-strict gives null",
              ask("--retries", "0", "--not-strict"), 0, "null\n", "required")
        gives("--quiet says nothing", ask("--retries", "0", "-q"), 1, "")
        same("nothing", ask("--retries", "0", "-q").err, "")


def test_prompts():
    with Mock({"echo": True, "repeat": True}):
        echo = ("run", "--ledger", "none", "-m", "m-openai:small")
        gives("without a contract the reply is text",
              surety(*echo, "Bonjour", env=KEYS), 0, "Bonjour\n")
        gives("the prompt from standard input",
              surety(*echo, stdin="Guten Tag\n", env=KEYS), 0, "Guten Tag\n")
        gives("and from -", surety(*echo, "-", stdin="Hej", env=KEYS), 0,
              "Hej\n")
        complains("an empty one", surety(*echo, stdin="\n", env=KEYS), 2,
                  "empty")
        complains("an empty argument", surety(*echo, "", env=KEYS), 2, "empty")
        complains("bytes that are no text",
                  surety(*echo, stdin=b"a\xffb", env=KEYS), 2, "UTF-8")
        complains("also where they are far away",
                  surety(*echo, stdin="é".encode() * (1 << 20) + b"\xff",
                         env=KEYS), 2, "UTF-8")
        long = "x" + "é" * (10 << 20) + "\n"
        result = surety("run", "--ledger", "none", "-m", "exec:cat",
                        "--max-tokens", "100000000", stdin=long)
        check("a prompt of 20 MiB", result.code == 0 and result.out == long,
              (result.code, result.err[:400], len(result.out)))
        complains("which is too much for the usual budget",
                  surety("run", "--ledger", "none", "-m", "exec:cat",
                         stdin=long), 3, "the budget of 1000000 tokens")
    with Mock({"json": VALUE, "when": {"contains": "Be brief"}}):
        write("system.txt", "Be brief.\n")
        write("prompt.txt", "Say what @ means.\n")
        result = surety("run", "--ledger", "none", "-m", "exec:cat",
                        "@prompt.txt")
        check("a prompt from a file", (result.code, result.out)
              == (0, "Say what @ means.\n"), result)
        gives("a system prompt from a file", ask("--system", "@system.txt"), 0,
              PRINTED)
    with Mock({"json": VALUE}):
        complains("a system prompt that is not there",
                  ask("--system", "@nowhere.txt"), 4, "nowhere.txt")


def test_escalates():
    with Mock({"json": {}, "when": {"model": "small"}, "repeat": True},
              {"json": VALUE, "when": {"model": "large"}, "repeat": True}):
        both = ("-m", "m-openai:small", "-m", "m-anthropic:large")
        result = run(*both, "--retries", "1", "--report", "json", "Hello")
        gives("the second model answers", result, 0, PRINTED)
        same("after the first was asked twice",
             [one["model"] for one in report_of(result)["attempts"]],
             ["m-openai:small", "m-openai:small", "m-anthropic:large"])
        configure_default = json.loads(
            open(os.path.join(FOLDER, "surety.json"), "rb").read())
        configure_default["default"] = ["m-openai:small", "m-openai:large"]
        write("default.json", configure_default)
        gives("the default of the configuration",
              run("--config", "default.json", "--retries", "0", "Hello"), 0,
              PRINTED)
    with Mock({"status": 500, "when": {"model": "small"}, "repeat": True},
              {"json": VALUE}):
        gives("a provider that fails is given up",
              run("-m", "m-openai:small", "-m", "m-gemini:large", "Hello"), 0,
              PRINTED)


def test_falls_back():
    contract = {"type": "object", "required": ["a"], "x-surety": {
        "retry": {"max": 1},
        "fallback": {"kind": "value", "value": {"b": "${who}"}}}}
    write("falls.json", contract)
    falls = ("run", "-c", "falls.json", "--ledger", "none", "-m",
             "m-openai:small", "--var", "who=me")
    with Mock({"json": {}, "repeat": True}):
        gives("the contract's fallback", surety(*falls, "Hi", env=KEYS), 0,
              '{"b":"me"}\n', "fallback")
        result = surety(*falls, "--show-prompt", "Hi", env=KEYS)
        check("what is ours in a contract is not shown to the model",
              "is missing" in result.err and "x-surety" not in result.err,
              result.err)
        gives("not with --no-fallback",
              surety(*falls, "--no-fallback", "Hi", env=KEYS), 1, "",
              "required")


# ---- what goes wrong ---------------------------------------------------------


def test_failures():
    for name, reply, code, parts in (
            ("a refusal", {"refusal": "I will not"}, 1, ("I will not",)),
            ("a filter", {"text": "", "finish": "filter"}, 1, ("filter",)),
            ("an error in a 200", {"status": 200, "error": "Out of luck"}, 3,
             ("Out of luck",)),
            ("HTML", {"html": True}, 3, ()),
            ("a page with 502", {"html": True, "status": 502}, 3, ("502",)),
            ("an empty body", {"empty": True}, 3, ()),
            ("an unknown model", {"status": 404, "error": "no such model"}, 3,
             ("no such model",)),
            ("a spent quota", {"status": 429, "error": {
                "code": "insufficient_quota", "message": "You have spent it"}},
             3, ("spent",)),
            ("broken events", {"malformed_sse": True, "json": VALUE}, 3, ()),
            ("a reset", {"json": VALUE, "reset_at": 20}, 3, ()),
            ("a stream that is cut", {"json": VALUE, "cut_at": 100}, 3, ()),
            ("an answer of 70 MiB of x", {"huge": 70}, 1, ("ran away",))):
        with Mock(dict(reply, repeat=True)):
            complains(name, ask(), code, *parts)
    with Mock({"huge": 70, "repeat": True}):
        complains("and in one piece", ask("--no-stream"), 3, "larger")
    with Mock({"json": VALUE, "no_end_mark": True, "repeat": True}):
        complains("a stream without its end",
                  run("-m", "m-anthropic:small", "Hi"), 3)
    with Mock({"json": VALUE}, require_key="another"):
        result = ask()
        complains("a wrong key", result, 3, "401")
        check("is not shown", CANARY not in result.err)
    with Mock({"json": VALUE, "repeat": True}) as mock:
        configure(mock.url.replace("http:", "https:"))
        complains("no TLS there", ask(), 3, "connection")
    result = run("-m", "m-openai:x", "Hi")
    complains("nobody listens", result, 3, "m-openai:x")
    configure("http://nobody.invalid")
    complains("an unknown host", ask(), 3, "nobody.invalid")


def test_retries():
    with Mock({"status": 429, "headers": {"Retry-After": "0"}},
              {"status": 503}, {"status": 529}, {"json": VALUE}):
        gives("rate limits and overloads pass", ask(), 0, PRINTED)
    with Mock({"status": 429, "headers": {"Retry-After": "3600"}},
              {"json": VALUE}):
        complains("an hour is not waited for", ask(), 3, "429")
    with Mock({"status": 429, "headers": {"Retry-After": "1"}},
              {"json": VALUE}):
        begun = time.monotonic()
        gives("a second is", ask(), 0, PRINTED)
        check("and it was waited", time.monotonic() - begun >= 1)
    with Mock({"status": 401, "error": "no"}, {"json": VALUE}):
        complains("a wrong key is not tried again", ask(), 3, "401")


def test_budgets():
    with Mock({"json": {}, "repeat": True}):
        complains("calls", ask("--max-calls", "2", "--retries", "9"), 1,
                  "budget")
        complains("tokens", ask("--max-tokens", "1"), 3, "budget")
        complains("money without prices", ask("--max-usd", "1"), 2, "price")
        config = json.loads(open(os.path.join(FOLDER, "surety.json"),
                                 "rb").read())
        config["prices"] = {"m-openai:small": {"input": 1000, "output": 9000}}
        write("prices.json", config)
        complains("money", ask("--config", "prices.json", "--max-usd", "0.5",
                               "--retries", "9"), 1, "budget")
    for how in ("pings", "spaces", True):
        with Mock({"json": VALUE, "never_end": how, "repeat": True}):
            complains(f"a stream that never ends ({how}) ends in time",
                      ask("--max-seconds", "0.7"), 3, "budget")
    with Mock({"json": VALUE, "delay_ms": 600000}):
        complains("no first byte", ask("--first-byte-timeout", "0.3",
                                       "--max-calls", "1"), 3)
    with Mock({"json": VALUE, "stall_at": 30}):
        complains("a stall", ask("--idle-timeout", "0.3"), 3)


def test_options():
    write("empty.json", "{}")
    for name, arguments, parts in (
            ("no model", ("Hi",), ("-m",)),
            ("an unknown one", ("-m", "nobody", "Hi"), ("nobody",)),
            ("an unknown provider", ("-m", "opnai:x", "Hi"), ("openai:x",)),
            ("no key", ("-m", "openai:x", "Hi"), ("OPENAI_API_KEY",)),
            ("two prompts", ("-m", "ollama:x", "a", "b"), ("quote",)),
            ("no number", ("-m", "ollama:x", "--retries", "x", "Hi"),
             ("--retries",)),
            ("too many", ("-m", "ollama:x", "--retries", "101", "Hi"),
             ("0 to 100",)),
            ("half a token", ("-m", "ollama:x", "--max-tokens", "1.5", "Hi"),
             ("whole",)),
            ("no time", ("-m", "ollama:x", "--timeout", "0", "Hi"), ()),
            ("too hot", ("-m", "ollama:x", "-t", "2.1", "Hi"), ("0 to 2",)),
            ("one file twice", ("-m", "ollama:x", "--record", "r", "--replay",
                                "r", "Hi"), ("same file",)),
            ("one file, spelled twice", ("-m", "exec:cat", "--record",
                                         "./empty.json", "--replay",
                                         "empty.json", "Hi"), ("same file",)),
            ("the replayed model's", ("-m", "replay:empty.json", "--record",
                                      "./empty.json", "Hi"), ("same file",)),
            ("an empty ledger", ("-m", "ollama:x", "--ledger", "", "Hi"),
             ("--ledger",)),
            ("a mode that it has not", ("-m", "exec:cat", "--mode", "native",
                                        "Hi"), ("native",))):
        complains(name, surety(*BASE, "--config", "empty.json", *arguments), 2,
                  *parts)
    complains("an option for contracts",
              surety("run", "-m", "ollama:x", "--retries", "1", "Hi"), 2,
              "--retries is for a contract")
    for contract in ("nobody/has-this", "nowhere.json"):
        complains(f"the contract {contract}",
                  surety("run", "-c", contract, "-m", "exec:cat", "Hi"), 2,
                  contract)
    complains("an empty model among others",
              run("-m", "exec:cat", "-m", "", "-m", "exec:cat", "Hi"), 2,
              "empty")


def test_configuration():
    for name, text, parts in (
            ("an unknown member", '{\n "modles": {}}', (":2:2:", "models")),
            ("a comment that never ends", '{\n\n /* x', (":3:2:",)),
            ("a trailing comma", '{"default": "a:b",}', (":1:19:",)),
            ("an amount that is none", '{"budget":\n {"usd": 0}}',
             (":2:10:", "/budget/usd")),
            ("an unknown provider",
             '{"models": {"a": {"provider": "opnai", "model": "b"}}}',
             (":1:31:", "openai")),
            ("a key", '{"providers": {"openai": {"api_key": "%s"}}}' % CANARY,
             (":1:27:", "key_env"))):
        result = surety("run", "--config", write("wrong.json", text), "-m",
                        "ollama:x", "Hi")
        complains(name, result, 2, "wrong.json", *parts)
        check("shows no key", CANARY not in result.err)
    complains("one that is not there",
              surety("run", "--config", "nowhere.json", "-m", "ollama:x",
                     "Hi"), 4, "nowhere.json")
    text = open(os.path.join(ROOT, "docs", "configuration.md"),
                encoding="utf-8").read()
    block = re.search(r"```jsonc\n(.*?)```", text, re.DOTALL)[1]
    write("guide/surety.json", block)
    gives("the guide's example",
          surety("run", "--config", "guide/surety.json", "--dry-run", "-m",
                 "careful", "Hi"), 0)
    write(".config/surety/surety.json", '{"default": "exec:cat"}')
    os.rename(os.path.join(FOLDER, "surety.json"),
              os.path.join(FOLDER, "aside.json"))
    gives("the user's own", surety("run", "--ledger", "none", "Hi"), 0, "Hi\n")
    write("surety.json", '{"default": "exec:tr a-z A-Z"}')
    gives("the working folder's comes first",
          surety("run", "--ledger", "none", "Hi"), 0, "HI\n")
    if os.getuid() == 0:
        os.chown(os.path.join(FOLDER, "surety.json"), 12345, -1)
        complains("one that somebody else put there",
                  surety("run", "--ledger", "none", "Hi"), 2, "another user")
        gives("unless it is named",
              surety("run", "--ledger", "none", "--config", "surety.json",
                     "Hi"), 0, "HI\n")
    os.rename(os.path.join(FOLDER, "aside.json"),
              os.path.join(FOLDER, "surety.json"))


def test_commands():
    base = ("run", "--ledger", "none", "--config", "empty.json")
    gives("a command answers", surety(*base, "-m", "exec:cat", "Hi"), 0,
          "Hi\n")
    complains("one that fails",
              surety(*base, "-m", "exec:echo broken >&2; exit 3", "Hi"), 3,
              "broken")
    complains("one that is none",
              surety(*base, "-m", "exec:no-such-command-here", "Hi"), 3)
    planted = {"OPENAI_API_KEY": CANARY, "OTHER": "seen", "TZ": "UTC"}
    result = surety(*base, "-m", "exec:env | sort", "Hi", env=planted)
    check("a command gets no keys, and what it needs",
          result.code == 0 and CANARY not in result.out
          and "OTHER" not in result.out
          and {"PATH", "HOME", "LC_ALL", "TZ"}
          <= {line.split("=")[0] for line in result.out.splitlines()}
          <= {"PATH", "HOME", "LC_ALL", "TZ", "PWD", "OLDPWD", "SHLVL", "_"},
          result)
    gives("but what --env names",
          surety(*base, "-m", "exec:echo $OTHER$MORE", "--env", "OTHER",
                 "--env", "MORE", "Hi", env=planted), 0, "seen\n",
          "warning: the environment variable MORE, which is listed for a "
          "command, is not set")
    write("environment.json", {"models": {
        "bare": {"provider": "exec", "model": "echo =$OTHER="},
        "listed": {"provider": "exec", "model": "echo =$OTHER=",
                   "env": ["OTHER"]}}})
    own = ("run", "--ledger", "none", "--config", "environment.json", "-m")
    gives("or the configuration lists", surety(*own, "listed", "Hi",
                                               env=planted), 0, "=seen=\n")
    gives("for that model alone",
          surety(*own, "bare", "--show-prompt", "-m", "listed", "Hi",
                 env=planted), 0, "==\n")
    for name in ("", "1A", "A=b", "A B"):
        complains(f"--env {name!r}",
                  surety(*base, "-m", "exec:cat", "--env", name, "Hi"), 2,
                  "--env takes the name of a variable")
    gives("with a contract",
          surety(*base, "-c", "simple/message", "-m",
                 "exec:cat >/dev/null; echo '{\"message\":\"x\"}'", "Hi"), 0,
          '{"message":"x"}\n')


def test_dry_run():
    configure("http://127.0.0.1:1", prices={
        "m-openai:small": {"input": 1, "output": 2}})
    result = ask("--dry-run", "--max-output-tokens", "100", "--max-calls", "2",
                 "--max-usd", "0.5", env={"MOCK_KEY": ""})
    gives("--dry-run needs no key and reaches nobody", result, 0, None,
          ("POST http://127.0.0.1:1/v1/chat/completions", "at most 2 calls",
           "costs at most about $0.0", "the budget ends it at $0.50\n"))
    body = json.loads(result.out)
    same("its body", body.get("max_tokens",
                              body.get("max_completion_tokens")), 100)
    gives("indented", ask("--dry-run", "--pretty"), 0, None, "not known")
    check("as asked", ask("--dry-run", "--pretty").out.startswith("{\n  "))
    complains("not with --record", ask("--dry-run", "--record", "x"), 2,
              "--record")


# ---- ledger and recordings ---------------------------------------------------


def rows(path, query):
    base = sqlite3.connect(os.path.join(FOLDER, path))
    try:
        return base.execute(query).fetchall()
    finally:
        base.close()


def table_of(path):
    """The table of attempts: the one with the most columns."""
    names = [name for (name,) in rows(
        path, "select name from sqlite_master where type = 'table'")]
    return max(names, key=lambda name: len(rows(
        path, f"pragma table_info({name})")))


def test_ledger():
    base = ("run", "-c", "simple/message", "-m", "m-openai:small")
    with Mock({"json": {"massage": "secret-reply"}}, {"json": VALUE},
              then="repeat"):
        gives("the default place",
              surety(*base, "secret-prompt", env=KEYS), 0, PRINTED)
        place = ".local/state/surety/ledger.db"
        check("is made", os.path.exists(os.path.join(FOLDER, place)))
        check("for its user alone", os.stat(os.path.join(
            FOLDER, ".local/state/surety")).st_mode & 0o077 == 0)
        same("two attempts are in it", rows(
            place, f"select count(*) from {table_of(place)}"), [(2,)])
        data = open(os.path.join(FOLDER, place), "rb").read()
        check("no texts", b"secret-reply" not in data
              and b"secret-prompt" not in data)
        gives("--ledger FILE with texts",
              surety(*base, "--ledger", "raw.db", "--ledger-raw",
                     "secret-prompt", env=KEYS), 0, PRINTED)
        check("holds them", any(
            b"secret-prompt" in open(os.path.join(FOLDER, name), "rb").read()
            for name in os.listdir(FOLDER) if name.startswith("raw.db")))
        gives("--tag TEXT", surety(*base, "--ledger", "tag.db", "--tag",
                                   "night é", "Hi", env=KEYS), 0, PRINTED)
        same("is in each row", rows("tag.db", "select distinct tag from "
                                    "attempts"), [("night é",)])
        write("broken.db", b"no database" * 1000)
        complains("a ledger that is none",
                  surety(*base, "--ledger", "broken.db", "Hi", env=KEYS), 4,
                  "--ledger none")
        gives("passes with --ledger-optional",
              surety(*base, "--ledger", "broken.db", "--ledger-optional",
                     "Hi", env=KEYS), 0, PRINTED, "ledger")
        complains("a ledger below a file",
                  surety(*base, "--ledger", "broken.db/ledger.db", "Hi",
                         env=KEYS), 4, "--ledger none")
        newer = os.path.join(FOLDER, "newer.db")
        gives("a ledger", surety(*base, "--ledger", "newer.db", "Hi",
                                 env=KEYS), 0, PRINTED)
        opened = sqlite3.connect(newer)
        opened.execute("pragma user_version = 9999")
        opened.commit()
        opened.close()
        complains("of a newer version",
                  surety(*base, "--ledger", "newer.db", "Hi", env=KEYS), 4,
                  "newer")
        locked = sqlite3.connect(os.path.join(FOLDER, "raw.db"))
        locked.execute("begin exclusive")
        complains("that is locked", surety(*base, "--ledger", "raw.db", "Hi",
                                           env=KEYS), 4, "raw.db")
        locked.rollback()
        locked.close()
        if os.getuid() == 0:
            skip("a ledger that is read-only", "root may write to all files")
        else:
            os.chmod(os.path.join(FOLDER, "raw.db"), 0o400)
            complains("that is read-only",
                      surety(*base, "--ledger", "raw.db", "Hi", env=KEYS), 4)
    gives("nowhere to put it",
          surety("run", "-m", "exec:cat", "Hi", env={
              "HOME": "", "XDG_STATE_HOME": ""}), 4, "", "--ledger")


def test_recordings():
    with Mock({"json": {"massage": "x"}}, {"json": VALUE}):
        gives("--record", ask("--record", "made.jsonl"), 0, PRINTED)
    path = os.path.join(FOLDER, "made.jsonl")
    text = open(path, encoding="utf-8").read()
    same("two exchanges", len(text.splitlines()), 2)
    check("without the key", CANARY not in text)
    check("for its user alone", os.stat(path).st_mode & 0o077 == 0)
    configure("http://127.0.0.1:1")
    gives("--replay needs no key and no server",
          ask("--replay", "made.jsonl", env={"MOCK_KEY": ""}), 0, PRINTED)
    complains("another request is not in it",
              run("-m", "m-openai:small", "--replay", "made.jsonl",
                  "Say goodbye"), 3)
    gives("-m replay: plays it in order",
          run("-m", "replay:made.jsonl", "Say goodbye"), 0, PRINTED)
    write("broken.jsonl", "{}\n{\n")
    complains("a broken recording",
              ask("--replay", "broken.jsonl"), 2, "broken.jsonl:1:")
    complains("as a model", run("-m", "replay:broken.jsonl", "Hi"), 2)
    complains("a recording that cannot be written",
              ask("--record", "none/such"), 4, "none/such")
    free = ("run", "--ledger", "none", "--config", "empty.json")
    spends = ("-m", "exec:touch spent; head -c 20000 /dev/zero | tr '\\0' x")
    write("empty.json", "{}")
    for place in ("/dev/full", "none/such", "."):
        complains(f"is found before anything is spent: {place}",
                  surety(*free, *spends, "--record", place, "Hi"), 4,
                  f"the recording {place} cannot be written")
        check("so nothing is", not os.path.exists(
            os.path.join(FOLDER, "spent")))
    paid = "x" * 20000 + "\n"
    for name, more in (("", ()), (" of several", ("--consensus", "first"))):
        result = surety(*free, *spends, *more, "--record", "small.jsonl", "Hi",
                        file_max=8192)
        check(f"an answer{name} is given out though it cannot be recorded",
              result.code == 4 and result.out == paid and result.err.count(
                  "the recording small.jsonl cannot be written: "
                  "File too large") == 1, result)
    same("and no half of a line is left",
         os.path.getsize(os.path.join(FOLDER, "small.jsonl")), 0)
    complains("no room for the first page",
              surety(*free, *spends, "--record", "small.jsonl", "Hi",
                     file_max=100), 4, "small.jsonl cannot be written")
    same("leaves none either",
         os.path.getsize(os.path.join(FOLDER, "small.jsonl")), 0)
    os.unlink(os.path.join(FOLDER, "spent"))
    result = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", SURETY, *free, *spends, "Hi"],
        capture_output=True, text=True, cwd=FOLDER, env=ENV, timeout=60,
        check=False)
    check("nor is anything spent on an answer that has nowhere to go",
          result.returncode == 4 and "standard output" in result.stderr
          and not os.path.exists(os.path.join(FOLDER, "spent")), result)


def test_recordings_by_hand():
    write("hand.jsonl", '{"end": "connect"}\n' + json.dumps({
        "response": {"json": {"choices": [{"message": {
            "content": json.dumps(VALUE)}, "finish_reason": "stop"}]}}}) + "\n")
    write("quick.json", {"retry": {"first": 0.001}})
    gives("a recording by hand that names no model",
          run("--config", "quick.json", "-m", "replay:hand.jsonl",
              "--no-stream", "Hi"), 0, PRINTED)


def test_tour():
    story = os.path.join(ROOT, "examples", "recordings", "story.jsonl")
    result = surety("run", "-c", "user-story/iteration-output", "--retries",
                    "2", "-m", "replay:" + story, "-v", "--show-prompt",
                    "--show-reply", "--ledger", "tour.db", "As a user I want "
                    "to sign in with my phone")
    gives("the tour", result, 0, None,
          ("As a user I want", '"confidence": 85', "maximum at /confidence",
           "minLength at /changesApplied/0/description", "attempt 2",
           "recorded as run"))
    same("its value", json.loads(result.out)["confidence"], 0.85)
    same("its record", rows(
        "tour.db", f"select count(*) from {table_of('tour.db')}"), [(2,)])


# ---- signals, terminals, keys ------------------------------------------------


def started(*arguments):
    return subprocess.Popen(
        [SURETY, "run", "-c", "simple/message", "-m", "m-openai:small",
         *arguments, "Hi"], cwd=FOLDER, env=ENV | KEYS,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)


def test_signals():
    # None of these ends within the time that the tool is given below.
    for how, said, reply in (
            ("mid-stream", b"message", {"json": VALUE, "never_end": True}),
            ("before the first byte", b"attempt 1: asks",
             {"json": VALUE, "delay_ms": 600000}),
            ("while it waits to retry", b"after attempt 1",
             {"status": 429, "headers": {"Retry-After": "55"}})):
        with Mock(dict(reply, repeat=True)):
            process = started("--ledger", "signal.db", "-v", "--show-reply")
            heard = b""
            while said not in heard:
                heard += os.read(process.stderr.fileno(), 65536)
            with open(f"/proc/{process.pid}/limits",
                      encoding="ascii") as limits:
                check("a process with keys leaves no core file", re.search(
                    r"Max core file size +0 +0 ", limits.read()))
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=45)
            same(f"Ctrl-C {how} ends by the signal", process.returncode,
                 -signal.SIGINT)
            same("with no value", out, b"")
            check("and says so", b"cancelled" in err, err.decode())
    table = table_of("signal.db")
    check("what was under way is recorded as cancelled",
          any("cancelled" in map(str, row)
              for row in rows("signal.db", f"select * from {table}")),
          rows("signal.db", f"select * from {table}"))


def test_terminal():
    evil = "\x1b]0;owned\x07 \u202etxt\u009b31m\tend"
    with Mock({"json": {"x": evil}, "repeat": True}):
        for name, arguments in (("--show-reply", ("--show-reply",)), ("", ())):
            code, shown = on_terminal(
                "run", "-c", "simple/message", "--ledger", "none", "-m",
                "m-openai:small", "--retries", "0", *arguments, "Hi",
                env=KEYS)
            same(f"a terminal {name}", code, 1)
            check("is not acted on", not re.search(
                "\x1b\\]|\x07|\u202e|\u009b", shown), repr(shown))
    with Mock({"text": evil, "repeat": True}):
        code, shown = on_terminal(
            "run", "--ledger", "none", "-m", "m-openai:small", "Hi",
            stdout=True, env=KEYS)
        same("text on a terminal", code, 0)
        check("is not acted on", "\\x1B]0;owned\\x07" in shown
              and "\\u{202E}" in shown and "\\u{009B}" in shown, repr(shown))
        same("and elsewhere is as it came",
             surety("run", "--ledger", "none", "-m", "m-openai:small", "Hi",
                    env=KEYS).out, evil + "\n")
    with Mock({"json": VALUE, "delay_ms": 900}):
        code, shown = on_terminal(*BASE, "-m", "m-openai:small", "Hi",
                                  env=KEYS)
        check("progress moves on a terminal", code == 0
              and "attempt 1, 0 s" in shown and "\r" in shown, repr(shown))
    with Mock({"json": VALUE, "delay_ms": 900}):
        code, shown = on_terminal(*BASE, "-m", "m-openai:small", "Hi",
                                  stdout=True, env=KEYS)
        check("and is gone before the value comes",
              code == 0 and "{" in shown and
              shown[:shown.index("{")].endswith("\r\x1b[K"), repr(shown))


def test_keys():
    """The canary goes to the server, and nowhere else."""
    write("key.txt", CANARY + "\n")
    os.chmod(os.path.join(FOLDER, "key.txt"), 0o644)
    found = []
    for reply in ({"json": VALUE}, {"status": 401, "error": f"bad {CANARY}"},
                  {"status": 500, "error": f"at {CANARY}"},
                  {"html": f"<p>{CANARY}</p>"},
                  {"status": 429, "error": f"slow {CANARY}",
                   "headers": {"Retry-After": "99"}}):
        with Mock(dict(reply, repeat=True)) as mock:
            configure(mock.url, ledger={"url": "keys.db", "raw": True})
            for more in ((), ("--report", "json"), ("--no-stream", "-v")):
                result = surety("run", "-c", "simple/message", "-m",
                                "m-openai:small", "--record", "keys.jsonl",
                                "-v", *more, "Hi", env=KEYS)
                if CANARY in result.out + result.err:
                    found.append((reply, more, result))
                if CANARY in open(os.path.join(FOLDER, "keys.jsonl"),
                                  encoding="utf-8").read():
                    found.append((reply, more, "recording"))
    for name in os.listdir(FOLDER):
        if name.startswith("keys.") and CANARY.encode() in open(
                os.path.join(FOLDER, name), "rb").read():
            found.append(name)
    check("the key is in no output, recording or ledger", not found, found)
    with Mock({"json": VALUE}, require_key=CANARY) as mock:
        config = {"providers": {"f": {"base_url": mock.url + "/v1",
                                      "key_file": "key.txt"}}}
        write("file.json", config)
        result = run("--config", "file.json", "-m", "f:x", "Hi", env={
            "MOCK_KEY": ""})
        gives("a key from a file, which is warned of", result, 0, PRINTED,
              "chmod 600")
        check("not shown", CANARY not in result.err)


if __name__ == "__main__":
    if surety("mock", "--help").code != 0:
        skip("surety run", "this build has no surety mock")
        run_tests()
    run_tests(test_protocols, test_open_places, test_asks_again, test_prompts,
              test_escalates, test_falls_back, test_failures, test_retries,
              test_budgets, test_options, test_configuration, test_commands,
              test_dry_run, test_ledger, test_recordings,
              test_recordings_by_hand, test_tour, test_signals, test_terminal,
              test_keys)

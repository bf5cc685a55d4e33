#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/systems/credibility against surety mock and from its recordings: a
prompt with a schema and without, re-asks, what is told when none helped, broken
calls, and several models at once: systems_credibility_test.py [SURETY]."""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from cli_run import (ENV, FOLDER, check, gives, run_tests,  # noqa: E402
                     same, write)
from run_mock import Mock, configure  # noqa: E402
from systems_run import (SYSTEMS, given, is_careful,  # noqa: E402
                         is_small, recording, script, system)
from transport_run import Server, keeps_alive, whole  # noqa: E402

SYSTEM = os.path.join(SYSTEMS, "credibility")
PROMPT = "How credible is this?"
PROTOCOLS = ("openai", "responses", "anthropic", "gemini")
THREE = ("m-openai:a", "m-anthropic:b", "m-gemini:c")
SIMPLE = {"type": "object", "required": ["message"],
          "properties": {"message": {"type": "string"}}}


def analysis(score=7.5, posts=20, areas=("energy",)):
    return {"crediScore": score, "overview": {"sampledPosts": posts,
                                              "focusAreas": list(areas)}}


def line(value):
    return json.dumps(value, separators=(",", ":")) + "\n"


def ask(*arguments, models=("m-openai:a",), prompt=PROMPT):
    named = [word for model in models for word in ("-m", model)]
    return system("credibility", *named, *arguments, prompt)


def says(model, value, **more):
    return {"when": {"model": model}, "json": value, "repeat": True} | more


def test_example():
    """The script and the recordings that the guide shows."""
    posts = given("posts.txt")
    with Mock(*script("credibility")["replies"]):
        live = {name: ask(models=["m-openai:" + name], prompt=posts)
                for name in ("careful", "steady", "busy", "lost")}
        four = ask("--consensus", "vote", prompt=posts, models=[
            "m-openai:" + name for name in ("steady", "busy", "lost")])
    gives("two re-asks, then the value", live["careful"], 0, line(analysis(
        7.5, 4, ["energy", "electricity grids"])), ["3 calls"])
    gives("no right answer", live["lost"], 1, "")
    gives("three models of which one fails", four, 0, None,
          ["m-openai:lost: rejected, 3 calls", "agreement"])
    for name in live:
        file = "credibility" + ("" if name == "careful" else "-" + name)
        gives(f"{name}: the same from the recording", ask(
            models=[recording(file)], prompt=posts), live[name].code,
            live[name].out)
    gives("several recordings are several models", ask(
        "--consensus", "vote", prompt=posts, models=[
            recording("credibility" + one) for one in ("-steady", "-busy",
                                                       "-lost")]),
        0, four.out)


def test_schema():
    wants = [PROMPT, '"crediScore"', '"maximum": 10', '"focusAreas"']
    # Anthropic and Gemini show the model the schema of the request themselves.
    shown = [PROMPT, "the schema that comes with this request"]
    for protocol in PROTOCOLS:
        with Mock({"when": {"nth": 1, "mode": "native", "contains":
                            wants if protocol in ("openai", "responses")
                            else shown},
                   "json": analysis()}):
            gives(f"S4.5 the first prompt carries the schema ({protocol})",
                  ask(models=[f"m-{protocol}:a"]), 0, line(analysis()))
        with Mock({"text": "So so."}, {"json": analysis(11)},
                  {"json": analysis()}):
            gives(f"S4.14 re-asks and a value through {protocol}",
                  ask(models=[f"m-{protocol}:a"]), 0, line(analysis()),
                  ["3 calls"])
    with Mock({"text": 'It is:\n```json\n' + json.dumps(analysis()) + "\n```"}):
        gives("S4.7 JSON in a block is found", ask(), 0, line(analysis()))
    with Mock({"json": analysis() | {"more": 1}}):
        gives("unknown members are left out", ask(), 0, line(analysis()))
    for name, value, code in (
            ("0", analysis(0), 0), ("10", analysis(10), 0),
            ("a score above 10", analysis(10.1), 1),
            ("a score as text", analysis("7.5"), 1),
            ("posts missing", {"crediScore": 5, "overview": {
                "focusAreas": []}}, 1)):
        with Mock({"json": value}, then="repeat"):
            gives(f"S4.20 {name}", ask(), code,
                  line(value) if code == 0 else "")
    with Mock({"when": {"contains": '"score"'},
               "json": {"score": 7, "summary": "Sound."}}):
        gives("S4.20 another built-in contract", ask(
            "--schema", "simple/analysis"), 0,
            line({"score": 7, "summary": "Sound."}))
    write("plain.json", SIMPLE)
    with Mock({"text": "none"}, {"text": "none"}, {"json": {"message": "Hi"}}):
        gives("S4.1 a plain schema of the caller's, with two re-asks as well",
              ask("--schema", "plain.json"), 0, line({"message": "Hi"}),
              ["3 calls"])


def test_again():
    plea = "JSON"
    with Mock({"when": {"nth": 1}, "text": "First, in prose."},
              {"when": {"nth": 2, "contains": [PROMPT, plea]},
               "text": '{"crediScore": 11}'},
              {"when": {"nth": 3, "contains": [PROMPT, plea]},
               "json": analysis()}):
        gives("S4.13 a re-ask is made of the prompt and the schema", ask(), 0,
              line(analysis()))
    with Mock({"text": "First."}, {"when": {"contains": "First."},
                                   "json": analysis(1)},
              {"json": analysis(2)}, then="repeat"):
        gives("and not of the reply that failed", ask(), 0, line(analysis(2)))
    replies = ["The first, in prose.", '{"crediScore": 11}', "The third."]
    with Mock(*({"text": text} for text in replies), {"json": analysis()}):
        result = ask()
        gives("S4.10 after two re-asks it is an error", result, 1, "")
        check("S4.8 which makes three calls", "rejected, 3 calls"
              in result.err, result)
        check("S4.11 with message, details, and the original reply, the first",
              "error[rejected]: no reply satisfies the contract" in result.err
              and 'error[json_parse]: expected a value, found "The"'
              in result.err
              and "original reply: The first, in prose.\n" in result.err,
              result)
    with Mock({"json": analysis(11)}, {"json": analysis(12)},
              {"json": analysis(13)}):
        gives("S4.11 details of the schema, with their place", ask(), 1, "",
              ["last reply:1:15: error[maximum]: 13 is greater than the "
               "maximum of 10", "at /crediScore",
               'original reply: {"crediScore":11'])
    with Mock({"text": "\x1b[31mred\x07"}, then="repeat"):
        result = ask()
        check("an original reply that a terminal would act on",
              result.code == 1 and "\x1b" not in result.err, result)


def test_plain():
    for name, prompt in (("a prompt", PROMPT),
                         ("white space and line ends", "  a\r\n\tb\n\n "),
                         ("letters of all scripts", "Zoë — 日本 😀 \u202e"),
                         ("what looks like instructions", '{"a": ${b}} %s %n'),
                         ("a long one", "x" * 100000)):
        for protocol in PROTOCOLS:
            with Mock({"echo": True}):
                gives(f"S4.18 without a schema nothing changes: {name}, "
                      f"{protocol}",
                      ask("--no-schema", prompt=prompt,
                          models=[f"m-{protocol}:a"]), 0, prompt)
    with Mock({"text": "Not JSON, and asked once."}, then="repeat"):
        gives("S4.19 and nothing is asked again", ask("--no-schema"), 0,
              "Not JSON, and asked once.", ["1 call\n"])
    with Mock({"json": analysis()}):
        gives("JSON is text then", ask("--no-schema"), 0,
              json.dumps(analysis(), separators=(",", ":")))
    with Mock({"text": "yes"}, {"text": "no"}, {"text": "yes"}):
        gives("several models without a schema", ask(
            "--no-schema", "--consensus", "vote", models=THREE), 0, None,
            ["vote of 3 models: valid"])
    write("bytes.sh", "printf 'a\\200\\0b\\n'")
    raw = subprocess.run([SYSTEM, "--no-schema", "-m", "exec:sh bytes.sh", "x"],
                         cwd=FOLDER, env=ENV, capture_output=True, timeout=60,
                         check=False)
    same("a reply that is no text is not changed either", raw.stdout,
         b"a\x80\0b\n")


def test_usage():
    with Mock({"json": analysis(), "usage": {"input_tokens": 321,
                                             "output_tokens": 45}}):
        result = ask()
        check("S4.3 usage and time are reported", re.search(
            r"^321 tokens in, 45 out, \d\.\d{3} s$", result.err, re.M),
            result)
    with Mock({"json": analysis(), "usage": None}):
        check("an estimate is called one", "(estimated)" in ask().err)


def test_settings():
    """S4.4: what each protocol is sent of them."""
    numbers = {"openai": ('"temperature":0.25', '"max_tokens":77'),
               "responses": ('"temperature":0.25', '"max_output_tokens":77'),
               "anthropic": ('"temperature":0.25', '"max_tokens":77'),
               "gemini": ('"temperature":0.25', '"maxOutputTokens":77')}
    refusal = whole('{"error": {"message": "Not now."}}',
                    "Content-Type: application/json", status="400 Bad Request")
    for protocol, wanted in numbers.items():
        with Server(keeps_alive(refusal)) as server:
            configure(f"http://127.0.0.1:{server.port}")
            gives(f"S4.4 {protocol}: a call with temperature and tokens", ask(
                "--temperature", "0.25", "--max-output-tokens", "77",
                models=[f"m-{protocol}:a"]), 3, "", "Not now.")
        body = server.asked[0][1].decode()
        check(f"S4.4 {protocol}: they are in the request",
              all(part in body for part in wanted), body)
    with Mock({"json": analysis(), "delay_ms": 600000}, then="repeat") as mock:
        configure(mock.url, retry={"max": 0})
        gives("S4.4 a call ends when its time is up", ask("--timeout", "0.2"),
              3, "", ["no answer in time"])
    for option, values in (("--temperature", ("hot", "-1", "2.1", "")),
                           ("--max-output-tokens", ("0", "1.5", "many")),
                           ("--timeout", ("0", "soon", "-3"))):
        for value in values:
            gives(f"{option} {value}: is no number for it", system(
                "credibility", option, value, PROMPT), 2, "", "usage")


def test_calls():
    with Mock({"status": 503}, {"status": 429, "headers": {"retry-after": "0"}},
              {"text": "one"}, {"status": 502}, {"text": "two"},
              {"status": 500}, {"json": analysis()}):
        gives("broken calls use up no re-asks", ask(), 0, line(analysis()),
              ["7 calls"])
    with Mock({"status": 500, "repeat": True}):
        gives("a provider that is down", ask(), 3, "", ["HTTP 500"])
    with Mock({"status": 401, "repeat": True}):
        gives("a key that is wrong", ask(), 3, "", ["HTTP 401", "1 call"])
    with Mock({"refusal": "I will not."}, {"json": analysis()}):
        gives("a refusal is not argued with", ask(), 1, "", ["I will not."])


def test_consensus():
    replies = (says("a", analysis(7), delay_ms=1200), says("b", analysis(8)),
               says("c", {"crediScore": 99}))
    with Mock(*replies):
        gives("S4.16 the first valid answer in the models' order", ask(
            models=THREE), 0, line(analysis(7)), ["by m-openai:a"])
    # Ten minutes are longer than any test may take.
    with Mock(says("a", analysis(7), delay_ms=600000), *replies[1:]):
        gives("the fastest does not wait for the others",
              ask("--consensus", "fastest", models=THREE), 0,
              line(analysis(8)), ["by m-anthropic:b"])
    with Mock(says("a", analysis(7)), says("b", analysis(8)),
              says("c", analysis(9, areas=["energy", "grids"]))):
        gives("a vote, with who agreed", ask("--consensus", "vote",
                                             models=THREE), 0,
              line(analysis(8)), ["agreement 75.0%",
                                  "/crediScore: 8 (median, 1 of 3)"])
        gives("an aggregate by the first", ask(
            "--consensus", "aggregate", models=THREE), 0, line(analysis(7)),
            ["aggregate of 3 models"])
    with Mock({"when": {"model": "a"}, "status": 401, "repeat": True},
              says("b", {"crediScore": 99}), says("c", analysis(9))):
        for kind in ("first", "fastest", "vote", "aggregate"):
            gives(f"{kind}: one that fails does not fail the rest",
                  ask("--consensus", kind, models=THREE), 0,
                  line(analysis(9)))
    with Mock({"when": {"model": "a"}, "status": 401, "repeat": True},
              says("b", {"crediScore": 99}),
              {"when": {"model": "c"}, "text": "Prose.", "repeat": True}):
        for kind in ("first", "vote"):
            result = ask("--consensus", kind, models=THREE)
            gives(f"{kind}: all fail, each with its reason", result, 1, "",
                  ["m-openai:a: no model gave a reply", "HTTP 401",
                   "m-anthropic:b: no reply satisfies",
                   "m-gemini:c: no reply satisfies",
                   'original reply: {"crediScore":99}',
                   "original reply: Prose."])
            check(f"{kind}: each with its own re-asks", result.err.count(
                "rejected, 3 calls") == 2, result)


def test_wrong_calls():
    write("surety.json", {"default": ["replay:one.jsonl", "replay:two.jsonl"]})
    for name in ("one", "two"):
        write(name + ".jsonl", json.dumps({"reply": analysis()}))
    gives("without -m: the defaults of surety.json",
          system("credibility", PROMPT), 0, line(analysis()), ["of 2 models"])
    write("surety.json", {})
    for name, arguments, parts in (
            ("no prompt", (), ("usage",)),
            ("two prompts", ("a", "b"), ("usage",)),
            ("an unknown option", ("--fast", "a"), ("usage",)),
            ("an unknown consensus", ("--consensus", "all", "a"), ("usage",)),
            ("no such contract", ("--schema", "nope", "a"), ('"nope"',)),
            ("no model", ("a",), ("no model is named", "PROVIDER:MODEL")),
            ("an unknown model", ("-m", "nobody", "a"), ('"nobody"',))):
        gives(name, system("credibility", *arguments), 2, "", parts)
    gives("a recording that is not there", ask(
        models=["replay:nowhere.jsonl"]), 4, "", ["nowhere.jsonl"])
    write("broken.json", '{"type": "nonsense"}')
    gives("a schema that is none", system("credibility", "--schema",
                                          "broken.json", "a"), 2, "",
          ["credibility: type must be"])


def test_program():
    is_careful("credibility", "-m", recording("credibility"), PROMPT)
    is_small("credibility")


run_tests(test_example, test_schema, test_again, test_plain, test_usage,
          test_settings, test_calls, test_consensus, test_wrong_calls,
          test_program)

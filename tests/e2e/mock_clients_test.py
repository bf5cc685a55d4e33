#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The providers' official clients for JavaScript call the mock server and must
understand all that it says: mock_clients_test.py [SURETY]. They are installed
with npm into the build folder, once; without npm or a network the test is
skipped."""

import json
import os
import shutil
import subprocess

from cli_run import (FOLDER, check, gives, run_tests, same, skip, surety,
                     write)
from mock_run import Mock
from others_run import npm_install

CLIENTS = ["openai@7.55.0", "@anthropic-ai/sdk@1.11.0", "@google/genai@3.1.0",
           "ai@7.0.173", "@ai-sdk/openai@4.0.118", "zod@4.1.8"]
HERE = os.path.dirname(os.path.abspath(__file__))
TEXT = "Grüße, wörld: 日本語 🎉 done."
SCRIPT = {"require_key": "sk-test", "models": [
    "text", "thinking", "json", "refusal", "length", "limited", "overloaded",
    "cut", "broken"], "replies": [
    {"when": {"model": "text"}, "text": TEXT, "repeat": True},
    {"when": {"model": "thinking"}, "reasoning": "Let me see.",
     "text": "It is so.", "repeat": True},
    {"when": {"model": "json"}, "json": {"x": 1}, "chunks": 2,
     "repeat": True},
    {"when": {"model": "refusal"}, "refusal": "I cannot.", "repeat": True},
    {"when": {"model": "length"}, "text": "It is", "finish": "length",
     "repeat": True},
    {"when": {"model": "limited"}, "status": 429,
     "headers": {"retry-after": "7"}, "repeat": True},
    {"when": {"model": "overloaded"}, "status": 529, "repeat": True},
    {"when": {"model": "cut"}, "text": "It is so, and more.",
     "cut_at": 400, "repeat": True},
    {"when": {"model": "broken"}, "text": "It is so, and more.",
     "error_mid_stream": True, "repeat": True}]}


ROME, OSLO = (f'In {city} it is "fine",\n20 degrees.'
              for city in ("Rome", "Oslo"))
# An agent's model, which calls a tool twice, and what else a request is like.
AGENTS = {"require_key": "sk-test", "models": [
    "agent", "several", "plain", "form"],
          "replies": [
    {"when": {"model": "agent", "last": "user", "tools": "weather"},
     "tool": "weather", "json": {"city": "Rome"}, "repeat": True},
    {"when": {"model": "agent", "last": "tool", "contains": OSLO},
     "text": "Both are fine.", "repeat": True},
    {"when": {"model": "agent", "last": "tool", "contains": ROME},
     "tool": "weather", "json": {"city": "Oslo"}, "repeat": True},
    {"when": {"model": "several", "last": "user", "tools": "weather"},
     "text": "I ask for both.", "repeat": True, "calls": [
         {"tool": "weather", "json": {"city": "Rome"}},
         {"tool": "weather", "json": {"city": "Oslo"}}]},
    {"when": {"model": "several", "last": "tool", "contains": [ROME, OSLO]},
     "text": "Both are fine.", "repeat": True},
    {"when": {"model": "form", "format": "json_object"}, "text": "an object",
     "repeat": True},
    {"when": {"model": "form", "tool_choice": ["auto", "required"]},
     "text": "may call", "repeat": True},
    {"when": {"model": "form", "tools": True}, "text": "may not call",
     "repeat": True},
    {"when": {"model": "form", "tools": False}, "text": "no tools",
     "repeat": True},
    {"when": {"model": "plain"}, "text": "Plain.", "repeat": True},
    {"when": {"path": "/v1/moderations"}, "body": {
        "id": "modr-1", "model": "m", "results": [{"flagged": False}]}}]}
AGENT_LOOPS = ("openai runTools", "openai runTools stream", "responses loop",
               "responses loop stream", "anthropic toolRunner",
               "anthropic toolRunner stream", "gemini calls",
               "gemini loop stream", "ai generateText")
AT_ONCE = ", at once"  # both calls are in one reply


def see(program, script):
    """What the clients saw, and the log; None and why they could not be
    run."""
    folder, reason = npm_install("mock-clients", CLIENTS)
    if not folder:
        return None, reason
    shutil.copy(os.path.join(HERE, program), folder)
    with Mock(script) as mock:
        run = subprocess.run(
            ["node", os.path.join(folder, program),
             f"http://127.0.0.1:{mock.port}"], cwd=folder,
            capture_output=True, timeout=60, check=False)
    log = mock.logged()
    if b"SyntaxError" in run.stderr or b"ERR_" in run.stderr:
        return None, "this node cannot run the clients"
    return json.loads(run.stdout), log


def of(value, *names):
    return tuple(value.get(name) for name in names)


def test_clients():
    seen, log = see("mock_clients.mjs", SCRIPT)
    if seen is None:
        skip("the official clients", log)
        return
    for name in ("openai whole", "openai stream"):
        same(name, of(seen[name], "text", "finish"), (TEXT, "stop"))
        same(f"{name}: usage", seen[name]["usage"]["total_tokens"], 11)
    same("openai parsed", seen["openai parsed"], {"x": 1})
    same("openai tool stream", seen["openai tool stream"],
         {"name": "emit", "arguments": '{"x":1}'})
    same("openai refusal", of(seen["openai refusal"], "content", "refusal"),
         (None, "I cannot."))
    same("openai 429", of(seen["openai 429"], "error", "status", "code"),
         ("RateLimitError", 429, "rate_limit_exceeded"))
    same("openai 404", of(seen["openai 404"], "error", "code"),
         ("NotFoundError", "model_not_found"))
    check("openai cut", "error" in seen["openai cut"], seen["openai cut"])
    same("openai error in stream", of(seen["openai error in stream"],
                                      "error", "message"),
         ("APIError", "Overloaded"))
    same("openai models", seen["openai models"], SCRIPT["models"])
    same("responses whole", of(seen["responses whole"], "text", "status",
                               "types"),
         ("It is so.", "completed", ["reasoning", "message"]))
    same("responses stream", seen["responses stream"]["text"], "It is so.")
    same("responses tool stream", seen["responses tool stream"],
         {"name": "emit", "arguments": '{"x":1}'})
    same("responses cut off", seen["responses cut off"],
         {"status": "incomplete", "reason": "max_output_tokens"})
    same("responses refusal", seen["responses refusal"],
         {"type": "refusal", "refusal": "I cannot."})
    for name in ("anthropic whole", "anthropic stream"):
        blocks = seen[name]["content"]
        same(name, (blocks[0]["thinking"], blocks[1]["text"],
                    seen[name]["stop_reason"]),
             ("Let me see.", "It is so.", "end_turn"))
    for name in ("anthropic tool", "anthropic tool stream"):
        same(name, of(seen[name], "name", "input"), ("emit", {"x": 1}))
    same("anthropic refusal", seen["anthropic refusal"], "refusal")
    same("anthropic 529", seen["anthropic 529"]["status"], 529)
    check("anthropic error in stream", "overloaded_error" in
          seen["anthropic error in stream"]["message"], seen)
    for name in ("gemini whole", "gemini stream"):
        same(name, of(seen[name], "text", "finish"), ("It is so.", "STOP"))
    same("gemini json", seen["gemini json"], {"x": 1})
    same("gemini tool", seen["gemini tool"],
         [{"name": "emit", "args": {"x": 1}}])
    same("gemini 429", seen["gemini 429"]["status"], 429)


def check_conversation(name, conversation):
    """surety run takes what a client sent as it is: the same calls and results
    in every form, so that another provider can go on with them."""
    file = write("conversation.json", conversation)
    result = surety("run", "-m", "exec:echo Bye.", "--ledger", "none",
                    "--messages", file, "--save-messages", "saved.json",
                    "Thanks.")
    if result.code:
        check(f"{name}: its conversation is taken", False, result)
        return
    with open(os.path.join(FOLDER, "saved.json"), encoding="utf-8") as saved:
        messages = json.load(saved)
    calls, results = [], []
    for message in messages:
        for part in message["content"]:
            if isinstance(part, dict) and part["type"] == "call":
                calls.append((part["id"], part["arguments"]["city"]))
            if isinstance(part, dict) and part["type"] == "result":
                results.append((part["id"], part["text"]))
    same(f"{name}: its conversation is taken, with both calls",
         [city for _, city in calls], ["Rome", "Oslo"])
    same(f"{name}: and their results", results,
         [(one, text) for (one, _), text in zip(calls, (ROME, OSLO))])
    check(f"{name}: nothing in it had to be repaired",
          "-result]" not in result.err, result.err)
    for model in ("openai", "responses", "anthropic", "gemini"):
        gives(f"{name}: {model} can go on with it",
              surety("run", "-m", f"{model}:m", "--dry-run", "--messages",
                     file), 0)


def test_agents():
    seen, log = see("mock_agents.mjs", AGENTS)
    if seen is None:
        skip("agents over the official clients", log)
        return
    for name in (loop + more for more in ("", AT_ONCE)
                 for loop in AGENT_LOOPS):
        same(f"{name}: results of tools reach the model", seen[name],
             {"text": "Both are fine.", "cities": ["Rome", "Oslo"]})
        check_conversation(name, seen["conversations"][name])
    for name, said in (("text", "no tools"), ("json_object", "an object"),
                       ("auto", "may call"), ("none", "may not call"),
                       ("gemini json", "an object")):
        same(f"form: {name}", seen[f"form: {name}"], said)
    for protocol in ("anthropic", "gemini", "responses"):
        counts = seen[f"{protocol} count"]
        check(f"{protocol}: a count is the usage of the same call",
              len(set(counts)) == 1 and counts[0] > 0, counts)
    same("openai n", seen["openai n"], [[i, "Plain."] for i in range(3)])
    same("openai n stream", seen["openai n stream"], ["Plain."] * 3)
    check("openai n tools: each call has its id",
          len(set(seen["openai n tools"])) == 2, seen["openai n tools"])
    same("openai n 0", of(seen["openai n 0"], "error", "status", "code"),
         ("BadRequestError", 400, "invalid_value"))
    same("gemini candidates", seen["gemini candidates"],
         [[0, "Plain."], [1, "Plain."]])
    same("openai embeddings: packed and plain alike, others apart, of length 1",
         seen["openai embeddings"], [1536, True, False, True, 7, 2])
    same("gemini embeddings", seen["gemini embeddings"], [5, 5])
    same("openai moderations: a reply that names the path",
         seen["openai moderations"], [{"flagged": False}])
    for name in ("openai images", "anthropic batches"):
        same(f"{name}: not found", of(seen[name], "error", "status"),
             ("NotFoundError", 404))
        check(f"{name}: and what to do", "when.path" in seen[name]["message"],
              seen[name])
    for path, count in (("/v1/images/generations", 1),
                        ("/v1/messages/batches", 1)):
        same(f"{path} is not tried again",
             sum(line["path"] == path for line in log), count)
    same("a thread is refused once for each runner",
         sum("no conversation" in (line["message"] or "") for line in log), 4)


if __name__ == "__main__":
    run_tests(test_clients, test_agents)

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

from cli_run import check, run_tests, same, skip
from mock_run import Mock
from others_run import npm_install

CLIENTS = ["openai@7.55.0", "@anthropic-ai/sdk@1.11.0", "@google/genai@3.1.0"]
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


def see():
    """What the clients saw; None and why they could not be run."""
    folder, reason = npm_install("mock-clients", CLIENTS)
    if not folder:
        return None, reason
    shutil.copy(os.path.join(HERE, "mock_clients.mjs"), folder)
    with Mock(SCRIPT) as mock:
        run = subprocess.run(
            ["node", os.path.join(folder, "mock_clients.mjs"),
             f"http://127.0.0.1:{mock.port}"], cwd=folder,
            capture_output=True, timeout=60, check=False)
    if b"SyntaxError" in run.stderr or b"ERR_" in run.stderr:
        return None, "this node cannot run the clients"
    return json.loads(run.stdout), None


def of(value, *names):
    return tuple(value.get(name) for name in names)


def test_clients():
    seen, reason = see()
    if seen is None:
        skip("the official clients", reason)
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


if __name__ == "__main__":
    run_tests(test_clients)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients that their users changed nothing of but the base URL, in front of the
gateway: gateway_clients_test.py [SURETY]. A wrong reply is asked for again
unseen; a reply that stays wrong raises, once; a client that gives up ends the
model's call. The clients are installed with npm into the build folder, once;
without npm or a network the test is skipped."""

import json
import os
import shutil
import subprocess

from cli_run import check, run_tests, same, skip
from gateway_run import BAD_TEXT, GOOD, GOOD_TEXT, PROVIDERS, Gateway
from object_store import Store, kept
from others_run import npm_install

CLIENTS = ["openai@6.49.0", "openai-newest@npm:openai@7.57.0",
           "@anthropic-ai/sdk@1.14.0", "@google/genai@2.32.0",
           "genai-newest@npm:@google/genai@3.1.0", "ai@6.0.326",
           "@ai-sdk/openai@3.0.141", "@ai-sdk/anthropic@3.0.140",
           "@langchain/openai@1.5.8", "@langchain/core@1.4.0", "zod@4.1.8",
           "@instructor-ai/instructor@1.7.0"]
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = "gateway_clients.mjs"
OBJECTS = "gateway_objects.mjs"
PASSED = {"openai": ["/files", "/files/*", "/responses/*", "/batches",
                     "/batches/*", "/moderations"],
          "anthropic": ["/files", "/files/*", "/messages/*"],
          "gemini": ["/files", "/files/*", "/cachedContents",
                     "/cachedContents/*", "/upload/files"]}
BYTES = bytes(range(256))
TEXT = "Grüße, wörld: 日本語 🎉 done."
MODELS = ("text", "mend", "wrong", "slow", "good", "late", "drip")
LATE = '{"title":"Lamp","hours":400,"rest":"%s"}' % ("more " * 20)
# The re-ask quotes the wrong reply.
SCRIPT = {"models": list(MODELS), "replies": [
    {"when": {"model": "text"}, "text": TEXT, "chunks": 5, "repeat": True},
    {"when": {"model": "mend", "tool_choice": "auto", "contains": "400"},
     "tool": "emit", "json": GOOD, "repeat": True},
    {"when": {"model": ["mend", "wrong"], "tool_choice": "auto"},
     "tool": "emit", "json": {**GOOD, "hours": 400}, "repeat": True},
    {"when": {"model": "mend", "contains": "400"}, "text": GOOD_TEXT,
     "repeat": True},
    {"when": {"model": ["mend", "wrong"]}, "text": BAD_TEXT, "repeat": True},
    {"when": {"model": "good"}, "text": GOOD_TEXT, "chunks": 6,
     "repeat": True},
    {"when": {"model": "late"}, "text": LATE, "chunks": 9,
     "chunk_delay_ms": 5, "repeat": True},
    {"when": {"model": "drip"}, "text": TEXT, "chunks": 2,
     "chunk_delay_ms": 90000, "repeat": True},
    {"when": {"model": "slow"}, "text": TEXT, "delay_ms": 90000,
     "repeat": True}]}
CONFIG = {"models": {name: {"provider": "openai", "model": name}
                     for name in MODELS}}
WRONG = ("wrong", "wrong stream", "wrong tool", "wrong calls",
         "wrong calls stream")
NAMES = ("openai", "openai responses", "openai newest",
         "openai newest responses", "anthropic", "gemini", "gemini newest",
         "ai openai chat", "ai openai responses", "ai anthropic", "langchain",
         "instructor")


def see(program, config):
    """What the clients saw, and the gateway's log and messages; None and why
    they could not be run."""
    folder, reason = npm_install("gateway-clients", CLIENTS)
    if not folder:
        return None, reason, None
    shutil.copy(os.path.join(HERE, program), folder)
    with Gateway(SCRIPT, config=config) as gateway:
        run = subprocess.run(
            ["node", os.path.join(folder, program),
             f"http://127.0.0.1:{gateway.port}"], cwd=folder,
            capture_output=True, timeout=200, check=False)
        if run.returncode:
            return None, run.stderr.decode()[-800:], None
        log = gateway.logged(len(NAMES))
        return json.loads(run.stdout), log, gateway.heard()


def test_clients():
    seen, log, heard = see(PROGRAM, CONFIG)
    if seen is None:
        skip("clients in front of the gateway", log)
        return
    for name in NAMES:
        same(f"{name}: whole", seen[f"{name} whole"], TEXT)
        same(f"{name}: stream", seen[f"{name} stream"], TEXT)
        for case in ("object", "object stream", "tool"):
            if f"{name} {case}" in seen:
                same(f"{name}: {case}", seen[f"{name} {case}"], GOOD)
        for case in WRONG:
            got = seen.get(f"{name} {case}")
            if got:
                same(f"{name}: {case}", got.get("status"), 422)
                check(f"{name}: {case}: says where", "/hours" in
                      got.get("message", ""), got)
        for case in ("calls", "calls stream"):
            if f"{name} {case}" in seen:
                same(f"{name}: {case}", seen[f"{name} {case}"],
                     [["emit", GOOD]])
        for way in ("live", "resume"):
            if f"{name} {way}" in seen:
                same(f"{name}: {way}", seen[f"{name} {way}"], GOOD)
                cut = seen[f"{name} {way} cut"]
                check(f"{name}: {way}: a cut raises", "error" in cut, cut)
                check(f"{name}: {way}: and says where", "/hours" in
                      cut.get("message", ""), cut)
        if f"{name} models" in seen:
            same(f"{name}: models", sorted(seen[f"{name} models"]),
                 sorted(MODELS))
        if f"{name} embed" in seen:
            same(f"{name}: embeddings", seen[f"{name} embed"], 2)
        if f"{name} count" in seen:
            check(f"{name}: tokens", isinstance(seen[f"{name} count"], int),
                  seen[f"{name} count"])
        if f"{name} stop" in seen:
            same(f"{name}: leaves a stream", seen[f"{name} stop"], "stopped")
        same(f"{name}: absent", seen[f"{name} absent"].get("status"), 404)
        check(f"{name}: cancel", "error" in seen[f"{name} cancel"],
              seen[f"{name} cancel"])
    wrong = [line for line in log if line.get("model") == "wrong"]
    cases = sum(f"{name} {case}" in seen for name in NAMES
                for case in WRONG)
    same("what stays wrong is sent once", len(wrong), cases)
    same("and never passed", {line["status"] for line in wrong}, {422})
    slow = [line for line in log if line.get("model") == "slow"]
    same("a client that gives up ends its request", len(slow), len(NAMES))
    same("with its run", {line["verdict"] for line in slow}, {"cancelled"})
    check("no key is said", "sk-" not in json.dumps(log) + heard, heard)


def test_objects():
    """What providers keep, by clients that their users changed nothing of."""
    with Store(kept(BYTES)) as store:
        seen, log, heard = see(OBJECTS, {"providers": {name: {
            "base_url": f"http://127.0.0.1:{store.port}{PROVIDERS[name]}",
            "key_env": "OUR_KEY", "passed_paths": paths}
            for name, paths in PASSED.items()}})
    if seen is None:
        skip("clients of objects in front of the gateway", log)
        return
    for name in ("openai", "newest"):
        for case, want in (
                ("upload", "file-1"), ("list", ["file-1"]),
                ("retrieve", "file-1"), ("content", BYTES.hex()),
                ("delete", True), ("response", "resp_1"),
                ("response stream", ["response.created",
                                     "response.completed"]),
                ("response cancel", "cancelled"), ("response delete", {}),
                ("batch", "file-1"), ("batch cancel", "cancelling"),
                ("moderation", 1)):
            same(f"{name}: {case}", seen[f"{name} {case}"], want)
        same(f"{name}: absent", seen[f"{name} absent"]["status"], 404)
        check(f"{name}: the provider says so", "none" in
              seen[f"{name} absent"]["message"], seen[f"{name} absent"])
    for case, want in (
            ("anthropic upload", "file-1"), ("anthropic list", ["file-1"]),
            ("anthropic content", BYTES.hex()),
            ("anthropic delete", "file_deleted"),
            ("anthropic batch", "batch_1"), ("anthropic batches", ["batch_1"]),
            ("anthropic batch cancel", "canceling"),
            ("gemini upload", "files/b"),
            ("gemini list", ["files/a"]), ("gemini delete", "gone"),
            ("gemini cache", "cachedContents/a"),
            ("gemini cache get", "cachedContents/a")):
        same(case, seen[case], want)
    for name in ("openai", "newest", "anthropic"):
        got = seen[f"{name} not named"]
        same(f"{name}: a path that has no name", got["status"], 404)
        check(f"{name}: says how to name it", "passed_paths" in
              got["message"], got)
    check("no key but ours arrives", all(
        "sk-client" not in str(asked) for asked in store.asked))
    check("no key is said", "sk-" not in json.dumps(log) + heard, heard)


run_tests(test_clients, test_objects)

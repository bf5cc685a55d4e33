#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surety run with a conversation: from files and options, with media, saved and
gone on with, and the errors of each: messages_test.py [SURETY]."""

import base64
import json
import os

from cli_run import (FOLDER, complains, gives, run_tests, same, surety,
                     write)

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
HISTORY = [{"role": "user", "content": "Six times seven?"},
           {"role": "assistant", "content": "42", "refusal": None}]
ECHO = "exec:tee prompt >/dev/null; echo \'{\"answer\": 42}\'"


def run(*arguments, **more):
    return surety("run", "--ledger", "none", *arguments, **more)


def body(*arguments):
    """The body of the first request to OpenAI."""
    result = run("-m", "openai:m", "--dry-run", *arguments)
    gives(" ".join(arguments)[:60], result, 0)
    return json.loads(result.out)


def saved():
    with open(os.path.join(FOLDER, "saved.json"), encoding="utf-8") as file:
        return json.load(file)


def test_order():
    """The file, --message, media, then the prompt."""
    write("h.json", HISTORY)
    write("a.png", PNG)
    write("more.txt", "From a file.\n")
    messages = body("--messages", "h.json", "--message", "system=Be brief.",
                    "--message", "user=@more.txt", "--message",
                    "assistant=Yes.", "--image", "a.png", "Why?")["messages"]
    same("roles", [one["role"] for one in messages],
         ["user", "assistant", "system", "user", "assistant", "user"])
    last = messages[-1]["content"]
    same("media come before the prompt", [part["type"] for part in last],
         ["image_url", "text"])
    same("bytes", last[0]["image_url"]["url"],
         "data:image/png;base64," + base64.b64encode(PNG).decode())
    same("a file's text", "From a file." in json.dumps(messages[3]), True)


def test_media():
    write("a.pdf", b"%PDF-1.7 ...")
    write("a.bin", bytes(9))
    write("empty", b"")
    last = body("--file", "a.pdf", "--image", "https://a.example/x.png",
                "See.")["messages"][-1]["content"]
    same("a URL is the provider's", last[0]["image_url"]["url"],
         "https://a.example/x.png")
    same("a document has its name", last[1]["file"]["filename"], "a.pdf")
    complains("no image", run("-m", ECHO, "--image", "a.pdf", "x"), 2,
              "--image: a.pdf is of the type application/pdf",
              "give it with --file")
    complains("unknown bytes", run("-m", ECHO, "--file", "a.bin", "x"), 2,
              "neither the bytes of the file nor its name")
    complains("empty", run("-m", ECHO, "--file", "empty", "x"), 2,
              "the file is empty")
    complains("absent", run("-m", ECHO, "--file", "none", "x"), 4)
    complains("large", run("-m", ECHO, "--limit", "media_bytes_max=4",
                           "--file", "a.pdf", "x"), 2, "media_bytes_max")


def test_saved():
    """What is saved can be gone on with."""
    write("h.json", HISTORY)
    write("c.json", {"properties": {"answer": {"type": "integer"}}})
    gives("saved", run("-c", "c.json", "-m", ECHO, "--messages", "h.json",
                       "--save-messages", "saved.json", "As JSON."), 0,
          '{"answer":42}\n')
    first = saved()
    same("all turns", [(one["role"], one["content"]) for one in first],
         [("user", "Six times seven?"), ("assistant", "42"),
          ("user", "As JSON."), ("assistant", '{"answer": 42}\n')])
    gives("gone on with", run("-m", ECHO, "--messages", "saved.json",
                              "--save-messages", "saved.json", "Again."), 0)
    same("a turn more", saved()[:4] == first and len(saved()) == 6, True)
    gives("no prompt", run("-m", ECHO, "--message", "user=Alone."), 0)
    with open(os.path.join(FOLDER, "prompt"), encoding="utf-8") as file:
        same("alone", "Alone." in file.read(), True)


def test_mistakes():
    write("bad.json",
          '[\n{"role": "user", "content": "x"},\n{"role": "robot"}]')
    complains("where", run("-m", ECHO, "--messages", "bad.json"), 2,
              "bad.json:3:")
    write("screen.json", [{"id": "1", "role": "user",
                           "parts": [{"type": "text", "text": "x"}]}])
    complains("UIMessage", run("-m", ECHO, "--messages", "screen.json"), 2,
              "UIMessage", "convertToModelMessages")
    write("cut.json", [{"role": "assistant", "content": [
        {"type": "call", "id": "c1", "name": "f", "arguments": {}}]}])
    gives("a note", run("-m", ECHO, "--messages", "cut.json", "x"), 0,
          None, "cut.json: note[missing-result]")
    same("quiet", run("-m", ECHO, "--quiet", "--messages", "cut.json",
                      "x").err, "")
    write("late.json", [{"role": "tool", "tool_call_id": "c1",
                         "content": "x"}])
    complains("no call", run("-m", ECHO, "--messages", "late.json", "x"), 2,
              "there is no call for the result: c1")
    for given in ("Hello", "tool=x", "robot=x"):
        complains(given, run("-m", ECHO, "--message", given), 2,
                  "--message begins with")
    complains("dry", run("-m", ECHO, "--dry-run", "--save-messages", "x", "y"),
              2, "--save-messages")
    write("many.json", HISTORY * 3)
    complains("many", run("-m", ECHO, "--limit", "messages_max=5", "--messages",
                          "many.json"), 2, "messages_max")


run_tests(test_order, test_media, test_saved, test_mistakes)

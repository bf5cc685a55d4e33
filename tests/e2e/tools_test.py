#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools of servers of the Model Context Protocol, alone and in a run that is
recorded and played again; the server is surety mcp: tools_test.py [SURETY]."""

import json
import os
import signal
import subprocess

from cli_run import FOLDER, SURETY, check, complains, gives, run_tests, same, \
    surety, write
from process import is_running, until
from run_mock import CANARY, PROTOCOLS, Mock

ARGUMENTS = {"contract": {"type": "integer"}, "reply": "5"}
# Counts its starts in `starts`, and adds the tools of surety mcp.
COUNTED = f"echo started >>starts; exec '{SURETY}' mcp"


def servers(*rows):
    return write("tools.json", {"servers": list(rows)})


def starts():
    path = os.path.join(FOLDER, "starts")
    if not os.path.exists(path):
        return 0
    with open(path, encoding="utf-8") as file:
        return len(file.readlines())


def names(*arguments):
    result = surety("tools", "--json", *arguments)
    gives("the list", result, 0)
    return [tool["name"] for tool in json.loads(result.out)]


def test_file():
    path = servers({"mcp": [SURETY, "mcp"], "prefix": "s_",
                    "only": ["check", "contracts_list"]},
                   {"mcp": [SURETY, "mcp"], "only": ["check"]})
    same("the tools that are wanted", names(path),
         ["s_check", "s_contracts_list", "check"])
    result = surety("tools", path, "check", json.dumps(ARGUMENTS))
    gives("a call", result, 0)
    report = json.loads(result.out)
    same("its value", (report["ok"], report["value"]), (True, 5))
    gives("arguments", surety("tools", path, "check", "{}"), 1, "",
          "arguments are not valid")
    complains("no such file",
              surety("tools", write("x.json", {"servers": [
                  {"mcp": ["./none"]}]})), 4, "x.json:3:5")


def test_command():
    same("names of two servers", names("--mcp", f"'{SURETY}' mcp", "--mcp",
                                       f"'{SURETY}' mcp")[9:12],
         ["contracts_diff", "check_2", "extract_2"])
    result = surety("tools", "--mcp", f"'{SURETY}' mcp", "check",
                    json.dumps(ARGUMENTS))
    same("a call", json.loads(result.out)["value"], 5)
    complains("no server", surety("tools", "--mcp", "exit 3"), 4,
              "--mcp exit 3:", "status 3")
    complains("neither file nor server", surety("tools"), 2)
    complains("too many", surety("tools", "--mcp", "true", "a", "{}", "b"), 2)


def run(*arguments):
    return surety("run", "--ledger", "none", "-m", "m-openai:m", "--mcp",
                  COUNTED, *arguments, "Is it an integer?",
                  env={"MOCK_KEY": CANARY})


def test_run():
    """A model calls the tool; a replay of it starts no server."""
    with Mock({"when": {"last": "user", "tools": "check"}, "tool": "check",
               "json": ARGUMENTS},
              {"when": {"last": "tool", "contains": "\"value\":5"},
               "text": "Yes: 5."}):
        before = starts()
        recorded = run("--record", "calls.jsonl")
        gives("a run", recorded, 0, "Yes: 5.\n")
        same("a server was started", starts() > before, True)
        before = starts()
    replayed = run("--replay", "calls.jsonl")
    gives("the same from the recording", replayed, 0, recorded.out)
    same("no server was started", starts(), before)
    faulty = write("faulty.json", {"tools": [{"name": "1", "command": ["x"]}]})
    complains("a faulty file",
              surety("run", "--ledger", "none", "-m", "m-openai:m", "--tools",
                     faulty, "--record", "calls.jsonl", "x",
                     env={"MOCK_KEY": CANARY}), 2, "/tools/0/name")
    gives("leaves the recording as it is", run("--replay", "calls.jsonl"), 0,
          recorded.out)


def test_configuration():
    """The members tools and servers of surety.json are those of a run."""
    model = ("exec:grep -q tool_response && echo It is 5. || echo "
             """'<tool_call>{"name":"five","arguments":{}}</tool_call>'""")
    path = write("with-tools.json", """{
  // Neither member is at an end of the file.
  "budget": {"calls": 4},
  "tools": [{"name": "five", /* , */ "command": ["echo", "5"]}] // ,
  ,
  "servers": [{"mcp": ["%s", "mcp"], "only": ["check"]}],
  "ledger": {"url": "none"}
}""" % SURETY)
    result = surety("run", "--config", path, "-m", model, "-v", "What?")
    gives("tools of the configuration", result, 0, "It is 5.\n", "five")
    result = surety("run", "--config", path, "-m", "exec:cat", "What?")
    same("they are offered", ("- five" in result.out, "- check" in result.out),
         (True, True))
    result = surety("run", "--config", path, "--tools", "none", "-m",
                    "exec:cat", "What?")
    gives("none of them", result, 0, "What?\n")
    with open(os.path.join(FOLDER, path), encoding="utf-8") as file:
        text = file.read().replace('"five"', '"5"')
    complains("a mistake", surety("run", "--config", write("w.json", text),
                                  "-m", "exec:cat", "What?"), 2,
              "w.json:4:22: error:", "at /tools/0/name")


def test_configuration_alone():
    """The same members without a run; an operand with a dot is a file."""
    path = write("alone.json", """{
  "tools": [{"name": "five", "command": ["echo", "5"]}],
  "servers": [{"mcp": ["%s", "mcp"], "only": ["check"]}]
}""" % SURETY)
    same("their names", names("--config", path), ["five", "check"])
    gives("a call", surety("tools", "--config", path, "five"), 0, "5\n")
    with open(os.path.join(FOLDER, "surety.json"), "rb") as file:
        before = file.read()
    with open(os.path.join(FOLDER, path), "rb") as file:
        write("surety.json", file.read())
    gives("the folder's", surety("tools", "five"), 0, "5\n")
    write("surety.json", before)
    complains("no tools", surety("tools", "--config", write("e.json", "{}")),
              2, "has no member tools or servers")
    complains("two places", surety("tools", "--config", path, "--mcp", "true"),
              2)


JUDGE = """#!/bin/sh
echo . >>judged
read -r line
sleep 0.05
case $line in
*13*) echo '[{"path":"/a","message":"is unlucky","hint":"12?"}]' ;;
*14*) exit 3 ;;
esac
"""
JUDGED = """case "$(cat)" in
*'"a":12'*) echo done ;;
*'12?'*) echo '<tool_call>{"name":"keep","arguments":{"a":12}}</tool_call>' ;;
*) echo '<tool_call>{"name":"keep","arguments":{"a":13}}</tool_call>' ;;
esac
"""


def test_validator():
    """A command judges the arguments of a tool of a file, once for a value; it
    is recorded, and a replay starts none."""
    os.chmod(os.path.join(FOLDER, write("judge/judge.sh", JUDGE)), 0o755)
    write("judged.sh", JUDGED)
    path = write("judge/tools.json", {"tools": [
        {"name": "keep", "command": ["cat"],
         "validator": ["./judge.sh"],
         "parameters": {"type": "object", "properties": {
             "a": {"type": "integer"}}, "x-surety": {"repair": "align"}}}]})
    gives("valid", surety("tools", path, "keep", '{"a": 1}'), 0, '{"a":1}\n')
    gives("refused", surety("tools", path, "keep", '{"a": 13}'), 1, "",
          "/a: is unlucky (12?)")
    gives("the validator fails", surety("tools", path, "keep", '{"a": 14}'), 4,
          "", ("validator", "status 3"))
    judged = os.path.join(FOLDER, "judged")
    os.remove(judged)
    run = ("run", "-m", "exec:sh judged.sh", "--ledger", "none", "--tools",
           path, "Go on.")
    gives("the model corrects its call", surety(*run, "--record", "j.jsonl"),
          0, "done\n")
    same("each value was judged once", os.path.getsize(judged), 4)
    gives("the same from the recording", surety(*run, "--replay", "j.jsonl"), 0,
          "done\n")
    same("and nothing was started", os.path.getsize(judged), 4)


def test_interrupted():
    """Ctrl-C while a server is listed ends it, and the tool by the signal."""
    line = "echo $$ >server.pid; exec sleep 600"
    path = write("slow.json", {"servers": [{"mcp": ["/bin/sh", "-c", line]}]})
    place = os.path.join(FOLDER, "server.pid")
    for arguments in (["tools", path], ["tools", "--mcp", line],
                      ["run", "-m", "exec:cat", "--ledger", "none", "--tools",
                       path, "What?"]):
        process = subprocess.Popen([SURETY, *arguments], cwd=FOLDER,
                                   stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        until(lambda: os.path.exists(place) and os.path.getsize(place), 100)
        with open(place, encoding="utf-8") as file:
            pid = int(file.read())
        os.remove(place)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        same(f"surety {arguments[0]} ends by the signal", process.returncode,
             -signal.SIGINT)
        check("its server has ended", until(lambda: not is_running(pid), 100))


def test_several():
    """A model that asks for several calls at once gets all results at once, in
    every protocol, whole and streamed."""
    add = "import json,sys;a=json.load(sys.stdin);print(a['x']+a['y'])"
    tools = write("sums.json", {"tools": [
        {"name": name, "description": "Adds.",
         "command": ["python3", "-c", add],
         "parameters": {
             "type": "object", "required": ["x", "y"], "properties": {
                 "x": {"type": "integer"}, "y": {"type": "integer"}}}}
        for name in ("add", "sum")]})
    pairs = ((20, 22), (30, 33), (400, 44))
    calls = [{"tool": tool, "json": {"x": x, "y": y}}
             for tool, (x, y) in zip(("add", "add", "sum"), pairs)]
    results = [str(x + y) for x, y in pairs]
    with Mock({"when": {"last": "user"}, "text": "I add.", "repeat": True,
               "calls": calls},
              {"when": {"last": "tool", "contains": results},
               "text": "All three.", "repeat": True}):
        for protocol in PROTOCOLS:
            for more in ((), ("--no-stream",)):
                name = f"{protocol} {' '.join(more)}"
                result = surety("run", "--ledger", "none", "-m",
                                f"m-{protocol}:m", "--tools", tools, *more,
                                "--save-messages", "said.json", "Add.",
                                env={"MOCK_KEY": CANARY})
                gives(f"{name}: a run", result, 0, "All three.\n")
                with open(os.path.join(FOLDER, "said.json"),
                          encoding="utf-8") as file:
                    parts = [part for message in json.load(file)
                             if not isinstance(message["content"], str)
                             for part in message["content"]]
                asked = [part for part in parts if part["type"] == "call"]
                given = [part for part in parts if part["type"] == "result"]
                same(f"{name}: the calls",
                     [part["arguments"] for part in asked],
                     [call["json"] for call in calls])
                same(f"{name}: each with its id and its result",
                     [(part["id"], part["text"]) for part in given],
                     [(part["id"], text)
                      for part, text in zip(asked, results)])
                same(f"{name}: all ids differ",
                     len({part["id"] for part in asked}), 3)


run_tests(test_file, test_command, test_run, test_configuration,
          test_configuration_alone, test_validator, test_interrupted,
          test_several)

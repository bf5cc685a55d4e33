#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surety mcp, by messages and by the protocol's own clients, which npm
installs into the build folder once: mcp_test.py [SURETY]."""

import base64
import json
import os
import signal
import subprocess
import time

from cli_run import (ENV, FOLDER, SURETY, check, complains, run_tests, same,
                     skip, surety, write)
from others_run import npm_install

CLIENTS = ["@modelcontextprotocol/sdk@1.32.2",
           "@modelcontextprotocol/client@2.4.0"]
HERE = os.path.dirname(os.path.abspath(__file__))
META = "io.modelcontextprotocol/"
MODERN = {META + "protocolVersion": "2026-07-28",
          META + "clientCapabilities": {}}
TOOLS = ["check", "extract", "repair", "validate", "render", "prompt",
         "contracts_list", "contracts_show", "contracts_lint",
         "contracts_diff"]


def request(number, method, params=None):
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message | ({} if params is None else {"params": params})


def call(number, name, arguments=None):
    params = {"name": name}
    return request(number, "tools/call",
                   params | ({} if arguments is None
                             else {"arguments": arguments}))


def cancel(number):
    return {"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": number, "reason": "no more"}}


def lines_of(messages):
    return "".join((message if isinstance(message, str)
                    else json.dumps(message)) + "\n" for message in messages)


def answers(*messages, arguments=()):
    """The answers to messages, in the order in which they came."""
    result = surety("mcp", *arguments, stdin=lines_of(messages))
    same("it ends with 0", result.code, 0)
    same("and writes nothing beside", result.err, "")
    return [json.loads(line) for line in result.out.splitlines()]


def answer(message, arguments=()):
    got = answers(message, arguments=arguments)
    same("one answer", len(got), 1)
    return got[0]


def result_of(name, arguments=None):
    return answer(call(1, name, arguments))["result"]


def structured(name, arguments=None):
    """The structured result, which the text must equal."""
    result = result_of(name, arguments)
    same(name + " is no error", result["isError"], False)
    same(name + " says the same as text",
         json.loads(result["content"][0]["text"]),
         result["structuredContent"])
    return result["structuredContent"]


def refused(name, arguments, *parts):
    """A result that is an error, for the model."""
    result = result_of(name, arguments)
    text = result["content"][0]["text"]
    check(f"{name} says what is wrong",
          result["isError"] and all(part in text for part in parts), text)


class Server:
    """A server whose input stays open."""

    def __init__(self, *arguments, env=None):
        self.run = subprocess.Popen(
            [SURETY, "mcp", *arguments], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=FOLDER,
            env=ENV | (env or {}))

    def send(self, *messages):
        self.run.stdin.write(lines_of(messages).encode())
        self.run.stdin.flush()

    def read(self):
        return json.loads(self.run.stdout.readline())

    def end(self):
        """The rest of the output and the exit code."""
        out, err = self.run.communicate(timeout=60)
        check("no sanitizer complains", b"Sanitizer" not in err and
              b"runtime error" not in err, err)
        return out.decode(), self.run.returncode


def fifo(name):
    """A file that nobody writes: a call that reads it takes forever."""
    path = os.path.join(FOLDER, name)
    if not os.path.exists(path):
        os.mkfifo(path)
    return name


def test_opening():
    legacy = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
    for version in legacy:
        got = answer(request("a", "initialize",
                             {"protocolVersion": version,
                              "capabilities": {}, "clientInfo": {}}))
        same("the revision asked for", got["result"]["protocolVersion"],
             version)
        same("its id", got["id"], "a")
        same("nothing of later revisions",
             sorted(got["result"]), ["capabilities", "instructions",
                                     "protocolVersion", "serverInfo"])
    got = answer(request(1, "initialize", {"protocolVersion": "1999"}))
    same("else the newest", got["result"]["protocolVersion"], legacy[-1])
    for params in (None, {"_meta": MODERN}):
        got = answer(request(2, "server/discover", params))["result"]
        same("discovery", (got["resultType"], got["supportedVersions"],
                           got["capabilities"], got["cacheScope"]),
             ("complete", ["2026-07-28"], {"tools": {}}, "public"))
    same("a ping", answer(request(3, "ping"))["result"], {})
    got = answers({"jsonrpc": "2.0", "method": "notifications/initialized"},
                  request(4, "ping"), request(5, "ping"))
    same("notifications get no answer", [one["id"] for one in got], [4, 5])


def test_modern():
    got = answer(request(1, "tools/list", {"_meta": MODERN}))["result"]
    same("the later revision", (got["resultType"], got["cacheScope"],
                                got["_meta"][META + "serverInfo"]["name"]),
         ("complete", "public", "surety"))
    check("a time to live", got["ttlMs"] >= 0)
    params = {"name": "extract", "arguments": {"reply": "[1]"},
              "_meta": MODERN}
    got = answer(request(2, "tools/call", params))["result"]
    same("a result of it", (got["resultType"],
                            got["structuredContent"]["value"]),
         ("complete", [1]))
    other = {META + "protocolVersion": "2031-01-01",
             META + "clientCapabilities": {}}
    got = answer(request(3, "tools/list", {"_meta": other}))["error"]
    same("an unknown revision", (got["code"], got["data"]),
         (-32022, {"supported": ["2026-07-28"], "requested": "2031-01-01"}))
    got = answer(request(4, "tools/list", {"_meta": {
        META + "protocolVersion": "2026-07-28"}}))["error"]
    same("no capabilities", got["code"], -32602)
    same("it has no ping",
         answer(request(5, "ping", {"_meta": MODERN}))["error"]["code"],
         -32601)
    got = answer(request(6, "tools/list",
                         {"_meta": {"progressToken": 1}}))["result"]
    check("an earlier request may have _meta", "resultType" not in got)


def test_bad_messages():
    for message, code, number in (
            ('{"jsonrpc":', -32700, None), ("no JSON", -32700, None),
            ("\ufffe", -32700, None), ("5", -32600, None),
            ('{"id":1,"method":"ping"}', -32600, 1),
            ('{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1),
            ('{"jsonrpc":"2.0","id":1}', -32600, 1),
            ('{"jsonrpc":"2.0","id":1,"method":5}', -32600, 1),
            ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
            ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
            ('{"jsonrpc":"2.0","id":2,"method":"ping","params":[1]}', -32600,
             2),
            (request(7, "resources/list"), -32601, 7),
            (call(8, "nothing"), -32602, 8),
            (request(9, "tools/call"), -32602, 9),
            (request(10, "tools/list", {"cursor": ""}), -32602, 10)):
        got = answer(message)
        same(f"{message} is refused", (got["error"]["code"], got.get("id")),
             (code, number))
    got = answers("", "  ", '{"jsonrpc":"2.0","id":1,"result":{}}',
                  '{"jsonrpc":"2.0","method":"nothing"}', request(1, "ping"))
    same("empty lines, responses and notifications get no answer",
         [one["id"] for one in got], [1])
    got = answers(json.dumps([request(1, "ping"), request(2, "ping")]))
    same("a batch", [one["id"] for one in got], [1, 2])
    got = answers("x" * 3000, request(1, "ping"),
                  arguments=("--limit", "text_bytes_max=1000"))
    same("a line beyond the limit", (got[0]["error"]["code"], got[1]["id"]),
         (-32600, 1))
    result = surety("mcp", stdin=json.dumps(request(1, "ping")))
    same("a last line without its end", json.loads(result.out)["id"], 1)
    complains("operands", surety("mcp", "x"), 2, "takes no operand")


def test_list():
    tools = answer(request(1, "tools/list"))["result"]["tools"]
    same("the tools", [tool["name"] for tool in tools], TOOLS)
    for tool in tools:
        schema = json.dumps(tool["inputSchema"])
        write("schema.json", schema)
        result = surety("contracts", "lint", "--strict", "schema.json")
        check(f"{tool['name']}'s schema", "error[" not in result.err,
              result.err)
        same("closed", tool["inputSchema"]["additionalProperties"], False)
        same("only render writes", tool["annotations"]["readOnlyHint"],
             tool["name"] != "render")
        for name, member in tool["inputSchema"]["properties"].items():
            check(f"{tool['name']}.{name} is described",
                  member["description"])


def test_tools():
    contract = {"type": "object", "required": ["x"],
                "properties": {"x": {"type": "integer", "maximum": 10}}}
    got = structured("check", {"contract": contract, "reply":
                               'So:\n```json\n{"x": 3}\n```'})
    same("a valid reply", (got["ok"], got["value"], got["place"]),
         (True, {"x": 3}, "fence"))
    check("the reply is not repeated", "raw" not in got)
    got = structured("check", {"contract": contract, "reply": 'x {"x": 11}'})
    same("an invalid one", (got["ok"], [
        (error["instanceLocation"], error["keyword"], error["line"],
         error["column"]) for error in got["errors"]]),
         (False, [("/x", "maximum", 1, 9)]))
    write("point.json", contract)
    write("reply.md", "{x: 1}")
    got = structured("check", {"contract": "point.json", "file": "reply.md",
                               "repair": "syntax"})
    same("files, and an option", (got["value"], got["repairs"][0]["kind"]),
         ({"x": 1}, "unquoted-key"))
    same("extract", structured("extract", {"reply": "1: [1]"})["value"], [1])
    got = structured("repair", {"reply": "{'a': True,}"})
    same("repair", (got["value"], len(got["repairs"])), ({"a": True}, 3))
    same("validate", structured("validate", {"schema": True,
                                             "instance": None})["valid"],
         True)
    got = structured("validate", {"schema": {"type": "integer"},
                                  "instance": "--x"})
    same("and an error", (got["valid"], got["errors"][0]["keywordLocation"]),
         (False, "/type"))
    big = "12345678901234567890.10"
    line = json.dumps(call(1, "validate", {
        "schema": {"const": 0}, "instance": "N"})).replace('"N"', big)
    check("numbers arrive as they are", big in
          answer(line)["result"]["content"][0]["text"])
    text = result_of("prompt", {"contract": contract, "prompt": "Say x."})
    check("a prompt", text["content"][0]["text"].startswith("Say x.\n"))
    check("contracts", "surety/report" in [
        one["name"] for one in structured("contracts_list")["contracts"]])
    text = result_of("contracts_show", {"contract": "surety/report"})
    check("one of them", json.loads(text["content"][0]["text"])["x-surety"])
    text = result_of("contracts_lint", {"contract": {"type": "objekt"}})
    check("its mistakes, without the name of a folder",
          text["content"][0]["text"].startswith("contract.json:2:11: error"),
          text)
    got = structured("contracts_diff", {"old": {"type": "integer"},
                                        "new": {"type": "number"}})
    same("a difference", (got["old"], got["new"], got["breaksConsumers"]),
         ("old", "new", 1))


def test_render():
    rows = [["name", "count"], ["a", 1], ["b", 2]]
    result = result_of("render", {"data": rows, "table": "csv",
                                  "name": "rows", "out": "made"})
    output = result["structuredContent"]["outputs"][0]
    same("a table", output["file"], "made/rows.csv")
    with open(os.path.join(FOLDER, "made/rows.csv"), encoding="utf-8") as file:
        same("with its rows", file.read().splitlines(),
             ["name,count", "a,1", "b,2"])
    arguments = {"data": rows, "chart": "bar", "x": "name", "y": ["count"],
                 "title": "Counts", "out": "made"}
    result = result_of("render", arguments)
    output = result["structuredContent"]["outputs"][0]
    if output["error"]:
        skip("a chart", output["error"])
        return
    image = result["content"][1]
    with open(os.path.join(FOLDER, output["file"]), "rb") as file:
        same("a chart is an image too", (image["type"], image["mimeType"],
                                         base64.b64decode(image["data"])),
             ("image", "image/png", file.read()))
    again = result_of("render", arguments)
    same("no file is replaced",
         (again["isError"], again["structuredContent"]["ok"]), (True, False))


def test_refused():
    refused("check", None, "error[required]", '"contract"')
    refused("check", {"contract": True}, "either reply or file")
    refused("check", {"contract": True, "reply": "1", "file": "x"},
            "either reply or file")
    refused("check", {"contract": 5, "repli": "x"}, "(at /contract)",
            'hint: "reply"?')
    refused("check", {"contract": True, "reply": "1", "repair": "all"},
            "error[enum]", "(at /repair)")
    refused("check", {"contract": "nothing", "reply": "1"}, "nothing",
            "contracts list")
    refused("check", {"contract": {"type": 5}, "reply": "1"},
            "contract.json:2:11")
    refused("check", {"contract": "a\0b", "reply": "1"}, "U+0000")
    refused("extract", {"file": "there/is/none"}, "there/is/none")
    refused("extract", {"file": "--help"}, "--help")
    refused("validate", {"schema": {"$ref": "https://example.com/x"},
                         "instance": 1}, "https://example.com/x")
    refused("validate", {"schema": True, "file": "none.json"}, "none.json")
    got = answer(call(1, "extract", {"reply": "[" * 50}),
                 arguments=("--limit", "depth_max=10"))
    check("the server's limits are those of calls",
          "10" in json.dumps(got["result"]), got)


def test_calls():
    path = fifo("never")
    server = Server("--jobs", "2")
    server.send(*[call(number, "extract", {"file": path})
                  for number in range(3)])
    server.send(request("p", "ping"))
    same("messages are answered while calls run", server.read()["id"], "p")
    server.send(cancel(0), cancel(1), cancel(99), call(5, "extract",
                                                       {"reply": "[5]"}))
    same("a cancelled call gives its place free", server.read()["id"], 5)
    server.send(cancel(2), request("q", "ping"))
    same("and gets no answer", server.read()["id"], "q")
    same("nothing is left", server.end(), ("", 0))

    server = Server("--timeout", "1")
    server.send(call(1, "extract", {"file": path}))
    got = server.read()["result"]
    check("a call that takes too long", got["isError"] and
          "--timeout" in got["content"][0]["text"], got)
    server.send(call(2, "extract", {"reply": "[2]"}))
    same("ends, and others go on", server.read()["id"], 2)
    server.end()

    many = [call(number, "extract", {"reply": f"[{number}]"})
            for number in range(400)]
    got = answers(*many)
    same("more calls than can wait, each answered once, with its own value",
         sorted((one["id"], one["result"]["structuredContent"]["value"][0])
                for one in got),
         [(number, number) for number in range(400)])


def test_ends():
    folder = os.path.join(FOLDER, "tmp")
    os.makedirs(folder, exist_ok=True)
    server = Server(env={"TMPDIR": folder})
    server.send(call(1, "check", {"contract": {}, "file": fifo("never")}),
                request(2, "ping"))
    server.read()
    check("a schema has a file while its call runs", os.listdir(folder))
    server.run.send_signal(signal.SIGTERM)
    server.run.wait(timeout=60)
    same("a signal ends the server", server.run.returncode, -signal.SIGTERM)
    same("and leaves no file", os.listdir(folder), [])
    server.end()
    server = Server(env={"TMPDIR": os.path.join(FOLDER, "nowhere")})
    server.send(call(1, "extract", {"reply": "1"}))
    got = server.read()["result"]
    check("no folder for files", got["isError"] and
          "nowhere" in got["content"][0]["text"], got)
    server.end()
    server = Server()
    server.run.stdout.close()
    server.send(request(1, "ping"))
    server.run.stdin.close()
    check("a client that has gone ends it",
          server.run.wait(timeout=60) in (-signal.SIGPIPE, 4))
    server.run.stderr.close()


def test_clients():
    folder, why = npm_install("mcp-clients", CLIENTS)
    if not folder:
        skip("the protocol's own clients", why)
        return
    run = subprocess.run(
        ["node", os.path.join(HERE, "mcp_clients.mjs"), SURETY, folder],
        cwd=FOLDER, env=ENV, capture_output=True, text=True, timeout=120,
        check=False)
    got = [json.loads(line) for line in run.stdout.splitlines()]
    same("each client, and the revision that it speaks", [
        (one["client"], one["version"]) for one in got],
         [("sdk", "2025-11-25"), ("client legacy", "2025-11-25"),
          ("client auto", "2026-07-28"), ("client pinned", "2026-07-28")])
    for one in got:
        same(one["client"] + " lists the tools", one["tools"], TOOLS)
        same("has a value", one["value"], {"a": 1})
        same("an error for the model", one["refused"], True)
        same("an error of the protocol", one["code"], -32602)
        same("and can cancel", one["cancelled"], True)
    same("no client complains", (run.returncode, run.stderr), (0, ""))


run_tests(test_opening, test_modern, test_bad_messages, test_list, test_tools,
          test_render, test_refused, test_calls, test_ends, test_clients)

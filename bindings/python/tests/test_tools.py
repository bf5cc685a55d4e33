# SPDX-License-Identifier: Apache-2.0
"""Conversations and tools of a run. The law: a function gets arguments that
satisfy its signature, in the thread that called run, once for each call."""

import asyncio
import http.server
import json
import os
import pickle
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import List, Optional

import surety
from surety import Contract, Misuse, Tool, run, run_async

try:
    import pydantic
except ImportError:
    pydantic = None
TWO = pydantic is not None and pydantic.VERSION.startswith("2")

SUM = {"type": "object", "required": ["sum"],
       "properties": {"sum": {"type": "integer"}}}
NUMBERS = {"type": "object", "required": ["a", "b"],
           "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
           "additionalProperties": False}


def calls(*given):
    """A reply that calls tools: pairs of name and arguments."""
    return {"text": "".join(
        "<tool_call>" + json.dumps({"name": name, "arguments": arguments})
        + "</tool_call>" for name, arguments in given)}


ANSWER = {"json": {"sum": 3}}


def mock(*replies):
    return surety.Mock({"replies": [*replies, {**ANSWER, "repeat": True}]})


def go(replies, tools, **settings):
    settings.setdefault("mode", "prompt")
    with mock(*replies) as server:
        return run(Contract(SUM, name="sum"), "One and two?", models="mock:m",
                   config=server.config(), ledger=False, tools=tools,
                   **settings)


def go_async(replies, tools, **settings):
    async def work(server):
        return await run_async(
            Contract(SUM, name="sum"), "One and two?", models="mock:m",
            config=server.config(), ledger=False, tools=tools, mode="prompt",
            **settings)

    with mock(*replies) as server:
        return asyncio.run(work(server))


def add(**numbers):
    """Adds two integers.

    Both are needed."""
    return {"sum": numbers["a"] + numbers["b"]}


ADD = Tool(add, parameters=NUMBERS)
ONE_TWO = ("add", {"a": 1, "b": 2})


class Functions(unittest.TestCase):
    def test_a_call(self):
        threads, events = [], []

        def seen(**numbers):
            threads.append(threading.current_thread())
            return add(**numbers)

        for mode in ("prompt", "native"):
            reply = calls(ONE_TWO) if mode == "prompt" else \
                {"tool": "add", "json": ONE_TWO[1]}
            events.clear()
            result = go([reply], Tool(seen, name="add", parameters=NUMBERS),
                        on_event=events.append, mode=mode)
            self.assertEqual(result.verdict, "valid", result.message)
            self.assertEqual(len(result.attempts), 2)
            use = result.tool_uses[0]
            self.assertEqual(
                (use.name, use.arguments, use.result, use.failure, use.made,
                 use.attempt, use.message),
                ("add", ONE_TWO[1], '{"sum":3}', None, True, 1, ""))
            shown = [one for one in events if one.kind in ("tool", "result")]
            self.assertEqual(
                [(one.kind, one.text, one.tool, one.call) for one in shown],
                [("tool", '{"a":1,"b":2}', "add", use.call),
                 ("result", '{"sum":3}', "add", use.call)])
            self.assertEqual([one["role"] for one in result.messages],
                             ["user", "assistant", "tool", "assistant"])
            self.assertEqual(result.messages[2]["content"][0]["name"], "add")
            self.assertEqual(pickle.loads(pickle.dumps(result)).tool_uses,
                             result.tool_uses)
        self.assertEqual(threads, [threading.current_thread()] * 2)

    def test_what_the_model_sees(self):
        result = go([], ADD)
        for text in ("- add: Adds two integers.\n\nBoth are needed.\n",
                     '"additionalProperties":false'):
            self.assertIn(text, result.attempts[0].prompt)
        self.assertEqual(result.tool_uses, ())

    def test_wrong_arguments(self):
        made = []

        def one(**_):
            made.append(1)

        result = go([calls(("add", {"a": "x"})), calls(("sub", {}))],
                    Tool(one, name="add", parameters=NUMBERS))
        self.assertEqual([use.failure for use in result.tool_uses],
                         ["arguments", "unknown"])
        self.assertIn("/a", result.tool_uses[0].result)
        self.assertEqual(made, [])

    def test_what_is_raised(self):
        def fails(text):
            raise ValueError(text)

        for text, seen in (("no such city", "ValueError: no such city"),
                           ("a\0b", "ValueError: a b"),
                           ("é" * 400, "ValueError: " + "é" * 152 + "..."),
                           ("", "ValueError: ")):
            result = go([calls(("f", {}))],
                        Tool(lambda: fails(text), name="f"))
            use = result.tool_uses[0]
            self.assertEqual((use.failure, use.message, result.ok),
                             ("failed", seen, True))

    def test_what_comes_out(self):
        """What is no result, and no exception, is an error of the program."""
        async def later():
            return 1

        def stops():
            raise KeyboardInterrupt

        for function, kind in ((later, Misuse), (stops, KeyboardInterrupt),
                               (object, TypeError),
                               (lambda: float("nan"), ValueError)):
            with self.assertRaises(kind):
                go([calls(("f", {}))], Tool(function, name="f", parameters={
                    "type": "object"}))

    def test_results(self):
        @dataclass
        class Point:
            x: int

        for value, text in (("ab", "ab"), (None, "null"), ([1, "é"], '[1,"é"]'),
                            ({"p": [Point(1)]}, '{"p":[{"x":1}]}')):
            result = go([calls(("f", {}))], Tool(lambda: value, name="f"))
            self.assertEqual(result.tool_uses[0].result, text)
        result = go([calls(("f", {}))], Tool(lambda: "\ud800", name="f"))
        self.assertEqual(result.tool_uses[0].failure, "result")
        result = go([calls(("f", {}))],
                    Tool(lambda: {"sum": "x"}, name="f", result=SUM))
        self.assertEqual(result.tool_uses[0].failure, "result")
        result = go([calls(("f", {}))],
                    Tool(lambda: "x" * 20, name="f", result_bytes_max=10))
        self.assertEqual(result.tool_uses[0].failure, "limit")

    def test_limits(self):
        replies = [calls(("add", {"a": i, "b": i})) for i in range(5)]
        self.assertEqual(len(go(replies, ADD, steps_max=2).tool_uses), 2)
        uses = go([calls(*[("add", {"a": i, "b": 0}) for i in range(3)])],
                  ADD, tool_calls_max=2).tool_uses
        self.assertEqual([use.made for use in uses], [True, True, False])

    def test_a_tool_that_is_slow(self):
        made = []

        def slow(a):
            time.sleep(1)
            made.append(a)
            return a

        one = {"type": "object", "properties": {"a": {"type": "integer"}}}
        tool = Tool(slow, seconds=0.2, parameters=one)
        for way in (go, go_async):
            made.clear()
            result = way([calls(("slow", {"a": 1}), ("slow", {"a": 2}))], tool)
            self.assertEqual([use.failure for use in result.tool_uses],
                             ["timeout", "timeout"])
            self.assertEqual(made, [1])  # the other was dropped before it began
            self.assertTrue(result.ok)

    def test_mistakes(self):
        for tools, kind in (([5], TypeError), ([print], TypeError),
                            (lambda: 1, Misuse), ([ADD, ADD], Misuse),
                            (Tool(add, parameters={"type": "array"}), Misuse),
                            ("/none/such.json", surety.Io),
                            ({"tools": [{"name": "x"}]}, surety.Syntax)):
            with self.assertRaises(kind):
                go([], tools)


@unittest.skipUnless(TWO, "Pydantic 2 is not installed")
class Signatures(unittest.TestCase):
    def test_signature(self):
        class Place(pydantic.BaseModel):
            city: str

        class Weather(pydantic.BaseModel):
            degrees: int

        seen = []

        def weather(place: Place, days: "Optional[List[int]]" = None, *,
                    schema: bool = False) -> Weather:
            """The weather of a city."""
            seen.append((place, days, schema))
            return Weather(degrees=20)

        result = go([calls(("weather", {"place": {"city": "Oslo"}})),
                     calls(("weather", {"place": {"city": "Rome"},
                                        "days": [1], "schema": True})),
                     calls(("weather", {"place": {}, "hours": 1}))], weather)
        self.assertEqual(seen, [(Place(city="Oslo"), None, False),
                                (Place(city="Rome"), [1], True)])
        self.assertEqual(result.tool_uses[0].result, '{"degrees":20}')
        self.assertEqual(result.tool_uses[2].failure, "arguments")
        self.assertIn("hours", result.tool_uses[2].result)

    def test_model(self):
        class Even(pydantic.BaseModel):
            a: int

            @pydantic.field_validator("a")
            @classmethod
            def even(cls, a):
                if a % 2:
                    raise ValueError("must be even")
                return a

        def half(even):
            return even.a // 2

        result = go([calls(("half", {"a": 1})), calls(("half", {"a": 4}))],
                    Tool(half, parameters=Even))
        self.assertEqual([use.failure for use in result.tool_uses],
                         ["arguments", None])
        self.assertIn("must be even", result.tool_uses[0].result)
        self.assertEqual(result.tool_uses[1].result, "2")

    def test_methods(self):
        class Shop:
            def price(self, item: str) -> int:
                """What an item costs."""
                return len(item)

            def __call__(self, item: int) -> int:
                return item

        result = go([calls(("price", {"item": "abc"}), ("shop", {"item": 7}))],
                    [Shop().price, Tool(Shop(), name="shop")])
        self.assertEqual([use.result for use in result.tool_uses], ["3", "7"])


class Asynchronous(unittest.TestCase):
    def test_side_by_side(self):
        """Each waits until all have begun."""
        async def work():
            waiting = []

            async def meet(a):
                waiting.append(a)
                while len(waiting) < 3:
                    await asyncio.sleep(0.001)
                return a

            tool = Tool(meet, seconds=20, parameters={
                "type": "object", "properties": {"a": {"type": "integer"}}})
            with mock(calls(*[("meet", {"a": i}) for i in range(3)])) as server:
                return await run_async(
                    SUM, "x", models="mock:m", config=server.config(),
                    ledger=False, tools=tool, mode="prompt")

        result = asyncio.run(work())
        self.assertEqual([use.result for use in result.tool_uses],
                         ["0", "1", "2"])

    def test_what_comes_of_them(self):
        async def fails():
            await asyncio.sleep(0)
            raise ValueError("no")

        self.assertEqual(go_async([calls(("fails", {}))], fails)
                         .tool_uses[0].message, "ValueError: no")
        self.assertEqual(go_async([calls(ONE_TWO)], ADD).tool_uses[0].result,
                         '{"sum":3}')

        async def broken():
            return object()

        with self.assertRaises(TypeError):
            go_async([calls(("broken", {}))], broken)

    def test_cancelled(self):
        """By its time limit, and with the run."""
        begins, ends = [], []

        async def forever():
            begins.append(1)
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                ends.append(1)
                raise

        result = go_async([calls(("forever", {}))],
                          Tool(forever, seconds=0.1))
        self.assertEqual((result.tool_uses[0].failure, result.ok, ends),
                         ("timeout", True, [1]))

        async def work(server):
            task = asyncio.ensure_future(run_async(
                SUM, "x", models="mock:m", config=server.config(),
                ledger=False, tools=forever, mode="prompt"))
            while len(begins) < 2:
                await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        with mock(calls(("forever", {}))) as server:
            asyncio.run(work(server))
        self.assertEqual(ends, [1, 1])


class Files(unittest.TestCase):
    def test_file(self):
        """Paths of commands start at the file's folder; a replay
        starts no command."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tools.json")
            script, made = (os.path.join(folder, name)
                            for name in ("count.sh", "made"))
            with open(script, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nprintf x >>{made}\necho 7\n")
            os.chmod(script, 0o755)
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"tools": [{"name": "count",
                                      "command": ["./count.sh"],
                                      "parameters": {"type": "object"}}]},
                          file)
            record = os.path.join(folder, "record")
            first = go([calls(("count", {}))], [path, ADD], record=record)
            self.assertEqual(first.tool_uses[0].result.strip(), "7",
                             first.tool_uses)
            self.assertEqual(os.path.getsize(made), 1)
            again = run(Contract(SUM, name="sum"), "One and two?",
                        models="mock:m", mode="prompt", ledger=False,
                        tools=[path, ADD], replay=record, config={
                            "providers": {"mock": {
                                "base_url": "http://127.0.0.1:9/v1"}}})
            self.assertEqual(again.tool_uses[0].result.strip(), "7",
                             again.message)
            self.assertEqual(os.path.getsize(made), 1)
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"tools": [\n5]}')
            with self.assertRaises(surety.Syntax) as caught:
                go([], path)
            self.assertEqual((caught.exception.source, caught.exception.line),
                             (path, 2))


SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    method, given = asked["method"], asked.get("params", {})
    if method == "initialize":
        made = {"protocolVersion": given["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"}}
    elif method == "tools/list":
        made = {"tools": [{"name": "add", "inputSchema": SCHEMA}]}
    elif method == "tools/call":
        if given["arguments"]["a"] == 9:
            sys.stdin.read()  # never answers
        made = {"content": [{"type": "text", "text": "12"}]}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {
            "code": -32601, "message": "no such method"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"],
                      "result": made}), flush=True)
""".replace("SCHEMA", repr(NUMBERS))
BY_COMMAND = {"name": "add", "parameters": NUMBERS,
              "command": ["/bin/sh", "-c", "cat >/dev/null; echo 12"]}
CALL = calls(("add", {"a": 1, "b": 2}))


class Others(unittest.TestCase):
    """Tools that are no functions."""

    def said(self, **settings):
        tools = settings.pop("tools", None)
        use, = go([CALL], tools, **settings).tool_uses
        self.assertEqual((use.name, use.failure), ("add", None))
        return use.result.strip()

    def test_as_objects(self):
        self.assertEqual(self.said(tools=[BY_COMMAND]), "12")
        self.assertEqual(self.said(tools=BY_COMMAND), "12")
        self.assertEqual(self.said(tools={"tools": [BY_COMMAND]}), "12")
        self.assertEqual(self.said(tools=[{
            **BY_COMMAND, "parameters": Contract(NUMBERS, name="n")}]), "12")
        with self.assertRaises(surety.Syntax):
            go([], {"name": "add", "comand": ["echo"]})

    def test_of_the_configuration(self):
        """Every run has them, unless tools says others."""
        def asked(**settings):
            with mock(CALL) as server:
                return run(Contract(SUM, name="sum"), "x", models="mock:m",
                           config={**server.config(), "tools": [BY_COMMAND]},
                           ledger=False, mode="prompt", **settings).tool_uses
        self.assertEqual(asked()[0].result.strip(), "12")
        self.assertEqual(asked(tools=[]), ())
        other = Tool(lambda a, b: "4", name="add", parameters=NUMBERS)
        self.assertEqual(asked(tools=other)[0].result, "4")

    def test_of_a_server(self):
        """Recorded and played again, without the server."""
        words = [sys.executable, "-c", SERVER]
        self.assertEqual(self.said(mcp=[words]), "12")
        self.assertEqual(self.said(mcp=shlex.join(words)), "12")
        with tempfile.TemporaryDirectory() as folder:
            record = os.path.join(folder, "record")
            self.said(mcp=[words], record=record)
            again = run(Contract(SUM, name="sum"), "One and two?",
                        models="mock:m", mode="prompt", ledger=False,
                        mcp=[words], replay=record, config={
                            "providers": {"mock": {
                                "base_url": "http://127.0.0.1:9/v1"}}})
            self.assertEqual(again.tool_uses[0].result.strip(), "12")
        with self.assertRaises(surety.Io):
            go([], None, mcp="exit 3")
        for wrong in (7, [7], [[]], [["a", 7]]):
            with self.assertRaises(TypeError):
                go([], None, mcp=wrong)
        with self.assertRaises(ValueError):
            go([], None, mcp="true", consensus="vote")

    def test_cancelled(self):
        """While a server is waited for, and while its tool is; the ledger's
        rows are whole then."""
        async def work(server, config, **settings):
            task = asyncio.ensure_future(run_async(
                SUM, "x", models="mock:m", config=config, mode="prompt",
                **settings))
            while not os.path.exists(started) and not task.done():
                await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        with tempfile.TemporaryDirectory() as folder:
            started = os.path.join(folder, "started")
            with mock() as server:
                config = surety.Config(server.config())
                asyncio.run(work(server, config, ledger=False,
                                 mcp=f"touch {started}; sleep 600"))
                self.assertTrue(config.lock.acquire(timeout=60))
                config.lock.release()
                config.close()
            os.remove(started)
            ledger = os.path.join(folder, "ledger.db")
            script = SERVER.replace("sys.stdin.read()  #", f"open({started!r}, "
                                    "'w').close(); sys.stdin.read()  #")
            with mock(calls(("add", {"a": 9, "b": 2}))) as server:
                asyncio.run(work(server, server.config(), ledger=ledger,
                                 mcp=[[sys.executable, "-c", script]]))
            with closing(sqlite3.connect(ledger)) as rows:
                self.assertEqual(rows.execute(
                    "SELECT count(*), sum(state = 'open') FROM attempts"
                ).fetchone(), (2, 0))

    def test_interrupted(self):
        """Ctrl-C while a server is waited for, which does not answer."""
        for settings in ("tools={'servers': [{'mcp': ['sh', '-c', %r], "
                         "'time_ms': 600000}]}", "mcp=%r"):
            with tempfile.TemporaryDirectory() as folder:
                started = os.path.join(folder, "started")
                settings %= f"touch {started}; exec sleep 600"
                script = ("import surety; surety.run(None, 'x', ledger=False, "
                          f"models='exec:cat', {settings})")
                process = subprocess.Popen(
                    [sys.executable, "-c", script], stderr=subprocess.PIPE,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
                while not os.path.exists(started) and process.poll() is None:
                    time.sleep(0.01)
                process.send_signal(signal.SIGINT)
                try:
                    said = process.communicate(timeout=120)[1].decode()
                finally:
                    process.kill()
                self.assertIn("KeyboardInterrupt", said)
                self.assertEqual(process.returncode, -signal.SIGINT)


class Conversations(unittest.TestCase):
    def test_forms(self):
        """Messages of any client, and those of a result, go on."""
        call = {"id": "c1", "type": "function", "function": {
            "name": "f", "arguments": "{}"}}
        chat = [{"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": None, "refusal": None,
                 "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c1", "content": "7"}]
        anthropic = {"system": "Be brief.", "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "c1", "name": "f", "input": {}}]},
            {"role": "user", "content": [{
                "type": "tool_result", "tool_use_id": "c1", "content": "7"}]}]}
        made = []
        for messages in (chat, json.dumps(chat), anthropic):
            result = run(SUM, "And now?", models="exec:echo '{\"sum\": 1}'",
                         ledger=False, messages=messages)
            self.assertTrue(result.ok, result.message)
            self.assertEqual(result.messages[-2:], [
                {"role": "user", "content": "And now?"},
                {"role": "assistant", "content": '{"sum": 1}\n'}])
            made.append(result.messages[:4])
        self.assertEqual([one["role"] for one in made[0]],
                         ["system", "user", "assistant", "tool"])
        again = run(SUM, messages=made[0] + [{"role": "user",
                                             "content": "So?"}],
                    models="exec:grep -c Hello >/dev/null; echo '{\"sum\": 2}'",
                    ledger=False)
        self.assertEqual((again.value, again.messages[:4]),
                         ({"sum": 2}, made[0]))
        self.assertEqual(len(again.messages), 6)

    def test_what_is_repaired(self):
        cut = [{"role": "user", "content": "x"},
               {"role": "assistant", "tool_calls": [
                   {"id": "c", "type": "function",
                    "function": {"name": "f", "arguments": "{}"}}]}]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = run(None, "y", models="exec:cat", messages=cut,
                         ledger=False)
        self.assertEqual([one.category for one in caught],
                         [surety.SuretyWarning])
        self.assertIn("missing-result", str(caught[0].message))
        self.assertIn("Error of f", result.value)

    def test_mistakes(self):
        for messages in ([{"role": "judge", "content": "x"}], [5], "{"):
            with self.assertRaises(surety.Syntax):
                run(None, "x", models="exec:cat", messages=messages)

    def test_replies_that_failed(self):
        bad = {"json": {"sum": "x"}}
        for keeps, count in ((False, 2), (True, 4)):
            result = go([bad], None, keep_reasks=keeps)
            self.assertEqual(len(result.messages), count)

    def test_signed_turns(self):
        """What Anthropic signed goes back to it byte for byte, also after a
        turn of OpenAI, which gets none of it."""
        signed = (b'{"type":"thinking","thinking":"Add \\u003c them",'
                  b'"signature":"EqQB\\/+=\\u002b", "n":1.50}')
        call = (b'{"type":"tool_use","id":"c1","name":"add",'
                b'"input":{"a":1,"b":2}}')
        said = b'{"type":"text","text":"{\\"sum\\": 3}"}'
        whole = (b'{"id":"m","type":"message","role":"assistant","model":"m",'
                 b'"content":[%s],"stop_reason":"end_turn","usage":'
                 b'{"input_tokens":1,"output_tokens":1}}')
        chat = (b'{"id":"c","model":"m","choices":[{"index":0,"message":{"role"'
                b':"assistant","content":"{\\"sum\\": 4}"},"finish_reason":'
                b'"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}')
        with answering(whole % b",".join((signed, call)), whole % said, chat,
                       whole % said) as (url, bodies):
            config = {"providers": {
                "a": {"protocol": "anthropic", "base_url": url},
                "o": {"protocol": "openai", "base_url": url}}}
            messages = []
            for model in ("a:m", "o:m", "a:m"):
                result = run(SUM, "One and two?", models=model, config=config,
                             ledger=False, whole=True, tools=[ADD],
                             messages=messages, mode="prompt" if model == "o:m"
                             else None)
                self.assertTrue(result.ok, result.message)
                messages = json.loads(json.dumps(result.messages))
        self.assertEqual([signed in body for body in bodies],
                         [False, True, False, True])
        self.assertNotIn(b"thinking", bodies[2])
        self.assertEqual([one["role"] for one in messages],
                         ["user", "assistant", "tool", "assistant",
                          "user", "assistant", "user", "assistant"])


@contextmanager
def answering(*answers):
    """A server that gives these bodies in turn: its URL, and the bodies of the
    requests."""
    bodies = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):  # pylint: disable=invalid-name
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            answer = answers[len(bodies) - 1]
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format, *args):  # pylint: disable=all
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", bodies
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


if __name__ == "__main__":
    unittest.main()

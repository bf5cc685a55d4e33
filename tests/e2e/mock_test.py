#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surety mock on the wire: every protocol whole and streamed, every fault at
its byte, and what an HTTP server must stand: mock_test.py [SURETY]."""

import concurrent.futures
import json
import os
import re
import resource
import signal
import socket
import time

from cli_run import FOLDER, check, complains, run_tests, same, surety, write
from mock_run import CALLS, Mock, Response, WAIT, refuse, request
from process import is_read, until

SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}},
          "required": ["x"], "additionalProperties": False}
TEXT = "Grüße, wörld: 日本語 🎉 done."


def said(protocol, reply):
    """The text of a whole answer."""
    if protocol == "openai":
        return reply["choices"][0]["message"]["content"]
    if protocol == "responses":
        return reply["output"][-1]["content"][0]["text"]
    if protocol == "anthropic":
        return reply["content"][-1]["text"]
    return reply["candidates"][0]["content"]["parts"][-1]["text"]


def streamed(protocol, events):
    """The text of a stream."""
    text = ""
    for _, data in events:
        if protocol == "openai" and data != "[DONE]":
            for choice in data.get("choices", []):
                text += choice["delta"].get("content") or ""
        elif protocol == "responses":
            if data["type"] == "response.output_text.delta":
                text += data["delta"]
        elif protocol == "anthropic":
            text += data.get("delta", {}).get("text", "")
        elif protocol == "gemini":
            text += data["candidates"][0]["content"]["parts"][0]["text"]
    return text


LAST = {"openai": (None, "[DONE]"), "responses": "response.completed",
        "anthropic": "message_stop"}


def test_protocols():
    reply = {"text": TEXT, "repeat": True, "chunks": 3}
    with Mock({"replies": [reply]}) as mock:
        for protocol in CALLS:
            whole = mock.call(protocol)
            same(f"{protocol}: status", whole.status, 200)
            same(f"{protocol}: type", whole.header("content-type"),
                 "application/json")
            same(f"{protocol}: text", said(protocol, whole.json()), TEXT)
            same(f"{protocol}: length", int(whole.header("content-length")),
                 len(whole.body))
            stream = mock.call(protocol, True)
            same(f"{protocol}: stream's type", stream.header("content-type"),
                 "text/event-stream; charset=utf-8")
            same(f"{protocol}: stream's text",
                 streamed(protocol, stream.events()), TEXT)
            check(f"{protocol}: stream is whole", stream.whole, stream)
            last = stream.events()[-1]
            if protocol == "gemini":
                same("gemini: end", last[1]["candidates"][0]["finishReason"],
                     "STOP")
            else:
                check(f"{protocol}: end mark",
                      last == LAST[protocol] or last[0] == LAST[protocol],
                      last)
        same("responses: events count up",
             [data["sequence_number"] for _, data in
              mock.call("responses", True).events()][:5], [0, 1, 2, 3, 4])
        check("openai: no usage unless asked for", all(
            "usage" not in data for _, data in
            mock.call("openai", True).events() if data != "[DONE]"))
        asked = mock.call("openai", True,
                          stream_options={"include_usage": True}).events()
        same("openai: usage chunk", (asked[-2][1]["choices"],
                                     asked[-2][1]["usage"]["prompt_tokens"]),
             ([], 1))
        array = Response(mock.send(request("gemini", True).replace(
            b"?alt=sse", b"")))
        same("gemini: an array without alt=sse",
             said("gemini", array.json()[0]), TEXT)


def test_deterministic():
    script = {"replies": [{"text": TEXT, "repeat": True}]}
    got = []
    for _ in range(2):
        with Mock(script) as mock:
            got.append([mock.call(p, s).raw for p in CALLS
                        for s in (False, True)])
    same("the same requests get the same bytes", got[0], got[1])


def test_delivery():
    tool = {"openai": {"tools": [{"type": "function", "function": {
                "name": "emit", "parameters": SCHEMA}}],
                "tool_choice": "required"},
            "responses": {"tools": [{"type": "function", "name": "emit",
                                     "parameters": SCHEMA}],
                          "tool_choice": {"type": "function",
                                          "name": "emit"}},
            "anthropic": {"tools": [{"name": "emit", "input_schema": SCHEMA}],
                          "tool_choice": {"type": "any"}},
            "gemini": {"tools": [{"functionDeclarations": [{
                "name": "emit", "parameters": SCHEMA}]}],
                "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}}
    with Mock({"replies": [{"json": {"x": 1}, "repeat": True}]}) as mock:
        for protocol, members in tool.items():
            reply = mock.call(protocol, **members).json()
            call = {
                "openai": lambda: json.loads(
                    reply["choices"][0]["message"]["tool_calls"][0]
                    ["function"]["arguments"]),
                "responses": lambda: json.loads(
                    reply["output"][0]["arguments"]),
                "anthropic": lambda: reply["content"][0]["input"],
                "gemini": lambda: reply["candidates"][0]["content"]["parts"]
                [0]["functionCall"]["args"]}[protocol]()
            same(f"{protocol}: tool call", call, {"x": 1})
        same("openai: ends for the tool", mock.call(**tool["openai"]).json()
             ["choices"][0]["finish_reason"], "tool_calls")
        text = "".join(data["delta"].get("partial_json", "")
                       for event, data in mock.call(
                           "anthropic", True, **tool["anthropic"]).events()
                       if event == "content_block_delta")
        same("anthropic: streamed arguments", text, '{"x":1}')
    with Mock({"replies": [
            {"text": "{bad", "deliver": "tool", "tool": "f"},
            {"text": "no tool", "deliver": "text"},
            {"refusal": "No.", "finish": "refusal"},
            {"text": "cut", "finish": "length"},
            {"text": "x", "usage": None},
            {"text": "x", "usage": {"input_tokens": 7, "output_tokens": 3,
                                    "cached_input_tokens": 2}},
            {"preamble": "Well.", "json": [1], "deliver": "tool"}]}) as mock:
        same("arguments that are no JSON",
             mock.call().json()["choices"][0]["message"]["tool_calls"][0]
             ["function"], {"name": "f", "arguments": "{bad"})
        same("a tool that is not called",
             mock.call(**tool["openai"]).json()["choices"][0]["message"]
             ["content"], "no tool")
        same("a refusal", mock.call("anthropic").json()["stop_reason"],
             "refusal")
        same("cut off", mock.call("gemini").json()["candidates"][0]
             ["finishReason"], "MAX_TOKENS")
        check("usage not told", "usage" not in mock.call().json())
        usage = mock.call("anthropic").json()["usage"]
        same("usage told", (usage["input_tokens"], usage["output_tokens"],
                            usage["cache_read_input_tokens"]), (5, 3, 2))
        same("text before a tool call", [
            block["type"] for block in mock.call("anthropic").json()
            ["content"]], ["text", "tool_use"])


def test_calls():
    """As many calls of tools as a reply may ask for, and one more."""
    for most in (1000, 1001):
        script = {"replies": [{"calls": [{"tool": f"t{i}"}
                                         for i in range(most)]}]}
        if most > 1000:
            result = surety("mock", "--script", write("calls.json", script))
            check("1,001 calls are refused", result.code == 2
                  and "/replies/0/calls" in result.err, result)
            continue
        with Mock(script) as mock:
            answer = mock.call("openai")
        calls = answer.json()["choices"][0]["message"]["tool_calls"]
        same("1,000 calls, each with its id",
             (len(calls), len({one["id"] for one in calls})), (1000, 1000))


def test_picking():
    with Mock({"defaults": {"id": "d"}, "replies": [
            {"when": {"nth": 2}, "text": "second"},
            {"when": {"model": ["a", "b"]}, "text": "a or b", "repeat": 2},
            {"when": {"contains": "magic"}, "text": "magic"},
            {"when": {"protocol": "anthropic"}, "text": "claude"},
            {"when": {"stream": True}, "text": "stream"},
            {"when": {"headers": {"X-Test": "yes"}}, "text": "header"},
            {"when": {"path": "/chat/completions"}, "text": "path"},
            {"when": {"mode": "native"}, "text": "native"},
            {"echo": True}]}) as mock:
        say = [{"role": "system", "content": "magic"},
               {"role": "user", "content": "q"}]
        same("echo", said("openai", mock.call().json()), "hey")
        same("nth", said("openai", mock.call().json()), "second")
        same("model", said("openai", mock.call(model="b").json()), "a or b")
        same("contains", said("openai", mock.call(messages=say).json()),
             "magic")
        same("protocol", said("anthropic", mock.call("anthropic").json()),
             "claude")
        same("stream", streamed("openai", mock.call(stream=True).events()),
             "stream")
        same("header", said("openai", mock.call(
            headers=["x-test: oh yes"]).json()), "header")
        same("path", said("openai", Response(mock.send(request().replace(
            b"/v1/chat", b"/chat"))).json()), "path")
        same("mode", said("responses", mock.call("responses", text={
            "format": {"type": "json_schema", "name": "p",
                       "schema": SCHEMA}}).json()), "native")
        same("id of the defaults", mock.call(model="a").json()["id"],
             "chatcmpl-d")
        gone = mock.call()
        same("nothing left", (gone.status, gone.json()["error"]["code"]),
             (400, "script_exhausted"))
    with Mock({"then": "repeat", "replies": [{"text": "1"},
                                             {"text": "2"}]}) as mock:
        same("then repeat", [said("openai", mock.call().json())
                             for _ in range(4)], ["1", "2", "2", "2"])


def test_errors():
    shapes = {
        "openai": lambda b: (b["error"]["type"], b["error"]["code"]),
        "responses": lambda b: (b["error"]["type"], b["error"]["code"]),
        "anthropic": lambda b: (b["type"], b["error"]["type"]),
        "gemini": lambda b: (b["error"]["code"], b["error"]["status"])}
    want = {"openai": ("requests", "rate_limit_exceeded"),
            "responses": ("requests", "rate_limit_exceeded"),
            "anthropic": ("error", "rate_limit_error"),
            "gemini": (429, "RESOURCE_EXHAUSTED")}
    with Mock({"replies": [
            {"status": 429, "headers": {"Retry-After": "7",
                                        "x-many": ["1", "2"]}, "repeat": 4},
            {"status": 503, "html": True},
            {"error": {"message": "odd", "code": "c"}, "status": 200},
            {"status": 307, "headers": {"location": "http://elsewhere/"}},
            {"text": "x", "content_type": "text/plain",
             "headers": {"content-encoding": "gzip"}},
            {"body": {"choices": []}}, {"empty": True}]}) as mock:
        for protocol, shape in shapes.items():
            got = mock.call(protocol, stream=True)
            same(f"{protocol}: 429", (got.status, shape(got.json())),
                 (429, want[protocol]))
        same("headers", [h for h in got.headers
                         if h[0] in ("retry-after", "x-many")],
             [("retry-after", "7"), ("x-many", "1"), ("x-many", "2")])
        page = mock.call()
        check("html", page.status == 503 and page.body.startswith(b"<!DOC")
              and page.header("content-type").startswith("text/html"), page)
        odd = mock.call()
        same("an error in a 200", (odd.status, odd.json()["error"]["message"]),
             (200, "odd"))
        moved = mock.call()
        same("a redirect", (moved.status, moved.header("location"),
                            moved.body), (307, "http://elsewhere/", b""))
        claims = mock.call()
        same("claims", (claims.header("content-type"),
                        claims.header("content-encoding")),
             ("text/plain", "gzip"))
        same("an exact body", mock.call().body, b'{"choices":[]}')
        same("no body", mock.call().body, b"")


def test_wire_faults():
    whole = {"text": TEXT}
    with Mock({"replies": [dict(whole, repeat=2)]}) as mock:
        body, stream = mock.call().body, mock.call(stream=True).body
    with Mock({"replies": [dict(whole, id="mock1", cut_at=100),
                           dict(whole, id="mock2", cut_at=500),
                           dict(whole, id="mock1", reset_at=100),
                           dict(whole, id="mock2", reset_at=500),
                           dict(whole, id="mock1", stall_at=100),
                           dict(whole, id="mock2", stall_at=0),
                           dict(whole, id="mock2", cut_at=0),
                           {"hang_up": True}, {"hang_up": "reset"},
                           {"bytes": {"hex": "48 00 fF"}},
                           {"bytes": "HTTP/1.1 200 OK\r\n\r\n", "write_size": 2,
                            "chunk_delay_ms": 1}]}) as mock:
        cut = mock.call()
        same("cut", (cut.body, cut.end), (body[:100], "close"))
        cut = mock.call(stream=True)
        same("cut in a stream", (cut.body, cut.end, cut.whole),
             (stream[:500], "close", False))
        part = mock.call()
        same("reset", (part.body, part.end), (body[:100], "reset"))
        cut = mock.call(stream=True)
        same("reset in a stream", (cut.body, cut.end),
             (stream[:500], "reset"))
        cut = Response(mock.send(request()), 0.5, len(part.raw))
        same("stall", (cut.body, cut.end), (body[:100], "silence"))
        link = mock.send(request(stream=True))
        cut = mock.call(stream=True)
        same("cut after the head", (cut.status, cut.body, cut.end),
             (200, b"", "close"))
        cut = Response(link, 0.5, len(cut.raw))
        same("stall after the head", (cut.status, cut.body, cut.end),
             (200, b"", "silence"))
        same("hang up", [(r.raw, r.end) for r in (mock.call(), mock.call())],
             [(b"", "close"), (b"", "reset")])
        same("any bytes", mock.call().raw, b"H\x00\xff")
        same("any bytes, slowly", mock.call().raw, b"HTTP/1.1 200 OK\r\n\r\n")
        same("the log tells", [line["ended"] for line in mock.logged(10)][:4],
             ["cut", "cut", "reset", "reset"])


def test_stream_faults():
    with Mock({"replies": [
            {"text": "éé日🎉", "chunks": 1, "split_utf8": True},
            {"text": "abcdef", "write_size": 7},
            {"text": "abcdef", "malformed_sse": True},
            {"text": "abcdef", "malformed_sse": ":\n\n"},
            {"text": "abcdef", "chunks": 2, "error_mid_stream":
             {"after": 2, "type": "api_error", "message": "oh"}},
            {"text": "abcdef", "no_end_mark": True, "repeat": 2},
            {"events": [{"type": "message_stop"}, "data: raw\n\n"]},
            {"text": "ab", "never_end": True, "chunk_delay_ms": 1},
            {"text": "ab", "never_end": "spaces", "chunk_delay_ms": 1},
            {"huge": 3, "repeat": 2}]}) as mock:
        split = mock.call(stream=True)
        same("split characters", streamed("openai", split.events()), "éé日🎉")
        check("split inside", any(chunk[-1:] >= b"\xc0"
                                  for chunk in split.chunks), split)
        for chunk in split.chunks:
            try:
                chunk.decode()
            except UnicodeDecodeError:
                break
        else:
            check("some chunk is no UTF-8", False, split)
        small = mock.call(stream=True)
        check("small writes", set(map(len, small.chunks[:-2])) == {7}, small)
        bad = mock.call(stream=True)
        check("a broken event", isinstance(bad.events()[1][1], str) and
              streamed("openai", bad.events()[2:]) == "abcdef", bad)
        check("a given event", b"\n\n:\n\ndata: " in
              mock.call(stream=True).body)
        broken = mock.call("anthropic", stream=True)
        same("an error in a stream", (broken.events()[-1], broken.whole),
             (("error", {"type": "error", "request_id": None, "error": {
                 "type": "api_error", "message": "oh"}}), True))
        same("after so many pieces", streamed(
            "anthropic", broken.events()), "abcd")
        check("no [DONE]", b"[DONE]" not in mock.call(stream=True).body)
        check("no message_stop", b"message_stop" not in
              mock.call("anthropic", True).body)
        same("exact events", mock.call("anthropic", True).body,
             b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
             b"data: raw\n\n")
        link = mock.send(request(stream=True))
        got = b""
        while got.count(b": ping") < 20:
            got += link.recv(65536)
        link.close()
        check("pings for ever", got.count(b": ping\n\n") >= 20, got)
        link = mock.send(request())
        got = b""
        while got.count(b" ") < 500:
            got += link.recv(65536)
        link.close()
        check("white space for ever", got.count(b"  ") > 100, got[:500])
        large = mock.call()
        same("three megabytes", said("openai", large.json()),
             "x" * (3 << 20))
        same("three megabytes in a stream",
             len(streamed("openai", mock.call(stream=True).events())), 3 << 20)
        same("who left", [line["ended"] for line in mock.logged(12)
                          if line["reply"] in (8, 9)], ["broken", "broken"])


def test_timing():
    with Mock({"replies": [{"text": "a", "delay_ms": 300},
                           {"chunks": ["a", "b", "c"],
                            "chunk_delay_ms": 150}]}) as mock:
        start = time.monotonic()
        link = mock.send(request())
        link.recv(1)
        took = time.monotonic() - start
        check("the first byte is late", 0.28 < took, took)
        link.close()
        start = time.monotonic()
        mock.call(stream=True)
        took = time.monotonic() - start
        check("pieces are late", 0.43 < took, took)


def test_strictness():
    open_schema = {"type": "object", "properties": {"x": {}, "y": {}},
                   "required": ["x"]}

    def formatted(schema):
        return {"response_format": {"type": "json_schema", "json_schema": {
            "name": "p", "strict": True, "schema": schema}}}
    with Mock({"strict_schemas": True, "models": ["m", "n"],
               "require_key": ["k1", "k2"],
               "replies": [{"text": "1", "repeat": True}]}) as mock:
        key = ["Authorization: Bearer k2"]
        bad = mock.call(headers=key, **formatted(open_schema)).json()["error"]
        same("an open object", (bad["code"], bad["param"]),
             ("invalid_json_schema", "response_format"))
        check("an open object, said", "'additionalProperties' is required" in
              bad["message"] and "'p'" in bad["message"], bad)
        bad = mock.call(headers=key, **formatted(
            dict(open_schema, additionalProperties=False))).json()["error"]
        check("a property not required", "Missing 'y'" in bad["message"], bad)
        bad = mock.call(headers=key, **formatted(
            {"type": "object", "properties": {"a": {"type": "array", "items": {
                "allOf": []}}}, "required": ["a"],
             "additionalProperties": False})).json()["error"]
        check("allOf inside", "allOf" in bad["message"] and
              "'properties', 'a', 'items'" in bad["message"], bad)
        same("a strict schema", mock.call(
            headers=key, **formatted(SCHEMA)).status, 200)
        bad = mock.call("anthropic", headers=["x-api-key: k1"], output_config={
            "format": {"type": "json_schema", "schema": open_schema}}).json()
        check("anthropic", "additionalProperties" in bad["error"]["message"],
              bad)
        same("an unknown model", mock.call(model="o", headers=key).status, 404)
        same("no key", [mock.call(p).status for p in CALLS],
             [401, 401, 401, 403])
        same("a wrong key", (mock.call(headers=["Authorization: Bearer k3"])
                             .status, mock.call("gemini", headers=[
                                 "x-goog-api-key: k3"]).status), (401, 400))
        same("json_object wants the word", mock.call(
            headers=key, response_format={"type": "json_object"}).status, 400)
        same("anthropic-version", Response(mock.send(request(
            "anthropic", headers=["x-api-key: k1"]).replace(
                b"anthropic-version: 2023-06-01\r\n", b""))).json()
             ["error"]["message"], "anthropic-version: header is required")
        mock.end()
        check("no key is told", not any(
            key in mock.heard() + json.dumps(mock.logged())
            for key in ("k1", "k2", "k3")), mock.heard())


def test_hostile_requests():
    with Mock({"request_bytes_max": 1000,
               "replies": [{"text": "1", "repeat": True}]}) as mock:
        cases = {
            "a head of 1 MB": b"GET /v1/models HTTP/1.1\r\nHost: x\r\nA: "
            + b"a" * (1 << 20) + b"\r\n\r\n",
            "a line of 1 MB": b"GET /" + b"a" * (1 << 20)
            + b" HTTP/1.1\r\n\r\n",
            "two lengths": b"POST /v1/responses HTTP/1.1\r\nHost: x\r\n"
            b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}   ",
            "a length that is none": b"POST /v1/responses HTTP/1.1\r\nHost: x"
            b"\r\nContent-Length: -5\r\n\r\n",
            "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n",
            "no host": b"GET /v1/models HTTP/1.1\r\n\r\n",
        }
        for name, data in cases.items():
            link = mock.dial()
            try:
                link.sendall(data)
            except OSError:
                pass
            got = Response(link)
            check(name, got.status == 0 or 400 <= got.status < 500, got)
        large = Response(mock.send(
            b"POST /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            b"Content-Length: 1001\r\n\r\n"))
        same("a body too large is refused before it is read", large.status,
             413)
        pieces = b"".join(b"64\r\n" + b" " * 100 + b"\r\n" for _ in range(11))
        large = Response(mock.send(
            b"POST /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n" + pieces + b"0\r\n\r\n"))
        same("a body too large in chunks", large.status, 413)
        head = request("responses", input="").partition(b"\r\n\r\n")[0]
        body = json.dumps({"model": "m", "input": "a" * (1000 - 27)}).encode()
        same("a body of just the limit", (len(body), Response(mock.send(
            head.replace(b"Content-Length: 27", b"Content-Length: 1000")
            + b"\r\n\r\n" + body)).status), (1000, 200))
        for path in ("/v1/../v1/models", "//v1/models", "/v1/models/",
                     "/v1%2Fchat/completions/x", "/V1/models", "/v1/models%00"):
            got = Response(mock.send(f"GET {path} HTTP/1.1\r\nHost: x\r\n"
                                     "Connection: close\r\n\r\n".encode()))
            same(f"path {path}", got.status, 404)
        many = mock.send(b"GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n" * 199
                         + b"GET /v1/models HTTP/1.1\r\nHost: x\r\n"
                         b"Connection: close\r\n\r\n")
        same("200 requests at once on a connection",
             Response(many).raw.count(b"HTTP/1.1 200 OK"), 200)
        same("it still serves", mock.call().status, 200)


def test_slow_clients():
    with Mock({"replies": [{"text": "1", "repeat": True}]}) as mock:
        start = time.monotonic()
        slow = [mock.send(b"POST /v1/resp") for _ in range(20)]
        started = mock.send(request()[:120])
        same("others are served meanwhile",
             [mock.call().status for _ in range(20)], [200] * 20)
        end = None
        while time.monotonic() < start + WAIT and end is None:
            try:
                slow[0].sendall(b"o")
                slow[0].settimeout(0.5)
                if slow[0].recv(1) == b"":
                    end = time.monotonic() - start
            except socket.timeout:
                pass
            except OSError:
                end = time.monotonic() - start
        check("a head that does not end is given up", end is not None and
              8 < end, end)
        for link in slow + [started]:
            link.close()


def test_many_at_once():
    # One after the other these would take longer than a call waits.
    with Mock({"replies": [{"text": TEXT, "chunks": 2, "chunk_delay_ms": 100,
                            "repeat": True}]}) as mock:
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            got = list(pool.map(
                lambda i: streamed("anthropic", mock.call(
                    "anthropic", True).events()), range(100)))
        same("50 streams at once", set(got), {TEXT})
        same("each is logged", len(mock.logged(100)), 100)


def test_ending():
    mock = Mock({"replies": [{"text": "a", "never_end": True, "repeat": 10},
                             {"text": "a", "stall_at": 2, "repeat": 10},
                             {"text": "a", "delay_ms": 600000, "repeat": 10}]})
    same("the line", mock.line,
         f"surety mock: listening on http://127.0.0.1:{mock.port}\n")
    links = [mock.send(request(stream=True)) for _ in range(30)]
    until(lambda: is_read(mock.port), WAIT)
    same("ends at once while streams are open", mock.end(signal.SIGINT), 0)
    same("and tells of each", len(mock.logged(30)), 30)
    check("and ends them", all(Response(link).end != "silence"
                               for link in links))
    mock = Mock({"replies": [{"text": "a", "repeat": True}]}, "-n", "2")
    mock.call()
    mock.call()
    same("--requests", mock.process.wait(timeout=WAIT), 0)
    check("a line a request", mock.heard().splitlines()[1].startswith(
        "2 POST /v1/chat/completions openai m prompt: status 200 reply 1,"),
          mock.heard())


def test_full_log():
    """A disk that is full for a while takes lines of the log, and no later
    ones; the server goes on."""
    mock = Mock({"then": "repeat", "replies": [{"text": "ok"}]}, "--quiet")
    pid = mock.process.pid
    _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    mock.call()
    size = len(json.dumps(mock.logged(1)[0], separators=(",", ":"))) + 1
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size + 20, most))
    for _ in range(2):
        same("it goes on", mock.call().status, 200)
    refuse(mock)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
    same("and after it", mock.call().status, 200)
    same("lost lines are an error of the command", mock.end(), 4)
    with open(mock.log, encoding="utf-8") as file:
        lines = file.read().split("\n")
    same("one line is cut, the later ones are there", [
        line.endswith("}") for line in lines], [True, False, True, False])


def test_command_line():
    run = surety("mock", "--reply", "hey", "--for", "1")
    check("--for", run.code == 0 and "listening on" in run.out, run)
    complains("nothing to say", surety("mock"), 2, "--script")
    complains("a script and a reply", surety("mock", "-s", "x", "-r", "y"), 2)
    complains("no such script", surety("mock", "-s", "none.json"), 4,
              "none.json")
    complains("no port", surety("mock", "-r", "x", "-p", "65536"), 2, "port")
    complains("no address", surety("mock", "-r", "x", "-a", "localhost"), 2,
              "IP address")
    write("bad.json", '{ // one\n  "replies": [{"text": 3}]\n}\n')
    complains("a wrong script", surety("mock", "-s", "bad.json"), 2,
              "bad.json:2:24: error: ")
    complains("a file that is not there", surety("mock", "-r", "@none.txt"),
              4, "none.txt")
    with Mock({"replies": []}) as mock:
        complains("a port that is taken", surety(
            "mock", "-r", "x", "-p", str(mock.port)), 4, str(mock.port))
    complains("a log that cannot be", surety("mock", "-r", "x", "--log",
                                             "/nonexistent/log"), 4)
    test_full_log()
    write("said.txt", "from a file")
    write("with_file.json", {"replies": [{"file": "said.txt"}]})
    with open(f"{FOLDER}/with_file.json", encoding="utf-8") as file:
        with Mock(file.read()) as mock:
            same("a file", said("openai", mock.call().json()), "from a file")


def test_documentation():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "../../docs/mock.md")
    with open(path, encoding="utf-8") as file:
        scripts = re.findall(r"^```jsonc\n(.*?)^```", file.read(),
                             re.DOTALL | re.MULTILINE)
    check("docs/mock.md has scripts", len(scripts) > 3, scripts)
    write("story.json", "{}")
    for script in scripts:
        with Mock(script) as mock:
            check("a script of docs/mock.md", mock.port,
                  f"{script}\n{mock.heard()}")


if __name__ == "__main__":
    run_tests(test_protocols, test_deterministic, test_delivery, test_calls,
              test_picking, test_errors, test_wire_faults, test_stream_faults,
              test_timing, test_strictness, test_hostile_requests,
              test_slow_clients, test_many_at_once, test_ending,
              test_command_line, test_documentation)

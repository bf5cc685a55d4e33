#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What surety mock tells apart in a request, over all protocols, and what it
answers that is no call of a model: mock_requests_test.py [SURETY]."""

import base64
import json
import random
import struct

from cli_run import check, complains, run_tests, same, surety, write
from mock_run import CALLS, Mock, Response, request

SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}},
          "required": ["x"], "additionalProperties": False}
CHOICES = ("none", "auto", "required", "named")
FORMATS = ("text", "json_object", "json_schema")


def tools(protocol, names, choice):
    """The members of a request that offers tools."""
    if protocol == "openai":
        return {"tools": [{"type": "function", "function": {
            "name": name, "parameters": SCHEMA}} for name in names],
                "tool_choice": {"type": "function",
                                "function": {"name": names[-1]}}
                if choice == "named" else choice}
    if protocol == "responses":
        return {"tools": [{"type": "function", "name": name,
                           "parameters": SCHEMA} for name in names],
                "tool_choice": {"type": "function", "name": names[-1]}
                if choice == "named" else choice}
    if protocol == "anthropic":
        kind = {"required": "any", "named": "tool"}.get(choice, choice)
        return {"tools": [{"name": name, "input_schema": SCHEMA}
                          for name in names],
                "tool_choice": {"type": kind} | (
                    {"name": names[-1]} if choice == "named" else {})}
    mode = {"required": "ANY", "named": "ANY"}.get(choice, choice.upper())
    return {"tools": [{"functionDeclarations": [
        {"name": name, "parameters": SCHEMA} for name in names]}],
            "toolConfig": {"functionCallingConfig": {"mode": mode} | (
                {"allowedFunctionNames": [names[-1]]}
                if choice == "named" else {})}}


def form(protocol, kind):
    """The members of a request that wants its text so."""
    schema = {"name": "s", "schema": SCHEMA}
    if protocol == "openai":
        return {"response_format": {"type": kind} | (
            {"json_schema": schema} if kind == "json_schema" else {})}
    if protocol == "responses":
        return {"text": {"format": {"type": kind} | (
            schema if kind == "json_schema" else {})}}
    if protocol == "anthropic":
        return {"output_config": {"format": {
            "type": kind, "schema": SCHEMA}}} if kind == "json_schema" else {}
    return {} if kind == "text" else {"generationConfig": {
        "responseMimeType": "application/json"} | (
            {"responseJsonSchema": SCHEMA} if kind == "json_schema" else {})}


def talk(protocol, last, text):
    """The members of a request whose last message is from there; a user's or
    a tool's has this text."""
    calls = {"id": "c1", "type": "function",
             "function": {"name": "a", "arguments": "{}"}}
    user = {"role": "user", "content": f"JSON, {text}"
            if last == "user" else "JSON"}
    if protocol == "openai":
        more = {"user": [], "assistant": [{"role": "assistant",
                                           "content": "Yes."}],
                "tool": [{"role": "assistant", "tool_calls": [calls]},
                         {"role": "tool", "tool_call_id": "c1",
                          "content": text}]}
        return {"messages": [user] + more[last]}
    if protocol == "responses":
        more = {"user": [], "assistant": [{"role": "assistant",
                                           "content": "Yes."}],
                "tool": [{"type": "function_call", "call_id": "c1",
                          "name": "a", "arguments": "{}"},
                         {"type": "function_call_output", "call_id": "c1",
                          "output": text}]}
        return {"input": [user] + more[last]}
    if protocol == "anthropic":
        more = {"user": [], "assistant": [{"role": "assistant",
                                           "content": "Yes."}],
                "tool": [{"role": "assistant", "content": [{
                    "type": "tool_use", "id": "c1", "name": "a",
                    "input": {}}]},
                         {"role": "user", "content": [{
                             "type": "tool_result", "tool_use_id": "c1",
                             "content": [{"type": "text", "text": text}]}]}]}
        return {"messages": [user] + more[last]}
    user = {"role": "user", "parts": [{"text": user["content"]}]}
    more = {"user": [], "assistant": [{"role": "model",
                                       "parts": [{"text": "Yes."}]}],
            "tool": [{"role": "model", "parts": [{"functionCall": {
                "name": "a", "args": {}}}]},
                     {"role": "user", "parts": [{"functionResponse": {
                         "name": "a", "response": {"output": text}}}]}]}
    return {"contents": [user] + more[last]}


def test_conditions():
    """A reply whose conditions say all that a request is like is given, and one
    that says one thing otherwise is not: at random, each protocol alike."""
    seed = random.randrange(1 << 32)
    dice = random.Random(seed)
    rows = []
    for protocol in CALLS:
        for _ in range(12):
            names = dice.sample(["a", "b", "c"], dice.randrange(4))
            choice = dice.choice(CHOICES) if names else "none"
            kind = dice.choice(FORMATS[::2] if protocol == "anthropic"
                               else FORMATS)
            last = dice.choice(("user", "assistant", "tool"))
            text = dice.choice(('say "hi"', "a\nb", "Größe\t\\ 日本", "{\"x\""))
            fits = {"protocol": protocol, "format": kind, "last": last,
                    "tool_choice": [choice, dice.choice(CHOICES)],
                    "tools": dice.sample(names, 1) if names else False}
            if last != "assistant":
                fits["contains"] = text
            wrong = dice.choice([
                {"format": [one for one in FORMATS if one != kind]},
                {"last": [one for one in ("user", "assistant", "tool")
                          if one != last]},
                {"tool_choice": [one for one in CHOICES if one != choice]},
                {"tools": names + ["d"] if names else True},
                {"contains": text + "?"}])
            more = talk(protocol, last, text) | form(protocol, kind)
            if names:
                more |= tools(protocol, names, choice)
            rows.append((protocol, more, fits, wrong))
    replies = []
    for _, _, fits, wrong in rows:
        replies += [{"when": fits | wrong, "status": 418},
                    {"when": fits, "deliver": "text", "text": "It fits."}]
    for number, (protocol, more, _, _) in enumerate(rows):
        with Mock({"replies": replies[2 * number:2 * number + 2]}) as mock:
            got = mock.call(protocol, **more)
            check(f"a request of {protocol} is what it is (seed {seed}, "
                  f"{number})", got.status == 200 and b"It fits." in got.body,
                  f"{rows[number]} {got}")


def test_exhausted():
    with Mock({"replies": []}) as mock:
        for protocol in CALLS:
            more = talk(protocol, "tool", "x") | tools(protocol, ["a"], "auto")
            got = mock.call(protocol, **more)
            check(f"{protocol}: what fits nothing is reported with what it is",
                  got.status == 400 and all(part in got.body.decode() for part
                                            in (f"({protocol}, model m",
                                                "mode prompt", "format text",
                                                "tool_choice auto",
                                                "last tool")), got)
        line = mock.logged(1)[0]
        same("the log tells it too", (line["format"], line["tool_choice"],
                                      line["last"]), ("text", "auto", "tool"))


def test_delivery():
    """The tool that a reply names is called where the request offers it."""
    reply = {"tool": "b", "json": {"x": 1}, "repeat": True}
    with Mock({"replies": [reply]}) as mock:
        for protocol in CALLS:
            for choice, called in (("auto", True), ("none", False)):
                got = mock.call(protocol, **tools(protocol, ["a", "b"],
                                                  choice)).body.decode()
                same(f"{protocol}: {choice}", any(
                    mark in got for mark in (
                        '"tool_calls":[{', '"type":"function_call"',
                        '"type":"tool_use"', '"functionCall":')), called)
            got = mock.call(protocol, **tools(protocol, ["a"], "auto"))
            check(f"{protocol}: not where it does not",
                  b'{\\"x\\":1}' in got.body, got)


def other(mock, path, body=None, headers=()):
    """A request that is no call."""
    text = json.dumps(body).encode() if body is not None else b""
    lines = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1",
             "Host: x", "Connection: close", *headers,
             f"Content-Length: {len(text)}", "", ""]
    return Response(mock.send("\r\n".join(lines).encode() + text))


def test_counts():
    with Mock({"replies": [{"text": "ok", "repeat": True}],
               "models": ["m"]}) as mock:
        version = ["anthropic-version: 2023-06-01"]
        for protocol, path, name, usage in (
                ("anthropic", "/v1/messages/count_tokens", "input_tokens",
                 ("usage", "input_tokens")),
                ("responses", "/v1/responses/input_tokens", "input_tokens",
                 ("usage", "input_tokens")),
                ("gemini", "/v1beta/models/m:countTokens", "totalTokens",
                 ("usageMetadata", "promptTokenCount"))):
            body = CALLS[protocol][1] | talk(protocol, "tool", "x" * 41)
            body.pop("max_tokens", None)
            got = other(mock, path, body, version)
            same(f"{protocol}: as many as the call has",
                 got.json().get(name),
                 mock.call(protocol, **talk(protocol, "tool", "x" * 41))
                 .json()[usage[0]][usage[1]])
        whole = {"generateContentRequest": {
            "model": "models/m", **talk("gemini", "user", "abcdefgh")}}
        same("gemini: a whole request", other(
            mock, "/v1beta/models/m:countTokens", whole).json(),
             {"totalTokens": 4})
        same("a count gives no reply away", [line["reply"] for line in
                                             mock.logged(7)],
             [None, 1, None, 1, None, 1, None])
        same("an unknown model", other(
            mock, "/v1/messages/count_tokens",
            CALLS["anthropic"][1] | {"model": "o"}, version).status, 404)
        same("no messages", other(mock, "/v1/messages/count_tokens",
                                  {"model": "m"}, version).status, 400)


def test_answers():
    with Mock({"replies": [{"text": "ok", "repeat": 3},
                           {"huge": 1, "repeat": True}]}) as mock:
        got = mock.call("openai", n=3).json()
        same("as many choices as are asked for", [
            (one["index"], one["message"]["content"])
            for one in got["choices"]], [(0, "ok"), (1, "ok"), (2, "ok")])
        same("all of them are paid for", got["usage"]["completion_tokens"], 3)
        got = mock.call("gemini", generationConfig={"candidateCount": 2})
        same("candidates", [one["index"] for one in got.json()["candidates"]],
             [0, 1])
        for protocol, more in (("openai", {"n": 129}), ("openai", {"n": 1.5}),
                               ("responses", {"n": 2}), ("anthropic",
                                                         {"n": 2}),
                               ("gemini", {"generationConfig": {
                                   "candidateCount": 9}})):
            got = mock.call(protocol, **more)
            same(f"{protocol} {more}: refused", got.status, 400)
        mock.call()
        got = mock.call("openai", n=2)
        same("several that are huge", [
            len(one["message"]["content"]) for one in got.json()["choices"]],
             [1 << 20] * 2)
        same("of the length that was told", int(got.header("content-length")),
             len(got.body))


def test_embeddings():
    with Mock({"replies": [], "models": ["m"]}) as mock:
        def vectors(**body):
            return other(mock, "/v1/embeddings", {"model": "m"} | body).json()

        plain = vectors(input=["a", "b", "a"])
        same("a vector for each", [one["index"] for one in plain["data"]],
             [0, 1, 2])
        a, b, again = (one["embedding"] for one in plain["data"])
        check("the same text, the same vector; another, another",
              a == again and a != b, (a[:3], b[:3]))
        check("of length 1", abs(sum(x * x for x in a) - 1) < 1e-6, a[:3])
        packed = base64.b64decode(vectors(
            input="a", encoding_format="base64")["data"][0]["embedding"])
        check("packed, it is the same", all(
            abs(x - y) < 1e-6 for x, y in zip(
                a, struct.unpack(f"<{len(a)}f", packed))), packed[:9])
        for dimensions in (1, 2, 3, 4096):
            got = vectors(input=[1, 2], dimensions=dimensions,
                          encoding_format="base64")["data"][0]["embedding"]
            same(f"{dimensions} numbers",
                 len(base64.b64decode(got, validate=True)), 4 * dimensions)
        batch = {"requests": [{"content": {"parts": [{"text": "a"}]},
                               "outputDimensionality": 4}] * 100}
        same("gemini: 100 in a batch", len(other(
            mock, "/v1beta/models/m:batchEmbedContents", batch).json()
            ["embeddings"]), 100)
        batch["requests"] *= 2
        same("gemini: and no more", other(
            mock, "/v1beta/models/m:batchEmbedContents", batch).status, 400)
        same("2,048 of OpenAI", len(vectors(
            input=["a"] * 2048, dimensions=1)["data"]), 2048)
        check("and no more", "array too long" in vectors(
            input=["a"] * 2049, dimensions=1)["error"]["message"])
        same("an unknown model", other(mock, "/v1/embeddings", {
            "model": "o", "input": "a"}).status, 404)


def test_paths():
    """A reply that names its path is given to whatever asks for it."""
    script = {"require_key": "k", "replies": [
        {"when": {"path": "/v1/moderations"}, "body": {"results": []}},
        {"when": {"path": ["/v1/messages/count_tokens", "/v1/models"]},
         "status": 529, "repeat": 2},
        {"when": {"path": "/v1/embeddings", "protocol": "gemini"},
         "text": "never"},
        {"text": "a call", "repeat": True}]}
    key = ["Authorization: Bearer k"]
    with Mock(script) as mock:
        same("an unknown path needs the key too",
             other(mock, "/v1/moderations", {}).status, 401)
        got = other(mock, "/v1/moderations", {}, key)
        same("a body for it", (got.status, got.json()), (200, {"results": []}))
        got = other(mock, "/v1/moderations", {}, key)
        check("which is used up", got.status == 404 and
              b"when.path" in got.body, got)
        got = other(mock, "/v1beta/models/m:predict", {}, key)
        check("so is a method of Gemini's that is not there",
              got.status == 405 and b"m:predict" in got.body
              and b"when.path" in got.body, got)
        same("with the method that is", got.header("allow"), "get")
        same("a fault of a count, and of the list", [
            other(mock, "/v1/messages/count_tokens", {},
                  ["x-api-key: k"]).status,
            other(mock, "/v1/models", None, key).status,
            other(mock, "/v1/models", None, key).status], [529, 529, 200])
        same("other conditions count as well", other(
            mock, "/v1/embeddings", {"model": "m", "input": "a"}, key).status,
             200)
        same("a reply without a path is for calls",
             mock.call(headers=key).status, 200)


def test_mistakes():
    for name, when, parts in (
            ("a condition", {"contians": "x"}, ("contians", '"contains"?')),
            ("a choice", {"tool_choice": "any"}, ('"any"', '"auto"')),
            ("a format", {"format": "json"}, ("json_object",)),
            ("an author", {"last": "tools"}, ('"tool"',)),
            ("a number of tools", {"tools": 2}, ("/replies/0/when/tools",))):
        write("wrong.json", json.dumps({"replies": [{"when": when,
                                                     "text": "a"}]}))
        complains(f"a mistake in {name}",
                  surety("mock", "--script", "wrong.json"), 2, *parts)


if __name__ == "__main__":
    run_tests(test_conditions, test_exhausted, test_delivery, test_counts,
              test_answers, test_embeddings, test_paths, test_mistakes)

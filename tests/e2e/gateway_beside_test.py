#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests with parts that the gateway does not know, beside functions:
gateway_beside_test.py [SURETY [SEEDS]]. Random answers of every protocol, whole
and as streams. The laws:

1. The provider gets the request as the client sent it, and behind its messages
   what was wrong before; the client gets the provider's response byte for byte.
2. No answer has a call of a function whose arguments break its schema.
3. An answer without such a call is given out, whatever else it has."""

import json
import random
import sys
import threading
import time

from cli_run import check, run_tests, same
from gateway_run import CLIENTS, Gateway, model_of
from mock_run import WAIT, Response, read_to, request
from provider_server import Provider, answer, endless, head, streamed

SEEDS = int(sys.argv[2]) if len(sys.argv) > 2 else 8
CITY = {"type": "object", "required": ["city"], "additionalProperties": False,
        "properties": {"city": {"type": "string"}}}
GOOD = ('{"city":"Oslo"}', '{ "city" : "Troms\\u00f8" }', '{"city":""}')
BAD = ('{"town":"Oslo"}', '{"city":1}', "{}", '{"city":"Oslo","x":null}')
PLACES = {"openai": "messages", "responses": "input", "anthropic": "messages",
          "gemini": "contents"}

# Requests with tools and messages that are not known here.
ASKED = {
    "openai": {
        "tools": [
            {"type": "custom", "custom": {"name": "patch"}},
            {"type": "function", "function": {"name": "weather",
                                              "parameters": CITY}}],
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "k1", "type": "custom",
                 "custom": {"name": "patch", "input": "*** Begin"}}]},
            {"role": "tool", "tool_call_id": "k1", "content": "ok"}]},
    "responses": {
        "tools": [
            {"type": "custom", "name": "apply_patch",
             "format": {"type": "grammar", "syntax": "lark",
                        "definition": "start: \"a\""}},
            {"type": "function", "name": "weather", "parameters": CITY,
             "strict": False},
            {"type": "local_shell"}, {"type": "web_search"},
            {"type": "namespace", "name": "agents", "description": "",
             "tools": [{"type": "function", "name": "visit",
                        "parameters": CITY}]}],
        "input": [
            {"role": "user", "content": "Go."},
            {"type": "reasoning", "id": "rs_0", "summary": [],
             "encrypted_content": "gAAA"},
            {"type": "custom_tool_call", "call_id": "k1",
             "name": "apply_patch", "input": "*** Begin"},
            {"type": "custom_tool_call_output", "call_id": "k1",
             "output": "ok"},
            {"type": "web_search_call", "id": "ws_0", "status": "completed"}]},
    "anthropic": {
        "tools": [
            {"type": "web_search_20250305", "name": "web_search"},
            {"name": "weather", "input_schema": CITY},
            {"type": "bash_20250124", "name": "bash"}],
        "messages": [
            {"role": "user", "content": "Who?"},
            {"role": "assistant", "content": [
                {"type": "server_tool_use", "id": "s0", "name": "web_search",
                 "input": {"query": "who"}},
                {"type": "web_search_tool_result", "tool_use_id": "s0",
                 "content": []}]},
            {"role": "user", "content": [{"type": "text", "text": "Go on."}]}]},
    "gemini": {
        "tools": [
            {"googleSearch": {}},
            {"functionDeclarations": [{"name": "weather",
                                       "parametersJsonSchema": CITY}],
             "codeExecution": {}}],
        "contents": [
            {"role": "user", "parts": [{"text": "Go."}]},
            {"role": "model", "parts": [
                {"executableCode": {"language": "PYTHON", "code": "1"}},
                {"codeExecutionResult": {"outcome": "OUTCOME_OK"}}]},
            {"role": "user", "parts": [{"text": "Go on."}]}]}}


def event(data, name=None):
    return (f"event: {name}\n" if name else "") + \
        f"data: {json.dumps(data)}\n\n"


def halves(text):
    middle = len(text) // 2
    return [text[:middle], text[middle:]]


# ---- answers: items are ("text", text), ("call", arguments), ("other", n) ----

def of_responses(items):
    """The response, and its events."""
    output, events = [], [("response.created", {"response": {
        "id": "resp_1", "status": "in_progress", "output": []}})]
    others = (
        {"type": "custom_tool_call", "call_id": "k9", "name": "apply_patch",
         "input": "*** Begin Patch"},
        {"type": "local_shell_call", "call_id": "k8", "status": "completed",
         "action": {"type": "exec", "command": ["ls"], "x": 1.50}},
        {"type": "web_search_call", "status": "completed"},
        {"type": "function_call", "call_id": "k7", "name": "found_later",
         "namespace": "mcp", "arguments": "{\"a\":1}"})
    for at, (kind, what) in enumerate(items):
        item = {"id": f"i_{at}"}
        if kind == "text":
            item |= {"type": "message", "role": "assistant",
                     "status": "completed", "content": [
                         {"type": "output_text", "text": what, "annotations": [
                             {"type": "url_citation", "url": "u"}]}]}
        elif kind == "call":
            item |= {"type": "function_call", "call_id": f"c{at}",
                     "name": "weather", "arguments": what}
        elif kind == "inner":
            item |= {"type": "function_call", "call_id": f"c{at}",
                     "name": "visit", "namespace": "agents", "arguments": what}
        else:
            item |= others[what % len(others)]
        begun = {**item}
        if kind == "text":
            begun["content"] = []
        if "arguments" in begun:
            begun["arguments"] = ""
        events.append(("response.output_item.added",
                       {"output_index": at, "item": begun}))
        for piece in halves(what) if kind == "text" else ():
            events.append(("response.output_text.delta", {
                "output_index": at, "content_index": 0, "delta": piece}))
        for piece in halves(item.get("arguments", "")):
            if piece:
                events.append(("response.function_call_arguments.delta", {
                    "output_index": at, "delta": piece}))
        events.append(("response.output_item.done",
                       {"output_index": at, "item": item}))
        output.append(item)
    whole = {"id": "resp_1", "object": "response", "status": "completed",
             "model": "m", "output": output, "unheard_of": [1, 2],
             "usage": {"input_tokens": 9, "output_tokens": 9,
                       "total_tokens": 18}}
    events.append(("response.completed", {"response": whole}))
    return whole, "".join(event({"type": name, **data}, name)
                          for name, data in events)


def of_anthropic(items):
    others = (
        [{"type": "server_tool_use", "id": "s9", "name": "web_search",
          "input": {"query": "q"}},
         {"type": "web_search_tool_result", "tool_use_id": "s9", "content": [
             {"type": "web_search_result", "url": "u", "title": "t"}]}],
        [{"type": "tool_use", "id": "t9", "name": "bash",
          "input": {"command": "ls"}}])
    blocks = []
    for at, (kind, what) in enumerate(items):
        if kind == "text":
            blocks.append({"type": "text", "text": what, "citations": [
                {"type": "char_location", "cited_text": "a"}]})
        elif kind == "other":
            blocks += others[what % len(others)]
        else:
            blocks.append({"type": "tool_use", "id": f"c{at}",
                           "name": "weather", "input": json.loads(what)})
    called = any(block["type"] == "tool_use" for block in blocks)
    whole = {"id": "msg_1", "type": "message", "role": "assistant",
             "model": "m", "stop_sequence": None, "content": blocks,
             "stop_reason": "tool_use" if called else "pause_turn"
             if blocks and blocks[-1]["type"] != "text" else "end_turn",
             "container": {"id": "c"},
             "usage": {"input_tokens": 9, "output_tokens": 9}}
    events = [{"type": "message_start", "message": {
        **whole, "content": [], "stop_reason": None}}]
    for at, block in enumerate(blocks):
        begun, deltas = {**block}, []
        if block["type"] == "text":
            begun = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": piece}
                      for piece in halves(block["text"])]
            deltas.append({"type": "citations_delta",
                           "citation": block["citations"][0]})
        elif "input" in block:
            begun["input"] = {}
            deltas = [{"type": "input_json_delta", "partial_json": piece}
                      for piece in halves(json.dumps(block["input"]))]
        events.append({"type": "content_block_start", "index": at,
                       "content_block": begun})
        events += [{"type": "content_block_delta", "index": at, "delta": delta}
                   for delta in deltas]
        events.append({"type": "content_block_stop", "index": at})
    events.append({"type": "message_delta", "delta": {
        "stop_reason": whole["stop_reason"]}, "usage": {"output_tokens": 9}})
    events.append({"type": "message_stop"})
    return whole, "".join(event(data, data["type"]) for data in events)


def of_openai(items):
    calls, text = [], ""
    for at, (kind, what) in enumerate(items):
        if kind == "text":
            text += what
        elif kind == "call":
            calls.append({"id": f"c{at}", "type": "function", "function": {
                "name": "weather", "arguments": what}})
        else:
            calls.append({"id": f"c{at}", "type": "custom", "custom": {
                "name": "patch", "input": f"*** {what}"}})
    top = {"id": "chatcmpl-1", "created": 1, "model": "m"}
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    reason = "tool_calls" if calls else "stop"
    message = {"role": "assistant", "content": text or None,
               "annotations": [{"type": "x"}]}
    if calls:
        message["tool_calls"] = calls
    deltas = [{"role": "assistant", "content": text}]
    for at, call in enumerate(calls):
        kind = call["type"]
        name, value = ("arguments", call[kind]["arguments"]) \
            if kind == "function" else ("input", call[kind]["input"])
        deltas.append({"tool_calls": [{
            "index": at, **call, kind: {**call[kind], name: ""}}]})
        deltas += [{"tool_calls": [{"index": at, kind: {name: piece}}]}
                   for piece in halves(value)]
    chunks = [{**top, "object": "chat.completion.chunk", "choices": [
        {"index": 0, "delta": delta, "finish_reason": None}]}
              for delta in deltas]
    chunks.append({**top, "object": "chat.completion.chunk", "choices": [
        {"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage})
    return {**top, "object": "chat.completion", "usage": usage, "choices": [
        {"index": 0, "finish_reason": reason, "message": message}]}, \
        "".join(event(chunk) for chunk in chunks) + "data: [DONE]\n\n"


def of_gemini(items):
    parts = []
    for kind, what in items:
        if kind == "text":
            parts.append({"text": what})
        elif kind == "call":
            parts.append({"functionCall": {"name": "weather",
                                           "args": json.loads(what)}})
        else:
            parts.append({"executableCode": {"language": "PYTHON",
                                             "code": str(what)}})
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 9,
             "totalTokenCount": 18}
    said = [{"candidates": [{"index": 0, "content": {
        "role": "model", "parts": [part]}}], "usageMetadata": usage}
            for part in parts]
    end = {"finishReason": "STOP", "index": 0,
           "groundingMetadata": {"webSearchQueries": ["q"]}}
    said.append({"candidates": [{**end, "content": {"role": "model",
                                                    "parts": []}}],
                 "usageMetadata": usage})
    return {"candidates": [{**end, "content": {"role": "model",
                                               "parts": parts}}],
            "usageMetadata": usage}, "".join(event(one) for one in said)


OF = {"openai": of_openai, "responses": of_responses,
      "anthropic": of_anthropic, "gemini": of_gemini}


def items_of(dice, client, is_bad):
    items = []
    for _ in range(dice.randint(1, 5)):
        kind = dice.choice(("text", "call", "other", "other"))
        if kind == "call" and client == "responses" and dice.random() < .5:
            kind = "inner"
        items.append((kind, {
            "text": "Caf\u00e9 \U0001f600 {", "other": dice.randrange(9)}.get(
                kind, dice.choice(GOOD))))
    if is_bad:
        kind = "inner" if client == "responses" and dice.random() < .5 \
            else "call"
        items.insert(dice.randint(0, len(items)), (kind, dice.choice(BAD)))
    return items


def bodies(client, is_stream, items):
    """The response's body, and the step that sends it."""
    whole, events = OF[client](items)
    if is_stream:
        return events.encode(), streamed(events.encode())
    body = json.dumps(whole, indent=1).encode()
    return body, answer(body)


def of(provider):
    return {"providers": {name: {"base_url": provider.url}
                          for name in CLIENTS}}


def asked_again(name, client, first, again):
    """The second request is the first, with more behind its messages."""
    place = PLACES[client]
    if not check(f"{name}: has more messages",
                 len(again[place]) > len(first[place]), again):
        return
    same(f"{name}: begins with the client's",
         again[place][:len(first[place])], first[place])
    same(f"{name}: is else the same",
         {key: again[key] for key in again if key != place},
         {key: first[key] for key in first if key != place})
    more = json.dumps(again[place][len(first[place]):])
    check(f"{name}: has the error", "city" in more, more)
    # A call of a tool that is not known would need a result.
    for word in ("custom_tool_call", "local_shell_call", '"custom"',
                 "web_search_call"):
        check(f"{name}: has no {word}", word not in more, more)


def test_laws():
    dice = random.Random(20261129)
    for client in CLIENTS:
        for seed in range(SEEDS):
            is_stream = seed % 2 == 1
            wrong = dice.choice((0, 0, 1, 2, 3))
            told = [items_of(dice, client, number < wrong)
                    for number in range(wrong + 1)]
            made = [bodies(client, is_stream, items) for items in told]
            name = f"{client} {seed}"
            with Provider(*[step for _, step in made]) as provider, \
                    Gateway({}, config=of(provider)) as gateway:
                got = gateway.call(client, is_stream, **ASKED[client])
                line = gateway.logged(1)[0]
            sent = [json.loads(body) for _, body in provider.requests]
            same(f"{name}: the request",
                 {key: sent[0].get(key) for key in ASKED[client]},
                 ASKED[client])
            same(f"{name}: is checked", (
                got.header("surety-unchecked"), line.get("unchecked")),
                 (None, None))
            same(f"{name}: calls", len(sent), min(wrong, 2) + 1)
            if len(sent) > 1:
                asked_again(name, client, sent[0], sent[1])
            if wrong > 2:
                same(f"{name}: is refused", got.status, 422)
                check(f"{name}: says why", "schema_violation"
                      in got.body.decode() or client == "gemini", got)
                continue
            same(f"{name}: status", (got.status, line["verdict"]),
                 (200, "valid"))
            same(f"{name}: attempts", got.header("surety-attempts"),
                 str(wrong + 1))
            same(f"{name}: byte for byte", got.body, made[-1][0])
            check(f"{name}: is whole", not is_stream or got.whole, got)


def test_ends():
    """What ends otherwise than well is the client's matter, unless a call was
    cut off."""
    for client, items, change, status in (
            ("openai", [("text", "Half a")], {"length": 1}, 200),
            ("openai", [("call", '{"city":"Os')], {"length": 1}, 422),
            ("responses", [("other", 0)], {"background": 1}, 200),
            ("responses", [], {}, 200), ("anthropic", [], {}, 200)):
        whole = OF[client](items)[0]
        if "length" in change:
            whole["choices"][0]["finish_reason"] = "length"
        if "background" in change:
            whole["status"] = "queued"
        with Provider(answer(whole)) as provider, \
                Gateway({}, config=of(provider)) as gateway:
            got = gateway.call(client, **ASKED[client])
        name = f"{client}: {change or 'nothing'}"
        same(f"{name}: status", got.status, status)
        if status == 200:
            same(f"{name}: the answer", got.json(), whole)
            same(f"{name}: once", len(provider.requests), 1)


def test_errors():
    """An error is tried again as always; the last one is the client's."""
    slow = answer({"error": {"message": "Busy.", "type": "server_error"}}, 503)
    no = answer({"error": {"message": "No such thing.", "code": "odd"}}, 400)
    good = bodies("responses", False, [("other", 0), ("call", GOOD[0])])
    for name, steps, status, count in (
            ("busy once", (slow, good[1]), 200, 2), ("refused", (no,), 400, 1)):
        with Provider(*steps) as provider, \
                Gateway({}, config=of(provider)) as gateway:
            got = gateway.call("responses", **ASKED["responses"])
        same(f"{name}: status", got.status, status)
        same(f"{name}: calls", len(provider.requests), count)
        check(f"{name}: the provider's words", status == 200
              or "No such thing." in got.body.decode(), got)


def test_routes():
    """The models of a route follow each other: those that take the request as
    it is. Each gets the client's bytes but for its own name."""
    down = answer({"error": {"message": "Busy.", "type": "server_error"}}, 503)
    for client in CLIENTS:
        other = "anthropic" if client == "openai" else "openai"
        plain = {key: value for key, value in ASKED[client].items()
                 if key != "tools"}
        for is_stream in (False, True):
            made = [bodies(client, is_stream, [("other", 0), ("call", what)])
                    for what in (BAD[0], GOOD[0])]
            for kind, members, steps in (
                    ("checked", ASKED[client],
                     (down, made[0][1], made[1][1])),
                    ("plain", plain, (down, made[1][1]))):
                name = f"{client} {kind} {'stream' if is_stream else 'whole'}"
                with Provider(*steps) as provider, Gateway({}, config={
                        **of(provider), "retry": {"max": 0},
                        "models": {
                            "a": {"provider": client, "model": "first"},
                            "o": {"provider": other, "model": "odd"},
                            "t": {"provider": client, "model": "tuned",
                                  "temperature": 1},
                            "b": {"provider": client, "model": "second"}},
                        "routes": {"chat": ["a", "o", "t", "b"] if
                                   kind == "checked" else ["a", "b"]}}
                ) as gateway:
                    got = gateway.call(
                        client, is_stream, ("Idempotency-Key: once",),
                        model="chat", **members)
                same(f"{name}: status", got.status, 200)
                same(f"{name}: byte for byte", got.body, made[1][0])
                sent = provider.requests
                same(f"{name}: the models", [
                    next((model for model in ("first", "second", "odd", "tuned")
                          if f"/{model}:".encode() in head or
                          f'"{model}"'.encode() in body), None)
                    for head, body in sent],
                     ["first", *["second"] * (len(steps) - 1)])
                bodies_sent = [json.loads(body) for _, body in sent[:2]]
                for body in bodies_sent:
                    body.pop("model", None)
                same(f"{name}: the same bytes", bodies_sent[1], bodies_sent[0])
                same(f"{name}: keys that are sent once", [
                    b"idempotency-key" in head.lower() for head, _ in sent],
                     [kind == "plain"] + [False] * (len(sent) - 1))


def test_ways():
    """Headers and members that ask for a check are kept, and what the client
    cannot have is refused."""
    bad = bodies("responses", False, [("other", 0), ("call", BAD[0])])
    good = bodies("responses", True, [("other", 0), ("call", GOOD[0])])
    with Provider(bad[1]) as provider, \
            Gateway({}, config=of(provider)) as gateway:
        for retries in (0, 1):
            provider.requests.clear()
            got = gateway.call("responses", headers=(
                f"Surety-Retries: {retries}", "Surety-Repair: none"),
                               **ASKED["responses"])
            same(f"{retries} retries", (got.status, len(provider.requests)),
                 (422, retries + 1))
    with Provider(good[1]) as provider, \
            Gateway({}, config=of(provider)) as gateway:
        for headers, way, unchecked in (
                (("Surety-Stream: hold",), "hold", None),
                (("Surety-Stream: live",), None, "tools"),
                (("Surety-Stream: live", "Surety-Retries: 1"), "hold", None)):
            got = gateway.call("responses", True, headers=headers,
                               **ASKED["responses"])
            same(f"{headers}: how", (got.status, got.header("surety-stream"),
                                     got.header("surety-unchecked")),
                 (200, way, unchecked))
        for choice in ("required", {"type": "function", "name": "weather"},
                       {"type": "custom", "name": "apply_patch"}):
            for is_stream in (False, True):
                got = gateway.call("responses", is_stream, tool_choice=choice,
                                   **ASKED["responses"])
                same(f"{choice}: status", got.status, 200)
                same(f"{choice}: goes on", json.loads(
                    provider.requests[-1][1])["tool_choice"], choice)
        count = len(provider.requests)
        for name, headers, members in (
                ("a report", ("Surety-Report: full",), {}),
                ("a level", ("Surety-Repair: align",), {}),
                ("another protocol", (), {"model": model_of("openai")})):
            got = gateway.call("responses", headers=headers,
                               **{**ASKED["responses"], **members})
            same(f"{name}: status", got.status, 400)
        same("nothing was asked", len(provider.requests), count)


def test_undeclared():
    """Functions of the same name, or with a schema that cannot be used, are not
    checked, and the answer says so."""
    twice = [{"type": "namespace", "name": name, "tools": [
        {"type": "function", "name": "weather", "parameters": CITY}]}
             for name in ("a", "b")]
    odd = [{"type": "custom", "name": "p"},
           {"type": "function", "name": "weather",
            "parameters": {"type": "object", "properties": 1}}]
    for name, tools in (("twice", twice), ("odd", odd),
                        ("none", [{"type": "custom", "name": "p"}])):
        body, step = bodies("responses", False, [("call", BAD[0])])
        with Provider(step) as provider, \
                Gateway({}, config=of(provider)) as gateway:
            got = gateway.call("responses", tools=tools)
        same(f"{name}: says so", (got.status, got.header("surety-unchecked")),
             (200, "tools"))
        same(f"{name}: the answer", got.body, body)


def test_text():
    """An input that is a text becomes a list, where something follows it."""
    steps = [bodies("responses", False, [("other", 0), ("call", arguments)])[1]
             for arguments in (BAD[0], GOOD[0])]
    with Provider(*steps) as provider, \
            Gateway({}, config=of(provider)) as gateway:
        got = gateway.call("responses", input="Gr\u00fc\u00dfe \"",
                           tools=ASKED["responses"]["tools"])
    same("status", got.status, 200)
    first, again = (json.loads(body)["input"] for _, body in provider.requests)
    same("the text", (first, again[0]), ("Gr\u00fc\u00dfe \"", {
        "role": "user", "content": "Gr\u00fc\u00dfe \""}))
    same("what follows", [item["type"] for item in again[1:]],
         ["function_call", "function_call_output"])
    check("a call without the id of an item", "id" not in again[1], again)


def test_waits():
    """A response that is held longer than ten seconds: its client gets the head
    and its protocol's ping, for Gemini's an empty text. Then comes the response
    as it is, or the protocol's error, and the connection is cut."""
    answers = {(client, name): bodies(client, True,
                                      [("other", 0), ("call", what)])[0]
               for client in CLIENTS
               for name, what in (("good", GOOD[0]), ("bad", BAD[0]))}
    silent = threading.Event()

    def late(connection, top, body):
        connection.sendall(head(kind="text/event-stream",
                                more=("Connection: close",)))
        silent.wait(WAIT)
        name = "good" if b"good" in top + body else "bad"
        client = next(client for client, path in (
            ("responses", b"/responses "), ("anthropic", b"/messages "),
            ("gemini", b":streamGenerateContent"), ("openai", b""))
                      if path in top.split(b"\r\n")[0])
        connection.sendall(answers[client, name])

    with Provider(late) as provider, \
            Gateway({}, config=of(provider)) as gateway:
        links = {(client, name): gateway.send(request(
            client, True, ("Surety-Retries: 0", "Authorization: Bearer k"),
            model=name, **ASKED[client])) for client, name in answers}
        begun = {one: read_to(link, b'"text":""' if one[0] == "gemini"
                              else b"ping")
                 for one, link in links.items()}
        silent.set()
        for (client, name), link in links.items():
            came = begun[client, name]
            while more := link.recv(1 << 16):
                came += more
            link.close()
            got = Response.of(came)
            name, whole = f"{client} waits: {name}", answers[client, name]
            same(f"{name}: status", got.status, 200)
            if name.endswith("good"):
                check(f"{name}: byte for byte", got.body.endswith(whole) and
                      got.whole, got.raw)
                check(f"{name}: and before it pings alone", all(
                    b"ping" in block or b'"text":""' in block
                    for block in got.body[:-len(whole)].split(b"\n\n")
                    if block), got.raw)
            else:
                check(f"{name}: an error, and cut", not got.whole and
                      b"error" in got.body.rpartition(b"data: ")[2] and
                      BAD[0].encode() not in got.body, got.raw)


def test_gone():
    """The client of a held stream that hangs up ends the call."""
    with Provider(endless(head(kind="text/event-stream"), b": x\n\n")
                  ) as provider, Gateway({}, config=of(provider)) as gateway:
        body = json.dumps({"model": "m", "stream": True,
                           **ASKED["responses"]}).encode()
        with gateway.dial() as client:
            client.sendall(b"POST /v1/responses HTTP/1.1\r\nHost: a\r\n"
                           b"Authorization: Bearer k\r\nContent-Length: %d"
                           b"\r\n\r\n%b" % (len(body), body))
            until = time.monotonic() + 60
            while not provider.requests and time.monotonic() < until:
                time.sleep(0.01)
        line = gateway.logged(1)[0]
        same("is not whole", line["whole"], False)
        got = Response(gateway.send(b"GET /healthz HTTP/1.1\r\nHost: a\r\n"
                                    b"Connection: close\r\n\r\n"))
        same("lives on", got.status, 200)


run_tests(test_laws, test_ends, test_errors, test_routes, test_ways,
          test_undeclared, test_text, test_waits, test_gone)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Streams that go out while the model writes, through the gateway:
gateway_live_test.py [SURETY]. The law: what a stream with a normal end
delivered is exactly a value that satisfies the schema; every other stream has
an error event, and its connection is cut."""

import json
import random
import re

from cli_run import check, run_tests, same
from gateway_run import (CLIENTS, GOOD_TEXT, PROVIDERS, Gateway, ended,
                         model_of, schema_members, streamed)
from gateway_tools_test import CITY, called_in_stream, names, tool_members
from mock_run import WAIT, Response, read_to, request
from process import until

LATE_BAD = '{"title":"Lamp and more","hours":400,"rest":"much more text"}'


def live(gateway, client, how, provider, headers=(), **members):
    return gateway.call(client, True, model=model_of(provider),
                        headers=(f"Surety-Stream: {how}", *headers), **members)


def is_valid(value):
    return (isinstance(value, dict) and isinstance(value.get("title"), str) and
            isinstance(value.get("hours"), int) and value["hours"] <= 80 and
            len(value) == 2)


def test_pieces():
    """A value comes in several pieces, before the model has ended."""
    with Gateway({"then": "repeat", "replies": [
            {"text": GOOD_TEXT, "chunks": 6}]}) as gateway:
        for how in ("live", "resume"):
            for client in CLIENTS:
                for provider in PROVIDERS:
                    name = f"{how}: {client} to {provider}"
                    got = live(gateway, client, how, provider,
                               **schema_members(client))
                    same(f"{name}: status", got.status, 200)
                    same(f"{name}: says so", got.header("surety-stream"), how)
                    same(f"{name}: end", ended(client, got), "well")
                    same(f"{name}: value", streamed(client, got), GOOD_TEXT)


def test_first_piece():
    """The first piece is there while the model waits."""
    with Gateway({"replies": [{"text": GOOD_TEXT, "chunks": 2,
                               "chunk_delay_ms": 600000}]}) as gateway:
        link = gateway.send(request("openai", True,
                                    ("Surety-Stream: live",),
                                    **schema_members("openai")))
        check("a piece of the value came", read_to(link, b'"content":"{'))
        link.close()


def test_cut():
    """The first certain no ends a live stream, or is a 422 if nothing was given
    before; the model is not asked again. In a resumed one it is, and what was
    given stays."""
    with Gateway({"then": "repeat", "replies": [
            {"text": LATE_BAD, "chunks": 30, "chunk_delay_ms": 20}]}
                 ) as gateway:
        for client in CLIENTS:
            for provider in PROVIDERS:
                name = f"{client} to {provider}"
                got = live(gateway, client, "live", provider,
                           **schema_members(client))
                check(f"{name}: end", got.status == 422 or
                      ended(client, got) == "error", got)
                check(f"{name}: says where", b"/hours" in got.body, got)
                check(f"{name}: nothing behind the no",
                      "rest" not in streamed(client, got) and
                      "400" not in streamed(client, got), got)
        lines = gateway.logged(len(CLIENTS) * len(PROVIDERS))
        same("one attempt", {line["attempts"] for line in lines}, {1})
    good = '{"title":"Lamp and more","hours":4}'
    for client in CLIENTS:
        with Gateway({"replies": [
                {"text": LATE_BAD, "chunks": 30, "chunk_delay_ms": 20},
                {"text": good, "chunks": 3}]}) as gateway:
            got = live(gateway, client, "resume", client,
                       **schema_members(client))
            same(f"resume: {client}: end", ended(client, got), "well")
            same(f"resume: {client}: value", streamed(client, got), good)


def test_held():
    """Where a value may change at its end, the stream is held, and says so."""
    schema = {"type": "object", "properties": {
        "a": {"type": "integer", "default": 1}}, "x-surety": {
            "defaults": True}}
    with Gateway({"then": "repeat", "replies": [{"text": "{}"}]}) as gateway:
        for name, headers, members in (
                ("alignment", ("Surety-Repair: align",),
                 schema_members("openai", {"type": "object"})),
                ("defaults", (), schema_members("openai", schema)),
                ("tools", (), {**tool_members("openai"),
                               **schema_members("openai",
                                                {"type": "object"})})):
            got = live(gateway, "openai", "live", "openai", headers, **members)
            same(f"{name}: held", got.header("surety-stream"), "hold")
            same(f"{name}: end", ended("openai", got), "well")
        got = gateway.call("openai", headers=("Surety-Stream: live",),
                           **schema_members("openai", {"type": "object"}))
        same("no stream", got.status, 200)


def test_tools():
    """A tool that must be called: its arguments come in pieces. One that may
    be: its text comes at once, its calls when they are proven."""
    good = {"city": "Rome", "days": 3}
    with Gateway({"then": "repeat", "replies": [
            {"tool": "weather", "json": good, "chunks": 6}]}) as gateway:
        for client in CLIENTS:
            for provider in PROVIDERS:
                name = f"{client} to {provider}"
                got = live(gateway, client, "live", provider,
                           **tool_members(client, "weather",
                                          {"weather": CITY}))
                same(f"{name}: end", ended(client, got), "well")
                same(f"{name}: call", names(called_in_stream(client, got)),
                     [("weather", good)])
    with Gateway({"replies": [
            {"text": "I look.", "calls": [{"tool": "weather", "json": good}]},
            ] * 4}) as gateway:
        for client in CLIENTS:
            got = live(gateway, client, "live", client, **tool_members(client))
            same(f"auto: {client}: end", ended(client, got), "well")
            same(f"auto: {client}: text", streamed(client, got), "I look.")
            same(f"auto: {client}: call",
                 names(called_in_stream(client, got)), [("weather", good)])


def test_again():
    """Wrong calls behind a text that was passed on are asked for again: the
    text stays, and right calls follow, or what the model says in their
    place."""
    good = {"city": "Rome", "days": 3}
    wrong = {"text": "I look.", "calls": [
        {"tool": "weather", "json": {"town": 1}}]}
    for name, last, text, calls in (
            ("calls", {"text": "I look again.", "calls": [
                {"tool": "weather", "json": good}]}, "I look.",
             [("weather", good)]),
            ("no calls", {"text": "I cannot."}, "I look.\n\nI cannot.", [])):
        with Gateway({"then": "repeat",
                      "replies": [wrong, last] * len(CLIENTS)}) as gateway:
            for client in CLIENTS:
                got = live(gateway, client, "live", client,
                           **tool_members(client))
                same(f"{name}: {client}: end", ended(client, got), "well")
                same(f"{name}: {client}: text", streamed(client, got), text)
                same(f"{name}: {client}: call",
                     names(called_in_stream(client, got)), calls)
    with Gateway({"then": "repeat", "replies": [
            {"when": {"model": "a"}, "text": "I look.", "chunks": 3,
             "cut_at": 560},
            {"text": "I look again."}]}, config={
                "models": {name: {"provider": "openai", "model": name}
                           for name in "ab"},
                "routes": {"both": ["a", "b"]}}) as gateway:
        got = gateway.call("openai", True, headers=("Surety-Stream: live",),
                           **tool_members("openai"), model="both")
        same("a text that broke off", ended("openai", got), "error")


def until_asked(gateway):
    """Waits until a model is called."""
    until(lambda: re.search(
        rb"surety_model_calls_under_way\{[^}]*\} 1", Response(gateway.send(
            b"GET /metrics HTTP/1.1\r\nHost: a\r\n"
            b"Connection: close\r\n\r\n")).body), WAIT)


def test_default():
    """A stream whose model may call tools is live unless the request, or the
    gateway, says otherwise; one with a schema is held."""
    text = {"text": "I look. Then more.", "chunks": 2,
            "chunk_delay_ms": 600000}
    for option, how, members, is_live in (
            (None, None, tool_members("openai"), True),
            (None, None, tool_members("openai", "required"), False),
            (None, "hold", tool_members("openai"), False),
            ("hold", None, tool_members("openai"), False),
            ("hold", "live", tool_members("openai"), True),
            (None, None, schema_members("openai"), False),
            ("live", None, schema_members("openai"), True),
            ("live", "hold", schema_members("openai"), False)):
        options = ("--stream", option) if option else ()
        headers = (f"Surety-Stream: {how}",) if how else ()
        waits = {**text, "text": GOOD_TEXT if "tools" not in members
                 else text["text"]}
        with Gateway({"replies": [waits]}, *options) as gateway:
            link = gateway.send(request("openai", True, headers, **members))
            until_asked(gateway)
            data = b""
            while is_live and b'"delta":{"content":"' not in data:
                more = link.recv(1 << 16)
                if not more:
                    break
                data += more
            # A held stream gives nothing out: its model has not ended.
            link.settimeout(0.2)
            try:
                data += link.recv(1 << 16)
            except TimeoutError:
                pass
            same(f"{option}, {how}, {list(members)[0]}",
                 b'"delta":{"content":"' in data, is_live)
            link.close()


def anthropic_events(sign, call):
    """A stream with a thought, a hidden one, a text and a call."""
    blocks = (
        ({"type": "thinking", "thinking": "", "signature": ""},
         [{"type": "thinking_delta", "thinking": "Hm, "},
          {"type": "thinking_delta", "thinking": "hm."},
          {"type": "signature_delta", "signature": sign}]),
        ({"type": "redacted_thinking", "data": "hid" + sign}, []),
        ({"type": "text", "text": ""},
         [{"type": "text_delta", "text": "I look."}]),
        ({"type": "tool_use", "id": "toolu_" + sign, "name": "weather",
          "input": {}},
         [{"type": "input_json_delta", "partial_json": json.dumps(call)}]))
    events = [{"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [], "stop_reason": None, "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1}}}]
    for i, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": i,
                       "content_block": block})
        events += [{"type": "content_block_delta", "index": i, "delta": delta}
                   for delta in deltas]
        events.append({"type": "content_block_stop", "index": i})
    events += [{"type": "message_delta", "delta": {
        "stop_reason": "tool_use", "stop_sequence": None},
                "usage": {"output_tokens": 9}}, {"type": "message_stop"}]
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
            for event in events]


def responses_events(sign, call):
    """A stream with a thought, a text and a call."""
    items = [
        {"id": "rs_" + sign, "type": "reasoning", "summary": [
            {"type": "summary_text", "text": "Hm, hm."}],
         "encrypted_content": sign},
        {"id": "msg_" + sign, "type": "message", "role": "assistant",
         "status": "completed", "content": [
             {"type": "output_text", "text": "I look.", "annotations": []}]},
        {"id": "fc_" + sign, "type": "function_call", "name": "weather",
         "call_id": "call_" + sign, "status": "completed",
         "arguments": json.dumps(call)}]
    deltas = [("response.reasoning_summary_text.delta", "Hm, hm."),
              ("response.output_text.delta", "I look."),
              ("response.function_call_arguments.delta", json.dumps(call))]
    response = {"id": "resp_1", "object": "response", "model": "m",
                "status": "in_progress", "output": []}
    events = [{"type": "response.created", "response": response}]
    for i, (item, (kind, delta)) in enumerate(zip(items, deltas)):
        begun = {**item, "status": "in_progress"}
        begun.pop("encrypted_content", None)
        empty = {"reasoning": "summary", "message": "content",
                 "function_call": "arguments"}[item["type"]]
        begun[empty] = "" if empty == "arguments" else []
        events += [
            {"type": "response.output_item.added", "output_index": i,
             "item": begun},
            {"type": kind, "output_index": i, "item_id": item["id"],
             "content_index": 0, "summary_index": 0, "delta": delta},
            {"type": "response.output_item.done", "output_index": i,
             "item": item}]
    events.append({"type": "response.completed", "response": {
        **response, "status": "completed", "output": items,
        "usage": {"input_tokens": 1, "output_tokens": 9, "total_tokens": 10}}})
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
            for event in events]


def kept(client, response):
    """What a client sends back of a stream's reasoning."""
    found, open_blocks = [], {}
    for _, data in response.events():
        kind = data.get("type") if isinstance(data, dict) else None
        if kind == "content_block_start":
            open_blocks[data["index"]] = dict(data["content_block"])
        elif kind == "content_block_delta":
            block, delta = open_blocks[data["index"]], data["delta"]
            for name in ("thinking", "signature"):
                if name in delta:
                    block[name] += delta[name]
        elif kind == "content_block_stop":
            block = open_blocks.pop(data["index"])
            if "thinking" in block["type"]:
                found.append(block)
        elif kind == "response.output_item.added" and \
                data["item"]["type"] == "reasoning":
            open_blocks[data["item"]["id"]] = True
        elif kind == "response.output_item.done" and \
                data["item"]["type"] == "reasoning":
            check("it began", open_blocks.pop(data["item"]["id"], None), data)
            found.append(data["item"])
    same(f"{client}: all have ended", open_blocks, {})
    return found


def test_law_signed():
    """What a provider wants to get back of its reasoning reaches a client of
    its protocol as it is, in every stream: of a reply whose calls were wrong,
    and of the one that followed."""
    wrong, good = {"town": 1}, {"city": "Rome", "days": 3}
    thought = {
        "anthropic": lambda sign: [
            {"type": "thinking", "thinking": "Hm, hm.", "signature": sign},
            {"type": "redacted_thinking", "data": "hid" + sign}],
        "responses": lambda sign: [
            {"id": "rs_" + sign, "type": "reasoning", "summary": [
                {"type": "summary_text", "text": "Hm, hm."}],
             "encrypted_content": sign}]}
    for client, events in (("anthropic", anthropic_events),
                           ("responses", responses_events)):
        for how in (None, "live", "hold"):
            for signs in (["good"], ["wrong", "good"]):
                headers = (f"Surety-Stream: {how}",) if how else ()
                with Gateway({"replies": [
                        {"events": events(sign, wrong if sign == "wrong"
                                          else good)} for sign in signs]}
                             ) as gateway:
                    got = gateway.call(client, True, headers=headers,
                                       **tool_members(client))
                name = f"{client}, {how}, {signs}"
                same(f"{name}: end", ended(client, got), "well")
                same(f"{name}: calls", names(called_in_stream(client, got)),
                     [("weather", good)])
                same(f"{name}: text", streamed(client, got), "I look.")
                wanted = signs if how != "hold" else signs[-1:]
                same(f"{name}: reasoning", kept(client, got),
                     sum((thought[client](sign) for sign in wanted), []))


def test_law():
    """Random values in random wrappings, cut anywhere."""
    generator = random.Random(41)
    replies = []
    for _ in range(150):
        value = {"title": generator.choice(["a", "bü", "日本 \"x\"\\", 1]),
                 "hours": generator.choice([1, 80, 4, 5, 81, 2.5])}
        if generator.random() < 0.1:
            del value[generator.choice(["title", "hours"])]
        if generator.random() < 0.1:
            value["more"] = 1
        text = json.dumps(value, ensure_ascii=generator.random() < 0.5)
        wrap = generator.random()
        if wrap < 0.2:
            text = f"Here:\n```json\n{text}\n```"
        elif wrap < 0.3:
            text = text[:generator.randrange(1, len(text))]
        elif wrap < 0.4:
            text += text
        reply = {"text": text, "chunks": generator.randrange(1, 12),
                 "chunk_delay_ms": generator.choice([0, 0, 2])}
        if generator.random() < 0.1:
            reply["refusal"] = "no"
        replies.append(reply)
    seen = {}
    with Gateway({"then": "repeat", "replies": replies}) as gateway:
        for i in range(160):
            client = generator.choice(CLIENTS)
            how = generator.choice(["live", "resume"])
            got = live(gateway, client, how,
                       generator.choice(list(PROVIDERS)),
                       ("Surety-Retries: 1",), **schema_members(client))
            if got.status != 200:
                check(f"law {i}: before the stream", got.status == 422, got)
                end = "422"
            else:
                end = ended(client, got)
            seen[end] = seen.get(end, 0) + 1
            if end != "well":
                continue
            text = streamed(client, got)
            if "refus" in got.body.decode() or text == "no":
                continue
            value = json.loads(text)
            check(f"law {i}: valid", is_valid(value), value)
            same(f"law {i}: exact", text, json.dumps(
                value, ensure_ascii=False, separators=(",", ":")))
    check("all ends were seen, and no other",
          set(seen) == {"well", "error", "422"} and seen["well"] > 30, seen)


if __name__ == "__main__":
    run_tests(test_pieces, test_first_piece, test_cut, test_held, test_tools,
              test_again, test_default, test_law_signed, test_law)

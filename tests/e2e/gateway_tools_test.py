#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tools that the client calls itself, through the gateway:
gateway_tools_test.py [SURETY]. The law: the arguments of every call that a
client gets satisfy the schema of the tool, in every protocol, whole and
streamed."""

import json
import random

from cli_run import check, run_tests, same
from gateway_run import (CLIENTS, PROVIDERS, Gateway, ended, model_of, said,
                         schema_members, streamed)

CITY = {"type": "object", "required": ["city"], "additionalProperties": False,
        "properties": {"city": {"type": "string", "minLength": 1},
                       "days": {"type": "integer", "maximum": 9}}}
TOOLS = {"weather": CITY, "clock": None}


def tool_members(client, choice="auto", tools=None, single=False):
    """The members of a request that offer tools."""
    tools = TOOLS if tools is None else tools
    if client == "openai":
        members = {"tools": [
            {"type": "function", "function":
             {"name": name, "description": "d",
              **({"parameters": schema} if schema else {})}}
            for name, schema in tools.items()]}
    elif client == "responses":
        members = {"tools": [
            {"type": "function", "name": name,
             **({"parameters": schema} if schema else {})}
            for name, schema in tools.items()]}
    elif client == "anthropic":
        members = {"tools": [
            {"name": name, "input_schema": schema or {"type": "object"}}
            for name, schema in tools.items()]}
    else:
        members = {"tools": [{"functionDeclarations": [
            {"name": name, **({"parametersJsonSchema": schema} if schema
                              else {})}
            for name, schema in tools.items()]}]}
    named = choice if choice in tools else None
    if client in ("openai", "responses"):
        members["tool_choice"] = choice
        if named:
            members["tool_choice"] = (
                {"type": "function", "function": {"name": named}}
                if client == "openai" else
                {"type": "function", "name": named})
        if single:
            members["parallel_tool_calls"] = False
    elif client == "anthropic":
        members["tool_choice"] = {
            "type": {"required": "any"}.get(choice, choice)}
        if named:
            members["tool_choice"] = {"type": "tool", "name": named}
        if single:
            members["tool_choice"]["disable_parallel_tool_use"] = True
    else:
        config = {"mode": {"required": "ANY"}.get(choice, choice.upper())}
        if named:
            config = {"mode": "ANY", "allowedFunctionNames": [named]}
        members["toolConfig"] = {"functionCallingConfig": config}
    return members


def called(client, response):
    """[(id, name, arguments)] of a whole answer."""
    reply = response.json()
    if client == "openai":
        message = reply["choices"][0]["message"]
        return [(one["id"], one["function"]["name"],
                 json.loads(one["function"]["arguments"]))
                for one in message.get("tool_calls", [])]
    if client == "responses":
        return [(one["call_id"], one["name"], json.loads(one["arguments"]))
                for one in reply["output"] if one["type"] == "function_call"]
    if client == "anthropic":
        return [(one["id"], one["name"], one["input"])
                for one in reply["content"] if one["type"] == "tool_use"]
    return [(one["functionCall"].get("id"), one["functionCall"]["name"],
             one["functionCall"]["args"])
            for one in reply["candidates"][0]["content"]["parts"]
            if "functionCall" in one]


def called_in_stream(client, response):
    """The same of a stream, put together as the official clients do."""
    calls = {}
    for event, data in response.events():
        if not isinstance(data, dict):
            continue
        if client == "openai":
            for choice in data.get("choices", []):
                for one in choice["delta"].get("tool_calls", []):
                    call = calls.setdefault(one["index"], ["", "", ""])
                    call[0] += one.get("id", "")
                    call[1] += one["function"].get("name", "")
                    call[2] += one["function"]["arguments"]
        elif client == "responses":
            if event == "response.output_item.added":
                if data["item"]["type"] == "function_call":
                    calls[data["output_index"]] = [
                        data["item"]["call_id"], data["item"]["name"], ""]
            elif event == "response.function_call_arguments.delta":
                calls[data["output_index"]][2] += data["delta"]
        elif client == "anthropic":
            if event == "content_block_start":
                block = data["content_block"]
                if block["type"] == "tool_use":
                    calls[data["index"]] = [block["id"], block["name"], ""]
            elif event == "content_block_delta":
                calls.get(data["index"], ["", "", ""])[2] += data[
                    "delta"].get("partial_json", "")
        else:
            for one in data.get("candidates", []):
                for part in one["content"]["parts"]:
                    if "functionCall" in part:
                        call = part["functionCall"]
                        calls[len(calls)] = [call.get("id"), call["name"],
                                             json.dumps(call["args"])]
    return [(one[0], one[1], json.loads(one[2])) for one in calls.values()]


def calls_of(client, stream, response):
    return (called_in_stream if stream else called)(client, response)


def names(found):
    return [(name, arguments) for _, name, arguments in found]


TWO = [{"tool": "weather", "json": {"city": "Rome"}}, {"tool": "clock"}]
BAD = [{"tool": "weather", "json": {"city": "Rome", "days": 10}},
       {"tool": "clock"}]


def test_matrix():
    """Two calls, of which one is wrong at first, from every client to every
    provider."""
    count = len(CLIENTS) * len(PROVIDERS) * 2
    with Gateway({"replies": [{"text": "I look.", "calls": BAD},
                              {"text": "I look.", "calls": TWO}] * count}
                 ) as gateway:
        for client in CLIENTS:
            for provider in PROVIDERS:
                for stream in (False, True):
                    name = f"{client} to {provider}" + " stream" * stream
                    got = gateway.call(client, stream,
                                       model=model_of(provider),
                                       **tool_members(client))
                    same(f"{name}: status", got.status, 200)
                    if got.status != 200:
                        check(name, False, got)
                        continue
                    found = calls_of(client, stream, got)
                    same(f"{name}: calls", names(found),
                         [("weather", {"city": "Rome"}), ("clock", {})])
                    check(f"{name}: attempts", b'"attempts":2' in got.body, got)
                    if client != "gemini":
                        same(f"{name}: ids differ",
                             len({one[0] for one in found}), 2)
                    check(f"{name}: its text", b"I look." in got.body, got)
                    check(f"{name}: how it ended", {
                        "openai": b'"tool_calls"', "responses":
                        b'"completed"', "anthropic": b'"tool_use"',
                        "gemini": b'"STOP"'}[client] in got.body, got)


def test_choices():
    """none, required and one by name; a single call."""
    for choice, reply, wanted in (
            ("none", {"text": "no call"}, []),
            ("auto", {"text": "no call"}, []),
            ("required", {"calls": TWO}, ["weather", "clock"]),
            ("weather", {"calls": TWO[:1]}, ["weather"])):
        with Gateway({"then": "repeat", "replies": [
                {"when": {"tool_choice": {"weather": "named"}.get(
                    choice, choice)}, **reply, "repeat": True}]}) as gateway:
            for client in CLIENTS:
                for provider in PROVIDERS:
                    got = gateway.call(client, model=model_of(provider),
                                       **tool_members(client, choice))
                    name = f"{choice}: {client} to {provider}"
                    same(f"{name}: status", got.status, 200)
                    if got.status != 200:
                        check(name, False, got)
                        continue
                    same(f"{name}: calls",
                         [one[1] for one in called(client, got)], wanted)
                    if not wanted:
                        same(f"{name}: text", said(client, got), "no call")
    with Gateway({"replies": [{"calls": TWO}, {"calls": TWO[:1]}] * 9}
                 ) as gateway:
        for client in ("openai", "responses", "anthropic"):
            got = gateway.call(client, **tool_members(client, single=True))
            same(f"single: {client}", [one[1] for one in called(client, got)],
                 ["weather"])


def test_repairs():
    """Each repair of the arguments is reported, with its tool."""
    broken = [{"tool": "weather", "text": "{'city': \"Rome\",}"},
              {"tool": "clock", "text": "{}"}]
    with Gateway({"then": "repeat", "replies": [{"calls": broken}]}
                 ) as gateway:
        for provider in ("openai", "responses"):
            got = gateway.call("openai", model=model_of(provider),
                               **tool_members("openai"))
            same(f"{provider}: mended", names(called("openai", got)),
                 [("weather", {"city": "Rome"}), ("clock", {})])
            repairs = got.json()["surety"]["repairs"]
            same(f"{provider}: repairs", [(one["tool"], one["kind"])
                                          for one in repairs],
                 [("weather", "single-quote"), ("weather", "trailing-comma")])
            same(f"{provider}: counted", got.header("surety-repairs"), "2")
            got = gateway.call("openai", model=model_of(provider),
                               headers=("Surety-Repair: none",
                                        "Surety-Retries: 0"),
                               **tool_members("openai"))
            same(f"{provider}: not mended", got.status, 422)


def test_violation():
    """Wrong arguments to the end are 422, with the tool and the place."""
    with Gateway({"then": "repeat", "replies": [{"calls": BAD}]}) as gateway:
        for client in CLIENTS:
            for stream in (False, True):
                got = gateway.call(client, stream,
                                   headers=("Surety-Retries: 1",),
                                   model=model_of("anthropic"),
                                   **tool_members(client))
                name = client + " stream" * stream
                same(f"{name}: status", got.status, 422)
                same(f"{name}: attempts", got.header("surety-attempts"), "2")
                details = json.dumps(got.json())
                check(f"{name}: says what", "/days" in details and
                      "weather" in details, got)
                check(f"{name}: has details", "instanceLocation" in details,
                      got)
    with Gateway({"then": "repeat", "replies": [{"text": "no"}]}) as gateway:
        got = gateway.call("openai", **tool_members("openai", "required"))
        same("a text where a call is due", got.status, 422)
    with Gateway({"then": "repeat", "replies": [
            {"calls": [{"tool": "nuke", "json": {}}]}]}) as gateway:
        got = gateway.call("openai", **tool_members("openai"))
        same("a tool that is none", got.status, 422)
        check("and its name", "nuke" in got.body.decode(), got)


def history(client, call, result):
    """A conversation with a call and its result."""
    if client == "openai":
        return {"messages": [
            {"role": "user", "content": "hey"},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": call[0], "type": "function", "function":
                 {"name": call[1], "arguments": json.dumps(call[2])}}]},
            {"role": "tool", "tool_call_id": call[0], "content": result}]}
    if client == "responses":
        return {"input": [
            {"role": "user", "content": "hey"},
            {"type": "function_call", "call_id": call[0], "name": call[1],
             "arguments": json.dumps(call[2])},
            {"type": "function_call_output", "call_id": call[0],
             "output": result}]}
    if client == "anthropic":
        return {"messages": [
            {"role": "user", "content": "hey"},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": call[0], "name": call[1],
                 "input": call[2]}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": call[0],
                 "content": result}]}]}
    ids = {"id": call[0]} if call[0] else {}
    return {"contents": [
        {"role": "user", "parts": [{"text": "hey"}]},
        {"role": "model", "parts": [
            {"functionCall": {"name": call[1], "args": call[2], **ids}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": call[1], "response":
                                  {"output": result}, **ids}}]}]}


def test_conversation():
    """A call, its result, and the answer, from every client to every
    provider: the ids fit."""
    with Gateway({"replies": [
            {"when": {"last": "tool", "contains": "20 degrees"},
             "text": "warm", "repeat": True},
            {"when": {"last": "user"}, "calls": TWO[:1],
             "repeat": True}]}) as gateway:
        for client in CLIENTS:
            for provider in PROVIDERS:
                name = f"{client} to {provider}"
                tools = tool_members(client)
                got = gateway.call(client, model=model_of(provider), **tools)
                found = called(client, got)
                same(f"{name}: a call", names(found),
                     [("weather", {"city": "Rome"})])
                got = gateway.call(client, model=model_of(provider), **tools,
                                   **history(client, found[0], "20 degrees"))
                same(f"{name}: answered", got.status, 200)
                if got.status == 200:
                    same(f"{name}: answer", said(client, got), "warm")
                else:
                    check(name, False, got)


def test_with_schema():
    """A schema beside tools: calls, or a checked value."""
    for client in CLIENTS:
        with Gateway({"replies": [
                {"calls": TWO[:1]}, {"json": {"title": 1, "hours": 2}},
                {"json": {"title": "a", "hours": 2}}]}) as gateway:
            members = {**tool_members(client), **schema_members(client)}
            if client == "gemini":  # earlier ones do not take both
                members["model"] = "gemini-3-m"
            got = gateway.call(client, **members)
            same(f"{client}: calls", len(called(client, got)), 1)
            got = gateway.call(client, **members)
            same(f"{client}: value", json.loads(said(client, got)),
                 {"title": "a", "hours": 2})
            same(f"{client}: asked again", got.header("surety-attempts"), "2")


def test_kept_items():
    """What a provider wants to get back comes to a client of its protocol."""
    signed = {"candidates": [{"content": {"role": "model", "parts": [
        {"functionCall": {"name": "weather", "args": {"city": "Rome"}},
         "thoughtSignature": "c2ln"}]}, "finishReason": "STOP", "index": 0}],
              "usageMetadata": {"promptTokenCount": 1,
                                "candidatesTokenCount": 1}}
    thinking = {"id": "msg_1", "type": "message", "role": "assistant",
                "model": "m", "content": [
                    {"type": "thinking", "thinking": "hm",
                     "signature": "c2ln"},
                    {"type": "redacted_thinking", "data": "ZGF0YQ"},
                    {"type": "tool_use", "id": "toolu_x", "name": "weather",
                     "input": {"city": "Rome"}}],
                "stop_reason": "tool_use", "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1}}
    sealed = {"id": "resp_1", "object": "response", "status": "completed",
              "model": "m", "output": [
                  {"type": "reasoning", "id": "rs_1", "summary": [],
                   "encrypted_content": "c2ln"},
                  {"type": "function_call", "id": "fc_1", "call_id": "call_x",
                   "name": "weather", "arguments": "{\"city\":\"Rome\"}",
                   "status": "completed"}],
              "usage": {"input_tokens": 1, "output_tokens": 1,
                        "total_tokens": 2}}
    for client, body, part in (("gemini", signed, b"c2ln"),
                               ("anthropic", thinking, b"c2ln"),
                               ("anthropic", thinking, b"ZGF0YQ"),
                               ("anthropic", thinking, b"toolu_x"),
                               ("responses", sealed, b'"encrypted_content"'),
                               ("responses", sealed, b"call_x")):
        with Gateway({"then": "repeat", "replies": [{"body": body}]}
                     ) as gateway:
            for stream in (False, True):
                got = gateway.call(client, stream, model="whole",
                                   **tool_members(client))
                name = f"{client} {part.decode()}" + " stream" * stream
                check(name, got.status == 200 and part in got.body, got)
                same(f"{name}: the call",
                     names(calls_of(client, stream, got)),
                     [("weather", {"city": "Rome"})])


def test_cut():
    """A text that the limit of tokens cut off is an answer, whether tools are
    offered or not, and is not asked for again. It is none where a call has to
    be, and a call that was cut off is asked for again."""
    words = {"openai": "length", "responses": "max_output_tokens",
             "anthropic": "max_tokens", "gemini": "MAX_TOKENS"}
    with Gateway({"then": "repeat", "replies": [
            {"text": "It was a", "finish": "length"}]}) as gateway:
        for client in CLIENTS:
            for provider in PROVIDERS:
                for stream in (False, True):
                    name = f"cut: {client}, {provider}" + ", stream" * stream
                    got = gateway.call(client, stream, model=model_of(provider),
                                       **tool_members(client))
                    same(f"{name}: one call", (
                        got.status, b'"attempts":1,' in got.body), (200, True))
                    same(f"{name}: text", (streamed if stream else said)(
                        client, got), "It was a")
                    check(f"{name}: says so", f'"{words[client]}"' in
                          got.body.decode(), got)
        got = gateway.call(**tool_members("openai", "required"))
        same("a call that has to be: status", got.status, 422)
    with Gateway({"replies": [
            {"text": "So:", "calls": [{"tool": "weather", "text": '{"ci'}],
             "finish": "length"},
            {"calls": [{"tool": "weather", "json": {"city": "Bonn"}}]}]}
                 ) as gateway:
        got = gateway.call(**tool_members("openai"))
        same("a call that was cut off", [one[1:] for one in called(
            "openai", got)], [("weather", {"city": "Bonn"})])


def test_empty():
    """A model that says nothing, again and again, is an answer without text,
    but where there has to be a value or a call."""
    with Gateway({"then": "repeat", "replies": [{"text": ""}]}) as gateway:
        for client in CLIENTS:
            for provider in PROVIDERS:
                for stream in (False, True):
                    name = f"empty: {client}, {provider}" + ", stream" * stream
                    got = gateway.call(client, stream, model=model_of(provider),
                                       **tool_members(client))
                    same(f"{name}: status", got.status, 200)
                    same(f"{name}: calls", calls_of(client, stream, got), [])
                    if stream:
                        same(f"{name}: text", streamed(client, got), "")
                        same(f"{name}: ends", ended(client, got), "well")
        for name, members in (
                ("a call", tool_members("openai", "required")),
                ("a value", schema_members("openai"))):
            check(f"empty: {name} has to be",
                  gateway.call(**members).status in (422, 502), name)


def test_reasoning():
    """A client gets the reasoning of every model, whole and streamed, with
    tools and without."""
    with Gateway({"then": "repeat", "replies": [
            {"reasoning": "Hm, hm.", "text": "Yes."}]}) as gateway:
        for client in CLIENTS:
            for provider in PROVIDERS:
                for stream in (False, True):
                    for members in ({}, tool_members(client)):
                        name = (f"reasoning: {client}, {provider}" +
                                ", stream" * stream + ", tools" * bool(members))
                        got = gateway.call(
                            client, stream, model=model_of(provider), **members)
                        text = (streamed if stream else said)(client, got)
                        check(f"{name}: the text", text.endswith("Yes."), got)
                        check(f"{name}: is there",
                              "Hm, hm." in got.body.decode(), got)


def test_refused():
    with Gateway({"replies": []}) as gateway:
        for name, client, members, part in (
                ("a schema that is none", "openai",
                 tool_members("openai", tools={"a": {"type": "objec"}}),
                 "objec"),
                ("programs", "openai", tool_members("openai", tools={
                    "a": {**CITY, "x-surety": {"rules": [
                        {"id": "a", "at": "", "expr": "true",
                         "message": "b"}]}}}), "rules"),
                ("a name", "openai",
                 tool_members("openai", tools={"a b": CITY}), "a b"),
                ("twice", "gemini", {"tools": [{"functionDeclarations": [
                    {"name": "a"}, {"name": "a"}]}]}, "two tools"),
                ("a provider's tool beside", "anthropic",
                 {"tools": [{"name": "a", "input_schema": CITY},
                            {"type": "web_search_20250305",
                             "name": "web_search"}],
                  **schema_members("anthropic")}, "the provider"),
                ("no such tool", "openai", {
                    **tool_members("openai"), "tool_choice": {
                        "type": "function", "function": {"name": "x"}}},
                 "x")):
            got = gateway.call(client, **members)
            same(f"{name}: status", got.status, 400)
            check(f"{name}: says what", part in got.body.decode(), got)
        same("nothing was asked", gateway.mock.logged(), [])


def test_openapi():
    """Gemini's own form of a schema."""
    schema = {"type": "OBJECT", "required": ["a"],
              "propertyOrdering": ["a", "b"], "properties": {
                  "a": {"type": "STRING", "nullable": True, "maxLength": "3"},
                  "type": {"type": "ARRAY", "maxItems": "1", "items": {
                      "anyOf": [{"type": "INTEGER"},
                                {"type": "STRING", "enum": ["X"],
                                 "format": "enum", "example": "X"}]}}}}
    config = {"generationConfig": {"responseMimeType": "application/json",
                                   "responseSchema": schema}}
    good = ({"a": None}, {"a": "abc", "type": [1]}, {"a": "", "type": ["X"]})
    bad = ({}, {"a": 1}, {"a": "abcd"}, {"a": "", "type": [1, 2]},
           {"a": "", "type": ["Y"]})
    tools = {"tools": [{"functionDeclarations": [
        {"name": "f", "parameters": schema}]}]}
    for value in good + bad:
        with Gateway({"then": "repeat", "replies": [
                {"when": {"tools": True}, "tool": "f", "json": value,
                 "repeat": True}, {"json": value}]}) as gateway:
            for name, members in (("schema", config), ("tool", tools)):
                for provider in PROVIDERS:
                    got = gateway.call("gemini", model=model_of(provider),
                                       headers=("Surety-Repair: none",
                                                "Surety-Retries: 0"),
                                       **members)
                    same(f"{name} of {provider}: {json.dumps(value)}",
                         got.status, 200 if value in good else 422)


def test_law():
    """Random arguments, right and wrong: a call that comes is valid."""
    generator = random.Random(23)
    replies = []
    for _ in range(120):
        calls = []
        for _ in range(generator.randrange(1, 4)):
            value = {"city": generator.choice(["a", "ü", "b", "", 1]),
                     "days": generator.choice([1, 9, 4, 10, 2.5])}
            if generator.random() < 0.2:
                del value[generator.choice(["city", "days"])]
            calls.append({"tool": generator.choice(["weather"] * 9 + ["other"]),
                          "json": value})
        replies.append({"calls": calls[:1] if generator.random() < 0.5
                        else calls, "chunks": generator.randrange(1, 9)})
    seen = {}
    with Gateway({"then": "repeat", "replies": replies}) as gateway:
        for i in range(80):
            client = generator.choice(CLIENTS)
            stream = generator.random() < 0.5
            got = gateway.call(
                client, stream, headers=("Surety-Retries: 2",),
                model=model_of(generator.choice(list(PROVIDERS))),
                **tool_members(client))
            seen[got.status] = seen.get(got.status, 0) + 1
            if got.status != 200:
                continue
            found = calls_of(client, stream, got)
            check(f"law {i}: calls", found, got)
            for _, name, value in found:
                check(f"law {i}: valid", name == "weather" and
                      isinstance(value["city"], str) and value["city"] and
                      isinstance(value.get("days", 1), int) and
                      value.get("days", 1) <= 9 and
                      set(value) <= {"city", "days"}, value)
    check("both ends were seen, and no other",
          seen.get(200, 0) > 15 and seen.get(422, 0) > 10 and len(seen) == 2,
          seen)


if __name__ == "__main__":
    run_tests(test_matrix, test_choices, test_repairs, test_violation,
              test_conversation, test_with_schema, test_kept_items, test_cut,
              test_empty, test_reasoning, test_refused, test_openapi, test_law)

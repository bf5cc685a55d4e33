#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests as agents send them, with all that is around a call of a tool:
gateway_agents_test.py [SURETY]. Their forms were seen of Claude Code 2.1,
Codex 0.171 and Gemini CLI 0.61."""

import json

from cli_run import check, run_tests, same
from gateway_run import (CLIENTS, GOOD, SCHEMA, Gateway, ended, model_of, said,
                         schema_members, streamed)
from mock_run import Response
from provider_server import Provider, answer

CITY = {"type": "object", "required": ["city"], "additionalProperties": False,
        "properties": {"city": {"type": "string"}}}
MARK = {"type": "ephemeral", "ttl": "1h"}


def function(client, name="weather", schema=None):
    """The members of a request that offers a function."""
    schema = schema or CITY
    return {
        "openai": {"tools": [{"type": "function", "function": {
            "name": name, "parameters": schema}}]},
        "responses": {"tools": [{"type": "function", "name": name,
                                 "strict": False, "parameters": schema}]},
        "anthropic": {"tools": [{"name": name, "input_schema": schema}]},
        "gemini": {"tools": [{"functionDeclarations": [
            {"name": name, "parametersJsonSchema": schema}]}]}}[client]


def header(head, name):
    """A header of a request that a provider got."""
    for line in head.decode("latin-1").split("\r\n"):
        key, _, value = line.partition(": ")
        if key.lower() == name:
            return value
    return None


def of(provider):
    return {"providers": {name: {"base_url": provider.url}
                          for name in ("openai", "responses", "anthropic",
                                       "gemini")}}


MESSAGE = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
           "stop_reason": "tool_use", "stop_sequence": None,
           "usage": {"input_tokens": 9, "output_tokens": 9}, "content": [
               {"type": "tool_use", "id": "t1", "name": "weather",
                "input": {"city": "Oslo"}}]}

# The members of a request of Claude Code, but for its texts.
CODER = {
    "model": "m", "max_tokens": 64000,
    "system": [{"type": "text", "text": "You are an agent."},
               {"type": "text", "text": "Use tools.", "cache_control": MARK}],
    "messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "<system-reminder>"},
            {"type": "text", "text": "Weather?", "cache_control": MARK}]},
        {"role": "system", "content": [
            {"type": "text", "text": "Agents: one."}]}],
    "tools": [{"name": "weather", "description": "Weather of a city.",
               "input_schema": CITY, "eager_input_streaming": True,
               "cache_control": MARK}],
    "metadata": {"user_id": "{\"device_id\":\"e9\"}"},
    "thinking": {"type": "adaptive"},
    "context_management": {"edits": [
        {"type": "clear_thinking_20251015", "keep": "all"}]},
    "output_config": {"effort": "high"}}
BETAS = "claude-code-20250219,context-management-2025-06-27"


def test_coder():
    """All of it reaches the provider, and its calls are checked."""
    with Provider(answer(MESSAGE)) as provider, \
            Gateway({}, config=of(provider)) as gateway:
        got = gateway.call("anthropic", headers=(
            f"anthropic-beta: {BETAS}", "Idempotency-Key: k"), **CODER)
        same("status", got.status, 200)
        same("is checked", got.header("surety-unchecked"), None)
        head, body = provider.requests[0]
        sent = json.loads(body)
        sent.pop("stream")
        same("the request", sent, CODER)
        same("the betas", header(head, "anthropic-beta"), BETAS)
        # A request that is asked again has another body.
        same("no key of its own", header(head, "idempotency-key"), None)
    wrong = {**MESSAGE, "content": [{**MESSAGE["content"][0],
                                     "input": {"town": "Oslo"}}]}
    with Provider(answer(wrong), answer(MESSAGE)) as provider, \
            Gateway({}, config=of(provider)) as gateway:
        got = gateway.call("anthropic", True, headers=(
            f"anthropic-beta: {BETAS}",), **CODER)
        same("a wrong call is asked again", got.header("surety-attempts"), "2")
        same("the betas again", header(provider.requests[1][0],
                                       "anthropic-beta"), BETAS)
        same("ends well", ended("anthropic", got), "well")


# A function with members that the gateway does not know.
MARKED = {
    "openai": [{"type": "function", "cache_control": MARK, "function": {
        "name": "weather", "parameters": CITY, "x": [1.50]}}],
    "responses": [{"type": "function", "name": "weather", "parameters": CITY,
                   "strict": False, "defer_loading": True}],
    "anthropic": [{"type": "custom", "name": "weather", "input_schema": CITY,
                   "input_examples": [{"city": "Rome"}],
                   "cache_control": MARK}],
    "gemini": [{"functionDeclarations": [
        {"name": "weather", "behavior": "BLOCKING",
         "parameters": {"type": "OBJECT", "properties": {
             "city": {"type": "STRING", "nullable": True}}}}]}]}


def test_marks():
    """A provider gets a function as a client of its protocol wrote it."""
    for client in CLIENTS:
        with Provider(answer({**ANSWERS, "responses": SAID}[client])
                      ) as provider, \
                Gateway({}, config=of(provider)) as gateway:
            got = gateway.call(client, tools=MARKED[client])
            same(f"{client}: is checked", (
                got.status, got.header("surety-unchecked")), (200, None))
            same(f"{client}: the function",
                 json.loads(provider.requests[0][1])["tools"], MARKED[client])


def test_token():
    """A token goes to Anthropic as the client sent it; a key as a key."""
    for given, name, value in (("authorization: Bearer sk-ant-oat01",
                                "authorization", "bearer sk-ant-oat01"),
                               ("x-api-key: sk-ant-api03", "x-api-key",
                                "sk-ant-api03")):
        for members in (CODER, {}):
            with Provider(answer(MESSAGE)) as provider, \
                    Gateway({}, config=of(provider)) as gateway:
                got = gateway.call("anthropic", key=None, headers=(given,),
                                   **members)
                same(f"{name}: status", got.status, 200)
                head = provider.requests[0][0]
                seen = {one: (header(head, one) or "").lower()
                        for one in ("authorization", "x-api-key")}
                same(f"{name}: goes alone", {
                    one: text for one, text in seen.items() if text},
                     {name: value})


RESPONSE = {"id": "resp_1", "object": "response", "status": "completed",
            "model": "m", "output": [
                {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c1",
                 "name": "apply_patch", "input": "*** Begin Patch"}],
            "usage": {"input_tokens": 9, "output_tokens": 9,
                      "total_tokens": 18}}
CHAT = {"id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {
            "role": "assistant", "content": "Yes."}}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 9,
                  "total_tokens": 18}}
GOOGLE = {"candidates": [{"content": {"role": "model", "parts": [
    {"text": "Yes."}]}, "finishReason": "STOP", "index": 0}],
          "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 9,
                            "totalTokenCount": 18}}
ANSWERS = {"openai": CHAT, "responses": RESPONSE, "anthropic": MESSAGE,
           "gemini": GOOGLE}
SAID = {**RESPONSE, "output": [{
    "type": "message", "id": "msg_1", "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Yes.", "annotations": []}]}]}

# Requests that go on as they are: the client, the members, and the member that
# the header names where the calls of functions are not checked.
UNKNOWN = (
    ("a namespace and a tool that takes a text", "responses", {"tools": [
        *function("responses")["tools"],
        {"type": "namespace", "name": "agents", "tools": function(
            "responses", "spawn")["tools"]},
        {"type": "custom", "name": "apply_patch",
         "format": {"type": "grammar", "syntax": "lark",
                    "definition": "start: \"a\""}}]}, None),
    ("a tool that takes a text alone", "responses", {"tools": [
        {"type": "custom", "name": "apply_patch"}]}, "tools"),
    ("a search beside a function", "anthropic", {"tools": [
        *function("anthropic")["tools"],
        {"type": "web_search_20250305", "name": "web_search"}]}, None),
    ("a search beside a function", "gemini", {"tools": [
        {**function("gemini")["tools"][0]}, {"googleSearch": {}}]}, None),
    ("a result of a search", "anthropic", {
        **function("anthropic"), "messages": [
            {"role": "user", "content": "Who?"},
            {"role": "assistant", "content": [
                {"type": "server_tool_use", "id": "s1", "name": "web_search",
                 "input": {"query": "who"}},
                {"type": "web_search_tool_result", "tool_use_id": "s1",
                 "content": []}]},
            {"role": "user", "content": "Go on."}]}, None),
    ("a call of a tool that takes a text", "responses", {
        **function("responses"), "input": [
            {"role": "user", "content": "Patch."},
            {"type": "custom_tool_call", "call_id": "c1", "name": "p",
             "input": "*** Begin Patch"},
            {"type": "custom_tool_call_output", "call_id": "c1",
             "output": "ok"}]}, None),
    ("a role of tomorrow", "openai", {
        **function("openai"), "messages": [
            {"role": "user", "content": "Hey."},
            {"role": "supervisor", "content": "Hm."}]}, "messages"),
    ("a name that is no text for a header", "anthropic", {
        "tools": [{"type": "odd", "name": "a"}], "messages": [
            {"role": "user", "content": [
                {"type": "grüße\r\nX: y", "a": 1}]}]}, "tools"),
    ("several answers", "openai", {**function("openai"), "n": 2}, "n"),
)


def test_unchecked():
    """A request with something that only its provider knows goes on as it is,
    and the answer says so where its functions are not checked."""
    for name, client, members, place in UNKNOWN:
        with Provider(answer(ANSWERS[client])) as provider, \
                Gateway({}, config=of(provider)) as gateway:
            got = gateway.call(client, headers=("anthropic-beta: b",
                                                "Surety-Stream: live"),
                               **members)
            name = f"{client}: {name}"
            same(f"{name}: status", got.status, 200)
            same(f"{name}: says so", got.header("surety-unchecked"), place)
            same(f"{name}: the answer", got.json(), ANSWERS[client])
            sent = json.loads(provider.requests[0][1])
            same(f"{name}: the request",
                 {key: sent.get(key) for key in members}, members)
            line = gateway.logged(1)[0]
            same(f"{name}: its line", (line.get("unchecked"), line["verdict"]),
                 (place, "valid"))
            check(f"{name}: has tokens", line.get("output_tokens"), line)


def test_refused():
    """Who asks for a check, or whose model would get another request, is
    refused before a call."""
    beyond = {name: members for name, client, members, _ in UNKNOWN
              if client == "anthropic"}["a search beside a function"]
    with Gateway({"replies": []}) as gateway:
        for name, headers, members in (
                ("a schema", (), schema_members("anthropic")),
                ("a format that is none", (), {"output_config": {"format": {
                    "type": "grammar"}}}),
                ("a contract", ("Surety-Contract: surety/messages",), {}),
                ("a level", ("Surety-Repair: align",), {}),
                ("a report", ("Surety-Report: full",), {}),
                ("another protocol", (), {"model": "openai:m"})):
            got = gateway.call("anthropic", headers=headers,
                               **{**beyond, **members})
            same(f"{name}: status", got.status, 400)
            same(f"{name}: is no answer", got.header("surety-unchecked"), None)
        same("nothing was asked", gateway.mock.logged(), [])


def test_plain():
    """Where nothing is to be checked, nothing is said of it."""
    with Provider(answer(CHAT)) as provider, \
            Gateway({}, config=of(provider)) as gateway:
        got = gateway.call("openai", messages=[
            {"role": "supervisor", "content": "Hm."}])
        same("status", got.status, 200)
        same("says nothing", got.header("surety-unchecked"), None)
        check("nor does its line", "unchecked" not in gateway.logged(1)[0])


def test_metrics():
    with Provider(answer(RESPONSE)) as provider, \
            Gateway({}, "--threads", "1", config=of(provider)) as gateway:
        for _ in range(3):
            gateway.call("responses", **UNKNOWN[1][2])
        gateway.call("responses")
        gateway.logged(4)
        text = Response(gateway.send(
            b"GET /metrics HTTP/1.1\r\nHost: a\r\n"
            b"Connection: close\r\n\r\n")).body.decode()
        check("are counted",
              'surety_unchecked_total{route="/v1/responses"} 3\n' in text, text)


def capitals(schema):
    """The same with Gemini's names of types."""
    return {**schema, "type": schema["type"].upper(), "properties": {
        name: {**one, "type": one["type"].upper()}
        for name, one in schema["properties"].items()}}


def test_google():
    """Google's tools write types in capitals where JSON Schema is asked for,
    and read no comments in a stream."""
    schema = {key: value for key, value in SCHEMA.items()
              if key != "additionalProperties"}
    with Gateway({"then": "repeat", "replies": [
            {"json": {"title": "Lamp", "hours": True}}, {"json": GOOD}]}
                 ) as gateway:
        got = gateway.call("gemini", **schema_members("gemini",
                                                      capitals(schema)))
        same("a schema: asked again", got.header("surety-attempts"), "2")
        same("a schema", json.loads(said("gemini", got)), GOOD)
        got = gateway.call("gemini", True, **schema_members("gemini",
                                                            capitals(schema)))
        same("a stream", json.loads(streamed("gemini", got)), GOOD)
        lines = [line for line in got.body.decode().split("\n") if line]
        check("has events alone",
              all(line.startswith("data: ") for line in lines), lines)
        last = json.loads(lines[-1][6:])
        same("the last one says what became of it",
             (last["surety"]["verdict"], last["surety"]["attempts"]),
             ("valid", 1))
    with Gateway({"then": "repeat", "replies": [
            {"calls": [{"tool": "weather", "json": {"town": 1}}]},
            {"calls": [{"tool": "weather", "json": {"city": "Oslo"}}]}]}
                 ) as gateway:
        got = gateway.call("gemini", **function("gemini",
                                                schema=capitals(CITY)))
        same("a tool: asked again", got.header("surety-attempts"), "2")


def test_ignored():
    """What only the client's protocol has is left out for a provider where the
    configuration names it, and else refused."""
    names = ["thinking", "context_management", "output_config/effort"]
    for to in ("openai", "responses", "gemini"):
        with Provider(answer({**ANSWERS, "responses": SAID}[to])) as provider:
            body = {**CODER, "model": model_of(to),
                    "messages": CODER["messages"][:1]}
            if to == "gemini": # it has no word for a user
                body.pop("metadata")
            for given in ([], names[:1], names[1:], names):
                config = of(provider)
                for row in config["providers"].values():
                    row["key_env"] = "OUR_KEY"
                config["providers"][to]["ignored_members"] = given
                with Gateway({}, config=config) as gateway:
                    got = gateway.call("anthropic", **body)
                name = f"{to}, {len(given)} of them"
                if given == names:
                    same(f"{name}: status", got.status, 200)
                    continue
                same(f"{name}: status", got.status, 400)
                check(f"{name}: says which", any(
                    one in got.body.decode() for one in names
                    if one not in given), got)
            same(f"{to}: was asked once", len(provider.requests), 1)
            sent = provider.requests[0][1].decode()
            check(f"{to}: got none of them", not any(
                word in sent for word in ("adaptive", "clear_thinking",
                                          "effort")), sent)
            check(f"{to}: got the rest", "Weather?" in sent, sent)


def test_later():
    """A later message of the system reaches every provider that takes one."""
    later = [{"role": "user", "content": "Hey."},
             {"role": "assistant", "content": "Hello."},
             {"role": "user", "content": "And?"},
             {"role": "system", "content": "In French."}]
    for client in ("openai", "anthropic"):
        for to in CLIENTS:
            with Provider(answer({**ANSWERS, "responses": SAID}[to])
                          ) as provider, \
                    Gateway({}, config={
                        "providers": {name: {
                            "base_url": provider.url, "key_env": "OUR_KEY"}
                            for name in CLIENTS}}) as gateway:
                got = gateway.call(client, model=model_of(to), messages=later,
                                   **function(client))
                name = f"{client} to {to}"
                if to == "gemini":
                    same(f"{name}: is refused", got.status, 400)
                    continue
                same(f"{name}: status", got.status, 200)
                sent = json.loads(provider.requests[0][1])
                items = sent.get("messages") or sent["input"]
                same(f"{name}: is the last", items[-1]["role"], "system")
                check(f"{name}: has its text", "In French." in json.dumps(
                    items[-1]), items)


run_tests(test_coder, test_marks, test_token, test_unchecked, test_refused,
          test_plain, test_metrics, test_google, test_ignored, test_later)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random conversations and answers through the gateway, of every client to
every provider: gateway_talks_test.py [SURETY [SEEDS]]. The law: what the
provider gets says what the client said, and what the client gets says what the
provider said, with its usage; nothing is left out or changed."""

import http.server
import json
import random
import sys
import threading

from cli_run import check, run_tests, same
from gateway_run import (CLIENTS, PROVIDERS, Gateway, model_of, schema_members,
                         streamed)
from gateway_tools_test import calls_of, tool_members
from talks import (EVENTS, NAMES, OF, PNG, TO, answer_of, conversation_of,
                   stream_of, text_of)

SEEDS = int(sys.argv[2]) if len(sys.argv) > 2 else 12


class Models:
    """The providers, which answer each call with `pieces` as a stream. Their
    base URLs begin with their names."""

    def __init__(self):
        self.got, self.pieces, models = [], [], self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                size = int(self.headers["content-length"])
                models.got.append(json.loads(self.rfile.read(size)))
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                for piece in models.pieces:
                    if piece:
                        self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                self.wfile.write(b"0\r\n\r\n")

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.providers = {name: {
            "base_url": f"http://127.0.0.1:{self.http.server_port}/{name}",
            "key_env": "OUR_KEY"} for name in PROVIDERS}
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()


def plainly(said, with_ids):
    """What follows each other by one role is one text: some protocols join
    messages. Their white space at the joints is not compared."""
    plain, ids = [], {}
    for one in said:
        if one[0] in ("call", "result"):
            number = ids.setdefault(one[1], len(ids)) if with_ids else None
            plain.append((one[0], number, *one[2:]))
        elif one[1] == "text" and plain and plain[-1][:2] == one[:2]:
            plain.append((*one[:2], plain.pop()[2] + one[2]))
        else:
            plain.append(one)
    return [(*one[:2], "".join(one[2].split())) if one[1] == "text" else one
            for one in plain]


def reasoning_and_text(client, response):
    """Of a whole answer."""
    reply, found = response.json(), ["", ""]
    if client == "openai":
        message = reply["choices"][0]["message"]
        return [message.get("reasoning_content") or "",
                message["content"] or ""]
    if client == "responses":
        for item in reply["output"]:
            for part in item.get("summary", []) + item.get("content", []):
                found[item["type"] == "message"] += part["text"]
    elif client == "anthropic":
        for block in reply["content"]:
            found[0] += block.get("thinking", "")
            found[1] += block.get("text", "")
    else:
        for part in reply["candidates"][0]["content"]["parts"]:
            found[not part.get("thought")] += part.get("text", "")
    return found


def usage_of(client, response):
    reply = response.json()
    usage = reply.get("usageMetadata" if client == "gemini" else "usage")
    names = {"openai": ("prompt_tokens", "completion_tokens"),
             "gemini": ("promptTokenCount", "candidatesTokenCount")}
    return tuple(usage[name] for name in names.get(
        client, ("input_tokens", "output_tokens")))


def compare(client, stream, response, answer):
    """What differs; None: nothing."""
    parts, usage = answer
    want = ["".join(one[1] for one in parts if one[0] == kind)
            for kind in ("reasoning", "text")]
    calls = [one[2:] for one in parts if one[0] == "call"]
    if response.status != 200:
        return response
    found = [one[1:] for one in calls_of(client, stream, response)]
    if json.dumps(found) != json.dumps(calls):
        return ("calls", found, calls)
    if stream:
        # A stream of Gemini has reasoning among its texts.
        text = streamed(client, response)
        want = "".join(want) if client == "gemini" else want[1]
        return None if text == want else ("text", text, want)
    text, used = reasoning_and_text(client, response), usage_of(client,
                                                                response)
    if text != want:
        return ("text", text, want)
    return None if used == usage else ("usage", used, usage)


def test_talks():
    with Models() as models, Gateway(
            {"replies": []}, config={"providers": models.providers}) as gateway:
        for client in CLIENTS:
            for provider in PROVIDERS:
                wrong = None
                for seed in range(SEEDS):
                    wrong = wrong or talk(gateway, models, client, provider,
                                          seed)
                check(f"{client} to {provider}: {SEEDS} talks", not wrong,
                      wrong)


def talk(gateway, models, client, provider, seed):
    """One request and its answer. What is wrong; None: nothing."""
    rng = random.Random(f"{seed} {client} {provider}")
    tools = rng.sample(NAMES, 2) if client == provider or rng.random() < 0.6 \
        else []
    said = conversation_of(rng, tools)
    answer = answer_of(rng, tools)
    stream = rng.random() < 0.5
    models.got.clear()
    models.pieces = stream_of(rng, EVENTS[provider](rng, *answer))
    response = gateway.call(client, stream, model=model_of(provider),
                            **TO[client](said, tools))
    if len(models.got) != 1:
        return (seed, "calls of the model", len(models.got), response)
    with_ids = "gemini" not in (client, provider)
    heard, offered = OF[provider](models.got[0])
    want = plainly(said, with_ids)
    heard = plainly(heard, with_ids)
    if json.dumps(heard) != json.dumps(want) or offered != tools:
        return (seed, "asked", heard, want, offered, tools)
    differs = compare(client, stream, response, answer)
    return differs and (seed, *(differs if isinstance(differs, tuple)
                                else (differs,)))


def named_talk(rng):
    """Messages of Chat Completions by several speakers, as (role, name, text,
    whether an image follows)."""
    said = []
    for _ in range(rng.randint(1, 6)):
        role = rng.choice(("user", "user", "assistant"))
        said.append((role, rng.choice(("Ada", "Ben", "é b", "", "x" * 64)),
                     text_of(rng) if rng.random() < 0.8 else "",
                     role == "user" and rng.random() < 0.3))
    said = [one for one in said if one[2] or one[3]]
    return [("system", rng.choice(("", "example_user")), "Be brief.", False),
            *said, ("user", "Ada", "Well?", False)]


def chat_message(role, name, text, image):
    parts = [{"type": "text", "text": text}] if text else []
    if image:
        parts.append({"type": "image_url", "image_url": {
            "url": "data:image/png;base64," + PNG + "AAAA"}})
    return {"role": role, "content": parts if image else text,
            **({"name": name} if name else {})}


def test_names():
    """Who speaks in a client's conversation reaches every provider: as it came
    where its protocol has a member for it, else before the text."""
    with Models() as models, Gateway(
            {"replies": []}, config={"providers": models.providers}) as gateway:
        for provider in PROVIDERS:
            wrong = None
            for seed in range(SEEDS):
                rng = random.Random(f"{seed} names {provider}")
                said = named_talk(rng)
                models.got.clear()
                models.pieces = stream_of(rng, EVENTS[provider](
                    rng, [("text", "{}")], (1, 1)))
                gateway.call("openai", False, model=model_of(provider),
                             messages=[chat_message(*one) for one in said],
                             **tool_members("openai"))
                if provider == "openai":
                    want = [(one[0], one[1]) for one in said]
                    heard = [(one["role"], one.get("name", ""))
                             for one in models.got[0]["messages"]]
                else:
                    texts = [(one[0], f"{one[1]}: {one[2]}".rstrip(" ")
                              if one[1] else one[2]) for one in said]
                    want = plainly([(role, "text", text)
                                    for role, text in texts if text], False)
                    heard = plainly([one for one in OF[provider](
                        models.got[0])[0] if one[1] == "text"], False)
                if heard != want:
                    wrong = wrong or (seed, heard, want)
            check(f"{provider}: who speaks in {SEEDS} talks", not wrong, wrong)


def test_description():
    """The description beside a schema reaches the model, but for one that the
    schema has itself."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    with Models() as models, Gateway(
            {"replies": []}, config={"providers": models.providers}) as gateway:
        for client in ("openai", "responses"):
            for provider in PROVIDERS:
                for own, want in (({}, "beside"),
                                  ({"description": "within"}, "within")):
                    models.got.clear()
                    models.pieces = stream_of(random.Random(0), EVENTS[
                        provider](random.Random(0), [("text", "{}")], (1, 1)))
                    members = schema_members(client, {**schema, **own})
                    beside = members.get("response_format", members)
                    beside = beside.get("json_schema") or beside[
                        "text"]["format"]
                    beside["description"] = "beside"
                    got = gateway.call(client, model=model_of(provider),
                                       **members)
                    name = f"{client} to {provider}: {want}"
                    same(f"{name}: status", got.status, 200)
                    text = json.dumps(models.got)
                    check(f"{name} is there", want in text and not (
                        own and "beside" in text), text)


def test_strict():
    """A strict function is strict at its provider, where that takes its schema;
    every other one is not. Functions of the Responses API are strict unless
    they say otherwise."""
    strict = {"type": "object", "properties": {"a": {"type": "string"}},
              "required": ["a"], "additionalProperties": False}
    optional = {**strict, "required": []}
    asked = {"a": (True, strict), "b": (False, strict), "c": (None, strict),
             "d": (True, optional)}
    taken = {"openai": {"a"}, "responses": {"a"}, "anthropic": {"a", "d"}}
    with Models() as models, Gateway(
            {"replies": []}, config={"providers": models.providers}) as gateway:
        for client in ("openai", "responses", "anthropic"):
            members = tool_members(client, tools={
                name: schema for name, (_, schema) in asked.items()})
            for tool, (flag, _) in zip(members["tools"], asked.values()):
                if flag is not None:
                    tool.get("function", tool)["strict"] = flag
            for provider in PROVIDERS:
                models.got.clear()
                models.pieces = stream_of(random.Random(0), EVENTS[
                    provider](random.Random(0), [("text", "x")], (1, 1)))
                got = gateway.call(client, model=model_of(provider), **members)
                same(f"{client} to {provider}: status", got.status, 200)
                tools = [tool.get("function", tool)
                         for tool in models.got[0]["tools"]]
                same(f"{client} to {provider}: strict",
                     {tool.get("name") for tool in tools if tool.get(
                         "strict", provider == "responses")},
                     taken.get(provider, set()) | (
                         {"c"} if client == "responses" and provider in taken
                         else set()))


run_tests(test_talks, test_names, test_description, test_strict)

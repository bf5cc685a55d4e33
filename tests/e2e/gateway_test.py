#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surety serve on the wire: gateway_test.py [SURETY]. The law: an answer with
the status 200 satisfies the request's schema, whatever the model says, for
every client in front of every provider, whole and streamed."""

import json
import os
import random
import signal

from cli_run import FOLDER, check, run_tests, same, surety, write
from gateway_run import (BAD_TEXT, CLIENTS, GOOD, GOOD_TEXT, PROVIDERS, SCHEMA,
                         Gateway, model_of, said, schema_members, streamed)
from mock_run import WAIT, Response, request
from process import until

REASK = {"then": "repeat", "replies": [{"text": BAD_TEXT},
                                       {"text": GOOD_TEXT}]}


def alternating(count):
    """A wrong and a right reply, again and again."""
    return {"replies": [{"text": BAD_TEXT}, {"text": GOOD_TEXT}] * count}


def test_matrix():
    """Each client in front of each provider: a wrong reply is asked for
    again."""
    count = len(CLIENTS) * len(PROVIDERS) * 2
    with Gateway(alternating(count)) as gateway:
        for client in CLIENTS:
            for provider in PROVIDERS:
                for stream in (False, True):
                    name = f"{client} to {provider}" + " stream" * stream
                    got = gateway.call(client, stream,
                                       model=model_of(provider),
                                       **schema_members(client))
                    same(f"{name}: status", got.status, 200)
                    if got.status != 200:
                        check(name, False, got)
                        continue
                    text = (streamed if stream else said)(client, got)
                    same(f"{name}: value", json.loads(text), GOOD)
                    same(f"{name}: attempts", got.header("surety-attempts"),
                         "2")
                    check(f"{name}: a run", got.header("surety-run"), got)
                    if stream:
                        check(f"{name}: whole", got.whole, got)
                    else:
                        same(f"{name}: about", got.json()["surety"]["attempts"],
                             2)
        lines = gateway.logged(count)
        same("a line for each request", len(lines), count)
        check("no line has a key", "sk-" not in json.dumps(lines), lines)
        check("usage of all attempts is added",
              all(line["attempts"] == 2 and line["input_tokens"] > 0
                  for line in lines), lines[0])


def error_of(client, response):
    error = response.json()["error"]
    return error.get("type") or error.get("status"), error["message"]


def test_violation():
    """What re-asks cannot mend is 422, in the client's form, and is not sent
    again."""
    with Gateway({"then": "repeat",
                  "replies": [{"text": BAD_TEXT}]}) as gateway:
        for client in CLIENTS:
            for stream in (False, True):
                got = gateway.call(client, stream, model=model_of("openai"),
                                   headers=("Surety-Retries: 1",),
                                   **schema_members(client))
                name = f"{client}" + " stream" * stream
                same(f"{name}: status", got.status, 422)
                same(f"{name}: not again", got.header("x-should-retry"),
                     "false")
                same(f"{name}: attempts", got.header("surety-attempts"), "2")
                error = got.json()["error"]
                check(f"{name}: says where", "/hours" in json.dumps(error),
                      error)
                if client != "gemini":
                    same(f"{name}: type", error["type"], "schema_violation")


def test_cut():
    """A text that the limit of tokens cut off is an answer, by whichever
    protocol the model has it: no schema says that it has to be whole."""
    words = {"openai": "length", "responses": "max_output_tokens",
             "anthropic": "max_tokens", "gemini": "MAX_TOKENS"}
    with Gateway({"then": "repeat", "replies": [
            {"text": "It was a", "finish": "length"}]}) as gateway:
        for client in CLIENTS:
            for stream in (False, True):
                for provider in ("openai", "anthropic"):
                    got = gateway.call(client, stream, model=model_of(provider))
                    name = f"cut: {client}, {provider}" + ", stream" * stream
                    same(f"{name}: status", got.status, 200)
                    same(f"{name}: text",
                         (streamed if stream else said)(client, got),
                         "It was a")
                    check(f"{name}: says so", f'"{words[client]}"' in
                          got.body.decode(), got)


def test_contracts():
    """A contract of the gateway by its name, with its fallback."""
    contract = {**SCHEMA, "x-surety": {
        "name": "shop/ticket", "version": "1.2.0", "retry": {"max": 0},
        "fallback": {"kind": "value",
                     "value": {"title": "none", "hours": 1}}}}
    write("ticket-contracts/shop/ticket.json", contract)
    folder = os.path.join(FOLDER, "ticket-contracts")
    with Gateway({"then": "repeat", "replies": [{"text": BAD_TEXT}]},
                 env={"SURETY_CONTRACTS": folder}) as gateway:
        got = gateway.call(headers=("Surety-Contract: shop/ticket",))
        same("fallback: status", got.status, 200)
        same("fallback: header", got.header("surety-fallback"), "true")
        same("fallback: value", json.loads(said("openai", got)),
             {"title": "none", "hours": 1})
        line = gateway.logged(1)[0]
        same("fallback: log", (line["contract"], line["contract_version"]),
             ("shop/ticket", "1.2.0"))
        got = gateway.call(headers=("Surety-Contract: shop/tickt",))
        same("no such contract: status", got.status, 400)
        check("no such contract: says which", "shop/tickt" in
              got.body.decode(), got)
        for path in ("../ticket.json", "/etc/passwd", "./x", "a/b.json"):
            got = gateway.call(headers=(f"Surety-Contract: {path}",))
            same(f"a path is no name: {path}", got.status, 400)


# Values that a member of a request cannot have.
WRONG = (("max_tokens", ("100", 0, -5, 1.5, 1e20, 2 ** 32, True, [])),
         ("max_completion_tokens", (0, -1, "1")),
         ("temperature", ("0.5", True, [], {})), ("top_p", ("1", False)),
         ("stop", (5, {}, [1], True)), ("user", (5, ["u"])))


def test_refused():
    """What cannot be carried out is refused with its name, before a call."""
    with Gateway({"replies": []}) as gateway:
        for name, client, headers, members, status, part in (
                ("a schema that is none", "openai", (),
                 schema_members("openai", {"type": "strin"}), 400, "strin"),
                ("programs of a client", "openai", (),
                 schema_members("openai", {**SCHEMA, "x-surety": {
                     "rules": [{"id": "a", "at": "", "expr": "true",
                                "message": "b"}]}}), 400, "rules"),
                ("a member that the other protocol has not", "openai", (),
                 {"model": "anthropic:m", "logit_bias": {"1": 2}}, 400,
                 "logit_bias"),
                ("several answers", "openai", (),
                 {"model": "anthropic:m", "n": 2}, 400, "one answer"),
                ("a command as a model", "openai", (),
                 {"model": "exec:touch hacked"}, 404, "exec:touch hacked"),
                ("a recording as a model", "openai", (),
                 {"model": "replay:/etc/passwd"}, 404, "replay:"),
                ("an unknown provider", "openai", (), {"model": "no:m"}, 404,
                 "no:m"),
                ("a wrong level", "openai", ("Surety-Repair: all",), {}, 400,
                 "Surety-Repair"),
                ("a wrong number", "openai", ("Surety-Retries: 11",), {}, 400,
                 "Surety-Retries"),
                ("a wrong stream", "openai", ("Surety-Stream: fast",), {}, 400,
                 "Surety-Stream"),
                ("no messages", "anthropic", (),
                 {"model": "openai:m", "messages": []}, 400, "messages"),
                ("a tool that takes a text", "responses", (),
                 {"tools": [{"type": "custom", "name": "t"}],
                  **schema_members("responses")}, 400, "is no function"),
                ("a content that is none", "anthropic", (),
                 {"model": "openai:m", "messages": [
                     {"role": "user", "content": 5}]}, 400,
                 "/messages/0/content: "),
                ("an unknown member of metadata", "anthropic", (),
                 {"model": "openai:m", "metadata": {"a": 1}}, 400,
                 "metadata/a"),
                *((f"{member}: {json.dumps(wrong)}", "openai", (),
                   {"model": "anthropic:m", member: wrong}, 400, member)
                  for member, wrongs in WRONG for wrong in wrongs)):
            got = gateway.call(client, headers=headers, **members)
            same(f"{name}: status", got.status, status)
            check(f"{name}: says what", part in got.body.decode(), got)
        got = Response(gateway.send(b"GET /v1/nothing HTTP/1.1\r\nHost: a\r\n"
                                    b"Connection: close\r\n\r\n"))
        same("no such path", got.status, 404)
        for line, allow in ((b"PUT /v1/chat/completions", "post"),
                            (b"GET /v1/messages", "post"),
                            (b"DELETE /v1/models", "get"),
                            (b"POST /metrics", "get")):
            got = Response(gateway.send(line + b" HTTP/1.1\r\nHost: a\r\n"
                                        b"Content-Length: 0\r\n"
                                        b"Connection: close\r\n\r\n"))
            same(f"{line.decode()}: the method that is allowed",
                 (got.status, got.header("allow")), (405, allow))
        same("nothing was asked", gateway.mock.logged(), [])
        check("no command was run", not os.path.exists(
            os.path.join(gateway.folder, "hacked")))


def test_provider_failures():
    """A provider's failure has a status that clients understand."""
    rows = ((429, 429), (401, 502), (404, 404), (503, 503), (400, 400),
            (500, 502))
    for given, wanted in rows:
        with Gateway({"then": "repeat",
                      "replies": [{"status": given}]}) as gateway:
            got = gateway.call(**schema_members("openai"))
            same(f"{given}: status", got.status, wanted)
            check(f"{given}: no key", "sk-" not in got.raw.decode(), got)


def test_plain():
    """Without a schema the model's text is the answer."""
    with Gateway({"then": "repeat",
                  "replies": [{"text": "Grüße, wörld", "chunks": 3}]}
                 ) as gateway:
        for client in CLIENTS:
            for provider in PROVIDERS:
                got = gateway.call(client, model=model_of(provider))
                same(f"{client} to {provider}: text", said(client, got),
                     "Grüße, wörld")
                got = gateway.call(client, True, model=model_of(provider))
                same(f"{client} to {provider}: stream", streamed(client, got),
                     "Grüße, wörld")


def test_object():
    with Gateway({"replies": [{"text": "[1]"}, {"text": '{"a": 1}'}]}
                 ) as gateway:
        got = gateway.call(
            response_format={"type": "json_object"},
            messages=[{"role": "user", "content": "as JSON"}])
        same("an object is asked for again", said("openai", got), '{"a":1}')


def test_parameters():
    """Parameters reach the provider under its own names."""
    with Gateway({"then": "repeat", "replies": [{"text": "ok"}]}) as gateway:
        got = gateway.call(model="anthropic:m", temperature=0.5, top_p=0.9,
                           stop="END", max_completion_tokens=5,
                           store=False, user="u")
        same("translated: status", got.status, 200)
        got = gateway.call(model="openai:m", logit_bias={"1": 2}, seed=1,
                           temperature=0.5)
        same("unchanged: status", got.status, 200)
        got = gateway.call("anthropic", model="openai:m", metadata={
            "user_id": "u"}, thinking={"type": "disabled"}, system="")
        same("without meaning: status", got.status, 200)


def test_law():
    """Random values, right and wrong, in random wrappings: 200 means valid."""
    generator = random.Random(17)
    replies = []
    for _ in range(150):
        value = {"title": generator.choice(["a", "b", "ü", 1]),
                 "hours": generator.choice([1, 80, 4, 5, 81, 2.5])}
        if generator.random() < 0.1:
            del value[generator.choice(["title", "hours"])]
        if generator.random() < 0.1:
            value["more"] = 1
        text = json.dumps(value)
        wrap = generator.random()
        if wrap < 0.3:
            text = f"Here:\n```json\n{text}\n```"
        elif wrap < 0.4:
            text = text[:generator.randrange(1, len(text))]
        replies.append({"text": text, "chunks": generator.randrange(1, 9)})
    seen = {200: 0, 422: 0}
    with Gateway({"then": "repeat", "replies": replies}) as gateway:
        for i in range(100):
            client = generator.choice(CLIENTS)
            stream = generator.random() < 0.5
            got = gateway.call(
                client, stream, headers=("Surety-Retries: 1",),
                model=model_of(generator.choice(list(PROVIDERS))),
                **schema_members(client))
            seen[got.status] = seen.get(got.status, 0) + 1
            if got.status != 200:
                continue
            value = json.loads((streamed if stream else said)(client, got))
            check(f"law {i}: valid", isinstance(value["title"], str) and
                  isinstance(value["hours"], int) and value["hours"] <= 80 and
                  len(value) == 2, value)
    check("both ends were seen, and no other",
          seen[200] > 20 and seen[422] > 10 and len(seen) == 2, seen)


def test_operation():
    """Probes, lists of models, a reload, and the end."""
    model = {"provider": "openai", "model": "m"}
    with Gateway({"then": "repeat", "replies": [{"text": "ok"}]},
                 config={"models": {"small": model}}) as gateway:
        def get(path):
            return Response(gateway.send(
                f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                .encode()))
        same("healthz", get("/healthz").status, 200)
        same("readyz", get("/readyz").status, 200)
        same("models", [one["id"] for one in get("/v1/models").json()["data"]],
             ["small"])
        same("a model", get("/v1/models/small").json()["id"], "small")
        same("no model", get("/v1/models/large").status, 404)
        same("a configured model", gateway.call(model="small").status, 200)
        with open(gateway.config, "w", encoding="utf-8") as file:
            file.write('{"models": ')
        gateway.process.send_signal(signal.SIGHUP)
        until(lambda: "stays as it was" in gateway.heard(), WAIT)
        check("a wrong file is reported", "surety.json:1:" in gateway.heard(),
              gateway.heard())
        same("and the old one stays", gateway.call(model="small").status, 200)
        gateway.configure({"models": {"other": model}})
        gateway.process.send_signal(signal.SIGHUP)
        check("a reload", until(
            lambda: get("/v1/models/other").status == 200, WAIT))
        check("which its calls follow", until(
            lambda: gateway.call(model="other").status == 200, WAIT))


def test_many():
    """Calls that wait do not hinder others, and end with their clients. Each
    has begun to answer before another is asked, so all of them were sent."""
    count = 40
    late = {"when": {"model": "late"}, "text": "late and later", "chunks": 2,
            "chunk_delay_ms": 600000, "repeat": True}
    with Gateway({"replies": [late, {"text": "now"}]}, "--threads",
                 "1") as gateway:
        links = [gateway.send(request("openai", True, model="late"))
                 for _ in range(count)]
        begun = [link.recv(1 << 16)[:12] for link in links]
        same("each begins to answer", begun, [b"HTTP/1.1 200"] * count)
        same("one more is answered", said("openai", gateway.call()), "now")
        for link in links:
            link.close()
        lines = gateway.logged(count + 1)
        same("those that gave up are logged",
             [line["verdict"] for line in lines].count("cancelled"), count)
        same("and the calls that were sent have ended",
             len(gateway.mock.logged(count + 1)), count + 1)


def test_anew():
    """Memory and handles of ended requests are used again: a plain request is
    the same, and has the same answer, before and after others of all kinds."""
    late = {"when": {"model": "late"}, "text": "late", "delay_ms": 600000,
            "repeat": True}
    tool = {"type": "function", "function": {
        "name": "look", "parameters": {"type": "object"}}}

    def plain(gateway, count):
        got = gateway.call(key="sk-plain")
        line = gateway.mock.logged(count)[-1]
        return (got.status, said("openai", got), json.loads(got.body)["usage"],
                [name for name, _ in got.headers],
                {name: line[name] for name in line
                 if name not in ("request", "reply", "response_bytes")})

    with Gateway({"replies": [late, {"text": GOOD_TEXT, "repeat": True}]},
                 "--threads", "1") as gateway:
        first = plain(gateway, 1)
        count = 1
        for client in CLIENTS:
            gateway.call(client, True, key="sk-rich",
                         **schema_members(client))
            count += 1
        gateway.call(tools=[tool], temperature=0.5, stop="END", seed=7,
                     headers=("Surety-Report: full", "Surety-Tag: rich"),
                     messages=[{"role": "system", "content": "S" * 5000},
                               {"role": "user", "content": "U" * 20000}])
        count += 1
        same("one is refused", gateway.call(
            headers=("Surety-Retries: none",)).status, 400)
        link = gateway.send(request(stream=True, model="late",
                                    **schema_members("openai")))
        gateway.call()  # the thread takes them in their order
        link.close()
        count += 2
        same("one is given up", len(gateway.mock.logged(count)), count)
        same("a plain request is the same again", plain(gateway, count + 1),
             first)


def test_command_line():
    same("a port that is none", surety("serve", "--listen", "1.2.3.4:x").code,
         2)
    same("an address that is none", surety("serve", "--listen", "a:1").code, 2)
    same("an operand", surety("serve", "x").code, 2)


run_tests(test_matrix, test_violation, test_cut, test_contracts, test_refused,
          test_provider_failures, test_plain, test_object, test_parameters,
          test_law, test_operation, test_many, test_anew, test_command_line)

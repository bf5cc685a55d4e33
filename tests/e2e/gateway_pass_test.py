#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests with nothing to check go to the provider as they are, and the
response comes back byte for byte: gateway_pass_test.py [SURETY]."""

import json
import re

from cli_run import check, run_tests, same
from gateway_run import CLIENTS, Gateway, model_of, said
from mock_run import Response, read_to, request
from provider_server import Provider, answer


def post(gateway, path, body, *headers):
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"POST {path} HTTP/1.1", "Host: a", "Connection: close",
             f"Content-Length: {len(text)}", *headers, "", ""]
    return Response(gateway.send("\r\n".join(lines).encode() + text))


def plain(body):
    """A body without the number that the mock gives each request."""
    return re.sub(rb"mock\d+", b"mock", body)


def test_bytes():
    """The bytes are those that a client gets without the gateway."""
    with Gateway({"then": "repeat", "replies": [
            {"text": "Grüße, wörld", "reasoning": "hm", "chunks": 4}]},
                 "--threads", "1") as gateway:
        for client in CLIENTS:
            for stream in (False, True):
                name = client + " stream" * stream
                got = gateway.call(client, stream)
                want = gateway.mock.call(client, stream)
                same(f"{name}: status", got.status, 200)
                same(f"{name}: bytes", plain(got.body), plain(want.body))
                same(f"{name}: type", got.header("content-type"),
                     want.header("content-type"))
                check(f"{name}: a run", got.header("surety-run"), got)
        got = gateway.call("openai", n=2)
        same("several answers", len(got.json()["choices"]), 2)
        got = gateway.call("openai", model="anthropic:m", n=2)
        same("but not of another protocol", got.status, 400)
        lines = gateway.logged(10)
        same("each has its line", {line["verdict"] for line in lines[:8]},
             {"valid"})
        check("with its tokens", any(line.get("output_tokens")
                                     for line in lines[:8]), lines)


def test_request():
    """The request's bytes arrive as they were sent, but for the model."""
    body = (b'{ "model" : "small", "x-unknown":[1.50, "\\u00fc"],'
            b'"messages":[{"role":"user","content":"hey"}] }')
    with Gateway({"then": "repeat", "replies": [
            {"when": {"model": "real", "headers": {
                "openai-beta": "b", "idempotency-key": "k"}},
             "text": "told", "repeat": True},
            {"text": "not told"}]},
                 config={"models": {"small": {"provider": "openai",
                                              "model": "real"}}}) as gateway:
        got = post(gateway, "/v1/chat/completions", body, "OpenAI-Beta: b",
                   "Idempotency-Key: k")
        same("headers that mean something, and the name",
             said("openai", got), "told")
    for header, value in (("authorization", "sk-other"),
                          ("openai-organization", "org-1"),
                          ("cookie", "a=b"), ("x-forwarded-for", "1.2.3.4"),
                          ("surety-tag", "t")):
        with Gateway({"then": "repeat", "replies": [
                {"when": {"headers": {header: value}}, "text": "leaked",
                 "repeat": True}, {"text": "kept"}]}) as gateway:
            got = gateway.call("openai", key=None, headers=(
                f"{header}: Bearer {value}" if header == "authorization"
                else f"{header}: {value}",))
            same(f"{header} does not pass", said("openai", got), "kept")


def test_headers():
    """Of a response only known headers come."""
    with Gateway({"then": "repeat", "replies": [
            {"text": "hey", "headers": {
                "x-ratelimit-limit-requests": "7", "set-cookie": "a=b",
                "openai-organization": "ours", "surety-run": "forged",
                "strict-transport-security": "max-age=1",
                "alt-svc": "h3=\":1\"", "openai-processing-ms": "3"}}]}
                 ) as gateway:
        for stream in (False, True):
            got = gateway.call("openai", stream)
            same("a limit", got.header("x-ratelimit-limit-requests"), "7")
            same("a time", got.header("openai-processing-ms"), "3")
            for name in ("set-cookie", "openai-organization",
                         "strict-transport-security", "alt-svc"):
                same(f"no {name}", got.header(name), None)
            check("the run's own", got.header("surety-run") != "forged", got)
            same("once", sum(name == "surety-run" for name, _ in got.headers),
                 1)


def test_errors():
    """An error of the provider comes as it is; what it says of our key does
    not."""
    for status in (400, 404, 422, 429, 500, 503):
        with Gateway({"then": "repeat", "replies": [
                {"status": status, "error": "own words"}]}) as gateway:
            for client in CLIENTS:
                for stream in (False, True):
                    got = gateway.call(client, stream)
                    name = f"{status}: {client}" + " stream" * stream
                    same(f"{name}: status", got.status, status)
                    check(f"{name}: body", b"own words" in got.body, got)
    with Gateway({"then": "repeat", "replies": [
            {"status": 401, "error": "wrong key sk-ours"}]}) as gateway:
        got = gateway.call("openai")
        same("our key: status", got.status, 502)
        check("our key is not said", b"sk-ours" not in got.raw, got)
    with Gateway({"then": "repeat", "replies": [
            {"status": 400, "error": "you sent sk-ours"}]}) as gateway:
        got = gateway.call("openai", True)
        same("our key in a body: status", got.status, 400)
        check("our key in a body", b"sk-ours" not in got.raw, got)


def test_broken():
    """A response that breaks off is an error, or a cut."""
    with Gateway({"then": "repeat", "replies": [
            {"text": "a longer text " * 20, "chunks": 2, "cut_at": 900}]}
                 ) as gateway:
        for client in CLIENTS:
            got = gateway.call(client, True)
            check(f"{client}: a cut", got.status == 200 and not got.whole, got)
            check(f"{client}: what came", b"data: {" in got.body, got)


def test_gone():
    """A client that hangs up ends the provider's call."""
    with Gateway({"then": "repeat", "replies": [
            {"text": "a longer text", "chunks": 5,
             "chunk_delay_ms": 600000}]}) as gateway:
        for client in CLIENTS:
            link = gateway.send(request(client, True))
            read_to(link, b"HTTP/1.1 200")
            link.close()
        same("the model's calls have ended",
             {line["ended"] for line in gateway.mock.logged(len(CLIENTS))},
             {"broken"})
        same("and their runs", {line["verdict"]
                                for line in gateway.logged(len(CLIENTS))},
             {"cancelled"})


def test_others():
    """Vectors and counts of tokens; the gateway's own list of models."""
    with Gateway({"replies": []}, "--threads", "1",
                 config={"models": {"vectors": {"provider": "openai",
                                                "model": "v"}}}) as gateway:
        got = post(gateway, "/v1/embeddings",
                   {"model": "vectors", "input": ["a", "b"]})
        same("vectors", len(got.json()["data"]), 2)
        same("of the model", got.json()["model"], "v")
        for path, body in (
                ("/v1/messages/count_tokens",
                 {"model": "m", "messages": [{"role": "user",
                                              "content": "hey"}]}),
                ("/v1/responses/input_tokens", {"model": "m", "input": "hey"}),
                ("/v1beta/models/m:countTokens",
                 {"contents": [{"parts": [{"text": "hey"}]}]}),
                ("/v1beta/models/m:embedContent",
                 {"content": {"parts": [{"text": "hey"}]}}),
                ("/v1beta/models/m:batchEmbedContents",
                 {"requests": [{"model": "models/m", "content":
                                {"parts": [{"text": "hey"}]}}]})):
            got = post(gateway, path, body)
            same(path, got.status, 200)
        used = [("input_tokens" in line, line.get("estimated", False))
                for line in gateway.logged(6)]
        same("vectors have the reported usage or an estimate; counts none",
             used, [(True, False), *[(False, False)] * 3, *[(True, True)] * 2])
        got = post(gateway, "/v1/messages/count_tokens",
                   {"model": "vectors", "messages": []})
        same("not of another protocol", got.status, 400)
        check("says which", b"anthropic" in got.body, got)
        got = post(gateway, "/v1/embeddings", {"input": "a"})
        same("without a model", got.status, 400)
        for path in ("/v1/files", "/v1/responses/resp_1", "/v1/batches"):
            got = Response(gateway.send(
                f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                .encode()))
            same(f"{path}: status", got.status, 404)
            check(f"{path}: says what there is", b"embeddings" in got.body,
                  got)


def test_accept():
    """Vectors are no stream, also of a model that has the Responses API."""
    with Provider(answer({"object": "list", "data": []})) as provider:
        for protocol in ("openai", "responses"):
            with Gateway({}, config={
                    "providers": {protocol: {"base_url": provider.url}},
                    "models": {"v": {"provider": protocol, "model": "v"}}}
            ) as gateway:
                same(f"{protocol}: status", post(
                    gateway, "/v1/embeddings",
                    {"model": "v", "input": "a"}).status, 200)
            top = provider.requests[-1][0].lower()
            check(f"{protocol}: asks for JSON",
                  b"\r\naccept: application/json" in top, top)


def test_batch():
    """A batch of texts for vectors repeats the model's name in each item: there
    too it becomes the provider's, and nothing else changes."""
    body = (b'{ "requests" : [%s{"model": "models/%s", "content": {"parts":'
            b' [{"text": "model"}], "model": "models/vectors"}} , 3,'
            b'{"mod\\u0065l":"models/%s" }], "requests2": [{"model": 1}],'
            b' "model":"models/%s"}')
    with Provider(answer({"embeddings": []})) as provider:
        gateway = Gateway({"replies": []}, config={
            "providers": {"gemini": {"base_url": provider.url,
                                     "key_env": "OUR_KEY"}},
            "models": {"vectors": {"provider": "gemini", "model": "real"}}})
        for begin in (b"", b"[], ", b'{"content": {}}, '):
            post(gateway, "/v1beta/models/vectors:batchEmbedContents",
                 body % (begin, b"vectors", b"vectors", b"vectors"))
            head, sent = provider.requests[-1]
            check("the path has the model", b"/models/real:batchEmbedContents"
                  in head, head)
            same("the body is the same but for its name", sent,
                 body % (begin, b"real", b"real", b"real"))
        gateway.end()
        gateway.mock.end()


def test_not_passed():
    """What has something to check is never passed on."""
    schema = {"type": "object", "required": ["a"]}
    with Gateway({"then": "repeat", "replies": [{"text": "{}"}]}) as gateway:
        for name, path, body in (
                ("a schema", "/v1/chat/completions",
                 b'{"model":"m","messages":[{"role":"user","content":"h"}],'
                 b'"response_format":{"type":"json_schema","json_schema":'
                 b'{"name":"a","schema":%s}}}'),
                ("a name with escapes", "/v1/chat/completions",
                 b'{"model":"m","messages":[{"role":"user","content":"h"}],'
                 b'"response_form\\u0061t":{"type":"json_schema",'
                 b'"json_schema":{"name":"a","schema":%s}}}'),
                ("with underscores", "/v1beta/models/m:generateContent",
                 b'{"contents":[{"parts":[{"text":"h"}]}],'
                 b'"generation_config":{"response_mime_type":'
                 b'"application/json","response_json_schema":%s}}')):
            got = post(gateway, path, body % json.dumps(schema).encode(),
                       "Surety-Retries: 0")
            same(name, got.status, 422)
        got = post(gateway, "/v1/chat/completions",
                   b'{"model":"m","messages":[{"role":"user","content":"h"}],'
                   b'"response_format":null,"response_format":{"type":'
                   b'"json_object"}}')
        same("a name twice means two things", got.status, 400)
    with Gateway({"then": "repeat", "replies": [{"text": "hey"}]}) as gateway:
        got = gateway.call("openai", model=model_of("anthropic"))
        check("another protocol is not passed on", b'"surety"' in got.body,
              got)


run_tests(test_bytes, test_request, test_headers, test_errors, test_broken,
          test_gone, test_others, test_accept, test_batch, test_not_passed)

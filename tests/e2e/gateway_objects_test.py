#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests for what a provider keeps go to it where surety.json names their
path: gateway_objects_test.py [SURETY]. The laws: nothing passes that is not
named; what passes goes and comes back byte for byte; nothing is sent twice that
must not be."""

import json
import os
import signal
import sqlite3
import subprocess

from cli_run import ENV, SURETY, check, run_tests, same
from gateway_run import Gateway
from mock_run import WAIT, Response, read_to
from object_store import JSON, ORIGIN, Store, kept
from process import until
from provider_server import Provider, answer, head, pause, wait_gone

BYTES = bytes(range(256)) * 3
TYPE = "multipart/form-data; boundary=\"a b\""
PATHS = ["/files", "/files/*", "/responses/*", "/batches"]


def providers(port, **paths):
    """A provider of each protocol at that port, with the paths of these."""
    base = f"http://127.0.0.1:{port}"
    urls = {"openai": "/v1", "anthropic": "/v1", "gemini": "/v1beta"}
    return {"providers": {name: {
        "base_url": base + url, "key_env": "OUR_KEY",
        "passed_paths": paths.get(name, [])} for name, url in urls.items()},
        "retry": {"max": 2, "first": 0.01, "most": 0.02}}


class Front(Gateway):
    """A gateway in front of a port."""

    def __init__(self, port, *arguments, config=None, **paths):
        super().__init__({"replies": []}, *arguments, config={
            **providers(port, **(paths or {"openai": PATHS})),
            **(config or {})})

    def ask(self, method, target, body=None, *headers):
        lines = [f"{method} {target} HTTP/1.1", "Host: a", "Connection: close",
                 *headers]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        text = "\r\n".join([*lines, "", ""]).encode("latin-1")
        return Response(self.send(text + (body or b"")))


def ok(*_):
    return 200, JSON, b"{}"


def test_bytes():
    """Method, query, type and body go as they are, and so does the answer."""
    told = {"Content-Type": "application/x-own; q=\"\xe4\"",
            "Content-Disposition": "attachment; filename=a",
            "X-RateLimit-Limit-Requests": "7", "Set-Cookie": "a=b",
            "Surety-Run": "forged"}
    with Store(lambda *_: (201, told, BYTES)) as store:
        with Front(store.port) as gateway:
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
                for body in (None, b"", BYTES):
                    name = f"{method} {len(body or '')} bytes"
                    got = gateway.ask(
                        method, "/v1/files/a-1/content?b=%2F..&c[]=1&key=k",
                        body, f"Content-Type: {TYPE}", "Accept: a/b",
                        "Authorization: Bearer sk-client", "Cookie: a=b",
                        "OpenAI-Beta: x", "X-Forwarded-For: 1.2.3.4")
                    same(f"{name}: status", got.status, 201)
                    same(f"{name}: answer", got.body, BYTES)
                    same(f"{name}: type", got.header("content-type"),
                         told["Content-Type"])
                    same(f"{name}: disposition",
                         got.header("content-disposition"),
                         told["Content-Disposition"])
                    same(f"{name}: a limit",
                         got.header("x-ratelimit-limit-requests"), "7")
                    check(f"{name}: no other header", not
                          got.header("set-cookie") and
                          got.header("surety-run") != "forged", got)
                    asked, target, headers, sent = store.asked[-1]
                    same(f"{name}: request", (asked, target, sent),
                         (method, "/v1/files/a-1/content?b=%2F..&c[]=1&key=k",
                          body or b""))
                    same(f"{name}: headers",
                         [headers.get(one) for one in (
                             "content-type", "accept", "authorization",
                             "openai-beta", "cookie", "x-forwarded-for")],
                         [TYPE, "a/b", "Bearer sk-ours", "x", None, None])
            got = gateway.ask("GET", "/files")
            same("a base URL without a version", store.asked[-1][1],
                 "/v1/files")
            same("and without a type", (store.asked[-1][2].get("content-type"),
                                        store.asked[-1][2]["accept"]),
                 (None, "*/*"))
            got = gateway.ask("HEAD", "/v1/files/a")
            same("a head has the length, and no body",
                 (got.status, got.header("content-length"), got.body,
                  store.asked[-1][0]), (201, str(len(BYTES)), b"", "HEAD"))
    with Store(lambda *_: (404, JSON, b"none")) as store:
        with Front(store.port) as gateway:
            got = gateway.ask("HEAD", "/v1/files/a")
            same("that of an error too", (got.status, got.body), (404, b""))
    with Store(lambda *_: (204, {}, b"")) as store:
        with Front(store.port) as gateway:
            got = gateway.ask("DELETE", "/v1/files/a")
            same("no content", (got.status, got.body), (204, b""))


def test_unnamed():
    """What is not named is 404, and so is what servers read in two ways. No
    call is taken for an object."""
    with Store(ok) as store:
        with Front(store.port, openai=[*PATHS, "/chat/*"]) as gateway:
            for target in (
                    "/v1/vectors", "/v1/batches/a", "/v1/filesystem",
                    "/v1/Files", "/v1/files/", "/v1/files//a", "/v1/files/..",
                    "/v1/files/../models", "/v1/files/./a", "/v1/files/a%2Fb",
                    "/v1/files/%2e%2e/a", "/v1/files/%252e%252e",
                    "/v1/%66iles", "/v1/files/a;b", "/v1/files/a\\b",
                    "/v1/files/@h", "/v1/files/http://h/", "//h/v1/files",
                    "/v1//files", "/v1/files/\xe4", "/v1/files/a:b/:c",
                    "/v1/chat/Completions", "/v1/v1/chat/completions",
                    "/v1/v1/models/a", "/v1/files/a:generateContent"):
                for method in ("GET", "POST"):
                    got = gateway.ask(method, target, b"{}")
                    check(f"{method} {target!r}", got.status in (400, 404), got)
                    check("says how to allow it", b"passed_paths" in got.body or
                          got.status == 400, got)
            got = gateway.ask("GET", "/v1/files?a#b")
            same("a fragment", got.status, 400)
            for method in ("OPTIONS", "TRACE", "get", "CONNECT"):
                got = gateway.ask(method, "/v1/files")
                same(f"{method}: status", got.status, 405)
                same(f"{method}: allow", got.header("allow"),
                     "get, head, post, put, patch, delete")
            same("a call stays one", gateway.ask(
                "POST", "/v1/chat/completions", b"[]").status, 400)
            same("a list too", gateway.ask("GET", "/v1/models").status, 200)
        same("nothing was asked", store.asked, [])
        with Front(store.port, gemini=["/files"]) as gateway:
            same("not to another protocol", gateway.ask(
                "GET", "/v1/files").status, 404)
        same("nothing at all", store.asked, [])


def test_protocols():
    """A client reaches the provider of its protocol, whose words an error
    has."""
    with Store(ok) as store:
        with Front(store.port, openai=["/files"], anthropic=["/files"],
                   gemini=["/files"]) as gateway:
            for header, target, key, value in (
                    ("X-Api-Key: c", "/v1/files", "x-api-key", "sk-ours"),
                    ("Anthropic-Version: 1", "/v1/files",
                     "anthropic-version", "1"),
                    ("X-Goog-Api-Key: c", "/v1/files", "x-goog-api-key",
                     "sk-ours"),
                    ("A: b", "/v1beta/files?key=sk-client&a=b&key=c",
                     "x-goog-api-key", "sk-ours"),
                    ("A: b", "/v1/files", "authorization", "Bearer sk-ours")):
                same(f"{header}: status",
                     gateway.ask("GET", target, None, header).status, 200)
                same(f"{header}: reaches its provider",
                     store.asked[-1][2].get(key), value)
                check(f"{header}: its key stays here", "sk-client" not in
                      str(store.asked[-1]), store.asked[-1])
            same("the rest of a query stays", store.asked[-2][1],
                 "/v1beta/files?a=b")
    with Store(ok) as store:
        config = providers(store.port, anthropic=["/files"])
        del config["providers"]["anthropic"]["key_env"]
        with Front(store.port, config=config) as gateway:
            gateway.ask("GET", "/v1/files", None, "X-Api-Key: sk-client")
            same("without a key of ours the client's goes",
                 store.asked[-1][2].get("x-api-key"), "sk-client")


def test_errors():
    """An error of the provider comes as it is, but for our key; one of ours is
    in the client's words."""
    for status, want in ((400, 400), (404, 404), (409, 409), (500, 500),
                         (401, 502), (403, 502), (302, 502)):
        with Store(lambda *_, s=status: (s, JSON, b"own words")) as store:
            with Front(store.port, openai=["/files"]) as gateway:
                got = gateway.ask("POST", "/v1/files", b"a")
                same(f"{status}: status", got.status, want)
                same(f"{status}: words", got.body == b"own words",
                     want == status)
    with Store(lambda *_: (409, JSON, b"in use")) as store:
        with Front(store.port, "--model-failures", "2") as gateway:
            same("a conflict leaves nothing alone", [gateway.ask(
                "POST", "/v1/files", b"a").status for _ in range(4)], [409] * 4)
    with Store(lambda *_: (500, JSON, b"fails")) as store:
        with Front(store.port, "--model-failures", "2") as gateway:
            same("a failing path is left alone", [gateway.ask(
                "POST", "/v1/files", b"a").status for _ in range(3)],
                 [500, 500, 503])
            same("and no other path", gateway.ask(
                "POST", "/v1/batches", b"a").status, 500)
    with Store(lambda *_: (200, JSON, b"you sent sk-ours")) as store:
        with Front(store.port) as gateway:
            got = gateway.ask("GET", "/v1/files")
            same("our key in an answer", got.status, 502)
            check("is not said", b"sk-ours" not in got.raw, got)
    with Front(1, anthropic=["/files"]) as gateway:
        got = gateway.ask("GET", "/v1/files", None, "X-Api-Key: a")
        same("no connection: status", got.status, 502)
        same("no connection: form", got.json()["type"], "error")
    with Store(ok) as store:
        with Front(store.port, "--max-body", "1000") as gateway:
            same("at the limit", gateway.ask(
                "POST", "/v1/files", b"a" * 1000).status, 200)
            same("above it", gateway.ask(
                "POST", "/v1/files", b"a" * 1001).status, 413)
        same("which is not sent", len(store.asked), 1)
    with Provider(pause(b"")) as provider:
        config = providers(provider.port, openai=["/files"])
        config["providers"]["openai"]["timeouts"] = {"total": 0.2}
        with Front(provider.port, config=config) as gateway:
            same("no answer in time", gateway.ask(
                "POST", "/v1/files", b"a").status, 504)


def test_once():
    """A POST or PATCH is sent once, whatever comes of it. What got no answer is
    never sent again: it may have been carried out."""
    for name, step, status, times in (
            ("503", answer({}, 503), 503, 3),
            ("nothing", lambda link, *_: link.close(), 502, 1)):
        for method in ("POST", "PATCH", "GET", "DELETE", "PUT"):
            once = method in ("POST", "PATCH")
            with Provider(step) as provider:
                with Front(provider.port) as gateway:
                    same(f"{method}, {name}: status", gateway.ask(
                        method, "/v1/files", b"a").status, status)
                same(f"{method}, {name}: sent", len(provider.requests),
                     1 if once else times)


def test_stream():
    """A stream goes on as it comes; a client that hangs up ends it."""
    gone = []
    first = b"data: {\"a\":1}\n\n"

    def step(link, *_):
        link.sendall(head(kind="text/event-stream",
                          more=("Connection: close",)) + first)
        wait_gone(link, 60)
        gone.append(True)
    with Provider(step) as provider:
        with Front(provider.port) as gateway:
            link = gateway.send(b"GET /v1/responses/r?stream=true HTTP/1.1\r\n"
                                b"Host: a\r\n\r\n")
            came = read_to(link, first)
            check("the type of a stream", b"text/event-stream" in came, came)
            link.close()
            line = gateway.logged(1)[0]
            same("the run has ended", (line["verdict"], line["stream"]),
                 ("cancelled", True))
        check("the provider's call too", until(lambda: gone, WAIT))
    with Provider(head(length=100) + b"half") as provider:
        with Front(provider.port) as gateway:
            same("half an answer is none", gateway.ask(
                "GET", "/v1/files/a/content").status, 502)


def test_records():
    """A request has its line, its row and its figures by the name of its
    path."""
    with Store(ok) as store:
        with Front(store.port, "--ledger", "l.db", "--threads",
                   "1") as gateway:
            gateway.ask("POST", "/v1/files", BYTES, "Surety-Tag: t")
            gateway.ask("GET", "/v1/files/secret-id")
            figures = gateway.ask("GET", "/metrics").body.decode()
            lines = gateway.logged(2)
            same("lines", [(line["route"], line["status"], line.get("tag"),
                            line["verdict"]) for line in lines[:2]],
                 [("/files", 200, "t", "valid"),
                  ("/files/*", 200, None, "valid")])
            check("figures", 'route="/files/*"' in figures and
                  "secret-id" not in figures, figures)
            with sqlite3.connect(os.path.join(gateway.folder, "l.db")) as rows:
                same("rows", rows.execute(
                    "SELECT provider, model, http_status, input_tokens "
                    "FROM attempts ORDER BY rowid").fetchall(),
                    [("openai", "/files", 200, None),
                     ("openai", "/files/*", 200, None)])


def test_keys():
    """A key of the gateway's is needed, and one that is bounded by dollars,
    tokens or models is refused."""
    with Store(ok) as store:
        with Front(store.port, "--keys", "--ledger", "k.db") as gateway:
            def add(*limits):
                return subprocess.run(
                    [SURETY, "keys", "add", *limits, "--ledger", "k.db",
                     "--config", gateway.config], cwd=gateway.folder,
                    env={**ENV, "OUR_KEY": "sk-ours"}, check=True,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE).stdout.decode().strip()

            def ask(secret):
                return gateway.ask("GET", "/v1/files", None,
                                   f"Authorization: Bearer {secret}")
            same("none", gateway.ask("GET", "/v1/files").status, 401)
            same("a stranger's", ask("sk-other").status, 401)
            for name, *limits in (("day", "--day", "1"),
                                  ("month", "--month", "1"),
                                  ("tokens", "--tokens", "1000"),
                                  ("models", "--model", "gpt*")):
                got = ask(add(name, *limits))
                same(f"{name}: status", got.status, 403)
                check(f"{name}: why", b"not known" in got.body, got)
                same(f"{name}: not again", got.header("x-should-retry"),
                     "false")
            same("nothing was asked", store.asked, [])
            same("one without limits", ask(add("free")).status, 200)
            secret = add("two", "--requests", "2", "--at-once", "1")
            same("requests of a minute count",
                 [ask(secret).status for _ in range(3)], [200, 200, 429])
            check("no key is said", "sk-" not in gateway.heard(),
                  gateway.heard())


def test_configuration():
    """A wrong name ends the start, and a reload changes nothing then."""
    with Store(ok) as store:
        with Front(store.port, openai=["/files"]) as gateway:
            config = providers(store.port, openai=["/files", "/batches"])
            config["providers"]["other"] = {
                "base_url": "http://h/v1", "protocol": "responses",
                "passed_paths": ["/files"]}
            gateway.configure(config)
            gateway.process.send_signal(signal.SIGHUP)
            until(lambda: "both pass" in gateway.heard(), WAIT)
            check("both names", '"openai" and "other"' in gateway.heard(),
                  gateway.heard())
            same("the old one stays", (
                gateway.ask("GET", "/v1/files").status,
                gateway.ask("GET", "/v1/batches").status), (200, 404))
            run = subprocess.run(
                [SURETY, "serve", "--listen", "127.0.0.1:0", "--ledger", "none",
                 "--config", gateway.config], cwd=gateway.folder, env=ENV,
                stderr=subprocess.PIPE, stdout=subprocess.PIPE, check=False)
            same("nor does it start", run.returncode, 2)
            check("with the line", b"surety.json:1:" in run.stderr, run.stderr)
            del config["providers"]["other"]
            gateway.configure(config)
            gateway.process.send_signal(signal.SIGHUP)
            check("the new one is taken", until(
                lambda: gateway.ask("GET", "/v1/batches").status == 200, WAIT))


def test_upload():
    """An upload of Gemini's clients goes beside the base URL, if it is named;
    the URL for the bytes is one of the gateway, or it is given to no one."""
    start = ("X-Goog-Upload-Protocol: resumable",
             "X-Goog-Upload-Command: start",
             "X-Goog-Upload-Header-Content-Length: 768",
             "X-Goog-Upload-Header-Content-Type: a/b",
             "X-Goog-Upload-File-Name: a.bin", "x-goog-api-key: sk-client")
    send = ("X-Goog-Upload-Command: upload, finalize",
            "X-Goog-Upload-Offset: 0", "x-goog-api-key: sk-client")
    named = {"gemini": ["/files/*", "/upload/files"]}
    with Store(kept(BYTES)) as store, Front(store.port, **named) as gateway:
        got = gateway.ask("POST", "/upload/v1beta/files", b"{}", *start)
        same("an upload begins", (got.status, got.header(
            "x-goog-upload-status")), (200, "active"))
        url = got.header("x-goog-upload-url")
        same("its bytes come to the gateway", url,
             "http://a/upload/v1beta/files?"
             "upload_id=a-1&upload_protocol=resumable")
        heard = store.asked[0][2]
        for line in start[:-1]:
            name, value = line.split(": ")
            same(f"{name} passes", heard.get(name.lower()), value)
        same("with the gateway's key", heard["x-goog-api-key"], "sk-ours")
        got = gateway.ask("POST", url[len("http://a"):] + "&key=sk-client",
                          BYTES, *send)
        same("and go to the provider", (got.status, got.header(
            "x-goog-upload-status"), json.loads(got.body)["file"]["name"]),
             (200, "final", "files/b"))
        check("without the client's key", "sk-client" not in str(
            store.asked), store.asked)
        same("a proxy's TLS is the client's", gateway.ask(
            "POST", "/upload/v1beta/files", b"{}", *start,
            "X-Forwarded-Proto: https").header("x-goog-upload-url")[:15],
             "https://a/uploa")
        count = len(store.asked)
        for target in ("/upload/v1beta/files/a", "/upload/files",
                       "/upload/v1beta/../v1beta/files", "/UPLOAD/v1beta/files",
                       "/upload/v1beta/models/m:generateContent",
                       "/upload/v1beta/%66iles", "/upload/v1beta/"):
            same(f"{target} is not named", gateway.ask(
                "POST", target, b"{}", *start).status, 404)
        same("and nothing was asked", len(store.asked), count)
    with Store(kept(BYTES)) as store, Front(
            store.port, gemini=["/upload", "/files"]) as gateway:
        same("an upload that is not named", gateway.ask(
            "POST", "/upload/v1beta/files", b"{}", *start).status, 404)
    for url in ("http://127.0.0.1:1/upload/v1beta/files?upload_id=a",
                f"{ORIGIN}.evil.example/upload/v1beta/files",
                f"{ORIGIN}@evil.example/upload/v1beta/files",
                f"{ORIGIN}/upload/v1beta/other?a", f"{ORIGIN}/v1beta/files",
                f"{ORIGIN}/upload/v1beta/../../files",
                f"{ORIGIN}/upload/v1beta.evil/files",
                f"{ORIGIN}/upload/v1beta/files?key=sk-ours", "/upload", ""):
        with Store(lambda *_: (200, {**JSON, "X-Goog-Upload-URL": url},
                               b"{}")) as store, Front(
                                   store.port, **named) as gateway:
            got = gateway.ask("POST", "/upload/v1beta/files", b"{}", *start)
            check(f"{url}: is not given out", got.status == 502 and
                  got.header("x-goog-upload-url") is None, got)


run_tests(test_bytes, test_upload, test_unnamed, test_protocols, test_errors,
          test_once, test_stream, test_records, test_keys, test_configuration)

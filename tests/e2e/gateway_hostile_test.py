#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`surety serve` against what clients and providers send to harm it:
gateway_hostile_test.py [SURETY]. References that would fetch something, header
lines in names, schemas that take long, a compressed body that grows without
end, connections that only wait, secrets in a core dump. Ambiguous heads are
smuggling_test.py's."""

import gzip
import os
import resource
import socket
import time

from cli_run import check, run_tests, same
from gateway_run import CLIENTS, GOOD_TEXT, Gateway, said, schema_members
from hostile_run import SANITIZED
from mock_run import WAIT, Response
from provider_server import Provider, answer

GET = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: %s\r\n\r\n"
ALWAYS = {"then": "repeat", "replies": [{"text": GOOD_TEXT}]}
IDLE = 500 if SANITIZED else 10000
IDLE_BYTES_MAX = 4096  # of memory; a connection has some 300 and its place
BOMB_BYTES = 1 << 30
MEMORY_MAX = 256 << 20


def memory(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_references():
    """`$ref` of a request's schema never leaves the schema."""
    with socket.socket() as trap, Gateway(ALWAYS) as gateway:
        trap.bind(("127.0.0.1", 0))
        trap.listen()
        trap.setblocking(False)
        url = f"http://127.0.0.1:{trap.getsockname()[1]}/a"
        local = os.path.join(gateway.folder, "there.json")
        with open(local, "w", encoding="ascii") as file:
            file.write("{}")
        for client in CLIENTS:
            for ref in (url, "file://" + local,
                        "there.json", url.replace("http:", "")):
                got = gateway.call(client, **schema_members(
                    client, {"type": "object", "$ref": ref}))
                same(f"{client}: a reference to {ref.split(':')[0]}",
                     got.status, 400)
        try:
            check("nothing was fetched", not trap.accept(), url)
        except BlockingIOError:
            check("nothing was fetched", True)


def head_of(raw):
    return raw.partition(b"\r\n\r\n")[0].lower()


def test_header_lines():
    """What a client names becomes no header line, here or at the provider."""
    with Provider(answer({"error": {"message": "no"}}, 404)) as provider:
        config = {"providers": {
            name: {"base_url": provider.url, "protocol": name,
                   "key_env": "OUR_KEY"} for name in ("openai", "gemini")}}
        with Served(config) as gateway:
            for evil in ("m\r\nX-Evil: 1", "m\nX-Evil: 1", "m%0d%0aX-Evil:1",
                         "m\u2028X-Evil: 1", "m HTTP/1.1\r\nX-Evil: 1\r\n\r\n",
                         "../../m?x=1#\r\nX-Evil: 1", "m\0\r\nX-Evil: 1"):
                for where in ("openai:", "gemini:"):
                    got = gateway.call(model=where + evil)
                    check(f"{where}{evil!r}: is answered with an error",
                          400 <= got.status < 600, got.raw)
                    check("and no line of it is a header",
                          b"\nx-evil" not in head_of(got.raw), got.raw)
                got = gateway.call(**{**schema_members("openai"),
                                      "model": "openai:" + evil})
                check(f"{evil!r} with a schema", b"\nx-evil" not in
                      head_of(got.raw), got.raw)
            for line in ("Surety-Tag: a\rX-Evil: 1", "Surety-Contract: a\0b",
                         "Surety-Contract: %0d%0aX-Evil: 1"):
                got = gateway.call(model="openai:m", headers=(line,))
                check(f"{line!r}", b"\nx-evil" not in head_of(got.raw), got.raw)
        for asked, _ in provider.requests:
            lines = asked.split(b"\r\n")
            check("the provider got one request line and its headers",
                  b"\n" not in asked.replace(b"\r\n", b"") and not any(
                      line.lower().startswith(b"x-evil") for line in lines)
                  and lines[0].count(b" ") == 2, asked)
        check("some were sent", len(provider.requests) > 4)


class Served(Gateway):
    """A gateway whose configuration is the whole of it."""

    def __init__(self, config, *arguments):
        self.given = config
        super().__init__(ALWAYS, *arguments)

    def configure(self, config):
        super().configure({**self.given, **config})


def test_bomb():
    """No body is decompressed, so none grows."""
    bomb = gzip.compress(b'{"a":"' + b" " * (BOMB_BYTES >> 6) + b'"}', 1)
    step = answer(bomb, more=("Content-Encoding: gzip",))
    with Provider(step) as provider:
        with Served({"providers": {"openai": {
                "base_url": provider.url, "key_env": "OUR_KEY"}}}) as gateway:
            for client in CLIENTS:
                got = gateway.call(client, model="openai:m")
                check(f"{client}: a body that is compressed", got.status >= 500,
                      got.raw[:300])
            check("takes no memory", memory(gateway.process.pid) < MEMORY_MAX,
                  memory(gateway.process.pid))
        check("nor was it asked for", all(
            b"accept-encoding: identity" in asked.lower()
            for asked, _ in provider.requests), provider.requests)


def test_idle():
    """Connections that only wait cost little, and hinder no request."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    count = min(IDLE, most - 500 if most > 0 else IDLE)
    with Gateway(ALWAYS, "--threads", "1") as gateway:
        same("one more is answered before", said("openai", gateway.call()),
             GOOD_TEXT)
        before = memory(gateway.process.pid)
        links = []
        for _ in range(count):
            link = gateway.dial()
            links.append(link)
            if len(links) % 2:
                link.sendall(GET % b"keep-alive")
        for link in links[::2]:
            check_ok = link.recv(4096).endswith(b"ok\n")
            if not check_ok:
                check("a connection that is kept was answered", False, link)
                break
        each = (memory(gateway.process.pid) - before) / count
        print(f"# {count} idle connections, {each:.0f} bytes each")
        if not SANITIZED:
            check("they cost little", each < IDLE_BYTES_MAX, each)
        same("one more is answered", said("openai", gateway.call()), GOOD_TEXT)
        link = links[0]
        link.sendall(GET % b"close")
        same("and so is one that waited", Response(link).status, 200)
        for link in links[1:]:
            link.close()
        end = time.monotonic() + WAIT
        folder = f"/proc/{gateway.process.pid}/fd"
        while len(os.listdir(folder)) > 60 and time.monotonic() < end:
            time.sleep(0.02)
        check("their descriptors are closed", len(os.listdir(folder)) <= 60)


def test_core():
    """The memory of a gateway has keys, so it leaves none behind."""
    with Gateway(ALWAYS) as gateway:
        with open(f"/proc/{gateway.process.pid}/limits",
                  encoding="ascii") as file:
            line = next(one for one in file if "core file" in one)
        same("no core file", line.split()[4:6], ["0", "0"])


def doubled(depth, keyword):
    """A schema that means one subschema 2 to the power of depth times."""
    refs = {f"d{i}": {keyword: 2 * [{"$ref": f"#/$defs/d{i + 1}"}]}
            for i in range(depth)}
    return {"$ref": "#/$defs/d0",
            "$defs": {**refs, f"d{depth}": {"type": "object"}}}


def test_schemas():
    """Schemas that are made to take long: each is refused or used, and what it
    takes is bounded. How long is for other tests, which count steps."""
    def field(i, j):
        return {"properties": {f"a{i}_{j}": {"type": "string"}}}
    schemas = {
        "unions beside each other": {"allOf": [
            {"anyOf": [field(i, j) for j in range(40)]} for i in range(100)]},
        "references of references": doubled(60, "allOf"),
        "unions of unions": doubled(60, "anyOf"),
        "deep references": doubled(3000, "anyOf"),
        "a pattern that multiplies": {
            "properties": {"title": {"pattern": "((a{1,99}){1,99}){1,99}"}}},
        "a pattern that backtracks": {
            "properties": {"title": {"pattern": "^(?=(L+)+$)(L|a|m|p)+!$"}}},
        "many patterns": {"patternProperties": {
            f"^x{i}.*(a+)+$": {"type": "string"} for i in range(2000)}},
    }
    with Gateway(ALWAYS, "--threads", "1") as gateway:
        for name, schema in schemas.items():
            for provider in ("openai", "anthropic", "gemini"):
                got = gateway.call(
                    headers=("Surety-Retries: 0",), model=provider + ":m",
                    **schema_members("openai", schema))
                check(f"{name}, {provider}: an answer",
                      got.status in (200, 400, 422), got.raw[:300])
            got = gateway.call(**schema_members("openai"))
            same(f"{name}: and then one to another", got.status, 200)
        check("takes no memory", memory(gateway.process.pid) < MEMORY_MAX,
              memory(gateway.process.pid))


run_tests(test_references, test_header_lines, test_schemas, test_bomb,
          test_idle, test_core)

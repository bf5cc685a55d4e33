#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Transports over real sockets and processes, and everything that a server, a
network or a command can do to them: transport_test.py [TRANSPORT_PROBE]."""

import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import warnings

from transport_run import (PATIENCE, READ, Server, chunked, grown, head,
                           keeps_alive, one, probe, read_request, run_tests,
                           says, wait_read, whole)
from process import is_read, is_running, until

from tap import check, same, skip  # noqa: E402 (transport_run finds it)

FOLDER = tempfile.TemporaryDirectory()


def path_of(name):
    return os.path.join(FOLDER.name, name)


def ends(name, heard, failure, sent=True, *words):
    """Whether the exchange ended so, with words in its message."""
    said = heard.get("message", "")
    holds = (heard.get("failure") == failure and heard.get("sent") == sent
             and all(word in said for word in words)
             and (failure == "none") == (said == ""))
    check(f"{name}: {failure}", holds, heard)


# -- what goes well ------------------------------------------------------------


def test_whole():
    with Server(says(whole("hello", "X-A: b"))) as server:
        heard = one("--body", '{"a":1}', "--header", "Authorization: Bearer k",
                    "--header", "x-surety-model: m", "--header", "X-Empty:",
                    server.url + "?q=1")
        ends("a whole response", heard, "none")
        same("status", heard["status"], 200)
        same("text", heard["text"], "hello")
        check("headers", ["X-A", "b"] in heard["headers"], heard)
        request, body = server.asked[0]
        lines = request.decode().split("\r\n")
        same("request line", lines[0], "POST /v1/x?q=1 HTTP/1.1")
        same("request body", body, b'{"a":1}')
        names = sorted(line.split(":")[0].lower() for line in lines[1:])
        same("request headers", names,
             ["accept", "authorization", "content-length", "host",
              "user-agent", "x-empty"])


def test_streamed():
    with Server(says(head("Transfer-Encoding: chunked"),
                     b"5\r\nda", READ, b"ta:\r\n", READ,
                     b"3\r\n\xc3\xa9!\r\n0\r\n\r\n")) as server:
        heard = one(server.url)
        ends("a streamed response", heard, "none")
        same("streamed text", heard["text"], "data:é!")
        check("in portions", heard["portions"] >= 2, heard)
    with Server(says(head(), b"until ", READ, b"close")) as server:
        heard = one(server.url)
        ends("a response that ends by closing", heard, "none")
        same("its text", heard["text"], "until close")
    with Server(says(whole("", status="204 No Content"))) as server:
        same("an empty response", one(server.url)["status"], 204)
    with Server(says(whole("no", status="429 Slow", ))) as server:
        heard = one(server.url)
        ends("an error status is the protocol's matter", heard, "none")
        same("its status", heard["status"], 429)
    with Server(says(head(status="103 Early Hints"), whole("ok"))) as server:
        same("an interim response", one(server.url)["text"], "ok")
    with Server(says(head("Transfer-Encoding: chunked"),
                     b"2\r\nok\r\n0\r\nX-Trailer: 1\r\n\r\n")) as server:
        heard = one(server.url)
        ends("trailers", heard, "none")
        same("trailers are no headers", heard["heads"], 1)
        same("one header", len(heard["headers"]), 1)


def test_methods():
    with Server(keeps_alive(whole("x"))) as server:
        one("--method", "GET", server.url)
        one("--method", "DELETE", server.url)
        one("--method", "PUT", "--body", "b", server.url)
        same("methods", [head.split(b" ")[0] for head, _ in server.asked],
             [b"GET", b"DELETE", b"PUT"])

    def serve(server, connection):
        while True:
            server.asked.append(read_request(connection))
            bare = server.asked[-1][0].startswith(b"HEAD ")
            connection.sendall(whole(b"" if bare else b"x"))

    with Server(serve) as server:
        requests = [("POST", ""), ("HEAD", ""), ("GET", ""), ("POST", "ab"),
                    ("GET", "c"), ("PUT", "d"), ("HEAD", ""), ("DELETE", ""),
                    ("PUT", ""), ("POST", "e"), ("POST", "")]
        lines = probe(*(f"{method} {server.url} {body}"
                        for method, body in requests))
        same("one request forgets the last one",
             [(asked.split(b" ")[0].decode(), body.decode())
              for asked, body in server.asked], requests)
        same("each is answered", [line["text"] for line in lines[:-1]],
             ["" if method == "HEAD" else "x" for method, _ in requests])
        same("over one connection", server.count, 1)
    with Server(says(head("Content-Length: 100"))) as server:
        ends("HEAD", one("--method", "HEAD", server.url), "none")


def test_reuse():
    with Server(keeps_alive(whole("x"))) as server:
        lines = probe("--count", 3, server.url)
        same("three in a row", [line.get("text") for line in lines[:3]],
             ["x"] * 3)
        same("use one connection", server.count, 1)
    with Server(keeps_alive(whole("x"))) as server:
        lines = probe("--count", 1000, "--quiet", server.url)
        same("a thousand arrived", len(server.asked), 1000)
        check("files stay few", lines[0]["files"] <= lines[0]["files_before"]
              + 6, lines)
        same("files are closed", lines[0]["files_after"],
             lines[0]["files_before"])


class Meanwhile(Server):
    """A server that is asked between two requests to another one, and answers
    when that one has done what it does then: `done` was released."""

    def __init__(self):
        super().__init__(self.wait)
        self.done = threading.Semaphore(0)

    def wait(self, _, connection):
        while True:
            read_request(connection)
            self.done.acquire(timeout=PATIENCE)
            connection.sendall(whole("done"))


def test_stale():
    """A pooled connection that dies is not used again."""
    def serve(server, connection):
        server.asked.append(read_request(connection))
        connection.sendall(whole("x"))
        connection.close()
        meanwhile.done.release()

    with Meanwhile() as meanwhile, Server(serve) as server:
        lines = probe("--count", 3, server.url, meanwhile.url)
        same("closed by the server between requests",
             [line.get("text") for line in lines[:6]], ["x", "done"] * 3)
        same("so each has its own", server.count, 3)

    def serve_dying(server, connection):
        server.asked.append(read_request(connection))
        connection.sendall(whole("x"))
        server.asked.append(read_request(connection))

    with Server(serve_dying) as server:
        lines = probe("--count", 2, server.url)
        ends("a request is never sent twice", lines[1], "reset", True)
        time.sleep(0.2)
        same("it arrived once", len(server.asked), 2)
    with Server(serve_dying) as server:
        lines = probe("--count", 2, "--part-size", 70000, "--part-size", 1,
                      server.url)
        ends("nor is a body in parts", lines[1], "reset", True,
             "closed the connection without an answer")


def test_many():
    barrier = threading.Barrier(16)

    def serve(server, connection):
        while True:
            server.asked.append(read_request(connection))
            barrier.wait(PATIENCE)
            connection.sendall(whole("x"))

    with Server(serve) as server:
        lines = probe("--count", 64, "--parallel", 64, server.url)
        same("64 at once", [line["failure"] for line in lines[:64]],
             ["none"] * 64)
        same("over 16 connections", server.count, 16)
    with Server(keeps_alive(whole("x"), 0.4)) as server:
        lines = probe("--count", 8, "--parallel", 8, "--host-max", 1,
                      "--connect-ms", 2000, server.url)
        same("waiting for a free connection is not connecting",
             [line["failure"] for line in lines[:8]], ["none"] * 8)
        same("one connection", server.count, 1)


def test_descriptor():
    """A caller's loop waits for the descriptor alone: bytes, the end and the
    time limits make it readable."""
    with Server(keeps_alive(whole("x"), 0.05)) as server:
        lines = probe("--poll", "--count", 40, "--parallel", 10, server.url)
        same("forty by the descriptor",
             [line["failure"] for line in lines[:40]], ["none"] * 40)
    with Server(says(head(), b"x", end="hold")) as server:
        ends("a stall ends by the descriptor",
             grown("--idle-ms", 150, "--poll", server.url)[0], "timeout")
    ends("so does a connection that is refused",
         one("--poll", "http://127.0.0.1:1/"), "connect", False)


def test_large():
    size = 8 << 20
    with Server(keeps_alive(whole("x"))) as server:
        heard = one("--body-size", size, server.url)
        ends("a large request", heard, "none")
        same("arrives whole", len(server.asked[0][1]), size)
        check("without 100-continue",
              b"expect" not in server.asked[0][0].lower())
    with Server(keeps_alive(whole("x"))) as server:
        sizes = [1, 65536, 0, 300000, 65535, 3]
        body = b"".join(letter * size for letter, size in zip(
            (b"a", b"b", b"c", b"d", b"e", b"f"), sizes))
        parts = [arg for size in sizes for arg in ("--part-size", size)]
        probe("--count", 2, *parts, server.url)
        same("a body in parts arrives in order",
             [asked[1] == body for asked in server.asked], [True] * 2)
        same("on one connection", server.count, 1)
    with Server(says(whole(b"y" * size))) as server:
        same("a large response", one(server.url)["bytes"], size)


# -- bounds --------------------------------------------------------------------


def test_size_limit():
    for extra, failure in ((-1, "none"), (0, "none"), (1, "limit")):
        with Server(says(head(), b"x" * (1000 + extra))) as server:
            ends(f"{1000 + extra} of 1000 bytes",
                 one("--max-bytes", 1000, server.url), failure)
    with Server(says(head("Content-Length: 1001"), end="hold")) as server:
        heard = one("--max-bytes", 1000, server.url)
        ends("a longer content-length is refused at once", heard, "limit",
             True, "1000 bytes")

    def flood(server, connection):
        server.asked.append(read_request(connection))
        connection.sendall(head())
        try:
            while True:
                connection.sendall(b"z" * (1 << 20))
        except ConnectionError:
            server.asked.append("broken off")

    with Server(flood) as server:
        lines = probe(server.url)
        ends("a body without end", lines[0], "limit", True, "67108864 bytes")
        check("in bounded memory", lines[1]["memory_kib"] < 64 << 10, lines)
        check("and the connection is closed",
              until(lambda: "broken off" in server.asked, PATIENCE))


def test_headers():
    cases = [
        ("a header line of 1 MB", "limit", [f"X: {'a' * 1000000}"]),
        ("10,000 headers", "limit", [f"X-{i}: a" for i in range(10000)]),
        ("513 headers", "limit", [f"X-{i}: a" for i in range(510)] +
         ["Content-Length: 2"]),
        ("510 headers", "none", [f"X-{i}: a" for i in range(509)] +
         ["Content-Length: 2"]),
        ("200 KB of headers", "limit",
         [f"X-{i}: {'a' * 1000}" for i in range(200)]),
        ("a folded header", "protocol", ["X-A: a", " folded"]),
        ("a header without a name", "protocol", [": a"]),
        ("a header without a colon", "protocol", ["nothing"]),
        ("a blank before the colon", "protocol", ["X-A : a"]),
        ("NUL in a header", "protocol", ["X-A: a\0b"]),
        ("a control character in a header", "protocol", ["X-A: a\x01b"]),
        ("CR in a header", "protocol", ["X-A: a\rb"]),
        ("two lengths", "protocol", ["Content-Length: 2",
                                     "Content-Length: 3"]),
        ("the same length twice", "none", ["Content-Length: 2",
                                           "Content-Length: 2"]),
        ("a signed length", "protocol", ["Content-Length: +2"]),
        ("a negative length", "protocol", ["Content-Length: -2"]),
        ("two lengths in one", "protocol", ["Content-Length: 2, 2"]),
        ("a length with chunks", "protocol", ["Content-Length: 2",
                                              "Transfer-Encoding: chunked"]),
        ("a transfer-encoding", "protocol", ["Transfer-Encoding: gzip"]),
        ("two of them", "protocol", ["Transfer-Encoding: gzip, chunked"]),
        ("chunked twice", "protocol", ["Transfer-Encoding: chunked",
                                       "Transfer-Encoding: chunked"]),
        ("a coding", "protocol", ["Content-Encoding: gzip"]),
        ("the coding identity", "none", ["Content-Encoding: identity"]),
        ("another protocol", "protocol", None),
    ]
    for name, failure, lines in cases:
        data = (head(*lines) if lines is not None else
                head("Upgrade: x", status="101 Switching Protocols")) + b"ok"
        with Server(says(data)) as server:
            ends(name, one("--total-ms", 60000, server.url), failure)
    with Server(says(b"hello, this is not HTTP\r\n")) as server:
        ends("HTTP/0.9", one(server.url), "protocol", True, "not HTTP")
    # Else others would be sent on its connection, and hear what comes on it.
    with Server(says(b"HTTP/2 200 OK\r\nContent-Length: 1\r\n\r\na")) as server:
        ends("HTTP/2 without TLS", one(server.url), "protocol", True,
             "not agreed on")
    with Server(says(head(status="100 Continue") * 16, whole("ok"))) as server:
        ends("16 interim responses", one(server.url), "none")
    with Server(says(head(status="100 Continue") * 17, whole("ok"))) as server:
        ends("17 interim responses", one(server.url), "protocol")


def unasked(name, context, *options):
    """A server that answers, and then sends a response without a request."""
    def serve(server, connection):
        server.asked.append(read_request(connection))
        connection.sendall(head("Transfer-Encoding: chunked") + chunked(b"ab"))
        wait_read(connection)
        connection.sendall(whole("stale"))
        meanwhile.done.release()
        server.asked.append(read_request(connection))
        connection.sendall(whole("fresh"))

    with Meanwhile() as meanwhile, Server(serve, context) as server:
        lines = probe(*options, "--count", 2, server.url, meanwhile.url)
        same(name, [line.get("text") for line in lines[:4]],
             ["ab", "done"] * 2)
        same("its connection is not used again", server.count, 2)


def test_chunks():
    cases = [
        ("-1", b"-1\r\nab\r\n0\r\n\r\n", "protocol"),
        ("0x5", b"0x5\r\nabcde\r\n0\r\n\r\n", "protocol"),
        ("an endless size", b"FFFFFFFFFFFFFFFFF\r\nab\r\n0\r\n\r\n",
         "protocol"),
        ("no size", b"\r\nab\r\n0\r\n\r\n", "protocol"),
        ("letters", b"zz\r\nab\r\n0\r\n\r\n", "protocol"),
        ("no line end after a chunk", b"2\r\nabc\r\n0\r\n\r\n", "protocol"),
        ("no last chunk", b"2\r\nab\r\n", "truncated"),
        ("cut in a chunk", b"5\r\nab", "truncated"),
        ("an extension", b"2;a=b\r\nab\r\n0\r\n\r\n", "none"),
    ]
    for name, data, failure in cases:
        with Server(says(head("Transfer-Encoding: chunked") + data)) as server:
            ends("chunks: " + name, one("--total-ms", 60000, server.url),
                 failure)
    extension = b"2;" + b"a" * 1000000 + b"\r\nab\r\n0\r\n\r\n"
    with Server(says(head("Transfer-Encoding: chunked") + extension)) as server:
        heard = one("--total-ms", 60000, server.url)
        check("an extension of 1 MB does no harm",
              heard["failure"] in ("none", "protocol"), heard)

    unasked("a response without a request", None)


def test_breaks():
    with Server(says(end="reset")) as server:
        ends("a reset before the head", one(server.url), "reset", True,
             f"127.0.0.1:{server.port}")
    with Server(says()) as server:
        ends("closed without an answer", one(server.url), "reset", True,
             "without an answer")
    with Server(says(b"HTTP/1.1 200 OK\r\nX-A")) as server:
        ends("closed in the head", one(server.url), "reset")
    with Server(says(head("Content-Length: 10"), b"abc", READ,
                     end="reset")) as server:
        heard = one(server.url)
        ends("a reset in the body", heard, "reset")
        same("what came was heard", heard["text"], "abc")
    with Server(says(head("Content-Length: 10"), b"abc")) as server:
        heard = one(server.url)
        ends("closed in the body", heard, "truncated", True, "3 bytes")
        same("what came then was heard too", heard["text"], "abc")
    with Server(says(head("Content-Length: 2"), b"abcdef")) as server:
        heard = one(server.url)
        ends("more than the content-length", heard, "none")
        same("is not heard", heard["text"], "ab")


def test_redirects():
    target = ("https://user:secret@evil.example/x?key=secret",
              "evil.example:443")
    for status in ("301 Moved", "302 Found", "307 Temporary", "308 Permanent"):
        with Server(says(whole("", f"Location: {target[0]}",
                               status=status))) as server:
            heard = one("--header", "!Authorization: Bearer k", server.url)
            ends("redirect " + status, heard, "protocol", True, target[1],
                 status[:3])
            check("the target's secrets are not shown",
                  "secret" not in heard["message"], heard)
            same("its status is reported", heard["status"], int(status[:3]))
            same("nobody is asked again", server.count, 1)
    for location in ("/other", "file:///etc/passwd", "gopher://x/", "::"):
        with Server(says(whole("", f"Location: {location}",
                               status="302 Found"))) as server:
            ends(f"redirect to {location}", one(server.url), "protocol")
    with Server(says(whole("", status="304 Not Modified"))) as server:
        ends("304", one(server.url), "protocol")


# -- time ----------------------------------------------------------------------


def near(name, heard, least):
    """Never early. What is waited for would take longer than a probe may, so
    that it ended at all says that it was not waited for."""
    check(name, least <= heard["ms"], heard)


def test_timeouts():
    with Server(says(end="hold")) as server:
        heard, ms = grown("--first-ms", 150, server.url)
        ends("no first byte", heard, "timeout", True, "begin to answer",
             f"{ms} ms")
        near("after its time", heard, ms - 2)
    with Server(says(0.3, whole("late"))) as server:
        ends("a slow first byte", one("--first-ms", 60000, server.url), "none")
    with Server(says(head("Content-Length: 9"), b"abc", end="hold")) as server:
        heard, ms = grown("--idle-ms", 150, server.url)
        ends("a stall in the body", heard, "timeout", True, "sent nothing",
             f"{ms} ms")
        near("after the idle time", heard, ms - 2)
    with Server(says(head(), end="hold")) as server:
        ends("a stall after the head",
             grown("--idle-ms", 100, server.url)[0], "timeout", True,
             "sent nothing")
    pings = [part for _ in range(5000) for part in (b": ping\n\n", 0.02)]
    with Server(says(head(), *pings)) as server:
        heard, ms = grown("--total-ms", 1000, "--idle-ms", 60000, server.url,
                          holds=lambda heard: heard["bytes"] > 0)
        ends("pings for ever", heard, "timeout", True, f"{ms} ms")
        near("after the total time", heard, ms - 2)
        check("pings were heard", heard["bytes"] > 0, heard)
    drips = [part for byte in head("X-A: abcdef")
             for part in (bytes([byte]), 0.01)]
    with Server(says(*drips, end="hold")) as server:
        ends("a head in drips", grown("--total-ms", 250, server.url)[0],
             "timeout")
    deaf = socket.create_server(("127.0.0.1", 0), backlog=0)
    fillers = []
    for _ in range(8):
        filler = socket.socket()
        filler.setblocking(False)
        filler.connect_ex(deaf.getsockname())
        fillers.append(filler)
    port = deaf.getsockname()[1]
    until(lambda: not is_read(port), PATIENCE)  # one waits: no more may
    heard = one("--connect-ms", 200, f"http://127.0.0.1:{port}/")
    ends("nobody accepts", heard, "timeout", False, "no connection",
         "200 ms")
    near("after the time to connect", heard, 198)
    for one_socket in (*fillers, deaf):
        one_socket.close()

    def silent(server, connection):
        while connection.recv(65536):
            pass

    with Server(silent) as server:
        heard = one("--connect-ms", 200,
                    f"https://127.0.0.1:{server.port}/")
        ends("no TLS handshake", heard, "timeout", False, "no connection")


def test_cancel():
    def closed_after(serve, *options):
        def watch(server, connection):
            try:
                serve(server, connection)
            finally:
                connection.settimeout(PATIENCE)
                try:
                    while connection.recv(65536):
                        pass
                except OSError:
                    pass
                closed.set()

        closed = threading.Event()
        with Server(watch) as server:
            heard = one(*options, server.url)
            closed.wait(PATIENCE)
        return heard, closed.is_set()

    for ms in (100, 1000, 10000, 60000):
        heard, seen = closed_after(says(end="hold"), "--cancel-ms", ms)
        if heard["sent"]:
            break
    ends("cancelled before the head", heard, "cancelled")
    near("at once", heard, ms - 2)
    check("and closed", seen)
    heard, seen = closed_after(says(head(), b"abc", end="hold"),
                               "--cancel-on", "head")
    ends("cancelled after the head", heard, "cancelled")
    heard, seen = closed_after(says(head(), b"abc", end="hold"),
                               "--cancel-on", "bytes")
    ends("cancelled in the body", heard, "cancelled")
    check("closed too", seen)
    heard, seen = closed_after(says(head(), b"abc", end="hold"),
                               "--break-on", 1)
    ends("the receiver wants no more", heard, "cancelled", True,
         "refused the rest")
    with Server(keeps_alive(whole("x"))) as server:
        ends("cancelled before it began", one("--cancel-ms", 0, server.url),
             "cancelled", False)

    def serve(server, connection):
        server.asked.append(read_request(connection))
        connection.sendall(head("Content-Length: 10") + b"former")
        read_request(connection)
        connection.sendall(b"!!!!")

    with Server(serve) as server:
        probe("--count", 2, "--break-on", 1, server.url)
        same("a half-read connection is not used again", server.count, 2)
    with Server(says(end="hold")) as server:
        lines = probe("--count", 8, "--parallel", 8, "--close-on", 1,
                      "--first-ms", 200, server.url)
        check("closing ends what is under way",
              all(line["failure"] in ("timeout", "cancelled")
                  for line in lines[:8]), lines)
        same("and closes it", lines[8]["files_after"],
             lines[8]["files_before"])


# -- connecting ----------------------------------------------------------------


def test_no_connection():
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        port = deaf.getsockname()[1]
        heard = one(f"http://user:password@127.0.0.1:{port}/?key=password")
    ends("a refused port", heard, "connect", False, f"127.0.0.1:{port}",
         "refused")
    check("without the URL's secrets", "password" not in heard["message"],
          heard)
    ends("an unknown host", one("https://nobody.invalid/x"), "connect", False,
         "unknown host", "nobody.invalid:443")
    for url in ("ftp://host/", "file:///etc/passwd", "gopher://x/", "nothing",
                "http://", "http://a b/", "exec", "//host/x",
                "http://host:99999/", "http://h\r\nX: y/"):
        heard = one(url)
        check(f"refused: {url!r}", heard.get("refused") == "start"
              and heard["as"] == "misuse", heard)
    for text in ("X-A: a\r\nB: c", "X-A: a\nb", "X-A: \x7f", "X A: b", ": b",
                 "Content-Length: 5", "Transfer-Encoding: chunked"):
        heard = one("--header", text, "http://127.0.0.1:1/")
        check(f"refused header: {text!r}", heard.get("as") == "misuse", heard)
    heard = one("--method", "G ET", "http://127.0.0.1:1/")
    check("refused method", heard.get("as") == "misuse", heard)


def test_public_only():
    with Server(keeps_alive(whole("x"))) as server:
        port = server.port
        for host in ("127.0.0.1", "localhost", "2130706433", "0x7f.1",
                     "127.1", "0", "[::1]", "[::ffff:127.0.0.1]",
                     "[::ffff:7f00:1]"):
            heard = one("--public-only", "--connect-ms", 2000,
                        f"http://{host}:{port}/")
            ends(f"{host} is not public", heard, "address", False,
                 "not public")
        for host in ("10.0.0.1", "169.254.169.254", "192.168.1.1",
                     "172.31.0.1", "100.64.0.1", "[fe80::1]", "[fd00::1]",
                     "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "224.0.0.1"):
            heard = one("--public-only", "--connect-ms", 2000,
                        f"http://{host}/")
            ends(f"{host} is not public", heard, "address", False,
                 "not public")
        same("nobody came", server.count, 0)
        heard = one("--public-only", server.url,
                    env={"http_proxy": f"http://127.0.0.1:{port}"})
        ends("no proxy helps", heard, "address", False, "not public")
        heard = one("--public-only", "--proxy", "http://127.0.0.1:1",
                    server.url)
        same("nor a given one", heard.get("as"), "misuse")


def test_proxy():
    def serve_plain(server, connection):
        server.asked.append(read_request(connection))
        connection.sendall(whole("by proxy"))

    with Server(serve_plain) as proxy:
        heard = one("--proxy", f"http://127.0.0.1:{proxy.port}",
                    "http://name.invalid/x")
        same("an HTTP proxy", heard["text"], "by proxy")
        check("is asked for the whole URL", proxy.asked[0][0].startswith(
            b"POST http://name.invalid/x HTTP/1.1"), proxy.asked)
        heard = one("http://name.invalid/x",
                    env={"http_proxy": f"http://127.0.0.1:{proxy.port}"})
        same("http_proxy", heard["text"], "by proxy")
        heard = one("http://name.invalid/x",
                    env={"http_proxy": f"http://127.0.0.1:{proxy.port}",
                         "NO_PROXY": "name.invalid"})
        ends("NO_PROXY", heard, "connect", False, "name.invalid:80")
        heard = one("--proxy", f"http://127.0.0.1:{proxy.port}",
                    "http://name.invalid/x", env={"NO_PROXY": "*"})
        same("an option overrides NO_PROXY", heard["text"], "by proxy")
    with Server(says(whole("no", status="407 Who"))) as proxy:
        heard = one("https://name.invalid/x",
                    env={"HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}"})
        ends("a proxy that refuses", heard, "connect", False, "407")
        same("it was asked to connect",
             proxy.asked[0][0].split(b"\r\n")[0],
             b"CONNECT name.invalid:443 HTTP/1.1")
    whom = "the proxy 127.0.0.1:1 on the way to name.invalid:"
    for scheme, port in (("http", 80), ("https", 443)):
        url = f"{scheme}://name.invalid/x"
        heard = one("--proxy", "http://127.0.0.1:1", url)
        ends("no proxy there", heard, "connect", False, whom + str(port))
        heard = one(url, env={f"{scheme}_proxy": "http://127.0.0.1:1"})
        ends("nor where the environment says", heard, "connect", False,
             whom + str(port))
    heard = one("--proxy", "http://nobody.invalid:1", "http://name.invalid/x")
    ends("a proxy whose name is unknown", heard, "connect", False,
         "nobody.invalid")
    heard = one("http://127.0.0.1:1/x")
    ends("no proxy is named where there is none", heard, "connect", False,
         "127.0.0.1:1 refused the connection")


# -- TLS -----------------------------------------------------------------------


def certificate(name, *options):
    """A key and a certificate for 127.0.0.1, signed by itself; their path."""
    path = path_of(name + ".pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
         path_of(name + ".key"), "-out", path, "-days", "2", "-subj",
         "/CN=test", *options], check=True, capture_output=True)
    with open(path, "a", encoding="ascii") as file, \
            open(path_of(name + ".key"), encoding="ascii") as key:
        file.write(key.read())
    return path


def expired_certificate(name):
    """The same, of the year 2020: `openssl req` makes none of the past."""
    with open(path_of("index"), "w", encoding="ascii"):
        pass
    with open(path_of("ca.conf"), "w", encoding="ascii") as file:
        file.write("[ca]\ndefault_ca = own\n[own]\n"
                   f"database = {path_of('index')}\n"
                   f"new_certs_dir = {FOLDER.name}\nrand_serial = yes\n"
                   "default_md = sha256\npolicy = any\n"
                   "x509_extensions = names\n[any]\ncommonName = supplied\n"
                   "[names]\nsubjectAltName = IP:127.0.0.1\n")
    key, path = path_of(name + ".key"), path_of(name + ".pem")
    for command in (
            ["req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", key,
             "-out", path_of("request.pem"), "-subj", "/CN=test"],
            ["ca", "-batch", "-config", path_of("ca.conf"), "-selfsign",
             "-keyfile", key, "-in", path_of("request.pem"), "-out", path,
             "-notext", "-startdate", "20200101000000Z", "-enddate",
             "20200201000000Z"]):
        subprocess.run(["openssl", *command], check=True, capture_output=True)
    with open(path, "a", encoding="ascii") as file, \
            open(key, encoding="ascii") as more:
        file.write(more.read())
    return path


def context_of(path, versions=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    if versions:
        context.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version, context.maximum_version = versions
    return context


def test_tls():
    address = ("-addext", "subjectAltName=IP:127.0.0.1")
    try:
        good = certificate("good", *address)
        other = certificate("other", "-addext", "subjectAltName=DNS:other.test")
        expired = expired_certificate("expired")
    except FileNotFoundError as error:
        skip("TLS", f"no certificates: {error}")
        return
    with Server(keeps_alive(whole("safe")), context_of(good)) as server:
        lines = probe("--ca", good, "--count", 2, server.url)
        same("a trusted server", [line.get("text") for line in lines[:2]],
             ["safe"] * 2)
        same("over one connection", server.count, 1)
        heard = one(server.url)
        ends("a self-signed certificate", heard, "tls", False, "self-signed",
             f"127.0.0.1:{server.port}")
        ends("no such CA file", one("--ca", "/nonexistent", server.url), "tls",
             False)
        same("none of them asked", len(server.asked), 2)
    with Server(keeps_alive(whole("x")), context_of(other)) as server:
        ends("a wrong name", one("--ca", other, server.url), "tls", False,
             "127.0.0.1", "name")
    with Server(keeps_alive(whole("x")), context_of(expired)) as server:
        ends("an expired certificate", one("--ca", expired, server.url), "tls",
             False, "expired")
    old = (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1)
    with Server(keeps_alive(whole("x")), context_of(good, old)) as server:
        ends("TLS 1.1", one("--ca", good, server.url), "tls", False)
    unasked("an unasked response by TLS", context_of(good), "--ca", good)
    with Server(says(head("Content-Length: 9"), b"abc"),
                context_of(good)) as server:
        ends("TLS cut in the body", one("--ca", good, server.url), "truncated")

    def tunnel(server, connection):
        request, _ = read_request(connection)
        server.asked.append(request)
        connection.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        inside = context_of(good).wrap_socket(connection, server_side=True)
        server.asked.append(read_request(inside)[0])
        inside.sendall(whole("tunnelled"))
        inside.close()

    with Server(tunnel) as proxy:
        heard = one("--ca", good, "--proxy", f"http://127.0.0.1:{proxy.port}",
                    "--header", "!Authorization: Bearer k",
                    "https://127.0.0.1:9/x")
        same("a tunnel through a proxy", heard["text"], "tunnelled")
        same("its head is not the response's", heard["heads"], 1)
        check("the proxy does not see the key",
              b"uthorization" not in proxy.asked[0], proxy.asked)
        check("the server does", b"uthorization" in proxy.asked[1])


# -- commands ------------------------------------------------------------------


def test_exec():
    same("a command's output", one("--body", "hi\n", "exec:cat")["text"],
         "hi\n")
    heard = one("exec:printf 'a b'; exit 0")
    ends("success", heard, "none")
    same("its status", (heard["status"], heard["heads"]), (0, 1))
    heard = one("exec:true")
    ends("no output", heard, "none")
    same("has a head", heard["heads"], 1)
    ends("a status", one("exec:echo one >&2; echo 'two words' >&2; exit 3"),
         "command", True, "status 3: one two words")
    ends("a signal", one("exec:kill -9 $$"), "command", True, "signal 9")
    ends("no such command", one("exec:no-such-command-here"), "command", True,
         "status 127", "not found")
    heard = one("exec:yes error | head -c 100000 >&2; echo last >&2; exit 1")
    ends("long errors are cut", heard, "command", True, "last")
    check("at their beginning", len(heard["message"]) < 256, heard)
    heard = one("--body-size", 8 << 20, "exec:cat")
    same("8 MiB in and out", heard["bytes"], 8 << 20)
    heard = one("--body-size", 8 << 20, "exec:exec <&-; echo done")
    ends("input that nobody reads", heard, "none")
    same("does not matter", heard["text"], "done\n")
    heard = one("--max-bytes", 1000, "exec:yes")
    ends("endless output", heard, "limit", True, "1000 bytes")
    heard = one("exec:ls -l /proc/self/fd | wc -l")
    same("no other files", heard["text"].strip(), "5")
    for url in ("exec:", "exe:x", "http://127.0.0.1/"):
        heard = one(url) if url != "http://127.0.0.1/" else {"as": "misuse"}
        same(f"refused: {url}", heard.get("as"), "misuse")
    heard = one("exec:env", env={"SOME_VALUE": "42", "LC_TIME": "C"})
    check("the environment is a small one", "LC_TIME=C" in heard["text"]
          and "PATH=" in heard["text"] and "SOME_VALUE" not in heard["text"],
          heard)


def test_exec_time():
    heard, ms = grown("--total-ms", 150, "exec:sleep 600")
    ends("total", heard, "timeout", True, f"{ms} ms")
    near("after the total time of a command", heard, ms - 2)
    heard, _ = grown("--first-ms", 150, "exec:sleep 600")
    ends("nothing written", heard, "timeout", True, "wrote nothing")
    heard, _ = grown("--idle-ms", 150, "exec:echo a; sleep 600",
                     holds=lambda heard: heard["text"])
    ends("silence", heard, "timeout", True, "wrote nothing")
    same("what it wrote", heard["text"], "a\n")
    mark = path_of("mark")
    heard = one("--cancel-on", "bytes",
                f"exec:trap '' TERM; sleep 600 & echo $$ $! > {mark}; "
                "echo a; sleep 600")
    ends("cancelled", heard, "cancelled")
    with open(mark, encoding="ascii") as file:
        group = file.read().split()
    check("and killed, with all of its group", len(group) == 2 and until(
        lambda: not any(is_running(pid) for pid in group), PATIENCE), group)
    heard = one("--cancel-on", "bytes", "exec:echo a; sleep 600")
    ends("cancelled after its first words", heard, "cancelled")
    heard = one("exec:sleep 600 & echo a")
    ends("what it leaves behind", heard, "none")
    lines = probe("--count", 40, "--parallel", 10, "exec:cat", "exec:exit 1")
    failures = [line["failure"] for line in lines[:80]]
    same("many at once", (failures.count("none"), failures.count("command")),
         (40, 40))
    same("leave no file open", lines[80]["files_after"],
         lines[80]["files_before"])
    children = one("exec:sleep 0.1; ps -o stat= --ppid $PPID 2>/dev/null "
                   "|| echo S")
    check("nor a zombie", "Z" not in children.get("text", ""), children)


# -- recordings ----------------------------------------------------------------


def test_recorded():
    path = path_of("recorded.jsonl")
    key = "sk-canary-0123456789abcdef"
    with Server(says(head("Content-Type: text/event-stream"), b"data: \xc3",
                     READ, 0.05, b"\xa9\n\n", READ, 0.05,
                     b"your key " + key.encode() + b"\n\n")) as server:
        options = ("--header", f"!Authorization: Bearer {key}", "--header",
                   "x-surety-protocol: openai", "--header",
                   "x-surety-model: gpt", "--body", '{"a":1.50}')
        live = one(*options, "--record", path, server.url + "?key=" + key)
    ends("a recorded exchange", live, "none")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    line = json.loads(text)
    check("without the key", "canary" not in text, text)
    same("request", line["request"]["json"], {"a": 1.5})
    check("numbers as they stood", "1.50" in text, text)
    check("bytes that are no UTF-8", "base64" in text, text)
    played = one("--replay", path, "http://unused/")
    same("played: text", played["text"], live["text"].replace(key, "***"))
    same("played: portions", played["portions"], live["portions"])
    same("played: headers", played["headers"], live["headers"])
    timed = one("--replay", path, "--timed", "http://unused/")
    near("played in its time", timed, 95)
    matched = one("--replay", path, "--match", "--body", '{"a": 1.5}',
                  "http://other:1/v1/x?key=another")
    same("matched", matched["text"], played["text"])
    ends("not matched", one("--replay", path, "--match", "--body", "{}",
                            "http://other/v1/x"), "protocol", False)
    path = path_of("failed.jsonl")
    with Server(says(head("Content-Length: 9"), b"abc", READ,
                     end="reset")) as server:
        live = one("--record", path, server.url)
    played = one("--replay", path, "http://unused/")
    same("a failure, played", [played[name] for name in
                               ("failure", "sent", "message", "text")],
         [live[name] for name in ("failure", "sent", "message", "text")])
    path = path_of("command.jsonl")
    live = one("--record", path, "exec:echo hi; exit 2")
    played = one("--replay", path, "exec:whatever")
    same("a command, played", (played["failure"], played["text"]),
         ("command", "hi\n"))


if __name__ == "__main__":
    run_tests(sys.modules[__name__])

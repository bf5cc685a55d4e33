#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the mock and the gateway take as the end of a request:
smuggling_test.py [SURETY]. Two servers behind each other that do not agree on
it let a client hide a second request in the first. Each row below is read in
two ways by servers in use; the law is that it gets one refusal, that the
connection ends with it, and that nothing behind it is taken for a request."""

import json

from cli_run import check, run_tests, same
from gateway_run import Gateway
from mock_run import Mock, Response

HOST = b"Host: localhost\r\n"
HIDDEN = b"GET /hidden HTTP/1.1\r\n" + HOST + b"\r\n"
BODY = json.dumps({"model": "m", "messages": [{"role": "user",
                                               "content": "hey"}]}).encode()
PATH = b"/v1/chat/completions"


def post(*fields, version=b"HTTP/1.1", host=HOST, end=b"\r\n", target=PATH):
    return (b"POST " + target + b" " + version + end
            + host + b"".join(field + end for field in fields) + end)


CHUNKED = b"Transfer-Encoding: chunked"
LENGTH = b"Content-Length: 3"
ENDED = b"0\r\n\r\n"
# Name, bytes before the hidden request, status of the refusal.
MATRIX = [
    ("a length beside a coding", post(LENGTH, CHUNKED) + ENDED, 400),
    ("a coding beside a length", post(CHUNKED, LENGTH) + ENDED, 400),
    ("two equal lengths", post(LENGTH, LENGTH) + b"abc", 400),
    ("two other lengths", post(LENGTH, b"Content-Length: 4") + b"abc", 400),
    ("a list of lengths", post(b"Content-Length: 3, 3") + b"abc", 400),
    ("a length with a sign", post(b"Content-Length: +3") + b"abc", 400),
    ("a length below 0", post(b"Content-Length: -1"), 400),
    ("a length in hexadecimal", post(b"Content-Length: 0x3") + b"abc", 400),
    ("an empty length", post(b"Content-Length:"), 400),
    ("a length over 64 bits", post(b"Content-Length: 18446744073709551619")
     + b"abc", 413),
    ("a blank before the colon", post(b"Content-Length : 3") + b"abc", 400),
    ("two codings", post(CHUNKED, b"Transfer-Encoding: x") + ENDED, 400),
    ("the same coding twice", post(CHUNKED, CHUNKED) + ENDED, 400),
    ("an unknown coding", post(b"Transfer-Encoding: xchunked") + ENDED, 501),
    ("a coding after chunked", post(b"Transfer-Encoding: chunked, identity")
     + ENDED, 501),
    ("a coding with a tab before it",
     post(b"Transfer-Encoding:\x0bchunked") + ENDED, 400),
    ("a coding in HTTP/1.0", post(CHUNKED, version=b"HTTP/1.0") + ENDED, 400),
    ("bare line feeds", post(b"Content-Length: 0", end=b"\n"), 400),
    ("a bare line feed in a value", post(b"X-A: b\nContent-Length: 3"), 400),
    ("a bare carriage return", post(b"X-A: b\rContent-Length: 3"), 400),
    ("a NUL in a value", post(b"X-A: b\0c"), 400),
    ("a folded line", post(b"X-A: b", b" c"), 400),
    ("a folded length", post(b"Content-Length:", b" 3") + b"abc", 400),
    ("a field without a name", post(b": b"), 400),
    ("a field without a colon", post(b"X-A"), 400),
    ("a line feed after a chunk's size", post(CHUNKED) + b"3\nabc\r\n" + ENDED,
     400),
    ("a line feed after a chunk", post(CHUNKED) + b"3\r\nabc\n" + ENDED, 400),
    ("a chunk's size in C's form", post(CHUNKED) + b"0x3\r\nabc\r\n" + ENDED,
     400),
    ("a chunk's size below 0", post(CHUNKED) + b"-1\r\nabc\r\n" + ENDED, 400),
    ("a chunk's size over 64 bits",
     post(CHUNKED) + b"10000000000000003\r\nabc\r\n" + ENDED, 400),
    ("a chunk that is longer than its size",
     post(CHUNKED) + b"2\r\nabc\r\n" + ENDED, 400),
    ("no host", post(b"Content-Length: 0", host=b""), 400),
    ("two hosts", post(b"Content-Length: 0", host=HOST + HOST), 400),
    ("a host with a path", post(b"Content-Length: 0",
                                host=b"Host: a/b\r\n"), 400),
    ("a control character in the target",
     post(b"Content-Length: 0", target=b"/v1/\x01x"), 400),
    ("a blank in the target", post(b"Content-Length: 0", target=b"/v1/ x"),
     400),
    ("another version", post(b"Content-Length: 0", version=b"HTTP/2.0"), 505),
    ("a version in lower case", post(b"Content-Length: 0",
                                     version=b"http/1.1"), 400),
]


def paths(server, count):
    """What was taken for a request: the mock's log has the path, that of the
    gateway its route."""
    return [line.get("path") or line["route"] for line in server.logged(count)]


# The servers: each is opened with a script.
SERVERS = {"mock": Mock, "gateway": Gateway}


def matrix():
    for kind, open_server in SERVERS.items():
        with open_server({"replies": [{"text": "yes"}]}) as server:
            refuses(kind, server)


def refuses(kind, server):
    for name, sent, status in MATRIX:
        name = f"{kind}: {name}"
        response = Response(server.send(sent + HIDDEN))
        same(f"{name}: refused", response.status, status)
        check(f"{name}: one answer, which says why",
              response.raw.count(b"HTTP/1.1 %d " % status) == 1
              and response.json()["error"]["message"], response)
        same(f"{name}: the connection ends",
             (response.header("connection"), response.end != "silence"),
             ("close", True))
    # The last is the only one that the service saw.
    Response(server.send(b"GET /v1/models HTTP/1.1\r\n" + HOST
                         + b"Connection: close\r\n\r\n"))
    same(f"{kind}: nothing else was taken for a request", paths(server, 1),
         ["/v1/models"])


def pipelined():
    """What is right is answered one after the other, in any cut."""
    one = post(b"Content-Length: %d" % len(BODY)) + BODY
    two = (post(CHUNKED) + b"%x;a=b\r\n" % 10 + BODY[:10] + b"\r\n%X\r\n"
           % (len(BODY) - 10) + BODY[10:] + b"\r\n0\r\nX-Trailer: y\r\n\r\n")
    last = post(b"Content-Length: %d" % len(BODY), b"Connection: close") + BODY
    every = one + b"\r\n" + two + one + last
    for kind, open_server in SERVERS.items():
        with open_server({"replies": [{"text": "yes", "repeat": True}]}
                         ) as server:
            for cut in (1, 7, 100, len(every)):
                link = server.dial()
                for at in range(0, len(every), cut):
                    link.sendall(every[at:at + cut])
                response = Response(link)
                same(f"{kind}: four requests in pieces of {cut} bytes: four "
                     "answers", (response.raw.count(b"HTTP/1.1 200 OK\r\n"),
                                 response.end), (4, "close"))
            same(f"{kind}: each was seen as it is", paths(server, 16),
                 [PATH.decode()] * 16)


def bodies():
    """A client that asks first is told to go on; one that says too much is
    told so, and can read it."""
    with Mock({"replies": [{"text": "yes"}],
               "request_bytes_max": 1000}) as mock:
        link = mock.send(post(b"Content-Length: %d" % len(BODY),
                              b"Expect: 100-continue", b"Connection: close"))
        same("a client that waits is told to go on", link.recv(100),
             b"HTTP/1.1 100 Continue\r\n\r\n")
        link.sendall(BODY)
        same("and answered", Response(link).status, 200)
        same("one whose body would be too large is told at once",
             Response(mock.send(post(b"Content-Length: 1001",
                                     b"Expect: 100-continue"))).status, 413)
        link = mock.send(post(b"Content-Length: 300000") + b"x" * 100000)
        response = Response(link)
        same("a body that is too large is refused while it comes, and the "
             "refusal arrives", (response.status, response.end),
             (413, "close"))
        link = mock.send(post(CHUNKED) + b"400\r\n" + b"x" * 1024 + b"\r\n")
        same("a chunked one too", Response(link).status, 413)
        same("a head that does not end", Response(mock.send(
            b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"y" * 40000)).status, 431)
        same("a target that does not", Response(mock.send(
            b"GET /" + b"y" * 40000)).status, 414)


def crowd():
    """Clients that only connect do not keep others from being answered."""
    with Mock({"replies": [{"text": "yes"}]}) as mock:
        idle = [mock.dial() for _ in range(300)]
        begun = [mock.send(b"POST /v1") for _ in range(300)]
        same("600 idle connections do not matter", mock.call().status, 200)
        for link in idle + begun:
            link.close()


run_tests(matrix, pipelined, bodies, crowd)

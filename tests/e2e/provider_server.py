# SPDX-License-Identifier: Apache-2.0
"""A provider that misbehaves below HTTP: plain sockets that send what a test
wrote, byte for byte, and break off as it says. What a well-behaved server can
get wrong is `surety mock`'s matter; this is for the rest.

    with Provider(step, step, ...) as provider:
        ... provider.url ...
    provider.requests    # what was asked, as (head, body) of bytes

Each connection is answered by the next step, the last one again and again. A
step is a function of (socket, head, body), or bytes to send before the
connection is closed in good order."""

import contextlib
import json
import socket
import struct
import threading
import time

PATIENCE = 200  # seconds that a step may take; a test gives up before


def reset(connection):
    """Closes with RST instead of FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                          struct.pack("ii", 1, 0))
    connection.close()


def head(status=200, length=None, kind="application/json", more=()):
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Type: {kind}", *more]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def answer(body, status=200, kind="application/json", more=()):
    """A whole response."""
    if not isinstance(body, (bytes, str)):
        body = json.dumps(body)
    if isinstance(body, str):
        body = body.encode()
    return head(status, len(body), kind, (*more, "Connection: close")) + body


def reply(text, finish="stop", **more):
    """A Chat Completions response that says text."""
    return answer({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1790000000,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": finish,
                     "message": {"role": "assistant", "content": text,
                                 **more}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5,
                  "total_tokens": 15}})


def chunk(**delta):
    finish = delta.pop("finish", None)
    return "data: " + json.dumps({
        "id": "chatcmpl-1", "object": "chat.completion.chunk",
        "created": 1790000000, "model": "m",
        "choices": [{"index": 0, "delta": delta,
                     "finish_reason": finish}]}) + "\n\n"


def stream(*pieces, end="data: [DONE]\n\n", finish="stop"):
    """The body of a streamed Chat Completions response."""
    text = "".join(chunk(content=piece) for piece in pieces)
    if finish:
        text += chunk(finish=finish)
    return (text + end).encode()


def streamed(body):
    """body as a response that ends with its connection."""
    return head(kind="text/event-stream", more=("Connection: close",)) + body


def pause(before, seconds=PATIENCE, after=b""):
    """Sends `before`, then nothing for a while, then `after`."""
    def step(connection, _head, _body):
        connection.sendall(before)
        wait_gone(connection, seconds)
        connection.sendall(after)
    return step


def broken(before):
    """Sends `before`, then resets the connection."""
    def step(connection, _head, _body):
        connection.sendall(before)
        time.sleep(0.05)
        reset(connection)
    return step


def endless(before, piece, seconds=0.01):
    """Sends `before`, then `piece` for ever."""
    def step(connection, _head, _body):
        connection.sendall(before)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            connection.sendall(piece)
            time.sleep(seconds)
    return step


def wait_gone(connection, seconds):
    """Waits until the other side has closed, or the time is over."""
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except OSError:
        pass


class Provider:
    def __init__(self, *steps):
        self.steps = steps
        self.requests = []
        self.connections = 0
        self._stop = False
        self._listener = socket.socket()
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(64)
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    def __enter__(self):
        self._threads[0].start()
        return self

    def __exit__(self, *_):
        # A thread that waits at a closed file takes the connections of the
        # next one with its number, which may be another provider's.
        self._stop = True
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), 5).close()
        self._threads[0].join()
        self._listener.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            if self._stop:
                connection.close()
                return
            step = self.steps[min(self.connections, len(self.steps) - 1)]
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection, step),
                             daemon=True).start()

    def _serve(self, connection, step):
        try:
            connection.settimeout(PATIENCE)
            asked = self._read(connection)
            if asked is None:
                return
            self.requests.append(asked)
            if isinstance(step, bytes):
                connection.sendall(step)
            else:
                step(connection, *asked)
            connection.shutdown(socket.SHUT_WR)
            wait_gone(connection, 5)
        except OSError:
            pass  # the other side left first, which is what many tests want
        finally:
            connection.close()

    @staticmethod
    def _read(connection):
        """One request with a Content-Length, as (head, body)."""
        read = b""
        while b"\r\n\r\n" not in read:
            some = connection.recv(65536)
            if not some:
                return None
            read += some
        top, _, body = read.partition(b"\r\n\r\n")
        length = 0
        for line in top.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        while len(body) < length:
            some = connection.recv(65536)
            if not some:
                return None
            body += some
        return top, body

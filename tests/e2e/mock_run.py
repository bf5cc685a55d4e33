# SPDX-License-Identifier: Apache-2.0
"""How tests run `surety mock` and talk to it: bytes on a socket."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import time

from cli_run import ENV, FOLDER, SURETY

CALLS = {
    "openai": ("/v1/chat/completions",
               {"model": "m", "messages": [{"role": "user",
                                            "content": "hey"}]}),
    "responses": ("/v1/responses", {"model": "m", "input": "hey"}),
    "anthropic": ("/v1/messages",
                  {"model": "m", "max_tokens": 9,
                   "messages": [{"role": "user", "content": "hey"}]}),
    "gemini": ("/v1beta/models/m:generateContent",
               {"contents": [{"role": "user", "parts": [{"text": "hey"}]}]}),
}


WAIT = 100  # seconds; what takes longer hangs


class Mock:
    """A mock server; as a context manager it is ended at its end."""

    def __init__(self, script, *arguments):
        self.log = tempfile.mktemp(dir=FOLDER, suffix=".jsonl")
        self.errors = tempfile.TemporaryFile(dir=FOLDER)
        name = tempfile.mktemp(dir=FOLDER, suffix=".json")
        with open(name, "w", encoding="utf-8") as file:
            file.write(script if isinstance(script, str)
                       else json.dumps(script))
        self.process = subprocess.Popen(
            [SURETY, "mock", "--script", name, "--log", self.log, "--for",
             "900", *arguments], cwd=FOLDER, env=ENV, stdout=subprocess.PIPE,
            stderr=self.errors)
        self.line = self.process.stdout.readline().decode()
        self.port = int(self.line.rsplit(":", 1)[1]) if self.line else 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        code = self.end()
        if code:
            raise RuntimeError(f"ended with {code}: {self.heard()}")

    def end(self, how=signal.SIGTERM):
        """Ends it; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(timeout=WAIT)

    def heard(self):
        """What it wrote to standard error."""
        # Its own place in the file stays where it is.
        return os.pread(self.errors.fileno(), 1 << 26, 0).decode()

    def logged(self, count=0):
        """The log, waiting until it has so many lines."""
        end = time.monotonic() + WAIT
        while True:
            lines = []
            if os.path.exists(self.log):
                with open(self.log, encoding="utf-8") as file:
                    lines = [json.loads(line) for line in file
                             if line.endswith("\n")]
            if len(lines) >= count or time.monotonic() > end:
                return lines
            time.sleep(0.02)

    def dial(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=WAIT)

    def send(self, data):
        """A connection on which data was sent."""
        link = self.dial()
        link.sendall(data)
        return link

    def call(self, protocol="openai", stream=False, headers=(), **members):
        """The whole response to a call: a Response."""
        return Response(self.send(request(protocol, stream, headers,
                                          **members)))


def read_to(link, part):
    """What comes on a connection, as far as this part at least."""
    came = b""
    while part not in came:
        more = link.recv(1 << 16)
        if not more:
            raise RuntimeError(f"it ends without {part!r}: {came[-999:]!r}")
        came += more
    return came


def refuse(server):
    """Sends a server of one thread bytes that are no request. It refuses them
    without a line in its log, and after all requests that came before."""
    Response(server.send(b"no request\r\n\r\n"))


def request(protocol="openai", stream=False, headers=(), **members):
    """The bytes of a call."""
    path, body = CALLS[protocol]
    body = {**body, **members}
    if protocol == "gemini":
        if stream:
            path = path.replace(":generateContent",
                                ":streamGenerateContent?alt=sse")
        if "model" in body:
            path = path.replace("/m:", f"/{body.pop('model')}:")
    elif stream:
        body["stream"] = True
    lines = [f"POST {path} HTTP/1.1", "Host: localhost",
             "Connection: close", *headers]
    if protocol == "anthropic":
        lines.append("anthropic-version: 2023-06-01")
    text = json.dumps(body).encode()
    lines += [f"Content-Length: {len(text)}", "", ""]
    return "\r\n".join(lines).encode() + text


class Response:
    """What came on a connection until its end, or until seconds passed without
    a byte after the first `least` ones."""

    def __init__(self, link, seconds=WAIT, least=0):
        self.raw, self.end = b"", "close"
        try:
            while True:
                link.settimeout(WAIT if len(self.raw) < least else seconds)
                data = link.recv(1 << 16)
                if not data:
                    break
                self.raw += data
        except socket.timeout:
            self.end = "silence"
        except ConnectionResetError:
            self.end = "reset"
        link.close()
        self.read()

    @classmethod
    def of(cls, raw):
        """The response that came elsewhere, up to its end."""
        response = cls.__new__(cls)
        response.raw, response.end = raw, "close"
        response.read()
        return response

    def read(self):
        head, self.mark, self.body = self.raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split()[1]) if self.mark else 0
        self.headers = [tuple(line.lower().split(": ", 1))
                        for line in lines[1:]]
        self.chunks = None
        if ("transfer-encoding", "chunked") in self.headers:
            self.dechunk()

    def dechunk(self):
        """body: what the chunks hold; chunks: each; None last: no end."""
        rest, self.chunks = self.body, []
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            size = int(size, 16)
            self.chunks.append(rest[:size])
            rest = rest[size + 2:]
        self.whole = bool(self.chunks) and self.chunks[-1] == b""
        self.body = b"".join(self.chunks)

    def header(self, name):
        return dict(self.headers).get(name)

    def json(self):
        return json.loads(self.body)

    def events(self):
        """[(event or None, data)], data parsed where it is JSON."""
        found = []
        for block in self.body.decode().split("\n\n"):
            event, data = None, None
            for line in block.split("\n"):
                if line.startswith("event: "):
                    event = line[7:]
                if line.startswith("data: "):
                    data = line[6:]
            if data is not None:
                try:
                    data = json.loads(data)
                except ValueError:
                    pass
                found.append((event, data))
        return found

    def __repr__(self):
        return f"{self.raw[:3000]!r} then {self.end}"

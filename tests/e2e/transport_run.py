# SPDX-License-Identifier: Apache-2.0
"""What the tests of transports stand on: the probe as a function, and servers
of plain sockets that say exactly the bytes a test wrote."""

import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time

from process import is_read, until

PROBE = sys.argv[1] if len(sys.argv) > 1 else "transport_probe"
PATIENCE = 200  # seconds: longer than a probe may take
# Nothing of the tester's own proxies reaches a test.
ENV = {name: value for name, value in os.environ.items()
       if not name.lower().endswith("_proxy")}


def probe(*args, env=None, timeout=120):
    """The probe's lines: one a exchange, and the last, what it holds."""
    done = subprocess.run([PROBE, *map(str, args)], capture_output=True,
                          env={**ENV, **(env or {})}, timeout=timeout,
                          check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode or done.stderr:
        lines.append({"code": done.returncode,
                      "stderr": done.stderr.decode("utf-8", "replace")})
    return lines


def one(*args, **more):
    """What the only exchange heard."""
    return probe(*args, **more)[0]


def grown(option, ms, *args, holds=lambda heard: heard["sent"]):
    """What the only exchange heard with a limit of so many ms, and the limit. A
    slow machine, which does not come so far in this time, gets more."""
    heard = one(option, ms, *args)
    while not holds(heard) and ms < 60000:
        ms *= 4
        heard = one(option, ms, *args)
    return heard, ms


class Server:
    """Answers each connection by calling serve(connection) in a thread."""

    def __init__(self, serve, context=None):
        self.serve = serve
        self.context = context
        self.count = 0
        self.asked = []
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        scheme = "https" if context else "http"
        self.url = f"{scheme}://127.0.0.1:{self.port}/v1/x"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        # A blocked accept is woken by shutdown, not by close. A thread that
        # comes to its accept after the close takes the connections of the next
        # socket with the number, which is another server's.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.count += 1
            threading.Thread(target=self.handle, args=(connection,),
                             daemon=True).start()

    def handle(self, connection):
        connection.settimeout(PATIENCE)
        try:
            if self.context:
                connection = self.context.wrap_socket(connection,
                                                      server_side=True)
            self.serve(self, connection)
        except (OSError, ValueError, EOFError):
            pass
        finally:
            connection.close()


def read_request(connection):
    """(head, body) of the next request; raises EOFError where none comes."""
    data = b""
    while b"\r\n\r\n" not in data:
        got = connection.recv(65536)
        if not got:
            raise EOFError
        data += got
    head, body = data.split(b"\r\n\r\n", 1)
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        got = connection.recv(1 << 20)
        if not got:
            raise EOFError
        body += got
    return head, body


READ = "read"


def wait_read(connection):
    """Waits until the client has read what was sent."""
    port = connection.getpeername()[1]
    until(lambda: is_read(port), PATIENCE)


def says(*parts, end="close"):
    """A serve function: reads one request, then sends the parts, waiting where
    a part is a number of seconds, or READ; then closes, resets or holds."""
    def serve(server, connection):
        server.asked.append(read_request(connection))
        for part in parts:
            if isinstance(part, (int, float)):
                threading.Event().wait(part)
            elif part is READ:
                wait_read(connection)
            else:
                connection.sendall(part)
        finish(connection, end)
    return serve


def finish(connection, end):
    if end == "reset":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                              struct.pack("ii", 1, 0))
    elif end == "hold":
        connection.settimeout(PATIENCE)
        while connection.recv(65536):
            pass


def head(*lines, status="200 OK"):
    return ("\r\n".join((f"HTTP/1.1 {status}", *lines)) + "\r\n\r\n").encode()


def whole(body, *lines, status="200 OK"):
    if isinstance(body, str):
        body = body.encode()
    return head(*lines, f"Content-Length: {len(body)}", status=status) + body


def chunked(*pieces):
    """Pieces as chunks, with the last one."""
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece)
                    for piece in (*pieces, b""))


def keeps_alive(answer, after=0):
    """Answers every request of a connection, so many seconds later."""
    def serve(server, connection):
        while True:
            server.asked.append(read_request(connection))
            time.sleep(after)
            connection.sendall(answer)
    return serve


def run_tests(module):
    """Calls each test_... of the module in its order."""
    from tap import finish as finish_tap
    for name, function in list(vars(module).items()):
        if name.startswith("test_"):
            try:
                function()
            except Exception as error:  # told as a failed point
                from tap import check
                check(name, False, f"{type(error).__name__}: {error}")
    finish_tap()


sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

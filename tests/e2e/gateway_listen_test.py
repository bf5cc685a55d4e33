#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where `surety serve` listens, and how it comes and goes:
gateway_listen_test.py [SURETY]. Several places at once, paths, the sockets and
messages of systemd, and an end that loses no request."""

import os
import select
import signal
import socket
import stat
import subprocess
import sys
import tempfile

from cli_run import ENV, FOLDER, SURETY, check, run_tests, same, surety
from gateway_run import Gateway, said
from mock_run import WAIT, Response, request
from process import until

GET = b"GET %s HTTP/1.1\r\nHost: a\r\nConnection: %s\r\n\r\n"
ALWAYS = {"then": "repeat", "replies": [{"text": "ok"}]}


def get(link, path=b"/readyz", connection=b"close"):
    link.sendall(GET % (path, connection))
    return Response(link)


def unix(path):
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(WAIT)
    link.connect(path)
    return link


def places(gateway, count):
    """The places that it prints, of which the first was read."""
    lines = [gateway.line] + [gateway.process.stdout.readline().decode()
                              for _ in range(count - 1)]
    return [line.rstrip("\n").split(" on ")[1] for line in lines]


class Notified:
    """A socket as systemd has it, for what the service says of itself."""

    def __init__(self):
        self.path = tempfile.mktemp(dir=FOLDER, suffix=".notify")
        self.link = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.link.bind(self.path)
        self.link.settimeout(WAIT)

    def next(self):
        return self.link.recv(1000).decode().split("\n")[0]


def test_places():
    """Several places, each answered by every thread."""
    path = os.path.join(tempfile.mkdtemp(dir=FOLDER), "s")
    with Gateway(ALWAYS, "--listen", "[::1]:0", "--listen", f"unix:{path}",
                 "--socket-mode", "660", "--threads", "3") as gateway:
        found = places(gateway, 3)
        check("each place is printed",
              found[0].startswith("http://127.0.0.1:")
              and found[1].startswith("http://[::1]:")
              and found[2] == f"unix:{path}", found)
        same("the mode of the path", stat.S_IMODE(os.stat(path).st_mode), 0o660)
        six = int(found[1].rsplit(":", 1)[1])
        for _ in range(20):
            same("IPv4", gateway.call().status, 200)
            same("IPv6", get(socket.create_connection(("::1", six))).status,
                 200)
            same("a path", get(unix(path)).status, 200)
        run = surety("serve", "--listen", f"unix:{path}", "--config",
                     gateway.config)
        check("a path that is in use is refused", run.code != 0 and path in
              run.err and "in use" in run.err, run)
        gateway.end(signal.SIGKILL)
        check("a process that is killed leaves its path", os.path.exists(path),
              path)
        again = Gateway(ALWAYS, "--listen", f"unix:{path}")
        with again:
            same("the next one takes it over", get(unix(path)).status, 200)
        check("and removes it at its end", not os.path.exists(path), path)
        gateway.process.returncode = 0


def test_refused():
    for name, arguments, part in (
            ("a path that is too long", ("--listen", "unix:/" + "x" * 200),
             "201"),
            ("no path", ("--listen", "unix:"), "1 to 107"),
            ("a path nowhere", ("--listen", "unix:/no/such/folder/s"),
             "/no/such/folder/s"),
            ("a descriptor that does not listen", ("--listen", "fd:0"), "0"),
            ("17 places", ("--listen", "127.0.0.1:0") * 17, "17"),
            ("a mode of letters", ("--socket-mode", "rw"), "rw"),
            ("a mode of no one", ("--socket-mode", "000"), "000"),
            ("a mode of decimals", ("--socket-mode", "680"), "680")):
        run = surety("serve", "--ledger", "none", *arguments)
        check(f"{name}: refused and named", run.code in (2, 4) and
              part in run.err, run)


def test_systemd():
    """Sockets that systemd opened, and what it is told."""
    told = Notified()
    first = socket.create_server(("127.0.0.1", 0))
    path = os.path.join(tempfile.mkdtemp(dir=FOLDER), "s")
    second = socket.socket(socket.AF_UNIX)
    second.bind(path)
    second.listen()
    # The sockets become 3 and 4, and LISTEN_PID is the process itself.
    start = ("import os,sys;"
             "a,b=[os.dup(int(fd)) for fd in sys.argv[1:3]];"
             "os.dup2(os.dup(b),4) if b!=4 else 0;"
             "os.dup2(a,3) if a!=3 else 0;"
             "[os.set_inheritable(fd,True) for fd in (3,4)];"
             "os.environ['LISTEN_PID']=str(os.getpid());"
             "os.execv(sys.argv[3],sys.argv[3:])")
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        config = os.path.join(folder, "surety.json")
        with open(config, "w", encoding="utf-8") as file:
            file.write("{}")
        process = subprocess.Popen(
            [sys.executable, "-c", start, str(first.fileno()),
             str(second.fileno()), SURETY, "serve", "--ledger", "none",
             "--threads", "2", "--config", config],
            env={**ENV, "LISTEN_FDS": "2", "NOTIFY_SOCKET": told.path},
            pass_fds=(first.fileno(), second.fileno()), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        same("systemd is told when it serves", told.next(), "READY=1")
        same("it listens on what it was given",
             [process.stdout.readline() for _ in range(2)],
             [b"surety serve: listening on fd:3\n",
              b"surety serve: listening on fd:4\n"])
        address = first.getsockname()
        same("the first socket", get(socket.create_connection(address)).status,
             200)
        same("the second one", get(unix(path)).status, 200)
        process.send_signal(signal.SIGHUP)
        same("of a reload", [told.next(), told.next()],
             ["RELOADING=1", "READY=1"])
        process.send_signal(signal.SIGTERM)
        same("of its end", told.next(), "STOPPING=1")
        same("it ends", process.wait(timeout=WAIT), 0)
    # The sockets are systemd's: clients wait for the next process.
    check("the path stays", os.path.exists(path), path)
    waiting = socket.create_connection(address)
    check("and who comes in between waits", waiting.fileno() >= 0, waiting)
    for link in (first, second, waiting):
        link.close()


def test_leaves():
    """While it leaves it serves, says that it is not ready, and ends its
    connections; what is under way when it stops accepting gets its answer."""
    held = {"when": {"model": "held"}, "text": "late", "delay_ms": 1500,
            "repeat": True}
    with Gateway({"replies": [held, {"text": "now", "repeat": True}]},
                 "--notice", "600") as gateway:
        kept = gateway.dial()
        kept.sendall(GET % (b"/readyz", b"keep-alive"))
        first = kept.recv(1000)
        check("ready", first.startswith(b"HTTP/1.1 200 "), first)
        gateway.process.send_signal(signal.SIGTERM)
        until(lambda: get(gateway.dial()).status != 200, WAIT)
        same("then /readyz answers 503", get(gateway.dial()).status, 503)
        # An interrupted wait goes on: the notice is not over.
        gateway.process.send_signal(signal.SIGSTOP)
        gateway.process.send_signal(signal.SIGCONT)
        same("it still serves", said("openai", gateway.call()), "now")
        response = get(kept, b"/healthz", b"keep-alive")
        same("an open connection ends with its next answer",
             (response.status, response.header("connection"), response.end),
             (200, "close", "close"))
        same("a second signal ends it", gateway.end(), 0)
    with Gateway({"replies": [held]}) as gateway:
        late = gateway.send(request(model="held"))
        half = request(model="held")
        part = gateway.send(half[:100])
        idle = gateway.dial()
        idle.sendall(GET % (b"/healthz", b"keep-alive"))
        check("a client between two requests", idle.recv(1000), idle)
        gateway.process.send_signal(signal.SIGTERM)
        check("is hung up on", idle.recv(1000) == b"", idle)
        part.sendall(half[100:])
        same("a request under way is answered", said("openai", Response(late)),
             "late")
        same("and one whose body still came", said("openai", Response(part)),
             "late")
        same("then it ends", gateway.process.wait(timeout=WAIT), 0)


def ready(links):
    """The connections that have an answer, when there is one at least."""
    found = select.select(links, [], [], WAIT)[0]
    if not found:
        raise RuntimeError("no connection gets an answer")
    return found


def test_law_limits():
    """A limit is the whole gateway's, however many threads it has: never more
    are under way or open, and where one ends another one is taken."""
    held = {"when": {"model": "held"}, "text": "late", "delay_ms": 600000,
            "repeat": True}
    with Gateway({"replies": [held, {"text": "now", "repeat": True}]},
                 "--threads", "4", "--max-requests", "3") as gateway:
        links = [gateway.send(request(model="held")) for _ in range(12)]
        waiting, statuses = set(links), []
        while len(waiting) > 3:
            for link in ready(waiting):
                statuses.append(Response(link).status)
                waiting.discard(link)
        same("all but as many as may be are refused", statuses, [503] * 9)
        same("a probe is answered", get(gateway.dial(), b"/healthz").status,
             200)
        waiting.pop().close()
        check("where one ends another one is taken",
              until(lambda: gateway.call().status == 200, WAIT))
        for link in waiting:
            link.close()
    with Gateway(ALWAYS, "--threads", "4", "--max-connections",
                 "3") as gateway:
        links = [gateway.send(GET % (b"/healthz", b"keep-alive"))
                 for _ in range(12)]
        waiting, taken, most = set(links), [], 0
        while waiting:
            for link in ready(waiting):
                check("is answered", link.recv(1000).startswith(
                    b"HTTP/1.1 200 "), link)
                waiting.discard(link)
                taken.append(link)
            most = max(most, len(taken))
            if len(taken) >= 3:
                taken.pop().close()
        same("at most so many are open", most, 3)
        for link in taken:
            link.close()


run_tests(test_places, test_refused, test_systemd, test_leaves,
          test_law_limits)

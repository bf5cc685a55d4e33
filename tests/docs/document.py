# SPDX-License-Identifier: Apache-2.0
"""A document that its reader follows at a terminal: what it shows is executed,
and what comes out must be what it shows. It needs no network, no key and no
particular machine. Blocks are told by the line of their fence:

    ```json file=a.json      the text is written to the file a.json
    ```console               commands behind "$ ", each with what it prints
    ```console terminal=2    the same in a second terminal, where the command
                             goes on running: a server
    ```console needs=NAME    passed over where the caller has not NAME; of
                             files too
    ```console stream=yes    its output comes in steps, of which a slow machine
                             may miss some: never the last

All other blocks are only shown. A command goes on in the next line where its
line ends with a backslash or a quote is open, as in a shell; that line begins
with "> ". A line "..." of an output stands for any lines. A page is followed in
an empty folder by one shell, so variables and files stay. The output is that of
a pipe: no colour, and values on one line.

Times, dates, rates, versions, identifiers of runs and what had come when a
stream was stopped differ, and count as equal; any free port takes the place of
8080."""

import os
import re
import select
import signal
import socket
import subprocess
import time

FENCE = re.compile(r"( {0,3})(`{3,})(\w*)(.*)")
WAIT = 120  # seconds; a command that takes longer hangs
PORT = "8080"
VARY = (
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "ID"),
    (re.compile(r"\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?"),
     "DATE"),
    (re.compile(r"\b\d+(\.\d+)? (ms|s|MB/s)(?!\w)"), "TIME"),
    (re.compile(r"\b\d+/s\b"), "RATE"),
    (re.compile(r"\bsurety/\d+\.\d+\.\d+\b"), "surety/VERSION"),
    (re.compile(r"\bstopped after \d+ bytes\b"), "stopped after COUNT"),
)


class Point:
    """A command of a document, what is shown below it, and what it printed:
    None where it was passed over."""

    def __init__(self, line, command, shown, got, is_stream):
        self.line, self.command = line, command
        self.shown, self.got = shown, got
        self.holds = got is not None and alike(shown, got, is_stream)


class Block:
    """A fenced block: its first word, its attributes, its text."""

    def __init__(self, line, kind, words):
        self.line, self.kind, self.text = line, kind, ""
        self.attributes = dict(re.findall(r"(\w+)=(\S+)", words))

    def commands(self):
        """(line, command, what it prints) of each."""
        found = []
        for number, line in enumerate(self.text.splitlines(), self.line + 1):
            if line.startswith("$ "):
                found.append([number, line[2:], ""])
            elif found and line.startswith("> ") and not found[-1][2]:
                found[-1][1] += "\n" + line[2:]
            elif found:
                found[-1][2] += line + "\n"
            else:
                raise ValueError(f"line {number}: no command comes before it")
        return found


def blocks(text):
    """The fenced blocks of a document, in their order."""
    block = fence = None
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.fullmatch(line)
        if block is None and match:
            fence = match
            block = Block(number, match[3], match[4])
        elif block is not None and match and not match[3] + match[4] and \
                len(match[2]) >= len(fence[2]):
            yield block
            block = None
        elif block is not None:
            block.text += line.removeprefix(fence[1]) + "\n"
    if block is not None:
        raise ValueError(f"line {block.line}: the block has no end")


def steady(text):
    """An output without what differs each time, and without what cannot be
    seen, a CR before a line end. A column is as wide as the times in it, so the
    blanks between columns count as two; lines that show a reply have a bar and
    keep theirs."""
    text = text.replace("\r\n", "\n")
    for pattern, name in VARY:
        text = pattern.sub(name, text)
    return "".join(line if " | " in line else re.sub(r"(?<=\S)  +", "  ", line)
                   for line in text.splitlines(True))


def alike(shown, got, is_stream=False):
    """Whether an output is what a document shows."""
    shown, got = steady(shown), steady(got)
    if is_stream:
        left = iter(shown.splitlines())
        return shown.splitlines()[-1:] == got.splitlines()[-1:] and \
            all(line in left for line in got.splitlines())
    wanted = "".join(r"(.*\n)*?" if line == "..." else re.escape(line) + "\n"
                     for line in shown.splitlines())
    return re.fullmatch(wanted, got + ("\n" if got and got[-1] != "\n"
                                       else "")) is not None


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


class Reader:
    """Follows a document in a folder. env: all of the environment."""

    def __init__(self, folder, env, shell="sh"):
        self.folder, self.env, self.port = folder, env, free_port()
        self.count = 0
        os.makedirs(os.path.join(folder, ".shown"), exist_ok=True)
        self.shell = subprocess.Popen(
            [shell], cwd=folder, env=env, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True)
        self.others = {}  # terminal to the process in it

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shell.stdin.close()
        for process in (*self.others.values(), self.shell):
            end(process)

    def write(self, block):
        path = os.path.join(self.folder, block.attributes["file"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._ours(block.text))
        if block.text.startswith("#!"):
            os.chmod(path, 0o755)

    def type(self, command):
        """Types it into the first terminal; what it prints, once it ends."""
        script, out = self._script(command)
        self.shell.stdin.write(
            f". {script} >{out} 2>&1 </dev/null; set -- $?; echo; "
            f"(exit $1)\n".encode())
        self.shell.stdin.flush()
        if not select.select([self.shell.stdout], [], [], WAIT)[0] or \
                not os.read(self.shell.stdout.fileno(), 1):
            return self._read(out) + "(it does not end)\n"
        return self._read(out)

    def start(self, terminal, command, shown):
        """Starts it in another terminal, where it goes on running; what it has
        printed when it is what is shown, or after a while. What ran there
        before is ended."""
        if terminal in self.others:
            end(self.others[terminal])
        script, out = self._script("exec " + command)
        with open(os.path.join(self.folder, out), "wb") as file:
            self.others[terminal] = subprocess.Popen(
                ["sh", script], cwd=self.folder, env=self.env, stdout=file,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                start_new_session=True)
        limit = time.monotonic() + WAIT
        while not alike(shown, self._read(out)) and \
                self.others[terminal].poll() is None and \
                time.monotonic() < limit:
            time.sleep(0.01)
        return self._read(out)

    def _ours(self, text):
        return re.sub(rf"\b{PORT}\b", self.port, text)

    def _script(self, command):
        self.count += 1
        name = f"./.shown/{self.count}"
        with open(os.path.join(self.folder, name), "w",
                  encoding="utf-8") as file:
            file.write(self._ours(command) + "\n")
        return name, name + ".out"

    def _read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            text = file.read().decode(errors="replace")
        return re.sub(rf"\b{self.port}\b", PORT, text)


def end(process):
    """Ends a process and what it started."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
    except ProcessLookupError:
        pass
    process.wait(timeout=WAIT)


def follow(text, reader, has=(), only=None):
    """Follows a document: for each command a Point. has: what its blocks may
    need. only: the blocks that need this, and the files that need nothing."""
    for block in blocks(text):
        needs, terminal = (block.attributes.get(name) for name in
                           ("needs", "terminal"))
        if "file" in block.attributes:
            if not needs or needs in has:
                reader.write(block)
        elif block.kind == "console" and (not only or needs == only):
            for line, command, shown in block.commands():
                if needs and needs not in has:
                    got = None
                elif terminal:
                    got = reader.start(terminal, command, shown)
                else:
                    got = reader.type(command)
                yield Point(line, command, shown, got,
                            "stream" in block.attributes)

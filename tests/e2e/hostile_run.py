# SPDX-License-Identifier: Apache-2.0
"""How the hostile tests run the tool: each run has a hard time, a bounded
address space and a small stack, and whatever it says must be fit for a
terminal. Under a sanitizer, which needs memory and stack of its own, only the
time remains, and is longer."""

import os
import resource
import signal
import subprocess

from cli_run import ENV, FOLDER, SURETY, check, skip, write  # noqa: F401
from process import is_running  # noqa: F401

with open(SURETY, "rb") as tool:
    CODE = tool.read()
SANITIZED = b"__asan_init" in CODE or b"__ubsan_handle" in CODE

SECONDS = 100  # a run that takes longer hangs
MEMORY = 1 << 30
STACK = 128 << 10
TIMED_OUT = "timed out"


def confine(memory=MEMORY, stack=STACK):
    """What a child is held to; called in the child."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
    return limit


class Run:
    """What a run gave: code (or TIMED_OUT), out and err as bytes."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return (f"code {self.code}\nout {self.out[:600]!r}\n"
                f"err {self.err[:1500]!r}")


def hostile(*arguments, stdin=b"", memory=MEMORY, stack=STACK,
            stdout=subprocess.PIPE, env=None, seconds=SECONDS):
    """Runs the tool in FOLDER under the limits above."""
    if isinstance(stdin, str):
        stdin = stdin.encode()
    run = subprocess.Popen([SURETY, *arguments], stdin=subprocess.PIPE,
                           stdout=stdout, stderr=subprocess.PIPE, cwd=FOLDER,
                           env=ENV | (env or {}),
                           preexec_fn=confine(memory, stack))
    try:
        out, err = run.communicate(stdin, timeout=seconds)
        return Run(run.returncode, out or b"", err)
    except subprocess.TimeoutExpired:
        run.kill()
        out, err = run.communicate()
        return Run(TIMED_OUT, out or b"", err)


def is_clean(text):
    """Whether a terminal may be shown it: UTF-8 without control characters but
    line ends."""
    try:
        shown = text.decode()
    except UnicodeDecodeError:
        return False
    return not any((ord(char) < 32 and char != "\n")
                   or 0x7F <= ord(char) < 0xA0 for char in shown)


def ends(name, run, code, *parts, out=None):
    """The exit code, parts of what stands on standard error, all of standard
    output where given, and that both are fit to be shown."""
    err = run.err.decode(errors="replace")
    check(name, run.code == code and all(part in err for part in parts)
          and (out is None or run.out == out) and is_clean(run.err)
          and b"Sanitizer" not in run.err and b"runtime error" not in run.err,
          f"want {code} {parts!r} {(out or b'')[:200]!r}\n{run!r}")


def children_of(pid):
    """The processes whose parent is pid."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="latin-1") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(entry))
    return found


def started(*arguments, **more):
    """Starts the tool and leaves it running."""
    return subprocess.Popen([SURETY, *arguments], cwd=FOLDER, env=ENV, **more)


def end(run):
    """Ends a process that was started, if it still runs."""
    if run.poll() is None:
        run.send_signal(signal.SIGKILL)
    run.wait()


def judged(reply, *options, contract="any.json"):
    """Checks the bytes of one reply."""
    return hostile("check", "-c", contract, *options, stdin=reply)


def validated(schema, instance, *options):
    """Validates an instance; both are JSON text or a value."""
    write("hostile.schema.json", schema)
    write("hostile.json", instance)
    return hostile("validate", *options, "hostile.schema.json", "hostile.json")

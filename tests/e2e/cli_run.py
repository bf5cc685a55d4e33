# SPDX-License-Identifier: Apache-2.0
"""How the tests of the command-line tool run it: in a folder of their own with
no contracts but the built-in ones, and what they say of the result. The tool is
the first argument of the test, or $SURETY."""

import json
import os
import pty
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from process import is_drained, until  # noqa: E402
from tap import check, finish, same, skip  # noqa: E402,F401

# A test that a shell starts in the background ignores SIGINT, and so would
# all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

SURETY = os.path.abspath(sys.argv[1] if len(sys.argv) > 1
                         else os.environ["SURETY"])
FOLDER = tempfile.mkdtemp(prefix="surety-cli-")
ENV = {"PATH": os.environ["PATH"], "HOME": FOLDER, "LC_ALL": "C.UTF-8",
       "TERM": "xterm"}
for passed in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if passed in os.environ:
        ENV[passed] = os.environ[passed]
# What fontconfig keeps for the life of the process is no leak of ours.
SUPPRESSIONS = tempfile.NamedTemporaryFile("w", suffix=".lsan")
SUPPRESSIONS.write("leak:libfontconfig\n")
SUPPRESSIONS.flush()
ENV["LSAN_OPTIONS"] = "print_suppressions=0:suppressions=" + SUPPRESSIONS.name

POINT = {"type": "object", "title": "Point", "required": ["x"],
         "properties": {"x": {"type": "integer", "title": "x",
                              "maximum": 10}}}
GOOD = 'Here it is:\n```json\n{"x": 1}\n```\n'
BAD = 'Here it is:\n```json\n{"x": 99}\n```\n'


class Result:
    """What a run of the tool gave."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"code {self.code}\nout {self.out!r}\nerr {self.err!r}"


def surety(*arguments, stdin=b"", env=None, stdout=subprocess.PIPE,
           file_max=None):
    """Runs the tool in FOLDER. file_max: bytes that a file may grow to."""
    def confine():
        if file_max is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_max, file_max))

    if isinstance(stdin, str):
        stdin = stdin.encode()
    run = subprocess.run([SURETY, *arguments], input=stdin, stdout=stdout,
                         stderr=subprocess.PIPE, cwd=FOLDER,
                         env=ENV | (env or {}), timeout=120, check=False,
                         preexec_fn=confine)
    return Result(run.returncode, (run.stdout or b"").decode(errors="replace"),
                  run.stderr.decode(errors="replace"))


def write(name, content):
    path = os.path.join(FOLDER, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if not isinstance(content, (str, bytes)):
        content = json.dumps(content, indent=2)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return name


def gives(name, result, code, out=None, err=()):
    """The exit code, all of stdout where given, and parts of stderr."""
    parts = (err,) if isinstance(err, str) else err
    check(name, result.code == code and (out is None or result.out == out)
          and all(part in result.err for part in parts)
          and "Sanitizer" not in result.err and "runtime error" not in
          result.err,
          f"want {code} {out!r} {parts!r}\n{result!r}")


def complains(name, result, code, *parts):
    """A failure: the code, nothing on stdout, parts of stderr."""
    gives(name, result, code, "", ("error",) + parts)


class NoTerminal(Exception):
    """This machine gives no pseudo-terminals (a chroot without /dev/pts)."""


def on_terminal(*arguments, env=None, stdout=False, typed=None, records=None):
    """Runs with stderr (and stdout; stdin where something is typed) on a
    terminal; the code and what it showed."""
    try:
        leader, follower = pty.openpty()
    except OSError as error:
        raise NoTerminal from error
    stdin = subprocess.DEVNULL
    if typed is not None:
        stdin = follower
    elif records is not None:
        stdin = subprocess.PIPE
    run = subprocess.Popen([SURETY, *arguments], stdin=stdin,
                           stdout=follower if stdout else subprocess.DEVNULL,
                           stderr=follower, cwd=FOLDER,
                           env=ENV | (env or {}))
    os.close(follower)
    shown = b""
    if typed is not None:
        os.write(leader, typed + b"\x04")
    if records is not None:
        for record in records:
            run.stdin.write(record)
            run.stdin.flush()
            until(lambda: is_drained(run.stdin), 120)
            time.sleep(0.15)  # more than between two lines of progress
        run.stdin.close()
    while select.select([leader], [], [], 120)[0]:
        try:
            got = os.read(leader, 65536)
        except OSError:
            break
        if not got:
            break
        shown += got
    os.close(leader)
    return run.wait(timeout=120), shown.decode(errors="replace")


def reports_of(result):
    return [json.loads(line) for line in result.out.splitlines()]


def run_tests(*tests):
    """Runs them all; one that cannot go on has failed, and the rest still
    run."""
    try:
        for test in tests:
            try:
                test()
            except NoTerminal as reason:
                skip(f"{test.__name__}: from here on", reason.__doc__)
            except Exception as error:
                check(f"{test.__name__} runs to its end", False, repr(error))
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    finish()

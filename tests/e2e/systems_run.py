# SPDX-License-Identifier: Apache-2.0
"""How the tests of examples/systems run those programs: in the folder of the
tests, with the configuration that is there, and nothing else of the
user's."""

import json
import os
import subprocess

from cli_run import ENV, FOLDER, SURETY, Result, check, skip

SYSTEMS = os.path.join(os.path.dirname(SURETY), "examples", "systems")
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                        "examples")


def system(name, *arguments, stdin=b"", env=None, folder=FOLDER, **more):
    """Runs one of the systems."""
    if isinstance(stdin, str):
        stdin = stdin.encode()
    run = subprocess.run([os.path.join(SYSTEMS, name), *arguments],
                         input=stdin, capture_output=True, cwd=folder,
                         env=ENV | {"MOCK_KEY": "sk-mock-4f1c9a7be2"}
                         | (env or {}), timeout=120, check=False, **more)
    return Result(run.returncode, run.stdout.decode(errors="replace"),
                  run.stderr.decode(errors="replace"))


def recording(name):
    """The model that plays examples/recordings/NAME.jsonl."""
    path = os.path.join(EXAMPLES, "recordings", name + ".jsonl")
    return "replay:" + os.path.normpath(path)


def given(name):
    """The text of examples/inputs/NAME."""
    with open(os.path.join(EXAMPLES, "inputs", name), encoding="utf-8") as file:
        return file.read()


def script(name):
    """The mock's script examples/scripts/NAME.json, whose comments are lines
    of their own."""
    path = os.path.join(EXAMPLES, "scripts", name + ".json")
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if not line.lstrip().startswith("//")]
    return json.loads("".join(lines))


def is_careful(name, *arguments, stdin=""):
    """Whether a value that cannot be written is an error, and --help no
    question for a model."""
    if not os.path.exists("/dev/full"):
        skip(f"{name}: a full disk", "there is no /dev/full")
        return
    with open("/dev/full", "wb") as full:
        run = subprocess.run([os.path.join(SYSTEMS, name), *arguments],
                             input=stdin.encode(), stdout=full,
                             stderr=subprocess.PIPE, cwd=FOLDER, env=ENV,
                             timeout=120, check=False)
    check(f"{name}: a value that cannot be written is exit code 4",
          run.returncode == 4 and b"standard output" in run.stderr, run)
    run = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh",
                          os.path.join(SYSTEMS, name), *arguments],
                         input=stdin.encode(), stderr=subprocess.PIPE,
                         cwd=FOLDER, env=ENV, timeout=120, check=False)
    check(f"{name}: so is one for which there is no standard output",
          run.returncode == 4 and b"standard output" in run.stderr, run)
    run = system(name, "-m", "exec:echo asked", "--help")
    check(f"{name}: --help asks no model",
          run.code == 2 and "usage:" in run.err and not run.out, run)


def is_small(name, file=None):
    """Whether a system's source keeps the promise of the guide: NAME.c, or a
    file beside it."""
    file = file or name + ".c"
    with open(os.path.join(EXAMPLES, "systems", file), encoding="utf-8") as one:
        lines = len(one.readlines())
    return check(f"{file} has 200 lines at most", lines <= 200, lines)

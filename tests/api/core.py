#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A build without libsurety-run, and what its tool can do:
core.py BUILD SOURCE."""

import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, same  # noqa: E402
from place import run  # noqa: E402

BUILD, SOURCE = sys.argv[1:]
FOLDER = os.path.join(BUILD, "core")
TOOL = os.path.join(FOLDER, "surety")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    made = run("meson", "setup", "--buildtype=plain", "-Drun=disabled",
               FOLDER, SOURCE)
    if check("meson setup -Drun=disabled", made.returncode == 0,
             made.stdout[-3000:] + made.stderr):
        made = run("ninja", "-C", FOLDER, "surety")
        if check("the tool builds", made.returncode == 0, made.stdout[-3000:]):
            schema, reply = (os.path.join(FOLDER, name)
                             for name in ("answer.json", "reply.txt"))
            for path, text in ((schema, '{"type": "integer"}'),
                               (reply, "It is:\n```json\n42\n```\n")):
                with open(path, "w", encoding="ascii") as file:
                    file.write(text)
            made = run(TOOL, "check", "-c", schema, reply)
            same("it checks a reply", (made.returncode, made.stdout),
                 (0, "42\n"))
            made = run(TOOL, "run", "-c", schema)
            same("it calls no models", (made.returncode, made.stdout), (2, ""))
            check("and says so", 'no command "run"' in made.stderr,
                  made.stderr)
    shutil.rmtree(FOLDER, ignore_errors=True)
    finish()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The project as a subproject of somebody else's Meson build, with its
libraries and types: subproject.py BUILD SOURCE [RUN]."""

import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, same  # noqa: E402
from place import code_of, run  # noqa: E402

BUILD, SOURCE = sys.argv[1:3]
WITH_RUN = sys.argv[3:] == ["RUN"]
FOLDER = os.path.join(BUILD, "subproject")


def write(name, text):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
        file.write(text)


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(os.path.join(FOLDER, "subprojects"))
    os.symlink(os.path.realpath(SOURCE),
               os.path.join(FOLDER, "subprojects", "surety"))
    text = code_of("library.md", "project('check', 'c')")
    write("check.c", code_of("library.md", "/* check.c:"))
    text += ("types = dependency('surety-contracts', fallback: 'surety')\n"
             "executable('fix', 'fix.c', dependencies: types)\n")
    write("fix.c", code_of("library.md", "/* fix.c:"))
    programs = ["check", "fix"]
    if WITH_RUN:
        text = text.replace("run=disabled", "run=enabled")
        text += ("run = dependency('surety-run', fallback: 'surety')\n"
                 "executable('ask', 'ask.c', dependencies: run)\n")
        write("ask.c", code_of("library.md", "/* ask.c:"))
        programs.append("ask")
    write("meson.build", text)
    # Nobody's installation: only the subproject can be what is found.
    env = {**os.environ, "PKG_CONFIG_PATH": ""}
    made = run("meson", "setup", "--buildtype=plain",
               "--wrap-mode=forcefallback", f"{FOLDER}/build", FOLDER,
               env=env)
    if check("meson setup of a project with subprojects/surety",
             made.returncode == 0, made.stdout[-3000:] + made.stderr):
        made = run("ninja", "-C", f"{FOLDER}/build", *programs)
        if check("its programs build", made.returncode == 0,
                 made.stdout[-3000:]):
            for name in programs:
                same(f"{name} runs", run(
                    f"{FOLDER}/build/{name}",
                    "exec:echo '{\"answer\": 42}'").stdout,
                    "All tests pass.\n" if name == "fix" else "42\n")
    shutil.rmtree(FOLDER)
    finish()


main()

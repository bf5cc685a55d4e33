#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual pages: groff and mandoc read them without a word, every function
that is exported has one, and they say what the headers do: manuals.py FOLDER
SYMBOLS..."""

import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, same, skip  # noqa: E402

FOLDER = sys.argv[1]
ENV = {**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"}
# Pages have no date: they are the same whenever they are built.
HARMLESS = ("missing date",)


def said_by(command, path):
    run = subprocess.run([*command, path], capture_output=True, env=ENV,
                         stdin=subprocess.DEVNULL, check=False, timeout=60)
    text = run.stderr if command[0] == "man" else run.stdout + run.stderr
    return [f"{os.path.basename(path)}: {line}"
            for line in text.decode(errors="replace").splitlines()
            if not any(words in line for words in HARMLESS)]


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def main():
    pages = sorted(glob.glob(os.path.join(FOLDER, "*.[13]")))
    links = {path for path in pages if read(path).startswith(".so ")}
    whole = [path for path in pages if path not in links]
    check("there are pages of both sections",
          {path[-1] for path in whole} == {"1", "3"}, whole)
    for name, command in (
            ("man --warnings", ["man", "--warnings", "-E", "UTF-8", "-l",
                                "-Tutf8", "-Z"]),
            ("mandoc -T lint", ["mandoc", "-T", "lint", "-W", "warning"])):
        if not shutil.which(command[0]):
            skip(name, f"there is no {command[0]}")
            continue
        faults = [line for path in whole for line in said_by(command, path)]
        check(f"{name}: {len(whole)} pages, not a word", not faults,
              "\n".join(faults[:40]))
    lost = [path for path in links if not os.path.exists(os.path.join(
        FOLDER, os.path.basename(read(path).split()[1])))]
    same("every link leads to a page", lost, [])
    symbols = {name for path in sys.argv[2:] for name in read(path).split()}
    same("every exported function has a page",
         sorted(symbols - {os.path.basename(path)[:-2] for path in pages}),
         [])
    texts = {os.path.basename(path): read(path) for path in whole}
    references = re.compile(r"^(?:\\fB([\w-]+)\\fR|\.BR (surety[\w\\-]*) )"
                            r"\(([13])\)", re.MULTILINE)
    same("every page that one refers to is there", sorted({
        f"{(a or b)}.{section}".replace("\\", "") for text in texts.values()
        for a, b, section in references.findall(text)} - set(texts)), [])
    same("each header's page is told in that of its library", sorted(
        name for name in texts if re.match(r"surety_\w+\.3", name)
        and not any(f"\\fB{name[:-2]}\\fR(3)\n" in texts.get(all, "")
                    for all in ("surety.3", "surety-run.3", "surety-render.3",
                               "surety-serve.3"))), [])
    same("the items of a list are items",
         texts["surety_vote.3"].count("\n.IP \\(bu 2\n"), 5)
    same("words with what they mean are in a list too",
         re.findall(r"^\.TP 10\n\\fB(\w+)", texts["surety_base.3"], re.M),
         ["frozen", "owned", "none"])
    same("what is for those who change the library is left out",
         [name for name, text in texts.items() if "ORDER" in text], [])
    same("and no page is empty",
         [path for path in pages if not read(path)], [])
    finish()


main()

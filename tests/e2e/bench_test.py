#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bench runs, and its comparison finds what became slower:
bench_test.py BUILD. How fast anything is does not matter here."""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from tap import check, finish, same  # noqa: E402

BENCH = os.path.join(SOURCE, "bench")


def run(program, *arguments):
    return subprocess.run(
        [sys.executable, os.path.join(BENCH, program), *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False)


def main(build, folder):
    old, new = (os.path.join(folder, name) for name in ("old", "new"))
    page = os.path.join(folder, "page.md")
    with open(page, "w", encoding="utf-8") as file:
        file.write("before\n<!-- bench -->\n<!-- end of bench -->\nafter\n")
    done = run("bench.py", build, "--quick", "--rows",
               "parse|extract|call|step", "--sets", "^(rows-200B|small)$",
               "--json", old, "--write", page)
    same("it ends well", done.returncode, 0)
    check("with a row of sets", "\nparse " in done.stdout, done.stdout)
    check("a row of replies", "\nextract and check  small" in done.stdout,
          done.stdout)
    check("and a row of calls", "\nsmall  " in done.stdout, done.stdout)
    check("and a step of a tool", "\na step of a tool, " in done.stdout,
          done.stdout)
    with open(page, encoding="utf-8") as file:
        written = file.read()
    check("which are written into a page",
          written.startswith("before\n<!-- bench -->\n```text\ncommit ") and
          written.endswith("```\n<!-- end of bench -->\nafter\n"), written)
    with open(old, encoding="utf-8") as file:
        figures = json.load(file)
    same("a figure is of a row, a set and a tool",
         [(one["row"], one["unit"]) for one in figures["figures"]
          if one["set"] == "rows-200B" and one["tool"] == "surety"],
         [("parse", "ns")])
    same("a commit is as fast as itself",
         run("compare.py", old, old, "--most", "1.0").returncode, 0)
    for one in figures["figures"]:
        if one["row"] == "parse":
            one["least"] *= 1.1
    with open(new, "w", encoding="utf-8") as file:
        json.dump(figures, file)
    done = run("compare.py", old, new, "--most", "1.05")
    same("a slower row fails", done.returncode, 1)
    check("and is named", "above 1.05: parse\n" in done.stdout, done.stdout)


with tempfile.TemporaryDirectory() as temporary:
    main(sys.argv[1], temporary)
finish()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surety.c and surety.h compile alone, without a warning, and work:
amalgamation.py FOLDER [JQ]. JQ: also with the rules."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, same  # noqa: E402
from compilers import (STANDARDS, WARNINGS, may_link,  # noqa: E402
                       sanitize_flags)
from place import run  # noqa: E402

FOLDER = sys.argv[1]
DEFINES, LINKS = [], []
if sys.argv[2:] == ["JQ"]:
    DEFINES, LINKS = ["-DSURETY_WITH_JQ"], ["-ljq"]

with open(os.path.join(FOLDER, "surety.c"), encoding="utf-8") as source:
    text = source.read()
same("no inner include is left",
     [line for line in text.splitlines() if line.startswith("#include")
      and "surety" in line], ['#include "surety.h"'])
libs = run("pkg-config", "--cflags", "--libs", "libpcre2-8", "libidn2",
           "gmp").stdout.split()


def works(name, program, *arguments):
    """The program links with the object, without a warning, and works."""
    target = os.path.join(FOLDER, f"amalgamation-{program}")
    made = run(program, *WARNINGS, "-I", FOLDER, *arguments, "-o", target,
               *libs, *LINKS, *sanitize_flags())
    check(f"{name}: links", made.returncode == 0, made.stderr[:4000])
    same(f"{name}: and works", made.returncode or run(target).stdout, "42\n")


# gcc warns of more where it optimises; clang does not, and takes ten times as
# long.
for program, level, most in (("gcc", "-O1", "-fmax-errors=9"),
                             ("clang", "-O0", "-ferror-limit=9")):
    if (program, "c", "c17") not in STANDARDS or not may_link(program):
        continue
    made = run(program, "-std=c17", *WARNINGS, level, *DEFINES, most, "-I",
               FOLDER, "-c", f"{FOLDER}/surety.c", "-o", f"{FOLDER}/surety.o",
               *sanitize_flags())
    check(f"{program}: surety.c compiles without a warning",
          made.returncode == 0, made.stderr[:4000])
    works(program, program, "-std=c17", f"{HERE}/outside.c",
          f"{FOLDER}/surety.o")
    # As a program in C++ has it: the object, behind the same one header.
    program = {"gcc": "g++", "clang": "clang++"}[program]
    if (program, "c++", "c++11") in STANDARDS:
        works(program, program, "-std=c++11", "-x", "c++",
              f"{HERE}/outside.c", "-x", "none", f"{FOLDER}/surety.o")
finish()

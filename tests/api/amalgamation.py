#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surety.c and surety.h compile alone, without a warning, and work:
amalgamation.py FOLDER [JQ]. JQ: also with the rules."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, same  # noqa: E402
from compilers import STANDARDS, WARNINGS, sanitize_flags  # noqa: E402

FOLDER = sys.argv[1]
VARIANTS = [([], [])]
if sys.argv[2:] == ["JQ"]:
    VARIANTS = [(["-DSURETY_WITH_JQ"], ["-ljq"])]

with open(os.path.join(FOLDER, "surety.c"), encoding="utf-8") as source:
    text = source.read()
same("no inner include is left",
     [line for line in text.splitlines() if line.startswith("#include")
      and "surety" in line], ['#include "surety.h"'])
libs = subprocess.run(["pkg-config", "--cflags", "--libs", "libpcre2-8",
                       "libidn2", "gmp"], capture_output=True, text=True,
                      check=True).stdout.split()
for program, language, standard in STANDARDS:
    if (language, standard) != ("c", "c17"):
        continue
    if sanitize_flags() and program == "clang":
        continue
    for defines, more in VARIANTS:
        target = os.path.join(FOLDER, f"amalgamation-{program}")
        made = subprocess.run(
            [program, "-std=c17", *WARNINGS, "-O1", *defines,
             "-fmax-errors=9" if program == "gcc" else "-ferror-limit=9",
             "-I", FOLDER,
             f"{FOLDER}/surety.c", f"{HERE}/outside.c", "-o", target, *libs,
             *more, *sanitize_flags()], capture_output=True, text=True,
            check=False, timeout=300)
        name = " ".join([program, *defines])
        check(f"{name}: surety.c compiles without a warning",
              made.returncode == 0, made.stderr[:4000])
        same(f"{name}: and works", made.returncode or subprocess.run(
            [target], capture_output=True, text=True, check=False,
            timeout=60).stdout, "42\n")

# As a program in C++ has it: surety.o, from C, behind the same one header.
made = subprocess.run(
    ["cc", "-O0", "-c", "-I", FOLDER, f"{FOLDER}/surety.c", "-o",
     f"{FOLDER}/surety.o", *VARIANTS[0][0], *sanitize_flags()],
    capture_output=True, text=True, check=False, timeout=300)
made = made if made.returncode else subprocess.run(
    ["c++", "-std=c++11", *WARNINGS, "-I", FOLDER, "-x", "c++",
     f"{HERE}/outside.c", "-x", "none", f"{FOLDER}/surety.o", "-o",
     f"{FOLDER}/amalgamation-cxx", *libs, *VARIANTS[0][1],
     *sanitize_flags()], capture_output=True, text=True, check=False,
    timeout=300)
check("surety.o links into a program in C++", made.returncode == 0,
      made.stderr[:4000])
same("and works", made.returncode or subprocess.run(
    [f"{FOLDER}/amalgamation-cxx"], capture_output=True, text=True,
    check=False, timeout=60).stdout, "42\n")
finish()

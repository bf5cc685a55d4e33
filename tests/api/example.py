#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One example does what it shows: example.py PROGRAM EXPECTED FOLDER. Its
output must be the file EXPECTED; it runs in FOLDER, without input."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import check, finish, same  # noqa: E402

PROGRAM, EXPECTED, FOLDER = map(os.path.abspath, sys.argv[1:])

run = subprocess.run([PROGRAM], cwd=FOLDER, stdin=subprocess.DEVNULL,
                     capture_output=True, check=False, timeout=60)
with open(EXPECTED, "rb") as file:
    same("it prints what it should", run.stdout.decode(errors="replace"),
         file.read().decode())
same("it ends with code 0", run.returncode, 0)
check("it says nothing on stderr", not run.stderr, run.stderr.decode(
    errors="replace"))
finish()

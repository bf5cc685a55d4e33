#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is built is hardened: read from the files themselves, so that a flag
which the compiler or the linker drops is noticed.

    hardening.py FORTIFIED FILE...    FORTIFIED: 1 where the build optimises
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, skip  # noqa: E402


def readelf(*arguments):
    return subprocess.run(["readelf", "--wide", *arguments],
                          capture_output=True, text=True, check=True).stdout


def test(path, fortified):
    name = os.path.basename(path)
    header = readelf("--file-header", path)
    dynamic = readelf("--dynamic", path)
    undefined = {line.split()[-1].split("@")[0] for line in subprocess.run(
        ["nm", "--dynamic", "--undefined-only", path], capture_output=True,
        text=True, check=True).stdout.splitlines()}
    check(f"{name}: its address is chosen at its start",
          re.search(r"Type:\s+DYN", header), header)
    check(f"{name}: relocations are made at its start, then read-only",
          "GNU_RELRO" in readelf("--program-headers", path)
          and re.search(r"\bNOW\b", dynamic), dynamic)
    check(f"{name}: the stack is guarded", "__stack_chk_fail" in undefined,
          sorted(undefined))
    stack = re.search(r"GNU_STACK.*", readelf("--program-headers", path))
    check(f"{name}: the stack holds no code",
          stack and "E" not in stack[0].split()[6], stack and stack[0])
    if fortified:
        check(f"{name}: libc's writes are checked against their target",
              any(symbol.endswith("_chk") for symbol in undefined),
              sorted(undefined))
    else:
        skip(f"{name}: libc's writes", "the build does not optimise")


for file in sys.argv[2:]:
    test(file, sys.argv[1] == "1")
finish()

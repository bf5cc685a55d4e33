#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public struct that begins with its size grows at its end, and stands
in the table of tests/unit/options_core_test.c or options_run_test.c by the name
of its newest member, so that a struct or a member that nobody tries is found.
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, ".."),
                os.path.join(HERE, "..", "..", "tools")]
from abi import IN_ARRAYS, headers  # noqa: E402
from headers import members  # noqa: E402
from tap import check, finish, same  # noqa: E402

UNIT = os.path.join(HERE, "..", "unit")
ROW = re.compile(r"OPTIONS_ROW\(\s*(\w+),\s*(\w+)")


def declared():
    """{struct: its newest member}"""
    found = {}
    for header in headers():
        for group in header.groups:
            for item in group.items:
                if item.kind != "struct":
                    continue
                names = [member.name for member in members(item.source)]
                # The library makes those: their size is its own.
                if names[0] == "size" and not item.name.endswith("_info"):
                    found[item.name] = names[-1]
    return found


def tried():
    rows = []
    for name in ("options_core_test.c", "options_run_test.c"):
        with open(os.path.join(UNIT, name), encoding="utf-8") as file:
            rows += ROW.findall(file.read())
    return rows


STRUCTS, ROWS = declared(), tried()
check(f"{len(STRUCTS)} structs begin with their size", len(STRUCTS) > 15)
for struct, newest in STRUCTS.items():
    rows = [member for name, member in ROWS if name == struct]
    if struct in IN_ARRAYS:
        same(f"{struct} is in arrays, and so does not grow", rows, [])
    else:
        same(f"{struct} is tried without {newest}", rows, [newest])
same("no other struct is", [name for name, _ in ROWS if name not in STRUCTS],
     [])
finish()

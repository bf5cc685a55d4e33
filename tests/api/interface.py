#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of the whole interface in docs/library.md has every public function
once, and no other, and names the header that declares it."""

import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
from abi import headers  # noqa: E402
from tap import check, finish, same  # noqa: E402

PAGE = os.path.join(HERE, "..", "..", "docs", "library.md")


def declared():
    """{function: the header that declares it, without folder and ending}"""
    return {item.name: header.name.split("/")[-1].split(".")[0]
            for header in headers() for group in header.groups
            for item in group.items if item.kind == "function"}


def listed():
    """Rows of (function, the headers that its row names)."""
    with open(PAGE, encoding="utf-8") as file:
        part = file.read().partition("## The whole interface\n")[2]
    rows = []
    for line in part.partition("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 3 or not cells[2].islower():
            continue
        for prefix, endings in re.findall(r"`(surety_\w*)`: ((?:`\w+` ?)+)",
                                          cells[1]):
            rows += [(prefix + one, cells[2].split(", "))
                     for one in re.findall(r"`(\w+)`", endings)]
    return rows


HAVE, ROWS = declared(), listed()
NAMES = [name for name, _ in ROWS]
check("the page has a table", len(NAMES) > 100, len(NAMES))
same("public functions that the table does not have",
     sorted(set(HAVE) - set(NAMES)), [])
same("functions of the table that no header declares",
     sorted(set(NAMES) - set(HAVE)), [])
same("functions that the table has twice",
     sorted({name for name in NAMES if NAMES.count(name) > 1}), [])
same("functions whose row does not name their header",
     [name for name, where in ROWS if HAVE.get(name, "") not in where], [])
finish()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public header stands alone and goes with every other in any order, as
C99, C17 and C++11, under each compiler there is: headers.py INCLUDE-FOLDER."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import check, finish  # noqa: E402
from compilers import STANDARDS, WARNINGS, compile_text  # noqa: E402

INCLUDE = sys.argv[1]
HEADERS = sorted(name for name in os.listdir(INCLUDE)
                 if name.endswith(".h")) + sorted(
    f"surety/{name}" for name in os.listdir(os.path.join(INCLUDE, "surety")))


def text_of(headers):
    return ("".join(f"#include <{name}>\n" for name in headers)
            + "int main(void)\n{\n    return 0;\n}\n")


ORDERS = [[name, name] for name in HEADERS]  # alone, and twice
ORDERS += [HEADERS[i:] + HEADERS[:i] for i in range(len(HEADERS))]
ORDERS += [list(reversed(order)) for order in ORDERS[len(HEADERS):]]

for program, language, standard in STANDARDS:
    flags = [f"-std={standard}", "-fsyntax-only", "-I", INCLUDE, *WARNINGS]
    if language == "c":
        flags += ["-Wstrict-prototypes", "-Wmissing-prototypes"]
    said = []
    for order in ORDERS:
        run = compile_text(program, language, flags, text_of(order))
        if run.returncode:
            said.append(" ".join(order) + "\n" + run.stderr)
    check(f"{program} -std={standard}: {len(HEADERS)} headers alone and in "
          f"{len(ORDERS)} orders", not said, "\n".join(said[:3]))
    # A test that cannot fail is none: a type nobody declared must be found.
    run = compile_text(program, language, flags,
                       text_of(HEADERS) + "surety_nobody *one;\n")
    check(f"{program} -std={standard}: an unknown type is refused",
          run.returncode)
finish()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a library exports is what its list beside this file says, and what the
public headers of its umbrella declare: libsurety.so, surety.h and symbols;
libsurety-run.so, surety-run.h and symbols-run; and so on.

    symbols.py LIBRARY             the test
    symbols.py --write LIBRARY     writes the list anew, for a review, and that
                                   of the Debian package
"""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, same  # noqa: E402

INCLUDE = os.path.join(HERE, "..", "..", "include")
NAME = re.match(r"lib(surety(?:-\w+)?)\.",
                os.path.basename(sys.argv[-1]))[1]
PACKAGED = os.path.join(HERE, "..", "..", "debian", f"lib{NAME}0.symbols")
VERSIONS = set()
LIST = os.path.join(HERE, NAME.replace("surety", "symbols"))


def exported(library):
    run = subprocess.run(["nm", "--dynamic", "--defined-only", library],
                         capture_output=True, text=True, check=True)
    # NAME, or NAME@@VERSION, and the version itself (packaging/surety.map.in).
    names = {line.split()[-1] for line in run.stdout.splitlines()
             if not re.match(r"0* A ", line)}
    VERSIONS.update(name.partition("@@")[2] for name in names)
    names = {name.partition("@@")[0] for name in names}
    # What the toolchain itself puts in (and the sanitizers).
    return sorted(name for name in names if not re.match(
        r"_init$|_fini$|_edata$|_end$|__bss_start$|__asan_|__ubsan_|__odr_",
        name))


def headers():
    """The headers that the library's umbrella is there for."""
    with open(os.path.join(INCLUDE, f"{NAME}.h"), encoding="utf-8") as file:
        return re.findall(r"#include <(surety/\w+\.h)>", file.read())


def declared():
    names = set()
    for header in headers():
        with open(os.path.join(INCLUDE, header), encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.DOTALL)
        names |= set(re.findall(r"\bSURETY_API\b[^;]*?\b(surety_\w+)\s*\(",
                                text))
    return names


def packaged():
    """{symbol: the version that it came with} of the Debian package."""
    if not os.path.exists(PACKAGED):
        return {}
    with open(PACKAGED, encoding="ascii") as file:
        return dict(re.findall(r"^ (\w+)@\w+ (\S+)$", file.read(), re.M))


def write_packaged(names):
    with open(os.path.join(HERE, "..", "..", "meson.build"),
              encoding="utf-8") as file:
        text = file.read()
    version = re.search(r"^  version: '(.*?)'", text, re.M)[1]
    number = re.search(r"^soversion = '(\d+)'", text, re.M)[1]
    known = packaged()
    with open(PACKAGED, "w", encoding="ascii") as file:
        file.write(f"lib{NAME}.so.{number} lib{NAME}{number} #MINVER#\n")
        file.write("* Build-Depends-Package: libsurety-dev\n")
        for name in [f"SURETY_{number}", *names]:
            file.write(f" {name}@SURETY_{number} "
                       f"{known.get(name, version)}\n")


def main():
    found = exported(sys.argv[-1])
    if sys.argv[1] == "--write":
        with open(LIST, "w", encoding="ascii") as file:
            file.write("".join(name + "\n" for name in found))
        write_packaged(found)
        return
    with open(LIST, encoding="ascii") as file:
        listed = file.read().split()
    name = os.path.basename(LIST)
    same(f"exported, but not in tests/api/{name} (make symbols)",
         sorted(set(found) - set(listed)), [])
    same(f"in tests/api/{name}, but not exported",
         sorted(set(listed) - set(found)), [])
    same("the list is sorted", listed, sorted(listed))
    same(f"debian/lib{NAME}0.symbols has the same (make symbols)",
         sorted(name for name in packaged() if name.islower()), listed)
    same("every exported name begins with surety_, and none with surety__",
         [name for name in found if not re.match(r"surety_[a-z]", name)], [])
    same("declared in a public header, but not exported",
         sorted(declared() - set(found)), [])
    same("exported, but not declared in a public header",
         sorted(set(found) - declared()), [])
    if "" not in VERSIONS:  # a linker that knows no versions gives none
        check("and has the one version SURETY_ and the soversion",
              len(VERSIONS) == 1 and re.match(r"SURETY_\d+$", *VERSIONS),
              VERSIONS)
    check("there are any", len(found) > 3, len(found))
    finish()


if __name__ == "__main__":
    main()

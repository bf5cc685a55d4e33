#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one C file and one header of the core: `cc -c surety.c`.

    amalgamate.py --source ROOT --build ROOT --output surety.c surety.h FILE...

FILE... are the core's sources in the order of its layers, generated ones too.
Inner headers are put in once, where they are first included; .def and .inc
files every time, for that is how they work. A program that uses surety.c links
PCRE2, libidn2 and GMP, and libjq and libyaml too where it defines
SURETY_WITH_JQ and SURETY_WITH_YAML.
"""

import argparse
import os
import re
import sys

QUOTED = re.compile(r'\s*#\s*include\s+"([^"]+)"')
PUBLIC = re.compile(r"\s*#\s*include\s+<(surety(?:/\w+)?\.h)>")


class Amalgam:
    def __init__(self, roots):
        self.roots = roots
        self.seen = set()

    def find(self, name, beside):
        """The file that #include NAME means in a file of the folder."""
        for root in [beside, *self.roots]:
            path = os.path.join(root, name)
            if os.path.exists(path):
                return path
        sys.exit(f"amalgamate.py: {name} is nowhere (included in {beside})")

    def inline(self, path, public):
        """The lines of the file with its includes put in."""
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        for line in lines:
            quoted, outside = QUOTED.match(line), PUBLIC.match(line)
            if quoted or (outside and public):
                name = (quoted or outside)[1]
                found = self.find(name, os.path.dirname(path))
                once = os.path.realpath(found)
                if name.endswith(".h") and once in self.seen:
                    continue
                self.seen.add(once)
                yield from self.inline(found, public)
            elif not outside:
                yield line


def made_folders(root):
    """The folders where the build put tables (powers.inc)."""
    return [folder for folder, _, files in os.walk(root)
            if any(name.endswith(".inc") for name in files)]


def write(path, head, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*head, *lines, ""]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--output", nargs=2, required=True)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    made = "/* Made by tools/amalgamate.py from the sources of Surety. */"
    spdx = "/* SPDX-License-Identifier: Apache-2.0 */"

    include = os.path.join(options.source, "include")
    header = Amalgam([include]).inline(
        os.path.join(include, "surety.h"), True)
    write(options.output[1], [spdx, made], header)

    source = Amalgam([os.path.join(options.source, "src"),
                      *made_folders(os.path.join(options.build, "src"))])
    lines = []
    for path in options.files:
        lines += ["", f"/* ---- {os.path.basename(path)} ---- */"]
        lines += source.inline(path, False)
    write(options.output[0],
          [spdx, made, "#ifndef _POSIX_C_SOURCE",
           "#define _POSIX_C_SOURCE 200809L", "#endif",
           "#define SURETY_BUILD", '#include "surety.h"'], lines)


if __name__ == "__main__":
    main()

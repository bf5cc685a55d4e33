#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns files into one C source: their bytes, and a table of them.

    embed.py --table NAME --type TYPE --include HEADER --root FOLDER \\
             [--suffix .json] --output FILE INPUT...

TYPE is a struct that the header declares, whose first members are

    const char *name;   the input's path below FOLDER, without the suffix
    const char *text;   its bytes, and a zero behind them
    size_t len;         the bytes, that zero not counted

and the header declares `extern const TYPE NAME[];` and
`extern const size_t NAME_count;`. Rows are sorted by name, byte by byte. Byte
arrays are written and not string literals because C17 promises no literal
longer than 4,095 characters (5.2.4.1).
"""

import argparse
import os
import sys


def array_of(label, data):
    """The definition of one byte array, 78 columns at most."""
    lines = [f"static const char {label}[] = {{"]
    row = "   "
    for byte in data + b"\0":
        item = f" {byte - 256 if byte > 127 else byte},"
        if len(row) + len(item) > 78:
            lines.append(row)
            row = "   "
        row += item
    lines += [row, "};", ""]
    return lines


def source_of(options, files):
    """The whole C source for (name, bytes) pairs."""
    label = options.table.strip("_") + "_bytes_"
    lines = ["/* Made by tools/embed.py; change its inputs instead. */",
             f'#include "{options.include}"', ""]
    for index, (_, data) in enumerate(files):
        lines += array_of(f"{label}{index}", data)
    lines.append(f"const {options.type} {options.table}[] = {{")
    for index, (name, data) in enumerate(files):
        lines.append(f'    {{"{name}", {label}{index}, {len(data)}}},')
    lines += ["};", f"const size_t {options.table}_count = {len(files)};", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("table", "type", "include", "root", "output"):
        parser.add_argument("--" + option, required=True)
    parser.add_argument("--suffix", default=".json")
    parser.add_argument("inputs", nargs="+")
    options = parser.parse_args()

    files = []
    for path in options.inputs:
        name = os.path.relpath(path, options.root).replace(os.sep, "/")
        if name.endswith(options.suffix):
            name = name[:len(name) - len(options.suffix)]
        if name.startswith("../") or '"' in name or "\\" in name:
            sys.exit(f"embed.py: {path}: not a plain name below "
                     f"{options.root}")
        with open(path, "rb") as file:
            files.append((name, file.read()))
    files.sort(key=lambda item: item[0].encode())
    names = [name for name, _ in files]
    if len(set(names)) != len(names):
        sys.exit("embed.py: two inputs have the same name")
    with open(options.output, "w", encoding="ascii") as out:
        out.write(source_of(options, files))


if __name__ == "__main__":
    main()

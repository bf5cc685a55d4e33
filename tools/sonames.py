#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sonames.inc: by which names the loader finds the libraries that ours
load themselves, and which packages of Debian they are in. Both are read from
programs that were linked with them (packaging/needed.c).

    sonames.py OUTPUT PROGRAM... -- LIBRARY...

LIBRARY is the beginning of a name, such as libcurl: libcurl.so.4 and
libcurl-gnutls.so.4 are both it."""

import re
import struct
import sys

DYNAMIC, LOAD = 2, 1  # kinds of segments (ELF, "Program Header")
NEEDED, STRTAB = 1, 5  # tags of the dynamic section


def needed(path):
    """The shared libraries that an ELF file names."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"\x7fELF":
        sys.exit(f"sonames.py: {path} is no ELF file: set -Ddeferred=false")
    order = "<" if data[5] == 1 else ">"
    wide = data[4] == 2
    word = struct.Struct(order + ("QQ" if wide else "II"))
    header = struct.unpack_from(order + ("QQQIHHH" if wide else "IIIIHHH"),
                                data, 24)
    first, size, count = header[1], header[5], header[6]
    segments = []
    for at in range(first, first + size * count, size):
        if wide:
            kind, _, offset, address, _, length = struct.unpack_from(
                order + "IIQQQQ", data, at)
        else:
            kind, offset, address, _, length = struct.unpack_from(
                order + "IIIII", data, at)
        segments.append((kind, offset, address, length))
    tags = []
    for kind, offset, _, length in segments:
        if kind == DYNAMIC:
            tags = [word.unpack_from(data, at) for at in
                    range(offset, offset + length, word.size)]
    table = dict(tags).get(STRTAB, 0)
    for kind, offset, address, length in segments:
        if kind == LOAD and address <= table < address + length:
            table += offset - address
            break
    for tag, value in tags:
        if tag == NEEDED:
            start = table + value
            yield data[start:data.index(b"\0", start)].decode("ascii")


def package(soname):
    """Debian's name for it (Policy, 8.1)."""
    match = re.match(r"(.*)\.so\.(.*)$", soname)
    if not match:
        return soname
    name, version = match.groups()
    return f"{name}{'-' if name[-1].isdigit() else ''}{version}".lower()


def main():
    end = sys.argv.index("--")
    names = [name for path in sys.argv[2:end] for name in needed(path)]
    lines = ["/* Written by tools/sonames.py. */"]
    for library in sys.argv[end + 1:]:
        found = [name for name in names
                 if re.match(re.escape(library) + r"(?![a-z0-9])", name)]
        if not found:
            sys.exit(f"sonames.py: there is no shared {library} to load: set "
                     "-Ddeferred=false, which links it")
        lines.append(f"#define SURETY__{library.upper()} "
                     f"\"{found[0]}\", \"{package(found[0])}\"")
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


main()

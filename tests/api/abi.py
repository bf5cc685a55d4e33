#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What programs that are already compiled rely on: the file abi beside this one
has every public function with its types, every struct with the offset of each
member, every constant with its number, as x86-64 Linux has them. What the
headers say now is compared with it (docs/library.md has the rules).

    abi.py                    the test
    abi.py --write            adds what is new; refuses what breaks programs
    abi.py --write --break    writes it all, for a new soversion
"""

import os
import platform
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."),
                os.path.join(HERE, "..", "..", "tools")]
from headers import (bare, constants, members, read_header,  # noqa: E402
                     signature)
from tap import check, finish, same, skip_all  # noqa: E402

ROOT = os.path.join(HERE, "..", "..")
LIST = os.path.join(HERE, "abi")
UMBRELLAS = ("surety.h", "surety-run.h", "surety-render.h", "surety-serve.h")
# Callers give arrays of these, so a step in the array is part of the ABI.
IN_ARRAYS = {"surety_model"}
HEAD = """\
# The ABI of our libraries on x86-64 Linux, soversion {}.
# Written by tests/api/abi.py --write, which docs/library.md explains.
"""


def headers():
    """The public headers in the umbrellas' order."""
    names = []
    for umbrella in UMBRELLAS:
        with open(os.path.join(ROOT, "include", umbrella),
                  encoding="utf-8") as file:
            names += re.findall(r"#include <(surety/\w+\.h)>", file.read())
    for name in dict.fromkeys(names):
        with open(os.path.join(ROOT, "include", name),
                  encoding="utf-8") as file:
            yield read_header(file.read(), name)


def soversion():
    with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as file:
        return re.search(r"^soversion = '(\d+)'", file.read(), re.M)[1]


def probe_lines(item):
    """Statements of C that print the item's part of the list, and fail to
    compile where headers.py did not understand the declaration."""
    name = item.name
    if item.kind == "function":
        result, types = signature(item.source)
        shape = f"{result} (*)({', '.join(types)})"
        yield f'SAME(__typeof__(&{name}), __typeof__({shape}));'
        yield f'puts("function {name}: {result} ({", ".join(types)})");'
    elif item.kind == "alias":
        words = " ".join(item.source.split())
        words = re.sub(r"^typedef |;$", "", words)
        yield f'puts("type {name}: {bare(words) or words}");'
    elif item.kind == "struct":
        yield f'printf("struct {name}: %zu bytes\\n", sizeof({name}));'
        for member in members(item.source):
            place = f"(({name} *)0)->{member.name}"
            yield f"SAME(__typeof__({place}), __typeof__({member.type}));"
            yield (f'printf("    %zu {member.name}: {member.type}, %zu\\n", '
                   f"offsetof({name}, {member.name}), sizeof({place}));")
    elif item.kind == "enum":
        tag = f"enum {name}"
        yield f'printf("{tag}: %zu bytes\\n", sizeof({tag}));'
        for word in constants(item.source):
            yield f'printf("    {word} = %lld\\n", (long long)({word}));'
    elif item.kind == "define" and not name.endswith(("_COUNT", "_VERSION")):
        yield f'printf("constant {name} = %lld\\n", (long long)({name}));'


def current():
    """The list as the headers have it, as text."""
    lines = []
    for header in headers():
        items = [item for group in header.groups for item in group.items]
        said = [line for item in items for line in probe_lines(item)]
        lines += [f'puts("\\n# {header.name}");', *said]
    text = "\n".join([*(f"#include <{name}>" for name in UMBRELLAS),
                      "#include <stdio.h>",
                      "#define SAME(a, b) _Static_assert(\\",
                      "    __builtin_types_compatible_p(a, b), #b)",
                      "int main(void)", "{", *lines, "return 0;", "}", ""])
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "probe.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        made = subprocess.run(
            ["cc", "-std=gnu17", "-O0", "-I", os.path.join(ROOT, "include"),
             source, "-o", source[:-2]], capture_output=True, text=True,
            check=False, timeout=300)
        if made.returncode:
            sys.exit(f"abi.py: the probe does not compile:\n{made.stderr}")
        return subprocess.run([source[:-2]], capture_output=True, text=True,
                              check=True, timeout=60).stdout


def read(text):
    """{"struct surety_x": (what is behind the colon, [parts])}"""
    found, parts = {}, []
    for line in text.splitlines():
        if line.startswith("    "):
            parts.append(line.strip())
        elif line and not line.startswith("#"):
            key, _, rest = re.match(r"(\w+ \w+)(: | = )(.*)", line).groups()
            parts = []
            found[key] = (rest, parts)
    return found


def inside_others(text):
    """Structs that are in another one, whose growth would move what is
    behind them."""
    types = set(re.findall(r"^    \d+ \w+: (\w+)[\[,]", text, re.M))
    return IN_ARRAYS | types


def compare_struct(key, old, new, fixed):
    """(faults, additions)"""
    size, grown = (int(one[0].split()[0]) for one in (old, new))
    if old == new:
        return [], []
    kept = new[1][:len(old[1])] == old[1]
    more = new[1][len(old[1]):]
    if not kept:
        lost = [part for part in old[1] if part not in new[1]]
        return [f"{key}: a member is gone, moved or of another type: {part}"
                for part in lost or ["their order"]], []
    if not re.match(r"0 (size: size_t|version: uint32_t)",
                    old[1][0] if old[1] else ""):
        return [f"{key} has changed, and does not begin with its size or "
                "version"], []
    if key.split()[1] in fixed:
        return [f"{key} has grown, and is in arrays or other structs"], []
    if grown < size:
        return [f"{key} has shrunk"], []
    inside = [part for part in more if int(part.split()[0]) < size]
    if inside:
        return [f"{key}: {part} is in what was padding, which callers "
                "leave unset: put it behind" for part in inside], []
    return [], [f"{key}: {part}" for part in more]


def compare(old_text, new_text):
    """What breaks programs, and what is new."""
    old, new = read(old_text), read(new_text)
    fixed = inside_others(old_text)
    faults, more = [], []
    for key, was in old.items():
        now = new.get(key)
        if not now:
            faults.append(f"{key} is gone")
        elif key.startswith("struct "):
            bad, good = compare_struct(key, was, now, fixed)
            faults += bad
            more += good
        elif was[0] != now[0]:
            faults.append(f"{key} was {was[0]} and is {now[0]}")
        else:
            faults += [f"{key}: {part} is gone or another"
                       for part in was[1] if part not in now[1]]
            more += [f"{key}: {part}" for part in now[1]
                     if part not in was[1]]
    return faults, more + [key for key in new if key not in old]


def selftest():
    """That it can fail, and on what."""
    old = ("function surety_f: int (int)\nstruct surety_s: 16 bytes\n"
           "    0 size: size_t, 8\n    8 a: uint32_t, 4\n"
           "struct surety_p: 4 bytes\n    0 a: uint32_t, 4\n"
           "struct surety_v: 4 bytes\n    0 version: uint32_t, 4\n"
           "struct surety_i: 8 bytes\n    0 size: size_t, 8\n"
           "struct surety_o: 16 bytes\n    0 size: size_t, 8\n"
           "    8 i: surety_i, 8\n"
           "enum surety_e: 4 bytes\n    SURETY_A = 0\n")
    more_i = "surety_i: 16 bytes\n    0 size: size_t, 8\n    8 b: void *, 8"
    for name, was, now, breaks in (
            ("a function is gone", "function surety_f: int (int)\n", "", 1),
            ("a parameter changes", "int (int)", "int (long)", 1),
            ("a constant changes", "_A = 0", "_A = 1", 1),
            ("a constant is added", "_A = 0", "_A = 0\n    SURETY_B = 1", 0),
            ("a function is added", "enum", "function surety_g: int (int)\n"
             "enum", 0),
            ("a member moves", "8 a: uint32_t, 4", "12 a: uint32_t, 4", 1),
            ("a member changes its type", "8 a: uint32_t", "8 a: int32_t", 1),
            ("a struct with a size grows at its end", "16 bytes\n    0 size: "
             "size_t, 8\n    8 a: uint32_t, 4", "24 bytes\n    0 size: size_t,"
             " 8\n    8 a: uint32_t, 4\n    16 b: void *, 8", 0),
            ("a struct with a size grows into its padding", "8 a: uint32_t, 4",
             "8 a: uint32_t, 4\n    12 b: uint32_t, 4", 1),
            ("a struct without a size grows", "4 bytes\n    0 a: uint32_t, 4",
             "8 bytes\n    0 a: uint32_t, 4\n    4 b: uint32_t, 4", 1),
            ("a struct with a version grows", "4 bytes\n    0 version: "
             "uint32_t, 4", "8 bytes\n    0 version: uint32_t, 4\n    4 b: "
             "uint32_t, 4", 0),
            ("a struct that is in another grows",
             "surety_i: 8 bytes\n    0 size: size_t, 8", more_i, 1)):
        assert was in old, name
        faults, more = compare(old, old.replace(was, now, 1))
        check(f"{name}: " + ("refused" if breaks else "allowed, and told"),
              bool(faults) == bool(breaks) and bool(faults or more),
              faults + more)


def main():
    words = sys.argv[1:]
    if (platform.machine(), sys.platform) != ("x86_64", "linux"):
        skip_all("the list is that of x86-64 Linux")
    now, written = current(), ""
    if os.path.exists(LIST):
        with open(LIST, encoding="ascii") as file:
            written = file.read()
    faults, more = compare(written, now)
    if not words:
        selftest()
        check("nothing that a compiled program relies on is gone or changed",
              not faults, "\n".join(faults + [
                  "put it back, add a new name beside it, or raise soversion "
                  "in meson.build", "and write the list anew: python3 "
                  "tests/api/abi.py --write --break"]))
        same("new, and not in tests/api/abi yet (make symbols)", more, [])
        same("the list is of this soversion",
             re.findall(r"soversion (\d+)", written), [soversion()])
        finish()
    if faults and "--break" not in words:
        sys.exit("\n".join(faults) + "\nabi.py: this breaks programs that are "
                 "compiled; nothing is written.\nPut it back, or raise "
                 "soversion in meson.build and say --write --break.")
    for line in faults + more:
        print(line)
    with open(LIST, "w", encoding="ascii") as file:
        file.write(HEAD.format(soversion()) + now)


if __name__ == "__main__":
    main()

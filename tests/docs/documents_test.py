#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A document shows what happens: documents_test.py BUILD DOCUMENT [--write].
Each command in it is executed as its reader would (document.py has the form),
with the tool, the libraries and the bindings of a build. --write puts what the
commands print into the document; read the difference."""

import os
import re
import shutil
import sys
import tempfile

from document import follow, Reader

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "api")]
from compilers import CC, sanitize_flags  # noqa: E402
from tap import check, finish, skip  # noqa: E402


def program(folder, name, *words):
    """A program in the folder that starts another one."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in words)
                   + ' "$@"\n')
    os.chmod(path, 0o755)


def packages(build, folder):
    """What pkg-config says of the libraries of a build."""
    for name, needs in (("surety", ""), ("surety-run", "Requires: surety\n")):
        path = os.path.join(folder, name + ".pc")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"Name: {name}\nDescription: {name}\nVersion: 0\n"
                       f"{needs}Cflags: -I{ROOT}/include\n"
                       f"Libs: -L{build} -l{name}\n")
    return folder


def surroundings(build, folder):
    """The environment of a reader who has installed this build, and what
    blocks may need that is not there for everybody."""
    has = ["jq"] if shutil.which("jq") else []
    programs = os.path.join(folder, "bin")
    os.mkdir(programs)
    program(programs, "surety", os.path.join(build, "surety"))
    if shutil.which(CC[-1]):
        has.append("cc")
        program(programs, "cc", *map(shutil.which, CC), *sanitize_flags())
    if not sanitize_flags():
        has.append("python")  # it would have to load the sanitizer first
        program(programs, "python3", sys.executable)
    path = [programs, os.path.join(build, "examples", "systems"),
            os.environ["PATH"]]
    return has, {
        "HOME": folder, "LC_ALL": "C.UTF-8", "TERM": "dumb",
        "PATH": os.pathsep.join(path),
        "LD_LIBRARY_PATH": build,
        "ASAN_OPTIONS": "detect_leaks=0",  # other tests look for them
        "PKG_CONFIG_PATH": packages(build, programs),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.path.join(ROOT, "bindings", "python"),
        "SURETY_LIBRARY_PATH": build,
    }


def written(text, followed):
    """The document with what its commands print."""
    lines = text.splitlines(True)
    for point in reversed(followed):
        if point.got is not None and not point.holds:
            first = point.line + point.command.count("\n")
            lines[first:first + point.shown.count("\n")] = [point.got]
    return "".join(lines)


def main():
    build, document = map(os.path.abspath, sys.argv[1:3])
    name = os.path.relpath(document, ROOT)
    with open(document, encoding="utf-8") as file:
        text = file.read()
    folder = tempfile.mkdtemp(prefix="surety-docs-")
    try:
        has, env = surroundings(build, folder)
        place = os.path.join(folder, "reader")
        os.mkdir(place)
        os.symlink(os.path.join(ROOT, "examples"),
                   os.path.join(place, "examples"))
        with Reader(place, env) as reader:
            followed = list(follow(text, reader, has))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for point in followed:
        title = f"{name}:{point.line}: {point.command[:60]}"
        if point.got is None:
            skip(title, "what it needs is not here")
        else:
            check(title, point.holds,
                  f"shown:\n{point.shown}got:\n{point.got}")
    if "--write" in sys.argv:
        with open(document, "w", encoding="utf-8") as file:
            file.write(written(text, followed))
    check(f"{name} has examples", followed)
    for block in re.findall(r"^```(?:console|sh)\b.*?^```$", text,
                            re.DOTALL | re.MULTILINE):
        if re.search(r"\bjq [-'\".]", block):
            check("a block that runs jq says so",
                  "needs=jq" in block.split("\n")[0], block)
    finish()


main()

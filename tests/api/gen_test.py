#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surety gen: what it makes of the built-in contracts and of hard ones
(gen_zoo.py) compiles without a warning as C11 and C++17 and does its work
(gen_drive.c), with every allocation failing, too: gen_test.py BUILD CONTRACTS.
CONTRACTS are the paths of the built-in ones, joined by commas."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, same, skip  # noqa: E402
from compilers import CC, WARNINGS, sanitize_flags  # noqa: E402
from gen_zoo import NOTES, ZOO  # noqa: E402

BUILD, CONTRACTS = sys.argv[1], sys.argv[2].split(",")
# Without jq there are no types of contracts with rules or derived members.
WITH_JQ = "maverick/fixer-result.json" in CONTRACTS
TOOL = os.environ["SURETY"]
ROOT = os.environ["SURETY_SOURCE_ROOT"]
TYPES = os.path.join(BUILD, "types", "surety", "contracts")
INCLUDE = ["-I", os.path.join(ROOT, "include"),
           "-I", os.path.join(BUILD, "types")]
C_WARNINGS = ["-Wmissing-prototypes", "-Wstrict-prototypes"]
# The words that C and C++ keep to themselves, which clang knows.
RESERVED = ["-Wreserved-identifier"]
COMPILERS = [(program, language, standard) for program, language, standard in (
    ("gcc", "c", "c11"), ("g++", "c++", "c++17"), ("clang", "c", "c11"),
    ("clang++", "c++", "c++17")) if shutil.which(program)]


def run(*command, **more):
    more.setdefault("timeout", 300)
    return subprocess.run(command, capture_output=True, text=True, check=False,
                          **more)


def gen(*arguments, **more):
    return run(TOOL, "gen", *arguments, **more)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def check_compiles(name, sources, include):
    for program, language, standard in COMPILERS:
        strict = C_WARNINGS if language == "c" else []
        if program.startswith("clang"):
            strict = strict + RESERVED
        made = run(program, "-x", language, f"-std={standard}", *WARNINGS,
                   *strict, "-fsyntax-only", *include, *sources)
        check(f"{name} as {standard} with {program}", made.returncode == 0,
              made.stderr[:3000])


def drive(folder, name, header, types, sources, include):
    """The program that works with these types; None: it does not build."""
    listed = os.path.join(folder, f"{name}_list.h")
    program = os.path.join(folder, name)
    write(listed, f'#include "{header}"\n#define DRIVE_LIST '
          + " ".join(f"X({one})" for one in types) + "\n")
    made = run(*CC, "-g", f'-DDRIVE_TYPES="{listed}"', *include,
               *sanitize_flags(), os.path.join(HERE, "gen_drive.c"), *sources,
               "-L", BUILD, "-lsurety", f"-Wl,-rpath,{BUILD}", "-o", program)
    check(f"the program over {name} builds", made.returncode == 0,
          made.stderr[:3000])
    return program if made.returncode == 0 else None


def check_drive(program, pairs, starve):
    """A point a type: all its replies."""
    lines = "".join(f"{name}\t" + reply.replace("\n", "\x1e") + "\n"
                    for name, reply in pairs)
    done = run(program, *(["starve"] if starve else []), input=lines)
    said = done.stdout.splitlines()
    how = ", with allocations failing" if starve else ""
    for name in sorted({name for name, _ in pairs}):
        count = sum(one == name for one, _ in pairs)
        check(f"{name} reads, writes, checks and frees {count} replies{how}",
              said.count(f"ok {name}") == count,
              "\n".join(line for line in said
                        if line.startswith(f"not ok {name}"))[:2000]
              + done.stderr[:2000])
    same(f"the program ends with 0{how}", done.returncode, 0)


def type_of(name, prefix):
    """The C name of a contract."""
    words = re.sub(r"[^a-z0-9]+", "_", name)
    return f"{prefix}_{words}" if prefix else re.sub(
        "^surety_", "contract_", words)


def replies_of(name):
    """Replies that satisfy a built-in contract: its example, and those of the
    golden tests."""
    path = os.path.join(ROOT, "contracts", f"{name}.json")
    example = json.dumps(json.loads(
        run(TOOL, "prompt", "-c", path, "--example").stdout))
    places = json.loads(read(path)).get("x-surety", {}).get(
        "extract", {}).get("from", ["whole"])
    yield example if "whole" in places else f"```json\n{example}\n```"
    golden = os.path.join(ROOT, "tests", "golden", "contracts", name)
    for file in sorted(os.listdir(golden) if os.path.isdir(golden) else []):
        if file.startswith("valid-") and file.endswith((".txt", ".md")):
            yield read(os.path.join(golden, file))


# ---- the built-in ones -------------------------------------------------------


def check_builtins(folder):
    names = [path.removesuffix(".json") for path in CONTRACTS]
    sources = sorted(os.path.join(TYPES, file) for file in os.listdir(TYPES)
                     if file.endswith(".c"))
    families = sorted({name.split("/")[0] for name in names})
    same("a source for each folder of contracts", len(sources), len(families))
    check_compiles("the types of the built-in contracts", sources, INCLUDE)
    header = os.path.join(folder, "builtins.h")
    write(header, "".join(
        f"#include <surety/contracts/{os.path.basename(path)[:-2]}.h>\n"
        for path in sources))
    program = drive(folder, "builtins", header,
                    [type_of(name, "") for name in names],
                    [os.path.join(TYPES, "libsurety-contracts.a")], INCLUDE)
    if not program:
        return
    pairs = [(type_of(name, ""), reply) for name in names
             for reply in replies_of(name)]
    for name in names:
        check(f"there are replies for {name}", (type_of(name, "")) in
              {one for one, _ in pairs})
    check_drive(program, pairs, False)
    # Rules start processes: of those contracts the tables are enough.
    ruled = {type_of(name, "") for name in names if '"rules"' in read(
        os.path.join(ROOT, "contracts", f"{name}.json"))}
    check_drive(program, [pair for pair in dict(pairs).items()
                          if pair[0] not in ruled], True)


def check_format(folder):
    tool = shutil.which("clang-format")
    if not tool or " 14." not in run(tool, "--version").stdout:
        skip("generated code is formatted", "clang-format 14 is not there")
        return
    for name in sorted(os.listdir(folder)):
        if name.endswith((".c", ".h")):
            text = read(os.path.join(folder, name))
            same(f"{name} is formatted", run(
                tool, f"--style=file:{ROOT}/.clang-format",
                input=text).stdout == text, True)


def check_document(folder):
    """The example of docs/gen.md does what is below it."""
    if not WITH_JQ:
        skip("the example of docs/gen.md", "its contract has rules, and this "
             "build has no jq")
        return
    text = read(os.path.join(ROOT, "docs", "gen.md"))
    program = re.search(r"^```c\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    output = re.search(r"^```text\n(.*?)^```$", text,
                       re.DOTALL | re.MULTILINE)
    source = os.path.join(folder, "document.c")
    write(source, program[1])
    made = run(*CC, "-std=c11", *WARNINGS, *INCLUDE, *sanitize_flags(),
               source, os.path.join(TYPES, "libsurety-contracts.a"), "-L",
               BUILD, "-lsurety", f"-Wl,-rpath,{BUILD}", "-o", source[:-2])
    check("the example of docs/gen.md builds", made.returncode == 0,
          made.stderr[:3000])
    same("and prints what is there", run(source[:-2]).stdout, output[1])


# ---- hard ones ---------------------------------------------------------------


def check_zoo(folder):
    arguments, pairs, types = [], [], []
    for name, schema, values in ZOO:
        if not WITH_JQ and "derive" in json.dumps(schema):
            continue
        path = os.path.join(folder, f"{name}.json")
        write(path, json.dumps(schema))
        arguments += ["-c", path]
        types.append(type_of(name, "zoo"))
        pairs += [(types[-1], json.dumps(value)) for value in values]
    made = gen(*arguments, "--prefix", "zoo", "-o", f"{folder}/zoo")
    same("the zoo is made", made.returncode, 0)
    for name, pointer, words in NOTES:
        check(f"{name}: {words} is reported at its line", re.search(
            rf"{name}\.json:\d+:\d+: warning: [^\n]*{words}.*?at "
            + re.escape(pointer) + "\n", made.stderr, re.DOTALL), made.stderr)
    check("nothing is told of members that may be anything",
          "any-patterns.json" not in made.stderr, made.stderr)
    include = [*INCLUDE, "-I", folder]
    check_compiles("the zoo", [f"{folder}/zoo.c"], include)
    check("no line of the zoo's header has a tab or trailing space",
          not re.search(r"\t|[ ]\n", read(f"{folder}/zoo.h")))
    os.mkdir(f"{folder}/made")
    for ending in "hc":
        shutil.copy(f"{folder}/zoo.{ending}", f"{folder}/made")
    check_format(f"{folder}/made")
    program = drive(folder, "zoo", "zoo.h", types, [f"{folder}/zoo.c"],
                    include)
    if program:
        check_drive(program, pairs, False)
        check_drive(program, [(name, reply) for name, reply in pairs
                              if name not in ("zoo_wide", "zoo_long")], True)


# ---- the tool ----------------------------------------------------------------


def check_files(folder):
    stem = os.path.join(folder, "finding")
    arguments = ["-c", "maverick/review-finding", "-o", stem]
    same("it makes two files", gen(*arguments).returncode, 0)
    header, source = read(stem + ".h"), read(stem + ".c")
    before = os.stat(stem + ".h").st_mtime_ns
    same("again: nothing to do", gen(*arguments).returncode, 0)
    same("a file that is the same is left alone",
         os.stat(stem + ".h").st_mtime_ns, before)
    same("--check agrees", gen(*arguments, "--check").returncode, 0)
    write(stem + ".h", header.replace("surety_str file", "char *file"))
    done = gen(*arguments)
    same("a file that was changed by hand is refused", done.returncode, 2)
    check("and the message says so", "was changed by hand" in done.stderr,
          done.stderr)
    check("and it stays", "char *file" in read(stem + ".h"))
    same("--check sees it", gen(*arguments, "--check").returncode, 1)
    same("--force writes over it", gen(*arguments, "--force").returncode, 0)
    same("it is as it was", read(stem + ".h"), header)
    write(stem + ".h", header.rstrip("\n"))
    same("a lost byte is a change", gen(*arguments).returncode, 2)
    gen(*arguments, "--force")
    write(stem + ".c", source.replace("reterr", "error"))
    same("a source that was changed by hand is refused",
         gen("-c", "maverick/finding", "-o", stem).returncode, 2)
    same("and the header beside it stays, too", read(stem + ".h"), header)
    gen(*arguments, "--force")
    same("an ending is no part of the path",
         gen("-c", "maverick/review-finding", "-o", stem + ".h",
             "--check").returncode, 0)
    # What another contract gave is no change by hand.
    same("another contract's file is written over",
         gen("-c", "maverick/finding", "-o", stem).returncode, 0)
    done = gen("-c", "maverick/review-finding", "-o", "-")
    same("-: both to standard output", done.stdout.count("Made by surety gen"),
         2)
    check("the source is what the file was", source.split("\n", 5)[5] in
          done.stdout)
    same("without a contract: usage", gen().returncode, 2)
    same("an unknown contract: usage",
         gen("-c", "no/such").returncode, 2)
    same("a folder that is not there: the world",
         gen("-c", "maverick/finding", "-o", folder + "/no/x").returncode, 4)
    os.mkdir(place := os.path.join(folder, "place"))
    os.symlink(stem + ".h", os.path.join(place, "types.h"))
    same("a symbolic link: is replaced, not what it leads to", gen(
        "-c", "maverick/finding", "-o", place + "/types",
        "--force").returncode, 0)
    check("and nothing else is left", not os.path.islink(place + "/types.h")
          and sorted(os.listdir(place)) == ["types.c", "types.h"],
          os.listdir(place))
    before = read(place + "/types.h")
    done = gen("-c", "maverick/review-finding", "-o", place + "/types",
               restore_signals=False, preexec_fn=lambda: resource.setrlimit(
                   resource.RLIMIT_FSIZE, (100, 100)))
    same("no room for it: the world", (done.returncode, "types.h cannot be "
                                       "written: File too large" in
                                       done.stderr), (4, True))
    same("and what was there stays", (read(place + "/types.h"), sorted(
        os.listdir(place))), (before, ["types.c", "types.h"]))
    done = gen("-c", "maverick/finding", "-c", "maverick/finding", "-o", stem)
    same("the same contract twice: usage", done.returncode, 2)


with tempfile.TemporaryDirectory(dir=BUILD) as place:
    check_builtins(place)
    check_format(TYPES)
    check_document(place)
    check_zoo(place)
    check_files(place)
finish()

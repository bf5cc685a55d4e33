#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of STYLE.md that a program can check: tidy.py ROOT.

One TAP line a gate, the faults above it as PATH:LINE: WHAT. A gate is a
function that takes the tree and yields faults; tests/tidy/selftest.py shows
for each of them that it can fail."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import check, finish  # noqa: E402
from tree import Tree, C_ENDINGS, DATA  # noqa: E402
from weave import circles, structs  # noqa: E402

FILE_LINES_MAX = 1000
FUNCTION_LINES_MAX = 70
PARAMETERS_MAX = 6
CIRCLE_FILES_MAX = 3
FIELDS_MAX = 25
COLUMNS_MAX = 80

# -- tables --------------------------------------------------------------------

MEMORY = "memory goes through surety__resize and arenas"
OUTPUT = "the core prints nothing"
LOCALE = "depends on the locale"
UNBOUNDED = "knows no bound"
WORLD = "the core knows no clock, chance or environment"

# What src/ may not call, and why; those of BANNED_EVERYWHERE nobody may.
BANNED = {
    **dict.fromkeys(("malloc", "calloc", "realloc", "free", "strdup",
                     "strndup", "reallocarray"), MEMORY),
    **dict.fromkeys(("printf", "fprintf", "vprintf", "vfprintf", "puts",
                     "fputs", "putchar", "perror", "syslog"), OUTPUT),
    **dict.fromkeys(("snprintf", "vsnprintf"),
                    "formatted text goes through surety__buf_printf"),
    **dict.fromkeys(("exit", "abort", "_exit", "atexit"),
                    "the core ends no process"),
    **dict.fromkeys(("getenv", "time", "clock", "clock_gettime",
                     "gettimeofday", "rand", "random", "localtime"), WORLD),
    **dict.fromkeys(("fork", "socket", "connect", "signal", "sigaction",
                     "system", "popen", "execve"), "the core does no I/O"),
    **dict.fromkeys(("dlopen", "dlsym", "dlclose"), "load/ loads libraries"),
}
BANNED_EVERYWHERE = {
    **dict.fromkeys(("strcpy", "strcat", "sprintf", "vsprintf", "gets",
                     "alloca", "scanf", "sscanf", "fscanf"), UNBOUNDED),
    **dict.fromkeys(("strtok", "strerror_l", "asctime", "ctime"),
                    "keeps hidden state"),
    **dict.fromkeys(("atoi", "atol", "atoll", "atof"),
                    "cannot tell an error from a number"),
    **dict.fromkeys(("setlocale", "localeconv", "strtod", "strtof",
                     "strtold", "strcoll", "strcasecmp", "strncasecmp",
                     "isalpha", "isdigit", "isalnum", "isspace", "isprint",
                     "ispunct", "isupper", "islower", "isxdigit", "iscntrl",
                     "toupper", "tolower"), LOCALE),
    **dict.fromkeys(("strtol", "strtoul", "strtoll", "strtoull"),
                    "takes blanks and signs that no grammar of ours has"),
    **dict.fromkeys(("setjmp", "longjmp"), "errors are returned"),
    **dict.fromkeys(("tmpnam", "mktemp", "tempnam"), "races"),
}
# Who may all the same: path or folder, the calls.
ALLOWED = {
    "src/base/alloc.c": {"malloc", "realloc", "free"},
    # The two behind surety__buf_printf and surety__fail; no %f, so no locale.
    "src/base/buf.c": {"vsnprintf"},
    "src/base/error.c": {"vsnprintf"},
    # The child that runs jq: a process with its own clock, bounds and end.
    "src/contract/rules_worker.c": {
        "_exit", "clock_gettime", "fork", "free", "signal", "sigaction",
        "socket"},
    # The other libraries are the world: each of its doors, and the calls.
    "src/ledger/postgres_link.c": {"clock_gettime"},
    "src/load/load.c": {"dlopen", "dlsym", "dlclose"},
    # Its "socket" is the address that libcurl shows before it connects.
    "src/provider/http.c": {"socket"},
    "src/provider/transport.c": {"clock_gettime", "getenv"},
    "src/run/wait.c": {"clock_gettime"},
    "src/serve/listen.c": {"connect", "socket"},
    "src/serve/clock.c": {"clock_gettime"},
}
# Variables that may change after all: path, name.
MUTABLE = set()

MARK = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X",
                                     "HA" + "CK")) + r")\b")
# Paths of somebody's machine, and hosts that only an installer should know.
MACHINE = re.compile(r"(?<![\w.~$}])/(?:" + "|".join(
    ("wor" + "k", "ho" + "me", "Us" + "ers", "ro" + "ot")) + r")/\w|"
    + "|".join(re.escape(host) for host in (
        "pypi" + ".org", "npmjs" + ".com", "npmjs" + ".org",
        "crates" + ".io", "deb.debian" + ".org", "proxy.golang" + ".org",
        "files.pythonhosted" + ".org")))

INCLUDE = re.compile(r'\s*#\s*include\s+'
                     r'(?:<surety/(\w+)\.h>|"(?:(\w+)/)?(\w+)\.(h|def|inc)")')

# -- gates ---------------------------------------------------------------------


def gate_layers(tree):
    """a folder includes only what src/layers grants, and by the door"""
    grants = {}
    for line in tree.lines("src/layers"):
        if line.startswith("#") or not line.strip():
            continue
        name, _, below = (part.strip() for part in line.partition(":"))
        grants[name] = set(below.split()) | {name}
        if not grants[name] <= grants.keys():
            yield f"src/layers: {name} names a folder from below its line"
    for path in tree.some("src/", "include/surety/",
                          endings=(".c", ".h", ".def")):
        home = os.path.basename(os.path.dirname(path))
        if home == "surety":
            home = os.path.splitext(os.path.basename(path))[0]
        if home not in grants:
            yield f"{path}: src/layers has no line for {home}"
            continue
        for number, line in enumerate(tree.lines(path), 1):
            match = INCLUDE.match(line)
            if match:
                yield from layer_fault(grants, path, number, home, match)


def layer_fault(grants, path, number, home, match):
    public, folder, name, ending = match.groups()
    at = f"{path}:{number}"
    if not public and not folder:
        if ending != "inc":
            yield f'{at}: write the folder too: "{home}/{name}.{ending}"'
        return
    folder = folder or public
    if folder not in grants[home]:
        yield f"{at}: {home} may not know {folder}"
    elif folder != home and not public and name != folder:
        yield f"{at}: enter by the door, {folder}/{folder}.h"


def gate_cli_public(tree):
    """the tool, the examples and the measurements use public headers only"""
    for path in tree.some("cli/", "examples/", "bench/"):
        own = os.path.dirname(path)
        for number, line in enumerate(tree.lines(path), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if match and os.path.join(own, match[1]) not in tree.files:
                yield f"{path}:{number}: {match[1]} is not its own"


def read_exempt(tree):
    """{(path, function): reason} and the faults of tests/tidy/exempt."""
    rows, faults = {}, []
    path = "tests/tidy/exempt"
    for number, line in enumerate(
            tree.lines(path) if path in tree.files else [], 1):
        if line.startswith("#") or not line.strip():
            continue
        parts = line.split(None, 2)
        if len(parts) < 3:
            faults.append(f"{path}:{number}: PATH FUNCTION REASON")
        else:
            rows[parts[0], parts[1]] = parts[2]
    return rows, faults


def gate_sizes(tree):
    """files, functions and parameter lists keep their size; no exemption is
    stale"""
    rows, faults = read_exempt(tree)
    yield from faults
    for path in tree.some("", endings=C_ENDINGS + (".py", ".sh")):
        count = len(tree.lines(path))
        if count > FILE_LINES_MAX and not path.endswith(".inc"):
            yield f"{path}: {count} lines"
    for path in tree.some("src/", "cli/", "tests/", "examples/", "bench/"):
        for function in tree.functions(path):
            at = f"{path}:{function.line}"
            found = []
            if len(function.parameters) > PARAMETERS_MAX:
                found.append(f"{len(function.parameters)} parameters")
            if function.length > FUNCTION_LINES_MAX:
                found.append(f"{function.length} lines")
            if found and not rows.pop((path, function.name), None):
                yield f"{at}: {function.name} has " + " and ".join(found)
    for path, name in rows:
        yield f"tests/tidy/exempt: {path} {name} needs no exemption"


def gate_circles(tree):
    """at most three files of src/ need each other in a circle"""
    for circle in circles(tree):
        if len(circle) > CIRCLE_FILES_MAX:
            yield f"a circle of {len(circle)} files: " + " ".join(circle)


def gate_fields(tree):
    """a struct of src/ has at most 25 fields"""
    for struct in structs(tree):
        if struct.fields > FIELDS_MAX:
            yield (f"{struct.path}:{struct.line}: {struct.name} has "
                   f"{struct.fields} fields")


def gate_columns(tree):
    """lines end within 80 columns"""
    endings = (".c", ".h", ".py", ".sh", ".build", "Makefile", "run", ".txt")
    for path in tree.some("", endings=endings):
        if path not in tree.written():
            continue
        for number, line in enumerate(tree.lines(path), 1):
            if len(line.expandtabs(8)) > COLUMNS_MAX:
                yield f"{path}:{number}: {len(line)} columns"


def gate_blanks(tree):
    """no tabs but make's, no blanks at line ends, one newline at the end"""
    for path in tree.written():
        text = tree.text(path)
        shown = fenced(text) if path.endswith(".md") else set()
        if text and not text.endswith("\n"):
            yield f"{path}: no newline at the end"
        if text.endswith("\n\n"):
            yield f"{path}: an empty line at the end"
        for number, line in enumerate(text.split("\n"), 1):
            if number in shown:
                continue
            if line != line.rstrip():
                yield f"{path}:{number}: blanks at the end of the line"
            if "\t" in line and not path.endswith("Makefile"):
                yield f"{path}:{number}: a tab"


def fenced(text):
    """The numbers of the lines that are in fenced blocks: they are shown
    as they are."""
    numbers, fence = set(), None
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if fence:
            numbers.add(number)
            if match and match[1].startswith(fence) and not line.strip("`~ "):
                fence = None
        elif match:
            fence = match[1]
    return numbers


def gate_banned(tree):
    """nobody calls what is banned (the tables are in tidy.py)"""
    call = re.compile(r"(?<![\w.>])(\w+)\s*\(")
    for path in tree.some("src/", "cli/", "include/", "examples/", "bench/"):
        core = path.startswith(("src/", "include/"))
        banned = {**BANNED_EVERYWHERE, **(BANNED if core else {})}
        allowed = ALLOWED.get(path, set())
        for number, line in enumerate(tree.code(path), 1):
            for name in call.findall(line):
                if name in banned and name not in allowed:
                    yield f"{path}:{number}: {name}: {banned[name]}"


def gate_asserts(tree):
    """an assert has no side effect"""
    change = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)")
    for path in tree.some("src/", "cli/"):
        for number, line in enumerate(tree.code(path), 1):
            match = re.search(r"\bassert\s*\((.*)", line)
            if match and change.search(match[1]):
                yield f"{path}:{number}: an assert that changes something"


def gate_globals(tree):
    """src/ has no variable that outlives a call"""
    static = re.compile(r"\s*static\s+(?!inline\b|const\b)([^(){};=]*?)"
                        r"(\w+)\s*(\[[^;=]*)?(=|;)")
    plain = re.compile(r"(?!static|extern|typedef|const|return|goto|struct "
                       r"\w+;|enum \w+;)[a-z]\w*[\w \*]*\b(\w+)"
                       r"(\[[^;=]*)?\s*(=|;)")
    for path in tree.some("src/"):
        for number, line in enumerate(tree.code(path), 1):
            match = static.match(line)
            name = match[2] if match and "const" not in match[1] else None
            if not name and not path.endswith(".h"):
                match = plain.match(line)
                name = match[1] if match else None
            if name and (path, name) not in MUTABLE:
                yield f"{path}:{number}: {name} can change and is global"


def gate_comments(tree):
    """/* */ only, the licence first, then a .c file's theory; no open marks"""
    for path in tree.written():
        lines = tree.lines(path)
        for number, line in enumerate(lines, 1):
            if MARK.search(line):
                yield f"{path}:{number}: {MARK.search(line)[0]}"
        if not path.endswith((".json", ".md", "symbols", "symbols-render",
                              "symbols-run", "symbols-serve", "exempt",
                              "exceptions", "layers")):
            if not any("SPDX-License-Identifier: Apache-2.0" in line
                       for line in lines[:2]):
                yield f"{path}:1: no SPDX line"
    for path in tree.some("", endings=C_ENDINGS):
        lines = tree.lines(path)
        literals = re.compile(r'"(?:\\.|[^"\\])*"|/\*.*?(\*/|$)|^.*?\*/')
        inside = False
        for number, line in enumerate(lines, 1):
            if not inside and "//" in literals.sub("", line):
                yield f"{path}:{number}: a // comment"
            opened = literals.sub("", line) if inside else line
            inside = (opened.rfind("/*") > opened.rfind("*/")
                      or (inside and "*/" not in line))
        if (path.startswith(("src/", "cli/")) and path.endswith(".c")
                and len(theory_of(tree.text(path))) < 60):
            yield f"{path}:2: no theory: what, the one idea, what it does not"


def theory_of(text):
    match = re.match(r"/\*.*?\*/\n/\*(.*?)\*/", text, re.DOTALL)
    return match[1] if match else ""


def gate_names(tree):
    """types do not end in _t; statics are unique across src/, for it is also
    compiled as one file"""
    seen = {}
    for path in tree.some("src/", "include/", "cli/", "tests/"):
        for number, line in enumerate(tree.code(path), 1):
            match = re.match(r"(?:\s*typedef\b.*?|\}\s*)\b(\w+_t)\s*;", line)
            if match:
                yield f"{path}:{number}: {match[1]}: POSIX owns names in _t"
    for path in tree.some("src/", endings=(".c",)):
        names = {function.name for function in tree.functions(path)
                 if function.static}
        for line in tree.code(path):
            match = re.match(r"static\b[^(){};=]*?(\w+)\s*(\[.*)?(=|;)", line)
            if match:
                names.add(match[1])
        for name in names:
            if name in seen:
                yield f"{path}: {name} is a static of {seen[name]} too"
            seen[name] = path


def gate_recursion(tree):
    """no function of src/ calls itself"""
    for path in tree.some("src/"):
        for function in tree.functions(path):
            call = re.compile(r"(?<![\w.>])" + function.name + r"\s*\(")
            for offset, line in enumerate(function.body):
                if call.search(line):
                    yield (f"{path}:{function.line + offset}: "
                           f"{function.name} calls itself")


def gate_machine(tree):
    """no path of somebody's machine, no host of a package registry"""
    for path in tree.written():
        for number, line in enumerate(tree.lines(path), 1):
            match = MACHINE.search(line)
            if match:
                yield f"{path}:{number}: {match[0]}"


def gate_referenced(tree):
    """every file is named by something"""
    builds = "\n".join(tree.text(path) for path in tree.files
                       if path.endswith("meson.build"))
    quoted = set(re.findall(r"'([^'\n]+)'", builds))
    sources = [path for path in tree.files if path.endswith(C_ENDINGS)]
    included = set()
    for path in sources:
        included |= {os.path.basename(name) for name in re.findall(
            r'#\s*include\s+[<"]([^">]+)[">]', tree.text(path))}
    written = tree.written() + (
        [".ci/run"] if ".ci/run" in tree.files else [])
    for path in tree.files:
        if not path.startswith(DATA) and not is_referenced(
                tree, path, quoted, included, written):
            yield f"{path}: nothing names it"


def is_referenced(tree, path, quoted, included, written):
    name = os.path.basename(path)
    stem, ending = os.path.splitext(name)
    if ending == ".c":
        return bool({name, stem, stem.replace("fuzz_", "", 1)} & quoted
                    or any(one.endswith("/" + name) for one in quoted)
                    or any(name in tree.text(other) for other in
                           tree.some("tests/", "tools/", endings=".py")))
    if ending in (".h", ".def", ".inc"):
        return name in included or any(one.endswith("/" + name)
                                       for one in quoted)
    if path.startswith(("contracts/", "src/")) and ending in (
            ".json", ".html", ".css", ".js"):
        return any(path.endswith("/" + one) for one in quoted)
    if ending in (".py", ".sh"):
        word = re.compile(r"(?<![\w])" + re.escape(name) + r"|\b(?:import|from)"
                          r"\s+\.?" + re.escape(stem) + r"\b")
        return any(stem in tree.text(other) and word.search(tree.text(other))
                   for other in written if other != path)
    if ending == ".md" and "/" in path:
        return any(name in tree.text(other) for other in tree.files
                   if other.endswith((".md", "meson.build"))
                   and other != path)
    # Besides sources, the product's folders hold their lists and no more.
    return (not path.startswith(("src/", "cli/", "include/"))
            or name in ("layers", "meson.build"))


GATES = {name[5:]: function for name, function in sorted(globals().items())
         if name.startswith("gate_")}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tree = Tree(sys.argv[1])
    for name, gate in GATES.items():
        faults = list(gate(tree))
        words = " ".join(gate.__doc__.split())
        check(f"{name}: {words}", not faults, "\n".join(faults))
    finish()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the files of src/ depend on each other, and how many fields a struct
has. `weave.py ROOT` prints every circle, with a name for each dependency.

A file A needs a file B if A names a function or a constant table that B
defines and other files may name (a call, or a pointer to it in a table).
Headers define nothing here: an inline function belongs to its callers."""

import re
import sys
from collections import namedtuple

from tree import Tree

Struct = namedtuple("Struct", "path line name fields")

# `const type name[...] = {`: a table that other files may name.
TABLE = re.compile(r"^const\b[^;(){}=]*?\b(surety__\w+)\s*(?:\[[^;=]*)?=",
                   re.MULTILINE)
HEAD = re.compile(r"\b(struct|union)\b\s*(\w*)\s*\{")


def definitions(tree):
    """{name: file} of all functions and tables that cross files."""
    found = {}
    for path in tree.some("src/", endings=(".c",)):
        for function in tree.functions(path):
            if not function.static:
                found[function.name] = path
        for name in TABLE.findall("\n".join(tree.code(path))):
            found[name] = path
    return found


def needs(tree):
    """{file: {file it needs: a name that it needs of it}}."""
    home = definitions(tree)
    edges = {}
    for path in tree.some("src/", endings=(".c",)):
        edges[path] = {}
        for line in tree.code(path):
            for name in re.findall(r"\w+", line):
                if home.get(name, path) != path:
                    edges[path].setdefault(home[name], name)
    return edges


def reached(edges, start):
    """What start needs, however far away."""
    seen, work = set(), [start]
    while work:
        for path in edges[work.pop()]:
            if path not in seen:
                seen.add(path)
                work.append(path)
    return seen


def circles(tree):
    """The sets of files that need each other, sorted, of two and more."""
    edges = needs(tree)
    reach = {path: reached(edges, path) for path in edges}
    found = {tuple(sorted(other for other in reach[path]
                          if path in reach[other]))
             for path in edges if path in reach[path]}
    return sorted(one for one in found if len(one) > 1)


def structs(tree):
    """Every struct of src/ that has a body. A member without a name counts by
    its fields, those of a union as well: they are read as the outer one's."""
    for path in tree.some("src/"):
        code = "\n".join(tree.code(path))
        for match in HEAD.finditer(code):
            if match[1] == "struct":
                end = closing(code, match.end())
                name = match[2] or name_after(code, end)
                line = code.count("\n", 0, match.start()) + 1
                yield Struct(path, line, name,
                             count_fields(code[match.end():end]))


def closing(code, at):
    """Where the brace that was opened before `at` is closed."""
    depth = 1
    while depth and at < len(code):
        depth += (code[at] == "{") - (code[at] == "}")
        at += 1
    return at - 1


def name_after(code, end):
    match = re.match(r"\}\s*(\w*)", code[end:])
    return match[1] if match else ""


def count_fields(body):
    count, at = 0, 0
    while at < len(body):
        match = HEAD.search(body, at)
        stop = match.start() if match else len(body)
        count += body.count(";", at, stop)
        if not match:
            break
        end = closing(body, match.end())
        # With a name it is one field, and its ";" is counted behind it.
        if re.match(r"\}\s*;", body[end:]):
            count += count_fields(body[match.end():end]) - 1
        at = end + 1
    return count


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tree = Tree(sys.argv[1])
    edges = needs(tree)
    for circle in circles(tree):
        print(f"{len(circle)} files: " + " ".join(circle))
        for path in circle:
            for other in sorted(edges[path].keys() & set(circle)):
                print(f"    {path} needs {other}: {edges[path][other]}")


if __name__ == "__main__":
    main()

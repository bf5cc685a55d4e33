# SPDX-License-Identifier: Apache-2.0
"""What the gates look at: the files of the project, and as much of C as our
own style needs (a function's brace stands alone in column 1)."""

import os
import re
from collections import namedtuple

Function = namedtuple("Function", "path name line length parameters static "
                      "body")

C_ENDINGS = (".c", ".h", ".def", ".inc")
TEXT_ENDINGS = C_ENDINGS + (".py", ".sh", ".md", ".json", ".build", ".txt")
TEXT_NAMES = ("Makefile", "layers", "run", "exempt", "exceptions",
              "symbols", "symbols-render", "symbols-run", "symbols-serve",
              "STYLE", "README")
# Data: what replies and inputs look like is no matter of style.
DATA = ("tests/fuzz/corpus/", "tests/golden/compiled/",
        "tests/golden/contracts/", "tests/golden/formats/",
        "tests/golden/messages/",
        "tests/golden/patterns/", "tests/golden/prompt/",
        "tests/golden/provider/", "tests/golden/report/",
        "tests/golden/shapes/", "tests/golden/strict/",
        "tests/e2e/data/", "examples/inputs/", "examples/recordings/",
        "examples/replies/", "bench/data/")
SKIPPED = re.compile(r"(\.git|build|build-.*|__pycache__)$")


def blank(text):
    """text with comments and the insides of literals made blank."""
    token = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"'
                       r"|'(?:\\.|[^'\\\n])*'", re.DOTALL)

    def spaces(match):
        found = match[0]
        if found[0] in "\"'":
            return found[0] + " " * (len(found) - 2) + found[0]
        return re.sub(r"[^\n]", " ", found)
    return token.sub(spaces, text)


def split_parameters(text):
    """The parts of a parameter list, split at its outer commas."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    parts = [part.strip() for part in parts]
    return [] if parts in ([""], ["void"]) else parts


class Tree:
    def __init__(self, root):
        self.root = root
        self.files = sorted(self._walk())
        self._texts = {}

    def _walk(self):
        for folder, names, files in os.walk(self.root):
            names[:] = [name for name in names if not SKIPPED.match(name)]
            for name in files:
                path = os.path.join(folder, name)
                yield os.path.relpath(path, self.root)

    def some(self, *prefixes, endings=(".c", ".h")):
        """The files below the prefixes that end so."""
        return [path for path in self.files if path.startswith(prefixes)
                and path.endswith(endings)]

    def written(self):
        """Every file that people write and read as text; no test data."""
        return [path for path in self.files
                if (path.endswith(TEXT_ENDINGS)
                    or os.path.basename(path) in TEXT_NAMES)
                and not path.startswith(DATA)]

    def text(self, path):
        if path not in self._texts:
            with open(os.path.join(self.root, path), encoding="utf-8",
                      errors="replace", newline="") as file:
                self._texts[path] = file.read()
        return self._texts[path]

    def lines(self, path):
        return self.text(path).splitlines()

    def code(self, path):
        """The lines of a C file without comments and literals."""
        return blank(self.text(path)).splitlines()

    def functions(self, path):
        """The functions that a C file defines."""
        code = self.code(path)
        found = []
        at = 0
        while at < len(code):
            if code[at].rstrip() != "{":
                at += 1
                continue
            end = at
            while end < len(code) and code[end].rstrip() != "}":
                end += 1
            found.append(self._function(path, code, at, end))
            at = end + 1
        return [function for function in found if function]

    @staticmethod
    def _function(path, code, brace, end):
        first = brace
        while first > 0 and code[first - 1].strip() and not re.match(
                r"#|.*[;}]\s*$", code[first - 1]):
            first -= 1
        head = " ".join(code[first:brace])
        head = re.sub(r"__attribute__\s*\(\(.*?\)\)\s*", "", head)
        match = re.search(r"(\w+)\s*\((.*)\)\s*$", head, re.DOTALL)
        if not match:
            return None
        name, inside = match[1], match[2]
        if re.match(r"[A-Z]+$", name):  # TEST(name) and its like
            name = inside.strip()
            inside = ""
        return Function(path, name, first + 1, end - first + 1,
                        split_parameters(inside),
                        bool(re.match(r"\s*static\b", head)) or not inside,
                        code[brace:end])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A gate that cannot fail is no gate: each is shown a small tree with one
fault and must name it, and the same tree without the fault must pass all."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from tap import check, finish, same  # noqa: E402
from tidy import GATES  # noqa: E402
from tree import Tree  # noqa: E402

SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"
THEORY = ("/* A theory that is long enough to say what this file is for and "
          "what it\n * leaves to others. */\n")
SOURCE = SPDX + THEORY
HASH = "# SPDX-License-Identifier: Apache-2.0\n"

GOOD = {
    "src/layers": "base :\njson : base\n",
    "src/base/base.h": SPDX + "int surety__one(int number);\n",
    "src/base/inner.h": SPDX + "enum { INNER = 1 };\n",
    "src/base/one.c": SOURCE + '#include "base/inner.h"\n\n'
    "static const int one_table[] = {1, 2};\n\n"
    "int surety__one(int number)\n{\n    return one_table[number];\n}\n",
    "src/json/two.c": SOURCE + '#include "base/base.h"\n\n'
    "int two(void)\n{\n    return surety__one(1);\n}\n",
    # Three in a circle may be; the last is ready for a fourth.
    "src/json/a.c": SOURCE + "int surety__a(void)\n{\n"
    "    return surety__b();\n}\n",
    "src/json/b.c": SOURCE + "int surety__b(void)\n{\n"
    "    return surety__table[0].do();\n}\n",
    "src/json/c.c": SOURCE + "const row surety__table[] = {surety__a, "
    "surety__d};\n",
    "src/meson.build": HASH + "files('one.c', 'two.c', 'a.c', 'b.c', 'c.c')\n"
    "command('tool.py')\n",
    "cli/main.c": SOURCE + "int main(void)\n{\n    return 0;\n}\n",
    "cli/meson.build": HASH + "files('main.c')\n",
    "tools/tool.py": HASH + "print(1)\n",
    "README.md": "See docs/guide.md.\n",
    "docs/guide.md": "A guide.\n\n```\n\tshown as it is \n```\n",
    "tests/tidy/exempt": "# none\n",
}

WIDE = "struct wide {\n" + "".join(
    f"    int field_{n};\n" for n in range(23)) + (
    "    struct {\n        int a;\n        int b;\n    } one;\n"
    "    union {\n        int c;\n        int d;\n    };\n};\n")
LONG = "int two(void)\n{\n" + "    two_step();\n" * 70 + "}\n"
MARKED = "TO" + "DO"

# Gate, path, what is put behind the file's text (a new file where there is
# none), what the fault must say.
BAD = [
    ("layers", "src/base/one.c", '#include "json/json.h"\n', "may not know"),
    ("layers", "src/json/two.c", '#include "base/inner.h"\n', "by the door"),
    ("layers", "src/json/two.c", '#include "json.h"\n', "the folder too"),
    ("layers", "src/new/new.c", SOURCE, "no line for new"),
    ("layers", "src/layers", "text : later\n", "from below its line"),
    ("cli_public", "cli/main.c", '#include "base/base.h"\n', "not its own"),
    ("sizes", "src/json/two.c", LONG, "two has 73 lines"),
    ("sizes", "src/json/two.c", "int f(int a, int b, int c, int d, int e, "
     "int g,\n      int (*h)(int, int))\n{\n}\n", "f has 7 parameters"),
    ("sizes", "src/json/two.c", "\n" * 1000, "lines"),
    ("sizes", "tests/tidy/exempt", "src/base/one.c surety__one hot\n",
     "needs no exemption"),
    ("sizes", "tests/tidy/exempt", "src/base/one.c surety__one\n", "REASON"),
    ("circles", "src/json/two.c", "int surety__d(void)\n{\n"
     "    return surety__a();\n}\n", "a circle of 4 files"),
    ("fields", "src/json/two.c", WIDE, "wide has 26 fields"),
    ("columns", "cli/main.c", "/* " + "x" * 76 + " */\n", "82 columns"),
    ("blanks", "cli/main.c", "int x; \n", "blanks at the end"),
    ("blanks", "docs/guide.md", "Text. \n", "blanks at the end"),
    ("blanks", "cli/main.c", "\tint x;\n", "a tab"),
    ("blanks", "cli/main.c", "int x;", "no newline"),
    ("blanks", "cli/main.c", "\n", "an empty line"),
    ("banned", "src/json/two.c", "void *p = malloc(1);\n", "malloc"),
    ("banned", "cli/main.c", "int n = atoi(text);\n", "atoi"),
    ("banned", "src/json/two.c", "int n = isdigit (c);\n", "isdigit"),
    ("asserts", "src/json/two.c", "    assert(n++ < 2);\n", "changes"),
    ("asserts", "src/json/two.c", "    assert(n = 2);\n", "changes"),
    ("globals", "src/json/two.c", "static int two_count;\n", "two_count"),
    ("globals", "src/json/two.c", "    static char two_text[9];\n",
     "two_text"),
    ("globals", "src/json/two.c", "unsigned two_seed = 1;\n", "two_seed"),
    ("comments", "src/json/two.c", "int x; // why\n", "// comment"),
    ("comments", "src/json/two.c", f"/* {MARKED}: more */\n", MARKED),
    ("comments", "src/json/new.c", SPDX + "/* Short. */\n", "no theory"),
    ("comments", "src/json/new.h", "int x;\n", "no SPDX"),
    ("names", "src/json/two.c", "typedef int two_t;\n", "two_t"),
    ("names", "src/json/two.c", "typedef struct {\n    int a;\n} two_t;\n",
     "two_t"),
    ("names", "src/json/two.c", "static const int one_table[] = {1};\n",
     "one_table is a static"),
    ("recursion", "src/json/two.c", "int deep(int n)\n{\n"
     "    return n ? deep(n - 1) : 0;\n}\n", "deep calls itself"),
    ("machine", "tools/tool.py", 'path = "/ho' + 'me/me/x"\n', "me"),
    ("machine", "docs/guide.md", "https://pypi" + ".org/simple\n", "pypi"),
    ("referenced", "src/json/new.c", SOURCE, "src/json/new.c"),
    ("referenced", "src/json/new.h", SPDX, "src/json/new.h"),
    ("referenced", "src/json/new", "x\n", "src/json/new"),
    ("referenced", "tools/new.py", HASH, "tools/new.py"),
    ("referenced", "docs/new.md", "Text.\n", "docs/new.md"),
    ("referenced", "contracts/a/new.json", "{}\n", "new.json"),
]


def faults_of(files, gate=None):
    """{gate: faults} of a tree with these files."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        tree = Tree(root)
        return {name: list(function(tree)) for name, function in GATES.items()
                if gate in (None, name)}


def main():
    for name, faults in faults_of(GOOD).items():
        same(f"{name}: a good tree passes", faults, [])
    for gate, path, text, words in BAD:
        found = faults_of({**GOOD, path: GOOD.get(path, "") + text}, gate)
        check(f"{gate}: finds {words!r} in {path}",
              any(words in fault and path.split("/")[-1] in fault
                  for fault in found[gate]), found)
    same("every gate is shown a fault", {row[0] for row in BAD}, set(GATES))
    finish()


if __name__ == "__main__":
    main()

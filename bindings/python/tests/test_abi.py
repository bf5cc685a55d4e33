# SPDX-License-Identifier: Apache-2.0
"""Structs, enums and functions as ctypes has them are those of the headers."""

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from ctypes import (c_bool, c_char_p, c_double, c_int, c_size_t, c_uint,
                    c_uint16, c_uint32, c_uint64, c_void_p)

from surety import _abi, _library

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                    "..")
INCLUDE = os.path.join(ROOT, "include")
LIST = os.path.join(ROOT, "tests", "api", "abi")


def probe(statements):
    """What a C program prints that consists of these."""
    text = "\n".join(["#include <surety-serve.h>", "#include <stdio.h>",
                      "#define MEMBER(s, m) printf(\"%s.%s %zu %zu\\n\", #s, "
                      "#m, offsetof(s, m), sizeof(((s *)0)->m))",
                      "int main(void) {", *statements, "return 0; }"])
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "probe.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run(["cc", "-I", INCLUDE, source, "-o", source[:-2]],
                       check=True, timeout=120)
        return subprocess.run([source[:-2]], check=True, timeout=60,
                              capture_output=True, text=True
                              ).stdout.splitlines()


def bare(member):
    return member.rstrip("_")


@unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
@unittest.skipUnless(os.path.isdir(INCLUDE), "the headers are not here")
class Headers(unittest.TestCase):
    maxDiff = None

    def test_structs(self):
        asked, have = [], []
        for name, struct in _abi.STRUCTS.items():
            asked.append(f'printf("{name} %zu\\n", sizeof({name}));')
            have.append(f"{name} {ctypes.sizeof(struct)}")
            for member, _ in struct._fields_:
                field = getattr(struct, member)
                asked.append(f"MEMBER({name}, {bare(member)});")
                have.append(f"{name}.{bare(member)} {field.offset} "
                            f"{field.size}")
        self.assertGreater(len(have), 300)
        self.assertEqual(probe(asked), have)

    def test_every_member_is_there(self):
        with open(LIST, encoding="utf-8") as file:
            listed = file.read()
        for name, struct in _abi.STRUCTS.items():
            part = re.search(rf"^struct {name}: .*\n((?:    .*\n)*)", listed,
                             re.M)
            members = re.findall(r"^    \d+ (\w+):", part[1], re.M)
            self.assertEqual([bare(one) for one, _ in struct._fields_],
                             members, name)

    def test_enums(self):
        with open(LIST, encoding="utf-8") as file:
            listed = file.read()
        for name, (prefix, names) in _abi.ENUMS.items():
            part = re.search(rf"^enum {name}: .*\n((?:    .*\n)*)", listed,
                             re.M)
            words = re.findall(r"^    (\w+) = ", part[1], re.M)
            want = [prefix + re.sub(r"\W", "_", one).upper() for one in names]
            self.assertEqual(words, want)
            self.assertEqual(probe([f'printf("%d\\n", {word});'
                                    for word in want]),
                             [str(i) for i in range(len(names))])

    def test_numbers(self):
        statuses = ["SURETY_" + one.upper() for one in _abi.STATUSES]
        words = ["SURETY_MORE", "SURETY_END", "SURETY_PLACES",
                 *statuses]
        have = [_abi.MORE, _abi.END, _abi.SURETY_PLACES,
                *(-i for i in range(len(statuses)))]
        self.assertEqual(probe([f'printf("%d\\n", (int){one});'
                                for one in words]), list(map(str, have)))
        self.assertEqual(probe(['printf("%u\\n", SURETY_RUN_NONE);']),
                         [str(_abi.SURETY_RUN_NONE)])

    def test_functions(self):
        plain = {"bool": c_bool, "size_t": c_size_t, "uint16_t": c_uint16,
                 "unsigned": c_uint,
                 "uint32_t": c_uint32, "uint64_t": c_uint64,
                 "double": c_double,
                 "const char *": c_char_p, "void": None,
                 "surety_status": c_int, "int": c_int}

        def kind(said, result):
            if said in plain:
                return plain[said]
            info = re.match(r"const (surety_\w+_info) \*$", said)
            if info:
                return ctypes.POINTER(_abi.STRUCTS[info[1]])
            if "*" in said:
                return c_void_p
            if said == "surety_str":
                return _abi.Text if result else _abi.Str
            return c_int if said in _abi.ENUMS else _abi.STRUCTS[said]

        with open(LIST, encoding="utf-8") as file:
            listed = dict(re.findall(r"^function (\w+): (.*)$", file.read(),
                                     re.M))
        for name, (result, given) in {**_library.CORE, **_library.RUN,
                                      **_library.SERVE}.items():
            said, types = re.match(r"([^(]*) \((.*)\)$",
                                   listed[name]).groups()
            self.assertIs(result, kind(said, True), name)
            types = [] if types == "void" else re.split(
                r", (?![^()]*\))", types)
            self.assertEqual(given, [kind(one, False) for one in types], name)


if __name__ == "__main__":
    unittest.main()

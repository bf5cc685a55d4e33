#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Limits by their names: cli_limits_test.py SURETY. src/base/limits.def is the
table; the struct, docs/limits.md, the manual page, --limit and the member
limits of surety.json say the same of each row."""

import ast
import json
import os
import re

from cli_run import FOLDER, check, complains, gives, run_tests, same, surety, \
    write

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
UINT32_MAX = 0xFFFFFFFF


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def number(text):
    """A constant of C."""
    return eval(re.sub(r"\(size_t\)|(?<=\d)u\b", "", text),  # noqa: S307
                {"__builtins__": {}}, {"UINT32_MAX": UINT32_MAX})


def table():
    """(name, default, most, what, why) of every row."""
    rows = []
    for row in re.findall(r"^LIMIT\((.*?)\)$", read("src", "base",
                          "limits.def"), re.DOTALL | re.MULTILINE):
        head, texts = row.split('"', 1)
        name, usual, most = (part.strip() for part in
                             head.rstrip(" ,\n").split(","))
        what, why = (ast.literal_eval("(" + part + ")") for part in
                     re.split(r",(?=\s*\")", '"' + texts))
        rows.append((name, number(usual), number(most), what, why))
    return rows


LIMITS = table()
HAS_RUN = "surety run" in surety("--help").out or \
    "  run " in surety("--help").out


def prepare():
    write("any.json", "true")
    write("one.json", "1")
    check("the table has rows", len(LIMITS) >= 23, LIMITS)


def one_table():
    header = read("include", "surety", "base.h")
    struct = re.search(r"struct surety_limits \{(.*?)\n\} surety_limits",
                       header, re.DOTALL)[1]
    struct = re.sub(r"/\*.*?\*/", "", struct, flags=re.DOTALL)
    same("the struct has these members, in this order",
         re.findall(r"(?:size_t|uint32_t) (\w+);", struct)[1:],
         [row[0] for row in LIMITS])
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \| ([\d,]+) \| (.*?) \| (.*?) "
                      r"\|$", read("docs", "limits.md"), re.MULTILINE)
    same("docs/limits.md has the same table", rows,
         [(name, f"{usual:,}", f"{most:,}", what, why)
          for name, usual, most, what, why in LIMITS])
    page = surety("--man").out.replace("\\", "")
    for name, usual, most, what, why in LIMITS:
        check(f"the manual page has {name}", f".B {name}\n{what}; {usual} "
              f"unless given, at most {most}: {why}\n" in page, page[-4000:])


def by_name():
    for name, usual, most, *_ in LIMITS:
        for value in (usual, most):
            gives(f"--limit {name}={value}",
                  surety("validate", "--limit", f"{name}={value}", "any.json",
                         "one.json"), 0)
        complains(f"--limit {name}={most + 1}",
                  surety("validate", "--limit", f"{name}={most + 1}",
                         "any.json", "one.json"), 2,
                  f"{name} is a whole number from 1 to {most}, not "
                  f'"{most + 1}"')
    for value in ("", "0", "-1", "+1", "1.5", "1e3", "x", "K", "1k", "1KB",
                  " 1", "1 ", "99999999999999999999", "18446744073709551616",
                  "17179869184G"):
        complains(f"--limit depth_max={value!r}",
                  surety("validate", "--limit", f"depth_max={value}",
                         "any.json", "one.json"), 2, "depth_max is a whole")
    for given, part in (("depth_max", 'no NAME and "="'),
                        ("=3", 'no limit ""'), ("dept_max=3", "depth_max"),
                        ("size=3", 'no limit "size"')):
        complains(f"--limit {given}",
                  surety("validate", "--limit", given, "any.json",
                         "one.json"), 2, part)
    for unit, deep in (("1K", 1024), ("2K", 2048)):
        for depth in (deep, deep + 1):
            write("deep.json", "[" * depth + "]" * depth)
            gives(f"depth_max={unit} takes {deep}, and not {deep + 1}: {depth}",
                  surety("validate", "--limit", f"depth_max={unit}",
                         "any.json", "deep.json"), int(depth > deep), None,
                  "--limit depth_max=VALUE" if depth > deep else "")
    write("deep.json", "[" * 600 + "]" * 600)
    gives("the last one counts",
          surety("validate", "--limit", "depth_max=700", "--limit",
                 "depth_max=600", "any.json", "deep.json"), 0)


def commands():
    """Wherever a limit is reached, and how it is raised."""
    large = json.dumps({"x": "y" * 3000})
    write("large.json", large)
    write("large.jsonl", large + "\n" + '{"x":"z"}\n')
    write("schema.json", json.dumps({"type": "object", "description":
                                     "d" * 3000}))
    write("named.json", json.dumps({"x-surety": {"name": "a/b", "version":
                                                 "1.0.0"}, "type": "object",
                                    "description": "d" * 3000}))
    small = ("--limit", "text_bytes_max=2K")
    for name, command, code in (
            ("check", ("check", "-c", "any.json", "large.json"), 1),
            ("check --stream", ("check", "-c", "any.json", "--stream",
                                "large.json"), 1),
            ("check --native", ("check", "-c", "any.json", "--native",
                                "large.json"), 1),
            ("extract", ("extract", "large.json"), 1),
            ("validate", ("validate", "any.json", "large.json"), 1),
            ("validate --jsonl", ("validate", "--jsonl", "any.json",
                                  "large.jsonl"), 1),
            ("prompt", ("prompt", "-c", "any.json", "@large.json"), 2)):
        gives(f"{name}: within", surety(*command), 0)
        result = surety(*command, *small)
        check(f"{name}: beyond, and what to do",
              result.code == code and "text_bytes_max" in result.err
              and "--limit text_bytes_max=VALUE" in result.err, result)
    result = surety("check", "-c", "any.json", "--jsonl", "large.jsonl", *small)
    check("check --jsonl: beyond, and what to do",
          result.code == 1 and "--limit text_bytes_max=VALUE" in result.out
          and len(result.out.splitlines()) == 2, result)
    tight = ("--limit", "schema_bytes_max=2K")
    for name, command in (
            ("check", ("check", "-c", "schema.json", "large.json")),
            ("validate", ("validate", "schema.json", "large.json")),
            ("contracts show", ("contracts", "show", "schema.json")),
            ("contracts lint", ("contracts", "lint", "named.json")),
            ("contracts diff", ("contracts", "diff", "named.json",
                                "named.json")),
            ("gen", ("gen", "-c", "named.json", "-o", "-"))):
        gives(f"{name}: a schema within", surety(*command), 0)
        result = surety(*command, *tight)
        check(f"{name}: a schema beyond, and what to do",
              result.code == 2 and "schema_bytes_max" in result.err
              and "--limit schema_bytes_max=VALUE" in result.err, result)
    gives("errors in a report",
          surety("validate", "-o", "basic", "--limit", "findings_max=1",
                 write("typed.json", {"items": {"type": "null"}}),
                 write("three.json", "[1,2,3]")), 1)


def large_input():
    path = os.path.join(FOLDER, "40.json")
    with open(path, "w", encoding="ascii") as file:
        file.write('{"a":[')
        for i in range(40):
            file.write(("," if i else "") + '"' + "x" * (1 << 20) + '"')
        file.write("]}")
    complains("40 MiB", surety("validate", "any.json", "40.json"), 1,
              "text_bytes_max of 33554432 bytes")
    raised = ("--limit", "text_bytes_max=64M")
    gives("40 MiB where that is allowed",
          surety("validate", *raised, "any.json", "40.json"), 0)
    result = surety("check", "-c", "any.json", *raised, "40.json")
    check("and its value comes out whole", result.code == 0
          and len(result.out) == os.path.getsize(path) + 1, result.code)
    with open(path, "wb") as file:
        file.truncate(UINT32_MAX - 63)
    complains("more than any text may have is seen before it is read",
              surety("validate", "--limit", "text_bytes_max=4294967231",
                     "any.json", "40.json"), 1, "text_bytes_max of 4294967231")
    os.unlink(path)


def configured():
    if not HAS_RUN:
        return
    write("deep.json", "[" * 8 + "]" * 8)
    name = write("surety.json", '{"limits": {"depth_max": 7,\n'
                 ' "text_bytes_max": "1K"}}')
    for command in (("check", "-c", "any.json"), ("validate", "any.json"),
                    ("extract",)):
        gives(f"{command[0]}: the configuration's limit",
              surety(*command, "deep.json"), 1, None, "depth_max of 7")
        gives(f"{command[0]}: --limit counts more",
              surety(*command, "deep.json", "--limit", "depth_max=8"), 0)
    base = ("run", "--ledger", "none", "-c", "any.json", "-m",
            "exec:cat >/dev/null; cat deep.json", "--retries", "0")
    gives("run: the configuration's", surety(*base, "Hi"), 1, None,
          "depth_max of 7")
    gives("run: --limit counts more",
          surety(*base, "--limit", "depth_max=8", "Hi"), 0,
          "[" * 8 + "]" * 8 + "\n")
    write("other.json", '{"limits": {"depth_max": 8}}')
    gives("run: and so does another configuration",
          surety(*base, "--config", "other.json", "Hi"), 0)
    for text, parts in (
            ('{"limits":\n {"depth": 7}}', (":2:3:", 'no limit "depth"')),
            ('{"limits":\n {"dept_max": 7}}', (":2:3:", "depth_max")),
            ('{"limits":\n {"depth_max": 0}}', (":2:16:", "from 1 to")),
            ('{"limits":\n {"depth_max": 1.5}}', (":2:16:", "integer")),
            ('{"limits":\n {"depth_max": "many"}}', (":2:16:", "from 1 to")),
            ('{"limits":\n {"depth_max": true}}', (":2:16:",)),
            ('{"limits": 7}', (":1:12:",)),
            ('{"limits":\n {"depth_max": "sk-0123456789abcdef"}}',
             (':2:16:',))):
        write(name, text)
        result = surety("validate", "any.json", "one.json")
        complains(f"limits: {text}", result, 2, "surety.json", *parts)
        check("and quotes nothing that could be a key",
              "sk-0123456789" not in result.err, result)
    os.unlink(os.path.join(FOLDER, name))


run_tests(prepare, one_table, by_name, commands, large_input, configured)

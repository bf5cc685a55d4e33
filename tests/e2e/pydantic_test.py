#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Schemas as Pydantic writes them are contracts, and surety judges as Pydantic
does: pydantic_test.py [SURETY]. Each Pydantic that a Python of this machine can
import is tested, of 1 and of 2 one; where there is none the test is skipped."""

import decimal
import json
import os
import re
import shutil
import subprocess
import sys

from cli_run import run_tests, skip
from models_run import (ABSENT, NUMBER, Table, Verdict, at, beyond_double,
                        compare_models, run_all, run_asks_again, run_guide,
                        run_prompts, theirs)

HERE = os.path.dirname(os.path.abspath(__file__))
CHILD = os.path.join(HERE, "pydantic_models.py")


def pythons():
    """{major version of Pydantic: a Python that has it}."""
    found = {}
    for python in (sys.executable, "/usr/bin/python3",
                   shutil.which("python3")):
        if not python:
            continue
        run = subprocess.run([python, CHILD, "version"], capture_output=True,
                             timeout=60, check=False)
        if run.returncode == 0:
            found.setdefault(run.stdout.decode()[0], python)
    return found


def verdict(answer):
    return Verdict(answer["ok"], answer.get("value"),
                   [(tuple(path), kind) for path, kind in
                    answer.get("errors", ())])


def kind(value):
    """What it is, in the words of the table."""
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    if value == ABSENT:
        return "nothing"
    return "number" if isinstance(value, NUMBER) else \
        {str: "text", list: "list", dict: "object"}[type(value)]


def converts(before, after):
    """Pydantic takes a value of the kind before, and makes one of after."""
    def explains(case, path, what):
        return kind(case.at(path)) in before.split() and \
            kind(at(case.theirs.value, path)) in after.split()
    return explains


def at_path(model, *names):
    return lambda case, path, _: case.model == model and (
        not path or bool(set(path) & set(names)))


def beyond_int64(number):
    return kind(number) == "number" and abs(number) >= 2 ** 63


def stripped(case, path, what):
    return what[0] == ABSENT and case.at(path) != ABSENT


def huge(case, path, _):
    return beyond_double(case.at(path))


def repaired(kind_):
    return lambda case, path, what: kind_ in case.ours.repairs


NAIVE = re.compile(r"([0-9-]{10}T)?\d\d:\d\d(:\d\d(\.\d+)?)?")

# Of which Pydantic, what, which side, whether it explains a difference.
REASONS = [
    ("12", "a member that the model does not know: Pydantic strips it, surety "
     "keeps it (unknown: strip)", "value", stripped),
    ("12", "default_factory: the schema does not tell the value", "value",
     lambda case, path, what: what[1] == ABSENT and what[0] in ([], {}, ["x"])),
    ("1", "an optional is null where it is absent, and the schema does not "
     "tell", "value", lambda case, path, what: what == (None, ABSENT)),
    ("1", "an optional may be null, and the schema does not tell", "ours path",
     lambda case, path, what: case.at(path) is None),
    ("12", "a number that no double holds, or an infinite one",
     "ours theirs value path", huge),
    ("12", "lax: a number in a text", "ours", converts("text", "number")),
    ("12", "lax: a boolean in a text", "ours", converts("text", "boolean")),
    ("12", "lax: 1 or 0 for a boolean", "ours", converts("number", "boolean")),
    ("12", "lax: a boolean for a number", "ours", converts("boolean",
                                                           "number")),
    ("1", "lax: a number or a boolean for a text", "ours",
     converts("number boolean", "text")),
    ("1", "lax: a number is cut to an integer", "ours",
     converts("number", "number")),
    ("1", "lax: beside another mistake", "path",
     lambda case, path, what: what == "ours" and path[0] == "pair"),
    ("1", "lax: nothing or pairs for an object", "ours", converts(
        "text list", "object")),
    ("12", "a time without its zone: no RFC 3339", "ours",
     lambda case, path, _: path and path[0] in ("at", "time") and
     NAIVE.fullmatch(str(case.at(path)))),
    ("12", "lax: a time as a number, or in another form of a text",
     "ours", lambda case, path, what: case.model == "Formats" and
     path[0] in ("at", "day", "time", "span") and what in ("type", "format")),
    ("2", "durations: other forms than RFC 3339 has", "theirs",
     at_path("Formats", "span")),
    ("1", "a duration too long for Python", "theirs",
     lambda case, path, what: what == "OverflowError"),
    ("1", "times: z must be Z", "theirs", at_path("Formats", "at", "time")),
    ("12", "UUID: without dashes or in braces too", "ours",
     at_path("Formats", "id")),
    ("12", "URL: more than RFC 3986 has, and a host is needed", "ours theirs",
     at_path("Formats", "url")),
    ("2", "IP addresses: from numbers too", "ours",
     at_path("Formats", "v4", "v6")),
    ("1", "IP addresses: with a zone too", "ours",
     at_path("Formats", "v4", "v6")),
    ("12", "a value is written in its normal form", "value",
     lambda case, path, _: case.model == "Formats"),
    ("1", "pattern: only where the text begins", "theirs", lambda case, path,
     what: what == "value_error.str.regex"),
    ("12", "pattern: \\d takes the digits of every script", "ours",
     lambda case, path, what: what == "pattern" and "١" in case.at(path)),
    ("1", "pattern: $ is before a last line end too", "ours",
     lambda case, path, what: what == "pattern" and
     case.at(path).endswith("\n")),
    ("12", "str_strip_whitespace: the value is the one after it",
     "value theirs", at_path("Stripped", "name")),
    ("12", "sets: what occurs twice counts once, and the order is lost",
     "ours value", at_path("Lists", "tags", "ids")),
    ("1", "a dict's keys: the schema does not tell what they must be",
     "theirs path", at_path("Dicts", "by_level", "by_number")),
    ("2", "a dict's keys: integers, which the schema does not tell",
     "theirs path", at_path("Dicts", "by_number")),
    ("12", "a union: Pydantic tells what is wrong in every branch",
     "path theirs",
     lambda case, path, _: case.model == "Drawing" and "more" in path or
     case.model == "Unions" and "model" in path),
    ("1", "a union: the first branch that converts counts", "value",
     lambda case, path, _: case.model == "Unions"),
    ("2", "an integer in the form of a float, beyond 64 bits", "theirs path",
     lambda case, path, what: beyond_int64(case.at(path))),
    ("2", "ConfigDict(strict=True): 1.0 is no integer", "theirs",
     lambda case, path, what: case.model == "Strict" and path == ("n",)),
    ("2", "Decimal: read from more texts, written as a text",
     "ours value path", at_path("Numbers", "money")),
]


def strip(schema):
    """With the one word that makes it strip what the model does not know."""
    extra = schema.get("x-surety", {}) | {"unknown": "strip"}
    return schema | {"x-surety": extra}


def variants_of(schemas):
    return {name: (schema, 1 if name == "input" else 4)
            for name, schema in schemas.items()}


# The same, where Pydantic is told to be strict and reads the text itself.
STRICT = [
    ("2", "strict: 1.0 is no integer", "theirs path", lambda case, path, _:
     isinstance(case.at(path), decimal.Decimal)),
    ("2", "strict: of a name that occurs twice each value counts", "theirs",
     lambda case, path, what: '": 1, "' in case.text),
]
# The same, with --repair align beside Pydantic's lax mode.
ALIGN = [
    ("12", f"surety repairs, Pydantic refuses: {each}", "theirs",
     repaired(each))
    for each in ("array-from-value", "enum-accent", "enum-case",
                 "json-in-text", "key-case", "null-left-out", "number-form",
                 "number-from-text", "text-from-number", "unknown-key",
                 "value-from-array", "wrapper-key")] + [
    ("2", f"surety repairs, Pydantic refuses: {each}", "theirs",
     repaired(each))
    for each in ("boolean-from-number", "boolean-from-text", "null-from-text",
                 "text-from-boolean")] + [
    ("1", "a number or a boolean as a text: Python's form, JSON's form",
     "value", lambda case, path, what: kind(case.at(path)) in (
         "number", "boolean") and isinstance(what[1], str)),
    ("1", "extra=allow: the schema does not tell", "value",
     lambda case, path, what: case.model == "Allow"),
    ("1", "a list of pairs: Pydantic takes it for an object", "value",
     lambda case, path, what: case.ours.repairs & {
         "value-from-array", "array-from-value"}),
    ("2", "a union: another branch is nearer", "value",
     lambda case, path, _: case.model == "Unions"),
]


def compare(python, version):
    told = subprocess.run([python, CHILD, "schemas"], capture_output=True,
                          timeout=60, check=True)
    models = [json.loads(line) for line in told.stdout.splitlines()]

    def mine(rows):
        return [row for versions, *row in rows if version in versions]

    def run(how, rows, variants, also=(), **more):
        compare_models(
            f"Pydantic {version}{how}", models, variants,
            Table(mine(rows), mine(also)),
            lambda asked: theirs([python, CHILD], [it | more for it in asked],
                                 verdict))

    run("", REASONS, variants_of)
    run(", align", ALIGN, lambda schemas: {
        "align": (strip(schemas["input"]), 3, "--repair", "align")}, REASONS)
    if version == "2":
        run(", strict", STRICT, lambda schemas: {
            "strict": (strip(schemas["input"]), 3)}, REASONS, strict=True)
    schemas = {it["model"]: it["schemas"]["input"] for it in models}
    run_asks_again("FixerResult", schemas["FixerResult"],
                   {"success": False, "summary": "no", "error_details": ""},
                   {"success": False, "summary": "no", "files_mentioned": [],
                    "error_details": "it broke"})
    if version == "2":
        run_guide("pydantic", {"python3": [python]})
    run_prompts(f"Pydantic {version}", models)
    run_all(f"Pydantic {version}", models,
            ("openai", "anthropic", "gemini") if version == "2" else
            ("openai",))


def test_models():
    found = pythons()
    for version in "12":
        if version in found:
            compare(found[version], version)
        else:
            skip(f"Pydantic {version}", "no Python here can import it")


if __name__ == "__main__":
    run_tests(test_models)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Schemas as Zod writes them are contracts, and surety judges as Zod does:
zod_test.py [SURETY]. Zod is installed with npm into the build folder, once;
without npm or a network the test is skipped."""

import json
import os
import shutil
import subprocess

from cli_run import FOLDER, check, run_tests, same, skip
from models_run import (ABSENT, Table, Verdict, beyond_double,
                        compare_models, run_all, run_asks_again, run_guide,
                        run_prompts, theirs)
from others_run import npm_install

ZOD = "zod@4.6.7"
HERE = os.path.dirname(os.path.abspath(__file__))


def errors_of(issues, above=()):
    """(path, issue) of each; a name that is not allowed has its own."""
    for issue in issues:
        path = above + tuple(map(str, issue["path"]))
        if issue["code"] == "unrecognized_keys":
            yield from ((path + (key,), issue) for key in issue["keys"])
        else:
            yield path, issue


def verdict(answer):
    if answer["ok"]:
        return Verdict(True, answer.get("value"), [])
    return Verdict(False, None, list(errors_of(answer["issues"])))


def stripped(case, path, what):
    return case.variant != "strip" and what[0] == ABSENT and \
        case.at(path) != ABSENT


def closed(case, path, what):
    return case.variant == "output" and (
        what == "additionalProperties" or
        what == "ours" and case.at(path) != ABSENT)


def filled(case, path, what):
    return case.variant == "output" and case.at(path) == ABSENT and \
        what in ("required", "ours")


def huge(case, path, _):
    return beyond_double(case.at(path))


def of_models(*names):
    return lambda case, path, what: case.model in names


REASONS = [
    ("a member that the model does not know: Zod strips it, surety keeps it "
     "(unknown: strip)", "value", stripped),
    ("a member that the model does not know: the output schema is closed",
     "ours path", closed),
    ("a member with a default: required in the output schema", "ours path",
     filled),
    ("a number that no double holds: Zod never sees it", "ours theirs value",
     huge),
    ("z.url: what browsers take; uri: RFC 3986", "ours theirs path",
     lambda case, path, _: path == ("url",)),
    ("duration: Zod takes fractions, RFC 3339 has none", "ours path",
     lambda case, path, _: path == ("span",)),
    ("ipv6: the pattern of the schema is narrower than Zod's check", "ours",
     lambda case, path, what: path == ("v6",) and what == "pattern"),
    ("multipleOf: Zod computes in doubles", "ours",
     lambda case, path, what: what == "multipleOf" and
     case.at(path) == 2 ** 53 - 1),
    ("catch: Zod takes anything there", "ours path", of_models("Catch")),
    ("prefault of an object: Zod fills its members too", "value",
     of_models("Defaults")),
    ("coerce: Zod converts before it judges", "ours value",
     of_models("Coerced")),
    ("preprocess: Zod converts before it judges", "ours value",
     of_models("Preprocessed")),
    ("trim, toLowerCase: the value is the one after them", "value theirs",
     of_models("Trimmed")),
    ("transform, pipe, codec, stringbool: the value is the one after them",
     "value", of_models("StringBool", "Transformed", "Piped", "Codec")),
    ("pipe, stringbool: Zod judges again after the transform", "theirs",
     of_models("StringBool", "Piped")),
    ("and: the schema of two loose objects does not say that it is loose",
     "value", lambda case, path, _: case.model == "And" and
     case.variant == "strip"),
    ("the output schema is of what comes of a transform", "ours",
     lambda case, path, _: case.variant == "output" and
     case.model in ("StringBool", "Piped")),
    ("rules are asked where the schema is satisfied, refinements before",
     "path", lambda case, path, what: case.model == "Refined" and
     path == ("error_details",) and what == "theirs"),
]


def variants_of(schemas):
    """The schemas to judge by, and every how manieth value. That of the input
    is the contract; `strip` is it with one word more."""
    extra = schemas["input"].get("x-surety", {}) | {"unknown": "strip"}
    found = {"input": (schemas["input"], 1), "output": (schemas["output"], 3),
             "strip": (schemas["input"] | {"x-surety": extra}, 2),
             "draft7": (schemas["draft7"], 5)}
    return {name: it for name, it in found.items() if "throws" not in it[0]}


def test_models():
    folder, reason = npm_install("zod", [ZOD])
    if not folder:
        skip("Zod", reason)
        return
    shutil.copy(os.path.join(HERE, "zod_models.mjs"), folder)
    command = ["node", os.path.join(folder, "zod_models.mjs")]
    told = subprocess.run([*command, "schemas"], cwd=folder,
                          capture_output=True, timeout=60, check=True)
    models = [json.loads(line) for line in told.stdout.splitlines()]
    compare_models("Zod", models, variants_of, Table(REASONS), lambda asked:
                   theirs(command, asked, verdict, cwd=folder))
    schemas = {it["model"]: it["schemas"] for it in models}
    for name in ("Dates", "Big", "Sets"):
        check(f"{name}: Zod itself says that JSON has no such value",
              "cannot be represented" in schemas[name]["input"]["throws"])
        same(f"{name}: and leaves it open where it must",
             list(schemas[name]["any"]["properties"].values()), [{}])
    run_asks_again("IterationOutput", schemas["IterationOutput"]["input"],
                   {"enhancedStory": "", "changesApplied": []},
                   {"enhancedStory": "As a user ...", "changesApplied": [
                       {"category": "a", "description": "b"}]})
    os.symlink(os.path.join(folder, "node_modules"),
               os.path.join(FOLDER, "node_modules"))
    run_guide("zod", {})
    run_prompts("Zod", models, ("Texts",))
    run_all("Zod", models, ("openai", "anthropic", "gemini"))


if __name__ == "__main__":
    run_tests(test_models)

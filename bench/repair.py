#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what Surety and its peers make of almost-JSON:

    repair.py BUILD [COUNT]

COUNT (10) replies of each shape of tests/fuzz/almost.c, whose meaning is known
because they were written from it, and the open cases beside the project, where
they are. Of each shape: how many values came back right, and in brackets how
many came back wrong; the others were refused. Surety and BAML get the contract,
the other peers take none. A peer that is not installed is named as missing."""

import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
OPEN = os.path.join(HERE, "..", "..", "shared", "data", "repair", "cases.jsonl")


def own_cases(build, count):
    program = os.path.join(build, "tests", "fuzz", "almost-print")
    lines = subprocess.run([program, str(count)], stdout=subprocess.PIPE,
                           check=True).stdout.decode().splitlines()
    return [json.loads(line) for line in lines]


def open_cases():
    if not os.path.exists(OPEN):
        return []
    cases = []
    with open(OPEN, encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            if case["mode"] == "final" and case["tier"] == "core":
                cases.append({
                    "shape": case["category"], "reply": case["input"],
                    "value": case.get("expected"),
                    "refuse": case.get("expect_error", False),
                    "contract": True if case["schema"] is None
                    else case["schema"]})
    return cases


def surety(build, cases):
    program = os.path.join(build, "surety")
    with tempfile.TemporaryDirectory() as folder:
        contract = os.path.join(folder, "contract.json")
        reply = os.path.join(folder, "reply.txt")
        for case in cases:
            with open(contract, "w", encoding="utf-8") as file:
                json.dump(case["contract"], file)
            with open(reply, "wb") as file:
                file.write(case["reply"].encode("utf-8", "surrogatepass"))
            done = subprocess.run(
                [program, "check", "-c", contract, "--repair", "align", reply],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
            yield {"value": json.loads(done.stdout)} \
                if done.returncode == 0 else {"error": True}


def peers(build, cases):
    folder = os.path.join(build, "bench", "peers")
    if not os.path.isdir(folder):
        return [{}] * len(cases)
    text = "".join(json.dumps(case) + "\n" for case in cases)
    done = subprocess.run(
        ["node", os.path.join(HERE, "repair.mjs")], cwd=folder,
        input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def same(one, other):
    """As JSON: true is not 1, and 7.0 is 7."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def table(title, cases, answers):
    names = list(answers[0])
    right, wrong = collections.Counter(), collections.Counter()
    shapes = list(dict.fromkeys(case["shape"] for case in cases))
    for case, answer in zip(cases, answers):
        for name in names:
            refused = "error" in answer[name]
            good = refused if case.get("refuse") else \
                not refused and same(answer[name]["value"], case["value"])
            for row in (case["shape"], "all"):
                right[row, name] += good
                wrong[row, name] += not good and not refused
    count = collections.Counter(case["shape"] for case in cases)
    count["all"] = len(cases)
    print(f"\n| {title} | n | " + " | ".join(names) + " |")
    print("|---|" + "---|" * (len(names) + 1))
    for row in shapes + ["all"]:
        cells = (f"{right[row, name]}" + (f" ({wrong[row, name]})"
                                          if wrong[row, name] else "")
                 for name in names)
        print(f"| {row} | {count[row]} | " + " | ".join(cells) + " |")


def main(build, count="10"):
    for title, cases in (("shape", own_cases(build, count)),
                         ("open cases", open_cases())):
        if not cases:
            print(f"{title}: not beside the project")
            continue
        answers = []
        missing = set()
        for own, others in zip(surety(build, cases), peers(build, cases)):
            missing |= {name for name, answer in others.items() if not answer}
            answers.append({"Surety": own, **others})
        for answer in answers:
            for name in missing:
                answer.pop(name, None)
        table(title, cases, answers)
        print("\nmissing: " + (", ".join(sorted(missing)) or (
            "none" if len(answers[0]) > 1 else "all peers")))


main(*sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what Surety and its peers make of almost-JSON:

    repair.py BUILD [COUNT [PAGE]]

COUNT (10) replies of each shape of tests/fuzz/almost.c, whose meaning is known
because they were written from it, and the open cases beside the project, where
they are. Of each shape: how many values came back right, and in brackets how
many came back wrong; the others were refused. Surety and BAML get the contract,
the other peers take none. A peer that is not installed is named as missing.

Then the same of replies that nothing was tuned to (unseen.py), and what each
peer makes of one reply of each kind of repair (kinds.py). With PAGE, the tables
are put into it, behind its mark."""

import collections
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile

import kinds
import unseen

MARK = "<!-- The tables are written by bench/repair.py. -->\n"
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


def shown(case, answer):
    if "error" in answer:
        return "refuses"
    if same(answer["value"], case["value"]):
        return ""
    text = json.dumps(answer["value"], ensure_ascii=False)
    return code(text if len(text) < 60 else text[:56] + "...")


def code(text):
    text = json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"') \
        .replace("|", "\\|").replace("\ufeff", "\\ufeff") \
        .replace("\xa0", "\\u00a0") \
        .encode("utf-8", "backslashreplace").decode()
    marks = "``" if "`" in text else "`"
    pad = " " if "`" in text else ""
    return f"{marks}{pad}{text}{pad}{marks}"


def kinds_table(cases, answers):
    """Only what differs from the value is shown."""
    names = [name for name in answers[0] if name != "JSON.parse"]
    print("\n| kind | reply | " + " | ".join(names) + " |")
    print("|---|---|" + "---|" * len(names))
    for case, answer in zip(cases, answers):
        cells = (shown(case, answer[name]) for name in names)
        print(f"| `{case['shape']}` | {code(case['reply'])} | " +
              " | ".join(cells) + " |")


def answered(build, cases):
    answers, missing = [], set()
    for own, others in zip(surety(build, cases), peers(build, cases)):
        missing |= {name for name, answer in others.items() if not answer}
        answers.append({"Surety": own, **others})
    for answer in answers:
        for name in missing:
            answer.pop(name, None)
    return answers, missing


def tables(build, count):
    for title, cases, show in (
            ("shape", own_cases(build, count), table),
            ("open cases", open_cases(), table),
            ("unseen", unseen.cases(count), table),
            ("kinds", kinds.cases(), None)):
        if not cases:
            print(f"{title}: not beside the project")
            continue
        answers, missing = answered(build, cases)
        if show:
            show(title, cases, answers)
        else:
            kinds_table(cases, answers)
        print("\nmissing: " + (", ".join(sorted(missing)) or (
            "none" if len(answers[0]) > 1 else "all peers")))


def main(build, count="10", page=None):
    if not page:
        tables(build, count)
        return
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        tables(build, count)
    with open(page, encoding="utf-8") as file:
        head, mark, _ = file.read().partition(MARK)
    if not mark:
        sys.exit(f"{page}: it has no line {MARK.strip()}")
    with open(page, "w", encoding="utf-8") as file:
        file.write(head + mark + out.getvalue())


main(*sys.argv[1:])

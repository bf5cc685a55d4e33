#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of a build and counts what they say.

    tally.py [--total FILE] BUILD [MESON-TEST-ARGUMENT...]

Two programs run for each processor, because many wait for servers and commands
most of their time. Every TAP line counts, not every program; a program that
says nothing in TAP counts once. A program that dies, times out or breaks its
plan is a failure whatever its lines say. Shows the output of what failed and
the reason of what was skipped, and ends with the line `N passed, N failed[, N
skipped]`. --total adds the counts to FILE, for a run of several builds
(.ci/run). Exit code 1 where something failed or nothing ran.
"""

import json
import os
import re
import subprocess
import sys
import time

POINT = re.compile(r"(not )?ok\b[ \t]*\d*[ \t]*(?:-[ \t]*)?([^#]*)(?:#(.*))?$")
PLAN = re.compile(r"1\.\.(\d+)(?:\s*#\s*skip\w*\s*(.*))?$", re.IGNORECASE)
SKIP = re.compile(r"\s*skip\w*:?\s*(.*)", re.IGNORECASE)


class Count:
    """What one test program said."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.reasons = []
        self.broken = None

    def skip(self, name, reason):
        self.skipped += 1
        self.reasons.append(f"{name}: {reason or 'no reason given'}")


def count_tap(count, name, text):
    """Adds up the TAP lines of text; False where there are none."""
    planned = None
    seen = 0
    for line in text.splitlines():
        plan = PLAN.match(line)
        if plan:
            planned = int(plan[1])
            if planned == 0:
                count.skip(name, plan[2])
            continue
        point = POINT.match(line)
        if not point:
            continue
        seen += 1
        skip = SKIP.match(point[3] or "")
        if point[1]:
            count.failed += 1
        elif skip:
            count.skip(f"{name}: {point[2].strip()}", skip[1].strip())
        else:
            count.passed += 1
    if planned is not None and planned != seen:
        count.broken = f"said 1..{planned} and gave {seen} lines"
    elif planned is None and seen:
        count.broken = "gave no plan"
    return planned is not None or seen > 0


def count_test(entry):
    """Counts one line of Meson's testlog.json."""
    count = Count()
    name, result = entry["name"], entry["result"]
    tap = count_tap(count, name, entry.get("stdout") or "")
    if not tap and result == "SKIP":
        words = (entry.get("stdout") or "").strip().splitlines()
        count.skip(name, words[-1] if words else "")
    elif not tap and result == "OK":
        count.passed += 1
    elif result not in ("OK", "SKIP") and not count.failed:
        count.broken = f"{result.lower()}, code {entry.get('returncode')}"
    elif result == "TIMEOUT":
        count.broken = "timeout"
    if count.broken:
        count.failed += 1
    return count


def show_failure(entry, count):
    """Prints the end of what a failed program said."""
    print(f"\n--- {entry['name']}: failed"
          + (f" ({count.broken})" if count.broken else ""))
    if entry.get("command"):
        print("$ " + " ".join(entry["command"]))
    lines = (entry.get("stdout") or "").splitlines()
    shown = [line for line in lines if not re.match(r"ok\b", line)]
    for line in shown[-80:] + (entry.get("stderr") or "").splitlines()[-60:]:
        print("  " + line)


def summary(passed, failed, skipped):
    text = f"{passed} passed, {failed} failed"
    return text + (f", {skipped} skipped" if skipped else "")


def add_total(path, numbers):
    """Adds numbers to those that the file holds."""
    before = [0, 0, 0]
    if os.path.exists(path):
        with open(path, encoding="ascii") as file:
            before = [int(word) for word in file.read().split()]
    with open(path, "w", encoding="ascii") as file:
        file.write(" ".join(str(a + b) for a, b in zip(before, numbers)))


def main():
    arguments = sys.argv[1:]
    total = None
    if arguments[:1] == ["--total"]:
        total, arguments = arguments[1], arguments[2:]
    if not arguments:
        sys.exit(__doc__)
    build, extra = arguments[0], arguments[1:]
    log = os.path.join(build, "meson-logs", "testlog.json")
    if os.path.exists(log):
        os.remove(log)

    started = time.monotonic()
    processes = 2 * len(os.sched_getaffinity(0))
    run = subprocess.run(["meson", "test", "-C", build, "--quiet",
                          "--print-errorlogs", "--num-processes",
                          str(processes), *extra],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=False)
    if not os.path.exists(log):
        print(run.stdout)
        sys.exit("tally: no test ran")
    passed = failed = skipped = 0
    with open(log, encoding="utf-8", errors="replace") as file:
        entries = [json.loads(line) for line in file]
    reasons = []
    for entry in entries:
        count = count_test(entry)
        passed += count.passed
        failed += count.failed
        skipped += count.skipped
        reasons += count.reasons
        if count.failed:
            show_failure(entry, count)
    for reason in reasons:
        print(f"skipped: {reason}")
    if run.returncode and not failed:
        print(run.stdout)
        print("tally: meson test failed for another reason")
        failed += 1
    print(f"{len(entries)} programs, {time.monotonic() - started:.0f} s")
    if total:
        add_total(total, (passed, failed, skipped))
    print(summary(passed, failed, skipped), flush=True)
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()

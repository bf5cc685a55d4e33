#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python binding against the libraries of a build: python_test.py BUILD.
Each of its tests is a point, once for each Python that is here: Meson's, and
the system's, which may have another Pydantic."""

import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tap import check, finish, skip, skip_all  # noqa: E402

FOLDER = os.path.join(HERE, "..", "..", "bindings", "python")
TESTS = ("test_abi.py", "test_check.py", "test_functions.py", "test_items.py",
         "test_life.py", "test_models.py", "test_package.py", "test_partial.py",
         "test_run.py", "test_stream.py", "test_tools.py",
         "test_validators.py")
# Runs in the other interpreter; one line of JSON a test.
WALK = """
import json, sys, unittest

class Result(unittest.TestResult):
    def tell(self, test, how, detail=""):
        print(json.dumps([test.id(), how, detail]), flush=True)
    def addSuccess(self, test): self.tell(test, "ok")
    def addSkip(self, test, reason): self.tell(test, "skip", reason)
    def addFailure(self, test, error):
        self.tell(test, "not ok", self._exc_info_to_string(error, test))
    addError = addFailure
    def addSubTest(self, test, part, error):
        if error: self.addFailure(part, error)

for name in sys.argv[2:]:
    unittest.TestLoader().discover(sys.argv[1], name).run(Result())
print(json.dumps(["", "end", ""]))
"""


def sanitizer(build):
    """What a program that is not built with the library's sanitizer loads
    first; None where it is not shared."""
    made = subprocess.run(["ldd", os.path.join(build, "libsurety.so.0")],
                          capture_output=True, text=True, check=False)
    found = re.findall(r"(\S*lib[at]san\S*\.so\S*) \(|=> (\S*lib[at]san\S*) ",
                       made.stdout)
    return " ".join(one or other for one, other in found) or None


def pythons():
    """Interpreters that differ, by their versions and Pydantics."""
    ask = ("import sys\ntry: from pydantic import VERSION\n"
           "except ImportError: VERSION = 'none'\n"
           "print(*sys.version_info[:2], VERSION, sep='.')")
    seen = {}
    for path in (sys.executable, shutil.which("python3"), "/usr/bin/python3"):
        if path and os.path.exists(path):
            made = subprocess.run([path, "-c", ask], capture_output=True,
                                  text=True, check=False, timeout=60)
            version = re.match(r"(\d+)\.(\d+)\.(.*)", made.stdout)
            if version and (int(version[1]), int(version[2])) >= (3, 9):
                seen.setdefault(made.stdout.strip(), path)
    return seen


def walk(python, name, environment):
    made = subprocess.run(
        [python, "-W", "error", "-c", WALK,
         os.path.join(FOLDER, "tests"), *TESTS], capture_output=True, text=True,
        check=False, timeout=400, cwd=FOLDER, env=environment)
    lines = [json.loads(line) for line in made.stdout.splitlines()
             if line.startswith("[")]
    for test, how, detail in lines[:-1]:
        said = f"{test} with {name}"
        if how == "skip":
            skip(said, detail)
        else:
            check(said, how == "ok", detail)
    ended = lines and lines[-1][1] == "end" and made.returncode == 0
    check(f"the tests come to their end with {name}", ended and len(lines) > 50,
          f"exit code {made.returncode}\n{made.stdout[-2000:]}\n"
          f"{made.stderr[-4000:]}")


def main():
    build = os.path.abspath(sys.argv[1])
    environment = {**os.environ, "SURETY_LIBRARY_PATH": build,
                   "PYTHONPATH": os.path.abspath(FOLDER)}
    if os.environ.get("SURETY_SANITIZE", "none") != "none":
        runtime = sanitizer(build)
        if not runtime:
            skip_all("the sanitizer's runtime is not shared")
        environment["LD_PRELOAD"] = runtime
        environment["ASAN_OPTIONS"] = "detect_leaks=0"
        environment["PYTHONMALLOC"] = "malloc"
    for version, python in pythons().items():
        walk(python, f"Python {version}", environment)
        environment["SURETY_TYPES_CHECKED"] = "1"
    finish()


main()

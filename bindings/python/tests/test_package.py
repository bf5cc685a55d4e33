# SPDX-License-Identifier: Apache-2.0
"""The package as its users get it: installed, documented, typed."""

import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import surety

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.dirname(HERE)


def command(*words, **more):
    more.setdefault("timeout", 300)
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("PYTHONPATH", "LD_PRELOAD")}
    environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    return subprocess.run(words, capture_output=True, text=True, check=False,
                          env=environment, **more)


class Package(unittest.TestCase):
    def test_readme(self):
        """Every example runs, in one go."""
        with open(os.path.join(FOLDER, "README.md"),
                  encoding="utf-8") as file:
            text = file.read()
        names = {"print": lambda *_: None}
        examples = re.findall(r"^```python ?(\w*)\n(.*?)^```", text,
                              re.M | re.S)
        self.assertGreater(len(examples), 4)
        for needs, example in examples:
            if needs and not importlib.util.find_spec(needs):
                continue
            code = compile(example, "README.md", "exec")
            exec(code, names)  # pylint: disable=exec-used

    def test_version(self):
        for path, pattern in (
                (os.path.join(FOLDER, "pyproject.toml"),
                 r'^version = "(.*)"'),
                (os.path.join(FOLDER, "..", "..", "meson.build"),
                 r"^  version: '(.*)'")):
            with open(path, encoding="utf-8") as file:
                version = re.search(pattern, file.read(), re.M)[1]
            self.assertEqual(version, surety.__version__, path)

    def test_everything_is_documented(self):
        for name in surety.__all__:
            one = getattr(surety, name)
            if callable(one):
                self.assertTrue(inspect.getdoc(one), name)

    @unittest.skipUnless(shutil.which("mypy"), "mypy is not installed")
    @unittest.skipIf(os.environ.get("SURETY_TYPES_CHECKED"),
                     "it was done with another Python")
    def test_types(self):
        with tempfile.TemporaryDirectory() as cache:
            made = command("mypy", "--strict", "--python-version", "3.9",
                           "--cache-dir", cache, "surety", "tests/typed.py",
                           cwd=FOLDER)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)

    def test_wheel(self):
        """Is the same each time, and has what the package has."""
        spec = importlib.util.spec_from_file_location(
            "build_backend", os.path.join(FOLDER, "build_backend.py"))
        backend = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(backend)
        with tempfile.TemporaryDirectory() as one, \
                tempfile.TemporaryDirectory() as two:
            made = []
            for folder in (one, two):
                name = backend.build_wheel(folder)
                with open(os.path.join(folder, name), "rb") as file:
                    made.append(file.read())
            self.assertEqual(made[0], made[1])
            self.assertEqual(name, "surety-0.1.0-py3-none-any.whl")
            self.assertEqual(backend.build_sdist(one),
                             "surety-0.1.0.tar.gz")

    def test_install(self):
        if not all(map(importlib.util.find_spec, ("venv", "pip",
                                                  "ensurepip"))):
            self.skipTest("there is no venv or pip")
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "v")
            made = command(sys.executable, "-m", "venv", place)
            if made.returncode:
                self.skipTest("no virtual environment can be made")
            copy = os.path.join(folder, "source")
            shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns(
                "__pycache__", "tests"))
            python = os.path.join(place, "bin", "python")
            made = command(python, "-m", "pip", "install", "--no-index",
                           "--no-build-isolation", copy)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            made = command(
                python, "-c", "import surety; print(surety.__file__); "
                "print(surety.extract('so [1]'))", cwd=folder)
            if "LD_PRELOAD" not in os.environ:
                self.assertIn(place, made.stdout, made.stderr)
                self.assertIn("[1]", made.stdout)
            made = command(python, "-m", "pip", "uninstall", "-y", "surety")
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)


if __name__ == "__main__":
    unittest.main()

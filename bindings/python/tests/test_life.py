# SPDX-License-Identifier: Apache-2.0
"""Threads, forks, the end of the interpreter, memory; the libraries that are
the wrong ones."""

import gc
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import surety
from surety import Contract

SCHEMA = {"type": "object", "required": ["a"], "properties": {
    "a": {"type": "integer"}}, "x-surety": {"fallback": {"kind": "null"}}}
RULES = {**SCHEMA, "x-surety": {"rules": [
    {"id": "even", "at": "/a", "expr": ".a % 2 == 0",
     "message": "must be even"}]}}
LIBRARY = os.environ.get("SURETY_LIBRARY_PATH", "")
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(surety.__file__)))


def resident():
    """Bytes of this process that are in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def python(text, **environment):
    """A program in an interpreter of its own."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-X", "dev", "-c", text],
        capture_output=True, text=True, timeout=120, check=False, cwd="/",
        env={**os.environ, "PYTHONPATH": PACKAGE, **environment})


class Memory(unittest.TestCase):
    def every_way(self, contract):
        contract.check('x {"a": 1}').value
        contract.check('{"a": "x"}').errors
        contract.check("{'a': '1'}", repair="align", extract="whole").repairs
        contract.check("", variables={"a": "b"}).report("text")
        try:
            contract.parse('{"a": null}')
        except surety.InvalidReply:
            pass
        for part in contract.stream(['{"a"', ': 1}']):
            part.value
        surety.validate({"type": "integer"}, "x")
        surety.extract("[1]")

    def test_cycles(self):
        """What the collector of cycles frees is not used again."""
        contract = Contract(SCHEMA)
        for _ in range(20):
            made = [contract.check('{"a": 1}') for _ in range(10)]
            for one in made:
                one.itself = one
            del made, one
            gc.collect()
            self.assertTrue(contract.check('{"a": 1}').ok)

    @unittest.skipUnless(os.path.exists("/proc/self/statm"), "no /proc")
    @unittest.skipIf("asan" in os.environ.get("LD_PRELOAD", ""),
                     "the sanitizer keeps what is freed")
    def test_twenty_thousand_checks(self):
        contract = Contract(SCHEMA)
        for _ in range(300):
            self.every_way(contract)
        gc.collect()
        before = resident()
        for _ in range(20000 // 8):
            self.every_way(contract)
        for _ in range(2000):
            Contract(SCHEMA).check('{"a": 1}')
        gc.collect()
        self.assertLess(resident() - before, 3 << 20)

    def test_nothing_waits_for_the_collector(self):
        import weakref
        gc.collect()
        gc.disable()
        try:
            contract = Contract(SCHEMA)
            outcome = contract.check('{"a": 1}')
            stream = contract.stream(['{"a": 1}'])
            list(stream)
            schema = surety.Schema({"$ref": "urn:x"},
                                   documents={"urn:x": {}})
            alive = [weakref.ref(one) for one in (
                contract, outcome, stream, stream.outcome, schema)]
            del contract, outcome, stream, schema
            self.assertEqual([one() for one in alive], [None] * 5)
        finally:
            gc.enable()


class Threads(unittest.TestCase):
    def test_eight(self):
        for schema in (SCHEMA, RULES):
            self.eight(Contract(schema), 300 if schema is SCHEMA else 20)

    def eight(self, contract, times):
        wrong = []

        def work(number):
            for i in range(times):
                even = 2 * (number * times + i)
                good = contract.check(f'{{"a": {even}}}')
                bad = contract.check(f'{{"a": "{even}"}}')
                if good.value != {"a": even} or \
                        f'"{even}" is a string' not in bad.errors[0].message:
                    wrong.append(number)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_one_outcome(self):
        """Read by several at once."""
        contract = Contract(SCHEMA)
        for i in range(50):
            outcome = contract.check(f'{{"a": "{i}"}}')
            told = []
            threads = [threading.Thread(target=lambda: told.append(
                (outcome.errors, outcome.report("text"), outcome.candidate)))
                for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual([one for one in told if one != told[0]], [])
            self.assertEqual(told[0][2], {"a": str(i)})


class Processes(unittest.TestCase):
    def test_fork(self):
        for schema in (SCHEMA, RULES):
            contract = Contract(schema)
            outcome = contract.check('{"a": "x"}')
            children = []
            for _ in range(3):
                child = os.fork()
                if child == 0:
                    code = 1
                    try:
                        if contract.parse('{"a": 2}') == {"a": 2} and \
                                outcome.errors and \
                                not contract.check('{"a": 1.5}').ok:
                            code = 0
                    finally:
                        os._exit(code)
                children.append(child)
            self.assertEqual(contract.parse('{"a": 2}'), {"a": 2})
            for child in children:
                self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_end_of_the_interpreter(self):
        made = python(
            "import surety, threading\n"
            "contract = surety.Contract({'type': 'object'})\n"
            "kept = [contract.check('{') for _ in range(20)]\n"
            "stream = contract.stream(['{', '}'])\n"
            "walk = iter(stream); part = next(walk)\n"
            "schema = surety.Schema({'$ref': 'u:x'}, documents={'u:x': {}})\n"
            "cycle = [kept, contract]; cycle.append(cycle)\n"
            "class Late:\n"
            "    def __del__(self, check=contract.check):\n"
            "        check('{}').value\n"
            "late = Late(); late.self = late\n"
            "mock = surety.Mock({'replies': [{'text': 'x'}]})\n"
            "config = surety.Config(mock.config())\n"
            "threading.Thread(target=lambda: [contract.check('[1') for _ in "
            "range(2000)], daemon=True).start()\n"
            "print(surety.run(None, 'x', models='mock:m', config=config).value)"
            "\n")
        self.assertEqual((made.returncode, made.stdout), (0, "x\n"),
                         made.stderr)
        self.assertEqual(made.stderr, "")


@unittest.skipUnless(LIBRARY, "SURETY_LIBRARY_PATH is not set")
class Libraries(unittest.TestCase):
    def test_absent(self):
        with tempfile.TemporaryDirectory() as folder:
            made = python("import surety", SURETY_LIBRARY_PATH=folder)
            self.assertIn("ImportError: surety needs the shared library",
                          made.stderr)
            self.assertIn(folder, made.stderr)

    def make(self, folder, source):
        path = os.path.join(folder, "x.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        subprocess.run(["cc", "-shared", "-fPIC", path, "-o",
                        os.path.join(folder, "libsurety.so.0")], check=True,
                       timeout=60)

    @unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
    def test_of_another_version(self):
        with tempfile.TemporaryDirectory() as folder:
            for version, said in (
                    ("0.2.0", "this is surety 0.1.0 for Python"),
                    ("1.1.0", "is the library 1.1.0"),
                    ("0.1.9", "has no surety_")):
                self.make(folder, "const char *surety_version(void)"
                          f'{{return "{version}";}}')
                made = python("import surety", SURETY_LIBRARY_PATH=folder)
                self.assertIn("ImportError", made.stderr)
                self.assertIn(said, made.stderr)
            self.make(folder, "int x;")
            made = python("import surety", SURETY_LIBRARY_PATH=folder)
            self.assertIn("is not the library of surety", made.stderr)

    def test_beside_the_package(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(PACKAGE, "surety"),
                            os.path.join(folder, "surety"))
            place = os.path.join(folder, "surety", "libsurety.so.0")
            shutil.copy(os.path.join(LIBRARY, "libsurety.so.0"), place)
            made = python("import surety; print(surety.engine_path); "
                          "print(surety.extract('[1]'))", PYTHONPATH=folder,
                          SURETY_LIBRARY_PATH="")
            self.assertEqual(made.stdout, f"{place}\n[1]\n", made.stderr)

    def test_versions(self):
        self.assertEqual(surety.engine_version.split(".")[:2],
                         surety.__version__.split(".")[:2])


if __name__ == "__main__":
    unittest.main()

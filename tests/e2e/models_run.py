# SPDX-License-Identifier: Apache-2.0
"""How a validation library and surety are compared over the schemas that the
library writes of its models (zod_test.py, pydantic_test.py).

A model comes with its schemas and some valid values. Each valid value is
changed at every path in many ways; both sides judge what comes of it. They must
agree on the verdict, on the resulting value, and on the set of paths with
errors. What they do not agree on must have a row in a table of reasons: `side`
is what the row explains, and its function says whether it explains this one.

    ours   an error of surety in a value that the library takes
    theirs an error of the library in a value that surety takes
    value  a place where the two resulting values differ
    path   a path with errors on one side only

A difference without a reason fails the test, and so does a reason that explains
nothing any more."""

import collections
import decimal
import json
import os
import subprocess
import sys

from cli_run import (ENV, FOLDER, SURETY, check, gives, same, skip, surety,
                     write)
from run_mock import KEYS, Mock, PROTOCOLS

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "docs"))
from document import follow, Reader  # noqa: E402

ABSENT = "(absent)"
NUMBER = (int, float, decimal.Decimal)


class Raw(str):
    """The text of a number, as it is in JSON."""


def text_of(value):
    """Its JSON."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {text_of(v)}"
                               for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(text_of, value)) + "]"
    return json.dumps(value)


# -- values --------------------------------------------------------------------

ANYWHERE = [
    None, True, False, 0, 1, -1, 2, 7, 11, 42, 99, 101, 1.5, 0.1, 0.85, 85,
    -0.25, 19.999, Raw("1.0"), Raw("2.0"), Raw("-0"), Raw("-0.0"), Raw("1e2"),
    Raw("1.5e1"), Raw("1e400"), Raw("-1e400"), Raw("1e-400"), 2147483648,
    9007199254740991, Raw("9007199254740993"),
    Raw("123456789012345678901234567890"), "", " ", "a", "ab", "abc", "abcd",
    "abcdef", "42", "-7", "1.0", "1.5", "1e2", " 42 ", "0x1F", "4_2", "true",
    "True", "yes", "off", "1", "null", "None", "\u0000", "é", "e\u0301", "🎉",
    "🎉🎉", "🎉🎉🎉", "a\n", "a,b", "日本語", "x" * 3000, [], [None], ["a"],
    [1], [[]], [1, 2, 3], {}, {"a": 1}, {"": None}, {"value": 1}]


def near(value):
    """What is nearly value."""
    if isinstance(value, bool):
        return [not value, str(value), str(value).lower(), int(value), [value]]
    if isinstance(value, (int, float)):
        far = Raw(f"{value}e20") if "e" not in str(value) else 0
        return [value + 1, value - 1, value + 0.5, -value, far,
                str(value), f" {value}", f"{value}%", [value], {"n": value}]
    if isinstance(value, str):
        return [value.upper(), value.swapcase(), value + " ", " " + value,
                value[:-1], value[1:], value + "x", "x" + value, value + "🎉",
                value + "\n", value * 2, [value], {"value": value},
                value.replace("-", "_"), value.replace("e", "é")]
    if isinstance(value, list):
        return [value[1:], value[:-1], value[::-1], value + value[-1:],
                value * 6, value + [None], value + ["x"], [value],
                dict(zip("abcdefgh", value)), json.dumps(value)]
    if isinstance(value, dict):
        return [{k: v for k, v in value.items() if k != gone}
                for gone in value] + [
            {(k.upper() if k == up else k): v for k, v in value.items()}
            for up in value] + [
            {**value, "zz": 1}, {**value, "zz": "zz"}, {**value, "": None},
            {**value, "é/~": {}}, dict(reversed(value.items())),
            {"value": value}, [value], json.dumps(value)]
    return []


def places(value, path=()):
    yield path, value
    items = value.items() if isinstance(value, dict) else \
        enumerate(value) if isinstance(value, list) else ()
    for key, member in items:
        yield from places(member, path + (key,))


def put(value, path, new):
    """value with new at path."""
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


def values(samples, texts=()):
    """The texts of samples and of what comes of changing them, each once."""
    found = dict.fromkeys(map(text_of, samples))
    for sample in samples:
        for path, value in places(sample):
            new = near(value) + ANYWHERE
            if isinstance(value, str):
                new = new + list(texts)
            for each in new:
                found.setdefault(text_of(put(sample, path, each)))
            if isinstance(value, dict) and value:
                # The same member twice: the last counts, everywhere.
                twice = "{%s: 1, %s" % (json.dumps(next(iter(value))),
                                        text_of(value)[1:])
                found.setdefault(text_of(put(sample, path, Raw(twice))))
    return list(found)


def at(value, path):
    """What is there in value; ABSENT where nothing does."""
    for key in path:
        if isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return ABSENT
    return value


# -- the two sides -------------------------------------------------------------

class Verdict:
    """What one side says: ok, value, and errors, each a path (a tuple of
    strings) and what broke there; of surety the kinds of its repairs too."""

    def __init__(self, ok, value, errors, repairs=()):
        self.ok, self.value, self.errors = ok, value, errors
        self.repairs = {it["kind"] for it in repairs}

    def paths(self):
        return {path for path, _ in self.errors}


def pointer(text):
    return tuple(part.replace("~1", "/").replace("~0", "~")
                 for part in text.split("/")[1:])


def our_error(error):
    """A missing member is reported where it should be, as libraries do."""
    path = pointer(error["instanceLocation"])
    if error["keyword"] == "required":
        name = error["error"].split('property "', 1)[1]
        path += (name[:name.rindex('" is missing')],)
    return path, error["keyword"]


def ours(name, schema, texts, *options):
    """surety's verdicts on texts, with the schema as it is."""
    file = write(f"{name}.json", schema)
    lines = "".join(json.dumps({"reply": text}) + "\n" for text in texts)
    run = subprocess.run(
        [SURETY, "check", "-c", file, "--jsonl", "--field", "reply",
         "--extract", "whole", "-q", *options], input=lines.encode(),
        capture_output=True, cwd=FOLDER, env=ENV, timeout=300, check=False)
    reports = [json.loads(line) for line in run.stdout.splitlines()]
    if run.returncode not in (0, 1) or len(reports) != len(texts):
        raise RuntimeError(run.stderr.decode(errors="replace"))
    return [Verdict(it["ok"], it["value"], list(map(our_error, it["errors"])),
                    it["repairs"]) for it in reports]


def theirs(command, requests, to_verdict, **options):
    """The library's verdicts: one line a request."""
    lines = "".join(json.dumps(it) + "\n" for it in requests)
    run = subprocess.run([*command, "judge"], input=lines.encode(),
                         capture_output=True, timeout=300, check=False,
                         **options)
    answers = run.stdout.splitlines()
    if run.returncode or len(answers) != len(requests):
        raise RuntimeError(run.stderr.decode(errors="replace")[-2000:])
    return [to_verdict(json.loads(line)) for line in answers]


# -- differences ---------------------------------------------------------------

def alike(one, other):
    """Whether they are the same JSON value; 1 and 1.0 are, 1 and true not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, NUMBER) and isinstance(other, NUMBER):
        return one == other
    return type(one) is type(other) and one == other


def apart(one, other, path=()):
    """Where they differ: (path, one's, other's)."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in {**one, **other}:
            yield from apart(one.get(key, ABSENT), other.get(key, ABSENT),
                             path + (key,))
    elif isinstance(one, list) and isinstance(other, list) and \
            len(one) == len(other):
        for index, pair in enumerate(zip(one, other)):
            yield from apart(*pair, path + (str(index),))
    elif not alike(one, other):
        yield path, one, other


def beyond_double(value):
    """Whether there is a number in it that a double cannot hold: too large,
    too small, or an integer of too many digits."""
    if isinstance(value, dict):
        return any(map(beyond_double, value.values()))
    if isinstance(value, list):
        return any(map(beyond_double, value))
    if isinstance(value, decimal.Decimal):
        near_ = float(value)
        return near_ in (float("inf"), float("-inf")) or \
            (near_ == 0) != (value == 0)
    return isinstance(value, int) and int(float(value)) != value


class Case:
    """One value, and what both say of it. `broke` is what one difference is
    about: a keyword of surety or an error of the library."""

    def __init__(self, model, variant, schema, text, ours_, theirs_):
        self.model, self.variant, self.schema = model, variant, schema
        self.text = text
        self.ours, self.theirs = ours_, theirs_
        self.value = json.loads(text, parse_float=decimal.Decimal)

    def differences(self):
        """(side, path, what): what breaks there, or (theirs, ours)."""
        if self.theirs.ok and not self.ours.ok:
            yield from (("ours", *error) for error in self.ours.errors)
        elif self.ours.ok and not self.theirs.ok:
            yield from (("theirs", *error) for error in self.theirs.errors)
        elif self.ours.ok:
            for path, one, other in apart(self.theirs.value, self.ours.value):
                yield "value", path, (one, other)
        else:
            yield from self.path_differences()

    def path_differences(self):
        """Where one side stops at a value and the other goes into it, as with
        unions, the paths below count as that one."""
        one, other = self.theirs.paths(), self.ours.paths()
        for path in sorted(one ^ other):
            against = other if path in one else one
            if not any(path[:len(it)] == it or it[:len(path)] == path
                       for it in against):
                yield "path", path, ("theirs" if path in one else "ours")

    def at(self, path):
        return at(self.value, path)


class Table:
    """Reasons, and how many values each explains; of `rows` each must explain
    one, of `also` it need not."""

    def __init__(self, rows, also=()):
        self.rows, self.own = [*rows, *also], len(rows)
        self.counts = collections.Counter()
        self.values = 0

    def reason(self, case, side, path, what):
        for name, row_side, explains in self.rows:
            if side in row_side.split() and explains(case, path, what):
                return name
        return None

    def compare(self, name, cases):
        """One point: the two agree on all, but for what has a reason."""
        open_, reasons = [], collections.Counter()
        for case in cases:
            found = {self.reason(case, *it): it for it in
                     case.differences()}
            if None in found:
                open_.append((case.text[:300], found[None]))
            reasons.update(found.keys())
        self.counts.update(reasons)
        self.values += len(cases)
        said = f", {sum(reasons.values())} with a reason" if reasons else ""
        check(f"{name}: {len(cases)} values judged alike{said}", not open_,
              f"{len(open_)} without a reason\n"
              + "\n".join(map(repr, open_[:12])))

    def tell(self, library):
        """Shows the counts."""
        print(f"# {self.values} values, surety and {library}")
        for name in dict.fromkeys(row[0] for row in self.rows):
            print(f"# {self.counts[name]:7} {name}")
        for name in dict.fromkeys(row[0] for row in self.rows[:self.own]):
            check(f"{library}: there is a value with the reason: {name}",
                  self.counts[name])


def compare_models(library, models, variants_of, table, judge):
    """Everything: models with their schemas and valid values, judged by the
    library all at once and by surety under each variant of a schema."""
    asked = [(model["model"], values(model["valid"], model.get("texts") or ()))
             for model in models]
    judged = iter(judge([{"model": name, "text": text}
                         for name, texts in asked for text in texts]))
    for model, (name, texts) in zip(models, asked):
        verdicts = [next(judged) for _ in texts]
        check(f"{name}: its valid values are, for {library}",
              all(it.ok for it in verdicts[:len(model["valid"])]), name)
        for variant, it in variants_of(model["schemas"]).items():
            schema, stride, *options = it
            some = texts[::stride]
            table.compare(f"{name}, {variant}", [
                Case(name, variant, schema, *each) for each in zip(
                    some, ours(name, schema, some, *options),
                    verdicts[::stride])])
    table.tell(library)


# -- prompts -------------------------------------------------------------------

def run_prompts(library, models, without=()):
    """Each model can be shown in each style: the types refer to nothing that
    is not shown, and the example satisfies the schema and hides no member
    behind an empty default. `without`: those no example can be made for."""
    wrong = []
    for model in models:
        name, schema = model["model"], model["schemas"]["input"]
        if "throws" in schema:
            continue
        file = write(f"{name}.json", schema)
        for style in ("json-schema", "typescript", "example"):
            got = surety("prompt", "-c", file, "--style", style, "Do it.")
            fails = got.code and not (style == "example" and name in without)
            if fails or style == "typescript" and "$ref" in got.out:
                wrong.append((name, style, got))
            if style == "example" and not got.code:
                shown = got.out.split("own content:\n")[1]
                value = shown[:json.JSONDecoder().raw_decode(shown)[1]]
                if surety("check", "-c", file, stdin=value).code:
                    wrong.append((name, value))
                if '": []' in value:
                    wrong.append((name, "hides", value))
    check(f"{library}: every model in every style of prompt", not wrong,
          "\n".join(map(repr, wrong[:5])))


# -- over HTTP -----------------------------------------------------------------

def has_run():
    """Whether the tool was built with libsurety-run."""
    return surety("run", "--help").code == 0


def run_asks_again(name, schema, bad, good):
    """With the schema as contract a model is asked again after a bad reply, by
    every protocol, and by prompt alone."""
    if not has_run():
        skip(f"{name} over HTTP", "built without libsurety-run")
        return
    file = write(f"{name}.json", schema)
    for protocol in PROTOCOLS:
        for mode in ("native", "prompt"):
            with Mock({"json": bad}, {"json": good}, strict_schemas=True):
                got = surety("run", "-c", file, "-m", f"m-{protocol}:small",
                             "--mode", mode, "--ledger", "none", "-v",
                             "Do it.", env=KEYS)
            gives(f"{name} over HTTP, {protocol}, {mode}: asked again", got,
                  0, json.dumps(good, separators=(",", ":"),
                                ensure_ascii=False) + "\n", "attempt 2")


def run_all(library, models, protocols):
    """Each model's first value comes through a server that refuses what the
    strict mode of its provider does not take."""
    if not has_run():
        skip(f"{library}: every model over HTTP",
             "built without libsurety-run")
        return
    models = [it for it in models if it["valid"] and
              "throws" not in it["schemas"]["input"]]
    replies = [{"when": {"contains": f"the {it['model']} one"},
                "json": it["valid"][0], "repeat": True} for it in models]
    for protocol in protocols:
        wrong = []
        with Mock(*replies, strict_schemas=True):
            for model in models:
                name = model["model"]
                file = write(f"{name}.json", model["schemas"]["input"])
                got = surety("run", "-c", file, "-m", f"m-{protocol}:small",
                             "--retries", "0", "--ledger", "none",
                             f"the {name} one", env=KEYS)
                if got.code:
                    wrong.append((name, got))
        check(f"{library}: {len(models)} models over HTTP, {protocol}",
              not wrong, "\n".join(map(repr, wrong[:5])))


# -- the guide -----------------------------------------------------------------

GUIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                     "docs", "zod-pydantic.md")


def run_guide(section, programs):
    """Whether what the guide shows in blocks that need `section` is true: each
    command and what it prints. programs: names to commands."""
    with open(GUIDE, encoding="utf-8") as file:
        text = file.read()
    for name, command in {"surety": [SURETY], **programs}.items():
        write(f"bin/{name}", "#!/bin/sh\nexec " + " ".join(
            f"'{word}'" for word in command) + ' "$@"\n')
        os.chmod(os.path.join(FOLDER, "bin", name), 0o755)
    env = ENV | {"PATH": os.path.join(FOLDER, "bin") + ":" + ENV["PATH"]}
    with Reader(FOLDER, env) as reader:
        for point in follow(text, reader, (section,), only=section):
            check(f"docs/zod-pydantic.md:{point.line}: {point.command}",
                  point.holds, f"shown:\n{point.shown}got:\n{point.got}")

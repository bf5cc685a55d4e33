# SPDX-License-Identifier: Apache-2.0
"""Validators of the program: those of models, and functions. The law: what one
refuses is never ok, and what is ok is there with its type."""

import asyncio
import json
import sqlite3
import threading
import unittest
from typing import List, Union

import surety
from surety import Contract, InvalidReply, Misuse, Problem, RunFailed

try:
    import pydantic
except ImportError:
    pydantic = None
TWO = pydantic is not None and pydantic.VERSION.startswith("2")

SCHEMA = {"type": "object", "required": ["a"],
          "properties": {"a": {"type": "integer"},
                         "b": {"type": "string", "default": "x"}}}


def even(value):
    if value["a"] % 2:
        return Problem("must be even", ["a"], "add one")
    return None


async def even_later(value):
    await asyncio.sleep(0)
    return even(value)


class Third:
    """Says yes to the third question."""

    def __init__(self):
        self.asked = 0

    def __call__(self, value):
        self.asked += 1
        return [] if self.asked == 3 else [{"message": "is not it",
                                            "path": "/a", "hint": "think"}]


class Broken(Exception):
    pass


def broken(_):
    raise Broken("no database")


def mock(*values):
    return surety.Mock({"replies": [{"json": one} for one in values],
                        "then": "repeat"})


class Functions(unittest.TestCase):
    def test_check(self):
        contract = Contract(SCHEMA, validators=even)
        outcome = contract.check('So:\n{"b": "y", "a": 3}')
        self.assertFalse(outcome.ok)
        issue = outcome.errors[0]
        self.assertEqual(
            (issue.keyword, issue.instance_location, issue.message, issue.hint,
             issue.line, issue.column),
            ("validator", "/a", "must be even", "add one", 2, 17))
        self.assertEqual(contract.parse('{"a": 4}'), {"a": 4, "b": "x"})
        self.assertEqual(contract.parse('```json\n{"a": 1}\n```\n'
                                        '```json\n{"a": 2}\n```')["a"], 2)
        self.assertIn("must be even", contract.prompt_again("x", outcome))

    def test_what_is_given_back(self):
        for said, count in ((None, 0), (True, 0), ([], 0), (False, 1),
                            ("no", 1), (["no", Problem("not")], 2),
                            ({"message": "no", "path": ["b", 0]}, 1)):
            outcome = Contract(SCHEMA).check('{"a": 1}',
                                             validators=lambda _: said)
            self.assertEqual((len(outcome.errors), outcome.ok),
                             (count, not count))

    def test_what_is_raised(self):
        def refuses(_):
            raise ValueError("not this one")

        def asserts(value):
            assert value["a"] == 1, "a is one"

        outcome = Contract(SCHEMA, validators=[refuses, asserts]).check(
            '{"a": 2}')
        self.assertEqual([one.message for one in outcome.errors],
                         ["not this one", "a is one"])
        with self.assertRaises(InvalidReply):
            outcome.parsed

    def test_errors_of_the_program(self):
        """They come out as they are, and nothing is valid."""
        for function, kind in ((broken, Broken), (lambda _: 5, TypeError),
                               (lambda _: [5], TypeError),
                               (lambda _: {"massage": "x"}, TypeError),
                               (lambda _: {"message": ""}, ValueError),
                               (lambda _: Problem("x", "a"), ValueError),
                               (even_later, Misuse)):
            contract = Contract(SCHEMA, validators=function)
            with self.assertRaises(kind):
                contract.check('{"a": 1}')
            stream = contract.stream()
            stream.feed('{"a": 1}')
            with self.assertRaises(kind):
                stream.finish()
            with mock({"a": 1}) as server, self.assertRaises(kind):
                surety.run(contract, "x", models="mock:m",
                           config=server.config())
        with self.assertRaises(TypeError):
            Contract(SCHEMA, validators=[5])

    def test_within_itself(self):
        """A validator may check another reply."""
        inner = Contract({"type": "integer"})
        outcome = Contract(SCHEMA, validators=lambda value: inner.check(
            str(value["a"])).ok).check('{"a": 1}')
        self.assertTrue(outcome.ok)

    def test_stream(self):
        contract = Contract(SCHEMA, validators=even)
        for value in (1, 2):
            stream = contract.stream([f'{{"a": {value}', "}"])
            for _ in stream:
                pass
            self.assertEqual(stream.outcome.ok, value == 2)

    def test_kept(self):
        """An outcome that gave its judge back is judged again, and no validator
        is asked again."""
        asked = []
        contract = Contract(SCHEMA, validators=asked.append)
        outcome = contract.check('{"a": 1}')
        outcome.settle()
        self.assertIn('"a":1', outcome.report("json"))
        self.assertEqual(len(asked), 1)


class Later(unittest.TestCase):
    def test_same(self):
        """What comes of asynchronous validators is what comes of others."""
        now, later = (Contract(SCHEMA, validators=one)
                      for one in (even, even_later))
        replies = ['{"a": 1}', '{"a": 2}', '{"a": "x"}', "no",
                   '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```']

        async def both():
            for reply in replies:
                one = await later.check_async(reply)
                self.assertEqual(one.report("json"),
                                 now.check(reply).report("json"))
                stream = later.stream()
                stream.feed(reply)
                again = await stream.finish_async()
                self.assertEqual(again.report("json"), one.report("json"))
            self.assertEqual(await later.parse_async('{"a": 2}'),
                             {"a": 2, "b": "x"})
            with self.assertRaises(InvalidReply):
                await later.parse_async('{"a": 1}')
            with self.assertRaises(Broken):
                await now.check_async('{"a": 2}', validators=broken)

        asyncio.run(both())


class Runs(unittest.TestCase):
    def go(self, kind, contract, server, **settings):
        settings = {"models": "mock:m", "config": server.config(), **settings}
        if kind == "now":
            return surety.run(contract, "x", **settings)
        return asyncio.run(surety.run_async(contract, "x", **settings))

    def test_third(self):
        for kind in ("now", "later"):
            for values in (({"a": 1}, {"a": 2}, {"a": 3}), ({"a": 1},)):
                third = Third()
                with mock(*values) as server:
                    result = self.go(kind, Contract(SCHEMA, validators=third),
                                     server)
                self.assertEqual(result.verdict, "valid")
                self.assertEqual((len(result.attempts), third.asked), (3, 3))
                self.assertEqual(result.parsed["a"], len(values))
                self.assertIn("is not it", result.attempts[1].prompt)
                self.assertIn("/a", result.attempts[1].prompt)
                self.assertEqual(result.attempts[0].report["errors"][0]
                                 ["keyword"], "validator")

    def test_never(self):
        for kind, function in (("now", even), ("later", even_later)):
            with mock({"a": 1}) as server:
                result = self.go(kind, SCHEMA, server, validators=function)
            self.assertEqual((result.verdict, len(result.attempts)),
                             ("rejected", 3))
            self.assertFalse(result.outcome.ok)
            with self.assertRaises(RunFailed):
                result.parsed

    def test_consensus(self):
        for kind in ("now", "later"):
            with mock({"a": 1}, {"a": 2}) as server:
                result = self.go(kind, Contract(SCHEMA, validators=even),
                                 server, models=["mock:m", "mock:n"],
                                 consensus="vote")
            self.assertEqual(result.verdict, "valid")
            self.assertEqual(result.parsed["a"], 2)

    def test_thread(self):
        """Functions are called where run was."""
        seen = []
        with sqlite3.connect(":memory:") as database, \
                mock({"a": 1}) as server:
            def known(_):
                seen.append(threading.current_thread())
                database.execute("select 1")

            surety.run(SCHEMA, "x", models="mock:m", validators=known,
                       config=server.config())
        self.assertEqual(seen, [threading.current_thread()])

    def test_cancelled(self):
        async def forever(_):
            await asyncio.sleep(1000)

        async def go(server):
            task = asyncio.ensure_future(surety.run_async(
                SCHEMA, "x", models="mock:m", validators=forever,
                config=server.config()))
            while not server.served:
                await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        with mock({"a": 1}) as server:
            asyncio.run(go(server))


@unittest.skipUnless(TWO, "Pydantic 2 is not installed")
class Models(unittest.TestCase):
    def model(self):
        class Inner(pydantic.BaseModel):
            low: int = pydantic.Field(alias="lowest")
            high: int

            @pydantic.model_validator(mode="after")
            def ordered(self):
                if self.low > self.high:
                    raise ValueError("low is above high")
                return self

            @pydantic.field_validator("low")
            @classmethod
            def positive(cls, value):
                assert value > 0, "must be above 0"
                return value

        class Outer(pydantic.BaseModel):
            name: str = "x"
            ranges: List[Inner]

            @pydantic.model_validator(mode="after")
            def some(self):
                if len(self.ranges) > 2:
                    raise ValueError("too many")
                return self

        return Outer

    def test_places(self):
        """Errors are where the reply has the value, by the names there."""
        contract = Contract(self.model())
        for value, location, column in (
                ([{"lowest": 0, "high": 1}], "/ranges/0/lowest", 24),
                ([{"lowest": 3, "high": 1}], "/ranges/0", 13),
                ([{"lowest": 1, "high": 1}] * 3, "", 1)):
            reply = json.dumps({"ranges": value})
            outcome = contract.check(reply)
            issue = outcome.errors[0]
            self.assertEqual((outcome.ok, issue.keyword,
                              issue.instance_location, issue.column),
                             (False, "validator", location, column))
        made = contract.parse('{"ranges": [{"lowest": 1, "high": 1}]}')
        self.assertEqual(made.ranges[0].low, 1)

    def test_names_of_fields(self):
        class Named(pydantic.BaseModel):
            model_config = pydantic.ConfigDict(loc_by_alias=False)
            low: int = pydantic.Field(alias="lowest")

            @pydantic.field_validator("low")
            @classmethod
            def never(cls, value):
                raise ValueError("no")

        issue = Contract(Named).check('{"lowest": 1}').errors[0]
        self.assertEqual((issue.instance_location, issue.column),
                         ("/lowest", 12))

    def test_unions(self):
        class Cat(pydantic.BaseModel):
            kind: str
            lives: int

            @pydantic.field_validator("lives")
            @classmethod
            def enough(cls, value):
                if value < 1:
                    raise ValueError("is dead")
                return value

        class Owned(pydantic.BaseModel):
            pet: Union[int, Cat]

        outcome = Contract(Owned).check('{"pet": {"kind": "cat", "lives": 0}}')
        self.assertFalse(outcome.ok)
        self.assertEqual({one.instance_location for one in outcome.errors},
                         {"/pet", "/pet/lives"})

    def test_dataclasses(self):
        import dataclasses

        @dataclasses.dataclass
        class Plain:
            a: int

            def __post_init__(self):
                if self.a % 2:
                    raise ValueError("must be even")

        contract = Contract(Plain)
        self.assertEqual(contract.name, "Plain")
        self.assertFalse(contract.check('{"a": 1}').ok)
        self.assertEqual(contract.parse('{"a": 2}'), Plain(2))

    def test_functions_get_instances(self):
        Outer = self.model()
        seen = []
        Contract(Outer, validators=seen.append).parse('{"ranges": []}')
        self.assertEqual(seen, [Outer(ranges=[])])

    def test_run(self):
        """A model_validator takes part in a run."""
        with mock({"ranges": [{"lowest": 3, "high": 1}]},
                  {"ranges": [{"lowest": 0, "high": 1}]},
                  {"ranges": [{"lowest": 1, "high": 1}]}) as server:
            result = surety.run(self.model(), "x", models="mock:m",
                                config=server.config())
        self.assertEqual((result.verdict, len(result.attempts)), ("valid", 3))
        self.assertEqual(result.parsed.ranges[0].high, 1)
        self.assertIn("low is above high", result.attempts[1].prompt)
        self.assertIn("/ranges/0/lowest", result.attempts[2].prompt)
        with mock({"ranges": [{"lowest": 3, "high": 1}]}) as server:
            result = surety.run(self.model(), "x", models="mock:m",
                                config=server.config())
        self.assertEqual((result.verdict, result.ok, len(result.attempts)),
                         ("rejected", False, 3))

    def test_partial(self):
        """A part is ok where the model takes it."""
        contract = Contract(self.model())
        for reply, ok in (('{"ranges": [{"lowest": 1, "high": 2}, ', True),
                          ('{"ranges": [{"lowest": 1, ', False)):
            outcome = contract.check(reply, partial=True)
            self.assertEqual((outcome.partial, outcome.ok), (True, ok))
            if ok:
                self.assertEqual(len(outcome.parsed.ranges), 1)
            else:
                self.assertEqual(outcome.errors[0].instance_location,
                                 "/ranges/0/high")
                with self.assertRaises(InvalidReply):
                    outcome.parsed

    def test_validators_that_break(self):
        class Breaks(pydantic.BaseModel):
            a: int

            @pydantic.field_validator("a")
            @classmethod
            def check(cls, value):
                raise Broken("no database")

        with self.assertRaises(Broken):
            Contract(Breaks).check('{"a": 1}')
        with mock({"a": 1}) as server, self.assertRaises(Broken):
            surety.run(Breaks, "x", models="mock:m", config=server.config())
        self.assertEqual(Contract(Breaks).check('{"a": "x"}').errors[0]
                         .keyword, "type")


if __name__ == "__main__":
    unittest.main()

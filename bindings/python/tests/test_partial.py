# SPDX-License-Identifier: Apache-2.0
"""Values that are not whole, as instances of partial models."""

import asyncio
import dataclasses
import datetime
import json
import sys
import unittest
from typing import (Dict, Generic, List, Literal, Optional, Tuple, TypeVar,
                    Union)

from surety import Contract, Mock, Misuse, RunFailed, run_values

try:
    import pydantic
    from pydantic import BaseModel, Field, TypeAdapter, field_validator
except ImportError:  # there is none, or Pydantic 1
    raise unittest.SkipTest("no Pydantic 2") from None

T = TypeVar("T")


class Author(BaseModel):
    name: str = Field(min_length=3, alias="the-name")
    born: Optional[datetime.date] = None


class Story(BaseModel):
    model_config = {"extra": "forbid"}
    title: str = Field(min_length=4)
    author: Author
    kind: Literal["novel", "tale"]
    rows: List[Author] = []
    more: Dict[str, Author] = {}
    pair: Tuple[int, str] = (1, "")
    either: Union[int, Author] = 1
    next: "Optional[Story]" = None

    @field_validator("title")
    @classmethod
    def refuse(cls, title):
        if title != title.strip():
            raise ValueError("has spaces around it")
        return title


WHOLE = {"title": "A tale", "author": {"the-name": "Ann",
         "born": "1950-02-03"}, "kind": "tale", "rows": [{"the-name": "Bob"},
         {"the-name": "Carl"}], "more": {"a": {"the-name": "Dan"}},
         "pair": [7, "x"], "either": {"the-name": "Eve"},
         "next": {"title": "Another", "author": {"the-name": "Fay"},
                  "kind": "novel"}}


def part_of(model, text):
    """The last part of a stream with this text."""
    return Contract(model).stream().feed(text)


def agrees(part, whole):
    """Whether nothing in a part contradicts the whole."""
    if part is None:
        return True
    if isinstance(part, BaseModel):
        return all(agrees(getattr(part, name), getattr(whole, name))
                   for name in type(part).model_fields)
    if isinstance(part, dict):
        return all(agrees(part[name], whole[name]) for name in part)
    if isinstance(part, (list, tuple)):
        return len(part) <= len(whole) and all(map(agrees, part, whole))
    if isinstance(part, str):
        return whole.startswith(part)
    return part == whole


class Partial(unittest.TestCase):
    def test_a_part(self):
        part = part_of(Story, '{"title": " A", "author": {"born": "19')
        self.assertEqual(part.parsed.title, " A")
        self.assertEqual(type(part.parsed).__name__, "PartialStory")
        self.assertIsNone(part.parsed.author.name)
        self.assertIsNone(part.parsed.author.born)
        self.assertIsNone(part.parsed.rows)
        self.assertIs(part.parsed, part.parsed)
        part = part_of(Story, '{"kind": "no')
        self.assertIsNone(part.parsed.kind)

    def test_nothing_yet(self):
        part = part_of(Story, "")
        self.assertIsNone(part.parsed)
        self.assertIsNone(part.get(lambda story: story.title))

    def test_paths(self):
        part = part_of(Story, '{"title": "A", "rows": [{"the-name": "B')
        for path, value in ((lambda story: story.title, "A"),
                            (lambda story: story.author.name, None),
                            (lambda story: story.rows[0].name, "B"),
                            (lambda story: story.rows[1].name, None),
                            (lambda story: story.more["a"].name, None)):
            self.assertEqual(part.get(path), value)
        if sys.version_info >= (3, 10):
            with self.assertRaises(AttributeError):
                part.get(lambda story: story.titel)

    def test_law(self):
        """Wherever a reply is cut, a part is there and agrees with the whole:
        strings are beginnings, all other members equal or None."""
        whole = Story.model_validate(WHOLE)
        text = json.dumps(WHOLE)
        for end in range(len(text) + 1):
            part = part_of(Story, text[:end])
            self.assertTrue(agrees(part.parsed, whole), text[:end])
        made = part.parsed
        self.assertEqual(made.author.born, datetime.date(1950, 2, 3))
        self.assertEqual(made.next.author.name, "Fay")
        self.assertEqual(made.more["a"].name, "Dan")
        self.assertEqual((made.pair, made.either.name), ((7, "x"), "Eve"))

    def test_what_a_contract_is_made_from(self):
        @dataclasses.dataclass
        class Plain:
            id: int
            of: List[Author]

        class Box(BaseModel, Generic[T]):
            of: T

        class Rows(pydantic.RootModel[List[Author]]):
            pass

        text = '[{"the-name": "Ann"}, {"the-n'
        for source, given, path in (
                (Plain, f'{{"of": {text}', lambda it: it.of[0].name),
                (Box[Author], '{"of": {"the-name": "Ann', lambda it:
                 it.of.name),
                (Rows, text, lambda it: it.root[0].name),
                (TypeAdapter(List[Author]), text, lambda it: it[0].name),
                ({"type": "array"}, text, lambda it: it[0]["the-name"])):
            part = part_of(source, given)
            self.assertEqual(part.get(path), "Ann", source)
            self.assertIsNone(part.get(lambda it: it[9]), source)


class Runs(unittest.TestCase):
    REPLY = {"json": WHOLE, "chunks": 9, "chunk_delay_ms": 2}

    def settings(self, mock, **more):
        return {"models": "mock:m", "mode": "prompt", "ledger": False,
                "config": mock.config(), **more}

    def test_a_loop(self):
        with Mock({"replies": [{**self.REPLY, "json": {
                **WHOLE, "title": "A tale "}}, self.REPLY]}) as mock:
            values = run_values(Story, "x", **self.settings(mock))
            self.assertIsNone(values.result)
            parts = list(values)
        self.assertEqual(values.result.parsed, Story.model_validate(WHOLE))
        self.assertEqual({part.attempt for part in parts}, {1, 2})
        self.assertEqual(parts[-1].value, values.result.value)
        whole = values.result.parsed
        for part in parts:
            if part.attempt == 2:
                self.assertTrue(agrees(part.parsed, whole), part)
        with self.assertRaises(Misuse):
            iter(values)

    def test_an_asynchronous_loop(self):
        async def go(mock):
            values = run_values(Contract(Story), "x", **self.settings(mock))
            return [part async for part in values], values.result

        with Mock({"replies": [self.REPLY]}) as mock:
            parts, result = asyncio.run(go(mock))
        self.assertEqual(parts[-1].get(lambda story: story.next.title),
                         "Another")
        self.assertEqual(result.verdict, "valid")

    def test_no_value_is_no_silent_end(self):
        with Mock({"replies": [{"json": {"title": 1}}]}) as mock:
            with self.assertRaises(RunFailed):
                list(run_values(Story, "x", retries=0,
                                **self.settings(mock)))

    def test_refusals(self):
        for contract, more in ((None, {}), (Story, {"consensus": "vote"})):
            with self.assertRaises(ValueError):
                run_values(contract, "x", models="exec:cat", **more)


if __name__ == "__main__":
    unittest.main()

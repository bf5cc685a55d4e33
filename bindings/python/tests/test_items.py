# SPDX-License-Identifier: Apache-2.0
"""Elements and values while a run goes on, in loops of both kinds."""

import asyncio
import unittest
from contextlib import contextmanager
from decimal import Decimal

import surety
from surety import Contract, Mock, run, run_items

SCHEMA = {"type": "object", "required": ["rows", "n"], "properties": {
    "rows": {"type": "array", "items": {"type": "object", "properties": {
        "id": {"type": "number"}, "unit": {"default": "kg"}}}},
    "n": {"type": "integer", "maximum": 10}}}


def rows(*ids):
    return [{"id": one, "unit": "kg"} for one in ids]


def reply(*ids, n=1, **more):
    return {"json": {"rows": [{"id": one} for one in ids], "n": n},
            "chunks": 8, "chunk_delay_ms": 2, **more}


@contextmanager
def asked(*replies, **settings):
    """The settings of a run of a mock with these replies."""
    with Mock({"replies": list(replies)}) as mock:
        yield {"models": "mock:m", "mode": "prompt", "ledger": False,
               "config": mock.config(), **settings}


class Items(unittest.TestCase):
    def setUp(self):
        self.contract = Contract(SCHEMA, name="test")

    def test_a_loop(self):
        with asked(reply(1, 2, n=11), reply(1, 2, 3)) as settings:
            items = run_items(self.contract, "x", items="/rows", **settings)
            self.assertIsNone(items.result)
            self.assertEqual(list(items), rows(1, 2, 3))
        self.assertEqual(items.result.value["rows"], rows(1, 2, 3))
        self.assertEqual(len(items.result.attempts), 2)
        with self.assertRaises(surety.Misuse):
            iter(items)

    def test_an_asynchronous_loop(self):
        async def go(settings):
            items = run_items(self.contract, "x", items="/rows", **settings)
            return [one async for one in items], items.result

        with asked(reply(1, 2, n=11), reply(1, 2, 3)) as settings:
            got, result = asyncio.run(go(settings))
        self.assertEqual((got, result.verdict), (rows(1, 2, 3), "valid"))

    def test_no_value_is_no_silent_end(self):
        got = []
        with asked(reply(1, 2, n=11), retries=0) as settings:
            items = run_items(self.contract, "x", items="/rows", **settings)
            with self.assertRaises(surety.RunFailed):
                for one in items:
                    got.append(one)
        self.assertEqual((got, items.result.verdict), (rows(1, 2), "rejected"))

    def test_elements_of_a_model(self):
        try:
            from pydantic import BaseModel
        except ImportError:
            self.skipTest("no pydantic")

        class Row(BaseModel):
            id: int
            unit: str

        class Other(BaseModel):
            other: str

        with asked(reply(1, 2), reply(1)) as settings:
            items = run_items(self.contract, "x", items="/rows", item=Row,
                              **settings)
            self.assertEqual(list(items), [Row(id=1, unit="kg"),
                                           Row(id=2, unit="kg")])
            with self.assertRaisesRegex(ValueError, "other"):
                list(run_items(self.contract, "x", items="/rows", item=Other,
                               **settings))
        with self.assertRaises(TypeError):
            run_items(self.contract, "x", items="/rows", item=7)

    def test_leaving_a_loop_cancels(self):
        """The rest of the reply would take hours."""
        slow = reply(*range(30000), chunk_delay_ms=40)
        with asked(slow) as settings:
            for one in run_items(self.contract, "x", items="/rows",
                                 **settings):
                self.assertEqual(one, rows(0)[0])
                break

        async def go(settings):
            items = run_items(self.contract, "x", items="/rows", **settings)
            each = items.__aiter__()
            first = await each.__anext__()
            await each.aclose()
            return first, items.result

        with asked(slow) as settings:
            self.assertEqual(asyncio.run(go(settings)), (rows(0)[0], None))

    def test_events(self):
        heard = []
        with asked(reply(1.5, 2), values=True, items="/rows",
                   on_event=heard.append) as settings:
            result = run(Contract(SCHEMA, name="test", decimals=True), "x",
                         **settings)
        items = [(one.item, one.value) for one in heard if one.kind == "item"]
        values = [one.value for one in heard if one.kind == "value"]
        self.assertEqual(items, list(enumerate(rows(Decimal("1.5"), 2))))
        self.assertIsInstance(items[0][1]["id"], Decimal)
        self.assertGreater(len(values), 2)
        self.assertEqual(values[-1], result.value)

    def test_refusals(self):
        for contract, settings in ((self.contract, {"items": None}),
                                   (None, {"items": "/rows"}),
                                   (self.contract, {"items": "/rows",
                                                    "consensus": "vote"})):
            with self.assertRaises(ValueError):
                list(run_items(contract, "x", models="exec:cat", ledger=False,
                               **settings))
        with self.assertRaises(surety.Misuse):
            list(run_items(self.contract, "x", models="exec:cat",
                           ledger=False, items="/n"))


if __name__ == "__main__":
    unittest.main()

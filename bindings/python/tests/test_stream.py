# SPDX-License-Identifier: Apache-2.0
"""Replies that are still being written."""

import asyncio
import unittest

import surety
from surety import Contract

SCHEMA = {"type": "object", "required": ["a"],
          "properties": {"a": {"type": "integer"},
                         "l": {"items": {"type": "string"}}}}
REPLY = 'Sure: {"a": 12, "l": ["x", "yé"]}'


class Streams(unittest.TestCase):
    def setUp(self):
        self.contract = Contract(SCHEMA)

    def test_any_chunks(self):
        whole = self.contract.check(REPLY)
        data = REPLY.encode()
        for size in (1, 2, 3, 7, 100):
            stream = self.contract.stream(
                data[i:i + size] for i in range(0, len(data), size))
            parts = [(part.value, part.open) for part in stream]
            self.assertEqual(parts[-1], ({"a": 12, "l": ["x", "yé"]}, None))
            self.assertEqual(stream.outcome.report(), whole.report())
            self.assertEqual(stream.outcome.raw, REPLY)

    def test_parts(self):
        stream = self.contract.stream()
        self.assertEqual(stream.part.value, None)
        part = stream.feed('{"a": 1, "l": ["x", "y')
        self.assertEqual((part.value, part.open, part.state),
                         ({"a": 1, "l": ["x", "y"]}, "/l/1", "open"))
        self.assertIsNone(part.finding)
        part = stream.feed('", 5')
        self.assertEqual(stream.feed(", ").state, "refuted")
        self.assertEqual(stream.part.finding.instance_location, "/l/2")
        with self.assertRaises(surety.Misuse):
            part.value
        outcome = stream.finish()
        self.assertFalse(outcome.ok)
        self.assertIs(stream.finish(), outcome)
        with self.assertRaises(surety.Misuse):
            stream.feed("x")

    def test_no_and_runaway(self):
        stream = self.contract.stream(native=True)
        self.assertEqual(stream.feed('["').state, "no")
        stream = self.contract.stream()
        stream.feed('{"a":')
        self.assertEqual(stream.feed(9000 * " ").state, "runaway")

    def test_finish(self):
        with self.contract.stream(partial=True) as stream:
            stream.feed('{"a": 1, "l": ["x"')
            outcome = stream.finish(cut=True)
        self.assertTrue(outcome.partial)
        self.assertEqual(outcome.value, {"a": 1, "l": ["x"]})
        with self.contract.stream() as stream:
            stream.feed("{'a': 1}")
            self.assertFalse(stream.finish().ok)
        with self.contract.stream(repair="syntax") as stream:
            stream.feed("{'a': 1}")
            outcome = stream.finish()
        del stream
        self.assertEqual(outcome.value, {"a": 1})
        self.assertEqual(len(outcome.repairs), 1)
        self.assertIn("re", self.contract.prompt_again("x", outcome))

    def test_async(self):
        async def chunks():
            for chunk in ('{"a"', ": 1", "2}"):
                await asyncio.sleep(0)
                yield chunk

        async def follow():
            stream = self.contract.stream(chunks())
            values = [part.value async for part in stream]
            async with self.contract.stream() as other:
                other.feed('{"a": 1}')
            return values, stream.outcome

        values, outcome = asyncio.run(follow())
        self.assertEqual(values, [{}, {"a": 1}, {"a": 12}])
        self.assertTrue(outcome.ok)

    def test_wrong(self):
        with self.assertRaises(TypeError):
            list(self.contract.stream())
        with self.assertRaises(TypeError):
            self.contract.stream().feed(1)
        with self.assertRaises(TypeError):
            self.contract.stream(nothing=1)
        limited = Contract(SCHEMA, limits={"text_bytes_max": 200})
        with self.assertRaises(surety.Limit):
            limited.stream().feed(201 * "x")


if __name__ == "__main__":
    unittest.main()

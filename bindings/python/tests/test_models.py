# SPDX-License-Identifier: Apache-2.0
"""Contracts from Pydantic's models, of whichever Pydantic there is."""

import unittest
from typing import List, Optional

import surety
from surety import Contract, InvalidReply

try:
    import pydantic
    from pydantic import BaseModel, Field
except ImportError:
    raise unittest.SkipTest("Pydantic is not installed")

TWO = pydantic.VERSION.startswith("2")


class Item(BaseModel):
    name: str
    count: int = Field(ge=0)


class Order(BaseModel):
    """An order."""
    items: List[Item]
    note: Optional[str] = None


def refuse_zero(cls, value):
    if value == 0:
        raise ValueError("must not be nothing")
    return value


if TWO:
    class Checked(BaseModel):
        count: int
        refuse = pydantic.field_validator("count")(classmethod(refuse_zero))
else:
    class Checked(BaseModel):
        count: int
        refuse = pydantic.validator("count", allow_reuse=True)(refuse_zero)

REPLY = 'Here: {"items": [{"name": "a", "count": 2}]}'


class Models(unittest.TestCase):
    def test_instance(self):
        contract = Contract(Order)
        self.assertEqual(contract.name, "Order")
        self.assertIs(contract.model, Order)
        made = contract.parse(REPLY)
        self.assertIsInstance(made, Order)
        self.assertEqual(made, Order(items=[Item(name="a", count=2)]))
        outcome = contract.check(REPLY)
        self.assertEqual(outcome.value["items"], [{"name": "a", "count": 2}])
        self.assertIs(outcome.parsed, outcome.parsed)

    def test_invalid(self):
        with self.assertRaises(InvalidReply) as caught:
            Contract(Order).parse(REPLY.replace("2", "-2"))
        self.assertEqual([one.instance_location
                          for one in caught.exception.errors],
                         ["/items/0/count"])
        self.assertIn("error[minimum]", str(caught.exception))

    def test_validators(self):
        contract = Contract(Checked)
        self.assertTrue(contract.check('{"count": 0}').ok)
        with self.assertRaises(InvalidReply) as caught:
            contract.parse('{"count": 0}')
        error = caught.exception
        self.assertIsInstance(error.__cause__, pydantic.ValidationError)
        self.assertEqual((error.errors[0].keyword,
                          error.errors[0].instance_location),
                         ("model", "/count"))
        self.assertIn("must not be nothing", str(error))

    def test_big(self):
        big = 10 ** 40
        self.assertEqual(Contract(Checked).parse(f'{{"count": {big}}}').count,
                         big)

    def test_repair(self):
        made = Contract(Order).parse("{items: [{name: 'a', count: '2'}]}",
                                     repair="align")
        self.assertEqual(made.items[0].count, 2)

    @unittest.skipUnless(TWO, "Pydantic 1 has no TypeAdapter")
    def test_adapter(self):
        contract = Contract(pydantic.TypeAdapter(List[Item]))
        self.assertEqual(contract.parse('[{"name": "a", "count": 1}]'),
                         [Item(name="a", count=1)])

    def test_run(self):
        with surety.Mock({"replies": [
                {"json": {"items": [{"name": "a", "count": -1}]}},
                {"json": {"items": [{"name": "a", "count": 1}]}}],
                "then": "repeat"}) as mock:
            result = surety.run(Order, "x", models="mock:m",
                                config=mock.config())
            self.assertEqual(result.parsed.items, [Item(name="a", count=1)])
            self.assertEqual(len(result.attempts), 2)
            result = surety.run(Order, "x", models=["mock:m", "mock:n"],
                                config=mock.config(), consensus="vote")
            self.assertEqual(result.parsed.items, [Item(name="a", count=1)])


if __name__ == "__main__":
    unittest.main()

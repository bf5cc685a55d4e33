# SPDX-License-Identifier: Apache-2.0
"""Contracts from Pydantic's models, of whichever Pydantic there is."""

import json
import pickle
import unittest
from typing import List, Optional

import surety
from surety import Contract, InvalidReply

try:
    import pydantic
    from pydantic import BaseModel, Field
    from pydantic.dataclasses import dataclass
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


class Loose(BaseModel):
    count: int
    absent: int = None


class Nested(BaseModel):
    order: Optional[Order] = None
    orders: List[Order]


@dataclass
class Data:
    order: Order
    count: int = 3


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
        """What a validator refuses is not valid, and the report says so."""
        contract = Contract(Checked)
        reply = 'é\n So: {"count": 0}'
        for outcome, place in (
                (contract.check(reply), (2, 16, 18, 1)),
                (contract.check("", native='{"count": 0}'), (1, 11, 10, 1)),
                (contract.check("{'count': '0'}", repair="align"),
                 (1, 11, 10, 3)),
                (contract.check(reply).detach(), (2, 16, 18, 1))):
            self.assertFalse(outcome.ok)
            self.assertEqual(outcome.stage, "validation")
            self.assertIsNone(outcome.value)
            with self.assertRaises(InvalidReply) as caught:
                outcome.parsed
            error = caught.exception
            self.assertIsInstance(error.__cause__, pydantic.ValidationError)
            issue = error.errors[0]
            self.assertEqual((issue.keyword, issue.instance_location,
                              issue[6:]), ("validator", "/count", place))
            self.assertIn("must not be nothing", issue.message)
            report = error.report
            self.assertEqual((report["ok"], report["stage"], report["value"],
                              report["errors"][0]["line"]),
                             (False, "validation", None, place[0]))
            self.assertTrue(Contract("surety/report").check(
                json.dumps(report)).ok)
            self.assertIn("error[validator]: ", str(error))
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((again.errors, again.report, str(again)),
                             (error.errors, report, str(error)))
        told = contract.prompt_again("How many?", contract.check(reply))
        self.assertIn("at /count: ", told)
        self.assertIn("must not be nothing", told)

    def test_defaults(self):
        """The model's own, which are not checked, and are not given."""
        given = Contract(Loose).parse('{"count": 1}')
        self.assertEqual(given, Loose(count=1))
        self.assertIsNone(given.absent)
        self.assertEqual(getattr(given, "model_fields_set" if TWO else
                                 "__fields_set__"), {"count"})
        self.assertEqual(Contract(Loose).parse(
            "{'count': '1', 'absent': 7}", repair="align").absent, 7)

    def test_null(self):
        """Pydantic 1 leaves out of its schema that an Optional takes null."""
        made = Contract(Order).parse('{"items": [], "note": null}')
        self.assertEqual(made, Order(items=[]))
        made = Contract(Nested).parse('{"order": null, "orders": '
                                      '[{"items": [], "note": null}]}')
        self.assertEqual(made.orders, [Order(items=[])])
        with self.assertRaises(InvalidReply):
            Contract(Order).parse('{"items": null}')

    @unittest.skipUnless(TWO, "only Pydantic 2 has a Pydantic 1 inside")
    def test_one_inside_of_two(self):
        from pydantic import v1

        class Kind(type(v1.BaseModel)):
            pass

        class Note(v1.BaseModel, metaclass=Kind):
            text: Optional[str]

        self.assertEqual(Contract(Note).parse('{"text": null}'),
                         Note(text=None))

    def test_looks_like_a_model(self):
        class Like:
            schema = staticmethod(lambda: {"type": "integer"})
            parse_obj = staticmethod(lambda value: [value])

        self.assertEqual(Contract(Like).parse("5"), [5])

    def test_dataclass(self):
        contract = Contract(Data)
        self.assertEqual(contract.name, "Data")
        self.assertEqual(contract.parse('{"order": {"items": []}}'),
                         Data(Order(items=[]), 3))
        self.assertEqual(contract.check('{"order": 1}').errors[0]
                         .instance_location, "/order")

    def test_no_model(self):
        for source in (object, List[int], 5, None):
            with self.assertRaises(TypeError) as caught:
                Contract(source)
            self.assertIn("TypeAdapter", str(caught.exception))

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

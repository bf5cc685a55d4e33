# SPDX-License-Identifier: Apache-2.0
"""Contracts and replies."""

import json
import os
import pathlib
import pickle
import tempfile
import unittest
from decimal import Decimal

import surety
from surety import Contract, InvalidReply

SCHEMA = {"type": "object", "required": ["a"],
          "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}


class Sources(unittest.TestCase):
    def test_each_kind(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.json"
            path.write_text(json.dumps(SCHEMA), encoding="utf-8")
            for source in (SCHEMA, json.dumps(SCHEMA),
                           json.dumps(SCHEMA).encode(), path, str(path)):
                contract = Contract(source)
                self.assertTrue(contract.check('{"a": 1}').ok, source)
                self.assertFalse(contract.check('{"a": "1"}').ok, source)
            self.assertEqual(Contract(path).name, "mine")
            self.assertEqual(Contract("mine", folders=[folder]).name, "mine")
            self.assertIn("mine", [one.name for one in
                                   surety.contracts([folder])])

    def test_built_in(self):
        contract = Contract("trend/analysis@2")
        self.assertEqual((contract.name, contract.version, contract.id),
                         ("trend/analysis", "2.0.0", "trend/analysis@2.0.0"))
        self.assertEqual(contract.document["x-surety"]["name"],
                         "trend/analysis")
        self.assertEqual(Contract(True).parse("[1]"), [1])

    def test_warnings(self):
        text = '{"type": "object",\n "requird": ["a"]}'
        warning, = Contract(text).warnings
        self.assertEqual((warning.location, warning.line, warning.column,
                          warning.offset, warning.length),
                         ("/requird", 2, 2, 20, 9))
        self.assertIn("requird", warning.message)
        self.assertIn("required", warning.hint)
        self.assertIn("/requird", str(warning))
        same = warning._replace(line=None, column=None, offset=None,
                                length=None)
        self.assertEqual(Contract(json.loads(text)).warnings, (same,))
        self.assertEqual(surety.Schema(text).warnings, (warning,))
        self.assertEqual(surety.Schema(json.loads(text)).warnings, (same,))
        self.assertEqual(Contract(SCHEMA).warnings, ())
        self.assertEqual(Contract("trend/analysis").warnings, ())
        for count in (32, 33, 40):
            warnings = Contract({f"no{i}": 1 for i in range(count)}).warnings
            self.assertEqual(len(warnings), min(count, 33))
            self.assertEqual(warnings[31].location, "/no31")
            self.assertEqual([one.message for one in warnings[32:]],
                             [f"{count - 32} more members say nothing"]
                             if count > 32 else [])

    def test_wrong(self):
        with self.assertRaises(surety.NotFound) as caught:
            Contract("trend/analyses")
        self.assertIn("trend/analysis", caught.exception.hint)
        with self.assertRaises(surety.NotFound):
            Contract(pathlib.Path("/nonexistent.json"))
        with self.assertRaises(surety.Syntax) as caught:
            Contract('{\n  "type": "objekt"}')
        error = caught.exception
        self.assertEqual((error.status, error.line, error.column, error.path),
                         ("syntax", 2, 11, "/type"))
        self.assertEqual((error.offset, error.length), (12, 8))
        self.assertIn("objekt", str(error))
        for source, kind in ((12, TypeError), (None, TypeError),
                             (object, TypeError), ({"a": {1}}, TypeError),
                             ({"a": float("nan")}, ValueError)):
            with self.assertRaises(kind):
                Contract(source)

    def test_limits(self):
        contract = Contract(SCHEMA, limits={"text_bytes_max": 200})
        self.assertTrue(contract.check('{"a": 1}' + 192 * " ").ok)
        for _ in range(3):
            with self.assertRaises(surety.Limit) as caught:
                contract.check('{"a": 1}' + 193 * " ")
            self.assertIn("text_bytes_max", caught.exception.message)
        for wrong in ({"text": 1}, {"depth_max": -1}, {"depth_max": 1 << 32},
                      {"depth_max": "1"}):
            with self.assertRaises(ValueError):
                Contract(SCHEMA, limits=wrong)

    def test_documents(self):
        schema = {"$ref": "urn:x:other#/$defs/n"}
        other = {"$defs": {"n": {"type": "integer"}}}
        contract = Contract(schema, documents={"urn:x:other": other})
        self.assertEqual(contract.check('"x"').errors[0].keyword, "type")
        with self.assertRaises(surety.Syntax):
            Contract(schema)
        with self.assertRaises(surety.Syntax):
            Contract(schema, documents={"urn:x:other": "{"})

    def test_pickle(self):
        contract = pickle.loads(pickle.dumps(Contract(SCHEMA, name="x")))
        self.assertEqual((contract.name, contract.parse('{"a": 1}')),
                         ("x", {"a": 1}))
        outcome = Contract(SCHEMA).check('{"a": "x"}')
        again = pickle.loads(pickle.dumps(outcome))
        self.assertEqual(again.errors, outcome.errors)
        self.assertEqual(again.report(), outcome.report())
        with self.assertRaises(surety.SuretyError):
            contract.prompt_again("x", again)


class Outcomes(unittest.TestCase):
    def setUp(self):
        self.contract = Contract(SCHEMA, name="test")

    def test_valid(self):
        outcome = self.contract.check('So: {"a": 1, "b": "x"}.')
        self.assertTrue(outcome.ok and bool(outcome))
        self.assertEqual(outcome.value, {"a": 1, "b": "x"})
        self.assertEqual(outcome.value_json, '{"a":1,"b":"x"}')
        self.assertIs(outcome.value, outcome.value)
        self.assertEqual((outcome.place, outcome.span),
                         ("embedded", (4, 22)))
        self.assertEqual((outcome.stage, outcome.errors, outcome.warnings,
                          outcome.repairs, outcome.open, outcome.derived),
                         (None, (), (), (), None, None))
        self.assertFalse(outcome.fallback or outcome.partial)
        self.assertEqual(outcome.parsed, outcome.value)
        self.assertEqual(outcome.raw, 'So: {"a": 1, "b": "x"}.')

    def test_errors(self):
        outcome = self.contract.check('é\n {"a": "x"}')
        self.assertFalse(outcome)
        self.assertIsNone(outcome.value)
        self.assertEqual(outcome.candidate, {"a": "x"})
        self.assertEqual(outcome.stage, "validation")
        error, = outcome.errors
        self.assertEqual(error, surety.Issue(
            "type", "/a", "/properties/a/type", "#/properties/a/type",
            '"x" is a string, but must be an integer', "", 2, 8, 10, 3))
        # The report has nothing that the outcome has not.
        told = outcome.report()["errors"][0]
        self.assertEqual(
            (told["keyword"], told["instanceLocation"],
             told["keywordLocation"], told["absoluteKeywordLocation"],
             told["error"], told["line"], told["column"], told["offset"],
             told["length"]), error[:5] + error[6:])

    def test_many_errors(self):
        contract = Contract({"items": {"type": "integer"}})
        reply = json.dumps(["x"] * 40)
        outcome = contract.check(reply)
        self.assertEqual(len(outcome.errors), 32)
        self.assertIn("truncated", [one.keyword for one in outcome.warnings])

    def test_reports(self):
        outcome = self.contract.check('{"a": "x"}')
        self.assertIn("r.md:1:7: error[type]", outcome.report("text", "r.md"))
        self.assertIn("\x1b[", outcome.report("color"))
        self.assertIn("(path: a)", outcome.report("plain"))
        self.assertTrue(outcome.report("github").startswith("::error "))
        sarif = json.loads(outcome.report("sarif", "r.md"))
        self.assertEqual(sarif["version"], "2.1.0")
        self.assertEqual(len(sarif["runs"][0]["results"]), 1)
        self.assertEqual(json.loads(outcome.report("json")),
                         outcome.report("dict"))
        self.assertTrue(Contract("surety/report").check(
            outcome.report("json")).ok)
        with self.assertRaises(ValueError):
            outcome.report("xml")
        valid = self.contract.check('{"a": 1}')
        self.assertEqual(
            json.loads(valid.report("sarif"))["runs"][0]["results"], [])

    def test_parse(self):
        with self.assertRaises(InvalidReply) as caught:
            self.contract.parse('{"a": "x"}')
        error = caught.exception
        self.assertIn("reply:1:7: error[type]", str(error))
        self.assertEqual(error.report, error.outcome.report())
        self.assertEqual(error.errors, error.outcome.errors)
        copy = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(copy), copy.errors), (str(error), error.errors))

    def test_repair(self):
        reply = "{'a': '1', b: \"x\"}"
        self.assertFalse(self.contract.check(reply).ok)
        self.assertFalse(self.contract.check(reply, repair="syntax").ok)
        outcome = self.contract.check(reply, repair="align")
        self.assertEqual(outcome.value, {"a": 1, "b": "x"})
        change = [one for one in outcome.repairs if one.cost]
        self.assertEqual([(one.instance_location, one.original, one.read)
                          for one in change], [("/a", '"1"', "1")])
        self.assertEqual((change[0].line, change[0].column), (1, 7))
        self.assertFalse(self.contract.check(reply, repair="align",
                                             certain=True).ok)
        with self.assertRaises(ValueError):
            self.contract.check(reply, repair="all")

    def test_partial(self):
        outcome = self.contract.check('{"a": 1, "b": "x', partial=True)
        self.assertTrue(outcome.partial)
        self.assertEqual((outcome.value, outcome.open),
                         ({"a": 1, "b": "x"}, "/b"))
        self.assertFalse(self.contract.check('{"a": 1, "b": "x').partial)
        self.assertFalse(self.contract.check('[{"a": 1}, {"a"').ok)

    def test_fallback_and_variables(self):
        contract = Contract({**SCHEMA, "x-surety": {"fallback": {
            "kind": "value", "value": {"a": 0, "b": "of ${who}"}}}})
        outcome = contract.check("nothing", variables={"who": "é"})
        self.assertTrue(outcome.fallback and not outcome.ok)
        self.assertEqual(outcome.value, {"a": 0, "b": "of é"})
        self.assertIsNone(contract.check("nothing", fallback=False).value)
        with self.assertRaises(InvalidReply):
            contract.parse("nothing", variables={"who": "x"})

    def test_derive(self):
        contract = Contract({**SCHEMA, "x-surety": {
            "derive": {"double": ".a * 2"}, "rules": [
                {"id": "even", "expr": ".a % 2 == 0", "at": "/a",
                 "message": "must be even"}]}})
        outcome = contract.check('{"a": 4}', derive=True)
        self.assertEqual(outcome.derived, {"double": 8})
        error, = contract.check('{"a": 3}').errors
        self.assertEqual((error.keyword, error.message),
                         ("rules", "must be even"))

    def test_extract_option(self):
        reply = 'x {"a": 1}\n```json\n{"a": 2}\n```\nEND {"a": 3}'
        contract = self.contract
        self.assertEqual(contract.parse(reply), {"a": 2})
        self.assertEqual(contract.parse(reply, extract="embedded"), {"a": 1})
        self.assertEqual(contract.parse(reply, extract=["embedded", "fence"]),
                         {"a": 1})
        self.assertEqual(contract.parse(reply, extract={
            "from": ["marker"], "marker": "END"}), {"a": 3})
        self.assertEqual(contract.parse(reply, extract={
            "from": ["embedded"], "pick": "last"}), {"a": 3})
        think = '<think>{"a": 9}</think>{"a": 1}'
        self.assertEqual(contract.parse(think, extract={
            "from": ["embedded"], "skip_reasoning": False}), {"a": 9})
        for wrong in ("nowhere", "fence,fence", [], {"where": 1},
                      {"pick": "middle"}, "none"):
            with self.assertRaises(ValueError):
                contract.check(reply, extract=wrong)

    def test_forms(self):
        contract = Contract({
            "type": "object", "required": ["id", "title"], "properties": {
                "id": {"type": "integer"}, "title": {"type": "string"}}})
        lines = "**Id:** 7\n**Title:** Lamp"
        call = ("<function=file>\n<parameter=id>\n7\n</parameter>\n"
                "<parameter=title>\nLamp\n</parameter>\n</function>")
        for reply, kind in ((lines, "key-value"), (call, "tool-call")):
            outcome = contract.check(reply, repair="align")
            self.assertEqual(outcome.value, {"id": 7, "title": "Lamp"})
            self.assertEqual([repair.likely for repair in outcome.repairs
                              if repair.kind == kind], [True])
            self.assertTrue(contract.check(reply, repair="align", extract={
                "forms": [kind]}).ok)
            for forms in ([], ["table", "xml"]):
                self.assertFalse(contract.check(
                    reply, repair="align", extract={"forms": forms}).ok)
            self.assertFalse(contract.check(reply, repair="syntax").ok)
        with self.assertRaises(ValueError):
            contract.check(lines, extract={"forms": ["toml"]})

    def test_native(self):
        outcome = self.contract.check("words", native='{"a": 1}')
        self.assertEqual((outcome.value, outcome.place), ({"a": 1}, "native"))

    def test_many_that_are_kept(self):
        kept = [self.contract.check('{"a": "x"}') for _ in range(600)]
        self.assertTrue(all(one.report() == kept[0].report()
                            for one in kept))
        self.assertEqual(len({one.report("text") for one in kept}), 1)
        self.assertEqual(
            self.contract.prompt_again("x", kept[0]),
            self.contract.prompt_again("x", kept[-1]))


class Texts(unittest.TestCase):
    def setUp(self):
        self.any = Contract(True)

    def test_numbers(self):
        big = 10 ** 900 + 7
        self.assertEqual(self.any.parse(f"[{big}, -{big}]"), [big, -big])
        self.assertEqual(self.any.parse("[1.5, 1e2, -0, 1.0]"),
                         [1.5, 100.0, 0, 1.0])
        exact = "0.1000000000000000055511151231257827"
        self.assertEqual(Contract(True, decimals=True).parse(f"[{exact}, 1]"),
                         [Decimal(exact), 1])
        self.assertEqual(self.any.check(f"[{exact}]").value_json,
                         f"[{exact}]")

    def test_keys(self):
        outcome = self.any.check('{"a": 1, "a": 2}')
        self.assertEqual(outcome.value, {"a": 2})
        self.assertEqual([one.keyword for one in outcome.warnings],
                         ["duplicate_key"])

    def test_bytes(self):
        for kind in (bytes, bytearray, memoryview):
            self.assertEqual(self.any.parse(kind(b'["\xc3\xa9"]')), ["é"])
        outcome = self.any.check(b'["\xff"]')
        self.assertEqual(outcome.stage, "json_parse")
        self.assertEqual(outcome.errors[0].offset, 2)
        self.assertIn("�", outcome.report()["raw"])
        # What is around a value need not be text.
        self.assertEqual(self.any.parse(b'\xff\xfe {"a": 1}'), {"a": 1})
        for wrong in (None, 1, ["x"]):
            with self.assertRaises(TypeError):
                self.any.check(wrong)

    def test_surrogates_and_nul(self):
        self.assertEqual(self.any.parse(r'["\ud83d\ude00", "\u0000x"]'),
                         ["😀", "\0x"])
        self.assertFalse(self.any.check(r'["\ud83d"]').ok)
        self.assertFalse(self.any.check('["\ud83d"]').ok)
        self.assertFalse(self.any.check('["\0"]').ok)
        self.assertEqual(self.any.parse('\0 {"a": 1}'), {"a": 1})
        contract = Contract({"properties": {"a\0b": {"const": "c\0d"}}})
        error, = contract.check('{"a\\u0000b": 1}').errors
        self.assertEqual(error.instance_location, "/a\0b")

    def test_nested(self):
        deep = 500 * "[" + '{"k": [1, "x", true, null, 2.5, {}]}' + 500 * "]"

        def check_at(depth):  # Python's own stack is nearly used up
            if depth:
                return check_at(depth - 1)
            return self.any.parse(deep)

        for depth in (0, 700):
            value = check_at(depth)
            for _ in range(500):
                value, = value
            self.assertEqual(value, {"k": [1, "x", True, None, 2.5, {}]})
        self.assertFalse(self.any.check(513 * "[" + 513 * "]").ok)

    def test_empty(self):
        outcome = self.any.check("")
        self.assertEqual((outcome.stage, outcome.place, outcome.span),
                         ("extraction", None, None))
        self.assertEqual(outcome.errors[0].line, None)


class Functions(unittest.TestCase):
    def test_extract(self):
        self.assertEqual(surety.extract("a [1] b"), [1])
        self.assertEqual(surety.extract("[1,]", repair="syntax"), [1])
        with self.assertRaises(InvalidReply):
            surety.extract("nothing")
        found = surety.candidates('> ```json\n> {"a":\n> 1}\n> ```')
        fence = [one for one in found if one.place == "fence"][0]
        self.assertTrue(fence.stripped)
        self.assertEqual(json.loads(fence.text), {"a": 1})
        self.assertEqual(
            [one.place for one in surety.candidates("[1] [2]", "embedded")],
            ["embedded", "embedded"])

    def test_validate(self):
        said = surety.validate({"type": "integer"}, "x")
        self.assertFalse(said)
        self.assertEqual(said.errors[0].keyword, "type")
        self.assertIsNone(said.errors[0].line)
        self.assertFalse(said.output["valid"])
        self.assertTrue(surety.validate(True, {"a": [1, None, "é"]}))
        self.assertFalse(surety.validate(False, None))
        schema = surety.Schema('{"format": "date"}', assert_format=True)
        self.assertFalse(schema.validate("x").valid)
        self.assertTrue(surety.validate({"format": "date"}, "x").valid)
        error, = schema.validate_json('\n "x"').errors
        self.assertEqual((error.line, error.column), (2, 2))
        with self.assertRaises(surety.Syntax):
            schema.validate_json("{")
        self.assertTrue(surety.validate({"items": [{"type": "null"}]},
                                        [None, 1], dialect="7").valid)
        with self.assertRaises(ValueError):
            surety.Schema({}, dialect="3")

    def test_prompts(self):
        contract = Contract(SCHEMA)
        for style in ("json-schema", "typescript", "example"):
            made = contract.prompt("Do it.", style=style)
            self.assertTrue(made.startswith("Do it.\n"), made)
            self.assertIn(contract.instructions(style=style).strip(), made)
        system, prompt = contract.prompt("Do it.", system="Be brief.")
        self.assertEqual(prompt, "Do it.")
        self.assertTrue(system.startswith("Be brief."))
        self.assertTrue(contract.check(json.dumps(contract.example())).ok)
        with self.assertRaises(ValueError):
            contract.prompt("x", style="xml")

    def test_prompt_again(self):
        contract = Contract(SCHEMA)
        outcome = contract.check('{"a": "x", "b": "y"}')
        self.assertIn("must be an integer",
                      contract.prompt_again("Do it.", outcome))
        self.assertNotIn("integer,", contract.prompt_again(
            "Do it.", outcome, feedback="simple"))
        asked = contract.prompt_again("Do it.", outcome, feedback="patch")
        self.assertIn("6902", asked)
        patched = contract.patch(
            outcome, '[{"op": "replace", "path": "/a", "value": 1}]')
        self.assertEqual(patched.value, {"a": 1, "b": "y"})
        with self.assertRaises(surety.Syntax):
            contract.patch(outcome, '[{"op": "remove", "path": "/c"}]')

    def test_strict(self):
        strict = Contract(SCHEMA, name="t").strict("openai")
        self.assertEqual(strict.support, "rewritten")
        self.assertEqual(strict.schema["required"], ["a", "b"])
        self.assertEqual(strict.restore({"a": 1, "b": None}), {"a": 1})
        self.assertTrue(all(note.line for note in strict.notes))
        self.assertEqual(strict.name, "t")

    def test_strict_open_places(self):
        contract = Contract({"type": "object", "properties": {
            "any": {}}, "required": ["any"], "additionalProperties": False})
        strict = contract.strict("openai")
        value = {"any": {"a": ["06", "null", 6, {}]}}
        sent = strict.deliver(value)
        self.assertEqual(sent["any"]["additional_properties"][0]["key"], "a")
        self.assertEqual(strict.restore(sent), value)
        twice = {"any": {"additional_properties":
                         [{"key": "a", "value": 1}] * 2}}
        with self.assertRaises(surety.Syntax):
            strict.restore(twice)
        self.assertIn("comes with this request",
                      contract.instructions(native=strict))
        self.assertIn("satisfies this JSON Schema",
                      contract.instructions(native=True))
        self.assertIn("satisfies this JSON Schema", contract.instructions(
            native=contract.strict("grammar")))
        self.assertEqual(contract.strict("anthropic").support, "impossible")

    def test_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "x.json"), "w",
                      encoding="utf-8") as file:
                json.dump(SCHEMA, file)
            os.environ["SURETY_CONTRACTS"] = folder
            try:
                self.assertEqual(Contract("x").name, "x")
            finally:
                os.environ["SURETY_CONTRACTS"] = ""


if __name__ == "__main__":
    unittest.main()

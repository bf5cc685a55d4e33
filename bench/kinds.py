# SPDX-License-Identifier: Apache-2.0
"""One reply for each kind of repair of docs/repair.md, and its value, for
repair.py: what peers make of it."""

import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
DEF = os.path.join(HERE, "..", "src", "json", "repairs.def")

KINDS = [
    ("odd-space", '{"a":\xa01}', {'a': 1}),
    ("comment", '{"a": 1 /* so */}', {'a': 1}),
    ("comment", '{"a": 1 # so\n}', {'a': 1}),
    ("trailing-comma", '[1, 2,]', [1, 2]),
    ("doubled-comma", '[1,, 2]', [1, 2]),
    ("missing-comma", '{"a": 1\n"b": 2}', {'a': 1, 'b': 2}),
    ("missing-comma", '[1 2]', [1, 2]),
    ("semicolon", '{"a": 1; "b": 2}', {'a': 1, 'b': 2}),
    ("missing-colon", '{"a" 1}', {'a': 1}),
    ("equals-sign", '{"a" = 1}', {'a': 1}),
    ("full-width", '｛"a"：1｝', {'a': 1}),
    ("single-quote", "{'a': 'it\\'s'}", {'a': "it's"}),
    ("backtick", '{"a": `x`}', {'a': 'x'}),
    ("smart-quote", '{“a”: “b”}', {'a': 'b'}),
    ("triple-quote", '{"a": """b"""}', {'a': 'b'}),
    ("doubled-quote", '{""id"": ""a""}', {'id': 'a'}),
    ("html-entity", '{&quot;id&quot;: 7}', {'id': 7}),
    ("fence", '{"code": ```\nx\n```}', {'code': 'x'}),
    ("block-quote", '> {\n> "id": 12\n> }', {'id': 12}),
    ("string-prefix", '{"a": r"\\d"}', {'a': '\\d'}),
    ("string-concatenation", '{"a": "b" + "c"}', {'a': 'bc'}),
    ("unquoted-key", '{id: 1}', {'id': 1}),
    ("unquoted-key", '{first name: "a"}', {'first name': 'a'}),
    ("unquoted-value", '{"state": in progress}', {'state': 'in progress'}),
    ("constructor", '{"a": ObjectId("5f")}', {'a': '5f'}),
    ("call", "Ticket(id=12, title='Lamp')", {'id': 12, 'title': 'Lamp'}),
    ("pairs", "OrderedDict([('id', 12)])", {'id': 12}),
    ("hash", "['id' => 12]", {'id': 12}),
    ("symbol", '{:id => 12}', {'id': 12}),
    ("missing-quote", '{"a: 1, "b": 2}', {'a': 1, 'b': 2}),
    ("unescaped-quote", '{"a": "say "hi" now"}', {'a': 'say "hi" now'}),
    ("control-character", '{"a": "x\ny"}', {'a': 'x\ny'}),
    ("invalid-escape", '{"a": "\\d+"}', {'a': '\\d+'}),
    ("invalid-escape", '{"a": "C:\\users"}', {'a': 'C:\\users'}),
    ("invalid-escape", '{"a": "D:\\new\\data"}', {'a': 'D:\\new\\data'}),
    ("invalid-escape", '{"a": "\\(\\frac{a}{b}\\)"}',
     {'a': '\\(\\frac{a}{b}\\)'}),
    ("line-continuation", '{"a": "one \\\ntwo"}', {'a': 'one two'}),
    ("lone-surrogate", '{"a": "\\ud83d"}', {'a': '\ufffd'}),
    ("python-literal", '{"a": True, "b": None}', {'a': True, 'b': None}),
    ("js-literal", '{"a": undefined}', {'a': None}),
    ("js-literal", '{"a": NaN}', {'a': None}),
    ("number-form", '{"a": .5, "b": 0x1F}', {'a': 0.5, 'b': 31}),
    ("number-form", '{"a": 1_000}', {'a': 1000}),
    ("set", "{'a', 'b'}", ['a', 'b']),
    ("tuple", '{"a": (1, 2)}', {'a': [1, 2]}),
    ("ellipsis", '[1, 2, ...]', [1, 2]),
    ("missing-close", '{"a": [1, 2}', {'a': [1, 2]}),
    ("number-at-end", '{"id": 12', {'id': 12}),
    ("extra-close", '{"a": 1}}', {'a': 1}),
    ("extra-close", '{"a": {"b": 1}, "c": 2}}', {'a': {'b': 1}, 'c': 2}),
    ("wrong-close", '{"a": [1, 2}}', {'a': [1, 2]}),
    ("double-braces", '{{"a": 1}}', {'a': 1}),
    ("braces-missing", '"a": 1, "b": 2', {'a': 1, 'b': 2}),
    ("escaped-json", '{\\"a\\": 1}', {'a': 1}),
    ("wrapper", 'const x = {"a": 1};', {'a': 1}),
    ("byte-order-mark", '\ufeff{"a":1}', {'a': 1}),
    ("tool-call",
     '<function=f>\n<parameter=city>\nOslo\n</parameter>\n</function>',
     {'city': 'Oslo'}),
    ("yaml", '```yaml\nid: 7\nlabels: [a, b]\n```',
     {'id': 7, 'labels': ['a', 'b']}),
    ("table", '| id | title |\n|---|---|\n| 7 | Lamp |',
     [{'id': 7, 'title': 'Lamp'}]),
    ("csv", 'id,title\n7,Lamp\n8,Sink',
     [{'id': 7, 'title': 'Lamp'}, {'id': 8, 'title': 'Sink'}]),
    ("key-value", '**Id:** 7\n**Title:** Lamp', {'id': 7, 'title': 'Lamp'}),
    ("xml", '<t><id>7</id><title>Lamp</title></t>',
     {'id': 7, 'title': 'Lamp'}),
]


def contract(value):
    if isinstance(value, dict):
        return {"type": "object", "required": list(value),
                "properties": {name: contract(of)
                               for name, of in value.items()}}
    if isinstance(value, list):
        return {"type": "array", "items": contract(value[0])}
    names = {bool: "boolean", int: "integer", float: "number", str: "string"}
    return {"type": names.get(type(value), "null")}


def cases():
    """Fails where a kind is missing; what a peer reads has no invalid UTF-8."""
    with open(DEF, encoding="utf-8") as file:
        names = re.findall(r'^X\(\w+, "([^"]+)"', file.read(), re.M)
    missing = set(names) - {kind for kind, _, _ in KINDS} \
        - {"invalid-utf8"}
    if missing:
        raise SystemExit(f"bench/kinds.py: no reply for {sorted(missing)}")
    return [{"shape": kind, "reply": reply, "value": value,
             "contract": contract(value)} for kind, reply, value in KINDS]

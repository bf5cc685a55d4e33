# SPDX-License-Identifier: Apache-2.0
"""Contracts that are hard to say in C, each with values that its types must
hold: (name, schema, values). The name is the contract's and the type's."""


def thing(properties, **more):
    return {"type": "object", "properties": properties, **more}


TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def tower(levels, word=None):
    """Objects in each other, and a value of it."""
    schema, value = TEXT, "x"
    for i in range(levels):
        name = word or f"d{i}"
        schema = thing({name: schema}, required=[name])
        value = {name: value}
    return schema, value


def nest(levels):
    """Arrays in each other, and a value of it."""
    schema, value = WHOLE, 1
    for _ in range(levels):
        schema, value = {"type": "array", "items": schema}, [value]
    return schema, value


NAMES = ["class", "int", "new", "default", "this", "errno", "NULL", "bool",
         "and", "x", "X", "foo-bar", "foo_bar", "fooBar", "Foo Bar", "", "1st",
         "größe", "名前", "_a", "__b", "a b", "a.b", "has_x", "x_count", "é",
         "value_t", "stdin", "kind", "as", "others", "others_count", "*/",
         "/*", "??/", "a\0b", "\u202e", "unused", "major", "_T", "__FILE__"]
A, C, D = "a" * 10000, "c" * 10000, "d" * 10000
KINDS = ["string", "integer", "boolean", "number"]
WIDE = {f"p{i}": {"type": KINDS[i % 4]} for i in range(5000)}
WIDE_VALUE = {f"p{i}": ["a", 1, True, 0.5][i % 4]
              for i in range(4999, -1, -1)}
NODE = thing({
    "v": WHOLE,
    "next": {"$ref": "#/$defs/node"},
    "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}},
    "by": {"type": "object",
           "additionalProperties": {"$ref": "#/$defs/node"}},
    "maybe": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
}, required=["v"])
PART = {"oneOf": [
    thing({"type": {"const": "text"}, "text": TEXT},
          required=["type", "text"]),
    thing({"type": {"const": "image"}, "url": TEXT,
           "size": {"type": ["integer", "null"]}},
          required=["type", "url"])]}
UNIONS = thing({
    "c": {"type": "array", "items": PART},
    "u": {"type": ["string", "integer", "boolean", "array", "object"]},
    "n": {"anyOf": [{"type": "number"}, TEXT, {"type": "null"}]},
    "o": {"anyOf": [{"enum": ["a", "b"]}, TEXT]},
    "l": {"type": "array", "items": {"type": ["string", "null"]}},
    "m": {"type": "object", "additionalProperties": {
        "type": ["integer", "null", "string"]}},
}, required=["c", "u", "n"])
ALIKE = thing({"v": {"anyOf": [
    thing({"x": {"type": "string", "maxLength": 2}}, required=["x"]),
    thing({"x": {"type": "string", "minLength": 3}, "y": WHOLE},
          required=["x"])]}}, required=["v"])
DEEP, DEEP_VALUE = tower(12)
SAME, SAME_VALUE = tower(40, "same")
LONG = "a_member_of_words_that_is_long_as_members_may_be"
NESTED, NESTED_VALUE = nest(60)

ZOO = [
    ("names", thing({name: TEXT for name in NAMES}, required=["class"]),
     [{"class": "a", "": "b", "名前": "c", "a\0b": "d", "x": "1", "X": "2",
       "has_x": "3"}]),
    ("long", thing({A: WHOLE, A + "a": WHOLE,
                    "b": thing({C: {"enum": [D, D[1:]]}})}),
     [{A: 1, A + "a": 2, "b": {C: D[1:]}}]),
    ("recursive", {"$defs": {"node": NODE}, "$ref": "#/$defs/node"},
     [{"v": 1, "next": {"v": 2}, "kids": [{"v": 3, "kids": []}, {"v": 4}],
       "by": {"a": {"v": 5, "maybe": None}}, "maybe": {"v": 6}}]),
    ("unions", UNIONS,
     [{"c": [{"type": "text", "text": "x"},
             {"type": "image", "url": "u", "size": None},
             {"type": "image", "url": "u"}],
       "u": 5, "n": None, "o": "b", "l": ["a", None],
       "m": {"k": None, "j": "s", "i": 4}},
      {"c": [], "u": [1, "a"], "n": 1.5, "o": "zzz", "l": []},
      {"c": [], "u": {"q": 1}, "n": "s"}, {"c": [], "u": True, "n": 0}]),
    ("alike", ALIKE,
     [{"v": {"x": "ab", "y": 3}}, {"v": {"x": "abcd", "y": 3}}]),
    ("root-array", {"type": "array", "items": thing({"a": WHOLE})},
     [[{"a": 1}, {}], []]),
    ("root-string", {"type": ["string", "null"]}, ["x", None]),
    ("root-enum", {"enum": ["a", "b", None]}, ["a", None]),
    ("root-const", {"const": {"a": 1}}, [{"a": 1}]),
    ("root-any", True, [{"a": 1}, None, 3]),
    ("root-union", {"anyOf": [WHOLE, {"type": "array", "items": {
        "type": "array", "items": {"type": "number"}}}]},
     [4, [[1, 2.5], []]]),
    ("root-map", {"type": "object", "additionalProperties": {
        "type": "array", "items": WHOLE}}, [{"a": [1, 2], "b": []}]),
    ("never", thing({"a": False}), [{}]),
    ("tuples", thing({
        "t": {"type": "array", "prefixItems": [TEXT, WHOLE], "minItems": 1},
        "p": {"type": "array", "prefixItems": [{"type": "number"}] * 2,
              "items": False, "minItems": 2}}, required=["p"]),
     [{"t": ["a", 1, "z", None], "p": [1.5, 2]}, {"t": ["a"], "p": [0, 0]}]),
    ("patterns", thing({"id": TEXT}, patternProperties={"^x-": WHOLE},
                       additionalProperties=False),
     [{"id": "a", "x-1": 1, "x-2": 2}]),
    ("any-patterns", thing(
        {"id": TEXT}, unevaluatedProperties=False,
        **{"$ref": "#/$defs/more", "$defs": {"more": {"patternProperties": {
            "^x-": True, "^y-": {}}}}}), [{"id": "a", "x-1": 1, "y-2": "b"}]),
    ("rest", thing({"id": TEXT},
                   additionalProperties=thing({"q": {"type": "boolean"}})),
     [{"id": "a", "z": {"q": True}, "y": {}}]),
    ("maps", thing({
        "mm": {"type": "object", "additionalProperties": {
            "type": "object", "additionalProperties": TEXT}},
        "ll": {"type": "array", "items": {"type": "array", "items": {
            "type": "object", "additionalProperties": WHOLE}}}}),
     [{"mm": {"a": {"b": "c"}}, "ll": [[{"a": 1}], []]}]),
    ("map-of-maps", {"type": "object", "additionalProperties": {"$ref": "#"}},
     [{}, {"a": {}, "b": {"c": {"d": {}}}}]),
    ("list-of-lists", {"type": "array", "items": {"$ref": "#"}},
     [[], [[], [[[]], []]]]),
    ("each-other", {
        "$ref": "#/$defs/m", "$defs": {
            "m": {"type": "object", "additionalProperties": {
                "$ref": "#/$defs/l"}},
            "l": {"type": "array", "items": {"anyOf": [
                {"$ref": "#/$defs/m"}, {"$ref": "#/$defs/l"}, TEXT]}},
        }}, [{}, {"a": [], "b": ["x", {"c": [["y"]]}, []]}]),
    ("maps-in-maps", {
        "$ref": "#/$defs/a", "$defs": {
            "a": {"type": "object", "additionalProperties": {
                "$ref": "#/$defs/b"}},
            "b": {"type": "object", "additionalProperties": {
                "$ref": "#/$defs/a"}},
        }}, [{}, {"a": {}, "b": {"c": {"d": {"e": {}}}}}]),
    ("numbers", thing({
        "big": {"type": "integer", "minimum": 0,
                "maximum": 18446744073709551615},
        "huge": {"type": "integer", "maximum": 10 ** 30},
        "i": WHOLE, "e": {"enum": [1, 2, 3]}, "f": {"enum": [1, 2.5]},
        "b": {"enum": [True]}, "d": {"const": 5}}),
     [{"big": 18446744073709551615, "huge": 123456789012345678901234567890,
       "i": -9223372036854775808, "e": 2, "f": 2.5, "b": True, "d": 5},
      {"i": 1.0, "huge": -5}]),
    ("comments", thing({
        "a": {"type": "string", "description": "*/ int x; /*",
              "deprecated": True},
        "e": {"enum": ["*/", "\"", "\\", "??/", "\n", "", "é", "\u202e", "a",
                       "A", "a "], "description": "line\nline"}},
        description="a */ b /* c ??/ \\ // \u202e x\n\n" + "w" * 200 + " */"),
     [{"a": "1", "e": "*/"}, {"e": ""}, {"e": "\u202e"}]),
    ("defaults", thing({
        "a": {"type": "array", "items": TEXT, "default": ["x", "y"]},
        "b": thing({"c": {"type": "integer", "default": 3}}, default={}),
        "bad": {"type": "integer", "default": "no"},
        "n": {"type": ["string", "null"], "default": None},
        "e": {"enum": ["p", "q"], "default": "q"}}),
     [{"bad": 1, "b": {"c": 9}}, {"a": [], "b": {}, "n": "s", "bad": 2}]),
    ("constants", thing({
        "o": thing({"k": {"const": "a"}}, required=["k"],
                   additionalProperties=False),
        "p": {"type": "object", "additionalProperties": False},
        "q": thing({"k": {"const": None}})}),
     [{"o": {"k": "a"}, "p": {}, "q": {"k": None}}, {"q": {}}]),
    ("merged", {"allOf": [thing({"a": TEXT}, required=["a"]),
                          {"properties": {"b": WHOLE}},
                          {"$ref": "#/$defs/c"}],
                "$defs": {"c": {"properties": {
                    "a": {"minLength": 1}, "c": {"type": "boolean"}}}}},
     [{"a": "x", "b": 2, "c": True}]),
    ("beside", thing({"id": TEXT}, required=["id"], oneOf=[
        {"properties": {"kind": {"const": "x"}, "xx": WHOLE},
         "required": ["kind"]},
        {"properties": {"kind": {"const": "y"}, "yy": TEXT},
         "required": ["kind"]}]),
     [{"id": "1", "kind": "x", "xx": 3}, {"id": "1", "kind": "y", "yy": "s"}]),
    ("required", thing({"a": TEXT, "b": TEXT},
                       anyOf=[{"required": ["a"]}, {"required": ["b"]}]),
     [{"a": "x"}, {"b": "x"}]),
    ("two-unions", thing({"p": {
        "anyOf": [thing({"a": {"const": 1}}), TEXT],
        "oneOf": [thing({"b": WHOLE}), {"type": "string", "minLength": 1}]}}),
     [{"p": {"a": 1, "b": 2}}, {"p": "x"}]),
    ("untyped", {"properties": {"a": {"minLength": 2},
                                "b": {"minimum": 2, "minLength": 2}, "c": {}}},
     [{"a": "xx", "b": "xx", "c": [1]}]),
    ("conditional", thing({"a": TEXT}, **{
        "x-surety": {"unknown": "strip"},
        "if": {"properties": {"a": {"const": "z"}}},
        "then": {"properties": {"b": WHOLE}}}), [{"a": "z", "b": 3}]),
    ("stripped", thing({"a": TEXT, "o": {"type": "object"}},
                       **{"x-surety": {"unknown": "strip"}}),
     [{"a": "z", "o": {"k": 1}}]),
    ("deep", DEEP, [DEEP_VALUE]),
    ("nested", NESTED, [NESTED_VALUE]),
    ("wide", thing(WIDE), [WIDE_VALUE, {}]),
    ("same-words", thing({
        "a": thing({"item": thing({"status": {"enum": ["x", "y"]}})}),
        "b": thing({"item": thing({"status": {"enum": ["x", "z"]}})}),
        "read": thing({"q": WHOLE}), "text": {"enum": ["name", "of", "kind"]},
        "types": thing({"x": {"type": "null"}})}),
     [{"a": {"item": {"status": "y"}}, "b": {"item": {"status": "z"}},
       "read": {"q": 1}, "text": "of", "types": {"x": None}}]),
    ("lists", thing({"u": {"anyOf": [
        {"type": "array", "items": TEXT},
        {"type": "object", "additionalProperties": TEXT},
        {"type": "array", "prefixItems": [WHOLE], "minItems": 1}]}}),
     [{"u": ["a"]}, {"u": {"a": "b"}}, {"u": [1, 2]}]),
    ("dynamic", {"$id": "https://surety.test/tree", "$dynamicAnchor": "n",
                 **thing({"v": WHOLE, "c": {"type": "array", "items": {
                     "$dynamicRef": "#n"}}})},
     [{"v": 1, "c": [{"v": 2, "c": []}]}]),
    ("enums", thing({"e": {"enum": [{"a": 1}, [2]]},
                     "m": {"enum": ["a", 1, None, True]}}),
     [{"e": [2], "m": 1}, {"e": {"a": 1}, "m": None}, {"m": "a"}]),
    ("draft-4", {"$schema": "http://json-schema.org/draft-04/schema#",
                 "definitions": {"t": thing({"a": WHOLE})},
                 **thing({"t": {"$ref": "#/definitions/t"},
                          "l": {"type": "array", "items": [
                              TEXT, {"$ref": "#/definitions/t"}]}})},
     [{"t": {"a": 1}, "l": ["x", {"a": 2}]}]),
    ("nothing", thing({"n": {"type": "null"},
                       "l": {"type": "array", "items": {"type": "null"}},
                       "c": {"type": "array", "items": {"const": "q"}}}),
     [{"n": None, "l": [None], "c": ["q"]}, {}]),
    # Words of C and C++ with "_count" and its like; members called as types.
    ("reserved", thing({
        "class": {"type": "array", "items": TEXT}, "has_class": WHOLE,
        "new": {"type": ["integer", "null"]}, "size_t": {"enum": ["a", "b"]},
        "alignas": TEXT, "_Alignas": TEXT, "st_atime": WHOLE,
        "surety_str": TEXT, "surety_val": {}, "surety_typed_entry": TEXT,
        "zoo_reserved_color": {"$ref": "#/$defs/color"},
        "last": {"$ref": "#/$defs/color"}},
        **{"$defs": {"color": {"enum": ["red", "blue"]}}}),
     [{"class": ["a"], "has_class": 1, "new": None, "size_t": "b",
       "alignas": "c", "surety_str": "d", "last": "red", "more": 1}, {}]),
    # What a type is called, and a function of a derived member.
    ("functions", thing({
        "a": {"$ref": "#/$defs/derive_total"}, "b": {"$ref": "#/$defs/read"}},
        **{"$defs": {"derive_total": thing({"x": WHOLE}),
                     "read": thing({"y": WHOLE})},
           "x-surety": {"derive": {"total": ".a.x", "a b": "1", "a_b": "2",
                                   "": "3"}}}),
     [{"a": {"x": 1}, "b": {"y": 2}}]),
    ("functions-text", thing({"a": TEXT}), [{"a": "x"}]),
    ("surety-buf", thing({"a": {"$ref": "#/$defs/surety_doc"}},
                         **{"$defs": {"surety_doc": thing({"x": WHOLE})}}),
     [{"a": {"x": 1}}]),
    # {} stands for a schema, whose "items" is {} where it is absent.
    ("endless", {"$ref": "#/$defs/schema", "$defs": {"schema": thing({
        "items": {"anyOf": [{"$ref": "#/$defs/schema"},
                            {"type": "array", "items": {
                                "$ref": "#/$defs/schema"}}], "default": {}},
        "title": TEXT,
        "rest": {"type": "array", "items": {"$ref": "#/$defs/schema"},
                 "default": [{}]}})}},
     [{"title": "x", "items": {"items": {"title": "y"}}}]),
    ("whole-words", thing({"p": {"enum": [18446744073709551615, 0]},
                           "q": {"enum": [-9223372036854775808, 1]},
                           "r": {"enum": [2 ** 64, 1]},
                           "s": {"type": "integer", "exclusiveMinimum": -1,
                                 "maximum": 2 ** 64 - 1}}),
     [{"p": 2 ** 64 - 1, "q": -2 ** 63, "r": 2 ** 64, "s": 2 ** 64 - 1}]),
    # Lines that are wider than 80 columns as they come.
    ("wide-lines", thing({
        "a": {"type": "string", "description": "See " + "w" * 71},
        "b": {"type": "string", "description": "w" * 200 + " and so on"},
        "c": {"type": "string", "description": "é" * 300},
        "d": {"type": "string", "description": "名前 " * 60},
        LONG: thing({LONG: thing({LONG: {"enum": ["a", "b"],
                                         "deprecated": True}})},
                    additionalProperties=thing({LONG: TEXT})),
        "map-" + LONG: {"type": "object", "additionalProperties": {
            "$ref": "#"}}}),
     [{"a": "x", LONG: {LONG: {LONG: "a"}, "q": {LONG: "b"}}}]),
    ("same-word", SAME, [SAME_VALUE]),
]

# What no C type says of them: contract, pointer, the words of the note.
NOTES = [
    ("numbers", "/properties/huge", "no integer in C has this range"),
    ("defaults", "/properties/bad/default", "does not allow the default"),
    ("two-unions", "/properties/p", "two unions apply to one value"),
    ("untyped", "/properties/b", "the keywords constrain several"),
    ("enums", "/properties/e/enum", "arrays or objects for values"),
    ("endless", "/$defs/schema/properties/items/default", "without end"),
    ("endless", "/$defs/schema/properties/rest/default", "without end"),
    ("whole-words", "/properties/r", "no integer in C has this range"),
]

# SPDX-License-Identifier: Apache-2.0
"""Replies that nothing was tuned to, for repair.py: a random value of one of
six contracts, written with two to four mistakes of models at once. Each comes
from its own seed, and by construction the reply means the value. cases(COUNT)
gives COUNT of each contract and number of mistakes. What fails here is not
mended by looking at it, so the set stands for the replies of a user."""

import json
import random

WORDS = ["Oslo", "blue lamp", "it's late", "a, b and c", "50 % off", "Zoë",
         "see [2]", "yes: no", "Müller & Co.", "room 7", "2024-05-01", "N. N.",
         "C# or C++", "x/y", "first; then", "not yet", "(draft)", "a = b"]


def contract(**properties):
    return {"type": "object", "properties": properties,
            "required": list(properties), "additionalProperties": False}


TEXT, WHOLE, REAL = {"type": "string"}, {"type": "integer"}, {"type": "number"}
FLAG, NOTE = {"type": "boolean"}, {"type": ["string", "null"]}
ROW = contract(sku=TEXT, count=WHOLE, price=REAL)
CONTRACTS = {
    "ticket": contract(id=WHOLE, title=TEXT, open=FLAG, note=NOTE),
    "invoice": contract(number=TEXT, paid=FLAG,
                        rows={"type": "array", "items": ROW}),
    "weather": {"type": "array",
                "items": contract(day=TEXT, high=REAL, rain=FLAG)},
    "person": contract(first_name=TEXT, last_name=TEXT,
                       address=contract(city=TEXT, zip_code=TEXT)),
    "review": contract(verdict=TEXT, score=WHOLE,
                       comments={"type": "array", "items": TEXT}),
    "settings": contract(host=TEXT, port=WHOLE, tls=FLAG,
                         limits=contract(depth=WHOLE, ratio=REAL)),
}


def value_of(rng, schema):
    kind = schema["type"]
    if kind == "object":
        return {name: value_of(rng, of)
                for name, of in schema["properties"].items()}
    if kind == "array":
        return [value_of(rng, schema["items"])
                for _ in range(rng.randint(2, 4))]
    if kind == "string":
        return rng.choice(WORDS)
    if kind == "integer":
        return rng.randint(0, 9000)
    if kind == "number":
        return rng.randint(-400, 4000) / 4
    if kind == "boolean":
        return rng.random() < 0.5
    return rng.choice([None, rng.choice(WORDS)])


# Of each group at most one mistake is made: two would be another one.
GROUPS = {
    "quotes": ["single", "curly"],
    "keys": ["bare", "camel", "upper"],
    "commas": ["trailing", "line", "hash comment", "block comment"],
    "literals": ["python", "texts"],
    "numbers": ["as text", "plus", "thousands"],
    "around": ["fence", "prose", "thoughts", "assignment", "quoted lines"],
    "end": ["open", "doubled"],
}


def quote(text, style):
    if style == "single":
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if style == "curly":
        return f"“{text}”"
    return json.dumps(text, ensure_ascii=False)


def key(name, mistakes):
    how = mistakes.get("keys")
    if how == "camel":
        head, *tail = name.split("_")
        name = head + "".join(part.title() for part in tail)
    elif how == "upper":
        name = name.upper()
    return name if how == "bare" else quote(name, mistakes.get("quotes"))


def number(value, how):
    text = json.dumps(value)
    if how == "as text":
        return json.dumps(text)
    if how == "plus" and value > 0:
        return "+" + text
    if how == "thousands" and isinstance(value, int) and value > 999:
        return f'"{value:,}"'
    return text


def write(value, mistakes, depth=1):
    if isinstance(value, bool) or value is None:
        word = {True: "true", False: "false", None: "null"}[value]
        how = mistakes.get("literals")
        if how == "python":
            return {"true": "True", "false": "False", "null": "None"}[word]
        return json.dumps({"true": "yes", "false": "no"}.get(word, word)) \
            if how == "texts" and value is not None else word
    if isinstance(value, (int, float)):
        return number(value, mistakes.get("numbers"))
    if isinstance(value, str):
        return quote(value, mistakes.get("quotes"))
    inside = [key(name, mistakes) + ": " + write(of, mistakes, depth + 1)
              for name, of in value.items()] \
        if isinstance(value, dict) else \
        [write(of, mistakes, depth + 1) for of in value]
    comma = {"line": "", "hash comment": ", # so",
             "block comment": " /* so */,"}.get(mistakes.get("commas"), ",")
    indent = "\n" + "  " * depth
    open_, close = "{}" if isinstance(value, dict) else "[]"
    return (open_ + indent + (comma + indent).join(inside) +
            ("," if mistakes.get("commas") == "trailing" else "") +
            indent[:-2] + close)


def around(text, how):
    if how == "fence":
        return f"Here you are:\n\n```json\n{text}\n```\n\nAnything else?"
    if how == "prose":
        return f"I looked at [1] and {{this}}: {text}\n\nThat is all."
    if how == "thoughts":
        return f"<think>Maybe {{\"id\": 1}}.</think>\n\n{text}"
    if how == "assignment":
        return f"result = {text};"
    if how == "quoted lines":
        return "\n".join("> " + line for line in text.split("\n"))
    return text


def case(name, count, seed):
    rng = random.Random(f"{name} {count} {seed}")
    value = value_of(rng, CONTRACTS[name])
    groups = rng.sample(list(GROUPS), count)
    mistakes = {group: rng.choice(GROUPS[group]) for group in groups}
    text = write(value, mistakes)
    if mistakes.get("end") == "open":
        text = text[:-1].rstrip()
    elif mistakes.get("end") == "doubled":
        text += text[-1]
    return {"shape": f"{name}, {count} mistakes", "value": value,
            "reply": around(text, mistakes.get("around")),
            "contract": CONTRACTS[name], "mistakes": mistakes}


def cases(count):
    return [case(name, mistakes, seed) for name in CONTRACTS
            for mistakes in (2, 3, 4) for seed in range(int(count))]

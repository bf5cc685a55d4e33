# SPDX-License-Identifier: Apache-2.0
"""What a soak of the gateway asks, and what its models reply. A request is
made from the seed and its number alone, so that a failure names both."""

import json
import random

from mock_run import CALLS, request

PROVIDERS = {"openai": "/v1", "responses": "/v1", "anthropic": "/v1",
             "gemini": "/v1beta"}
USAGE = {"input_tokens": 20, "output_tokens": 30}
PRICE = 1  # dollars for a million tokens
CALL_PICOUSD = 50 * 1000000  # what a call costs
OUTPUT_TOKENS = 200
WRONG = "Oops"  # is in every reply that breaks its schema


def closed(**properties):
    return {"type": "object", "properties": properties,
            "required": list(properties), "additionalProperties": False}


# A schema, a value that satisfies it, the same as a model writes it that is
# sure of little (only repairs that are certain), and a value that breaks it.
CASES = (
    (closed(title={"type": "string", "minLength": 1},
            hours={"type": "integer", "minimum": 0, "maximum": 80}),
     {"title": "Lamp", "hours": 4}, '{"title": "Lamp", "hours": "4"}',
     {"title": WRONG, "hours": 400}),
    (closed(items={"type": "array", "minItems": 2, "maxItems": 3,
                   "items": closed(name={"enum": ["red", "green"]},
                                   count={"type": "integer"})}),
     {"items": [{"name": "red", "count": 1}, {"name": "green", "count": -2}]},
     '{"items": [{"name": "red", "count": 1}, '
     '{"name": "green", "count": -2},]}',
     {"items": [{"name": WRONG, "count": 1}]}),
    (closed(kind={"const": "b"}, when={"anyOf": [
        {"type": "null"}, {"type": "string", "pattern": "^[0-9]{4}$"}]}),
     {"kind": "b", "when": "2026"}, "{'kind': 'b', 'when': None}",
     {"kind": "b", "when": WRONG}),
    (closed(text={"type": "string", "maxLength": 400},
            sure={"type": "boolean"}),
     {"text": "Größe \u20ac \U0001f600 \"quoted\"\n" + "long " * 60,
      "sure": True},
     '```json\n{"text": "a", "sure": true}\n```',
     {"text": WRONG * 200, "sure": True}),
)

# Kinds of replies, how often each is asked for, and what the mock does beside
# the text: "good", "mended" or "wrong".
KINDS = (
    ("good", 40, "good", {}),
    ("mended", 12, "mended", {}),
    ("once", 12, None, {}),  # wrong, then good
    ("never", 5, "wrong", {}),
    ("slow", 5, "good", {"delay_ms": 60}),
    ("pieces", 8, "good", {"chunks": 5, "chunk_delay_ms": 4}),
    ("cut", 3, "good", {"cut_at": 300}),
    ("reset", 2, "good", {"reset_at": 250}),
    ("page", 2, None, {"status": 502, "html": True}),
    ("limit", 2, None, {"status": 429, "headers": {"retry-after": "0"}}),
    ("busy", 2, None, {"status": 529}),
    ("middle", 2, "good", {"error_mid_stream": {"type": "overloaded_error"}}),
    ("malformed", 2, "good", {"malformed_sse": True}),
    ("markless", 1, "good", {"no_end_mark": True}),
    ("short", 1, "good", {"finish": "length"}),
    ("refusal", 1, None, {"refusal": "I cannot help with that."}),
    ("stalls", 0.1, "good", {"stall_at": 200}),
)
# What a client does, and how often.
MANNERS = (("reads", 88), ("hangs up", 5), ("stops", 4), ("is slow", 3))


def text_of(case, which):
    _, good, mended, wrong = CASES[case]
    return mended if which == "mended" else json.dumps(
        {"good": good, "wrong": wrong}[which], ensure_ascii=False)


def script():
    """The mock's: a reply is found by the mark in the prompt."""
    replies = []
    for case in range(len(CASES)):
        for name, _, which, members in KINDS:
            mark = f"<{name} {case}>"
            reply = dict(members, repeat=True)
            if which:
                reply["text"] = text_of(case, which)
            if name == "once":
                replies.append({"when": {"contains": [mark, WRONG]},
                                "text": text_of(case, "good"), "repeat": True})
                reply["text"] = text_of(case, "wrong")
            replies.append({"when": {"contains": mark}, **reply})
    return {"replies": replies, "defaults": {"usage": USAGE}}


def configuration(base, keys):
    """Each key has models of its own, so that the provider's log shows what
    was asked for with it."""
    models = {}
    routes = {}
    for key in keys:
        for provider in PROVIDERS:
            models[f"{key}-{provider}"] = {
                "provider": provider, "model": key,
                "price": {"input": PRICE, "output": PRICE}, "at_once": 64}
        routes[f"{key}-any"] = [f"{key}-openai", f"{key}-anthropic"]
    timeouts = {"connect": 2, "first_byte": 2, "idle": 1, "total": 10}
    return {"models": models, "routes": routes, "providers": {
        name: {"base_url": base + path, "key_env": "OUR_KEY",
               "timeouts": timeouts} for name, path in PROVIDERS.items()},
        "retry": {"max": 1, "first": 0.01, "most": 0.05}}


class Plan:
    """One request: its body and headers, and how its client behaves."""

    def __init__(self, seed, number, keys):
        chance = random.Random(f"{seed} {number}")
        self.number = number
        self.replica = chance.random()
        self.key = chance.choice(keys)
        self.client = chance.choice(tuple(CALLS))
        self.model = self.key + "-" + chance.choice((*PROVIDERS, "any"))
        self.case = chance.randrange(len(CASES))
        self.kind = chance.choices([kind[0] for kind in KINDS],
                                   [kind[1] for kind in KINDS])[0]
        self.manner = chance.choices([manner[0] for manner in MANNERS],
                                     [manner[1] for manner in MANNERS])[0]
        self.checked = chance.random() < 0.9
        self.stream = chance.choice((None, "hold", "live", "resume", None))
        self.repair = chance.choice((None, None, "none", "syntax", "align"))
        self.retries = chance.choice((None, None, 0, 1))

    def __repr__(self):
        return " ".join(f"{name}={value}" for name, value in
                        vars(self).items() if value is not None)

    def schema(self):
        return CASES[self.case][0]

    def bytes(self, secret, schema_members):
        text = f"Please answer. <{self.kind} {self.case}>"
        headers = [f"Authorization: Bearer {secret}"]
        for name, value in (("Stream", self.stream), ("Repair", self.repair),
                            ("Retries", self.retries)):
            if value is not None:
                headers.append(f"Surety-{name}: {value}")
        members = {"model": self.model}
        if self.client == "openai" or self.client == "anthropic":
            members["messages"] = [{"role": "user", "content": text}]
            members["max_tokens"] = OUTPUT_TOKENS
        elif self.client == "responses":
            members["input"] = text
            members["max_output_tokens"] = OUTPUT_TOKENS
        else:
            members["contents"] = [{"role": "user", "parts": [{"text": text}]}]
        if self.checked:
            members.update(schema_members(self.client, self.schema()))
        if self.client == "gemini":
            members.setdefault("generationConfig", {})[
                "maxOutputTokens"] = OUTPUT_TOKENS
        return request(self.client, self.stream is not None, headers,
                       **members)

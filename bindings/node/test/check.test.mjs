// SPDX-License-Identifier: Apache-2.0
// Contracts, checks, prompts, streams, validation, and their errors.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import surety, { Contract, InvalidReply, Outcome, SuretyError, contract,
  contracts, extract, validate, version } from "surety";

const PERSON = { title: "Person", type: "object", required: ["name"],
  properties: { name: { type: "string" },
    age: { type: "integer", maximum: 150 },
    tags: { type: "array", items: { type: "string" }, default: [] } } };

function chunksOf(text, size) {
  const chunks = [];
  for (let i = 0; i < text.length; i += size)
    chunks.push(text.slice(i, i + size));
  return chunks;
}

function without(outcome) {
  const { raw, ...it } = outcome;
  return it;
}

test("the value that errors point into", () => {
  const outcome = contract(PERSON).check('So: {"name": 5, "age": 1, "x": [2]}');
  assert.deepEqual([outcome.ok, outcome.value, outcome.candidate],
    [false, undefined, { name: 5, age: 1, x: [2] }]);
  assert.equal(contract(PERSON).check("none").candidate, undefined);
  assert.equal(extract("[12345678901234567890]", { bigint: true }).candidate[0],
    12345678901234567890n);
});

test("require and import give the same objects", () => {
  const required = createRequire(import.meta.url)("surety");
  assert.equal(required.contract, contract);
  assert.equal(surety.Contract, Contract);
  assert.match(version, /^\d+\.\d+\.\d+$/);
});

test("a valid reply gives its value, place and span", () => {
  const reply = 'Grüße 🎉: {"name": "Ada", "age": 36} ok';
  const outcome = contract(PERSON).check(reply);
  assert.ok(outcome instanceof Outcome);
  assert.deepEqual([outcome.ok, outcome.stage, outcome.place],
    [true, null, "embedded"]);
  assert.deepEqual(outcome.value, { name: "Ada", age: 36, tags: [] });
  assert.equal(reply.slice(outcome.span.start, outcome.span.end),
    '{"name": "Ada", "age": 36}');
  assert.deepEqual([outcome.errors, outcome.warnings, outcome.repairs],
    [[], [], []]);
  assert.equal(outcome.raw, reply);
  assert.equal(outcome.parsed, outcome.value);
});

test("an error has every member of its place", () => {
  const reply = 'é🎉 {"name": "Ada",\n "age": 360}';
  const { ok, stage, value, errors } = contract(PERSON).check(reply);
  assert.deepEqual([ok, stage, value], [false, "validation", undefined]);
  assert.deepEqual(errors, [{ keyword: "maximum",
    message: "360 is greater than the maximum of 150", path: ["age"],
    instanceLocation: "/age", keywordLocation: "/properties/age/maximum",
    absoluteKeywordLocation: "#/properties/age/maximum", line: 2, column: 9,
    offset: reply.indexOf("360"), length: 3 }]);
});

test("of bytes, offsets count bytes", () => {
  const reply = Buffer.from('é🎉 {"name": 7}');
  const outcome = contract(PERSON).check(reply);
  const [{ offset, length }] = outcome.errors;
  assert.equal(reply.subarray(offset, offset + length).toString(), "7");
  const { start, end } = outcome.span;
  assert.equal(reply.subarray(start, end).toString(), '{"name": 7}');
});

test("every kind of bytes is taken", () => {
  const bytes = new TextEncoder().encode('  {"name": "Ada"}');
  const own = new ArrayBuffer(bytes.length);
  new Uint8Array(own).set(bytes);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  for (const it of [bytes, Buffer.from(bytes), own, shared, new DataView(own),
    new Uint8Array(shared), bytes.subarray(2)])
    assert.equal(contract(PERSON).parse(it).name, "Ada");
  assert.equal(contract(PERSON).check(new Uint8Array(0)).stage, "extraction");
});

test("bytes that are no UTF-8 and lone surrogates are no crash", () => {
  const person = contract(PERSON);
  assert.equal(person.check(Buffer.from([0x7b, 0xff, 0x7d])).ok, false);
  assert.equal(person.parse('{"name": "\ud83d"}').name, "\ufffd");
  assert.equal(person.parse('{"name": "a\\u0000b"}').name, "a\0b");
  assert.equal(person.parse('{"name": "\0"}'.replace("\0", "🎉")).name, "🎉");
});

test("repairs are reported, and only where they are allowed", () => {
  const person = contract(PERSON);
  const reply = "{'name': 'Ada', \"age\": \"36\",}";
  assert.equal(person.check(reply).ok, false);
  const outcome = person.check(reply, { repair: "align" });
  assert.deepEqual(outcome.value, { name: "Ada", age: 36, tags: [] });
  const kinds = outcome.repairs.map((it) => it.kind);
  assert.ok(kinds.includes("trailing-comma"), kinds.join());
  const change = outcome.repairs.find((it) => it.instanceLocation === "/age");
  assert.deepEqual([change.original, change.read], ['"36"', "36"]);
  assert.equal(person.check('{"name": "Ada"', { repair: "syntax",
    certain: true }).ok, false);
});

test("a reply that was cut off gives what is there, on request", () => {
  const reply = '{"name": "Ada", "tags": ["a", "b';
  const outcome = contract(PERSON).check(reply, { partial: true, cut: true,
    repair: "syntax" });
  assert.deepEqual([outcome.ok, outcome.partial], [true, true]);
  assert.equal(outcome.value.name, "Ada");
  assert.equal(typeof outcome.open, "string");
  assert.equal(contract(PERSON).check(reply).partial, false);
});

test("the fallback, with its variables", () => {
  const given = contract({ type: "object", required: ["a"], "x-surety": {
    fallback: { kind: "value", value: { a: "none for ${who}" } } } });
  const outcome = given.check("no", { variables: { who: "Ada" } });
  assert.deepEqual([outcome.ok, outcome.fallback, outcome.value],
    [false, true, { a: "none for Ada" }]);
  assert.equal(given.check("no", { fallback: false }).value, undefined);
  assert.throws(() => given.parse("no"), InvalidReply);
});

test("derived members, where asked for", { skip: !hasRules() }, () => {
  const given = contract({ type: "object", "x-surety": { derive: {
    count: ".tags | length" } } });
  assert.deepEqual(given.check('{"tags": [1, 2]}', { derive: true }).derived,
    { count: 2 });
  assert.equal(given.check('{"tags": []}').derived, undefined);
});

function hasRules() {
  try {
    contract({ "x-surety": { derive: { a: "." } } });
    return true;
  } catch {
    return false;
  }
}

test("where to look, and what the API delivered", () => {
  const person = contract(PERSON);
  const reply = '{"name": "a"} then\n```json\n{"name": "b"}\n```';
  assert.equal(person.parse(reply, { extract: { from: ["fence"] } }).name, "b");
  assert.equal(person.parse('{"name": "a"} {"name": "b"}', { extract: {
    pick: "last" } }).name, "b");
  assert.equal(person.parse('X {"name": "a"} Y {"name": "b"}', { extract: {
    from: ["marker"], marker: "Y" } }).name, "b");
  const native = person.check(undefined, { native: '{"name": "ü", "age": 200}' });
  assert.deepEqual([native.place, native.errors[0].offset], ["native", 21]);
});

test("values in other forms than JSON", () => {
  const ticket = contract({ type: "object", required: ["id", "title"],
    properties: { id: { type: "integer" }, title: { type: "string" } } });
  const value = { id: 7, title: "Lamp" };
  const lines = "**Id:** 7\n**Title:** Lamp";
  const call = "<function=file>\n<parameter=id>\n7\n</parameter>\n" +
    "<parameter=title>\nLamp\n</parameter>\n</function>";
  const repair = "align";
  for (const [reply, kind] of [[lines, "key-value"], [call, "tool-call"]]) {
    const forms = [kind];
    const found = ticket.check(reply, { repair });
    assert.deepEqual(found.value, value);
    assert.deepEqual(found.repairs.filter((it) => it.kind === kind)
      .map((it) => it.confidence), ["likely"]);
    assert.ok(ticket.check(reply, { repair, extract: { forms } }).ok);
    assert.ok(!ticket.check(reply, { repair, extract: { forms: [] } }).ok);
    assert.ok(!ticket.check(reply, { repair,
      extract: { forms: ["table", "xml"] } }).ok);
    assert.ok(!ticket.check(reply, { repair: "syntax" }).ok);
  }
  assert.throws(() => ticket.check(lines, { repair,
    extract: { forms: ["toml"] } }), /form of extract.forms/);
  assert.throws(() => ticket.check(lines, { repair,
    extract: { forms: "csv" } }), /extract.forms is no array/);
});

test("parse throws the whole report", () => {
  const person = contract(PERSON);
  assert.throws(() => person.parse('{"name": 1, "age": 200}'), (error) => {
    assert.ok(error instanceof InvalidReply && error instanceof SuretyError);
    assert.match(error.message, /error\[type\][^]*error\[maximum\]/);
    assert.equal(error.errors.length, 2);
    assert.deepEqual([error.status, error.path, error.line], ["invalid",
      "/name", 1]);
    assert.equal(error.outcome.stage, "validation");
    assert.equal(error.report.errors[1].keyword, "maximum");
    return true;
  });
});

test("every form of the report", () => {
  const outcome = contract(PERSON).check('{"name": 1}');
  assert.equal(outcome.report().errors[0].keyword, "type");
  assert.deepEqual(JSON.parse(outcome.report("json")), outcome.report());
  assert.match(outcome.report("text", { source: "a.md" }),
    /^a\.md:1:10: error\[type\]/);
  assert.match(outcome.report("color"), /\x1b\[/);
  assert.match(outcome.report("plain"), /\(path: name\)/);
  assert.match(outcome.report("github"), /^::error /);
  const sarif = JSON.parse(outcome.report("sarif"));
  assert.equal(sarif.runs[0].results[0].ruleId, "type");
  assert.equal(contract("surety/report").check(outcome.report("json")).ok,
    true);
  assert.throws(() => outcome.report("xml"), TypeError);
});

test("numbers: as JSON.parse reads them, or BigInt", () => {
  const reply = '{"a": 12345678901234567890, "b": [1.5, 9007199254740993, -1],' +
    ' "c": "12345678901234567890", "d\\"": -9007199254740993, "e": 1e30}';
  assert.deepEqual(contract(true).parse(reply), JSON.parse(reply));
  assert.deepEqual(contract(true, { bigint: true }).parse(reply), {
    a: 12345678901234567890n, b: [1.5, 9007199254740993n, -1],
    c: "12345678901234567890", 'd"': -9007199254740993n, e: 1e30 });
  assert.equal(extract("9007199254740993", { bigint: true }).value,
    9007199254740993n);
  const limit = contract({ maximum: 9007199254740993n }, { name: "big" });
  assert.equal(limit.check("9007199254740993").ok, true);
  assert.equal(limit.check("9007199254740994").ok, false);
});

test("a member called __proto__ is a member", () => {
  const value = contract(true).parse('{"__proto__": {"a": 1}}');
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.deepEqual(Object.keys(value), ["__proto__"]);
});

test("prompts, instructions, examples", () => {
  const person = contract(PERSON);
  assert.match(person.prompt("Who?"), /^Who\?\n\n.*JSON Schema/);
  assert.match(person.prompt("Who?", { style: "typescript" }), /type Person =/);
  assert.ok(person.prompt("Who?").endsWith(person.prompt()));
  const both = person.prompt("Who?", { system: "Be brief." });
  assert.equal(both.prompt, "Who?");
  assert.match(both.system, /^Be brief\.\n\n.*JSON Schema/);
  assert.equal(person.check(JSON.stringify(person.example())).ok, true);
  assert.throws(() => contract(false).example(), { status: "unsupported" });
});

test("a re-ask says what was wrong, and a patch corrects it", () => {
  const person = contract(PERSON);
  const outcome = person.check('{"name": "Ada", "age": 200}');
  assert.match(outcome.retryPrompt("Who?"), /at \/age: 200 is greater/);
  assert.match(outcome.retryPrompt("Who?", { feedback: "patch" }), /JSON Patch/);
  assert.doesNotMatch(outcome.retryPrompt("Who?", { feedback: "simple" }),
    /maximum of/);
  const patched = outcome.patch(
    'Here: [{"op": "replace", "path": "/age", "value": 20}]');
  assert.deepEqual(person.parse(patched), { name: "Ada", age: 20, tags: [] });
  assert.throws(() => outcome.patch("no patch"), { status: "syntax" });
});

test("contracts by name, path, URL, bytes and object", () => {
  const folder = mkdtempSync(join(tmpdir(), "surety-"));
  const file = join(folder, "person.json");
  writeFileSync(file, JSON.stringify(PERSON));
  for (const source of [file, pathToFileURL(file)])
    assert.equal(contract(source).name, "person");
  assert.equal(contract("person", { folders: folder }).name, "person");
  assert.ok(contracts({ folders: [folder] }).some((it) =>
    it.name === "person" && it.source === file));
  const built = contract("simple/message");
  assert.match(built.id, /^simple\/message@\d/);
  assert.equal(built.id, `${built.name}@${built.version}`);
  assert.equal(built.deprecated, "");
  assert.equal(contract(built), built);
  assert.equal(contract(Buffer.from("true")).schema, true);
  const own = contract(PERSON, { name: "a/b" });
  assert.equal(own.name, "a/b");
  own.schema.title = "changed";
  assert.deepEqual(own.schema, PERSON);
});

test("a contract's members that say nothing are its warnings", () => {
  const text = '{"type": "object",\n "requird": ["a"]}';
  const [warning, ...more] = contract(Buffer.from(text)).warnings;
  assert.equal(more.length, 0);
  const { message, hint, ...place } = warning;
  assert.deepEqual(place, { location: "/requird", line: 2, column: 2,
    offset: 20, length: 9 });
  assert.match(message, /requird/);
  assert.match(hint, /required/);
  assert.deepEqual(contract(JSON.parse(text)).warnings,
    [{ location: "/requird", message, hint }]);
  assert.deepEqual(contract(PERSON).warnings, []);
  assert.deepEqual(contract("trend/analysis").warnings, []);
  for (const count of [32, 33, 40]) {
    const { warnings } = contract(Object.fromEntries(Array.from(
      { length: count }, (_, i) => [`no${i}`, 1])));
    assert.equal(warnings.length, Math.min(count, 33));
    assert.equal(warnings[31].location, "/no31");
    assert.deepEqual(warnings.slice(32).map((it) => it.message),
      count > 32 ? [`${count - 32} more members say nothing`] : []);
  }
});

test("errors say what, where, and what to do", () => {
  const thrown = (make, wanted) => assert.throws(make, (error) => {
    assert.ok(error instanceof SuretyError, error.stack);
    for (const [name, it] of Object.entries(wanted))
      assert.equal(error[name], it);
    return true;
  });
  thrown(() => contract({ type: "object", properties: { a: { type: "strin" } } }),
    { status: "syntax", path: "/properties/a/type", line: 1 });
  thrown(() => contract(Buffer.from("{\n \"a\": }")), { status: "syntax",
    line: 2, column: 7 });
  thrown(() => contract("simple/mesage"), { status: "end" });
  try {
    contract("simple/mesage");
  } catch (error) {
    assert.match(error.hint, /simple\/message/);
  }
  thrown(() => contract({ $ref: "https://example.org/none" }),
    { status: "syntax" });
  thrown(() => contract(true, { limits: { textBytesMax: 10 } })
    .check('"12345678901"'), { status: "limit" });
  assert.equal(contract(true, { limits: { depthMax: 2 } })
    .check("[[[1]]]").ok, false);
});

test("wrong arguments are a TypeError with the right ones", () => {
  const person = contract(PERSON);
  for (const make of [() => contract(), () => contract(7), () => contract(null),
    () => contract([]), () => contract(() => 1), () => person.check(),
    () => person.check(7), () => person.check("", { reapir: "align" }),
    () => person.check("", { repair: "all" }), () => person.check("", "align"),
    () => person.check("", { partial: 1 }),
    () => person.check("", { extract: { from: "fence" } }),
    () => person.check("", { extract: { from: [] } }),
    () => person.check("", { extract: { from: ["whole", "whole"] } }),
    () => person.check("", { variables: { a: 1 } }),
    () => contract(PERSON, { limits: { depth: 1 } }),
    () => contract(PERSON, { limits: { depthMax: 0 } }),
    () => person.prompt(7), () => validate({}, undefined),
    () => person.stream({ native: "x" }), () => person.stream().write(7)])
    assert.throws(make, TypeError);
  assert.throws(() => person.check("", { reapir: "align" }),
    /no option "reapir"; it has .*repair/);
  // A getter that throws, or checks another reply, disturbs nothing.
  assert.throws(() => person.check("", { get repair() {
    throw new RangeError("mine");
  } }), RangeError);
  assert.equal(person.check('{"name": "a"}', { get repair() {
    person.check('{"name": 1}');
    return "none";
  } }).ok, true);
});

test("extract takes any JSON", () => {
  assert.deepEqual(extract('So: {"a": 1}.').value, { a: 1 });
  assert.deepEqual(extract("[1, 2,]", { repair: "syntax" }).value, [1, 2]);
  assert.deepEqual(extract("{} {\"b\": 1}", { pick: "last" }).value, { b: 1 });
  assert.equal(extract("<think>{}</think> 7").value, 7);
  assert.deepEqual(extract("<think>{}</think>", { skipReasoning: false }).value,
    {});
  const none = extract("nothing");
  assert.deepEqual([none.ok, none.stage], [false, "extraction"]);
  assert.throws(() => none.parsed, InvalidReply);
});

test("validate holds a value against a schema", () => {
  assert.deepEqual(validate({ type: "integer" }, 3),
    { valid: true, truncated: false, errors: [] });
  const { valid, errors } = validate(PERSON, { name: 1, age: 200 });
  assert.equal(valid, false);
  assert.deepEqual(errors.map((it) => [it.keyword, it.path]),
    [["type", ["name"]], ["maximum", ["age"]]]);
  assert.deepEqual(validate({ type: "string" }, Buffer.from("\n 7")).errors
    .map((it) => [it.line, it.column]), [[2, 2]]);
  assert.equal(validate({ format: "date" }, "no").valid, false);
  assert.equal(validate({ format: "date" }, "no", { format: false }).valid, true);
  assert.equal(validate({ items: [true, false] }, [1, 2], { dialect: "7" })
    .valid, false);
  assert.equal(validate({ maximum: 2 }, 2n ** 70n).valid, false);
  assert.throws(() => validate({ type: "no" }, 1), { status: "syntax" });
  assert.throws(() => validate({}, Buffer.from("{")), { status: "syntax" });
});

test("a stream, however it is cut, ends as check does", async () => {
  const person = contract(PERSON);
  for (const reply of ['Hi 🎉 {"name": "Ada 🎉é", "age": 3}', "nothing",
    '{"name": "🎉", "age": 300} more', '```json\n{"name": "x"}\n```',
    "{'name': 'a",  "\ud83d{\"name\":\"\udc00\"}"]) {
    const options = { repair: "align" };
    const whole = without(person.check(reply, options));
    for (const size of [1, 2, 3, 7, 1000]) {
      const stream = person.stream(options);
      for (const chunk of chunksOf(reply, size))
        stream.write(chunk);
      assert.deepEqual(without(stream.end()), whole, `${reply} by ${size}`);
    }
    const bytes = Buffer.from(reply);
    const stream = person.stream(options);
    for (const byte of bytes)
      stream.write(Uint8Array.of(byte));
    assert.deepEqual(without(stream.end()),
      without(person.check(bytes, options)));
  }
});

test("a stream shows the value so far, and the first violation", () => {
  const stream = contract(PERSON).stream();
  assert.deepEqual([stream.state, stream.value, stream.finding],
    ["open", undefined, undefined]);
  assert.equal(stream.write('é {"name": "Ad'), "open");
  assert.deepEqual(stream.value, { name: "Ad" });
  assert.equal(stream.write('a", "age": 300, "tags": ["x"'), "refuted");
  assert.equal(stream.finding.keyword, "maximum");
  assert.deepEqual([stream.finding.path, stream.finding.offset,
    stream.finding.length], [["age"], 25, 3]);
  const outcome = stream.end();
  assert.equal(outcome, stream.outcome);
  assert.throws(() => stream.write("x"), { status: "misuse" });
  assert.throws(() => stream.end(), { status: "misuse" });
  const native = contract(PERSON).stream({ native: true });
  assert.equal(native.write('{"name": '), "open");
  assert.equal(native.write("7}"), "no");
  assert.equal(native.end().place, "native");
  assert.equal(native.outcome.report().errors[0].keyword, "type");
});

test("parts of a reply, from an iterable and from a web stream", async () => {
  const person = contract(PERSON);
  const reply = 'So: {"name": "Ada", "age": 36}';
  const parts = [];
  for await (const part of person.stream().read(chunksOf(reply, 5)))
    parts.push(part);
  const last = parts.pop();
  assert.deepEqual(last.outcome.value, { name: "Ada", age: 36, tags: [] });
  assert.deepEqual(last.value, last.outcome.value);
  assert.ok(parts.length > 2 && parts.every((it) => !it.outcome));
  assert.deepEqual(parts[0].value, {});
  const web = new ReadableStream({ start(controller) {
    chunksOf(reply, 5).forEach((it) => controller.enqueue(it));
    controller.close();
  } });
  const seen = [];
  for await (const part of web.pipeThrough(person.stream().transform()))
    seen.push(part.value);
  assert.deepEqual(seen, [...parts, last].map((it) => it.value));
});

test("a hopeless reply is not read to its end", async () => {
  const person = contract({ ...PERSON, "x-surety": { extract: {
    from: ["whole"] } } });
  let asked = 0, ended = false;
  async function * endless() {
    try {
      yield '{"name": 7, ';
      for (;; asked++)
        yield '"x": 1, ';
    } finally {
      ended = true;
    }
  }
  let last;
  for await (last of person.stream().read(endless()))
    assert.ok(asked < 10);
  assert.equal(ended, true);
  assert.equal(last.state, "no");
  assert.equal(last.finding.keyword, "type");
  assert.equal(last.outcome.ok, false);
});

test("an error of the source goes through", async () => {
  async function * broken() {
    yield '{"name": ';
    throw new RangeError("mine");
  }
  const stream = contract(PERSON).stream();
  await assert.rejects(async () => {
    for await (const part of stream.read(broken()))
      void part;
  }, RangeError);
  assert.equal(stream.end().ok, false);
});

// SPDX-License-Identifier: Apache-2.0
// A schema of Zod is a contract, and its values are what Zod gives.
import assert from "node:assert/strict";
import { test } from "node:test";

import * as z from "zod";
import * as mini from "zod/mini";
import { InvalidReply, contract, run, validate } from "surety";

const Story = z.object({ title: z.string().min(1),
  tags: z.array(z.string()).default([]), score: z.number().max(10).optional() });

test("members that are not known, defaults and absent members", () => {
  const story = contract(Story);
  for (const reply of ['{"title": "a", "more": {"x": 1}}',
    '{"title": "a", "tags": ["b"], "score": 3}', '{"title": "a", "tags": []}'])
    assert.deepEqual(story.parse(`So: ${reply}.`), Story.parse(
      JSON.parse(reply)));
  assert.deepEqual(contract(z.looseObject({ a: z.int() }))
    .parse('{"a": 1, "b": 2}'), { a: 1, b: 2 });
  assert.equal(contract(z.strictObject({ a: z.int() }))
    .check('{"a": 1, "b": 2}').ok, false);
});

test("transforms, pipes, codecs, coercions, prefaults", () => {
  const Model = z.object({ csv: z.string().transform((it) => it.split(",")),
    n: z.string().transform(Number).pipe(z.number().max(100)).default(5),
    at: z.codec(z.iso.datetime(), z.date(), { decode: (it) => new Date(it),
      encode: (it) => it.toISOString() }),
    in: z.object({ x: z.int().default(1) }).prefault({}),
    level: z.enum(["low", "high"]).catch("low"),
    name: z.string().trim() });
  const input = { csv: "a,b", at: "2024-05-01T12:30:00.000Z", level: "high",
    name: " Ada " };
  const value = contract(Model).parse(JSON.stringify(input));
  assert.deepEqual(value, Model.parse(input));
  assert.ok(value.at instanceof Date);
  assert.equal(value.n, 5);
});

test("the engine's errors are before Zod's", () => {
  const outcome = contract(Story).check('{"title": "", "score": 11}');
  assert.deepEqual(outcome.errors.map((it) => [it.keyword, it.path]),
    [["minLength", ["title"]], ["maximum", ["score"]]]);
});

test("a refinement that only Zod knows is an error with its place", () => {
  const Model = z.object({ ok: z.boolean(), why: z.string().optional() })
    .refine((it) => it.ok || it.why, { path: ["why"], message: "say why" })
    .refine((it) => it.why !== "no", { path: ["why"], message: "not that" });
  const given = contract(Model);
  assert.equal(given.check('{"ok": true}').ok, true);
  const reply = 'é {"ok": false, "why": "no"}';
  const outcome = given.check(reply);
  assert.deepEqual([outcome.ok, outcome.stage, outcome.value],
    [false, "validation", undefined]);
  const [issue] = outcome.errors;
  assert.deepEqual([issue.keyword, issue.message, issue.path, issue.line,
    issue.column], ["validator", "not that", ["why"], 1, 24]);
  assert.equal(reply.substr(issue.offset, issue.length), '"no"');
  const text = `reply:1:24: error[validator]: not that\n    1 | ${reply}\n` +
    `      | ${" ".repeat(23)}^^^^ at /why\n`;
  assert.equal(outcome.report("text"), text);
  assert.equal(new InvalidReply(outcome).message, text.trimEnd());
  assert.equal(outcome.report("color").replace(/\x1b\[[0-9;]*m/g, ""), text);
  assert.equal(outcome.report("plain"), "not that (path: why)\n");
  assert.equal(outcome.report("github", { source: "a,b.md" }), "::error file=" +
    "a%2Cb.md,line=1,col=24,title=validator::not that (path: why)\n");
  assert.match(given.check(Buffer.from(reply)).report("text"),
    /"no"}\n {6}\| {24}\^\^\^\^ at \/why/);
  assert.equal(given.check(undefined, { native: '{"ok": false}' })
    .report("text"), 'reply:1:1: error[validator]: say why\n    1 | ' +
    '{"ok": false}\n      | ^ at /why\n');
  assert.equal(outcome.report().errors[0].error, "not that");
  assert.equal(contract("surety/report").check(outcome.report("json")).ok,
    true);
  assert.match(outcome.retryPrompt("Why?"), /1\. at \/why: not that/);
  assert.equal(JSON.parse(outcome.report("sarif")).runs[0].results.length, 1);
  assert.throws(() => given.parse('{"ok": false}'), (error) =>
    error instanceof InvalidReply && error.errors[0].message === "say why" &&
    error.errors[0].instanceLocation === "/why" && error.errors[0].line === 1);
});

test("what is Surety's in the schema counts", () => {
  const Model = Story.meta({ "x-surety": { name: "a/story", repair: "align",
    fallback: { kind: "null" } } });
  const given = contract(Model);
  assert.equal(given.name, "a/story");
  assert.deepEqual(given.parse('{"title": "a", "score": "3"}'),
    { title: "a", tags: [], score: 3 });
  const outcome = given.check("no");
  assert.deepEqual([outcome.ok, outcome.fallback, outcome.value],
    [false, true, null]);
});

test("promises of a schema want parseAsync", async () => {
  const given = contract(z.object({ a: z.string().refine(async (it) =>
    it !== "no", "not that") }));
  assert.throws(() => given.parse('{"a": "b"}'), { status: "misuse" });
  assert.deepEqual(await given.parseAsync('{"a": "b"}'), { a: "b" });
  assert.equal((await given.checkAsync('{"a": "no"}')).errors[0].message,
    "not that");
  await assert.rejects(given.parseAsync("{"), InvalidReply);
});

test("where Zod takes more than its schema, its value counts", async () => {
  const Model = z.object({ n: z.coerce.number().max(9), c: z.number().catch(7),
    p: z.preprocess((it) => it ?? "none", z.string()),
    r: z.string().regex(/^abc$/i) });
  const given = contract(Model);
  for (const input of [{ n: "5", c: "x", p: null, r: "ABC" }, { n: 5, c: 1,
    p: "a", r: "abc" }, { n: true, r: "aBc" }]) {
    assert.deepEqual(given.parse(`So: ${JSON.stringify(input)}`),
      Model.parse(input));
    assert.deepEqual(await given.parseAsync(JSON.stringify(input)),
      Model.parse(input));
  }
  const outcome = given.check('{"n": "5", "c": 1, "p": "a", "r": "abc"}');
  assert.deepEqual([outcome.ok, outcome.stage, outcome.errors],
    [true, null, []]);
  assert.deepEqual(outcome.warnings.map((it) => [it.keyword, it.path,
    it.column]), [["type", ["n"], 7]]);
  assert.equal(outcome.candidate.n, "5");
  assert.match(outcome.report("text"), /:1:7: warning\[type\]: "5" is a/);
  const report = outcome.report("json");
  assert.equal(contract("surety/report").check(report).ok, true);
  assert.deepEqual([JSON.parse(report).ok, JSON.parse(report).value.n,
    JSON.parse(report).warnings.length], [true, "5", 1]);
  const refused = given.check('{"n": "50", "c": 1, "p": "a", "r": "abc"}');
  assert.deepEqual([refused.ok, refused.errors[0].keyword,
    refused.errors[0].column], [false, "type", 7]);
  let last;
  const chunks = ['{"n": "5", "p": "a"', ', "r": "ABC"}'];
  for await (last of given.stream().read(chunks));
  assert.deepEqual(last.outcome.value, { n: 5, c: 7, p: "a", r: "ABC" });
});

test("a pattern with flags, alone", () => {
  for (const Model of [z.string().regex(/^abc$/i), mini.string().check(
    mini.regex(/^abc$/i))])
    assert.equal(contract(Model, { zod: z }).parse('"ABC"'), "ABC");
  assert.equal(contract(z.string().regex(/^abc$/)).check('"ABC"').ok, false);
});

test("what the contract itself asks for is not passed over", () => {
  const ruled = z.object({ n: z.coerce.number() }).meta({ "x-surety": {
    rules: [{ id: "even", at: "/n", expr: ".n % 2 == 0",
      message: "must be even" }] } });
  assert.equal(contract(ruled).check('{"n": 3}').errors[0].keyword, "rules");
  assert.equal(contract(ruled).check('{"n": "4"}').ok, true);
  const exact = z.object({ n: z.string().meta({ maxLength: 1 }) });
  assert.equal(contract(exact).check('{"n": "ab"}').ok, false);
  let seen = 0;
  contract(exact, { jsonSchema: { override: () => seen++ } });
  assert.ok(seen > 0);
});

test("what JSON cannot hold", () => {
  assert.throws(() => contract(z.object({ at: z.date() })),
    { status: "unsupported" });
  const any = contract(z.object({ at: z.coerce.date() }),
    { jsonSchema: { unrepresentable: "any" } });
  assert.ok(any.parse('{"at": "2024-05-01T00:00:00Z"}').at instanceof Date);
  assert.equal(contract(z.object({ n: z.bigint() }), { bigint: true,
    jsonSchema: { unrepresentable: "any" } })
    .parse('{"n": 9007199254740993}').n, 9007199254740993n);
  assert.throws(() => contract({ _def: {} }), TypeError);
});

test("zod/mini, recursive schemas, the caller's own Zod", () => {
  assert.deepEqual(contract(mini.object({ n: mini.number() }), { zod: z })
    .parse('{"n": 1, "m": 2}'), { n: 1 });
  const refined = contract(mini.object({ n: mini.number().check(
    mini.refine((it) => it !== 7, "not seven")) }), { zod: mini });
  assert.equal(refined.check('{"n": 7}').errors[0].message, "not seven");
  const Node = z.object({ name: z.string(), get inner() {
    return z.array(Node).optional();
  } });
  const value = { name: "a", inner: [{ name: "b", inner: [] }] };
  assert.deepEqual(contract(Node, { zod: z }).parse(JSON.stringify(value)),
    value);
});

test("streams of a Zod schema", async () => {
  const given = contract(z.object({ csv: z.string().transform((it) =>
    it.split(",")) }));
  let last;
  for await (last of given.stream().read(['{"csv": "a', ',b"}']));
  assert.deepEqual(last.outcome.value, { csv: ["a", "b"] });
  assert.equal(validate(Story, { title: "a" }).valid, true);
});

test("a run's value is what Zod makes of it", async () => {
  const Model = z.object({ n: z.string().transform(Number) })
    .refine((it) => it.n !== 7, "not seven");
  const ask = (n) => run({ contract: Model, prompt: "n?", ledger: "none",
    config: {}, models: `exec:echo '{"n": "${n}"}'` });
  assert.deepEqual((await ask(42)).parsed, { n: 42 });
  const refused = await ask(7);
  assert.deepEqual([refused.ok, refused.verdict, refused.attempts.length],
    [false, "rejected", 3]);
  assert.equal(refused.outcome.errors[0].message, "not seven");
  const more = await run({ contract: z.object({ n: z.coerce.number() }),
    prompt: "n?", ledger: "none", config: {}, retries: 0,
    models: `exec:echo '{"n": "42"}'` });
  assert.deepEqual([more.ok, more.verdict, more.parsed, more.message],
    [true, "valid", { n: 42 }, ""]);
  const vote = await run({ contract: Model, prompt: "n?", ledger: "none",
    config: {}, consensus: "vote",
    models: ["exec:echo '{\"n\": \"1\"}'", "exec:echo '{\"n\":\"1\"}'"] });
  assert.deepEqual(vote.parsed, { n: 1 });
});

test("refinements take part in a run, and promises too", async () => {
  for (const later of [false, true]) {
    let asked = 0;
    const said = () => ++asked === 3;
    const Model = z.object({ n: z.string().transform((it, context) => {
      if (it === "0")
        context.addIssue({ code: "custom", message: "no nothing" });
      return Number(it);
    }) }).superRefine(later ? async (it, context) => {
      await null;
      if (!said())
        context.addIssue({ code: "custom", path: ["n"], message: "not it" });
    } : (it, context) => {
      if (!said())
        context.addIssue({ code: "custom", path: ["n"], message: "not it" });
    });
    const result = await run({ contract: Model, prompt: "n?", ledger: "none",
      config: {}, models: `exec:echo '{"n": "7"}'` });
    assert.deepEqual([result.verdict, result.attempts.length, asked],
      ["valid", 3, 3]);
    assert.deepEqual(result.parsed, { n: 7 });
    assert.deepEqual(result.attempts[0].report.errors.map((it) => [it.keyword,
      it.instanceLocation, it.error]), [["validator", "/n", "not it"]]);
    const none = await run({ contract: Model, prompt: "n?", ledger: "none",
      config: {}, models: `exec:echo '{"n": "0"}'` });
    assert.deepEqual([none.verdict, none.outcome.ok, none.attempts.length],
      ["rejected", false, 3]);
  }
});

test("a part is ok where Zod takes it", () => {
  const given = contract(z.object({ a: z.number(), b: z.array(z.number())
    .optional() }));
  const part = given.check('{"a": 1, "b": [1, ', { partial: true });
  assert.deepEqual([part.ok, part.partial, part.value],
    [true, true, { a: 1, b: [1] }]);
  const less = given.check('{"b": [1, ', { partial: true });
  assert.deepEqual([less.ok, less.partial, less.errors[0].keyword,
    less.errors[0].path], [false, true, "validator", ["a"]]);
  assert.throws(() => less.parsed, InvalidReply);
});

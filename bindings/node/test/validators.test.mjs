// SPDX-License-Identifier: Apache-2.0
// Validators: functions of the program, and Zod. The law: a value that one of
// them refuses is never ok, and asynchronous ones give the same result.
import assert from "node:assert/strict";
import { test } from "node:test";

import { InvalidReply, RunFailed, contract, run } from "surety";
import { KEY, mocked } from "./mock.mjs";

const SCHEMA = { type: "object", required: ["a"], properties: {
  a: { type: "integer" }, b: { type: "string", default: "x" } } };
const even = ({ a }) => a % 2 ? { message: "must be even", path: ["a"],
  hint: "add one" } : undefined;
const evenLater = async (value) => {
  await new Promise((done) => setImmediate(done));
  return even(value);
};
const env = { MOCK_KEY: KEY };
const json = (...values) => values.map((it) => ({ json: it }));

// Says yes to the third question.
function third() {
  const asked = () => ++asked.count === 3 ? [] : [{ message: "is not it",
    path: "/a", hint: "think" }];
  asked.count = 0;
  return asked;
}

test("a function refuses a value as the schema does", () => {
  const given = contract(SCHEMA, { validators: even });
  const outcome = given.check('So:\n{"b": "y", "a": 3}');
  const [issue] = outcome.errors;
  assert.deepEqual([outcome.ok, outcome.stage, outcome.value, issue.keyword,
    issue.instanceLocation, issue.message, issue.hint, issue.line,
    issue.column], [false, "validation", undefined, "validator", "/a",
    "must be even", "add one", 2, 17]);
  assert.match(outcome.report("text"), /error\[validator\]: must be even/);
  assert.match(outcome.retryPrompt("x"), /at \/a: must be even/);
  assert.equal(contract("surety/report").check(outcome.report("json")).ok,
    true);
  assert.throws(() => outcome.parsed, InvalidReply);
  assert.deepEqual(given.parse('{"a": 4}'), { a: 4, b: "x" });
  assert.equal(given.parse('```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```').a,
    2);
  assert.equal(JSON.parse(outcome.patch('[{"op": "replace", "path": "/a",' +
    ' "value": 4}]')).a, 4);
});

test("what a function may give back", () => {
  for (const [said, count] of [[undefined, 0], [null, 0], [true, 0], [[], 0],
    [false, 1], ["no", 1], [["no", { message: "not", path: "/b/0" }], 2]]) {
    const outcome = contract(SCHEMA).check('{"a": 1}',
      { validators: () => said });
    assert.deepEqual([outcome.errors.length, outcome.ok], [count, !count]);
  }
});

test("errors of the program come out as they are", async () => {
  const broken = new Error("no database");
  const throws = () => {
    throw broken;
  };
  await mocked(json(...Array(8).fill({ a: 1 })), async (config) => {
    for (const [validators, expected] of [[throws, broken],
      [async () => throws(), broken], [() => 5, TypeError],
      [() => [{ message: "" }], TypeError], [() => ({ message: "x",
        path: "a" }), { status: "misuse" }]]) {
      const given = contract(SCHEMA, { validators });
      await assert.rejects(given.checkAsync('{"a": 1}'), expected);
      const stream = given.stream();
      stream.write('{"a": 1}');
      await assert.rejects(stream.endAsync(), expected);
      if (expected.status)
        continue;
      await assert.rejects(run({ contract: given, prompt: "x", config, env,
        models: "mock:m", ledger: "none" }), expected);
    }
  });
  assert.throws(() => contract(SCHEMA, { validators: throws }).check(
    '{"a": 1}'), broken);
  assert.throws(() => contract(SCHEMA, { validators: evenLater }).check(
    '{"a": 1}'), { status: "misuse" });
  assert.throws(() => contract(SCHEMA, { validators: 5 }), TypeError);
});

test("a validator may check another reply", () => {
  const inner = contract({ type: "integer" });
  const outer = contract(SCHEMA, { validators: ({ a }) =>
    inner.check(String(a)).ok });
  assert.equal(outer.check('{"a": 1}').ok, true);
});

test("asynchronous is the same", async () => {
  const now = contract(SCHEMA, { validators: even });
  const later = contract(SCHEMA, { validators: evenLater });
  for (const reply of ['{"a": 1}', '{"a": 2}', '{"a": "x"}', "no", '{"a": 1',
    '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```']) {
    for (const options of [{}, { repair: "align" }, { partial: true }]) {
      const outcome = now.check(reply, options);
      const awaited = await later.checkAsync(reply, options);
      assert.equal(awaited.report("json"), outcome.report("json"));
      assert.deepEqual(awaited.value, outcome.value);
      let last;
      for await (last of later.stream(options).read([reply.slice(0, 3),
        reply.slice(3)]));
      assert.equal(last.outcome.report("json"), outcome.report("json"));
      const stream = now.stream(options);
      stream.write(reply);
      assert.equal(stream.end().report("json"), outcome.report("json"));
    }
  }
});

test("a run asks again for what a validator refuses", async () => {
  for (const replies of [json({ a: 1 }, { a: 2 }, { a: 3 }),
    json({ a: 1 }, { a: 1 }, { a: 1 })]) {
    await mocked(replies, async (config) => {
      const validator = third();
      const result = await run({ contract: contract(SCHEMA, { validators:
        async (value) => validator(value) }), prompt: "x", config, env,
      models: "mock:m", ledger: "none" });
      assert.deepEqual([result.verdict, result.attempts.length,
        validator.count], ["valid", 3, 3]);
      assert.equal(result.parsed.a, replies[2].json.a);
      const [first] = result.attempts;
      assert.equal(first.report.errors[0].keyword, "validator");
      assert.match(first.decision, /validator at \/a/);
    });
  }
  await mocked(json({ a: 1 }, { a: 1 }, { a: 1 }), async (config) => {
    const result = await run({ contract: SCHEMA, prompt: "x", config, env,
      models: "mock:m", ledger: "none", validators: even });
    assert.deepEqual([result.verdict, result.attempts.length,
      result.outcome.ok], ["rejected", 3, false]);
    assert.throws(() => result.parsed, RunFailed);
    assert.match(result.outcome.retryPrompt("x"), /must be even/);
  });
});

test("a run can be stopped while a validator is at work", async () => {
  await mocked(json({ a: 1 }), async (config) => {
    const stop = new AbortController();
    await assert.rejects(run({ contract: SCHEMA, prompt: "x", config, env,
      models: "mock:m", ledger: "none", signal: stop.signal,
      validators: () => new Promise(() => setTimeout(() => stop.abort(), 10)),
    }), { name: "AbortError" });
  });
});

test("a consensus asks about what it merges", async () => {
  const seen = [];
  const result = await run({ contract: SCHEMA, prompt: "x", config: {},
    consensus: "vote", ledger: "none", validators: async ({ a }) => {
      seen.push(a);
    }, models: ["exec:echo '{\"a\": 1}'", "exec:echo '{\"a\": 1}'"] });
  assert.deepEqual([result.verdict, result.value.a], ["valid", 1]);
  assert.ok(seen.length >= 2);
});

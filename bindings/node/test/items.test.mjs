// SPDX-License-Identifier: Apache-2.0
// Elements and values while a run goes on.
import assert from "node:assert/strict";
import { test } from "node:test";

import { RunFailed, contract, run, runItems } from "surety";
import { FOLDER, KEY, mocked } from "./mock.mjs";

const env = { MOCK_KEY: KEY, HOME: FOLDER, PATH: process.env.PATH };
const TABLE = contract({ type: "object", required: ["rows", "n"], properties: {
  rows: { type: "array", items: { type: "object", properties: {
    id: { type: "integer" }, unit: { default: "kg" } } } },
  n: { type: "integer", maximum: 10 } } }, { name: "table" });
const rows = (...ids) => ids.map((id) => ({ id, unit: "kg" }));
const reply = (ids, n = 1, more = {}) => ({ chunks: 8, chunk_delay_ms: 2,
  json: { rows: ids.map((id) => ({ id })), n }, ...more });
const settings = (config, more) => ({ contract: TABLE, prompt: "x", env, config,
  models: "mock:small", mode: "prompt", ledger: "none", items: "/rows",
  ...more });

async function all(items) {
  const got = [];
  for await (const one of items)
    got.push(one);
  return got;
}

test("a loop over the elements, and a re-ask in it", () => mocked(
  [reply([1, 2], 11), reply([1, 2, 3])], async (config) => {
    const items = runItems(settings(config));
    assert.equal(items.result, undefined);
    assert.deepEqual(await all(items), rows(1, 2, 3));
    assert.deepEqual(items.result.parsed.rows, rows(1, 2, 3));
    assert.equal(items.result.attempts.length, 2);
    await assert.rejects(all(items), /given once/);
  }));

test("a run without a value is no silent end", () => mocked(
  [reply([1, 2], 11)], async (config) => {
    const got = [];
    const items = runItems(settings(config, { retries: 0 }));
    await assert.rejects(async () => {
      for await (const one of items)
        got.push(one);
    }, RunFailed);
    assert.deepEqual([got, items.result.verdict], [rows(1, 2), "rejected"]);
  }));

// The rest of the reply would take hours.
const SLOW = reply([...Array(30000).keys()], 1, { chunk_delay_ms: 40 });

test("leaving a loop cancels the run, and so does a signal", () => mocked(
  [SLOW, SLOW], async (config) => {
    const left = runItems(settings(config));
    for await (const one of left) {
      assert.deepEqual(one, rows(0)[0]);
      break;
    }
    assert.equal(left.result, undefined);
    const end = new AbortController();
    await assert.rejects(async () => {
      for await (const one of runItems(settings(config,
        { signal: end.signal })))
        end.abort(new Error(`after ${one.id}`));
    }, /^Error: after 0$/);
  }));

test("events", () => mocked([reply([1, 2])], async (config) => {
  const heard = [];
  const result = await run(settings(config, { values: true,
    onEvent: (it) => heard.push(it) }));
  const values = heard.filter((it) => it.kind === "value");
  assert.deepEqual(heard.filter((it) => it.kind === "item")
    .map((it) => [it.item, it.value]), [...rows(1, 2).entries()]);
  assert.ok(values.length > 2);
  assert.deepEqual(values.at(-1).value, result.value);
}));

test("what is refused", async () => {
  assert.throws(() => runItems({ contract: TABLE, prompt: "x" }),
    /items is a JSON Pointer/);
  await assert.rejects(all(TABLE.runItems({ prompt: "x", items: "/n", env,
    models: "exec:cat", ledger: "none" })), /no array/);
  await assert.rejects(run(settings({}, { models: "exec:cat",
    consensus: "vote" })), /a consensus has no items/);
  await assert.rejects(run({ prompt: "x", items: "/rows", env,
    models: "exec:cat", ledger: "none" }), /items needs a contract/);
});
